"""The running client of prefix extending over all its words, at a tiny size: its exact law.

Once over all words of 64 bits, in classes that follow from what the client asks of them. Clients
that are private or not by far are run on classes that are given: each coin of the split, the seed
bits that two-bit values can see, and both ends of each interval between thresholds.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.every_word import check_every_word
from ldp_verified.protocols.grouped_hashing import COINS, GroupReports
from ldp_verified.protocols.prefix_extending import PrefixExtending
from ldp_verified.prove.verdicts import Status
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.wide import hashes, prefixes
from tests.protocols.whole_messages import reports_of, whole
from tests.registry import SAMPLER, covers

PROTOCOL = PrefixExtending(np.log(4.0).item(), bits=2, step=1, g=2)
VALUES = range(4)
Transcript = tuple[int, tuple[int, ...], int]
Client = Callable[[PrefixExtending, int, ReplayWords], list[GroupReports]]


def honest(protocol: PrefixExtending, value: int, words: ReplayWords) -> list[GroupReports]:
    """The client of the package."""
    return [protocol.client(rng=words).report(value)]


def group_by_value(protocol: PrefixExtending, value: int, words: ReplayWords) -> list[Any]:
    """Draws its coin, and goes to a group of its own choice."""
    protocol.client(rng=words)  # reads the coin
    return [protocol.client(group=value % 3, rng=words).report(value)]


def silent_for_zero(protocol: PrefixExtending, value: int, words: ReplayWords) -> list[Any]:
    """Sends nothing where there is nothing to be proud of."""
    return [] if value == 0 else honest(protocol, value, words)


def twice(protocol: PrefixExtending, value: int, words: ReplayWords) -> list[Any]:
    """Sends a second report, of a group that its first one was not in."""
    (first,) = honest(protocol, value, words)
    other = (int(first.groups[0]) + 1) % 3
    return [first, protocol.client(group=other, rng=words).report(value)]


def truthful(protocol: PrefixExtending, value: int, words: ReplayWords) -> list[Any]:
    """Reports the bucket as it is."""
    (found,) = honest(protocol, value, words)
    taken = prefixes(protocol.encode([value]), protocol.lengths[int(found.groups[0])])
    found.buckets[:] = hashes(found.seeds, taken, protocol.hash_bits)
    return [found]


def bucket_words() -> list[tuple[int, Fraction]]:
    """(a word, the share of the words that it stands for): ends of each interval, half each."""
    lie = PROTOCOL._randomizer.thresholds[0]
    ends = [0, lie, 2 * lie, 1 << 64]
    assert ends == sorted(set(ends))
    return [
        (word, Fraction(high - low, 1 << 65))
        for low, high in itertools.pairwise(ends)
        for word in (low, high - 1)
    ]


ALL_COINS = [
    (coin, Fraction(1, COINS * PROTOCOL.levels)) for coin in range(COINS * PROTOCOL.levels)
]
ONE_COIN_A_GROUP = [(0, Fraction(17, 40)), (17, Fraction(17, 40)), (34, Fraction(6, 40))]
SEEDS = [bits << 62 for bits in range(4)]
"""The middle words of the seeds: two bits are all that two-bit values can see."""


def law(
    client: Client, coins: list[tuple[int, Fraction]], reports: int = 1
) -> dict[tuple[Transcript, ...], list[Fraction]]:
    """Transcript -> its chance for each value."""
    steps = [
        ([0, middle, 0, word], share / len(SEEDS))
        for middle in SEEDS
        for word, share in bucket_words()
    ]
    found: dict[tuple[Transcript, ...], list[Fraction]] = {}
    for value, (coin, weight) in itertools.product(VALUES, coins):
        for drawn in itertools.product(steps, repeat=reports):
            words = [coin, *itertools.chain.from_iterable(each for each, _ in drawn)]
            chance = weight
            for _, share in drawn:
                chance *= share
            sent = client(PROTOCOL, value, ReplayWords(np.array(words, dtype=np.uint64)))
            key = tuple(
                (int(each.groups[0]), tuple(each.seeds[0].tolist()), int(each.buckets[0]))
                for each in sent
            )
            found.setdefault(key, [Fraction(0)] * len(VALUES))[value] += chance
    return found


def largest_ratio(found: dict[tuple[Transcript, ...], list[Fraction]]) -> Fraction | None:
    """Of the chances of one transcript under two values; None where it is infinite."""
    rows = list(found.values())
    return None if any(0 in row for row in rows) else max(max(row) / min(row) for row in rows)


@covers(SAMPLER, "PrefixExtending")
def test_the_running_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated: group, seed and bucket of all transcripts, for all values."""
    found = law(honest, ALL_COINS)
    assert [sum(column) for column in zip(*found.values(), strict=True)] == [1] * 4
    p, shares = PROTOCOL._randomizer.p, (Fraction(17, 40), Fraction(17, 40), Fraction(6, 40))
    assert len(found) == 3 * len(SEEDS) * 2
    for ((group, seed, bucket),), row in found.items():
        for value, chance in enumerate(row):
            seen = value & 2 if group == 0 else value
            parity = ((seed[1] >> 62) & seen).bit_count() & 1
            assert chance == shares[group] / 4 * (p if parity == bucket else 1 - p)
    ratio = largest_ratio(found)
    assert ratio == p / (1 - p)
    assert np.log(float(ratio)) <= PROTOCOL.realized_epsilon <= PROTOCOL.epsilon


