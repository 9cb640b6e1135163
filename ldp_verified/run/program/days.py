"""Programs of clients that report on several days: one program is the report of one day.

What is kept says how far a client is, and it changes with every report. All words of a report are
read before anything is kept: where a source fails, what is kept is as it was before. How many words
a report reads, and how many messages it has, follows from public things alone: the day, the level,
whether the server asks. No bit has a part in it.

Numbers of a report are messages plus 1; 0 says that there is none.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Keep,
    Kept,
    Private,
    Program,
    ProgramEntry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.groups import coin_of, digits_of, uniform
from ldp_verified.run.program.parts import word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LEVEL, RANK, DAY, BIT, SEEN, PENDING = map(Constant, range(6))
"""Cells of `change_signs`: what was drawn on the first day; days that passed; the bit of the last
one; changes so far; and the sign that waits for the end of its block, 1 for - and 2 for +."""

STEPS, VOTED, ANSWERED, ONES = map(Constant, range(4))
"""Cells of `votes_and_answers`: twice the epochs that were voted in, less one while the last may
still be answered; votes that were yes; answers; and what the last vote was about."""


def change_signs(name: str, days: int, changes: int, lie: int, width: int = 64) -> Program:
    """The messages of one day, of a user's bit that changes a few times (`ChangeTree`).

    Words are read as `protocols.change_tree_client` reads them: on the first day a level and which
    of the changes is kept; where a block ends one more, which is compared with one of three
    numbers: a fair coin's, or those of randomized response on the sign of a kept change in it.

    Args:
        name: of the protocol.
        days: how many there are.
        changes: how many of a user's changes count.
        lie: threshold of each sign, where the kept change lies in the block.
        width: bits of a word.

    Returns:
        A program of bits. The first number of a report is the message that the user joined, on the
        first day; the second is the sign of a block that ends. After all days both are 0.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    levels = days.bit_length()
    *firsts, blocks = accumulate((days >> level for level in range(levels)), initial=0)
    word, coin, day = word_of(width), coin_of(width), Variable("day", days)
    level, rank = Variable("level", levels), Variable("rank", changes)
    changed, hit, seen = Variable("changed", 2), Variable("hit", 2), Variable("seen", changes + 1)
    pending = Variable("pending", 3)
    words = 1 << width
    sign = said(word, (words // 2, words - lie, lie), pending)
    # The remainder changes nothing: bounds do not see that high levels have few blocks.
    block = (ProgramEntry(tuple(firsts), level) + (day >> level)) % blocks
    signed: Block = (
        *(Draw(word), Store(Constant(1), block * 2 + sign + 1), Assign(pending, Constant(0))),
    )
    joined: Block = (
        *(*uniform(level, coin, width), *uniform(rank, coin, width)),
        Store(Constant(0), level + (2 * blocks + 1)),
    )
    step: Block = (
        *(Assign(day, Kept(DAY) % days), Assign(level, Kept(LEVEL) % levels)),
        Assign(rank, Kept(RANK) % changes),
        When(day.less(1), joined),
        *(Assign(seen, Kept(SEEN) % (changes + 1)), Assign(pending, Kept(PENDING) % 3)),
        Assign(changed, (Kept(BIT) ^ Private()) & 1),
        Assign(hit, Choice(seen.unequal(rank), Constant(0), changed)),
        # Changes are from 0 to 1 and back, in turn: the first is +.
        Assign(pending, Choice(hit.unequal(0), ((rank ^ 1) & 1) + 1, pending)),
        When((day + 1).at_most(((day + 1) >> level) << level), signed),
        *(Keep(LEVEL, level), Keep(RANK, rank), Keep(DAY, day + 1), Keep(BIT, Private())),
        Keep(SEEN, Choice(seen.less(changes), (seen + changed) % (changes + 1), Constant(changes))),
        Keep(PENDING, pending),
    )
    body = (When(Kept(DAY).less(days), step),)
    below, kept_below = 2 * blocks + levels + 1, max(3, levels, changes + 1, days + 1)
    return check(Program(name, 2, width, 2, below, body, 6, kept_below, changing=True))


def votes_and_answers(
    name: str,
    epochs: int,
    days: int,
    limits: tuple[int, int],
    lies: tuple[int, int],
    width: int = 64,
) -> Program:
    """A vote on whether the mean has changed, or the answer to the server's question (`VotedMean`).

    Words are read as `protocols.voting_client` reads them: one for a vote; for an answer one of the
    user's bits, where there are several, and one for its randomized response.

    Args:
        name: of the protocol.
        epochs: how many there are.
        days: bits of a user in an epoch.
        limits: how many votes may be yes, and how many questions are answered.
        lies: thresholds of each vote, and of each answer.
        width: bits of a word.

    Returns:
        A program whose values are those of `vote_values`: a vote, or the question. A report is one
        number. It is 0, and nothing changes, where a vote comes after all epochs, or a question
        without a vote before it, or a second one, or one more than are answered.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    votes, updates = limits
    *sizes, question = vote_values(days)
    first, end, ones = digits_of(sizes)
    word, coin = word_of(width), coin_of(width)
    vote_cuts, answer_cuts = (((1 << width) - lie, lie) for lie in lies)
    epoch, yes = Variable("epoch", epochs), Variable("yes", 2)
    place, own = Variable("place", days), Variable("own", 2)
    differs = Choice(
        ones.less(first), Constant(1), Choice(ones.less(end), Constant(0), Constant(1))
    )
    vote: Block = (
        Assign(epoch, (Kept(STEPS) + 1) // 2 % epochs),
        Assign(yes, Choice(Kept(VOTED).less(votes), differs, Constant(0))),
        *(Draw(word), Store(Constant(0), epoch * 2 + said(word, vote_cuts, yes) + 1)),
        Keep(STEPS, epoch * 2 + 1),
        *(Keep(VOTED, (Kept(VOTED) + yes) % (votes + 1)), Keep(ONES, ones)),
    )
    drawn: Block = uniform(place, coin, width) if days > 1 else (Assign(place, Constant(0)),)
    answer: Block = (
        *(Assign(epoch, Kept(STEPS) // 2 % epochs), *drawn),
        Assign(own, Choice(place.less(Kept(ONES)), Constant(1), Constant(0))),
        *(Draw(word), Store(Constant(0), (epoch + epochs) * 2 + said(word, answer_cuts, own) + 1)),
        *(Keep(STEPS, epoch * 2 + 2), Keep(ANSWERED, (Kept(ANSWERED) + 1) % (updates + 1))),
    )
    asked = (When((Kept(STEPS) & 1).unequal(0), (When(Kept(ANSWERED).less(updates), answer),)),)
    body = (When(Private().less(question), (When(Kept(STEPS).less(2 * epochs - 1), vote),), asked),)
    kept_below = max(2 * epochs, votes, updates, days) + 1
    below = 4 * epochs + 1
    made = Program(name, question + 1, width, 1, below, body, 4, kept_below, changing=True)
    return check(made)


def vote_values(days: int) -> Sequence[int]:
    """What the values of `votes_and_answers` are, with so many bits in an epoch.

    Returns:
        The sizes of a vote's three numbers (`groups.digits_of`), and the value of the question,
        which comes after all votes. The numbers are `first` and `end`, which are public, and the
        user's own bits that are 1; from `first` on and below `end` these give no reason to vote.
    """
    sizes = (days + 1, days + 2, days + 1)
    return (*sizes, sizes[0] * sizes[1] * sizes[2])


def said(word: Variable, cuts: tuple[int, ...], truth: Expression) -> Expression:
    """0 for words below the cut of what is true, else 1."""
    return Choice(word.less(ProgramEntry(cuts, truth)), Constant(0), Constant(1))
