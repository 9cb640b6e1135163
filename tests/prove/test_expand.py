"""The expanded table against tables written by hand and brute-force facts about the structures."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
import sympy

from ldp_verified.language import Design, Matrix, Mechanism, integer, load, real
from ldp_verified.prove.enumeration.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    digits_of_family,
    evaluate,
    expand,
    probability,
)


def _mechanism(name: str) -> Mechanism:
    return load(name)[0]


def test_grr_written_by_hand() -> None:
    table = expand(_mechanism("grr"), {"u": 3, "k": 3})
    rows = {c.output: [table.probability(c, x) for x in range(3)] for c in table.columns}
    a, b = Fraction(3, 5), Fraction(1, 5)
    assert rows == {0: [a, b, b], 1: [b, a, b], 2: [b, b, a]}
    assert [c.supports for c in table.columns] == [frozenset([y]) for y in range(3)]


def test_oue_written_by_hand() -> None:
    table = expand(_mechanism("oue"), {"u": 3, "k": 2})
    rows = {c.output: [table.probability(c, x) for x in range(2)] for c in table.columns}
    assert rows == {
        (0, 0): [Fraction(3, 8), Fraction(3, 8)],
        (1, 0): [Fraction(3, 8), Fraction(1, 8)],
        (0, 1): [Fraction(1, 8), Fraction(3, 8)],
        (1, 1): [Fraction(1, 8), Fraction(1, 8)],
    }
    assert {c.output: c.supports for c in table.columns}[1, 0] == frozenset([0])


def test_matrix_keeps_its_labels_and_unequal_sizes() -> None:
    p = real("p", above=0, below=1)
    table = Matrix([[p, (1 - p) / 2, (1 - p) / 2], [(1 - p) / 2, (1 - p) / 2, p]], inputs="ab")
    expanded = expand(Mechanism("wide", parameters=[p], table=table), {p: Fraction(1, 2)})
    assert expanded.inputs == ("a", "b")
    assert expanded.outputs == 3
    assert all(c.supports is None for c in expanded.columns)
    assert [expanded.probability(c, 0) for c in expanded.columns] == [
        Fraction(1, 2),
        Fraction(1, 4),
        Fraction(1, 4),
    ]


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("g", range(2, 9))
def test_hash_family_is_exactly_balanced(k: int, g: int) -> None:
    """Every value is in g^m blocks and every two values in g^(m-1): collision probability 1/g."""
    table = expand(_mechanism("olh"), {"u": 3, "k": k, "g": g})
    functions = g ** digits_of_family(k, g)[1]
    assert table.outputs == functions * g
    for x, x2 in product(range(k), repeat=2):
        both = sum(c.multiplicity for c in table.columns if c.supports and {x, x2} <= c.supports)
        assert both == (functions if x == x2 else functions // g)


@pytest.mark.parametrize(
    ("k", "g", "expected"), [(2, 2, (2, 1)), (8, 2, (2, 3)), (8, 6, (2, 3)), (8, 7, (7, 2))]
)
def test_digits_of_family(k: int, g: int, expected: tuple[int, int]) -> None:
    assert digits_of_family(k, g) == expected


@pytest.mark.parametrize("name", ["warner", "binary_rr", "grr", "sue", "oue", "olh"])
def test_single_cells_agree_with_the_table(name: str) -> None:
    """The two evaluations of a cell, tree walk and substitution, give the same numbers."""
    mechanism = _mechanism(name)
    wanted = {
        "u": Fraction(5, 2),
        "s": Fraction(5, 2),
        "k": Fraction(5),
        "g": Fraction(3),
        "gamma": Fraction(1, 7),
    }
    point = {s.name: wanted[s.name] for s in mechanism.variables if s.name in wanted}
    table = expand(mechanism, point)
    for column in table.columns:
        for x in range(len(table.inputs)):
            again = probability(mechanism, point, x, column.output)
            assert table.probability(column, x) == again
    assert set(table.row_sums) == {Fraction(1)}


def test_evaluate_is_exact_and_does_not_simplify() -> None:
    x = sympy.Symbol("x")
    expression = sympy.Mul(x, sympy.Pow(x + 1, -2, evaluate=False), evaluate=False)
    assert evaluate(expression, {x: Fraction(1, 3)}) == Fraction(3, 16)
    with pytest.raises(ZeroDivisionError):
        evaluate(x / (x - 1), {x: Fraction(1)})
    with pytest.raises(NotExpandableError, match="rational"):
        evaluate(sympy.sqrt(2) * x, {x: Fraction(1)})
    with pytest.raises(NotExpandableError, match="no value"):
        evaluate(x + sympy.Symbol("z"), {x: Fraction(1)})


def test_counts_alone_are_not_expanded() -> None:
    v = integer("v", at_least=2)
    bare = Mechanism("bare", parameters=[v], table=Design(v, 1, 0, 2 / (v + 1), 1 / (v + 1)))
    with pytest.raises(NotExpandableError, match="counts alone"):
        expand(bare, {v: 3})


def test_too_large_is_refused_before_it_is_tried() -> None:
    for name, point in (("oue", {"u": 3, "k": 40}), ("olh", {"u": 3, "k": 10**6, "g": 97})):
        with pytest.raises(NotExpandableError, match="small"):
            expand(_mechanism(name), point)


def test_pole_in_the_domain_is_named() -> None:
    a = real("a", at_least=0, at_most=1)
    odd = Mechanism("odd", parameters=[a], table=Matrix([[a, 1 - a], [1 / a, 1 - 1 / a]]))
    with pytest.raises(UndefinedCellError, match=r"rows\[1\]\[0\]"):
        expand(odd, {a: 0})


def test_family_size_is_determined() -> None:
    olh = _mechanism("olh")
    form = olh.algebraic_table
    symbols = {s.name: s for s in olh.variables}
    point = {symbols["u"]: 3, symbols["k"]: 8, symbols["g"]: 2}
    assert complete(form, point)[symbols["M"]] == 8
    with pytest.raises(NotExpandableError, match="functions: must be 8"):
        complete(form, point | {symbols["M"]: 9})


def test_points_must_name_variables_and_be_exact() -> None:
    grr = _mechanism("grr")
    with pytest.raises(NotExpandableError, match="name variables"):
        expand(grr, {"eps": 1, "k": 3})
    with pytest.raises(NotExpandableError, match="exact"):
        expand(grr, {"u": 1.5, "k": 3})
