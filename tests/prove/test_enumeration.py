"""Enumeration passes the catalogue and refutes everything planted, with witnesses that hold up."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.language import (
    LDP,
    BetterThan,
    Bits,
    Design,
    Holds,
    Matrix,
    Mechanism,
    MetricLDP,
    OneHot,
    Optimal,
    Rational,
    SameTable,
    Singletons,
    Unbiased,
    Variance,
    exp,
    f,
    integer,
    n,
    real,
)
from ldp_verified.prove import verify
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations, rows_match
from ldp_verified.prove.verdicts import Status
from tests.broken.mechanisms import BROKEN, Broken
from tests.finite import FINITE

if TYPE_CHECKING:
    from ldp_verified.prove.enumeration.enumeration import PointFinding
    from ldp_verified.prove.verdicts import Witness

OBLIGATIONS = {
    LDP: {"ratio", "tight"},
    MetricLDP: {"ratio"},
    Unbiased: {"unbiased"},
    Variance: {"variance"},
    Optimal: {"optimal"},
    Holds: {"holds"},
    SameTable: {"same_table"},
    BetterThan: {"better"},
}


@cache
def _findings(mechanism: Mechanism) -> tuple[PointFinding, ...]:
    rows = rows_match(mechanism, mechanism.algebraic_table.pair_tables())
    return (*enumerate_obligations(mechanism), *([] if rows is None else [rows]))


@pytest.mark.evidence(of="mechanism")
@pytest.mark.parametrize("mechanism", FINITE, ids=lambda m: m.name)
def test_catalogue_holds_and_nothing_is_left_out(mechanism: Mechanism) -> None:
    findings = _findings(mechanism)
    assert [finding for finding in findings if not finding.holds] == []
    covered = {(finding.claim, finding.obligation) for finding in findings}
    expected: set[tuple[int | None, str]] = {
        (None, law) for law in ("nonnegative", "sums_to_one", "equal_support", "rows")
    }
    for position, claim in enumerate(mechanism.claims):
        # A comparison without a condition states nothing until its region is derived.
        if isinstance(claim, BetterThan) and claim.condition is None:
            continue
        names = OBLIGATIONS[type(claim)]
        loose = isinstance(claim, LDP) and not claim.tight
        expected |= {(position, name) for name in (names - {"tight"} if loose else names)}
    assert covered == expected


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.mechanism.name)
def test_exactly_what_is_wrong_is_refuted(broken: Broken) -> None:
    findings = _findings(broken.mechanism)
    assert {(x.claim, x.obligation) for x in findings if not x.holds} == broken.by_expansion
    assert all((x.witness is None) == x.holds for x in findings)


def _witness(name: str, obligation: str) -> tuple[dict[str, Fraction], Witness]:
    broken = next(b for b in BROKEN if b.mechanism.name == name)
    (witness,) = [
        x.witness for x in _findings(broken.mechanism) if x.obligation == obligation and x.witness
    ]
    return {key: Fraction(value) for key, value in witness.parameters.items()}, witness


# The witnesses once more, from the textbook formulas of each mechanism and the numbers in the text.


def test_witness_of_half_epsilon() -> None:
    at, witness = _witness("half_epsilon", "ratio")
    u = at["s"] ** 2
    p, q = u / (u + at["k"] - 1), 1 / (u + at["k"] - 1)
    assert witness.values["x"] == witness.values["y"] != witness.values["x'"]
    assert (Fraction(witness.values["P(y|x)"]), Fraction(witness.values["P(y|x')"])) == (p, q)
    assert Fraction(witness.values["ratio"]) == p / q > Fraction(witness.values["bound"]) == at["s"]
    assert Fraction(witness.values["tight"]) == u
    assert "claimed e^eps = 3, eps = 1.09861; found 9 (9 = 3^2)" in witness.explanation


@pytest.mark.parametrize("obligation", ["ratio", "tight"])
def test_witness_of_double_epsilon(obligation: str) -> None:
    at, witness = _witness("double_epsilon", obligation)
    one, zero = at["u"] / (at["u"] + 1), 1 / (at["u"] + 1)
    for key, value in (("P(y|x)", "x"), ("P(y|x')", "x'")):
        chance = Fraction(1)
        for j, bit in enumerate(witness.values["y"]):
            own = one if j == int(witness.values[value]) else zero
            chance *= own if bit == "1" else 1 - own
        assert Fraction(witness.values[key]) == chance
    found = Fraction(witness.values["P(y|x)"]) / Fraction(witness.values["P(y|x')"])
    assert Fraction(witness.values["ratio"]) == found == at["u"] ** 2
    assert Fraction(witness.values["bound"]) == at["u"]


def test_witness_of_not_tight() -> None:
    at, witness = _witness("not_tight", "tight")
    assert Fraction(witness.values["bound"]) == at["u"] ** 2
    assert Fraction(witness.values["tight"]) == at["u"]


@pytest.mark.parametrize("name", ["zero_cell", "certain_bit"])
def test_witness_of_infinite_epsilon(name: str) -> None:
    _, witness = _witness(name, "ratio")
    assert Fraction(witness.values["P(y|x)"]) > 0 == Fraction(witness.values["P(y|x')"])
    assert witness.values["ratio"] == "infinite"


def test_witness_of_a_negative_cell() -> None:
    at, witness = _witness("negative_cell", "nonnegative")
    assert Fraction(witness.values["P(y|x)"]) == Fraction(1, 2) - 2 * at["gamma"] < 0
    assert witness.values["x"] != witness.values["y"]


def test_witness_of_a_wrong_sum() -> None:
    at, witness = _witness("wrong_sum", "sums_to_one")
    u, k = at["u"], at["k"]
    assert Fraction(witness.values["sum"]) == u / (u + k) + (k - 1) / (u + k) != 1


def test_witness_of_a_wrong_lambda() -> None:
    """Two values collide under a share 1/g of the functions: q* is 1/g."""
    at, witness = _witness("wrong_lambda", "unbiased")
    assert Fraction(witness.values["P(y supports v|x)"]) == 1 / at["g"]
    a, b = Fraction(witness.values["supported"]), Fraction(witness.values["otherwise"])
    expectation = a / at["g"] + b * (1 - 1 / at["g"])
    assert Fraction(witness.values["expectation"]) == expectation != 0
    u, g = at["u"], at["g"]
    at, witness = _witness("wrong_lambda", "variance")
    p = u / (u + g - 1)
    true = (1 / g) * (1 - 1 / g) / (p - 1 / g) ** 2
    assert Fraction(witness.values["variance"]) == Fraction(witness.values["n"]) * true
    assert Fraction(witness.values["f"]) == 0


def test_witness_of_a_wrong_count() -> None:
    _, witness = _witness("wrong_count", "rows")
    at, _ = _witness("wrong_count", "rows")
    assert int(witness.values["expanded"]) == at["k"] - 2
    assert int(witness.values["pair table"]) == at["k"] - 1


def test_witness_of_a_wrong_variance() -> None:
    at, witness = _witness("wrong_variance", "variance")
    p, q = at["u"] / (at["u"] + at["k"] - 1), 1 / (at["u"] + at["k"] - 1)
    users = Fraction(witness.values["n"])
    assert Fraction(witness.values["variance"]) == users * q * (1 - q) / (p - q) ** 2
    assert (
        Fraction(witness.values["claimed"]) == users * (at["k"] - 1 + at["u"]) / (at["u"] - 1) ** 2
    )


@pytest.mark.parametrize("name", ["variance_without_f", "wrong_share"])
def test_witness_of_a_wrong_share(name: str) -> None:
    at, witness = _witness(name, "variance")
    p, q = Fraction(1, 2), 1 / (at["u"] + 1)
    users, share = Fraction(witness.values["n"]), Fraction(witness.values["f"])
    total = users * (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2
    assert Fraction(witness.values["variance"]) == total != Fraction(witness.values["claimed"])


def test_witness_of_raw_counts() -> None:
    at, witness = _witness("raw_counts", "unbiased")
    assert witness.values["x"] == witness.values["v"]
    assert Fraction(witness.values["expectation"]) == at["u"] / (at["u"] + at["k"] - 1)


def test_witness_of_swapped_bits() -> None:
    at, witness = _witness("swapped_bits", "variance")
    assert Fraction(witness.values["variance"]) == ((at["u"] + 1) / (at["u"] - 1)) ** 2


def test_witness_of_wrong_buckets() -> None:
    at, witness = _witness("wrong_buckets", "optimal")

    def variance(u: Fraction, g: Fraction) -> Fraction:
        return (u + g - 1) ** 2 / ((g - 1) * (u - 1) ** 2)

    assert at["g"] == at["u"]
    assert Fraction(witness.values["variance at the claimed optimum"]) == variance(at["u"], at["g"])
    rival = Fraction(witness.values["g instead"])
    assert (
        Fraction(witness.values["variance"])
        == variance(at["u"], rival)
        < variance(at["u"], at["g"])
    )


def test_witness_of_symmetric_encoding() -> None:
    at, witness = _witness("symmetric_is_not_best", "optimal")
    p, q = Fraction(witness.values["one instead"]), Fraction(witness.values["zero instead"])
    assert p * (1 - q) / (q * (1 - p)) <= at["s"] ** 2
    better = q * (1 - q) / (p - q) ** 2
    assert Fraction(witness.values["variance"]) == better < at["s"] / (at["s"] - 1) ** 2


def test_witness_of_a_false_comparison() -> None:
    at, witness = _witness("false_comparison", "holds")
    assert at["k"] - 2 + at["u"] > 4 * at["u"]
    assert Fraction(witness.values["left"]) > Fraction(witness.values["right"])


@pytest.mark.parametrize(("inputs", "outputs"), [(2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize("supported", [False, True])
def test_whatever_is_derived_from_a_matrix_is_enumerated_too(
    inputs: int, outputs: int, supported: bool, rng: np.random.Generator
) -> None:
    """Derivation and enumeration mean the same estimator, with and without declared support."""
    weights = rng.integers(1, 12, size=(inputs, outputs))
    rows = [[Rational(int(w), int(row.sum())) for w in row] for row in weights]
    gap = real("distance", above=0, below=1)
    mixed = [[gap * cell + (1 - gap) / outputs for cell in row] for row in rows]
    support = [[y] if y < inputs else [] for y in range(outputs)] if supported else None
    table = Matrix(mixed, outputs=list("abcd")[:outputs], support=support)
    found = verify(Mechanism("random", parameters=[gap], table=table), coq=False)
    # Which ratio is the largest depends on the gap here: no one expression is the tight epsilon.
    others = [v for v in found.verdicts if v.obligation not in ("ratio", "tight")]
    assert [v for v in others if v.status is Status.REFUTED] == []
    independent = np.linalg.matrix_rank(weights / weights.sum(axis=1, keepdims=True)) == inputs
    assert ("unbiased" in {v.obligation for v in others}) == independent


def test_a_declared_support_does_not_change_what_the_variance_is_of() -> None:
    """p* and q* exist here, but the estimator of a matrix is its left inverse of least variance."""
    eps = real("eps", above=0)
    u = exp(eps)
    rows = [[u, 1, 1], [1, u, 1]]
    cells = [[cell / (u + 2) for cell in row] for row in rows]
    table = Matrix(cells, outputs=list("abc"), support=[[0], [1], []])
    found = verify(Mechanism("wide", parameters=[eps], table=table), coq=False)
    (variance,) = [v for v in found.verdicts if v.obligation == "variance"]
    assert variance.status is Status.ONE_GROUP
    assert "enumeration" in variance.checkers


def test_without_a_structure_only_relations_are_decided() -> None:
    v = integer("v", at_least=2)
    eps = real("eps", above=0)
    u = exp(eps)
    bare = Mechanism(
        "bare",
        parameters=[eps, v],
        table=Design(v, 1, 0, u / (u + v - 1), 1 / (u + v - 1)),
        claims=[LDP(eps), Holds(u + v > 3)],
    )
    (finding,) = enumerate_obligations(bare)
    assert (finding.claim, finding.obligation, finding.holds) == (1, "holds", True)


def test_a_pole_in_the_domain_is_a_refutation() -> None:
    a = real("a", at_least=0, at_most=1)
    bits = Bits(one=1 / (3 * a), zero=Rational(1, 4), encoder=OneHot(2))
    findings = enumerate_obligations(Mechanism("pole", parameters=[a], table=bits))
    (refuted,) = [x for x in findings if x.obligation == "nonnegative"]
    assert refuted.witness is not None
    assert refuted.witness.parameters == {"a": "0"}


def test_a_claim_that_divides_by_zero_is_refuted() -> None:
    eps = real("eps", above=0)
    k = integer("k", at_least=2)
    u = exp(eps)
    mechanism = Mechanism(
        "pole",
        parameters=[eps, k],
        table=Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k)),
        claims=[Variance(n / (k - 3))],
    )
    witnesses = [x.witness for x in enumerate_obligations(mechanism) if x.obligation == "variance"]
    assert witnesses[0] is not None
    # k = 2 gives a wrong number before k = 3 gives none.
    assert witnesses[0].parameters["k"] == "2"
    shifted = Mechanism(
        "pole2", parameters=[eps, k], table=mechanism.table, claims=[Holds((k - 2) / (k - 3) < 9)]
    )
    (relation,) = [x for x in enumerate_obligations(shifted) if x.obligation == "holds"]
    assert relation.witness is not None
    assert relation.witness.parameters["k"] == "3"
    assert "divides by zero" in relation.witness.explanation


def test_relations_may_speak_of_n_and_f() -> None:
    eps = real("eps", above=0)
    u = exp(eps)
    keep = u / (u + 1)
    table = Bits(one=keep, zero=1 - keep, encoder=OneHot(2))
    mechanism = Mechanism(
        "shares", parameters=[eps], table=table, claims=[Holds(n * f * u < n * u)]
    )
    (finding,) = [x for x in enumerate_obligations(mechanism) if x.obligation == "holds"]
    assert finding.witness is not None
    assert finding.witness.parameters["f"] == "1"


def test_a_size_that_is_too_large_is_said() -> None:
    wide = Bits(one=Rational(3, 4), zero=Rational(1, 4), encoder=OneHot(30))
    q = real("q", above=0, below=1)
    assert enumerate_obligations(Mechanism("wide", parameters=[q], table=wide)) == ()
