"""Statements with floor(k/2) are proved, or refuted at a size of the right parity."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import floor, log

from ldp_verified.language import (
    LDP,
    Bits,
    Design,
    Holds,
    Mechanism,
    OneHot,
    Subsets,
    exp,
    integer,
    real,
)
from ldp_verified.prove import Status, verify

eps, k, B = real("eps", above=0), integer("k", at_least=2), integer("B", at_least=1)
u, half = exp(eps), floor(k / 2)


def subsets(size: Any) -> Design:
    """All subsets of this size, likelier with the own value."""
    total = size * u + k - size
    return Design(
        B,
        B * size / k,
        B * size * (size - 1) / (k * (k - 1)),
        k * u / total / B,
        k / total / B,
        Subsets(k, size, B),
    )


def test_subsets_of_half_of_the_values() -> None:
    mechanism = Mechanism(
        "halves", parameters=[k, B, eps], table=subsets(half), claims=[LDP(eps, tight=True)]
    )
    result = verify(mechanism, 5, smt=False, coq=False)
    assert {v.status for v in result.verdicts} == {Status.ONE_GROUP}


@pytest.mark.parametrize(
    ("relation", "place"),
    [
        (2 * half <= k, None),
        (2 * half >= k - 1, None),
        (half >= 1, None),
        (2 * half >= k, "odd"),
        (2 * half <= k - 1, "even"),
        (3 * floor(k / 3) >= k - 1, "two more than a multiple of 3"),
    ],
)
def test_relations_of_a_floor(relation: Any, place: str | None) -> None:
    table = Bits(half / k, 1 / (2 * k), OneHot(k))
    mechanism = Mechanism("m", parameters=[k], table=table, claims=[Holds(relation)])
    result = verify(mechanism, 5, smt=False, coq=False)
    (found,) = [v for v in result.verdicts if v.obligation == "holds"]
    if place is None:
        assert found.status is Status.ONE_GROUP
        return
    assert found.status is Status.REFUTED
    assert found.witness is not None
    size = int(found.witness.parameters["k"])
    texts = [found.statement, found.detail, found.witness.explanation, *found.witness.parameters]
    assert not any("floor_k" in text for text in texts)
    assert "floor(k/" in found.statement
    assert "floor(k/" in found.witness.explanation
    floors = {name: at for name, at in found.witness.parameters.items() if name != "k"}
    assert floors
    assert all(int(at) == size // int(name[-2]) for name, at in floors.items())
    assert {"odd": size % 2 == 1, "even": size % 2 == 0}.get(place, size % 3 == 2)


@pytest.mark.parametrize(("factor", "status"), [(1, Status.ONE_GROUP), (2, Status.REFUTED)])
def test_a_ratio_with_a_floor(factor: int, status: Status) -> None:
    table = Bits(half / k, 1 / (2 * k), OneHot(k))
    ratio = half * (2 * k - 1) / (k - half) / factor
    mechanism = Mechanism("m", parameters=[k], table=table, claims=[LDP(log(ratio))])
    result = verify(mechanism, 5, smt=False, coq=False)
    (found,) = [v for v in result.verdicts if v.obligation == "ratio" and v.claim == 0]
    assert found.status is status
