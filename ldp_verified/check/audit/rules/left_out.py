"""List the rules that an audit does not look at, and why: each of them is said in the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.check.audit.results.results import AuditVerdict

if TYPE_CHECKING:
    from ldp_verified.check.audit.claim import Claim
    from ldp_verified.check.audit.results.results import AuditResult
    from ldp_verified.check.audit.targets.targets import Target


def why_left_out(result: AuditResult, claim: Claim, *, checks: bool, stuck: bool) -> str:
    """Return why the named checks are left out; empty where they are not.

    Args:
        result: of the bounds. claim: how they were sought.
        checks: whether named checks were asked for.
        stuck: whether the target did not answer in time too often.
    """
    if result.interrupted:
        return "the audit was interrupted"
    if not checks:
        return "was not asked for"
    if stuck:
        return "the target does not answer in time"
    if claim.mode == "anytime" and result.verdict is AuditVerdict.VIOLATED:
        return f"the claim was seen to be false after {sum(result.samples):,} samples"
    return ""


def not_asked(
    target: Target, server: tuple[str | None, str | None, str | None], *, fitted: bool
) -> dict[str, str]:
    """Rules that are about another use of the target than the one that was audited.

    Args:
        target: as it was opened.
        server: the estimator, the variance and the intervals that were named; None for none.
        fitted: whether normal noise was fitted.

    Returns:
        Rule -> the option that asks for it.
    """
    found = {"LDP020": "is asked for by --fit"}
    estimator, variance, interval = server
    if interval is None:
        found["LDP019"] = "is asked for by --interval"
    if target.repeat < 2:
        found["LDP009"] = "is asked for by --repeat"
    if estimator is None:
        found["LDP010"] = "is asked for by --estimator"
    if variance is None:
        found["LDP015"] = "is asked for by --variance"
    if not target.rows:
        found["LDP011"] = "is asked for by --rows"
    if not target.timing:
        found["LDP017"] = "is asked for by --timing"
    if not target.beside:
        found["LDP018"] = "is asked for by --beside"
    if not fitted:
        found["LDP016"] = "is asked for by --as gaussian without a sigma"
    if not target.outside:
        found["LDP014"] = "is asked for by --outside"
    return found
