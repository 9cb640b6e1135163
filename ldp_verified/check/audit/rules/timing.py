"""Rule LDP017 tests what the time of an answer tells about the input, on request, at its own level.

A duration is compared with those of the calls before it: a machine that gets slower makes all later
calls slow, whatever their inputs. So each call gives two numbers, the logarithm of its duration by
the median of the calls before, and the duration itself. Events on them are learnt on one half of
the calls and tested on the other.

Why calls need not be independent is said in `halves`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.budget import SpentError, Want
from ldp_verified.check.audit.events.halves import FEWEST, LEVEL, Strongest, strongest
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.isolated import Here, Isolated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.audit.claim import Claim

    Ask = Callable[[NDArray[np.int64]], Any]

PAST = 32
"""Calls before one that it is compared with."""

TIMED = Want("LDP017", FEWEST, 8000)


@dataclass(frozen=True)
class Timed:
    """The strongest bound on what durations tell.

    Attributes:
        best: on eps, of durations alone, at `LEVEL`.
        slowest, fastest: of the inputs' median durations in seconds, with the inputs.
    """

    best: Strongest
    slowest: tuple[Any, float]
    fastest: tuple[Any, float]


def compared(durations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Durations beside those before them: shape (m - PAST, 2).

    Args:
        durations: in seconds, in the order of the calls, shape (m,).
    """
    views = np.lib.stride_tricks.sliding_window_view(durations, PAST)[:-1]
    own = np.maximum(durations[PAST:], 1e-9)
    return np.column_stack([np.log(own / np.maximum(np.median(views, axis=1), 1e-9)), own])


def bounded(
    inputs: NDArray[np.int64],
    durations: NDArray[np.float64],
    labels: Sequence[Any],
    delta: float,
    rng: np.random.Generator,
) -> Timed | None:
    """A lower bound on the eps of durations alone; None where there are too few.

    Args:
        inputs: indices of the inputs, uniform and independent, in the order of the calls.
        durations: in seconds. labels: the inputs.
        delta: of the claim. rng: of the split.
    """
    if len(durations) < FEWEST:
        return None
    outputs = compared(durations)
    given = inputs[PAST:]
    half = len(outputs) // 2
    first, second = Batch(given[:half], outputs[:half]), Batch(given[half:], outputs[half:])
    medians = [
        (label, float(np.median(durations[inputs == i])))
        for i, label in enumerate(labels)
        if np.any(inputs == i)
    ]
    slowest, fastest = (end(medians, key=lambda each: each[1]) for end in (max, min))
    return Timed(strongest(first, second, labels, delta, rng), slowest, fastest)


def drawn(
    asked: Isolated | Here | None, ask: Ask, labels: Sequence[Any], inputs: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Durations of so many calls in seconds; those without an answer are NaN.

    Args:
        asked: a Python target, which is timed beside it. ask: of any other.
        labels: the inputs. inputs: indices.
    """
    if asked is not None:
        try:
            told = asked.timed(labels, inputs.tolist())
        except SpentError as spent:  # what was drawn is judged
            told = spent.outputs
        return np.array([t / 1e9 if type(t) is int else np.nan for t in told])
    found = []
    for i in inputs.tolist():
        started = time.perf_counter()
        ask(np.array([i], dtype=np.int64))
        found.append(time.perf_counter() - started)
    return np.array(found)


def judged(
    inputs: NDArray[np.int64],
    durations: NDArray[np.float64],
    labels: Sequence[Any],
    claim: Claim,
    rng: np.random.Generator,
) -> tuple[list[Finding], list[str]]:
    """LDP017, or a remark on what durations tell.

    Args:
        inputs, labels, rng: as for `bounded`.
        durations: likewise, NaN for calls without an answer; fewer where the target was given up.
        claim: the claim.
    """
    kept = np.isfinite(durations)
    found = bounded(inputs[: len(kept)][kept], durations[kept], labels, claim.delta, rng)
    if found is None:
        return [], [f"durations: {FEWEST} calls are too few to be had"]
    (slow, most), (fast, least) = found.slowest, found.fastest
    best = found.best
    words = (
        f"durations alone tell eps >= {best.bound:.4g} (level {LEVEL:g}; medians from "
        f"{1000 * least:.4g} ms for {fast!r} to {1000 * most:.4g} ms for {slow!r})"
    )
    if best.bound > claim.epsilon:
        return [Finding("LDP017", f"{words}; {best.words}", best.replay)], []
    return [], [words]
