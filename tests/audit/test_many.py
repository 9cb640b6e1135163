"""Answers of functions of many values: a bit beside the values is read with each report."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.keys import key
from ldp_verified.check.audit.targets.many import alone, parted, several
from ldp_verified.check.audit.targets.sources import from_bulk
from ldp_verified.check.audit.targets.things import Thing


class Labelled(list[int]):
    """A list with something beside its items."""

    beside: list[int]


def labelled(values: Sequence[int]) -> Labelled:
    found = Labelled([0] * len(values))
    found.beside = list(values)
    return found


def noted(values: Sequence[int]) -> Any:
    return np.zeros(len(values), np.dtype("i8", metadata={"of": list(values)}))


BESIDE: dict[str, Callable[[Sequence[int]], Any]] = {
    "mask": lambda values: np.ma.array([0] * len(values), mask=[v == 1 for v in values]),
    "index": lambda values: pd.Series([0] * len(values), index=list(values)),
    "name": lambda values: pd.Series([0] * len(values), name=str(list(values))),
    "values of a dictionary": lambda values: {i: int(v) for i, v in enumerate(values)},
    "metadata": noted,
    "attribute": labelled,
    "structure": lambda values: np.array([(0, v) for v in values], dtype="i4,i4"),
    "length of a queue": lambda values: deque([0] * len(values), len(values) + int(values[0])),
}
"""Functions that give 0 for every value, and that value beside it."""


@pytest.mark.parametrize("name", [*BESIDE])
def test_what_stands_beside_the_values_is_read(name: str) -> None:
    """A value in clear, whatever is drawn: of 400 samples all speak for their input."""
    found = audit(from_bulk(BESIDE[name], (0, 1), name), Claim(1.0, n=800), seed=1)
    assert found.verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize(
    "make", [list, tuple, iter, np.array, pd.Series, lambda rows: np.array(rows, dtype=object)]
)
def test_a_list_of_reports_is_taken_apart(make: Callable[[list[int]], Any]) -> None:
    rows = several(lambda values: make([int(v) for v in values]), [3, 4])
    assert [int(each) for each in rows] == [3, 4]
    assert int(alone(lambda values: make([int(v) for v in values]), 5)) == 5


def _given(found: Any, _: Sequence[int]) -> Any:
    return found


def test_a_report_does_not_hold_its_place() -> None:
    """Rows of equal reports are equal: a slice says nothing about where it was."""
    for found in (np.ma.array([7, 7], mask=[True, True]), pd.Series([7, 7], index=[4, 4])):
        first, second = several(partial(_given, found), [0, 1])
        assert key(first) == key(second)


@pytest.mark.parametrize("found", [{}, {1, 2}, 5, None, np.array(3), np.matrix([[1], [2]])])
def test_what_is_no_list_of_reports_is_read_whole(found: Any) -> None:
    assert parted(found) is None
    assert isinstance(several(lambda _: found, [0, 1]), Thing)
