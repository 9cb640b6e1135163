"""Expected probabilities come from the spec, and are those that the realized table approaches."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING, Any

import flint
import pytest

from ldp_verified import BLH, GRR, OLH, OUE, SUE, BinaryRR, Warner
from ldp_verified.analysis.expectation import expectation, narrow_expectation
from ldp_verified.check.conformance.decode import decoder
from ldp_verified.check.conformance.frequencies import tallies
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

    from ldp_verified.run.realize.tables.table import RoundedTable

MECHANISMS = [
    Warner(gamma=0.2),
    BinaryRR(epsilon=1.0),
    GRR(epsilon=1.0, k=5),
    SUE(epsilon=1.0, k=5),
    OUE(epsilon=1.0, k=5),
    BLH(epsilon=1.0, k=6),
    OLH(epsilon=2.0, k=5, g=6),
    OLH(epsilon=1.0, k=7),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_classes_of_every_pair_sum_to_one_exactly(mechanism: RoundedTable) -> None:
    expected = expectation(mechanism)
    for x, x2 in permutations(range(expected.k), 2):
        assert sum(mass for _, mass in expected.pair_masses(x, x2)) == 1


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_realized_table_is_within_two_to_the_minus_60(mechanism: RoundedTable) -> None:
    """Rounding moves a threshold by less than one step of 2^-64, and at most k of them."""
    p_star, q_star = expectation(mechanism).support
    assert abs(p_star - mechanism.p_star) < Fraction(1, 2**60)
    assert abs(q_star - mechanism.q_star) < Fraction(1, 2**60)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("width", [8, 64])
def test_narrow_classes_are_sums_of_exact_probabilities(
    mechanism: RoundedTable, width: int
) -> None:
    """With a realization's cells: pair classes against a count over every single report.

    At 64 bits the count uses `pmf`, at 8 bits the tallies of single outputs have to agree.
    """
    realization = next(mechanism.realizations(width))
    expected = narrow_expectation(mechanism, realization)
    read = decoder(expected)
    reports = read.every_report(1 << 14)
    assert reports is not None
    if width == 64:
        fitting = mechanism.layout.check(reports)
        chances = [mechanism.pmf(y, 1) for y in fitting]
        own, other = read.supports(reports, 1), read.supports(reports, 0)
        for position, flags in enumerate([(1, 1), (1, 0), (0, 1), (0, 0)]):
            chosen = (own == flags[0]) & (other == flags[1])
            mass = sum((c for c, taken in zip(chances, chosen, strict=True) if taken), Fraction(0))
            stated = expected.pair_masses(1, 0)
            if len(stated) == 4:
                assert stated[position][1] == mass
        assert expected.support == (mechanism.p_star, mechanism.q_star)
    else:
        assert expected.support == (realization.p_star, realization.q_star)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_tallies_count_every_report_that_may_come(
    mechanism: RoundedTable, rng: np.random.Generator
) -> None:
    """The classes of a partition, counted over all reports, have the sizes that they should."""
    expected = expectation(mechanism)
    for tally in tallies(expected, 1, rng):
        reports = decoder(expected).every_report(512)
        if reports is not None and tally.kind in ("single outputs", "outputs"):
            assert tally.count(reports).tolist() == [1] * len(reports) + [0]
            assert sum(tally.probabilities) == 1
        assert len(tally.labels) == len(tally.probabilities)


def test_e_to_the_epsilon_is_right_to_58_digits() -> None:
    expected = expectation(SUE(epsilon=0.7, k=3))
    (symbol,) = [s for s in expected.point if s.name == "s"]
    found = expected.point[symbol]
    with flint.ctx.workprec(300):
        exact = (flint.arb(0.7) / 2).exp()
        ratio = flint.arb(flint.fmpz(found.numerator)) / found.denominator / exact
        assert abs(ratio - 1) < flint.arb(10) ** -58


@pytest.mark.parametrize("epsilon", [1e-6, 700.0])
def test_extreme_epsilon(epsilon: float) -> None:
    p_star, q_star = expectation(GRR(epsilon=epsilon, k=3)).support
    assert 0 < q_star < p_star < 1


def test_a_missing_parameter_is_named() -> None:
    class Impostor:
        name = "grr"
        epsilon = 1.0

    impostor: Any = Impostor()
    with pytest.raises(ParameterError, match="k: must be an attribute"):
        expectation(impostor)
