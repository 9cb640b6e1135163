"""LDP017: what the time of an answer tells about the input, opt-in, at a level of its own.

A duration is compared with those of the calls before it: a machine that gets slower makes all later
calls slow, whatever their inputs. So each call gives two numbers, the logarithm of its duration by
the median of the calls before, and the duration itself. Events on them are learnt on one half of
the calls and tested on the other.

The bounds of `bounds` need no independent calls here. Inputs are drawn uniformly and independently
of everything before, and an event may depend on the past. If the duration keeps the claim given any
past, then P(plus) <= e^eps P(minus)/odds holds given the past, at every call; so the number of plus
among those on a side is at most binomial, as if calls were independent.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.audit.batch import Batch
from ldp_verified.audit.bounds import METHODS, Tally, lower_bound
from ldp_verified.audit.budget import Want
from ldp_verified.audit.isolated import Here, Isolated
from ldp_verified.audit.learn import Goal, learn
from ldp_verified.audit.rules import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ldp_verified.audit.claim import Claim

    Ask = Callable[[NDArray[np.int64]], Any]

LEVEL = 1e-6
PAST = 32
"""Calls before one that it is compared with."""

FEWEST = 400
TIMED = Want("LDP017", FEWEST, 8000)


@dataclass(frozen=True)
class Timed:
    """The strongest bound on what durations tell.

    Attributes:
        bound: on eps, of durations alone, at `LEVEL`.
        words: the event.
        tally: its counts.
        slowest, fastest: of the inputs' median durations in seconds, with the inputs.
    """

    bound: float
    words: str
    tally: Tally
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
    goal = Goal(half, LEVEL / 5, delta)
    found = learn(Batch(given[:half], outputs[:half]), labels, goal, rng)
    test = Batch(given[half:], outputs[half:])
    method = METHODS[1] if delta else METHODS[0]
    medians = [
        (label, float(np.median(durations[inputs == i])))
        for i, label in enumerate(labels)
        if np.any(inputs == i)
    ]
    slowest, fastest = (end(medians, key=lambda each: each[1]) for end in (max, min))
    best = Timed(0.0, "no event", Tally(0, 0, len(test)), slowest, fastest)
    for candidate in found.candidates:
        event = candidate.event
        tally = event.count(test, rng)
        level = LEVEL / len(found.candidates)
        bound = lower_bound(tally, event.stake, level, delta, method)
        if bound > best.bound:
            best = Timed(bound, event.describe(tuple(labels)), tally, slowest, fastest)
    return best


def drawn(
    asked: Isolated | Here | None, ask: Ask, labels: Sequence[Any], inputs: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Durations of so many calls in seconds; those without an answer are NaN.

    Args:
        asked: a Python target, which is timed beside it. ask: of any other.
        labels: the inputs. inputs: indices.
    """
    if asked is not None:
        told = asked.timed(labels, inputs.tolist())
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
        inputs, durations, labels, rng: as for `bounded`; NaN for calls without an answer.
        claim: the claim.
    """
    kept = np.isfinite(durations)
    found = bounded(inputs[kept], durations[kept], labels, claim.delta, rng)
    if found is None:
        return [], [f"durations: {FEWEST} calls are too few to be had"]
    (slow, most), (fast, least) = found.slowest, found.fastest
    words = (
        f"durations alone tell eps >= {found.bound:.4g} (level {LEVEL:g}; medians from "
        f"{1000 * least:.4g} ms for {fast!r} to {1000 * most:.4g} ms for {slow!r})"
    )
    if found.bound > claim.epsilon:
        replay = {"bound": found.bound, "plus": found.tally.plus, "minus": found.tally.minus}
        return [Finding("LDP017", f"{words}; {found.words}", replay)], []
    return [], [words]
