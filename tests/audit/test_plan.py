"""Plans and resolutions are shown before and after, and faults are detected as often as planned."""

from __future__ import annotations

from functools import partial
from math import exp

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified.check.audit.bounds.bounds import Stake, Tally, power
from ldp_verified.check.audit.named.named import named
from ldp_verified.check.audit.results.plan import detection, plan, resolution, shifted
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_callable
from tests.broken.audit.randomizers import grr


@pytest.mark.parametrize("stake", [Stake(), Stake(4.0), Stake(1.0, 0.5)], ids=str)
def test_a_shifted_event_breaks_the_claim_by_as_much_as_asked(stake: Stake) -> None:
    for delta in (0.0, 0.1):
        plus, minus = shifted(0.6, stake, 1.5, delta)
        assert plus + minus == pytest.approx(0.6)
        assert plus == pytest.approx(exp(1.5) * minus / stake.odds + stake.share * delta)


def test_a_plan_names_what_could_be_shown() -> None:
    known = named("grr", 1.0, 5)
    found = plan(20_000, 5, 0.01, 1.0, 0.0, known)
    assert found.expected is not None
    assert 0.8 < found.expected < 1.0 < found.ceiling
    assert [violation for violation, _ in found.needed] == [1.1, 1.25, 1.5, 2.0]
    sizes = [n for _, n in found.needed if n is not None]
    assert sizes == sorted(sizes, reverse=True)
    assert plan(20_000, 5, 0.01, 0.0, 0.0, None).needed[0][0] == 0.1


def test_the_resolution_would_have_been_seen() -> None:
    tally, stake = Tally(3000, 1000, 10_000), Stake()
    found = resolution(tally, stake, 0.01, 1.0, 0.0, "conditional")
    assert found is not None
    either = 0.4
    plus, minus = shifted(either, stake, found, 0.0)
    assert power(plus, minus, 10_000, stake, 0.01, target=1.0) >= 0.95
    plus, minus = shifted(either, stake, 1.0 + 0.6 * (found - 1.0), 0.0)
    assert power(plus, minus, 10_000, stake, 0.01, target=1.0) < 0.95
    assert resolution(Tally(0, 0, 5), stake, 0.01, 1.0, 0.0, "conditional") is None


@pytest.mark.parametrize("real", [1.3, 1.6])
def test_violations_are_seen_as_often_as_the_exact_power_says(real: float) -> None:
    """k = 4, claim 1, n = 400, level 0.05, 40 audits.

    Null: each is called violated with the exact probability; two-sided, level 1e-8.
    """
    k, n, level, runs = 4, 400, 0.05, 40
    p = exp(real) / (exp(real) + k - 1)
    chance = power(p, 1 - p, n, Stake(k - 1.0), level, target=1.0)
    assert 0.2 < chance < 1.0
    seen = 0
    for seed in range(runs):
        rng = np.random.default_rng([seed, 5])
        source = from_callable(partial(grr, k=k, epsilon=real, rng=rng), range(k), "grr")
        found = audit(source, Claim(1.0, n=n, level=level), mechanism="grr", seed=seed)
        seen += found.verdict is AuditVerdict.VIOLATED
    tail = min(float(binom.cdf(seen, runs, chance)), float(binom.sf(seen - 1, runs, chance)))
    assert tail > 5e-9


def test_a_detection_curve_rises_from_the_level(rng: np.random.Generator) -> None:
    source = from_callable(partial(grr, k=3, epsilon=1.0, rng=rng), range(3), "grr")
    found = audit(source, Claim(1.0, n=4000, level=0.05), mechanism="grr", seed=1)
    curve = detection(found)
    chances = [chance for _, chance in curve]
    assert chances[0] <= 0.05
    assert chances == sorted(chances)
    assert chances[-1] > 0.95
