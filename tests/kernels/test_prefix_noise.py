"""Noise by prefix tables: its ends, every comparison with them, and its exact law."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SHE
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.noise import digit_constants
from ldp_verified.run.kernels.prefix_noise import (
    COARSE,
    MOST_BLOCK,
    block_of,
    fields_of,
    prefix_noise_fill,
    prefix_noise_sampler,
)
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import SAMPLER, covers

Fields = tuple[int, int]


def limits_of(a: Fraction, block: int, coarse: int) -> tuple[list[Fraction], list[Fraction]]:
    """Below which a word is kept, for r and side; and the ends of the blocks: the module's page."""
    kept = [a ** (r + side) for r in range(block) for side in (0, 1)]
    return kept, [1 - a ** (block * c) for c in range(1, coarse + 1)]


class Reader:
    """Words of a tape, as fields and as digits."""

    def __init__(self, tape: list[int], width: int) -> None:
        self.words: Iterator[int] = iter(tape)
        self.width, self.read = width, 0

    def word(self) -> int:
        self.read += 1
        return next(self.words)

    def interval(self, ends: list[Fraction], field: int, bits: int) -> int:
        """How many ends are at most U, of which `field` has the first bits."""
        value, size = Fraction(field, 1 << bits), Fraction(1, 1 << bits)
        while any(value < end < value + size for end in ends):
            size /= 1 << self.width
            value += self.word() * size
        return sum(end <= value for end in ends)


def reference(
    tape: list[int],
    x: int,
    m: int,
    reach: int,
    a: Fraction,
    block: int,
    coarse: int,
    fields: Fields,
) -> tuple[int, int]:
    """(report, words read), by comparing fractions."""
    limits, ends = limits_of(a, block, coarse)
    first, second = fields
    places = block.bit_length()
    reader, most = Reader(tape, places + first + second), m + 2 * reach
    while True:
        word = reader.word()
        place = word % (2 * block)
        field = (word >> places) % (1 << first)
        if reader.interval([limits[place]], field, first):
            continue
        blocks, size = reader.interval(ends, word >> (places + first), second), 0
        while blocks == coarse and size <= most:
            size += coarse * block
            blocks = reader.interval(ends, reader.word() >> (places + first), second)
        break
    size += blocks * block + place // 2
    at = x + reach + (1 + size if place % 2 else -size)
    report = most if at >= most else at - 1 if at > 0 else most - 1
    return report, reader.read


