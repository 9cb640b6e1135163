"""Duchi's mechanism for vectors: the whole table at small d, the sampler, means, refusals."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.check.conformance.numeric import bernstein
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import LDP, Density, Matrix, Mechanism, exp, load, real
from ldp_verified.protocols import DuchiVector
from ldp_verified.prove.enumeration.concrete_density import concrete
from ldp_verified.prove.verdicts import Status
from ldp_verified.prove.verify import verify
from ldp_verified.run.kernels.corners import corner_sampler
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import SAMPLER, covers
from tests.strategies import EPSILONS

SPEC = load("duchi_vector")[-1]


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_the_whole_table_is_private_tight_and_unbiased(d: int) -> None:
    made = DuchiVector(1.0, d)
    corners = range(1 << d)
    rows = [[made.pmf(t, v) for t in corners] for v in corners]
    assert all(sum(row) == 1 for row in rows)
    worst = max(p / q for one, two in permutations(rows, 2) for p, q in zip(one, two, strict=True))
    assert worst == made.u
    for v, row in enumerate(rows):
        for j in range(d):
            mean = made.length * sum(p * (1 if t >> j & 1 else -1) for t, p in enumerate(row))
            assert mean == (1 if v >> j & 1 else -1)


@pytest.mark.parametrize("d", [1, 2, 7, 8, 61, 62])
def test_a_coordinate_is_the_spec_at_the_numbers_of_the_class(d: int) -> None:
    made = DuchiVector(1.0, d)
    form = SPEC.algebraic_table
    assert isinstance(form, Density)
    values = (made.u, Fraction(1 << d), Fraction(made.near), Fraction(math.comb(d - 1, d // 2)))
    law = concrete(form, dict(zip(SPEC.variables, values, strict=True)), Fraction(1, 3))
    assert law.atoms[1][0] == made.length
    assert float(law.variance) == pytest.approx(made.variance(1 / 3), rel=1e-12)


@pytest.mark.parametrize("d", range(1, 63))
def test_agreements_of_the_near_corners_telescope(d: int) -> None:
    """The sum over near corners of t_j v_j is binomial(d - 1, floor(d/2)), for every d used."""
    near = range(d // 2 + 1, d + 1)
    total = sum(math.comb(d - 1, a - 1) - math.comb(d - 1, a) for a in near)
    assert total == math.comb(d - 1, d // 2)


@covers(SAMPLER, "DuchiVector")
@pytest.mark.parametrize(("d", "inside"), [(1, 5), (2, 5), (3, 3), (2, 7)])
def test_the_sampler_is_the_table(d: int, inside: int) -> None:
    near = DuchiVector(1.0, d).near
    for v in range(1 << d):
        found = exact_distribution(corner_sampler(d, inside, width=3), v, 4)
        assert found.unresolved == 0
        for t in range(1 << d):
            is_near = 2 * (t ^ v).bit_count() < d
            weight = Fraction(inside, 8 * near)
            other = Fraction(8 - inside, 8 * ((1 << d) - near))
            assert found.probabilities[(t,)] == (weight if is_near else other)


def test_machine_code_draws_what_python_draws() -> None:
    made = DuchiVector(1.0, 62)
    values = np.random.default_rng(1).integers(0, 1 << 62, 3000)
    sampler = made.sampler()
    bulk = sampler.draw(values, word_source(7, "test"))
    slots = [0] * 3000
    words = word_source(7, "test").words(20_000).tolist()
    done, _ = sampler.fill(values.tolist(), slots, words, sampler.cuts, sampler.sizes)
    assert done == 3000
    assert bulk.tolist() == slots


def test_ties_on_both_sides_have_a_larger_epsilon() -> None:
    """With an even d as first printed: corners of half the signs have probability 1/|T|."""
    eps = real("eps", above=0)
    u = exp(eps)
    signs = [(a, b) for a in (-1, 1) for b in (-1, 1)]
    dots = [[a * c + b * e for c, e in signs] for a, b in signs]
    near, far = u / (u + 1) / 3, 1 / (u + 1) / 3
    rows = [[{2: near, 0: sympy.Rational(1, 3), -2: far}[dot] for dot in row] for row in dots]
    printed = Mechanism("printed", parameters=[eps], table=Matrix(rows), claims=[LDP(eps)])
    status = {v.obligation: v.status for v in verify(printed, 4, smt=False, coq=False).verdicts}
    assert status["ratio"] is Status.REFUTED
    true = Mechanism(
        "printed",
        parameters=[eps],
        table=Matrix(rows),
        claims=[LDP(sympy.log(u + 1), tight=True)],
    )
    status = {v.obligation: v.status for v in verify(true, 4, smt=False, coq=False).verdicts}
    assert status["ratio"] is status["tight"] is Status.ONE_GROUP


@given(EPSILONS, st.integers(1, 62))
def test_the_realized_epsilon_never_exceeds_the_claim(epsilon: float, d: int) -> None:
    made = DuchiVector(epsilon, d)
    assert made.gap >= 0
    assert made.saturated or made.gap <= epsilon * 2.0**-20
    assert made.worst_variance > 0
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize("d", [1, 2, 5, 16])
def test_estimates_of_many_users_fall_where_the_proof_says(d: int) -> None:
    """Null: unbiased, variance as proved. Level 1e-10 by Bernstein's inequality, n = 40,000."""
    made = DuchiVector(2.0, d, bounds=(0, 10))
    n, value = 40_000, np.linspace(0, 10, d)
    reports = made.privatize(np.tile(value, (n, 1)))
    found = made.mean_estimate(
        [reports, made.reports(np.empty(0, dtype=np.uint64), simulated=False)]
    )
    assert found.n == n
    size = 10 * float(made.length)
    for mean, error, x in zip(found.means, found.std_errors, value, strict=True):
        assert bernstein(abs(mean - x), made.variance(x), size, n) > 1e-10 / d
        assert error == pytest.approx(math.sqrt(made.variance(x) / n), rel=0.05)


