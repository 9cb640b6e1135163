"""Programs of key-value pairs: a key of those that a user has is sampled, and its sign reported.

A value is an array with a number for each key: 0 where the user has no such key, else 1 + the
position of its number within the bounds. The place of the sampled key is drawn as in `sets`, so
that the number of words says nothing of how many keys there are; a word for the sign is read for a
dummy, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    PrivateNumber,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.grid import BITS
from ldp_verified.run.program.groups import InnerProgram, Names, coin_of, together
from ldp_verified.run.program.sets import MOST_ITEMS, MOST_PACKED, sampled_place

if TYPE_CHECKING:
    from ldp_verified.run.program.form import Program


def sampled_sign(
    name: str,
    k: int,
    length: int,
    inner: Program,
    bits: int = BITS,
    packed: int = MOST_PACKED,
) -> Program:
    """One of the pairs, or of the dummies that pad them to `length` places, by a mechanism.

    Args:
        name: of the protocol.
        k: number of keys.
        length: fewer pairs are padded to so many places.
        inner: the program of the mechanism on 2 k + length values: key j with a - is 2 j, with a +
            2 j + 1, and those after them are dummies.
        bits: of a position.
        packed: of more keys the place is that of a reservoir.

    Raises:
        ParameterError: there are more than 65,536 keys, or the integers do not fit each other.
    """
    pair = _SampledPair(k, length, inner.width, bits, packed)
    chosen = Choice(pair.number.at_most(0), pair.dummy + 2 * k, pair.key * 2 + pair.plus)
    part = InnerProgram(inner, chosen)
    names = Names(*pair.variables)
    body = (*pair.steps, *names.placed(part))
    return together(name, pair.inputs, body, [part], length=k)


def sampled_symbol(
    name: str,
    k: int,
    length: int,
    inner: Program,
    turned: int,
    lanes: int = 64,
    bits: int = BITS,
    packed: int = MOST_PACKED,
) -> Program:
    """Bits that say which keys and dummies have a symbol, then the signs of keys that have one.

    The own key's sign is turned with turned / 2^width; all others are fair.

    Args:
        name: of the protocol.
        k: number of keys.
        length: fewer pairs are padded to so many places.
        inner: the program of the unary encoding of a key or a dummy, which follow the keys.
        turned: threshold of the other sign, 1..2^width - 1.
        lanes: bits in one number of the report, at most the width of words.
        bits: of a position.
        packed: of more keys the place is that of a reservoir.

    Raises:
        ParameterError: there are more than 65,536 keys, or the integers do not fit each other.
    """
    width = inner.width
    pair = _SampledPair(k, length, width, bits, packed)
    word, fair = pair.word, Variable("fair", 1 << width)
    own, block = Variable("own_sign", 2), Variable("sign_block", -(-k // lanes))
    lane, at = Variable("lane", lanes), Variable("sign_at", -(-k // lanes) * lanes)
    part = InnerProgram(inner, Choice(pair.number.at_most(0), pair.dummy + k, pair.key))
    names = Names(*pair.variables, fair, own, block, lane, at)
    drawn = (fair >> lane) & 1
    other = Choice(pair.key.unequal(at), drawn, own)
    sign = Choice(pair.number.at_most(0), drawn, other)
    marked = (Slot(at // lanes) >> (at % lanes)) & 1
    place = (at + (k + length)) // lanes
    stored = Store(place, Slot(place) | ((sign & marked) << ((at + (k + length)) % lanes)))
    each: Block = (stored,) if k % lanes == 0 else (When(at.less(k), (stored,)),)
    signs: Block = (Draw(fair), Loop(lane, lanes, (Assign(at, block * lanes + lane), *each)))
    body = (
        *(*pair.steps, *names.placed(part), Draw(word)),
        Assign(own, Choice(word.less(turned), Constant(1), Constant(0)) ^ pair.plus),
        Loop(block, block.below, signs),
    )
    numbers = -(-(2 * k + length) // lanes)
    return together(name, pair.inputs, body, [part], length=k, numbers=numbers)


class _SampledPair:
    """The sampled key, the number of its pair, 0 for a dummy, and the sign that stands for it.

    Attributes:
        inputs: how many numbers there are for each key.
        word: where words go.
        key, number, dummy, plus: what is found; a dummy is counted from 0.
        steps: the statements that find it.
        variables: all that they write.
    """

    def __init__(self, k: int, length: int, width: int, bits: int, packed: int) -> None:
        if not 2 <= k <= MOST_ITEMS:
            rule = f"must be in 2..{MOST_ITEMS}, where pairs are the value of a program"
            raise ParameterError("k", rule, k)
        self.inputs = (1 << bits) + 2
        self.word = Variable("sign_word", 1 << width)
        self.key, self.number = Variable("key", k), Variable("number", self.inputs)
        self.dummy, self.plus = Variable("dummy", length), Variable("plus", 2)
        size, place = Variable("size", k + 1), Variable("place", max(k, length))
        rank, turn, held = Variable("rank", k + 1), Variable("turn", k), Variable("held_one", 2)
        drawn, places, used = sampled_place(k, length, width, size, place, packed)
        has = Choice(PrivateNumber(turn).at_most(0), Constant(0), Constant(1))
        found = Choice(rank.unequal(place), Constant(0), held)
        # A place after the pairs is a dummy's, whose number is the place less the size, mod length.
        spare = size * (length - 1)
        dummy: Expression = (place + spare) % length if length > 1 else Constant(0)
        self.variables = (
            *(self.word, self.key, self.number, self.dummy, self.plus),
            *(*used, size, place, rank, turn, held, coin_of(width)),
        )
        self.steps: Block = (
            Assign(size, Constant(0)),
            Loop(turn, k, (Assign(size, (size + has) % (k + 1)),)),
            *(*drawn, *places, Assign(self.dummy, dummy)),
            *(Assign(rank, Constant(0)), Assign(self.key, Constant(0))),
            Assign(self.number, Constant(0)),
            Loop(
                turn,
                k,
                (
                    Assign(held, has),
                    Assign(self.key, Choice(found.unequal(0), turn, self.key)),
                    Assign(self.number, Choice(found.unequal(0), PrivateNumber(turn), self.number)),
                    Assign(rank, (rank + held) % (k + 1)),
                ),
            ),
            Draw(self.word),
            # The position is the number less 1; of a dummy, whose number is 0, nothing is below it.
            Assign(
                self.plus,
                Choice(
                    ((self.word >> width - bits) + 1).less(self.number), Constant(1), Constant(0)
                ),
            ),
        )
