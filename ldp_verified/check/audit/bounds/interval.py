"""How private a target is, without a claim: a bound from below, an estimate from above.

From below the counts bound eps, whatever the target is. From above they bound the worst event that
was tested, and eps only if nothing else leaks more: that is an estimate, and no sample can make it
a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

from scipy.special import betainccinv, betaincinv

from ldp_verified.check.audit.bounds import strata
from ldp_verified.check.audit.bounds.bounds import binomial_lower, binomial_upper

if TYPE_CHECKING:
    from ldp_verified.check.audit.bounds.bounds import Stake, Tally
    from ldp_verified.check.audit.results.results import AuditResult


@dataclass(frozen=True)
class Interval:
    """The interval of eps that the samples leave.

    Attributes:
        lower: above the true eps with probability at most `level`.
        upper: of the worst event tested, likewise from above; of eps it is an estimate.
        level: of each end.
    """

    lower: float
    upper: float
    level: float


def upper_limit(tally: Tally, stake: Stake, level: float, delta: float = 0.0) -> float:
    """A limit on the eps that one event shows, from above: too small with probability <= level.

    Args:
        tally: counts of samples that did not choose the event.
        stake: of the event.
        level: of the limit.
        delta: of the (eps, delta) that is looked for.

    Returns:
        At least 0; infinite where no sample speaks against the input.
    """
    if tally.minus == 0:
        return inf
    if delta:
        high = binomial_upper(tally.plus, tally.n, level / 2) - stake.share * delta
        ratio = stake.odds * high / binomial_lower(tally.minus, tally.n, level / 2)
    else:
        # Each side by its own call: 1 - x would lose digits where x is near 1.
        high = float(betainccinv(tally.plus + 1, tally.minus, level))
        rest = float(betaincinv(tally.minus, tally.plus + 1, level))
        ratio = stake.odds * high / rest if rest > 0 else inf
    return log(ratio) if ratio > 1 else 0.0


def interval(result: AuditResult) -> Interval | None:
    """Return the interval of an audit without a claim; None where there was one, or no event."""
    if result.claimed or not result.tested:
        return None
    worst = max(result.tested, key=lambda each: each.bound)
    if worst.strata is None:
        upper = upper_limit(worst.tally, worst.event.stake, result.level, result.delta)
    else:
        upper = strata.upper_limit(worst.strata, result.level)
    if result.infinite:
        upper = inf
    return Interval(result.bound, max(upper, result.bound), result.level)


def words(found: Interval | None) -> str:
    """The interval in a sentence that does not call it a proof."""
    if found is None:
        return "no claim, and no event to bound eps by"
    above = (
        "no estimate from above"
        if found.upper == inf
        else f"estimate from above: {found.upper:.4g}, if nothing leaks more than what was tested"
    )
    return f"no claim: eps >= {found.lower:.4g} (level {found.level:g}); {above}. This is no proof"
