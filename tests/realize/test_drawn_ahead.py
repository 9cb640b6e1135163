"""Rows of bits drawn ahead: exact laws of what clients make of them, forks, sizes."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ldp_verified import OUE, SUE
from ldp_verified.errors import DomainError, LdpError
from ldp_verified.run.kernels.compiled import has_compiler
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program import words
from ldp_verified.run.program.words import SecretBuffer
from ldp_verified.run.realize.drawn_ahead import (
    MOST_BLOCKS,
    OneHotClient,
    RowsAhead,
    bits_report,
    one_hot_report,
    rows_report,
)
from tests.program.test_client import child_repeats

ITSELF: Any = int
"""Of an index: itself."""


def chance(bits: tuple[int, ...], p: Fraction) -> Fraction:
    """Of independent bits that are 1 with probability p."""
    ones = sum(bits)
    return p**ones * (1 - p) ** (len(bits) - ones)


def law_of(report: Any, rows: list[list[int]], k: int, zero: Fraction, width: int) -> Any:
    """The law of a report over all rows of k bits, two in a number, and all words, by value."""
    laws: list[dict[tuple[int, ...], Fraction]] = []
    for value in range(k):
        law: dict[tuple[int, ...], Fraction] = {}
        for bits in product((0, 1), repeat=k):
            for word in range(1 << width):
                packed = [sum(b << i for i, b in enumerate(bits[at : at + 2])) for at in (0, 2)]
                rows[:] = [[*packed, word]]
                said = report(value)
                law[said] = law.get(said, Fraction(0)) + chance(bits, zero) / (1 << width)
        laws.append(law)
    return laws


@pytest.mark.parametrize("one,zero", [(4, 1), (5, 3), (7, 1)])
def test_the_law_of_a_report_is_that_of_unary_encoding(one: int, zero: int) -> None:
    k, width, rows = 3, 3, [[0]]
    buffer: SecretBuffer[list[int]] = SecretBuffer(lambda: [list(row) for row in rows])
    report = one_hot_report(k, one, buffer, os.getpid, ITSELF, lanes=2)
    p, q = Fraction(one, 8), Fraction(zero, 8)
    for value, law in enumerate(law_of(report, rows, k, q, width)):
        for bits in product((0, 1), repeat=k):
            said = bits[0] | bits[1] << 1, bits[2]
            others = bits[:value] + bits[value + 1 :]
            assert law[said] == chance(bits[value : value + 1], p) * chance(others, q)


def ahead_of(made: Any) -> OneHotClient:
    """The client that draws ahead, whether or not there is machine code."""
    return OneHotClient(made.program(), made.thresholds, made._index_of, made._is_index())


def test_mechanisms_draw_ahead_where_there_is_machine_code() -> None:
    assert isinstance(OUE(1.0, 5).client(), OneHotClient) == has_compiler()


class Given(RowsAhead):
    """One row of each kind, given."""

    def __init__(self) -> None:
        self.rows: tuple[int, ...] = (0, 0)

    def draw(self) -> tuple[Any, ...]:
        return tuple(np.array([[row]], dtype=np.uint64) for row in self.rows)


@pytest.mark.parametrize(
    "chances", [(Fraction(3, 4), Fraction(1, 8)), (Fraction(1, 4),)], ids=["two rows", "one row"]
)
def test_the_law_of_randomized_bits_is_that_of_both_steps(chances: tuple[Fraction, ...]) -> None:
    """One row turns bits over: then P(1|1) = 1 - P(1|0)."""
    high, low = chances if len(chances) == 2 else (1 - chances[0], chances[0])
    ahead = Given()
    drawn = rows_report(ahead)
    for held in range(4):
        law: dict[int, Fraction] = dict.fromkeys(range(4), Fraction(0))
        for rows in product(product((0, 1), repeat=2), repeat=len(chances)):
            ahead.rows = tuple(row[0] | row[1] << 1 for row in rows)
            said = int(drawn(np.array([[held]], dtype=np.uint64))[0, 0])
            law[said] += math.prod(map(chance, rows, chances))
        for said, found in law.items():
            expected = Fraction(1)
            for bit in (0, 1):
                p = high if held >> bit & 1 else low
                expected *= p if said >> bit & 1 else 1 - p
            assert found == expected


@pytest.mark.parametrize("bits", [1, 64, 70, 64 * MOST_BLOCKS])
def test_rows_grow_to_a_limit_and_have_no_bits_beyond(bits: int) -> None:
    ahead = RowsAhead(bits, (1 << 63, (1 << 64) - 1))
    blocks = -(-bits // 64)
    sizes = []
    for _ in range(14):
        half, nearly_all = ahead.draw()
        assert half.shape == nearly_all.shape == (len(half), blocks)
        for part in (half, nearly_all):
            assert not np.any(part[:, -1] & ~np.uint64((1 << (bits - 64 * (blocks - 1))) - 1))
        # A bit of the second is 0 with probability 2^-64.
        assert int(np.bitwise_count(nearly_all).sum()) == bits * len(half)
        sizes.append(len(half))
    assert sizes[0] == 1
    assert sizes[-1] == max(1, MOST_BLOCKS // (2 * blocks))
    assert all(b in (2 * a, sizes[-1]) for a, b in pairwise(sizes))


def test_a_row_takes_one_number_of_words_whatever_its_bits_are() -> None:
    """All planes of both blocks: lanes that are decided by the first word are no reason to stop."""
    one, zero = OUE(1.0, 70).thresholds
    planes = sum(64 - ((each & -each).bit_length() - 1) for each in (one, zero))
    for filled in (0, (1 << 64) - 1, 0x123456789ABCDEF0):
        words = ReplayWords([filled] * (2 * planes))
        RowsAhead(70, (one, zero), source=words).draw()
        with pytest.raises(LdpError):
            words.words(1)


@pytest.mark.parametrize("made", [OUE(1.0, 70), SUE(2.0, 64)], ids=repr)
def test_clients_report_with_the_tables_probabilities(made: Any) -> None:
    """Null: bits of the realized table; level 1e-9 for each of the two; n = 20,000 reports.

    A share of ones of the own bit that is off by 0.03 is found with probability above 0.99.
    """
    client, n, value = ahead_of(made), 20_000, 66 % made.k
    assert client.program == made.program()
    rows = np.array([client.report(value) for _ in range(n)], dtype=np.uint64)
    own = int((rows[:, value // 64] >> np.uint64(value % 64) & np.uint64(1)).sum())
    others = int(np.bitwise_count(rows).sum()) - own
    assert stats.binomtest(own, n, float(made.p)).pvalue > 1e-9
    assert stats.binomtest(others, n * (made.k - 1), float(made.q)).pvalue > 1e-9


@pytest.mark.parametrize("low", [0.125, 0.25])
def test_randomized_bits_have_both_probabilities(low: float) -> None:
    """Null: P(1|1) = 3/4, P(1|0) = `low`; level 1e-9 for each; 2,000 reports of 130 bits."""
    drawn = bits_report(130, 3 << 62, int(low * 2**64))
    held = np.array([[2**64 - 1, 0, 2]], np.uint64)
    found = np.array([drawn(held)[0] for _ in range(2000)])
    assert found.max(axis=0)[2] < 4
    ones = np.bitwise_count(found)
    kept = int(ones[:, 0].sum()) + int((found[:, 2] >> np.uint64(1)).sum())
    raised = int(ones[:, 1].sum()) + int((found[:, 2] & np.uint64(1)).sum())
    assert stats.binomtest(kept, 65 * 2000, 0.75).pvalue > 1e-9
    assert stats.binomtest(raised, 65 * 2000, low).pvalue > 1e-9


def test_a_forked_child_repeats_none_of_its_parents_reports() -> None:
    client: Any = ahead_of(OUE(1.0, 64))
    drawn = bits_report(64, 3 << 62, 1 << 62)
    held = np.zeros((1, 1), np.uint64)

    def one_hot(value: int) -> Any:
        return client.report(value)[0]

    def bits(_: int) -> int:
        return int(drawn(held)[0, 0])

    drawn_two = bits_report(64, 3 << 62, 1 << 61)

    def bits_of_two_rows(_: int) -> int:
        return int(drawn_two(held)[0, 0])

    for report in (one_hot, bits, bits_of_two_rows):
        for _ in range(32):  # so that the child would have more than 16 rows of its parent
            report(0)
        assert not child_repeats(report)


@pytest.mark.parametrize("number", [False, True])
def test_without_any_guard_a_child_repeats(number: bool) -> None:
    ahead = RowsAhead(64, (1 << 63,))
    buffer = SecretBuffer(lambda: [[int(each), 0] for each in ahead.draw()[0][:, 0]])
    words._BUFFERS.discard(buffer)
    getpid = os.getpid if number else (lambda: buffer.owner[0])
    report = one_hot_report(64, 1, buffer, getpid, ITSELF)
    for _ in range(32):
        report(0)
    assert child_repeats(lambda value: report(value)[0]) != number


def test_foreign_values_are_refused_before_a_row_is_taken() -> None:
    client: Any = ahead_of(OUE(1.0, 5, categories=["a", "b", "c", "d", "e"]))
    for value in ("x", 7, None, True):
        with pytest.raises(DomainError, match="value"):
            client.report(value)
    assert client.report("b")[0] < 32
