"""How many sequences of words lead a program to each report: what theorems of proofs/lib say."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

from ldp_verified.run.program.interpret import OutOfWordsError, interpret

if TYPE_CHECKING:
    from ldp_verified.run.program import Program

Counts = Counter[tuple[int, ...] | None]
"""How many sequences lead to each report, and under None how many to none yet."""


def counted(program: Program, value: int, length: int) -> Counts:
    """The counts of a program, one sequence after the other."""
    counts: Counts = Counter()
    for words in product(range(1 << program.width), repeat=length):
        try:
            counts[interpret(program, value, words).report] += 1
        except OutOfWordsError:
            counts[None] += 1
    return counts


def counts_or_none(program: Program, value: int, length: int) -> Counts | None:
    """The counts; None of a program that leaves its tables or its report."""
    try:
        return counted(program, value, length)
    except IndexError:
        return None
