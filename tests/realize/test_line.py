"""Densities of one's own as they run: epsilon, means, variances, the sampler, reconstruction."""

from __future__ import annotations

import math
import pickle
import sys
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified import Duchi, Piecewise, SquareWave
from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.check.conformance.laws import mass_between
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import Density
from ldp_verified.prove.enumeration.concrete_density import concrete
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.realize.real_numbers.line import in_bins
from ldp_verified.run.realize.tables import balls
from tests.generate.own_lines import HEAD, example, made, renamed
from tests.strategies import EPSILONS

if TYPE_CHECKING:
    from ldp_verified.prove.enumeration.concrete_density import ConcreteDensity

SMALL = {"grid": 6, "cells": 16}
B = Fraction(1, 4)
KINDS = {
    "two_steps": (example, (B,)),
    "tilted": (example, ()),
    "piecewise": (renamed, ()),
    "square_wave": (renamed, (B,)),
    "duchi": (renamed, ()),
}


def of(name: str, epsilon: float, **options: Any) -> Any:
    source, given_ = KINDS[name]
    return source(name)[0](epsilon, *given_, **{**SMALL, **options})


def law_at(name: str, made_: Any, i: int) -> ConcreteDensity:
    """The spec's density where the object says that it is put down."""
    source, _ = KINDS[name]
    spec = source(name)[1]
    form = spec.algebraic_table
    assert isinstance(form, Density)
    start, end = made_.inputs
    point = dict(zip(spec.variables, made_.variables, strict=True))
    return concrete(form, point, start + (end - start) * Fraction(i, made_.grid))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 5.0, 30.0])
def test_epsilon_is_that_of_the_integers(name: str, epsilon: float) -> None:
    """Every pair of rows, every output, in exact integers, against e^epsilon in balls."""
    found = of(name, epsilon)
    rows = [[found.pmf(y, i) for y in range(found.outputs)] for i in range(found.steps + 1)]
    assert all(sum(row) == 1 for row in rows)
    worst = max(p / q for r in rows for other in rows for p, q in zip(r, other, strict=True))
    assert worst == found.worst_ratio
    assert balls.decide(lambda: balls.at_most(balls.ball(worst).log(), epsilon))
    assert Fraction(math.nextafter(found.realized_epsilon, 0)) < Fraction(epsilon)


@pytest.mark.parametrize("name", KINDS)
def test_mean_and_variance_are_those_of_the_spec(name: str) -> None:
    """The mean to 2^-50; the variance but for what goes to a neighbour: at most step^2/4 more."""
    found = of(name, 1.0)
    d = found.decoding
    start, end = found.inputs
    slack = Fraction(1, 1 << 50)
    for i in range(found.grid + 1):
        x = start + (end - start) * Fraction(i, found.grid)
        mean = sum(found.pmf(y, i) * d.value(y) for y in range(found.outputs))
        assert mean == d.slope * x + d.offset
        law = law_at(name, found, i)
        assert abs(mean - law.mean) < slack
        assert law.mean == found.report_mean(x, *found.variables)
        assert law.variance == found.report_square(x, *found.variables) - law.mean**2
        spread = sum(found.pmf(y, i) * (d.value(y) - mean) ** 2 for y in range(found.outputs))
        assert spread == found._variance_at(x)
        assert -slack <= spread - law.variance <= d.step**2 / 4 + slack
        assert found.variance(float(np.interp(float(x), [start, end], found.bounds))) <= (
            found.worst_variance * (1 + 1e-12)
        )


@pytest.mark.parametrize("name", ["piecewise", "square_wave"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_distribution_is_that_of_the_catalogues_class(name: str, epsilon: float) -> None:
    """Within a cell of the grid: P(y <= node) lies between the special class's at its neighbours.

    The special class is the density at its own rationals, which differ by less than 2^-20 from
    those here.
    """
    special: Any = Piecewise(epsilon) if name == "piecewise" else SquareWave(epsilon)
    own_b = () if name == "piecewise" else (special.b,)
    found = renamed(name)[0](epsilon, *own_b, grid=8, cells=64)
    spec = renamed(name)[1]
    form = spec.algebraic_table
    assert isinstance(form, Density)
    point = dict(zip(spec.variables, special.variables, strict=True))
    start, end = found.inputs
    nodes = [found.decoding.value(y) for y in range(found.outputs)]
    far, near = nodes[0] - 1, Fraction(1, 1 << 20)
    for i in range(9):
        law = concrete(form, point, start + (end - start) * Fraction(i, 8))
        below = [mass_between(law, far, node) for node in nodes]
        reached = list(accumulate(found.pmf(y, i) for y in range(found.outputs)))
        for y in range(found.outputs - 1):
            assert below[y] - near <= reached[y] <= below[y + 1] + near
    assert found.realized_epsilon <= epsilon
    assert found.worst_variance == pytest.approx(special.worst_variance, rel=0.02)


def test_two_atoms_are_the_catalogues_sign() -> None:
    special, found = Duchi(1.0), of("duchi", 1.0)
    assert found.outputs == 2
    for i, end in ((0, 0), (found.grid, 1)):
        for y in (0, 1):
            assert abs(found.pmf(y, i) - special.pmf(y, end)) < Fraction(1, 1 << 39)
    assert float(found.decoding.atoms[1]) == pytest.approx(
        float(special.decoding.atoms[1]), rel=1e-9
    )


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=15)
@given(epsilon=EPSILONS, share=st.floats(0, 1))
def test_every_epsilon_and_value_is_served(name: str, epsilon: float, share: float) -> None:
    found = of(name, epsilon, bounds=(-3.0, 11.0))
    assert 0 < found.realized_epsilon <= epsilon
    value = min(11.0, -3.0 + 14.0 * share)
    reports = found.privatize([-3.0, value, 11.0], rng=1)
    assert (reports.data < found.outputs).all()
    assert 0 <= found.variance(value) <= found.worst_variance * (1 + 1e-9)
    assert np.isfinite(found.mean_estimate(reports, simulated=True).mean)


@pytest.mark.parametrize("name", KINDS)
def test_an_epsilon_below_the_grid_is_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="epsilon: must be at least 2"):
        of(name, 2.0**-31)


