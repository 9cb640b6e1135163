"""Plan thresholding with histogram encoding (THE) by the epsilon of its noise and the threshold.

Each bit of the one-hot vector gets Laplace noise of scale 2/epsilon, and the report says which
noisy bits lie above the threshold. The noise is never drawn. For 0 < theta <= 1 the report's bits
are independent, and are drawn as such, exactly (`spec/the.py`):

    P(1 | 1) = 1 - 1/(2 kept)   kept   = e^(epsilon/2 (1 - theta))
    P(1 | 0) = 1/(2 raised)     raised = e^(epsilon/2 theta)

Tianhao Wang, Jeremiah Blocki, Ninghui Li, Somesh Jha (2017), Locally Differentially Private
Protocols for Frequency Estimation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import check_epsilon
from ldp_verified.run.realize.tables.balls import ball, decide, upper_float

if TYPE_CHECKING:
    from ldp_verified.run.mechanisms import THE
    from ldp_verified.run.realize.values import Categories

MOST_EPSILON = 1400.0
"""e^(epsilon/2) is a double."""


def _best(epsilon: float) -> arb:
    """raised at the best threshold: (1 + s + sqrt(s^2 - s + 1))/3 at s = e^(epsilon/2)."""
    s = (ball(epsilon) / 2).exp()
    return (1 + s + (s * s - s + 1).sqrt()) / 3


def best_threshold(epsilon: float) -> tuple[float, float]:
    """The threshold of least variance at f = 0, between two doubles.

    (2/epsilon) ln((1 + s + sqrt(s^2 - s + 1))/3) with s = e^(epsilon/2). It is proved for every
    epsilon that no real threshold is better, and that it lies between 1/2 and 1 (`the_threshold`,
    `the_above` and `the_below` in `spec/the.py`). The doubles enclose it by ball arithmetic.

    Args:
        epsilon: in (0, 1400], in nats.

    Returns:
        (low, high), equal or next to each other.

    Raises:
        ParameterError: epsilon is not above 0, or above 1400.
    """
    given = _checked(epsilon)

    def theta() -> arb:
        return 2 * _best(given).log() / ball(given)

    high = decide(lambda: upper_float(theta()))
    return -decide(lambda: upper_float(-theta())), high


def threshold_encoding(
    epsilon: float,
    k: int,
    theta: float | Fraction | None = None,
    categories: Categories | None = None,
) -> THE:
    """The mechanism of a Laplace scale 2/epsilon and a threshold.

    Its own epsilon, tight for the bits that are reported, is ln((2 kept - 1)(2 raised - 1)): below
    `epsilon`, which is that of the noisy numbers. To spend all of an epsilon on bits with as little
    variance as can be, take `OUE`: it is thresholding at 1 with the noise for it.

    Args:
        epsilon: of the noisy numbers, in (0, 1400].
        k: number of values.
        theta: the threshold, in (0, 1]; None for the best one.
        categories: labels of the values.

    Returns:
        `THE` with kept and raised rounded down to doubles, so its epsilon is below the exact one.

    Raises:
        ParameterError: a number is out of range, or so small an epsilon that doubles do not tell
            the two probabilities apart.
    """
    from ldp_verified.run.mechanisms import THE  # generated, and not needed to bracket a threshold

    given = _checked(epsilon)
    if theta is not None and (
        isinstance(theta, bool) or not isinstance(theta, int | float | Fraction)
    ):
        raise ParameterError("theta", "must be a number with 0 < theta <= 1", theta)
    if theta is not None and not 0 < theta <= 1:
        raise ParameterError("theta", "must be a number with 0 < theta <= 1", theta)

    def raised() -> arb:
        return _best(given) if theta is None else (ball(given) / 2 * ball(Fraction(theta))).exp()

    def kept() -> arb:
        if theta == 1:
            return arb(1)
        return (ball(given) / 2).exp() / raised()

    most_kept = -decide(lambda: upper_float(-kept()))
    most_raised = -decide(lambda: upper_float(-raised()))
    if most_raised <= 1:
        rule = "and theta must be large enough for e^(epsilon theta/2) to exceed 1 as a double"
        raise ParameterError("epsilon", rule, epsilon)
    return THE(most_kept, most_raised, k, categories)


def _checked(epsilon: float) -> float:
    given = check_epsilon(epsilon)
    if given > MOST_EPSILON:
        raise ParameterError("epsilon", f"must be at most {MOST_EPSILON:.0f} here", epsilon)
    return given
