"""Expressions in limbs: of every size, the printed lines compute what the interpreter does."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Constant,
    Draw,
    Expression,
    Private,
    Program,
    ProgramEntry,
    Store,
    Variable,
)
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from tests.program.node import node, replayed

if TYPE_CHECKING:
    from pathlib import Path

WORD, OTHER = Variable("word", 1 << 64), Variable("other", 1 << 64)
SMALL, HALF = Variable("small", 1 << 31), Variable("half", 1 << 32)
EDGES = sorted(
    {
        edge
        for bit in (0, 31, 32, 33, 53, 63, 64)
        for edge in ((1 << bit) - 1, 1 << bit, (1 << bit) + 1)
        if edge < 1 << 64
    }
)
TABLE = (0, 1, (1 << 32) - 1, 1 << 32, (1 << 64) - 1, (1 << 53) + 1, 5, 1 << 63)

EXPRESSIONS: dict[str, Expression] = {
    "and": WORD & OTHER,
    "or": WORD | OTHER,
    "xor": WORD ^ OTHER,
    "sum": (WORD >> 1) + (OTHER >> 1),
    "sum of halves": HALF + HALF,
    "product": HALF * HALF,
    "small product": (HALF % 65_536) * (HALF % 65_537),
    "quotient": WORD // ((1 << 53) + 1),
    "small quotient": HALF // 3,
    "remainder": WORD % ((1 << 62) + 1),
    "small remainder": HALF % 7,
    "left": SMALL << (Private() * 11),
    "left to the uppermost bit": Constant(1) << 63,
    "left within 32 bits": (SMALL & 7) << (Private() + 24),
    "right": WORD >> (Private() * 21),
    "right by more than 31": HALF >> (Private() * 21),
    "right within 32 bits": HALF >> (Private() * 10),
    "entry": ProgramEntry(TABLE, WORD % len(TABLE)),
    "less": Choice(WORD.less(OTHER), Constant(1), OTHER),
    "at most": Choice(WORD.at_most(OTHER), Constant(1 << 40), Constant(3)),
    "less than a constant": Choice(WORD.less((1 << 53) + 1), HALF, SMALL),
    "unequal": Choice((WORD >> 32).unequal(OTHER >> 32), WORD, Constant(2)),
}


def program_of(expression: Expression) -> Program:
    """A report of two numbers: the expression's upper and lower halves, as it stands, twice."""
    body = (
        *(Draw(WORD), Draw(OTHER)),
        *(Assign(HALF, WORD >> 32), Assign(SMALL, OTHER >> 33)),
        Store(Constant(0), expression),
        Assign(OTHER, expression),
        Store(Constant(1), OTHER),
    )
    return check(Program("expression", 4, 64, 2, 1 << 64, body))


@pytest.mark.parametrize("limb", [32, 16, 8, 4, 1])
def test_expressions_at_their_edges(limb: int, tmp_path: Path) -> None:
    pairs = list(itertools.product(EDGES, repeat=2))
    for what, expression in EXPRESSIONS.items():
        program = program_of(expression)
        rows = [
            (i % 4, word.to_bytes(8, "little") + other.to_bytes(8, "little"))
            for i, (word, other) in enumerate(pairs)
        ]
        right = [tuple(interpret(program, i % 4, pair)) for i, pair in enumerate(pairs)]
        if node() is not None:
            text = javascript_module(program, ["A test."], limb)
            assert replayed(text, rows, tmp_path) == right, what
