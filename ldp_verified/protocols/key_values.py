"""Key-value pairs: how many users have each key, and the mean of their numbers, from one report.

Declared in `spec/protocols/key_value_response.py` and `key_value_bits.py`. Each number is rounded
to a sign at random, which keeps its mean. The signed keys of a user are a set of items. The set is
cut, padded and sampled. The sampled key is reported by k-ary randomized response or unary encoding.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.protocols.influenced import OfPairs
from ldp_verified.protocols.key_value_estimate import KeyValueEstimate
from ldp_verified.protocols.one_report import OnceClient, OneReport
from ldp_verified.protocols.padding import MOST_PLACES, PaddedResponse
from ldp_verified.protocols.pair_sets import PairSets, PlacedPairs
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.honest import Honesty
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.kernels.rounding import BITS
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import GRR, OUE, UE
from ldp_verified.run.program.pairs import sampled_sign
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of, spelled, told_positions
from ldp_verified.run.realize.real_numbers.bounded import check_bounds
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.protocols.pair_sets import UserPairs
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng

MOST_KEYS = 1 << 30


class KeyValues(OfPairs, OneReport):
    """The shared part of both: signs, sampling, states and estimates.

    Attributes:
        epsilon: of one report, for any two sets of pairs; a number > 0.
        k: how many keys there are, at least 2.
        length: the number l of places that a set of pairs is padded or cut to.
        bounds: of the numbers.
        law_sha256: of the law that the class runs.
        joint: whether a report may name a key with both signs.
    """

    epsilon: float
    k: int
    length: int
    bounds: tuple[float, float]

    law_sha256: ClassVar[str]
    joint: ClassVar[bool]

    @property
    @abstractmethod
    def inner(self) -> GRR | OUE | UE:
        """The mechanism that reports on a signed key or a dummy, or on a key without its sign."""

    @property
    @abstractmethod
    def realized_epsilon(self) -> float:
        """Realized epsilon of any two sets of pairs, rounded up."""

    def _settle(self) -> None:
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_KEYS))
        object.__setattr__(self, "length", check_integer("length", self.length, 1, MOST_PLACES))
        object.__setattr__(self, "bounds", check_bounds(self.bounds))
        self.inner  # noqa: B018  (what cannot be realized is refused here)

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return self.inner.bits_per_report

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        low, high = self.bounds
        items = {"epsilon": self.epsilon, "k": self.k, "length": self.length}
        every = tuple(sorted((items | {"low": low, "high": high}).items()))
        thresholds = self.inner.identity.thresholds
        return Identity(type(self).__name__, every, self.law_sha256, thresholds)

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Support counts of the signed keys, 2 j and 2 j + 1 of key j, and of the dummies."""
        inner = self.inner
        absent = inner.q_star
        held = absent + (inner.p_star - absent) / self.length
        rare, common = (RoundedTable.variance_per_user(held, absent, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, inner.layout, held, absent, rare, common), fresh=True, exclusive=False
        )

    def variance(self, n: int, f: float | Fraction = 0.0) -> float:
        """Variance of the estimated number of users who have a key, of n users of whom a share has.

        Exact where no set is cut.

        Args:
            n: number of users. f: share of them who hold the value, in [0, 1].

        Raises:
            ParameterError: n is not an integer >= 0, or f not in [0, 1].
        """
        return self.estimate_of(n).variance_of_count(n, f)

    def estimate_of(self, n: int) -> KeyValueEstimate:
        """The estimate from n reports that support nothing: the carrier of the variances.

        Args:
            n: number of users.
        """
        none = np.zeros(self.k)
        return self._estimate(check_integer("n", n, 0, 1 << 62), none, none, Honesty(()))

    def _estimate(
        self, n: int, plus: NDArray[np.float64], minus: NDArray[np.float64], honesty: Honesty
    ) -> KeyValueEstimate:
        inner = self.inner
        cells = float(inner.p_star), float(inner.q_star)
        further = self.length, *cells, self.joint, self.bounds, honesty
        return KeyValueEstimate(n, plus, minus, *further)

    def centre(self, pairs: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the expected counts and sums, float64 (k,) each: they show the bias of cutting.

        Of a set of s > length pairs each counts length/s. Sums are of the numbers less the middle
        of the bounds, in units of half their width.

        Raises:
            DomainError: these are no pairs.
        """
        held = self.held(pairs)
        sizes = held.keys.sizes
        shares = np.repeat(np.minimum(1.0, self.length / np.maximum(sizes, 1)), sizes)
        weighted = [shares, shares * held.scaled]
        counts, sums = (np.bincount(held.keys.items, each, self.k) for each in weighted)
        return counts.astype(np.float64), sums.astype(np.float64)

    def held(self, pairs: object) -> PlacedPairs:
        """The pairs that users report on: keys in 0..k-1, and numbers within the bounds.

        Raises:
            DomainError: these are none; neither key nor number is shown.
        """
        return PairSets.of(pairs).placed(self.k, self.bounds)

    def client(self, rng: Rng = None, book: SpendingBook | None = None) -> KeyValueClient:
        """One user's side of the protocol.

        Args:
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
        return KeyValueClient(self, rng, book)

    @property
    def program_value(self) -> str:
        """Return what a client's program reads for pairs, in words."""
        told = told_positions(self.bounds)
        return (
            f"A value is an array of {self.k} integers, one for each key: 0 where there is no such"
            f" key, else 1 + its number's position: {told}."
        )

    def program(self, of: Callable[[Any], Program] = program_of) -> Program:
        """The program of a client in another language, of at most 65,536 keys.

        It draws the place of the sampled key so that the number of words says nothing of the pairs.

        Args:
            of: the program of the mechanism; by default the one with its thresholds.

        Raises:
            ParameterError: there are more keys.
        """
        name = spelled(type(self).__name__)
        return sampled_sign(name, self.k, self.length, of(self.inner))

    def privatize(self, pairs: UserPairs, rng: Rng = None) -> Reports:
        """One report for each of several users.

        Args:
            pairs: a `PairSets`, or a mapping from key to number for each user; it may be empty, and
                is cut where it has more than `length` pairs.
            rng: None for the secure source; a seed or generator is for simulation, and marks the
                reports.

        Raises:
            DomainError: these are no pairs of keys in 0..k-1 and numbers within the bounds; nothing
                is drawn then. ParameterError: `rng` is something else.
        """
        held = self.held(pairs)
        return self.drawn(held, word_source(rng, "privatize", *self.identity.named))

    def drawn(self, pairs: PlacedPairs, source: WordSource) -> Reports:
        """The reports of pairs that were checked."""
        data = self.inner.sampler().draw(self._sampled(pairs, source), source)
        return Reports(data, self.identity, bool(source.simulated))

    def _sampled(self, pairs: PlacedPairs, source: WordSource) -> NDArray[np.int64]:
        """Draw what each user reports on, int64 (n,): a signed key, or a dummy from 2 k on.

        The sampled number is rounded to a sign so that the mean is kept: 1 for +, 0 for -. A word
        is read for a dummy too, so that the number of words does not tell how many pairs are
        held, but where a word is drawn again.
        """
        keys = pairs.keys
        places = np.maximum(keys.sizes, self.length)
        place = np.empty(len(keys), dtype=np.int64)
        for number in np.unique(places):
            alike = np.flatnonzero(places == number)
            place[alike] = uniform_numbers(len(alike), int(number), source)
        words = source.words(len(keys)) >> np.uint64(64 - BITS)
        own = place < keys.sizes
        held = (keys.starts + place)[own]
        plus = words[own] < pairs.positions[held].astype(np.uint64)
        chosen: NDArray[np.int64] = 2 * self.k + place - keys.sizes
        chosen[own] = 2 * keys.items[held] + plus
        return chosen

    def estimate(self, state: State) -> KeyValueEstimate:
        """Estimate how many users have each key, and the mean of their numbers: see `centre`.

        Raises:
            ParameterError: the state is of another protocol.
        """
        check_state(self.identity, state)
        signed = state.estimate(range(2 * self.k))
        plus, minus = signed.counts[1::2], signed.counts[0::2]
        return self._estimate(state.n, plus, minus, signed.honesty)


@dataclass(frozen=True)
class KeyValueResponse(KeyValues):
    """Key-value pairs over k-ary randomized response, at ln(length (e^epsilon - 1) + 1).

    Attributes:
        epsilon: of one report, for any two sets of pairs; a number > 0.
        k: how many keys there are, at least 2.
        length: the number of places that a set of pairs is padded or cut to, at least 1.
        bounds: of the numbers.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int
    bounds: tuple[float, float] = (-1.0, 1.0)

    law_sha256: ClassVar[str] = "a330432b0d207c8a7a834b7bc983be4b02b4fe26df41ea2ff2b8fc6c4897bf51"
    joint: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters, and that they can be realized."""
        self._settle()

    @cached_property
    def _items(self) -> PaddedResponse:
        return PaddedResponse(self.epsilon, 2 * self.k, self.length)

    @property
    def inner(self) -> GRR:
        """The response on the signed key or dummy."""
        return self._items.inner

    @property
    def realized_epsilon(self) -> float:
        """Return ln(1 + (e^eps' - 1)/length) with the realized eps', rounded up."""
        return self._items.realized_epsilon


@dataclass(frozen=True)
class KeyValueBits(KeyValues):
    """Key-value pairs over optimized unary encoding, at epsilon itself: for many keys.

    Attributes:
        epsilon: of one report, for any two sets of pairs; a number > 0.
        k: how many keys there are, at least 2.
        length: the number of places that a set of pairs is padded or cut to, at least 1.
        bounds: of the numbers.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int
    bounds: tuple[float, float] = (-1.0, 1.0)

    law_sha256: ClassVar[str] = "3ec75256bbd7808b0ea669ed7fa8ae5241611d10a9669d4a8581af8ca288a5c8"
    joint: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the parameters, and that they can be realized."""
        self._settle()

    @cached_property
    def inner(self) -> OUE:
        """The unary encoding of the signed key or dummy."""
        return OUE(self.epsilon, 2 * self.k + self.length)

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of the unary encoding, rounded up."""
        return self.inner.realized_epsilon


class KeyValueClient(OnceClient[KeyValues, Reports]):
    """One user's side of the protocol: it reports once, on a mapping. See `OnceClient`."""

    of = KeyValues

    def _checked(self, value: Any) -> PlacedPairs:
        return self.protocol.held([value])

    def _drawn(self, checked: PlacedPairs) -> Reports:
        return self.protocol.drawn(checked, self._source)
