"""Rule LDP013 tests whether a target reveals an input after a restart, because it kept it on disk.

The rule starts many processes, one after the other. It compares the first reports of each with the
last input of the process before, in two ways: the report may be the input itself, or stand for it
in another writing, such as a hash. The rule learns the other writing from half of the processes,
and tests it on the other half.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.bounds.bounds import METHODS, Tally, lower_bound
from ldp_verified.check.audit.budget import Budget, Want
from ldp_verified.check.audit.events.events import PooledEvent
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.keys import items, key
from ldp_verified.check.audit.targets.sources import DrawnSamples
from ldp_verified.run.kernels.seeds import numpy_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ldp_verified.check.audit.run import Claim
    from ldp_verified.check.audit.targets.isolated import Isolated
    from ldp_verified.check.audit.targets.targets import Target

LEVEL = 1e-6
RESTARTS, SECONDS, PROGRAM_SECONDS = 80, 5.0, 20.0
"""Processes that are started one after the other, and for how long at most."""

FIRST = 3
"""Reports of each process that are looked at."""

RESTARTED = Want("LDP013", (FIRST + 1) * (RESTARTS + 1), (FIRST + 1) * (RESTARTS + 1))

SLOTS = ("", ":0", ":1", ":-1")
TESTS = 2 * FIRST * len(SLOTS)


def after_a_restart(
    asked: Isolated, inputs: Sequence[Any], claim: Claim, seed: int
) -> list[Finding]:
    """LDP013: the first reports of a new process tell the last input of the one before.

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
    """LDP013 of a program: reports after a restart tell the last input before it.

    Args:
        target: the program.
        inputs, claim, seed: those of the audit.
        budget: the calls that it may take.
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
    """Each process is asked for some reports, and for one more whose input the next may tell.

    So no sample is used twice.
    """
    rng = numpy_generator(seed, "restarts")
    until = time.monotonic() + seconds
    before: list[int] = []
    first: list[Sequence[Any]] = []
    last = -1
    while len(first) < RESTARTS and time.monotonic() < until:
        asked = rng.integers(0, len(inputs), size=FIRST + 1).tolist()
        outputs = anew(asked)
        if last >= 0:
            before.append(last)
            first.append(outputs[:FIRST])
        last = asked[-1]
    half = len(first) // 2
    events = {slot: PooledEvent(OutputReading(f"same{slot}", tuple(inputs))) for slot in SLOTS}
    for place in range(FIRST):
        outputs = [several[place] for several in first]
        for slot, event in events.items():
            spelled = _relabelled(outputs, before, half, inputs, slot)
            for writing, tested, told, truth in (
                ("", event, outputs, before),
                (", in another writing", events[""], spelled, before[half:]),
            ):
                words = f"report {place + 1} of a new process is the last input of the one before"
                found = _tested(tested, Batch(np.array(truth, dtype=np.int64), told), claim, rng)
                if found is not None:
                    tally, bound = found
                    counts = f"({tally.plus} against {tally.minus} of {tally.n})"
                    words = f"{words}{writing} {counts}: eps >= {bound:.4g} about it"
                    return [Finding("LDP013", words, {"plus": tally.plus, "n": tally.n})]
    return []


def _tested(
    event: PooledEvent, batch: Batch, claim: Claim, rng: np.random.Generator
) -> tuple[Tally, float] | None:
    """Return the counts and the bound where it is above the claim."""
    method = METHODS[1] if claim.delta else METHODS[0]
    tally = event.count(batch, rng)
    bound = lower_bound(tally, event.stake, LEVEL / TESTS, claim.delta, method)
    return (tally, bound) if bound > claim.epsilon else None


def _relabelled(
    outputs: Sequence[Any], before: Sequence[int], half: int, inputs: Sequence[Any], slot: str
) -> list[Any]:
    """Read the second half of the outputs by what each came with most often in the first half.

    Args:
        outputs: of one place. before: indices of the inputs that they may tell.
        half: how many teach. inputs: the values. slot: the item that is looked at.

    Returns:
        An input for each output of the second half; None where it never came in the first.
    """
    seen: dict[str, Counter[int]] = {}
    spelled = [_part(output, slot) for output in outputs]
    for text, index in zip(spelled[:half], before[:half], strict=True):
        seen.setdefault(text, Counter())[index] += 1
    means = {text: inputs[counts.most_common(1)[0][0]] for text, counts in seen.items()}
    return [means.get(text) for text in spelled[half:]]


def _part(output: Any, slot: str) -> str:
    """Spell the item of an output; all of it without a slot."""
    if not slot:
        return key(output)
    parts, at = items(output), int(slot[1:])
    return key(parts[at]) if parts and -len(parts) <= at < len(parts) else ""
