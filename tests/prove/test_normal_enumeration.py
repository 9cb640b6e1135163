"""Normal noise by integration: against the closed form of its curve, and what it refutes."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.analysis.account import gaussian_delta
from ldp_verified.language import LDP, GaussianLDP, Mean, Mechanism, ReportVariance, load
from ldp_verified.prove.enumeration.noise_integrals import BITS
from ldp_verified.prove.enumeration.normal_enumeration import (
    _signs,
    curve_error,
    delta,
    loss_above,
)
from ldp_verified.prove.verdicts import Status
from ldp_verified.prove.verify import verify
from tests.broken.noises import normal, sigma

ENDS = (Fraction(-1), Fraction(1))


@settings(max_examples=40, deadline=None)
@given(
    st.fractions(Fraction(1, 1000), 1000, max_denominator=1000),
    st.fractions(0, 12, max_denominator=64),
    st.fractions(-1, 1, max_denominator=16),
)
def test_the_integral_is_the_curve(scale: Fraction, epsilon: Fraction, other: Fraction) -> None:
    """Integrated without it, and evaluated: the same, for any pair and either order."""
    pair = ENDS[0], other
    if pair[0] == other:
        return
    found = [delta(each, scale, epsilon) for each in (pair, pair[::-1])]
    mu = (other + 1) / scale
    said = gaussian_delta(float(epsilon), float(1 / mu))
    for value in found:
        assert float(value.rad()) < 1e-12
        assert float(value.mid()) == pytest.approx(said, rel=1e-9, abs=1e-12)
    assert curve_error(mu, scale, [pair], tight=True) == ("", {})


@pytest.mark.parametrize("claimed", [Fraction(0), Fraction(1), Fraction(1000)])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(40)])
def test_no_claim_of_an_epsilon_stands(claimed: Fraction, scale: Fraction) -> None:
    values, said = loss_above(claimed, scale, ENDS)
    z, z2 = (Fraction(values["y"]) - Fraction(values[name]) for name in ("x", "x'"))
    assert (z2**2 - z**2) / (2 * scale**2) == values["loss"] > claimed
    assert "has no bound" in said


@pytest.mark.parametrize("factor", [Fraction(99, 100), Fraction(1, 2)])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3)])
def test_a_curve_that_is_too_low_is_seen_everywhere(factor: Fraction, scale: Fraction) -> None:
    said, values = curve_error(factor * 2 / scale, scale, [ENDS], tight=False)
    assert "the largest delta is" in said
    assert (values["x"], values["x'"]) == ENDS
    assert curve_error(2 / scale / factor, scale, [ENDS], tight=False) == ("", {})
    assert curve_error(2 / scale / factor, scale, [ENDS], tight=True)[0]


def test_parts_of_one_sign_cover_the_line() -> None:
    with ctx.workprec(BITS):
        parts = [*_signs(lambda _, part: (part > 0) - (part < 0), Fraction(-3), Fraction(5))]
    assert [parts[0][0], parts[-1][1]] == [Fraction(-3), Fraction(5)]
    assert all(left[1] == right[0] for left, right in pairwise(parts))
    unknown = [(a, b) for a, b, sign in parts if sign == 0]
    assert sum(b - a for a, b in unknown) < Fraction(1, 10**15)
    assert all(sign == (1 if a >= 0 else -1) for a, b, sign in parts if sign)


@pytest.mark.parametrize("epsilon", [LDP(2 / sigma), LDP(1000), LDP(sigma + 7, tight=True)])
def test_every_finite_epsilon_is_refuted_with_an_output(epsilon: LDP) -> None:
    found = verify(normal(epsilon), 3, smt=False, coq=False)
    (ratio,) = (v for v in found.verdicts if v.obligation == "ratio")
    assert ratio.status is Status.REFUTED
    assert ratio.witness is not None
    y, at = (
        float(Fraction(v)) for v in (ratio.witness.values["y"], ratio.witness.parameters["sigma"])
    )
    loss = ((y + 1) ** 2 - (y - 1) ** 2) / (2 * at**2)
    assert loss > float(epsilon.epsilon.subs(sigma, at))


def test_what_nobody_claims_is_derived_and_decided() -> None:
    found = verify(normal(), 3, smt=False, coq=False)
    assert {v.status for v in found.verdicts} == {Status.ONE_GROUP}
    assert {v.obligation for v in found.verdicts} >= {"curve", "tight", "mean", "report_variance"}
    assert found.derived["tight mu"] == "2/sigma"
    granted = {v.obligation for v in found.verdicts if v.assumptions}
    # What is said of a table rests on its being one, and takes for granted what that does.
    laws = {"sums_to_one", "equal_support"}
    assert granted == {*laws, "curve", "tight", "mean", "report_variance"}


def test_the_spec_claims_the_known_values() -> None:
    """At sigma = 1/2 and eps = 1, by hand: mu = 4, Phi(7/4) - e Phi(-9/4)."""
    (mechanism,) = load("gaussian")
    assert isinstance(mechanism, Mechanism)
    curve, mean, variance = mechanism.claims
    assert isinstance(curve, GaussianLDP)
    assert isinstance(mean, Mean)
    assert isinstance(variance, ReportVariance)
    (own,) = mechanism.parameters
    assert (curve.mu.subs(own, Fraction(1, 2)), variance.value.subs(own, 3)) == (4, 9)
    by_hand = (math.erfc(-7 / 4 / math.sqrt(2)) - math.e * math.erfc(9 / 4 / math.sqrt(2))) / 2
    assert float(delta(ENDS, Fraction(1, 2), Fraction(1)).mid()) == pytest.approx(by_hand)
