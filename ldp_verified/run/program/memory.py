"""Programs that keep an answer: permanent ones in cells, and a new answer to them in every report.

A cell that is 0 holds nothing yet; else it holds a number plus 1. What a client keeps is drawn the
first time that it is needed, and is never kept again: `Keep` writes only to cells that are 0. The
words of permanent answers are read in every report, and are of no use where one is kept, so that
their number does not tell whether a value is a new one. Only what is drawn without a look at the
value (a function, buckets) takes words in the first report alone.
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
    Keep,
    Kept,
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
from ldp_verified.run.program.parts import fair, word_of

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 31
"""Bits of a permanent answer that one cell holds."""


def k_rr_twice(name: str, k: int, lies: tuple[int, int], width: int = 64) -> Program:
    """k-ary randomized response, kept for each value, and again of what is kept.

    Args:
        name: of the protocol.
        k: number of values, and of cells.
        lies: thresholds of each wrong answer, of the permanent step and of each report.
        width: bits of a word.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word, answer = word_of(width), Variable("answer", k + 1)
    body = _answered(word, answer, Private(), Private(), k, lies, Constant(0))
    return check(Program(name, k, width, 1, k, body, k, k + 1))


def hashed_twice(
    name: str, k: int, g: int, base: int, digits: int, lies: tuple[int, int], width: int = 64
) -> Program:
    """A function drawn once, then `k_rr_twice` of the value's bucket (LOLOHA).

    Args:
        name: of the protocol.
        k: number of values.
        g: number of buckets.
        base: in which digits of values are written.
        digits: how many a value has, so many coefficients has a function.
        lies: as in `k_rr_twice`.
        width: bits of a word.

    Returns:
        A program whose reports are the coefficients, then the bucket.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    share = (1 << width) // g
    word, answer = word_of(width), Variable("answer", g + 1)
    bucket, rest, each = Variable("bucket", g), Variable("rest", k), Variable("each", digits)
    coefficient = Variable("coefficient", g)
    drawn = (*fair(word, share * g - 1, width), Keep(each, word // share + 1))
    step = (
        When(Kept(each).at_most(0), drawn),
        *(Assign(coefficient, less_one(Kept(each), g)), Store(each, coefficient)),
        Assign(bucket, (bucket + coefficient * (rest % base)) % g),
        Assign(rest, rest // base),
    )
    body = (
        *(Assign(bucket, Constant(0)), Assign(rest, Private()), Loop(each, digits, step)),
        *_answered(word, answer, bucket, bucket + digits, g, lies, Constant(digits)),
    )
    return check(Program(name, k, width, digits + 1, g, body, digits + g, g + 1))


def bits_twice(
    name: str,
    sets: Sequence[Sequence[int]],
    m: int,
    permanent: tuple[int, int],
    again: tuple[int, int],
    width: int = 64,
    lanes: int = 64,
    chunk: int = CHUNK,
) -> Program:
    """Bits of a value, each randomized once and kept, and again in every report (L-SUE).

    Args:
        name: of the protocol.
        sets: for each value the bits that it sets.
        m: number of bits.
        permanent: thresholds of a kept 1 for a bit that is set, and for one that is not;
            0..2^width.
        again: thresholds of a reported 1 for a bit that is kept as 1, and as 0; 0..2^width.
        width: bits of a word.
        lanes: bits in one number of the report.
        chunk: bits in one cell.

    Returns:
        A program whose reports are the packed bits.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    k, chunks, blocks = len(sets), -(-m // chunk), -(-m // lanes)
    word = word_of(width)
    part, lane, bits = (
        Variable("part", chunks),
        Variable("lane", chunk),
        Variable("bits", 1 << chunk),
    )
    cell = Variable("cell", k * chunks)
    at = Variable("at", chunks * chunk)
    is_set = (ProgramEntry(packed_sets(sets, m, chunk), cell) >> lane) & 1
    drawn = Assign(bits, bits | (coin(word, is_set, permanent, width) << lane))
    kept_bit = (bits >> lane) & 1
    slot = at // lanes
    reported = Store(slot, Slot(slot) | (coin(word, kept_bit, again, width) << (at % lanes)))

    def within(*steps: Assign | Store) -> Loop:
        """Steps for each bit that a chunk has."""
        inner: Block = (Draw(word), *steps)
        if m % chunk:
            inner = (When(at.less(m), inner),)
        return Loop(lane, chunk, (Assign(at, part * chunk + lane), *inner))

    each_part: Block = (
        Assign(cell, Private() * chunks + part),
        *(Assign(bits, Constant(0)), within(drawn)),
        When(Kept(cell).at_most(0), (Keep(cell, bits + 1),)),
        *(Assign(bits, less_one(Kept(cell), 1 << chunk)), within(reported)),
    )
    body = (Loop(part, chunks, each_part),)
    kept_below = (1 << chunk) + 1
    return check(Program(name, k, width, blocks, 1 << lanes, body, k * chunks, kept_below))


def packed_sets(sets: Sequence[Sequence[int]], m: int, size: int) -> tuple[int, ...]:
    """Masks of the bits, of m, that each value sets: `size` bits in each mask."""
    return tuple(
        sum(1 << (bit - start) for bit in {*each} if start <= bit < start + size)
        for each in sets
        for start in range(0, m, size)
    )


def sampled_bits(
    name: str, k: int, b: int, d: int, cells: tuple[int, int], width: int = 64
) -> Program:
    """d of b buckets, drawn once, and a kept bit of each for every place of the value (dBitFlip).

    Args:
        name: of the protocol.
        k: number of values.
        b: number of buckets; value x is in bucket floor(x b/k).
        d: how many a client reports on.
        cells: thresholds of a 1 for the own bucket, and for another one.
        width: bits of a word.

    Returns:
        A program whose reports are 2 bucket + bit, buckets rising.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    share = (1 << width) // b
    word, count, hit = word_of(width), Variable("count", b + 1), Variable("hit", 2)
    bucket, each, own = Variable("bucket", b), Variable("each", b), Variable("own", b)
    number, memory = Variable("number", d + 1), Variable("memory", d + 1)
    turn, cell, bit = Variable("turn", d), Variable("cell", b + (d + 1) * d), Variable("bit", 3)
    owned, others = (_one_below(word, each_cell, width) for each_cell in cells)
    chosen = (
        *(*fair(word, share * b - 1, width), Assign(bucket, word // share)),
        *(Assign(hit, (Kept(bucket) ^ 1) & 1), Keep(bucket, Constant(1))),
        Assign(count, (count + hit) % (b + 1)),
    )
    listed = (
        Store(number % d, each * 2),
        When(own.unequal(each), (), (Assign(memory, number),)),
        Assign(number, (number + 1) % (d + 1)),
    )
    drawn = (Assign(bit, Choice(memory.unequal(turn), others, owned) + 1), Keep(cell, bit))
    body = (
        Assign(count, Constant(0)),
        Loop(each, b, (Assign(count, (count + Kept(each)) % (b + 1)),)),
        When(count.less(d), (Retry(chosen, Constant(d).at_most(count)),)),
        *(
            Assign(own, Private() * b // k),
            Assign(memory, Constant(d)),
            Assign(number, Constant(0)),
        ),
        Loop(each, b, (When(Kept(each).unequal(0), listed),)),
        Loop(
            *(turn, d),
            (
                *(Draw(word), Assign(cell, memory * d + turn + b)),
                When(Kept(cell).at_most(0), drawn),
                Store(turn, (Slot(turn) >> 1) * 2 + (Kept(cell) >> 1)),
            ),
        ),
    )
    return check(Program(name, k, width, d, 2 * b, body, b + (d + 1) * d, 3))


def _answered(
    word: Variable,
    answer: Variable,
    truth: Expression,
    cell: Expression,
    k: int,
    lies: tuple[int, int],
    place: Expression,
) -> Block:
    """The kept answer about one of k truths, and the report of it."""
    first, second = lies
    lied = (Assign(answer, word // first + 1),)
    drawn = (
        When(word.at_most(k * first - 1), lied, (Assign(answer, truth + 1),)),
        Keep(cell, answer),
    )
    return (
        Draw(word),
        When(Kept(cell).at_most(0), drawn),
        *(Assign(answer, less_one(Kept(cell), k)), Draw(word)),
        When(
            word.at_most(k * second - 1),
            *((Store(place, word // second),), (Store(place, answer % k),)),
        ),
    )


def less_one(number: Expression, below: int) -> Expression:
    """Return what was kept: a number in 1..below less 1; it is no 0 where this is asked."""
    return (number + below) % (below + 1) % below


def coin(word: Variable, bit: Expression, thresholds: tuple[int, int], width: int) -> Expression:
    """1 with the first threshold / 2^width where the bit is 1, else with the second."""
    one, zero = (_one_below(word, each, width) for each in thresholds)
    return Choice(bit.unequal(0), one, zero)


def _one_below(word: Variable, threshold: int, width: int) -> Expression:
    """1 for a word below the threshold, which may have all words below it, or none."""
    if threshold in (0, 1 << width):
        return Constant(threshold >> width)
    return Choice(word.less(threshold), Constant(1), Constant(0))
