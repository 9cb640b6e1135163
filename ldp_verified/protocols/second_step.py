"""The second of two steps: how much noise it needs, what both make, and how it draws quickly."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.client import ProgramClient
from ldp_verified.run.program.schemes import k_rr
from ldp_verified.run.realize.parameters import check_epsilon
from ldp_verified.run.realize.tables.balls import at_most, ball, decide, upper_float
from ldp_verified.run.realize.values import encode_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.realize.tables.table import RoundedTable

WIDTH = 64
ONE = 1 << WIDTH


def check_epsilons(permanent: float, report: float) -> tuple[float, float]:
    """Check both epsilons, one report costing less than all; else raise a `ParameterError`."""
    ever = check_epsilon(permanent, "epsilon_permanent")
    once = check_epsilon(report, "epsilon_report")
    if once >= ever:
        rule = f"must be below epsilon_permanent = {ever}"
        raise ParameterError("epsilon_report", rule, report)
    return ever, once


def epsilon_of(ratio: Fraction) -> float:
    """The smallest double that is not below ln(ratio)."""
    return decide(lambda: upper_float(ball(ratio).log()))


def least_noise(ratio: Callable[[int], Fraction], most: int, target: float) -> int:
    """The smallest threshold of lying whose ratio is at most e^target; more noise gives less.

    Args:
        ratio: the largest P(y|x)/P(y|x') at a threshold in 1..most, falling.
        most: of the thresholds that still say something.
        target: an epsilon.

    Raises:
        ParameterError: even the most noise is not enough.
    """

    def enough(threshold: int) -> bool:
        return decide(lambda: at_most(ball(ratio(threshold)).log(), target))

    if not enough(most):
        raise ParameterError("epsilon_report", f"is too small for {WIDTH}-bit thresholds", target)
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def twice(first: tuple[Fraction, Fraction], lie: Fraction, count: int) -> tuple[Fraction, Fraction]:
    """(P(own), P(each other)) after k-ary response with these cells and another that lies so."""
    (p, q), keep = first, 1 - (count - 1) * lie
    return p * keep + (count - 1) * q * lie, p * lie + q * keep + (count - 2) * q * lie


def second_lie(first: RoundedTable, count: int, target: float) -> int:
    """The threshold of the second of two k-ary responses."""

    def ratio(lie: int) -> Fraction:
        own, other = twice((first.p, first.q), Fraction(lie, ONE), count)
        return own / other

    return least_noise(ratio, (ONE - 1) // count, target)


@lru_cache(maxsize=64)
def response_client(k: int, lie: int) -> Callable[[int], int]:
    """k-ary response with this threshold, from secure words that are buffered.

    The clients of a process have one in common: its text is compiled once.
    """
    client = ProgramClient(
        k_rr("second_response", k, lie), lambda answer: encode_one(answer, k, None)
    )
    return cast("Callable[[int], int]", client.report)


def kept_variances(
    absent: Fraction, held: Fraction, apart: Fraction | None = None
) -> tuple[Fraction, Fraction]:
    """The shared variances where the permanent answer supports a value or does not.

    A report supports the value with a chance that has two values, one for each, so that its
    variance is that of a coin; p* - q* is their difference times `apart`.

    Args:
        absent, held: the chance that the answer supports a value, of another one and of its own.
        apart: the difference of the two chances, if it is not held - absent.
    """
    step = held - absent if apart is None else apart
    return absent * (1 - absent) / step**2, held * (1 - held) / step**2
