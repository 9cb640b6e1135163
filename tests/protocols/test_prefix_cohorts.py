"""Clients of prefix cohorts: what they send is what is declared, at the declared price."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.transcripts import Alphabet, between_cuts, check_transcripts
from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, group, x
from ldp_verified.protocols import PrefixCohorts
from ldp_verified.prove import Status
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import hashes, prefixes
from tests.broken.transcripts import COHORT_CLIENTS
from tests.protocols.whole_messages import over_all_words
from tests.registry import SAMPLER, covers

SMALL = PrefixCohorts(3.0, bits=12, first=5, step=4, cohorts=16, g=4)
TINY = PrefixCohorts(math.log(4), bits=2, first=1, step=1, cohorts=2, seed=10, g=2)
"""One function of the first level tells the first bit, one nothing; those of the second differ."""
SEEN = 4
"""Functions of the whole family that differ on values of two bits."""
MIDDLES = np.array([[0, bits << 62, 0] for bits in range(SEEN)], dtype=np.uint64)
"""Seeds of these."""


def test_it_runs_the_declaration_that_it_names() -> None:
    assert load_protocol("prefix_cohorts").law_hash == PrefixCohorts.law_sha256


def test_lengths_are_those_declared() -> None:
    assert SMALL.lengths == (5, 9, 12, 12)
    assert PrefixCohorts(4.0, bits=48).lengths == (24, 36, 48, 48)
    assert PrefixCohorts(4.0, bits=8).lengths == (8, 8)
    assert PrefixCohorts(4.0).lengths == (24, 40, 56, 72, 88, 104, 120, 128, 128)
    assert PrefixCohorts(4.0).buckets == 64
    assert PrefixCohorts(1.0).buckets == 4
    for epsilon in (0.5, 1.0, 4.0):
        assert 0 < PrefixCohorts(epsilon).realized_epsilon <= epsilon


def test_functions_are_public_and_stay_as_they_are() -> None:
    """A client of another version finds the same lists: two words are written down."""
    lists = SMALL.functions
    assert [len(seeds) for seeds in lists] == [16] * 3
    assert [int(seeds[0, 0]) for seeds in lists[:2]] == FIRST_WORDS
    assert all(int(seeds[:, 2].max()) < 2 for seeds in lists)
    assert len({tuple(row) for seeds in lists for row in seeds.tolist()}) == 48
    for number, seeds in enumerate(lists):
        assert SMALL.cohorts_of(number, seeds[::-1]).tolist() == list(range(15, -1, -1))
        with pytest.raises(ReportError, match=f"seeds: must be of the public .* group {number}"):
            SMALL.cohorts_of(number, seeds + np.uint64(1))
    other = PrefixCohorts(3.0, bits=12, first=5, step=4, cohorts=16, g=4, seed=1)
    assert not np.array_equal(other.functions[0], lists[0])
    with pytest.raises(ValueError, match="read-only"):
        lists[0][0, 0] = 1


FIRST_WORDS = [7487419768627062142, 6250283485520363776]


def declared_law(value: int) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, with the functions of the tiny protocol as the list."""
    declared = load_protocol("prefix_cohorts")
    assert declared.groups is not None
    domain = TINY.encode(range(4))
    lists = [(seed, TINY.lengths[i]) for i in range(2) for seed in TINY.functions[i]]
    lists += [(seed, 2) for seed in MIDDLES]
    h = 0
    for number, (seed, length) in enumerate(lists):
        for start in range(1 << length):
            shifted = domain[start << (2 - length)]
            h += int(hashes(seed[None], shifted, 1)[0]) << (4 * number + start)
    sizes = {"bits": 2, "first": 1, "step": 1, "levels": 2, "cohorts": 2, "functions": SEEN}
    at = {p: {**sizes, "buckets": 2, "h": h}.get(p.name, p) for p in declared.parameters}
    coins = int(declared.groups.coins.subs(at))
    of = sympy.lambdify(coin, declared.groups.of.subs(at), "math")
    drawn = Counter(int(of(number)) for number in range(coins))
    assert int(declared.groups.count.subs(at)) == len(drawn) == len(lists)
    p = Fraction(TINY._randomizer.p)
    (sent,) = declared.rounds[0].sends
    found = {}
    for number, times in drawn.items():
        own = int(sent.of.subs(at).subs({group: number, x: value}))
        for bucket in range(2):
            share = Fraction(times, coins)
            found[((number, bucket),)] = share * (p if bucket == own else 1 - p)
    return found


def told(reports: Any) -> Any:
    """A message: the declared group, that is a level with a function, and the bucket."""
    ((level,), (bucket,)) = reports.groups.tolist(), reports.buckets.tolist()
    if level < TINY.levels:
        return level * TINY.cohorts + int(TINY.cohorts_of(level, reports.seeds)[0]), bucket
    return 2 * TINY.cohorts + int(reports.seeds[0, 1] >> np.uint64(62)), bucket


