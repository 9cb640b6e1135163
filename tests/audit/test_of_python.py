"""What a report carries in functions, classes, properties, keys, errors and files is read.

The same bit has the same key, another one another; nothing that was read counts as not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets import wire
from ldp_verified.check.audit.targets.keys import key
from ldp_verified.check.audit.targets.opaque import unread
from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.check.audit.targets.sources import from_callable
from tests.broken.audit import carried


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while carried.OPENED:
        carried.OPENED.pop().close()


@pytest.mark.parametrize("name", [*carried.CARRIED])
def test_what_a_report_carries_is_read(name: str) -> None:
    first, again, other = (
        wire.unpacked(wire.packed(call(carried.CARRIED[name], bit))) for bit in (0, 0, 1)
    )
    assert key(first) == key(again) != key(other)
    assert not unread(first)


@pytest.mark.parametrize("name", [*carried.UNREAD])
def test_what_cannot_be_read_is_said(name: str) -> None:
    assert unread(wire.unpacked(wire.packed(call(carried.UNREAD[name], 1))))


def test_what_is_found_under_its_name_is_read_as_that_name() -> None:
    """A method that uses numpy holds no part of it."""

    def target(_: int) -> Any:
        library = np

        class Report:
            def tell(self) -> Any:
                return library

        return Report()

    assert len(key(call(target, 1))) < 2000


def test_a_class_of_one_call_that_holds_nothing_is_clean() -> None:
    """The same class for every value is no violation: level 1e-9."""

    def target(_: int) -> Any:
        class Report:
            """A report that is made in the call."""

            def double(self) -> list[int]:
                return [2]

            @property
            def pair(self) -> list[int]:
                return [1]

        return Report()

    found = audit(from_callable(target, (0, 1), "target"), Claim(1.0, level=1e-9, n=500))
    assert found.verdict is not AuditVerdict.VIOLATED
    assert not found.unread
