"""`update` changes a state and returns it, whatever the state is; `merge` changes neither."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import protocols
from ldp_verified.errors import ReplayError, ReportError
from ldp_verified.protocols import SampledState
from ldp_verified.protocols.exact_reals import Real
from ldp_verified.protocols.tuple_state import TupleState
from ldp_verified.run import mechanisms
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.saved import Saved
from ldp_verified.run.aggregate.shared import InPlace, MadeOnce
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.realize.designs.pair_counts import PairCounts
from tests.campaign.together import THREADS, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

USERS = 40


def numbers(made: Any, seed: int) -> Any:
    return made.privatize(np.linspace(0, 1, USERS), seed)


def vectors(made: Any, seed: int) -> Any:
    return made.privatize([[0.5, -0.5, 0.5]] * USERS, seed)


def values(made: Any, seed: int) -> Any:
    return made.privatize([0, 2] * (USERS // 2), seed)


def words(made: Any, seed: int) -> Any:
    return made.privatize(["word"] * USERS, seed)


def messages(made: Any, seed: int) -> Any:
    """Messages that honest users may send, of which `n` counts the last kinds."""
    source = np.random.default_rng(seed)
    joining = source.integers(made.codes - getattr(made, "levels", made.codes), made.codes, USERS)
    return made.reports(joining, simulated=True)


CASES: list[tuple[Any, Callable[[Any, int], Any], str]] = [
    *((getattr(mechanisms, name)(1.0, (0, 1)), numbers, "n") for name in ("Laplace", "Duchi")),
    *((getattr(mechanisms, name)(1.0, (0, 1)), numbers, "n") for name in ("Hybrid", "Piecewise")),
    (mechanisms.SquareWave(1.0, (0, 1)), numbers, "n"),
    *((getattr(mechanisms, name)(1.0, 3), values, "n") for name in ("GRR", "OUE", "OLH")),
    (protocols.SHE(1.0, 3), values, "n"),
    (protocols.DuchiVector(1.0, 3), vectors, "n"),
    (protocols.SphereVector(2.0, 3), vectors, "n"),
    (protocols.ChangeTree(1.0, days=4, changes=1), messages, "n"),
    (protocols.VotedMean(1.0, epochs=2, days=3), messages, "messages"),
    (protocols.PrefixExtending(4.0), words, "rows"),
]


def empty_of(made: Any) -> Any:
    if isinstance(made, protocols.PrefixExtending):
        return protocols.PrefixState(made, simulated=True)
    return made.empty(simulated=True)


RECORDS = [case for case in CASES if isinstance(empty_of(case[0]), InPlace)]


@pytest.mark.parametrize(("made", "report", "count"), CASES, ids=lambda each: type(each).__name__)
def test_an_update_is_kept_in_the_state(made: Any, report: Any, count: str) -> None:
    state = empty_of(made)
    before = state.to_bytes()
    for day in range(3):
        assert state.update(report(made, day), batch=str(day)) is state
        assert getattr(state, count) == USERS * (day + 1)
    with pytest.raises(ReplayError):
        state.update(report(made, 1), batch="1")
    with pytest.raises(ReportError):
        state.update(mechanisms.GRR(1.0, 17).privatize([1], 1))
    assert state.update(report(made, 1), batch="1", repeated="ignore") is state
    assert getattr(state, count) == USERS * 3
    other = empty_of(made)
    assert other.to_bytes() == before
    merged = state.merge(other)
    merged.update(report(made, 9))
    assert getattr(state, count) == USERS * 3
    assert getattr(other, count) == 0


@pytest.mark.parametrize(("made", "report", "count"), CASES, ids=lambda each: type(each).__name__)
def test_what_was_merged_before_is_a_state_of_its_own(made: Any, report: Any, count: str) -> None:
    state = empty_of(made).update(report(made, 1))
    once = state.merge(empty_of(made).update(report(made, 2)), batch="b")
    again = once.merge(empty_of(made).update(report(made, 2)), batch="b", repeated="ignore")
    again.update(report(made, 3))
    assert [getattr(each, count) // USERS for each in (state, once, again)] == [1, 2, 3]


@pytest.mark.parametrize(("made", "report", "count"), RECORDS, ids=lambda each: type(each).__name__)
def test_threads_lose_no_update_and_see_no_half_of_one(made: Any, report: Any, count: str) -> None:
    state, batch = empty_of(made), report(made, 1)

    def work(number: int) -> None:
        for _ in range(20):
            if number % 2:
                state.update(batch)
            else:  # bytes with some sums of before and some of after are refused
                held = type(state).from_bytes(state.to_bytes(), made, implausible=True)
                assert getattr(held, count) % USERS == 0

    together(work)
    assert getattr(state, count) == 4 * 20 * USERS
    one = empty_of(made)
    for _ in range(80):
        one.update(batch)
    assert state == one


@pytest.mark.parametrize(("made", "report", "count"), RECORDS, ids=lambda each: type(each).__name__)
def test_copies_are_apart_and_no_state_is_hashed(made: Any, report: Any, count: str) -> None:
    state = empty_of(made).update(report(made, 1))
    for other in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other == state
        other.update(report(made, 2))
        assert (getattr(state, count), getattr(other, count)) == (USERS, 2 * USERS)
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.simulated = False


@pytest.mark.parametrize("kind", [Real, Reports, SampledState, State, TupleState])
def test_what_says_what_is_equal_has_no_hash(kind: type) -> None:
    assert "__eq__" in vars(kind)
    assert kind.__hash__ is None


def test_pairs_are_counted_in_place() -> None:
    oue = mechanisms.OUE(1.0, 9)
    reports = values(oue, 1)
    state = PairCounts.of(oue)
    assert state.update(reports) is state
    merged = state.merge(state)
    assert state.update(reports).n == merged.n == 2 * USERS
    assert (state.pairs == merged.pairs).all()
    assert (state.sizes == merged.sizes).all()


class Watched:
    """An object with a part that is made when somebody asks for it, and how often it was made."""

    def __init__(self) -> None:
        self.made = 0

    @MadeOnce
    def part(self) -> list[int]:
        """Return a list of its own."""
        self.made += 1
        time.sleep(0.01)  # so that other threads ask meanwhile
        return []


def test_every_thread_gets_the_part_that_is_kept() -> None:
    watched = Watched()

    def ask(number: int) -> None:
        watched.part.append(number)

    together(ask)
    assert sorted(watched.part) == list(range(THREADS))
    made = watched.made
    assert watched.part is watched.part
    assert watched.made == made
    assert Watched().part == []
    assert isinstance(Watched.part, MadeOnce)
    assert Watched.part.__doc__ == "Return a list of its own."


def below(kind: type[Any]) -> Iterator[type[Any]]:
    for each in kind.__subclasses__():
        yield each
        yield from below(each)


def test_every_record_with_an_update_is_changed_in_place() -> None:
    records = [kind for kind in below(Saved) if dataclasses.is_dataclass(kind)]
    updated = [kind for kind in records if hasattr(kind, "update")]
    assert {"MeanState", "SumState", "TreeState"} <= {kind.__name__ for kind in updated}
    assert [kind for kind in updated if not issubclass(kind, InPlace)] == []
