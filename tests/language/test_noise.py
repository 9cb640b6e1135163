"""Declarations of noise say what is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Ends,
    Exponential,
    Lattice,
    Mechanism,
    Noise,
    Normal,
    OneHot,
    Piece,
    Singletons,
    Steps,
    integer,
    load,
    log,
    real,
)

alpha = real("alpha", above=0, below=1)
m = integer("m", at_least=1)
x = real("x", at_least=-1, at_most=1)
k = integer("k", at_least=0, at_most=m)
low = real("low", above=0, at_most=1)
high = real("high", above=0, at_most=1)
ENDS = Ends(0, m, 0, m, low_tail=low, high_tail=high)
SIGNS, STEPS = Singletons(2), Steps([Piece(0, 1, 1)], 1, sympy.Rational(1, 2))
HALF = sympy.Rational(1, 2)
LATTICE = Lattice((1 - alpha) / (1 + alpha), alpha)


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"value": x, "law": LATTICE}, "must be integer"),
        ({"value": k, "law": Exponential(1, 1)}, "must be real"),
        ({"value": sympy.Symbol("x"), "law": Exponential(1, 1)}, "must be real"),
        ({"value": real("x", at_least=0), "law": Exponential(1, 1)}, "two bounds"),
        ({"value": real("x", above=0, at_most=1), "law": Exponential(1, 1)}, "two bounds"),
        ({"value": x, "law": "laplace"}, "must be a Lattice, Steps, Exponential or Normal"),
        ({"value": x, "law": Exponential(1, 1), "ends": ENDS}, "on a Lattice"),
        ({"value": k, "law": LATTICE, "ends": (0, m)}, "must be Ends"),
        (
            {"value": k, "law": LATTICE, "ends": replace(ENDS, low=-alpha)},
            "Ends.low: must be a sum",
        ),
        ({"value": k, "law": LATTICE, "ends": replace(ENDS, high=m + HALF)}, "Ends.high: must be"),
        ({"value": k, "law": LATTICE, "ends": replace(ENDS, high=2**m)}, "Ends.high: must be a"),
        ({"value": x, "law": Exponential(1, 1), "encoder": 3}, "must be OneHot"),
        ({"value": x, "law": Exponential(1, 1), "encoder": SIGNS}, "must be OneHot"),
        ({"value": x, "law": STEPS, "encoder": OneHot(2)}, "with the law a Lattice or Exp"),
        ({"value": x, "law": Normal(1, 1), "encoder": OneHot(2)}, "with the law a Lattice or Exp"),
        ({"value": k, "law": Normal(1, 1)}, "must be real"),
    ],
)
def test_other_tables_are_refused(arguments: dict[str, Any], rule: str) -> None:
    with pytest.raises(SpecError, match=rule):
        Noise(**arguments)


@pytest.mark.parametrize("bad", [0.5, True, "y ==", sympy.oo])
def test_numbers_must_be_exact(bad: Any) -> None:
    for make in (
        lambda: Lattice(bad, 1),
        lambda: Exponential(1, bad),
        lambda: Normal(1, bad),
        lambda: Steps([Piece(0, 1, 1)], bad, 1),
        lambda: Ends(bad, 1, 1, 1, low_tail=low, high_tail=high),
    ):
        with pytest.raises(SpecError):
            make()


def test_steps_need_pieces_and_tails_their_domain() -> None:
    with pytest.raises(SpecError, match=r"Steps\.pieces"):
        Steps([], 1, alpha)
    with pytest.raises(SpecError, match=r"Ends\.low_tail"):
        Ends(0, m, 0, m, low_tail=alpha, high_tail=high)


def test_epsilon_is_a_multiple_of_one_logarithm() -> None:
    table = Noise(k, LATTICE)
    parts = table.privacy_parts(-m * log(alpha))
    assert parts == {"times": m, "ratio": 1 / alpha}
    assert table.privacy_parts(2 * log(1 + alpha)) == {"times": 2, "ratio": 1 + alpha}
    assert table.privacy_parts(log(16)) == {"times": 1, "ratio": 16}
    assert table.privacy_parts(2 * m * log(12)) == {"times": 2 * m, "ratio": 12}
    for wrong in (log(alpha) + log(1 + alpha), 1 + log(alpha)):
        with pytest.raises(SpecError, match="multiple of one logarithm"):
            Mechanism("wrong", parameters=[alpha, m], table=table, claims=[LDP(wrong)])


@pytest.mark.parametrize(
    "name", ["geometric", "truncated_geometric", "laplace", "gaussian", "staircase"]
)
def test_a_table_is_rebuilt_from_its_cells(name: str) -> None:
    (mechanism,) = load(name)
    form = mechanism.table
    assert isinstance(form, Noise)
    assert form.with_cells(form.cells()) == form
    assert form.map(lambda value: value) == form
    with pytest.raises(SpecError, match="no pair tables"):
        form.pair_tables()


def test_the_size_of_an_encoder_is_one_of_the_parameters() -> None:
    table = Noise(x, Exponential(1, 1), encoder=OneHot(m + 1))
    assert ("table.OneHot.values", m + 1) in table.expressions()
    assert table.with_cells(table.cells()) == table
    made = Mechanism("vector", parameters=[m], table=table)
    fixed = made.instance("five", {m: 4}).table
    assert isinstance(fixed, Noise)
    assert fixed.encoder == OneHot(5)
    with pytest.raises(SpecError, match="m"):
        Mechanism("vector", parameters=[], table=table)
