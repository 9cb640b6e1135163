"""Prefix rounds: what is found, how it is counted, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.protocols import PrefixRound, PrefixRounds, RoundState

SMALL = PrefixRounds(3.0, bits=12, top=4, first=5, step=4, cohorts=64)
VALUES = [0, 1, 2741, 4095]
HOLDERS = [1000, 3000, 6000, 10_000]


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("prefix_rounds").law_hash == PrefixRounds.law_sha256


def test_levels_and_groups_are_those_declared() -> None:
    assert SMALL.lengths == (5, 9, 12)
    assert PrefixRounds(4.0, bits=48).lengths == (24, 36, 48)
    assert PrefixRounds(4.0).lengths == (24, 40, 56, 72, 88, 104, 120, 128)
    assert (PrefixRounds(4.0).buckets, PrefixRounds(4.0).hashed) == (64, 32)
    assert SMALL.rounds == 4
    assert sum(SMALL.share(number) for number in range(4)) == pytest.approx(1)
    assert PrefixRounds(1.0, bits=2).listed == 4  # as many values as there are


def test_it_finds_words_that_nobody_listed(seed: int) -> None:
    """Null: words of shares 0.3, 0.25 and 0.2 are found, each count within 6 standard errors.

    n = 60,000 at epsilon = 4; a share of 0.2 is outranked with 1e-7 at most. Six
    standard errors: 2e-9 each, normal approximation. In all below 1e-6.
    """
    made = PrefixRounds(4.0, top=8)
    assert made.detectable_share(60_000, miss=1e-7) < 0.2
    rare = [f"rare{number}" for number in range(150)]
    held = {"the": 18_000, "naïve": 15_000, "日本語": 12_000}
    found = made.mine([*held, *rare], [*held.values(), *[100] * 150], rng=seed)
    named = {word: (count, error) for word, count, error in found}
    assert set(held) <= set(named)
    for word, count in held.items():
        assert abs(named[word][0] - count) <= 6 * named[word][1]
    assert found.simulated
    assert found.n == 60_000


def test_counts_that_are_published_are_unbiased(seed: int) -> None:
    """Null: the mean of 60 counts of a value is the true count, with the errors that are stated.

    n = 20,000 users each; normal approximation. The mean is looked at with 6 standard deviations,
    2e-9, with stated standard errors that are off by less than a tenth: three values below 1e-7. A
    bias of one standard deviation of an estimate is missed with 4 percent.
    """
    errors: dict[int, list[float]] = {value: [] for value in VALUES[1:]}
    sizes: dict[int, list[float]] = {value: [] for value in VALUES[1:]}
    for run in range(60):
        counted = SMALL.counted(*SMALL.simulate(VALUES, HOLDERS, rng=seed + run))
        for value, count, error in counted:
            if value in errors:
                errors[int(value)].append(count - HOLDERS[VALUES.index(int(value))])
                sizes[int(value)].append(error)
    for value, own in errors.items():
        assert len(own) == 60, value
        assert abs(np.mean(own)) <= 6 * np.mean(sizes[value]) / 60**0.5


def test_a_population_and_its_devices_are_asked_the_same(seed: int) -> None:
    """Device by device, with rounds as published: the frequent value is found, at n = 3000.

    Null: a value that four fifths hold is outranked with less than 1e-7.
    """
    made = PrefixRounds(6.0, bits=12, top=1, first=5, step=4, cohorts=1024)
    assert made.detectable_share(3000, miss=1e-7) < 0.8
    clients = [made.client(rng=seed + number) for number in range(3000)]
    states: list[RoundState] = []
    for number in range(made.rounds):
        asked = made.round(*states)
        assert asked.number == number
        state = RoundState(asked, simulated=True)
        for place, client in enumerate(clients):
            if client.group == number:
                state.update(client.report(2741 if place % 5 else place, asked))
        states.append(state)
    assert [value for value, _, _ in made.found(*states)] == [2741]
    with pytest.raises(ParameterError, match="states: must be those of at most 3 rounds, got 4"):
        made.round(*states)


def test_what_all_reports_speak_for_is_named(seed: int) -> None:
    """No more than `top`, only counts above a standard error, and none that was not counted."""
    states = SMALL.simulate(VALUES, HOLDERS, rng=seed)
    counted, found = list(SMALL.counted(*states)), list(SMALL.found(*states))
    assert len(counted) == SMALL.listed == 8
    assert 1 <= len(found) <= 4
    assert {value for value, _, _ in found} <= {value for value, _, _ in counted}
    assert [value for value, _, _ in found][:2] == [4095, 2741]
    assert list(SMALL.mine(VALUES, HOLDERS, rng=seed)) == found


def test_states_of_other_rounds_are_refused(tmp_path: Path) -> None:
    states = SMALL.simulate(VALUES, HOLDERS, rng=1)
    with pytest.raises(ParameterError, match=r"state: must be of this round: published"):
        SMALL.round(states[1])
    with pytest.raises(ParameterError, match=r"state: must be of this round: published"):
        SMALL.round(states[0], RoundState(PrefixRound(SMALL, 1)))
    other = replace(SMALL, epsilon=2.0).simulate(VALUES, HOLDERS, rng=1)
    with pytest.raises(ParameterError, match="state: must be of this round"):
        SMALL.found(*states[:-1], other[-1])
    for wrong in (states[:-1], (*states, states[-1])):
        with pytest.raises(ParameterError, match="states: must be those of 4 rounds"):
            SMALL.found(*wrong)
    nothing: Any = None
    with pytest.raises(ParameterError, match="state"):
        SMALL.round(nothing)
    empty = RoundState(PrefixRound(SMALL, 0))
    with pytest.raises(ReportError, match="state: must hold reports of round 0, got 0"):
        SMALL.round(empty)
    states[2].save(tmp_path / "state")
    read = RoundState.load(tmp_path / "state", states[2].asked)
    assert list(SMALL.found(*states[:2], read, states[3])) == list(SMALL.found(*states))


def test_nothing_is_no_empty_list(seed: int) -> None:
    states = SMALL.simulate(VALUES, HOLDERS, rng=seed)
    last = states[-1].asked
    drawn = last.privatize([1] * 2000, rng=seed)
    # In the last round every answer is "none".
    silent = replace(drawn, answers=np.zeros_like(drawn.answers))
    with pytest.raises(ReportError, match="holds no value that stands out; one in ten users"):
        SMALL.found(*states[:-1], RoundState(last, simulated=True).update(silent))


def test_too_few_users_are_refused_before_anything_is_drawn() -> None:
    need = SMALL.users_needed(0.5)
    assert SMALL.detectable_share(need) <= 0.5 < SMALL.detectable_share(need - 1)
    with pytest.raises(ParameterError, match=rf"n: must be users enough .* {need} for .*, got 10"):
        SMALL.simulate([1], [10])
    with pytest.raises(DomainError, match="values: must be integers"):
        SMALL.simulate([4096] * 10_000)
    with pytest.raises(ParameterError, match="counts"):
        SMALL.simulate([1], [10.5])
    for wrong in (0, -1, 1.5):
        with pytest.raises(ParameterError, match="n: must"):
            SMALL.detectable_share(wrong)  # type: ignore[arg-type]  # also a float
    for share in (0.0, 1.1):
        with pytest.raises(ParameterError, match="share"):
            SMALL.users_needed(share)
    with pytest.raises(ParameterError, match="miss"):
        SMALL.detectable_share(10, miss=0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"epsilon": 1e-17},
        {"bits": 1},
        {"bits": 129},
        {"top": 0},
        {"top": 2049},
        {"first": 25},
        {"step": 21},
        {"cohorts": 0},
        {"cohorts": (1 << 16) + 1},
        {"seed": -1},
    ],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        PrefixRounds(**{"epsilon": 1.0} | wrong)
