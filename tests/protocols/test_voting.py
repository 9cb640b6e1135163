"""Votes on whether a mean has changed: the exact law, its price, its means, and what it refuses."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import Alphabet, check_transcripts
from ldp_verified.errors import DomainError, LdpError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import VotedMean, VotingClient, VotingState
from ldp_verified.prove import Status
from tests.broken.over_time import VOTING_PLANTED, voting
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

TINY = VotedMean(3.0, epochs=3, updates=1, votes=1, vote_share=2 / 3)
VALUES = list(itertools.product((0, 1), repeat=3))
PUBLISHED = [(None, 1.0)] * 3
"""After each message: nothing new; or the mean is asked for, or is found to be this."""


def words_at(place: int) -> Alphabet:
    """The first word of each interval that any response of TINY tells apart."""
    del place
    lies = {made.thresholds[0] for made in (TINY.vote, TINY.answer)}
    ends = sorted({0, 1 << 64, *lies, *((1 << 64) - lie for lie in lies)})
    pairs = itertools.pairwise(ends)
    return Alphabet(tuple((low, Fraction(high - low, 1 << 64)) for low, high in pairs))


def bound() -> Fraction:
    """Return the largest ratio of the stated price: two votes may differ, and one answer."""
    vote, answer = TINY.vote, TINY.answer
    return (vote.p / vote.q) ** 2 * (answer.p / answer.q)


@covers(SAMPLER, "VotedMean")
def test_the_running_client_costs_what_is_stated_whatever_is_published() -> None:
    """All sequences of three bits, all that may be published between messages, all words."""
    found = check_every_word(voting(VotingClient, TINY), VALUES, PUBLISHED, bound(), 9)
    assert (found.status, found.unresolved) == (Status.ENUMERATED, Fraction(0)), str(found)
    assert found.largest == bound()
    assert math.log(bound()) <= TINY.realized_epsilon <= TINY.epsilon


@pytest.mark.parametrize("planted", VOTING_PLANTED)
def test_planted_clients_are_refuted(planted: Any) -> None:
    told = [(0.0,), (0.0,), (None, 0.0), (0.0,), (0.0,), (None,)]
    ends = [(0, 0, 0), (1, 1, 1)]
    found = check_transcripts(voting(planted, TINY), ends, told, bound(), words_at, 9)
    assert found.status is Status.REFUTED, str(found)


@covers(RANGE, "VotedMean")
@given(EPSILONS, st.integers(1, 50), st.integers(1, 20), st.integers(1, 5), st.floats(0.01, 0.99))
@settings(max_examples=30)
def test_it_costs_at_most_epsilon(
    epsilon: float, epochs: int, updates: int, votes: int, share: float
) -> None:
    made = VotedMean(epsilon, epochs, updates=updates, votes=votes, vote_share=share)
    assert 0 < made.realized_epsilon <= epsilon


def test_means_are_unbiased_and_as_spread_as_is_stated(seed: int) -> None:
    """Null: in 100 runs of n = 4000 users the first mean has the stated law.

    Normal approximation: 6 standard deviations of the mean, 2e-9; squares over sigma^2 are
    chi-square with 100 degrees, outside 36..230 with 2e-9 or less. All users have the own mean 1/4.
    A bias of one sigma is missed below 1e-4.
    """
    made, n = VotedMean(4.0, epochs=2, days=4), 4000
    ones = np.ones((n, 2), dtype=int)
    means = [made.simulate(ones, seed + run).mean(0) for run in range(100)]
    errors = np.array([(mean - 0.25) / error for mean, error in means])
    assert abs(errors.mean()) <= 6 / 100**0.5
    assert 36 <= np.square(errors).sum() <= 230


def test_a_change_of_the_population_is_voted_for_and_seen(seed: int) -> None:
    """At n = 40,000 the votes exceed the threshold by 20 standard errors: no miss, no alarm."""
    made = VotedMean(8.0, epochs=8, days=10, updates=2, votes=1, margin=0.3, false_alarm=1e-9)
    ones = np.where(np.arange(8) < 5, 2, 8) * np.ones((40_000, 1), dtype=int)
    state = made.simulate(ones, seed)
    found = state.estimate()
    assert found.updated.tolist() == [day in (0, 5) for day in range(8)]
    assert found.means[:5] == pytest.approx([0.2] * 5, abs=8 * float(found.std_error[0]))
    assert found.means[5:] == pytest.approx([0.8] * 3, abs=8 * float(found.std_error[5]))
    assert VotingState.from_bytes(state.to_bytes(), made) == state
    assert state.merge(made.empty(simulated=True)) == state


def test_clients_are_kept(seed: int) -> None:
    made = VotedMean(8.0, epochs=3, days=2, updates=2)
    device = VotingClient(made, new_user=True, rng=seed)
    state = made.empty(simulated=True)
    for epoch in range(3):
        state = state.update(device.vote(1, None if epoch == 0 else 1.0))
        if epoch < 2:
            state = state.update(device.answer())
        kept = device.save()
        again = VotingClient.restore(kept, made, rng=seed, seen=device.steps)
        assert again.save() == kept
        with pytest.raises(ReplayError):
            VotingClient.restore(kept, made, seen=device.steps + 1)
        device = again
    assert [sum(state._pair(epoch)) for epoch in range(6)] == [1, 1, 1, 1, 1, 0]
    with pytest.raises(ParameterError, match="2 times at most"):
        device.answer()
    with pytest.raises(ParameterError, match="no more"):
        device.vote(1, None)


def test_no_number_of_ones_is_near_to_a_number_beyond_all_floats() -> None:
    assert VotedMean(1.0, epochs=2).near(10**400) == (0, 0)


def test_what_is_refused(seed: int) -> None:
    made = VotedMean(1.0, epochs=2)
    other = VotedMean(2.0, epochs=2)
    device = VotingClient(made, new_user=True, rng=seed)
    wrong: list[tuple[Any, type[LdpError], str]] = [
        (lambda: VotedMean(0.0, 2), ParameterError, "epsilon"),
        (lambda: VotedMean(1.0, 0), ParameterError, "epochs"),
        (lambda: VotedMean(1.0, 2, votes=0), ParameterError, "votes"),
        (lambda: VotedMean(1.0, 2, updates=65), ParameterError, "updates"),
        (lambda: VotedMean(1.0, 2, margin=1.0), ParameterError, "margin"),
        (lambda: VotingClient(made, new_user=False), ParameterError, "new_user"),
        (lambda: VotingClient.restore(device.save(), other), ReportError, "protocol"),
        (lambda: device.vote(2, None), DomainError, "value"),
        (lambda: device.vote(1, "x"), ParameterError, "published"),  # type: ignore[arg-type]  # no number
        (lambda: made.near("x"), ParameterError, "published"),  # type: ignore[arg-type]  # no number
        (device.answer, ParameterError, "answer"),
        (lambda: made.simulate([[1]]), DomainError, "shape"),
        (lambda: made.simulate([[1.0, 1.0, 0.0]]), DomainError, "got 'float64 of shape"),
        (lambda: made.simulate([[1, 2]]), DomainError, "ones"),
        (lambda: made.empty().update(device.vote(1, None)), ReportError, "simulated"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()