@pytest.mark.parametrize("name", ["two_steps", "tilted", "duchi"])
def test_the_sampler_is_the_table_word_by_word(name: str) -> None:
    """All words of 8 bits, against a table that is rounded to words of 8 bits."""
    found = of(name, 1.0, grid=3, cells=5)
    table = found.measured(Fraction(8, 5), 8)
    sampler = categorical_sampler([list(accumulate(row))[:-1] for row in table.rows], 8)
    for i, row in enumerate(table.rows):
        drawn = exact_distribution(sampler, i, 1)
        assert drawn.unresolved == 0
        wanted = {(y,): Fraction(words, 256) for y, words in enumerate(row) if words}
        assert dict(drawn.probabilities) == wanted
    # And at 64 bits the cuts are those of the table.
    full, words = found.sampler(), found._table.rows
    ends = [end - 1 for row in words for end in accumulate(row)]
    assert list(full.cuts) == ends


def test_the_mean_of_many_reports_is_unbiased() -> None:
    """Null: unbiased. Chebyshev would do; 8 standard deviations of 40,000 reports."""
    found = example("tilted")[0](1.0, bounds=(0, 10))
    estimate = found.mean_estimate(found.privatize(np.full(40_000, 7.3), rng=3), simulated=True)
    assert abs(estimate.mean - 7.3) < 8 * math.sqrt(found.variance(7.3) / 40_000)
    assert estimate.worst_std_error == pytest.approx(math.sqrt(found.worst_variance / 40_000))


def test_exact_counts_give_back_the_distribution() -> None:
    """EM on the counts that 10^7 users of one bin are expected to give."""
    found = example("two_steps")[0](4.0, B, grid=32, cells=96)
    bins = 8
    weights = in_bins(32, bins)
    assert weights.sum(axis=0) == pytest.approx(np.ones(bins))
    rows = np.array([[float(found.pmf(y, i)) for y in range(97)] for i in range(33)])
    counts = np.rint(1e7 * rows.T @ weights[:, 2]).astype(int)
    reports = found.reports(np.repeat(np.arange(97, dtype=np.uint8), counts), simulated=True)
    result = found.distribution(reports, bins, smooth=False, simulated=True)
    assert result.shares[2] > 0.97
    with pytest.raises(ParameterError, match="bins"):
        found.distribution(reports, 33)
    with pytest.raises(ReportError):
        found.distribution(example("two_steps")[0](3.0, B).privatize([0.5], rng=1), simulated=True)


def test_inputs_of_a_bin_go_to_its_nodes() -> None:
    exact = in_bins(2, 1)[:, 0]
    assert exact == pytest.approx([0.25, 0.5, 0.25])
    assert in_bins(4, 4)[:, 1] == pytest.approx([0, 0.5, 0.5, 0, 0])


BENT = (
    HEAD
    + """
high = u/(u + 1)
bent = Mechanism("bent", parameters=[eps], claims=[LDP(eps)],
    table=Density(value=x, pieces=[
        Piece(0, x**2/2, 2/(u + 1)*(u + 1)/(u + 1)),
        Piece(x**2/2, x**2/2 + Rational(1, 2), 2*u/(u + 1)),
        Piece(x**2/2 + Rational(1, 2), 1, 2/(u + 1))]))
even = Mechanism("even", parameters=[eps], claims=[LDP(eps)],
    table=Density(value=x, pieces=[
        Piece(0, Rational(1, 4), (2 + x*(u - 1))/(u + 1)),
        Piece(Rational(1, 4), Rational(3, 4), (2*u - x*(u - 1))/(u + 1)),
        Piece(Rational(3, 4), 1, (2 + x*(u - 1))/(u + 1))]))
"""
)


