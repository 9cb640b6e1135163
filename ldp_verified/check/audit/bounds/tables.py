"""An explicit table of probabilities: one row per input, one column per output."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from ldp_verified.check.audit.bounds.bounds import check_claim
from ldp_verified.check.audit.bounds.exact import ExactEpsilon, ExactResult, above, delta_above
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.files import unread


@dataclass(frozen=True)
class ExplicitTable:
    """P(y|x) in full.

    Attributes:
        inputs, outputs: labels.
        rows: one for each input; each sums to exactly 1.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        if len(self.inputs) < 2:
            raise ParameterError("table", "must have at least two inputs", len(self.inputs))
        if len(set(self.inputs)) < len(self.inputs):
            raise ParameterError("table", "must name each input once", list(self.inputs))
        for label, row in zip(self.inputs, self.rows, strict=True):
            if len(row) != len(self.outputs):
                rule = f"must have {len(self.outputs)} probabilities"
                raise ParameterError(f"row {label}", rule, len(row))
            if min(row) < 0:
                raise ParameterError(f"row {label}", "must have no negative probability", min(row))
            if sum(row) != 1:
                rule = "must sum to exactly 1 (write 1/3 rather than 0.333)"
                raise ParameterError(f"row {label}", rule, str(sum(row)))

    def tight(self) -> ExactEpsilon:
        """The largest ratio of two probabilities of one output, with the place where it is."""
        best, where = Fraction(1), (0, 1, 0)
        for y in range(len(self.outputs)):
            column = [row[y] for row in self.rows]
            high = max(range(len(column)), key=column.__getitem__)
            low = min(range(len(column)), key=column.__getitem__)
            if column[high] > 0 and column[low] == 0:
                return ExactEpsilon("one report", None, self._words(high, low, y))
            if column[low] > 0 and column[high] / column[low] > best:
                best, where = column[high] / column[low], (high, low, y)
        words = self._words(*where) if best > 1 else "every output is as likely under every input"
        return ExactEpsilon("one report", best, words)

    def _words(self, x: int, x2: int, y: int) -> str:
        return (
            f"P({self.outputs[y]} | {self.inputs[x]}) = {self.rows[x][y]}, "
            f"P({self.outputs[y]} | {self.inputs[x2]}) = {self.rows[x2][y]}"
        )


def fraction(text: str, where: str) -> Fraction:
    """An exact number: 1/3, 0.25, 1e-3.

    Raises:
        ParameterError: it is none.
    """
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise ParameterError(where, "must be a fraction or decimal", text) from None


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file that are not empty.

    Raises:
        ParameterError: it cannot be read.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file, strict=True)
            return [row for row in rows if any(cell.strip() for cell in row)]
    except OSError as error:
        raise ParameterError(str(path), unread(error)) from None
    except (UnicodeDecodeError, csv.Error):
        raise ParameterError(str(path), "is no CSV file in UTF-8 whose quotes are closed") from None


def read_table(path: Path) -> ExplicitTable:
    """A table from a CSV file: outputs in the first line, then a line for each input.

    Args:
        path: the CSV file; cells are fractions or decimals.

    Raises:
        ParameterError: there is no line of inputs, a line has another number of cells, or a cell is
            no number.
    """
    rows = read_rows(path)
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ParameterError(str(path), "must have a line of outputs, then a line for each input")
    head, *body = rows
    cells = []
    for number, row in enumerate(body, 2):
        if len(row) != len(head):
            raise ParameterError(str(path), f"must have {len(head)} cells in line {number}", row)
        place = f"{path.name}, row {row[0]}"
        cells.append(tuple(fraction(cell, f"{place}, column {y}") for cell, y in _named(row, head)))
    return ExplicitTable(
        tuple(row[0].strip() for row in body),
        tuple(cell.strip() for cell in head[1:]),
        tuple(cells),
    )


def _named(row: Sequence[str], head: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(row[1:], head[1:], strict=True))


def audit_table(
    table: ExplicitTable, name: str, epsilon: float | None = None, delta: float = 0.0
) -> ExactResult:
    """The tight eps of a table, and whether a claim holds.

    Args:
        table: P(y|x), exact. name: its name in the result.
        epsilon, delta: the claim; None for the tight eps alone.

    Raises:
        ParameterError: the claim is out of range.
    """
    tight = table.tight()
    verdict, exact_delta = None, None
    if epsilon is not None:
        check_claim(epsilon, delta)
        pairs = [(a, b) for a in table.rows for b in table.rows if a is not b]
        found = [delta_above(a, b, epsilon, delta) for a, b in pairs]
        exact_delta = max(value for _, value in found)
        broken = any(over for over, _ in found)
        if delta == 0:
            broken = tight.ratio is None or above(tight.ratio, epsilon)
        verdict = AuditVerdict.VIOLATED if broken else AuditVerdict.CONSISTENT
    return ExactResult(name, "table", epsilon, delta, "one report", (tight,), exact_delta, verdict)
