"""Answers that nobody asked for, votes that come late, and errors of few answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import VotedMean, VotedMeans, VotingState
from ldp_verified.run.aggregate.serial import unwrap, wrap
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from collections.abc import Sequence

MADE = VotedMean(8.0, epochs=8, days=10, updates=2, margin=0.3, false_alarm=1e-9)
"""Of 20,000 users who all change their mind, votes exceed the threshold by 14 standard errors."""

ONES = np.where(np.arange(8) < 5, 2, 8) * np.ones((20_000, 1), dtype=int)


def answer(epoch: int, bit: int, made: VotedMean = MADE) -> int:
    return 2 * (made.epochs + epoch) + bit


def messages(codes: Sequence[int], made: VotedMean = MADE) -> VotingState:
    data = np.array(codes, dtype=np.int64)
    return made.empty(simulated=True).update(made.reports(data, simulated=True))


def run(lies: Sequence[int], seed: int, *, recorded: bool) -> VotingState:
    """The server's state after all epochs; lies come first."""
    source, state = word_source(seed, "test"), messages(lies)
    left = np.full(len(ONES), MADE.votes)
    for epoch in range(MADE.epochs):
        own = ONES[:, epoch]
        yes = MADE.differs(own, state.published(epoch)) & (left > 0)
        left -= yes
        state.update(MADE.reports(MADE.voted(epoch, yes, source), simulated=True))
        if state.wanted(epoch):
            if recorded:
                state.ask(epoch)
            state.update(MADE.reports(MADE.answered(epoch, own, source), simulated=True))
    return state


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize(
    "lies",
    [
        [],
        [answer(3, 1)],
        [answer(1, 1), answer(2, 0)],
        [answer(7, 0)] * 50,
        [answer(epoch, 1) for epoch in range(8)],
        [2 * 6 + 1, answer(6, 1)],
    ],
    ids=["none", "one", "two", "last", "all", "with_a_vote"],
)
def test_answers_of_epochs_that_were_not_asked_change_nothing(
    lies: list[int], recorded: bool, seed: int
) -> None:
    state, honest = run(lies, seed, recorded=recorded), run([], seed, recorded=recorded)
    found, expected = state.estimate(), honest.estimate()
    assert found.updated.tolist() == [epoch in (0, 5) for epoch in range(8)]
    assert found.means == pytest.approx(expected.means, abs=1e-3)
    assert (found.std_error > 0).all()
    asked = {answer(epoch, bit) for epoch in (0, 5) for bit in (0, 1)}
    stray = sum(lie not in asked and lie >= 16 for lie in lies)
    assert found.stray == stray
    assert (f"{stray} answers of other epochs left out" in str(found)) == (stray > 0)
    assert np.isnan(state.mean(3)).all()
    assert state.published(5) == pytest.approx(0.2, abs=0.1)


def test_votes_that_come_late_change_no_recorded_question(seed: int) -> None:
    """Late votes that would take the question back, and such as would ask elsewhere."""
    state = run([answer(3, 1)], seed, recorded=True)
    late = [2 * 5] * 400_000 + [2 * 3 + 1] * 400_000
    state.update(MADE.reports(np.array(late), simulated=True))
    found = state.estimate()
    assert np.flatnonzero(found.updated).tolist() == [0, 5]
    assert found.means[7] == pytest.approx(0.8, abs=0.1)
    # Without a record they are what the questions follow from.
    other = replace(state, questions=None).estimate()
    assert np.flatnonzero(other.updated).tolist() == [0, 3]


def test_questions_are_kept_and_merged(seed: int) -> None:
    state = run([], seed, recorded=True)
    assert state.questions == frozenset({0, 5})
    again = VotingState.from_bytes(state.to_bytes(), MADE)
    assert again == state
    plain = messages([answer(3, 1)])
    assert b"questions" not in plain.to_bytes()
    for both in (state.merge(plain), plain.merge(state), state.merge(state)):
        assert both.questions == frozenset({0, 5})
    assert plain.merge(plain).questions is None
    assert plain.merge(state).estimate().stray == 1
    # Collectors that only count hold answers to questions of the server's, and are read.
    assert VotingState.from_bytes(plain.to_bytes(), MADE) == plain
    with pytest.raises(ReportError, match="other: must be of a server that asked the same 2 times"):
        state.merge(replace(plain, questions=frozenset({3})))
    told = messages([], MADE).merge(plain, batch="north")
    assert told.merge(state, batch="north", repeated="ignore").questions is None


