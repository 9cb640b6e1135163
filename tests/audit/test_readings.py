"""Readings: which inputs an output speaks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from examples.audits.hashes import xxh32
from ldp_verified.check.audit.events.events import DuelEvent, PairEvent, PooledEvent
from ldp_verified.check.audit.events.plausible import plausible
from ldp_verified.check.audit.events.readings import OutputReading, check
from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.errors import ParameterError
from tests.broken.audit.randomizers import hash_of


def supports(name: str, inputs: tuple[Any, ...], outputs: Any) -> list[list[bool]]:
    """For each output, which inputs it speaks for."""
    reading = OutputReading(name, inputs)
    batch = Batch(np.zeros(len(outputs), dtype=np.int64), outputs)
    columns = [
        reading.supports(batch, np.full(len(outputs), i, dtype=np.int64))
        for i in range(len(inputs))
    ]
    return np.array(columns).T.tolist()  # type: ignore[no-any-return]  # a nested list of bools


def test_an_output_that_is_an_input() -> None:
    expected = [[True, False], [False, True], [False, False]]
    assert supports("same", (0, 1), [0, 1, 7]) == expected
    assert supports("same", (0, 1), np.array([0, 1, 7])) == expected
    assert supports("same", (0, 1), ["0", np.int64(1), None]) == expected
    assert supports("same", ("a", "b"), ["a", "b", "ab"]) == expected
    assert supports("same:2", (0, 1), np.array([[0, 1]])) == [[False, False]]
    assert supports("same:1", (0, 1), [(5, 0), (5, 1), (0,)]) == expected


def test_bits() -> None:
    for rows in ([[1, 0], [0, 1], [0, 0]], ["10", "01", "00"], np.array([[1, 0], [0, 1], [0, 0]])):
        expected = [[True, False], [False, True], [False, False]]
        assert supports("bits", (0, 1), rows) == expected
    # Inputs 1 and 3 of a domain of four values.
    assert supports("bits", (1, 3), [[0, 1, 0, 0]]) == [[True, False]]
    # Labels that are no integers belong to bits in their order.
    assert supports("bits", ("x", "y"), [[0, 1]]) == [[False, True]]


def test_sets_hashes_and_functions() -> None:
    assert supports("set", (0, 1), [{0, 5}, [1, 0]]) == [[True, False], [True, True]]
    name = "tests.broken.audit.randomizers:hash_of"
    report = (17, hash_of(17, 2))
    expected = [hash_of(17, v) == report[1] for v in range(4)]
    assert supports(f"hash:{name}", (0, 1, 2, 3), [report]) == [expected]
    assert supports("says:operator:contains", (0, 1), [[1]]) == [[False, True]]


def test_digit_hashing_agrees_with_its_definition() -> None:
    """Base 2, 4 buckets: h(v) = a0 (v mod 2) + a1 (v // 2 mod 2) mod 4."""
    rows = np.array([[3, 2, 1], [1, 1, 2]])
    expected = [[(a0 * (v % 2) + a1 * (v // 2)) % 4 == b for v in range(4)] for a0, a1, b in rows]
    assert supports("digits:2,4", (0, 1, 2, 3), rows) == expected


@pytest.mark.parametrize(
    "name", ["same:", "colour", "hash", "hash:nosuch:f", "says:math:pi", "hash:math"]
)
def test_a_reading_that_is_none_is_refused(name: str) -> None:
    if name == "same:":
        check("same")
        return
    with pytest.raises(ParameterError):
        check(name)


def test_what_is_plausible() -> None:
    def found(outputs: list[Any], inputs: tuple[Any, ...]) -> list[str]:
        return plausible(Batch(np.zeros(len(outputs), dtype=np.int64), outputs), inputs)

    assert found([0, 1, 2] * 10, (0, 1, 2)) == ["same"]
    assert "bits" in found([[0, 1, 1]] * 10, (0, 1, 2))
    assert "set" in found([{"a"}, {"b"}] * 5, ("a", "b"))
    assert found(["x"] * 10, ("a", "b")) == []


@pytest.mark.parametrize(
    "text,seed,expected",
    [
        ("7", 5, 1867622269),
        ("123456", 3, 556316259),
        ("abcdefgh", 1, 3058100195),
        ("", 0, 0x02CC5D05),
    ],
)
def test_the_hash_of_the_audited_packages(text: str, seed: int, expected: int) -> None:
    """Values that the package xxhash gives."""
    assert xxh32(text, seed) == expected


INPUTS: tuple[tuple[Any, ...], ...] = (({"a": 0}, {"a": 1}), (({"a": [0]},), ({"a": [1]},)))
"""Inputs that are dictionaries, and lists that hold them."""


@pytest.mark.parametrize("inputs", INPUTS)
def test_events_of_inputs_without_a_hash_are_told_apart(inputs: tuple[Any, ...]) -> None:
    reading = OutputReading("same", inputs)
    events = [PooledEvent(reading), DuelEvent(reading, 0, 1), PairEvent("value", 0, 1, frozenset())]
    assert [*dict.fromkeys(events + events)] == events
    assert {PooledEvent(reading)} != {PooledEvent(OutputReading("bits", inputs))}
    clear = Batch(np.array([0, 1]), [*inputs])
    assert reading.guesses(clear).tolist() == [0, 1]


@pytest.mark.parametrize("inputs", INPUTS)
def test_an_audit_takes_inputs_without_a_hash(inputs: tuple[Any, ...]) -> None:
    """A value in clear: 400 of 400 samples speak for their input, whatever is drawn."""
    found = audit(from_callable(str, inputs, "clear"), Claim(1.0, n=800), seed=1)
    assert found.verdict is AuditVerdict.VIOLATED