def chance(value: int, _: object, sent: Any) -> Fraction:
    """Of a transcript as declared, summed over the top bits of the seeds that it stands for."""
    p, shares = PROTOCOL._randomizer.p, (Fraction(17, 40), Fraction(17, 40), Fraction(6, 40))
    total = Fraction(0)
    for found in reports_of(sent[0]):
        (group,), (bucket,) = found.groups.tolist(), found.buckets.tolist()
        seen = value & 2 if group == 0 else value
        own = (int(found.seeds[0, 1] >> np.uint64(62)) & seen).bit_count() & 1
        total += shares[group] / 4 * Fraction(p if own == bucket else 1 - p)
    return total


def test_over_all_words_the_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated: group, whole seed and bucket; of the coin 16 words in 2^64 are drawn again."""

    def client(value: int, words: Any) -> Any:
        yield from map(whole, honest(PROTOCOL, value, words))

    found = check_every_word(
        client, VALUES, [], Fraction(PROTOCOL._randomizer.p / (1 - PROTOCOL._randomizer.p)), 6,
        chance,
    )  # fmt: skip
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == found.bound
    assert found.unresolved == Fraction(16, 1 << 64) ** 2


def test_a_client_that_tells_on_one_seed_of_all_is_refuted() -> None:
    """Planted: it has no noise where a word of its function is one of 2^64."""

    def client(value: int, words: Any) -> Any:
        found = PROTOCOL.client(group=1, rng=words).report(value)
        if found.seeds[0, 1] == 0xF23456789ABCDEF0:
            found.buckets[:] = value & 1
        yield whole(found)

    bound = Fraction(PROTOCOL._randomizer.p / (1 - PROTOCOL._randomizer.p))
    found = check_every_word(client, (0, 1), [], bound, 4)
    assert found.status is Status.REFUTED, str(found)
    assert f"low={0xF23456789ABCDEF0}," in str(found)


@pytest.mark.parametrize(
    "client, reports, expected",
    [(group_by_value, 1, None), (silent_for_zero, 1, None), (truthful, 1, None), (twice, 2, 16)],
)
def test_planted_clients_are_refuted(client: Client, reports: int, expected: int | None) -> None:
    """They exceed the epsilon of one report, by far: about 16 times for two reports."""
    ratio = largest_ratio(law(client, ONE_COIN_A_GROUP, reports))
    if expected is None:
        assert ratio is None
    else:
        assert ratio is not None
        assert ratio > 4
        assert float(ratio) == pytest.approx(expected)
