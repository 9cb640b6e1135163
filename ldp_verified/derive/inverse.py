"""The unbiased linear estimator of a large explicit table, found by evaluating it at points.

The inverse is guessed, not computed symbolically: exact inverses at enough rational points are
interpolated. `prove` checks the identity that it must satisfy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from flint import fmpq, fmpq_mat, fmpq_poly, fmpz_mat, nmod_mat

from ldp_verified.derive.rational import value_at
from ldp_verified.language.layout import CellLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language import Matrix

PRIMES = (2097143, 2097133, 2097131)
"""Below 2^21, so that 1024 products of residues fit in a double."""

LARGEST_INVERSE = 128
"""Exact inverses of more inputs are not written down: they have millions of digits."""

MOST_WEIGHTS = 600
"""More distinct weights in parameters are not interpolated."""

MOST_COEFFICIENTS = 2000
"""Nor are weights of more coefficients in all: their variance would take minutes."""


@dataclass(frozen=True)
class FullRank:
    """The rows are independent, so an unbiased linear estimator exists; it is not written down.

    Attributes:
        prime: the determinant of some d columns is not 0 modulo it; None where the rank was only
            seen at points.
    """

    prime: int | None

    def describe(self) -> str:
        """The reason why the estimator exists, and that it is not written down."""
        how = "at a few parameters" if self.prime is None else f"modulo {self.prime}"
        return f"the rank is full {how}; it is too large to be written down"


def table_at(form: Matrix, value: int) -> list[list[Fraction]] | None:
    """The table with numbers for its symbols, different for each; None where a cell has none."""
    symbols = sorted({s for _, cell in form.expressions() for s in cell.free_symbols}, key=str)
    point = {s: sympy.Rational(value + 10 * i, 1 + i) for i, s in enumerate(symbols)}
    values = form.layout.constants or [value_at(cell, point) for cell in form.layout.cells]
    known = [v for v in values if v is not None]
    if len(known) != len(values):
        return None
    return [[known[i] for i in row] for row in form.layout.index.tolist()]


def whole_rows(rows: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """Each row over its own denominator: as many independent rows."""
    scaled = []
    for row in rows:
        unit = lcm(*{value.denominator for value in row})
        scaled.append([value.numerator * (unit // value.denominator) for value in row])
    return scaled


def rank(form: Matrix) -> int:
    """The largest rank seen at a few values of the symbols; exact for a table of numbers."""
    found = 0
    for value in (1,) if form.layout.constants is not None else (3, 7, 12):
        rows = table_at(form, value)
        if rows is not None:
            found = max(found, int(fmpz_mat(whole_rows(rows)).rank()))
    return found


def inverse(form: Matrix) -> CellLayout | FullRank:
    """B[v, y] with sum over y of B[v, y] P(y|x) = 1 for x = v, else 0, for a table of full rank.

    Where columns are proportional to each other their outputs get equal weights, which is the
    estimator of least variance. Where it is too large, that it exists.
    """
    symbols = {s for _, cell in form.expressions() for s in cell.free_symbols}
    count = len(form.inputs)
    if count > LARGEST_INVERSE or len(symbols) > 1:
        return FullRank(_prime(form))
    classes = _proportional(form)
    found: CellLayout | None = None
    square = max(classes) + 1 == count
    if not symbols:
        found = _of_numbers(form, square, classes)
    elif square:
        found = _interpolated(form, symbols.pop(), classes)
    return FullRank(_prime(form)) if found is None else found


def _prime(form: Matrix) -> int | None:
    if form.layout.constants is None:
        return None
    rows = whole_rows(table_at(form, 1) or [])
    for prime in PRIMES:
        if nmod_mat(fmpz_mat(rows), prime).rank() == len(rows):
            return prime
    return None


def _proportional(form: Matrix) -> list[int]:
    """The number of each column's class: columns proportional at two points are alike."""
    keys: list[tuple[Any, ...]] = [()] * len(form.outputs)
    for value in (3, 7):
        rows = table_at(form, value) or []
        for y, column in enumerate(zip(*rows, strict=True)):
            top = next((v for v in column if v), Fraction(1))
            keys[y] += tuple(v / top for v in column)
    places: dict[tuple[Any, ...], int] = {}
    return [places.setdefault(key, len(places)) for key in keys]


def _merged(rows: Sequence[Sequence[Fraction]], classes: Sequence[int]) -> list[list[Fraction]]:
    """The table with the columns of each class added up."""
    result = []
    for row in rows:
        sums = [Fraction(0)] * (max(classes) + 1)
        for cls, value in zip(classes, row, strict=True):
            sums[cls] += value
        result.append(sums)
    return result


