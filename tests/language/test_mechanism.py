from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from sympy import E, Eq, I, Rational, Symbol, exp, pi, sqrt

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Bits,
    Blocks,
    Design,
    Holds,
    Matrix,
    Mechanism,
    OneHot,
    Optimal,
    Singletons,
    Unbiased,
    Variance,
    f,
    integer,
    load,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
gamma = real("gamma", above=0, below=Rational(1, 2))
u = exp(eps)
keep, flip = u / (u + 1), 1 / (u + 1)


def binary(**changes: Any) -> Mechanism:
    fields: dict[str, Any] = {"parameters": [eps], "table": Matrix([[keep, flip], [flip, keep]])}
    return Mechanism("binary", **(fields | changes))


def test_the_generator_is_the_coarsest_that_serves() -> None:
    assert (binary().generator.symbol.name, binary().generator.root) == ("u", 1)
    halved = Mechanism(
        "sue",
        parameters=[eps, k],
        table=Bits(exp(eps / 2) / (exp(eps / 2) + 1), 1 / (exp(eps / 2) + 1), OneHot(k)),
        claims=[LDP(eps)],
    )
    assert (halved.generator.symbol.name, halved.generator.root) == ("s", 2)
    assert halved.algebraic("bound", exp(eps)) == halved.generator.symbol**2


def test_powers_of_other_bases_may_be_one_of_e_together() -> None:
    made = binary()
    assert made.algebraic("bound", 2**eps * (E / 2) ** eps) == made.generator.symbol
    with pytest.raises(SpecError, match="stands outside its generator"):
        made.algebraic("bound", 2**eps)


def test_a_generator_never_takes_the_name_of_a_parameter() -> None:
    taken = integer("u", at_least=2)
    table = Design(taken, 1, 0, exp(eps) / (exp(eps) + taken - 1), 1 / (exp(eps) + taken - 1))
    m = Mechanism("m", parameters=[eps, taken], table=table)
    assert m.generator.symbol.name == "u_"


REFUSED: list[tuple[str, Any, str]] = [
    ("`==` in a claim", lambda: binary(claims=[keep == flip]), r"write Eq\(a, b\)"),
    ("`==` in a cell", lambda: binary(table=Matrix([[keep == flip, flip], [flip, keep]])), "Eq"),
    ("a decided relation", lambda: Holds(k >= 1), "decided before"),
    ("an assumption that collapses", lambda: binary(assuming=[k >= 1]), "collapsed"),
    ("an undeclared parameter", lambda: binary(parameters=[k]), r"add eps to parameters=\[...\]"),
    (
        "a namesake",
        lambda: binary(table=Matrix([[Symbol("eps"), 1], [1, Symbol("eps")]])),
        "another symbol of the same name",
    ),
    (
        "eps outside its generator",
        lambda: binary(table=Matrix([[keep + eps * flip, flip], [flip, keep]])),
        "outside its generator",
    ),
    (
        "eps times a parameter in an exponent",
        lambda: Mechanism(
            "m", parameters=[eps, k], table=Matrix([[exp(eps * k), 1], [1, exp(eps * k)]])
        ),
        "exponent",
    ),
    ("an irrational cell", lambda: binary(table=Matrix([[keep * sqrt(2), flip]] * 2)), "sqrt"),
    ("an imaginary cell", lambda: binary(table=Matrix([[keep * I, flip]] * 2)), "rational coeff"),
    ("pi", lambda: binary(table=Matrix([[keep * pi, flip]] * 2)), "rational coefficients; pi"),
    ("one claim without a list", lambda: binary(claims=LDP(eps)), "must be a list"),
    ("one parameter without a list", lambda: binary(parameters=eps), "must be a list"),
    ("a float cell", lambda: binary(table=Matrix([[0.75, 0.25], [0.25, 0.75]])), "not a float"),
    ("a string", lambda: binary(table=Matrix([["a+", "b"], ["b", "a"]])), "expression"),
    ("one row", lambda: binary(table=Matrix([[1, 0]])), "at least two inputs"),
    ("one row alone", lambda: binary(table=Matrix([keep, flip])), "a list of lists of cells"),
    ("no rows", lambda: binary(table=Matrix(None)), "a list of lists of cells"),
    ("ragged rows", lambda: binary(table=Matrix([[keep, flip], [flip]])), "same length"),
    ("repeated labels", lambda: Matrix([[1, 0], [0, 1]], inputs=[1, 1]), "different labels"),
    (
        "eps from 0",
        lambda: binary(parameters=[real("eps", at_least=0)]),
        "add eps|exclude 0|same name",
    ),
    ("a claim that is none", lambda: binary(claims=["unbiased"]), "must be one of BetterThan"),
    ("a parameter by hand", lambda: binary(parameters=[Symbol("eps")]), "made by real"),
    ("half an estimator", lambda: Unbiased(supported=1), "neither"),
    ("a variance that mentions a fixed f", lambda: Variance(n * f, at_f=0), "must not mention f"),
    ("a reserved name", lambda: binary(parameters=[eps, integer("n", at_least=1)]), "users"),
    ("a division by zero", lambda: binary(table=Matrix([[1 / (k - k), 1], [1, 1]])), "zero|finite"),
    ("a block outside the domain", lambda: Blocks(3, [{0, 3}]), "integers in 0..2"),
    ("a bad name", lambda: Mechanism("a b", parameters=[], table=Matrix([[1], [1]])), "identifier"),
]


