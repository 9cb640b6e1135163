"""Private values as the caller gives them -> indices 0..k-1, or an error.

Error messages give the position and the type of an offending value, never the value: it is private,
    and messages end up in logs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np

from ldp_verified.errors import DomainError, LdpError, ParameterError, type_name
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels.draw import within
from ldp_verified.scalars import size_of, utf8_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Label = str | int
MOST_LABELS = 1 << 24
"""Each label is an object of Python's."""

AMONG = "must be one of the categories"
"""What is asked of a value where there are labels."""

_NEVER = (bool, np.timedelta64)
"""Subclasses of an integer type that are no values."""

_PLAIN = (float, int, np.ndarray)
"""Types, not their subclasses, of which numpy makes an array that says what it holds."""

DOUBLE_BYTES = 8

MOST_NAMED = 8
"""Values of a table's own domain that an error names."""

Categories = Sequence[str] | Sequence[int] | Mapping[str, int] | Mapping[int, int]
"""Labels for 0..k-1: a sequence in that order, or a mapping from each label to its index."""


def check_categories(categories: object, k: int) -> tuple[Label, ...]:
    """The k labels in the order of their indices.

    Raises:
        ParameterError: not a sequence or mapping, not k different strings or integers, or indices
            other than 0..k-1.
    """
    if k > MOST_LABELS:
        raise ParameterError("categories", f"must be at most {MOST_LABELS} labels", k)
    if isinstance(categories, Mapping):
        if len(categories) != k:
            raise ParameterError("categories", f"must have k = {k} labels", len(categories))
        indices = list(categories.values())
        wrong = wrong_type(indices, (int, np.integer))
        if wrong is not None or sorted(indices) != list(range(k)):
            raise ParameterError("categories", f"must map its labels to 0..{k - 1}, each once")
        labels = sorted(categories, key=categories.__getitem__)
    else:
        if isinstance(categories, range) and size_of(categories) != k:
            raise ParameterError("categories", f"must have k = {k} labels", categories)
        labels = as_list(categories, "categories", ParameterError)
    if len(labels) != k:
        raise ParameterError("categories", f"must have k = {k} labels", len(labels))
    wrong = wrong_type(labels, (str, int, np.integer))
    if wrong is not None:
        raise ParameterError(f"categories[{wrong}]", "must be a string or integer", labels[wrong])
    for place, label in enumerate(labels):
        if isinstance(label, str) and utf8_of(label) is None:
            raise ParameterError(f"categories[{place}]", "must be a text that UTF-8 can hold")
    plain = tuple(str(label) if isinstance(label, str) else int(label) for label in labels)
    if len(set(plain)) != k:
        raise ParameterError("categories", f"must be {k} different labels")
    return plain


def digest_of(labels: object) -> str:
    """Return the SHA-256, in hex, of the labels' JSON list, to stand for them."""
    return hashlib.sha256(json.dumps(list(cast("Sequence[Label]", labels))).encode()).hexdigest()


def index_of(labels: Sequence[Label] | None, *, own: bool) -> dict[Label, int] | None:
    """Find the index of each value that is accepted; None where these are 0..k-1.

    Args:
        labels: of 0..k-1, or None.
        own: whether they are a table's own domain and not given. Then 0..k-1 are accepted too,
            unless one of them is the label of another place, and so would have two meanings.
    """
    if labels is None:
        return None
    index = {label: i for i, label in enumerate(labels)}
    plain: dict[Label, int] = {i: i for i in range(len(labels))}
    clear = own and all(index.get(i, i) == i for i in plain)
    return plain | index if clear else index


def rule_of(own: Sequence[Label] | None) -> str:
    """Say what is asked of a label: a table's own domain is named, as far as it is short."""
    if own is None:
        return AMONG
    shown = ", ".join(map(repr, own[:MOST_NAMED]))
    return f"must be one of {shown}{', ...' if len(own) > MOST_NAMED else ''}"


def encode_one(value: object, k: int, index: Mapping[Label, int] | None) -> int:
    """One value as an index.

    Args:
        value: an integer 0..k-1, or a label where there are labels.
        k: the number of values.
        index: label -> index, or None where values are indices themselves.

    Raises:
        DomainError: anything else.
    """
    rule = f"must be an integer in 0..{k - 1}" if index is None else AMONG
    allowed = (int, np.integer) if index is None else (str, int, np.integer)
    if isinstance(value, _NEVER) or not isinstance(value, allowed):
        raise DomainError("value", rule, type(value))
    found = int(value) if index is None else index.get(cast("Label", value), -1)
    if not 0 <= found < k:
        raise DomainError("value", rule)
    return found


