"""The form of a report is a part of it: how it lies in memory, in which order a set is.

A form that belongs to its value breaks any claim: it never varies for one input, so that it is
missed with a probability that rounding alone has. Clean twins: level 1e-9 each.
"""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.check.audit.events import features
from ldp_verified.check.audit.events.rounding import rounded
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets import wire
from ldp_verified.check.audit.targets.batch import Batch, joined
from ldp_verified.check.audit.targets.forms import Formed, bare, form_of, of_array
from ldp_verified.check.audit.targets.isolated import from_copy
from ldp_verified.check.audit.targets.keys import items, key, kind, length
from ldp_verified.check.audit.targets.many import several
from ldp_verified.check.audit.targets.outputs import call, settle
from ldp_verified.check.audit.targets.sources import from_asked, from_callable
from tests.broken.audit import forms

LEVEL = 1e-9
CLAIM = Claim(1.0, n=3000, level=LEVEL)


def audited(name: str, leaks: bool) -> AuditResult:
    target = (forms.leaking if leaks else forms.fair)(name)
    return audit(from_callable(target, (0, 1), name), CLAIM)


@pytest.mark.parametrize("name", [*forms.FORMS])
def test_a_form_that_belongs_to_the_value_breaks_the_claim(name: str) -> None:
    assert audited(name, True).verdict is AuditVerdict.VIOLATED


@pytest.mark.parametrize("name", [*forms.FORMS])
def test_forms_that_come_for_every_value_are_no_violation(name: str) -> None:
    assert audited(name, False).verdict is not AuditVerdict.VIOLATED


def test_a_form_crosses_the_channel() -> None:
    asked = from_copy(forms.leaking("order of memory"), (0, 1))
    source = from_asked(asked, (0, 1), "order of memory")
    assert audit(source, CLAIM).verdict is AuditVerdict.VIOLATED


def test_usual_arrays_have_no_form() -> None:
    usual = [np.zeros(3), np.zeros((2, 3)), np.zeros((1, 4))[0], np.zeros(6).reshape(2, 3)]
    usual += [np.array(1.0), np.array(["a"]), np.array([True])]
    usual += [np.zeros(2, np.longdouble), np.array(["2020-01-01"], dtype="M8[D]")]
    assert [of_array(each) for each in usual] == [""] * len(usual)
    for output in (np.float64(1), np.int64(1), {3, 1, 2}, frozenset({0, 5}), [np.ones(2)]):
        assert type(settle(output)) is not Formed


def test_values_are_read_whatever_their_form() -> None:
    grid = np.asarray([[1, 2], [3, 4]], order="F")
    found = call(lambda _: grid, 0)
    assert form_of(found) == "strides (8, 16)"
    assert (kind(found), length(found), items(found)) == (kind(grid), 4, items(grid))
    assert key(found) != key(grid)
    again = wire.unpacked(wire.packed(found))
    assert key(again) == key(found)
    assert np.array_equal(bare(again), grid)
    assert form_of(rounded(call(lambda _: grid / 3, 0), 2)) == form_of(found)


def test_a_batch_puts_values_and_forms_apart() -> None:
    plain = Batch(np.array([0, 1]), [{1}, {2}])
    mixed = Batch(np.array([0, 1]), [Formed({1}, "order 0"), {2}])
    assert mixed.outputs == [{1}, {2}]
    assert mixed.forms == ["order 0", ""]
    assert mixed.take(np.array([1])).forms == [""]
    assert joined([plain, mixed]).forms == ["", "", "order 0", ""]
    assert plain.forms is None
    assert features.values("form", plain).labels == ("",)
    assert len(features.values("formed", mixed).labels) == 2


def test_reports_of_one_call_have_a_form_each() -> None:
    found = several(lambda values: [forms.FORMS["order of a set"](v) for v in values], [0, 1, 0])
    assert [form_of(each) for each in found] == ["", "order 1 0", ""]
    whole = several(lambda _: np.zeros((2, 2), order="F"), [0, 1])
    assert isinstance(whole, np.ndarray)
