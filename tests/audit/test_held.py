"""What reports hold is read, whatever their own methods say. Clean twins: level 1e-9 each."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, namedtuple
from enum import IntEnum
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.held import full_name, held, of_a_library
from ldp_verified.check.audit.targets.isolated import from_copy
from ldp_verified.check.audit.targets.keys import key
from ldp_verified.check.audit.targets.outputs import settle
from ldp_verified.check.audit.targets.sources import from_asked, from_callable
from tests.broken.audit import pretending

if TYPE_CHECKING:
    from collections.abc import Callable

CLAIM = Claim(1.0, n=600, level=1e-9)
Pair = namedtuple("Pair", "x y")


class Level(IntEnum):
    """A usual subclass of a built-in type."""

    HIGH = 1


def audited(client: Callable[[int], Any], name: str) -> AuditResult:
    return audit(from_callable(client, (0, 1), name), CLAIM)


@pytest.mark.parametrize("name", [*pretending.PRETENDING])
def test_what_a_report_holds_breaks_the_claim(name: str) -> None:
    assert audited(pretending.leaking(name), name).verdict is AuditVerdict.VIOLATED
    assert audited(pretending.fair(name), name).verdict is not AuditVerdict.VIOLATED


def test_it_crosses_the_channel() -> None:
    source = from_asked(from_copy(pretending.leaking("list"), (0, 1)), (0, 1), "list")
    assert audit(source, CLAIM).verdict is AuditVerdict.VIOLATED


def test_what_shows_itself_is_read_once() -> None:
    for value in (1, [1], {2: 3}, Pair(1, 2), Level.HIGH, Counter("a"), OrderedDict(a=1), "text"):
        assert held(value) == {}
    assert held(pretending.Items([1, 2])) == {"held as list": [1, 2]}
    assert held(pretending.Fields((1, 2))) == {"held as tuple": (1, 2)}
    assert held(pretending.Whole(7)) == {"held as int": 7}


def test_only_what_a_library_made_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    module, own = (
        ModuleType("polars.frames"),
        type("DataFrame", (), {"__module__": "polars.frames"}),
    )
    assert not of_a_library(own())
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert not of_a_library(own())
    module.DataFrame = own  # type: ignore[attr-defined]  # as the library would have it
    assert of_a_library(own())
    assert of_a_library(type("Mine", (own,), {})())
    assert not of_a_library(SimpleNamespace(columns=(), shape=()))


def test_classes_of_one_name_are_told_apart() -> None:
    assert full_name(OrderedDict) == "OrderedDict"
    assert full_name(Level) == f"{__name__}.Level"
    one, other = (settle(pretending.PRETENDING["name of a class"](bit)) for bit in (0, 1))
    assert key(one) != key(other)


def test_what_arrow_keeps_beside_its_values_is_read() -> None:
    makers: tuple[Callable[[int], Any], ...] = (
        lambda bit: pa.array([1, bit]).slice(0, 1),
        lambda bit: pa.table({"a": [1, bit]}).slice(0, 1),
        lambda bit: pa.array(["a", f"b{bit}"]).dictionary_encode().slice(0, 1),
    )
    for make in makers:
        assert key(settle(make(0))) != key(settle(make(1)))
        assert key(settle(make(0))) == key(settle(make(0)))
