"""The programs of numbered hash functions: cohorts, and the sketches whose rows are such functions.

They read the same words to the same end as `run.kernels.cohorts` and `run.kernels.sketch_reports`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.program.checking import check
from ldp_verified.run.program.designs import PARITY, parity
from ldp_verified.run.program.form import (
    Assign,
    Block,
    Choice,
    Constant,
    Draw,
    Loop,
    Private,
    Program,
    ProgramEntry,
    Retry,
    Store,
    Variable,
    When,
)
from ldp_verified.run.program.parts import fair, word_of
from ldp_verified.run.program.schemes import one_hot_body

if TYPE_CHECKING:
    from collections.abc import Sequence


def hash_cohorts(name: str, k: int, g: int, m: int, lie: int, width: int = 64) -> Program:
    """A uniform linear function over Z_g, and k-ary randomized response over the g buckets.

    Args:
        name: of the mechanism.
        k: number of values, at most g^m.
        g: number of buckets, a prime.
        m: digits of a value, and of a function, in base g.
        lie: threshold of each bucket, 1 <= lie and g * lie <= 2^width.
        width: bits of a word.

    Returns:
        A program whose reports are function g + bucket.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    functions = g**m
    share = (1 << width) // functions
    word, function = word_of(width), Variable("function", functions)
    bucket, rest, left = Variable("bucket", g), Variable("rest", k), Variable("left", functions)
    summed = (
        Assign(bucket, (bucket + (rest % g) * (left % g)) % g),
        *(Assign(rest, rest // g), Assign(left, left // g)),
    )
    truth = (
        *(Assign(bucket, Constant(0)), Assign(rest, Private()), Assign(left, function)),
        Loop(Variable("turn", m), m, summed),
    )
    body = (
        *(*fair(word, share * functions - 1, width), Assign(function, word // share)),
        *(Draw(word), When(word.at_most(g * lie - 1), (Assign(bucket, word // lie),), truth)),
        Store(Constant(0), function * g + bucket),
    )
    return check(Program(name, k, width, 1, functions * g, body))


def sketch_bits(
    name: str,
    k: int,
    g: int,
    base: int,
    functions: Sequence[Sequence[int]],
    one: int,
    zero: int,
    width: int = 64,
    lanes: int = 64,
) -> Program:
    """A uniform row, then g independent bits of which only that of the bucket is likely 1.

    Args:
        name: of the mechanism.
        k: number of values.
        g: number of buckets.
        base: in which digits of values are written.
        functions: the coefficients of each row.
        one: threshold of the bit of the bucket.
        zero: threshold of every other bit.
        width: bits of a threshold.
        lanes: bits in one number of the report; anything but 64 is for enumeration.

    Returns:
        A program whose reports are the row, then the packed bits.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    word_bits = max(width, lanes)
    word, bucket = word_of(word_bits), Variable("bucket", g)
    row, drawn = _row(word, len(functions), word_bits)
    bits, blocks = one_hot_body(g, bucket, (one, zero), (width, lanes), first=1)
    body = (*drawn, *_bucket_of(bucket, row, k, g, base, functions), *bits, Store(Constant(0), row))
    return check(Program(name, k, word_bits, 1 + blocks, 1 << lanes, body))


def sketch_sign(
    name: str, k: int, g: int, functions: Sequence[Sequence[int]], deny: int, width: int = 64
) -> Program:
    """A uniform row, a uniform coefficient l, and H[l, bucket], or not, with deny / 2^width.

    Args:
        name: of the mechanism.
        k: number of values.
        g: number of buckets, a power of two.
        functions: the coefficients of each row, of digits in base 2.
        deny: threshold of the other sign, 1..2^width - 1.
        width: bits of a word.

    Returns:
        A program whose reports are 2 (row g + l) for the sign +1, and one more for -1.

    Raises:
        ParameterError: the integers do not fit each other.
    """
    rows, bits = len(functions), g.bit_length() - 1
    left = width - max(1, (rows - 1).bit_length()) - bits
    first_part, rest_part = deny >> (width - left), deny & ((1 << (width - left)) - 1)
    word, bucket = word_of(width), Variable("bucket", g)
    row, drawn = _row(word, rows, width)
    column, first = Variable("column", g), Variable("first", 1 << left)
    turned = Variable("turned", 2)
    coin = (
        Choice((word >> left).less(rest_part), Constant(1), Constant(0))
        if rest_part
        else Constant(0)
    )
    known = Choice(first.less(first_part), Constant(1), Constant(0)) if first_part else Constant(0)
    # The bits of the word that are left decide, unless they are those of the threshold. Another
    # word is read in any case: that there was one would say that the sign was almost the other.
    chosen = Choice(first.unequal(first_part), known, coin)
    body = (
        *(*drawn, *_bucket_of(bucket, row, k, g, 2, functions)),
        *(Assign(column, (word >> left) & (g - 1)), Assign(first, word & ((1 << left) - 1))),
        *parity(column & bucket, g),
        *(Draw(word), Assign(turned, chosen)),
        Store(Constant(0), (row * g + column) * 2 + (PARITY ^ turned)),
    )
    return check(Program(name, k, width, 1, 2 * g * rows, body))


def _row(word: Variable, rows: int, width: int) -> tuple[Variable, Block]:
    """A row, and words until the first bits of one are a row."""
    bits = max(1, (rows - 1).bit_length())
    row = Variable("row", 1 << bits)
    steps = (Draw(word), Assign(row, word >> (width - bits)))
    return row, steps if rows == 1 << bits else (Retry(steps, row.less(rows)),)


def _bucket_of(
    bucket: Variable, row: Variable, k: int, g: int, base: int, functions: Sequence[Sequence[int]]
) -> Block:
    """The bucket of the private value in a row."""
    digits = len(functions[0])
    table = tuple(int(coefficient) for each in functions for coefficient in each)
    rest, turn = Variable("rest", k), Variable("turn", digits)
    summed = (bucket + (rest % base) * ProgramEntry(table, row * digits + turn)) % g
    steps = (Assign(bucket, summed), Assign(rest, rest // base))
    return (Assign(bucket, Constant(0)), Assign(rest, Private()), Loop(turn, digits, steps))
