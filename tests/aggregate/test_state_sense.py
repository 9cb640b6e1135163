"""States that no reports add up to, and those that honest ones hardly ever do."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import (
    DBitFlip,
    MemoClient,
    Rappor,
    RapporState,
    SampledState,
    SampleOne,
)
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import CMS, GRR, OLH, OUE, HadamardResponse, SubsetSelection

IMPOSSIBLE: list[tuple[Any, int, list[int]]] = [
    (GRR(1.0, 40), 4000, [4000] * 40),  # 160,000 of 4,000 reports
    (GRR(1.0, 4), 1 << 62, [1, 2, 3, 4]),
    (GRR(1.0, 4), 5000, [0] * 4),
    (HadamardResponse(1.0, 3), 5, [1] * 4),
    (SubsetSelection(1.0, 6, 2), 10, [10, 9, 0, 0, 0, 0]),
    (DBitFlip(1.0, 8, 4, 2), 3, [3, 0, 3, 1, 0, 0, 0, 0]),
    (DBitFlip(1.0, 8, 4, 2), 3, [2, 2, 1, 1, 0, 0, 0, 0]),
    (CMS(1.0, 4, 2, 2), 3, [3, 0, 0, 0, 2, 1]),
    (CMS(1.0, 4, 2, 2), 3, [1, 0, 0, 0, 2, 0]),
]


@pytest.mark.parametrize(("made", "n", "counts"), IMPOSSIBLE)
def test_counters_that_no_reports_add_up_to_are_no_state(made: Any, n: int, counts: Any) -> None:
    with pytest.raises(ParameterError, match="counts: must"):
        State(made.oracle, n, np.array(counts))


HARDLY: list[tuple[Any, int, list[int]]] = [
    (OUE(1.0, 5), 5000, [0] * 5),
    (OUE(1.0, 5), 5000, [5000] * 5),
    (OUE(1.0, 5), 1 << 62, [7] * 5),
    (OLH(1.0, 9), 5000, [0] * 9),
    (GRR(1.0, 4), 5000, [5000, 0, 0, 0]),
    (SubsetSelection(1.0, 6, 2), 5000, [5000, 5000, 0, 0, 0, 0]),
]


@pytest.mark.parametrize(("made", "n", "counts"), HARDLY)
def test_what_honest_reports_hardly_give_is_read_where_asked(
    made: Any, n: int, counts: Any
) -> None:
    state = State(made.oracle, n, np.array(counts))
    with pytest.raises(ReportError, match="implausible=True"):
        State.from_bytes(state.to_bytes(), made.oracle)
    assert State.from_bytes(state.to_bytes(), made.oracle, implausible=True) == state


@pytest.mark.parametrize("made", [case[0] for case in HARDLY])
@pytest.mark.parametrize("n", [1, 50, 20_000])
def test_honest_states_are_read(made: Any, n: int, seed: int) -> None:
    """All users hold one value: as far from the middle as honest reports go. Chance: 2^-100."""
    state = made.aggregate(made.privatize(np.zeros(n, dtype=np.int64), seed), simulated=True)
    assert State.from_bytes(state.to_bytes(), made.oracle) == state


def test_reports_on_one_permanent_answer_are_no_doubt() -> None:
    """They are not independent: one client may well support one value for ever."""
    made = DBitFlip(2.0, 8, 4, 2)
    client = MemoClient(made, new_user=True)
    state = made.empty()
    for _ in range(300):
        state.update(client.report(3).reports)
    assert State.from_bytes(state.to_bytes(), made.oracle) == state


def sent(state: Any) -> Any:
    return pickle.loads(pickle.dumps(state))


def test_copies_of_states_are_independent() -> None:
    rappor = Rappor(0.5, 0.25, 0.75, 32, 2, 4)
    scheme = SampleOne(1.0, (2, 3))
    batch = scheme.privatize(np.zeros((5, 2), dtype=np.int64))
    state = scheme.empty().update(batch)
    ways: tuple[Any, ...] = (copy.copy, copy.deepcopy, sent)
    for copied in ways:
        other: Any = copied(state)
        other.update(batch)
        assert (state.users, other.users) == (5, 10)
        bits = RapporState(rappor)
        copied(bits).update_packed(
            np.zeros(1, dtype=np.int64), np.zeros((1, 1), dtype=np.uint64), False
        )
        assert bits.reports.sum() == 0
    with pytest.raises(ParameterError, match="users"):
        SampledState(scheme, 6, state.states)
    with pytest.raises(ParameterError, match="ones"):
        RapporState(rappor, np.ones(4, dtype=np.int64), np.full((4, 32), 2))
