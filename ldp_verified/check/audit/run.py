"""An audit: learn events on one part of the samples, test them on the other."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.bounds.pairs import MOST_INPUTS
from ldp_verified.check.audit.bounds.upper import Declared
from ldp_verified.check.audit.claim import FEWEST, Claim, ErrorLevels
from ldp_verified.check.audit.events.readings import check
from ldp_verified.check.audit.results.plan import plan
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.running_audit import FIRST, Course, Progress
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.seeds import checked_seed, numpy_generator

if TYPE_CHECKING:
    import numpy as np

    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.results.results import AuditPlan, AuditResult
    from ldp_verified.check.audit.targets.our_mechanisms import Own
    from ldp_verified.check.audit.targets.sources import Source

LEARNING = 0.5

SCOUTS, SCOUTED = 800, 0.1
"""Samples of the first look of a sequential audit, and its part of the level."""

__all__ = ["FIRST", "Claim", "Progress", "audit"]


def audit(
    source: Source,
    claim: Claim,
    *,
    mechanism: str | None = None,
    parameters: Mapping[str, object] | None = None,
    reading: str | None = None,
    own: Own | None = None,
    events: Sequence[Event] = (),
    outputs: Sequence[Any] | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    told: Callable[[AuditPlan], None] | None = None,
) -> AuditResult:
    """Bound the eps of a target from below, and say whether its claim stands.

    Args:
        source: the target.
        claim: what it claims, and how much work to spend.
        mechanism: what it is said to be: a spec's name. All samples then go to its own event.
        parameters: of that spec.
        reading: how to read outputs, for `mechanism`; without it, one more reading to try.
        own: the target, where it is an object of this package.
        events: test these instead of learning any, as in a replay; all samples go to the test.
        outputs: all outputs that there may be, on the auditor's word; eps is then bounded from
            above too.
        seed: of the inputs drawn and of the split.
        progress: told how far it is.
        told: told the plan before any sample is drawn.

    Raises:
        ParameterError: an argument out of range, or too few rows in a file.
    """
    if claim.mode == "anytime" and not source.live:
        raise ParameterError("mode", "must be fixed for a file: its order is not ours", claim.mode)
    if reading is not None:
        check(reading)
    inputs = source.inputs
    known = None
    if mechanism is not None:
        # Only a spec needs the symbolic side: foreign code is audited without sympy.
        from ldp_verified.check.audit.named.named import named

        known = named(mechanism, claim.epsilon, inputs, parameters, reading, own)
    seed = secrets.randbits(63) if seed is None else checked_seed(seed)
    rng = numpy_generator(seed, "audit")
    learning = 0.0 if known or events else LEARNING if claim.mode == "fixed" else 0.2
    if events and not source.live:
        learning = LEARNING  # the rows that chose the events must not test them
    first, second, risk = source.sizes(claim.n, learning)
    if known is not None or events:
        first = 0
    if second < FEWEST // 2:
        raise ParameterError("n", f"must leave {FEWEST // 2} samples to test with", second)
    level = claim.level - risk
    if level <= 0:
        raise ParameterError("level", f"must be above {risk:g} for this target", claim.level)
    pairs = not events and len(inputs) <= MOST_INPUTS
    levels = ErrorLevels.of(level, pairs=pairs, lags=source.live)
    top = levels.events if known else FIRST * levels.events
    before = plan(second, len(inputs), top, claim.epsilon, claim.delta, known)
    if told is not None:
        told(before)
    readings = () if reading is None else (reading,)
    if claim.mode == "anytime" and first > 4 * SCOUTS:
        scouted = _first_look(source, claim, level, rng, readings, before, seed)
        if scouted.verdict is AuditVerdict.VIOLATED or scouted.interrupted:
            source.close()
            return scouted
        level, first = (1 - SCOUTED) * level, first - SCOUTS
        levels = ErrorLevels.of(level, pairs=pairs, lags=source.live)
    course = Course(source, claim, levels, rng, progress, known, readings)
    if outputs is not None:
        course.declared = Declared(len(inputs), outputs)
    try:
        if events:
            course.given(events)
        else:
            course.learn(first, second)
        course.test(second)
    except KeyboardInterrupt:
        course.interrupted = True
    finally:
        source.close()
    return course.result(before, seed)


def _first_look(
    source: Source,
    claim: Claim,
    level: float,
    rng: np.random.Generator,
    readings: tuple[str, ...],
    before: AuditPlan,
    seed: int,
) -> AuditResult:
    """A small sequential audit with a part of the level: what is in clear is seen at once.

    Its samples and those of the rest are independent, and their levels add up to the audit's.
    """
    own = replace(claim, n=SCOUTS)
    pairs = len(source.inputs) <= MOST_INPUTS
    levels = ErrorLevels.of(SCOUTED * level, pairs=pairs, lags=source.live)
    course = Course(source, own, levels, rng, None, None, readings)
    try:
        course.learn(round(0.4 * SCOUTS), SCOUTS - round(0.4 * SCOUTS))
        course.test(SCOUTS - round(0.4 * SCOUTS))
    except KeyboardInterrupt:
        course.interrupted = True
    found = course.result(before, seed)
    return replace(found, level=claim.level)
