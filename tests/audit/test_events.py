"""Events count sides as `bounds` defines them, and survive being written down."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ldp_verified.check.audit.bounds.bounds import Stake, Tally
from ldp_verified.check.audit.events.events import PairEvent, PooledEvent, read
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.errors import ParameterError

INPUTS = ("a", "b", "c")
BATCH = Batch(np.array([0, 0, 1, 1, 2, 2]), ["a", "b", "b", "c", "c", "z"])


def test_a_pair_event_leaves_other_inputs_out(rng: np.random.Generator) -> None:
    event = PairEvent("value", 0, 1, frozenset(["str 'a'"]), frozenset(["str 'b'"]))
    # Samples of a and b: a -> a plus, a -> b minus, b -> b plus, b -> c neither.
    assert event.count(BATCH, rng) == Tally(2, 1, 4)
    assert event.stake == Stake(1.0, 1.0)
    one = PairEvent("value", 0, 1, frozenset(["str 'b'"]))
    assert one.count(BATCH, rng) == Tally(1, 1, 4)
    assert one.stake == Stake(1.0, 0.5)


def test_a_pooled_event_of_single_values(rng: np.random.Generator) -> None:
    event = PooledEvent(OutputReading("same", INPUTS))
    assert event.count(BATCH, rng) == Tally(3, 2, 6)
    assert event.stake == Stake(2.0)


def test_a_pooled_event_of_sets(rng: np.random.Generator) -> None:
    """Both inputs in the set, or neither, is on neither side."""
    batch = Batch(np.array([0, 0, 0]), [{"a"}, {"b", "c"}, {"a", "b", "c"}])
    found = PooledEvent(OutputReading("set", INPUTS)).count(batch, rng)
    assert found == Tally(1, 1, 3)


@pytest.mark.parametrize(
    "event",
    [
        PairEvent("value", 0, 2, frozenset(["x"]), frozenset(["y", "z"])),
        PooledEvent(OutputReading("same:1", INPUTS)),
    ],
)
def test_an_event_can_be_written_and_read(event: PairEvent | PooledEvent) -> None:
    assert read(json.loads(json.dumps(event.document())), INPUTS) == event


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"kind": "other"},
        {"kind": "pair", "feature": "value", "x": 0, "x2": 0, "yes": [], "no": []},
        {"kind": "pair", "feature": "value", "x": 0, "x2": 9, "yes": [], "no": []},
        {"kind": "pooled"},
    ],
)
def test_a_document_that_is_no_event_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        read(document, INPUTS)
