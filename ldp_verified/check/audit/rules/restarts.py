"""LDP013 across a restart: state that a target keeps on disk and tells with its first report."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.bounds.bounds import METHODS, lower_bound
from ldp_verified.check.audit.budget import Budget, Want
from ldp_verified.check.audit.events.events import PooledEvent
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.sources import DrawnSamples
from ldp_verified.run.kernels.seeds import numpy_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.check.audit.run import Claim
    from ldp_verified.check.audit.targets.isolated import Isolated
    from ldp_verified.check.audit.targets.targets import Target

LEVEL = 1e-6
RESTARTS, SECONDS, PROGRAM_SECONDS = 60, 5.0, 20.0
"""Processes that are started one after the other, and for how long at most."""

RESTARTED = Want("LDP013", 2 * (RESTARTS + 1), 2 * (RESTARTS + 1))

SLOTS = ("", ":0", ":1", ":-1")


def after_a_restart(
    asked: Isolated, inputs: Sequence[Any], claim: Claim, seed: int
) -> list[Finding]:
    """LDP013: the first report of a new process tells the last input of the one before, in clear.

    Args:
        asked: a Python target in a process of its own.
        inputs, claim, seed: of the audit.
    """

    def anew(indices: list[int]) -> Sequence[Any]:
        asked.fresh()
        return asked.calls(inputs, indices)

    return _restarted(anew, inputs, claim, seed, SECONDS)


def program_after_a_restart(
    target: Target, inputs: Sequence[Any], claim: Claim, seed: int, budget: Budget | None
) -> list[Finding]:
    """The same of a program.

    Args:
        target: the program.
        inputs, claim, seed: of the audit.
        budget: of its calls.
    """
    if not isinstance(source := target.open(budget=budget), DrawnSamples):
        return []

    def anew(indices: list[int]) -> Sequence[Any]:
        outputs = source.ask(np.array(indices, dtype=np.int64))
        source.close()  # it ends as its input does; the next question starts another
        return list(outputs)

    return _restarted(anew, inputs, claim, seed, PROGRAM_SECONDS)


def _restarted(
    anew: Callable[[list[int]], Sequence[Any]],
    inputs: Sequence[Any],
    claim: Claim,
    seed: int,
    seconds: float,
) -> list[Finding]:
    """Each process is asked twice: its first report is compared with the other's last input.

    So no sample is used twice.
    """
    rng = numpy_generator(seed, "restarts")
    until = time.monotonic() + seconds
    before: list[int] = []
    first: list[Any] = []
    last = -1
    while len(first) < RESTARTS and time.monotonic() < until:
        own, kept = rng.integers(0, len(inputs), size=2).tolist()
        outputs = anew([own, kept])
        if last >= 0:
            before.append(last)
            first.append(outputs[0])
        last = kept
    batch = Batch(np.array(before, dtype=np.int64), first)
    method = METHODS[1] if claim.delta else METHODS[0]
    for slot in SLOTS:
        event = PooledEvent(OutputReading(f"same{slot}", tuple(inputs)))
        tally = event.count(batch, rng)
        bound = lower_bound(tally, event.stake, LEVEL / len(SLOTS), claim.delta, method)
        if bound > claim.epsilon:
            words = (
                "the first report of a new process is the last input of the one before "
                f"({tally.plus} against {tally.minus} of {tally.n}): eps >= {bound:.4g} about it"
            )
            return [Finding("LDP013", words, {"plus": tally.plus, "n": tally.n})]
    return []
