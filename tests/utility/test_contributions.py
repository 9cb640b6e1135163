"""A report's contribution is right for every mechanism that estimates counts or numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from ldp_verified import GRR, OLH, OUE, HadamardResponse, SubsetSelection
from ldp_verified.analysis.utility import (
    Bounded,
    Contribution,
    bernstein_tail,
    contribution,
    exact_tail,
    hoeffding_tail,
    number_contribution,
    smallest_users,
)
from ldp_verified.errors import ParameterError
from ldp_verified.language import Density, Line, Mean, Mechanism, load_catalogue
from ldp_verified.protocols import LGRR
from ldp_verified.prove.enumeration.points import points
from ldp_verified.run.mechanisms import Grades

CATALOGUE = load_catalogue()
FINITE = {m.name: m for m in CATALOGUE if not isinstance(m.table, Line)}
BOUNDED = {m.name: m for m in CATALOGUE if isinstance(m.table, Density)}
NO_ESTIMATOR = {
    "sample_one": "rank 3 but 4 inputs",
    "fake_zeros": "rank 3 but 4 inputs",
    "fake_values": "rank 3 but 4 inputs",
    "fake": "rank 3 but 4 inputs",
    "rappor": "declares no support",
    "rappor_permanent": "declares no support",
}
"""Of pairs of attributes only the counts of each are estimated; of encodings, the bits."""
ERROR, BETA = Fraction(1, 2), Fraction(1, 10)


def somewhere(mechanism: Mechanism) -> dict[Any, Any]:
    """Exact values of the variables, sizes being small."""
    return dict(next(iter(points(mechanism, 4))))


@pytest.mark.parametrize("name", sorted(set(FINITE) - set(NO_ESTIMATOR)))
def test_counts_of_the_whole_catalogue(name: str) -> None:
    mechanism = FINITE[name]
    at = somewhere(mechanism)
    own, other = (contribution(mechanism, at, x, 0) for x in (0, 1))
    assert own.mean == 1
    assert other.mean == 0
    for each in (own, other):
        assert each.reach <= each.width
        assert each.variance <= each.width**2 / 4
    users = [(own, 3), (other, 4)]
    error = 2 * own.width
    exact = exact_tail(users, error)
    assert exact <= hoeffding_tail(users, error) + 1e-12
    assert exact <= bernstein_tail(users, error) + 1e-12
    for method in ("hoeffding", "bernstein"):
        tail = {"hoeffding": hoeffding_tail, "bernstein": bernstein_tail}[method]
        n = smallest_users(own, ERROR, BETA, method)
        assert tail([(own, n)], n * ERROR) <= BETA
        assert n == 1 or tail([(own, n - 1)], (n - 1) * ERROR) > BETA


@pytest.mark.parametrize("name", sorted(NO_ESTIMATOR))
def test_where_there_is_no_estimator_it_says_so(name: str) -> None:
    with pytest.raises(ParameterError, match=NO_ESTIMATOR[name]):
        contribution(FINITE[name], somewhere(FINITE[name]), 0, 0)


@pytest.mark.parametrize("name", sorted(BOUNDED))
def test_numbers_of_the_whole_catalogue(name: str) -> None:
    mechanism = BOUNDED[name]
    at, x = somewhere(mechanism), Fraction(1, 3)
    own = number_contribution(mechanism, at, x)
    if [str(c.value) for c in mechanism.claims if isinstance(c, Mean)] == ["x"]:
        assert own.mean == x
    assert own.reach <= own.width
    assert own.variance <= own.width**2 / 4
    n = smallest_users(own, ERROR, BETA, "bernstein")
    assert bernstein_tail([(own, n)], n * ERROR) <= BETA
    if isinstance(own, Bounded):
        with pytest.raises(ParameterError, match="finitely many"):
            exact_tail([(own, 2)], 1)
    else:
        assert exact_tail([(own, 6)], 3) <= hoeffding_tail([(own, 6)], 3) + 1e-12


def test_densities_are_bounded_and_duchi_is_listed() -> None:
    kinds = {
        name: type(number_contribution(m, somewhere(m), Fraction(1, 2)))
        for name, m in BOUNDED.items()
    }
    assert kinds["duchi"] is Contribution
    assert kinds["piecewise"] is kinds["hybrid"] is Bounded


def test_a_number_that_is_no_input_and_noise_without_bounds_are_refused() -> None:
    duchi = BOUNDED["duchi"]
    with pytest.raises(ParameterError, match="x: must be"):
        number_contribution(duchi, somewhere(duchi), Fraction(2))
    (laplace,) = (m for m in CATALOGUE if m.name == "laplace")
    with pytest.raises(ParameterError, match="between two bounds"):
        number_contribution(laplace, somewhere(laplace), Fraction(0))


RUNNING: list[Any] = [
    GRR(1.0, 10),
    OUE(0.5, 70),
    OLH(2.0, 1 << 20),
    HadamardResponse(1.0, 20),
    SubsetSelection(1.0, 9),
    Grades(1.0, categories=range(3)),
]


def belongs(found: Contribution, made: Any, *, held: bool) -> bool:
    """Whether a contribution has the mean and the variance that the running code states."""
    variance = (
        made.variance(1, float(held)) if made.k > 3 else made.oracle.variances[0][int(not held)]
    )
    mean_is_right = found.mean == (1 if held else 0)
    return mean_is_right and float(found.variance) == pytest.approx(float(variance), rel=1e-12)


@pytest.mark.parametrize("made", RUNNING, ids=lambda made: made.name)
def test_contributions_of_what_runs_are_those_of_its_realized_table(made: Any) -> None:
    assert belongs(contribution(made), made, held=True)
    assert belongs(contribution(made, x=0, v=1), made, held=False)


def test_planted_a_contribution_of_the_claimed_table_is_not_that_of_the_code() -> None:
    """The realized epsilon is below the claim, and so is what the claimed table gives."""
    made, u = GRR(1.0, 10), Fraction(math.exp(1.0))
    p, q = u / (u + 9), 1 / (u + 9)
    claimed = Contribution([((1 - q) / (p - q), p), (-q / (p - q), 1 - p)])
    assert claimed != contribution(made)
    assert not belongs(
        Contribution([((1 - q) / (p - q), made.p), (Fraction(0), 1 - made.p)]), made, held=True
    )


def test_what_has_no_contribution_is_refused() -> None:
    declared = FINITE["grr"]
    with pytest.raises(ParameterError, match="point: must be given"):
        contribution(declared)
    with pytest.raises(ParameterError, match="point: must be left out"):
        contribution(GRR(1.0, 10), somewhere(declared))
    with pytest.raises(ParameterError, match="new draws"):
        contribution(LGRR(2.0, 1.0, 3))
    for place in (-1, 10, True, 0.5):
        with pytest.raises(ParameterError, match="x: must be"):
            contribution(GRR(1.0, 10), x=place)  # type: ignore[arg-type]  # what is wrong
