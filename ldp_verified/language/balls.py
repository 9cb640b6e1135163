"""Signs and rational enclosures of numbers such as log(3) - 1, by ball arithmetic.

Exact where a number is rational; elsewhere balls of growing precision decide, and a number that
none of them tells from 0 has no known sign.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from sympy import Rational

from ldp_verified.errors import SpecError

PRECISIONS = (128, 512, 2048, 8192)
"""Bits that are tried, one after the other."""


def _ball(value: Any) -> arb:
    """The ball around a number written with rationals, real roots, exp, log and powers."""
    if value.is_Rational:
        return arb(fmpq(int(value.p), int(value.q)))
    if value is sympy.E:
        return arb(1).exp()
    if value is sympy.pi:
        return arb.pi()
    if isinstance(value, sympy.CRootOf) and value.is_real:
        near, width = value.eval_rational(dx=Rational(1, 2**ctx.prec)), arb(2) ** -ctx.prec
        return arb(fmpq(int(near.p), int(near.q))) + width * arb(0, 1)
    parts = [_ball(part) for part in value.args]
    if value.is_Add:
        return sum(parts, arb(0))
    if value.is_Mul:
        product = arb(1)
        for part in parts:
            product *= part
        return product
    if value.is_Pow and value.exp.is_Integer:
        return parts[0] ** int(value.exp)
    if value.is_Pow:
        return (parts[0].log() * parts[1]).exp()
    known: dict[Any, Callable[[arb], arb]] = {sympy.exp: arb.exp, sympy.log: arb.log}
    if value.func not in known:
        raise SpecError("domain", "a bound must be written with rationals, exp and log", value)
    return known[value.func](parts[0])


def _decided(value: Any, decide: Callable[[arb], Any]) -> Any:
    """The first answer of `decide` to a ball around the value; None without one."""
    before = ctx.prec
    try:
        for bits in PRECISIONS:
            ctx.prec = bits
            ball = _ball(value)
            answer = decide(ball) if ball.is_finite() else None
            if answer is not None:
                return answer
    finally:
        ctx.prec = before
    return None


def sign(value: Any) -> int | None:
    """The sign of a number: 1, 0 or -1; None where it cannot be told.

    Raises:
        SpecError: it is no number, or is written with a function that is not known here.
    """
    if value.free_symbols:
        raise SpecError("domain", "its bound mentions a parameter without a value", value)
    if value.is_Rational or value.is_Float:
        return int(bool(value > 0)) - int(bool(value < 0))
    if sympy.expand_power_exp(sympy.exp(value)) == 1:  # log(8) - 3*log(2): no ball tells it from 0.
        return 0
    answer: int | None = _decided(value, lambda ball: 1 if ball > 0 else -1 if ball < 0 else None)
    return answer


def enclosure(value: Any, width: Fraction) -> tuple[Any, Any]:
    """Rational numbers on both sides of an irrational one, at most `width` apart, the simplest.

    Raises:
        SpecError: no precision tells them apart.
    """

    def ends(ball: arb) -> tuple[Fraction, Fraction] | None:
        low, high = (_fraction(end) for end in (ball.lower(), ball.upper()))
        return None if (high - low) * 4 > width else (low, high)

    found = _decided(value, ends)
    if found is None:
        raise SpecError("domain", "a bound has no value that can be enclosed", value)
    low, high = found
    room = width / 4
    return tuple(
        sympy.Rational(end.numerator, end.denominator)
        for end in (simplest(low - room, low), simplest(high, high + room))
    )


def _fraction(value: arb) -> Fraction:
    mantissa, exponent = value.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


READABLE = 10_000
"""The largest denominator of an end from which points are measured exactly."""


def between(low: Fraction, high: Fraction, share: Fraction) -> Fraction:
    """The point that many widths above `low`; near it where that would be a long fraction."""
    width = high - low
    if max(low.denominator, high.denominator) <= READABLE or width <= 0:
        return low + width * share
    room = min(share, 1 - share) / 8
    return simplest(low + width * (share - room), low + width * (share + room))


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator in [low, high]."""
    whole = low.numerator // low.denominator
    if whole == low:
        return low
    if whole + 1 <= high:
        return Fraction(whole + 1)
    return whole + 1 / simplest(1 / (high - whole), 1 / (low - whole))
