"""Protocols on one part of a record: what they share is that of their scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols import JointTables, RangeGrid, RangeHierarchy, RangeTree
from ldp_verified.protocols.one_part import OnePart

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = {"a": np.array([0, 1, 1]), "b": np.array([2, 0, 1])}
MADE: tuple[tuple[OnePart[Any], Any, Any], ...] = (
    (JointTables(2.0, {"a": 2, "b": 3}), COLUMNS, {"a": [0], "b": [3]}),
    (RangeGrid(2.0, {"a": 2, "b": 3}), COLUMNS, {"a": [0, 1], "b": [1]}),
    (RangeHierarchy(2.0, 8), [0, 7, 3], [8]),
)


@pytest.mark.parametrize("made, values, wrong", MADE, ids=lambda each: type(each).__name__)
def test_reports_are_those_of_the_scheme(
    made: OnePart[Any], values: Any, wrong: Any, tmp_path: Path
) -> None:
    assert made.realized_epsilon == made.scheme.realized_epsilon <= 2.0
    assert made.bits_per_report == made.scheme.bits_per_report
    state = made.empty().update(made.privatize(values))
    assert state.n == 3
    made.check_state(state)
    state.save(tmp_path / "state")
    assert made.load(tmp_path / "state") == state
    with pytest.raises(DomainError):
        made.privatize(wrong)
    for other in (RangeTree(2.0, 8).empty(), RangeHierarchy(1.0, 8).empty(), None):
        with pytest.raises(ParameterError, match="state: must be of "):
            made.check_state(other)


@pytest.mark.parametrize("made", [JointTables, RangeGrid])
@pytest.mark.parametrize("name", ["\ud800", "a\udfff", 1, None])
def test_names_that_cannot_be_written_are_refused(made: type[Any], name: Any) -> None:
    with pytest.raises(ParameterError, match="attributes: must have texts that UTF-8 can hold"):
        made(1.0, {name: 2, "b": 2})
    assert made(1.0, {"\u00e4": 2, "b": 2}).attributes.keys() == {"\u00e4", "b"}
