"""The balanced family of hash functions that local hashing rests on.

Let l be the smallest prime factor of g, and write a value in base l with m digits. The function
with coefficients a in Z_g^m maps x to sum_i a_i digit_i(x) mod g. Two different values have digits
that differ somewhere, by less than l in absolute value, so by a unit of Z_g. Over uniform a, their
hashes agree with probability exactly 1/g: linear hashing as in Carter and Wegman (1979), "Universal
classes of hash functions". The choice of l makes it work for every g.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ldp_verified.run.kernels.draw import check_threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_BUCKETS: Final = 1 << 16
"""Buckets and coefficients are stored in 8 or 16 bits."""

MOST_VALUES: Final = 1 << 31
"""Division by a multiplication and a shift is exact up to here without leaving 64 bits."""


def digit_base(g: int) -> int:
    """The smallest prime factor of g: the base in which values are written.

    Raises:
        ParameterError: if g is not in 2..65536.
    """
    check_threshold("g", g, 2, MOST_BUCKETS)
    return next(factor for factor in itertools.chain(range(2, 257), (g,)) if g % factor == 0)


def digit_count(k: int, g: int) -> int:
    """The number m of base-l digits that 0..k-1 take: the least m >= 1 with l^m >= k.

    Raises:
        ParameterError: if k is not in 2..2^31 or g not in 2..65536.
    """
    check_threshold("k", k, 2, MOST_VALUES)
    base = digit_base(g)
    return next(m for m in itertools.count(1) if base**m >= k)


def bucket_of(function: Sequence[int], value: int, g: int, base: int) -> int:
    """Return `evaluate` of one function and one value, without numpy.

    Args:
        function: coefficients a_1..a_m in 0..g-1.
        value: an integer in 0..base^m - 1.
        g: number of buckets.
        base: `digit_base(g)`.
    """
    bucket, rest = 0, value
    for coefficient in function:
        bucket += coefficient * (rest % base)
        rest //= base
    return bucket % g


def evaluate(
    functions: NDArray[np.integer[Any]], values: NDArray[np.integer[Any]], g: int
) -> NDArray[np.int64]:
    """The buckets h_a(x) of values under functions of the family, with numpy broadcasting.

    Args:
        functions: coefficients a_1..a_m in 0..g-1, shape (..., m).
        values: integers in 0..l^m - 1, of a shape that broadcasts with `functions.shape[:-1]`.
        g: number of buckets, 2..65536.

    Returns:
        Buckets in 0..g-1, int64, of the broadcast shape.

    Raises:
        ParameterError: if g is outside its range.
    """
    base = digit_base(g)
    rest = np.asarray(values, dtype=np.int64)
    buckets = np.zeros(np.broadcast_shapes(functions.shape[:-1], rest.shape), dtype=np.int64)
    for position in range(functions.shape[-1]):
        buckets += functions[..., position].astype(np.int64) * (rest % base)
        rest = rest // base
    return buckets % g
