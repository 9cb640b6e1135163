"""Columns of Arrow, Polars or pandas, read through the Arrow C interface, as indices or integers.

As in `values`, messages give positions and types, never a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from ldp_verified.errors import DomainError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ldp_verified.run.realize.values import Label

_COLUMN = "must be a column of strings or integers"


def integers(values: object, rule: str) -> NDArray[np.integer[Any]]:
    """The numbers of a column of integers; the column's own memory where it is in one piece.

    Args:
        values: anything with `__arrow_c_stream__` or `__arrow_c_array__`.
        rule: what is asked of a value, for messages.

    Raises:
        DomainError: the column holds something else than integers, or a null.
    """
    column = _column(values, rule)
    if not pa.types.is_integer(column.type):
        raise DomainError("values", rule, str(column.type))
    _refuse_nulls(column)
    chunks = [np.asarray(chunk.to_numpy(zero_copy_only=True)) for chunk in column.chunks]
    if len(chunks) == 1:
        return chunks[0]
    return np.concatenate([np.empty(0, column.type.to_pandas_dtype()), *chunks])


def labels_of(values: object) -> list[Label]:
    """The labels in a column of strings, integers, or a dictionary of either.

    Raises:
        DomainError: another type, or a null.
    """
    column = _column(values, _COLUMN)
    _refuse_nulls(column)
    found: list[Label] = []
    for chunk in column.chunks:
        codes, labels = _dictionary(chunk, _COLUMN)
        found += [labels[code] for code in codes.tolist()]
    return found


def label_indices(values: object, index: Mapping[Label, int], rule: str) -> NDArray[np.int64]:
    """The index of each label in a column of strings, integers, or a dictionary of either.

    Labels are looked up once for each that differs, not for each row.

    Args:
        values: anything with `__arrow_c_stream__` or `__arrow_c_array__`.
        index: label -> index. rule: what is asked of a label, for messages.

    Raises:
        DomainError: another type, a null, or a label that is none of the categories.
    """
    column = _column(values, rule)
    _refuse_nulls(column)
    parts = [np.empty(0, dtype=np.int64)]
    done = 0
    for chunk in column.chunks:
        codes, labels = _dictionary(chunk, rule)
        found = np.array([*(index.get(label, -1) for label in labels), -1], dtype=np.int64)
        part = found[codes]
        if len(part) and int(part.min()) < 0:
            raise DomainError(f"values[{done + int(part.argmin())}]", rule)
        parts.append(part)
        done += len(part)
    return parts[1] if len(parts) == 2 else np.concatenate(parts)


def _column(values: Any, rule: str) -> pa.ChunkedArray[Any]:
    try:
        if hasattr(values, "__arrow_c_stream__"):
            column = pa.chunked_array(values)
        else:
            column = pa.chunked_array([pa.array(values)])
        column.validate(full=pa.types.is_dictionary(column.type))
    except Exception:  # whatever the object's own conversion raises; it may hold values
        column = None
    if column is None:
        raise DomainError("values", rule, type(values))
    return column


def _refuse_nulls(column: pa.ChunkedArray[Any]) -> None:
    if column.null_count:
        first = int(np.asarray(column.is_null().to_numpy()).argmax())
        raise DomainError(f"values[{first}]", "must not be null")


def _dictionary(chunk: pa.Array[Any], rule: str) -> tuple[NDArray[np.integer[Any]], list[Label]]:
    """The codes of a chunk's rows, and the labels that they stand for."""
    if not pa.types.is_dictionary(chunk.type):
        if pa.types.is_string_view(chunk.type):
            chunk = chunk.cast(pa.large_string())
        if not _may_be_label(chunk.type):
            raise DomainError("values", rule, str(chunk.type))
        chunk = chunk.dictionary_encode()
    encoded = cast("pa.DictionaryArray[Any, Any]", chunk)
    kind = encoded.type.value_type
    if not _may_be_label(kind):
        raise DomainError("values", rule, str(kind))
    codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=True))
    labels = encoded.dictionary.to_pylist()
    if None in labels:
        used = np.asarray(labels, dtype=object)[codes]
        if None in used:
            raise DomainError("values", "must not be null")
    return codes, cast("list[Label]", labels)


def _may_be_label(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_integer(kind)
    )
