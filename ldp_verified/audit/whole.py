"""A whole audit of a target: bounds, then the named checks that its kind allows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.audit.checks import checked
from ldp_verified.audit.estimators import check_server
from ldp_verified.audit.keys import key
from ldp_verified.audit.named import SETS, named, support_chances
from ldp_verified.audit.results import AuditResult, Verdict
from ldp_verified.audit.rules import Finding
from ldp_verified.audit.run import Claim, audit
from ldp_verified.audit.sources import resolve
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ldp_verified.audit.events import Event
    from ldp_verified.audit.own import Own
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
    own = own_mechanism(target)
    if estimator is not None and (mechanism is None or target.kind != "callable"):
        raise ParameterError("--estimator", "must come with --as and a Python callable", estimator)
    result = audit(
        target.open(),
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
    found = list(result.findings)
    if checks and not result.interrupted:
        found += checked(target, result.inputs, claim, result.seed)
    if estimator is not None and mechanism is not None and not result.interrupted:
        table = support_chances(mechanism, claim.epsilon, len(result.inputs), parameters, own)
        server = resolve(estimator)
        if not callable(server):
            raise ParameterError("--estimator", "must be callable", estimator)
        read = named(mechanism, claim.epsilon, result.inputs, parameters, reading, own).reading
        function, plain = target.function(), None if read == SETS else read
        found += check_server(function, server, result.inputs, table, reading=plain).findings
    found += _by_use(target, result)
    notes = (*result.notes, *_kept(target, result))
    return replace(result, findings=tuple(found), notes=notes)


USERS = 500


def _kept(target: Target, result: AuditResult) -> list[str]:
    """Whether users who report one value again give the same report again."""
    if target.repeat < 2 or result.interrupted:
        return []
    function = target.function()
    again = sum(len(set(map(key, function(result.inputs[0])))) == 1 for _ in range(USERS))
    kept = "kept" if again == USERS else "not kept" if again < USERS // 2 else "not always kept"
    words = f"gave the same report {target.repeat} times for {result.inputs[0]!r}"
    return [f"{again} of {USERS} users {words}: the permanent answer is {kept}"]


def own_mechanism(target: Target) -> Own | None:
    """The object of this package that a target is; None where it is something else."""
    if target.kind != "callable" or target.fresh or target.rows or target.repeat > 1:
        return None
    from ldp_verified.audit.own import Own

    found: Any = resolve(target.reference)
    return found if isinstance(found, Own) else None


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
