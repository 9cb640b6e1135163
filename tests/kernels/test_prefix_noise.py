"""Noise by prefix tables: its ends, every comparison with them, and its exact law."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SHE
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.prefix_noise import (
    MOST_BLOCK,
    block_of,
    prefix_noise_fill,
    prefix_noise_sampler,
)
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import SAMPLER, covers

Fields = tuple[int, int, int]


def ends_of(a: Fraction, block: int, coarse: int) -> tuple[list[Fraction], ...]:
    """The ends of the intervals of each field, from the page of the module."""
    fine = [sum((a**i for i in range(r + 1)), Fraction(0)) / block for r in range(block)]
    blocks = [1 - a ** (block * c) for c in range(1, coarse + 1)]
    return fine, blocks, [Fraction(1, 2), (1 + a) / 2]


class Reader:
    """Words of a tape, as fields and as digits."""

    def __init__(self, tape: list[int], fields: Fields) -> None:
        self.words: Iterator[int] = iter(tape)
        self.fields, self.width, self.read = fields, sum(fields), 0

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
    fine_ends, coarse_ends, side_ends = ends_of(a, block, coarse)
    reader, most = Reader(tape, fields), m + 2 * reach
    while True:
        word = reader.word()
        first, second = word % (1 << fields[0]), (word >> fields[0]) % (1 << fields[1])
        third = word >> (fields[0] + fields[1])
        fine = reader.interval(fine_ends, first, fields[0])
        blocks, size = reader.interval(coarse_ends, second, fields[1]), 0
        while blocks == coarse and size <= most:
            size += coarse * block
            again = reader.word() % (1 << fields[1])
            blocks = reader.interval(coarse_ends, again, fields[1])
        side = reader.interval(side_ends, third, fields[2])
        if fine < block and side < 2:
            break
    size += blocks * block + fine
    place = x + reach + (1 + size if side == 1 else -size)
    report = most if place >= most else place - 1 if place > 0 else most - 1
    return report, reader.read


SMALL = [
    (1, 0, 1, 1, (1, 1, 1), 2, 1),
    (2, 1, 1, 1, (2, 1, 1), 2, 2),
    (3, 2, 3, 2, (1, 2, 1), 2, 2),
    (3, 1, 3, 2, (2, 2, 2), 4, 3),
    (2, 3, 7, 3, (3, 2, 1), 1, 2),
    (1, 9, 5, 3, (1, 1, 2), 2, 3),
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
    tape = rng.integers(0, 1 << sum(fields), size=60 * n)
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
    fields, block = (14, 12, 14), block_of(share, 63)
    a = Fraction(share, 1 << 63)
    fine_ends, coarse_ends, side_ends = ends_of(a, block, 32)
    safe = [0, 0, 1 << 12]
    for part, ends in enumerate((fine_ends, coarse_ends[:2], side_ends)):
        for end in rng.choice(np.array(ends, dtype=object), min(3, len(ends)), replace=False):
            if end == 1:
                continue
            bits = fields[part]
            top = math.floor(end * (1 << bits))
            rest, digits = end * (1 << bits) - top, []
            while rest:
                rest *= 1 << 40
                digits.append(math.floor(rest))
                rest -= digits[-1]
            if not digits:
                continue
            chosen = [*safe]
            chosen[part] = top
            word = chosen[0] | chosen[1] << 14 | chosen[2] << 26
            for tail in (digits, [*digits[:-1], digits[-1] - 1]):
                tape = [word, *tail, *rng.integers(0, 1 << 26, 40).tolist()]
                expected = reference(tape, 0, m, reach, a, block, 32, fields)
                out = [0]
                done, used = sampler.fill([0], out, tape[: expected[1]], sampler.cuts, ())
                assert (done, out[0], used) == (1, *expected)


def test_ends_that_are_cut_short_are_seen() -> None:
    """The planted twin: no more than the first 40 bits after the field of an end are kept."""
    m, reach, share = SHE(1.0, 4).number.thresholds
    sampler = prefix_noise_sampler(m, reach, share)
    cuts, first = list(sampler.cuts), sampler.cuts[1]
    for each in range(sampler.cuts[2]):
        cuts[first + 3 * each + 2] = min(cuts[first + 3 * each + 2], cuts[first + 3 * each + 1] + 1)
    a = Fraction(share, 1 << 63)
    end = ends_of(a, 128, 32)[0][64]
    top, digit = math.floor(end * (1 << 14)), math.floor(end * (1 << 54)) % (1 << 40)
    tape = [top | 1 << 38, digit, 0, *[1] * 9]  # below the end, by its second digit
    expected = reference(tape, 0, m, reach, a, 128, 32, (14, 12, 14))
    right, wrong = [0], [0]
    sampler.fill([0], right, tape, sampler.cuts, ())
    sampler.fill([0], wrong, tape, cuts, ())
    assert right == [expected[0]]
    assert wrong != right


@covers(SAMPLER, "SHE")
@pytest.mark.parametrize(
    ("m", "reach", "fields", "block", "coarse", "horizon"),
    [(1, 0, (1, 1, 2), 1, 1, 4), (1, 1, (1, 1, 2), 1, 1, 5), (2, 0, (1, 2, 2), 1, 2, 3)],
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
    """In fractions: what the intervals give, rejection and going on included."""
    for share, base, block, coarse in ((3, 2, 4, 3), (1, 1, 1, 2), (7, 3, 2, 2)):
        a = Fraction(share, 1 << base)
        fine, blocks, side = ends_of(a, block, coarse)
        r = [b - a_ for a_, b in zip([Fraction(0), *fine], fine, strict=False)]
        kept = [p / fine[-1] for p in r]
        c = [b - a_ for a_, b in zip([Fraction(0), *blocks], blocks, strict=False)]
        rest, above = 1 - blocks[-1], (side[1] - side[0]) / side[1]
        for n in range(3 * block * coarse):
            whole, part = divmod(n // block, coarse)
            mass = rest**whole * c[part] * kept[n % block]
            assert mass == (1 - a) * a**n
            assert above * mass == (1 - a) / (1 + a) * a ** (n + 1)
            assert (1 - above) * mass == (1 - a) / (1 + a) * a**n


def test_blocks_are_the_largest_that_keep_most_words() -> None:
    assert block_of(1 << 62, 63) == 1
    assert block_of(int(math.exp(-1 / 512) * 2**63), 63) == 128
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
    words = (word_source(7, "test").words(20_000) >> np.uint64(24)).tolist()
    slots = [0] * 5000
    done, _ = sampler.fill(values.tolist(), slots, words, sampler.cuts, sampler.sizes)
    assert done == 5000
    assert bulk.tolist() == slots


def test_a_step_too_fine_for_tables_is_drawn_as_before() -> None:
    made = SHE(1.0, 3, grid=1 << 12)
    assert block_of(made.number.thresholds[2], 63) > MOST_BLOCK
    assert made.sampler() == made.number.sampler()
