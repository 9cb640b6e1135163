"""Reports of this package's own mechanisms, as an observer reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.run.aggregate.layouts import BitLayout
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def told_numbers(mechanism: NumericRandomizer) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
    """Return a function from reports to the numbers that they stand for, on the users' scale."""
    decoding = mechanism.decoding
    (start, end), (low, high) = mechanism.inputs, mechanism.bounds
    scale = (high - low) / (end - start)
    first, step = float(decoding.first), float(decoding.step)
    atoms = np.array([float(atom) for atom in decoding.atoms] or [0.0])

    def told(data: NDArray[Any]) -> NDArray[np.float64]:
        reports = data.astype(np.int64)
        cells = reports < decoding.cells
        beyond = atoms[np.where(cells, 0, reports - decoding.cells)]
        found = np.where(cells, first + step * reports, beyond)
        return np.asarray(low + scale * (found - start))

    return told


def single(mechanism: Randomizer | NumericRandomizer) -> Callable[[Any], Any]:
    """One value in, one report out, as an observer reads it."""
    if isinstance(mechanism, NumericRandomizer):
        numeric, told = mechanism, told_numbers(mechanism)
        return lambda value: told(numeric.privatize([value]).data)[0]
    bits, k = isinstance(mechanism.layout, BitLayout), len(mechanism.labels)

    def report(value: Any) -> Any:
        data = mechanism.privatize([value]).data
        return (unpacked(data, k) if bits else data)[0]

    return report


def unpacked(words: NDArray[Any], k: int) -> NDArray[np.uint8]:
    """Bits of packed words, shape (n, k): bit v is bit v % 64 of word v // 64."""
    rows = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(rows, axis=1, count=k, bitorder="little")
