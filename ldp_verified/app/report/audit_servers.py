"""Findings of an audit by their weight, and what it says of a server that an option asks about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ldp_verified.check.audit.rules.rules import OF_SERVERS

if TYPE_CHECKING:
    from ldp_verified.check.audit.results.results import AuditResult
    from ldp_verified.check.audit.rules.rules import Finding

WARNING: Final = "warning (no part of the verdict)"
WRONG: Final = "wrong, as was asked (no part of the verdict on eps)"


def fails(finding: Finding) -> bool:
    """Return whether a check with this finding is shown as failed: no warning nobody asked for."""
    return finding.violates or finding.rule in OF_SERVERS


def weight(finding: Finding) -> str:
    """Say what a finding does: to the verdict, to the audit, or nothing."""
    if finding.violates:
        return "violation"
    return WRONG if fails(finding) else WARNING


def wrong_server(result: AuditResult) -> str:
    """Return which rules about a server are broken, in words; empty if none is."""
    broken = sorted({f.rule for f in result.findings if f.rule in OF_SERVERS})
    if not broken:
        return ""
    verb = "is" if len(broken) == 1 else "are"
    return f"the server is wrong: {' and '.join(broken)}, asked for, {verb} broken"
