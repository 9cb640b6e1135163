"""A tight epsilon that is another formula in another range."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Rational, exp

from ldp_verified.derive import Facts
from ldp_verified.kinds import TableForm
from ldp_verified.language import (
    LDP,
    Atom,
    Bits,
    Bloom,
    Density,
    Design,
    Exponential,
    HashedOneHot,
    Matrix,
    Mechanism,
    Noise,
    OneHot,
    Points,
    Singletons,
    integer,
    left,
    load,
    log,
    near,
    real,
    right,
)
from ldp_verified.language.forms import form_of
from ldp_verified.language.levels import Levels
from ldp_verified.prove import Status, verify
from ldp_verified.prove.certificates.checker import check
from ldp_verified.prove.enumeration.exact_values import evaluate
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.prove.enumeration.points import inside, points
from ldp_verified.prove.enumeration.table_facts import tight_ratio
from ldp_verified.prove.prepared import case
from ldp_verified.prove.winners import ranges

half, third = Rational(1, 2), Rational(1, 3)
p, r = real("p", above=0, below=1), real("r", above=0, below=1)
eps = real("eps", above=0)
u = exp(eps)

SPLIT: dict[str, tuple[list[Any], Matrix, int]] = {
    # Of two rows in general, each of the four ratios is the largest somewhere.
    "two rows": ([p, r], Matrix([[p, 1 - p], [r, 1 - r]]), 4),
    "one row": ([p], Matrix([[p, 1 - p], [third, 2 * third]]), 3),
    "in e^eps": ([eps], Matrix([[u / (u + 3), 3 / (u + 3)], [half, half]]), 2),
}


@pytest.mark.parametrize("name", SPLIT)
def test_every_range_is_reported_and_shown(name: str) -> None:
    parameters, table, number = SPLIT[name]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    result = verify(mechanism, smt=False, coq=False)
    (found,) = [v for v in result.verdicts if v.obligation == "at_range"]
    assert found.status is Status.ONE_GROUP
    assert "certificate" in found.checkers
    text = result.derived["tight epsilon"]
    assert text.count(" where ") == number
    assert text in found.statement


@pytest.mark.parametrize("name", SPLIT)
def test_the_ranges_cover_the_domain_with_the_right_formula(name: str) -> None:
    """At points of the whole domain, by the table written out."""
    parameters, table, _ = SPLIT[name]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    found = ranges(mechanism, Facts(mechanism))
    at = points(mechanism)
    assert len(at) >= 5
    for point in at:
        true = tight_ratio(expand(mechanism, point))
        here = [each for each in found if inside(each.mechanism, point)]
        assert here, point
        for each in here:
            (claim,) = each.mechanism.claims
            assert isinstance(claim, LDP)
            ratio = each.mechanism.algebraic("ratio", claim.ratio)
            assert evaluate(ratio, point) == true


def test_where_one_formula_is_enough_there_are_no_ranges() -> None:
    for name in ("warner", "grr"):
        mechanism = next(m for m in load(name) if m.name == name)
        assert ranges(mechanism, Facts(mechanism)) == ()


def test_a_formula_in_the_range_of_another_one_is_not_shown() -> None:
    """The ranges of two formulas exchanged: the verifier shows neither."""
    parameters, table, _ = SPLIT["in e^eps"]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    one, other = (each.mechanism for each in ranges(mechanism, Facts(mechanism)))
    for claimed, where in ((one, other), (other, one)):
        wrong = Mechanism(
            "wrong",
            parameters=parameters,
            table=table,
            claims=claimed.claims,
            assuming=where.assuming,
        )
        this = case(wrong, derived=False)
        missing = [o for o in check(this.statement, this.certificate) if not o.shown]
        assert any(o.obligation.kind == "ratio" for o in missing)
        result = verify(wrong, smt=False, coq=False, derived=False)
        assert result.status is Status.REFUTED


def test_a_range_can_be_pasted_back_as_a_domain() -> None:
    parameters, table, _ = SPLIT["two rows"]
    mechanism = Mechanism("split", parameters=parameters, table=table)
    for each in ranges(mechanism, Facts(mechanism)):
        result = verify(each.mechanism, smt=False, coq=False, derived=False)
        assert {v.status for v in result.verdicts if v.claim == 0} == {Status.ONE_GROUP}


k, m = integer("k", at_least=2), integer("m", at_least=4)
g, families = integer("g", at_least=2), integer("families", at_least=1)
x = real("x", at_least=-1, at_most=1)
scale, share = real("scale", above=0), real("share", above=0, below=1)

LARGE = Matrix([[p if i == j else (1 - p) / 12 for j in range(13)] for i in range(13)])
SPREAD = Points(
    k,
    decay=p,
    cell=(1 - r) * (1 - p) / (1 + p) * near,
    low_end=(1 - r) * left / (1 + p) + r * share,
    high_end=(1 - r) * right / (1 + p) + r * (1 - share),
)
"""Noise on a line, and with probability r one of the ends instead, whatever the value."""

UNDECIDED: dict[TableForm, tuple[list[Any], Any]] = {
    TableForm.MATRIX: ([p, r], SPLIT["two rows"][1]),
    TableForm.LARGE: ([p], LARGE),
    TableForm.DESIGN: (
        [p, k],
        Design(
            blocks=k,
            containing=1,
            together=0,
            inside=p,
            outside=(1 - p) / (k - 1),
            structure=Singletons(values=k),
        ),
    ),
    TableForm.BITS: ([p, r, k], Bits(one=p, zero=r, encoder=OneHot(k))),
    TableForm.BLOOM: ([p, r, m], Bits(one=p, zero=r, encoder=Bloom(m, hashes=2))),
    TableForm.HASHED: ([p, r, k, g, families], Bits(p, r, HashedOneHot(k, g, families))),
    TableForm.LEVELS: ([p, r, k], Levels([p, 1 - p], [r, 1 - r], OneHot(k))),
    TableForm.POINTS: ([p, r, share, k], SPREAD),
    TableForm.DENSITY: (
        [],
        Density(value=x, atoms=[Atom(-1, half - x / 4), Atom(1, half + x / 4)]),
    ),
    TableForm.NOISE: (
        [scale],
        Noise(value=x, law=Exponential(level=1 / (2 * scale), scale=scale)),
    ),
}
"""A table of each form of which no row is known to have the largest ratio for all parameters."""


@pytest.mark.parametrize("form", TableForm)
def test_every_form_is_verified_where_no_row_is_known_to_be_the_worst(form: TableForm) -> None:
    """What has no row with the largest ratio may have no rows: `Points` ended in a traceback."""
    parameters, table = UNDECIDED[form]
    large = form is TableForm.LARGE
    assert form_of(table) is (TableForm.MATRIX if large else form)
    mechanism = Mechanism("undecided", parameters=parameters, table=table)
    facts = Facts(mechanism)
    assert (facts.tight, facts.large is not None) == (None, large)
    result = verify(mechanism, 3, smt=False, coq=False)
    assert result.status is not Status.REFUTED


def test_points_without_a_worst_end_have_their_claim_proved() -> None:
    claim = LDP((k - 1) * log(1 / p))
    mechanism = Mechanism("line", parameters=[p, r, share, k], table=SPREAD, claims=[claim])
    found = {v.obligation: v for v in verify(mechanism, 4, smt=False, coq=False).verdicts}
    assert found["ratio"].status is Status.ONE_GROUP


def test_points_without_a_worst_end_have_a_false_claim_refuted() -> None:
    shifted = Points(
        k,
        decay=p,
        cell=(1 - p) / (1 + p) * near,
        low_end=left / (1 + p) + Rational(1, 10),
        high_end=right / (1 + p) - Rational(1, 10),
    )
    claim = LDP((k - 1) * log(1 / p))
    mechanism = Mechanism("line", parameters=[p, k], table=shifted, claims=[claim])
    found = {v.obligation: v for v in verify(mechanism, 4, smt=False, coq=False).verdicts}
    assert found["ratio"].status is found["nonnegative"].status is Status.REFUTED
