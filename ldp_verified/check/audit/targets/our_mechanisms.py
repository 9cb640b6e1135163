"""This package's own mechanisms as targets, in bulk: reports become what an observer reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.targets.own_reports import told_numbers, unpacked
from ldp_verified.check.audit.targets.sources import BATCH, DrawnSamples, check_inputs
from ldp_verified.run.aggregate.layouts import BitLayout
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Own = Randomizer | NumericRandomizer
"""Objects of this package that can be audited as they are."""

__all__ = ["NumericRandomizer", "Own", "Randomizer", "from_mechanism"]


def from_mechanism(
    mechanism: Own, inputs: Sequence[Any] | None = None, seed: int | None = None
) -> DrawnSamples:
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

    return DrawnSamples(repr(mechanism), labels, ask, 4 * BATCH)


def _numbers(
    mechanism: NumericRandomizer, inputs: Sequence[Any] | None, seed: int | None
) -> DrawnSamples:
    labels = check_inputs(mechanism.bounds if inputs is None else inputs)
    numbers, told = np.array(labels, dtype=np.float64), told_numbers(mechanism)
    source = word_source(seed, "target", *mechanism.identity.named)

    def ask(indices: NDArray[np.int64]) -> NDArray[Any]:
        return told(mechanism.privatize(numbers[indices], source).data)

    return DrawnSamples(repr(mechanism), labels, ask, 4 * BATCH)
