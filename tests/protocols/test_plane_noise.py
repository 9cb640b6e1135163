"""Noise on a grid: private by distance over all cells and reports, exactly; and what is drawn."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import PlaneNoise
from ldp_verified.protocols.plane_noise import Cell
from ldp_verified.run.realize.tables import balls
from tests.broken.plane_noise import LEAKY, Law, grid, honest
from tests.protocols.refusals import ODD, made_or_refused
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

SMALL = PlaneNoise(math.log(2), 4, 3)


def distance(x: Cell, other: Cell) -> int:
    """The L1 distance."""
    return abs(x[0] - other[0]) + abs(x[1] - other[1])


def largest_step(made: PlaneNoise, law: Law) -> Fraction | None:
    """The largest P(y|x)/P(y|x') of two cells one step apart; None if infinite.

    A longer way is a sum of such steps, so the bound of any distance follows.
    """
    laws = {x: law(made, x) for x in grid(made)}
    assert all(sum(each.values()) == 1 for each in laws.values())
    worst = Fraction(0)
    for x, own in laws.items():
        for other, theirs in laws.items():
            if distance(x, other) != 1:
                continue
            for y, chance in own.items():
                if not theirs.get(y):
                    return None
                worst = max(worst, chance / theirs[y])
    return worst


def test_it_is_private_by_distance_over_all_cells() -> None:
    """P(y|x) <= alpha^-d P(y|x') for all pairs, reached by some report of each pair."""
    laws = {x: honest(SMALL, x) for x in grid(SMALL)}
    alphas = [axis.alpha for axis in SMALL.axes]
    for x, own in laws.items():
        for other, theirs in laws.items():
            ways = [abs(a - b) for a, b in zip(x, other, strict=True)]
            bound = alphas[0] ** -ways[0] * alphas[1] ** -ways[1]
            assert max(own[y] / theirs[y] for y in own) == bound
    assert all(alpha >= 0 and 1 / alpha <= 2 + Fraction(1, 1 << 50) for alpha in alphas)
    assert largest_step(SMALL, honest) == 1 / min(alphas)


@pytest.mark.parametrize("name", LEAKY)
def test_laws_that_are_not_private_by_distance_are_refuted(name: str) -> None:
    found = largest_step(SMALL, LEAKY[name])
    assert found is None or found > 1 / min(axis.alpha for axis in SMALL.axes), found


@pytest.mark.parametrize("x", [(0, 0), (1, 1), (3, 1)])
@covers(SAMPLER, "PlaneNoise")
def test_reports_have_the_law_of_both_axes(x: Cell, seed: int) -> None:
    """Null: 60,000 reports have the exact law: chi-square with 11 degrees, level 1e-10 each.

    A cell whose chance of 0.02 or more is off by a tenth is missed with less than 1 percent.
    """
    n = 60_000
    reports = SMALL.privatize(np.full((n, 2), x), seed)
    assert reports.simulated
    counted = np.zeros((4, 3))
    np.add.at(counted, tuple(reports.data.T.astype(np.int64)), 1)
    wanted = n * np.array([[float(SMALL.pmf((c, r), x)) for r in range(3)] for c in range(4)])
    assert float(((counted - wanted) ** 2 / wanted).sum()) <= chi2.isf(1e-10, 11)


def costs_at_most(alpha: Fraction, epsilon: float) -> bool:
    """Whether 1/alpha <= e^epsilon."""
    return balls.decide(lambda: balls.ball(1 / alpha) <= balls.ball(Fraction(epsilon)).exp())


@covers(RANGE, "PlaneNoise")
@settings(deadline=None, max_examples=40)
@given(epsilon=EPSILONS, columns=st.integers(2, 300), rows=st.sampled_from([2, 7, 1 << 20]))
def test_a_step_costs_what_is_claimed(epsilon: float, columns: int, rows: int) -> None:
    made = made_or_refused(PlaneNoise, {"epsilon": epsilon, "columns": columns, "rows": rows})
    if made is None:
        assert epsilon < 1e-6 or epsilon * max(columns, rows) > 40
        return
    for axis in made.axes:
        assert costs_at_most(axis.alpha, epsilon)
    assert 0 < made.realized_epsilon <= epsilon


@pytest.mark.parametrize("argument", ["epsilon", "columns", "rows"])
@pytest.mark.parametrize("value", [*ODD, 0])
def test_odd_parameters_are_refused(argument: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=f"{argument}: must .*, got "):
        PlaneNoise(**{"epsilon": 1.0, "columns": 4, "rows": 3} | {argument: value})


CELLS: list[Any] = [
    [], [[0, 3]], [[4, 0]], [[-1, 0]], [[0.0, 1.0]], [0, 1], [[0, 1, 2]], [[0], [1, 2]], "a", None,
    [[True, False]], [["0", "1"]],
]  # fmt: skip


@pytest.mark.parametrize("cells", CELLS)
def test_a_cell_outside_the_grid_is_refused_and_not_shown(cells: Any) -> None:
    said = r"cells: must (lie on the grid|be integers|be a number or an array)"
    with pytest.raises(DomainError, match=said) as refused:
        SMALL.privatize(cells)
    got = refused.value.got
    assert got is refused.value._MISSING or isinstance(got, type)


def test_the_radius_holds_the_share_of_the_noise(seed: int) -> None:
    """Null: as many of 40,000 reports as are said lie within; normal approximation, 6.5 sigma.

    Level 8e-11; a share that is off by 0.011 is missed with 2 percent.
    """
    made, n = PlaneNoise(0.5, 201, 201), 40_000
    data = made.privatize(np.full((n, 2), 100), seed).data.astype(np.int64)
    ways = np.abs(data - 100).sum(axis=1)
    a = float(made.axes[0].alpha)
    for chance in (0.5, 0.9, 0.95):
        radius = made.radius(chance)
        exact = sum(((1 - a) / (1 + a)) ** 2 * a**d * max(1, 4 * d) for d in range(radius + 1))
        last = ((1 - a) / (1 + a)) ** 2 * a**radius * 4 * radius
        assert exact - last < chance <= exact
        assert abs(np.mean(ways <= radius) - exact) <= 6.5 * (exact * (1 - exact) / n) ** 0.5
    assert made.radius(0) == 0
    for wrong in (1, -0.1, "a"):
        with pytest.raises(ParameterError, match="chance"):
            made.radius(wrong)  # type: ignore[arg-type]  # what is to be refused
    with pytest.raises(ParameterError, match="y: must"):
        made.pmf((201, 0), (0, 0))


def test_means_of_both_axes_are_unbiased(seed: int) -> None:
    """Null: means 3.5 and 0.5, most users in corners. n = 40000; beyond 8 errors with 1e-15."""
    made = PlaneNoise(1.0, 5, 3)
    cells = np.repeat([[4, 0], [4, 1], [2, 1]], [20_000, 10_000, 10_000], axis=0)
    sent = made.privatize(cells, seed)
    for state, part, mean in zip(
        made.empty(simulated=True), made.by_axis(sent), cells.mean(axis=0), strict=True
    ):
        found = state.update(part).estimate()
        assert found.n == 40_000
        assert abs(found.mean - mean) < 8 * found.worst_std_error
        assert found.worst_std_error < 0.03


def test_the_parts_of_reports_are_those_of_the_axes() -> None:
    """Each report of an axis stands for the cell that was reported, over the whole grid."""
    made = PlaneNoise(math.log(2), 4, 3)
    cells = np.array([[x, y] for x in range(4) for y in range(3)])
    across, down = made.by_axis(made.reports(cells, simulated=False))
    first, second = made.axes
    for (x, y), one, other in zip(cells.tolist(), across.data, down.data, strict=True):
        assert made.pmf((x, y), (1, 0)) == first.pmf(int(one), 1) * second.pmf(int(other), 0)


@pytest.mark.parametrize(
    "data",
    [
        [[4, 0]],
        [[0, 3]],
        [[-1, 0]],
        [[0.5, 1]],
        [[0]],
        [0, 1],
        "01",
        None,
        np.ma.masked_array([[0, 1]], mask=[[True, False]]),
    ],
)
def test_arrays_that_are_no_reports_are_refused(data: Any) -> None:
    with pytest.raises(ReportError, match="data"):
        SMALL.reports(data, simulated=False)


def test_reports_of_others_have_no_axes() -> None:
    other = PlaneNoise(math.log(2), 3, 4)
    with pytest.raises(ReportError):
        SMALL.by_axis(other.privatize([[0, 0]], 1))
