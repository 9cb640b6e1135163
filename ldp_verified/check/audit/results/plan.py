"""Compute how much an audit could show, before any sample is drawn."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from ldp_verified.check.audit.bounds.bounds import (
    METHODS,
    Stake,
    best_method,
    ceiling,
    guaranteed,
    least_shown,
    power,
    samples_needed,
)
from ldp_verified.check.audit.bounds.strata import STRATIFIED
from ldp_verified.check.audit.bounds.strata import power as of_strata
from ldp_verified.check.audit.results.results import AuditPlan

if TYPE_CHECKING:
    from ldp_verified.check.audit.bounds.bounds import Tally
    from ldp_verified.check.audit.named.named import Named
    from ldp_verified.check.audit.results.results import AuditResult

FACTORS = (1.1, 1.25, 1.5, 2.0)
SEEN = 0.95


def shifted(either: float, stake: Stake, epsilon: float, delta: float) -> tuple[float, float]:
    """P(plus) and P(minus) of an event whose sides have mass `either` and whose odds break eps.

    By equality in (*) of `bounds`.
    """
    minus = max(either - stake.share * delta, 0.0) / (1 + exp(epsilon) / stake.odds)
    return either - minus, minus


def violations(epsilon: float) -> tuple[float, ...]:
    """Violations of a claim to plan for."""
    return tuple(epsilon * f for f in FACTORS) if epsilon > 0 else (0.1, 0.25, 0.5, 1.0)


def plan(
    n: int, k: int, level: float, epsilon: float, delta: float, known: Named | None
) -> AuditPlan:
    """The ceiling, and how many samples violations would need.

    Args:
        n: samples to test with.
        k: how many inputs.
        level: of the event that gets most of it.
        epsilon, delta: the claim.
        known: what the auditor says the target is.
    """
    if known is not None:
        stake, either = known.stake, known.plus + known.minus
        shape = f"the event of {known.name}: {either:.3g} of the samples"
        method = best_method(known.plus, known.minus, max(n, 1), stake, level, delta)
        expected: float | None = guaranteed(
            known.plus, known.minus, max(n, 1), stake, level, delta=delta, method=method
        )
    else:
        stake, either, expected = Stake(), 1 / k, None
        method = METHODS[1] if delta else METHODS[0]
        shape = f"an event that half of the samples of one pair of {k} inputs show"
    needed = []
    for violation in violations(epsilon):
        plus, minus = shifted(either, stake, violation, delta)
        found = samples_needed(
            plus, minus, stake, level, target=epsilon, delta=delta, method=method
        )
        needed.append((violation, found))
    return AuditPlan(n, ceiling(n, level, stake, delta), expected, tuple(needed), shape)


def detection(result: AuditResult, points: int = 25) -> tuple[tuple[float, float], ...]:
    """(real eps, probability of `violated`) for the worst event, from the claim up, exactly.

    For an event with the mass of the worst one that has a resolution and a bound of fixed size, and
    odds that break the claim; empty where there is none.
    """
    methods = (*METHODS, STRATIFIED)
    fit = (t for t in result.tested if t.method in methods and t.resolution is not None)
    worst = next(fit, None)
    if result.resolution is None or worst is None or worst.resolution is None:
        return ()
    either = (worst.tally.plus + worst.tally.minus) / max(worst.tally.n, 1)
    top = max(1.5 * worst.resolution - 0.5 * result.epsilon, result.epsilon + 0.05)
    found = []
    for i in range(points):
        real = result.epsilon + (top - result.epsilon) * i / (points - 1)
        if worst.strata is not None:
            chance = of_strata(worst.strata, worst.level, target=result.epsilon, true=real)
            found.append((real, chance))
            continue
        stake = worst.event.stake
        plus, minus = shifted(either, stake, real, result.delta)
        chance = power(
            plus,
            minus,
            worst.tally.n,
            stake,
            worst.level,
            target=result.epsilon,
            delta=result.delta,
            method=worst.method,
        )
        found.append((real, chance))
    return tuple(found)


def resolution(
    tally: Tally, stake: Stake, level: float, epsilon: float, delta: float, method: str
) -> float | None:
    """The smallest violation that an event as frequent as this one shows with probability 0.95."""
    if tally.n == 0 or tally.plus + tally.minus == 0:
        return None
    # At least this frequent but for a chance of a few per cent: the plug-in is rounded down.
    seen = tally.plus + tally.minus
    either = min(1.0, max(seen - 2 * seen**0.5, 1.0) / tally.n if seen < tally.n else 1.0)

    def shown(violation: float) -> bool:
        plus, minus = shifted(either, stake, violation, delta)
        found = power(
            plus, minus, tally.n, stake, level, target=epsilon, delta=delta, method=method
        )
        return found >= SEEN

    return least_shown(epsilon, shown)