def test_a_record_that_begins_late_has_the_questions_before(seed: int) -> None:
    state = run([answer(3, 1)], seed, recorded=False)
    assert replace(state).ask(5).questions == frozenset({0, 5})
    assert state.ask(5).ask(5).questions == frozenset({0, 5})


@pytest.mark.parametrize("epoch", [3, 8, -1, "x", True])
def test_nobody_asks_where_the_mean_is_not_wanted(epoch: Any, seed: int) -> None:
    state = run([answer(3, 1)], seed, recorded=True)
    with pytest.raises(ParameterError, match="epoch: must be "):
        state.ask(epoch)
    assert state.questions == frozenset({0, 5})


@pytest.mark.parametrize("questions", [{0}, frozenset({8}), frozenset({0, 1, 2}), [0]])
def test_questions_that_no_server_asks_are_refused(questions: Any) -> None:
    with pytest.raises(ParameterError, match="questions"):
        VotingState(MADE, (0,) * MADE.codes, False, frozenset(), questions)


@pytest.mark.parametrize("written", [[0, 9], 0, ["a"], [0, 1, 2], [True]])
def test_a_record_that_no_server_keeps_is_no_state(written: Any) -> None:
    state = VotingState(MADE, (0,) * MADE.codes, False, frozenset(), frozenset({0, 5}))
    header, body = unwrap("voting", state.to_bytes())
    assert header["questions"] == [0, 5]
    with pytest.raises(ReportError, match="questions"):
        VotingState.from_bytes(wrap("voting", header | {"questions": written}, body), MADE)


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 30.0])
@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("ones", [0.0, 0.3, 1.0])
def test_no_error_is_zero_and_no_interval_a_point(epsilon: float, n: int, ones: float) -> None:
    """Also where all answers are alike, or more are than of any users on average."""
    made = VotedMean(epsilon, epochs=2)
    yes = round(n * ones)
    state = messages([0] * n + [answer(0, 1, made)] * yes + [answer(0, 0, made)] * (n - yes), made)
    found = state.estimate()
    assert (found.std_error > 0).all()
    means, _, low, high = found.columns(0.95)
    nearest = np.clip(means, 0, 1)
    assert ((low >= 0) & (low <= nearest) & (nearest <= high) & (high <= 1)).all()
    assert (low < high).all()
    _, _, lower, higher = found.columns(0.95, simultaneous=True)
    assert (lower <= low).all()
    assert (higher >= high).all()


def test_intervals_of_few_answers_cover() -> None:
    """By enumeration of the answers of n users with one mean each, for the levels that we state."""
    made = VotedMean(4.0, epochs=1)
    p, q = float(made.answer.p), float(made.answer.q)
    for n, least in ((1, 0.87), (2, 0.87), (3, 0.9), (10, 0.91), (50, 0.93)):
        for bits in range(n + 1):
            chances = np.array([1.0])
            for user in range(n):
                coin = p if user < bits else q
                chances = np.convolve(chances, [1 - coin, coin])
            covered = 0.0
            for yes, chance in enumerate(chances):
                codes = [answer(0, 1, made)] * yes + [answer(0, 0, made)] * (n - yes)
                _, _, low, high = messages([0, *codes], made).estimate().columns(0.95)
                covered += chance * bool(low[0] - 1e-9 <= bits / n <= high[0] + 1e-9)
            assert covered >= least, (n, bits)


def test_before_the_first_mean_there_is_none() -> None:
    found = messages([0, 1, 2]).estimate()
    assert not found.updated.any()
    assert np.isnan(found.columns()).all()
    assert np.isnan(messages([]).estimate().columns(simultaneous=True)).all()


def test_means_without_their_answers_have_normal_intervals() -> None:
    means, errors = np.array([0.5, 0.5]), np.array([0.1, 0.1])
    _, _, low, high = VotedMeans(means, np.array([True, False]), errors).columns()
    assert high - low == pytest.approx([0.392, 0.392], abs=1e-3)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_liar_does_not_keep_a_state_from_being_read_again(recorded: bool, seed: int) -> None:
    """Answers of more epochs than the server asks in were counted, and then refused on reload."""
    state = run([answer(epoch, 1) for epoch in range(8)], seed, recorded=recorded)
    again = VotingState.from_bytes(state.to_bytes(), MADE)
    assert again == state
    assert np.array_equal(again.estimate().means, state.estimate().means, equal_nan=True)
