"""Points at which no structure exists, and so no table: nothing is refuted there."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sympy import isprime

from ldp_verified.language import (
    Design,
    HadamardBlocks,
    HashBlocks,
    Holds,
    LinearBlocks,
    Mechanism,
    exp,
    integer,
    real,
)
from ldp_verified.prove import Status, verify
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.expand import NoStructureError, complete
from ldp_verified.prove.enumeration.points import exists

k, K = integer("k", at_least=2), integer("K", at_least=4)
g, M = integer("g", at_least=2), integer("M", at_least=1)
u = exp(real("eps", above=0))


def hadamard(*claims: Any) -> Mechanism:
    table = Design(
        blocks=K,
        containing=K / 2,
        together=K / 4,
        inside=2 * u / (u + 1) / K,
        outside=2 / (u + 1) / K,
        structure=HadamardBlocks(values=k, order=K),
    )
    return Mechanism("m", parameters=[*u.free_symbols, k, K], table=table, claims=claims)


def hashing(structure: Any, *claims: Any, more: Any = 0) -> Mechanism:
    table = Design(
        blocks=M * g,
        containing=M,
        together=M / g,
        inside=u / (u + g - 1) / M + more,
        outside=1 / (u + g - 1) / M - more / (g - 1),
        structure=structure(k, g, M),
    )
    return Mechanism("m", parameters=[*u.free_symbols, k, g, M], table=table, claims=claims)


def statuses(mechanism: Mechanism, *, smt: bool) -> dict[str, Any]:
    return {
        v.obligation: v
        for v in verify(mechanism, 4, smt=smt, coq=False, draw_points=False).verdicts
    }


TRUE_WHERE_THERE_IS_A_TABLE: dict[str, Mechanism] = {
    "the order is above k": hadamard(Holds(k < K)),
    "the order is at most 2 k": hadamard(Holds(2 * k >= K)),
    "four is no prime": hashing(LinearBlocks, Holds((g - 4) ** 2 > 0)),
    "as many functions as buckets": hashing(HashBlocks, Holds(g <= M)),
}
FALSE_AT_SOME_TABLE: dict[str, Mechanism] = {
    "the order is below 2 k": hadamard(Holds(2 * k > K)),
    "three is a prime": hashing(LinearBlocks, Holds((g - 3) ** 2 > 0)),
    "more functions than buckets": hashing(HashBlocks, Holds(g < M)),
}


@pytest.mark.parametrize("name", TRUE_WHERE_THERE_IS_A_TABLE)
def test_what_fails_only_where_there_is_no_table_is_enumerated(name: str) -> None:
    found = statuses(TRUE_WHERE_THERE_IS_A_TABLE[name], smt=False)["holds"]
    assert (found.status, found.witness) == (Status.ENUMERATED, None)


@pytest.mark.parametrize("name", TRUE_WHERE_THERE_IS_A_TABLE)
def test_a_model_without_a_structure_leaves_it_open_and_says_so(name: str) -> None:
    found = statuses(TRUE_WHERE_THERE_IS_A_TABLE[name], smt=True)["holds"]
    assert (found.status, found.witness) == (Status.OPEN, None)
    assert found.refusals["smt"].endswith("where there is no structure of these sizes")


@pytest.mark.parametrize("name", FALSE_AT_SOME_TABLE)
def test_what_fails_where_there_is_a_table_is_refuted(name: str) -> None:
    mechanism = FALSE_AT_SOME_TABLE[name]
    found = statuses(mechanism, smt=False)["holds"]
    assert found.status is Status.REFUTED
    point = {s: found.witness.parameters[s.name] for s in mechanism.variables}
    assert exists(mechanism.algebraic_table, {s: Fraction(text) for s, text in point.items()})


def test_a_cell_that_is_negative_only_without_a_structure_refutes_nothing() -> None:
    """At g = 4 `inside` is above 1, and `outside` below 0; at every prime both are as they were."""
    primes_below_8 = (g - 2) * (g - 3) * (g - 5) * (g - 7)
    found = statuses(hashing(LinearBlocks, more=primes_below_8), smt=False)["nonnegative"]
    assert found.witness is None or isprime(int(found.witness.parameters["g"]))


def test_a_division_by_zero_without_a_structure_refutes_nothing() -> None:
    found = statuses(hashing(LinearBlocks, Holds(1 / (g - 4) ** 2 > 0)), smt=False)["defined"]
    assert (found.status, found.witness) == (Status.OPEN, None)


def test_a_division_by_zero_where_there_is_a_structure_is_refuted() -> None:
    found = statuses(hashing(LinearBlocks, Holds(1 / (g - 3) ** 2 > 0)), smt=False)["defined"]
    assert (found.status, found.witness.parameters["g"]) == (Status.REFUTED, "3")


@pytest.mark.parametrize("sizes", [{k: 4, g: 4}, {k: 4, g: 3, M: 3}])
def test_no_finding_is_about_a_point_without_a_structure(sizes: dict[Any, int]) -> None:
    mechanism = hashing(LinearBlocks, Holds(g >= k))
    (generator,) = (s for s in mechanism.variables if s not in (k, g, M))
    point = {s: Fraction(value) for s, value in {generator: 2, **sizes}.items()}
    with pytest.raises(NoStructureError):
        complete(mechanism.algebraic_table, point)
    assert enumerate_obligations(mechanism, at=[point]) == ()
