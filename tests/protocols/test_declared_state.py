"""States of declared protocols: they count, merge, are saved, and refuse what is not theirs."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReplayError, ReportError
from ldp_verified.generate.declared import made_at
from ldp_verified.protocols.declared_counts import StatePart
from ldp_verified.protocols.declared_state import DeclaredState
from ldp_verified.run.aggregate.serial import unwrap, wrap
from tests.generate.declarations import HIERARCHY, TWO_ROUNDS
from tests.protocols.test_declared import of_text


@pytest.fixture
def hierarchy(tmp_path: Path) -> Any:
    return of_text(tmp_path, HIERARCHY)(2.0, 3)


def test_parts_merge_into_the_whole(hierarchy: Any, seed: int) -> None:
    values = np.arange(600) % 8
    first, second = (hierarchy.privatize(values[half::2], seed + half) for half in (0, 1))
    whole = hierarchy.empty(simulated=True).update(first).update(second)
    one, two = (hierarchy.empty(simulated=True).update(r) for r in (first, second))
    merged = two.merge(one)
    assert whole.n == merged.n == 600
    assert merged.to_bytes() == whole.to_bytes()
    assert merged.estimate([3, 5]).counts.tolist() == whole.estimate([3, 5]).counts.tolist()


def test_a_state_is_saved_and_loaded(hierarchy: Any, tmp_path: Path, seed: int) -> None:
    state = hierarchy.empty(simulated=True).update(hierarchy.privatize([4] * 500, seed))
    state.save(tmp_path / "state")
    again = DeclaredState.load(tmp_path / "state", hierarchy)
    assert again.to_bytes() == state.to_bytes()
    assert again.estimate([4]).counts.tolist() == state.estimate([4]).counts.tolist()
    other = type(hierarchy)(1.0, 3)
    with pytest.raises(ReportError, match="data: is foreign"):
        DeclaredState.from_bytes(state.to_bytes(), other)
    broken = bytearray(state.to_bytes())
    broken[-40] ^= 1
    with pytest.raises(ReportError):
        DeclaredState.from_bytes(bytes(broken), hierarchy)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header | {"simulated": False},
        lambda header: header | {"simulated": 1},
        *(
            lambda header, users=users: header | {"users": users}
            for users in (
                [[0, -5]],
                [[0, 10]],
                [[0, 10**30]],
                [[0, 300.0]],
                [[0, True]],
                [[0, None]],
                [[0, 300], [0, 300]],
                [[1, 300]],
                [],
                None,
            )
        ),
        lambda header: header | {"histories": []},
        lambda header: header | {"histories": [[0, 3]]},
        lambda header: header | {"histories": [[0, None], [1, None]]},
        lambda header: header | {"places": [header["places"][0]] * 3},
        lambda header: header | {"places": [[-1, *each[1:]] for each in header["places"]]},
        lambda header: header | {"places": [[0.0, *each[1:]] for each in header["places"]]},
        lambda header: header | {"places": header["places"][:2]},
        lambda header: header | {"lengths": header["lengths"][:2]},
        lambda header: {name: each for name, each in header.items() if name != "users"},
    ],
)
def test_what_no_state_has_written_is_refused(
    hierarchy: Any, change: Callable[[dict[str, Any]], dict[str, Any]], seed: int
) -> None:
    """The checksum is right: who can write the file can write one."""
    state = hierarchy.empty(simulated=True).update(hierarchy.privatize([4] * 300, seed))
    header, body = unwrap("reports of a declared protocol", state.to_bytes())
    kind = header.pop("kind")
    assert DeclaredState.from_bytes(wrap(kind, header, body), hierarchy).n == 300
    with pytest.raises(ReportError, match="data"):
        DeclaredState.from_bytes(wrap(kind, change(header), body), hierarchy)


def test_reports_are_as_many_as_their_users_send(hierarchy: Any, seed: int) -> None:
    state, reports = hierarchy.empty(simulated=True), hierarchy.privatize([4] * 300, seed)
    with pytest.raises(ReportError, match="reports: must be as many as the users of round 0 send"):
        state.update(replace(reports, users=299))
    assert state.n == 0


def test_a_copy_is_a_state_of_its_own(hierarchy: Any, seed: int) -> None:
    state = hierarchy.empty(simulated=True).update(hierarchy.privatize([4] * 300, seed))
    before = state.to_bytes()
    copied = copy.copy(state).update(hierarchy.privatize([1] * 200, seed))
    state.parts.clear()
    assert (state.to_bytes(), state.n, copied.n) == (before, 300, 500)


def test_threads_update_one_state(hierarchy: Any, seed: int) -> None:
    """Every batch is counted, with the reports of all its users."""
    state, reports = hierarchy.empty(simulated=True), hierarchy.privatize([4] * 30, seed)
    threads = [
        threading.Thread(target=lambda: [state.update(reports) for _ in range(50)])
        for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert state.n == sum(each.n for each in state.parts.values()) == 4 * 50 * 30


def test_a_batch_is_counted_once(hierarchy: Any, seed: int) -> None:
    reports = hierarchy.privatize([4] * 30, seed)
    state = hierarchy.empty(simulated=True).update(reports, batch="monday")
    again = DeclaredState.from_bytes(state.to_bytes(), hierarchy)
    assert again.batches == {"monday"}
    with pytest.raises(ReplayError):
        again.update(reports, batch="monday")
    with pytest.raises(ReplayError):
        again.merge(state)
    assert again.update(reports, batch="monday", repeated="ignore").n == 30
    assert again.update(reports, batch="tuesday").n == 60


def test_counts_are_those_of_the_declared_group(hierarchy: Any, seed: int) -> None:
    """The estimate is (n/m) (c - m q)/(p - q) of the last group, worked out from its bits."""
    reports = hierarchy.privatize([6] * 400, seed)
    state = hierarchy.empty(simulated=True).update(reports)
    data = next(r.data for part, r in reports.parts if part.group == 2)
    held = int(sum(int(row[0]) >> 6 & 1 for row in data))
    p, q = 0.5, 1 / (np.exp(2.0) + 1)
    right = 400 / len(data) * (held - len(data) * q) / (p - q)
    assert float(state.estimate([6]).counts[0]) == pytest.approx(right)
    assert state.estimate([6]).labels == (6,)


def test_foreign_reports_are_refused(hierarchy: Any, seed: int) -> None:
    state = hierarchy.empty(simulated=True)
    reports = hierarchy.privatize([1], seed)
    with pytest.raises(ReportError, match="reports: are foreign"):
        state.update(type(hierarchy)(1.0, 3).privatize([1], seed))
    with pytest.raises(ReportError, match="must be simulated if and only if the state is"):
        state.update(hierarchy.privatize([1]))
    with pytest.raises(ReportError, match="step"):
        state.update(replace(reports, step=1))
    part, data = reports.parts[0]
    moved = replace(reports, parts=((StatePart(0, None, (part.group + 1) % 3, 0), data),))
    with pytest.raises(ReportError):
        state.update(moved)
    with pytest.raises(ReportError, match="must be of declared reports"):
        state.update(replace(reports, parts=((part._replace(send=1), data),)))
    with pytest.raises(ReportError, match="must have each place once"):
        state.update(replace(reports, parts=reports.parts * 2))
    with pytest.raises(ReportError, match="reports"):
        state.update(b"reports")
    assert state.n == 0
    assert not state.parts


def test_another_history_is_refused(tmp_path: Path, seed: int) -> None:
    mine = of_text(tmp_path, TWO_ROUNDS)(1.0, 1)
    groups = mine.privatize([1, 2], seed).groups
    one, other = (
        mine.privatize([1, 2], seed, step=1, groups=groups, published=seen) for seen in (0, 3)
    )
    state = mine.empty(simulated=True).update(one)
    with pytest.raises(ReportError, match="published: must be what the others of round 1 saw, 0"):
        state.update(other)
    with pytest.raises(ReportError, match="published"):
        state.merge(mine.empty(simulated=True).update(other))


def test_what_cannot_be_estimated_says_why(hierarchy: Any, tmp_path: Path, seed: int) -> None:
    with pytest.raises(ReportError, match="must hold reports that count values"):
        hierarchy.empty().estimate([1])
    with pytest.raises(DomainError):
        hierarchy.empty().estimate([])
    with pytest.raises(DomainError):
        hierarchy.empty().estimate([8])
    mine = of_text(tmp_path, TWO_ROUNDS)(1.0, 1)
    state = mine.empty(simulated=True).update(mine.privatize([1, 2], seed))
    with pytest.raises(ParameterError, match="counted: must be declared"):
        state.estimate([1])


def test_things_in_sets_are_counted(seed: int) -> None:
    """Null: each count is within 6 standard errors; of 3,000 users all hold items 0 and 1."""
    padded = made_at("padded_response", {"eps": 4, "k": 3, "l": 2})
    state = padded.empty(simulated=True).update(padded.privatize([0b011] * 3000, seed))
    found = state.estimate([0, 1, 2])
    for count, right, error in zip(found.counts, (3000, 3000, 0), found.std_error, strict=True):
        assert abs(count - right) < 6 * error
    with pytest.raises(DomainError, match=r"values: must be in 0\.\.2"):
        state.estimate([3])


def test_functions_that_all_users_share_add_to_the_errors(seed: int) -> None:
    """A value that half of two functions take for another's is off by up to all users."""
    hist = made_at("tree_hist", {"functions": 2, "f": 0b0110_1001})
    state = hist.empty(simulated=True).update(hist.privatize([1] * 2000, seed))
    assert state.estimate([2]).std_error[0] > 2000 * 0.5**0.5
