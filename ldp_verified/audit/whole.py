"""A whole audit of a target: bounds, then the named checks that its kind allows."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.audit.channel import EndedError
from ldp_verified.audit.checks import NAMED, Checked, checked
from ldp_verified.audit.isolated import IN_PROCESS, ended
from ldp_verified.audit.keys import items, key
from ldp_verified.audit.named import SETS, named, support_chances
from ldp_verified.audit.results import AuditResult, Verdict
from ldp_verified.audit.rules import APART, Finding, heard
from ldp_verified.audit.run import Claim, audit
from ldp_verified.audit.sources import Drawn
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ldp_verified.audit.events import Event
    from ldp_verified.audit.isolated import Asked
    from ldp_verified.audit.results import Plan
    from ldp_verified.audit.run import Progress
    from ldp_verified.audit.targets import Target


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
    progress: Progress | None = None,
    told: Callable[[Plan], None] | None = None,
) -> AuditResult:
    """Open a target, bound its eps, run the checks.

    Args:
        target: what to open.
        claim, mechanism, parameters, reading, events, outputs: as in `run.audit`.
        seed, progress, told: likewise.
        checks: also run the checks LDP005 to LDP008 and LDP012.
        estimator: `package.module:expression` of a server (reports -> estimated counts), compared
            with what `mechanism` says (LDP010).
    """
    if estimator is not None and (mechanism is None or target.kind != "callable"):
        raise ParameterError("--estimator", "must come with --as and a Python callable", estimator)
    own = target.own()
    asked = target.asked() if target.kind == "callable" and (own is None or checks) else None
    if estimator is not None and asked is None:
        asked = target.asked()
    with closing(asked) if asked is not None else nullcontext():
        source = target.open(asked)
        if isinstance(source, Drawn) and asked is not None:
            source.on_close = _nothing  # the checks go on with the same process
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
        found = Checked()
        if result.interrupted or not checks:
            why = "the audit was interrupted" if result.interrupted else "was not asked for"
            found.skipped = dict.fromkeys(NAMED, why)
        else:
            found = checked(target, asked, result.inputs, claim, result.seed)
        more: list[str] = []
        if asked is not None and not result.interrupted:
            if estimator is not None and mechanism is not None:
                table = support_chances(
                    mechanism, claim.epsilon, len(result.inputs), parameters, own
                )
                read = named(
                    mechanism, claim.epsilon, result.inputs, parameters, reading, own
                ).reading
                plain = None if read == SETS else read
                found.findings += _of_server(asked, estimator, result.inputs, table, plain)
            more += _kept(asked, target, result)
        result = replace(
            result,
            findings=(*result.findings, *found.findings),
            notes=(*result.notes, *more),
            skipped={
                **{rule: why for rule, why in result.skipped.items() if rule not in APART},
                **found.skipped,
                **_not_asked(target, estimator),
            },
        )
        result = replace(result, findings=(*result.findings, *_by_use(target, result)))
    return (
        result
        if asked is None
        else replace(
            result,
            notes=(*result.notes, *_beside(target, asked)),
            place=(asked.file, asked.line) if asked.file else None,
        )
    )


def _nothing() -> None:
    """Closed later."""


def _of_server(
    asked: Asked,
    estimator: str,
    inputs: Sequence[Any],
    table: tuple[float, float],
    read: str | None,
) -> list[Finding]:
    """LDP010, checked where the client runs."""
    module = "ldp_verified.audit.estimators"
    try:
        return heard(asked.job(module, "beside", estimator, list(inputs), table, read))
    except (EndedError, TypeError, ValueError) as error:
        rule = f"must give its estimates ({error})"
        raise ParameterError("--estimator", rule, estimator) from None


def _not_asked(target: Target, estimator: str | None) -> dict[str, str]:
    """Rules that are about another use of the target than the one that was audited."""
    found = {}
    if target.repeat < 2:
        found["LDP009"] = "is asked for by --repeat"
    if estimator is None:
        found["LDP010"] = "is asked for by --estimator"
    if not target.rows:
        found["LDP011"] = "is asked for by --rows"
    return found


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


USERS = 500


def _kept(asked: Asked, target: Target, result: AuditResult) -> list[str]:
    """Return whether users who report one value again give the same report again."""
    if target.repeat < 2:
        return []
    outputs = asked.each([result.inputs[0]] * USERS)
    again = sum(len(set(map(key, items(output) or [output]))) == 1 for output in outputs)
    kept = "kept" if again == USERS else "not kept" if again < USERS // 2 else "not always kept"
    words = f"gave the same report {target.repeat} times for {result.inputs[0]!r}"
    return [f"{again} of {USERS} users {words}: the permanent answer is {kept}"]


def _by_use(target: Target, result: AuditResult) -> list[Finding]:
    """A violation under repeated use, or of a column's function, has a rule of its own."""
    if result.verdict is not Verdict.VIOLATED:
        return []
    replay = {"bound": result.bound}
    if target.repeat > 1:
        words = f"{target.repeat} reports of one input together break the claim"
        return [Finding("LDP009", words, replay)]
    if target.rows:
        return [Finding("LDP011", "columns of one row are told apart by the output", replay)]
    return []
