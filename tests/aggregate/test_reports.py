"""Reports keep their provenance, their array and nothing else."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ReportError
from ldp_verified.run.aggregate import Identity, Reports

IDENTITY = Identity("GRR", (("epsilon", 1.0), ("k", 5)), "abc", (7,))
DATA = np.array([1, 2, 3], dtype=np.uint8)


def test_fields() -> None:
    reports = Reports(DATA, IDENTITY, True)
    assert len(reports) == 3
    assert reports.mechanism == "GRR"
    assert reports.parameters == {"epsilon": 1.0, "k": 5}
    assert reports.law_hash == "abc"
    assert reports.thresholds == (7,)
    assert reports.simulated


def test_reports_cannot_be_changed_through_the_object() -> None:
    reports = Reports(DATA.copy(), IDENTITY)
    with pytest.raises(ValueError, match="read-only"):
        reports.data[0] = 9
    with pytest.raises(FrozenInstanceError):
        reports.simulated = True  # type: ignore[misc]  # what is tested
    reports.parameters["k"] = 6
    assert reports.parameters["k"] == 5


def test_the_representation_shows_no_report() -> None:
    reports = Reports(np.full(1000, 77, dtype=np.uint8), IDENTITY, True)
    assert repr(reports) == "<1000 simulated reports of GRR(epsilon=1.0, k=5), uint8 (1000,)>"
    assert "simulated" not in repr(Reports(DATA, IDENTITY))


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
)
def test_copies_are_equal_and_read_only(twin: Any) -> None:
    reports = Reports(DATA, IDENTITY, True)
    other = twin(reports)
    assert other == reports
    assert not other.data.flags.writeable


@pytest.mark.parametrize(
    "other",
    [
        Reports(DATA[:2], IDENTITY),
        Reports(DATA + np.uint8(1), IDENTITY),
        Reports(DATA.astype(np.uint16), IDENTITY),
        Reports(DATA, IDENTITY, True),
        Reports(DATA, replace(IDENTITY, thresholds=(8,))),
        "reports",
    ],
)
def test_different_reports_are_different(other: object) -> None:
    assert Reports(DATA, IDENTITY) != other


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (([1, 2], IDENTITY), "data: must be an array"),
        ((np.uint8(3), IDENTITY), "data: must be an array"),
        ((np.array(3), IDENTITY), "data: must be an array"),
        ((DATA, "GRR"), "identity: must be an Identity"),
        ((DATA, IDENTITY, 1), "simulated: must be a bool"),
    ],
)
def test_what_makes_no_reports(arguments: Any, rule: str) -> None:
    with pytest.raises(ReportError, match=rule):
        Reports(*arguments)


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (replace(IDENTITY), None),
        (replace(IDENTITY, mechanism="SUE"), "mechanism SUE, not GRR"),
        (replace(IDENTITY, parameter_items=(("epsilon", 2.0), ("k", 5))), "epsilon = 2.0, not 1.0"),
        (replace(IDENTITY, parameter_items=(("epsilon", 1.0),)), "k = None, not 5"),
        (replace(IDENTITY, law_hash="def"), "law def, not abc"),
        (replace(IDENTITY, thresholds=(8,)), r"thresholds (8,), not (7,)"),
    ],
)
def test_the_first_difference_is_named(other: Identity, difference: str | None) -> None:
    assert IDENTITY.difference(other) == difference