LIE = TINY._randomizer.thresholds[0]
BOTH = Alphabet(((0, Fraction(1, 2)), (1, Fraction(1, 2))))
BUCKET = between_cuts([LIE, 2 * LIE])
EITHER = between_cuts(sorted({LIE, 2 * LIE, *(bits << 62 for bits in range(1, SEEN))}))
"""For a bucket, and for the middle word of a seed, which stand at one place in different groups."""


def words_of(coins: Mapping[int, Fraction]) -> Any:
    """The words that a device is given: a coin; a cohort and a bucket, or a seed and a bucket."""
    places = [Alphabet(tuple(coins.items())), BOTH, EITHER, BOTH, BUCKET]
    return lambda place: places[place]


@covers(SAMPLER, "PrefixCohorts")
def test_the_running_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated over all 64-bit words, of which 16 coins in 2^64 are drawn again."""
    p = Fraction(TINY._randomizer.p)
    laws = [declared_law(value) for value in range(4)]
    found = over_all_words(TINY, laws, told, p / (1 - p), 7)
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == p / (1 - p)
    assert math.log(found.largest) <= TINY.realized_epsilon <= TINY.epsilon


@pytest.mark.parametrize("name", COHORT_CLIENTS)
def test_planted_clients_are_refuted(name: str) -> None:
    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        for reports in COHORT_CLIENTS[name](TINY, value, source):
            yield told(reports)

    p = Fraction(TINY._randomizer.p)
    words = words_of({0: Fraction(1)})
    found = check_transcripts(client, range(4), [], p / (1 - p), words, 6)
    assert found.status is Status.REFUTED
    assert found.leak is not None


def test_groups_and_functions_do_not_depend_on_the_value(seed: int) -> None:
    """Null: a level has 17/60 of the users, and each of its 16 functions a sixteenth of them.

    Two values, 3 levels of 16 functions and the confirming group: 98 counts of n = 60,000, each at
    6 standard deviations by normal approximation: a false alarm has at most 98 * 2e-9 = 2e-7. A
    share of a function that is off by a quarter is missed with less than 1e-4.
    """
    n = 60_000
    for value in (0, 4095):
        reports = SMALL.privatize(np.full(n, value), rng=seed + value)
        for number in range(4):
            seeds = reports.seeds[reports.groups == number]
            if number == SMALL.levels:
                counts, share = np.array([len(seeds)]), 9 / 60
            else:
                counts, share = np.bincount(SMALL.cohorts_of(number, seeds)), 17 / 960
            assert np.all(np.abs(counts - n * share) <= 6 * (n * share * (1 - share)) ** 0.5)


def test_the_own_bucket_has_its_probability_in_every_group(seed: int) -> None:
    """Null: in each group a report supports its own prefix with probability p.

    Four counts of n = 40,000; normal approximation at 5.5 standard deviations: at most 1.6e-7 in
    all. A probability that is off by 0.02 is missed with less than 1e-4.
    """
    n = 40_000
    p = SMALL.gain + 1 / SMALL.buckets
    for number, length in enumerate(SMALL.lengths):
        source = word_source(seed + number, "words", *SMALL.identity.named)
        reports = SMALL._reports(SMALL.encode(np.full(n, 2741)), number, source)
        own = prefixes(SMALL.encode([2741]), length)[0]
        hit = hashes(reports.seeds, own, SMALL.hash_bits) == reports.buckets
        assert abs(np.count_nonzero(hit) - n * p) <= 5.5 * (n * p * (1 - p)) ** 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"bits": 1},
        {"bits": 129},
        {"first": 0},
        {"first": 25},
        {"step": 21},
        {"cohorts": 0},
        {"cohorts": (1 << 16) + 1},
        {"seed": -1},
        {"g": 3},
    ],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        PrefixCohorts(**{"epsilon": 1.0} | wrong)


def test_a_device_reports_once_and_in_one_group() -> None:
    client = SMALL.client(group=2, rng=1)
    with pytest.raises(DomainError, match="value: must be integers in 0"):
        client.report(4096)
    assert client.report(4095).groups.tolist() == [2]
    with pytest.raises(ParameterError, match="must be called once"):
        client.report(4095)


def test_a_plan_says_what_can_be_found() -> None:
    wide = PrefixCohorts(4.0, bits=48)
    need = wide.users_needed(0.1)
    assert wide.detectable_share(need) <= 0.1 < wide.detectable_share(need - 1)
    assert wide.detectable_share(10**6, keep=5000) > wide.detectable_share(10**6)
    with pytest.raises(ParameterError, match=r"n: must be users enough .*, got 10"):
        wide.simulate([1], [10])
