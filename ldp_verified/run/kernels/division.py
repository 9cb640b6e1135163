"""Exact quotients of words by a constant, without the machine's slow division.

A kernel writes the two steps out: an estimate from the word's upper bits, then its correction.

    estimate = (word >> fine) * inverse >> shift
    quotient = estimate + [word - estimate * divisor >= divisor]
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ldp_verified.run.kernels.draw import check_threshold

MOST_QUOTIENTS: Final = 1 << 28
"""How many different quotients there may be: the product in the estimate then fits in 64 bits."""


class Reciprocal(NamedTuple):
    """The constants of a division, for words below `divisor` times the number of quotients.

    For words beyond, the two steps give some number or other, which a kernel must discard.
    """

    inverse: int
    fine: int
    shift: int


def reciprocal(divisor: int, quotients: int) -> Reciprocal:
    """Constants with which the two steps give word // divisor, for words < divisor * quotients.

    Let h = word >> fine, so h 2^fine <= word, and inverse <= 2^(shift + fine) / divisor. Then h
    inverse / 2^shift <= word / divisor: the estimate is not too large. It falls short by less than
    (2^fine - 1) / divisor + h / 2^shift. Either fine = 0 and the first term is 0, or 2^fine <=
    divisor / 2. And h < quotients * divisor / 2^fine < 4 quotients <= 2^(shift - 1) makes the
    second less than a half. So the estimate is the quotient or one less. The product is at most
    2^shift quotients < 2^(5 + 2 * 28).

    Raises:
        ParameterError: `quotients` is not in 1..2^28, or `divisor` below 1.
    """
    check_threshold("quotients", quotients, 1, MOST_QUOTIENTS)
    check_threshold("divisor", divisor, 1, 1 << 64)
    fine = max(0, divisor.bit_length() - 2)
    shift = 3 + quotients.bit_length()
    return Reciprocal((1 << (shift + fine)) // divisor, fine, shift)
