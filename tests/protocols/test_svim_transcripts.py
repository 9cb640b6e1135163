"""The running clients of SVIM, SVSM and LDPMiner over all their words, at two items: exact laws.

They are run over all words of 64 bits. Planted clients are run on classes that are given: residues
for the coins of groups and for places, and each interval between the thresholds of any round's
response, at both ends. That the code looks at nothing else of a word is read by eye there.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.check.conformance.transcripts import (
    Alphabet,
    TranscriptCheck,
    between_cuts,
    check_transcripts,
)
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin
from ldp_verified.protocols import (
    SVIM,
    SVSM,
    CandidateCounts,
    CandidateRound,
    CandidateSizes,
    LDPMiner,
    SetMining,
)
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.mechanisms import SUE
from tests.broken.mining import PLANTED, Items, Program, honest
from tests.protocols.test_padding_transcripts import hashed_chance, residues
from tests.registry import SAMPLER, covers

EPS = math.log(4)
SETS: list[Items] = [(), (0,), (1,), (0, 1)]
LISTS: list[Any] = [((0,), (1,)), ((0, 1), (1,))]
"""Candidates that are published: single items, and a set among them."""


def counts(candidates: Any, length: int, group: int) -> CandidateCounts:
    return CandidateCounts(EPS, 2, candidates, length, "GRR", group)


def sizes(candidates: Any, group: int) -> CandidateSizes:
    return CandidateSizes(EPS, 2, candidates, "GRR", group)


FIRST = counts(None, 1, 0)
THREE = [
    (FIRST, sizes(LISTS[a], 1), counts(LISTS[b], length, 2))
    for a, b, length in ((0, 0, 1), (0, 1, 2), (1, 1, 1))
]
FIVE = [
    (*THREE[0], sizes(LISTS[a], 3), counts(LISTS[b], length, 4))
    for a, b, length in ((1, 1, 1), (0, 1, 2))
]


def coins_of(protocol: SetMining) -> Alphabet:
    """One coin for each group, for all that give it."""
    ends = [0, *itertools.accumulate(protocol.shares)]
    pairs = zip(ends, protocol.shares, strict=False)
    return Alphabet(tuple((first, Fraction(share, ends[-1])) for first, share in pairs))


def words_of(
    coins: Alphabet, rounds: list[tuple[CandidateRound, ...]]
) -> Callable[[int], Alphabet]:
    """A coin; then for each report a place and a word of the response."""
    cuts: set[int] = set()
    for asked in itertools.chain.from_iterable(rounds):
        lie = asked.inner.thresholds[0]
        cuts |= {number * lie for number in range(1, asked.inner.k + 1)}
    last = between_cuts(sorted(cuts))

    def at(index: int) -> Alphabet:
        if index == 0:
            return coins
        return residues(2) if index % 2 else last

    return at


def chances(asked: CandidateRound, items: Items) -> dict[int, Fraction]:
    """What a set is declared to sample in a round: a candidate, a dummy, or its size."""
    listed = asked.candidates or tuple((item,) for item in range(asked.items))
    own = [place for place, each in enumerate(listed) if set(each) <= set(items)]
    if isinstance(asked, CandidateSizes):
        return {len(own): Fraction(1)}
    padded = [*own, *range(asked.k, asked.k + max(asked.length - len(own), 0))]
    return dict.fromkeys(padded, Fraction(1, len(padded)))


def declared(protocol: SetMining) -> Callable[[Items, tuple[Any, ...]], dict[Any, Fraction]]:
    """The law of the group and the report, by the declaration."""

    def law(items: Items, history: tuple[Any, ...]) -> dict[Any, Fraction]:
        found: dict[Any, Fraction] = {}
        for group, asked in enumerate(history[0]):
            inner, own = asked.inner, chances(asked, items)
            for y in range(inner.k):
                chance = inner.q + own.get(y, Fraction(0)) * (inner.p - inner.q)
                share = Fraction(protocol.shares[group], sum(protocol.shares))
                found[group, (y,)] = share * chance
        return found

    return law


def check(
    client: Program, protocol: SetMining, rounds: list[Any], reports: int = 1
) -> TranscriptCheck:
    """What the package says of a client, held to the claimed e^eps = 4."""
    words = words_of(coins_of(protocol), rounds)

    def program(items: Items, source: Any) -> Any:
        return client(protocol, items, source)

    bound = Fraction(4)
    return check_transcripts(program, SETS, [rounds], bound, words, 1 + 2 * reports)


@covers(SAMPLER, "SVIM", "SVSM", "CandidateCounts", "CandidateSizes")
@pytest.mark.parametrize(("of", "rounds"), [(SVIM, THREE), (SVSM, FIVE)])
def test_the_clients_have_exactly_the_law_that_is_declared(of: Any, rounds: Any) -> None:
    """All sets of two items; candidates that are sets, too; one place and two.

    Enumerated, but that coins are drawn again, with 6 or 16 words in 2^64.
    """
    protocol = of(EPS, 2, 1)
    law = cache(declared(protocol))
    found = check_every_word(
        partial(honest, protocol), SETS, [rounds], Fraction(4), 4,
        lambda items, history, sent: law(items, history)[sent],
    )  # fmt: skip
    assert found.status is Status.ENUMERATED, str(found)
    assert found.unresolved == Fraction((1 << 64) % sum(protocol.shares), 1 << 64) ** 2
    assert found.leak is None
    assert found.largest is not None
    assert 3.99 < found.largest <= 4


@pytest.mark.parametrize("of", [SVIM, SVSM])
def test_every_coin_gives_the_group_that_is_declared(of: Any) -> None:
    protocol = of(EPS, 2, 1)
    split = load_protocol(of.__name__.lower()).groups
    assert split is not None
    total = sum(protocol.shares)
    assert split.coins == total
    for number in range(total):
        source = ReplayWords(np.array([number, number], dtype=np.uint64))
        group = int(split.of.subs(coin, number))
        assert protocol.client(rng=source).group == group
        assert protocol.draw_groups(1, source).tolist() == [group]


@pytest.mark.parametrize("name", PLANTED)
def test_planted_clients_are_refuted(name: str) -> None:
    reports = 2 if name == "reports in two groups" else 1
    found = check(PLANTED[name], SVIM(EPS, 2, 1), THREE[:1], reports)
    assert found.status is Status.REFUTED, str(found)
    assert found.leak is not None


class Told:
    """In the place of a sampler: it reads no word, and tells its input."""

    def draw(self, values: Any, source: Any) -> Any:
        del source
        return np.asarray(values, dtype=np.uint8)


@covers(SAMPLER, "LDPMiner")
def test_both_reports_of_a_miner_have_the_law_that_is_declared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A place, a function and a bucket; then what is handed to unary encoding.

    Unary encoding itself is compared with its table by its own exhaustive check.
    """
    miner = LDPMiner(2 * EPS, 2, length=1, top=1, places=2)
    first = miner.round()
    second = CandidateCounts(EPS, 2, LISTS[0], 2, "SUE", 1)
    monkeypatch.setattr(SUE, "sampler", lambda *_: Told())

    def program(items: Items, source: Any) -> Any:
        client = miner.client(rng=source)
        yield tuple(np.ravel(client.report(items, first).data).tolist())
        yield int(np.ravel(client.report(items, second).data)[0])

    def declared(items: Items, _: object, sent: Any) -> Fraction:
        report, handed = sent
        return hashed_chance(inner, chances(first, items), report) * chances(second, items)[handed]

    inner = first.inner
    for items in SETS:
        # The set beside itself: what is handed over is not private, and has no bound.
        found = check_every_word(program, [items] * 2, [[None]], Fraction(1), 4, declared)
        assert found.status is Status.ENUMERATED, str(found)
    assert inner.p / inner.q <= 4
    assert first.realized_epsilon + second.realized_epsilon <= miner.epsilon
