"""PrivateExpanderSketch: clients send what is declared, and the code gives back what lists hold."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from ldp_verified.check.conformance.transcripts import Alphabet, between_cuts, check_transcripts
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin, group, x
from ldp_verified.protocols import PrivateExpanderSketch, PrivateExpanderSketchState
from ldp_verified.prove import Status, verify_protocol
from ldp_verified.run.kernels.expander import clusters, cubic_expander, expands, holds_without
from tests.broken.transcripts import BITSTOGRAM_CLIENTS
from tests.protocols.whole_messages import over_all_words
from tests.registry import SAMPLER, covers

QUICK: dict[str, Any] = {"smt": False, "coq": False, "derived": False, "draw_points": False}


class OneCell(PrivateExpanderSketch):
    """Small enough for every word that its client reads."""

    fewest_cells = 1


TINY = OneCell(math.log(4), 2, parts=2, cells=1, corrects=0, rows=1, columns=2)
SMALL = PrivateExpanderSketch(4.0, 16, parts=4, cells=8, rows=8, columns=1024, seed=1)
CODED = PrivateExpanderSketch(4.0, 32, parts=4, cells=8)
HELD = {3: 96_000, 40_001: 72_000, 65_535: 52_000}
SEEN = 1 << 5
"""Functions of the tiny protocol's entries: a part and a symbol of four bits."""


def test_it_runs_the_declaration_that_it_names_at_its_price() -> None:
    declared = load_protocol("private_expander_sketch")
    assert declared.law_hash == PrivateExpanderSketch.law_sha256
    found = verify_protocol(declared, 3, **QUICK)
    assert found.status is Status.ONE_GROUP


def digits(numbers: list[int], base: int) -> int:
    """The number of which these are the digits, the lowest first."""
    return sum(number * base**place for place, number in enumerate(numbers))


def declared_law(value: int) -> Mapping[Any, Fraction]:
    """The law of a transcript as declared, with the functions of the tiny protocol."""
    declared = load_protocol("private_expander_sketch")
    assert declared.groups is not None
    domain, places = TINY.encode(range(4)), range(TINY.levels)
    entries = [TINY.entries_at(domain, place).tolist() for place in places]
    symbols = [TINY.symbols_at(domain, place).tolist() for place in places]
    assert [[entry & 15 for entry in each] for each in entries] == symbols
    sign, cell = (int(vector[0]) >> 62 for vector in TINY.hashtogram.vectors[0])
    sizes = {"bits": 2, "M": TINY.levels, "B": 2, "Y": 1, "S": 16, "functions": SEEN}
    own = sizes | {"repeats": 1, "columns": 2, "h": 0}
    own |= {
        "partner": digits(TINY.partners.reshape(-1).tolist(), TINY.levels),
        "g": digits([entry >> 4 for entry in entries[0]], 2),
        "e": digits([symbol for each in symbols for symbol in each], 16),
        "z": digits([(m & e).bit_count() & 1 for m in range(SEEN) for e in range(SEEN)], 2),
        "s": digits([(sign & v).bit_count() & 1 for v in range(4)], 2),
        "r": digits([(cell & v).bit_count() & 1 for v in range(4)], 2),
        "H": digits([row & column for row in range(2) for column in range(2)], 2),
    }
    at = {p: own.get(p.name, p) for p in declared.parameters}
    of = sympy.lambdify(coin, declared.groups.of.subs(at), "math")
    coins = int(declared.groups.coins.subs(at))
    drawn = Counter(int(of(number)) for number in range(coins))
    p = Fraction(TINY._randomizer.p)
    (sent,) = declared.rounds[0].sends
    held = sent.of.subs(at).subs({x: value})
    found = {}
    for number, times in drawn.items():
        bit = int(held.subs({group: number}))
        for bucket in range(2):
            share = Fraction(times, coins)
            found[((number, bucket),)] = share * (p if bucket == bit else 1 - p)
    return found


def told(reports: Any) -> Any:
    """A message: the declared group, that is a place with a function, and the bit."""
    ((place,), (bucket,)) = reports.groups.tolist(), reports.buckets.tolist()
    if place < TINY.levels:
        return SEEN * place + int(reports.seeds[0, 1] >> np.uint64(59)), bucket
    return TINY.levels * SEEN + int(TINY.hashtogram.places_of(reports.seeds, "it")[0]), bucket


