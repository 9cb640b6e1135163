"""Bitstogram: its clients send what is declared, and Hashtogram counts what its server finds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.transcripts import Alphabet, between_cuts, check_transcripts
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, group, x
from ldp_verified.protocols import BitGroups, Bitstogram, BitstogramState
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.prove.transcripts import enumerate_transcripts
from tests.broken.transcripts import BITSTOGRAM_CLIENTS
from tests.protocols.whole_messages import over_all_words
from tests.registry import SAMPLER, covers

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
TINY = Bitstogram(math.log(4), bits=2, cells=2, corrects=0, rows=1, columns=2, seed=7)
SMALL = Bitstogram(4.0, bits=16, cells=256, rows=8, columns=1024)
HELD = {3: 72_000, 40_001: 54_000, 65_535: 39_000}
SEEN = 4
"""Functions of pairs of a cell and a bit."""


def test_it_runs_the_declaration_that_it_names_at_its_price() -> None:
    declared = load_protocol("bitstogram")
    assert declared.law_hash == Bitstogram.law_sha256
    found = verify_protocol(declared, 3, **QUICK)
    assert found.status is Status.ONE_GROUP
    assert {name for name, _ in found.parts} == {"grr"}


NUMBERS = dict.fromkeys(("h", "code", "z", "r", "s", "H"), 0)


@pytest.mark.parametrize("given, ratio", [({}, 1), ({"s": 0b0110}, 4), ({"code": 2, "z": 2}, 4)])
def test_a_transcript_costs_what_is_declared_whatever_the_functions_are(
    given: dict[str, int], ratio: int
) -> None:
    """Enumerated at two bits. Functions that send all to one sign tell nothing."""
    sizes = {"bits": 2, "length": 1, "T": 2, "functions": 1, "repeats": 1, "columns": 2}
    at = {"eps": sympy.log(4), **sizes, **NUMBERS, **given}
    found = enumerate_transcripts(load_protocol("bitstogram"), at)
    assert found.status is Status.ENUMERATED
    assert found.transcripts == 6
    assert found.ratio == ratio
    assert found.allowed == 4


def declared_law(value: int) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, with the functions of the tiny protocol."""
    declared = load_protocol("bitstogram")
    assert declared.groups is not None
    domain = TINY.encode(range(4))
    h = sum(cell << v for v, cell in enumerate(TINY.cells_of(domain).tolist()))
    code = sum((v >> (1 - place) & 1) << (4 * place + v) for place in range(2) for v in range(4))
    z = sum(((m & v).bit_count() & 1) << (4 * m + v) for m in range(SEEN) for v in range(4))
    sign, cell = (int(vector[0]) >> 62 for vector in TINY.hashtogram.vectors[0])
    s = sum(((sign & v).bit_count() & 1) << v for v in range(4))
    r = sum(((cell & v).bit_count() & 1) << v for v in range(4))
    matrix = sum((place & cell) << (2 * place + cell) for place in range(2) for cell in range(2))
    sizes = {"bits": 2, "length": 2, "T": 2, "functions": SEEN, "repeats": 1, "columns": 2}
    own = {**sizes, "h": h, "code": code, "z": z, "r": r, "s": s, "H": matrix}
    at = {p: own.get(p.name, p) for p in declared.parameters}
    of = sympy.lambdify(coin, declared.groups.of.subs(at), "math")
    coins = int(declared.groups.coins.subs(at))
    drawn = Counter(int(of(number)) for number in range(coins))
    assert int(declared.groups.count.subs(at)) == len(drawn) == 2 * SEEN + 2
    p = Fraction(TINY._randomizer.p)
    (sent,) = declared.rounds[0].sends
    found = {}
    for number, times in drawn.items():
        bit = int(sent.of.subs(at).subs({group: number, x: value}))
        for bucket in range(2):
            share = Fraction(times, coins)
            found[((number, bucket),)] = share * (p if bucket == bit else 1 - p)
    return found


def told(reports: Any) -> Any:
    """A message: the declared group, that is a place with a function, and the bit."""
    ((place,), (bucket,)) = reports.groups.tolist(), reports.buckets.tolist()
    if place < TINY.levels:
        return SEEN * place + int(reports.seeds[0, 1] >> np.uint64(62)), bucket
    return 2 * SEEN + int(TINY.hashtogram.places_of(reports.seeds, "it")[0]), bucket


