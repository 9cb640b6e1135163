"""The program of the sign-matrix oracle: a public number, its column, and one sign of the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.designs import PARITY, parity
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Constant,
    Draw,
    Expression,
    Program,
    Retry,
    Store,
    Variable,
)
from ldp_verified.run.program.parts import k_rr_answer, word_of
from ldp_verified.run.program.wide_hashing import WideHash

if TYPE_CHECKING:
    from collections.abc import Callable


def sign_of_column(
    name: str,
    bits: int,
    lie: int,
    columns: Callable[[Expression], tuple[Block, tuple[Expression, Expression]]],
    width: int = 64,
) -> Program:
    """A uniform number, and randomized response on the parity of the value under its column.

    Args:
        name: of the protocol.
        bits: of a value, 1..2 width; the first one is the uppermost.
        lie: threshold of each sign, 1 <= lie and 2 * lie < 2^width.
        columns: a public number below 2^(width - 1) - 1 to statements, and both halves of a column.
        width: bits of a word.

    Returns:
        A program whose reports are the number, and 0 for the sign +1 or 1 for -1.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    largest, hash_ = (1 << (width - 1)) - 1, WideHash(bits, 1, width)
    word, number = word_of(width), Variable("number", 1 << (width - 1))
    steps, (upper, lower) = columns(number)
    own_upper, own_lower = hash_.value
    selected = upper & own_upper
    if hash_.wide:
        selected = selected ^ (lower & own_lower)
    body: Block = (
        Retry((Draw(word), Assign(number, word >> 1)), number.less(largest)),
        *(Store(Constant(0), number), *steps, *parity(selected, 1 << width)),
        *(Draw(word), k_rr_answer(word, 2, lie, Constant(1), PARITY)),
    )
    return check(Program(name, 1 << bits, width, 2, max(largest, 2), body, half=width))
