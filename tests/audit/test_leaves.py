"""Nothing that an output holds is lost, wherever it stands.

A bit of eps = 4 breaks a claim of 1, and is missed at n = 1200 with probability below 1e-9 at the
level of 1e-9. The clean twin holds a fair bit at the same place: the level is 1e-9.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from ldp_verified.check.audit.events import features, inside
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.keys import key, plain
from ldp_verified.check.audit.targets.leaves import anywhere, leaves, texts
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.check.audit.targets.things import Thing
from tests.broken.audit.containers import PLACES

LIE = 1 / (1 + math.exp(4.0))


def audited(name: str, lie: float) -> AuditResult:
    def client(value: int) -> Any:
        return PLACES[name](value ^ (random.random() < lie))

    return audit(from_callable(client, (0, 1), name), Claim(1.0, n=1200, level=1e-9))


@pytest.mark.parametrize("name", [*PLACES])
def test_a_value_is_found_wherever_it_stands(name: str) -> None:
    assert audited(name, LIE).verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize("name", ["key of a dict", "set in a list", "text as a key", "attribute"])
def test_a_fair_bit_is_no_violation_there(name: str) -> None:
    assert audited(name, 0.5).verdict is not AuditVerdict.VIOLATED


def test_keys_names_and_members_have_places() -> None:
    found = leaves([1, {"k": {2, "a"}}, Thing("T", ("n",), (3.0,))])
    assert found.parts == [1, {2, "a"}, 3.0]
    assert found.names == ["k", 2, "a", "n"]
    assert {1, "k", 2, "a", "n", 3.0} <= {
        each
        for each in anywhere([1, {"k": {2, "a"}}, Thing("T", ("n",), (3.0,))])
        if isinstance(each, int | str | float)
    }


def test_names_that_never_change_make_no_features() -> None:
    rows = [{"a": i, "b": 0} for i in range(100)]
    assert not inside.of_names(Batch(np.zeros(100, dtype=np.int64), rows))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0.5] * 22 + ["a"], "low-order bits, digits and characters of items from 16 on"),
        ([0.5] * 22, "low-order bits, digits and characters of items from 16 on"),
        ([1] * 300, "items from 256 on, one by one"),
        (["a", *[1] * 5000], "items from 4096 on"),
    ],
)
def test_what_is_cut_is_said(row: list[Any], said: str) -> None:
    assert said in inside.cuts(Batch(np.zeros(50, dtype=np.int64), [row] * 50))


def test_a_part_that_is_compared_whole_is_said() -> None:
    rows = [["a", np.datetime64(i, "s")] for i in range(50)]
    long = [["a", f"{i}" + "x" * 100] for i in range(50)]
    zeros = np.zeros(50, dtype=np.int64)
    assert "parts of item 1" in inside.cuts(Batch(zeros, rows))
    assert "characters in the middle of item 1" in inside.cuts(Batch(zeros, long))
    assert features.candidates(Batch(zeros, rows))


def test_an_audit_says_what_it_cut() -> None:
    def client(_: int) -> list[float]:
        return [random.random() for _ in range(22)]

    found = audit(from_callable(client, (0, 1), "floats"), Claim(1.0, n=400), seed=1)
    assert "low-order bits, digits and characters of items from 16 on" in found.skipped


def nested(levels: int, count: list[int]) -> Any:
    """What holds `levels` others, each in another; the innermost counts how often it is read."""

    class Counted:
        def tolist(self) -> int:
            count[0] += 1
            return 3

    held: Any = (Counted(), {1, "b"}, np.arange(3), None)
    for level in range(levels):
        held = [held, {f"level {level}": held, "n": 1.5}] if level < 3 else {"at": held}
    return held


def test_the_texts_of_what_an_output_holds_are_made_once() -> None:
    for text in (key, plain):
        outputs = [nested(8, [0]), *(PLACES[name](1) for name in PLACES), "text", 3]
        naive = [frozenset(map(text, anywhere(output))) for output in outputs]
        assert [*texts(outputs, text)] == naive
        few, many = [0], [0]
        _ = [*texts([nested(4, few)], text)], [*texts([nested(40, many)], text)]
        assert few == many


def test_batches_of_the_same_outputs_read_them_once() -> None:
    outputs = [nested(2, [0]) for _ in range(6)]
    batch = Batch(np.zeros(6, np.int64), outputs)
    some, rest = batch.take(np.array([0, 2, 4])), batch.take(np.array([1, 2, 4, 5]))
    assert some.leaves[1] is rest.leaves[1]
    assert some.keys[2] is rest.keys[2] is batch.keys[4]
    assert batch.leaves == [*map(leaves, outputs)]
    assert batch.held == [*texts(outputs, plain)]
