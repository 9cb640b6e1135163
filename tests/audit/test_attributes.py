"""What an output holds beside what it shows is a part of it.

Audits of the clean twin call it violated with probability 1e-9 at most; a leaning one is missed
more seldom still.
"""

from __future__ import annotations

import pytest

from ldp_verified.check.audit.results.results import AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets import wire
from ldp_verified.check.audit.targets.keys import key
from ldp_verified.check.audit.targets.opaque import unread
from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.check.audit.targets.sources import from_callable
from tests.broken.audit import attributes


@pytest.mark.parametrize("name", [*attributes.HELD])
def test_what_is_held_beside_it_is_read(name: str) -> None:
    """The same bit has the same key, another one another; nothing counts as not read."""
    first, again, other = (
        wire.unpacked(wire.packed(call(attributes.HELD[name], bit))) for bit in (0, 0, 1)
    )
    assert key(first) == key(again) != key(other)
    assert not unread(first)


@pytest.mark.parametrize("name", [*attributes.UNREADABLE])
def test_a_class_of_one_call_without_values_is_not_read(name: str) -> None:
    assert unread(wire.unpacked(wire.packed(call(attributes.UNREADABLE[name], 1))))


def test_a_written_buffer_breaks_the_claim_and_its_twin_does_not() -> None:
    claim = Claim(1.0, level=1e-9, n=3000)
    found = audit(from_callable(attributes.buffered, (0, 1), "buffered"), claim)
    clean = audit(from_callable(attributes.fair, (0, 1), "fair"), claim)
    assert found.verdict is AuditVerdict.VIOLATED
    assert clean.verdict is not AuditVerdict.VIOLATED
    assert not clean.unread
