"""TreeHist: its clients send what is declared, and its server finds what many hold."""

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
from ldp_verified.protocols import PrefixExtending, TreeHist, TreeHistState
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.prove.transcripts import enumerate_transcripts
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import hashes, prefixes
from tests.broken.transcripts import TREE_CLIENTS
from tests.protocols.whole_messages import over_all_words
from tests.registry import SAMPLER, covers

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}
TINY = TreeHist(math.log(4), bits=2, rows=1, columns=2, seed=1)
SMALL = TreeHist(4.0, bits=12, rows=8, columns=256)
HELD = {0: 16_000, 1: 48_000, 2741: 96_000, 4095: 160_000}
SEEN = 4
"""Functions of those who confirm that differ on values of two bits."""


def test_it_runs_the_declaration_that_it_names_at_its_price() -> None:
    declared = load_protocol("tree_hist")
    assert declared.law_hash == TreeHist.law_sha256
    found = verify_protocol(declared, 3, **QUICK)
    assert found.status is Status.ONE_GROUP
    assert {name for name, _ in found.parts} == {"grr"}


@pytest.mark.parametrize("f, ratio", [(0, 1), (0b0110, 4)])
def test_a_transcript_costs_what_is_declared_whatever_the_functions_are(f: int, ratio: int) -> None:
    """Enumerated at two bits. Functions that send all to one sign tell nothing."""
    small = {"eps": sympy.log(4), "bits": 2, "repeats": 1, "columns": 2, "functions": 1}
    found = enumerate_transcripts(
        load_protocol("tree_hist"), {**small, "h": 0, "s": 0, "H": 0, "f": f}
    )
    assert found.status is Status.ENUMERATED
    assert found.transcripts == 10
    assert found.ratio == ratio
    assert found.allowed == 4


def declared_law(value: int) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, with the functions of the tiny protocol."""
    declared = load_protocol("tree_hist")
    assert declared.groups is not None
    h = s = 0
    for level, sketch in enumerate(TINY.sketches):
        sign, cell = (int(vector[0]) >> 62 for vector in sketch.vectors[0])
        for start in range(2 << level):
            shifted, place = start << (1 - level), 4 * level + start
            s += ((sign & shifted).bit_count() & 1) << place
            h += ((cell & shifted).bit_count() & 1) << place
    matrix = sum((place & cell) << (2 * place + cell) for place in range(2) for cell in range(2))
    f = sum(((m & v).bit_count() & 1) << (4 * m + v) for m in range(SEEN) for v in range(4))
    sizes = {"bits": 2, "repeats": 1, "columns": 2, "functions": SEEN}
    own = {**sizes, "h": h, "s": s, "H": matrix, "f": f}
    at = {p: own.get(p.name, p) for p in declared.parameters}
    of = sympy.lambdify(coin, declared.groups.of.subs(at), "math")
    coins = int(declared.groups.coins.subs(at))
    drawn = Counter(int(of(number)) for number in range(coins))
    assert int(declared.groups.count.subs(at)) == len(drawn) == 4 + SEEN
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
    """A message: the declared group, that is a level with a column, and the bit."""
    ((level,), (bucket,)) = reports.groups.tolist(), reports.buckets.tolist()
    if level < TINY.levels:
        return 2 * level + int(TINY.sketches[level].places_of(reports.seeds, "it")[0]), bucket
    return 4 + int(reports.seeds[0, 1] >> np.uint64(62)), bucket


LIE = TINY._randomizer.thresholds[0]
EITHER = between_cuts(sorted({LIE, 2 * LIE, *(bits << 62 for bits in range(1, SEEN))}))
"""For a bit, and for the middle word of a seed, which stand at one place in different groups."""


def words_of(coins: Mapping[int, Fraction]) -> Any:
    """The words that a device is given: a coin; a column and a bit, or a seed and a bit."""
    both = Alphabet(((0, Fraction(1, 2)), (1, Fraction(1, 2))))
    bit = between_cuts([LIE, 2 * LIE])
    return lambda place: [Alphabet(tuple(coins.items())), both, EITHER, both, bit][place]


@covers(SAMPLER, "TreeHist")
def test_the_running_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated over all 64-bit words, of which 16 coins in 2^64 are drawn again."""
    p = Fraction(TINY._randomizer.p)
    laws = [declared_law(value) for value in range(4)]
    found = over_all_words(TINY, laws, told, p / (1 - p), 7)
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == p / (1 - p)
    assert math.log(found.largest) <= TINY.realized_epsilon <= TINY.epsilon


@pytest.mark.parametrize("name", TREE_CLIENTS)
def test_planted_clients_are_refuted(name: str) -> None:
    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        for reports in TREE_CLIENTS[name](TINY, value, source):
            yield told(reports)

    p = Fraction(TINY._randomizer.p)
    found = check_transcripts(client, range(4), [], p / (1 - p), words_of({0: Fraction(1)}), 6)
    assert found.status is Status.REFUTED
    assert found.leak is not None


def test_the_own_sign_has_its_probability_in_every_group(seed: int) -> None:
    """Null: in each group a report has the sign of its own prefix with probability p.

    13 counts of n = 20,000; normal approximation at 6 standard deviations: at most 2.6e-8 in all.
    A probability that is off by 0.03 is missed with less than 1e-4.
    """
    n, p = 20_000, SMALL.gain + 1 / 2
    for number, length in enumerate(SMALL.lengths):
        source = word_source(seed + number, "words", *SMALL.identity.named)
        reports = SMALL._reports(SMALL.encode(np.full(n, 2741)), number, source)
        own = prefixes(SMALL.encode([2741]), length)[0]
        hit = hashes(reports.seeds, own, SMALL.hash_bits) == reports.buckets
        assert abs(np.count_nonzero(hit) - n * p) <= 6 * (n * p * (1 - p)) ** 0.5


