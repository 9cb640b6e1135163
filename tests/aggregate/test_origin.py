"""States hold reports of one kind, and each batch once: planted mixtures and repetitions."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from ldp_verified.deploy import Deployment
from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.protocols import (
    SHE,
    DuchiVector,
    Rappor,
    RapporClient,
    RapporState,
    SampledReports,
    SampleOne,
    SphereVector,
    Split,
)
from ldp_verified.run.aggregate.origin import ReportOrigin, one_kind
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.mechanisms import CMS, GRR, OUE, Duchi, Laplace, SquareWave
from tests.aggregate.test_saved import forged

RAPPOR = Rappor(0.5, 0.25, 0.75, bits=9, hashes=2, cohorts=3)
MADE: list[Any] = [
    GRR(1.0, 3),
    CMS(1.0, 4, 4),
    Duchi(1.0),
    Laplace(1.0),
    DuchiVector(1.0, 2),
    SphereVector(1.0, 2),
    SHE(1.0, 2),
    SampleOne(1.0, (2, 3)),
    RAPPOR,
]


def name_of(made: Any) -> str:
    return type(made).__name__


def empty(made: Any, simulated: bool = False) -> Any:
    return RapporState(made, simulated=simulated) if made is RAPPOR else made.empty(simulated)


def drawn(made: Any, rng: int | None) -> Any:
    """Three reports."""
    if made is RAPPOR:
        return [RapporClient(made, new_user=True, rng=rng).report("a") for _ in range(3)]
    vectors = isinstance(made, SampleOne | DuchiVector | SphereVector)
    return made.privatize(np.zeros((3, 2) if vectors else 3, dtype=np.int64), rng)


def again(made: Any, state: Any) -> Any:
    of = state.oracle if isinstance(state, State) else made
    return type(state).from_bytes(state.to_bytes(), of, implausible=True)


@pytest.mark.parametrize("made", MADE, ids=name_of)
@pytest.mark.parametrize("first", [None, 1], ids=["real", "simulated"])
def test_simulated_and_real_reports_are_never_in_one_state(made: Any, first: int | None) -> None:
    second = 1 if first is None else None
    state = empty(made, first is not None).update(drawn(made, first))
    assert state.simulated is (first is not None)
    before = state.to_bytes()
    other = empty(made, second is not None).update(drawn(made, second))
    with pytest.raises(ReportError, match="simulated"):
        state.update(drawn(made, second))
    for one, two in ((state, other), (other, state), (again(made, state), again(made, other))):
        with pytest.raises(ReportError, match="simulated"):
            one.merge(two)
    assert state.to_bytes() == before
    for one in (state, again(made, state), copy.copy(state), pickle.loads(pickle.dumps(state))):
        assert one.update(drawn(made, first)).n == 6


@pytest.mark.parametrize("made", MADE, ids=name_of)
@pytest.mark.parametrize("declared", [False, True])
def test_what_is_declared_holds_before_the_first_report(made: Any, declared: bool) -> None:
    state = empty(made, declared)
    assert state.simulated is declared
    assert again(made, state).simulated is declared
    more = empty(made, declared)
    for one in (state, again(made, state), state.merge(more), more.merge(state)):
        with pytest.raises(ReportError, match="simulated"):
            one.update(drawn(made, None if declared else 1))
        assert one.update(drawn(made, 1 if declared else None)).n == 3


@pytest.mark.parametrize("made", MADE, ids=name_of)
def test_who_says_nothing_counts_real_reports(made: Any) -> None:
    state = empty(made)
    before = state.to_bytes()
    with pytest.raises(ReportError, match="simulated=True"):
        state.update(drawn(made, 1))
    with pytest.raises(ReportError, match="simulated=True"):
        state.merge(empty(made, simulated=True).update(drawn(made, 1)))
    assert state.to_bytes() == before
    assert not state.simulated


def test_no_reports_decide_nothing() -> None:
    made = GRR(1.0, 3)
    nobody, real = made.privatize([], 1), made.privatize([0])
    assert made.empty().update(nobody).simulated is False
    assert made.empty(simulated=True).update(made.privatize([])).simulated is True
    assert made.aggregate([nobody, real, nobody]).simulated is False


def test_mixtures_are_refused_wherever_reports_meet() -> None:
    made: Any
    for made in (GRR(1.0, 3), OUE(1.0, 3), Duchi(1.0), SHE(1.0, 2), DuchiVector(1.0, 2)):
        real, simulated = drawn(made, None), drawn(made, 1)
        for batches in ([real, simulated], [simulated, real]):
            with pytest.raises(ReportError, match="simulated"):
                made.aggregate(batches)
        for told in ({}, {"simulated": False}):
            with pytest.raises(ReportError, match="simulated=True"):
                made.aggregate(simulated, **told)
        if not isinstance(made, GRR | OUE | SHE):
            with pytest.raises(ReportError, match="simulated=True"):
                made.mean_estimate(simulated)
        with pytest.raises(ReportError, match="simulated"):
            made.aggregate(real, simulated=True)
        assert made.aggregate(simulated, simulated=True).simulated
    large = GRR(1.0, 3)
    real, simulated = (large.privatize(np.zeros(5_000_000, np.uint8), rng) for rng in (None, 1))
    with pytest.raises(ReportError, match="simulated"):
        large.aggregate([real, simulated], threads=2)
    wave = SquareWave(1.0)
    with pytest.raises(ReportError, match="simulated"):
        wave.distribution(
            [wave.privatize([0.0, 0.5], 1), wave.privatize([0.0, 0.5])], simulated=True
        )
    with pytest.raises(ReportError, match="simulated=True"):
        wave.distribution(wave.privatize([0.0, 0.5], 1))
    reports = [*drawn(RAPPOR, None), *drawn(RAPPOR, 1)]
    with pytest.raises(ReportError, match="simulated"):
        RapporState(RAPPOR).update(reports)
    with pytest.raises(ReportError, match="simulated"):
        Deployment(RAPPOR).to_batch(reports)
    tuples = np.zeros((9, 2), dtype=np.int64)
    split = Split(1.0, (2, 3))
    one, other = split.privatize(tuples), split.privatize(tuples, 1)
    with pytest.raises(ReportError, match="simulated"):
        Deployment(split).to_batch((one[0], other[1]))
    sample = SampleOne(1.0, (2, 3))
    many = np.zeros((90, 2), dtype=np.int64)
    mine, theirs = sample.privatize(many), sample.privatize(many, 1)
    halves = (mine.reports[0], theirs.reports[1])
    mixed = SampledReports(sum(map(len, halves)), halves)
    with pytest.raises(ReportError, match="simulated"):
        sample.empty().update(mixed)


@pytest.mark.parametrize("simulated", [False, True])
def test_a_collector_counts_one_kind(simulated: bool) -> None:
    deployment = Deployment(GRR(1.0, 3))
    collector = deployment.collector(simulated=simulated)
    right, wrong = (1, None) if simulated else (None, 1)
    client = deployment.client()
    with pytest.raises(ReportError, match="simulated"):
        collector.add(client.report(0, wrong))
    collector.add(client.report(0, right))
    assert collector.n == 1
    assert collector.state.simulated is simulated
    with pytest.raises(ReportError, match="simulated"):
        collector.merge(deployment.collector(simulated=not simulated))


@pytest.mark.parametrize("made", MADE, ids=name_of)
def test_a_batch_is_counted_once(made: Any) -> None:
    state = empty(made).update(drawn(made, None), batch="monday")
    assert state.batches == {"monday"}
    places = (state, again(made, state), copy.copy(state), pickle.loads(pickle.dumps(state)))
    for kept in places:
        before = kept.to_bytes()
        with pytest.raises(ReplayError, match="monday"):
            kept.update(drawn(made, None), batch="monday")
        same = kept.update(drawn(made, None), batch="monday", repeated="ignore")
        assert same.to_bytes() == kept.to_bytes() == before
    for after in (
        state.update(drawn(made, None), batch="tuesday", repeated="ignore"),
        empty(made).update(drawn(made, None), "tuesday").merge(again(made, places[1])),
    ):
        assert after.batches == {"monday", "tuesday"}
        assert after.n == 6
        assert again(made, after).batches == after.batches


@pytest.mark.parametrize("made", MADE, ids=name_of)
def test_a_state_is_merged_once(made: Any) -> None:
    shard = empty(made).update(drawn(made, None))
    whole = empty(made).merge(shard, batch="shard 1")
    with pytest.raises(ReplayError, match="shard 1"):
        whole.merge(shard, batch="shard 1")
    same = whole.merge(shard, batch="shard 1", repeated="ignore")
    assert same.to_bytes() == whole.to_bytes()
    with pytest.raises(ReplayError, match="shard 1"):
        whole.merge(again(made, whole))
    with pytest.raises(ReplayError, match="shard 1"):  # a part of it cannot be taken out again
        whole.merge(again(made, whole), repeated="ignore")
    assert whole.merge(shard, batch="shard 2").n == 6


@pytest.mark.parametrize("batch", ["", "a\ud800", "x" * 65, b"bytes", 3, True, ("a",)])
@pytest.mark.parametrize("made", MADE, ids=name_of)
def test_only_short_texts_are_ids(made: Any, batch: Any) -> None:
    state = empty(made)
    with pytest.raises(ParameterError, match="batch"):
        state.update(drawn(made, None), batch=batch)
    with pytest.raises(ParameterError, match="batch"):
        state.merge(empty(made), batch=batch)
    with pytest.raises(ParameterError, match="repeated"):
        state.update(drawn(made, None), batch="a", repeated="skip")
    assert state.n == 0


@pytest.mark.parametrize("made", MADE, ids=name_of)
@pytest.mark.parametrize(
    "change",
    [
        {"simulated": None},
        {"simulated": 1},
        {"simulated": "false"},
        {"batches": ["b", "a"]},
        {"batches": ["a", "a"]},
        {"batches": "a"},
        {"batches": [1]},
        {"batches": [""]},
        {"batches": None},
    ],
    ids=str,
)
def test_made_up_origins_are_refused(made: Any, change: dict[str, Any]) -> None:
    state = empty(made).update(drawn(made, None), batch="a")
    of = state.oracle if isinstance(state, State) else made
    with pytest.raises(ReportError, match="data"):
        type(state).from_bytes(forged(state.to_bytes(), change), of, implausible=True)


def test_a_sampled_state_has_the_flag_of_its_parts() -> None:
    made = SampleOne(1.0, (2, 3))
    data = made.empty().update(drawn(made, None)).to_bytes()
    with pytest.raises(ReportError, match="simulated"):
        type(made.empty()).from_bytes(forged(data, {"simulated": True}), made, implausible=True)


def test_threads_count_a_batch_once() -> None:
    made = GRR(1.0, 3)
    state, batch = made.empty(), made.privatize([0, 1])
    refused: list[ReplayError] = []

    def work() -> None:
        try:
            state.update(batch, batch="one")
        except ReplayError as error:
            refused.append(error)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (state.n, len(refused)) == (2, 7)


def test_origins_check_what_they_are_given() -> None:
    with pytest.raises(ParameterError, match="simulated"):
        State(GRR(1.0, 3).oracle, simulated=1)  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="batches"):
        State(GRR(1.0, 3).oracle, batches={"a"})  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="batches"):
        State(GRR(1.0, 3).oracle, batches=frozenset({1}))  # type: ignore[arg-type]  # what is wrong
    with pytest.raises(ParameterError, match="simulated"):
        ReportOrigin.checked(None, frozenset())
    assert one_kind([True, True]) is True
    assert one_kind([]) is None
    with pytest.raises(ReportError):
        one_kind([True, False])


def test_raw_reports_must_say_what_they_are() -> None:
    made = GRR(1.0, 3)
    data = np.array([0, 1], np.uint8)
    with pytest.raises(TypeError):
        made.reports(data)  # type: ignore[call-arg]  # what is wrong
    assert made.aggregate(made.reports(data, simulated=True), simulated=True).simulated
    assert made.aggregate(Reports(data, made.identity)).simulated is False


def test_an_id_that_utf8_cannot_hold_is_read_from_a_state_that_has_it() -> None:
    """Such ids were taken once, and JSON holds them."""
    made = GRR(1.0, 3)
    state = State(made.oracle, 2, np.array([1, 1, 0]), False, frozenset({"a\ud800"}))
    assert State.from_bytes(state.to_bytes(), made.oracle) == state
    with pytest.raises(ParameterError, match="batch: must be a text that UTF-8 can hold"):
        made.empty().update(made.privatize([0, 1]), batch="a\ud800")
