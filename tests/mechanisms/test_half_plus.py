"""A sign kept with probability 1/2 + gamma: Warner's table, and an epsilon above 4 gamma."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ldp_verified import BinaryRR, HalfPlus, Warner
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.language import load
from tests.mechanisms.against_table import check_ideal, check_realized

(SPEC,) = load("half_plus")


@pytest.mark.parametrize("gamma", [Fraction(1, 1000), Fraction(1, 4), Fraction(499, 1000)])
def test_the_table(gamma: Fraction) -> None:
    check_ideal(HalfPlus, SPEC, gamma, {"k": 2}, {"gamma": gamma})
    check_realized(HalfPlus(gamma), SPEC, {"k": 2})


@pytest.mark.parametrize("gamma", [1e-6, 0.1, 0.25, 0.4999999])
def test_it_is_warners_response_and_not_gamma_private(gamma: float) -> None:
    made, warner = HalfPlus(gamma), Warner(gamma)
    assert made.thresholds == warner.thresholds
    assert made.epsilon == warner.epsilon
    assert made.epsilon > 4 * gamma


def test_labels_are_signs() -> None:
    made = HalfPlus(0.25, categories=(-1, 1))
    assert made.pmf(0, -1) == made.p


@pytest.mark.parametrize("made", [HalfPlus(0.25), BinaryRR(1.0)], ids=repr)
def test_it_knows_its_own_domain(made: HalfPlus | BinaryRR, seed: int) -> None:
    assert made.labels == (-1, 1)
    assert made.pmf(0, -1) == made.pmf(1, 1) == made.p
    reports = made.privatize([-1, 1, 1], rng=seed)
    plain = made.privatize([0, 1, 1], rng=seed)
    assert reports.data.tolist() == plain.data.tolist()
    estimate = made.aggregate(reports, simulated=True).estimate()
    assert estimate[1].value == estimate.counts[1]
    with pytest.raises(DomainError, match=r"values\[1\]: must be one of -1, 1") as caught:
        made.privatize([1, 23])
    assert "23" not in str(caught.value)


def test_its_identity_is_what_it_was() -> None:
    """So that reports and states without labels, and older ones, are still its own."""
    assert "categories" not in dict(HalfPlus(0.25).identity.parameters)


@pytest.mark.parametrize("gamma", [0, 0.5, -0.1, 1])
def test_other_gammas_are_refused(gamma: float) -> None:
    with pytest.raises(ParameterError, match="gamma"):
        HalfPlus(gamma)