def encode(
    values: object, k: int, index: Mapping[Label, int] | None, labelled: str = AMONG
) -> NDArray[np.integer[Any]]:
    """One value or a one-dimensional array-like of them, as indices.

    Args:
        values: integers 0..k-1, or labels where there are labels. A scalar counts as a batch of
            one.
        k: the number of values.
        index: label -> index, or None where values are indices themselves.
        labelled: what is asked of a label, for messages.

    Columns of Arrow, Polars and pandas are read through the Arrow C interface, without a copy
    where they are integers in one piece.

    Returns:
        An integer dtype, shape (n,); integers in a numpy array are not copied.

    Raises:
        DomainError: anything else: out of the domain, nan, a float, a bool, a string without
            labels, a null, masked, not one-dimensional.
    """
    array: NDArray[Any]
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        from ldp_verified.run.realize import columns

        if index is not None:
            return columns.label_indices(values, index, labelled)
        values = columns.integers(values, f"must be an integer in 0..{k - 1}")
    elif index is not None:
        return _encode_labels(values, index, labelled)
    rule = f"must be an integer in 0..{k - 1}"
    if hasattr(values, "__array__"):
        array = _as_array(values, "values", DomainError)
        if array.size == 0:
            return np.zeros(0, dtype=np.int64)  # np.array([]) is float64
        if array.dtype.kind not in "iu":
            raise DomainError("values", rule, type_name(array))
    else:
        scalar = not isinstance(values, list | tuple | range)
        if isinstance(values, range) and size_of(values) > k:
            raise DomainError("values", rule)
        items = [values] if scalar else as_list(values, "values", DomainError)
        wrong = wrong_type(items, (int, np.integer))
        if wrong is not None:
            raise DomainError("values" if scalar else f"values[{wrong}]", rule, type(items[wrong]))
        if items and not 0 <= min(items) <= max(items) < k:
            outside = next(i for i, item in enumerate(items) if not 0 <= item < k)
            raise DomainError("values" if scalar else f"values[{outside}]", rule)
        array = np.array(items, dtype=np.int64)
    # No temporary arrays; the position of a wrong value is only looked for once there is one.
    if array.size and not within(array, k):
        first = int(((array < 0) | (array >= k)).argmax())
        raise DomainError(f"values[{first}]", rule)
    return array


def is_integer_array(values: object) -> TypeGuard[NDArray[np.integer[Any]]]:
    """Return whether `encode` gives the values back as they are, if all are in the domain."""
    return type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iu"


def _encode_labels(
    values: object, index: Mapping[Label, int], rule: str
) -> NDArray[np.integer[Any]]:
    if is_integer_array(values) and values.dtype != np.uint64 and len(values) > len(index):
        return _encode_integers(values, index, rule)
    scalar = isinstance(values, str | int | np.generic)
    if isinstance(values, range) and size_of(values) > len(index):
        raise DomainError("values", "must be among the categories")
    items: list[Any] = [values] if scalar else as_list(values, "values", DomainError)
    wrong = wrong_type(items, (str, int, np.integer))
    if wrong is not None:
        raise DomainError("values" if scalar else f"values[{wrong}]", rule, type(items[wrong]))
    found = [index.get(item, -1) for item in items]
    if -1 in found:
        raise DomainError("values" if scalar else f"values[{found.index(-1)}]", rule)
    return np.array(found, dtype=np.int64)


def _encode_integers(
    values: NDArray[np.integer[Any]], index: Mapping[Label, int], rule: str
) -> NDArray[np.integer[Any]]:
    """Look up a long array at once, where Python would make an object of each number."""
    k = len(set(index.values()))
    if within(values, k) and all(index.get(i) == i for i in range(k)):
        return values  # indices already
    held = np.iinfo(np.int64)
    known = sorted(v for v in index if isinstance(v, int) and held.min <= v <= held.max)
    labels = np.array(known or [0], dtype=np.int64)
    places = np.array([index[v] for v in known] or [-1], dtype=np.int64)
    at = np.minimum(np.searchsorted(labels, values), len(labels) - 1)
    found = np.where(labels[at] == values, places[at], -1)
    if found.min() < 0:
        raise DomainError(f"values[{int(found.argmin())}]", rule)
    return found


