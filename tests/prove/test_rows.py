"""Pair tables against the expanded table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ldp_verified.language import Design, Matrix, Mechanism, integer, real
from ldp_verified.prove.designs.rows import rows_match
from ldp_verified.prove.enumeration.points import points
from tests.finite import FINITE

CATALOGUE = FINITE


@pytest.mark.parametrize("mechanism", CATALOGUE, ids=lambda m: m.name)
def test_catalogue_rows_describe_the_expanded_table(mechanism: Mechanism) -> None:
    finding = rows_match(mechanism, mechanism.algebraic_table.pair_tables())
    assert finding is not None
    assert (finding.obligation, finding.holds, finding.witness) == ("rows", True, None)


@pytest.mark.parametrize("mechanism", CATALOGUE, ids=lambda m: m.name)
@pytest.mark.parametrize("field", ["count", "px", "px2", "supports_x"])
def test_every_column_of_every_row_matters(mechanism: Mechanism, field: str) -> None:
    """Change one entry of one row, in turn, and the tables no longer match."""
    tables = mechanism.algebraic_table.pair_tables()
    few = _few(mechanism)
    for r, row in enumerate(tables[0].rows):
        if row.count == 0:
            continue
        old = getattr(row, field)
        new: Any = (not old) if field == "supports_x" else old * 2
        changed = replace(row, **{field: new})
        rows = (*tables[0].rows[:r], changed, *tables[0].rows[r + 1 :])
        finding = rows_match(mechanism, (replace(tables[0], rows=rows), *tables[1:]), few)
        assert finding is not None
        assert not finding.holds, (mechanism.name, row.outputs, field)
        assert finding.witness is not None


def _few(mechanism: Mechanism) -> list[dict[Any, Any]]:
    """One point of each size up to 4: every kind of row has outputs at one of them."""
    of_size: dict[tuple[Any, ...], dict[Any, Any]] = {}
    for point in points(mechanism, 4):
        sizes = tuple(v for s, v in point.items() if mechanism.variables[s].integer)
        of_size.setdefault(sizes, point)
    return list(of_size.values())


def test_a_missing_type_of_pair_is_seen() -> None:
    """Rows of an asymmetric matrix: one table cannot stand for both orders."""
    p = real("p", above=0, below=1)
    table = Matrix([[p, 1 - p], [p / 3, 1 - p / 3]])
    mechanism = Mechanism("asymmetric", parameters=[p], table=table)
    both = table.pair_tables()
    whole, partial = rows_match(mechanism, both), rows_match(mechanism, both[:1])
    assert whole is not None
    assert whole.holds
    assert partial is not None
    assert not partial.holds


def test_a_table_for_no_pair_is_seen() -> None:
    grr = next(m for m in CATALOGUE if m.name == "grr")
    (true,) = grr.algebraic_table.pair_tables()
    spare = replace(true, pair="distant values", rows=true.rows[:2])
    finding = rows_match(grr, (true, spare))
    assert finding is not None
    assert finding.witness is not None
    assert "distant values" in finding.witness.explanation


def test_nothing_is_said_without_a_structure() -> None:
    v = integer("v", at_least=2)
    bare = Mechanism("bare", parameters=[v], table=Design(v, 1, 0, 2 / (v + 1), 1 / (v + 1)))
    assert rows_match(bare, bare.algebraic_table.pair_tables()) is None
