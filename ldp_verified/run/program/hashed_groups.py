"""Programs of protocols whose public groups hash other functions of a wide value each.

Words are read in the order of `protocols.grouped_hashing`: a group, without a look at the value;
the functions of all reports; an answer of k-ary randomized response for each. All that groups
report on is linear mod 2 in the value's bits: each bit is the parity of those that a mask selects.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.designs import PARITY, parity
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Expression,
    Loop,
    Program,
    ProgramEntry,
    Slot,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import fair, k_rr_answer, word_of
from ldp_verified.run.program.wide_hashing import WideHash

Masks = tuple[tuple[int, ...], ...]
"""For each group the masks of the bits that it reports on, the lowest bit first."""

FUNCTION = 3
"""Numbers of a report that name its function; the bucket is the next one."""


@dataclass(frozen=True)
class ListedFunctions:
    """Public functions of which those who find, or those who count, draw one evenly.

    Function r columns + c has the words of row r, and those of each bit of c added to them mod 2.

    Attributes:
        counts: whether they are of those who count; else of those who find.
        rows: of each group. columns: a power of 2.
        parts: the lowest, middle and upper words: of each group, of each row, of a first vector,
            then of one for each bit of a column. The upper ones are () where they are 0.
    """

    counts: bool
    rows: int
    columns: int
    parts: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class HashedGroups:
    """What the groups of a protocol are asked, and how a user comes to be in one.

    Attributes:
        levels: groups that find; the group of this number reports on whole values.
        coins: (a, b): of b users a are spread evenly over the groups that find; None where nothing
            is drawn, for there is one group, or each user reports in all.
        reports: of a user: 1; 2, one in their group and one in the group that counts, where there
            are coins; or one in each group that finds.
        lengths: of the prefix that each group reports on, the last one's being that of a value.
        upper, lower: else the masks of the entries of groups that find, for each half of a value.
        listed: public functions; None where all are drawn of the whole family.
        fixed: bits that the middle word of a function always has where it finds.
    """

    levels: int
    coins: tuple[int, int] | None = None
    reports: int = 1
    lengths: tuple[int, ...] = ()
    upper: Masks = field(default=(), repr=False)
    lower: Masks = field(default=(), repr=False)
    listed: ListedFunctions | None = field(default=None, repr=False)
    fixed: int = 0


def hashed_groups(
    name: str, bits: int, g: int, lie: int, asked: HashedGroups, width: int = 64
) -> Program:
    """A group, a function to g buckets, and k-ary randomized response of the entry's bucket.

    Args:
        name: of the protocol.
        bits: of a value, 1..2 width; the first one is the uppermost.
        g: number of buckets, a power of two above 1.
        lie: threshold of each wrong bucket, 1 <= lie and g * lie < 2^width.
        asked: the groups.
        width: bits of a word, and of half a row of a function's matrix.

    Returns:
        A program whose reports are the group, unless each user reports in all; then for each report
        the three words of the function, lowest first, and the bucket.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    hash_ = WideHash(bits, g.bit_length() - 1, width)
    levels, together = asked.levels, asked.reports > 1 and asked.coins is None
    first = 0 if together else 1
    word, turn, bucket = word_of(width), Variable("turn", asked.reports), hash_.bucket
    group: Expression = Constant(0)
    body: Block = ()
    if asked.coins is not None:
        group = Variable("group", levels + 1)
        body = _group(group, asked.coins, levels, width)
    if first:
        body += (Store(Constant(0), group),)
    if asked.reports == 1:
        told = Constant(first + FUNCTION)
        body += (
            *_report(hash_, asked, group, Constant(first), width),
            *(Draw(word), k_rr_answer(word, g, lie, told, bucket)),
        )
    else:
        place = turn * (FUNCTION + 1) + first
        own: Expression = turn
        chosen: Block = ()
        if not together:
            own = Variable("own", levels + 1)
            chosen = (Assign(own, Choice(turn.less(1), group, Constant(levels))),)
        report = (*chosen, *_report(hash_, asked, own, place, width))
        # The bucket waits where its answer comes to stand: the answers' words are read last.
        answer = k_rr_answer(word, g, lie, place + FUNCTION, Slot(place + FUNCTION))
        body += (
            Loop(turn, asked.reports, (*report, Store(place + FUNCTION, bucket))),
            Loop(turn, asked.reports, (Draw(word), answer)),
        )
    numbers = first + asked.reports * (FUNCTION + 1)
    below = max(1 << width, levels + 1)
    return check(Program(name, 1 << bits, width, numbers, below, body, half=width))


