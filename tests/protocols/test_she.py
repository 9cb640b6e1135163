"""SHE: realized epsilon, unbiased sums, merging, refusals."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified import SUE
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import SHE, threshold_encoding
from ldp_verified.run.kernels.seeds import word_source
from tests.strategies import EPSILONS


@given(EPSILONS, st.integers(2, 1 << 20))
def test_the_realized_epsilon_never_exceeds_the_claim(epsilon: float, k: int) -> None:
    made = SHE(epsilon, k)
    assert made.gap >= 0
    assert made.saturated or made.gap <= epsilon * 2.0**-20
    assert made.realized_epsilon >= made.number.realized_epsilon
    assert made.variance(3) > 0
    assert pickle.loads(pickle.dumps(made)) == made
    assert f"epsilon={epsilon!r}" in repr(made)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.5, 1.0, 10.0, 700.0])
def test_the_variance_is_that_of_the_paper(epsilon: float) -> None:
    """n 8/eps^2 up to a share 10^-6; and the same for own and other values."""
    made = SHE(epsilon, 5)
    assert made.variance(100) * epsilon**2 / 800 == pytest.approx(1, abs=1e-6)
    assert made.number.variance(0) == made.number.variance(1)
    assert made.variance(0) == 0


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 2.0, 4.0])
def test_others_at_the_same_epsilon_have_less_variance(epsilon: float) -> None:
    """SUE, and THE at f = 0, have less variance, as docs/sketches.md says."""
    ours = SHE(epsilon, 4).variance(1)
    assert max(SUE(epsilon, 4).variance(1, f) for f in (0.0, 0.5, 1.0)) < ours / 2
    assert 0.5 < threshold_encoding(epsilon, 4).variance(1, 0.0) / ours < 0.65


@pytest.mark.parametrize(("epsilon", "better"), [(2.72, False), (2.74, True), (8.0, True)])
def test_for_what_everybody_holds_it_is_better_than_thresholds(
    epsilon: float, better: bool
) -> None:
    theirs = threshold_encoding(epsilon, 4).variance(1, 1.0)
    assert (SHE(epsilon, 4).variance(1) < theirs) is better


@pytest.mark.parametrize("grid", [1, 2, 3])
def test_reports_stand_for_their_bits_on_average(grid: int) -> None:
    """Exactly: the sum over a number's outputs of mass times what it stands for is 0 or 1."""
    number = SHE(200.0, 2, grid=grid).number
    values = [number.decoding.value(y) for y in range(number.outputs)]
    for i, mean in ((0, 0), (number.steps, 1)):
        masses = [number.pmf(y, i) for y in range(number.outputs)]
        assert sum(masses) == 1
        assert sum(p * v for p, v in zip(masses, values, strict=True)) == mean


def test_the_probability_of_a_report_is_a_product() -> None:
    made = SHE(8.0, 3, grid=1)
    size = range(made.number.outputs)
    some = [(0, 1, 2), (made.number.outputs - 1, 0, made.number.outputs - 2)]
    for y in some:
        for x in range(3):
            parts = [made.number.pmf(each, int(v == x)) for v, each in enumerate(y)]
            assert made.pmf(y, x) == math.prod(parts)
    whole = sum(made.number.pmf(y, 0) for y in size)
    assert whole == 1
    ratios = [made.pmf(y, 0) / made.pmf(y, 1) for y in ((0, 1, 2), *some)]
    assert max(ratios) <= (1 / made.number.alpha) ** 2
    with pytest.raises(ReportError, match="shape"):
        made.pmf((0, 0), 1)
    odd: list[Any] = [np.array(0.5), np.zeros((1, 3), np.int64), np.ma.array([0, 0, 0])]
    for wrong in odd:
        with pytest.raises(ReportError, match="y"):
            made.pmf(wrong, 1)


def test_sums_are_exact_on_reports_written_by_hand() -> None:
    """Both ends, and a cell, decoded one by one."""
    made = SHE(1.0, 3, grid=4)
    d = made.number.decoding
    rows = [[0, d.cells, d.cells + 1], [5, d.cells - 1, d.cells + 1], [d.cells, 7, 1]]
    data = np.array(rows, dtype=made.sampler().dtype)
    state = made.aggregate(
        [made.reports(data[:1], simulated=False), made.reports(data[1:], simulated=False)]
    )
    wanted = [sum((d.value(row[v]) for row in rows), Fraction(0)) for v in range(3)]
    assert list(state.sums()) == wanted
    assert state.estimate().counts.tolist() == [float(total) for total in wanted]
    assert state.n == 3
    assert not state.simulated


