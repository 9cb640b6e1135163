"""Explicit tables: rounding that keeps the claim, and the estimator of what is then drawn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.language import Matrix
from ldp_verified.prove.enumeration.expand import expand_form
from ldp_verified.prove.enumeration.table_facts import LinearEstimator
from ldp_verified.prove.enumeration.table_facts import left_inverse as enumerated_left_inverse
from ldp_verified.run.aggregate import LinearOracle
from ldp_verified.run.realize import TableRandomizer
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import MAX_GAP
from ldp_verified.run.realize.tables.left_inverse import left_inverse
from tests.realize import exact
from tests.realize.written_out import Rows, constant_table, power_grids, power_table, tables

F = Fraction
UNIT = 2**64
THREE = [[F(4, 7), F(2, 7), F(1, 7)], [F(1, 4), F(1, 2), F(1, 4)], [F(1, 7), F(2, 7), F(4, 7)]]
EIGHTH = F(1, 8)
WIDE = [[EIGHTH, EIGHTH, F(1, 4), F(1, 4), F(1, 4)], [F(1, 2), *[EIGHTH] * 4]]


def worst(rows: Rows | list[list[Fraction]]) -> Fraction:
    return max((max(column) / min(column) for column in zip(*rows, strict=True)), default=F(1))


def check_table(made: TableRandomizer) -> None:
    """Check that rows are distributions and keep the claim, in exact arithmetic and `decimal`."""
    assert all(sum(row) == 1 for row in made.rows)
    assert all(cell > 0 for row in made.rows for cell in row)
    if made.epsilon:
        assert exact.ln(worst(made.rows)) <= F(made.epsilon)
    assert made.realized_epsilon <= made.epsilon
    if not made.saturated and made.epsilon:
        assert made.gap <= float(MAX_GAP) * made.epsilon


@given(tables())
def test_rational_tables_keep_the_claim_and_are_close(rows: Rows) -> None:
    assume(len(set(rows)) > 1)
    made = constant_table(rows)
    check_table(made)
    # The claim is the least double above the loss of the table as stated.
    assert F(np.nextafter(made.epsilon, 0)) < exact.ln(worst(rows)) <= F(made.epsilon)
    most = len(rows[0]) + 1
    for row, given_row in zip(made.rows, rows, strict=True):
        for cell, stated in zip(row, given_row, strict=True):
            # A row's rest is at most one unit for each of its cells; no row was mixed.
            assert abs(cell - stated) <= F(most, UNIT)


@given(
    st.sampled_from([1e-6, 0.1, 1.0, 5.0, 44.0, 700.0]) | st.floats(1e-6, 700),
    power_grids(),
    st.integers(1, 3),
)
@settings(deadline=None)
def test_tables_in_epsilon_keep_the_claim(
    epsilon: float, powers: tuple[tuple[int, ...], ...], root: int
) -> None:
    t = exact.exp(-epsilon / root)
    rows = [[t**p / sum(t**q for q in row) for p in row] for row in powers]
    loss = exact.ln(worst(rows))
    # Some other table may have this epsilon; the class is told the one of these cells.
    claimed = float(np.nextafter(float(loss), np.inf))
    assume(claimed > 1e-7)
    made = power_table_at(epsilon, claimed, powers, root)
    check_table(made)


def power_table_at(
    epsilon: float, claimed: float, powers: tuple[tuple[int, ...], ...], root: int
) -> TableRandomizer:
    """The table at `epsilon`, said to have epsilon `claimed`."""

    class Told(TableRandomizer):
        def _ball_arguments(self) -> tuple[Any, ...]:
            return ((-balls.ball(epsilon) / root).exp(),)

    return power_table(claimed, powers, root, Told)


@given(tables())
def test_the_estimator_is_the_left_inverse_of_the_realized_table(rows: Rows) -> None:
    """By the enumerator, which shares nothing with it: its own elimination, on fractions."""
    assume(len(set(rows)) > 1)
    made = constant_table(rows)
    written = Matrix([[sympy.Rational(c.numerator, c.denominator) for c in r] for r in made.rows])
    table = expand_form(written, {})
    wanted = enumerated_left_inverse(table)
    if isinstance(wanted, str):
        assert made.oracle.no_estimator is not None
        return
    assert isinstance(wanted, LinearEstimator)
    columns = {
        c.weights: w for c, w in zip(table.columns, zip(*wanted.weights, strict=True), strict=True)
    }
    if max(abs(w) for row in wanted.weights for w in row) > 2**32:
        assert made.oracle.no_estimator is not None
        return
    for y in range(made.outputs):
        column = tuple(int(row[y] * table.denominator) for row in made.rows)
        assert tuple(row[y] for row in made.weights) == columns[column]


@given(tables(), st.integers(0, 10**9), st.data())
def test_the_variance_is_that_of_the_table(rows: Rows, n: int, data: st.DataObject) -> None:
    assume(len(set(rows)) > 1)
    made = constant_table(rows)
    assume(made.oracle.no_estimator is None)
    parts = data.draw(st.lists(st.integers(0, 9), min_size=made.k, max_size=made.k))
    assume(sum(parts))
    shares = [F(part, sum(parts)) for part in parts]
    wanted = []
    for v in range(made.k):
        total = F(0)
        for x, share in enumerate(shares):
            mean = sum(p * w for p, w in zip(made.rows[x], made.weights[v], strict=True))
            square = sum(p * w * w for p, w in zip(made.rows[x], made.weights[v], strict=True))
            assert mean == (x == v)
            total += share * (square - mean**2)
        wanted.append(float(n * total))
    assert made.variance(n, shares).tolist() == wanted


@pytest.mark.parametrize("rows", [THREE, WIDE], ids=["3x3", "2x5"])
@pytest.mark.parametrize("width", [5, 8, 10])
def test_the_sampler_draws_the_realized_table(rows: list[list[Fraction]], width: int) -> None:
    made = constant_table(rows)
    (realization, *_) = made.realizations(width)
    unit = 2**width
    table = made.table(realization)
    assert exact.ln(realization.worst_ratio) <= F(made.epsilon)
    assert realization.worst_ratio == max(F(max(c), min(c)) for c in zip(*table, strict=True))
    for x, row in enumerate(table):
        law = exact_distribution(made.sampler(realization), x, horizon=1)
        assert law.unresolved == 0
        assert law.probabilities == {(y,): F(words, unit) for y, words in enumerate(row)}


def test_the_table_in_use_is_the_sum_of_its_thresholds() -> None:
    made = constant_table(THREE)
    assert len(made.thresholds) == 9
    assert made.rows[0] == tuple(F(words, UNIT) for words in made.thresholds[:3])
    assert [made.pmf(y, 1) for y in range(3)] == list(made.rows[1])
    assert made.bits_per_report == 2
    assert made.ideal_rows[0] == (4 / 7, 2 / 7, 1 / 7)


# --- planted mistakes --------------------------------------------------------------------------


class RoundsTheWrongWay(TableRandomizer):
    """Smallest cells of a column down, largest up: every tight ratio grows."""

    def _rounded(self, table: Any, width: int) -> list[list[int]]:
        rows = super()._rounded(table, width)
        low, high = [[f(c) for c in zip(*table, strict=True)] for f in (min, max)]
        for row, cells in zip(rows, table, strict=True):
            up = next(y for y, cell in enumerate(cells) if cell == high[y])
            down = next(y for y, cell in enumerate(cells) if cell == low[y])
            row[up] += 1 << (width - 22)  # more than any mixture makes good
            row[down] -= 1 << (width - 22)
        return rows


def test_rounding_the_wrong_way_is_refused_and_the_gap_named() -> None:
    rows = [[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]]
    with pytest.raises(ParameterError, match=r"every rounding exceeds it, the best by a share"):
        constant_table(rows, RoundsTheWrongWay)
    assert constant_table(rows).gap < 1e-15


class EstimatesTheIdeal(TableRandomizer):
    """Takes the left inverse of the table as stated, not as drawn."""

    def _inverse(self) -> Any:
        unit = 3 * 5 * 7 * 2**4
        return left_inverse(tuple(tuple(int(c * unit) for c in r) for r in self._claimed), unit)


def test_the_estimator_of_the_stated_table_is_caught_as_biased() -> None:
    with pytest.raises(ParameterError, match="inverse: must be unbiased"):
        _ = constant_table(THREE, EstimatesTheIdeal).oracle
    right = constant_table([[F(3, 4), F(1, 4)], [F(1, 2), F(1, 2)]], EstimatesTheIdeal)
    assert isinstance(right.oracle, LinearOracle)  # binary fractions are drawn as stated


def test_cells_next_to_the_largest_are_realized_too() -> None:
    """Two cells of a column less than a word apart: plain rounding may put the wrong one on top."""
    near = F(1, 2**70)
    rows = [[F(2, 3), F(1, 3)], [F(2, 3) - near, F(1, 3) + near], [F(1, 3), F(2, 3)]]
    check_table(constant_table(rows))


# --- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [F(0), F(-1, 4)])
def test_a_cell_that_is_not_positive_is_named(cell: Fraction) -> None:
    with pytest.raises(ParameterError, match=r"epsilon is infinite: P\(y = 1 \| x = 1\)"):
        constant_table([[F(1, 2), F(1, 2)], [1 - cell, cell]])


def test_dependent_rows_have_no_estimator_but_reports() -> None:
    made = constant_table([[F(1, 3), F(2, 3)], [F(2, 3), F(1, 3)], [F(1, 2), F(1, 2)]])
    state = made.aggregate(made.privatize([0, 1, 2, 2], 1), simulated=True)
    assert state.n == 4
    assert state.counts.sum() == 4
    for attempt in (state.estimate, lambda: made.weights, lambda: made.variance(4, [1, 0, 0])):
        with pytest.raises(ParameterError, match=r"estimator: does not exist: the 3 x 2 table has"):
            attempt()


def test_rows_that_depend_up_to_rounding_have_no_estimator() -> None:
    third = [[F(1, 3), F(1, 3), F(1, 3)], [F(1, 6), F(1, 6), F(2, 3)], [F(1, 4), F(1, 4), F(1, 2)]]
    reason = constant_table(third).oracle.no_estimator
    assert reason is not None
    assert "up to the rounding" in reason or "rank 2 < 3" in reason


@pytest.mark.parametrize(
    "shares", [[1, 0], [0.5, 0.5, 0.5], [1, 0, -1e-3], "100", 0.5, [0.5, 0.5, None]]
)
def test_what_are_no_shares(shares: Any) -> None:
    with pytest.raises(ParameterError, match="shares"):
        constant_table(THREE).variance(10, shares)
