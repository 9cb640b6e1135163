"""`--as`: sides from the spec's pair tables, against the tables written out."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from ldp_verified.audit.bounds import Stake
from ldp_verified.audit.named import named
from ldp_verified.errors import ParameterError
from ldp_verified.language import load
from ldp_verified.prove.expand import ExpandedTable, expand


def sides(table: ExpandedTable, x: int, x2: int) -> tuple[float, float]:
    plus = minus = Fraction(0)
    for column in table.columns:
        assert column.supports is not None
        mass = column.multiplicity * table.probability(column, x)
        plus += mass * (x in column.supports and x2 not in column.supports)
        minus += mass * (x2 in column.supports and x not in column.supports)
    return float(plus), float(minus)


@pytest.mark.parametrize("name,reading", [("oue", None), ("sue", None), ("olh", "same:1")])
def test_the_sides_are_those_of_the_expanded_table(name: str, reading: str | None) -> None:
    del reading
    (spec, *_) = load(name)
    epsilon, k = 1.0, 4
    variables = [str(symbol) for symbol in spec.variables]
    u = Fraction(exp(epsilon / spec.generator.root))
    point = {variables[0]: u, "k": Fraction(k)}
    if name == "olh":
        point["g"] = Fraction(4)
    table = expand(spec, point)
    found = named(name, epsilon, k, reading="says:operator:contains")
    assert (found.plus, found.minus) == pytest.approx(sides(table, 0, 1))
    assert found.stake == Stake()
    assert found.plus / found.minus == pytest.approx(exp(epsilon))


def test_single_values_count_all_other_inputs_at_once() -> None:
    found = named("grr", 1.0, 10)
    assert found.reading == "same"
    assert found.stake == Stake(9.0)
    assert found.plus == pytest.approx(exp(1) / (exp(1) + 9))
    assert found.plus + found.minus == pytest.approx(1.0)


def test_what_cannot_be_named_is_refused() -> None:
    with pytest.raises(ParameterError, match="reading"):
        named("olh", 1.0, 10)
    with pytest.raises(ParameterError, match="--set"):
        named("grr", 1.0, 10, {"w": "3"})
