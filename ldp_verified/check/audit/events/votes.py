"""Read several reports of one value as one: each input gets a vote from every report for it.

    votes:D;READING     the output is a sequence of reports, each read as READING says; it speaks
                        for v against w where v has at least D votes more than w

One by one the items of repeated vectors tell little, and there are many; counts over the reports
hold all that independent reports of one vector mechanism tell about two inputs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.targets.keys import Thing, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch

    Supports = Callable[[str, Batch, NDArray[np.int64]], NDArray[np.bool_]]
    """Whether each output speaks, under a reading, for the input at an index."""

HEAD = "votes"
MOST = 256
"""Reports in one output; longer ones are looked at as they are."""

_COMPOSED = (list, tuple, np.ndarray, set, frozenset, Thing)


def parted(rest: str) -> tuple[int, str]:
    """The margin and the reading of one report.

    Raises:
        ValueError: the part is none.
    """
    margin, _, reading = rest.partition(";")
    if int(margin) < 1 or not reading or reading.partition(":")[0] == HEAD:
        raise ValueError(rest)
    return int(margin), reading


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
    found = batch.reports
    if found is None:
        return np.zeros(len(batch), dtype=np.int64)
    several, own = found
    votes = supports(reading, several, chosen[own])
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
    found = sample.reports
    if found is None:
        return []
    several, own = found
    sizes = np.bincount(own, minlength=len(sample))
    usual = int(np.median(sizes))
    if not 2 <= usual <= MOST or np.mean(sizes == usual) < 0.5:
        return []
    some = several.take(np.arange(min(len(several), 2000)))
    margins = sorted({1, -(-usual // 4), -(-usual // 2), usual})
    if all(isinstance(each, _COMPOSED) for each in some.outputs[:64]):
        bases = single(some, inputs)
    else:
        # Bits are no reports of values, though 0 and 1 may be two of many inputs.
        named = {plain(label) for label in inputs} & {*map(plain, some.outputs)}
        bases = ["same"] if 2 * len(named) >= len(inputs) else []
    return [f"{HEAD}:{margin};{base}" for base in bases for margin in margins]
