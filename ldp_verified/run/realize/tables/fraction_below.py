"""The largest fraction m/w not above a number, for a bounded m + w."""

from __future__ import annotations

from fractions import Fraction


def below(target: Fraction, most: int) -> tuple[int, int] | None:
    """(m, w) with the largest m/w <= target, 1 < m/w, m + w <= most; None if there is none.

    By the Stern-Brocot tree: every fraction between two neighbours has a larger m + w than both.
    The fraction is in lowest terms.
    """
    if target <= 1 or most < 3:
        return None
    whole = min(target.numerator // target.denominator, most - 1)
    if whole + 1 == most:
        return whole, 1
    low, high = (whole, 1), (1, 0)
    while True:
        a, b = low
        c, d = high
        gap = target * b - a
        if gap == 0:
            break
        # Take high towards low as long as it stays above the target...
        over = c - target * d
        steps = (over / gap).__ceil__() - 1
        c, d = c + steps * a, d + steps * b
        # ...then low towards high as long as it stays at or below.
        steps = (gap / (c - target * d)).__floor__()
        if c + d > most:
            break
        steps = min(steps, (most - a - b) // (c + d))
        if steps == 0:
            break
        low, high = (a + steps * c, b + steps * d), (c, d)
    m, w = low
    return (m, w) if m > w else None
