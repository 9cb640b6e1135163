"""The table that was printed to Coq, compared with the one that is enumerated.

Coq proves theorems about the definitions in a printed text. Whether these are the spec's is no
theorem: here they are read back, by a parser that shares nothing with the printer, and compared in
exact arithmetic with the expanded table at small sizes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, islice, product
from typing import Any

from ldp_verified.language import (
    Density,
    Design,
    Mechanism,
    Noise,
)
from ldp_verified.prove.coq.printed_cells import Point, exchanged, reader
from ldp_verified.prove.coq.printed_line import density_difference, noise_difference
from ldp_verified.prove.coq.reading import (
    StatementReader,
    UnreadableError,
    blocks_of,
    definition,
    hashes,
)
from ldp_verified.prove.coq.scan import blanked
from ldp_verified.prove.enumeration.drawn import PointDrawing, drawn_points
from ldp_verified.prove.enumeration.expand import (
    NotExpandableError,
    UndefinedCellError,
    complete,
    evaluate,
    expand_form,
)
from ldp_verified.prove.enumeration.points import points as fixed_points

Row = list[tuple[Fraction, bool]]

NUMBERS = ("blocks", "containing", "together", "inside", "outside")
"""The numbers that a printed design defines beside its randomizer."""

MOST_ENTRIES = 2**13
"""The most probabilities of a table that is compared."""

SMALL = 3
"""The largest size at which a table is compared at fixed points; drawn points go beyond."""

MOST, FIXED = 9, 3
"""The most points at which a table is compared, and how many of them are fixed ones."""


def small_points(mechanism: Mechanism, seed: str | None = None) -> list[Point]:
    """Points at which a printed table is compared: some fixed ones, and more that are drawn.

    Args:
        mechanism: the declaration. seed: of the drawn ones; None draws new ones.
    """
    fixed = fixed_points(mechanism, SMALL)
    drawn = drawn_points(mechanism, PointDrawing().seed if seed is None else seed, SMALL)
    chosen = fixed[:: max(1, len(fixed) // FIXED)][:FIXED]
    return [*chosen, *islice((point for point, _ in drawn), MOST - len(chosen))]


def difference(mechanism: Mechanism, text: str, points: Iterable[Point]) -> str:
    """Return where the printed table is another one than the declared table; empty where it is not.

    Args:
        mechanism: the declaration. text: printed for it. points: of its variables; those at which
            the table is small are compared.

    Raises:
        UnreadableError: there is nothing that can be compared, and why.
    """
    compared, why = 0, "no table is small enough"
    text = blanked(text)
    for point in points:
        full = dict(point)
        try:
            full = complete(mechanism.algebraic_table, point)
            wrong = _at(mechanism, text, full)
        except (NotExpandableError, UndefinedCellError) as error:
            why = str(error)
            continue
        except ZeroDivisionError:
            wrong = "it divides by zero"
        if wrong:
            at = ", ".join(f"{symbol.name} = {value}" for symbol, value in full.items())
            return f"the printed table is not the declared one at {at or 'its only point'}: {wrong}"
        compared += 1
    if not compared:
        raise UnreadableError(why)
    return ""


def _at(mechanism: Mechanism, text: str, full: Point) -> str:
    form: Any = mechanism.table
    if wrong := exchanged(text, mechanism.name):
        return wrong
    if isinstance(form, Density):
        return density_difference(mechanism, form, text, full)
    if isinstance(form, Noise):
        return noise_difference(mechanism, form, text, full)
    table = expand_form(mechanism.algebraic_table, full)
    entries = table.outputs * len(table.inputs)
    if entries > MOST_ENTRIES:
        raise NotExpandableError("table", f"must have at most {MOST_ENTRIES} entries", entries)
    read = reader(mechanism, full, text)
    algebraic: Any = mechanism.algebraic_table
    for name in NUMBERS if isinstance(form, Design) else ():
        got = read.real(definition(text, f"{mechanism.name}_{name}"))
        wanted = evaluate(getattr(algebraic, name), full)
        if got != wanted:
            return f"{name} is {got} in place of {wanted}"
    if isinstance(form, Design) and " structure " in definition(text, mechanism.name):
        return ""  # Of every structure with these numbers.
    # A table may say nothing of which values an output supports.
    declared = any(column.supports is not None for column in table.columns)
    size = range(len(table.inputs))
    printed = sorted(
        (tuple(p for p, _ in row), tuple(s and declared for _, s in row))
        for row in printed_table(mechanism, read).values()
    )
    expanded = sorted(
        (
            tuple(table.probability(column, x) for x in size),
            tuple(x in (column.supports or ()) for x in size),
        )
        for column in table.columns
        for _ in range(column.multiplicity)
    )
    if len(printed) != len(expanded):
        return f"it has {len(printed)} outputs in place of {len(expanded)}"
    for got_row, wanted_row in zip(printed, expanded, strict=True):
        if got_row[0] != wanted_row[0]:
            return f"an output has the probabilities {_listed(got_row)} in place of " + _listed(
                wanted_row
            )
        if got_row != wanted_row:
            return "an output supports other values"
    return ""


def _listed(row: tuple[tuple[Fraction, ...], tuple[bool, ...]]) -> str:
    return ", ".join(map(str, row[0][:4])) + (", ..." if len(row[0]) > 4 else "")


def printed_table(mechanism: Mechanism, read: StatementReader) -> dict[Any, Row]:
    """Output -> (probability, does it support x) for every input x, as the definitions say.

    Raises:
        UnreadableError: the randomizer is of a form that is not read.
    """
    name = mechanism.name
    words = definition(read.definitions, name).split()

    def number(suffix: str) -> Fraction:
        value = read.real(definition(read.definitions, f"{name}_{suffix}"))
        if not isinstance(value, Fraction):
            raise UnreadableError(f"{name}_{suffix}")
        return value

    def size(word: str) -> int:
        if word.isdigit():
            return int(word)
        if word not in read.values:
            raise UnreadableError(word)
        return int(read.values[word])

    def chance(ones: Iterable[Any], bits: tuple[bool, ...], start: Fraction) -> Fraction:
        one, zero = number("one"), number("zero")
        chances = ((one if place in ones else zero) for place in range(len(bits)))
        each = (p if bit else 1 - p for p, bit in zip(chances, bits, strict=True))
        return math.prod(each, start=start)

    if words[0] == "matrix":
        return _matrix(read, name)
    k = size(words[1])
    match words[0]:
        case "one_hot_bits":
            return {
                y: [(chance((x,), y, Fraction(1)), y[x]) for x in range(k)]
                for y in product((False, True), repeat=k)
            }
        case "hashed_bits":
            m = size(words[2])
            family = hashes(k, m)
            return {
                (h, y): [(chance((b,), y, Fraction(1, len(family))), y[b]) for b in buckets]
                for h, buckets in family
                for y in product((False, True), repeat=m)
            }
        case "bloom_bits":
            sets = [s for n in range(1, size(words[2]) + 1) for s in combinations(range(k), n)]
            return {
                y: [(chance(ones, y, Fraction(1)), False) for ones in sets]
                for y in product((False, True), repeat=k)
            }
        case "design":
            inside, outside = number("inside"), number("outside")
            return {
                y: [(inside if i else outside, i) for i in has]
                for y, has in _blocks(read, " ".join(words), size, k)
            }
    raise UnreadableError(f"the randomizer {words[0]}")


def _matrix(read: StatementReader, name: str) -> dict[Any, Row]:
    rows = read.real(definition(read.definitions, f"{name}_rows"))
    cells = [row for row in rows if isinstance(row, list)] if isinstance(rows, list) else []
    if not cells or len({len(row) for row in cells}) > 1:
        raise UnreadableError(f"{name}_rows")
    return {
        y: [(p, x == y) for x, row in enumerate(cells) if isinstance(p := row[y], Fraction)]
        for y in range(len(cells[0]))
    }


def _blocks(read: StatementReader, term: str, size: Any, k: int) -> list[tuple[Any, list[bool]]]:
    """The blocks of a printed design, each with whether it contains every value."""
    if listed := re.search(r"\(listed_contains (\w+)\)", term):
        lists = read.real(definition(read.definitions, listed[1]))
        blocks = [b for b in lists if isinstance(b, list)] if isinstance(lists, list) else []
        return [(y, [Fraction(x) in block for x in range(k)]) for y, block in enumerate(blocks)]
    found = re.search(r"\((\w+)((?: \w+)+)\)", term)
    if found is None:
        raise UnreadableError(term)
    return blocks_of(found[1], [size(word) for word in found[2].split()])
