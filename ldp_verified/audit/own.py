"""This package's own mechanisms as targets, in bulk: reports become what an observer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.layouts import BitLayout
from ldp_verified.audit.sources import BATCH, Drawn, check_inputs
from ldp_verified.realize.randomizer import Randomizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["Randomizer", "from_mechanism", "single", "unpacked"]


def from_mechanism(
    mechanism: Randomizer, inputs: Sequence[int] | None = None, seed: int | None = None
) -> Drawn:
    """A mechanism object; bit vectors are unpacked, everything else stays as it is reported.

    Args:
        mechanism: the object.
        inputs: values to audit, as indices; None for all of them.
        seed: simulation; None for the secure source.
    """
    values = mechanism.labels
    labels = check_inputs(range(len(values)) if inputs is None else inputs)
    numbers = np.array(labels, dtype=np.int64)
    rng = None if seed is None else np.random.default_rng(seed)
    plain = isinstance(values, range)
    bits = isinstance(mechanism.layout, BitLayout)

    def ask(indices: NDArray[np.int64]) -> NDArray[Any]:
        chosen: Any = numbers[indices]
        if not plain:
            chosen = [values[v] for v in chosen.tolist()]
        data = mechanism.privatize(chosen, rng).data
        return unpacked(data, len(values)) if bits else data

    return Drawn(repr(mechanism), labels, ask, 4 * BATCH)


def single(mechanism: Randomizer) -> Callable[[Any], Any]:
    """One value in, one report out, as an observer reads it."""
    bits, k = isinstance(mechanism.layout, BitLayout), len(mechanism.labels)

    def report(value: Any) -> Any:
        data = mechanism.privatize([value]).data
        return (unpacked(data, k) if bits else data)[0]

    return report


def unpacked(words: NDArray[Any], k: int) -> NDArray[np.uint8]:
    """Bits of packed words, shape (n, k): bit v is bit v % 64 of word v // 64."""
    rows = np.ascontiguousarray(words, dtype="<u8").view(np.uint8)
    return np.unpackbits(rows, axis=1, count=k, bitorder="little")
