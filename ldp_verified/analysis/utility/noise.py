"""Noise of central mechanisms: moments and tails of Laplace, Gaussian and geometric noise."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from flint import acb, arb

from ldp_verified.analysis.account.rounding import number, whole
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.balls import ball

FARTHEST = 1 << 62
"""How far ends may be from 0."""


def laplace_moment(order: int, scale: float | Fraction) -> Fraction:
    """E |Y|^order for Laplace noise of this scale b, exactly: order! b^order.

    Integrating by parts lowers the order by one: E |Y|^m = m b E |Y|^(m - 1).

    Args:
        order: at least 0. scale: b, above 0; a float counts as the fraction that it is.

    Returns:
        The moment as an exact fraction.

    Raises:
        ParameterError: an order below 0, a scale that is not above 0.
    """
    whole("order", order, 0)
    exact = number("scale", scale, low=0)
    if exact == 0:
        raise ParameterError("scale", "must be > 0", str(scale))
    return factorial(order) * exact**order


def laplace_moment_integral(order: int, scale: Fraction, cut: int = 100) -> arb:
    """`laplace_moment` by rigorous quadrature, with the rest beyond `cut` scales added."""

    def density(y: acb, _: bool) -> acb:
        return y**order * (-y / ball(scale)).exp() / ball(scale)

    found = acb.integral(density, acb(0), acb(ball(scale * cut))).real
    # What is left out: e^-cut times a polynomial in cut that (order + 1)! cut^order bounds.
    rest = (arb(-cut)).exp() * factorial(order + 1) * arb(cut) ** order * ball(scale) ** order
    return found + arb(0).union(rest)


def laplace_tail(times: float | Fraction) -> arb:
    """Pr[|Y| > times b] = e^-times.

    Args:
        times: the error, in units of b; at least 0.

    Returns:
        A ball that holds the probability.

    Raises:
        ParameterError: `times` is below 0, or no finite number.
    """
    return ball(-number("times", times, low=0)).exp()


def gaussian_tail(times: float | Fraction) -> arb:
    """Pr[|Y| > times sigma] for Gaussian noise.

    Args:
        times: the error, in units of sigma; at least 0.

    Returns:
        A ball that holds the probability.

    Raises:
        ParameterError: `times` is below 0, or no finite number.
    """
    return (ball(number("times", times, low=0)) / arb(2).sqrt()).erfc()


def geometric_mass(
    level: float | Fraction, value: int, low: int, high: int
) -> tuple[Fraction, ...]:
    """P(y) for y = low..high: two-sided geometric noise on `value`, truncated to [low, high].

    With a = 1/level, P(z) = (1 - a)/(1 + a) a^|z|; what falls outside is moved to the nearer end.
    Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing
    Privacy Mechanisms.

    Args:
        level: e^epsilon, above 1. value: the input. low, high: the ends, both included.

    Returns:
        The probabilities of low..high in order; they add up to 1.

    Raises:
        ParameterError: a level that is not above 1, or a value outside the interval; something that
            is no finite number, or an end that is no integer.
    """
    exact = number("level", level)
    if exact <= 1:
        raise ParameterError("level", "must be e^(eps/sensitivity) > 1", str(level))
    for name, end in (("value", value), ("low", low), ("high", high)):
        check_integer(name, end, -FARTHEST, FARTHEST)
    if not low <= value <= high:
        raise ParameterError("value", f"must lie in {low}..{high}", value)
    a = 1 / exact
    inside = [(1 - a) / (1 + a) * a ** abs(y - value) for y in range(low, high + 1)]
    inside[0] = a ** (value - low) / (1 + a)
    inside[-1] = a ** (high - value) / (1 + a)
    return tuple(inside) if low < high else (Fraction(1),)
