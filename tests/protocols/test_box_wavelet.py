"""Haar wavelets of boxes: price, counts and their errors, what one report adds, refusals."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import BoxWavelet, RangeWavelet, WaveletBoxes
from tests.broken.boxes import OfOneUserOnEach
from tests.registry import RANGE, covers

if TYPE_CHECKING:
    from pathlib import Path

BOXES = [
    ((2, 8), (0, 8)),
    ((2, 5), (3, 6)),
    ((4, 4), (5, 5)),
    ((0, 11), (0, 3)),
]


def held(pairs: Any, box: Any) -> int:
    """How many users really lie in a box."""
    ends = np.array(box)
    return int(((ends[:, 0] <= pairs) & (pairs <= ends[:, 1])).all(axis=1).sum())


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("box_wavelet").law_hash == BoxWavelet.law_sha256


@covers(RANGE, "BoxWavelet")
@given(
    epsilon=st.floats(1e-6, 700),
    sizes=st.sampled_from([(2, 2), (3, 5), (256, 256), (4096, 16), (2, 1000)]),
)
@settings(max_examples=40, deadline=None)
def test_no_report_costs_more_than_is_wanted(epsilon: float, sizes: tuple[int, int]) -> None:
    made = BoxWavelet(epsilon, sizes)
    assert 0 < made.realized_epsilon <= epsilon
    assert 0 < made.mean_variance(1) < math.inf
    assert made.layout.counters <= 1 << made.bits_per_report


def test_variances_are_what_the_transform_says() -> None:
    """Half of the first value: one coefficient, at 1/2. The mean is that over all boxes."""
    made = BoxWavelet(1.0, (8, 4))
    node = 11 * ((math.e + 1) / (math.e - 1)) ** 2
    assert made.variance(7, (0, 3), (0, 3)) == pytest.approx(7 * node / 4)
    assert made.variance(7, (0, 3), (0, 1)) == pytest.approx(7 * node * (2 / 16 + 1 / 16))
    assert made.variance(7, (0, 7), (0, 3)) == 0
    rows = [(a, b) for a in range(8) for b in range(a, 8)]
    columns = [(a, b) for a in range(4) for b in range(a, 4)]
    every = [made.variance(3, *box) for box in product(rows, columns)]
    assert made.mean_variance(3) == pytest.approx(np.mean(every))


def test_a_marginal_is_a_range_on_some_of_the_users() -> None:
    one, made = RangeWavelet(1.0, 64), BoxWavelet(1.0, (64, 4))
    share = 6 / len(made.pairs)
    found = made.variance(5, (3, 40), (0, 3))
    assert found * share == pytest.approx(one.variance(5, 3, 40))


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_counts_are_unbiased_with_the_stated_error(epsilon: float, seed: int) -> None:
    """Null: errors of a box are normal with at most the stated variance; 100 runs, four boxes.

    The sum of squared standardized errors is at most chi-squared, and so is 100 times the squared
    mean: level 1e-9 for each of 16. Variances may be less by `gain`^2 where users hold few nodes.
    Planted: errors as if every user had reported on all levels are refused at that level.
    """
    made, rng, n = BoxWavelet(epsilon, (12, 9)), np.random.default_rng(seed), 4000
    first = rng.binomial(11, 0.4, n)
    pairs = np.stack([first, (first + rng.integers(0, 4, n)) % 9], axis=1)
    errors, wrong = np.zeros((100, len(BOXES))), np.zeros((100, len(BOXES)))
    for run in range(100):
        found = made.estimate(made.empty(True).update(made.privatize(pairs, seed + run)))
        planted = OfOneUserOnEach(n, found.sizes, found.leaves, found.variances, found.honesty)
        for place, box in enumerate(BOXES):
            row = found.count(*box)
            errors[run, place] = (row.value - held(pairs, box)) / row.std_error
            wrong[run, place] = errors[run, place] * row.std_error / planted.count(*box).std_error
    most = float(chi2.isf(1e-9, 100))
    assert (errors**2).sum(axis=0).max() < most
    assert (errors**2).sum(axis=0).min() > 0.1 * float(chi2.ppf(1e-9, 100))
    assert (100 * errors.mean(axis=0) ** 2).max() < float(chi2.isf(1e-9, 1))
    assert (wrong**2).sum(axis=0).max() > most


def test_boxes_agree_with_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = BoxWavelet(1.0, (8, 4))
    pairs = np.stack([rng.integers(0, 8, 9000), rng.integers(0, 4, 9000)], axis=1)
    found = made.estimate(made.empty(True).update(made.privatize(pairs, seed)))
    whole = found.count((0, 7), (0, 3))
    assert whole.value == pytest.approx(9000)
    assert whole.std_error == 0
    parts = [found.count((v, v), (w, w)).value for v in range(2, 5) for w in range(1, 4)]
    box = found.count((2, 4), (1, 3))
    assert sum(parts) == pytest.approx(box.value)
    assert 0 <= box.low <= box.high <= 9000
    assert box.label == "2..4 x 1..3"
    row = found["3, 2"]
    assert row.value == pytest.approx(found.count((3, 3), (2, 2)).value)
    assert row.std_error == found.count((3, 3), (2, 2)).std_error
    assert repr(found) == "<WaveletBoxes of 9,000 users: 8 x 4 values>"
    assert found.honesty.doubt == ""


@pytest.mark.parametrize("box", [((0, 0), (0, 0)), ((0, 1), (1, 2)), ((1, 3), (0, 3))])
def test_no_report_adds_more_than_is_said(box: Any) -> None:
    """All reports, each added to a state in which every two levels have as many: by differences."""
    made = BoxWavelet(1.0, (4, 4))
    groups = made.layout.k
    one = np.repeat(np.arange(groups) * 2, 2) + np.tile([0, 1], groups)
    base = made.empty(True).update(made.reports(one, simulated=True))
    n, added = base.n, []
    weights = made.estimate(base).count(*box).value / n
    for code in range(2 * groups):
        # One report turned: twice the sign's share, with all numbers of users as they were.
        turned = one.copy()
        turned[code] ^= 1
        state = made.empty(True).update(made.reports(turned, simulated=True))
        added.append((made.estimate(state).count(*box).value - n * weights) / 2)
    influence = made.influence(*box)
    assert max(added) == pytest.approx(float(influence.most) - weights)
    assert min(added) == pytest.approx(float(influence.least) - weights)


def test_states_add_up_and_are_saved(tmp_path: Path) -> None:
    made = BoxWavelet(2.0, (4, 3))
    pairs = [(0, 0), (3, 2), (1, 1)] * 40
    one, two = made.privatize(pairs, rng=1), made.privatize(np.array(pairs), rng=2)
    whole = made.empty(True).update(one).update(two)
    assert made.empty(True).update(one).merge(made.empty(True).update(two)) == whole
    whole.save(tmp_path / "state")
    again = made.load(tmp_path / "state")
    assert again == whole
    assert isinstance(made.estimate(again), WaveletBoxes)


def test_bad_arguments_are_named() -> None:
    wrong: list[tuple[Any, Any, str]] = [
        (0, (2, 2), "epsilon"),
        (1.0, 4, "sizes"),
        (1.0, (2,), r"len\(sizes\)"),
        (1.0, (2, 1), "sizes"),
        (1.0, (2, 2.0), "sizes"),
        (1.0, (512, 256), "bits of both sizes"),
    ]
    for epsilon, sizes, name in wrong:
        with pytest.raises(ParameterError, match=name):
            BoxWavelet(epsilon, sizes)
    made = BoxWavelet(1.0, (4, 3))
    values: Any  # no type would let all of these pass
    for values in ([(4, 0)], [(0, 3)], [0], [(0, 1, 2)], None, [("a", 0)]):
        with pytest.raises(DomainError, match="values"):
            made.privatize(values, rng=1)
    boxes: list[tuple[Any, Any, str]] = [
        ((0, 4), (0, 0), r"rows\[1\]"),
        ((2, 1), (0, 0), r"rows\[1\]"),
        ((0, 1), 2, "columns: must be"),
    ]
    for rows, columns, name in boxes:
        with pytest.raises(ParameterError, match=name):
            made.influence(rows, columns)
        with pytest.raises(ParameterError, match=name):
            made.variance(1, rows, columns)
    few = made.empty(True).update(made.privatize([(1, 1)], rng=1))
    with pytest.raises(
        ParameterError,
        match=r"state: must have reports on each of .* level pairs; of 1 reports none",
    ):
        made.estimate(few)
    with pytest.raises(ParameterError, match="state: must be of this protocol"):
        BoxWavelet(2.0, (4, 3)).estimate(few)


def test_all_users_are_in_the_whole_box_for_sure(seed: int) -> None:
    made = BoxWavelet(0.5, (16, 8))
    for run in range(5):
        reports = made.privatize([(run, 1)] * 3000, rng=seed + run)
        whole = made.estimate(made.empty(True).update(reports)).count((0, 15), (0, 7))
        assert (whole.value, whole.std_error, whole.high) == (3000.0, 0.0, 3000.0)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 1)])
def test_the_box_of_all_leaves_is_known_by_its_ends(sizes: tuple[int, int]) -> None:
    """Another one is estimated from its leaves, whatever the variance."""
    leaves = np.array([[0.5, 0.25], [0.125, 0.0625]])
    found = WaveletBoxes(1000, sizes, leaves, np.zeros((2, 2)))
    whole = 1000.0 if sizes == (2, 2) else 625.0
    assert found.count((0, 1), (0, sizes[1] - 1)).value == whole
    assert found.count((0, 0), (0, 0)).value == 500.0
