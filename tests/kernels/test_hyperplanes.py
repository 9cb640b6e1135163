"""Points on hyperplanes at full width: limits, and machine code against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate import PointLayout
from ldp_verified.run.kernels.hyperplanes import dimension, hyperplane, hyperplane_sampler, points
from ldp_verified.run.kernels.seeds import word_source

SIZES = [(2, 2), (100, 19), (1000, 3), (10**5, 5), (400, 401)]


@pytest.mark.parametrize(("k", "prime"), SIZES)
@pytest.mark.parametrize(("deny", "on"), [(1, True), (2**64 - 1, False)])
def test_without_chance_points_are_on_or_off(
    k: int, prime: int, deny: int, on: bool, rng: np.random.Generator
) -> None:
    """At the extreme thresholds the other side has probability 2^-64 a report."""
    values = rng.integers(0, k, size=1500)
    reports = hyperplane(values, k, prime, deny, word_source(None, "test"))
    layout = PointLayout(k, prime)
    assert int(reports.max()) < points(prime, dimension(k, prime)) == layout.counters
    for v in np.unique(values).tolist():
        assert (layout.holds(reports[values == v], v) == on).all()


@pytest.mark.parametrize(("k", "prime"), SIZES)
def test_machine_code_draws_what_python_draws(k: int, prime: int, rng: np.random.Generator) -> None:
    values = rng.integers(0, k, size=4000)
    many = hyperplane(values, k, prime, 2**63, word_source(4, "test"))
    few = hyperplane(values[:5], k, prime, 2**63, word_source(4, "test"))
    np.testing.assert_array_equal(many[:5], few)


def test_dimensions_are_least() -> None:
    assert [dimension(k, 2) for k in (2, 3, 4, 7, 8)] == [2, 2, 3, 3, 4]
    assert [dimension(k, 3) for k in (2, 4, 5, 13, 14)] == [2, 2, 3, 3, 4]


@pytest.mark.parametrize(
    ("k", "prime", "deny", "width", "argument"),
    [
        (1, 2, 1, 64, "k"),
        (5, 4, 1, 64, "prime"),
        (2**25, 2, 1, 64, "k"),
        (5, 2, 0, 64, "deny"),
        (13, 3, 1, 3, "points"),
        (5, 2, 1, 65, "width"),
    ],
)
def test_numbers_out_of_range_are_refused(
    k: int, prime: int, deny: int, width: int, argument: str
) -> None:
    with pytest.raises(ParameterError, match=argument):
        hyperplane_sampler(k, prime, deny, width)
