"""A whole audit of a target: bounds, then the named checks that its kind allows."""

from __future__ import annotations

import secrets
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.budget import Budget, SpentError, Want, shares
from ldp_verified.check.audit.events.rounding import rounding
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.rules import beside
from ldp_verified.check.audit.rules.checks import NAMED, CheckedRule, checked, wants
from ldp_verified.check.audit.rules.claimed import USERS as CLAIMED
from ldp_verified.check.audit.rules.estimators import POPULATIONS
from ldp_verified.check.audit.rules.estimators import USERS as ESTIMATED
from ldp_verified.check.audit.rules.gaussian import fitted, judged
from ldp_verified.check.audit.rules.interrupted import InterruptedChecks
from ldp_verified.check.audit.rules.intervals import INTERVALS, check_interval
from ldp_verified.check.audit.rules.intervals import USERS as POPULATION
from ldp_verified.check.audit.rules.left_out import not_asked, why_left_out
from ldp_verified.check.audit.rules.rules import APART, OF_SERVERS, Finding, heard
from ldp_verified.check.audit.rules.timing import TIMED, drawn
from ldp_verified.check.audit.rules.timing import judged as judged_times
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.called import IN_PROCESS, place
from ldp_verified.check.audit.targets.channel import EndedError
from ldp_verified.check.audit.targets.failing import FirstCalls
from ldp_verified.check.audit.targets.isolated import ended
from ldp_verified.check.audit.targets.keys import items, key
from ldp_verified.check.audit.targets.sources import DrawnSamples
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.seeds import checked_seed, numpy_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ldp_verified.check.audit.events.events import Event
    from ldp_verified.check.audit.results.results import AuditPlan
    from ldp_verified.check.audit.run import Progress
    from ldp_verified.check.audit.targets.batch import Outputs
    from ldp_verified.check.audit.targets.isolated import Asked
    from ldp_verified.check.audit.targets.targets import Target

    Ask = Callable[[NDArray[np.int64]], Outputs]


