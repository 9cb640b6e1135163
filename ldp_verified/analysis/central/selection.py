"""Choose one of finitely many public answers by their scores: the exponential mechanism.

P(o) is proportional to e^(-epsilon d(o)/(2 Delta)), where d(o) is how far the score of o is below
the best one and Delta how far one person can move a score. It is drawn exactly, for the double that
epsilon is. A uniform number in [0, 1) is made of random words, as many as it takes. Intervals
around the sums of the weights decide where it lies.

Frank McSherry, Kunal Talwar (2007), Mechanism Design via Differential Privacy; for quantiles Adam
Smith (2011), Privacy-Preserving Statistical Estimation with Optimal Convergence Rates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.account.rounding import share_of
from ldp_verified.analysis.central.neighbours import Neighbours
from ldp_verified.analysis.central.statistic import MOST_PEOPLE, Histogram
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.run.realize.parameters import (
    check_ends,
    check_epsilon,
    check_integer,
    exact_number,
)
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.values import Categories, number_array

if TYPE_CHECKING:
    from flint import arb
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

    Integers = NDArray[np.int64]

MOST_CANDIDATES = 1 << 20
MOST_DENOMINATOR = 1000
"""A quantile is a share with at most this denominator: scores are integers."""

WORDS = 2
"""Random words that are compared first: they do not decide once in 2^100."""


class Selection(ABC):
    """A choice among public candidates by integer scores, the larger the better."""

    @property
    @abstractmethod
    def candidates(self) -> NDArray[Any]:
        """The possible answers, in the order of their scores."""

    @abstractmethod
    def scores(self, values: Any) -> Integers:
        """The scores of the candidates on a data set, int64 (candidates,).

        Args:
            values: one value for each person.

        Raises:
            DomainError: a value that is none; the message does not contain it.
        """

    @abstractmethod
    def sensitivity(self, neighbours: Neighbours) -> int:
        """How far one person can move a score, at most."""

    @property
    def unit(self) -> str:
        """One step of the score, in words."""
        return "steps of the score"


@dataclass(frozen=True)
class Quantile(Selection):
    """The choice of a value that a share q of the people does not exceed, evenly spaced.

    The score of o is minus the distance of q n from what may be said to lie below o. That is at
    least as many people as are below it, at most as many as are not above it. It is counted in
    units of 1/b for q = a/b.

    Attributes:
        q: a share in (0, 1), as a fraction or a decimal with a denominator of at most 1000.
        low, high: the first and the last candidate.
        size: how many candidates there are, 2..2^20.

    Raises:
        ParameterError: a parameter outside its range, or ends whose difference is outside
            1e-140..1e140.
    """

    q: float | Fraction
    low: float
    high: float
    size: int = 1001
    _share: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters."""
        exact = exact_number(self.q)
        share = None if exact is None else Fraction(str(self.q))  # 0.1 is meant to be 1/10
        if share is None or not 0 < share < 1 or share.denominator > MOST_DENOMINATOR:
            rule = f"must be a share in (0, 1) with a denominator of at most {MOST_DENOMINATOR}"
            raise ParameterError("q", rule, self.q)
        check_ends("low, high", "must be finite numbers with low < high", self.low, self.high)
        check_integer("size", self.size, 2, MOST_CANDIDATES)
        object.__setattr__(self, "_share", share)

    @property
    def candidates(self) -> NDArray[np.float64]:
        """Evenly spaced from `low` to `high`, float64 (size,)."""
        return np.linspace(float(self.low), float(self.high), self.size)

    def scores(self, values: Any) -> Integers:
        """Minus the distance of a n from the numbers below, times b.

        Args:
            values: one number for each person.

        Raises:
            DomainError: something that is no number, or more than `MOST_PEOPLE` of them.
        """
        flat = number_array(values, 1).reshape(-1)
        if len(flat) > MOST_PEOPLE:
            raise DomainError("values", f"must be at most {MOST_PEOPLE}", len(flat))
        if np.isnan(flat).any():
            place = int(np.isnan(flat).argmax())
            raise DomainError(f"values[{place}]", "must be a number")
        ranked = np.sort(flat)
        below = np.searchsorted(ranked, self.candidates, side="left")
        reached = np.searchsorted(ranked, self.candidates, side="right")
        a, b = self._share.numerator, self._share.denominator
        wanted = a * len(flat)
        far: Integers = np.maximum(np.maximum(b * below - wanted, wanted - b * reached), 0)
        return -far

    def sensitivity(self, neighbours: Neighbours) -> int:
        """b under `replace`; the larger of a and b - a under `add-remove`."""
        a, b = self._share.numerator, self._share.denominator
        return b if neighbours is Neighbours.REPLACE else max(a, b - a)

    @property
    def unit(self) -> str:
        """One step of the score, in words: 1/b of a person."""
        return f"1/{self._share.denominator} people in rank"

    def __str__(self) -> str:
        return f"quantile {self._share}"


