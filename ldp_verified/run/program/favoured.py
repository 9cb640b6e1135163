"""The program of what a report on a vector is drawn from: a seed, a sign and a rank.

The directions follow from the seed, and the vector says which of them has the rank. That they do so
in floating point numbers is no part of the program, and privacy does not rest on it: whatever the
order of the directions is, the integers compared here have the law of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Constant,
    Draw,
    Program,
    Store,
    Variable,
)
from ldp_verified.run.program.grid import BITS, rounded, share_of
from ldp_verified.run.program.parts import fair, word_of

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Block


def favoured_rank(
    name: str,
    ranks: int,
    favoured: int,
    inside: int,
    unused: int,
    width: int = 64,
    bits: int = BITS,
) -> Program:
    """A seed, a sign whose mean is the position's, and a rank, the first of which are likelier.

    A favoured rank and another one are both drawn, so that the number of words does not say which
    kind is taken. `run.kernels.favoured` draws one alone, with the same law.

    Args:
        name: of the mechanism.
        ranks: K, 2..2^width.
        favoured: m, 1..K - 1.
        inside: the favoured have the probability inside/2^width together, 1..2^width - 1.
        unused: low bits of a word that the seed lacks.
        width: bits of a word.
        bits: of a position, an even number up to `width`.

    Returns:
        A program whose reports are the seed, the sign (1 for +) and the rank, counted from 0.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    words, rest = 1 << width, ranks - favoured
    if not 1 <= favoured < ranks <= words:
        raise ParameterError("favoured", f"must be in 1..{ranks - 1}", favoured)
    if not 1 <= inside < words:
        raise ParameterError("inside", f"must be in 1..{words - 1}", inside)
    word, up = word_of(width), Variable("up", 2)
    near, far = Variable("near", favoured), Variable("far", rest)
    body: Block = (
        *(Draw(word), Store(Constant(0), word >> unused)),
        *(*rounded(word, up, 1, width, bits), Store(Constant(1), up)),
    )
    for rank in (near, far):
        share = words // rank.below
        body += (*fair(word, rank.below * share - 1, width), Assign(rank, share_of(word, share)))
    body += (Draw(word), Store(Constant(2), Choice(word.less(inside), near, far + favoured)))
    below = max(words >> unused, ranks, 2)
    return check(Program(name, (1 << bits) + 1, width, 3, below, body))
