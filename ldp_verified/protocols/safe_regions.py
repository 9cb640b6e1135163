"""Personalised counts of places: each user names a region and an epsilon, and hides inside.

A user sends one sign, as in `SignMatrix`, at the epsilon that they chose: the sign that a public
column gives their place, by randomized response. The declaration is `spec/protocols/sign_matrix.py`
with the places of the region as values. The server counts a user for places of their region only.
This is the personalised count estimation of Chen, Li, Qin, Kasiviswanathan, Jin (2016), "Private
spatial data aggregation in the local setting", with a column for each user, where the paper draws
one of finitely many.

Region and epsilon are sent as they are. They protect nothing: whoever names a region says that they
are in it. So both must be chosen without a look at where in the world one is at the moment, or what
is promised holds for places of the region only; `docs/personalised.md` has what the choice costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.aggregate.reports import Identity, Scalar, Sent
from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.kernels.seeds import word_source
from ldp_verified.protocols.sign_matrix import LARGEST_NUMBER, SignMatrix
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.taxonomy import Parts, Taxonomy
from ldp_verified.realize.parameters import check_epsilon, check_integer
from ldp_verified.realize.values import value_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.kernels.randomness import WordSource
    from ldp_verified.realize.randomizer import Rng

MOST_LEVELS = 256


@dataclass(frozen=True, eq=False)
class PlaceReports(Sent):
    """Reports of users, each with a public number of their own, a region and an epsilon.

    Attributes:
        identity: the protocol, its parameters and thresholds. numbers: uint64 (n,), all different.
        regions: uint32 (n,), places in `taxonomy.names`. levels: uint8 (n,), in `epsilons`.
        signs: uint8 (n,), 0 for +1 and 1 for -1.
        simulated: whether the words were those of a seed: then they protect nobody.
    """

    identity: Identity
    numbers: NDArray[np.uint64]
    regions: NDArray[np.uint32]
    levels: NDArray[np.uint8]
    signs: NDArray[np.uint8]
    simulated: bool

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True)
class SafeRegions:
    """The protocol at its parameters.

    Attributes:
        regions: the regions that users choose from, as in `Taxonomy`: a mapping from each to what
            it is split into, or pairs; afterwards pairs.
        epsilons: those that users choose from, rising, each > 0.
        seed: from which the key of the columns is made, public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range, or the regions are no tree.
    """

    regions: Parts
    epsilons: tuple[float, ...]
    seed: int = 0

    law_sha256: ClassVar[str] = SignMatrix.law_sha256

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "regions", Taxonomy(self.regions).regions)
        given: object = self.epsilons
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= MOST_LEVELS:
            raise ParameterError("epsilons", f"must be 1..{MOST_LEVELS} numbers", given)
        levels = tuple(check_epsilon(each, "epsilons") for each in given)
        if list(levels) != sorted(set(levels)):
            raise ParameterError("epsilons", "must rise", levels)
        object.__setattr__(self, "epsilons", levels)
        object.__setattr__(self, "seed", check_integer("seed", self.seed, 0, LARGEST_NUMBER))
        if len(self.taxonomy.places) < 2:
            raise ParameterError("regions", "must hold two places or more", self.taxonomy.places)
        self.matrices  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def taxonomy(self) -> Taxonomy:
        """The tree of the regions."""
        return Taxonomy(self.regions)

    @cached_property
    def bits(self) -> int:
        """Bits of the number of a place."""
        return max(2, (len(self.taxonomy.places) - 1).bit_length())

    @cached_property
    def matrices(self) -> tuple[SignMatrix, ...]:
        """What draws the signs at each epsilon; all have the same columns."""
        return tuple(SignMatrix(each, self.bits, self.seed) for each in self.epsilons)

    @property
    def epsilon(self) -> float:
        """The largest epsilon that a user may choose."""
        return self.epsilons[-1]

    @property
    def realized_epsilon(self) -> float:
        """The largest realized epsilon of a report, of two places of the user's own region."""
        return self.matrices[-1].realized_epsilon

    @property
    def bits_per_report(self) -> int:
        """Bits that a user sends: the number, the region, the epsilon and the sign."""
        choices = len(self.taxonomy.names), len(self.epsilons)
        return self.matrices[0].bits_per_report + sum((m - 1).bit_length() for m in choices)

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        epsilons = ",".join(each.hex() for each in self.epsilons)
        items: dict[str, Scalar] = {
            "epsilons": epsilons,
            "seed": self.seed,
            "taxonomy": self.taxonomy.digest,
        }
        thresholds = tuple(t for each in self.matrices for t in each.identity.thresholds)
        return Identity(type(self).__name__, (*sorted(items.items()),), self.law_sha256, thresholds)

    def level(self, epsilon: object) -> int:
        """The place of an epsilon among those that users may choose.

        Raises:
            ParameterError: it is none of them.
        """
        chosen = check_epsilon(epsilon)
        if chosen not in self.epsilons:
            raise ParameterError("epsilon", f"must be one of {self.epsilons}", epsilon)
        return self.epsilons.index(chosen)

    def region(self, name: object) -> int:
        """The number of a region that a user may name.

        Raises:
            ParameterError: it is none of the taxonomy, or holds a single place.
        """
        if len(self.taxonomy.span(name)) < 2:
            rule = "must hold two places or more: whoever names a single one says where they are"
            raise ParameterError("region", rule, name)
        return self.taxonomy.names.index(str(name))

    def client(
        self,
        region: str,
        epsilon: float,
        number: int,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> SafeRegionClient:
        """The side of a user with this region, epsilon and public number."""
        return SafeRegionClient(self, region, epsilon, number, rng, book)

    def privatize(
        self, places: object, rng: Rng = None, *, region: str, epsilon: float, first: int = 0
    ) -> PlaceReports:
        """One report for each of several users of one region and epsilon.

        Args:
            places: names of places of the region.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.
            region, epsilon: that all of these users chose. first: the number of the first user;
                those of the others follow.

        Raises:
            ParameterError: no such region or epsilon, or another argument is something else.
            DomainError: no place, or one outside the region; nothing is drawn then.
        """
        choice = self.region(region), self.level(epsilon)
        source = word_source(rng, "privatize", *self.identity.named)
        return self._reports(self._inside(places, region), choice, first, source)

    def simulate(
        self,
        places: object,
        counts: object,
        rng: Rng = None,
        *,
        region: str,
        epsilon: float,
        first: int = 0,
    ) -> PlaceReports:
        """The reports of a population of one region and epsilon, without a loop over users.

        Args:
            places: different places of the region. counts: how many users are at each.
            rng, region, epsilon, first: as in `privatize`.

        Raises:
            DomainError: as in `privatize`. ParameterError: counts that do not fit, too.
        """
        choice = self.region(region), self.level(epsilon)
        inside = self._inside(places, region)
        users = value_array(counts, "counts", ParameterError)
        if users.shape != inside.shape or users.dtype.kind not in "iu":
            raise ParameterError("counts", "must be one integer for each place", users.shape)
        if len(users) and int(users.min()) < 0:
            raise ParameterError("counts", "must not be negative")
        source = word_source(rng, "simulate", *self.identity.named)
        return self._reports(np.repeat(inside, users), choice, first, source)

    def _inside(self, places: object, region: str, argument: str = "places") -> NDArray[np.int64]:
        """Return the numbers of places, int64 (n,), all of the region."""
        numbers = np.array(self.taxonomy.numbers(places, argument), dtype=np.int64)
        span = self.taxonomy.span(region)
        if ((numbers < span.start) | (numbers >= span.stop)).any():
            raise DomainError(argument, f"must lie in the region {region!r}")
        return numbers

    def _reports(
        self,
        inside: NDArray[np.int64],
        choice: tuple[int, int],
        first: int,
        source: WordSource,
    ) -> PlaceReports:
        if len(inside) == 0:
            raise DomainError("places", "must be one place or more")
        region, level = choice
        matrix = self.matrices[level]
        drawn = matrix._reports(matrix.encode(inside, "places"), first, source)
        return PlaceReports(
            self.identity,
            drawn.numbers,
            np.full(len(drawn), region, dtype=np.uint32),
            np.full(len(drawn), level, dtype=np.uint8),
            drawn.signs,
            drawn.simulated,
        )


class SafeRegionClient:
    """One user's side of the protocol: it reports once.

    Region, epsilon and number are public. They are given before the place is, and must not be
    chosen by it.

    Args:
        protocol: the parameters. region: of its taxonomy. epsilon: one of its `epsilons`.
        number: the user's own.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: a bad argument: a region outside the taxonomy, among others.
    """

    def __init__(
        self,
        protocol: SafeRegions,
        region: str,
        epsilon: float,
        number: int,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        check_kind("protocol", protocol, SafeRegions)
        if book is not None:
            check_kind("book", book, SpendingBook)
        self.protocol, self._book = protocol, book
        self._choice = protocol.region(region), protocol.level(epsilon)
        self.region, self.epsilon = region, protocol.epsilons[self._choice[1]]
        self.number = check_integer("number", number, 0, LARGEST_NUMBER - 1)
        self._source = word_source(rng, "device", *protocol.identity.named)
        self._reported = False

    def report(self, place: str) -> PlaceReports:
        """The one report of this user.

        Raises:
            DomainError: a place outside the region, which is not shown; nothing is drawn then.
            ParameterError: there was a report already: a second one would cost epsilon again; or
                the book refuses, whatever the place is. Nothing is drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        if self._reported:
            raise ParameterError("report", "must be called once: a second one costs epsilon again")
        inside = self.protocol._inside([place], self.region, "place")
        if self._book is not None:
            self._book.spend(self.epsilon, f"SafeRegions, number {self.number}")
        self._reported = True
        return self.protocol._reports(inside, self._choice, self.number, self._source)
