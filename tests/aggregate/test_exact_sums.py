"""States that are integer sums are added up exactly, saved, read and merged; others are refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ReplayError, ReportError
from ldp_verified.protocols import (
    SHE,
    ChangeTree,
    DuchiVector,
    SphereVector,
    TreeState,
    VotedMean,
    VotingState,
)
from ldp_verified.run.aggregate.serial import unwrap, wrap
from ldp_verified.run.mechanisms import Piecewise

CASES: list[tuple[Any, Any]] = [
    (SHE(4.0, 3), [0, 2, 1] * 40),
    (DuchiVector(1.0, 3), [[0.5, -0.5, 1.0]] * 120),
    (SphereVector(2.0, 3), [[0.3, 0.3, -0.1]] * 120),
]

TREE, VOTING, PIECEWISE = ChangeTree(1.0, days=4), VotedMean(3.0, epochs=3), Piecewise(1.0)


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


def scaled(state: Any, factor: int) -> bytes:
    """The bytes of a state whose reports are so many times as many: the checksum is right."""
    kind, header, body = kind_of(state.to_bytes())
    names = {"n", "total", "squares", "atoms", "counts", "totals", "lows", "highs", "ones"}
    more = {
        name: each * factor if isinstance(each, int) else [part * factor for part in each]
        for name, each in header.items()
        if name in names
    }
    return wrap(kind, header | more, body)


def kind_of(data: bytes) -> tuple[str, dict[str, Any], bytes]:
    kind = json.loads(data[14 : 14 + int.from_bytes(data[10:14], "little")])["kind"]
    header, body = unwrap(kind, data)
    return kind, {name: each for name, each in header.items() if name != "kind"}, body


@pytest.mark.parametrize(
    "state",
    [
        *(made.empty(simulated=True).update(made.privatize(values, 7)) for made, values in CASES),
        PIECEWISE.empty(simulated=True).update(PIECEWISE.privatize([0.5] * 120, 7)),
        TreeState(TREE, (15,) * TREE.codes),
        VotingState(VOTING, (15,) * VOTING.codes),
    ],
    ids=lambda each: type(each).__name__,
)
def test_no_state_holds_more_reports_than_any_other(state: Any) -> None:
    """As many as 2^63-1 are read, estimated and tested, and more are refused."""
    made = getattr(state, "protocol", None) or getattr(state, "mechanism", None) or PIECEWISE
    users = sum(state.counts) if hasattr(state, "counts") else state.n
    most = ((1 << 63) - 1) // users
    full = type(state).from_bytes(scaled(state, most), made, implausible=True)
    full.estimate()
    full.honesty()
    with pytest.raises(ReportError, match=r"2\^63-1"):
        full.merge(full)
    for factor in (most + 1, 10**30):
        with pytest.raises(ReportError, match=r"n: must be an integer in 0..2\^63-1"):
            type(state).from_bytes(scaled(state, factor), made, implausible=True)


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