@pytest.mark.parametrize(
    ("make", "message"), [pytest.param(*row[1:], id=row[0]) for row in REFUSED]
)
def test_what_cannot_be_read_as_a_table_is_refused(make: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make()


def test_eps_must_be_declared_above_zero() -> None:
    closed = real("eps", at_least=0)
    table = Matrix([[exp(closed) / (exp(closed) + 1), 1 / (exp(closed) + 1)]] * 2)
    with pytest.raises(SpecError, match="exclude 0"):
        Mechanism("m", parameters=[closed], table=table)


def test_an_assumption_bounds_the_later_of_its_parameters() -> None:
    zero, one = real("zero", above=0, below=1), real("one", above=0, below=1)
    m = Mechanism(
        "m", parameters=[zero, one], table=Bits(one, zero, OneHot(3)), assuming=[zero < one]
    )
    assert m.domains[one].lower == zero
    assert m.domains[one].lower_open
    assert m.domains[zero] == zero.domain


def test_a_mechanism_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        binary().name = "other"  # type: ignore[misc]  # the assignment is what must fail


def test_an_instance_puts_values_into_table_and_claims() -> None:
    general = Mechanism(
        "grr",
        parameters=[eps, k],
        table=Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k)),
        claims=[LDP(eps), Variance(n * (k - 2 + u) / (u - 1) ** 2, at_f=0), Optimal({k: u + 1})],
    )
    at_three = general.instance("grr3", {k: 3})
    assert at_three.parameters == (eps,)
    assert isinstance(at_three.table, Design)
    assert at_three.table.blocks == 3
    assert [type(claim) for claim in at_three.claims] == [LDP, Variance]
    assert isinstance(at_three.claims[1], Variance)
    assert at_three.claims[1].value == n * (1 + u) / (u - 1) ** 2
    with pytest.raises(SpecError, match="integer k >= 2"):
        general.instance("grr1", {k: 1})


def test_pair_tables_of_a_matrix_are_its_ordered_pairs_of_rows() -> None:
    tables = Matrix([[1, 2], [3, 4], [5, 6]]).pair_tables()
    assert [t.pair for t in tables][:2] == ["x = 0, x' = 1", "x = 0, x' = 2"]
    assert len(tables) == 6
    assert [(row.px, row.px2) for row in tables[1].rows] == [(1, 5), (2, 6)]


def test_holds_keeps_its_relation() -> None:
    assert Holds(Eq(keep + flip, 1, evaluate=False)).relation.rhs == 1


def test_when_to_prefer_it_is_a_text_that_an_instance_does_not_inherit() -> None:
    (spec,) = load("grr")
    assert spec.prefer
    assert spec.instance("three", {spec.parameters[1]: 3}).prefer == ""
    assert spec.instance("three", {spec.parameters[1]: 3}, prefer="Three.").prefer == "Three."
    with pytest.raises(SpecError, match="prefer: must be a text, got 1"):
        Mechanism("mine", parameters=[], table=Matrix([[1, 0], [0, 1]]), prefer=1)  # type: ignore[arg-type]  # what is refused