def test_counts_of_many_users_fall_where_the_proof_says() -> None:
    """Null: unbiased, with the stated variance. n = 20,000, k = 5, level below 10^-9.

    The estimate is a sum of n independent noises, each Laplace up to 10^-6: by Bernstein's
    inequality for such tails, P(|error| > t) <= 2 exp(-t^2/(2 (n V + 2 b t))), with b = 2/eps.
    """
    made = SHE(1.0, 5, categories=["a", "b", "c", "d", "e"])
    true = np.array([12_000, 5_000, 2_000, 1_000, 0])
    users = [label for label, count in zip("abcde", true, strict=True) for _ in range(count)]
    found = made.aggregate(made.privatize(users)).estimate()
    n, b, v = 20_000, 2.0, made.variance(1)
    for error in np.abs(found.counts - true):
        bound = 2 * math.exp(-(error**2) / (2 * (n * v + 2 * b * error)))
        assert bound > 1e-9 / 5
    assert found.std_error == pytest.approx(math.sqrt(8 * n), rel=1e-6)
    assert found.shares == pytest.approx(found.counts / n)
    low, high = found.interval(0.99)
    assert ((low >= 0) & (high <= n) & (low <= high)).all()
    with pytest.raises(ParameterError, match="level"):
        found.interval(1.0)


def test_whole_reports_are_drawn_from_one_stream_of_words() -> None:
    """By the kernel of rows in plain Python; where it has no tables, number by number."""
    values = np.arange(999) % 3
    for grid in (None, 1 << 12):
        made = SHE(1.0, 3, grid)
        whole = made.privatize(values, word_source(5, "test"))
        words = word_source(5, "test").words(200_000).tolist()
        slots = [0] * (3 * len(values))
        if grid is None:
            assert made._rows is not None
            done, _ = made._rows.fill(values.tolist(), slots, words, *made._rows.constants)
            assert done == len(values)
        else:
            sampler = made.sampler()
            bits = [made.number.steps * int(v == x) for x in values.tolist() for v in range(3)]
            done, _ = sampler.fill(bits, slots, words, *sampler.constants)
            assert done == len(slots)
        assert whole.data.reshape(-1).tolist() == slots
        assert whole.simulated


def test_states_merge() -> None:
    made = SHE(1.0, 3)
    one, two = (
        made.aggregate(made.privatize([0, 1, 1], rng=seed), simulated=True) for seed in (1, 2)
    )
    assert one.merge(two) == two.merge(one)
    assert one.merge(made.empty(simulated=True)) == one
    assert one.merge(two).n == 6
    assert one.simulated
    assert made.empty().estimate().counts.tolist() == [0, 0, 0]
    assert np.isnan(made.empty().estimate().shares).all()
    other = SHE(2.0, 3)
    with pytest.raises(ReportError, match="epsilon"):
        other.aggregate(made.privatize(0))
    with pytest.raises(ReportError, match="epsilon"):
        one.merge(other.empty(simulated=True))
    with pytest.raises(ReportError, match="grid"):
        SHE(1.0, 3, grid=256).aggregate(made.privatize(0))


@pytest.mark.parametrize("bad", [3, -1, 1.0, True, "a", [0, 3], [[0]], [None], math.nan])
def test_bad_values_are_refused(bad: Any) -> None:
    with pytest.raises(DomainError, match="values"):
        SHE(1.0, 3).privatize(bad)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 2), "epsilon"),
        ((math.inf, 2), "epsilon"),
        ((True, 2), "epsilon"),
        ((1e-300, 2), "epsilon"),
        ((5e-324, 2), "epsilon"),
        ((1.0, 1), "k"),
        ((1.0, 2.5), "k"),
        ((1.0, (1 << 20) + 1), "k"),
        ((1.0, 2, 0), "grid"),
        ((1.0, 2, 1.5), "grid"),
        ((1.0, 2, None, ["a"]), "categories"),
    ],
)
def test_bad_parameters_are_refused(arguments: Any, name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}: "):
        SHE(*arguments)


@pytest.mark.parametrize(
    "bad",
    [
        [[0, 0]],
        np.zeros((1, 2)),
        np.zeros((1, 2), dtype=np.int64),
        np.zeros(2, dtype=np.uint16),
        np.zeros((1, 3), dtype=np.uint16),
        np.full((1, 2), 60_000, dtype=np.uint16),
    ],
)
def test_bad_reports_are_refused(bad: Any) -> None:
    with pytest.raises(ReportError):
        SHE(1.0, 2).reports(bad, simulated=False)


def test_no_users_are_a_valid_batch() -> None:
    made = SHE(1.0, 2)
    assert made.privatize([]).data.shape == (0, 2)
    assert made.aggregate(made.privatize([])) == made.aggregate([])
    with pytest.raises(ParameterError, match="n: "):
        made.variance(-1)


@pytest.mark.parametrize("y", [range(10**12), range(10**30), [0] * 4, [0] * 6])
def test_a_report_of_another_length_has_no_probability(y: Any) -> None:
    """A `range` may be longer than memory; no more of it is read than one number too many."""
    with pytest.raises(ReportError, match="y: must have the shape"):
        SHE(1.0, 5).pmf(y, 0)


def test_counts_are_the_exact_sums_rounded_once() -> None:
    for grid, n in ((None, 40), (3, 40), (1 << 20, 1)):
        made = SHE(1.0, 5, grid=grid)
        state = made.aggregate(made.privatize([1] * n))
        wanted = [float(total) for total in state.sums()]
        assert state.estimate().counts.tolist() == wanted
        huge = replace(state, n=1 << 40, totals=tuple((1 << 45) + v for v in range(5)))
        assert huge.estimate().counts.tolist() == [float(total) for total in huge.sums()]
