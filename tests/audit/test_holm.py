"""Holm's procedure with weights: by hand, and its family-wise level by a simulation of nulls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scipy.stats import binom

from ldp_verified.check.audit.bounds.bounds import Tally
from ldp_verified.check.audit.bounds.holm import holm
from ldp_verified.check.audit.events.events import PairEvent
from ldp_verified.check.audit.results import results

if TYPE_CHECKING:
    import numpy as np

EVENT = PairEvent("type", 0, 1, frozenset(["a"]))


def row_of(p_value: float, level: float) -> results.Tested:
    tally = Tally(0, 0, 0)
    return results.Tested(EVENT, "", tally, "conditional", level, 0.0, p_value, False, None)


def test_by_hand() -> None:
    """Levels .02, .02, .01 of .05: p-values are rejected while the rest of the level allows it."""
    found = holm([row_of(0.03, 0.02), row_of(0.001, 0.02), row_of(0.02, 0.01)], 0.05)
    assert {t.p_value: t.rejects for t in found} == {0.001: True, 0.03: True, 0.02: True}
    # 0.001 <= .05 * .02/.05; then 0.03 <= .05 * .02/.03; then 0.02 <= .05 * .01/.01.
    found = holm([row_of(0.04, 0.02), row_of(0.001, 0.02), row_of(0.02, 0.01)], 0.05)
    assert {t.p_value: t.rejects for t in found} == {0.001: True, 0.04: False, 0.02: False}


def test_its_level(rng: np.random.Generator) -> None:
    """Null: all three claims true; a false alarm in any has probability <= 0.1.

    2000 runs, rejected at 1e-9 above the binomial's quantile; a level of 0.17 is seen with
    probability above 0.99.
    """
    limit = int(binom.isf(1e-9, 2000, 0.1))
    assert binom.sf(limit, 2000, 0.17) > 0.99
    alarms = 0
    for row in rng.random((2000, 3)):
        levels = (0.05, 0.03, 0.02)
        found = holm([row_of(float(p), w) for p, w in zip(row, levels, strict=True)], 0.1)
        alarms += any(t.rejects for t in found)
    assert alarms <= limit
