"""Statistics of a data set as vectors of integers, with how far one person can move them.

What noise is added to is an integer number of steps: then no bit of a float gives the data away
(Ilya Mironov 2012, On Significance of the Least Significant Bits for Differential Privacy). A value
of a sum counts to the nearest step, and a value beyond the bounds counts as the bound.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.central.neighbours import Neighbours, Sensitivity
from ldp_verified.errors import DomainError, ParameterError, type_name
from ldp_verified.run.realize.parameters import check_ends, check_integer, exact_number
from ldp_verified.run.realize.values import (
    Categories,
    check_categories,
    encode,
    number_array,
    value_array,
)
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

FINENESS = 10
"""By default an interval has at least 2^(FINENESS - 1) steps, and at most 2^FINENESS."""

MOST_STEPS = 1 << 20
"""Steps of an interval at most."""

MOST_PEOPLE = 1 << 40
"""Sums of so many numbers of steps fit 64 bits."""


class Statistic(ABC):
    """A vector of integers that is computed from a data set.

    A subclass says what one person can change, and `central.check_sensitivity` tries it on all
    small data sets.
    """

    @abstractmethod
    def steps(self, values: Any, neighbours: Neighbours) -> Integers:
        """The vector of a data set, int64 (d,).

        Args:
            values: one value for each person.
            neighbours: what the promise is about.

        Raises:
            DomainError: a value that is none; the message does not contain it.
        """

    @abstractmethod
    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """How far the vectors of two neighbouring data sets may be apart."""

    @abstractmethod
    def answer(self, noisy: Any, n: int, neighbours: Neighbours) -> Any:
        """The statistic in the users' units, from a noisy vector.

        Args:
            noisy: numbers of steps, float64 (d,).
            n: how many people there are; only read where neighbours have the same number.
            neighbours: what the promise is about.
        """

    @abstractmethod
    def error(self, noisy: Any, deviation: float, n: int, neighbours: Neighbours) -> float:
        """The standard error of each number of the answer, in the users' units.

        Args:
            noisy, n, neighbours: as in `answer`.
            deviation: of the noise of one coordinate, in steps.
        """

    def most(self, n: int) -> tuple[int, int] | None:
        """The ends of every coordinate for n people, in steps; None where there are none."""
        del n
        return None

    @property
    def note(self) -> str:
        """A note on values that do not fit; empty where all fit."""
        return ""

    @property
    def step_name(self) -> str:
        """A step in words; empty where it is one person."""
        return ""


@dataclass(frozen=True)
class Count(Statistic):
    """The number of people who answer yes, or hold one value.

    Attributes:
        of: the value that is counted; None where the values are booleans, or 0 and 1.

    Raises:
        ParameterError: `of` is neither a string nor an integer.
    """

    of: str | int | None = None

    def __post_init__(self) -> None:
        """Check what is counted."""
        if not (self.of is None or isinstance(self.of, str) or is_integer(self.of)):
            raise ParameterError("of", "must be a string or an integer", self.of)

    def steps(self, values: Any, neighbours: Neighbours) -> Integers:  # noqa: ARG002  the same for both
        """Count the people who answer yes, or hold the value `of`.

        Args:
            values: one for each person. neighbours: of no matter here.

        Raises:
            DomainError: `values` is not one-dimensional, masked, or holds something else.
        """
        array = value_array(values)
        if array.ndim != 1:
            raise DomainError("values", "must be one-dimensional", array.ndim)
        if self.of is None:
            if array.dtype.kind not in "biu" or not np.all((array == 0) | (array == 1)):
                raise DomainError("values", "must be booleans, or 0 and 1: else say what counts")
            return np.array([int(array.sum())], dtype=np.int64)
        if array.dtype.kind not in ("UOT" if isinstance(self.of, str) else "biufO"):
            rule = f"must be comparable with what is counted, a {type(self.of).__name__}"
            raise DomainError("values", rule, type_name(array))
        if array.dtype.kind == "O":
            comparable = str if isinstance(self.of, str) else int | float | np.number
            held = [isinstance(x, comparable) and bool(x == self.of) for x in array.tolist()]
            return np.array([sum(held)], dtype=np.int64)
        return np.array([int((array == self.of).sum())], dtype=np.int64)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:  # noqa: ARG002  the same for both
        """1, whichever data sets are neighbours."""
        return Sensitivity.of_number(1)

    def answer(self, noisy: Any, n: int, neighbours: Neighbours) -> float:  # noqa: ARG002  needs neither
        """The noisy count itself."""
        return float(noisy[0])

    def error(self, noisy: Any, deviation: float, n: int, neighbours: Neighbours) -> float:  # noqa: ARG002  needs no more
        """The error of the noise."""
        return deviation

    def most(self, n: int) -> tuple[int, int]:
        """The counts that n people can have, 0..n."""
        return 0, n

    def __str__(self) -> str:
        return "count" if self.of is None else f"count of {self.of!r}"


@dataclass(frozen=True)
class Histogram(Statistic):
    """The number of people who hold each of the public categories.

    One person more moves one count by 1; another person in somebody's place moves two.

    Attributes:
        categories: labels, in the order of the counts; an integer k stands for 0..k-1.

    Raises:
        ParameterError: no categories, or labels that are no different strings or integers.
    """

    categories: Categories | int
    _labels: tuple[str | int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Read the labels."""
        given = self.categories
        if is_integer(given) or isinstance(given, int):
            given = range(check_integer("categories", given, 1, 1 << 24))
        labels = check_categories(given, len(given))
        if not labels:
            raise ParameterError("categories", "must be one or more", 0)
        object.__setattr__(self, "_labels", labels)

    @property
    def labels(self) -> tuple[str | int, ...]:
        """The categories in the order of the counts."""
        return self._labels

    def steps(self, values: Any, neighbours: Neighbours) -> Integers:  # noqa: ARG002  the same for both
        """The count of each label."""
        k = len(self._labels)
        index = {label: i for i, label in enumerate(self._labels)}
        plain = self._labels == tuple(range(k))
        found = encode(values, k, None if plain else index)
        return np.bincount(found.astype(np.int64), minlength=k).astype(np.int64)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """1 under `add-remove`, 2 under `replace` (1 where there is nothing to choose from)."""
        if neighbours is Neighbours.ADD_REMOVE or len(self._labels) == 1:
            return Sensitivity.of_number(1)
        return Sensitivity(2, 1, 2)

    def answer(self, noisy: Any, n: int, neighbours: Neighbours) -> Any:  # noqa: ARG002  needs neither
        """The noisy counts themselves."""
        return np.asarray(noisy, dtype=np.float64)

    def error(self, noisy: Any, deviation: float, n: int, neighbours: Neighbours) -> float:  # noqa: ARG002  needs no more
        """The error of the noise, for each count."""
        return deviation

    def most(self, n: int) -> tuple[int, int]:
        """The counts that n people can have, 0..n."""
        return 0, n

    def __str__(self) -> str:
        return f"histogram of {len(self._labels)} categories"


