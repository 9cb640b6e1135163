"""The mean of numbers without known bounds: some users find where to clip, the others are asked.

Users are in one of two groups, drawn in public. Those of the first report the bin of their number
by `RangeTree`, at all of epsilon; bins grow like a power, so that few of them reach far. From
shares of bins the server publishes bounds. Those of the second group clip their number to the
bounds and report it by a mechanism for numbers, at all of epsilon. A user sends one report, and
bounds are made of other users' reports. So epsilon is that of the mechanism, whatever is published.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.protocols.about import about_of
from ldp_verified.protocols.range_tree import RangeTree
from ldp_verified.protocols.shown import shown_by_names
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.moments import MeanState
from ldp_verified.run.aggregate.tabulated import TableRow, check_level
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import Hybrid
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.real_numbers.bounded import FINEST, BoundedRandomizer, check_bounds
from ldp_verified.run.realize.values import number_array
from ldp_verified.scalars import nearest_float

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.protocols.range_estimate import RangeEstimate
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.realize.randomizer import Rng

    Floats = NDArray[np.float64]
    Bounds = tuple[float, float]

COINS: Final = 100
MOST_BINS: Final = 1 << 10


@dataclass(frozen=True)
class ClippedMean:
    """A mean whose bounds are found privately.

    Attributes:
        epsilon: of one user's whole transcript; a number > 0.
        largest: numbers beyond +-`largest` count as that, whatever is found; a number > 0.
        smallest: the border of the innermost bins, above 0 and below `largest`: numbers closer to 0
            than that are not told apart when bounds are found.
        outside: bounds are to leave about this share of the users out on either side; in (0, 0.5).
        percent: of 100 users so many find the bounds, 1..99.
        per_double: bins between a number and its double, 1..16.
        make: the mechanism for numbers, from epsilon and bounds.

    Raises:
        ParameterError: an argument is out of range, or there would be more than 1024 bins.
    """

    epsilon: float
    largest: float
    smallest: float = 1.0
    outside: float = 0.005
    percent: int = 20
    per_double: int = 4
    make: Callable[[float, Bounds], BoundedRandomizer] = Hybrid

    __repr__ = shown_by_names

    def __post_init__(self) -> None:
        """Check the arguments."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        for name in ("largest", "smallest"):
            object.__setattr__(self, name, _above_zero(name, getattr(self, name)))
        if not self._apart(self.smallest):
            rule = f"must be below largest, by {self.largest / FINEST:.3g} or more"
            raise ParameterError("smallest", rule, self.smallest)
        check_level(self.outside, "outside")
        if self.outside >= 0.5:
            raise ParameterError("outside", "must be below 0.5", self.outside)
        for name, most in (("percent", COINS - 1), ("per_double", 16)):
            object.__setattr__(self, name, check_integer(name, getattr(self, name), 1, most))
        check_integer("number of bins", len(self.edges) - 1, 2, MOST_BINS)
        rule = "must make a mechanism for numbers from epsilon and bounds"
        if not callable(self.make):
            raise ParameterError("make", rule, type(self.make))
        made = self.second((-self.largest, self.largest))
        if not isinstance(made, BoundedRandomizer):
            raise ParameterError("make", rule, type(made))
        self.first  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def edges(self) -> tuple[float, ...]:
        """The borders of the bins, rising from -largest to largest."""
        doubles = np.log2(self.largest / self.smallest) * self.per_double
        count = int(min(np.ceil(doubles), MOST_BINS))
        inner = self.smallest * 2.0 ** (np.arange(count) / self.per_double)
        half = [*(each for each in inner.tolist() if self._apart(each)), self.largest]
        return (*(-each for each in reversed(half)), *half)

    def _apart(self, border: float) -> bool:
        """Return whether numbers between a border and the largest have a mechanism."""
        return self.largest <= FINEST * (self.largest - border)

    @cached_property
    def first(self) -> RangeTree:
        """The protocol of the users who find the bounds, on the numbers of their bins."""
        # Not the borders themselves, whose last digits are those of the machine.
        about = about_of("ClippedMean", self.largest, self.smallest, self.per_double)
        return RangeTree(self.epsilon, len(self.edges) - 1, about=about)

    def second(self, bounds: Bounds) -> BoundedRandomizer:
        """Return what the others report with, once bounds are published."""
        return self.make(self.epsilon, bounds)

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of the first group; that of the second is that of `second(bounds)`."""
        return self.first.realized_epsilon

    def draw_groups(self, n: int) -> NDArray[np.bool_]:
        """Draw whether each of n users finds bounds, without looking at any number.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is not an integer in 0..2^26.
        """
        users = check_integer("n", n, 0, 1 << 26)
        source = word_source(None, "groups", "ClippedMean", self.epsilon, self.largest)
        return np.asarray(uniform_numbers(users, COINS, source) < self.percent)

    def bins(self, values: Any) -> NDArray[np.int64]:
        """The number of each number's bin, int64 (n,): what `first` takes.

        Raises:
            DomainError: they are no numbers.
        """
        found = self._numbers(values)
        places = np.searchsorted(self.edges, found, side="right") - 1
        return np.asarray(np.clip(places, 0, len(self.edges) - 2), dtype=np.int64)

    def clipped(self, values: Any, bounds: Bounds) -> Floats:
        """Numbers cut to bounds, float64 (n,): what `second(bounds)` takes.

        Raises:
            DomainError: they are no numbers. ParameterError: `bounds` are no two numbers in order.
        """
        return np.asarray(np.clip(self._numbers(values), *check_bounds(bounds)))

    def _numbers(self, values: Any) -> Floats:
        found = np.atleast_1d(number_array(values, 1))
        if np.isnan(found).any():
            raise DomainError("values", "must be numbers, none of them nan")
        return found

    def bounds(self, state: State) -> Bounds:
        """The bounds that the reports on bins speak for.

        From the median outwards, each is the first border of a bin beyond which few users are
        estimated to be. Few is a share of at most `outside`, or one standard error of that share
        where it is larger. So noise in far bins, which few users are in, does not make bounds wide.
        Few users or a small epsilon make them narrow.

        Args:
            state: of `first`.

        Raises:
            ParameterError: it is of another protocol, or a level has no reports.
        """
        return self._bounds(self.first.estimate(state))

    def _bounds(self, found: RangeEstimate) -> Bounds:
        """The bounds that an estimate of the bins speaks for."""
        below = np.concatenate(([0.0], found.at_most)) / found.n
        limit = np.maximum(self.outside, np.concatenate(([0.0], found.at_most_error)) / found.n)
        middle, last = found.quantile(0.5).value, len(self.edges) - 1
        low = next((at for at in range(middle, 0, -1) if below[at] <= limit[at]), 0)
        high = (at for at in range(middle + 1, last) if below[at] >= 1 - limit[at])
        return self.edges[low], self.edges[next(high, last)]

    def estimate(self, bins: State, numbers: MeanState, bounds: Bounds) -> ClippedEstimate:
        """The mean of numbers cut to the bounds, and who are outside.

        Args:
            bins: the state of `first`. numbers: that of `second(bounds)`. bounds: as published.

        Raises:
            ParameterError: a state is of something else, or `bounds` are no two borders of bins.
        """
        check_kind("numbers", numbers, MeanState)
        made = self.second(bounds)
        if numbers.identity != made.identity:
            raise ParameterError("numbers", "must be a state of second(bounds)")
        if bounds[0] not in self.edges or bounds[1] not in self.edges:
            raise ParameterError("bounds", "must be borders of bins", bounds)
        return _joined(self.first.estimate(bins), numbers, (bounds[0], bounds[1]), self.edges)

    def simulate(self, values: Any, rng: Rng = None) -> ClippedEstimate:
        """Run both rounds for users whose numbers are known here, as in a study.

        Args:
            values: numbers, shape (n,).
            rng: a seed or generator; None draws from the secure source.

        Raises:
            DomainError: they are no numbers. ParameterError: too few users, or a bad `rng`.
        """
        numbers = self._numbers(values)
        source = word_source(rng, "simulate", "ClippedMean", self.epsilon, self.largest)
        finding = np.asarray(uniform_numbers(len(numbers), COINS, source) < self.percent)
        if not finding.any() or finding.all():
            raise ParameterError("values", "must be of users enough for two groups", len(numbers))
        simulated = bool(source.simulated)
        bins = self.first.empty(simulated=simulated)
        bins.update(self.first.privatize(self.bins(numbers[finding]), source))
        found = self.first.estimate_or_blame(bins, "values")
        bounds = self._bounds(found)
        made = self.second(bounds)
        reports = made.privatize(self.clipped(numbers[~finding], bounds), source)
        return _joined(found, made.empty(simulated=simulated).update(reports), bounds, self.edges)


@dataclass(frozen=True)
class ClippedEstimate:
    """A mean of clipped numbers, which is no mean of the numbers themselves.

    The difference is the clipping: what those outside have beyond the bounds. It is not in the
    interval of `mean`. `below` and `above` say how many are outside.

    Attributes:
        bounds: as published. mean: in the units of the numbers; its interval is of the users who
            reported numbers as a sample, by normal approximation.
        below, above: estimated shares of the users below and above the bounds.
    """

    bounds: Bounds
    mean: TableRow
    below: TableRow
    above: TableRow


def _joined(
    found: RangeEstimate, numbers: MeanState, bounds: Bounds, edges: Sequence[float]
) -> ClippedEstimate:
    """The estimate of both groups, where `bounds` are two of the edges of the bins."""
    mean = numbers.estimate()
    low, high = mean.interval(0.95)
    first, past = edges.index(bounds[0]), edges.index(bounds[1])
    return ClippedEstimate(
        bounds,
        TableRow("mean of clipped numbers", mean.mean, mean.std_error, low, high),
        _share(found, "share below the bounds", 0, first - 1),
        _share(found, "share above the bounds", past, found.k - 1),
    )


def _share(found: RangeEstimate, label: str, first: int, last: int) -> TableRow:
    if last < first:
        return TableRow(label, 0.0, 0.0, 0.0, 0.0)
    row, n = found.between(first, last), found.n
    return TableRow(label, row.value / n, row.std_error / n, row.low / n, row.high / n)


def _above_zero(name: str, given: object) -> float:
    if not isinstance(given, int | float | Fraction) or isinstance(given, bool):
        raise ParameterError(name, "must be a finite number above 0", given)
    found = nearest_float(given)
    if not 0 < found < math.inf:
        raise ParameterError(name, "must be a number above 0 that a float can hold", given)
    return found
