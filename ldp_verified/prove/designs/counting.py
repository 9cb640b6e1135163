"""The class counts for all sizes: the rows of a statement against what its outputs count up to.

Rows are read from the text of the statement, and compared as rational functions with those that
follow from the outputs themselves. Outputs are the blocks of a structure, the bits of two values,
or the columns of a matrix. What a structure's blocks count up to is listed once, below; each entry
is a theorem of `proofs/lib` (Singletons, Hashing, Structures, BloomClasses, Hyperplanes) for all
sizes. A structure that is not listed is not decided here. It reads the same statement as the
certificate, and is of its group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Any

import sympy

from ldp_verified.kinds import FINITE, Kind
from ldp_verified.language.bloom import Bloom
from ldp_verified.language.forms import Bits, Design, Form, Matrix
from ldp_verified.language.levels import Levels
from ldp_verified.language.points import Points
from ldp_verified.language.structures import (
    Blocks,
    HadamardBlocks,
    HadamardSigns,
    HashBlocks,
    HashedOneHot,
    HashedSigns,
    Hyperplanes,
    LinearBlocks,
    OneHot,
    Singletons,
    Subsets,
)
from ldp_verified.prove.certificates.polynomials import ExpressionError, Fraction, Ring
from ldp_verified.prove.enumeration.incidence import counted
from ldp_verified.prove.registry import Rules

Counts = tuple[Any, Any, Any]
"""(blocks, those with a given value, those with two given values)."""


@dataclass(frozen=True)
class ComparedCounts:
    """The result of the comparison.

    Attributes:
        shown: the rows are those of the outputs, for all sizes.
        differs: which of them are not, as rational functions; empty where it cannot tell.
    """

    shown: bool
    differs: str = ""


UNDECIDED = ComparedCounts(shown=False)


def counts_of(structure: Any) -> Counts | None:
    """Return the class counts of a structure, for all of its sizes; None if none are listed.

    Nor are there any where a number stands for what the sizes determine, and is another one.
    """
    if structure is not None and not _determined(structure):
        return None
    match structure:
        case Singletons(values=k):
            return k, sympy.Integer(1), sympy.Integer(0)
        case HashBlocks(buckets=g, functions=m) | LinearBlocks(prime=g, functions=m):
            return m * g, m, m / g
        case Subsets(values=k, size=w, subsets=number):
            return number, number * w / k, number * w * (w - 1) / (k * (k - 1))
        case HadamardBlocks(order=order):
            return order, order / 2, order / 4
        case HadamardSigns(order=order):
            return 2 * order, order, order / 2
        case HashedSigns(buckets=rows, functions=m):
            return 2 * m * rows, m * rows, m * (rows + 1) / 2
        case Hyperplanes(prime=q, vectors=number):
            b, r, both = ((number / q**i - 1) / (q - 1) for i in range(3))
            return b, r, both
        case Blocks():
            return _listed(structure)
    return None


def _determined(structure: Any) -> bool:
    """Return whether what the sizes determine is a symbol, or the number that it is."""
    number = structure.determined
    if number is None or not number.is_number:
        return True
    sizes = structure.sizes
    if not all(size.is_Integer and size > 0 for size in (*sizes.values(), number)):
        return False
    whole = {name: int(size) for name, size in sizes.items()}
    if isinstance(structure, HashBlocks):
        whole = {"k": whole["k"], "buckets": whole["g"]}
        structure = HashedOneHot(structure.values, structure.buckets, structure.functions)
    return structure.admits(whole) and counted(structure, whole) == int(number)


def _listed(structure: Blocks) -> Counts | None:
    """Every value and every pair of a list of blocks, one by one; None where they differ."""
    once = Counter(x for block in structure.blocks for x in block)
    twice = Counter(p for block in structure.blocks for p in combinations(sorted(block), 2))
    single = {once[x] for x in range(structure.values)}
    double = {twice[pair] for pair in combinations(range(structure.values), 2)}
    if len(single) > 1 or len(double) > 1:
        return None
    counts = len(structure.blocks), single.pop(), double.pop()
    return sympy.Integer(counts[0]), sympy.Integer(counts[1]), sympy.Integer(counts[2])


COUNTING: Rules[Any] = Rules("counting")


@COUNTING.rule((Kind.CLASS_COUNTS,), FINITE)
def compare(form: Form, statement: Mapping[str, Any]) -> ComparedCounts:
    """Return whether the rows that a statement lists are those of a form's outputs.

    Args:
        form: in algebraic form. statement: see `obligations`.
    """
    try:
        if isinstance(form, Points):
            return _formulas(form, statement)
        rows = _expected(form)
        if rows is None:
            return UNDECIDED
        return _matrix(form, statement) if isinstance(form, Matrix) else _rows(rows, statement)
    except ExpressionError:
        return UNDECIDED


Flags = tuple[bool | None, bool | None]
Row = tuple[Any, Any, Any]
"""(count, P(y|x), P(y|x'))."""

Rows = dict[tuple[str, Flags], Row]
"""(the row's name, whether its outputs support x and whether x') -> the row."""

ANY = ""
"""The key of the rows of every pair of inputs, where pairs do not differ."""


def _expected(form: Form) -> dict[str, Rows] | None:
    """The rows of each kind of pair of inputs; None where nobody says what they are."""
    match form:
        case Matrix():
            return {}
        case Design(structure=structure):
            counts = counts_of(structure)
            return None if counts is None else {ANY: _design(counts, form.inside, form.outside)}
        case Bits(encoder=OneHot()):
            return {ANY: _bits(form.one, form.zero, 1, 1)}
        case Bits(encoder=Bloom(hashes=h)):
            return _bloom(form.one, form.zero, h)
        case Bits(encoder=HashedOneHot(buckets=m, functions=number)):
            # Two values meet in one bucket under one function in m.
            apart = _bits(form.one, form.zero, number * (m - 1) / m, 1 / number)
            for name, cell, bit in (("1", form.one, True), ("0", 1 - form.one, False)):
                apart[f"shared bit = {name}", (bit, bit)] = (
                    number / m,
                    cell / number,
                    cell / number,
                )
            return {ANY: apart}
        case Levels():
            # The others are left out, which is right only where they are at some level.
            if sympy.cancel(sympy.together(sum(form.unheld) - 1)) != 0:
                return None
            alone = _levels(form)
            # Coordinates are independent, and a third one is at some level.
            third = {
                key: (count, px * sum(form.unheld), px2 * sum(form.unheld))
                for key, (count, px, px2) in alone.items()
            }
            return {
                "any two values": alone,
                "any two values, beside a third coordinate": third,
            }
    return None


def _design(counts: Counts, inside: Any, outside: Any) -> Rows:
    b, r, both = counts
    return {
        ("blocks with x and x'", (True, True)): (both, inside, inside),
        ("blocks with x only", (True, False)): (r - both, inside, outside),
        ("blocks with x' only", (False, True)): (r - both, outside, inside),
        ("blocks with neither", (False, False)): (b - 2 * r + both, outside, outside),
    }


def _bloom(one: Any, zero: Any, hashes: int) -> dict[str, Rows]:
    """Rows by how many bits only x sets, and only x': 0 where all bits of one are the other's.

    Then they share one bit at least, so the other has at most h - 1 of its own.
    """

    def chance(cell: Any, size: int, reported: int) -> Any:
        return cell**reported * (1 - cell) ** (size - reported)

    return {
        f"{a} bits of x only, {b} bits of x' only": {
            (f"{i} of {a} and {j} of {b} reported", (None, None)): (
                sympy.Integer(comb(a, i) * comb(b, j)),
                chance(one, a, i) * chance(zero, b, j),
                chance(zero, a, i) * chance(one, b, j),
            )
            for i, j in product(range(a + 1), range(b + 1))
        }
        for a, b in product(range(hashes + 1), repeat=2)
        if min(a, b) > 0 or 0 < max(a, b) < hashes
    }


def _bits(one: Any, zero: Any, count: Any, share: Any) -> Rows:
    """Bit x is the one that x sets and x' does not; the other way round for bit x'."""

    def chance(bit: bool, cell: Any) -> Any:
        return cell if bit else 1 - cell

    return {
        (f"bit x = {int(a)}, bit x' = {int(b)}", (a, b)): (
            count,
            share * chance(a, one) * chance(b, zero),
            share * chance(a, zero) * chance(b, one),
        )
        for a in (True, False)
        for b in (True, False)
    }


def _levels(form: Levels) -> Rows:
    """The levels of two coordinates, one of them the value's."""
    votes = form.supporting
    flags = [None if votes is None else a in votes for a in range(len(form.held))]
    return {
        (f"x at level {a}, x' at level {b}", (flags[a], flags[b])): (
            1,
            form.held[a] * form.unheld[b],
            form.unheld[a] * form.held[b],
        )
        for a, b in product(range(len(form.held)), repeat=2)
    }


def _rows(known: Mapping[str, Rows], statement: Mapping[str, Any]) -> ComparedCounts:
    same = _comparison(statement)
    pairs = [table["pair"] for table in statement["pair_tables"]]
    if ANY not in known and sorted(pairs) != sorted(known):
        return ComparedCounts(shown=False, differs="the statement has other pairs of inputs")
    for table in statement["pair_tables"]:
        expected = known[ANY if ANY in known else table["pair"]]
        stated = {(r["outputs"], (r["supports_x"], r["supports_x2"])): r for r in table["rows"]}
        if len(stated) != len(table["rows"]) or stated.keys() != expected.keys():
            return ComparedCounts(shown=False, differs="the statement has other rows")
        for key, values in expected.items():
            for field, value in zip(("count", "px", "px2"), values, strict=True):
                text = stated[key][field]
                if not same(text, value):
                    said = f"{key[0]}: {field} is stated as {text}, and is {value}"
                    return ComparedCounts(shown=False, differs=said)
    return ComparedCounts(shown=bool(statement["pair_tables"]))


def _formulas(form: Points, statement: Mapping[str, Any]) -> ComparedCounts:
    """Every formula of points on a line; there are no counts."""
    same = _comparison(statement, [symbol.name for symbol in form.symbols])
    stated, own = statement["points"], form.cells()
    if {name for name, text in stated.items() if text is not None} != {"size", *own}:
        return ComparedCounts(shown=False, differs="the statement has other formulas")
    if stated["size"] != form.size.name:
        return ComparedCounts(shown=False, differs="the statement has another number of points")
    for name, value in own.items():
        if not same(stated[name], value):
            said = f"{name} is stated as {stated[name]}, and is {value}"
            return ComparedCounts(shown=False, differs=said)
    return ComparedCounts(shown=True)


def _matrix(form: Matrix, statement: Mapping[str, Any]) -> ComparedCounts:
    """Compare every cell at its place: pair by pair, or by column where the table is large."""
    same = _comparison(statement)
    known: dict[tuple[str, Any], bool] = {}

    def equal(text: str, value: Any) -> bool:
        if (text, value) not in known:
            known[text, value] = same(text, value)
        return known[text, value]

    stated = statement.get("matrix")
    if stated is not None:
        cells, index = stated["cells"], stated["index"]
        own = form.layout.index.tolist()
        if [len(row) for row in index] != [len(row) for row in own]:
            return ComparedCounts(shown=False, differs="the statement has a table of another shape")
        there = {
            (cells[entry], form.layout.cells[ours])
            for row, mine in zip(index, own, strict=True)
            for entry, ours in zip(row, mine, strict=True)
        }
        wrong = next((pair for pair in there if not equal(*pair)), None)
        if wrong is not None:
            said = f"a cell is stated as {wrong[0]}, and is {wrong[1]}"
            return ComparedCounts(shown=False, differs=said)
        return ComparedCounts(shown=stated["support"] == _supporting(form))
    places = [(i, j) for i in range(form.values) for j in range(form.values) if i != j]
    if len(statement["pair_tables"]) != len(places):
        return ComparedCounts(shown=False, differs="the statement has other pairs of inputs")
    for (i, j), table in zip(places, statement["pair_tables"], strict=True):
        if len(table["rows"]) != len(form.outputs):
            return ComparedCounts(shown=False, differs="the statement has other outputs")
        for y, row in enumerate(table["rows"]):
            flags = _flags(form, i, y), _flags(form, j, y)
            if (row["supports_x"], row["supports_x2"]) != flags:
                said = f"{row['outputs']}: it supports other inputs"
                return ComparedCounts(shown=False, differs=said)
            cells = {"count": 1, "px": form.rows[i][y], "px2": form.rows[j][y]}
            for field, value in cells.items():
                if not equal(row[field], value):
                    said = f"{row['outputs']}: {field} is stated as {row[field]}, and is {value}"
                    return ComparedCounts(shown=False, differs=said)
    return ComparedCounts(shown=True)


def _flags(form: Matrix, i: int, y: int) -> bool | None:
    return None if form.support is None else form.inputs[i] in form.support[y]


def _supporting(form: Matrix) -> list[list[int]] | None:
    if form.support is None:
        return None
    return [[i for i, x in enumerate(form.inputs) if x in held] for held in form.support]


def _comparison(
    statement: Mapping[str, Any], more: Sequence[str] = ()
) -> Callable[[str, Any], bool]:
    """Return whether a text of the statement denotes an expression, as a rational function.

    Args:
        statement: whose variables it is in. more: further variables.
    """
    ring = Ring([*(entry["name"] for entry in statement["variables"]), *more])
    read: dict[str, Fraction] = {}

    def value(text: str) -> Fraction:
        if text not in read:
            read[text] = ring.parse(text)
        return read[text]

    def same(text: str, expression: Any) -> bool:
        return not ring.add(value(text), value(str(expression)), -1).numerator

    return same
