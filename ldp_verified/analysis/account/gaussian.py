"""The Gaussian mechanism: value plus noise of standard deviation sigma.

With a = sensitivity/sigma the smallest delta is Phi(a/2 - eps/a) - e^eps Phi(-a/2 - eps/a), for
every eps >= 0 (Borja Balle, Yu-Xiang Wang, 2018, Improving the Gaussian Mechanism for Differential
Privacy). The classical sigma = sensitivity sqrt(2 ln(1.25/delta))/eps is proved for eps < 1 only
(Cynthia Dwork, Aaron Roth, 2014, The Algorithmic Foundations of Differential Privacy, appendix A)
and is false for large eps. This is a statement about real-valued noise; a sampler's own
distribution is another matter.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from ldp_verified.analysis.account.rounding import above, number, share_of
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball

if TYPE_CHECKING:
    from collections.abc import Callable

FAR, FAR_APART = 1 << 16, 40
"""Beyond either Mills' ratio is known closely enough: d/(t^4 a) < 2^-60, or density(d) < 2^-1100.
Nearer, balls hold both factors."""


def _positive(argument: str, value: object) -> Fraction:
    exact = number(argument, value, low=0)
    if exact == 0:
        raise ParameterError(argument, "must be > 0", value)
    return exact


def _phi(x: arb) -> arb:
    """The normal distribution function."""
    return (-x / arb(2).sqrt()).erfc() / 2


def _curve(epsilon: Fraction, sigma: Fraction, sensitivity: Fraction) -> arb:
    a, eps = ball(sensitivity / sigma), ball(epsilon)
    if eps / a + a / 2 > FAR or abs(eps / a - a / 2) > FAR_APART:
        return _far(a, eps)
    return _phi(a / 2 - eps / a) - eps.exp() * _phi(-a / 2 - eps / a)


def _far(a: arb, eps: arb) -> arb:
    """The curve where e^eps Phi(-a/2 - eps/a) would be a huge number times a tiny one.

    With t = eps/a + a/2 and d = eps/a - a/2 the second term is density(d) Phi(-t)/density(t). That
    quotient, Mills' ratio, lies between t/(t^2 + 1) and (t^2 + 2)/(t^3 + 3 t), convergents of
    Laplace's continued fraction for it.
    """
    t, d = eps / a + a / 2, eps / a - a / 2
    density = (-d * d / 2).exp() / (2 * arb.pi()).sqrt()
    square = t * t
    least, most = t / (square + 1), (square + 2) / (t * (square + 3))
    return _phi(-d) - density * least.union(most)


def gaussian_delta(epsilon: float, sigma: float, sensitivity: float = 1.0) -> float:
    """The smallest delta at this epsilon and sigma, rounded up.

    Args:
        epsilon: at least 0, in nats. sigma: the standard deviation of the noise.
        sensitivity: the largest distance of two inputs, in sigma's units.

    Returns:
        A number in [0, 1].

    Raises:
        ParameterError: epsilon below 0, sigma or sensitivity not above 0.
    """
    eps = number("epsilon", epsilon, low=0)
    scale, change = _positive("sigma", sigma), _positive("sensitivity", sensitivity)
    return min(1.0, above(lambda: _curve(eps, scale, change)))


def gaussian_epsilon(sigma: float, delta: float, sensitivity: float = 1.0) -> float:
    """An epsilon at which delta holds for this sigma: the smallest one to 2^-40, rounded up.

    Args:
        sigma: the standard deviation of the noise. delta: in (0, 1).
        sensitivity: the largest distance of two inputs, in sigma's units.

    Returns:
        Epsilon in nats; 0 where delta holds at epsilon 0.

    Raises:
        ParameterError: delta outside (0, 1), sigma or sensitivity not above 0, or so little noise
            that no double holds epsilon.
    """
    share_of("delta", delta)
    if gaussian_delta(0.0, sigma, sensitivity) <= delta:
        return 0.0
    found = _least(lambda eps: gaussian_delta(eps, sigma, sensitivity) <= delta)
    if math.isinf(found):
        rule = f"must be larger beside the sensitivity {sensitivity}: no double holds epsilon"
        raise ParameterError("sigma", rule, sigma)
    return found


def gaussian_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """A sigma at which (epsilon, delta) holds: the smallest one to 2^-40, rounded up.

    Never rounded towards less noise: delta is proven at the sigma that is returned.

    Args:
        epsilon: at least 0, in nats. delta: in (0, 1).
        sensitivity: the largest distance of two inputs, in the units of the result.

    Returns:
        Sigma in the units of `sensitivity`.

    Raises:
        ParameterError: epsilon below 0, delta outside (0, 1), sensitivity not above 0, or so large
            that no double holds sigma.
    """
    number("epsilon", epsilon, low=0)
    share_of("delta", delta)
    _positive("sensitivity", sensitivity)
    found = _least(lambda sigma: gaussian_delta(epsilon, sigma, sensitivity) <= delta)
    return _held_sigma(found, epsilon, delta, sensitivity)


def gaussian_classical_sigma(epsilon: float, delta: float, sensitivity: float = 1.0) -> float:
    """sensitivity sqrt(2 ln(1.25/delta))/epsilon, rounded up, where that is a theorem.

    Args:
        epsilon: in (0, 1), in nats. delta: in (0, 1).
        sensitivity: the largest distance of two inputs, in the units of the result.

    Returns:
        Sigma in the units of `sensitivity`.

    Raises:
        ParameterError: epsilon not in (0, 1), delta outside (0, 1), sensitivity not above 0, or so
            large that no double holds sigma.
    """
    eps = _positive("epsilon", epsilon)
    if eps >= 1:
        rule = "must be below 1: the classical bound is no theorem there; use gaussian_sigma"
        raise ParameterError("epsilon", rule, epsilon)
    share, change = share_of("delta", delta), _positive("sensitivity", sensitivity)
    five_quarters = Fraction(5, 4)
    found = above(lambda: ball(change / eps) * (2 * ball(five_quarters / share).log()).sqrt())
    return _held_sigma(found, epsilon, delta, sensitivity)


def _held_sigma(sigma: float, epsilon: float, delta: float, sensitivity: float) -> float:
    """Return sigma itself, which is proportional to the sensitivity.

    Raises:
        ParameterError: it is infinite.
    """
    if math.isinf(sigma):
        rule = f"must be smaller: no double holds sigma at epsilon = {epsilon} and delta = {delta}"
        raise ParameterError("sensitivity", rule, sensitivity)
    return sigma


def _least(enough: Callable[[float], bool]) -> float:
    """The smallest x > 0 with enough(x), from above, to a relative 2^-40; `enough` is monotone.

    It is infinite where no double is enough.
    """
    high = 1.0
    while not enough(high):
        high *= 2
        if not math.isfinite(high):
            return high
    low = high / 2
    while low > 0 and enough(low):
        high, low = low, low / 2
    while high - low > high * 2.0**-40:
        middle = (low + high) / 2
        if middle in (low, high):  # neighbours among the smallest doubles
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
