"""The tree over days: its exact law, its price, its counts, and what it refuses."""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterator
from fractions import Fraction
from functools import cache
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import Alphabet, check_transcripts, transcript_law
from ldp_verified.errors import DomainError, LdpError, ParameterError, ReplayError, ReportError
from ldp_verified.protocols import ChangeTree, TreeClient, TreeState
from ldp_verified.prove import Status
from tests.broken.over_time import PLANTED
from tests.registry import RANGE, SAMPLER, covers
from tests.strategies import EPSILONS

TINY = [ChangeTree(math.log(4), days=4), ChangeTree(math.log(4), days=3, changes=2)]
HALF = Fraction(1, 2)


def fair(below: int) -> Alphabet:
    """Words that are uniform below a small number."""
    return Alphabet(tuple((word, Fraction(1, below)) for word in range(below)))


def sign_words(made: ChangeTree) -> Alphabet:
    """The first word of each interval that a coin or a response tells apart."""
    lie = made.sign.thresholds[0]
    ends = [0, lie, 1 << 63, (1 << 64) - lie, 1 << 64]
    pairs = itertools.pairwise(ends)
    return Alphabet(tuple((low, Fraction(high - low, 1 << 64)) for low, high in pairs))


def words_of(made: ChangeTree, drawn: int = 2) -> Any:
    """Level and kept change first (or the change alone), then one word for each sign."""
    before = [fair(made.levels), fair(made.changes)][2 - drawn :]
    return lambda place: before[place] if place < drawn else sign_words(made)


def client(made: ChangeTree) -> Any:
    """The running client as a program: the messages of each day."""

    def run(bits: Any, source: Any) -> Iterator[tuple[int, ...]]:
        own = TreeClient(made, new_user=True, rng=source)
        for bit in bits:
            yield tuple(own.report(bit).data.tolist())

    return run


def declared(made: ChangeTree) -> Any:
    """The law by the module's words: a level, a kept change, and signs of whole blocks."""
    truth = {0: {0: HALF, 1: HALF}, 1: {0: made.sign.q, 1: made.sign.p}}
    truth[-1] = {0: made.sign.p, 1: made.sign.q}

    def law(bits: tuple[int, ...], _: Any) -> dict[Any, Fraction]:
        found: dict[Any, Fraction] = {}
        steps = [b - a for a, b in itertools.pairwise((0, *bits))]
        places = [day for day, step in enumerate(steps) if step]
        for level, rank in itertools.product(range(made.levels), range(made.changes)):
            kept = places[rank] if rank < len(places) else None
            size = 1 << level
            for signs in itertools.product((0, 1), repeat=made.days >> level):
                chance = Fraction(1, made.levels * made.changes)
                messages: list[list[int]] = [[] for _ in bits]
                messages[0].append(2 * made.firsts[-1] + level)
                for block, sign in enumerate(signs):
                    step = steps[kept] if kept is not None and kept // size == block else 0
                    chance *= truth[step][sign]
                    code = 2 * (made.firsts[level] + block) + sign
                    messages[(block + 1) * size - 1].append(code)
                key = tuple(map(tuple, messages))
                found[key] = found.get(key, Fraction(0)) + chance
        return found

    return law


def sequences(made: ChangeTree) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=made.days))


@covers(SAMPLER, "ChangeTree")
@pytest.mark.parametrize("made", TINY, ids=repr)
def test_the_running_client_has_the_declared_law_and_costs_epsilon(made: ChangeTree) -> None:
    """All words, and all pairs of sequences, also of those with more changes than count."""
    bound = made.sign.p / made.sign.q
    law = cache(lambda bits: declared(made)(bits, None))
    found = check_every_word(
        client(made), sequences(made), [], bound, 8, lambda bits, _, sent: law(bits)[sent]
    )
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == bound
    assert made.realized_epsilon == made.sign.realized_epsilon <= made.epsilon


@pytest.mark.parametrize("planted", PLANTED)
def test_planted_clients_are_refuted(planted: Any) -> None:
    made = TINY[1]

    def program(bits: Any, source: Any) -> Generator[Any, Any, None]:
        yield from planted(made, bits, source)

    draws = 1 if planted.__name__ in ("every_level", "no_cut") else 0
    bound = made.sign.p / made.sign.q
    found = check_transcripts(program, sequences(made), [], bound, words_of(made, draws), 8)
    assert found.status is Status.REFUTED, str(found)