@dataclass(frozen=True)
class ClampInterval(Statistic):
    """The base of a sum and a mean of numbers within bounds, which are counted in whole steps.

    Attributes:
        low, high: the bounds; a value beyond one counts as that bound.
        step: what values are rounded to; None for a power of 2 with 512 to 1024 steps.

    Raises:
        ParameterError: bounds that are not finite and low < high, or with a difference outside
            1e-140..1e140; a step that is not above 0 or so fine that the interval has more than
            2^20, or no multiple of the step in the interval.
    """

    low: float
    high: float
    step: float | None = None
    _ends: tuple[int, int] = field(init=False, repr=False, compare=False)
    _step: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find the ends in steps."""
        rule = "must be finite numbers with low < high"
        low, high = check_ends("low, high", rule, self.low, self.high)
        step = Fraction(2) ** (math.floor(math.log2(high - low)) + 1 - FINENESS)
        if self.step is not None:
            given = exact_number(self.step)
            if given is None or given <= 0:
                raise ParameterError("step", "must be a finite number > 0", self.step)
            step = given
        ends = math.ceil(low / step), math.floor(high / step)
        if not 0 < ends[1] - ends[0] <= MOST_STEPS or max(map(abs, ends)) > MOST_STEPS:
            rule = f"must give 1 to {MOST_STEPS} steps, ends within as many of 0"
            given_or_found = step if self.step is None else self.step
            raise ParameterError("low, high, step", rule, (self.low, self.high, given_or_found))
        object.__setattr__(self, "_ends", ends)
        object.__setattr__(self, "_step", step)

    def places(self, values: Any) -> Integers:
        """Each value as a number of steps within the ends, int64 (n,).

        Raises:
            DomainError: a value is no finite number.
        """
        flat = number_array(values, 1).reshape(-1)
        if len(flat) > MOST_PEOPLE:
            raise DomainError("values", f"must be at most {MOST_PEOPLE}", len(flat))
        wrong = ~np.isfinite(flat)
        if wrong.any():
            raise DomainError(f"values[{int(wrong.argmax())}]", "must be a finite number")
        with np.errstate(over="ignore"):  # beyond every bound, and so at the bound
            return np.clip(np.rint(flat / float(self._step)), *self._ends).astype(np.int64)

    def most(self, n: int) -> tuple[int, int]:
        """The sums that n people can have: n times the ends."""
        return n * self._ends[0], n * self._ends[1]

    @property
    def note(self) -> str:
        """A note on values beyond the bounds."""
        return f"values outside {self.low:g}..{self.high:g} count as the bound"

    @property
    def step_name(self) -> str:
        """The length of a step, in words."""
        return f"steps of {float(self._step):g}"


@dataclass(frozen=True)
class ClampedSum(ClampInterval):
    """The sum of the values, each clamped to the bounds and rounded to a step.

    Its sensitivity is the larger |bound| under `add-remove` and the width under `replace`, in
    steps.

    Attributes:
        low, high, step: see the base class.
    """

    def steps(self, values: Any, neighbours: Neighbours) -> Integers:  # noqa: ARG002  the same for both
        """The sum in steps."""
        return np.array([int(self.places(values).sum())], dtype=np.int64)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """One person's largest value, or the largest difference of two."""
        first, last = self._ends
        replaced = neighbours is Neighbours.REPLACE
        return Sensitivity.of_number(last - first if replaced else max(abs(first), abs(last)))

    def answer(self, noisy: Any, n: int, neighbours: Neighbours) -> float:  # noqa: ARG002  needs neither
        """The noisy sum."""
        return float(noisy[0]) * float(self._step)

    def error(self, noisy: Any, deviation: float, n: int, neighbours: Neighbours) -> float:  # noqa: ARG002  needs no more
        """The error of the noise."""
        return deviation * float(self._step)

    def __str__(self) -> str:
        return "sum of the values"


