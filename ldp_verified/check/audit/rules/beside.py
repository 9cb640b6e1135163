"""Rule LDP018 tests whether a target reveals its input beside its answers, in a log line, say.

The rule runs on request, at a level of its own. What it reads depends on the target:

    Python target   what each call writes to the standard streams, with log records that reach them
    program         what it writes to stderr, and the bytes of its line
    service         the headers of its response but `date`, and the bytes of its body

The audit itself judges the answers: their type, length and status, and the text of an exception.

What stands beside an answer has slots, such as stderr or a header. The rule compares the text in a
slot as a whole, by its length, and word by word, so that a time in front of it hides nothing. The
first half of the samples says which slots and words are compared, and teaches the events; the
second half tests them.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.budget import SpentError, Want
from ldp_verified.check.audit.events.halves import FEWEST, LEVEL, strongest
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import Batch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.targets.isolated import Here, Isolated
    from ldp_verified.check.audit.targets.sources import DrawnSamples

BESIDE = Want("LDP018", FEWEST, 8000)
MOST_WORDS = 64
OFTEN = 8
"""Samples in which a word must stand to be looked for."""

_WORD = re.compile(r"[^\s,;:=()\[\]{}<>\"']+")

Side = dict[str, Any]
"""Texts and numbers by slot."""


def drawn(
    asked: Isolated | Here | None, source: DrawnSamples, inputs: NDArray[np.int64]
) -> list[Any]:
    """Ask a target for answers, and return what stood beside each.

    Args:
        asked: a Python target, which is heard where it runs.
        source: any other target.
        inputs: the indices of the inputs to ask for.

    Returns:
        A dict (slot -> text or number) for each answer, and something else where no answer came;
        fewer of them where the budget ran out.
    """
    try:
        if asked is not None:
            return asked.calls(source.inputs, inputs.tolist(), "beside")
        return [] if source.beside is None else source.beside(inputs)
    except SpentError as spent:
        return spent.outputs


def words_of(side: Mapping[str, Any]) -> set[str]:
    """The words of all texts, each with its slot."""
    texts = ((name, text) for name, text in side.items() if isinstance(text, str))
    return {f"{name}: {word}" for name, text in texts for word in _WORD.findall(text)}


def recurring(sides: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The words that come in many samples, the most frequent first; numbers of calls do not."""
    counts = Counter(word for side in sides for word in words_of(side))
    return frozenset(word for word, n in counts.most_common(MOST_WORDS) if n >= OFTEN)


def laid_out(
    side: Mapping[str, Any], names: Sequence[str], words: frozenset[str]
) -> tuple[Any, ...]:
    """One output of what stood beside an answer: slots in order, then words.

    Args:
        side: texts and numbers by slot. names: of the slots; others are left out.
        words: that are looked for.
    """
    found: list[Any] = []
    for name in names:
        value = side.get(name)
        found += [value, len(value) if isinstance(value, str) else None]
    return (*found, *sorted(words_of(side) & words))


def judged(
    inputs: NDArray[np.int64],
    sides: Sequence[Any],
    labels: Sequence[Any],
    claim: Claim,
    rng: np.random.Generator,
) -> tuple[list[Finding], list[str]]:
    """LDP018, or a remark on what stands beside the answers.

    Args:
        inputs: indices of the inputs, uniform and independent, in the order of the calls.
        sides: what stood beside each answer, of the same length or shorter.
        labels: the inputs.
        claim: the claim.
        rng: of the split.

    Returns:
        Findings, and remarks.
    """
    kept = [i for i, side in enumerate(sides) if type(side) is dict]
    if len(kept) < FEWEST:
        return [], [f"beside the answers: {FEWEST} calls are too few to be had"]
    half = len(kept) // 2
    names = sorted({name for i in kept[:half] for name in sides[i]})
    words = recurring([sides[i] for i in kept[:half]])
    outputs = [laid_out(sides[i], names, words) for i in kept]
    given = inputs[np.array(kept)]
    found = strongest(
        Batch(given[:half], outputs[:half]),
        Batch(given[half:], outputs[half:]),
        labels,
        claim.delta,
        rng,
    )
    said = f"what stands beside the answers ({', '.join(names)}) tells eps >= {found.bound:.4g}"
    said = f"{said} (level {LEVEL:g})"
    if found.bound > claim.epsilon:
        return [Finding("LDP018", f"{said}; {found.words}", found.replay)], []
    return [], [said]