@pytest.mark.parametrize("made", TINY, ids=repr)
def test_mean_and_variance_of_every_day_are_exact(made: ChangeTree) -> None:
    """Every sequence with no more changes than count is run over all coins of the client."""
    scale = made.levels * made.changes / (made.sign.p - made.sign.q)
    for bits in sequences(made):
        changes = sum(a != b for a, b in itertools.pairwise((0, *bits)))
        if changes > made.changes:
            continue
        law = transcript_law(client(made), bits, [], words_of(made), 8)
        for day in range(1, made.days + 1):
            blocks = made.empty()._blocks(day)
            mean = square = Fraction(0)
            for transcript, chance in law.probabilities.items():
                told: Any = transcript
                codes = [code for messages in told for code in messages]
                total = sum(2 * (code % 2) - 1 for code in codes if code // 2 in blocks)
                mean += chance * total * scale
                square += chance * (total * scale) ** 2
            assert mean == bits[day - 1]
            exact = scale**2 * day.bit_count() / made.levels - bits[day - 1]
            assert square - mean**2 == exact
            assert made.variance(1, day, bits[day - 1]) == pytest.approx(float(exact))


def test_counts_of_many_users_are_unbiased_and_as_spread_as_is_stated(seed: int) -> None:
    """Null: in 60 runs of n = 3000 users the counts of day 13 of 20 have the stated law.

    Normal approximation: the mean within 6 standard deviations (2e-9), squares over sigma^2 are
    chi-square with 60 degrees, outside 13..170 with 5e-10. A bias of one sigma is missed below
    2 percent; an error stated at half is missed below 1e-4. Users change at most twice.
    """
    made, n, day = ChangeTree(1.0, days=20, changes=2), 3000, 13
    users = np.arange(n)
    on, off = (users * 7) % 20, (users * 7) % 20 + 1 + users % 11
    days = np.arange(20)
    held = ((days >= on[:, None]) & (days < off[:, None])).astype(int)
    truth = int(held[:, day - 1].sum())
    errors = []
    for run in range(60):
        reports = made.privatize(held, seed + run)
        estimate = made.aggregate(reports, simulated=True).estimate()
        sigma = made.variance(n, day, truth) ** 0.5
        errors.append((float(estimate.counts[day - 1]) - truth) / sigma)
        assert float(estimate.std_error[day - 1]) == pytest.approx(sigma, rel=0.05)
    assert abs(np.mean(errors)) <= 6 / 60**0.5
    assert 13 <= np.sum(np.square(errors)) <= 170


@covers(RANGE, "ChangeTree")
@given(EPSILONS, st.integers(1, 200), st.integers(1, 20))
@settings(max_examples=30)
def test_it_costs_at_most_epsilon(epsilon: float, days: int, changes: int) -> None:
    made = ChangeTree(epsilon, days, changes)
    assert 0 < made.realized_epsilon <= epsilon
    assert made.firsts[-1] == sum(days >> level for level in range(made.levels)) < 2 * days
    day = days // 2 + 1
    blocks = made.empty()._blocks(day)
    assert len(set(blocks)) == day.bit_count()
    assert all(0 <= block < made.firsts[-1] for block in blocks)


def test_clients_and_states_are_kept(seed: int) -> None:
    made = ChangeTree(2.0, days=9, changes=3)
    state = made.empty(simulated=True)
    for user in range(30):
        device = TreeClient(made, new_user=True, rng=seed + user)
        for day in range(9):
            kept = device.save()
            state = state.update(device.report((user + day) // 4 % 2))
            again = TreeClient.restore(kept, made, rng=seed)
            assert again.save() == kept
            with pytest.raises(ReplayError):
                TreeClient.restore(kept, made, seen=day + 1)
            device = TreeClient.restore(device.save(), made, rng=seed + user, seen=day + 1)
        assert device.day == 9
    assert state.n == 30
    assert len(state.estimate(through=5).counts) == 5
    assert TreeState.from_bytes(state.to_bytes(), made) == state
    assert state.merge(made.empty(simulated=True)) == state
    low, high = state.estimate().interval()
    assert ((low >= 0) & (low <= high) & (high <= 30)).all()


def test_a_liar_does_not_keep_a_state_from_being_read_again(seed: int) -> None:
    """More signs of a block than users who joined were counted, and then refused on reload."""
    made = ChangeTree(1.0, days=4)
    state = made.aggregate(made.privatize([[0, 1, 1, 1]] * 50, seed), simulated=True)
    assert "signs of each user" not in [check.name for check in state.honesty().checks]
    state.update(made.reports(np.zeros(51, dtype=np.int64), simulated=True))
    assert TreeState.from_bytes(state.to_bytes(), made) == state
    (check,) = (each for each in state.honesty().checks if each.name == "signs of each user")
    assert check.p_value == 0.0
    assert "for a block of level 0" in check.found
    assert "hardly all honest" in state.estimate().heading


def test_what_is_refused(seed: int) -> None:
    made, other = ChangeTree(1.0, days=4), ChangeTree(1.0, days=5)
    device = TreeClient(made, new_user=True, rng=seed)
    reports = made.privatize([[0, 1, 1, 1]], seed)
    crowded = made.aggregate(reports, simulated=True)
    wrong: list[tuple[Any, type[LdpError], str]] = [
        (lambda: ChangeTree(0.0, 4), ParameterError, "epsilon"),
        (lambda: ChangeTree(1.0, 0), ParameterError, "days"),
        (lambda: ChangeTree(1.0, 4, 0), ParameterError, "changes"),
        (lambda: TreeClient(made, new_user=False), ParameterError, "new_user"),
        (lambda: TreeClient.restore("x", made), ReportError, "text"),
        (lambda: TreeClient.restore(device.save(), other), ReportError, "protocol"),
        (lambda: device.report(2), DomainError, "value"),
        (lambda: made.privatize([[0, 1, 1]]), DomainError, "shape"),
        (lambda: made.privatize(cast("Any", [[0.5] * 4])), DomainError, "got 'float64 of"),
        (lambda: made.privatize([[0, 1, 1, 2]]), DomainError, "0 or 1"),
        (lambda: made.empty().estimate(), ReportError, "messages"),
        (lambda: crowded.estimate(through=5), ParameterError, "through"),
        (lambda: other.aggregate(reports, simulated=True), ReportError, "foreign"),
        (lambda: made.empty().update(reports), ReportError, "simulated"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()
    for _ in range(4):
        device.report(1)
    with pytest.raises(ParameterError, match="no more"):
        device.report(1)
