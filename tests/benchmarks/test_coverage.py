"""The grid of coverages: by hand, in the page, and against intervals that are too narrow."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from benchmarks import coverage
from benchmarks.coverage import EPSILONS, LEVEL, MECHANISMS, K, covered, intervals
from ldp_verified import GRR, OUE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "estimates.md"
FEW = (1, 2, 5, 10, 20, 50)
LEAST = 0.943
"""What intervals at a level of 0.95 had before, at least; they are to stay there."""


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_no_count_is_covered_too_seldom(mechanism: type[GRR], epsilon: float) -> None:
    """Exact, of every true count among n users."""
    assert min(covered(mechanism(epsilon, K), n).least for n in FEW) >= LEAST


def test_planted_intervals_of_two_standard_errors_are_too_narrow() -> None:
    """Estimate -+ 1.96 plug-in errors, without the score and without the correction."""
    made, n = OUE(4.0, K), 20
    p, q = float(made.oracle.p_star), float(made.oracle.q_star)
    counts = (np.arange(n + 1) - n * q) / (p - q)
    spread = np.sqrt(np.maximum(n * made.oracle.plug_in(counts / n, n), 0))
    low, high = counts - 1.96 * spread, counts + 1.96 * spread
    assert coverage.coverage(made, n, low, high).least < LEAST


def test_a_coverage_by_hand() -> None:
    """All outcomes of three users of k-ary response, one by one."""
    made, n = GRR(1.0, 4), 3
    low, high = intervals(made, n, 0.5)
    p, q = float(made.p), float(made.q)
    chances = []
    for held in range(n + 1):
        total = 0.0
        for supports in itertools.product((0, 1), repeat=n):
            each = [p] * held + [q] * (n - held)
            chance = np.prod([c if s else 1 - c for c, s in zip(each, supports, strict=True)])
            seen = sum(supports)
            total += float(chance) if low[seen] <= held <= high[seen] else 0.0
        chances.append(total)
    found = covered(made, n, 0.5)
    assert found.least == pytest.approx(min(chances))
    assert found.mean == pytest.approx(np.mean(chances))
    assert found.at == int(np.argmin(chances))
    assert found.least < LEVEL


def test_the_page_shows_the_grid() -> None:
    """The columns up to 50 users are computed again."""
    rows = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    shown = {
        tuple(cell.strip() for cell in row.strip("|").split("|")[: 1 + len(FEW)]) for row in rows
    }
    for line in coverage.tables(FEW).splitlines()[2:]:
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if len(cells) == 1 + len(FEW):
            assert cells in shown
