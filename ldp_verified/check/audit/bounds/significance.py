"""p-values of a claim: the smallest level at which one event alone would reject it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from ldp_verified.check.audit.bounds import anytime
from ldp_verified.check.audit.bounds.bounds import lower_bound

if TYPE_CHECKING:
    from ldp_verified.check.audit.bounds.bounds import Stake, Tally
    from ldp_verified.check.audit.claim import Claim


def p_anytime(tally: Tally, stake: Stake, claim: Claim) -> float:
    """One over the evidence: valid at every sample size."""
    evidence = anytime.log_evidence(tally, stake, claim.epsilon, claim.delta)
    return float(np.exp(-max(evidence, 0.0)))


def p_fixed(tally: Tally, stake: Stake, claim: Claim, method: str) -> float:
    """The p-value by the exact law of the counts; by bisection where the bound has two parts."""
    if method == "conditional":
        null = 1 / (1 + stake.odds * float(np.exp(-claim.epsilon)))
        return float(binom.sf(tally.plus - 1, tally.plus + tally.minus, null))
    low, high = -300.0, 0.0
    for _ in range(50):
        middle = (low + high) / 2
        level = float(np.exp(middle))
        found = lower_bound(tally, stake, level, claim.delta, method)
        low, high = (low, middle) if found > claim.epsilon else (middle, high)
    return float(np.exp(high))
