"""`assert_ldp`: an audit as an assertion, for other people's tests.

It fails when the lower bound on eps is above the claim, or a witness tells inputs apart every time.
A true claim fails with probability at most `false_alarm`, 1e-9 unless said otherwise: a suite that
runs it a million times has a flake with probability below one in a thousand. What it would have
seen is in the result that it returns; where that is less than `sees`, it warns.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.rules.rules import APART
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.called import IN_PROCESS
from ldp_verified.check.audit.targets.failing import FAILING
from ldp_verified.check.audit.targets.isolated import asked_here, ended, from_copy
from ldp_verified.check.audit.targets.opaque import UNREADABLE
from ldp_verified.check.audit.targets.sources import check_inputs, from_asked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NOT_RUN = (
    "LDP005 to LDP012 and LDP014 to LDP020 do not run here: `ldp-verified audit MODULE:NAME` runs "
    "them"
)
FALSE_ALARM = 1e-9
SAMPLES = 20_000


class AuditWarning(UserWarning):
    """An audit that would not have seen the violation that it was asked to see."""


def assert_ldp(
    randomizer: Callable[[Any], Any],
    *,
    epsilon: float,
    inputs: Sequence[Any],
    delta: float = 0.0,
    n: int = SAMPLES,
    false_alarm: float = FALSE_ALARM,
    sees: float | None = None,
    mechanism: str | None = None,
    reading: str | None = None,
    bulk: bool = False,
    seed: int | None = None,
    in_process: bool = False,
) -> AuditResult:
    """Fail if a randomizer is shown to break (epsilon, delta)-LDP.

    Args:
        randomizer: one private value in, one report out; called n times.
        epsilon, delta: the claim.
        inputs: private values to audit, at least two.
        n: reports to draw.
        false_alarm: probability of failing where the claim is true, at most.
        sees: the violation that should have been visible; None for twice epsilon (1 at least).
        mechanism, reading: what it is said to be, and how to read it; see `run.audit`.
        bulk: it takes many values at once.
        seed: of the inputs drawn; the randomizer has randomness of its own.
        in_process: call it in this process, where it can end, mute or fake the test; else a copy
            of the process calls it, and what it changes there is not seen here.

    Raises:
        AssertionError: the claim is violated; its text names the event, the counts and the seed. Or
            the randomizer ended its process, or most of what it gave are exceptions or cannot be
            read, so that it could not be audited.
        ParameterError: an argument out of range.
    """
    wanted = max(2 * epsilon, epsilon + 1) if sees is None else sees
    claim = Claim(epsilon, delta, false_alarm, n, tolerance=wanted)
    labels = check_inputs(inputs)
    in_process = in_process or not hasattr(os, "fork")
    asked = (
        asked_here(randomizer, bulk=bulk)
        if in_process
        else from_copy(randomizer, labels, bulk=bulk)
    )
    name = str(getattr(randomizer, "__qualname__", repr(randomizer)))
    source = from_asked(asked, labels, name, bulk=bulk)
    result = audit(source, claim, mechanism=mechanism, reading=reading, seed=seed)
    result = replace(
        result,
        notes=(*result.notes, *([IN_PROCESS] if in_process else []), NOT_RUN),
        skipped={**result.skipped, **dict.fromkeys(APART, "does not run in assert_ldp")},
    )
    if result.verdict is AuditVerdict.VIOLATED:
        raise AssertionError(failure(result))
    if asked.ends:
        raise AssertionError(f"{name}: not audited: {ended(asked.ends)}")
    if result.verdict is AuditVerdict.INCONCLUSIVE:
        seen = "no violation" if result.resolution is None else f"eps >= {result.resolution:.3g}"
        text = f"{result.target}: would have seen {seen}, not eps = {wanted:.3g}: more samples?"
        unheard = _unheard(result)
        if unheard:
            raise AssertionError(f"{result.target}: not audited: {unheard}")
        if not result.telling:
            text = f"{result.target}: no event tells enough about the inputs; name the mechanism"
        warnings.warn(text, AuditWarning, stacklevel=2)
    return result


def _unheard(result: AuditResult) -> str:
    """Return why what the randomizer reports was hardly seen; empty where it was."""
    failed = sum(sum(each.counts) for each in result.outcomes)
    if failed > FAILING * sum(result.samples):
        return f"most outputs are exceptions or missing answers: {result.outcomes[0].words}"
    return UNREADABLE.format(", ".join(result.unread)) if result.unread else ""


def failure(result: AuditResult) -> str:
    """Return the message of a failed assertion."""
    lines = [f"{result.target}: eps >= {result.bound:.4g}, claimed eps = {result.epsilon:g}"]
    if result.low_order:
        lines[0] = f"{result.target}: the last digits of the number tell the input" + (
            lines[0].removeprefix(result.target).replace(":", ",", 1)
        )
    if result.delta:
        lines[0] += f", delta = {result.delta:g}"
    lines += [f"infinite: {witness.words}" for witness in result.witnesses]
    lines += [
        f"{t.words}: {t.tally.plus} against {t.tally.minus} of {t.tally.n}, eps >= {t.bound:.4g}"
        for t in result.tested
        if t.bound > result.epsilon
    ]
    lines.append(
        f"a true claim fails with probability <= {result.level:g}; seed of the inputs {result.seed}"
    )
    return "\n".join(lines)
