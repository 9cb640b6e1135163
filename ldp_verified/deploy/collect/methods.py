"""Compare the methods that make counts consistent, on populations whose counts are known."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.consistent import METHODS
from ldp_verified.run.aggregate.fitted import POWER, WITH_TABLE
from ldp_verified.run.realize.parameters import check_integer, exact_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate import Estimate, State

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

RAW: Final = "raw"
NAMES: Final = (RAW, *METHODS, *POWER, *WITH_TABLE)
TOP: Final = 10
SETS: Final = 50
GOLDEN: Final = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, made odd."""

MOST_EXPONENT: Final = 10.0


def zipf(k: int, n: int, exponent: float) -> Integers:
    """Users in proportion to rank^-exponent.

    Args:
        k: the number of values, 2 to 2^22. n: users, at least 1. exponent: in 0..10.

    Returns:
        int64 (k,), the sum n: shares rounded down, and the first value has the rest.

    Raises:
        ParameterError: an argument is out of range.
    """
    check_integer("k", k, 2, 1 << 22)
    check_integer("n", n, 1, 1 << 53)
    exact = exact_number(exponent)
    if exact is None or not 0 <= exact <= MOST_EXPONENT:
        raise ParameterError("exponent", f"must be a number in 0..{MOST_EXPONENT:g}", exponent)
    shares = np.arange(1, k + 1) ** -float(exponent)
    held: Integers = np.floor(n * shares / shares.sum()).astype(np.int64)
    held[0] += n - held.sum()
    return held


@dataclass(frozen=True, eq=False)
class Score:
    """How far the counts of a method are from the truth, in users.

    Attributes:
        squares: the mean squared error over all values, float64 (runs,).
        square_sums: that of the sums of halves of the values. top_squares: that of the
            values that most users hold.
        top_bias, top_spread: mean error, and standard deviation between runs, on average over
            these values. rest_bias, rest_spread: the same of all other values.
        seconds: of processor time of one run, without the estimate.
    """

    squares: Floats
    square_sums: Floats
    top_squares: Floats
    top_bias: float
    top_spread: float
    rest_bias: float
    rest_spread: float
    seconds: float

    @property
    def rms(self) -> float:
        """The root of the mean squared error over all values and runs."""
        return math.sqrt(float(self.squares.mean()))

    @property
    def sums(self) -> float:
        """The root of the mean squared error of the sums of halves."""
        return math.sqrt(float(self.square_sums.mean()))

    def no_better_than(self, other: Score) -> float:
        """Return how many standard errors this squared error lies above another, run by run."""
        differences = self.squares - other.squares
        error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
        mean = float(differences.mean())
        return mean / error if error else math.copysign(math.inf, mean) if mean else 0.0


def scored(found: Floats, held: Integers, seconds: float = 0.0) -> Score:
    """Compare counts of shape (runs, k) with the true ones, of shape (k,).

    The halves are the same for every method: half s has the values at which bit s of a
    multiplicative hash is 1.
    """
    hashed = np.arange(1, len(held) + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    halves = np.array([(hashed >> np.uint64(63 - bit)) & np.uint64(1) for bit in range(SETS)])
    halves = halves.astype(np.float64)
    errors = found - held
    top = np.zeros(len(held), dtype=bool)
    top[np.argsort(-held, kind="stable")[:TOP]] = True
    spread = errors.std(axis=0, ddof=1)

    def mean(of: Floats) -> float:
        return float(of.mean()) if of.size else 0.0

    return Score(
        squares=np.asarray((errors**2).mean(axis=1)),
        square_sums=np.asarray(((errors @ halves.T) ** 2).mean(axis=1)),
        top_squares=np.asarray((errors[:, top] ** 2).mean(axis=1)),
        top_bias=mean(errors[:, top]),
        top_spread=mean(spread[top]),
        rest_bias=mean(errors[:, ~top]),
        rest_spread=mean(spread[~top]),
        seconds=seconds,
    )


def simulated(made: Any, held: Integers, seed: int) -> State:
    """The state of a simulated population, drawn at once where the mechanism can do that."""
    try:
        found: State = made.simulate_counts(held, seed)
    except ParameterError:
        found = made.simulate_counts(held, seed, report_by_report=True)
    return found


def compare(
    made: Any,
    held: Integers,
    runs: int = 10,
    tell: Callable[[int], None] = lambda _: None,
) -> Mapping[str, Score]:
    """Run every method that fits on the same simulated reports, and measure its errors.

    The users hold what they hold in all runs; only reports are drawn again, with the seeds 0 to
    runs - 1. So bias and spread are those that a method and the noise give for this population.

    Args:
        made: a frequency oracle. held: how many users hold each value, shape (k,).
        runs: at least 2. tell: called with the number of runs that are done.

    Returns:
        Method -> score; "raw" is the unbiased estimate as it is.

    Raises:
        DomainError: `held` is no population of the mechanism.
        ParameterError: `runs` is out of range.
    """
    check_integer("runs", runs, 2, 1 << 20)
    counts: dict[str, list[Floats]] = {name: [] for name in NAMES}
    seconds = dict.fromkeys(NAMES, 0.0)
    for run in range(runs):
        tell(run)
        estimate = simulated(made, held, run).estimate()
        for name in list(counts):
            begin = time.process_time()
            try:
                counts[name].append(_applied(estimate, name))
            except ParameterError:
                del counts[name]
                continue
            seconds[name] += (time.process_time() - begin) / runs
    return {name: scored(np.array(found), held, seconds[name]) for name, found in counts.items()}


def best(scores: Mapping[str, Score]) -> tuple[str, tuple[str, ...]]:
    """The method of least mean squared error, and those that these runs do not tell from it.

    A method is told apart where its error is more than 3 standard errors larger, run by run.
    """
    least = min(scores, key=lambda name: scores[name].rms)
    close = [
        name
        for name, score in scores.items()
        if name != least and score.no_better_than(scores[least]) <= 3
    ]
    return least, tuple(close)


def _applied(estimate: Estimate, method: str) -> Floats:
    return estimate.counts if method == RAW else estimate.consistent(method).counts
