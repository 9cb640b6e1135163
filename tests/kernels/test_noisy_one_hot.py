"""Rows of noisy bits: every comparison, the ends to their last digit, and the exact law."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate, pairwise, product
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import SHE
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.noise import digit_constants
from ldp_verified.run.kernels.noisy_one_hot import MOST_BLOCK, has_tables, noisy_one_hot_sampler
from ldp_verified.run.kernels.prefix_noise import COARSE, block_of
from ldp_verified.run.kernels.seeds import word_source
from tests.registry import SAMPLER, covers


def fine_limits(share: int, base: int, block: int) -> list[Fraction]:
    """The ends of z = 1 - B..B: a^|z|, all multiplied by a number with log2 B + base + 1 places."""
    a, one = Fraction(share, 1 << base), 1 << (base + block.bit_length())
    sides = [a ** abs(z) for z in range(1 - block, block + 1)]
    scale = Fraction(math.floor(one / sum(sides)), one)
    return [scale * end for end in accumulate(sides)]


def coarse_limits(share: int, base: int, block: int, coarse: int) -> list[Fraction]:
    """The ends of the blocks."""
    a = Fraction(share, 1 << base)
    return [1 - a ** (block * c) for c in range(1, coarse + 1)]


class Reference:
    """A row from a tape of words, by comparing fractions.

    Attributes:
        read: how many words were read.
    """

    def __init__(
        self, m: int, reach: int, share: int, base: int, prefix: int, block: int, coarse: int
    ) -> None:
        self.m, self.reach, self.block, self.coarse = m, reach, block, coarse
        self.prefix, self.width = prefix, 4 * prefix
        self.fine = fine_limits(share, base, block)
        self.blocks = coarse_limits(share, base, block, coarse)
        self.tape: list[int] = []
        self.read = 0

    def word(self) -> int:
        self.read += 1
        return self.tape[self.read - 1]

    def interval(self, ends: list[Fraction], field: int) -> int:
        """How many ends are at most U, of which `field` has the first bits."""
        value, size = Fraction(field, 1 << self.prefix), Fraction(1, 1 << self.prefix)
        while any(value < end < value + size for end in ends):
            size /= 1 << self.width
            value += self.word() * size
        return sum(end <= value for end in ends)

    def number(self, first: int, second: int, x: int) -> int:
        """The report of x, from its two fields."""
        mask = (1 << self.prefix) - 1
        while (fine := self.interval(self.fine, first)) == 2 * self.block:
            first = self.word() & mask
        size, most = 0, self.m + 2 * self.reach
        while (blocks := self.interval(self.blocks, second)) == self.coarse:
            size += self.coarse * self.block
            if size > most:
                blocks = 0
                break
            second = self.word() & mask
        z = fine + 1 - self.block
        size += blocks * self.block
        at = x + self.reach + (z + size if z > 0 else z - size)
        return most if at >= most else at - 1 if at > 0 else most - 1

    def row(self, tape: list[int], x: int, k: int) -> list[int]:
        self.tape, self.read, found = tape, 0, list[int]()
        mask = (1 << self.prefix) - 1
        while len(found) < k:
            word = self.word()
            for _ in range(min(2, k - len(found))):
                fields = word & mask, word >> self.prefix & mask
                word >>= 2 * self.prefix
                found.append(self.number(*fields, self.m * (x == len(found))))
        return found


SMALL = [
    # k, m, reach, share, base, prefix, B, C
    (1, 1, 2, 1, 1, 1, 1, 1),
    (3, 2, 5, 3, 2, 2, 2, 2),
    (4, 1, 9, 3, 2, 2, 4, 2),
    (5, 3, 40, 7, 3, 3, 4, 9),
    (6, 2, 30, 1, 1, 4, 2, 4),
]


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("case", SMALL)
def test_every_comparison_is_that_of_fractions(
    case: tuple[int, ...],
    machine_code: bool,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With narrow words nearly every field is undecided: 1,000 rows of each, word by word."""
    monkeypatch.setattr(draw, "PURE_WORDS", 0 if machine_code else 1 << 60)
    k, m, reach, share, base, prefix, block, coarse = case
    sampler = noisy_one_hot_sampler(k, m, reach, share, base, prefix, block, coarse)
    reference, n = Reference(m, reach, share, base, prefix, block, coarse), 1000
    tape = rng.integers(0, 1 << sampler.word_bits, size=200 * n * k, dtype=np.uint64)
    values = rng.integers(0, k, n)
    out = np.zeros(n * k, dtype=np.int64)
    done, used = sampler._in_bulk(values, out, tape)
    assert done == n
    at = 0
    for x, found in zip(values.tolist(), out.reshape(n, k).tolist(), strict=True):
        assert found == reference.row(tape[at : at + 800 * k].tolist(), x, k)
        at += reference.read
    assert at == used


