"""Additive noise: what is right is proved by two routes, each planted error is refused by both."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    Exponential,
    GaussianLDP,
    Lattice,
    Matrix,
    Mechanism,
    Noise,
    Unbiased,
    integer,
    load,
    real,
)
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.noise_sums import series
from ldp_verified.prove.prepared import case
from ldp_verified.prove.routes import Opinion, RouteSubject, certificate, enumeration
from ldp_verified.prove.verdicts import Status
from ldp_verified.prove.verify import verify
from tests.broken.noises import FAIR, WRONG, b, m, truncated, x

RIGHT = [
    "geometric",
    "truncated_geometric",
    "laplace",
    "gaussian",
    "staircase",
    "she_lattice",
    "she_grid",
]


@pytest.mark.parametrize("name", RIGHT)
def test_every_claim_is_proved_and_every_route_agrees(name: str) -> None:
    (mechanism,) = load(name)
    found = verify(mechanism, 3, smt=True, coq=False)
    assert {v.status for v in found.verdicts} == {Status.ONE_GROUP}
    assert {v.checkers for v in found.verdicts} >= {("certificate", "smt", "enumeration")}
    assert {v.claim for v in found.verdicts} == {None, *range(len(mechanism.claims))}
    assert any(v.assumptions for v in found.verdicts) == (name == "gaussian")
    moments = {"mean of a report", "variance of a report"}
    assert set(found.derived) == moments | ({"tight mu"} if name == "gaussian" else set())


def test_the_variance_of_a_count_is_proved_by_every_route() -> None:
    found = verify(load("she")[0], 3, smt=True, coq=False)
    assert {v.status for v in found.verdicts} == {Status.ONE_GROUP}
    (count,) = (v for v in found.verdicts if v.obligation == "variance")
    assert set(count.checkers) >= {"certificate", "smt", "enumeration"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"encoder": "two_hot"}, "must be one_hot"),
        ({"kind": "steps"}, "not on steps"),
        ({"kind": "normal"}, "or normal noise"),
    ],
)
def test_a_statement_of_another_encoder_is_refused(change: dict[str, str], why: str) -> None:
    statement = case(load("she")[0]).statement
    statement["noise"] |= change
    with pytest.raises(ValueError, match=why):
        obligations(statement)


def test_no_count_is_estimated_where_ends_depend_on_the_input() -> None:
    (grid,) = load("she_grid")
    statement = case(grid).statement
    statement["claims"].append({"kind": "variance", "value": "n", "at_f": None})
    (found,) = (o for o in obligations(statement) if o.kind == "variance")
    assert found.relation == "impossible"


def test_a_curve_is_that_of_normal_noise_only() -> None:
    """By the vocabulary, and by the verifier for whoever writes the text."""
    claims = [GaussianLDP(2 / b)]
    table = Noise(x, Exponential(1 / (2 * b), b))
    with pytest.raises(SpecError, match="of Normal noise, GaussianLDP too"):
        _ = case(Mechanism("wrong", parameters=[b], table=table, claims=claims)).statement
    coin = Mechanism(
        "wrong", parameters=[], table=Matrix([[1, 0], [0, 1]]), claims=[GaussianLDP(1)]
    )
    with pytest.raises(SpecError, match="needs Normal noise"):
        _ = case(coin).statement
    for name in ("laplace", "duchi"):
        statement = case(load(name)[0]).statement
        statement["claims"] = [{"kind": "gaussian_ldp", "mu": "1", "tight": True}]
        (found,) = (o for o in obligations(statement) if o.claim is not None)
        assert (found.kind, found.relation) == ("curve", "impossible")


@pytest.mark.parametrize("what", WRONG)
def test_the_certificate_refuses_what_is_wrong(what: str) -> None:
    mechanism, kinds = WRONG[what]
    this = case(mechanism)
    refused = {
        o.obligation.kind
        for o in checker.check(this.statement, this.certificate)
        if not o.shown and (o.obligation.claim or 0) < len(mechanism.claims)
    }
    assert kinds <= refused
    assert certificate(RouteSubject(mechanism)).accepts is False


@pytest.mark.parametrize("what", WRONG)
def test_enumeration_refuses_what_is_wrong(what: str) -> None:
    mechanism, kinds = WRONG[what]
    refused = {f.obligation for f in enumerate_obligations(mechanism, 3) if not f.holds}
    assert refused & kinds
    opinion = enumeration(3, 3)(RouteSubject(mechanism))
    assert isinstance(opinion, Opinion)
    assert opinion.accepts is False


def test_the_epsilon_of_a_count_is_refuted_for_all_values_with_a_witness() -> None:
    """ln(1/alpha) is stated for a count that one person changes by 1; here all of x is hers."""
    found = verify(WRONG["the authors' epsilon for every two values"][0], 3, smt=False, coq=False)
    (ratio,) = (v for v in found.verdicts if v.obligation == "ratio")
    assert ratio.status is Status.REFUTED
    assert ratio.witness is not None
    assert int(ratio.witness.parameters["m"]) > 1


def test_ends_must_be_integers() -> None:
    with pytest.raises(SpecError, match=r"Ends\.low: .* integer"):
        truncated((-sympy.Rational(1, 2), *FAIR[1:]))


def test_claims_about_frequencies_are_refused() -> None:
    made = Mechanism(
        "wrong",
        parameters=[b],
        table=Noise(x, Exponential(1 / (2 * b), b)),
        claims=[Unbiased()],
    )
    with pytest.raises(SpecError, match="of a Density may be"):
        _ = case(made).statement


def test_a_statement_of_another_number_of_periods_is_refused() -> None:
    """The text of a certificate is read as it stands: a claim of half a period is no claim."""
    (mechanism,) = load("staircase")
    statement = case(mechanism).statement
    statement["claims"][0]["times"] = "1/2"
    found = [o for o in obligations(statement) if o.claim == 0]
    assert "impossible" in {o.relation for o in found}
    assert m not in mechanism.parameters


@pytest.mark.parametrize("d", [Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000)])
def test_long_sums_are_within_their_intervals(d: Fraction) -> None:
    exact = (1 / (1 - d), d / (1 - d) ** 2, d * (1 + d) / (1 - d) ** 3)
    for (low, high), value in zip(series(d), exact, strict=True):
        assert low <= value <= high
        assert high - low <= value / 2**60


@pytest.mark.parametrize(
    ("off", "says"),
    [
        (sympy.Rational(1, 10**9), "at least 1 + 3e-09"),
        (-sympy.Rational(1, 10**12), "at most 1 - 3e-12"),
        (sympy.Rational(1, 10**25), "at least 1 + "),
        (sympy.Rational(1, 4), "at least 1 + 0.75"),
    ],
)
def test_a_mass_near_1_is_told_apart_from_it(off: sympy.Rational, says: str) -> None:
    al = real("al", above=0, below=1)
    law = Lattice(mass=(1 - al) / (1 + al) + off, decay=al)
    wrong = Mechanism("m", parameters=[al], table=Noise(integer("x", at_least=0, at_most=3), law))
    (mass,) = [v for v in verify(wrong, 3, coq=False).verdicts if v.obligation == "sums_to_one"]
    assert mass.witness is not None
    assert f"the total mass is {says}" in mass.witness.explanation
    assert says in mass.witness.values["mass"]
