"""delta of mechanisms of numbers against whole tables: all pairs of grid inputs, all reports."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations
from typing import Any

import pytest

from ldp_verified import (
    Duchi,
    Geometric,
    Hybrid,
    Laplace,
    Piecewise,
    SquareWave,
    Staircase,
    TruncatedGeometric,
)
from ldp_verified.analysis.account import (
    PrivacyLoss,
    composed,
    realized_losses,
    renyi_epsilon,
    worst_delta,
)
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import Gaussian
from ldp_verified.run.realize.real_numbers.geometric import coarser
from ldp_verified.run.realize.tables.divergence import delta_of, dominating, of_windows
from tests.generate.own_lines import example
from tests.mechanisms.against_density import small

LEVELS = [Fraction(1), Fraction(21, 20), Fraction(3, 2), Fraction(5, 2), Fraction(7), Fraction(90)]
EPSILONS = [1e-9, 0.02, 0.4, 0.9, 2.0, 30.0]


def noisy(cls: Any, m: int, reach: int, share: Fraction) -> Any:
    """A geometric class of m steps."""
    return small(cls(1.0), m=m, reach=reach, share=int(share * (1 << 63)))


def stepped(m: int, w: int) -> Any:
    """A staircase of m cells per period, noise folded after 2."""
    made = small(Staircase(1.0), m=m, w=w, share=3 << 61)
    made.__dict__["_periods"] = 2
    return made


SMALL: dict[str, Any] = {
    "duchi": Duchi(1.0),
    "piecewise": small(Piecewise(1.0), m=5, w=3, inside=5, total=8),
    "square wave": small(SquareWave(1.0), m=4, w=4, inside=7, total=9),
    "square wave, wide": small(SquareWave(1.0), m=3, w=7, inside=8, total=9),
    "hybrid": small(Hybrid(1.0), m=5, w=2, sign=None),
    "hybrid below the switch": Hybrid(0.4),
    "geometric": noisy(Geometric, 5, 4, Fraction(3, 4)),
    "truncated": noisy(TruncatedGeometric, 6, 0, Fraction(1, 2)),
    "truncated, two steps": noisy(TruncatedGeometric, 2, 0, Fraction(1, 3)),
    "laplace": noisy(Laplace, 4, 9, Fraction(9, 10)),
    "staircase": stepped(5, 2),
    "staircase, wide": stepped(5, 4),
    "staircase, half": stepped(4, 2),
    "two steps": example("two_steps")[0](1.0, Fraction(1, 4), grid=5, cells=9),
    "tilted": example("tilted")[0](2.0, grid=4, cells=6),
}


def rows(made: Any) -> list[list[Fraction]]:
    return [[made.pmf(y, i) for y in range(made.outputs)] for i in range(made.steps + 1)]


@pytest.mark.parametrize("name", SMALL)
def test_delta_is_the_largest_of_all_pairs(name: str) -> None:
    """Exactly, at rational levels; and rounded up, at epsilons."""
    made = SMALL[name]
    pairs = list(permutations(rows(made), 2))
    worst = [PrivacyLoss(masses) for masses in made.losses()]
    for level in LEVELS:
        exact = max(
            sum((max(Fraction(0), p - level * q) for p, q in zip(*pair, strict=True)), Fraction(0))
            for pair in pairs
        )
        assert exact == max(loss.delta(level) for loss in worst)
    for epsilon in EPSILONS:
        wanted = max(delta_of(zip(*pair, strict=True), epsilon) for pair in pairs)
        if name in ("two steps", "tilted"):
            assert wanted <= made.delta_at(epsilon) <= wanted + 2.0**-38
            assert max(delta_of(masses, epsilon) for masses in made.losses()) == wanted
        else:
            assert made.delta_at(epsilon) == wanted


@pytest.mark.parametrize("name", ["truncated, two steps", "duchi", "square wave"])
def test_no_set_of_reports_tells_more(name: str) -> None:
    made = SMALL[name]
    table, outputs = rows(made), range(made.outputs)
    sets = list(chain.from_iterable(combinations(outputs, n) for n in range(made.outputs + 1)))
    for level in LEVELS:
        by_sets = max(
            sum((one[y] - level * other[y] for y in each), Fraction(0))
            for one, other in permutations(table, 2)
            for each in sets
        )
        assert by_sets == worst_delta(realized_losses(made), level)


@pytest.mark.parametrize("name", ["piecewise", "hybrid", "truncated", "staircase", "two steps"])
def test_two_reports_of_any_pair_are_covered(name: str) -> None:
    """All pairs of grid inputs are covered, and of numbers half-way between neighbours."""
    made = SMALL[name]
    table = rows(made)
    mixed = [[(p + q) / 2 for p, q in zip(a, b, strict=True)] for a, b in pairwise(table)]
    found = realized_losses(made)
    for level in LEVELS:
        bound = worst_delta(found, level, 2)
        for pair in chain(permutations(table[:4], 2), permutations(mixed[:3], 2)):
            assert PrivacyLoss(zip(*pair, strict=True)).repeated(2).delta(level) <= bound


def test_accounting_takes_numbers_like_tables() -> None:
    (loss,) = realized_losses(Piecewise(1.0))
    assert loss.epsilon(0) == pytest.approx(1.0)
    three = composed(loss, 3)
    exact = loss.repeated(3).delta_at(1.5)
    assert three.delta_below(1.5) <= exact <= three.delta(1.5) <= three.delta_below(1.5) + 1e-3
    assert renyi_epsilon(loss, 50, 1e-6) < 50
    (noise,) = realized_losses(Laplace(0.5))
    assert noise.delta_at(0.3) == Laplace(0.5).delta_at(0.3)
    assert noise.delta_at(0.3) < realized_losses(Duchi(0.5))[0].delta_at(0.3)
    gaussian = Gaussian(1.0, 1e-5, grid=4)
    (table,) = realized_losses(gaussian)
    assert table.delta_at(1.0) == gaussian.realized_delta
    with pytest.raises(ParameterError, match="realized table"):
        realized_losses(object())  # type: ignore[arg-type]  # what is refused


@pytest.mark.parametrize("blocks", [1, 2, 3, 6, 7, 20])
@pytest.mark.parametrize("alpha", [Fraction(1, 5), Fraction(3, 4), Fraction(99, 100)])
def test_blocks_of_ratios_are_told_apart_better_and_hardly(blocks: int, alpha: Fraction) -> None:
    """Against the exact losses on a grid of 20 steps, of one report and of two."""
    made = noisy(TruncatedGeometric, 20, 0, alpha)
    exact = PrivacyLoss(made.losses()[0])
    found = PrivacyLoss(coarser(20, made.alpha, blocks))
    both, both_found = exact.repeated(2), found.repeated(2)
    tiny = Fraction(1, 1 << 90)
    for level in (*LEVELS, Fraction(1000), 1 / made.alpha**20):
        assert exact.delta(level) <= found.delta(level)
        assert exact.reversed.delta(level) <= found.reversed.delta(level)
        assert both.delta(level) <= both_found.delta(level)
        if blocks == 20:
            assert found.delta(level) <= exact.delta(level) + tiny
    assert found.ratio is not None
    assert exact.epsilon(0) <= found.epsilon(0) <= exact.epsilon(0) * (1 + 1e-15)


def test_fine_grids() -> None:
    fine = Laplace(100.0)
    assert fine.steps > 1 << 14
    (loss,) = realized_losses(fine)
    for epsilon in (10.0, 50.0, 90.0):
        exact = fine.delta_at(epsilon)
        assert exact <= loss.delta_at(epsilon) <= exact * (1 + 1e-4)
    # The continuous law: 1 - e^((eps - 100)/2).
    assert fine.delta_at(98.0) == pytest.approx(1 - math.exp(-1), rel=1e-2)
    line = example("tilted")[0](1.0)
    with pytest.raises(ParameterError, match="grid, cells: must be small"):
        line.losses()
    # The sign, but for the one node of 1024 between the two halves.
    sign = Duchi(1.0).delta_at(0.5)
    assert sign * 0.999 < line.delta_at(0.5) < sign
    assert line.delta_at(1.0) == 0


@pytest.mark.parametrize("name", SMALL)
def test_delta_ends_at_the_realized_epsilon(name: str) -> None:
    cls = type(SMALL[name])
    made = SMALL[name] if name in ("two steps", "tilted") else cls(2.0)
    assert made.delta_at(made.realized_epsilon) == 0
    assert made.delta_at(made.realized_epsilon * (1 - 1e-6)) > 0
    assert made.delta_at(1e-9) < 1
    for bad in (0, -1, math.nan, True):
        with pytest.raises(ParameterError, match="epsilon"):
            made.delta_at(bad)


def test_windows_that_touch_have_no_rest() -> None:
    inside, outside = Fraction(3, 20), Fraction(1, 10)
    own, rest, other = of_windows(4, 4, inside, outside)
    assert own == (Fraction(3, 5), Fraction(2, 5))
    assert rest == (Fraction(0), Fraction(0))
    assert other == own[::-1]


def test_the_hull_takes_the_best_of_two_pairs() -> None:
    """One pair is worse at small epsilons, the other at large ones."""
    table = [[70, 28, 2], [30, 68, 2], [50, 41, 9]]
    found = PrivacyLoss(dominating(table))
    worst = set()
    for level in (Fraction(i, 4) for i in range(4, 60)):
        each = {
            (i, j): sum(
                (max(Fraction(0), p - level * q) for p, q in zip(a, b, strict=True)), Fraction(0)
            )
            / 100
            for (i, a), (j, b) in permutations(enumerate(table), 2)
        }
        assert found.delta(level) == max(each.values())
        worst.add(max(each, key=lambda pair: each[pair]))
    assert len(worst) > 1
