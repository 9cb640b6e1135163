"""Readings that outputs allow by their looks, for a search that is not told what the target is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.events import votes
from ldp_verified.check.audit.events.hashes import CONVENTIONS, bucket_counts, hashed_text
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.targets.keys import items, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.check.audit.targets.batch import Batch


def plausible(batch: Batch, inputs: Sequence[Any]) -> list[str]:
    """Readings that the outputs of a sample allow, as one report and as several."""
    sample = batch.take(np.arange(min(len(batch), 2000)))
    if not len(sample):
        return []
    return _single(sample, inputs) + votes.plausible(sample, inputs, _single)


def _single(sample: Batch, inputs: Sequence[Any]) -> list[str]:
    labels = tuple(inputs)
    found = []
    if np.mean(OutputReading("same", labels).guesses(sample) >= 0) > 0.01:
        found.append("same")
    pairs = [*zip(sample.outputs, sample.parts, strict=True)]
    widths = {len(parts) for parts in sample.parts if parts is not None}
    slots = [*range(min([*widths, 8])), -1] if widths else []
    found += [
        f"same:{at}"
        for at in slots
        if np.mean(OutputReading(f"same:{at}", labels).guesses(sample) >= 0) > 0.01
    ]
    flat = all(parts is None or len(parts) == len(items(o) or ()) for o, parts in pairs)
    if widths and min(widths) >= len(labels) and len(widths) == 1 and flat:
        found.append("bits")
    collections = [o for o in sample.outputs if isinstance(o, set | frozenset | list | tuple)]
    if collections:
        known = {plain(label) for label in labels}
        if any(known & held for held in sample.held):
            found.append("set")
    if not (counts := bucket_counts(sample.outputs)):
        return found
    # The texts that clients hash: of the value, of its place, or counted from another end.
    texts: dict[tuple[str, ...], str] = {}
    for convention in ("", *CONVENTIONS):
        hashed = tuple(hashed_text(label, i, convention) for i, label in enumerate(labels))
        texts.setdefault(hashed, f",{convention}" if convention else "")
    return found + [f"xxh32:{g}{part}" for g in counts for part in texts.values()]
