"""States that are integer sums are added up exactly, saved, read and merged; others are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ReplayError, ReportError
from ldp_verified.protocols import SHE, DuchiVector, SphereVector

CASES: list[tuple[Any, Any]] = [
    (SHE(4.0, 3), [0, 2, 1] * 40),
    (DuchiVector(1.0, 3), [[0.5, -0.5, 1.0]] * 120),
    (SphereVector(2.0, 3), [[0.3, 0.3, -0.1]] * 120),
]


def states(made: Any, values: Any) -> tuple[Any, Any, Any]:
    """Of the first half of users, of the others, and of all at once."""
    reports = made.privatize(values, 7)
    data = [reports.data[:50], reports.data[50:], reports.data]
    one, two, both = (
        made.empty(simulated=True).update(type(reports)(each, reports.identity, True))
        for each in data
    )
    return one, two, both


@pytest.mark.parametrize(("made", "values"), CASES, ids=lambda each: type(each).__name__)
def test_sums_of_parts_are_those_of_all(made: Any, values: Any) -> None:
    one, two, both = states(made, values)
    assert one.merge(two) == two.merge(one) == both
    assert both.n == 120
    again = type(both).from_bytes(both.to_bytes(), made)
    assert again == both
    for name in both.summed:
        sums = [np.array(getattr(state, name), dtype=object) for state in (one, two, both)]
        assert (sums[0] + sums[1] == sums[2]).all()


@pytest.mark.parametrize(("made", "values"), CASES, ids=lambda each: type(each).__name__)
def test_a_batch_is_counted_once(made: Any, values: Any) -> None:
    one, two, _ = states(made, values)
    joined = one.merge(two, batch="second")
    with pytest.raises(ReplayError):
        joined.merge(two, batch="second")
    assert joined.merge(two, batch="second", repeated="ignore") == joined


@pytest.mark.parametrize("place", range(len(CASES)))
def test_others_are_refused(place: int) -> None:
    """A state of another class or of other parameters, and bytes that are damaged."""
    made, values = CASES[place]
    one, *_ = states(made, values)
    stranger, *_ = states(*CASES[place - 1])
    with pytest.raises(ReportError, match="other: must be a"):
        one.merge(stranger)
    with pytest.raises(ReportError, match="data"):
        type(one).from_bytes(stranger.to_bytes(), made)
    with pytest.raises(ReportError):
        type(one).from_bytes(one.to_bytes() + b"more", made)
    with pytest.raises(ReportError, match="data"):
        type(one).from_bytes(one.to_bytes()[:-1], made)
    wider = type(made)(9.0, 3)
    with pytest.raises(ReportError, match="must be of the same mechanism"):
        one.merge(wider.empty(simulated=True))
    with pytest.raises(ReportError, match="is foreign"):
        type(one).from_bytes(one.to_bytes(), wider)
