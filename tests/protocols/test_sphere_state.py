"""Sums of public directions: a monoid, saved and read, and what no reports give is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import SphereState, SphereVector
from ldp_verified.run.kernels.directions import SCALE

MADE = SphereVector(2.0, 4, radius=3.0, lines=3)


def test_states_merge_are_saved_and_read(tmp_path: Path) -> None:
    one, two = (MADE.aggregate(MADE.privatize([[1, 0, -1, 2]] * 50, s), True) for s in (1, 2))
    assert one.merge(two) == two.merge(one)
    both = one.merge(two)
    assert (both.n, both.simulated) == (100, True)
    both.save(tmp_path / "state")
    assert MADE.load(tmp_path / "state") == both
    assert not both.honesty().doubted()
    assert math.isnan(MADE.empty().estimate().means[0])
    other = SphereVector(1.0, 4)
    with pytest.raises(ReportError):
        other.aggregate(MADE.privatize([0, 0, 0, 0]))
    with pytest.raises(ReportError):
        one.merge(other.empty(simulated=True))
    with pytest.raises(ReportError, match="simulated"):
        MADE.empty().update(MADE.privatize([0, 0, 0, 0], 1))


@pytest.mark.parametrize(
    ("n", "totals", "squares"),
    [
        (-1, [0] * 4, [0] * 4),
        (1, [0] * 3, [SCALE, 0, 0, 0]),
        (1, [SCALE + 1, 0, 0, 0], [SCALE, 0, 0, 0]),
        (1, [0] * 4, [SCALE + 100, 0, 0, 0]),
        (1, [0] * 4, [SCALE + 1, -1, 0, 0]),
        (0, [1, 0, 0, 0], [0] * 4),
    ],
)
def test_what_no_reports_give_is_refused(n: int, totals: list[int], squares: list[int]) -> None:
    with pytest.raises(ParameterError):
        SphereState(MADE, n, tuple(totals), tuple(squares))


def test_directions_that_all_agree_are_implausible() -> None:
    """Clients that lie: at epsilon = 0.1 an honest mean is far from any one direction."""
    made = SphereVector(0.1, 2)
    n = 10_000
    state = replace(made.empty(), n=n, totals=(n * SCALE, 0), squares=(n * SCALE, 0))
    assert state.honesty().doubted()
    with pytest.raises(ReportError, match="implausible"):
        SphereState.from_bytes(state.to_bytes(), made)
    assert SphereState.from_bytes(state.to_bytes(), made, implausible=True) == state
    honest = made.aggregate(made.privatize(np.tile([0.6, 0.8], (n, 1))))
    assert SphereState.from_bytes(honest.to_bytes(), made) == honest
