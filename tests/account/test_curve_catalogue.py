"""delta of every finite table of the catalogue, against the table written out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from ldp_verified.analysis.account import declared_delta
from ldp_verified.errors import ParameterError
from ldp_verified.prove.enumeration.expand import ExpandedTable, complete, expand
from ldp_verified.prove.enumeration.points import points
from tests.finite import FINITE, LINES

if TYPE_CHECKING:
    from ldp_verified.language import Mechanism

LEVELS = (0.0, 0.3, 0.8)


def point(mechanism: Mechanism) -> dict[str, Fraction]:
    """Parameter -> value: a small table in the middle of those enumerated, eps = 1."""
    generator = mechanism.generator
    fixed = {generator.symbol: Fraction(math.exp(1 / generator.root))} if generator.eps else {}
    found = points(mechanism, 4, fixed=fixed)
    at = complete(mechanism.algebraic_table, found[len(found) // 2])
    return {symbol.name: value for symbol, value in at.items()}


def by_hand(table: ExpandedTable, epsilon: float) -> float:
    """The largest sum over outputs of max(0, P(y|x) - e^epsilon P(y|x')), over all pairs."""
    level = math.exp(epsilon)
    inputs = range(len(table.inputs))
    rows = [[float(table.probability(column, x)) for column in table.columns] for x in inputs]
    counts = [column.multiplicity for column in table.columns]
    return max(
        sum(c * max(0.0, a - level * b) for c, a, b in zip(counts, rows[x], rows[x2], strict=True))
        for x in inputs
        for x2 in inputs
        if x != x2
    )


@pytest.mark.evidence(of="mechanism")
@pytest.mark.parametrize("mechanism", FINITE, ids=[m.name for m in FINITE])
def test_delta_is_that_of_the_table_written_out(mechanism: Mechanism) -> None:
    at = point(mechanism)
    table = expand(mechanism, at)
    values = {p.name: str(at[p.name]) for p in mechanism.parameters if p.name in at}
    eps = mechanism.generator.eps
    if eps is not None:
        values[eps.name] = "1"
    for epsilon in LEVELS:
        # The root of e is a double on one side: relative errors of 1e-16, far below the tolerance.
        assert declared_delta(mechanism, values, epsilon) == pytest.approx(
            by_hand(table, epsilon), abs=1e-11
        )
    assert by_hand(table, 0.0) > 1e-6


@pytest.mark.parametrize("mechanism", LINES, ids=[m.name for m in LINES])
def test_a_law_on_the_line_is_refused_with_a_sentence(mechanism: Mechanism) -> None:
    with pytest.raises(ParameterError, match="must have a finite table"):
        declared_delta(mechanism, {}, 0.5)
