"""Several reports of one value, read as one: each input gets a vote from every report for it.

    votes:D;READING     the output is a sequence of reports, each read as READING says; it speaks
                        for v against w where v has at least D votes more than w

One by one the items of repeated vectors tell little, and there are many; counts over the reports
hold all that independent reports of one vector mechanism tell about two inputs.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.audit.batch import Batch
from ldp_verified.audit.keys import Thing, items

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Supports = Callable[[str, Batch, NDArray[np.int64]], NDArray[np.bool_]]
    """Whether each output speaks, under a reading, for the input at an index."""

HEAD = "votes"
MOST = 256
"""Reports in one output; longer ones are looked at as they are."""


def parted(rest: str) -> tuple[int, str]:
    """The margin and the reading of one report.

    Raises:
        ValueError: the part is none.
    """
    margin, _, reading = rest.partition(";")
    if int(margin) < 1 or not reading or reading.partition(":")[0] == HEAD:
        raise ValueError(rest)
    return int(margin), reading


def reports(outputs: Any) -> tuple[list[Any], NDArray[np.int64]] | None:
    """All reports of all outputs, and how many each output has; None where it has none.

    Args:
        outputs: of a target.
    """
    if isinstance(outputs, np.ndarray):
        return None
    held = [items(output) if isinstance(output, list | tuple) else None for output in outputs]
    sizes = np.array([0 if each is None else len(each) for each in held], dtype=np.int64)
    if not np.any(sizes):
        return None
    return [*chain.from_iterable(each or () for each in held)], sizes


def counted(
    batch: Batch, reading: str, chosen: NDArray[np.int64], supports: Supports
) -> NDArray[np.int64]:
    """The votes that each output has for the input at the index chosen for it.

    Args:
        batch: samples.
        reading: of one report.
        chosen: indices of inputs, shape (n,).
        supports: reads them.
    """
    found = reports(batch.outputs)
    if found is None:
        return np.zeros(len(batch), dtype=np.int64)
    flat, sizes = found
    own = np.repeat(np.arange(len(batch)), sizes)
    votes = supports(reading, Batch(batch.inputs[own], flat), chosen[own])
    return np.bincount(own[votes], minlength=len(batch)).astype(np.int64)


def plausible(
    sample: Batch, inputs: Sequence[Any], single: Callable[[Batch, Sequence[Any]], list[str]]
) -> list[str]:
    """Readings of outputs that are several reports; none where they do not look like that.

    Args:
        sample: outputs that take no part in the test.
        inputs: the audited inputs.
        single: gives the readings that outputs of one report allow.
    """
    found = reports(sample.outputs)
    if found is None:
        return []
    flat, sizes = found
    usual = int(np.median(sizes))
    if not 2 <= usual <= MOST or np.mean(sizes == usual) < 0.5:
        return []
    own = np.repeat(np.arange(len(sample)), sizes)
    rows = np.arange(min(len(flat), 2000))
    some = Batch(sample.inputs[own[rows]], [flat[i] for i in rows.tolist()])
    margins = sorted({1, -(-usual // 4), -(-usual // 2), usual})
    whole = all(isinstance(report, list | tuple | np.ndarray | set | Thing) for report in flat[:64])
    bases = [base for base in single(some, inputs) if whole or base == "same"]
    return [f"{HEAD}:{margin};{base}" for base in bases for margin in margins]
