"""The expanded table: P(y|x) for every input x and output y, at exact values of the parameters.

This route shares nothing with the class counts: it reads the cells and the concrete structure of
the outputs, lists the outputs one by one and writes down the probability of each. Pair tables,
block counts and whatever was derived from them are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language.forms import Bits, Design, Form, Matrix
from ldp_verified.language.levels import Levels
from ldp_verified.language.points import Points, own_symbols, span
from ldp_verified.language.structures import (
    Blocks,
    HashBlocks,
    HashedOneHot,
    HashedSigns,
    OneHot,
    Singletons,
)
from ldp_verified.prove.enumeration import incidence
from ldp_verified.prove.enumeration.encodings import (
    MOST_HASHED,
    encodings,
    hashed,
    products,
    vectors,
)
from ldp_verified.prove.enumeration.exact_values import (
    NoStructureError,
    NotExpandableError,
    Point,
    UndefinedCellError,
    cell,
    evaluate,
    exact,
    whole,
)
from ldp_verified.prove.enumeration.expanded import (
    MAX_CELLS,
    MAX_OUTPUTS,
    ExpandedColumn,
    ExpandedTable,
    check_size,
    collapse,
    scaled,
    scaled_if_short,
)

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism

__all__ = [
    "ExpandedColumn",
    "ExpandedTable",
    "NoStructureError",
    "NotExpandableError",
    "Point",
    "UndefinedCellError",
    "complete",
    "digits_of_family",
    "evaluate",
    "expand",
    "expand_form",
    "named_point",
    "probability",
]


def digits_of_family(k: int, g: int) -> tuple[int, int]:
    """(l, m) of the digit family.

    l is the smallest prime factor of g; m, at least 1, how many digits write 0..k-1 in base l.
    """
    base = next(d for d in range(2, g + 1) if g % d == 0)
    digits = 1
    while base**digits < k:
        digits += 1
    return base, digits


@lru_cache(maxsize=256)
def _hash_blocks(k: int, g: int) -> tuple[tuple[frozenset[int], int, Any], ...]:
    """Every block {x : h_a(x) = b}: (block, number of (a, b) that give it, the first of them)."""
    base, m = digits_of_family(k, g)
    written = [[x // base**i % base for i in range(m)] for x in range(k)]
    found: dict[frozenset[int], list[Any]] = {}
    for a in product(range(g), repeat=m):
        members: list[set[int]] = [set() for _ in range(g)]
        for x in range(k):
            members[sum(c * d for c, d in zip(a, written[x], strict=True)) % g].add(x)
        for b, block in enumerate(members):
            found.setdefault(frozenset(block), [0, (a, b)])[0] += 1
    return tuple((block, count, first) for block, (count, first) in found.items())


def complete(form: Form, point: Mapping[Any, Any]) -> dict[Any, Fraction]:
    """The point with the number added that the sizes of a structure determine.

    That is the size of a hash family, the number of subsets, the order of a Hadamard matrix.

    Raises:
        NoStructureError: no structure has these sizes, or the number has another value.
        NotExpandableError: a size has no value.
    """
    full = {symbol: exact(value) for symbol, value in point.items()}
    if isinstance(form, Points):
        steps = whole("size", form.size, full) - 1
        return full | {span: cell("decay", form.decay, full) ** steps}
    structure: Any = form.encoder if isinstance(form, Bits) else getattr(form, "structure", None)
    if structure is None or structure.determined is None:
        return full
    sizes = {name: whole(name, value, full) for name, value in structure.sizes.items()}
    if not structure.admits(sizes):
        at = ", ".join(f"{name} = {size}" for name, size in sizes.items())
        raise NoStructureError(type(structure).__name__, "must exist for its sizes", at)
    if isinstance(structure, HashBlocks):
        k, g = sizes["k"], sizes["g"]
        if g < 2:
            raise NoStructureError("buckets", "must be at least 2", g)
        number = Fraction(g ** digits_of_family(k, g)[1])
    else:
        number = Fraction(incidence.counted(structure, sizes))
    symbol = structure.determined
    if symbol.is_Symbol and symbol not in full:
        full[symbol] = number
    elif cell(str(structure.counted), symbol, full) != number:
        raise NoStructureError(str(structure.counted), f"must be {number} here", str(symbol))
    return full


def _blocks(design: Design, point: Point) -> tuple[int, Iterator[tuple[frozenset[int], int, Any]]]:
    """The number of values, and (block, multiplicity, first output)."""
    structure = design.structure
    if structure is None:
        raise NotExpandableError(
            "structure", "must be given: counts alone do not say what the outputs are"
        )
    if isinstance(structure, Singletons):
        k = whole("values", structure.values, point)
        return k, ((frozenset([y]), 1, y) for y in range(k))
    if isinstance(structure, Blocks):
        return structure.values, ((block, 1, y) for y, block in enumerate(structure.blocks))
    if not isinstance(structure, HashBlocks):
        sizes = {name: whole(name, value, point) for name, value in structure.sizes.items()}
        outputs = incidence.outputs(structure, sizes)
        most = MOST_HASHED if isinstance(structure, HashedSigns) else MAX_OUTPUTS
        check_size(sizes["k"], outputs, outputs, most)
        return sizes["k"], incidence.listed(structure, sizes)
    k = whole("values", structure.values, point)
    g = whole("buckets", structure.buckets, point)
    outputs = g ** (digits_of_family(k, g)[1] + 1)
    check_size(k, outputs, min(outputs, 2**k))
    return k, iter(_hash_blocks(k, g))


def _expand_matrix(form: Matrix, point: Point) -> ExpandedTable:
    d, m = form.layout.index.shape
    if d * m > MAX_CELLS:
        raise NotExpandableError("table", f"must have at most {MAX_CELLS} cells", d * m)
    places = form.layout.first_places
    cells = [
        cell(f"rows[{i}][{j}]", entry, point)
        for (i, j), entry in zip(places, form.layout.cells, strict=True)
    ]
    denominator, weights = scaled_if_short(cells, d * m)
    supported = None
    if form.support is not None:
        position = {x: i for i, x in enumerate(form.inputs)}
        supported = [frozenset(position[x] for x in values) for values in form.support]
    columns = [
        ExpandedColumn(
            j,
            1,
            tuple(weights[i] for i in column),
            None if supported is None else supported[j],
        )
        for j, column in enumerate(form.layout.index.T.tolist())
    ]
    return ExpandedTable(form.inputs, denominator, collapse(columns))


def _expand_design(form: Design, point: Point) -> ExpandedTable:
    denominator, (inside, outside) = scaled(
        [cell("inside", form.inside, point), cell("outside", form.outside, point)]
    )
    k, blocks = _blocks(form, point)
    check_size(k, 1, 1)
    columns = [
        ExpandedColumn(
            first, count, tuple(inside if x in block else outside for x in range(k)), block
        )
        for block, count, first in blocks
    ]
    check_size(k, 1, len(columns))
    return ExpandedTable(tuple(range(k)), denominator, collapse(columns))


def _expand_sketch(form: Bits, encoder: HashedOneHot, point: Point) -> ExpandedTable:
    """Every function with every vector of bits; equal functions are written out once."""
    sizes = {name: whole(name, value, point) for name, value in encoder.sizes.items()}
    k, width = sizes["k"], sizes["buckets"]
    number = incidence.counted(encoder, sizes)
    check_size(k, number * 2 ** min(width, 64), 1, MOST_HASHED)
    unit, (one, zero) = scaled([cell("one", form.one, point), cell("zero", form.zero, point)])
    columns = [ExpandedColumn(*each) for each in hashed(sizes, unit, one, zero)]
    return ExpandedTable(tuple(range(k)), number * unit**width, collapse(columns))


def _expand_bits(form: Bits, point: Point) -> ExpandedTable:
    if isinstance(form.encoder, HashedOneHot):
        return _expand_sketch(form, form.encoder, point)
    size = whole("values", form.encoder.values, point)
    if isinstance(form.encoder, OneHot):
        check_size(size, 2 ** min(size, 64), 2 ** min(size, 64))
    width, inputs = encodings(form.encoder, point)
    unit, (one, zero) = scaled([cell("one", form.one, point), cell("zero", form.zero, point)])
    rows = [products(width, ones, unit, one, zero) for _, ones in inputs]
    every = zip(vectors(width), zip(*rows, strict=True), strict=True)
    if isinstance(form.encoder, OneHot):  # No two outputs support the same values.
        columns = [ExpandedColumn(bits, 1, weights, held) for (bits, held), weights in every]
        return ExpandedTable(tuple(range(size)), unit**width, tuple(columns))
    # A bit of a Bloom encoding supports no value.
    columns = [ExpandedColumn(bits, 1, weights, None) for (bits, _), weights in every]
    return ExpandedTable(tuple(label for label, _ in inputs), unit**width, collapse(columns))


MOST_VECTORS = 2**10
"""Vectors of levels that are written out."""


def _expand_levels(form: Levels, point: Point) -> ExpandedTable:
    """Every vector of levels, the probability of each as a product over its coordinates."""
    k, number = whole("values", form.values, point), len(form.held)
    check_size(k, number ** min(k, 64), 1, MOST_VECTORS)
    unit, weights = scaled([cell(name, value, point) for name, value in form.cells().items()])
    held, unheld = weights[:number], weights[number:]
    columns = []
    for levels in product(range(number), repeat=k):
        chances = tuple(
            prod(held[a] if j == x else unheld[a] for j, a in enumerate(levels)) for x in range(k)
        )
        votes = form.supporting
        supports = None if votes is None else frozenset(j for j in range(k) if levels[j] in votes)
        columns.append(ExpandedColumn(levels, 1, chances, supports))
    return ExpandedTable(tuple(range(k)), unit**k, collapse(columns))


def _expand_points(form: Points, point: Point) -> ExpandedTable:
    """Every cell by its formula, with the powers of the decay put in."""
    k = whole("size", form.size, point)
    check_size(k, k, k)
    decay = cell("decay", form.decay, point)
    rows = []
    for x in range(k):
        row = []
        for y in range(k):
            formula, exponents = form.probability(x, y, k)
            powers = {symbol: decay**exponent for symbol, exponent in exponents.items()}
            row.append(cell(f"P({y}|{x})", formula, {**point, **powers}))
        rows.append(row)
    unit, weights = scaled([chance for row in rows for chance in row])
    columns = [ExpandedColumn(y, 1, tuple(weights[y::k]), frozenset([y])) for y in range(k)]
    return ExpandedTable(tuple(range(k)), unit, collapse(columns))


def expand_form(form: Form, point: Mapping[Any, Any]) -> ExpandedTable:
    """The expanded table of an algebraic table form, at a value for each of its symbols.

    Raises:
        NotExpandableError: see there. UndefinedCellError: a cell divides by zero at the point.
    """
    full = complete(form, point)
    if isinstance(form, Matrix):
        return _expand_matrix(form, full)
    if isinstance(form, Design):
        return _expand_design(form, full)
    if isinstance(form, Bits):
        return _expand_bits(form, full)
    if isinstance(form, Levels):
        return _expand_levels(form, full)
    if isinstance(form, Points):
        return _expand_points(form, full)
    raise NotExpandableError("table", "must have outputs that can be listed", type(form).__name__)


def named_point(mechanism: Mechanism, point: Mapping[Any, Any]) -> dict[Any, Fraction]:
    """The point by symbols, given by symbols or names; what the sizes determine is added.

    Raises:
        NotExpandableError: a name that is no variable of the mechanism, or no exact rational.
    """
    known = (*mechanism.variables, *own_symbols(mechanism.table))
    symbols = {symbol.name: symbol for symbol in known}
    given = {}
    for key, value in point.items():
        if str(key) not in symbols:
            raise NotExpandableError("point", f"must name variables among {[*symbols]}", str(key))
        given[symbols[str(key)]] = exact(value)
    return complete(mechanism.algebraic_table, given)


def expand(mechanism: Mechanism, point: Mapping[Any, Any]) -> ExpandedTable:
    """P(y|x) for all inputs and outputs at exact values of `mechanism.variables`.

    Args:
        mechanism: the mechanism.
        point: a value for every variable, by symbol or name; what the sizes determine may be left
            out.

    Raises:
        NotExpandableError: see there. UndefinedCellError: a cell divides by zero at the point.
    """
    return expand_form(mechanism.algebraic_table, named_point(mechanism, point))


def probability(mechanism: Mechanism, point: Mapping[Any, Any], x: int, y: Any) -> Fraction:
    """P(y|x) of a single output, by sympy's substitution: a second opinion on one cell.

    Args:
        mechanism: the mechanism.
        point: as in `expand`.
        x: index of the input.
        y: an output as in `Column.output`.

    Raises:
        NotExpandableError, UndefinedCellError: as for `expand`.
    """
    form = mechanism.algebraic_table
    full = named_point(mechanism, point)
    put = {symbol: sympy.Rational(v.numerator, v.denominator) for symbol, v in full.items()}
    if isinstance(form, Matrix):
        value = form.rows[x][y].subs(put)
    elif isinstance(form, Design):
        structure = form.structure
        if isinstance(structure, Singletons):
            member = x == y
        elif isinstance(structure, Blocks):
            member = x in structure.blocks[y]
        elif isinstance(structure, HashBlocks):
            k, g = int(structure.values.subs(put)), int(structure.buckets.subs(put))
            base, total, rest = digits_of_family(k, g)[0], 0, x
            for coefficient in y[0]:
                total += coefficient * (rest % base)
                rest //= base
            member = total % g == y[1]
        elif structure is not None:
            member = incidence.contains(structure, y, x)
        else:
            raise NotExpandableError("structure", "must be given")
        value = (form.inside if member else form.outside).subs(put)
    elif isinstance(form, Points):
        formula, exponents = form.probability(x, y, int(form.size.subs(put)))
        powers = {symbol: form.decay**exponent for symbol, exponent in exponents.items()}
        value = formula.subs(powers).subs(put)
    elif isinstance(form, Levels):
        chances = (form.held[a] if j == x else form.unheld[a] for j, a in enumerate(y))
        value = sympy.prod(chance.subs(put) for chance in chances)
    else:
        assert isinstance(form, Bits)
        value = sympy.Integer(1)
        if isinstance(form.encoder, HashedOneHot):
            value = 1 / form.encoder.functions.subs(put)
            ones, y = frozenset([y[0][x]]), y[1]
        else:
            ones = encodings(form.encoder, full)[1][x][1]
        for j, bit in enumerate(y):
            chance = (form.one if j in ones else form.zero).subs(put)
            value *= chance if bit else 1 - chance
    if not value.is_Rational:
        raise UndefinedCellError("cell", "is no rational number at these parameters", value)
    return Fraction(int(value.p), int(value.q))
