"""One audit: its target, its claim, and the cells of its row."""

from __future__ import annotations

import sys
from dataclasses import replace

from examples.audits.cases import Case, cases
from ldp_verified.app.report.audit import headline
from ldp_verified.check.audit.results.results import AuditResult
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target

LOST = "no answer"


def audited(case: Case, n: int, level: float) -> AuditResult:
    """Draw, learn, test.

    Args:
        case: with a command that can be run.
        n: samples. level: of the audit.
    """
    target = Target("program", case.command, case.inputs, timeout=60, decimals=case.decimals)
    claim = Claim(case.epsilon, case.delta, level=level, n=n)
    return audit_target(
        target,
        claim,
        mechanism=case.mechanism,
        parameters=case.parameters,
        reading=case.reading,
        checks=True,
    )


def cells(case: Case, result: AuditResult) -> tuple[str, ...]:
    """Claim, verdict, bound, event and rules, as RESULTS.md has them."""
    best = result.tested[0].words if result.tested else ""
    rules = ", ".join(dict.fromkeys(f.rule for f in result.findings)) or "none"
    claim = f"{case.epsilon:g}" + (f", {case.delta:g}" if case.delta else "")
    if result.low_order:
        best = f"low-order bits of the number: {best}"
    return (claim, str(result.verdict), f"{result.bound:.3f}", best[:110], rules)


def lost(result: AuditResult) -> str:
    """Return the first missing answer, in words; empty where all came.

    These clients never end by themselves: one that was killed or hangs says how this machine is.
    """
    words = [each.words for each in result.outcomes]
    return next((said for said in words if said.startswith(LOST)), "")


def answered(name: str, command: str, n: int, level: float) -> tuple[str, ...]:
    """Audit the case of a name with a command that can be run, and return its cells."""
    case = replace(next(each for each in cases() if each.name == name), command=command)
    result = audited(case, n, level)
    if said := lost(result):
        sys.exit(f"{name}: {said}")
    sys.stderr.write(f"{name}: {headline(result)} {result.seconds}\n")
    return cells(case, result)
