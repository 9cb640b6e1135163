"""Noise of central mechanisms: moments and tails of Laplace, Gaussian and geometric noise."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from flint import acb, arb

from ldp_verified.analysis.account.rounding import number, whole
from ldp_verified.errors import ParameterError
from ldp_verified.run.realize.tables.balls import ball


def laplace_moment(order: int, scale: Fraction) -> Fraction:
    """E |Y|^order for Laplace noise of this scale b, exactly: order! b^order.

    Integrating by parts lowers the order by one: E |Y|^m = m b E |Y|^(m - 1).

    Args:
        order: at least 0. scale: b, above 0.

    Returns:
        The moment as an exact fraction.

    Raises:
        ParameterError: an order below 0, a scale that is not above 0.
    """
    whole("order", order, 0)
    if number("scale", scale, low=0) == 0:
        raise ParameterError("scale", "must be > 0", str(scale))
    return factorial(order) * scale**order


def laplace_moment_integral(order: int, scale: Fraction, cut: int = 100) -> arb:
    """The same by rigorous quadrature of the density, the rest beyond `cut` scales added."""

    def density(y: acb, _: bool) -> acb:
        return y**order * (-y / ball(scale)).exp() / ball(scale)

    found = acb.integral(density, acb(0), acb(ball(scale * cut))).real
    # What is left out: e^-cut times a polynomial in cut that (order + 1)! cut^order bounds.
    rest = (arb(-cut)).exp() * factorial(order + 1) * arb(cut) ** order * ball(scale) ** order
    return found + arb(0).union(rest)


def laplace_tail(times: Fraction) -> arb:
    """Pr[|Y| > times b] = e^-times.

    Args:
        times: the error, in units of b.

    Returns:
        A ball that holds the probability.
    """
    return ball(-times).exp()


def gaussian_tail(times: Fraction) -> arb:
    """Pr[|Y| > times sigma] for Gaussian noise.

    Args:
        times: the error, in units of sigma.

    Returns:
        A ball that holds the probability.
    """
    return (ball(times) / arb(2).sqrt()).erfc()


def geometric_mass(level: Fraction, value: int, low: int, high: int) -> tuple[Fraction, ...]:
    """P(y) for y = low..high: two-sided geometric noise on `value`, truncated to [low, high].

    With a = 1/level, P(z) = (1 - a)/(1 + a) a^|z|; what falls outside is moved to the nearer end.
    Arpita Ghosh, Tim Roughgarden, Mukund Sundararajan (2009), Universally Utility-Maximizing
    Privacy Mechanisms.

    Args:
        level: e^epsilon, above 1. value: the input. low, high: the ends, both included.

    Returns:
        The probabilities of low..high in order; they add up to 1.

    Raises:
        ParameterError: a level that is not above 1, or a value outside the interval.
    """
    if level <= 1:
        raise ParameterError("level", "must be e^(eps/sensitivity) > 1", str(level))
    if not low <= value <= high:
        raise ParameterError("value", f"must lie in {low}..{high}", value)
    a = 1 / Fraction(level)
    inside = [(1 - a) / (1 + a) * a ** abs(y - value) for y in range(low, high + 1)]
    inside[0] = a ** (value - low) / (1 + a)
    inside[-1] = a ** (high - value) / (1 + a)
    return tuple(inside) if low < high else (Fraction(1),)
