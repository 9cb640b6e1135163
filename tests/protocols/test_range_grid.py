"""Boxes: what a report costs, means and variances by enumeration, columns, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from ldp_verified import GRR, OUE
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import BoxEstimate, RangeGrid, SampleOne
from ldp_verified.protocols.range_grid import AT_A_TIME, UNARY, least_variance_of_cells
from ldp_verified.run.aggregate.combined import covariance
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

if TYPE_CHECKING:
    from pathlib import Path

SIZES = {"a": 5, "b": 3}
BOXES = [
    {name: ends for name, ends in zip(SIZES, chosen, strict=True) if ends is not None}
    for chosen in product([None, (0, 2), (1, 4), (3, 3)], [None, (0, 1), (2, 2)])
]


def price(made: RangeGrid, *, send_all: bool = False) -> float:
    """ln of the largest ratio of chances of any report over any two records, all written out.

    Planted, `send_all`: a user reports in every group.
    """
    records = np.array(list(product(*map(range, SIZES.values()))))
    cells = made.cells(tuple(records.T))
    worst = Fraction(1)
    for j, part in enumerate(made.scheme.parts):
        assert isinstance(part, GRR)
        table = [[part.pmf(y, int(cell)) for y in range(part.k)] for cell in cells[:, j]]
        ratio = max(Fraction(p[y]) / q[y] for p in table for q in table for y in range(part.k))
        worst = worst * ratio if send_all else max(worst, ratio)
    return math.log(worst)


def test_any_two_records_are_within_epsilon() -> None:
    made = RangeGrid(1.0, SIZES, 2, GRR)
    assert price(made) <= made.realized_epsilon <= 1.0 + 1e-9
    assert price(made, send_all=True) > made.realized_epsilon + 0.5


@covers(RANGE, "RangeGrid")
@given(EPSILONS, st.lists(st.integers(2, 9), min_size=1, max_size=3), st.integers(2, 9))
@settings(max_examples=20)
def test_no_grid_costs_more_than_is_wanted(epsilon: float, ks: list[int], fanout: int) -> None:
    made = RangeGrid(epsilon, dict(zip("abc", ks, strict=False)), fanout)
    assert 0 < made.realized_epsilon <= made.epsilon
    assert len(made.groups) == max(math.prod(tree.levels for tree in made.trees) - 1, 1)


@covers(SAMPLER, "RangeGrid")
@pytest.mark.parametrize("fanout", [1, 2, 3, 9])
def test_reports_are_those_of_the_cells(fanout: int, seed: int) -> None:
    """Of all records, each 50 times: what is drawn is `SampleOne` on cells that are written out."""
    made = RangeGrid(1.0, SIZES, fanout, GRR)
    records = np.repeat(np.array(list(product(*map(range, SIZES.values())))), 50, axis=0)
    cells = np.zeros((len(records), len(made.groups)), dtype=np.int64)
    sizes = []
    for place, group in enumerate(made.groups):
        size = 1
        for column, k, level in zip(records.T, SIZES.values(), group, strict=True):
            depth = next(d for d in range(9) if fanout**d >= k) if fanout > 1 else 0
            width = fanout ** max(depth - level, 0)
            cells[:, place] = cells[:, place] * -(-k // width) + column // width
            size *= -(-k // width)
        sizes.append(size)
    expected = SampleOne(1.0, tuple(sizes), GRR).privatize(cells, seed)
    found = made.privatize(dict(zip(SIZES, records.T, strict=True)), seed)
    for mine, its in zip(found.reports, expected.reports, strict=True):
        assert np.array_equal(mine.data, its.data)


def stated(made: RangeGrid, box: dict[str, tuple[int, int]], fit: Any, users: int) -> float:
    """The variance of a box of users who all hold the first record, by all covariances."""
    ends = [box.get(name, (0, k - 1)) for name, k in SIZES.items()]
    pairs = [(first, last + 1) for first, last in ends]
    total = 0.0
    for group, part in zip(made.groups, made.scheme.parts, strict=True):
        weights = fit.weights(pairs, group).reshape(-1)
        shares = np.eye(part.k)[0]
        noise = covariance(part.oracle, shares)
        assert noise is not None
        total += weights @ noise @ weights / users
    return float(total)


@pytest.mark.parametrize("fanout", [1, 2])
@pytest.mark.parametrize("make", [GRR, OUE], ids=["GRR", "OUE"])
def test_variances_are_those_of_all_covariances(fanout: int, make: Any, seed: int) -> None:
    """So many users hold one record that estimated shares are known, to less than a hundredth."""
    made = RangeGrid(14.0, SIZES, fanout, make)
    users = {"a": [0] * 400_000, "b": [0] * 400_000}
    state = made.empty(simulated=True).update(made.privatize(users, seed))
    found = made.estimate(state)
    parts = [part.n for part in state.states]
    for box in BOXES[1:]:
        low = stated(made, box, found.fit, max(parts)) ** 0.5
        high = stated(made, box, found.fit, min(parts)) ** 0.5
        error = found.count(box).std_error / found.n
        assert 0.9 * low - 2e-4 <= error <= 1.1 * high + 2e-4


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_the_squared_error_is_the_stated_one(epsilon: float, seed: int) -> None:
    """Null: errors of a box are normal with the stated variance; 80 runs, four boxes each.

    The sum of squared standardized errors is chi-squared: two-sided, level 1e-9 for each of 8. A
    variance that is a quarter of the stated one, or four times it, is found with power 0.99.
    """
    made, rng, n = RangeGrid(epsilon, {"a": 12, "b": 9}), np.random.default_rng(seed), 5000
    users = {"a": rng.binomial(11, 0.4, n)}
    users["b"] = (users["a"] + rng.integers(0, 4, n)) % 9
    boxes = [{"a": (2, 8)}, {"a": (2, 5), "b": (3, 6)}, {"a": (4, 4), "b": (5, 5)}, {"b": (0, 3)}]
    squares = np.zeros(len(boxes))
    for run in range(80):
        found = made.estimate(made.empty(True).update(made.privatize(users, seed + run)))
        for place, box in enumerate(boxes):
            held = [(first <= users[x]) & (users[x] <= last) for x, (first, last) in box.items()]
            row = found.count(box)
            squares[place] += ((row.value - np.all(held, axis=0).sum()) / row.std_error) ** 2
    # The marginal of an attribute is over a padded tree: its error may be a little less.
    assert float(chi2.ppf(5e-10, 80)) * 0.7 < squares.min()
    assert squares.max() < float(chi2.isf(5e-10, 80)) * 1.1


def test_boxes_agree_with_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = RangeGrid(1.0, SIZES, 2)
    users = {name: rng.integers(0, k, 3000) for name, k in SIZES.items()}
    found = made.estimate(made.empty(simulated=True).update(made.privatize(users, seed)))
    whole = found.count({"a": (0, 3), "b": (0, 1)}).value
    parts = [found.count({"a": (v, v), "b": (w, w)}).value for v in range(4) for w in range(2)]
    assert sum(parts) == pytest.approx(whole)
    halves = [found.count({"a": ends}).value for ends in ((0, 1), (2, 4))]
    # All values and the leaves beyond them sum to n.
    beyond = 3000 - sum(halves)
    assert abs(beyond) < 8 * found.count({"a": (0, 1)}).std_error


def test_boxes_are_estimated_with_their_errors(seed: int) -> None:
    """Null: the stated errors; 12 boxes, each within 8 standard errors: level below 2e-14."""
    rng = np.random.default_rng(seed)
    users = pd.DataFrame({"a": rng.integers(0, 5, AT_A_TIME + 999), "b": 1})
    users["b"] = (users["a"] + rng.integers(0, 2, len(users))) % 3
    made = RangeGrid(2.0, SIZES)
    found = made.estimate(made.empty(simulated=True).update(made.privatize(users, seed)))
    for box in BOXES:
        inside = np.ones(len(users), dtype=bool)
        for name, (first, last) in box.items():
            inside &= ((first <= users[name]) & (users[name] <= last)).to_numpy()
        row = found.count(box)
        assert abs(row.value - inside.sum()) <= 8 * row.std_error
        assert 0 <= row.low <= row.high <= found.n
    assert found.count({}).value == found.n
    assert found.count({}).std_error == 0
    assert found.count({"a": (1, 2)}).label == "a 1..2, b 0..2"
    assert repr(found) == f"<BoxEstimate of {len(users):,} users: a, b>"
    assert found.count({"a": (1, 2)}, 0.5).high < found.count({"a": (1, 2)}).high


def test_planted_errors_without_the_draw_of_groups_are_too_small(seed: int) -> None:
    """All users hold one record, 200 runs of 400: the planted error is 4 times too small or more.

    Null: the mean square of standardized errors is 1; it is beyond 1 +- 0.8 with a chance below
    1e-9 (chi-square of 200 degrees of freedom), and that of the planted ones is 10 or more.
    """
    made, right, wrong = RangeGrid(3.0, SIZES, 2), [], []
    users = {"a": [1] * 400, "b": [1] * 400}
    for run in range(200):
        state = made.empty(simulated=True).update(made.privatize(users, seed + run))
        row = made.estimate(state).count({"a": (1, 2)})
        right.append((row.value - 400) / row.std_error)
        alone = sum(s.estimate().std_error.max() ** 2 for s in state.states) ** 0.5
        wrong.append((row.value - 400) / alone)
    assert abs(np.mean(np.square(right)) - 1) < 0.8
    assert np.mean(np.square(wrong)) > 1.8


def test_states_are_saved_and_records_come_as_frames(tmp_path: Path) -> None:
    made = RangeGrid(1.0, SIZES)
    columns = {"a": [0, 4, 2], "b": [0, 2, 1]}
    one, other = made.privatize(columns, 5), made.privatize(pd.DataFrame(columns), 5)
    state = made.empty(simulated=True).update(one)
    assert state.to_bytes() == made.empty(simulated=True).update(other).to_bytes()
    state.save(tmp_path / "s")
    assert isinstance(made.estimate(made.load(tmp_path / "s")), BoxEstimate)
    assert made.empty(simulated=True).update(made.privatize({"a": [], "b": []}, 1)).n == 0
    assert hash(made) == hash(RangeGrid(1.0, SIZES))
    assert made.bits_per_report == made.scheme.bits_per_report


def test_the_mechanism_of_a_group_is_the_better_one() -> None:
    assert isinstance(least_variance_of_cells(4.0, 5), GRR)
    assert isinstance(least_variance_of_cells(1.0, UNARY), OUE)
    assert least_variance_of_cells(1.0, UNARY + 1).bits_per_report <= 17
    assert isinstance(least_variance_of_cells(12.0, UNARY + 1), GRR)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, SIZES), "epsilon"),
        ((1.0, ("a", 3)), "attributes: must be a mapping"),
        ((1.0, {}), "attributes"),
        ((1.0, {1: 3}), "attributes: must have texts"),
        ((1.0, {"a": 1}), r"attributes\['a'\]"),
        ((1.0, {"a": 2.0}), r"attributes\['a'\]"),
        ((1.0, SIZES, 0), "fanout"),
        ((1.0, SIZES, True), "fanout"),
        ((1.0, dict.fromkeys("abcd", 9), 2), "number of groups"),
        ((1.0, {"a": 4096, "b": 4096}, 64), "cells of the largest group"),
        ((1.0, SIZES, 2, int), "make"),
    ],
)
def test_no_such_grid(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RangeGrid(*arguments)


def test_other_records_states_and_boxes_are_refused() -> None:
    made = RangeGrid(1.0, SIZES)
    records: Any  # no type would let all of these pass
    for records in ({"a": [1]}, {"a": [5], "b": [0]}, {"a": [1, 2], "b": [0]}, None, [1], "a"):
        with pytest.raises(DomainError, match="records"):
            made.privatize(records)
    state = made.empty(simulated=True).update(made.privatize({"a": [1], "b": [0]}, 1))
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        RangeGrid(2.0, SIZES).estimate(state)
    with pytest.raises(ParameterError, match=r"state: must have reports on each of .* groups; of"):
        made.estimate(made.empty())
    with pytest.raises(ParameterError, match="state: must be of the class"):
        made.estimate(None)  # type: ignore[arg-type]  # what is wrong
    found = made.estimate(state)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"c": (0, 1)}, "ranges: must be of a, b"),
        ({"a": 3}, "a: must be"),
        ({"a": (3, 2)}, r"a\[1\]"),
        ({"a": (0, 5)}, r"a\[1\]"),
        ({"a": (0.0, 1)}, r"a\[0\]"),
    ]
    for given_, message in wrong:
        with pytest.raises(ParameterError, match=message):
            found.count(given_)
    with pytest.raises(ParameterError, match="level"):
        found.count({}, 1.0)
    with pytest.raises(ParameterError, match="ranges: must be a mapping"):
        found.count(None)  # type: ignore[arg-type]  # what is wrong
