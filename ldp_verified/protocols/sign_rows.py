"""Public rows of a count sketch in Hadamard form: one bit of a value for each row and column.

A row has a function h to `columns` cells and a sign s of each value, both linear in the value's
bits. They are h(x) = (v_0.x, v_1.x, ...) and s(x) = (-1)^(a.x) with uniform vectors of 128 bits.
The entry of the Hadamard matrix at column r and cell h(x) is (-1)^(r.h(x)), so its product with
s(x) is the parity of x under one mask. The mask is a, plus the v_b of the bits b of r. Two
different values share a cell of a row with probability 1/columns, and their signs agree with
probability 1/2, whether they do or not.

Moses Charikar, Kevin Chen, Martin Farach-Colton (2002), Finding Frequent Items in Data Streams (the
sketch).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.kernels.transform import walsh_hadamard
from ldp_verified.run.kernels.wide import parities
from ldp_verified.run.program.hashed_groups import ListedFunctions
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

LARGEST_SEED = (1 << 64) - 1

MOST_MASKS = 1 << 20
"""Rows times columns, at most."""


def check_rows(rows: object, columns: object) -> tuple[int, int]:
    """The numbers of rows and of columns.

    Raises:
        ParameterError: one is out of range, the columns are no power of 2, or they are too many.
    """
    height = check_integer("rows", rows, 1, MOST_MASKS)
    width = check_integer("columns", columns, 2, MOST_MASKS)
    if width & (width - 1):
        raise ParameterError("columns", "must be a power of 2", width)
    if height * width > MOST_MASKS:
        rule = f"must be at most 2^20 with the columns, which are {width}"
        raise ParameterError("rows", rule, height)
    return height, width


@dataclass(frozen=True)
class SignRows:
    """The rows that a public text names.

    Attributes:
        rows: how many there are. columns: of each, a power of 2. text: from which they are made.
    """

    rows: int
    columns: int
    text: bytes

    @cached_property
    def vectors(self) -> Words:
        """The vector of each row's sign, then those of its cell, uint64 (rows, 1 + b, 2)."""
        each = 16 * self.columns.bit_length()  # a sign's vector, and log2(columns) more
        drawn = hashlib.shake_128(b"ldp_verified sign rows " + self.text).digest(each * self.rows)
        return np.frombuffer(drawn, dtype="<u8").astype(np.uint64).reshape(self.rows, -1, 2)

    def masks(self) -> Words:
        """The mask of each row and column, uint64 (rows columns, 2), row by row."""
        found = np.zeros((self.rows, self.columns, 2), dtype=np.uint64)
        found[:, 0] = self.vectors[:, 0]
        for bit in range(self.columns.bit_length() - 1):
            half = 1 << bit
            found[:, half : 2 * half] = found[:, :half] ^ self.vectors[:, None, 1 + bit]
        return found.reshape(-1, 2)

    def seeds(self, places: NDArray[np.int64]) -> Words:
        """The masks at these places, for `run.kernels.wide`, uint64 (n, 3): lowest first."""
        row, column = np.divmod(places, self.columns)
        found = np.zeros((len(places), 3), dtype=np.uint64)
        found[:, 1::-1] = self.vectors[row, 0]
        for bit in range(self.columns.bit_length() - 1):
            chosen = (column >> bit & 1).astype(np.uint64)[:, None]
            found[:, 1::-1] ^= self.vectors[row, 1 + bit] * chosen
        return found

    def places_of(self, seeds: Words, where: str) -> NDArray[np.int64]:
        """The place of each function among the masks, int64 (n,).

        Args:
            seeds: uint64 (n, 3). where: whose rows these are, for the message.

        Raises:
            ReportError: one is no mask of these rows.
        """
        masks = self.masks()
        order = np.argsort(masks[:, 0], kind="stable")
        found = np.searchsorted(masks[order, 0], seeds[:, 1])
        places = order[np.minimum(found, len(masks) - 1)]
        if np.any(masks[places] != seeds[:, 1::-1]) or np.any(seeds[:, 2]):
            raise ReportError("seeds", f"must be of the public rows of {where}")
        return places

    def table(
        self, places: NDArray[np.int64], buckets: NDArray[np.unsignedinteger[Any]]
    ) -> NDArray[np.int64]:
        """Return what the reports of each row say of each of its cells, int64 (rows, columns).

        Args:
            places: of the reports' functions. buckets: 0 for the sign +1, 1 for -1.
        """
        size = self.rows * self.columns
        signs = 1.0 - 2.0 * buckets.astype(np.float64)
        # Sums of fewer than 2^53 signs are exact in doubles.
        sums = np.bincount(places, signs, size).astype(np.int64)
        return walsh_hadamard(sums.reshape(self.rows, self.columns))

    def supports(self, table: NDArray[np.int64], values: Words) -> NDArray[np.int64]:
        """Sums of the signs of each row's reports, times those that each value has there.

        Args:
            table: of the reports. values: uint64 (m, 2).

        Returns:
            int64 (rows, m): in expectation 2 p - 1 for each holder of the value, and collisions.
        """
        cells, signs = self.cells(values)
        found: NDArray[np.int64] = np.take_along_axis(table, cells, axis=1) * signs
        return found

    def collisions(self, values: Words) -> NDArray[np.int64]:
        """Return what each value adds to the supports of each, int64 (rows, m, m).

        In each row 0 where two values have different cells, and else the product of their signs.
        """
        cells, signs = self.cells(values)
        shared = cells[:, :, None] == cells[:, None, :]
        found: NDArray[np.int64] = shared * signs[:, :, None] * signs[:, None, :]
        return found

    def cells(self, values: Words) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cell of each value in each row, and its sign there, both int64 (rows, m)."""
        cells = np.zeros((self.rows, len(values)), dtype=np.int64)
        signs = np.empty_like(cells)
        for row, (sign, *cell) in enumerate(self.vectors):
            for bit, vector in enumerate(cell):
                cells[row] |= parities(np.broadcast_to(vector, values.shape), values) << bit
            signs[row] = 1 - 2 * parities(np.broadcast_to(sign, values.shape), values)
        return cells, signs


def listed_rows(sketches: Sequence[SignRows], counts: bool) -> ListedFunctions:
    """The masks of some sketches, all of one size, as public functions of a program.

    Args:
        sketches: of each group. counts: whether they are of those who count.
    """
    first = sketches[0]
    vectors = np.concatenate([each.vectors.reshape(-1, 2) for each in sketches])
    upper, lower = ((*vectors[:, half].tolist(),) for half in (0, 1))
    return ListedFunctions(counts, first.rows, first.columns, (lower, upper, ()))
