"""Intervals around the moments of normal and exponential noise, by integration in balls.

No antiderivative is used: what is integrated is the density itself, up to where the rest is small,
and every number comes with a bound of its error.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from flint import acb, arb, ctx, fmpq

from ldp_verified.prove.enumeration.noise_sums import Interval

BITS = 160
"""The precision of every ball, in bits."""

FAR = 24
"""Standard deviations at which integrals are cut off; what lies beyond is bounded."""

FAR_OF_EXPONENTIAL = 96
"""The same in scale lengths of exponential noise."""

SMALL = arb(2) ** -80
"""An error that integrals may have."""


def ball(value: Fraction) -> arb:
    """The ball around a fraction, in the precision that is set."""
    return arb(fmpq(value.numerator, value.denominator))


def integral(of: Callable[[Any], Any], low: Fraction, high: Fraction) -> arb:
    """Return the integral of an entire function that is real on the line."""
    return acb.integral(lambda z, _: of(z), acb(ball(low)), acb(ball(high)), abs_tol=SMALL).real


def _fraction(value: arb) -> Fraction:
    """An exact ball as a fraction."""
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _bell(rate: arb, power: int, z: Any) -> Any:
    """z^power e^(rate z^2)."""
    return z**power * (rate * z * z).exp()


def normal_moments(level: Fraction, scale: Fraction) -> tuple[Interval, Interval]:
    """Intervals for the mass and the mean square of density level e^(-z^2/(2 scale^2))/sqrt(2 pi).

    In units of the scale, what lies beyond T has mass e^(-T^2/2)/T at most on each side, and mean
    square (T + 1/T) e^(-T^2/2).
    """
    with ctx.workprec(BITS):
        end = FAR * scale
        rate, front = ball(-1 / (2 * scale**2)), ball(level) / (2 * arb.pi()).sqrt()
        beyond = 2 * front * ball(scale) * ball(Fraction(-(FAR**2), 2)).exp()
        rest = beyond / FAR, beyond * ball(scale**2) * (FAR + 1)
        found = []
        for power, more in zip((0, 2), rest, strict=True):
            inner = front * integral(partial(_bell, rate, power), -end, end)
            found.append((_fraction(inner.lower()), _fraction((inner + more).upper())))
        return found[0], found[1]


@lru_cache(maxsize=1)
def _unit_moments() -> tuple[tuple[arb, arb], tuple[arb, arb]]:
    """(integral up to T, bound of the rest) of e^-z and of z^2 e^-z over z > 0.

    With T = `FAR_OF_EXPONENTIAL`, part i beyond it is one long, and in it e^-z is at most
    e^-T 2^-i and z at most (T + 1)(i + 1). The sums of 2^-i and of (i + 1)^2 2^-i are 2 and 12.
    """
    end = Fraction(FAR_OF_EXPONENTIAL)
    beyond = (-ball(end)).exp()
    rest = 2 * beyond, 12 * ball((end + 1) ** 2) * beyond

    def falling(power: int, z: Any) -> Any:
        return z**power * (-z).exp()

    mass, square = (integral(partial(falling, power), Fraction(0), end) for power in (0, 2))
    return (mass, rest[0]), (square, rest[1])


def exponential_moments(level: Fraction, scale: Fraction) -> tuple[Interval, Interval]:
    """Intervals for the mass and the mean square of density level * e^(-|z|/scale)."""
    with ctx.workprec(BITS):
        found = []
        for (inner, rest), unit in zip(_unit_moments(), (scale, scale**3), strict=True):
            front = ball(2 * level * unit)
            total = front * inner, front * (inner + rest)
            found.append((_fraction(total[0].lower()), _fraction(total[1].upper())))
        return found[0], found[1]