LIE = TINY._randomizer.thresholds[0]
EITHER = between_cuts(sorted({LIE, 2 * LIE, *(bits << 59 for bits in range(1, SEEN))}))
"""For a bit, and for the middle word of a seed, which stand at one place in different groups."""


def words_of(coins: Mapping[int, Fraction]) -> Any:
    """The words that a device is given: a coin; a seed and a bit, or a column and a bit."""
    both = Alphabet(((0, Fraction(1, 2)), (1, Fraction(1, 2))))
    bit = between_cuts([LIE, 2 * LIE])
    return lambda place: [Alphabet(tuple(coins.items())), both, EITHER, both, bit][place]


@covers(SAMPLER, "PrivateExpanderSketch")
def test_the_running_client_has_exactly_the_law_that_is_declared() -> None:
    """Enumerated over all 64-bit words, of which 16 coins in 2^64 are drawn again."""
    p = Fraction(TINY._randomizer.p)
    laws = [declared_law(value) for value in range(4)]
    found = over_all_words(TINY, laws, told, p / (1 - p), 7, 5)
    assert found.status is Status.ENUMERATED, str(found)
    assert found.largest == p / (1 - p)
    assert math.log(found.largest) <= TINY.realized_epsilon <= TINY.epsilon


@pytest.mark.parametrize("name", BITSTOGRAM_CLIENTS)
def test_planted_clients_are_refuted(name: str) -> None:
    def client(value: int, source: Any) -> Generator[Any, Any, None]:
        for reports in BITSTOGRAM_CLIENTS[name](TINY, value, source):
            yield told(reports)

    p = Fraction(TINY._randomizer.p)
    one = Alphabet(((0, Fraction(1)),))
    # Four functions, of the part and of the symbol's first bit, are enough to be seen.
    seed = Alphabet(tuple((bits << 62, Fraction(1, 4)) for bits in range(4)))
    bit = between_cuts([LIE, 2 * LIE])
    words = [one, *[one, seed, one, bit] * 2]
    counts = words_of({17 * TINY.levels: Fraction(1)})
    words_at = counts if "counts" in name else lambda place: words[place]
    found = check_transcripts(client, range(4), [], p / (1 - p), words_at, 9)
    assert found.status is Status.REFUTED
    assert found.leak is not None


def test_it_finds_values_that_nobody_listed(seed: int) -> None:
    """Null: values of shares 0.4, 0.3 and 0.217 are found, each count within 6 standard errors.

    n = 240,000 at epsilon = 4. By the bound a share of 0.16 is missed with 1e-9 at most where its
    cells hold no other value. Those here hold no other frequent one at more places than are mended
    (looked at below), and rare ones with a share of 0.083, of which a cell has few. Six standard
    errors: 2e-9 each, normal approximation; the errors hold the most that collisions add.
    """
    encoded = SMALL.encode(list(HELD))
    parts = [int(part) for part in SMALL.entries_at(encoded, 0) >> np.uint64(SMALL.entry_bits - 2)]
    assert len(set(parts)) == 3
    assert SMALL.detectable_share(240_000, miss=1e-9) < 0.16
    rare = [100 * number + 7 for number in range(200)]
    values, counts = [*HELD, *rare], [*HELD.values(), *[100] * 200]
    state = PrivateExpanderSketchState(SMALL, simulated=True)
    found = state.update(SMALL.simulate(values, counts, rng=seed)).heavy_hitters(8)
    assert {value for value, _, _ in found} == set(HELD)
    for value, count, error in found:
        assert abs(count - HELD[int(value)]) <= 6 * error


