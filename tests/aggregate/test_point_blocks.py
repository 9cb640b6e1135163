"""Points of several spaces: scores against each pair of points, small blocks and large ones."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import HPGR
from ldp_verified.run.aggregate import point_blocks
from ldp_verified.run.aggregate.point_blocks import PointBlocksLayout
from tests.conformance.structured_tables import points

LAYOUTS = [
    PointBlocksLayout(14, 2, 3, 2),
    PointBlocksLayout(9, 2, 3, 4),
    PointBlocksLayout(70, 3, 4, 3),
    PointBlocksLayout(40, 5, 3, 2),
]


def met(layout: PointBlocksLayout) -> tuple[np.ndarray, np.ndarray]:
    """[value, point]: whether it is in the value's block and orthogonal to it; in its block."""
    every = points(layout.prime, layout.points)
    assert len(every) == layout.points
    held = np.zeros((layout.k, layout.counters), dtype=bool)
    block = np.zeros_like(held)
    for value in range(layout.k):
        own = every[value % layout.size]
        start = value // layout.size * layout.points
        block[value, start : start + layout.points] = True
        for number, y in enumerate(every):
            dot = sum(a * b for a, b in zip(own, y, strict=True))
            held[value, start + number] = dot % layout.prime == 0
    return held, block


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("small", [0, 256])
def test_scores_are_those_of_the_points(
    layout: PointBlocksLayout, small: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a matrix for all blocks at once, and block by block by sums over points."""
    monkeypatch.setattr(point_blocks, "SMALL", small)
    held, block = met(layout)
    assert set(held.sum(axis=1)) == {layout.orthogonal}
    for one in range(0, layout.size - 1, 3):
        assert (held[one] & held[one + 1]).sum() == layout.both
    counters = rng.integers(0, 1000, layout.counters)
    wanted = layout.orthogonal * held @ counters - layout.both * block @ counters
    assert layout.supports(counters).tolist() == wanted.tolist()
    places = rng.choice(layout.k, size=5, replace=False)
    scores = layout.orthogonal * held[places].sum(0) - layout.both * block[places].sum(0)
    assert layout.of_outputs(places).reshape(-1).tolist() == scores.tolist()
    outputs = layout.check(np.arange(layout.counters))
    for value in places.tolist():
        assert layout.holds(outputs, value).tolist() == held[value].tolist()
        assert layout.on_block(outputs, value).tolist() == block[value].tolist()


def test_other_reports_are_refused() -> None:
    layout = LAYOUTS[0]
    assert layout.check(np.array([0, 13])).dtype == np.uint8
    for wrong in (np.array([14]), np.array([-1]), np.array([0.0]), np.array([[0]]), [0]):
        with pytest.raises(ReportError):
            layout.check(wrong)
    assert layout.impossible(2, np.bincount([0, 13])) is None
    assert layout.impossible(3, np.bincount([0, 13])) is not None


def test_many_reports_are_estimated_without_rounding_first() -> None:
    """Scores of 2^58 reports lie beyond 2^53; the subtraction is of integers."""
    made = HPGR(1.0, 26, 3, 2)
    oracle, n = made.oracle, 1 << 58
    counters = np.full(made.layout.counters, n // made.layout.counters, dtype=np.int64)
    scores = made.layout.supports(counters)
    exact = (int(scores[0]) - n * oracle.q_star) / (oracle.p_star - oracle.q_star)
    found = oracle.estimated(n, scores)[0]
    assert found == pytest.approx(float(exact), rel=1e-12)
    assert int(scores[0]) > 1 << 53
    with pytest.raises(ParameterError, match="counters"):
        made.layout.supports(16 * counters)
