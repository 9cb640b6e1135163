"""Wrong programs of a seed, a sign and a rank: each has one slip in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Choice,
    Constant,
    Draw,
    Program,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.grid import rounded, share_of
from ldp_verified.run.program.parts import fair, word_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program.form import Block


def _start(word: Variable, unused: int, width: int, bits: int) -> Block:
    up = Variable("up", 2)
    seed = (Draw(word), Store(Constant(0), word >> unused))
    return (*seed, *rounded(word, up, 1, width, bits), Store(Constant(1), up))


def _uniform(word: Variable, rank: Variable, width: int) -> Block:
    share = (1 << width) // rank.below
    return (*fair(word, rank.below * share - 1, width), Assign(rank, share_of(word, share)))


def _made(ranks: int, favoured: int, unused: int, width: int, bits: int, last: Block) -> Program:
    word = word_of(width)
    near, far = Variable("near", favoured), Variable("far", ranks - favoured)
    body = (
        *_start(word, unused, width, bits),
        *(*_uniform(word, near, width), *_uniform(word, far, width)),
        *last,
    )
    below = max((1 << width) >> unused, ranks, 2)
    return check(Program("rank", (1 << bits) + 1, width, 3, below, body))


def one_more(ranks: int, favoured: int, inside: int, unused: int, width: int, bits: int) -> Program:
    """One word more chooses the favoured: `<=` for `<`."""
    word, near = word_of(width), Variable("near", favoured)
    far = Variable("far", ranks - favoured)
    rank = Choice(word.at_most(inside), near, far + favoured)
    last = (Draw(word), Store(Constant(2), rank))
    return _made(ranks, favoured, unused, width, bits, last)


def same_word(
    ranks: int, favoured: int, inside: int, unused: int, width: int, bits: int
) -> Program:
    """The word of the other rank chooses the kind, too."""
    word, near = word_of(width), Variable("near", favoured)
    far = Variable("far", ranks - favoured)
    last = (Store(Constant(2), Choice(word.less(inside), near, far + favoured)),)
    return _made(ranks, favoured, unused, width, bits, last)


def by_kind(ranks: int, favoured: int, inside: int, unused: int, width: int, bits: int) -> Program:
    """Only a rank of the chosen kind is drawn: the law is right, and the number of words tells."""
    word = word_of(width)
    near, far = Variable("near", favoured), Variable("far", ranks - favoured)
    body = (
        *_start(word, unused, width, bits),
        Draw(word),
        When(
            word.less(inside),
            (*_uniform(word, near, width), Store(Constant(2), near)),
            (*_uniform(word, far, width), Store(Constant(2), far + favoured)),
        ),
    )
    below = max((1 << width) >> unused, ranks, 2)
    return check(Program("rank", (1 << bits) + 1, width, 3, below, body))


WRONG_LAWS: tuple[Callable[..., Program], ...] = (one_more, same_word)
