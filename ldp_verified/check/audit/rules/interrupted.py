"""Ctrl-C during the named checks or at the end of an audit: what is known by then is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ldp_verified.check.audit.rules.checks import NAMED
from ldp_verified.check.audit.rules.rules import OF_SERVERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ldp_verified.check.audit.results.results import AuditResult
    from ldp_verified.check.audit.rules.rules import Finding


@dataclass
class InterruptedChecks:
    """Ctrl-C after the bounds: they are kept, with what the named checks have found.

    Attributes:
        kept: whether there is a result that can be kept.
        judged: whether it holds what the named checks found.
        came: whether Ctrl-C came then.
    """

    kept: bool = False
    judged: bool = False
    came: bool = False

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        """End Ctrl-C here, where there is a result."""
        self.came = self.kept and kind is not None and issubclass(kind, KeyboardInterrupt)
        return self.came

    def marked(
        self,
        result: AuditResult,
        findings: Sequence[Finding],
        skipped: Mapping[str, str],
        calls: int,
    ) -> AuditResult:
        """Return the result as an interrupted one, which is never `consistent`."""
        if not self.judged:
            why = dict.fromkeys((*NAMED, "LDP014", *OF_SERVERS), "the audit was interrupted")
            broken = {finding.rule for finding in findings}
            left = {**result.skipped, **why, **skipped}
            result = replace(
                result,
                findings=(*result.findings, *findings),
                skipped={rule: words for rule, words in left.items() if rule not in broken},
                calls=calls,
            )
        words = () if result.interrupted else ("interrupted after the bounds, which stand",)
        return replace(result, interrupted=True, notes=(*result.notes, *words))
