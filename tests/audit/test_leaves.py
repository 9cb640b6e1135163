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
from ldp_verified.check.audit.targets.leaves import anywhere, leaves
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
