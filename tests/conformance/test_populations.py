"""Mistakes that only estimates over repeated populations show.

Each is far above the stated detectable deviation: it is missed in at most one of 10^8 runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR
from ldp_verified.check.conformance import conform
from ldp_verified.run.aggregate.oracle import FrequencyOracle

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Randomizer


@dataclass(frozen=True, repr=False)
class Clumped(GRR):
    """Every second user repeats the report of the one before: the variance is about doubled."""

    def privatize(self, values: Any, rng: Any = None) -> Reports:
        reports = super().privatize(values, rng)
        data = np.array(reports.data)
        data[1::2] = np.where(np.diff(values)[::2] == 0, data[::2][: len(data[1::2])], data[1::2])
        return self.reports(data, simulated=reports.simulated)


@dataclass(frozen=True, repr=False)
class Uncorrected(GRR):
    """The server takes a q* that is a twentieth too large."""

    @property
    def oracle(self) -> FrequencyOracle:
        q_star = self.q_star * Fraction(21, 20)
        return FrequencyOracle(
            self.identity, self.layout, self.p_star, q_star, Fraction(1), Fraction(1)
        )


class _Altered:
    """A state whose estimate is altered by a function of (counts, low, high)."""

    def __init__(self, state: Any, alter: Any) -> None:
        estimate = state.estimate()
        low, high = estimate.interval(0.95)
        self.counts, *self.ends = alter(estimate.counts, low, high)

    def estimate(self) -> Any:
        return self

    def interval(self, level: float) -> Any:
        assert level == 0.95
        return self.ends


@dataclass(frozen=True, repr=False)
class Shifted(GRR):
    """The server reads every count one place off."""

    def aggregate(self, reports: Any, threads: int = 1, simulated: bool = False) -> Any:
        return _Altered(
            super().aggregate(reports, threads, simulated),
            lambda counts, low, high: (np.roll(counts, 1), low, high),
        )


@dataclass(frozen=True, repr=False)
class Narrow(GRR):
    """Intervals of half the length."""

    def aggregate(self, reports: Any, threads: int = 1, simulated: bool = False) -> Any:
        return _Altered(
            super().aggregate(reports, threads, simulated),
            lambda counts, low, high: (counts, (low + counts) / 2, (high + counts) / 2),
        )


@pytest.mark.parametrize(
    ("mechanism", "caught"),
    [
        (Clumped(epsilon=1.0, k=8), "variance"),
        (Uncorrected(epsilon=1.0, k=8), "mean"),
        (Shifted(epsilon=1.0, k=8), "mean"),
        (Narrow(epsilon=1.0, k=8), "coverage"),
    ],
    ids=["clumped", "uncorrected", "shifted", "narrow"],
)
def test_what_only_estimates_show_is_rejected(mechanism: Randomizer, caught: str) -> None:
    report = conform(mechanism, n=500_000)
    assert any(c.name.startswith(caught) for c in report.rejected), report.rejected
