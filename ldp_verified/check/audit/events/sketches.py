"""Decide which values a sketch's report supports: a public function, and noisy bits or a sign.

Of this package's own reports the functions are those of its sketches, which are public. Of other
people's, the auditor names the function (row, value) -> bucket.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.events.structures import odd
from ldp_verified.check.audit.targets.keys import items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Held = NDArray[np.bool_]


@lru_cache(maxsize=8)
def own_table(k: int, buckets: int, rows: int, seed: int) -> Whole:
    """The bucket of every value in every row, shape (rows, k); rows = 0 for the whole family."""
    from ldp_verified.run.aggregate.sketch_oracles import SignSketchLayout

    return SignSketchLayout(k, buckets, rows or None, seed).bucket_table


def own_bits(words: NDArray[Any], values: Whole, table: Whole) -> Held:
    """A row, then packed bits: the bit of the value's bucket."""
    rows = np.minimum(words[:, 0].astype(np.int64), len(table) - 1)
    bucket = table[rows, np.minimum(values, table.shape[1] - 1)]
    words = words[:, 1:].astype(np.uint64)
    word = words[np.arange(len(words)), np.minimum(bucket // 64, words.shape[1] - 1)]
    return np.asarray(word >> (bucket % 64).astype(np.uint64) & np.uint64(1), dtype=np.bool_)


def own_sign(reports: Whole, values: Whole, table: Whole, buckets: int) -> Held:
    """2 (row buckets + l) for +1, one more for -1: whether it is the sign of H at l and bucket."""
    place = reports >> 1
    rows = np.minimum(place // buckets, len(table) - 1)
    bucket = table[rows, np.minimum(values, table.shape[1] - 1)]
    return np.asarray(odd(place % buckets & bucket) == (reports & 1).astype(np.bool_))


def bits(outputs: Iterable[Any], values: list[Any], function: Callable[..., Any]) -> Held:
    """(row, bits) in either order: whether the bit of the value's bucket is above 0."""

    def one(output: Any, value: Any) -> bool:
        parts = items(output) or []
        if len(parts) != 2:
            return False
        row, vector = parts if items(parts[0]) is None else parts[::-1]
        held = items(vector) or []
        bucket = int(function(row, value))
        return 0 <= bucket < len(held) and held[bucket] not in ("0", "") and float(held[bucket]) > 0

    return np.array([one(o, v) for o, v in zip(outputs, values, strict=True)], dtype=np.bool_)


def signs(outputs: Iterable[Any], values: list[Any], function: Callable[..., Any]) -> Held:
    """(row, l, sign): whether Sylvester's matrix has that sign at l and the value's bucket."""

    def one(output: Any, value: Any) -> bool:
        parts = items(output) or []
        if len(parts) != 3:
            return False
        row, place, sign = parts
        negative = (int(place) & int(function(row, value))).bit_count() % 2 == 1
        return negative == (float(sign) < 0)

    return np.array([one(o, v) for o, v in zip(outputs, values, strict=True)], dtype=np.bool_)