def audit_target(
    target: Target,
    claim: Claim,
    *,
    mechanism: str | None = None,
    parameters: Mapping[str, object] | None = None,
    reading: str | None = None,
    events: Sequence[Event] = (),
    outputs: Sequence[Any] | None = None,
    seed: int | None = None,
    checks: bool = True,
    estimator: str | None = None,
    variance: str | None = None,
    interval: str | None = None,
    confidence: float = 0.95,
    calls: int | None = None,
    seconds: float | None = None,
    progress: Progress | None = None,
    told: Callable[[AuditPlan], None] | None = None,
) -> AuditResult:
    """Open a target, bound its eps, run the checks.

    Without `calls` and `seconds` the bounds get `claim.n` outputs, and the checks no more calls
    than that takes. With them, both share what there is, the bounds two thirds at least.

    Args:
        target: what to open.
        claim, mechanism, parameters, reading, events, outputs: as in `run.audit`.
        seed, progress, told: likewise.
        checks: also run the checks LDP005 to LDP008 and LDP012.
        estimator: `package.module:expression` of a server (reports -> estimated counts), compared
            with what `mechanism` says (LDP010).
        variance: `package.module:expression` of the variance that the server claims, a number or a
            function of the number of reports (LDP015).
        interval: `package.module:expression` of a server (reports -> intervals of counts) whose
            intervals should hold the truth with probability `confidence` (LDP019).
        confidence: see there.
        calls: calls of the target in all, at most.
        seconds: for all of it; sampling ends in time, what was drawn is judged all the same.

    Raises:
        ParameterError: an argument out of range, or a budget that no audit can keep.
    """
    if target.kind == "file" and (calls is not None or seconds is not None):
        option, given = ("--calls", calls) if calls is not None else ("--seconds", seconds)
        raise ParameterError(option, "must be left out: a file is not asked", given)
    budget = Budget(calls, seconds, target.repeat)
    if estimator is not None and (mechanism is None or target.kind != "callable"):
        raise ParameterError("--estimator", "must come with --as and a Python callable", estimator)
    if variance is not None and (mechanism is None or target.kind != "callable"):
        raise ParameterError("--variance", "must come with --as and a Python callable", variance)
    if interval is not None:
        check_interval(target, interval, confidence)
    server = any(each is not None for each in (estimator, variance, interval))
    own = target.own()
    python = target.kind == "callable" and (own is None or checks or server or target.beside)
    asked = target.asked(budget) if python else None
    found, more, assumed = CheckedRule(), list[str](), list[Finding]()
    stop = InterruptedChecks()
    with stop, closing(asked) if asked is not None else nullcontext():
        source = target.open(asked, budget)
        asks: list[Want] = []
        if checks:
            asks = wants(target, len(source.inputs), running=asked is not None)
        if target.timing:
            asks.insert(0, TIMED)
        if target.beside:
            asks.insert(0, beside.BESIDE)
        if target.repeat > 1:
            asks.append(Want(PERMANENT, USERS // 10 * target.repeat, USERS * target.repeat))
        if estimator is not None:
            asks.insert(0, Want("LDP010", POPULATIONS * ESTIMATED, POPULATIONS * ESTIMATED))
        if interval is not None:
            asks.insert(0, INTERVALS)
        if isinstance(source, DrawnSamples):
            if asked is not None:
                source.on_close = _nothing  # the checks go on with the same process
                sessions = target.questions is not None
                source.ask = FirstCalls(source.ask, len(source.inputs), sessions=sessions)
            if own is not None:
                source.ask = partial(_counted, budget, source.ask)
            if target.decimals is not None:
                source.ask = rounding(source.ask, target.decimals)
            source.left = lambda: budget.left
            budget.measured(partial(_probe, source), _read)
        split = shares(budget, claim.n, asks)
        if estimator is not None and "LDP010" in split.short:
            raise ParameterError("--estimator", split.short["LDP010"], estimator)
        if interval is not None and "LDP019" in split.short:
            raise ParameterError("--interval", split.short["LDP019"], interval)
        said = "" if target.kind == "file" else split.words(target.repeat) + budget.words
        if told is not None:
            told = _also(told, said, split.short)
        claim = replace(claim, n=split.samples)
        fit = None
        if mechanism == "gaussian" and own is None and "sigma" not in (parameters or {}):
            if claim.mode == "anytime" or not source.live:
                raise ParameterError("--as gaussian", "must come with --set sigma=... for this")
            seed = secrets.randbits(63) if seed is None else checked_seed(seed)
            fit = fitted(source, claim.n // 2, numpy_generator(seed, "fit"))
            claim, mechanism = replace(claim, n=claim.n - claim.n // 2), None
            events = (fit.event(claim.epsilon),)
        result = audit(
            source,
            claim,
            mechanism=mechanism,
            parameters=parameters,
            reading=reading,
            own=own,
            events=events,
            outputs=outputs,
            seed=seed,
            progress=progress,
            told=told,
        )
        stop.kept = True
        if isinstance(source, DrawnSamples) and not result.interrupted:
            assumed, more = _channels(target, asked, source, result, claim, split.checks)
        if fit is not None:
            findings, notes = judged(fit, claim, result.inputs, sum(result.samples))
            assumed, more = assumed + findings, more + notes
        stuck = asked is not None and asked.stuck
        serves = not (result.interrupted or stuck)
        left_out = why_left_out(result, claim, checks=checks, stuck=stuck)
        if left_out:
            asked_for = () if serves else OF_SERVERS
            found.skipped = dict.fromkeys((*NAMED, "LDP014", *asked_for), left_out)
        else:
            shared = result.inputs, claim, result.seed, split.checks, budget
            checked(target, asked, *shared, found)
            more += [f"{PERMANENT} {why}" for rule, why in split.short.items() if rule == PERMANENT]
            short = {rule: why for rule, why in split.short.items() if rule != PERMANENT}
            found.skipped = {**short, **found.skipped}
        if asked is not None and serves:
            if mechanism is not None and (estimator is not None or variance is not None):
                # Only a spec needs the symbolic side: foreign code is audited without sympy.
                from ldp_verified.check.audit.named.named import SETS, named, support_chances

                table = support_chances(
                    mechanism, claim.epsilon, len(result.inputs), parameters, own
                )
                if variance is not None:
                    found.findings += _of_variance(asked, variance, table)
                if estimator is not None:
                    read = named(
                        mechanism, claim.epsilon, result.inputs, parameters, reading, own
                    ).reading
                    plain = None if read == SETS else read
                    found.findings += _of_server(asked, estimator, result.inputs, table, plain)
            if interval is not None:
                populations = split.checks["LDP019"] // POPULATION
                job = partial(_of_intervals, asked, interval, result.inputs, confidence)
                found.findings += job(populations)
            if not left_out or not checks:
                users = split.checks.get(PERMANENT, 0) // target.repeat
                more += _kept(asked, target, result, users)
        if target.decimals is not None:
            more.append(ROUNDED.format(target.decimals))
        result = replace(
            result,
            findings=(*result.findings, *assumed, *found.findings),
            notes=(*result.notes, *more),
            skipped={
                **{rule: why for rule, why in result.skipped.items() if rule not in APART},
                **found.skipped,
                **not_asked(target, (estimator, variance, interval), fitted=fit is not None),
            },
        )
        result = replace(
            result,
            findings=(*result.findings, *_by_use(target, result)),
            plan=replace(result.plan, budget=said, left_out=split.short),
            calls=budget.made,
            place=None if own is None else _placed(place(target.reference, own)),
        )
        stop.judged = True
    if stop.came:
        left = not_asked(target, (estimator, variance, interval), fitted=fit is not None)
        skipped = {**found.skipped, **left}
        result = stop.marked(result, (*assumed, *found.findings), skipped, budget.made)
    return (
        result
        if asked is None
        else replace(
            result,
            notes=(*result.notes, *_beside(target, asked)),
            place=_placed((asked.file, asked.line)) or result.place,
        )
    )


ROUNDED = (
    "numbers were rounded to {} decimals before they were judged: the verdict is about the rounded "
    "report, not about what the target sends"
)


def _channels(
    target: Target,
    asked: Asked | None,
    source: DrawnSamples,
    result: AuditResult,
    claim: Claim,
    calls: Mapping[str, int],
) -> tuple[list[Finding], list[str]]:
    """LDP017 and LDP018, where they are asked for: findings and remarks."""
    found: tuple[list[Finding], list[str]] = ([], [])
    given, labels = list[tuple[list[Finding], list[str]]](), result.inputs
    if target.timing:
        rng = numpy_generator(result.seed, "timing")
        indices = rng.integers(0, len(labels), size=calls.get("LDP017", 0))
        durations = drawn(asked, source.ask, labels, indices)
        given.append(judged_times(indices, durations, labels, claim, rng))
    if target.beside:
        rng = numpy_generator(result.seed, "beside")
        indices = rng.integers(0, len(labels), size=calls.get("LDP018", 0))
        sides = beside.drawn(asked, source, indices)
        given.append(beside.judged(indices, sides, labels, claim, rng))
    for findings, remarks in given:
        found[0].extend(findings)
        found[1].extend(remarks)
    if given:
        source.close()
    return found


def _placed(found: tuple[str, int]) -> tuple[str, int] | None:
    """The file and line of a target; None where nobody can say."""
    return found if found[0] else None


def _nothing() -> None:
    """Do nothing: the source is closed later."""


def _counted(budget: Budget, ask: Ask, indices: NDArray[np.int64]) -> Outputs:
    """Ask an object of this package, as far as the budget goes."""
    budget.take_all(len(indices))
    return ask(indices)


def _probe(source: DrawnSamples, outputs: int) -> Outputs:
    """Ask for a few outputs, to see how long one takes."""
    return source.ask(np.arange(outputs, dtype=np.int64) % len(source.inputs))


def _read(outputs: Outputs) -> None:
    """Read outputs as learning does, to see how long one takes."""
    batch = Batch(np.zeros(len(outputs), np.int64), outputs)
    if batch.matrix is None:
        _ = batch.leaves, batch.keys, batch.held


def _also(
    told: Callable[[AuditPlan], None], budget: str, left_out: Mapping[str, str]
) -> Callable[[AuditPlan], None]:
    """Tell the plan with the budget in it."""
    return lambda plan: told(replace(plan, budget=budget, left_out=left_out))


def _of_server(
    asked: Asked,
    estimator: str,
    inputs: Sequence[Any],
    table: tuple[float, float],
    read: str | None,
) -> list[Finding]:
    """LDP010, checked where the client runs."""
    module = "ldp_verified.check.audit.rules.estimators"
    try:
        job = partial(asked.job, module, "beside", estimator, list(inputs), table, read)
        return heard(job(calls=POPULATIONS * ESTIMATED))
    except (EndedError, TypeError, ValueError) as error:
        rule = f"must give its estimates ({error})"
        raise ParameterError("--estimator", rule, estimator) from None


def _of_variance(asked: Asked, variance: str, table: tuple[float, float]) -> list[Finding]:
    """LDP015, evaluated where the target runs."""
    try:
        return heard(
            asked.job("ldp_verified.check.audit.rules.claimed", "beside", variance, table, CLAIMED)
        )
    except (EndedError, TypeError, ValueError) as error:
        rule = f"must give a number ({error})"
        raise ParameterError("--variance", rule, variance) from None


def _of_intervals(
    asked: Asked, interval: str, inputs: Sequence[Any], confidence: float, populations: int
) -> list[Finding]:
    """LDP019, where the client runs."""
    job = partial(asked.job, "ldp_verified.check.audit.rules.intervals", "beside", interval)
    try:
        calls = populations * POPULATION
        return heard(job(list(inputs), confidence, populations, calls=calls))
    except (EndedError, TypeError, ValueError) as error:
        rule = f"must give intervals ({error})"
        raise ParameterError("--interval", rule, interval) from None


def _beside(target: Target, asked: Asked) -> list[str]:
    """Return remarks on what the target did besides answering."""
    found = []
    if target.in_process:
        found.append(IN_PROCESS)
    found += filter(None, [ended(asked.ends)])
    if asked.printed:
        first = ascii(asked.said.decode("utf-8", "replace").strip().partition("\n")[0][:60])
        found.append(
            f"the target wrote {asked.printed:,} bytes to its standard streams, which are no part "
            f"of this report: {first} and so on"
        )
    return found


USERS, PERMANENT = 500, "the permanent answer"
"""Users who are asked again, where the budget allows it, and what that looks at."""


def _kept(asked: Asked, target: Target, result: AuditResult, users: int) -> list[str]:
    """Return whether users who report one value again give the same report again."""
    if not users:
        return []
    try:
        outputs = asked.each([result.inputs[0]] * users)
    except SpentError as error:
        return [f"{PERMANENT} was not looked at: {error}"]
    again = sum(len(set(map(key, items(output) or [output]))) == 1 for output in outputs)
    kept = "kept" if again == users else "not kept" if again < users // 2 else "not always kept"
    words = f"gave the same report {target.repeat} times for {result.inputs[0]!r}"
    return [f"{again} of {users} users {words}: {PERMANENT} is {kept}"]


def _by_use(target: Target, result: AuditResult) -> list[Finding]:
    """A violation under repeated use, or of a column's function, has a rule of its own."""
    if result.verdict is not AuditVerdict.VIOLATED:
        return []
    replay = {"bound": result.bound}
    if target.repeat > 1:
        words = f"{target.repeat} reports of one input together break the claim"
        return [Finding("LDP009", words, replay)]
    if target.rows:
        return [Finding("LDP011", "columns of one row are told apart by the output", replay)]
    return []
