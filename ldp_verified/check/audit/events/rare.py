"""Test rare events of a target: exits, exceptions and unusual outputs, of all inputs at once.

A target that tells the truth in one call of a thousand, as it exits, gives each input a few such
outputs only. One by one they are too rare for a bound; together they are not. So all of them make
one event: the outcome speaks for one input, and that is the input that was given.

    rare:{"usual": [kinds], "speaks": {outcome: index}}

Outputs of a usual kind speak for nothing. Another one speaks for the input that its outcome was
seen with while learning; where it was not seen, for the only input that its text names.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.targets.keys import Raised, key, kind, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch

HEAD = "rare"

USUAL = 0.05
"""Kinds with at least this share of the outputs are usual; an exception never is."""

FEWEST = 2
"""Fewer such outputs among the learning samples are not followed."""

MOST_OUTCOMES = 4096
"""Outcomes that are written down; of more, those seen most often."""

LONGEST = 2000
"""Characters of an outcome's text that are searched for inputs."""

_WORD = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?|\w+")


def readings(batch: Batch) -> list[str]:
    """Make readings of the rare outputs among learning samples.

    Args:
        batch: samples that take no part in the test.

    Returns:
        Names of readings: one that reads texts, and one that knows the outcomes besides. The list
        is empty where rare outputs are too few.
    """
    outputs = batch.outputs
    if isinstance(outputs, np.ndarray):
        return []
    kinds = [kind(output) for output in outputs]
    counts = Counter(kinds)
    bar = USUAL * len(kinds)
    raised = {k for k, output in zip(kinds, outputs, strict=True) if isinstance(output, Raised)}
    usual = sorted(k for k, n in counts.items() if n >= bar and k not in raised)
    known = frozenset(usual)
    rows = [i for i, k in enumerate(kinds) if k not in known]
    if len(rows) < FEWEST:
        return []
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for i in rows:
        seen[key(outputs[i])][int(batch.inputs[i])] += 1
    often = sorted(seen, key=lambda outcome: (-seen[outcome].total(), outcome))[:MOST_OUTCOMES]
    speaks = {o: seen[o].most_common(1)[0][0] for o in often if seen[o].total() > 1}
    return [*dict.fromkeys((_name(usual, {}), _name(usual, speaks)))]


def _name(usual: Sequence[str], speaks: dict[str, int]) -> str:
    held = {"usual": list(usual), "speaks": speaks}
    return f"{HEAD}:{json.dumps(held, sort_keys=True)}"


def fits(rest: str) -> bool:
    """Return whether the part of a reading has what this kind of reading needs."""
    held = json.loads(rest)
    return isinstance(held, dict) and set(held) == {"usual", "speaks"}


def shown(rest: str) -> str:
    """The reading in a message."""
    known = len(_held(rest)[1])
    learnt = f", {known} of them learnt" if known else ""
    return f"exits, exceptions and other rare outputs{learnt}"


@cache
def _held(rest: str) -> tuple[frozenset[str], dict[str, int]]:
    held = json.loads(rest)
    return frozenset(held["usual"]), {str(k): int(v) for k, v in held["speaks"].items()}


def guesses(
    rest: str, positions: dict[str, int], outputs: Sequence[Any] | NDArray[Any]
) -> NDArray[np.int64]:
    """The input that each output speaks for, -1 for none.

    Args:
        rest: the reading's part.
        positions: the index of each input by its text.
        outputs: of the target.
    """
    usual, speaks = _held(rest)
    found = np.full(len(outputs), -1, dtype=np.int64)
    if isinstance(outputs, np.ndarray):
        return found
    for i, output in enumerate(outputs):
        if kind(output) not in usual:
            outcome = key(output)
            found[i] = speaks[outcome] if outcome in speaks else named(output, positions)
    return found


def named(output: Any, positions: dict[str, int]) -> int:
    """The index of the only input that an output names in its text; -1 where that is not one."""
    text = output.message if isinstance(output, Raised) else plain(output)
    text = text[:LONGEST]
    own = positions.get(text.strip())
    if own is not None:
        return own
    words = {positions[word] for word in _WORD.findall(text) if word in positions}
    return words.pop() if len(words) == 1 else -1
