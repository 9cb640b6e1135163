"""The program of one round of the prefix protocol in rounds, with what was published as a table.

A user of the round's group draws a public function, then k-ary randomized response on whether their
prefix was published, and on the bucket of a longer one. Words are read as `protocols.prefix_round`
reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Program,
    ProgramEntry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.hashed_groups import ListedFunctions, listed_function
from ldp_verified.run.program.parts import fair, k_rr_answer, word_of
from ldp_verified.run.program.search import cuts_passed
from ldp_verified.run.program.wide_hashing import WideHash

if TYPE_CHECKING:
    from collections.abc import Sequence


def round_answer(
    name: str,
    bits: int,
    ends: tuple[int, int],
    functions: ListedFunctions | int,
    published: Sequence[int],
    answers: tuple[int, int],
    width: int = 64,
) -> Program:
    """The place of a public function, and the answer.

    Args:
        name: of the protocol.
        bits: of a value, 1..2 width; the first one is the uppermost.
        ends: (bits of published prefixes, of those that are hashed).
        functions: the public list, whose one group finds; or how many there are, where none is used
            and the answer is a published value's place, from 1.
        published: prefixes as numbers of 2 width bits, 0 beyond their own; () in the first round.
        answers: (how many there are, threshold of each wrong one). They are the buckets, after one
            more for "none" where something was published.
        width: bits of a word.

    Returns:
        A program whose reports are the function's place and the answer.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    begin, end = ends
    (count, lie), word = answers, word_of(width)
    hashed = isinstance(functions, ListedFunctions)
    several = functions.rows if isinstance(functions, ListedFunctions) else functions
    buckets = count - (1 if published else 0)
    hash_ = WideHash(bits, max(1, buckets.bit_length() - 1) if hashed else 1, width)
    drawn, place = Variable("drawn", several), Variable("place", len(published) + 1)
    body: Block
    if isinstance(functions, ListedFunctions):
        body = listed_function(hash_, functions, Constant(0), width)
    else:
        last = (1 << width) - (1 << width) % several - 1
        body = (*fair(word, last, width), Assign(drawn, word % several))
    body += (Store(Constant(0), drawn),)
    truth: Expression = hash_.bucket
    if published:
        order = sorted(range(len(published)), key=lambda i: published[i])
        cuts = [published[i] for i in order]
        halves = (hash_.upper, hash_.lower if hash_.wide else Constant(0))
        steps, passed = cuts_passed(cuts, halves, width)
        upper = ProgramEntry((0, *(cut >> width for cut in cuts)), passed)
        lower = ProgramEntry((0, *(cut & ((1 << width) - 1) for cut in cuts)), passed)
        places = ProgramEntry((0, *(i + 1 for i in order)), passed)
        body += (
            *(*hash_.prefix((begin,), Constant(0)), *steps),
            # Before the first cut there is an entry of zeros, which has the place 0 in any case.
            Assign(place, places),
            *(
                When(one.unequal(cut), (Assign(place, Constant(0)),))
                for one, cut in zip(halves, (upper, lower), strict=True)
            ),
        )
        truth = place
    if hashed:
        body += (*hash_.prefix((end,), Constant(0)), *hash_.hashed())
        if published:
            truth = Choice(place.less(1), Constant(0), hash_.bucket + 1)
    body += (Draw(word), k_rr_answer(word, count, lie, Constant(1), truth))
    return check(Program(name, 1 << bits, width, 2, max(several, count), body, half=width))
