"""The parsed side of the statement of a large explicit table; without sympy.

The statement holds its distinct cells once and which of them stands where. What is computed here is
exact: sums by how often each cell occurs, moments by how often each weight meets each cell, both
once for every case that differs.

In place of pair tables such a statement has
    matrix   {"cells": [text, ...], "index": [[int, ...], ...], "support": [[input, ...], ...]}, the
             index by input, then output; the support by output, or null
    weights  {"cells": ..., "index": ...} likewise, by input, then output; {"prime": int or null}
             where they are not written down; or null
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction as Number
from functools import cached_property
from math import lcm
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Ring

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_TERMS = 500_000
"""Products of a weight and a cell that are multiplied out in parameters."""

MOST_COUNTED = 36
"""Pairs of a distinct weight and a distinct cell that are counted by matrix products."""


@dataclass(frozen=True)
class Entries:
    """A table by its distinct entries.

    Attributes:
        ring: where the entries are rational functions.
        tops, bottoms: numerators and denominators of the entries that are numbers; 0 and 1 for the
            others.
        symbolic: the other entries by position.
        index: which entry stands where.
    """

    ring: Ring
    tops: Sequence[int]
    bottoms: Sequence[int]
    symbolic: Mapping[int, Fraction]
    index: NDArray[np.int32]

    @classmethod
    def read(cls, ring: Ring, written: Mapping[str, Any]) -> Entries:
        """Parse the texts and check that the index fits.

        Raises:
            ExpressionError: a text cannot be read, or the index is ragged or names no entry.
        """
        numbers = [number(text) for text in written["cells"]]
        try:
            index = np.array(written["index"], np.int32)
        except (ValueError, OverflowError) as error:
            raise ExpressionError(f"the index of the table is malformed: {error}") from error
        if index.ndim != 2 or index.size == 0 or index.min() < 0 or index.max() >= len(numbers):
            raise ExpressionError("the index of the table names no entry")
        texts = written["cells"]
        symbolic = {i: ring.parse(texts[i]) for i, known in enumerate(numbers) if known is None}
        known = [(0, 1) if pair is None else pair for pair in numbers]
        tops, bottoms = zip(*known, strict=True)
        return cls(ring, tops, bottoms, symbolic, index)

    def __len__(self) -> int:
        """Return how many distinct entries there are."""
        return len(self.tops)

    @property
    def numeric(self) -> bool:
        """Return whether all entries are numbers."""
        return not self.symbolic

    def number(self, i: int) -> Number:
        """Entry i, which is a number."""
        return Number(self.tops[i], self.bottoms[i])

    def value(self, i: int) -> Fraction:
        """Entry i as a rational function."""
        return self.symbolic[i] if i in self.symbolic else constant(self.ring, self.number(i))

    @cached_property
    def keys(self) -> NDArray[np.object_]:
        """Integers in the order of the numbers among the entries.

        Numbers over a and b that differ do so by at least 1/(a b), so that after so many binary
        digits their floors differ too.
        """
        digits = 2 * max(below.bit_length() for below in self.bottoms)
        pairs = zip(self.tops, self.bottoms, strict=True)
        return np.array([(top << digits) // below for top, below in pairs], object)

    @cached_property
    def zero(self) -> NDArray[np.bool_]:
        """Return which entries are identically zero."""
        found = np.array([top == 0 for top in self.tops])
        for i, value in self.symbolic.items():
            found[i] = not value.numerator
        return found


def number(text: str) -> tuple[int, int] | None:
    """Numerator and denominator of "3", "-3" or "3/4"; None for any other text."""
    top, slash, bottom = text.partition("/")
    if not top.removeprefix("-").isdecimal() or (slash and not bottom.isdecimal()):
        return None
    if not text.isascii():
        return None
    below = int(bottom) if slash else 1
    return (int(top), below) if below else None


def constant(ring: Ring, value: Number) -> Fraction:
    """A number as a rational function."""
    return Fraction(ring.constant(value.numerator).numerator, {}, value.denominator)


@dataclass(frozen=True)
class Moments:
    """The moments of users' contributions, for one class of equivalent (v, x).

    Attributes:
        place: (v, x), the first of them. first, second: E[weight] and E[weight^2] under x.
    """

    place: tuple[int, int]
    first: Fraction
    second: Fraction


class Columns:
    """The parsed table with what is computed from it."""

    def __init__(self, ring: Ring, statement: Mapping[str, Any]) -> None:
        """Parse the statement.

        Raises:
            ExpressionError: the table is malformed.
        """
        self.ring = ring
        self.table = Entries.read(ring, statement["matrix"])
        self.inputs, self.outputs = self.table.index.shape
        self.support = statement["matrix"]["support"]
        self.written = statement["weights"]

    def sum_of(self, indices: NDArray[np.int32]) -> Fraction:
        """The sum of the given cells."""
        table, rest = self.table, self.ring.constant(0)
        listed = indices.tolist()
        if table.symbolic:
            distinct, counts = np.unique(indices, return_counts=True)
            for i, count in zip(distinct.tolist(), counts.tolist(), strict=True):
                if i in table.symbolic:
                    part = self.ring.multiply(self.ring.constant(count), table.symbolic[i])
                    rest = self.ring.add(rest, part)
            listed = [i for i in listed if i not in table.symbolic]
        below, tops = _whole(table, listed)
        return self.ring.add(rest, constant(self.ring, Number(sum(tops), below)))

    def row_classes(self) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """(first x, its cells) of the rows that differ otherwise than in order."""
        seen: set[bytes] = set()
        for x, row in enumerate(self.table.index):
            look = np.sort(row).tobytes()
            if look not in seen:
                seen.add(look)
                yield x, row

    def supported(self, yes: str, no: str) -> Entries:
        """The weights of an estimator that adds `yes` where an output supports v, else `no`.

        Raises:
            ExpressionError: the statement declares no support.
        """
        if self.support is None:
            raise ExpressionError("the table declares no support")
        index = np.ones((self.inputs, self.outputs), np.int32)
        for y, values in enumerate(self.support):
            index[values, y] = 0
        return Entries.read(self.ring, {"cells": [yes, no], "index": index.tolist()})

    def weights(self) -> Entries:
        """The weights as written.

        Raises:
            ExpressionError: there are none, or of another shape than the table.
        """
        if self.written is None or "cells" not in self.written:
            raise ExpressionError("the statement has no weights")
        found = Entries.read(self.ring, self.written)
        if found.index.shape != self.table.index.shape:
            raise ExpressionError("the weights have another shape than the table")
        return found

    def moments(self, weights: Entries) -> tuple[list[Moments], NDArray[np.int64]]:
        """The classes of (v, x), and which of them [v, x] belongs to.

        Raises:
            ExpressionError: too much would have to be multiplied out.
        """
        counted = len(weights) * len(self.table) <= MOST_COUNTED
        if counted or not (weights.numeric and self.table.numeric):
            return self._by_meetings(weights, counted and self.outputs < 2**24)
        return self._of_numbers(weights)

    @cached_property
    def own_moments(self) -> tuple[list[Moments], NDArray[np.int64]]:
        """`moments` of the weights as written.

        Raises:
            ExpressionError: as for `weights` and `moments`.
        """
        return self.moments(self.weights())

    def _of_numbers(self, weights: Entries) -> tuple[list[Moments], NDArray[np.int64]]:
        if self.inputs**2 * self.outputs > 2**24:
            raise ExpressionError("the table is too large to be multiplied out")
        rows = [_whole(self.table, row) for row in self.table.index.tolist()]
        found: dict[tuple[Number, Number], int] = {}
        classes: list[Moments] = []
        labels = np.empty((self.inputs, self.inputs), np.int64)
        for v, adds in enumerate(weights.index.tolist()):
            unit, tops = _whole(weights, adds)
            squares = [top * top for top in tops]
            for x, (below, chances) in enumerate(rows):
                first = Number(sum(map(mul, tops, chances)), unit * below)
                second = Number(sum(map(mul, squares, chances)), unit * unit * below)
                if (first, second) not in found:
                    found[first, second] = len(classes)
                    parts = (constant(self.ring, m) for m in (first, second))
                    classes.append(Moments((v, x), *parts))
                labels[v, x] = found[first, second]
        return classes, labels

    def _by_meetings(
        self, weights: Entries, counted: bool
    ) -> tuple[list[Moments], NDArray[np.int64]]:
        if counted:
            labels = self._counted(weights)
        elif self.inputs**2 * self.outputs <= 2**24:
            labels = self._sorted(weights)
        else:
            raise ExpressionError("the table is too large to be multiplied out")
        _, firsts = np.unique(labels, return_index=True)
        places = [divmod(int(at), self.inputs) for at in firsts]
        codes = [self._meeting(weights, v, x) for v, x in places]
        if sum(len(pairs) for pairs in codes) > MOST_TERMS:
            raise ExpressionError(f"more than {MOST_TERMS} products of weights and cells differ")
        products: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
        classes = []
        for place, pairs in zip(places, codes, strict=True):
            sums = [self.ring.constant(0), self.ring.constant(0)]
            for (w, p), count in pairs:
                if (w, p) not in products:
                    once = self.ring.multiply(weights.value(w), self.table.value(p))
                    products[w, p] = once, self.ring.multiply(once, weights.value(w))
                for k, product in enumerate(products[w, p]):
                    part = self.ring.multiply(self.ring.constant(count), product)
                    sums[k] = self.ring.add(sums[k], part)
            classes.append(Moments(place, *sums))
        return classes, labels

    def _meeting(self, weights: Entries, v: int, x: int) -> list[tuple[tuple[int, int], int]]:
        """((weight, cell), how often these two meet), for the reports on x and the value v."""
        size = len(self.table)
        code = weights.index[v].astype(np.int64) * size + self.table.index[x]
        distinct, counts = np.unique(code, return_counts=True)
        pairs = zip(distinct.tolist(), counts.tolist(), strict=True)
        return [(divmod(at, size), count) for at, count in pairs]

    def _counted(self, weights: Entries) -> NDArray[np.int64]:
        """Labels of the (v, x): equal iff every weight meets every cell equally often."""
        labels = np.zeros((self.inputs, self.inputs), np.int64)
        largest = 0
        for w in range(len(weights)):
            left = (weights.index == w).astype(np.float32)
            for p in range(len(self.table)):
                # Counts are at most `outputs`, so exact below 2^24.
                met = left @ (self.table.index == p).astype(np.float32).T
                if (largest + 1) * (self.outputs + 1) > 2**62:
                    labels = np.unique(labels, return_inverse=True)[1].reshape(labels.shape)
                    largest = labels.size
                labels = labels * (self.outputs + 1) + met.astype(np.int64)
                largest = (largest + 1) * (self.outputs + 1)
        return np.unique(labels, return_inverse=True)[1].reshape(labels.shape)

    def _sorted(self, weights: Entries) -> NDArray[np.int64]:
        """The labels of `_counted`, found by sorting what meets."""
        known: dict[bytes, int] = {}
        labels = np.empty((self.inputs, self.inputs), np.int64)
        size = len(self.table)
        for v, adds in enumerate(weights.index.astype(np.int64)):
            met = np.sort(adds[None, :] * size + self.table.index, axis=1)
            labels[v] = [known.setdefault(row.tobytes(), len(known)) for row in met]
        return labels


def _whole(table: Entries, entries: Sequence[int]) -> tuple[int, list[int]]:
    """A common denominator of numbers among the entries, and their numerators over it."""
    below = lcm(*{table.bottoms[i] for i in entries})
    return below, [table.tops[i] * (below // table.bottoms[i]) for i in entries]
