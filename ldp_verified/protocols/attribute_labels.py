"""Attributes of tuples: the number of values of each, or its labels; and users' tuples of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.values import MOST_LABELS, Label, check_categories, encode, index_of
from ldp_verified.scalars import size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

MOST_ATTRIBUTES = 1 << 12

Size = int | tuple[Label, ...]
"""The number of values of an attribute, which are 0, ..., k - 1; or its labels, in order."""


def checked_sizes(sizes: Sequence[Size]) -> tuple[Size, ...]:
    """The sizes, with labels as tuples.

    Raises:
        ParameterError: they are no such sizes.
    """
    if not isinstance(sizes, tuple | list):
        rule = "must be a tuple, with a number of values or the labels for each attribute"
        raise ParameterError("sizes", rule, sizes)
    count = check_integer("len(sizes)", len(sizes), 1, MOST_ATTRIBUTES)
    return tuple(_checked_size(f"sizes[{j}]", sizes[j]) for j in range(count))


def _checked_size(where: str, size: object) -> Size:
    if not isinstance(size, tuple | list | range):
        return check_integer(where, size, 2, 1 << 32)
    labels = check_integer(f"len({where})", size_of(size), 2, MOST_LABELS)
    try:
        return check_categories(size, labels)
    except ParameterError as error:
        raise ParameterError(where, f"must be different labels: {error}") from None


def encoded_columns(
    records: Any, encoders: Mapping[str, Callable[[Any], NDArray[Any]]]
) -> tuple[NDArray[np.int64], ...]:
    """The columns of some names, int64 (n,) each.

    Args:
        records: name -> the values of all users: a mapping, or a data frame.
        encoders: name -> what makes integers of a column, or raises a `DomainError`.

    Raises:
        DomainError: a column is missing, of another length, or has other values, which are not
            shown.
    """
    found = []
    for name, encoder in encoders.items():
        try:
            held = records[name]
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            rule = f"must be a mapping or data frame with a column {name!r}"
            raise DomainError("records", rule, type(records)) from None
        try:
            found.append(encoder(held).astype(np.int64))
        except DomainError as error:
            raise DomainError(f"records[{name!r}]", f"has other values: {error}") from None
    lengths = {len(column) for column in found}
    if len(lengths) > 1:
        raise DomainError("records", "must have columns of one length", sorted(lengths))
    return tuple(found)


def labelled(part: RoundedTable, size: Size) -> RoundedTable:
    """The mechanism of an attribute, with its labels where it has some."""
    if not isinstance(size, tuple) or not isinstance(part, RoundedTable):
        return part
    return type(part)(**{**part.arguments, "categories": size})


def check_made(make: object, parts: Callable[[], tuple[object, ...]]) -> None:
    """Refuse what makes no mechanism of an attribute.

    Raises:
        ParameterError: it is not to be called, or makes something else.
    """
    rule = "must make the mechanism of an attribute from its epsilon and its number of values"
    if not callable(make) or (isinstance(make, type) and not issubclass(make, RoundedTable)):
        raise ParameterError("make", rule, type(make))
    wrong = [part for part in parts() if not isinstance(part, RoundedTable)]
    if wrong:
        raise ParameterError("make", rule, type(wrong[0]))


def has_length(row: object, d: int) -> bool:
    """Return whether this is a list, a tuple or an array of so many, whatever they are."""
    if isinstance(row, np.ndarray):
        return row.ndim > 0 and len(row) == d
    return isinstance(row, list | tuple) and len(row) == d


def encoded_rows(values: Any, sizes: tuple[Size, ...]) -> NDArray[np.int64]:
    """The values of all users as int64 of shape (n, d).

    Args:
        values: a list of tuples, an array or a data frame. sizes: of the attributes.

    Raises:
        DomainError: they are something else; no value is shown.
    """
    d, rows = len(sizes), values
    if hasattr(rows, "to_numpy"):  # a data frame
        rows = rows.to_numpy()
    if not isinstance(rows, list | tuple | np.ndarray):
        rule = f"must be a list of tuples, an array or a data frame of shape (n, {d})"
        raise DomainError("values", rule, type(values))
    if getattr(rows, "ndim", 1) == 0 or not all(has_length(row, d) for row in rows):
        raise DomainError("values", f"must be of shape (n, {d})")
    columns = []
    for j, size in enumerate(sizes):
        column = [row[j] for row in rows]
        k = len(size) if isinstance(size, tuple) else size
        index = index_of(size, own=False) if isinstance(size, tuple) else None
        try:
            columns.append(encode(column, k, index).astype(np.int64))
        except DomainError as error:
            rule = f"has other values than attribute {j}: {error}"
            raise DomainError(f"values[:, {j}]", rule) from None
    return np.stack(columns, axis=1)