@dataclass(frozen=True)
class ClampedMean(ClampInterval):
    """The mean of the values, each clamped to the bounds and rounded to a step.

    Under `replace` it is the sum over n, which is public. Under `add-remove` n is secret. Then
    two numbers are released: the sum of the differences from the middle of the interval, and n
    times half the width. One person moves each by half the width at most. Their quotient gives the
    mean, and its error is an approximation for large n.

    Attributes:
        low, high, step: see the base class.
    """

    def steps(self, values: Any, neighbours: Neighbours) -> Integers:
        """The sum in steps; or the centred sum and n times half the width."""
        places = self.places(values)
        if neighbours is Neighbours.REPLACE:
            return np.array([int(places.sum())], dtype=np.int64)
        middle, half = self._centre
        return np.array([int((places - middle).sum()), half * len(places)], dtype=np.int64)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """The width; or half of it for each of the two numbers."""
        if neighbours is Neighbours.REPLACE:
            return Sensitivity.of_number(self._ends[1] - self._ends[0])
        half = self._centre[1]
        return Sensitivity(2, half, 2 * half)

    @property
    def _centre(self) -> tuple[int, int]:
        first, last = self._ends
        middle = (first + last) // 2
        return middle, last - middle

    def answer(self, noisy: Any, n: int, neighbours: Neighbours) -> float:
        """The quotient; n counts as at least 1."""
        step = float(self._step)
        if neighbours is Neighbours.REPLACE:
            return float(noisy[0]) / n * step
        middle, half = self._centre
        return (middle + half * float(noisy[0]) / max(half, float(noisy[1]))) * step

    def error(self, noisy: Any, deviation: float, n: int, neighbours: Neighbours) -> float:
        """Exact under `replace`; that of the linearized quotient under `add-remove`."""
        step = float(self._step)
        if neighbours is Neighbours.REPLACE:
            return deviation / n * step
        _, half = self._centre
        people = max(1.0, float(noisy[1]) / half)
        slope = float(noisy[0]) / (people * half)
        return deviation / people * math.hypot(1.0, slope) * step

    def __str__(self) -> str:
        return "mean of the values"
