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
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.protocols.one_report import OnceClient
from ldp_verified.protocols.sign_matrix import LARGEST_NUMBER, SignMatrix, numbers_from
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.taxonomy import Parts, Taxonomy
from ldp_verified.run.aggregate.identity import Identity, Scalar
from ldp_verified.run.aggregate.reports import SentReports
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.values import holder_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.influence import Influence
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserTexts

MOST_LEVELS = 256


@dataclass(frozen=True, eq=False, repr=False)
class PlaceReports(SentReports):
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
        """The matrices that draw the signs, one for each epsilon; all have the same columns."""
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

    def influence(self, epsilon: object = None) -> Influence:
        """Return what one report, honest or not, can add to a place's estimated count: attained.

        A client that lies names a region that holds the place, and the epsilon that weighs most.

        Args:
            epsilon: of those who may name this one only; None for the smallest of `epsilons`.

        Raises:
            ParameterError: it is none of `epsilons`.
        """
        level = 0 if epsilon is None else self.level(epsilon)
        return self.matrices[level].influence()

    def client(
        self,
        region: str,
        epsilon: float,
        number: int,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> SafeRegionClient:
        """The side of a user with this region, epsilon and public number.

        Args:
            region: the public region of the user. epsilon: the user's own, public.
            number: the user's public number.
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
        return SafeRegionClient(self, region, epsilon, number, rng, book)

    def privatize(
        self, places: UserTexts, rng: Rng = None, *, region: object, epsilon: object, first: int = 0
    ) -> PlaceReports:
        """One report for each of several users.

        Args:
            places: names of places, each in the region of its user.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.
            region: the one that all users chose, or a list of those of each.
            epsilon: the one that all users chose, or a list of those of each.
            first: the number of the first user; those of the others follow.

        Raises:
            ParameterError: no such region or epsilon, or another argument is something else.
            DomainError: no place, or one outside its region; nothing is drawn then.
        """
        inside = self._inside(places)
        choices = self._choices(region, epsilon, len(inside))
        self._refuse_outside(inside, choices[0])
        source = word_source(rng, "privatize", *self.identity.named)
        return self._reports(inside, *choices, first, source)

    def simulate(
        self,
        places: object,
        counts: object,
        rng: Rng = None,
        *,
        region: object,
        epsilon: object,
        first: int = 0,
    ) -> PlaceReports:
        """The reports of a population, without a loop over users.

        Args:
            places: names of places. counts: how many users are at each.
            rng, first: as in `privatize`. region, epsilon: of all users, or lists of those of the
                users at each of the places, which may be named several times.

        Raises:
            DomainError: as in `privatize`. ParameterError: counts that do not fit, too.
        """
        inside = self._inside(places)
        users = holder_counts(counts, len(inside))
        regions, levels = self._choices(region, epsilon, len(inside))
        regions, levels = np.repeat(regions, users), np.repeat(levels, users)
        repeated = np.repeat(inside, users)
        self._refuse_outside(repeated, regions)
        source = word_source(rng, "simulate", *self.identity.named)
        return self._reports(repeated, regions, levels, first, source)

    def _inside(self, places: object, argument: str = "places") -> NDArray[np.int64]:
        """Return the numbers of places, int64 (n,)."""
        return np.array(self.taxonomy.numbers(places, argument), dtype=np.int64)

    def _refuse_outside(
        self, inside: NDArray[np.int64], regions: NDArray[np.uint32], argument: str = "places"
    ) -> None:
        """Check that each place lies in the region of its user, which is public.

        Raises:
            DomainError: one does not, or there is none.
        """
        if len(inside) == 0:
            raise DomainError(argument, "must be one place or more")
        begins, ends = self._spans[regions].T
        outside = np.flatnonzero((inside < begins) | (inside >= ends))
        if len(outside):
            region = self.taxonomy.names[regions[outside[0]]]
            raise DomainError(argument, f"must lie in the user's own region, {region!r}")

    def _choices(
        self, region: object, epsilon: object, users: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        """Return the regions and epsilons of users as numbers, (n,) both."""
        regions = _each("region", region, str, self.region, users)
        levels = _each("epsilon", epsilon, int | float, self.level, users)
        return np.array(regions, dtype=np.uint32), np.array(levels, dtype=np.uint8)

    @cached_property
    def _spans(self) -> NDArray[np.int64]:
        """The first place of each region, and the first one after it; int64 (regions, 2)."""
        spans = map(self.taxonomy.span, self.taxonomy.names)
        return np.array([(span.start, span.stop) for span in spans], dtype=np.int64)

    def _reports(
        self,
        inside: NDArray[np.int64],
        regions: NDArray[np.uint32],
        levels: NDArray[np.uint8],
        first: object,
        source: WordSource,
    ) -> PlaceReports:
        numbers = numbers_from(first, len(inside))
        signs = np.empty(len(inside), dtype=np.uint8)
        for level in np.unique(levels):
            at, matrix = np.flatnonzero(levels == level), self.matrices[level]
            encoded = matrix.encode(inside[at])
            signs[at] = matrix.draw_signs(numbers[at], encoded, source)
        return PlaceReports(self.identity, numbers, regions, levels, signs, bool(source.simulated))


def _each(argument: str, given: object, kind: Any, number: Callable[[Any], int], users: int) -> Any:
    """The numbers of what each user chose, from one choice of all or a list.

    Raises:
        ParameterError: a choice is none, or there is not one for each user.
    """
    if given is None or isinstance(given, kind) or not hasattr(given, "__len__"):
        return [number(given)] * users
    listed = list(cast("Any", given))
    if len(listed) != users:
        raise ParameterError(argument, "must be one, or one for each place", len(listed))
    known: dict[Any, int] = {}
    for each in listed:
        if not isinstance(each, kind):
            number(each)  # refuses it
        if each not in known:
            known[each] = number(each)
    return [known[each] for each in listed]


class SafeRegionClient(OnceClient[SafeRegions, PlaceReports]):
    """One user's side of the protocol: it reports once. See `OnceClient`.

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

    of = SafeRegions

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
        self._choices = protocol._choices([region], [epsilon], 1)
        self.region, self.epsilon = region, protocol.epsilons[self._choices[1][0]]
        self.number = check_integer("number", number, 0, LARGEST_NUMBER - 1)
        super().__init__(protocol, rng, book)

    @property
    def _price(self) -> tuple[float, str]:
        return self.epsilon, f"SafeRegions, number {self.number}"

    def _checked(self, value: Any) -> Any:
        inside = self.protocol._inside([value], "place")
        self.protocol._refuse_outside(inside, self._choices[0], "place")
        return inside

    def _drawn(self, checked: Any) -> PlaceReports:
        return self.protocol._reports(checked, *self._choices, self.number, self._source)