LIE = TINY._randomizer.thresholds[0]
EITHER = between_cuts(sorted({LIE, 2 * LIE, *(bits << 62 for bits in range(1, SEEN))}))
"""For a bit, and for the middle word of a seed, which stand at one place in different groups."""


def words_of(coins: Mapping[int, Fraction]) -> Any:
    """The words that a device is given: a coin; a seed and a bit, or a column and a bit."""
    both = Alphabet(((0, Fraction(1, 2)), (1, Fraction(1, 2))))
    bit = between_cuts([LIE, 2 * LIE])
    return lambda place: [Alphabet(tuple(coins.items())), both, EITHER, both, bit][place]


@covers(SAMPLER, "Bitstogram")
def test_the_running_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated over all 64-bit words, of which 16 coins in 2^64 are drawn again."""
    p = Fraction(TINY._randomizer.p)
    laws = [declared_law(value) for value in range(4)]
    found = over_all_words(TINY, laws, told, p / (1 - p), 7)
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == p / (1 - p)
    assert math.log(found.largest) <= TINY.realized_epsilon <= TINY.epsilon


@pytest.mark.parametrize("name", BITSTOGRAM_CLIENTS)
def test_planted_clients_are_refuted(name: str) -> None:
    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        for reports in BITSTOGRAM_CLIENTS[name](TINY, value, source):
            yield told(reports)

    p = Fraction(TINY._randomizer.p)
    # Of a place of the code words for one report, and for another; else of the group that counts.
    one = Alphabet(((0, Fraction(1)),))
    seed = Alphabet(tuple((bits << 62, Fraction(1, 4)) for bits in range(SEEN)))
    bit = between_cuts([LIE, 2 * LIE])
    words = [one, *[one, seed, one, bit] * 2]
    counts = words_of({34: Fraction(1)})
    words_at = counts if "counts" in name else lambda place: words[place]
    found = check_transcripts(client, range(4), [], p / (1 - p), words_at, 9)
    assert found.status is Status.REFUTED
    assert found.leak is not None


def found_by(protocol: Bitstogram, seed: int) -> BitstogramState:
    """What is seen of the three values and of 200 rare ones, n = 180,000."""
    rare = [100 * number + 7 for number in range(200)]
    values, counts = [*HELD, *rare], [*HELD.values(), *[75] * 200]
    state = BitstogramState(protocol, simulated=True)
    return state.update(protocol.simulate(values, counts, rng=seed))


def test_it_finds_values_that_nobody_listed(seed: int) -> None:
    """Null: values of shares 0.4, 0.3 and 0.21 are found, each count within 6 standard errors.

    n = 180,000 at epsilon = 4. A share of 0.21 is missed with 1e-9 at most; the three
    are in different cells of 256 (looked at below), and the rest are too few to turn a bit. Six
    standard errors: 2e-9 each, normal approximation; the errors hold the most that collisions add.
    """
    assert len(set(SMALL.cells_of(SMALL.encode(list(HELD))).tolist())) == 3
    assert SMALL.detectable_share(180_000, miss=1e-9) < 0.21
    found = found_by(SMALL, seed).heavy_hitters(top=8, false_alarm=1e-7)
    assert {value for value, _, _ in found} == set(HELD)
    for value, count, error in found:
        assert abs(count - HELD[int(value)]) <= 6 * error


def test_the_code_mends_what_a_plain_word_gets_wrong(seed: int) -> None:
    """All reports of two of 32 places are turned round: the values are found all the same.

    Null: as above for 30 places. Without a code, nothing is found then: a value whose word is wrong
    anywhere is another value, which stands out in no cell of its own.
    """
    for corrects, found in ((2, set(HELD)), (0, set())):
        protocol = replace(SMALL, corrects=corrects)
        state = found_by(protocol, seed)
        groups, seeds, buckets = state.columns
        turned = np.where(groups <= 1, buckets ^ np.uint8(1), buckets)
        sent = protocol.privatize([1], rng=1)
        spoiled = replace(sent, groups=groups, seeds=seeds, buckets=turned)
        other = BitstogramState(protocol, True).update(spoiled)
        if found:
            assert {value for value, _, _ in other.heavy_hitters(false_alarm=1e-7)} == found
        else:
            with pytest.raises(ReportError, match="holds no value that stands out"):
                other.heavy_hitters(false_alarm=1e-7)


@pytest.mark.parametrize("value, held", [(40_001, 9000), (40_000, 0), (0, 3000)])
def test_the_count_of_a_value_fixed_beforehand_is_unbiased(
    value: int, held: int, seed: int
) -> None:
    """Null: the mean of 60 estimates, each with functions and users of its own, is the true count.

    n = 20,000 users; normal approximation. The mean is looked at with 6 standard deviations, 2e-9,
    at stated standard errors, which are no smaller than the true ones but for their noise: three
    values below 1e-7. A bias of one standard error of an estimate is missed with 4 percent.
    """
    errors, sizes = [], []
    for run in range(60):
        protocol = replace(SMALL, rows=4, columns=64, seed=run)
        reports = protocol.simulate([40_001, 0, 77], [9000, 3000, 8000], rng=seed + run)
        state = BitstogramState(protocol, True).update(reports)
        found = state.estimate([value])
        errors.append(float(found.counts[0]) - held)
        sizes.append(float(found.std_error[0]))
        if run == 0:
            assert abs(float(state.medians([value])[0]) - held) < 20_000 / 3
    assert abs(np.mean(errors)) <= 6 * np.mean(sizes) / 60**0.5


def test_counts_are_those_of_a_plain_loop(seed: int) -> None:
    reports = SMALL.privatize([3] * 3000 + [9] * 1000, rng=seed)
    state = BitstogramState(SMALL, simulated=True).update(reports)
    counts = reports.groups == SMALL.levels
    seeds, buckets = reports.seeds[counts], reports.buckets[counts]
    m = len(buckets)
    for value, count, _ in state.estimate([3, 9, 12]):
        encoded = SMALL.encode([value])[0].tolist()
        agree = 0
        for (low, high, _), bucket in zip(seeds.tolist(), buckets.tolist(), strict=True):
            odd = (high & encoded[0]).bit_count() + (low & encoded[1]).bit_count() & 1
            agree += odd == bucket
        assert count == pytest.approx(4000 / m * (agree - m / 2) / SMALL.gain)


def test_states_merge_are_kept_and_refuse_what_is_not_theirs() -> None:
    one, two = (SMALL.simulate([3, 200], [30_000, 20_000], rng) for rng in (1, 2))
    whole = BitstogramState(SMALL, True).update(one).update(two)
    merged = BitstogramState(SMALL, True).update(one)
    merged = merged.merge(BitstogramState(SMALL, True).update(two))
    assert whole.to_bytes() == merged.to_bytes()
    again = BitstogramState.from_bytes(whole.to_bytes(), SMALL)
    assert list(again.heavy_hitters()) == list(whole.heavy_hitters())
    swapped = np.where(one.groups == 0, np.uint8(SMALL.levels), one.groups)
    with pytest.raises(ReportError, match="seeds: must be of the public rows of group 32"):
        BitstogramState(SMALL, True).update(replace(one, groups=swapped))
    with pytest.raises(ReportError, match="foreign"):
        BitstogramState(replace(SMALL, corrects=1), True).update(one)
    with pytest.raises(ReportError, match="state: must hold reports"):
        BitstogramState(SMALL).heavy_hitters()
    other: Any = BitGroups(1.0)
    with pytest.raises(ParameterError, match="protocol"):
        BitstogramState(other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"bits": 129},
        {"cells": 3},
        {"corrects": 19},
        {"corrects": -1},
        {"rows": 0},
        {"columns": 3},
        {"seed": -1},
    ],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Bitstogram(**{"epsilon": 1.0} | wrong)


def test_plans_and_codes() -> None:
    for bits, corrects, length in ((None, 18, 252), (48, 6, 96), (16, 2, 32), (2, 1, 10)):
        made = Bitstogram(4.0, bits=bits)
        assert (made.corrects, made.levels) == (corrects, length)
        need = made.users_needed(0.1)
        assert made.detectable_share(need) <= 0.1 < made.detectable_share(need - 1)
    words = Bitstogram(4.0), Bitstogram(4.0, corrects=0)
    assert words[0].detectable_share(10**6) < words[1].detectable_share(10**6)
    assert words[0].detectable_share(1) == math.inf
    with pytest.raises(ParameterError, match="n: must be users enough"):
        SMALL.simulate([1], [10])
