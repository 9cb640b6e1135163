"""Programs of padding and sampling: a value is a set of items, and one of its places is sampled.

A set of at most 64 items is one integer, bit i being item i; a larger one is an array that has 1 in
the places of its items, and 0 in all others.

A set of s items has max(s, length) places. How many words are read must not depend on s. So of at
most 64 things a place is the remainder of a number that is uniform below a common multiple of all
numbers of places; where one word does not hold that, there are several, of factors without a
common divisor. Of more things the place is found as reservoir sampling finds it, over as many
places as there can be: for r = 2, 3, ... a number uniform below r is drawn, and the place is the
last r - 1 below max(s, length) whose number was 0.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
from ldp_verified.run.program.checking import MOST_NUMBERS
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    Private,
    PrivateNumber,
    Program,
    ProgramEntry,
    Retry,
    Variable,
)
from ldp_verified.run.program.groups import (
    InnerProgram,
    Names,
    by_group,
    coin_of,
    together,
    uniform,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PACKED: Final = 64
"""Items of a set that is one integer."""

MOST_ITEMS: Final = MOST_NUMBERS
"""Items of a set, and keys of pairs."""

_LETTERS: Final = "abcd"
_SPARE: Final = 4
"""Bits of a word beyond those of the numbers that it is to give: few words are rejected."""


def sampled_item(
    name: str,
    items: int,
    length: int,
    inner: Program,
    candidates: Sequence[Sequence[int]] | None = None,
    packed: int = MOST_PACKED,
) -> Program:
    """One of a set's items, or of the dummies that pad it to `length` places, by a mechanism.

    Args:
        name: of the protocol.
        items: values are sets of 0..items-1.
        length: sets of fewer things are padded.
        inner: the program of the mechanism; the values after those of things are dummies.
        candidates: sets of items; the things are those that lie within the value. None where the
            things are the items.
        packed: sets of more items, or of more things, are arrays.

    Raises:
        ParameterError: there are more than 65,536 items or candidates.
    """
    held = _Held(items, candidates, packed)
    things, turn = held.things, held.turn
    size, place = Variable("size", things + 1), Variable("place", max(things, length))
    chosen, rank = Variable("chosen", things + length), Variable("rank", things + 1)
    drawn, places, used = sampled_place(things, length, inner.width, size, place, packed)
    # A place after the items is a dummy's, whose number is the place less the size, modulo length.
    dummy = (place + size * (length - 1)) % length if length > 1 else Constant(0)
    here = Choice(rank.unequal(place), chosen, Choice(held.bit.unequal(0), turn, chosen))
    body: Block = (
        *held.counted(size),
        *drawn,
        *places,
        Assign(chosen, dummy + things),
        Assign(rank, Constant(0)),
        Loop(
            turn,
            things,
            (*held.look, Assign(chosen, here), Assign(rank, (rank + held.bit) % (things + 1))),
        ),
    )
    part = InnerProgram(inner, chosen)
    names = Names(*held.variables, *used, size, place, chosen, rank, coin_of(inner.width))
    steps = (*body, *names.placed(part))
    return together(name, held.inputs, steps, [part], length=held.length)


def number_within(
    name: str,
    items: int,
    candidates: Sequence[Sequence[int]] | None,
    inner: Program,
    packed: int = MOST_PACKED,
) -> Program:
    """How many of some candidates lie within a set, by a mechanism.

    A word is read first, as where one of several places is sampled: there is one place.

    Args:
        name: of the protocol.
        items: values are sets of 0..items-1.
        candidates: sets of items; None for each item alone.
        inner: the program of the mechanism.
        packed: sets of more items, or of more things, are arrays.

    Raises:
        ParameterError: there are more than 65,536 items or candidates.
    """
    held = _Held(items, candidates, packed)
    size, coin = Variable("size", held.things + 1), coin_of(inner.width)
    part = InnerProgram(inner, size)
    names = Names(*held.variables, size, coin)
    steps = (Draw(coin), *held.counted(size), *names.placed(part))
    return together(name, held.inputs, steps, [part], length=held.length)


def told_set(items: int, things: int) -> str:
    """What a program reads for a set, in words: for the head of a client.

    Args:
        items: values are sets of 0..items-1. things: how many may lie within one.
    """
    if _is_integer(items, things, MOST_PACKED):
        return "A value is a set as one integer: bit i is 1 where it has item i, from 0."
    return f"A value is a set as an array of {items} integers: 1 where it has the item, else 0."


def _is_integer(items: int, things: int, packed: int) -> bool:
    """Whether a set is one integer; else it is an array."""
    return max(items, things) <= packed


class _Held:
    """What lies within a value: the things of a set that is an integer, or an array.

    Attributes:
        things: how many can.
        turn: the thing that is looked at.
        bit: 1 if that one lies within the value, once `look` was done.
        look: the statements that find it.
        inputs, length: of a program with such values.
        variables: all that are written.
    """

    def __init__(self, items: int, candidates: Sequence[Sequence[int]] | None, packed: int) -> None:
        self.things = things = items if candidates is None else len(candidates)
        for argument, number in (("items", items), ("candidates", things)):
            if number > MOST_ITEMS:
                rule = f"must be at most {MOST_ITEMS}, where a set is the value of a program"
                raise ParameterError(argument, rule, number)
        self.turn = Variable("turn", things)
        self._candidates = candidates
        self.look: Block = ()
        if _is_integer(items, things, packed):
            self._mask: Variable | None = Variable("mask", 1 << things)
            self.inputs, self.length = 1 << items, 0
            self.bit: Expression = (self._mask >> self.turn) & 1
            self.variables: tuple[Variable, ...] = (self._mask, self.turn)
            return
        self._mask, self.inputs, self.length = None, 2, items
        self.bit = bit = Variable("held_one", 2)
        self.variables = (bit, self.turn)
        if candidates is None:
            self.look = (Assign(bit, PrivateNumber(self.turn)),)
            return
        # Of a candidate of fewer items the last one is looked at again.
        widest = max(map(len, candidates))
        padded = [item for c in candidates for item in (*c, *[c[-1]] * (widest - len(c)))]
        item = Variable("item", widest)
        own = PrivateNumber(ProgramEntry(tuple(padded), self.turn * widest + item))
        self.look = (Assign(bit, Constant(1)), Loop(item, widest, (Assign(bit, bit & own),)))
        self.variables = (*self.variables, item)

    def counted(self, size: Variable) -> Block:
        """The statements that say how many things lie within the value."""
        turn = self.turn
        counted = Assign(size, (size + self.bit) % size.below)
        if self._mask is None:
            return (Assign(size, Constant(0)), Loop(turn, turn.below, (*self.look, counted)))
        if self._candidates is None:
            first: Block = (Assign(self._mask, Private()), Assign(size, Constant(0)))
            return (*first, Loop(turn, turn.below, (counted,)))
        masks = tuple(sum(1 << item for item in each) for each in self._candidates)
        wanted = ProgramEntry(masks, turn)
        held = Choice((Private() & wanted).unequal(wanted), Constant(0), Constant(1))
        return (
            *(Assign(self._mask, Constant(0)), Assign(size, Constant(0))),
            Loop(turn, turn.below, (Assign(self._mask, self._mask | (held << turn)), counted)),
        )


def sampled_place(
    things: int,
    length: int,
    width: int,
    size: Variable,
    place: Variable,
    packed: int = MOST_PACKED,
) -> tuple[Block, Block, tuple[Variable, ...]]:
    """What is drawn, and the place that follows from it for a set of each size.

    Args:
        things: that there are. length: to which places sets are padded.
        width: bits of a word.
        size: how many things a set has. place: where the place goes, below max(size, length).
        packed: of more things the place is that of a reservoir.

    Returns:
        Statements that do not look at the size, those that do, and the variables of both.
    """
    if things > packed:
        return _reservoir(length, width, size, place)
    numbers = range(length, max(things, length) + 1)
    factors = packed_factors([*numbers], width)
    coin = coin_of(width)
    residues = [Variable("residue_" + _LETTERS[i], factor) for i, factor in enumerate(factors)]
    drawn: Block = ()
    for residue in residues:
        drawn += uniform(residue, coin, width)
    blocks: list[tuple[int, Block]] = [(0, (_remainder(place, residues, length),))]
    blocks += [(s, (_remainder(place, residues, s),)) for s in numbers if s > length]
    return drawn, by_group(size, blocks), tuple(residues)


def _reservoir(
    length: int, width: int, size: Variable, place: Variable
) -> tuple[Block, Block, tuple[Variable, ...]]:
    """A place of a set with so many things: words are read for all places that sets can have.

    Of the numbers drawn for r = 2, 3, ..., m, each uniform below r, the last 0 is at r with
    probability 1/r * r/(r+1) * ... * (m-1)/m = 1/m; and there is none, so that the first place
    stays, with probability 1/2 * 2/3 * ... = 1/m.
    """
    bits = (place.below - 1).bit_length()
    if bits > width:
        raise ParameterError("width", f"must be at least {bits}, for so many places", width)
    coin, seat = coin_of(width), Variable("seat", place.below - 1)
    span, ticket = Variable("span", 1 << bits), Variable("ticket", 1 << bits)
    held = Choice((seat + 1).less(size), seat + 1, place)
    after = Choice((seat + 1).less(length), seat + 1, held)
    found: Block = (
        *(Assign(place, Constant(0)), Assign(span, Constant(0))),
        Loop(
            seat,
            seat.below,
            (
                # All bits up to the highest one of r - 1, since every number below it was joined.
                Assign(span, span | (seat + 1)),
                Retry((Draw(coin), Assign(ticket, coin & span)), ticket.at_most(seat + 1)),
                Assign(place, Choice(ticket.unequal(0), place, after)),
            ),
        ),
    )
    return (), found, (seat, span, ticket)


def packed_factors(numbers: Sequence[int], width: int) -> list[int]:
    """Factors without a common divisor, whose product is a common multiple of some numbers.

    Args:
        numbers: at least 1 each. width: of words, in bits; a factor is well below 2^width.
    """
    whole = lcm(*numbers)
    limit = 1 << max(width - _SPARE, 1)
    if whole <= max(limit, *numbers):
        return [whole]
    found = [1]
    for power in sorted(_prime_powers(whole), reverse=True):
        if found[-1] * power > limit:
            found.append(1)
        found[-1] *= power
    return [factor for factor in found if factor > 1]


def _prime_powers(number: int) -> list[int]:
    """The powers of primes that a number is the product of."""
    found, prime = [], 2
    while number > 1:
        power = 1
        while number % prime == 0:
            number //= prime
            power *= prime
        if power > 1:
            found.append(power)
        prime += 1
    return found


def _remainder(place: Variable, residues: Sequence[Variable], number: int) -> Assign:
    """The remainder, by one number, of what has these residues (Chinese remainder theorem)."""
    shares = [gcd(number, residue.below) for residue in residues]
    terms: list[Expression] = []
    for residue, share in zip(residues, shares, strict=True):
        others = number // share
        if share > 1:
            weight = others * pow(others, -1, share) % number
            terms.append((residue % share) * weight if weight != 1 else residue % share)
    if not terms:
        return Assign(place, Constant(0))
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return Assign(place, total % number if len(terms) > 1 else total)
