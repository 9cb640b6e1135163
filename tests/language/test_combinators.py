"""Combined tables against products that are written out, and what is proved of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Form,
    HashBlocks,
    Matrix,
    Mechanism,
    MetricLDP,
    OneHot,
    Rational,
    Singletons,
    alongside,
    differing_in_one,
    exp,
    integer,
    log,
    memo,
    public,
    real,
    sample,
    then,
    together,
)
from ldp_verified.prove import verify
from tests.strategies import channels

eps = real("eps", above=0)
u = exp(eps)
RR = Matrix([[u / (u + 1), 1 / (u + 1)], [1 / (u + 1), u / (u + 1)]])
Rows = list[list[Fraction]]


def matrix(rows: Rows) -> Matrix:
    return Matrix([[Rational(c.numerator, c.denominator) for c in row] for row in rows])


def cells(table: Matrix) -> Rows:
    return [[Fraction(int(c.p), int(c.q)) for c in row] for row in table.rows]


ONE_GROUP = "proved by one group"
"""By the certificate: solver and Coq are not asked here."""


def statuses(table: Form, *claims: Any, parameters: tuple[Any, ...] = (eps,)) -> dict[str, str]:
    mechanism = Mechanism("made", parameters=list(parameters), table=table, claims=list(claims))
    return {v.obligation: str(v.status) for v in verify(mechanism, smt=False, coq=False).verdicts}


@given(channels(3, 3), channels(3, 3))
def test_then_is_the_sum_over_what_happened_between(first: Rows, second: Rows) -> None:
    if len(first[0]) != len(second):
        with pytest.raises(SpecError, match="inputs"):
            then(matrix(first), matrix(second))
        return
    found = cells(then(matrix(first), matrix(second)))
    for x, row in enumerate(first):
        for z in range(len(second[0])):
            assert found[x][z] == sum(row[y] * second[y][z] for y in range(len(second)))


@settings(max_examples=30)
@given(channels(2, 3), channels(2, 3))
def test_products(first: Rows, second: Rows) -> None:
    tables = [matrix(first), matrix(second)]
    both, each = together(*tables), alongside(*tables)
    for x in range(2):
        for column, (y, z) in enumerate(both.outputs):
            assert cells(both)[x][column] == first[x][y] * second[x][z]
    for row, (x, x2) in enumerate(each.inputs):
        for column, (y, z) in enumerate(each.outputs):
            assert cells(each)[row][column] == first[x][y] * second[x2][z]


@settings(max_examples=30)
@given(channels(2, 3), channels(2, 3))
def test_choices(first: Rows, second: Rows) -> None:
    tables, parts = [matrix(first), matrix(second)], (first, second)
    shares = [Rational(1, 3), Rational(2, 3)]
    one, many = public(*tables), sample(*tables, weights=shares)
    for x in range(2):
        for column, (s, y) in enumerate(one.outputs):
            assert cells(one)[x][column] == parts[s][x][y] / 2
    for row, values in enumerate(many.inputs):
        for column, (s, y) in enumerate(many.outputs):
            assert cells(many)[row][column] == parts[s][values[s]][y] * Fraction(s + 1, 3)


@settings(max_examples=20)
@given(channels(2, 2), channels(2, 2), st.integers(1, 3))
def test_memo_keeps_one_permanent_answer(first: Rows, second: Rows, times: int) -> None:
    if len(first[0]) != len(second):
        return
    made = memo(matrix(first), matrix(second), times)
    for x in range(2):
        for column, reports in enumerate(product(range(len(second[0])), repeat=times)):
            total = sum(
                (
                    first[x][b] * math.prod((second[b][y] for y in reports), start=Fraction(1))
                    for b in range(len(second))
                ),
                Fraction(0),
            )
            assert cells(made)[x][column] == total


def test_bits_are_randomized_again_one_by_one() -> None:
    low = real("low", above=0, below=1)
    high = real("high", above=low, below=1)
    table = then(
        Bits(one=Rational(3, 4), zero=Rational(1, 4), encoder=OneHot(3)),
        [[1 - low, low], [1 - high, high]],
    )
    assert isinstance(table, Bits)
    assert table.one.equals(Rational(3, 4) * high + Rational(1, 4) * low)
    assert table.zero.equals(Rational(1, 4) * high + Rational(3, 4) * low)


def test_epsilons_are_proved_for_all_parameters() -> None:
    """Each combinator's theorem, as a claim about the table that it makes."""
    ratio = (u**2 + 1) / (2 * u)
    made: list[tuple[Form, Any]] = [
        (together(RR, RR), LDP(2 * eps, tight=True)),
        (public(RR, RR), LDP(eps, tight=True)),
        (sample(RR, RR), LDP(eps, tight=True)),
        (alongside(RR, RR), LDP(2 * eps, tight=True)),
        (alongside(RR, RR), MetricLDP(eps, differing_in_one)),
        (then(RR, RR), LDP(log(ratio), tight=True)),
        (then(RR, RR), LDP(eps)),
        (memo(RR, RR, 2), LDP(eps)),
    ]
    for table, claim in made:
        found = statuses(table, claim)
        assert found["ratio"] == ONE_GROUP
        assert found.get("tight", ONE_GROUP) == ONE_GROUP


