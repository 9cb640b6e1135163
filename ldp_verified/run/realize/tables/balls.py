"""Decisions about real numbers by ball arithmetic: the precision is doubled until a ball decides.

Uses python-flint's `arb`: every operation returns a ball that contains the exact result (Johansson
2017, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic").
"""

from __future__ import annotations

import math
import os
import threading
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from flint import arb, ctx, fmpq

from ldp_verified.errors import UndecidedError

if TYPE_CHECKING:
    from collections.abc import Callable

Decision = TypeVar("Decision")

_FIRST_BITS = 128
_LAST_BITS = 1 << 16
_TINY = Fraction(1, 1 << 1200)

# flint has one working precision per process: whoever changes it holds the lock.
_lock = threading.RLock()


def _new_lock() -> None:
    global _lock  # noqa: PLW0603  (the child needs another lock, not another state of this one)
    _lock = threading.RLock()


# A child forked while another thread held the lock would wait forever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


def decide(attempt: Callable[[], Decision | None]) -> Decision:
    """The first answer of `attempt`, at 128 bits of precision and then twice as many each time.

    Args:
        attempt: evaluates its balls anew on each call; None means "these balls are too wide".

    Raises:
        UndecidedError: no answer at 65,536 bits: the number in question sits exactly where the
            decision flips, or is too large or too small for that.
    """
    with _lock:
        bits = _FIRST_BITS
        while bits <= _LAST_BITS:
            with ctx.workprec(bits):
                answer = attempt()
            if answer is not None:
                return answer
            bits *= 2
    raise UndecidedError("parameters", f"must be decided at {_LAST_BITS} bits of precision")


def ball(value: Fraction | float) -> arb:
    """A ball around an exact number (a float means its exact value)."""
    if isinstance(value, Fraction):
        return arb(fmpq(value.numerator, value.denominator))
    return arb(value)


def ceil_scaled(value: arb, width: int) -> int | None:
    """ceil(value * 2^width), at least 1, for a positive value; None if the ball does not decide."""
    scaled = value * arb(1 << width)
    if scaled <= 1:
        return 1
    whole = scaled.ceil().unique_fmpz()
    return None if whole is None else max(1, int(whole))


def nearest_float(value: arb) -> float | None:
    """The double nearest to the number in the ball; None if the ball does not decide."""
    bounds = _ends(value)
    if bounds is None:
        return None
    low, high = (float(bound) for bound in bounds)
    return low + 0.0 if low == high else None  # not -0.0


def approximation(value: arb) -> Fraction | None:
    """A rational within 2^-100 of the number in the ball, relatively; None if it is too wide.

    A number between 0 and 2^-1200 may be taken for 2^-1200.
    """
    bounds = _ends(value)
    if bounds is None:
        return None
    low, high = bounds
    if low == 0 and high == _TINY:
        return _TINY
    return (low + high) / 2 if high - low <= abs(high) / (1 << 100) else None


def upper_float(value: arb) -> float | None:
    """The smallest double not below the number in the ball; None if the ball does not decide."""
    bounds = _ends(value)
    if bounds is None:
        return None
    low, high = (round_up(bound) for bound in bounds)
    return low if low == high else None


def round_up(value: Fraction) -> float:
    """The smallest double that is not below an exact rational."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def at_most(value: arb, bound: float) -> bool | None:
    """Return whether the number in the ball is <= bound, exactly; None if it cannot decide."""
    excess = value - arb(bound)
    if excess <= 0:
        return True
    return False if excess > 0 else None


def _ends(value: arb) -> tuple[Fraction, Fraction] | None:
    """Rational bounds of a ball, wider than it where they are below 2^-1200.

    None if one is not finite, or above 2^1000.
    """
    if not value.is_finite():
        return None
    exact = []
    for end, away in ((value.lower(), -1), (value.upper(), 1)):
        mantissa, exponent = (int(part) for part in end.man_exp())
        size = exponent + mantissa.bit_length()
        if size > 1000:
            return None
        if mantissa != 0 and size < -1200:
            exact.append(away * _TINY if (mantissa > 0) == (away > 0) else Fraction(0))
        else:
            exact.append(Fraction(mantissa) * Fraction(2) ** exponent)
    return exact[0], exact[1]
