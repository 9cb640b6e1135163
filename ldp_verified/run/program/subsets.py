"""The program of subset selection: planes of lanes, then values that go out or come in.

It reads the same words to the same end as `run.kernels.subsets`. There is no subtraction in a
program: -1 is 2^32 - 1, and what is above 32 bits is cut off.
"""

from __future__ import annotations

from typing import Final

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    Private,
    Program,
    ProgramEntry,
    Retry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import word_of

_MINUS_ONE: Final = (1 << 32) - 1


def subset(
    name: str,
    k: int,
    size: int,
    turned: bool,
    deny: int,
    share: tuple[int, int],
    slices: tuple[int, int],
    widths: tuple[int, int] = (64, 64),
    lanes: int = 64,
) -> Program:
    """The own value or not, and a uniform set of others; or the complement of such a set.

    Args:
        name: of the mechanism.
        k: number of values.
        size: of the set that is drawn, the own value or another one included.
        turned: whether its complement is reported.
        deny: threshold of leaving the own value out of the report, 1..2^width - 1.
        share: (c, planes): at first each other value is in with probability c / 2^planes.
        slices: (bits, count): a word has so many slices of so many bits, the lowest first, and a
            slice is a value unless its product with k leaves less than 2^bits mod k.
        widths: (bits of `deny`, bits of a word).
        lanes: bits in one number of the report, a power of two up to 64.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    (c, planes), (bits, count), (width, word_bits) = share, slices, widths
    blocks, all_lanes = -(-k // lanes), (1 << lanes) - 1
    word, joins = word_of(word_bits), Variable("joins", 2)
    place, bit = Variable("place", blocks), Variable("bit", 1 << lanes)
    left, last = Variable("left", 1 << 32), Variable("last", k)
    block, final = Variable("block", blocks), Constant(blocks - 1)
    joined = Choice(word.less(deny << (word_bits - width)), Constant(1), Constant(0))
    body: Block = (
        *(Draw(word), Assign(joins, joined if turned else joined ^ 1)),
        *(
            Assign(place, Private() // lanes if blocks > 1 else Constant(0)),
            Assign(bit, Constant(1) << (Private() % lanes)),
        ),
        *(Assign(left, Constant(size)), Assign(last, Constant(0))),
    )
    if planes:
        # The own value's bit is 0 while others go out, so that its position counts as a miss.
        body += (
            *_planes(word, block, c, planes, all_lanes),
            Store(final, Slot(final) & _lanes_of(k, lanes)),
            Store(place, Slot(place) & (bit ^ all_lanes)),
            *_going(k, word, size, (bits, count), lanes),
        )
    body += (
        # The own value's bit is 1 while others come in, for the same end.
        Store(place, Slot(place) | bit),
        When(left.unequal(0), (_moving(k, word, (bits, count), lanes, goes=False),)),
        When(
            joins.unequal(0),
            (Store(last // lanes, Slot(last // lanes) ^ (Constant(1) << (last % lanes))),),
            (Store(place, Slot(place) ^ bit),),
        ),
    )
    if turned:
        body += (
            Loop(block, blocks, (Store(block, Slot(block) ^ all_lanes),)),
            Store(final, Slot(final) & _lanes_of(k, lanes)),
        )
    return check(Program(name, k, word_bits, blocks, 1 << lanes, body))


def _lanes_of(k: int, lanes: int) -> int:
    """The lanes of the last block that values have."""
    return (1 << (k - lanes * (-(-k // lanes) - 1))) - 1


def _cut(expression: Expression) -> Expression:
    return expression & _MINUS_ONE


def _planes(word: Variable, block: Variable, c: int, planes: int, all_lanes: int) -> Block:
    """Draw each lane as 1 with probability c/2^planes, by comparing random bits with those of c.

    The loop goes from the last bit of c up, so that the highest bit that differs decides.
    """
    if not planes:
        return ()
    plane = Variable("plane", planes)
    mask = ProgramEntry(tuple((c >> i & 1) * all_lanes for i in range(planes)), plane)
    ones = Slot(block)
    store = Store(block, (ones & word) | (mask & (ones ^ word)))
    return (Loop(plane, planes, (Loop(block, block.below, (Draw(word), store)),)),)


def _going(k: int, word: Variable, size: int, slices: tuple[int, int], lanes: int) -> Block:
    """Others go out until size - 1 are in; what is left are those that come in then."""
    number, left = Variable("number", 1 << 32), Variable("left", 1 << 32)
    return (
        *_ones(number, Variable("block", -(-k // lanes))),
        When(
            Constant(size).at_most(number),
            (
                Assign(left, _cut(number + (_MINUS_ONE + 1 - (size - 1)))),
                _moving(k, word, slices, lanes, goes=True),
                Assign(left, Constant(1)),
            ),
            (Assign(left, _cut((number ^ _MINUS_ONE) + (size + 1))),),
        ),
    )


def _ones(number: Variable, block: Variable) -> Block:
    """Count the bits of the report that are 1."""
    some = Variable("some", 1 << 64)
    pairs, fours, bytes_ = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
    return (
        Assign(number, Constant(0)),
        Loop(
            block,
            block.below,
            (
                Assign(some, Slot(block)),
                Assign(some, (some & pairs) + (some >> 1 & pairs)),
                Assign(some, (some & fours) + (some >> 2 & fours)),
                Assign(some, (some & bytes_) + (some >> 4 & bytes_)),
                Assign(some, some + (some >> 8)),
                Assign(some, some + (some >> 16)),
                Assign(some, some + (some >> 32)),
                Assign(number, _cut(number + (some & 0x7F))),
            ),
        ),
    )


def _moving(k: int, word: Variable, slices: tuple[int, int], lanes: int, *, goes: bool) -> Retry:
    """Values go out, or come in, one at a time, until none is left to.

    A word's slices are values; one that is out already, or in already, is a miss.
    """
    bits, count = slices
    last_slice = (1 << bits) - 1
    product, position = Variable("product", 1 << 64), Variable("position", k)
    left, hit = Variable("left", 1 << 32), Variable("hit", 2)
    last, turn = Variable("last", k), Variable("turn", count)
    slot, lane = position // lanes, position % lanes
    there = (Slot(slot) >> lane) & 1
    moved: Block = (
        When(
            left.unequal(0),
            (
                Assign(position, product >> bits),
                Assign(hit, there if goes else there ^ 1),
                Store(slot, Slot(slot) ^ (hit << lane)),
                Assign(left, _cut(left + hit * _MINUS_ONE)),
                *(() if goes else (Assign(last, Choice(hit.unequal(0), position, last)),)),
            ),
        ),
    )
    unfair = (1 << bits) % k
    if unfair:
        moved = (When(Constant(unfair).at_most(product & last_slice), moved),)
    sliced = (Assign(product, (word & last_slice) * k), Assign(word, word >> bits), *moved)
    return Retry((Draw(word), Loop(turn, count, sliced)), left.at_most(0))