@dataclass(frozen=True)
class MostFrequent(Selection):
    """The category that most people hold; the score of a category is its count.

    Attributes:
        categories: as of `Histogram`.

    Raises:
        ParameterError: see `Histogram`.
    """

    categories: Categories | int
    _counts: Histogram = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the labels."""
        object.__setattr__(self, "_counts", Histogram(self.categories))

    @property
    def candidates(self) -> NDArray[Any]:
        """The labels as they were given, of dtype object."""
        found = np.empty(len(self._counts.labels), dtype=object)
        found[:] = self._counts.labels
        return found

    def scores(self, values: Any) -> Integers:
        """The score of each label is how many people hold it."""
        return self._counts.steps(values, Neighbours.REPLACE)

    def sensitivity(self, neighbours: Neighbours) -> int:  # noqa: ARG002  the same for both
        """1, whichever data sets are neighbours."""
        return 1

    @property
    def unit(self) -> str:
        """One step of the score, in words: a person."""
        return "people in count"

    def __str__(self) -> str:
        return f"most frequent of {len(self._counts.labels)} categories"


@dataclass(frozen=True)
class ExponentialMechanism:
    """The rule by which a candidate is drawn, and its price.

    Attributes:
        epsilon: the promise for one person, in nats; a number > 0.

    Raises:
        ParameterError: epsilon is something else.
    """

    epsilon: float

    def __post_init__(self) -> None:
        """Check epsilon."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))

    def rate(self, sensitivity: int) -> Fraction:
        """The rate at which weights fall with the score: epsilon/(2 Delta)."""
        return Fraction(self.epsilon) / (2 * sensitivity)

    def draw(self, scores: Integers, sensitivity: int, source: WordSource) -> int:
        """The index of one candidate.

        Args:
            scores: integers, one for each candidate. sensitivity: of the scores, at least 1.
            source: of words.
        """
        far, places = np.unique(int(scores.max()) - scores, return_inverse=True)
        times = np.bincount(places.reshape(-1)).tolist()
        group = drawn(far.tolist(), times, self.rate(sensitivity), source)
        (members,) = np.nonzero(places.reshape(-1) == group)
        return int(members[uniform_below(len(members), source)])

    def shortfall(self, candidates: int, sensitivity: int, beta: float) -> float:
        """How far the score is below the best one, at most, with probability 1 - beta.

        (2 Delta/epsilon) ln(candidates/beta): `exponential_mech_utility` in proofs/lib/Central.v.

        Args:
            candidates: how many there are. sensitivity: of the scores. beta: in (0, 1).

        Raises:
            ParameterError: beta is not in (0, 1).
        """
        share_of("beta", beta)
        return 2 * sensitivity / self.epsilon * log(candidates / beta)


def drawn(far: list[int], times: list[int], rate: Fraction, source: WordSource) -> int:
    """The index of a group, with probability proportional to times e^(-rate far), exactly.

    Args:
        far: integers >= 0, rising from 0. times: how many members each group has.
        rate: above 0. source: of words.
    """
    uniform, words = 0, 0
    while True:
        more = WORDS if words == 0 else words
        for word in source.words(more).tolist():
            uniform = uniform << 64 | int(word)
        words += more
        found = located(far, times, rate, uniform, 64 * words)
        if found is not None:
            return found


def located(
    far: list[int], times: list[int], rate: Fraction, uniform: int, bits: int
) -> int | None:
    """The group in which a number of [uniform, uniform + 1) 2^-bits of the whole lies.

    None if these bits do not tell: then more of them are drawn.
    """
    scale = bits + 64

    def attempt() -> list[int] | None:
        base: arb = (-balls.ball(rate)).exp()
        power, last, found = base**0, 0, []
        for place in far:
            power, last = power * base ** (place - last), place
            lower = (power * (1 << scale)).floor().unique_fmpz()
            found.append(None if lower is None else int(lower))
            if lower == 0:
                break  # and so are all further ones
        if None in found:
            return None
        return [each or 0 for each in found] + [0] * (len(far) - len(found))

    lower = [n * weight for n, weight in zip(times, balls.decide(attempt), strict=True)]
    # Each weight is below its floor and 1; so is each sum, with as many units as it has members.
    sums, units = [0, *accumulate(lower)], [0, *accumulate(times)]
    whole_low, whole_high = sums[-1], sums[-1] + units[-1]
    # The number times the whole lies in [first, last) 2^-bits.
    first, last = uniform * whole_low, (uniform + 1) * whole_high
    group = bisect_right(sums, first >> bits) - 1
    for place in (group - 1, group, group + 1):
        if 0 <= place < len(far):
            starts = (sums[place] + units[place]) << bits
            ends = sums[place + 1] << bits
            if (place == 0 or starts <= first) and (place == len(far) - 1 or last <= ends):
                return place
    return None