SMALL = [
    (1, 0, 1, 1, (1, 1), 2, 1),
    (2, 1, 1, 1, (2, 1), 2, 2),
    (3, 2, 3, 2, (1, 2), 2, 2),
    (3, 1, 3, 2, (2, 2), 4, 3),
    (2, 3, 7, 3, (3, 2), 1, 2),
    (1, 9, 5, 3, (1, 1), 2, 3),
    (2, 30, 5, 3, (2, 3), 2, 3),
    (2, 99, 7, 3, (2, 5), 4, 9),
]


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("case", SMALL)
def test_every_comparison_is_that_of_fractions(
    case: Any, machine_code: bool, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With narrow words nearly every field is undecided: 3,000 reports of each, word by word."""
    monkeypatch.setattr(draw, "PURE_WORDS", 0 if machine_code else 1 << 60)
    m, reach, share, base, fields, block, coarse = case
    sampler = prefix_noise_sampler(m, reach, share, base, fields, block, coarse)
    a, n = Fraction(share, 1 << base), 3000
    tape = rng.integers(0, 1 << sampler.word_bits, size=60 * n)
    values = rng.integers(0, m + 1, n)
    out = np.zeros(n, dtype=np.int64)
    given = values.astype(np.uint64) if machine_code else values
    done, used = sampler._in_bulk(given.astype(np.int64), out, tape.astype(np.uint64))
    assert done == n
    at = 0
    for x, found in zip(values.tolist(), out.tolist(), strict=True):
        report, read = reference(
            tape[at : at + 400].tolist(), x, m, reach, a, block, coarse, fields
        )
        assert report == found
        at += read
    assert at == used


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_ends_at_full_width_are_compared_to_their_last_digit(
    epsilon: float, rng: np.random.Generator
) -> None:
    """A word that ties with an end, its digits, and the last digit one less."""
    number = SHE(epsilon, 4).number
    m, reach, share = number.thresholds
    sampler = prefix_noise_sampler(m, reach, share)
    a, block = Fraction(share, 1 << 63), block_of(share, 63)
    fields = fields_of(block)
    places = block.bit_length()
    kept, blocks = limits_of(a, block, COARSE)
    tied = [(place, kept[place], fields[0], places) for place in rng.integers(0, len(kept), 3)]
    tied += [(0, end, fields[1], places + fields[0]) for end in blocks[:2]]
    for place, end, bits, shift in tied:
        top = math.floor(end * (1 << bits))
        rest, digits = end * (1 << bits) - top, []
        while rest:
            rest *= 1 << 64
            digits.append(math.floor(rest))
            rest -= digits[-1]
        if not digits:
            continue
        word = int(place) | top << shift
        for tail in (digits, [*digits[:-1], digits[-1] - 1]):
            tape = [word, *tail, *rng.integers(0, 1 << 26, 40).tolist()]
            expected = reference(tape, 0, m, reach, a, block, COARSE, fields)
            out = [0]
            done, used = sampler.fill([0], out, tape[: expected[1]], sampler.cuts, ())
            assert (done, out[0], used) == (1, *expected)


def test_limits_that_are_cut_short_are_seen() -> None:
    """The planted twin: no more than the first 64 bits after the field of a limit are kept."""
    m, reach, share = SHE(1.0, 4).number.thresholds
    sampler = prefix_noise_sampler(m, reach, share)
    a, block = Fraction(share, 1 << 63), block_of(share, 63)
    fields, place = fields_of(block), 65
    cuts, spans = list(sampler.cuts), sampler.cuts[2]
    ends = pairwise(cuts[spans:][: 2 * block + COARSE + 1])
    digits = [cuts[at : min(at + 1, end)] for at, end in ends]
    cuts = [*cuts[:spans], *digit_constants(digits, spans)]
    limit, kept = limits_of(a, block, COARSE)[0][place], fields[0]
    top = math.floor(limit * (1 << kept))
    digit = math.floor(limit * (1 << (kept + 64))) % (1 << 64)
    tape = [place | top << block.bit_length(), digit, 0, *[1] * 9]  # below, by its second digit
    expected = reference(tape, 0, m, reach, a, block, COARSE, fields)
    right, wrong = [0], [0]
    sampler.fill([0], right, tape, sampler.cuts, ())
    sampler.fill([0], wrong, tape, cuts, ())
    assert right == [expected[0]]
    assert wrong != right


def test_a_guide_that_forgets_a_limit_is_seen() -> None:
    """The planted twin: cells with several limits are read as if they had the first one alone."""
    m, reach, share = SHE(1.0, 4).number.thresholds
    sampler = prefix_noise_sampler(m, reach, share)
    a, block = Fraction(share, 1 << 63), block_of(share, 63)
    fields, cuts = fields_of(block), list(sampler.cuts)
    first, stop = sampler.cuts[1:3]
    marked = [cell for cell in range(stop - first) if cuts[first + cell] >> 63]
    for cell in marked:
        cuts[first + cell] -= 1 << 63
    differ = 0
    for cell in marked[:-1]:  # in the last one the number of limits has no end
        tape = [((cell + 1) << 53) - (1 << 38), *[1] * 9]  # its last field; kept
        right, wrong = [0], [0]
        sampler.fill([0], right, tape, sampler.cuts, ())
        sampler.fill([0], wrong, tape, cuts, ())
        assert right == [reference(tape, 0, m, reach, a, block, COARSE, fields)[0]]
        differ += right != wrong
    assert differ == len(marked) - 1 > 0


@covers(SAMPLER, "SHE")
@pytest.mark.parametrize(
    ("m", "reach", "fields", "block", "coarse", "horizon"),
    [
        (1, 0, (1, 1), 1, 1, 6),
        (1, 1, (1, 1), 1, 1, 6),
        (2, 0, (1, 2), 1, 2, 5),
        (1, 2, (2, 2), 2, 1, 3),
    ],
)
def test_the_law_is_exact(
    m: int, reach: int, fields: Fields, block: int, coarse: int, horizon: int
) -> None:
    """Every sequence of words: what is not resolved is bounded by what goes on beyond them."""
    sampler = prefix_noise_sampler(m, reach, 1, 1, fields, block, coarse)
    a, most = Fraction(1, 2), m + 2 * reach
    for x in range(m + 1):
        law = exact_distribution(sampler, x, horizon)
        assert law.unfinished < Fraction(1, 4)
        for y in range(most + 1):
            p = (1 - a) / (1 + a) * a ** abs(y + 1 - reach - x)
            p = a ** (x + reach) / (1 + a) if y == most - 1 else p
            p = a ** (m + reach - x) / (1 + a) if y == most else p
            found = law.probabilities.get((y,), Fraction(0))
            assert found <= p <= found + law.unresolved


def test_the_fields_have_the_law_of_geometric_noise() -> None:
    """In fractions: what the limits give, rejection and going on included."""
    for share, base, block, coarse in ((3, 2, 4, 3), (1, 1, 1, 2), (7, 3, 2, 2)):
        a = Fraction(share, 1 << base)
        limits, blocks = limits_of(a, block, coarse)
        kept = [limit / sum(limits) for limit in limits]
        c = [high - low for low, high in zip([Fraction(0), *blocks], blocks, strict=False)]
        rest = 1 - blocks[-1]
        for n in range(3 * block * coarse):
            whole, part = divmod(n // block, coarse)
            for side in (0, 1):
                mass = rest**whole * c[part] * kept[2 * (n % block) + side]
                assert mass == (1 - a) / (1 + a) * a ** (n + side)


def test_blocks_are_the_largest_that_keep_most_words() -> None:
    assert block_of(1 << 62, 63) == 1
    assert block_of(int(math.exp(-1 / 512) * 2**63), 63) == 64
    with pytest.raises(ParameterError, match="block"):
        prefix_noise_sampler(1, 1, (1 << 63) - (1 << 43))
    with pytest.raises(ParameterError, match="share"):
        prefix_noise_sampler(1, 1, 0)
    with pytest.raises(ParameterError, match="cells"):
        prefix_noise_sampler(1, 1 << 31, 1 << 62)


def test_machine_code_draws_what_python_draws() -> None:
    sampler = SHE(1.0, 4).sampler()
    assert sampler.fill is prefix_noise_fill
    values = np.zeros(5000, dtype=np.int64)
    bulk = sampler.draw(values, word_source(7, "test"))
    words = word_source(7, "test").words(20_000).tolist()
    slots = [0] * 5000
    done, _ = sampler.fill(values.tolist(), slots, words, sampler.cuts, sampler.sizes)
    assert done == 5000
    assert bulk.tolist() == slots


def test_a_step_too_fine_for_tables_is_drawn_as_before() -> None:
    made = SHE(1.0, 3, grid=1 << 12)
    assert block_of(made.number.thresholds[2], 63) > MOST_BLOCK
    assert made.sampler() == made.number.sampler()
