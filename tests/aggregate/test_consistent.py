"""Counts made consistent: against an independent projection, and against what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, minimize

from ldp_verified import GRR, OLH
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import PaddedResponse, PrefixExtending, PrefixState
from ldp_verified.run.aggregate import KeptState
from ldp_verified.run.aggregate.consistent import METHODS, cut, norm_sub

Floats = np.ndarray[Any, np.dtype[np.float64]]
COUNTS = st.lists(st.floats(-500, 1500), min_size=2, max_size=12).map(np.array)
ERRORS = np.ones(1)


def zero_first(counts: Floats, n: float) -> Floats:
    """Planted: negative counts become 0, then the positive ones are shifted, until it fits."""
    found = np.maximum(counts, 0.0)
    for _ in range(1000):
        positive = found > 0
        if not positive.any():
            return found
        found = np.where(positive, found + (n - found.sum()) / positive.sum(), 0.0)
        if (found >= 0).all():
            return found
        found = np.maximum(found, 0.0)
    return found


def nearest(counts: Floats, n: float) -> Floats:
    """The nearest point of the simplex, by a general optimizer."""
    run: Any = minimize
    done = run(
        lambda x: float(((x - counts) ** 2).sum()),
        np.full(len(counts), n / len(counts)),
        jac=lambda x: 2 * (x - counts),
        method="SLSQP",
        bounds=Bounds(0, np.inf),
        constraints=LinearConstraint(np.ones((1, len(counts))), n, n),
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return np.asarray(done.x)


@given(COUNTS)
def test_norm_sub_is_the_projection(counts: Floats) -> None:
    """No farther than what the optimizer finds, but for a millionth of n."""
    n = 1000.0
    found = norm_sub(counts, n, ERRORS)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(n, rel=1e-9)
    mine, other = (np.linalg.norm(x - counts) for x in (found, nearest(counts, n)))
    assert mine <= other + 1e-3


def test_a_loop_that_sets_zeros_first_is_another_method() -> None:
    """The positive counts sum to 850 of 1000: all are raised, the small negative one too."""
    counts = np.array([500.0, 350.0, -10.0])
    assert zero_first(counts, 1000.0).tolist() == [575.0, 425.0, 0.0]
    assert norm_sub(counts, 1000.0, ERRORS) == pytest.approx([1660 / 3, 1210 / 3, 130 / 3])
    above = np.array([900.0, 350.0, -10.0])
    assert norm_sub(above, 1000.0, ERRORS) == pytest.approx(zero_first(above, 1000.0))


@given(COUNTS)
@example(np.array([5e-324, 0.0]))
@example(np.array([-500.0, -1e-300, 0.0]))
@example(np.array([1500.0, 1e-12, -500.0, 1e-12]))
def test_what_each_method_promises(counts: Floats) -> None:
    n, errors = 1000.0, np.full(len(counts), 30.0)
    found = {name: method(counts, n, errors) for name, method in METHODS.items()}
    for name, each in found.items():
        assert each.shape == counts.shape
        if name != "norm":
            assert each.min() >= 0, name
        order = np.argsort(counts, kind="stable")
        assert (np.diff(each[order]) >= -1e-9).all() or name == "norm-cut", name
    for name in ("norm", "norm-mul", "norm-sub"):
        assert found[name].sum() == pytest.approx(n), name
    assert found["norm-cut"].sum() <= n + 1e-9
    kept = found["base-cut"] > 0
    assert (found["base-cut"][kept] == counts[kept]).all()


@pytest.mark.parametrize("name", [*METHODS, "power", "power-norm-sub", "likelihood", "ibu"])
def test_where_all_users_hold_one_value_it_keeps_the_most(name: str, seed: int) -> None:
    """Null: the stated errors; 20 runs of 10,000 users, 7 standard errors: below 1e-10.

    Every second estimate is above n.
    """
    made = GRR(1.0, 4)
    for run in range(20):
        estimate = made.simulate_counts([10_000, 0, 0, 0], seed + run).estimate()
        counts = estimate.consistent(name).counts
        assert counts[0] == counts.max()
        assert counts[0] > 10_000 - 7 * float(estimate.std_error.max()), name
        assert name == "base-pos" or counts[0] < 10_000 + 7 * float(estimate.std_error.max())


def test_norm_cut_keeps_the_largest_where_it_is_above_n() -> None:
    counts = np.array([-500.0, 1200.0, 1300.0, 3.0])
    assert METHODS["norm-cut"](counts, 1000.0, ERRORS).tolist() == [0.0, 0.0, 1000.0, 0.0]


@given(COUNTS)
def test_counts_that_are_consistent_stay_as_they_are(counts: Floats) -> None:
    start = norm_sub(counts, 1000.0, ERRORS)
    for name in ("base-pos", "norm", "norm-mul", "norm-sub"):
        assert METHODS[name](start, 1000.0, ERRORS) == pytest.approx(start, abs=1e-9), name


def test_sums_of_zero_and_tiny_counts_are_no_exception() -> None:
    assert norm_sub(np.array([5.0, 3.0]), 0.0, ERRORS).tolist() == [0.0, 0.0]
    assert METHODS["norm-mul"](np.array([0.0, 5e-324]), 1000.0, ERRORS).tolist() == [0.0, 1000.0]


def test_the_intervals_are_cut_by_what_is_known() -> None:
    low, high = cut(np.array([600.0, 100.0, 0.0]), np.array([800.0, 500.0, 400.0]), 1000.0)
    assert low.tolist() == [600.0, 100.0, 0.0]
    assert high.tolist() == [800.0, 400.0, 300.0]


def test_the_cut_intervals_hold_all_true_counts(seed: int) -> None:
    """Null: of 400 populations at most 57 have a count outside: more have with 6e-13 if 5 % do.

    If 20 % do, that is missed with 0.002.
    """
    made, held = GRR(1.0, 6), np.array([5000, 2000, 500, 100, 0, 0])
    rng = np.random.default_rng(seed)
    outside = narrower = 0
    for _ in range(400):
        estimate = made.simulate_counts(held, int(rng.integers(1 << 60))).estimate()
        found = estimate.consistent()
        outside += bool(((held < found.low) | (held > found.high)).any())
        narrower += bool((found.high < estimate.interval(simultaneous=True)[1]).any())
        assert (found.low <= found.high).all()
    assert outside <= 57
    assert narrower > 0


def test_what_cannot_be_made_consistent_is_refused() -> None:
    estimate = GRR(1.0, 3).aggregate(GRR(1.0, 3).privatize([0, 1], 1), simulated=True).estimate()
    for wrong in ("norm_sub", None, 3, "NORM"):
        with pytest.raises(ParameterError, match="method: must be one of"):
            estimate.consistent(wrong)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="level"):
        estimate.consistent(level=2)
    wide = OLH(1.0, 1 << 31, 2)
    kept = KeptState(wide.oracle, simulated=True).update(wide.privatize([1, 2], 1))
    words = PrefixExtending(4.0)
    seen = PrefixState(words, simulated=True).update(words.privatize(["a"] * 300, 1))
    padded = PaddedResponse(1.0, 3, 2)
    sets = padded.empty(simulated=True).update(padded.privatize([[0, 1], []], 1))
    several = (sets.estimate(), padded.estimate(sets))
    assert not several[0].sum_of([0, 1]).exact
    for candidates in (kept.estimate([1, 2]), seen.estimate(["a", "b"]), *several):
        with pytest.raises(ParameterError, match="estimate: must be of all values"):
            candidates.consistent()


def test_labels_travel() -> None:
    made = GRR(1.0, 3, categories=("a", "b", "c"))
    found = (
        made.aggregate(made.privatize(["a"] * 90, 1), simulated=True)
        .estimate()
        .consistent("norm-cut")
    )
    assert (found.labels, found.n, found.method) == (("a", "b", "c"), 90, "norm-cut")


def test_consistent_counts_are_a_table_like_an_estimate() -> None:
    made = GRR(1.0, 3, categories=("a", "b", "c"))
    found = made.simulate_counts(np.array([500, 300, 200]), 1).estimate().consistent(level=0.9)
    assert found["b"].value == found.counts[1]
    assert [row.label for row in found.top(2)] == ["a", "b"]
    assert found.rows(0.9)[0].low == found.low[0]
    assert found.rows(0.99)[0].low < found.low[0]
    assert np.isnan(found["a"].std_error)
    assert found.to_pandas().loc["c", "count"] == found.counts[2]
    assert "nan" not in found._repr_html_()
    assert found.plot().axes[0].get_yticklabels()[0].get_text() == "a"
    known = (
        made.simulate_counts(np.array([500, 300, 200]), 1).estimate().consistent(totals={"a": 500})
    )
    assert known.columns(0.999)[2][0] == known.columns(0.999)[3][0] == 500
    with pytest.raises(ParameterError, match="level: must"):
        found.rows(2)