def value_array(
    values: Any, argument: str = "values", error: type[LdpError] = DomainError
) -> NDArray[Any]:
    """Return the values as an array of any kind and number of axes.

    Raises:
        DomainError: it has a mask, which nobody would look at, truth values among numbers, or
            anything else among texts; it is reports, which are no values; or it makes no array.
    """
    if type(values) in _PLAIN:  # what nearly all calls give: it needs no closer look
        return np.asarray(values)
    kinds = {type(values), *_kinds_within(values)}
    rule = "must be values, none of them masked, a truth value or a report"
    if any(issubclass(kind, np.ma.MaskedArray | Reports) for kind in kinds):
        raise error(argument, rule, type(values))
    try:
        found = np.asarray(values)
    except Exception:  # whatever the object's own conversion raises
        found = None
    if found is None:
        raise error(argument, "must be a number or an array of them", type(values))
    # numpy takes a truth value for a number where numbers stand beside it.
    if found.dtype.kind in "iuf" and any(issubclass(kind, bool | np.bool_) for kind in kinds):
        raise error(argument, rule, type(values))
    # And it makes a text of a number where texts stand beside it.
    held = [kind for kind in kinds if not issubclass(kind, list | tuple)]
    texts = [issubclass(kind, str | bytes) for kind in held]
    if found.dtype.kind in "US" and any(texts) and not all(texts):
        raise error(argument, "must be all texts, or none", type(values))
    return found


def integer_rows(values: Any, columns: int, argument: str = "values") -> NDArray[Any]:
    """Return integers of shape (n, columns) as an array; an empty list is one of no users.

    Raises:
        DomainError: as `value_array`; or another shape or kind, which are said, and no value is.
    """
    found = value_array(values, argument)
    if found.shape == (0,):
        return np.empty((0, columns), dtype=np.int64)
    if found.ndim != 2 or found.shape[1] != columns or found.dtype.kind not in "iu":
        rule = f"must be integers of shape (n, {columns})"
        raise DomainError(argument, rule, f"{type_name(found)} of shape {found.shape}")
    return found


def _kinds_within(values: object) -> set[type]:
    """The types of what a list, or a list of lists, holds."""
    if not isinstance(values, list | tuple):
        return set()
    kinds = set(map(type, values))
    if any(issubclass(kind, list | tuple) for kind in kinds):
        for part in values:
            kinds |= set(map(type, part)) if isinstance(part, list | tuple) else set()
    return kinds


def number_array(values: Any, most_axes: int, *, copy: bool = True) -> NDArray[np.float64]:
    """Private numbers as doubles.

    Args:
        values: a number or an array-like of them. most_axes: how many axes it may have.
        copy: whether doubles in a numpy array are copied; not where they are only read, at once.

    Raises:
        DomainError: something else than numbers, or more axes.
    """
    found = value_array(values)
    if found.dtype.kind not in "iuf":
        raise DomainError("values", "must be numbers", f"{type(values)} of {type_name(found)}")
    if found.ndim > most_axes:
        raise DomainError("values", f"must have at most {most_axes} axes", found.shape)
    if found.itemsize <= DOUBLE_BYTES:
        return found.astype(np.float64)
    with np.errstate(all="ignore"):  # what no double holds becomes infinite, and is refused as such
        return found.astype(np.float64, copy=copy)


def vector_rows(array: NDArray[np.float64], d: int) -> NDArray[np.float64]:
    """Private vectors as rows, (n, d): an array of one axis is one vector, or none at all.

    Raises:
        DomainError: the array has another shape.
    """
    if array.shape[:1] == (0,):
        return array.reshape(0, d)
    rows = array[None, :] if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] != d:
        raise DomainError("values", f"must have the shape (n, {d})", array.shape)
    return rows


def holder_counts(counts: object, n: int) -> NDArray[np.integer[Any]]:
    """How many users of a population hold each of n values.

    Raises:
        ParameterError: they are not n integers, or one is negative; none is shown.
    """
    found = value_array(counts, "counts", ParameterError)
    if not found.size:  # an empty list has no kind of its own
        found = found.astype(np.int64)
    if found.shape != (n,):
        raise ParameterError("counts", f"must have the shape ({n},)", found.shape)
    if found.dtype.kind not in "iu":
        raise ParameterError("counts", "must be integers", type_name(found))
    if n and int(found.min()) < 0:
        raise ParameterError("counts", "must not be negative")
    return found


def _as_array(
    values: Any, argument: str, error: type[DomainError | ParameterError]
) -> NDArray[Any]:
    """An array or numpy scalar as an array of one axis."""
    array = value_array(values, argument, error)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim != 1:
        raise error(argument, "must have one axis", array.shape)
    return array


def as_list(values: Any, argument: str, error: type[DomainError | ParameterError]) -> list[Any]:
    """A sequence as a list of Python objects; numpy scalars in arrays become Python's."""
    if isinstance(values, list | tuple | range):
        return list(values)
    if hasattr(values, "__array__"):
        return list(_as_array(values, argument, error).tolist())
    raise error(argument, "must be a one-dimensional array or sequence", type(values))


def wrong_type(items: list[Any], allowed: tuple[type, ...]) -> int | None:
    """The first position whose type is none of those allowed, a bool, or a duration."""
    bad = {t for t in set(map(type, items)) if not issubclass(t, allowed) or issubclass(t, _NEVER)}
    if not bad:
        return None
    return next(i for i, item in enumerate(items) if type(item) in bad)