def _of_numbers(form: Matrix, square: bool, classes: Sequence[int]) -> CellLayout:
    rows = _merged(table_at(form, 1) or [], classes)
    channel = fmpq_mat([[fmpq(v.numerator, v.denominator) for v in row] for row in rows])
    if square:
        weights = channel.inv().transpose()
    else:
        outputs = range(len(rows[0]))
        means = [sum((row[y] for row in rows), Fraction(0)) for y in outputs]
        scale = [fmpq(m.denominator, m.numerator) if m else fmpq(0) for m in means]
        scaled = fmpq_mat([[channel[x, y] * scale[y] for y in outputs] for x in range(len(rows))])
        weights = (channel * scaled.transpose()).inv() * scaled
    entries = [[(int(w.p), int(w.q)) for w in row] for row in weights.tolist()]
    layout = CellLayout.of([[row[cls] for cls in classes] for row in entries])
    return CellLayout(tuple(sympy.Rational(p, q) for p, q in layout.cells), layout.index)


def _interpolated(form: Matrix, symbol: Any, classes: Sequence[int]) -> CellLayout | None:
    """The inverse as rational functions of one symbol; None where it is too large or has poles.

    With Q the table times the common denominators of its rows, det(Q) B is a matrix of polynomials
    of degree at most that of det(Q): as many exact values determine it.
    """
    cells = [_polynomials(cell, symbol) for cell in form.layout.cells]
    factors = []
    for row in form.layout.index:
        factor = sympy.Poly(1, symbol, domain=sympy.ZZ)
        for i in np.unique(row).tolist():
            factor = factor.lcm(cells[i][1])
        factors.append(factor)
    degree = sum(
        max(cells[i][0].degree() + factor.degree() - cells[i][1].degree() for i in set(row))
        for factor, row in zip(factors, form.layout.index.tolist(), strict=True)
    )
    below = [factor.degree() for factor in factors]
    needed = degree + max(below) + 2

    def table(at: int) -> tuple[fmpz_mat, list[int]]:
        values = [Fraction(int(top(at)), int(bottom(at))) for top, bottom in cells]
        rows = [[values[i] for i in row] for row in form.layout.index.tolist()]
        scale = [int(factor(at)) for factor in factors]
        merged = _merged(rows, classes)
        return fmpz_mat(
            [[int(value * f) for value in row] for row, f in zip(merged, scale, strict=True)]
        ), scale

    def solutions(at: int, inputs: Sequence[int]) -> tuple[int, list[list[Any]]] | None:
        channel, scale = table(at)
        det = int(channel.det())
        if det == 0:
            return None
        right = fmpz_mat(len(scale), len(inputs))
        for j, v in enumerate(inputs):
            right[v, j] = scale[v]
        solved: Any = channel.solve(right)
        return det, solved.transpose().tolist()

    everything = solutions(1009, range(len(form.inputs)))
    if everything is None:
        return None
    pattern = CellLayout.of([[(int(w.p), int(w.q)) for w in row] for row in everything[1]])
    weights = len(pattern.cells)
    if weights > MOST_WEIGHTS or weights * needed > MOST_COEFFICIENTS:
        return None
    inputs, sources = _covering(pattern)
    points, rows = [], []
    for at in range(2, 4 * needed):
        solved = solutions(at, inputs)
        if solved is not None:
            det, found = solved
            points.append(at)
            rows.append([fmpq(det), *(found[j][y] * det for j, y in sources)])
        if len(points) == needed:
            break
    powers = fmpz_mat([[p**e for e in range(needed)] for p in points])
    coefficients = (fmpq_mat(powers).solve(fmpq_mat(rows))).transpose().tolist()
    polynomials = [fmpq_poly(row) for row in coefficients]
    made = tuple(_ratio(top, polynomials[0], symbol) for top in polynomials[1:])
    return CellLayout(made, pattern.index[:, list(classes)])


def _polynomials(cell: Any, symbol: Any) -> tuple[Any, Any]:
    # A polynomial with fractions as coefficients has no denominator before they are put together.
    top, bottom = sympy.fraction(sympy.together(sympy.cancel(cell)))
    return tuple(sympy.Poly(part, symbol, domain=sympy.ZZ) for part in (top, bottom))


def _covering(pattern: CellLayout) -> tuple[list[int], list[tuple[int, int]]]:
    """Rows in which all entries occur, and for each entry (position of its row, column)."""
    rows: list[int] = []
    sources: dict[int, tuple[int, int]] = {}
    for v, row in enumerate(pattern.index.tolist()):
        if any(i not in sources for i in row):
            for y, i in enumerate(row):
                sources.setdefault(i, (len(rows), y))
            rows.append(v)
    return rows, [sources[i] for i in range(len(pattern.cells))]


def _ratio(top: fmpq_poly, bottom: fmpq_poly, symbol: Any) -> Any:
    """The quotient of two polynomials in lowest terms."""
    shared = top.gcd(bottom)
    parts = []
    for part in (top // shared, bottom // shared):
        unit = lcm(*(int(c.q) for c in part.coeffs()))
        parts.append((part * unit, unit))
    (upper, a), (lower, b) = parts
    contents = [gcd(*(int(c.p) for c in part.coeffs())) or 1 for part in (upper, lower)]
    whole = [
        sympy.Poly([int(c.p) // content for c in reversed(part.coeffs())] or [0], symbol).as_expr()
        for part, content in zip((upper, lower), contents, strict=True)
    ]
    return sympy.Rational(b * contents[0], a * contents[1]) * whole[0] / whole[1]