def test_at_the_smallest_n_that_it_asks_for_a_tenth_of_the_users_is_found(seed: int) -> None:
    """Null: 48 bits at epsilon = 4 are found by 988,420 users, as promised but for 1e-3.

    Half of that share is found every second time (`benchmarks/ERROR_GROWTH.md`), and its logarithm
    has a standard deviation of a tenth: so a miss is seven of these away, 1e-11 if it is normal.
    """
    mine = PrivateExpanderSketch(4.0, 48)
    n = mine.users_needed(0.1)
    assert n == 988_420
    rare = [(7919 * number) << 20 | 5 for number in range(1, 1001)]
    each, rest = divmod(n - 98_842, len(rare))
    counts = [98_842, each + rest, *[each] * (len(rare) - 1)]
    reports = mine.simulate([12_345_678_901_234, *rare], counts, rng=seed)
    found = PrivateExpanderSketchState(mine, simulated=True).update(reports).heavy_hitters(4)
    assert [value for value, *_ in found] == [12_345_678_901_234]


def lists_of(protocol: PrivateExpanderSketch, values: Any, rng: np.random.Generator) -> Any:
    """Lists with the entries of some values, and uniform ones where nobody holds a cell."""
    size = protocol.levels, protocol.parts * protocol.cells
    found = rng.integers(0, 1 << protocol.rest_bits, size)
    for place in range(protocol.levels):
        entries = protocol.entries_at(protocol.encode(values), place).astype(np.int64)
        cells, rests = np.divmod(entries, 1 << protocol.rest_bits)
        found[place, cells] = rests
    return found


@pytest.mark.parametrize("wrong", range(CODED.mended + 1))
def test_the_code_gives_back_what_the_lists_hold(wrong: int, rng: np.random.Generator) -> None:
    """Random values in the lists, as far as no two share a cell: they are decoded, and no others.

    A wrong entry may name a neighbour that names it back, by chance. Null: at most 0.2 % of such
    triples lose a value (7 of 10,000 did where all that is mended was wrong, none of 3,000 with
    one less). Of 40 triples 5 lose one with 2e-8 (binomial). Before graphs were looked at place by
    place, 1.7 % did.
    """
    state = PrivateExpanderSketchState(CODED)
    losing, triples = 0, 0
    while triples < 40:
        values = [int(value) for value in rng.integers(0, 1 << 32, 3)]
        encoded = CODED.encode(values)
        parts = CODED.entries_at(encoded, 0) >> np.uint64(CODED.entry_bits - 2)
        if len(np.unique(parts)) < 3:
            continue
        triples += 1
        lists = lists_of(CODED, values, rng)
        for place in rng.choice(CODED.levels, wrong, replace=False):
            lists[place] = rng.integers(0, 1 << CODED.rest_bits, lists.shape[1])
        found = {CODED.decode(value) for value in state.decoded(lists)}
        assert found <= set(values)
        losing += found != set(values)
    assert losing < 5


@dataclass(frozen=True)
class InPairs(PrivateExpanderSketch):
    """The graph is no expander: all three partners are the same place, or nearly."""

    @property
    def partners(self) -> Any:
        places = np.arange(self.levels)
        return np.stack([places ^ 1] * 3)


@dataclass(frozen=True)
class OneSymbol(PrivateExpanderSketch):
    """The code says at each place what it says at the first."""

    def symbols_at(self, encoded: Any, place: int) -> Any:
        return super().symbols_at(encoded, 0 * place)


@pytest.mark.parametrize("made", [InPairs, OneSymbol])
def test_a_corrupt_code_gives_nothing_back(made: Any, rng: np.random.Generator) -> None:
    protocol = made(4.0, 32, parts=4, cells=8)
    values = [int(value) for value in rng.integers(1 << 28, 1 << 32, 1)]
    lists = lists_of(protocol, values, rng)
    assert len(PrivateExpanderSketchState(protocol).decoded(lists)) == 0
    sound = lists_of(CODED, values, rng)
    assert len(PrivateExpanderSketchState(CODED).decoded(sound)) == 1


def test_graphs_are_made_of_public_text_and_expand() -> None:
    for places in (4, 6, 12, 36, 64, 254):
        one, again = (cubic_expander(places, b"7") for _ in range(2))
        assert np.array_equal(one, again)
        assert expands(one)
    assert not np.array_equal(cubic_expander(36, b"7"), cubic_expander(36, b"8"))


