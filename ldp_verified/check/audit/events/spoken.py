"""Find which of several candidate inputs each output speaks for, and which it speaks against.

The candidates of a sample are its own input and others, all of them or a set of a size fixed
beforehand that is drawn anew for each sample. Given the candidates, the input is any of them with
equal chances, which is what `bounds.strata` rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.audit.events import rare, votes
from ldp_verified.check.audit.events.readings import OF_FUNCTION, OutputReading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch

MOST, MOST_ASKED = 32, 8
"""Candidates of a sample; fewer where a function of the auditor's is called for each."""

_SORTED = 1024
"""Up to so many inputs, sets of others are drawn by sorting random numbers."""


def stratifies(reading: OutputReading) -> bool:
    """Return whether outputs speak for several inputs at once, each for itself.

    Votes are compared with each other. What speaks for one input alone is one stratum already, and
    with two inputs there is one comparison.
    """
    head = reading.name.partition(":")[0]
    return not reading.single and head not in (votes.HEAD, rare.HEAD) and len(reading.inputs) > 2


def candidates(
    own: NDArray[np.int64], reading: OutputReading, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Indices of inputs, shape (n, m), the own one first and no two of a row equal."""
    k, n = len(reading.inputs), len(own)
    slow = reading.name.partition(":")[0] in OF_FUNCTION
    m = min(k, MOST_ASKED if slow else MOST)
    if m == k:
        steps = np.broadcast_to(np.arange(1, k), (n, k - 1))
    elif k <= _SORTED:
        steps = 1 + np.argpartition(rng.random((n, k - 1)), m - 2, axis=1)[:, : m - 1]
    else:
        steps = _different(n, m - 1, k, rng)
    return np.concatenate([own[:, None], (own[:, None] + steps) % k], axis=1)


def _different(n: int, m: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """m numbers from 1 to k - 1 in each of n rows; a row with two equal ones is drawn again."""
    found = rng.integers(1, k, size=(n, m))
    while True:
        ordered = np.sort(found, axis=1)
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(again):
            return found
        found[again] = rng.integers(1, k, size=(len(again), m))


def spoken(
    reading: OutputReading, batch: Batch, chosen: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether each output speaks for its candidates, and whether against, both (n, m)."""
    if reading.name.startswith("learnt:"):
        codes, table = reading.learnt_table(batch)
        held = table[codes[:, None], chosen]
        return held, ~held
    columns = [reading.sides(batch, chosen[:, i]) for i in range(chosen.shape[1])]
    speaks, against = zip(*columns, strict=True)
    return np.stack(speaks, axis=1), np.stack(against, axis=1)
