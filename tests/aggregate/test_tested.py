"""Tests of hypotheses: exact p-values against rational arithmetic, false alarms, and power."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import GRR, OLH, OUE, HadamardResponse
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR, SampleAmongFakes
from ldp_verified.run.aggregate import Estimate, KeptState
from ldp_verified.run.aggregate.tested import Compared
from ldp_verified.run.mechanisms import Grades

SHARES = np.array([0.5, 0.3, 0.2, 0.0])
RUNS, ALARMS = 400, 57
"""At the significance 0.05, more alarms in so many runs come with a chance of 6e-13, and in the
eight cells below with one of 5e-12. If each run had one with a chance of 0.2, that would be missed
with 0.002."""

MADE: list[Any] = [
    GRR(1.0, 4),
    OUE(1.0, 4),
    HadamardResponse(1.0, 4),
    Grades(1.0, categories=range(3)),
]


def drawn(made: Any, n: int, shares: Any, rng: np.random.Generator) -> Estimate:
    """The estimate from n users who are drawn from a distribution."""
    held = rng.multinomial(n, shares[: made.k] / sum(shares[: made.k]))
    state = made.aggregate(made.privatize(np.repeat(np.arange(made.k), held), rng), simulated=True)
    found: Estimate = state.estimate()
    return found


@pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
def test_false_alarms_are_as_rare_as_said(made: Any, seed: int) -> None:
    """Null: the users of all dates are drawn from SHARES; see ALARMS for level and power."""
    rng = np.random.default_rng(seed)
    known = SHARES[: made.k] / SHARES[: made.k].sum()
    alarms = np.zeros(2, dtype=int)
    for _ in range(RUNS):
        first, second = drawn(made, 900, SHARES, rng), drawn(made, 2500, SHARES, rng)
        alarms += [
            first.equal_to(known).rejected(0.05),
            second.changed_since(first).rejected(0.05),
        ]
    assert alarms.max() <= ALARMS, alarms


@pytest.mark.parametrize("made", MADE, ids=lambda made: type(made).__name__)
def test_what_changed_is_found(made: Any, seed: int) -> None:
    """Of 50,000 users a fifth more hold the first value: 14.8 standard errors or more.

    An alarm takes 5.2 of them; a normal variable lies 9 below its mean with a chance of 1e-19.
    """
    rng = np.random.default_rng(seed)
    others = np.array([0.7, 0.2, 0.1, 0.0])
    known = SHARES[: made.k] / SHARES[: made.k].sum()
    before, after = drawn(made, 50_000, SHARES, rng), drawn(made, 50_000, others, rng)
    for found in (after.equal_to(known), after.changed_since(before)):
        assert found.rejected(1e-6)
        assert found.differing()
        assert len(found.labels) == len(found.each) == len(after.support_counts)
    if made.k == 4:
        assert 0 in after.changed_since(before).differing()
        assert 3 not in after.changed_since(before).differing(1e-7)


@given(st.integers(0, 12), st.integers(0, 30), st.integers(0, 30))
def test_the_p_values_are_exact(first: int, second: int, third: int) -> None:
    """Twice the smaller tail, by fractions."""
    made = GRR(1.0, 2)
    p, q = made.p_star, made.q_star
    n = 12
    before = Estimate(made.oracle, n, np.array([first, n - first]))
    after = Estimate(made.oracle, second + third, np.array([second, third]))
    chance = p * Fraction(1, 4) + q * Fraction(3, 4)
    masses = [comb(n, c) * chance**c * (1 - chance) ** (n - c) for c in range(n + 1)]
    found = before.equal_to([0.25, 0.75])
    assert found.each[0] == pytest.approx(doubled(masses, first), rel=1e-9)
    assert found.p_value == pytest.approx(min(1.0, 2 * float(found.each.min())))
    both, m = first + second, second + third
    masses = [Fraction(comb(m, c) * comb(n, both - c)) for c in range(min(m, both) + 1)]
    compared = after.changed_since(before)
    assert compared.each[0] == pytest.approx(doubled(masses, second), rel=1e-9)


def doubled(masses: list[Fraction], seen: int) -> float:
    """The two-sided p-value of a count, from what is proportional to its chances."""
    tail = min(sum(masses[: seen + 1]), sum(masses[seen:]))
    return float(min(Fraction(1), 2 * tail / sum(masses)))


def test_planted_a_test_of_these_very_users_alarms_too_often(seed: int) -> None:
    """With the errors of estimates, which leave out that users are a sample, null as above.

    More than 57 alarms are asked for of 400, where each has a chance of more than 0.5.
    """
    rng, made = np.random.default_rng(seed), GRR(6.0, 4)
    wrong = right = 0
    for _ in range(RUNS):
        found = drawn(made, 2000, SHARES, rng)
        wrong += bool((np.abs(found.counts - 2000 * SHARES) > 2.5 * found.std_error).any())
        right += found.equal_to(SHARES).rejected(0.05)
    assert wrong > ALARMS >= right


def test_shares_may_be_given_by_label() -> None:
    made = GRR(1.0, 3, categories=("a", "b", "c"))
    estimate = made.simulate_counts(np.array([60, 30, 10]), 1).estimate()
    named = estimate.equal_to({"c": 0.1, "a": 0.6, "b": 0.3})
    assert named.p_value == estimate.equal_to((0.6, 0.3, 0.1)).p_value
    assert named.labels == ("a", "b", "c")
    assert "100 users" in named.null


def test_a_series_is_read_by_its_labels() -> None:
    """As `value_counts(normalize=True)` gives it, by frequency; it was read by position."""
    made = GRR(1.0, 3, categories=("a", "b", "c"))
    estimate = made.simulate_counts(np.array([30, 60, 10]), 1).estimate()
    right = estimate.equal_to([0.3, 0.6, 0.1]).p_value
    users = pd.Series(list("b" * 6 + "a" * 3 + "c"))
    assert estimate.equal_to(users.value_counts(normalize=True)).p_value == right
    assert estimate.equal_to(pd.Series([0.3, 0.6, 0.1])).p_value == right
    unlabelled = GRR(1.0, 3).simulate_counts(np.array([30, 60, 10]), 1).estimate()
    turned = pd.Series([0.6, 0.3, 0.1], index=[1, 0, 2])
    assert unlabelled.equal_to(turned).p_value == unlabelled.equal_to([0.3, 0.6, 0.1]).p_value
    for wrong, rule in (
        (pd.Series([0.3, 0.6, 0.1], index=[5, 6, 7]), "must have every label, also 'a'"),
        (pd.Series([0.3, 0.6, 0.1], index=["a", "b", "b"]), "must have each label once"),
    ):
        with pytest.raises(ParameterError, match=f"^shares: {rule}"):
            estimate.equal_to(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        [0.5, 0.5],
        [0.5, 0.6, -0.1],
        [0.5, 0.4, 0.0],
        {"a": 1.0},
        "abc",
        None,
        [np.nan] * 3,
        [1, 1e308, 1e308],
        (np.inf, 0, 0),
        [-1e308, -1e308, 1],
        {0.5, 0.2, 0.3},
        frozenset({0.5, 0.2, 0.3}),
        {0.5: 1, 0.2: 2, 0.3: 3}.keys(),
        {0: 0.5, True: 0.2, 2: 0.3},
        {0: 0.5, 1.0: 0.2, 2: 0.3},
        {0: 0.5, 1: 0.2, 2: 0.3, 2.5: 0.0},
    ],
    ids=str,
)
def test_other_shares_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="shares: must"):
        GRR(1.0, 3).empty().estimate().equal_to(wrong)


def test_what_cannot_be_tested_is_refused() -> None:
    made = GRR(1.0, 3)
    estimate = made.aggregate(made.privatize([0, 1], 1), simulated=True).estimate()
    with pytest.raises(ParameterError, match="before: must be of the same mechanism"):
        estimate.changed_since(GRR(2.0, 3).empty().estimate())
    with pytest.raises(ParameterError, match="before: must be an estimate of counts"):
        estimate.changed_since(None)  # type: ignore[arg-type]  # what is wrong
    kept = LGRR(2.0, 1.0, 3).empty().estimate()
    with pytest.raises(ParameterError, match="estimate: must be of reports that are all new draws"):
        kept.equal_to([0.5, 0.5, 0.0])
    wide = OLH(1.0, 100)
    listed = (
        KeptState(wide.oracle, simulated=True).update(wide.privatize([1, 2], 1)).estimate([1, 2])
    )
    assert listed.changed_since(listed).p_value == 1.0
    with pytest.raises(ParameterError, match="estimate: must be of all values"):
        listed.equal_to([0.5, 0.5])
    assert not SampleAmongFakes(1.0, (2, 3)).oracles[0].fresh
    for wrong in (0, 1, True, None, "0.1", float("nan")):
        with pytest.raises(ParameterError, match="significance: must be"):
            estimate.equal_to([1, 0, 0]).rejected(wrong)  # type: ignore[arg-type]  # what is wrong


def test_no_reports_say_nothing() -> None:
    nothing = GRR(1.0, 3).empty().estimate()
    found = nothing.equal_to([1, 0, 0]), nothing.changed_since(nothing)
    assert all(isinstance(each, Compared) and each.p_value == 1.0 for each in found)
    assert all(each.each.tolist() == [1.0, 1.0, 1.0] for each in found)