def test_graphs_without_a_gap_or_of_no_matchings_are_refused() -> None:
    places = np.arange(32)
    squares = places // 4 * 4
    apart = np.stack([squares + (places ^ mask) % 4 for mask in (1, 2, 3)])
    around = np.arange(128)
    next_one = (around + np.where(around % 2, 1, -1)) % 128
    ring = np.stack([around ^ 1, next_one, (around + 64) % 128])
    for wrong in (apart, ring, np.stack([places ^ 1] * 3), np.stack([places] * 3)):
        assert not expands(wrong)
    moved = cubic_expander(32, b"7").copy()
    moved[0] = (places + 1) % 32
    assert not expands(moved)


def test_the_graph_of_a_protocol_holds_together_without_the_places_that_are_mended() -> None:
    for bits in (8, 16, 24, 32, 48):
        mine = PrivateExpanderSketch(4.0, bits, parts=4, cells=8)
        assert holds_without(mine.partners, mine.mended)


def test_a_graph_of_which_two_places_cut_off_six_is_refused() -> None:
    """The third one of 24 places that expands: its gap is 0.1 and more, but 6 hang by two edges."""
    places = np.arange(24)
    inner = np.array([[1, 0, 3, 2, 5, 4], [3, 4, -1, 0, 1, -1], [2, 5, 0, 4, 3, 1]])
    rest = cubic_expander(18, b"7").copy() + 6
    partners = np.concatenate([inner, rest], axis=1)
    one, other = 6, int(partners[1, 6])
    # Places 2 and 5 of the six have no partner in the second matching: an edge of the rest is cut.
    partners[1, [2, one]], partners[1, [5, other]] = [one, 2], [other, 5]
    assert np.array_equal(partners[1, partners[1]], places)
    assert expands(partners)
    assert not holds_without(partners, 2)
    assert holds_without(cubic_expander(24, b"7", 2), 2)


def test_places_with_two_entries_are_wrong_if_most_have_one() -> None:
    """A wrong place that names two neighbours back is left out, and cuts nothing in two."""
    partners = cubic_expander(24, b"7", 2)
    edges = np.concatenate([np.stack([np.arange(24), own], axis=1) for own in partners])
    edges = edges[edges[:, 0] < edges[:, 1]]
    more = [[24, int(partners[0, 5])], [24, int(partners[1, 5])]]
    home = np.append(np.arange(24), 5)
    (found,) = clusters(np.arange(25), np.concatenate([edges, more]), home, 12)
    assert sorted(found.tolist()) == [place for place in range(24) if place != 5]


def test_two_clusters_with_a_bridge_are_taken_apart() -> None:
    """Two expanders of 36 places joined by two edges, as a place where two values share a cell."""
    partners = cubic_expander(36, b"7")
    one = np.concatenate([np.stack([np.arange(36), partner], axis=1) for partner in partners])
    one = one[one[:, 0] < one[:, 1]]
    edges = np.concatenate([one, one + 36, [[3, 39 + 5], [11, 36 + 20]]])
    found = list(clusters(np.arange(72), edges, np.tile(np.arange(36), 2), 18))
    assert sorted(tuple(each.tolist()) for each in found) == [
        tuple(range(36)),
        tuple(range(36, 72)),
    ]


@pytest.mark.parametrize(
    "given, said",
    [
        ({"parts": 3}, "parts: must be a power of 2"),
        ({"cells": 64}, "cells: must have a power of 4 up to 2\\^20"),
        ({"parts": 32}, "parts: must be at most 2\\^20 with the cells to the fourth"),
        ({"corrects": 19}, "corrects"),
        ({"bits": 128, "corrects": 18, "rows": 0}, "rows"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_parameters_are_named(given: dict[str, int], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        PrivateExpanderSketch(1.0, **{"bits": 16, **given})


def test_a_state_without_anything_that_stands_out_says_how_many_users_would_do() -> None:
    state = PrivateExpanderSketchState(SMALL, simulated=True)
    with pytest.raises(ReportError, match="must hold reports"):
        state.heavy_hitters()
    state.update(SMALL.simulate(list(range(0, 60_000, 3)), [2] * 20_000, rng=1))
    with pytest.raises(ReportError, match="no value that stands out"):
        state.heavy_hitters()
