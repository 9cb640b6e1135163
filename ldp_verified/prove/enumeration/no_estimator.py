"""Parameters at which a table has no unbiased estimator, irrational ones included.

The determinant of an explicit table, or p* - q*, is a quotient of polynomials along a line through
the domain. Its roots in the domain are the places where no estimator exists. Everything is taken
from cells and from the table written out: no pair table is read.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_mat, fmpq_poly

from ldp_verified.language.forms import Bits, Design, Matrix
from ldp_verified.prove.enumeration.exact_values import NotExpandableError, UndefinedCellError
from ldp_verified.prove.enumeration.expand import ExpandedTable, expand_form
from ldp_verified.prove.enumeration.lines import ParameterLine, lines
from ldp_verified.prove.enumeration.points import structure_symbols
from ldp_verified.prove.enumeration.real_roots import Root, value_at, whole
from ldp_verified.prove.enumeration.witnesses import PointPlace
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism

MOST_INPUTS = 24
"""Determinants of more rows of polynomials would take minutes."""

ZERO = fmpq_poly([0])


def no_estimator(mechanism: Mechanism) -> Witness | None:
    """A place in the domain where no linear estimator is unbiased; None where none was found.

    Raises:
        ArithmeticError: the polynomial and the table written out contradict each other.
    """
    form = mechanism.algebraic_table
    fixed = set().union(*structure_symbols(form))
    for symbol in mechanism.variables:
        if symbol in fixed or not any(symbol in e.free_symbols for _, e in form.expressions()):
            continue
        for line in lines(mechanism, symbol):
            witness = _on(mechanism, line)
            if witness is not None:
                return witness
    return None


def _on(mechanism: Mechanism, line: ParameterLine) -> Witness | None:
    try:
        gap = _gap(mechanism.algebraic_table, line)
    except (NotExpandableError, UndefinedCellError, ZeroDivisionError):
        return None
    if gap is None:
        return None
    poles = [line.quotient(cell)[1] for _, cell in mechanism.algebraic_table.expressions()]
    places, roots = line.places([whole(polynomial) for polynomial in (gap, *poles)])
    for value in places:
        if gap(_flint(value)) == 0:
            point = line.at(value)
            try:
                place = PointPlace(mechanism, point, expand_form(mechanism.algebraic_table, point))
            except (NotExpandableError, UndefinedCellError):
                continue
            if isinstance(place.estimator, str):
                said = place.estimator
                return place.witness({"reason": said}, f"no unbiased estimator: {said}")
    for root in roots:
        factor = fmpq_poly(list(root.factor))
        if gap % factor != ZERO or any(pole % factor == ZERO for pole in poles):
            continue  # It is a root of something else, or the table has no value there.
        if _confirmed(mechanism, line, gap, root):
            return _witness(mechanism, line, root)
    return None


def _witness(mechanism: Mechanism, line: ParameterLine, root: Root) -> Witness:
    name = line.symbol.name
    at = root.describe(name)
    what = "the determinant of the table is 0"
    if not isinstance(mechanism.algebraic_table, Matrix):
        what = "p* = q*"
    elif len(mechanism.algebraic_table.inputs) != len(mechanism.algebraic_table.outputs):
        what = "the rank of the table is below the number of inputs"
    return Witness(
        {s.name: str(v) for s, v in line.point.items() if s != line.symbol} | {name: at},
        {"reason": what},
        f"no unbiased estimator at {name} = the {at}: {what} there",
    )


def _flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _gap(form: Any, line: ParameterLine) -> fmpq_poly | None:
    """A polynomial that is 0 exactly where no estimator exists (or a cell has no value)."""
    if isinstance(form, Matrix):
        return _determinant(form, line)
    if isinstance(form, Bits):
        top, _ = line.quotient(form.one - form.zero)
        return top
    if isinstance(form, Design):
        ends = []
        for cells in ({"inside": 1, "outside": 0}, {"inside": 0, "outside": 1}):
            spread = _spread(expand_form(form.with_cells(cells), line.point))
            if spread is None:
                return None
            ends.append(spread)
        a, b = line.quotient(form.inside)
        c, d = line.quotient(form.outside)
        return _flint(ends[0]) * a * d + _flint(ends[1]) * c * b
    return None


def _spread(table: ExpandedTable) -> Fraction | None:
    """p* - q* of a table; None where they are not the same for all pairs."""
    mass = table.supported_mass
    if mass is None:
        return None
    size = range(len(mass))
    found = {mass[x][x] - mass[x][v] for x in size for v in size if v != x}
    return found.pop() if len(found) == 1 else None


def _determinant(form: Matrix, line: ParameterLine) -> fmpq_poly | None:
    """Return the determinant of the table, or of table times transpose, up to a factor.

    The factor, from the denominators, is not 0 where every cell has a value.
    """
    count = len(form.inputs)
    if count > MOST_INPUTS:
        return None
    cells = [line.quotient(cell) for cell in form.layout.cells]
    rows: list[list[fmpq_poly]] = []
    for places in form.layout.index.tolist():
        common = fmpq_poly([1])
        for i in sorted(set(places)):
            common = common * cells[i][1] / common.gcd(cells[i][1])
        rows.append([cells[i][0] * (common / cells[i][1]) for i in places])
    if count != len(form.outputs):
        rows = [[sum((a * b for a, b in zip(x, y, strict=True)), ZERO) for y in rows] for x in rows]
    return _eliminated(rows)


def _eliminated(rows: list[list[fmpq_poly]]) -> fmpq_poly:
    """The determinant up to its sign, by Bareiss: every division leaves no rest."""
    previous = fmpq_poly([1])
    for i in range(len(rows) - 1):
        pivot = next((j for j in range(i, len(rows)) if rows[j][i] != ZERO), None)
        if pivot is None:
            return ZERO
        rows[i], rows[pivot] = rows[pivot], rows[i]
        top = rows[i]
        for row in rows[i + 1 :]:
            for j in range(i + 1, len(rows)):
                row[j] = (row[j] * top[i] - row[i] * top[j]) / previous
        previous = top[i]
    return rows[-1][-1]


def _confirmed(mechanism: Mechanism, line: ParameterLine, gap: fmpq_poly, root: Root) -> bool:
    """Return whether the table, expanded at both rational ends of the interval, confirms the gap.

    What was found along the line must be 0 there exactly where the written-out table has no
    estimator, and p* - q* must change its sign with it.

    Raises:
        ArithmeticError: it does not.
    """
    form = mechanism.algebraic_table
    signs = []
    for end in (root.low, root.high):
        try:
            table = expand_form(form, line.at(end))
        except (NotExpandableError, UndefinedCellError):
            return False
        written = _gram(table) if isinstance(form, Matrix) else _spread(table)
        if written is None:
            return False
        found = value_at(whole(gap), end)
        if (found == 0) != (written == 0):
            raise ArithmeticError(f"{mechanism.name}: the table at {line.at(end)} says otherwise")
        signs.append(((found > 0) - (found < 0), (written > 0) - (written < 0)))
    (a, b), (c, d) = signs
    if not isinstance(form, Matrix) and a * c != b * d:
        raise ArithmeticError(f"{mechanism.name}: signs beside {root} contradict each other")
    return True


def _gram(table: ExpandedTable) -> Fraction:
    """The determinant of the table times its transpose: 0 exactly without an estimator."""
    size = range(len(table.inputs))
    rows = [
        [
            sum(
                (Fraction(c.multiplicity * c.weights[x] * c.weights[y]) for c in table.columns),
                Fraction(0),
            )
            for y in size
        ]
        for x in size
    ]
    found = fmpq_mat([[_flint(v) for v in row] for row in rows]).det()
    return Fraction(int(found.p), int(found.q))