def at_full_width(epsilon: float) -> tuple[Sampler, Reference]:
    """The kernel of a row of two numbers at width 64, and its reference."""
    m, reach, share = SHE(epsilon, 2).number.thresholds
    sampler = noisy_one_hot_sampler(2, m, reach, share)
    block = min(block_of(share, 63), MOST_BLOCK)
    return sampler, Reference(m, reach, share, 63, 16, block, COARSE)


def digits_of(end: Fraction) -> tuple[int, list[int]]:
    """The first 16 bits of a limit, and its digits behind them."""
    top = math.floor(end * (1 << 16))
    rest, digits = end * (1 << 16) - top, []
    while rest:
        rest *= 1 << 64
        digits.append(math.floor(rest))
        rest -= digits[-1]
    return top, digits


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 30.0])
def test_ends_at_full_width_are_compared_to_their_last_digit(
    epsilon: float, rng: np.random.Generator
) -> None:
    """A field that ties with an end, its digits, and the last digit one less."""
    sampler, reference = at_full_width(epsilon)
    block = reference.block
    chosen = {0, 1, block - 1, block, 2 * block - 1, *rng.integers(0, 2 * block, 3).tolist()}
    ends = [(reference.fine[each], 16 * at) for each in sorted(chosen) for at in (0, 2)]
    ends += [(end, 16 * at) for end in reference.blocks[:3] for at in (1, 3)]
    for end, shift in ends:
        top, digits = digits_of(end)
        assert digits or end == Fraction(top, 1 << 16)
        other = int(rng.integers(0, 1 << 63)) << 1 & ~(0xFFFF << shift)
        for tail in (digits, [*digits[:-1], digits[-1] - 1] if digits else [7]):
            tape = [other | top << shift, *tail, *rng.integers(0, 1 << 62, 40).tolist()]
            for x in (0, 1):
                expected = reference.row(tape, x, 2)
                out = [0, 0]
                used = tape[: reference.read]
                done = sampler.fill([x], out, used, *sampler.constants)
                assert (done, out) == ((1, len(used)), expected)
                assert sampler.fill([x], [0, 0], used[:-1], *sampler.constants) == (0, 0)


Tables = tuple[bytes, list[int]]


def cut_short(sampler: Sampler) -> Tables:
    """No more than the first 64 bits after the field of a limit are kept."""
    cuts, spans = list(sampler.cuts), sampler.cuts[1]
    digits = [cuts[at : min(at + 1, end)] for at, end in pairwise(cuts[spans:][: cuts[3] + 1])]
    return sampler.table, [*cuts[:spans], *digit_constants(digits, spans)]


def rounded(sampler: Sampler) -> Tables:
    """A field with a limit in it stands for the number below."""
    tables = bytearray(sampler.table)
    for at in range(1, len(tables)):
        if tables[at] == 128:
            tables[at] = tables[at - 1]
    return bytes(tables), list(sampler.cuts)


def always_below(sampler: Sampler) -> Tables:
    """Blocks are subtracted on both sides."""
    cuts = list(sampler.cuts)
    cuts[5] += 1
    return sampler.table, cuts


@pytest.mark.parametrize("plant", [cut_short, rounded, always_below])
def test_wrong_tables_are_seen(
    plant: Callable[[Sampler], Tables], rng: np.random.Generator
) -> None:
    """The comparison with fractions at the ends tells each planted error from the kernel."""
    sampler, reference = at_full_width(1.0)
    wrong: Any = plant(sampler)
    seen = 0
    tapes = [rng.integers(0, 1 << 63, 90).tolist() for _ in range(8)]  # each misses one in 40
    for end in [*reference.fine[:9], *reference.blocks[:9]]:
        top, digits = digits_of(end)
        shift = 0 if end in reference.fine else 16
        first = top << shift | 0x7777 << 16 - shift
        tapes += [[first, digits[0], max(0, digits[1] + by), *[1] * 80] for by in (-1, 1)]
    for tape in tapes:
        expected = reference.row(tape, 0, 2)
        right, out = [0, 0], [0, 0]
        sampler.fill([0], right, tape, *sampler.constants)
        sampler.fill([0], out, tape, wrong, sampler.sizes)
        assert right == expected
        seen += out != expected
    assert seen > 0


