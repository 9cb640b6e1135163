from __future__ import annotations

from typing import Any

import pytest
from sympy import exp

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    BetterThan,
    Design,
    Matrix,
    Mechanism,
    SameTable,
    Singletons,
    f,
    integer,
    load,
    n,
    real,
)

eps = real("eps", above=0)
k = integer("k", at_least=2)
u = exp(eps)


def kary(*claims: Any, size: Any = k) -> Mechanism:
    table = Design(size, 1, 0, u / (u + size - 1), 1 / (u + size - 1), Singletons(size))
    return Mechanism("kary", parameters=[eps, size], table=table, claims=claims)


def test_the_other_table_is_written_in_the_own_parameters() -> None:
    wide = integer("k", at_least=3)
    claim = kary(SameTable("grr"), size=wide).claims[0]
    assert isinstance(claim, SameTable)
    assert isinstance(claim.table, Design)
    assert claim.table.blocks == wide
    assert claim.table.blocks != load("grr")[0].parameters[1]


def test_the_generator_serves_both_tables() -> None:
    with_sue = kary(BetterThan("sue", k < 2))
    assert (with_sue.generator.symbol.name, with_sue.generator.root) == ("s", 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: kary(SameTable("nonesuch")), "must be a file, or a name of the catalogue"),
        (lambda: kary(SameTable(3)), "must be a Mechanism or a name"),
        (lambda: BetterThan("oue", k <= 3), "must be < or >"),
        (lambda: BetterThan("oue", True), "decided before it got here"),
        (lambda: BetterThan("oue", k < 3 * f), "at_f=f compares at every share"),
        (lambda: BetterThan("oue", k < n, at_f=f), "must not mention n"),
        (lambda: BetterThan("oue", at_f=k), "or f for every share"),
        (lambda: BetterThan("oue", at_f=2), "must be a rational number in"),
        (lambda: BetterThan("oue", at_f=0.5), "must be exact"),
        (lambda: kary(SameTable("olh")), "not declared"),
    ],
)
def test_comparisons_with_nothing_are_refused(make: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        make()


def test_an_instance_drops_comparisons() -> None:
    assert kary(SameTable("grr")).instance("grr3", {k: 3}).claims == ()


def test_a_mechanism_object_serves_as_well_as_a_name() -> None:
    other = Mechanism("other", parameters=[], table=Matrix([[1, 0], [0, 1]]))
    claim = kary(SameTable(other)).claims[0]
    assert isinstance(claim, SameTable)
    assert claim.table is not None
    assert claim.table.values == 2
