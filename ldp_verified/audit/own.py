"""This package's own mechanisms as targets, in bulk: reports become what an observer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.layouts import BitLayout
from ldp_verified.audit.sources import BATCH, Drawn, check_inputs
from ldp_verified.kernels.seeds import word_source
from ldp_verified.realize.numeric import NumericRandomizer
from ldp_verified.realize.randomizer import Randomizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Own = Randomizer | NumericRandomizer
"""Objects of this package that can be audited as they are."""

__all__ = ["NumericRandomizer", "Own", "Randomizer", "from_mechanism", "single", "unpacked"]


def from_mechanism(
    mechanism: Own, inputs: Sequence[Any] | None = None, seed: int | None = None
) -> Drawn:
    """A mechanism object; bit vectors are unpacked, reports about numbers are what they stand for.

    Args:
        mechanism: the object.
        inputs: values to audit, as indices, or numbers within bounds; None for all of them, or for
            both bounds.
        seed: simulation; None for the secure source.
    """
    if isinstance(mechanism, NumericRandomizer):
        return _numbers(mechanism, inputs, seed)
    values = mechanism.labels
    labels = check_inputs(range(len(values)) if inputs is None else inputs)
    numbers = np.array(labels, dtype=np.int64)
    source = word_source(seed, "target", *mechanism.identity.named)
    plain = isinstance(values, range)
    bits = isinstance(mechanism.layout, BitLayout)

    def ask(indices: NDArray[np.int64]) -> NDArray[Any]:
        chosen: Any = numbers[indices]
        if not plain:
            chosen = [values[v] for v in chosen.tolist()]
        data = mechanism.privatize(chosen, source).data
        return unpacked(data, len(values)) if bits else data

    return Drawn(repr(mechanism), labels, ask, 4 * BATCH)


def _numbers(mechanism: NumericRandomizer, inputs: Sequence[Any] | None, seed: int | None) -> Drawn:
    labels = check_inputs(mechanism.bounds if inputs is None else inputs)
    numbers, told = np.array(labels, dtype=np.float64), told_numbers(mechanism)
    source = word_source(seed, "target", *mechanism.identity.named)

    def ask(indices: NDArray[np.int64]) -> NDArray[Any]:
        return told(mechanism.privatize(numbers[indices], source).data)

    return Drawn(repr(mechanism), labels, ask, 4 * BATCH)


def told_numbers(mechanism: NumericRandomizer) -> Callable[[NDArray[Any]], NDArray[np.float64]]:
    """From reports to the numbers that they stand for, on the users' scale."""
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


def single(mechanism: Own) -> Callable[[Any], Any]:
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