def test_states_merge() -> None:
    made = DuchiVector(1.0, 3)
    one, two = (
        made.aggregate(made.privatize([[0.5, 0, -1]] * 9, rng=seed), simulated=True)
        for seed in (1, 2)
    )
    assert one.merge(two) == two.merge(one)
    assert one.merge(two).n == 18
    assert one.simulated
    assert math.isnan(made.empty().estimate().means[0])
    other = DuchiVector(2.0, 3)
    with pytest.raises(ReportError):
        other.aggregate(made.privatize([0, 0, 0]))
    with pytest.raises(ReportError):
        one.merge(other.empty(simulated=True))


@pytest.mark.parametrize("bad", [[(), ()], np.empty((5, 0)), np.empty((2, 2, 0))])
def test_vectors_without_coordinates_are_no_users(bad: Any) -> None:
    """They were 0 reports, so that users vanished; only an empty batch is that."""
    with pytest.raises(DomainError, match="values: must have"):
        DuchiVector(1.0, 3).privatize(bad, rng=1)
    empty: list[Any] = [[], np.empty((0, 3)), np.empty(0)]
    for none in empty:
        assert len(DuchiVector(1.0, 3).privatize(none, rng=1)) == 0


@pytest.mark.parametrize(
    "bad", [[2.0, 0], [0.5], [[0, 0, 0]], [[0, math.nan]], ["a", "b"], [True, False], 0.5]
)
def test_bad_vectors_are_refused(bad: Any) -> None:
    with pytest.raises(DomainError):
        DuchiVector(1.0, 2).privatize(bad)


@pytest.mark.parametrize(
    "arguments", [(0, 2), (1.0, 0), (1.0, 63), (1.0, 2.5), (1.0, 2, (1, 0)), (1e-300, 2)]
)
def test_bad_parameters_are_refused(arguments: Any) -> None:
    with pytest.raises(ParameterError):
        DuchiVector(*arguments)


@pytest.mark.parametrize("bad", [[0], np.array([1.0]), np.array([4], dtype=np.uint64)])
def test_bad_reports_are_refused(bad: Any) -> None:
    with pytest.raises(ReportError):
        DuchiVector(1.0, 2).reports(bad, simulated=False)
