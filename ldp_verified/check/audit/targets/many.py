"""The answer of a function of many values, taken apart into one report for each.

What such an answer carries beside its rows (a mask, the labels of an index, a name, the type of a
class of its own) is told with them. Where it belongs to a row it goes with that row. An answer that
carries anything else is no list of reports: it is read whole, for one value at a time.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from ldp_verified.check.audit.targets.outputs import PLAIN_DTYPES, settle
from ldp_verified.check.audit.targets.raising import raised
from ldp_verified.check.audit.targets.things import Thing

_LISTS = (list, tuple, str, bytes, range)


def several(function: Callable[[Any], Any], values: Any) -> Any:
    """Call a function once with many values.

    Args:
        function: many values in; a list or an array with one report for each out.
        values: what it is given.

    Returns:
        An array of numbers, or a list with the reports as `settle` gives them; else the exception,
        or an answer that is no list of reports, as a `Thing`.
    """
    try:
        found = function(values)
        rows = parted(found)
        if rows is None:
            return Thing("no list of reports", ("answer",), (settle(found),))
        return [*map(settle, rows)] if type(rows) is list else rows
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return raised(error, settle)


def alone(function: Callable[[Any], Any], value: Any) -> Any:
    """Return the output for one value of a function that takes many, as a batch of one.

    Args:
        function: of many values.
        value: the one.

    Returns:
        The only row of its answer, or the whole answer where that is no list of one report.
    """
    found = function(batch_of([value]))
    rows = parted(found)
    return rows[0] if rows is not None and len(rows) == 1 else found


def batch_of(values: Any) -> Any:
    """Return values as a function of many takes them: an array where all are whole numbers."""
    if all(type(value) is int and abs(value) < 1 << 62 for value in values):
        import numpy as np

        return np.array(values, dtype=np.int64)
    return list(values)


def parted(found: Any) -> Any:
    """Take an answer apart.

    Args:
        found: what a function of many values gave.

    Returns:
        A list of rows, each with all that the answer says about it; an array of numbers as it is;
        None for an answer that carries more than rows.
    """
    kind = type(found)
    if kind in _LISTS or isinstance(found, Iterator):
        return list(found)
    own = sys.modules.get("ldp_verified.run.aggregate.reports")
    if own is not None and isinstance(found, own.SentReports):
        return list(found)
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and isinstance(found, numpy.ndarray):
        if found.ndim == 0 or found.dtype.metadata:
            return None
        if kind is numpy.ndarray:
            return found if found.dtype.kind in PLAIN_DTYPES else list(found)
        if kind is numpy.ma.MaskedArray:
            return [found[i : i + 1].copy() for i in range(len(found))]
        return None
    if pandas is not None and kind is pandas.Series:
        return _series(found, pandas)
    return None


def _series(found: Any, pandas: Any) -> Any:
    """Take a column of pandas apart; labels that are more than places go with their rows."""
    index = found.index
    beside = (found.name, found.attrs, index.name, not found.flags.allows_duplicate_labels)
    if any(part not in (None, {}, False) for part in beside) or isinstance(
        index, pandas.MultiIndex
    ):
        return None
    numbers = found.to_numpy()
    plain = getattr(found.dtype, "kind", "") in PLAIN_DTYPES and numbers.dtype == found.dtype
    rows = numbers if plain else found.to_list()
    if type(index) is pandas.RangeIndex and index.equals(pandas.RangeIndex(len(found))):
        return rows
    pairs = zip(index.to_list(), rows, strict=True)
    return [Thing("row of a Series", ("label", "value"), pair) for pair in pairs]
