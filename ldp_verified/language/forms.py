"""Table forms: the few ways in which a spec states P(y|x).

`Matrix`: every probability written out. `Design`: two probabilities over a balanced incidence
structure. `Bits`: independent output bits over an encoder. Further forms stand in files of their
own. Each form knows its expressions and its pair tables, nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
import sympy

from ldp_verified.errors import SpecError
from ldp_verified.kinds import TableForm
from ldp_verified.language.bloom import Bloom
from ldp_verified.language.density import Density
from ldp_verified.language.expressions import expression
from ldp_verified.language.layout import CellLayout
from ldp_verified.language.levels import Levels
from ldp_verified.language.names import check_labels
from ldp_verified.language.noise import Noise
from ldp_verified.language.pair_table import LazyPairTables, PairRow, PairTable
from ldp_verified.language.points import Points
from ldp_verified.language.structures import HashedOneHot, OneHot, Structure

MOST_CELLS = 2**21
"""Cells of a matrix: 1024 x 2048."""

MOST_PAIR_ROWS = 64
"""Matrices with more rows in all their pair tables together are treated by column."""

MOST_SHOWN = 144
"""Cells of a matrix that is still shown in full."""


@dataclass(frozen=True, repr=False)
class Matrix:
    """An explicit table: `rows[i][j]` is P(output j | input i).

    Attributes:
        rows: d rows of m expressions each (a nested sequence or a sympy matrix).
        inputs, outputs: labels; default 0..d-1 and 0..m-1.
        support: for each output, the inputs that it supports. Default: output label = input label
            (the diagonal) where the labels agree, none otherwise.
        layout: the distinct cells, and where they stand.
    """

    rows: tuple[tuple[Any, ...], ...]
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    support: tuple[frozenset[Any], ...] | None
    layout: CellLayout = field(compare=False)

    def __init__(
        self,
        rows: Any,
        *,
        inputs: Sequence[Any] | None = None,
        outputs: Sequence[Any] | None = None,
        support: Sequence[Any] | None = None,
    ) -> None:
        """Check the shape and freeze the cells.

        Raises:
            SpecError: fewer than two rows, more than `MOST_CELLS` cells, ragged rows, labels that
                do not fit or repeat, a cell that is no exact expression.
        """
        nested = rows.tolist() if isinstance(rows, sympy.MatrixBase) else rows
        try:
            size = sum(len(row) for row in nested)
        except TypeError:
            raise SpecError("rows", "must be a list of lists of cells", rows) from None
        if size > MOST_CELLS:
            raise SpecError("rows", f"must have at most {MOST_CELLS} cells in all", size)
        layout = _read_cells(nested)
        cells = layout.rows()
        ins = check_labels("inputs", inputs, len(cells))
        outs = check_labels("outputs", outputs, len(cells[0]))
        if support is not None:
            try:
                sets = tuple(frozenset(s) for s in support)
            except TypeError:
                sets = ()
            if len(sets) != len(outs) or not all(s <= set(ins) for s in sets):
                raise SpecError("support", f"must be {len(outs)} sets of inputs", support)
        elif set(ins) == set(outs):
            sets = tuple(frozenset([y]) for y in outs)
        else:
            sets = None
        fields = {"inputs": ins, "outputs": outs, "support": sets}
        for name, value in ({"rows": cells, "layout": layout} | fields).items():
            object.__setattr__(self, name, value)

    @property
    def values(self) -> int:
        """The number of input values."""
        return len(self.inputs)

    @property
    def written_out(self) -> bool:
        """Return whether its pair tables are few enough to be listed row by row.

        Larger tables are looked at by column: see `prove.certificates.columns`.
        """
        d, m = len(self.inputs), len(self.outputs)
        return d * (d - 1) * m <= MOST_PAIR_ROWS

    @property
    def shown_in_full(self) -> bool:
        """Return whether cells, pairs and weights are few enough to be read."""
        return len(self.inputs) * len(self.outputs) <= MOST_SHOWN

    def cells(self) -> dict[str, Any]:
        """The distinct cells, named c0, c1, ... in reading order."""
        return {f"c{i}": cell for i, cell in enumerate(self.layout.cells)}

    def with_cells(self, cells: Mapping[str, Any]) -> Matrix:
        """This table's pattern of equal cells with other values, by the names of `cells()`."""
        moved = tuple(expression(name, cells[name]) for name in self.cells())
        return self._laid_out(CellLayout(moved, self.layout.index).merged())

    def map(self, function: Callable[[Any], Any]) -> Matrix:
        """The form with `function` applied once to every distinct cell that is no number."""
        if not self.layout.symbolic:
            return self

        def move(cell: Any) -> Any:
            return cell if cell.is_Rational else expression("cell", function(cell))

        moved = self.layout.map(move)
        return self if moved is self.layout else self._laid_out(moved)

    def _laid_out(self, layout: CellLayout) -> Matrix:
        """A matrix of other cells with the labels and the support of this one."""
        made = object.__new__(Matrix)
        for name in ("inputs", "outputs", "support"):
            object.__setattr__(made, name, getattr(self, name))
        object.__setattr__(made, "rows", layout.rows())
        object.__setattr__(made, "layout", layout)
        return made

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it first stands, expression) for every distinct cell that is no number."""
        for (i, j), cell in self.layout.symbolic:
            yield f"table.rows[{i}][{j}]", cell

    def pair_tables(self) -> Sequence[PairTable]:
        """One pair table for every ordered pair of rows; every output is a class of its own.

        They are made when looked at: there are d*(d-1) of them.
        """
        return LazyPairTables(len(self.inputs), self._pair_table)

    def _pair_table(self, i: int, j: int) -> PairTable:
        x, x2 = self.inputs[i], self.inputs[j]
        rows = tuple(
            PairRow(
                f"y = {y}",
                sympy.Integer(1),
                self.rows[i][column],
                self.rows[j][column],
                None if self.support is None else x in self.support[column],
                None if self.support is None else x2 in self.support[column],
            )
            for column, y in enumerate(self.outputs)
        )
        return PairTable(f"x = {x}, x' = {x2}", rows, (x, x2))

    def __repr__(self) -> str:
        """Labels and cells; a large table by its distinct cells and a digest of their places."""
        labels = f"inputs={self.inputs!r}, outputs={self.outputs!r}, support={self.support!r}"
        if self.shown_in_full:
            return f"Matrix(rows={self.rows!r}, {labels})"
        cells = ", ".join(map(str, self.layout.cells))
        places = hashlib.sha256(self.layout.index.tobytes()).hexdigest()
        return f"Matrix({self.layout.index.shape}, cells=({cells}), places={places}, {labels})"


def _read_cells(nested: Any) -> CellLayout:
    """Every cell as an expression; equal ones are looked at once."""
    cells: list[Any] = []
    places: dict[Any, int] = {}

    def place(i: int, j: int, cell: Any) -> int:
        # Numbers by numerator and denominator: hashing sympy's own is slow.
        if isinstance(cell, sympy.Rational):
            key: Any = (cell.p, cell.q)
        elif isinstance(cell, sympy.Basic):
            key = cell
        else:
            return place(i, j, expression(f"rows[{i}][{j}]", cell))
        found = places.get(key)
        if found is None:
            read = expression(f"rows[{i}][{j}]", cell)
            found = places[key] = len(cells)
            cells.append(read)
        return found

    rows = [[place(i, j, cell) for j, cell in enumerate(row)] for i, row in enumerate(nested)]
    if len(rows) < 2:
        raise SpecError("rows", "must state at least two inputs, one row each", len(rows))
    if len({len(row) for row in rows}) != 1 or not rows[0]:
        raise SpecError("rows", "must all have the same length >= 1", [len(row) for row in rows])
    return CellLayout(tuple(cells), np.array(rows, np.int32))


@dataclass(frozen=True)
class Design:
    """Two probabilities over a balanced incidence structure.

    An output is a block, and supports the values it contains.

    Attributes:
        blocks: b, the number of outputs.
        containing: r, how many of them contain a given value.
        together: lambda, how many contain two given values.
        inside, outside: P(y|x) for a block y that contains x, and for one that does not.
        structure: the concrete blocks; without it the table cannot be expanded or sampled.
        values: the number of input values; that of the structure where there is one.
    """

    blocks: Any
    containing: Any
    together: Any
    inside: Any
    outside: Any
    structure: Structure | None = None
    values: Any = None

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression, or a number of values beside a
                structure that has another.
        """
        for name in ("blocks", "containing", "together", "inside", "outside"):
            object.__setattr__(self, name, expression(name, getattr(self, name)))
        if self.structure is not None:
            inside = expression("structure.values", self.structure.values)
            if self.values is not None and expression("values", self.values) != inside:
                raise SpecError("values", f"must be those of the structure, {inside}", self.values)
            object.__setattr__(self, "values", inside)
        elif self.values is not None:
            object.__setattr__(self, "values", expression("values", self.values))

    @property
    def counts_vary(self) -> bool:
        """Return whether b, r or lambda mention a parameter."""
        return any(c.free_symbols for c in (self.blocks, self.containing, self.together))

    def cells(self) -> dict[str, Any]:
        """The cells by name: inside, outside."""
        return {"inside": self.inside, "outside": self.outside}

    def with_cells(self, cells: Mapping[str, Any]) -> Design:
        """This structure with other cells."""
        return replace(self, inside=cells["inside"], outside=cells["outside"])

    def map(self, function: Callable[[Any], Any]) -> Design:
        """The form with `function` applied to every expression."""
        mapped = {where.removeprefix("table."): function(v) for where, v in self.expressions()}
        mapped["values"] = None if self.values is None else function(self.values)
        structure = None if self.structure is None else self.structure.map(function)
        return replace(self, **mapped, structure=structure)

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) for counts and cells."""
        for name in ("blocks", "containing", "together", "inside", "outside"):
            yield f"table.{name}", getattr(self, name)

    def pair_tables(self) -> tuple[PairTable, ...]:
        """The one pair table of a balanced design."""
        b, r, both = self.blocks, self.containing, self.together
        one, zero = self.inside, self.outside
        return (
            PairTable(
                "any two values",
                (
                    PairRow("blocks with x and x'", both, one, one, True, True),
                    PairRow("blocks with x only", r - both, one, zero, True, False),
                    PairRow("blocks with x' only", r - both, zero, one, False, True),
                    PairRow("blocks with neither", b - 2 * r + both, zero, zero, False, False),
                ),
            ),
        )


@dataclass(frozen=True)
class Bits:
    """Independent output bits.

    The encoder turns x into bits, each of which is randomized on its own; bit v supports value v,
    or, of a hashed encoding, the values that the function of the report sends to v.

    Attributes:
        one: P(output bit is 1 | encoded bit is 1). zero: P(output bit is 1 | encoded bit is 0).
        encoder: what the bits are.
    """

    partial: ClassVar[bool] = True
    """The rows are of some bits; the others have the same law under both inputs."""

    one: Any
    zero: Any
    encoder: OneHot | HashedOneHot | Bloom

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        for name in ("one", "zero"):
            object.__setattr__(self, name, expression(name, getattr(self, name)))
        if not isinstance(self.encoder, OneHot | HashedOneHot | Bloom):
            raise SpecError("encoder", "must be OneHot, HashedOneHot or Bloom", self.encoder)

    @property
    def values(self) -> Any:
        """The number of input values."""
        return self.encoder.values

    def cells(self) -> dict[str, Any]:
        """The cells by name: one, zero."""
        return {"one": self.one, "zero": self.zero}

    def with_cells(self, cells: Mapping[str, Any]) -> Bits:
        """This encoder with other cells."""
        return replace(self, one=cells["one"], zero=cells["zero"])

    def map(self, function: Callable[[Any], Any]) -> Bits:
        """The form with `function` applied to every expression."""
        return Bits(function(self.one), function(self.zero), self.encoder.map(function))

    def expressions(self) -> Iterator[tuple[str, Any]]:
        """(where it stands, expression) for both cells."""
        yield "table.one", self.one
        yield "table.zero", self.zero

    def pair_tables(self) -> tuple[PairTable, ...]:
        """One-hot encodings of x and x' differ in bits x and x' only.

        The other bits have the same distribution under both inputs and sum to 1. So it is under
        each hash function that tells x and x' apart; under the others no bit differs.
        """
        if isinstance(self.encoder, Bloom):
            return self.encoder.pair_tables(self.one, self.zero)
        rows: list[PairRow] = []
        times, share = sympy.Integer(1), sympy.Integer(1)
        if isinstance(self.encoder, HashedOneHot):
            functions, alike = self.encoder.functions, 1 / self.encoder.buckets
            times, share = functions * (1 - alike), 1 / functions
            for name, cell, bit in (("1", self.one, True), ("0", 1 - self.one, False)):
                own = share * cell
                rows.append(PairRow(f"shared bit = {name}", functions * alike, own, own, bit, bit))
        for bit_x in (True, False):
            for bit_x2 in (True, False):
                under_x = (self.one if bit_x else 1 - self.one) * (
                    self.zero if bit_x2 else 1 - self.zero
                )
                under_x2 = (self.zero if bit_x else 1 - self.zero) * (
                    self.one if bit_x2 else 1 - self.one
                )
                name = f"bit x = {int(bit_x)}, bit x' = {int(bit_x2)}"
                rows.append(PairRow(name, times, share * under_x, share * under_x2, bit_x, bit_x2))
        return (PairTable("any two values", tuple(rows)),)


Line = Density | Noise
"""The forms of numeric mechanisms: distributions on the line, with no pair tables."""

Form = Matrix | Design | Bits | Levels | Points | Density | Noise


def form_of(table: Form) -> TableForm:
    """Return the name of a table's form, as rules of checkers are looked up by it."""
    if isinstance(table, Bits):
        encoded = {HashedOneHot: TableForm.HASHED, Bloom: TableForm.BLOOM}
        return encoded.get(type(table.encoder), TableForm.BITS)
    return TableForm(type(table).__name__)


def sizes(form: Form) -> Iterator[tuple[str, Any]]:
    """(where it stands, expression) for the number of values and the sizes of the structure."""
    if isinstance(form, Matrix | Line):
        return
    part = form.encoder if isinstance(form, Bits) else form.structure
    if form.values is not None:
        yield "table.values", form.values
    for each in fields(part) if part is not None else ():
        value = getattr(part, each.name)
        if isinstance(value, sympy.Basic):
            yield f"table.{type(part).__name__}.{each.name}", value
