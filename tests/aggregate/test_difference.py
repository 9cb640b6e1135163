"""Differences of shares: exact coverage at few users, errors by enumeration, what is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from ldp_verified import GRR, OLH, OUE
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR, SampleOne
from ldp_verified.run.aggregate import Estimate
from ldp_verified.run.aggregate.difference import Difference
from ldp_verified.run.mechanisms import Grades
from tests.broken import differences as broken

SHARES = np.linspace(0.0, 1.0, 11)
SIZES = ((2, 5), (5, 5), (20, 10), (60, 60), (100, 30))
LEAST = 0.935
"""Over all cells below, at the nominal level 0.95; the twins fall below 0.9 somewhere."""


def coverage(
    made: Any, first: int, second: int, kind: type[Difference] = Difference, population: bool = True
) -> float:
    """The least chance, over SHARES, that an interval at 0.95 holds the difference of one value.

    Supports of a value are binomial in a sample; among these very users they are the sum of two
    binomials. Both are summed over all outcomes, so that nothing is drawn.
    """
    p, q = float(made.p_star), float(made.q_star)
    supports = np.arange(second + 1)
    low, high = np.empty((2, first + 1, second + 1))
    for seen in range(first + 1):
        before = Estimate(made.oracle, first, np.full(second + 1, seen))
        after = Estimate(made.oracle, second, supports)
        # As many labels as outcomes, so that all are looked at in one go.
        names = tuple(range(second + 1))
        pair = [replace(each, labels=names) for each in (before, after)]
        low[seen], high[seen] = kind(pair[0], pair[1], population).columns(0.95)[2:]
    found = 1.0
    for f, g in product(SHARES, SHARES):
        if population:
            chances = [
                binom.pmf(range(n + 1), n, q + (p - q) * s) for n, s in ((first, f), (second, g))
            ]
        else:
            if first * f % 1 or second * g % 1:
                continue
            chances = [
                np.convolve(
                    np.asarray(binom.pmf(range(round(n * s) + 1), round(n * s), p)),
                    np.asarray(binom.pmf(range(n - round(n * s) + 1), n - round(n * s), q)),
                )
                for n, s in ((first, f), (second, g))
            ]
        held = (low <= g - f + 1e-12) & (g - f - 1e-12 <= high)
        found = min(found, float(chances[0] @ held @ chances[1]))
    return found


MADE: list[Any] = [GRR(1.0, 4), GRR(4.0, 4), OUE(4.0, 4), GRR(8.0, 4)]


@pytest.mark.parametrize("made", MADE, ids=lambda made: f"{made.name} {made.epsilon:g}")
def test_intervals_hold_for_few_users(made: Any) -> None:
    assert min(coverage(made, *sizes) for sizes in SIZES) >= LEAST
    assert min(coverage(made, 10, n, population=False) for n in (10, 20, 60)) >= LEAST


@pytest.mark.parametrize("kind", [broken.OfOneGroup, broken.OfTheseUsers])
def test_planted_intervals_that_are_too_short_are_seen(kind: type[Difference]) -> None:
    assert coverage(GRR(8.0, 4), 60, 60, kind) < 0.9


def enumerated(kind: type[Difference]) -> tuple[float, float]:
    """(the plug-in error, the exact one) of a difference of two binary groups of populations."""
    made, n, m, f, g = GRR(1.0, 2), 40, 60, 0.25, 0.5
    p, q = float(made.p_star), float(made.q_star)
    exact = sum(
        (q + (p - q) * s) * (1 - q - (p - q) * s) / (p - q) ** 2 / users
        for users, s in ((n, f), (m, g))
    )
    counts = [np.array([users * (q + (p - q) * s)] * 2) for users, s in ((n, f), (m, g))]
    # Supports whose estimates are these very shares, up to rounding to whole reports.
    pair = [
        Estimate(made.oracle, u, c.round().astype(np.int64))
        for u, c in zip((n, m), counts, strict=True)
    ]
    return float(kind(pair[0], pair[1]).std_error[0]), exact**0.5


def test_errors_are_those_of_two_samples() -> None:
    found, exact = enumerated(Difference)
    assert found == pytest.approx(exact, rel=0.02)
    wrong, _ = enumerated(broken.OfErrorsThatAdd)
    assert wrong > 1.3 * exact


def test_dates_of_other_mechanisms_and_states_are_compared() -> None:
    labels = ("a", "b", "c")
    first = GRR(1.0, 3, categories=labels).simulate_counts(np.array([600, 300, 100]), 1)
    second = OUE(2.0, 3, categories=labels).simulate_counts(np.array([1000, 900, 100]), 2)
    found = second.estimate().difference(first)
    assert found.names == labels
    assert found["b"].value == pytest.approx(
        float(second.estimate().shares[1] - first.estimate().shares[1])
    )
    assert found.top(1)[0].label in labels
    assert [abs(row.value) for row in found.top(3)] == sorted(np.abs(found.values))[::-1]
    assert list(found.to_pandas().columns) == ["share", "std_error", "low", "high"]
    low, high = found.simultaneous(0.9)
    assert ((low >= -1) & (low <= found.values) & (found.values <= high) & (high <= 1)).all()
    assert "populations" in repr(found)
    assert "less" in found.heading
    again = second.estimate().difference(first, population=False)
    assert (again.std_error < found.std_error).all()
    same = GRR(1.0, 3, categories=labels).simulate_counts(np.array([60, 30, 10]), 4)
    assert same.estimate().changed_since(first).p_value <= 1.0


def test_linear_estimators_and_sampled_attributes_are_compared() -> None:
    made = Grades(1.0, categories=range(3))
    states = [made.aggregate(made.privatize([0, 1, 2] * n, n), simulated=True) for n in (50, 80)]
    found = states[1].estimate().difference(states[0])
    assert (found.std_error > 0).all()
    two = SampleOne(1.0, (3, 2))
    sampled = two.empty(simulated=True).update(two.privatize([(0, 1)] * 400 + [(2, 0)] * 100, 1))
    again = sampled.estimate(0).difference(sampled.estimate(0))
    low, high = again.simultaneous()
    assert ((low <= 0) & (high >= 0)).all()


def test_what_cannot_be_compared_is_refused() -> None:
    made = GRR(1.0, 3)
    estimate = made.simulate_counts(np.array([60, 30, 10]), 1).estimate()
    with pytest.raises(ParameterError, match="before: must be an estimate of counts"):
        estimate.difference(None)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="before: must be an estimate of counts"):
        estimate.changed_since([1, 2, 3])  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="before: must have reports"):
        estimate.difference(made.empty())
    with pytest.raises(ParameterError, match="before: must have the same 3 labels, got 4"):
        estimate.difference(OLH(1.0, 4).simulate_counts([1, 2, 3, 4], 1, report_by_report=True))
    with pytest.raises(ParameterError, match="population"):
        estimate.difference(estimate, population=1)  # type: ignore[arg-type]  # what is wrong
    kept = LGRR(2.0, 1.0, 3).empty().estimate()
    with pytest.raises(ParameterError, match="estimate: must be of reports that are all new draws"):
        kept.difference(estimate)
    for wrong in (0, True, 1.5):
        with pytest.raises(ParameterError, match="values: must be a positive integer"):
            estimate.difference(estimate).top(wrong)  # type: ignore[arg-type]  # what is wrong