def test_it_finds_values_that_nobody_listed(seed: int) -> None:
    """Null: the three values of shares 0.15 and more are found, counts within 6 standard errors.

    n = 320,000 at epsilon = 4. By `hoped_share` 0.14 is missed with 1e-7; it leaves out that
    256 cells of 8 rows are shared, which adds a standard deviation of 0.6/sqrt(2048) = 0.014 at
    most to a mean over rows. Six standard errors of a count: 2e-9 each, normal approximation.
    """
    assert SMALL.hoped_share(320_000, miss=1e-7) < 0.14
    state = TreeHistState(SMALL, simulated=True)
    state.update(SMALL.simulate(list(HELD), list(HELD.values()), rng=seed))
    found = state.heavy_hitters(top=8, false_alarm=1e-7)
    assert {1, 2741, 4095} <= {value for value, _, _ in found} <= set(HELD)
    for value, count, error in found:
        assert abs(count - HELD[int(value)]) <= 6 * error
    every = state.heavy_hitters(top=8, false_alarm=None)
    names = [value for value, _, _ in every]
    assert len(names) == 8
    assert {value for value, _, _ in found} <= set(names)


def test_shares_of_rows_are_those_of_a_plain_loop(seed: int) -> None:
    few = SMALL.privatize(np.repeat(list(HELD), 200), rng=seed)
    state = TreeHistState(SMALL, simulated=True).update(few)
    for level in (0, 5, 11):
        values = prefixes(SMALL.encode([0, 2741, 4095]), level + 1)
        m, shares = state.row_shares(level, values)
        sketch = SMALL.sketches[level]
        members = np.flatnonzero(few.groups == level)
        assert m == len(members)
        masks = [tuple(mask) for mask in sketch.masks().tolist()]
        sums = np.zeros((8, 3))
        users = np.zeros(8)
        for member in members:
            low, high, _ = few.seeds[member].tolist()
            row = masks.index((high, low)) // 256
            users[row] += 1
            sign = 1 - 2 * int(few.buckets[member])
            for place, value in enumerate(values.tolist()):
                odd = ((high & value[0]).bit_count() + (low & value[1]).bit_count()) & 1
                # All columns of the row at this value's cell add up to the sum over its reports.
                sums[row, place] += sign * (1 - 2 * odd)
        some = users > 0
        assert shares == pytest.approx(sums[some] / users[some, None] / (2 * SMALL.gain))


def test_rows_that_collide_do_not_turn_the_median(seed: int) -> None:
    """All reports of three of eight rows say the opposite: the ranking stays as it was.

    Null: as in the test of what is found, with 5 rows of 8 for it.
    """
    reports = SMALL.simulate([2741], [40_000], rng=seed)
    spoiled = reports.buckets.copy()
    for level, sketch in enumerate(SMALL.sketches):
        members = np.flatnonzero(reports.groups == level)
        rows = sketch.places_of(reports.seeds[members], "it") // SMALL.columns
        spoiled[members[rows < 3]] ^= 1
    state = TreeHistState(SMALL, True).update(replace(reports, buckets=spoiled))
    assert next(iter(state.heavy_hitters(top=1, keep=4, false_alarm=None)))[0] == 2741


def test_states_merge_are_kept_and_refuse_what_is_not_theirs() -> None:
    one, two = (SMALL.simulate([3, 200], [9000, 7000], rng) for rng in (1, 2))
    whole = TreeHistState(SMALL, True).update(one).update(two)
    merged = TreeHistState(SMALL, True).update(one).merge(TreeHistState(SMALL, True).update(two))
    assert whole.to_bytes() == merged.to_bytes()
    again = TreeHistState.from_bytes(whole.to_bytes(), SMALL)
    assert list(again.heavy_hitters()) == list(whole.heavy_hitters())
    swapped = np.where(one.groups == 0, np.uint8(1), one.groups)
    with pytest.raises(ReportError, match="seeds: must be of the public rows of group 1"):
        TreeHistState(SMALL, True).update(replace(one, groups=swapped))
    with pytest.raises(ReportError, match="foreign"):
        TreeHistState(replace(SMALL, seed=1), True).update(one)
    with pytest.raises(ReportError, match="state: must hold reports"):
        TreeHistState(SMALL).heavy_hitters()
    other: Any = PrefixExtending(1.0)
    with pytest.raises(ParameterError, match="protocol"):
        TreeHistState(other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"bits": 129},
        {"rows": 0},
        {"rows": 1 << 20},
        {"columns": 3},
        {"columns": 1},
        {"seed": -1},
    ],
)
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        TreeHist(**{"epsilon": 1.0} | wrong)


def test_too_few_users_are_refused_with_the_number_that_would_do() -> None:
    with pytest.raises(ParameterError, match="n: must be users enough"):
        SMALL.simulate([1], [10])
    wide = TreeHist(4.0, bits=12)
    need = wide.users_needed(0.1)
    assert wide.detectable_share(need) <= 0.1 < wide.detectable_share(need - 1)
    assert wide.hoped_share(need) < 0.1
