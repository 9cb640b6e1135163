"""Estimates against exact arithmetic; intervals against a slow exact inversion."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import GRR, OUE, HalfPlus
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR, LOLOHA
from ldp_verified.run.aggregate import Estimate, FrequencyOracle, KeptState, OutputLayout
from tests.aggregate.oracles import oracle, oracles

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDING = 1e-9
"""Share of n by which an interval in doubles may miss the exact one: the numbers that are added
have at most six digits more than the result (p* - q* is at least 1/1000), of sixteen."""


def counts_of(data: st.DataObject, n: int, k: int) -> NDArray[np.int64]:
    drawn = data.draw(st.lists(st.integers(0, n), min_size=k, max_size=k))
    return np.array(drawn, dtype=np.int64)


@given(oracles(), st.integers(1, 10**7), st.data())
def test_counts_shares_and_standard_errors(
    frequencies: FrequencyOracle, n: int, data: st.DataObject
) -> None:
    support = counts_of(data, n, 3)
    estimate = Estimate(frequencies, n, support)
    p, q = frequencies.p_star, frequencies.q_star
    exact = [(int(c) - n * q) / (p - q) for c in support]
    assert estimate.counts == pytest.approx([float(e) for e in exact], rel=1e-14, abs=1e-12)
    assert estimate.shares == pytest.approx([float(e / n) for e in exact], rel=1e-13, abs=1e-15)
    shares = [min(max(e / n, Fraction(0)), Fraction(1)) for e in exact]
    a, b = frequencies.variance_absent, frequencies.variance_held
    variances = [n * ((1 - f) * a + f * b) for f in shares]
    assert estimate.std_error == pytest.approx([math.sqrt(v) for v in variances], rel=1e-12)


@given(oracles(), st.integers(1, 10**6), st.data())
def test_estimates_of_exclusive_reports_add_up(
    frequencies: FrequencyOracle, n: int, data: st.DataObject
) -> None:
    # Where each report supports one value and p* + 2 q* = 1, the three counts sum to n.
    q = frequencies.q_star / 3
    exclusive = oracle(1 - 2 * q, q)
    first = data.draw(st.integers(0, n))
    second = data.draw(st.integers(0, n - first))
    support = np.array([first, second, n - first - second])
    assert Estimate(exclusive, n, support).counts.sum() == pytest.approx(n, rel=1e-9)


def exact_interval(
    frequencies: FrequencyOracle, n: int, support: int, z: Fraction
) -> tuple[Fraction, Fraction]:
    """All shares that satisfy the definition, found by halving, in exact arithmetic."""
    p, q = frequencies.p_star, frequencies.q_star
    a, b = frequencies.variance_absent, frequencies.variance_held - frequencies.variance_absent
    share = (support - n * q) / (p - q) / n
    half = Fraction(1, 2) / (p - q) / n

    def holds(f: Fraction) -> bool:
        distance = max(abs(share - f) - half, Fraction(0))
        return n * distance**2 <= z**2 * (a + b * f)

    inside = min(max(share, Fraction(0)), Fraction(1))
    if not holds(inside):
        # The nearest share is not always the most compatible one: look at others too.
        grid = [Fraction(i, 512) for i in range(513)]
        compatible = [f for f in grid if holds(f)]
        if not compatible:
            return inside, inside
        inside = compatible[0]

    def edge(end: Fraction) -> Fraction:
        if holds(end):
            return end
        good, bad = inside, end
        for _ in range(50):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if holds(middle) else (good, middle)
        return good

    return edge(Fraction(0)), edge(Fraction(1))


@given(
    oracles(), st.integers(1, 10**6), st.sampled_from([0.5, 0.9, 0.95, 0.999, 0.9999999]), st.data()
)
def test_intervals_are_the_exact_inversion(
    frequencies: FrequencyOracle, n: int, level: float, data: st.DataObject
) -> None:
    support = counts_of(data, n, 3)
    low, high = Estimate(frequencies, n, support).interval(level)
    z = Fraction(-NormalDist().inv_cdf((1 - level) / 2))
    for v in range(3):
        first, last = exact_interval(frequencies, n, int(support[v]), z)
        assert low[v] / n == pytest.approx(float(first), abs=ROUNDING)
        assert high[v] / n == pytest.approx(float(last), abs=ROUNDING)


@given(oracles(), st.integers(1, 10**6), st.floats(0.01, 0.99), st.data())
def test_intervals_lie_in_the_range_and_grow(
    frequencies: FrequencyOracle, n: int, level: float, data: st.DataObject
) -> None:
    estimate = Estimate(frequencies, n, counts_of(data, n, 3))
    low, high = estimate.interval(level)
    lower, higher = estimate.interval((1 + level) / 2)
    slack = ROUNDING * n
    assert np.all((low >= 0) & (low <= high) & (high <= n))
    assert np.all((lower <= low + slack) & (high <= higher + slack))


def test_simultaneous_intervals_share_the_error_out() -> None:
    estimate = Estimate(oracle(), 1000, np.array([300, 200, 500]))
    low, high = estimate.interval(0.95, simultaneous=True)
    expected = estimate.interval(1 - 0.05 / 3)
    assert low == pytest.approx(expected[0], rel=1e-12)
    assert high == pytest.approx(expected[1], rel=1e-12)


def test_a_known_interval() -> None:
    # p* = 3/4, q* = 1/4: the variance per user is 3/4 at every f, so the interval is symmetric.
    plain = oracle(Fraction(3, 4), Fraction(1, 4))
    low, high = Estimate(plain, 300, np.array([150, 150, 150])).interval(0.95)
    reach = 1.959963984540054 * math.sqrt(300 * 0.75) + 0.5 / 0.5
    assert low[0] == pytest.approx(150 - reach, rel=1e-12)
    assert high[0] == pytest.approx(150 + reach, rel=1e-12)


@pytest.mark.parametrize("level", [0, 1, 0.0, 1.0, -0.5, 1.5, float("nan"), True, "0.95", None])
def test_what_is_no_level(level: float) -> None:
    for n in (0, 10):
        with pytest.raises(ParameterError, match="level"):
            Estimate(oracle(), n, np.zeros(3, dtype=np.int64)).interval(level)


def test_no_reports_give_an_empty_estimate() -> None:
    estimate = Estimate(oracle(), 0, np.zeros(3, dtype=np.int64))
    assert estimate.counts.tolist() == [0, 0, 0]
    assert np.isnan(estimate.shares).all()
    assert estimate.std_error.tolist() == [0, 0, 0]
    for simultaneous in (False, True):
        low, high = estimate.interval(simultaneous=simultaneous)
        assert low.tolist() == high.tolist() == [0, 0, 0]
    assert "0 Drawn reports" in repr(estimate)


def test_arrays_cannot_be_changed() -> None:
    estimate = Estimate(oracle(), 10, np.array([5, 3, 2]))
    for array in (estimate.counts, estimate.shares, estimate.std_error, *estimate.interval()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        estimate.support_counts[0] = 0


@pytest.mark.parametrize("mechanism", [GRR(1e-6, 2), GRR(700.0, 2), OUE(1e-6, 3), OUE(700.0, 3)])
def test_extreme_epsilons_give_finite_numbers(mechanism: GRR | OUE) -> None:
    n = 10**6
    for support in (0, 1, n // 2, n):
        counts = np.full(mechanism.k, support, dtype=np.int64)
        estimate = Estimate(mechanism.oracle, n, counts)
        low, high = estimate.interval(0.99)
        assert np.isfinite(estimate.counts).all()
        assert np.isfinite(estimate.std_error).all()
        assert np.all((low >= 0) & (low <= high) & (high <= n))


def test_huge_counts_keep_their_last_digits() -> None:
    # 2^60 + 1 reports: n q* is split before anything is rounded.
    n = (1 << 60) + 1
    even = FrequencyOracle(
        oracle().identity, OutputLayout(3, 3), Fraction(1), Fraction(1, 3), Fraction(1), Fraction(1)
    )
    support = np.array([n // 3, n // 3 + 1, n], dtype=np.int64)
    exact = [(int(c) - Fraction(n, 3)) * 3 / 2 for c in support]
    assert Estimate(even, n, support).counts == pytest.approx([float(e) for e in exact], rel=1e-15)


LETTERS = ("x<y", "b", "c", "d")
LABELLED = GRR(1.0, 4, categories=LETTERS)


@pytest.mark.parametrize(
    "made",
    [
        LABELLED,
        OUE(1.0, 4, categories=LETTERS),
        HalfPlus(0.25, categories=("no", "yes")),
        LGRR(2.0, 1.0, 4, categories=LETTERS),
        LOLOHA(2.0, 1.0, 4, categories=LETTERS),
    ],
    ids=lambda made: type(made).__name__,
)
def test_estimates_carry_the_labels(made: Any) -> None:
    estimate = made.empty().estimate()
    assert tuple(estimate.names) == tuple(made.categories)
    assert [label for label, _, _ in estimate] == list(made.categories)
    assert estimate[made.categories[1]].label == made.categories[1]


def test_values_are_found_by_their_labels() -> None:
    estimate = LABELLED.aggregate(
        LABELLED.privatize(["b"] * 500 + ["c"] * 100, 1), simulated=True
    ).estimate()
    rows = estimate.rows()
    assert [row.label for row in rows] == list(LETTERS)
    assert estimate["b"] == rows[1]
    low, high = estimate.interval()
    assert (rows[2].low, rows[2].high) == (low[2], high[2])
    for wrong in ("z", 0, None, True, ["b"]):
        with pytest.raises(ParameterError, match="label: must be the label of a value"):
            estimate[wrong]  # type: ignore[index]  # what is wrong
    plain = GRR(1.0, 3).empty().estimate()
    assert plain[np.int64(2)].label == 2  # type: ignore[index]  # what a loop over an array gives
    listed = (
        KeptState(LABELLED.oracle, simulated=True)
        .update(LABELLED.privatize(["b"] * 5, 1))
        .estimate([1, 3])
    )
    assert tuple(listed.names) == ("b", "d")


def test_the_largest_come_first_with_intervals_for_all() -> None:
    estimate = LABELLED.aggregate(
        LABELLED.privatize(["b"] * 900 + ["c"] * 300, 1), simulated=True
    ).estimate()
    top = estimate.top(2)
    assert [row.label for row in top] == ["b", "c"]
    low, high = estimate.interval(simultaneous=True)
    assert (top[0].low, top[0].high) == (low[1], high[1])
    assert len(estimate.top()) == 4
    for wrong in (0, -1, 2.0, True, None):
        with pytest.raises(ParameterError, match="values: must be a positive integer"):
            estimate.top(wrong)  # type: ignore[arg-type]  # what is wrong


def test_tables_of_other_libraries_hold_the_same() -> None:
    estimate = LABELLED.aggregate(
        LABELLED.privatize(["b"] * 500 + ["c"] * 100, 1), simulated=True
    ).estimate()
    frame, lazy, table = estimate.to_pandas(), estimate.to_polars(), estimate.to_arrow(0.9)
    assert frame.loc["b", "count"] == estimate["b"].value
    assert lazy["count"].to_list() == estimate.counts.tolist()
    assert table["low"].to_pylist() == estimate.interval(0.9)[0].tolist()
    assert list(frame.columns) == lazy.columns[1:] == table.column_names[1:]


def test_the_page_of_a_notebook_is_short_and_escaped() -> None:
    text = (
        LABELLED.aggregate(LABELLED.privatize(["b"] * 500, 1), simulated=True)
        .estimate()
        ._repr_html_()
    )
    assert "x&lt;y" in text
    assert "x<y" not in text
    many = GRR(1.0, 1000).empty().estimate()._repr_html_()
    assert many.count("<tr>") == 21
    assert "and 980 values with smaller estimates" in many


def test_labels_of_an_attribute_are_given_later() -> None:
    made = OUE(1.0, 3)
    plain = made.simulate_counts(np.array([50, 30, 20]), 1).estimate()
    named = plain.labelled(["EWR", "JFK", np.str_("LGA")])
    assert named["JFK"].value == plain[1].value
    assert named.names == ("EWR", "JFK", "LGA")
    assert plain.labelled(np.array([7, 8, 9])).names == (7, 8, 9)
    assert plain.labelled(range(3))[2] == plain[2]
    wrong: list[Any] = ["abc", ["a", "b"], ["a", "a", "b"], [1, 2, True], [None, 1, 2], {"a": 1}, 3]
    for labels in wrong:
        with pytest.raises(ParameterError, match="labels: must be"):
            plain.labelled(labels)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e["d"], "label: must be the label of a value, got 'd'"),
        (
            lambda e: e.interval(1.5),
            "level: must be a number between 0 and 1, both excluded, got 1.5",
        ),
        (lambda e: e.top(-1), "values: must be a positive integer, got -1"),
        (lambda e: e.plot(0), "top: must be an integer in 1..100, got 0"),
        (lambda e: e.sum_of(3), "labels: must be labels of values, got <class 'int'>"),
        (lambda e: e.sum_of([]), "labels: must be one or more, got 0"),
        (lambda e: e.sum_of(["a", "b", "b"]), "labels: 'b' is named twice"),
        (lambda e: e.sum_of(["a", "d"]), "labels: must be the label of a value, got 'd'"),
        (lambda e: e.contrast("a", "a"), "second: must be another value, got 'a'"),
        (
            lambda e: e.ratio("a", "c"),
            "below: must have a count of more than 3 standard errors to divide by, got '0 +- ",
        ),
        (lambda e: e.equal_to({"a": 0.5, "b": 0.5}), "shares: must have every label, also 'c'"),
        (
            lambda e: e.equal_to({"a": 0.5, "b": 0.5, "c": 0, "d": 0}),
            "shares: must have no label that is none, got 'd'",
        ),
        (lambda e: e.equal_to([-0.5, 0.5, 1]), "shares: must not be negative, got -0.5"),
        (lambda e: e.equal_to([0.5, 0.5, 0.5]), "shares: must add up to 1, got 1.5"),
        (
            lambda e: e.changed_since(OUE(1.0, 3).empty()),
            "before: must be of the same mechanism: mechanism OUE, not GRR",
        ),
        (
            lambda e: e.difference(3),
            "before: must be an estimate of counts, or its state, got <class",
        ),
        (
            lambda e: e.difference(GRR(1.0, 4).simulate_counts([1, 1, 1, 1], 1)),
            "before: must have the same 3 labels, got 0",
        ),
        (lambda e: e.consistent("best"), "method: must be one of base-pos, base-cut, norm"),
        (lambda e: e.consistent(totals={"d": 1}), "totals: must name values of the est"),
        (
            lambda e: e.consistent(totals={("a", "b", "a"): 5}),
            "totals: 'a' is named twice",
        ),
        (
            lambda e: e.consistent(totals={("a", "b"): 5, ("c", "b"): 5}),
            "totals: groups must not share a value: 'b' is in two",
        ),
        (
            lambda e: e.consistent(totals={"a": -1}),
            "totals: must be numbers in 0..n = 0..100, got -1",
        ),
        (
            lambda e: e.consistent(totals={"a": 60, "b": 60}),
            "totals: must not add up to more than n = 100, got 120",
        ),
        (
            lambda e: e.consistent(totals={("a", "b", "c"): 60}),
            "totals: must add up to n = 100, got 60",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_rule_and_the_value(call: Any, message: str) -> None:
    made = GRR(1.0, 3, categories=("a", "b", "c"))
    counted = np.array([61, 20, 19])
    estimate = Estimate(made.oracle, 100, counted, labels=("a", "b", "c"))
    if "below" in message:
        shown = float(estimate["c"].value)
        message = message.replace("0 +- ", f"{shown:.6g} +- ")
    with pytest.raises(ParameterError) as told:
        call(estimate)
    assert str(told.value).startswith(message)


def test_numbers_of_numpy_are_taken_as_they_come_out_of_arrays() -> None:
    estimate = GRR(1.0, 3).simulate_counts(np.array([60, 30, 10]), 1).estimate()
    assert estimate.top(np.int64(2)) == estimate.top(2)  # type: ignore[arg-type]  # what is tested
    found = estimate.consistent(totals={0: np.int64(60)})  # type: ignore[dict-item]  # what is tested
    assert found.counts[0] == 60
    wide = estimate.interval(np.float64(0.5))[0] - estimate.interval(0.5)[0]
    assert not wide.any()
