"""The listed blocks: as many as said, balanced, and each block as the second opinion has it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.language import (
    Design,
    HadamardBlocks,
    HadamardSigns,
    Hyperplanes,
    LinearBlocks,
    Mechanism,
    Subsets,
    integer,
    load,
)
from ldp_verified.prove.designs.identities import identities
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations, rows_match
from ldp_verified.prove.enumeration.incidence import contains, counted, listed, outputs
from ldp_verified.prove.enumeration.points import points

if TYPE_CHECKING:
    from ldp_verified.prove.enumeration.incidence import Incidence

k = integer("k", at_least=2)
other = integer("other", at_least=1)
number = integer("number", at_least=1)
SUBSETS = Subsets(k, other, number)
POINTS = Hyperplanes(k, other, number)
LINEAR = LinearBlocks(k, other, number)

CASES: list[tuple[Any, dict[str, int], int, tuple[int, int, int]]] = [
    *(
        (SUBSETS, {"k": n, "omega": w}, comb(n, w), (comb(n, w), comb(n - 1, w - 1), both))
        for n, w, both in [(2, 1, 0), (4, 2, 1), (5, 3, 3), (6, 5, 4)]
    ),
    *(
        (HadamardBlocks(k, number), {"k": n}, order, (order, order // 2, order // 4))
        for n, order in [(2, 4), (3, 4), (4, 8), (7, 8), (8, 16)]
    ),
    *(
        (HadamardSigns(k, number), {"k": n}, order, (2 * order, order, order // 2))
        for n, order in [(2, 2), (3, 4), (4, 4), (5, 8)]
    ),
    (POINTS, {"k": 3, "prime": 2}, 4, (3, 1, 0)),
    (POINTS, {"k": 5, "prime": 2}, 8, (7, 3, 1)),
    (POINTS, {"k": 13, "prime": 3}, 27, (13, 4, 1)),
    (POINTS, {"k": 5, "prime": 5}, 25, (6, 1, 0)),
    (LINEAR, {"k": 3, "g": 2}, 4, (8, 4, 2)),
    (LINEAR, {"k": 3, "g": 3}, 3, (9, 3, 1)),
    (LINEAR, {"k": 7, "g": 3}, 9, (27, 9, 3)),
]


@pytest.mark.parametrize(("structure", "sizes", "determined", "counts"), CASES)
def test_blocks_are_balanced(
    structure: Incidence,
    sizes: dict[str, int],
    determined: int,
    counts: tuple[int, int, int],
) -> None:
    blocks = list(listed(structure, sizes))
    b, r, both = counts
    assert counted(structure, sizes) == determined
    assert outputs(structure, sizes) == len(blocks) == b
    assert len({first for _, _, first in blocks}) == b
    held = Counter(x for block, _, _ in blocks for x in block)
    assert [held[x] for x in range(sizes["k"])] == [r] * sizes["k"]
    pairs = Counter(p for block, _, _ in blocks for p in combinations(sorted(block), 2))
    assert {pairs[p] for p in combinations(range(sizes["k"]), 2)} == {both}
    for block, times, first in blocks:
        assert times == 1
        assert block == {x for x in range(sizes["k"]) if contains(structure, first, x)}


@pytest.mark.parametrize("structure", [POINTS, LINEAR])
def test_only_primes_have_a_structure(structure: Hyperplanes | LinearBlocks) -> None:
    name = "prime" if isinstance(structure, Hyperplanes) else "g"
    admitted = [q for q in range(12) if structure.admits({"k": 5, name: q})]
    assert admitted == [2, 3, 5, 7, 11]


NAMES = ["subset_selection", "hadamard_response", "hrr", "pgr", "hash_cohorts"]


@pytest.mark.parametrize("name", NAMES)
def test_points_are_sizes_of_structures(name: str) -> None:
    (mechanism,) = load(name)
    sizes = {s.name for s in mechanism.variables} - {"B", "K", "M", "Q"}
    found = points(mechanism, 5)
    assert found
    for point in found:
        assert {symbol.name for symbol in point} == sizes
        prime = next((value for s, value in point.items() if s.name in ("q", "g")), None)
        assert prime in (None, 2, 3, 5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("field", ["blocks", "containing", "together"])
def test_a_wrong_count_is_seen_by_both_routes(name: str, field: str) -> None:
    """Each by itself; the solver and the certificates would only see what follows from it."""
    (right,) = load(name)
    table = right.table
    assert isinstance(table, Design)
    changed = table.map(lambda value: value)
    object.__setattr__(changed, field, getattr(table, field) + 1)
    wrong = Mechanism(name, parameters=right.parameters, table=changed)
    sample = points(right, 3)
    found = identities(wrong, sample)
    assert found is not None
    assert not found.holds
    unchanged = identities(right, sample)
    assert unchanged is not None
    assert unchanged.holds
    for mechanism, holds in ((wrong, False), (right, True)):
        rows = rows_match(mechanism, mechanism.algebraic_table.pair_tables(), sample[::7])
        assert rows is not None
        assert rows.holds is holds


@pytest.mark.parametrize("name", NAMES)
def test_the_claims_hold_at_small_sizes(name: str) -> None:
    (mechanism,) = load(name)
    findings = enumerate_obligations(mechanism, 3)
    assert {finding.obligation for finding in findings} >= {"ratio", "tight", "unbiased"}
    assert all(finding.holds for finding in findings)
