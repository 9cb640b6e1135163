"""What proofs/lib/ProgramSchemes.v proves of its programs, over every sequence of words, of ours.

The theorems speak of programs that are written down in Coq. Here the interpreter runs the package's
programs of the same names over all sequences of few words, and the counts are the theorems'.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.designs import table_of_cuts
from ldp_verified.run.program.form import Constant, Draw, Private, Program, Store, When
from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from ldp_verified.run.program.parts import word_of
from ldp_verified.run.program.schemes import k_rr, k_rr_wide

if TYPE_CHECKING:
    from collections.abc import Callable

Counts = tuple[int, ...]
"""How many sequences lead to each report, then how many to none."""


def counted(program: Program, value: int, length: int) -> Counts:
    """The counts of a program, one sequence after the other."""
    counts = [0] * (program.below + 1)
    for words in product(range(1 << program.width), repeat=length):
        try:
            counts[interpret(program, value, words).report[0]] += 1
        except OutOfWordsError:
            counts[-1] += 1
    return tuple(counts)


def retried(words: int, bad: int, length: int) -> int:
    """The definition of that name."""
    if length == 0:
        return 0
    first: int = words ** (length - 1)
    return first + bad * retried(words, bad, length - 1)


def of_k_rr(words: int, k: int, lie: int) -> Callable[[int, int], Counts]:
    """What `k_rr_counts` and `k_rr_resolved` say."""

    def counts(value: int, length: int) -> Counts:
        cells = [words - (k - 1) * lie if y == value else lie for y in range(k)]
        return (*(cell * words ** (length - 1) for cell in cells), 0)

    return counts


def of_k_rr_wide(words: int, k: int, mix: int) -> Callable[[int, int], Counts]:
    """What `k_rr_wide_counts` and `k_rr_wide_unresolved` say."""

    def counts(value: int, length: int) -> Counts:
        left, share = length - 1, words // k
        truth = (words - mix) * (k * share)
        cells = (mix * share + (truth if y == value else 0) for y in range(k))
        found = (cell * retried(words, words % k, left) for cell in cells)
        return (*found, words * (words % k) ** left)

    return counts


def of_cuts(words: int, rows: list[list[int]]) -> Callable[[int, int], Counts]:
    """What `table_of_cuts_counts` and `table_of_cuts_resolved` say."""

    def counts(value: int, length: int) -> Counts:
        ends = [0, *rows[value], words]
        cells = (b - a for a, b in pairwise(ends))
        return (*(cell * words ** (length - 1) for cell in cells), 0)

    return counts


ROWS = [[1, 4, 7], [2, 3, 6]]
CASES = {
    "k_rr": (k_rr("grr", 3, 2, 3), of_k_rr(8, 3, 2)),
    "k_rr_of_two": (k_rr("grr", 2, 3, 3), of_k_rr(8, 2, 3)),
    "k_rr_wide": (k_rr_wide("grr", 3, 5, 3), of_k_rr_wide(8, 3, 5)),
    "k_rr_wide_without_rejection": (k_rr_wide("grr", 4, 3, 3), of_k_rr_wide(8, 4, 3)),
    "table_of_cuts": (table_of_cuts("table", ROWS, 3), of_cuts(8, ROWS)),
}


@pytest.mark.parametrize("case", CASES)
def test_counts_of_every_sequence_are_those_of_the_theorems(case: str) -> None:
    program, said = CASES[case]
    for value in range(program.inputs):
        for length in (1, 2, 3):
            assert counted(program, value, length) == said(value, length)


def shifted(k: int, lie: int, width: int) -> Program:
    """Planted: the first lying word tells the truth, and the last one lies once more."""
    word = word_of(width)
    lied = (Store(Constant(0), word // lie % k),)
    told = When(word.at_most(k * lie), lied, (Store(Constant(0), Private()),))
    return check(Program("grr", k, width, 1, k, (Draw(word), told)))


def favoured(k: int, mix: int, width: int) -> Program:
    """Planted: no word is rejected, and the remainder favours the first values."""
    word = word_of(width)
    lied = (Draw(word), Store(Constant(0), word % k))
    told = When(word.less(mix), lied, (Store(Constant(0), Private()),))
    return check(Program("grr", k, width, 1, k, (Draw(word), told)))


@pytest.mark.parametrize(
    ("planted", "said"),
    [(shifted(3, 2, 3), of_k_rr(8, 3, 2)), (favoured(3, 5, 3), of_k_rr_wide(8, 3, 5))],
    ids=["one-word-too-many", "no-rejection"],
)
def test_a_wrong_program_has_other_counts(
    planted: Program, said: Callable[[int, int], Counts]
) -> None:
    assert any(
        counted(planted, value, length) != said(value, length)
        for value in range(planted.inputs)
        for length in (1, 2)
    )