@covers(SAMPLER, "SHE")
@pytest.mark.parametrize(
    ("k", "m", "reach", "prefix", "block", "coarse", "words"),
    [
        (1, 1, 2, 1, 1, 1, 4),
        (1, 2, 3, 1, 1, 2, 4),
        (2, 1, 2, 1, 1, 1, 4),
        (3, 1, 2, 1, 1, 1, 4),
        (1, 1, 3, 2, 2, 1, 2),
        (2, 1, 3, 2, 2, 1, 2),
    ],
)
def test_the_law_is_exact(
    k: int, m: int, reach: int, prefix: int, block: int, coarse: int, words: int
) -> None:
    """Every sequence of so many words: the rows that they decide have no more than their mass.

    With what is left undecided each has at least its mass.
    """
    sampler = noisy_one_hot_sampler(k, m, reach, 1, 1, prefix, block, coarse)
    a, most = Fraction(1, 2), m + 2 * reach

    def mass(y: int, x: int) -> Fraction:
        if y == most - 1:
            return a ** (x + reach) / (1 + a)
        if y == most:
            return a ** (m + reach - x) / (1 + a)
        return (1 - a) / (1 + a) * a ** abs(y + 1 - reach - x)

    one = 1 << (sampler.word_bits * words)
    for own in range(k):
        seen: Counter[tuple[int, ...]] = Counter()
        for tape in product(range(1 << sampler.word_bits), repeat=words):
            out = [0] * k
            done, _ = sampler.fill([own], out, tape, *sampler.constants)
            seen[tuple(out)] += done
        left = 1 - Fraction(seen.total(), one)
        assert left < Fraction(7, 8)
        for row in product(range(most + 1), repeat=k):
            p = math.prod((mass(y, m * (v == own)) for v, y in enumerate(row)), start=Fraction(1))
            assert Fraction(seen[row], one) <= p <= Fraction(seen[row], one) + left


def test_the_fields_have_the_law_of_geometric_noise() -> None:
    """In fractions: what the limits give, going on included."""
    for share, base, block, coarse in ((3, 2, 4, 3), (1, 1, 1, 2), (7, 3, 2, 2)):
        a = Fraction(share, 1 << base)
        fine = fine_limits(share, base, block)
        kept = [(high - low) / fine[-1] for low, high in pairwise([Fraction(0), *fine])]
        ends = coarse_limits(share, base, block, coarse)
        c = [high - low for low, high in pairwise([Fraction(0), *ends])]
        rest = 1 - ends[-1]
        for n in range(3 * block * coarse):
            whole, part = divmod(n // block, coarse)
            for z, size in ((1 + n % block, n + 1), (-(n % block), n)):
                mass = rest**whole * c[part] * kept[z + block - 1]
                assert mass == (1 - a) / (1 + a) * a**size


def test_rows_of_any_batch_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Odd and even rows, as machine code, in plain Python, and in small pieces."""
    for k in (2, 5, 1024):
        made = SHE(1.0, k)
        values = np.arange(60) % k
        whole = made.privatize(values, rng=seed).data
        sampler = noisy_one_hot_sampler(k, *made.number.thresholds)
        monkeypatch.setattr(draw, "PURE_WORDS", 1 << 60)
        words = word_source(seed, "privatize", *made.identity.named)
        pieces = [sampler.draw(values[at : at + 7], words) for at in range(0, 60, 7)]
        monkeypatch.undo()
        assert len(pieces) == 9
        rest = word_source(seed, "privatize", *made.identity.named)
        np.testing.assert_array_equal(whole, sampler.draw(values, rest))
        np.testing.assert_array_equal(pieces[0], whole[:7])


def test_what_has_no_tables_is_refused() -> None:
    assert has_tables(64 * COARSE + 1, int(math.exp(-1 / 512) * 2**63))
    assert not has_tables(64 * COARSE, int(math.exp(-1 / 512) * 2**63))
    assert not has_tables(1 << 30, (1 << 63) - (1 << 43))
    usual = int(math.exp(-1 / 512) * 2**63)
    for share, reach, name in (
        (0, 99999, "share"),
        (1 << 63, 99999, "share"),
        (usual, 4096, "reach"),
    ):
        with pytest.raises(ParameterError, match=name):
            noisy_one_hot_sampler(2, 1, reach, share)
    with pytest.raises(ParameterError, match="cells"):
        noisy_one_hot_sampler(2, 1, 1 << 31, 1 << 62)
