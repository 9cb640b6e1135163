"""A whole audit of a target: bounds, then the named checks that its kind allows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.audit.checks import checked
from ldp_verified.audit.results import AuditResult, Verdict
from ldp_verified.audit.rules import Finding
from ldp_verified.audit.run import Claim, audit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ldp_verified.audit.events import Event
    from ldp_verified.audit.results import Plan
    from ldp_verified.audit.run import Progress
    from ldp_verified.audit.targets import Target
    from ldp_verified.realize.randomizer import Randomizer


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
    progress: Progress | None = None,
    told: Callable[[Plan], None] | None = None,
) -> AuditResult:
    """Open a target, bound its eps, run the checks.

    Args:
        target: what to open.
        claim, mechanism, parameters, reading, events, outputs: as in `run.audit`.
        seed, progress, told: likewise.
        checks: also run the checks LDP005 to LDP008.
    """
    own = own_mechanism(target)
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
    found += _by_use(target, result)
    return replace(result, findings=tuple(found))


def own_mechanism(target: Target) -> Randomizer | None:
    """The object of this package that a target is; None where it is something else."""
    if target.kind != "callable" or target.fresh or target.rows or target.repeat > 1:
        return None
    from ldp_verified.audit.own import Randomizer
    from ldp_verified.audit.sources import resolve

    found: Any = resolve(target.reference)
    return found if isinstance(found, Randomizer) else None


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