def test_two_reports_of_one_permanent_answer_cost_less_than_two_of_the_value() -> None:
    worst = (u**3 + 1) / (u * (u + 1))  # both reports say the same
    assert statuses(memo(RR, RR, 2), LDP(log(worst), tight=True))["tight"] == ONE_GROUP
    assert statuses(memo(RR, RR, 2), LDP(log((u**2 + 1) / (2 * u))))["ratio"] == "refuted"


@pytest.mark.parametrize(
    "table,claim",
    [
        (together(RR, RR), LDP(eps)),  # epsilons that do not add up
        (alongside(RR, RR), LDP(eps)),  # the neighbours' epsilon for any two tuples
        (public(RR, together(RR, RR)), LDP(eps)),  # the smaller of two epsilons
        (sample(RR, together(RR, RR)), LDP(eps)),
        (then(RR, RR), LDP(eps, tight=True)),  # post-processing that is said to lose nothing
    ],
)
def test_wrong_theorems_are_refuted(table: Form, claim: LDP) -> None:
    found = statuses(table, claim)
    assert "refuted" in (found["ratio"], found.get("tight"))


def test_a_choice_that_looks_at_the_value_is_no_table() -> None:
    with pytest.raises(SpecError, match="weights"):
        public(RR, RR, weights=[Rational(1, 2), Rational(1, 3)])


@pytest.mark.parametrize("combine", [together, alongside, public, sample])
def test_other_forms_and_too_few_are_refused(combine: Any) -> None:
    k = integer("k", at_least=2)
    design = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))
    with pytest.raises(SpecError, match="two or more Matrix"):
        combine(RR)
    with pytest.raises(SpecError, match="two or more Matrix"):
        combine(RR, design)


def test_arguments_are_checked() -> None:
    three = Matrix([[Rational(1, 3)] * 3] * 3)
    with pytest.raises(SpecError, match="same inputs"):
        together(RR, three)
    with pytest.raises(SpecError, match="sum to 1"):
        then(Bits(one=u / (u + 1), zero=1 / (u + 1), encoder=OneHot(3)), [[1, 1], [0, 1]])
    with pytest.raises(SpecError, match="2 x 2"):
        then(Bits(one=u / (u + 1), zero=1 / (u + 1), encoder=OneHot(3)), [[1], [1]])
    with pytest.raises(SpecError, match="times"):
        memo(RR, RR, 0)
    with pytest.raises(SpecError, match="weights"):
        sample(RR, RR, weights=[1])


K, G, FUNCTIONS = integer("k", at_least=2), integer("g", at_least=2), integer("M", at_least=1)


def response(size: Any, keep: Rational, functions: Any = 1) -> Design:
    """k-ary response over singletons, or over the buckets of hash functions."""
    inside, outside = keep + (1 - keep) / size, (1 - keep) / size
    if functions == 1:
        return Design(size, 1, 0, inside, outside, Singletons(size))
    structure = HashBlocks(K, size, functions)
    return Design(
        functions * size,
        functions,
        functions / size,
        inside / functions,
        outside / functions,
        structure,
    )


@given(st.integers(1, 9), st.integers(1, 9), st.integers(2, 5))
def test_two_k_ary_responses_are_the_product_of_their_matrices(i: int, j: int, k: int) -> None:
    first, second = (response(sympy.Integer(k), Rational(c, 10)) for c in (i, j))
    both = then(first, second)
    square = [
        sympy.Matrix(k, k, lambda a, b, t=table: t.inside if a == b else t.outside)
        for table in (first, second)
    ]
    product_ = square[0] * square[1]
    assert both.inside == product_[0, 0]
    assert both.outside == product_[0, 1]
    assert both.structure == first.structure


def test_what_follows_a_hashed_bucket_is_a_response_over_the_buckets() -> None:
    keep = Rational(1, 2)
    first = response(G, keep, FUNCTIONS)
    both = then(first, response(G, keep))
    expected = response(G, keep**2, FUNCTIONS)
    assert sympy.simplify(both.inside - expected.inside) == 0
    assert sympy.simplify(both.outside - expected.outside) == 0
    with pytest.raises(SpecError, match=r"Singletons\(g\)"):
        then(first, response(K, keep))


def test_designs_that_cannot_be_followed_are_refused() -> None:
    half = Rational(1, 2)
    with pytest.raises(SpecError, match="Singletons or HashBlocks"):
        then(Design(2, 1, 0, half, half), response(K, half))
    lossy = Design(K, 1, 0, half, half, Singletons(K))
    with pytest.raises(SpecError, match="sum to 1"):
        then(response(K, half), lossy)
