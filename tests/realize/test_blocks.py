"""Designs over explicit blocks: the Fano plane, and the edges of a triangle."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ReportError
from ldp_verified.run.realize import BlockRandomizer, Categories
from tests.realize import exact

LINES = ((0, 1, 2), (0, 3, 4), (0, 5, 6), (1, 3, 5), (1, 4, 6), (2, 3, 6), (2, 4, 5))
EDGES = ((0, 1), (0, 2), (1, 2))


class _Blocks(BlockRandomizer):
    @staticmethod
    def worst_ratio(inside: Any, outside: Any) -> Any:
        return inside / outside


@dataclass(frozen=True, repr=False)
class Fano(_Blocks):
    epsilon: float
    categories: Categories | None = None
    k: int = field(default=7, init=False)

    name: ClassVar[str] = "fano"
    law_sha256: ClassVar[str] = ""
    blocks: ClassVar[tuple[tuple[int, ...], ...]] = LINES

    @staticmethod
    def cells(t: Any) -> tuple[Any, Any]:
        return 1 / (3 + 4 * t), t / (3 + 4 * t)

    @staticmethod
    def support(inside: Any, outside: Any) -> tuple[Any, Any]:
        return 3 * inside, inside + 2 * outside


@dataclass(frozen=True, repr=False)
class Edges(_Blocks):
    epsilon: float
    categories: Categories | None = None
    k: int = field(default=3, init=False)

    name: ClassVar[str] = "edges"
    law_sha256: ClassVar[str] = ""
    blocks: ClassVar[tuple[tuple[int, ...], ...]] = EDGES

    @staticmethod
    def cells(t: Any) -> tuple[Any, Any]:
        return 1 / (2 + t), t / (2 + t)

    @staticmethod
    def support(inside: Any, outside: Any) -> tuple[Any, Any]:
        return 2 * inside, inside + outside


@given(st.sampled_from([1e-6, 1.0, 44.0, 700.0]) | st.floats(1e-6, 700))
def test_every_block_with_the_value_has_the_same_probability(epsilon: float) -> None:
    for made in (Fano(epsilon), Edges(epsilon)):
        rows = [[made.pmf(y, x) for y in range(len(made.blocks))] for x in range(made.k)]
        assert all(sum(row) == 1 for row in rows)
        columns = zip(*rows, strict=True)
        assert exact.ln(max(max(c) / min(c) for c in columns)) <= Fraction(epsilon)
        for x, row in enumerate(rows):
            assert {row[y] for y, block in enumerate(made.blocks) if x in block} == {made.p}
            for v in range(made.k):
                mass = sum(row[y] for y, block in enumerate(made.blocks) if v in block)
                assert mass == (made.p_star if v == x else made.q_star)
        t = exact.exp(-epsilon)
        r = made.containing
        lie = t / (r + (len(made.blocks) - r) * t)
        assert 0 <= made.q - lie < Fraction(r + 1, 2**64)


@pytest.mark.parametrize("made", [Fano(1.0), Edges(2.0)], ids=repr)
def test_the_sampler_draws_the_realized_table(made: BlockRandomizer) -> None:
    for width in (6, 9):
        realization = next(made.realizations(width))
        inside, outside = realization.p, realization.q
        for x in range(made.k):
            law = exact_distribution(made.sampler(realization), x, horizon=1)
            assert law.unresolved == 0
            assert law.probabilities == {
                (y,): inside if x in block else outside for y, block in enumerate(made.blocks)
            }


def test_reports_are_blocks_and_support_their_values() -> None:
    made = Fano(3.0)
    reports = made.reports(np.array([0, 0, 4, 6], dtype=np.uint8), simulated=False)
    state = made.aggregate(reports)
    assert state.counts.tolist() == [2, 0, 0, 0, 1, 0, 1]
    assert state.estimate().support_counts.tolist() == [2, 3, 3, 0, 2, 1, 1]
    assert made.bits_per_report == 3
    with pytest.raises(ReportError, match=r"0\.\.6"):
        made.reports(np.array([7]), simulated=False)
