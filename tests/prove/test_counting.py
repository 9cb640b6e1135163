"""Class counts for all sizes: rows of a statement against what the outputs count up to."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ldp_verified.language import (
    Bits,
    Blocks,
    Bloom,
    Design,
    Matrix,
    Mechanism,
    Rational,
    integer,
    load,
    load_catalogue,
    real,
)
from ldp_verified.language.bloom import MOST_HASHES
from ldp_verified.prove import Status, verify
from ldp_verified.prove.designs.counting import compare, counts_of
from ldp_verified.prove.designs.identities import identities
from ldp_verified.prove.enumeration.expand import complete, evaluate
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.prepared import case
from tests.broken.counts import LATE, Late

DESIGNS = [
    m for m in load_catalogue() if isinstance(m.table, Design) and counts_of(m.table.structure)
]


def bloom(hashes: int) -> Mechanism:
    zero = real("zero", above=0, below=1)
    one = real("one", above=zero, below=1)
    m = integer("m", at_least=2 * hashes)
    return Mechanism("m", parameters=[zero, one, m], table=Bits(one, zero, Bloom(m, hashes)))


def compared(mechanism: Mechanism, statement: dict[str, Any] | None = None) -> Any:
    this = case(mechanism)
    return compare(this.completed.algebraic_table, statement or this.statement)


@pytest.mark.parametrize("name", ["grr", "olh", "oue", "cms", "warner", "subset_selection", "pgr"])
def test_the_rows_of_the_catalogue_are_shown(name: str) -> None:
    assert compared(load(name)[0]).shown


def test_a_table_without_blocks_has_no_counts() -> None:
    assert counts_of(None) is None


@pytest.mark.parametrize("mechanism", DESIGNS, ids=lambda m: m.name)
def test_the_listed_counts_are_those_of_the_blocks_at_small_sizes(mechanism: Mechanism) -> None:
    """By the sizes of the blocks, which are written out: nothing of the list is read there."""
    table = mechanism.table
    assert isinstance(table, Design)
    counts = counts_of(table.structure)
    assert counts is not None
    at = points(mechanism, 4)
    for point in at:
        full = complete(mechanism.algebraic_table, point)
        stated = (table.blocks, table.containing, table.together)
        assert [evaluate(n, full) for n in counts] == [evaluate(n, full) for n in stated]
    found = identities(mechanism, at)
    assert found is not None
    assert found.holds


def test_blocks_are_counted_one_by_one() -> None:
    fano = [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}]
    assert counts_of(Blocks(7, fano)) == (7, 3, 1)
    assert counts_of(Blocks(7, [*fano[:-1], {2, 4, 6}])) is None
    assert counts_of(Blocks(3, [{0, 1}, {1, 2}, {0}, {2}])) is None


@pytest.mark.parametrize("hashes", range(1, MOST_HASHES + 1))
def test_the_rows_of_bloom_encodings_are_shown(hashes: int) -> None:
    assert compared(bloom(hashes)).shown


@pytest.mark.parametrize("field", ["count", "px", "px2", "outputs"])
@pytest.mark.parametrize("table", range(5))
def test_a_changed_row_of_bloom_encodings_is_refused(table: int, field: str) -> None:
    mechanism = bloom(2)
    statement = copy.deepcopy(case(mechanism).statement)
    assert len(statement["pair_tables"]) == 6
    row = statement["pair_tables"][table]["rows"][-1]
    row[field] = row[field] + (" of them" if field == "outputs" else " + 1")
    found = compared(mechanism, statement)
    assert not found.shown
    assert found.differs


@pytest.mark.parametrize("change", ["missing", "twice", "renamed"])
def test_other_pairs_of_bloom_encodings_are_refused(change: str) -> None:
    mechanism = bloom(2)
    statement = copy.deepcopy(case(mechanism).statement)
    tables = statement["pair_tables"]
    if change == "missing":
        tables.pop()
    elif change == "twice":
        tables.append(tables[0])
    else:
        tables[0]["pair"] = "2 bits of x only, 0 bits of x' only"
    assert "other pairs" in compared(mechanism, statement).differs


@pytest.mark.parametrize("field", ["count", "px", "px2", "supports_x"])
@pytest.mark.parametrize("name", ["grr", "oue", "warner", "pgr"])
def test_a_changed_row_is_refused(name: str, field: str) -> None:
    (mechanism,) = load(name)
    statement = copy.deepcopy(case(mechanism).statement)
    row = statement["pair_tables"][0]["rows"][0]
    row[field] = (not row[field]) if field == "supports_x" else f"({row[field]})*2 + 1"
    found = compared(mechanism, statement)
    assert not found.shown
    assert found.differs


def test_a_missing_row_is_refused() -> None:
    (mechanism,) = load("grr")
    statement = copy.deepcopy(case(mechanism).statement)
    statement["pair_tables"][0]["rows"].pop()
    assert compared(mechanism, statement).differs


def test_a_cell_at_another_place_is_refused() -> None:
    half = Rational(1, 2)
    table = Matrix([[half, half], [Rational(1, 4), Rational(3, 4)]])
    swapped = Matrix([[half, half], [Rational(3, 4), Rational(1, 4)]])
    this = case(Mechanism("m", parameters=[], table=swapped))
    assert compare(swapped, this.statement).shown
    assert "is stated as" in compare(table, this.statement).differs


@pytest.mark.parametrize("late", LATE, ids=lambda late: late.mechanism.name)
def test_counts_that_fail_beyond_the_enumerated_sizes_prove_nothing(late: Late) -> None:
    """The 3 enumerated sizes agree; the counts differ as functions, and then at a size."""
    found = verify(late.mechanism, 3, smt=False, coq=False, derived=False)
    said = {v.obligation: v for v in found.verdicts}
    counts = said["class_counts"]
    assert counts.status is Status.REFUTED
    assert counts.witness is not None
    assert int(counts.witness.parameters[late.symbol]) > late.largest
    assert "counting" in counts.refusals
    for kind in ("ratio", "tight", "unbiased"):
        assert said[kind].status is Status.OPEN
        assert said[kind].alone is None or "class_counts" in said[kind].capped_by
    assert said["ratio"].alone is not None
    assert "class_counts, which is refuted" in said["ratio"].detail
