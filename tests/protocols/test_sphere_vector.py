"""Vectors in a ball: the table at small sizes, the sampler, means within the proof, refusals."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.check.conformance.numeric import bernstein
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import Matrix, load
from ldp_verified.protocols import SphereVector
from ldp_verified.protocols.sphere_gain import NEAR_BEST, best_cap, half_mean
from ldp_verified.run.kernels.directions import nearness
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

SPECS = {mechanism.name: mechanism for mechanism in load("sphere_vector")}


def masses(made: SphereVector, favoured: frozenset[int]) -> list[Fraction]:
    """P(direction), of a set of favoured ones: ranks count the favoured ones first."""
    ranked = [*favoured, *({*range(made.directions)} - favoured)]
    return [made.pmf(ranked.index(y)) for y in range(made.directions)]


@pytest.mark.parametrize("lines", [1, 2, 3])
def test_all_sets_of_favoured_directions_are_private_and_the_bound_is_attained(lines: int) -> None:
    """Whatever the lines are and however products are rounded: all sets of m of the K."""
    made = SphereVector(1.0, 7, lines=lines)
    sets = combinations(range(made.directions), made.favoured)
    rows = [masses(made, frozenset(each)) for each in sets]
    assert all(sum(row) == 1 for row in rows)
    worst = max(p / q for one in rows for two in rows for p, q in zip(one, two, strict=True))
    assert worst == made.u
    assert math.log(worst) <= made.realized_epsilon <= made.epsilon


@pytest.mark.parametrize("lines", [1, 2, 3, 4])
def test_the_classes_of_two_sets_are_the_spec_at_the_numbers_of_the_class(lines: int) -> None:
    """All overlaps of two sets: four specs, of which each has the classes that are not empty."""
    made = SphereVector(1.5, 4, lines=lines)
    m, size = made.favoured, made.directions
    for both in range(max(0, 2 * m - size), m):
        neither, own = size - 2 * m + both, m - both
        if both:
            name = "favoured_sets" if neither else "favoured_cover"
        else:
            name = "favoured_apart" if neither else "favoured_halves"
        table = SPECS[name].algebraic_table
        at = {"u": made.u, "a": both, "e": own, "c": neither}
        assert isinstance(table, Matrix)
        values = {symbol: at[symbol.name] for symbol in SPECS[name].variables}
        first = frozenset(range(m))
        second = frozenset(range(own, own + m))
        for row, favoured in zip(table.rows, (first, second), strict=True):
            law = masses(made, favoured)
            for cell, label in zip(row, table.outputs, strict=True):
                held = {"in both": first & second, "in S only": first - second}
                held |= {"in S' only": second - first}
                held |= {"in neither": frozenset(range(size)) - first - second}
                wanted = sum((law[y] for y in held[label]), Fraction(0))
                assert Fraction(str(cell.subs(values))) == wanted


@covers(SAMPLER, "SphereVector")
def test_ranks_are_those_of_the_vector_that_is_sent() -> None:
    """At epsilon = 40 another direction than the nearest one has a chance below 10^-15 each."""
    made = SphereVector(40.0, 5, radius=2.0, lines=4)
    value = np.array([3.0, 0, -4, 0, 0]) / 5
    seeds, named = made.split(made.privatize(np.tile(2 * value, (2000, 1))).data)
    assert made.favoured == 1
    near = nearness(np.tile(value, (2000, 1)), seeds, 4)
    line = np.abs(near).argmax(axis=1)
    away = near[np.arange(2000), line] < 0
    assert named.tolist() == (2 * line + away).tolist()
    turned = made.split(made.privatize(np.tile(-2 * value, (2000, 1))).data)
    near = nearness(np.tile(value, (2000, 1)), turned[0], 4)
    assert (turned[1] % 2).tolist() == (near[np.arange(2000), turned[1] // 2] > 0).tolist()


@pytest.mark.parametrize(("d", "lines"), [(1, 1), (2, None), (3, 1), (16, None), (100, 2)])
@pytest.mark.parametrize("length", [0.0, 0.3, 1.0])
def test_means_of_many_users_fall_where_the_proof_says(
    d: int, lines: int | None, length: float
) -> None:
    """Null: unbiased, |report| = radius/gain. Level 1e-10 by Bernstein's inequality, n = 20,000.

    Along the vector, and along the first axis: a coordinate's variance is at most that of all.
    """
    made, n = SphereVector(2.0, d, radius=4.0, lines=lines), 20_000
    value = np.where(np.arange(d) % 2, -1.0, 2.0)
    value *= 4 * length / np.linalg.norm(value)
    state = made.aggregate(made.privatize(np.tile(value, (n, 1))))
    found, size = state.estimate(), 4 / made.gain
    off = found.means - value
    unit = value / np.linalg.norm(value) if length else np.eye(d)[0]
    for along in (off @ unit, off[0]):
        assert bernstein(abs(along), made.variance(4 * length), 2 * size, n) > 1e-10
    # All squares together are exactly those of vectors of one length, up to rounding.
    assert sum(state.squares) / n == pytest.approx(1 << 30, rel=1e-6)
    stated = (found.std_errors**2).sum() * n + (found.means**2).sum()
    assert size**2 * (1 - 1e-6) <= stated <= size**2 * 1.05


def test_one_line_is_the_mechanism_of_duchi_jordan_and_wainwright() -> None:
    """Duchi et al. 2018: the half space of the vector with chance e^eps/(e^eps + 1)."""
    made = SphereVector(1.0, 20, lines=1)
    assert (made.directions, made.favoured) == (2, 1)
    assert made.gain == pytest.approx(math.tanh(made.realized_epsilon / 2) * half_mean(20))


@given(EPSILONS, st.integers(1, 300))
@settings(deadline=None, max_examples=30)
@covers(RANGE, "SphereVector")
def test_the_realized_epsilon_never_exceeds_the_claim(epsilon: float, d: int) -> None:
    made = SphereVector(epsilon, d)
    assert made.gap >= 0
    assert made.saturated or made.gap <= epsilon * 2.0**-20
    assert pickle.loads(pickle.dumps(made)) == made
    at_best = best_cap(made.realized_epsilon, d)
    assert made.worst_variance * at_best.gain**2 >= 1 - 1e-6


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 4.0, 6.0])
@pytest.mark.parametrize("d", [2, 10, 1000])
def test_default_lines_are_near_the_best_cap(epsilon: float, d: int) -> None:
    made = SphereVector(epsilon, d)
    assert 1 - 1e-6 <= made.worst_variance / made.least_variance <= NEAR_BEST + 1e-6
    lines = int(made.lines or 0)
    if lines > 1:
        fewer = SphereVector(epsilon, d, lines=lines // 2)
        assert fewer.worst_variance / made.least_variance > NEAR_BEST - 1e-6


def test_a_vector_as_long_as_rounding_makes_it_is_taken() -> None:
    made = SphereVector(1.0, 3, radius=7.0)
    value = np.array([1.0, 1, 1]) / np.sqrt(3) * 7.0 * (1 + 1e-13)
    assert len(made.privatize(value)) == 1
    assert len(made.privatize([1e-200, 0, 0])) == len(made.privatize([0, 0, 0])) == 1


@pytest.mark.parametrize("bad", [[(), ()], np.empty((5, 0)), np.empty((2, 2, 0))])
def test_vectors_without_coordinates_are_no_users(bad: Any) -> None:
    """They were 0 reports, so that users vanished; only an empty batch is that."""
    with pytest.raises(DomainError, match="values: must have"):
        SphereVector(1.0, 3).privatize(bad, rng=1)
    empty: list[Any] = [[], np.empty((0, 3)), np.empty(0)]
    for none in empty:
        assert len(SphereVector(1.0, 3).privatize(none, rng=1)) == 0


@pytest.mark.parametrize(
    "bad", [[0.8, 0.7], [0.5], [[0, 0, 0]], [[0, math.nan]], [math.inf, 0], ["a", "b"], 0.5]
)
def test_bad_vectors_are_refused(bad: Any) -> None:
    with pytest.raises(DomainError):
        SphereVector(1.0, 2).privatize(bad)


@pytest.mark.parametrize(
    "arguments",
    [
        (0, 2),
        (1.0, 0),
        (1.0, 1 << 15),
        (1.0, 2.5),
        (1.0, 2, 0.0),
        (1.0, 2, -1.0),
        (1.0, 2, math.inf),
        (1.0, 2, "1"),
        (1.0, 2, 1.0, 0),
        (1.0, 2, 1.0, 129),
        (1e-300, 2),
    ],
)
def test_bad_parameters_are_refused(arguments: Any) -> None:
    with pytest.raises(ParameterError):
        SphereVector(*arguments)


@pytest.mark.parametrize("bad", [[0], np.array([1.0]), np.array([255], dtype=np.uint64)])
def test_bad_reports_are_refused(bad: Any) -> None:
    with pytest.raises(ReportError):
        SphereVector(1.0, 2).reports(bad, simulated=False)
    made = SphereVector(1.0, 2)
    for what, asked in ((made.pmf, made.directions), (made.pmf, -1)):
        with pytest.raises(ParameterError, match="rank"):
            what(asked)
    for length in (-0.1, 1.1):
        with pytest.raises(DomainError, match="length"):
            made.variance(length)


def test_unit_vectors_in_single_precision_are_as_long_as_the_radius() -> None:
    made = SphereVector(2.0, 1000, radius=3.0)
    held = np.random.default_rng(1).standard_normal((500, 1000), dtype=np.float32)
    held *= np.float32(3) / np.linalg.norm(held, axis=1, keepdims=True)
    assert np.linalg.norm(held.astype(np.float64), axis=1).max() > 3 * (1 + 1e-9)
    assert len(made.privatize(held, rng=1)) == 500
    for wrong in (held.astype(np.float64), held * np.float32(1.01)):
        with pytest.raises(DomainError, match="must have length at most 3"):
            made.privatize(wrong, rng=1)
