"""Padding and sampling: counts of the items that users have sets of.

Declared in `spec/protocols/padded_response.py` and `padded_hashing.py`. A set is cut to `length`
items, or padded to as many with dummies that are all different. One of them is sampled uniformly,
and reported by k-ary randomized response or by local hashing, to which it is one of k + length
values: the items, then the dummies.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.influenced import OfReports
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.one_report import OnceClient, OneReport
from ldp_verified.protocols.second_step import epsilon_of
from ldp_verified.protocols.set_sizes import MeanItems, mean_items
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity, Scalar
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.kernels.family import MOST_VALUES
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import BLH, GRR, OLH, SUE
from ldp_verified.run.program.sets import sampled_item, told_set
from ldp_verified.run.realize.parameters import LARGEST_N, check_epsilon, check_integer, check_share
from ldp_verified.run.realize.programmed import program_of, spelled
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from ldp_verified.protocols.item_sets import UserSets
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng

MOST_ITEMS = 1 << 31
MOST_PLACES = 1 << 20


class PaddedSampling(OfReports, OneReport):
    """The shared part of both: what is sampled, and how counts follow from reports.

    Attributes:
        epsilon: of one report, for any two sets of whatever sizes; a number > 0.
        k: how many items there are.
        length: the number l of places that a set is padded or cut to.
        law_sha256: of the law that the class runs.
    """

    epsilon: float
    k: int
    length: int

    law_sha256: ClassVar[str]

    @property
    @abstractmethod
    def inner(self) -> GRR | OLH | BLH | SUE:
        """The mechanism that reports on the sampled item, of k + length values."""

    @property
    @abstractmethod
    def realized_epsilon(self) -> float:
        """Realized epsilon of any two sets, rounded up."""

    @property
    def _own_items(self) -> dict[str, Scalar]:
        """Return the parameters that only one of the two has."""
        return {}

    def _settle(self) -> None:
        """Check the parameters that both protocols have."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_ITEMS))
        object.__setattr__(self, "length", check_integer("length", self.length, 1, MOST_PLACES))

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return self.inner.bits_per_report

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items: dict[str, Scalar] = {"epsilon": self.epsilon, "k": self.k, "length": self.length}
        own = tuple(sorted((items | self._own_items).items()))
        return Identity(type(self).__name__, own, self.law_sha256, self.inner.identity.thresholds)

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Support counts of the k items and `length` dummies: p* if an item is held, else q*.

        Where no set is cut, the estimates and their variances are exact: l items share the gain.
        """
        inner = self.inner
        absent = inner.q_star
        held = absent + (inner.p_star - absent) / self.length
        rare, common = (RoundedTable.variance_per_user(held, absent, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, inner.layout, held, absent, rare, common), fresh=True, exclusive=False
        )

    def variance(self, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of an estimated count, for n users of whom a share f holds the item.

        Exact where no set is cut. A user whose cut set has the item with chance w adds at most
        w (1 - w), so 1/4, to it.

        Raises:
            ParameterError: n is not an integer >= 0, or f not in [0, 1].
        """
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        absent, held = self.oracle.variance_absent, self.oracle.variance_held
        return float(users * (absent + share * (held - absent)))

    def centre(self, sets: object) -> NDArray[np.float64]:
        """Return what the estimated counts are centred at, float64 (k,), with the bias of cutting.

        A set of s > length items counts length/s for each of them; so estimates of items that long
        sets hold are too small, by all that this is below the number of holders.

        Raises:
            DomainError: these are no sets of the items.
        """
        held = self.held(sets)
        shares = np.minimum(1.0, self.length / np.maximum(held.sizes, 1))
        weights = np.repeat(shares, held.sizes)
        return np.asarray(np.bincount(held.items, weights, self.k), dtype=np.float64)

    def held(self, sets: object, argument: str = "sets") -> ItemSets:
        """The sets that users report on: theirs, of items in 0..k-1.

        Raises:
            DomainError: these are none; no item is shown.
        """
        found = ItemSets.of(sets, argument)
        found.check(self.k, argument)
        return found

    def client(self, rng: Rng = None, book: SpendingBook | None = None) -> PaddedClient:
        """One user's side of the protocol."""
        return PaddedClient(self, rng, book)

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for a set, in words."""
        return told_set(self.k, self.k)

    def program(self, of: Callable[[RoundedTable], Program] = program_of) -> Program:
        """The program of a client in another language, of sets of at most 65,536 items.

        It draws the place of the sampled item so that the number of words says nothing of the set.

        Args:
            of: the program of the mechanism; by default the one with its thresholds.

        Raises:
            ParameterError: there are more items.
        """
        return sampled_item(spelled(type(self).__name__), self.k, self.length, of(self.inner))

    def privatize(self, sets: UserSets, rng: Rng = None) -> Reports:
        """One report for each of several users.

        Args:
            sets: `ItemSets`, or a list, tuple, set or array of integers in 0..k-1 for each user.
                Sets may be empty; those of more than `length` items are cut.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: no set, an item twice, or one outside the domain; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        return self._reports(self.held(sets), word_source(rng, "privatize", *self.identity.named))

    def simulate(self, sets: object, counts: object, rng: Rng = None) -> Reports:
        """The reports of a population, without a loop over users.

        Args:
            sets: different sets, as in `privatize`. counts: how many users have each.
            rng: as in `privatize`.

        Raises:
            DomainError: as in `privatize`. ParameterError: counts that do not fit, too.
        """
        held = self.held(sets)
        users = held.holders(counts)
        source = word_source(rng, "simulate", *self.identity.named)
        return self._reports(held, source, users)

    def _reports(
        self, sets: ItemSets, source: WordSource, users: NDArray[np.int64] | None = None
    ) -> Reports:
        if len(sets if users is None else users) == 0:
            raise DomainError("sets", "must be one set or more")
        chosen = self.sampled(sets, source, users)
        drawn = self.inner._sampler.draw(chosen, source)
        return Reports(drawn, self.identity, bool(source.simulated))

    def sampled(
        self, sets: ItemSets, source: WordSource, users: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Draw what each user reports on, int64 (n,): an item, or a dummy from k on.

        Cutting uniformly to `length` items and sampling one of them is sampling one of them all.

        Args:
            sets: of items. source: of the places.
            users: the number of each user's set; None where each set is one user's.
        """
        sizes, starts = sets.sizes, sets.starts
        if users is not None:
            sizes, starts = sizes[users], starts[users]
        places = np.maximum(sizes, self.length)
        place = np.empty(len(sizes), dtype=np.int64)
        for number in np.unique(places):
            alike = np.flatnonzero(places == number)
            place[alike] = uniform_numbers(len(alike), int(number), source)
        own = place < sizes
        chosen: NDArray[np.int64] = self.k + place - sizes
        chosen[own] = sets.items[(starts + place)[own]]
        return chosen

    def estimate(self, state: State) -> Estimate:
        """Estimate how many users hold each of the k items, and not the dummies: see `centre`.

        Raises:
            ParameterError: the state is of another protocol.
        """
        self.check_state(state)
        return state.estimate(range(self.k))

    def estimated_sizes(self, state: State) -> NDArray[np.float64]:
        """Estimate how many users have at most 0, 1, ..., length - 1 items, float64 (length,).

        Unbiased counts, from the dummies: the first j of them stand in sets of at most l - j items.

        Raises:
            ParameterError: the state is of another protocol.
        """
        self.check_state(state)
        counts = state.estimate(range(self.k, self.k + self.length)).counts
        return counts[::-1].copy()

    def mean_items(
        self,
        state: State,
        items: Iterable[int] | None = None,
        level: float = 0.95,
        largest: int | None = None,
    ) -> MeanItems:
        """Estimate the mean number of items of a user's set, or of some public items within it.

        Sets of s > length items count `length` items as a whole, and each item length/s. So the
        true mean is never below that of the estimate. It is above by largest - length at most for
        each user who is cut, and `MeanItems.full` bounds how many are.

        Args:
            state: of this protocol, with reports.
            items: for the mean size of what sets have in common with these; None for all of a set.
            level: of the interval, in (0, 1); its ends hold for every number of users.
            largest: the size that no set exceeds, if it is known: then the interval is for sets as
                they are. None for an interval of what is left when sets are cut.

        Raises:
            DomainError: items are no integers in 0..k-1, or none. ParameterError: one stands there
                twice, another argument is out of range, or the state is of another protocol or has
                no reports.
        """
        self.check_state(state)
        return mean_items(self, state, items, level, largest)

    def check_state(self, state: State) -> None:
        """Refuse a state of another protocol, or of other parameters.

        Raises:
            ParameterError: it is one.
        """
        check_state(self.identity, state)


@dataclass(frozen=True)
class PaddedResponse(PaddedSampling):
    """Padding and sampling over k-ary randomized response, at ln(length (e^epsilon - 1) + 1).

    The sampled item hides among the others of its set, so that any two sets cost epsilon.

    Attributes:
        epsilon: of one report, for any two sets of whatever sizes; a number > 0.
        k: how many items there are, at least 2.
        length: the number of places that a set is padded or cut to, at least 1.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int

    law_sha256: ClassVar[str] = "7b52d8350291679d278a53c342ff8b8198cc57ce89be95a44a02568b8b6d340d"

    def __post_init__(self) -> None:
        """Check the parameters, and that they can be realized."""
        self._settle()
        self.inner  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def inner(self) -> GRR:
        """The response on the sampled item, of k + length values."""
        # ln(l (e^eps - 1) + 1) = eps + ln(1 + (l - 1)(1 - e^-eps)), which does not overflow.
        wanted = self.epsilon + math.log1p((self.length - 1) * -math.expm1(-self.epsilon))
        made = GRR(wanted, self.k + self.length)
        while self._cost(made) > self.epsilon:
            wanted = math.nextafter(wanted, 0)
            made = GRR(wanted, self.k + self.length)
        return made

    def _cost(self, made: GRR) -> float:
        return epsilon_of(1 + (made.p / made.q - 1) / self.length)

    @cached_property
    def realized_epsilon(self) -> float:
        """ln(1 + (e^eps' - 1)/length) with the realized eps', rounded up."""
        return self._cost(self.inner)


@dataclass(frozen=True)
class PaddedHashing(PaddedSampling):
    """Padding and sampling over local hashing, at epsilon itself: sampling gains nothing there.

    Attributes:
        epsilon: of one report, for any two sets of whatever sizes; a number > 0.
        k: how many items there are, at least 2.
        length: the number of places that a set is padded or cut to, at least 1.
        g: how many buckets a hash function has; None for the number of least variance.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int
    g: int | None = None

    law_sha256: ClassVar[str] = "62ad63e5c4035a5652752a614eef9792f30fa5e4a25d6d23814647f6ce89410e"

    def __post_init__(self) -> None:
        """Check the parameters, and settle the number of buckets."""
        self._settle()
        if self.k + self.length > MOST_VALUES:
            rule = f"must be at most {MOST_VALUES} together with length {self.length}"
            raise ParameterError("k", rule, self.k)
        object.__setattr__(self, "g", self.inner.buckets)

    @cached_property
    def inner(self) -> OLH:
        """Local hashing of the sampled item, of k + length values."""
        return OLH(self.epsilon, self.k + self.length, self.g)

    @property
    def _own_items(self) -> dict[str, Scalar]:
        return {"g": self.inner.buckets}

    @property
    def realized_epsilon(self) -> float:
        """Return the epsilon of local hashing, rounded up."""
        return self.inner.realized_epsilon


class PaddedClient(OnceClient[PaddedSampling, Reports]):
    """One user's side of the protocol: it reports once, on a set. See `OnceClient`."""

    of = PaddedSampling

    def _checked(self, value: Any) -> ItemSets:
        return self.protocol.held([value], "items")

    def _drawn(self, checked: ItemSets) -> Reports:
        return self.protocol._reports(checked, self._source)