@pytest.mark.parametrize(
    "name, why", [("bent", "no affine function"), ("even", "does not depend on the input")]
)
def test_without_a_mean_there_is_the_distribution_only(name: str, why: str) -> None:
    """Ends that are not affine in x are drawn from; a mean that is not is not estimated."""
    found = made(BENT, name)[0](1.0, **SMALL)
    assert found.realized_epsilon <= 1.0
    assert (found.decoding.slope, found.decoding.offset) == (1, 0)  # reports as they are
    reports = found.privatize([0.2, 0.9] * 50, rng=1)
    for use in (found.empty, lambda: found.variance(0.5), lambda: found.mean_estimate(reports)):
        with pytest.raises(ParameterError, match=why):
            use()
    assert found.distribution(reports, 4, simulated=True).shares.sum() == pytest.approx(1)


def test_parameters_and_grids_are_checked() -> None:
    cls = example("two_steps")[0]
    for bad in (0, 1, -1, math.nan, "1/3", True):
        with pytest.raises(ParameterError, match="b: must be a number with 0 < b < 1"):
            cls(1.0, bad)
    for option in ({"grid": 0}, {"grid": 2.0}, {"cells": 1}, {"grid": 4096, "cells": 4096}):
        with pytest.raises(ParameterError, match=r"grid|cells"):
            of("two_steps", 1.0, **option)
    with pytest.raises(DomainError):
        of("two_steps", 1.0).privatize([1.5])


def test_identity_and_pickles() -> None:
    found = of("two_steps", 1.0)
    module = sys.modules[type(found).__module__]
    assert module.TwoSteps is type(found)
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.thresholds == found.thresholds
    assert again.identity == found.identity
    assert found.identity.parameters["b"] == "1/4"
    reports = found.privatize([0.5], rng=1)
    for other in (of("two_steps", 2.0), of("two_steps", 1.0, grid=7), of("tilted", 1.0)):
        with pytest.raises(ReportError):
            other.aggregate(reports, simulated=True)


def test_what_is_planted_in_the_class_does_not_get_past_the_integers() -> None:
    """Levels of 2 eps under a claim of eps, a lost piece, an end that follows the input."""
    cls: Any = example("tilted")[0]
    right = cls.density

    def louder(x: Fraction, u: Fraction) -> Any:
        return right(x, u**2)

    def lighter(x: Fraction, u: Fraction) -> Any:
        return tuple(v / 2 if place == 3 else v for place, v in enumerate(right(x, u)))

    def wider(x: Fraction, u: Fraction) -> Any:
        first, *rest = right(x, u)
        return (first - x**2, *rest)

    for wrong, why in (
        (louder, "the epsilon of the best table is 1.99999"),
        (lighter, "must give a distribution, but the whole has mass"),
        (wider, "must give a distribution"),
    ):
        planted = type("Planted", (cls,), {"density": staticmethod(wrong)})
        with pytest.raises(ParameterError, match=why):
            planted(1.0, **SMALL)


ODD = """
from ldp_verified.language import *

eps = real("eps", above=0, below=3)
parts = integer("parts", at_least=1, at_most=9)
v = real("v", at_least=Rational(-1, 2), at_most=10)
z = parts * (2 * v + 1) / 21
low = 1 / (exp(2 * eps) + parts)
odd = Mechanism("odd", parameters=[eps, parts], claims=[LDP(2 * eps, tight=True)],
    table=Density(value=v, pieces=[Piece(0, z, low), Piece(z, z + 1, low * exp(2 * eps)),
        Piece(z + 1, parts + 1, low)]))
"""


def test_epsilon_is_that_of_the_claim_and_parameters_may_be_whole() -> None:
    """Claimed: 2 eps, for eps below 3; inputs that are no interval around 0."""
    cls, spec = made(ODD, "odd")
    found = cls(5.0, 3, **SMALL)
    assert found.bounds == (-0.5, 10.0)
    assert 5.0 * (1 - 2.0**-20) <= found.realized_epsilon <= 5.0
    form = spec.algebraic_table
    assert isinstance(form, Density)
    law = concrete(
        form,
        dict(zip(spec.variables, found.variables, strict=True)),
        Fraction(-1, 2) + Fraction(21, 2) * Fraction(2, 6),
    )
    mean = sum(found.pmf(y, 2) * found.decoding.value(y) for y in range(found.outputs))
    assert abs(mean - law.mean) < Fraction(1, 1 << 50)
    estimate = found.mean_estimate(found.privatize(np.full(40_000, 3.3), rng=5), simulated=True)
    assert abs(estimate.mean - 3.3) < 8 * math.sqrt(found.variance(3.3) / 40_000)
    with pytest.raises(ParameterError, match="epsilon: must be a number with 0 < epsilon < 6"):
        cls(6.0, 3)
    for wrong in (2.5, 0, 10):
        with pytest.raises(ParameterError, match="parts: must be an integer with 1 <= parts <= 9"):
            cls(1.0, wrong)
