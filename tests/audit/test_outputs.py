"""Reports of any shape are read to their leaves, in this process and across the channel.

A bit of odds 0.95 against 0.5 under a claim of 0.5, and a fair one (level 1e-9), at n = 3000: the
leaning bit is missed with probability below 1e-9 (`bounds.power` of 0.475 against 0.25 of 750).
"""

from __future__ import annotations

import math
import struct
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets import wire
from ldp_verified.check.audit.targets.isolated import from_copy
from ldp_verified.check.audit.targets.keys import key, kind
from ldp_verified.check.audit.targets.opaque import unread
from ldp_verified.check.audit.targets.outputs import MOST_CONSUMED, call
from ldp_verified.check.audit.targets.sources import from_asked, from_callable
from tests.broken.audit import shapes

NAMES = [*shapes.SHAPES]


@pytest.mark.parametrize("name", NAMES)
def test_a_shape_crosses_the_channel_as_it_is(name: str) -> None:
    for bit in (0, 1):
        found = call(shapes.SHAPES[name], bit)
        again = wire.unpacked(wire.packed(found))
        assert (key(again), kind(again)) == (key(found), kind(found))


@pytest.mark.parametrize("name", [*shapes.HIDDEN])
def test_what_a_report_hides_is_read(name: str) -> None:
    """The same bit has the same key, another one another; nothing counts as not read."""
    first, again, other = (
        wire.unpacked(wire.packed(call(shapes.HIDDEN[name], bit))) for bit in (0, 0, 1)
    )
    assert key(first) == key(again) != key(other)
    assert not unread(first)


@pytest.mark.parametrize("name", [*shapes.UNREADABLE])
def test_what_cannot_be_read_is_said(name: str) -> None:
    assert unread(wire.unpacked(wire.packed(call(shapes.UNREADABLE[name], 1))))


def test_what_cannot_be_read_is_never_consistent() -> None:
    found = audit(from_callable(shapes.UNREADABLE["lock"], (0, 1), "lock"), Claim(0.5, n=3000))
    assert found.verdict is AuditVerdict.INCONCLUSIVE
    assert any("cannot be read (lock)" in note for note in found.notes)


def test_floats_keep_their_bits() -> None:
    odd = struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0]
    for value in (odd, -0.0, math.inf, 5e-324):
        again = wire.unpacked(wire.packed([value]))[0]
        assert struct.pack(">d", again) == struct.pack(">d", value)
    array = np.array([odd, -0.0])
    assert wire.unpacked(wire.packed(array)).tobytes() == array.tobytes()


def test_an_exception_is_read_as_its_traceback_shows_it() -> None:
    """Notes, members of groups, causes and contexts tell the value as well as the text does."""

    def noted(value: int) -> None:
        error = ValueError("no")
        error.add_note(f"of {value}")
        raise error

    def grouped(value: int) -> None:
        raise ExceptionGroup("several", [KeyError(value), ValueError("other")])

    def caused(value: int) -> None:
        try:
            raise KeyError(value)
        except KeyError as error:
            raise ValueError("no") from error

    def during(value: int) -> None:
        try:
            dict[int, int]()[value]
        except KeyError:
            raise ValueError("no")  # noqa: B904  (what is tested)

    def hidden(value: int) -> None:
        try:
            raise KeyError(value)
        except KeyError:
            raise ValueError("no") from None

    for target in (noted, grouped, caused, during):
        assert call(target, 1) != call(target, 2)
        assert call(target, 1) == call(target, 1)
    assert call(hidden, 1) == call(hidden, 2)
    assert (call(hidden, 1).type, call(hidden, 1).message) == ("ValueError", "no")


def test_exceptions_that_name_each_other_are_read_once() -> None:
    def circle(value: int) -> None:
        first, second = ValueError(f"first {value}"), ValueError("second")
        first.__cause__, second.__cause__ = second, first
        raise first

    found = call(circle, 1)
    assert (found.type, found.message) == ("ValueError", "first 1\nValueError: second")


@pytest.mark.parametrize("name", ["array and row", "two arrays", "message", "big number", "circle"])
def test_a_bit_that_tells_is_found_in_any_shape(name: str) -> None:
    source = from_asked(from_copy(shapes.leaning(name), (0, 1)), (0, 1), name)
    found = audit(source, Claim(0.5, n=3000, level=1e-9), seed=1)
    assert found.verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize(
    "name", ["row and array", "dict of arrays", "arrays of two lengths", "masked"]
)
def test_a_fair_bit_is_no_violation_in_any_shape(name: str) -> None:
    source = from_callable(shapes.fair(name), (0, 1), name)
    found = audit(source, Claim(0.5, n=3000, level=1e-9), seed=1)
    assert found.verdict is not AuditVerdict.VIOLATED


async def _later(items: Iterable[int]) -> AsyncIterator[int]:
    for item in items:
        yield item


@pytest.mark.parametrize("make", [iter, _later])
def test_an_iterator_that_is_cut_is_said(make: Callable[[Any], Any]) -> None:
    """It may tell in what comes after its first items."""
    assert not unread(call(lambda _: make(range(MOST_CONSUMED)), 0))
    assert unread(call(lambda _: make(range(MOST_CONSUMED + 1)), 0))
