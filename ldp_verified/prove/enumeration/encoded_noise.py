"""Noise on one-hot vectors at exact points: the vectors are written out and compared.

For `noise_enumeration`, which looks at single numbers; the numbers of a vector are independent.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ldp_verified.language.symbols import f, n
from ldp_verified.prove.enumeration.exact_values import cell, evaluate
from ldp_verified.prove.enumeration.expanded import check_size
from ldp_verified.prove.enumeration.witnesses import both

if TYPE_CHECKING:
    from ldp_verified.language.claims import Variance
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.prove.enumeration.concrete_noise import ConcreteNoise, Worst

USERS = 7
"""The number of users n at which the claimed variance of a count is checked."""


def changes(place: ConcreteNoise) -> list[tuple[Fraction, Fraction]]:
    """(x, x') of each number that differs between two inputs, for the pair that differs most.

    Without an encoder it is the one number, from end to end.
    """
    low, high = place.bounds
    encoder = place.form.encoder
    if encoder is None:
        return [(high, low)]
    k = int(cell("k", encoder.values, place.point))
    check_size(k, 1, k)
    ends = {True: high, False: low}
    return [(ends[a], ends[b]) for a, b in _furthest(k)] if low != high else []


@lru_cache
def _furthest(k: int) -> list[tuple[bool, bool]]:
    """The bits in which two one-hot vectors of k bits differ, for a pair that differs most."""
    vectors = [[position == v for position in range(k)] for v in range(k)]
    pairs = [
        [(a, b) for a, b in zip(own, other, strict=True) if a != b]
        for own in vectors
        for other in vectors
    ]
    return max(pairs, key=len)


def joint(place: ConcreteNoise) -> Worst:
    """The largest ratio of a whole output, and where; None if only one of two inputs gives it.

    Numbers are independent: the largest product of ratios is the product of the largest.
    """
    if place.form.encoder is None:
        return place.worst
    total = Fraction(1)
    shown: dict[str, Any] = {"y": "all numbers together"}
    for position, (x, x2) in enumerate(changes(place)):
        best = Fraction(0)
        for where, own, other in place.spots(x, x2):
            if (own > 0) != (other > 0):
                return None, {"x": x, "x'": x2, "y": where, "P(y|x)": own, "P(y|x')": other}
            if own > best * other:
                best = own / other
                shown |= {f"x_{position}": x, f"x'_{position}": x2, f"y_{position}": where}
        total *= best
    return total, shown


def exponential_loss(place: ConcreteNoise) -> Fraction:
    """ln P(y|x)/P(y|x') of an `Exponential` at the worst output, over all numbers that change.

    For one number it is (|y - x'| - |y - x|)/scale, largest at y = x and beyond.
    """
    scale = place.given["scale"]
    return sum(
        (
            max(abs(y - x2) - abs(y - x) for y in (x, 2 * x - x2)) / scale
            for x, x2 in changes(place)
        ),
        Fraction(0),
    )


def count_error(
    mechanism: Mechanism, claim: Variance, place: ConcreteNoise
) -> tuple[str, dict[str, Any]]:
    """(what is wrong with the variance of a count of `USERS`, or nothing; what was looked at).

    A count is the sum of one number's reports, in units of what its two inputs are apart. What is
    no law has no variance of a count; another obligation says that it is none.
    """
    if not place.may_be_law:
        return "", {}
    stated = mechanism.algebraic("claim", claim.value)
    low, high = place.bounds
    share = Fraction(1, 3) if claim.at_f is None else evaluate(claim.at_f, place.point)
    both_inputs = zip(place.variance(high), place.variance(low), strict=True)
    below, above = (
        USERS * (share * own + (1 - share) * other) / (high - low) ** 2
        for own, other in both_inputs
    )
    try:
        claimed = evaluate(stated, {**place.point, n: Fraction(USERS), f: share})
    except ZeroDivisionError:
        return "the claimed variance divides by zero at these parameters", {"n": USERS, "f": share}
    said = f"the variance of an estimated count is {float(below):.6g}, not {both(claimed)}"
    values = {"n": USERS, "f": share, "claimed": claimed}
    return "" if below <= claimed <= above else said, values
