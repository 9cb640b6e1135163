"""Numbers that programs give, one row for each report, as reports of what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ReportError, check_kind
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.realize.values import value_array
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.layouts import Layout

    Rows = NDArray[np.uint64]
    Kind = tuple[Layout, Identity]


def columns_of(layout: Layout) -> int:
    """Count the numbers of a report of a layout.

    Args:
        layout: of a mechanism.
    """
    return sum(field.columns for field in layout.shape.fields)


def checked_rows(numbers: object, columns: int, simulated: bool) -> Rows:
    """The numbers as uint64, shape (n, columns).

    Args:
        numbers: rows of integers. columns: of a row. simulated: whether a seed drew them.

    Raises:
        ReportError: they are no such rows. ParameterError: `simulated` is no bool.
    """
    check_kind("simulated", simulated, bool)
    rule = f"must be integers in 0..2^64 - 1, of shape (n, {columns})"
    given = numbers if isinstance(numbers, np.ndarray) else _of_lists(numbers, rule)
    array = value_array(given, "numbers", ReportError)  # refuses masks
    if array.shape[1:] != (columns,) or array.dtype.kind not in "iu":
        raise ReportError("numbers", rule, array.shape)
    if array.dtype.kind == "i" and array.size and int(array.min()) < 0:
        raise ReportError("numbers", rule)
    return array.astype(np.uint64)


def _of_lists(numbers: object, rule: str) -> NDArray[np.uint64]:
    """Lists of integers as an array: those above 2^63 beside others would become floats."""
    try:
        found = np.array(numbers, dtype=object)
        if all(is_integer(each) for each in found.flat):
            return found.astype(np.uint64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ReportError("numbers", rule, type(numbers))


def rows_as_reports(rows: Rows, kind: Kind, simulated: bool) -> Reports:
    """Rows as reports of one kind.

    Args:
        rows: the numbers of each report. kind: its layout and identity. simulated: as they are.

    Raises:
        ReportError: they are no reports of it.
    """
    layout, identity = kind
    shape, width = layout.shape, columns_of(layout)
    largest = np.iinfo(shape.dtype).max
    if rows.size and int(rows.max()) > largest:  # it would wrap around
        raise ReportError("numbers", f"must have numbers of at most {largest}")
    found: NDArray[Any] = np.ascontiguousarray(rows[:, :width]).astype(shape.dtype)
    return Reports(layout.check(found[:, 0] if shape.flat else found), identity, simulated)


def reports_on(numbers: object, kind: Kind, simulated: bool) -> Reports:
    """Rows of the numbers of one report.

    Args:
        numbers: integers. kind: of the reports. simulated: whether a seed drew them.

    Raises:
        ReportError: they are no such rows. ParameterError: `simulated` is no bool.
    """
    rows = checked_rows(numbers, columns_of(kind[0]), simulated)
    return rows_as_reports(rows, kind, simulated)


def reports_on_each(numbers: object, kinds: Sequence[Kind], simulated: bool) -> tuple[Reports, ...]:
    """Rows of the numbers of several reports, one after the other, as these.

    Args:
        numbers: integers. kinds: of the reports in a row. simulated: whether a seed drew them.

    Raises:
        ReportError: they are no such rows. ParameterError: `simulated` is no bool.
    """
    widths = [columns_of(layout) for layout, _ in kinds]
    rows, found, start = checked_rows(numbers, sum(widths), simulated), list[Reports](), 0
    for kind, width in zip(kinds, widths, strict=True):
        found.append(rows_as_reports(rows[:, start : start + width], kind, simulated))
        start += width
    return tuple(found)


def reports_on_one(numbers: object, kinds: Sequence[Kind], simulated: bool) -> tuple[Reports, ...]:
    """Rows that begin with the place of what they report on, as the reports on each.

    Args:
        numbers: integers: a place, the numbers of a report, zeros up to the longest one.
        kinds: of the reports. simulated: whether a seed drew them.

    Raises:
        ReportError: they are no such rows. ParameterError: `simulated` is no bool.
    """
    widths = [columns_of(layout) for layout, _ in kinds]
    rows, found = checked_rows(numbers, 1 + max(widths), simulated), list[Reports]()
    chosen = rows[:, 0]
    if len(rows) and int(chosen.max()) >= len(kinds):
        raise ReportError("numbers", f"must begin with a number in 0..{len(kinds) - 1}")
    for place, (kind, width) in enumerate(zip(kinds, widths, strict=True)):
        own = rows[chosen == np.uint64(place), 1:]
        if own[:, width:].any():
            raise ReportError("numbers", "must be zero beyond the numbers of a report")
        found.append(rows_as_reports(own, kind, simulated))
    return tuple(found)