def _group(group: Variable, coins: tuple[int, int], levels: int, width: int) -> Block:
    """A group, drawn without a look at the value."""
    some, all_ = coins
    sides, whole = all_ * levels, 1 << width
    word, coin = word_of(width), Variable("coin", sides)
    found: Block = (Assign(group, coin // some),)
    if some < all_:
        found = (When(coin.less(some * levels), found, (Assign(group, Constant(levels)),)),)
    return (*fair(word, whole - whole % sides - 1, width), Assign(coin, word % sides), *found)


def _report(
    hash_: WideHash, asked: HashedGroups, own: Expression, place: Expression, width: int
) -> Block:
    """A function becomes numbers of the report, from a place on; then the bucket is found."""
    parts = (hash_.low, hash_.high, hash_.more)
    return (
        *_function(hash_, asked, own, width),
        *(Store(place + i if i else place, part) for i, part in enumerate(parts)),
        *_entry(hash_, asked, own, width),
        *hash_.hashed(),
    )


def _function(hash_: WideHash, asked: HashedGroups, own: Expression, width: int) -> Block:
    """A function of the whole family, or of a public list."""
    drawn = hash_.drawn()
    if asked.fixed:
        always = Choice(own.less(asked.levels), Constant(asked.fixed), Constant(0))
        drawn += (Assign(hash_.high, hash_.high | always),)
    listed = asked.listed
    if listed is None:
        return drawn
    if not asked.levels:
        return listed_function(hash_, listed, Constant(0), width)
    if listed.counts:
        return (
            When(own.less(asked.levels), drawn, listed_function(hash_, listed, Constant(0), width)),
        )
    return (When(own.less(asked.levels), listed_function(hash_, listed, own, width), drawn),)


def listed_function(hash_: WideHash, listed: ListedFunctions, own: Expression, width: int) -> Block:
    """A function of a public list, each with the same probability.

    Args:
        hash_: of which the function becomes that one.
        listed: the list.
        own: the group, a variable, where several have functions.
        width: bits of a word.

    Returns:
        Statements; the variable `drawn` is the place in the list then.
    """
    count, bits = listed.rows * listed.columns, listed.columns.bit_length() - 1
    whole, word = 1 << width, word_of(width)
    drawn, column = Variable("drawn", count), Variable("column", listed.columns)
    at, bit = Variable("at", len(listed.parts[0])), Variable("bit", max(1, bits))
    targets = (hash_.low, hash_.high, hash_.more)
    row: Expression = drawn // listed.columns
    if isinstance(own, Variable):
        row = own * listed.rows + row
    steps: Block = (
        *fair(word, whole - whole % count - 1, width),
        *(Assign(drawn, word % count), Assign(at, row * (1 + bits))),
        *(
            Assign(target, ProgramEntry(part, at) if part else Constant(0))
            for target, part in zip(targets, listed.parts, strict=True)
        ),
    )
    if not bits:
        return steps
    added = tuple(
        Assign(target, target ^ ProgramEntry(part, at + bit + 1))
        for target, part in zip(targets, listed.parts, strict=True)
        if part
    )
    chosen = (When(((column >> bit) & 1).unequal(0), added),)
    return (*steps, Assign(column, drawn % listed.columns), Loop(bit, bits, chosen))


def _entry(hash_: WideHash, asked: HashedGroups, own: Expression, width: int) -> Block:
    """What is hashed: a prefix, the entry of a group that finds, or the whole value."""
    if asked.lengths:
        return hash_.prefix(asked.lengths, own)
    upper, lower = hash_.value
    halves: Block = (Assign(hash_.upper, upper),)
    if hash_.wide:
        halves += (Assign(hash_.lower, lower),)
    if not asked.levels:
        return halves
    size = len(asked.upper[0])
    bit, entry = Variable("part", size), Variable("entry", 1 << size)
    at = own * size + bit
    selected: Expression = hash_.upper & ProgramEntry(_flat(asked.upper), at)
    if hash_.wide:
        selected = selected ^ (hash_.lower & ProgramEntry(_flat(asked.lower), at))
    one = (*parity(selected, 1 << width), Assign(entry, entry | (PARITY << bit)))
    found: Block = (
        *(Assign(entry, Constant(0)), Loop(bit, size, one)),
        Assign(hash_.upper, entry << (width - size)),
    )
    if hash_.wide:
        found += (Assign(hash_.lower, Constant(0)),)
    if isinstance(own, Variable) and own.below <= asked.levels:
        return (*halves, *found)
    return (*halves, When(own.less(asked.levels), found))


def _flat(masks: Masks) -> tuple[int, ...]:
    return tuple(mask for group in masks for mask in group)
