"""Shares at which values are counted: the chance is kept, by exact tails, and hardly exceeded."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import CMS, GRR, OLH, OUE, Duchi, HadamardResponse
from ldp_verified.deploy.collect.plan_distinct import share_seen
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import PaddedHashing, PaddedResponse
from ldp_verified.run.aggregate import State


def seen(made: Any, n: int, held: int, supports: int) -> float:
    """The chance that at least so many of n reports support a value that some of them hold."""
    own = binom.pmf(np.arange(held + 1), held, float(made.oracle.p_star))
    least = np.maximum(supports - np.arange(held + 1), 0)
    return float(own @ binom.sf(least - 1, n - held, float(made.oracle.q_star)))


def threshold(made: Any, n: int, level: float) -> int:
    """The fewest supports of one value, of which all others have few, that `held` names it for."""
    for supports in range(n + 1):
        counts = np.zeros(made.k, dtype=np.int64)
        counts[0] = supports
        if State(made.oracle, n, counts).estimate().distinct_at_least(level).held:
            return supports
    raise AssertionError


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [60, 400])
def test_the_chance_is_kept_by_the_exact_law(n: int, chance: float) -> None:
    """Of a mechanism of bits, whose supports may be any; the threshold is what estimates have."""
    made = OUE(3.0, 6)
    share = share_seen(made, n, level=0.9, chance=chance)
    assert share is not None
    supports = threshold(made, n, 0.9)
    assert seen(made, n, math.ceil(share * n - 1e-9), supports) >= chance - 1e-9
    assert seen(made, n, math.floor(share * n * 0.8), supports) < chance


@pytest.mark.parametrize(
    "made", [GRR(2.0, 9), OLH(2.0, 9), HadamardResponse(2.0, 9)], ids=lambda m: type(m).__name__
)
def test_values_of_the_share_are_counted(made: Any, seed: int) -> None:
    """Null: a value of the share is missed with 10 % at most; n = 200 runs, level 1e-10."""
    n, runs = 5_000, 200
    share = share_seen(made, n)
    assert share is not None
    held = math.ceil(share * n)
    values = np.repeat([0, 1], [n - held, held])
    found = [
        made.aggregate(made.privatize(values, rng=seed + run), simulated=True)
        .estimate()
        .distinct_at_least()
        for run in range(runs)
    ]
    missed = sum(1 not in each.held for each in found)
    assert missed <= binom.isf(1e-10, runs, 0.1)


def test_more_users_and_fewer_candidates_need_a_smaller_share() -> None:
    made = PaddedHashing(2.0, 1_000, 4)
    shares = [share_seen(made, n, candidates) for n, candidates in ((10**5, 900), (10**5, 9))]
    assert shares[0] is not None
    assert shares[1] is not None
    assert shares[1] < shares[0]
    more = share_seen(made, 10**6, 900)
    assert more is not None
    assert more < shares[0] / 2
    assert share_seen(PaddedResponse(0.1, 1_000, 4), 10) is None
    assert share_seen(GRR(1.0, 1_000), 1) is None


def test_what_is_refused() -> None:
    for made in (CMS(1.0, 1 << 16, 256, 16, seed=1), Duchi(1.0), 3):
        wrong: Any = made
        with pytest.raises(ParameterError, match="mechanism: must have reports"):
            share_seen(wrong, 100)
    good: dict[str, Any] = {"made": GRR(1.0, 4), "n": 100}
    for name, given in (("n", 0), ("candidates", 0), ("level", 1.0), ("chance", 0)):
        with pytest.raises(ParameterError, match=f"{name}: must"):
            share_seen(**(good | {name: given}))
