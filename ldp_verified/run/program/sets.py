"""Programs of padding and sampling: a value is a set of items below 64, bit i being item i.

A set of s items has max(s, length) places, and one of them is sampled. Where the number of words
that rejection takes must not depend on s, a place is the remainder of a number that is uniform
below a common multiple of all numbers of places. Where one word does not hold that, there are
several, of factors without a common divisor.
"""

from __future__ import annotations

from math import gcd, lcm
from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ParameterError
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

MOST_ITEMS: Final = 64
"""Items of a set that is one value."""

_LETTERS: Final = "abcd"
_SPARE: Final = 4
"""Bits of a word beyond those of the numbers that it is to give: few words are rejected."""


def sampled_item(
    name: str, items: int, length: int, inner: Program, candidates: Sequence[int] | None = None
) -> Program:
    """One of a set's items, or of the dummies that pad it to `length` places, by a mechanism.

    Args:
        name: of the protocol.
        items: values are sets of 0..items-1.
        length: sets of fewer things are padded.
        inner: the program of the mechanism; the values after those of things are dummies.
        candidates: sets as values; the things are those that lie within the value. None where the
            things are the items.

    Raises:
        ParameterError: there are more than 64 items or candidates.
    """
    things = _things(items, candidates)
    mask, size = Variable("mask", 1 << things), Variable("size", things + 1)
    place = Variable("place", max(things, length))
    chosen, rank, turn = (
        Variable("chosen", things + length),
        Variable("rank", things + 1),
        Variable("turn", things),
    )
    drawn, places = sampled_place(things, length, inner.width, size, place)
    # A place after the items is a dummy's: the first one after s items is that of place s.
    spare = ProgramEntry(tuple(length - min(s, length) for s in range(things + 1)), size)
    bit = (mask >> turn) & 1
    here = Choice(rank.unequal(place), chosen, Choice(bit.unequal(0), turn, chosen))
    body: Block = (
        *_within(mask, size, turn, candidates),
        *drawn,
        *places,
        Assign(chosen, (place + spare) % length + things if length > 1 else Constant(things)),
        Assign(rank, Constant(0)),
        Loop(turn, things, (Assign(chosen, here), Assign(rank, (rank + bit) % (things + 1)))),
    )
    part = InnerProgram(inner, chosen)
    names = Names(mask, size, place, chosen, rank, turn, coin_of(inner.width))
    return together(name, 1 << items, (*body, *names.placed(part)), [part])


def number_within(
    name: str, items: int, candidates: Sequence[int] | None, inner: Program
) -> Program:
    """How many of some candidates lie within a set, by a mechanism.

    A word is read first, as where one of several places is sampled: there is one place.

    Args:
        name: of the protocol.
        items: values are sets of 0..items-1.
        candidates: sets as values; None for each item alone.
        inner: the program of the mechanism.

    Raises:
        ParameterError: there are more than 64 items or candidates.
    """
    things = _things(items, candidates)
    mask, size = Variable("mask", 1 << things), Variable("size", things + 1)
    turn, coin = Variable("turn", things), coin_of(inner.width)
    part = InnerProgram(inner, size)
    body = (Draw(coin), *_within(mask, size, turn, candidates))
    names = Names(mask, size, turn, coin)
    return together(name, 1 << items, (*body, *names.placed(part)), [part])


def _things(items: int, candidates: Sequence[int] | None) -> int:
    """How many things a set can hold."""
    things = items if candidates is None else len(candidates)
    for argument, number in (("items", items), ("candidates", things)):
        if number > MOST_ITEMS:
            rule = f"must be at most {MOST_ITEMS}, where a set is the value of a program"
            raise ParameterError(argument, rule, number)
    return things


def _within(
    mask: Variable, size: Variable, turn: Variable, candidates: Sequence[int] | None
) -> Block:
    """The things that lie within the value, and how many there are."""
    counted = Assign(size, (size + ((mask >> turn) & 1)) % size.below)
    if candidates is None:
        first: Block = (Assign(mask, Private()), Assign(size, Constant(0)))
        return (*first, Loop(turn, turn.below, (counted,)))
    wanted = ProgramEntry(tuple(candidates), turn)
    held = Choice((Private() & wanted).unequal(wanted), Constant(0), Constant(1))
    return (
        *(Assign(mask, Constant(0)), Assign(size, Constant(0))),
        Loop(turn, turn.below, (Assign(mask, mask | (held << turn)), counted)),
    )


def sampled_place(
    things: int, length: int, width: int, size: Variable, place: Variable
) -> tuple[Block, Block]:
    """What is drawn, and the place that follows from it for a set of each size.

    Args:
        things: that there are, at most 64. length: to which places sets are padded.
        width: bits of a word.
        size: how many things a set has. place: where the place goes, below max(size, length).
    """
    numbers = range(length, max(things, length) + 1)
    factors = packed_factors([*numbers], width)
    coin = coin_of(width)
    residues = [Variable("residue_" + _LETTERS[i], factor) for i, factor in enumerate(factors)]
    drawn: Block = ()
    for residue in residues:
        drawn += uniform(residue, coin, width)
    blocks: list[tuple[int, Block]] = [(0, (_remainder(place, residues, length),))]
    blocks += [(s, (_remainder(place, residues, s),)) for s in numbers if s > length]
    return drawn, by_group(size, blocks)


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
