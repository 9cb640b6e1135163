"""Leaks in the last digits of numbers are called that, and what rounding leaves is judged.

Null of the twins and of rounded reports: the claim of eps = 1 holds (on a grid it is at most 1 and
a 64th), level 1e-9. Planted bits reach eps >= 2 at n = 30,000, of a claim of 1.1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from ldp_verified.app.report.audit import document, headline
from ldp_verified.check.audit.assertion import assert_ldp
from ldp_verified.check.audit.events.events import PairEvent
from ldp_verified.check.audit.events.rounding import low_order, rounded, rounding
from ldp_verified.check.audit.results.results import AuditResult, AuditVerdict
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.targets.things import Consumed, Thing
from ldp_verified.errors import ParameterError
from tests.broken.audit.floats import PLANTED, TWINS, in_the_second_decimal

LEVEL, CLAIMED, N = 1e-9, 1.1, 30_000


def audited(client: Callable[[int], Any], decimals: int | None = None) -> AuditResult:
    source = from_callable(client, range(4), "client")
    if decimals is not None:
        source.ask = rounding(source.ask, decimals)
    return audit(source, Claim(CLAIMED, n=N, level=LEVEL))


@pytest.mark.parametrize("name", PLANTED)
def test_the_bits_of_a_float_are_named_and_rounding_takes_them_away(
    name: str, rng: np.random.Generator
) -> None:
    client = partial(PLANTED[name], rng=rng)
    found = audited(client)
    assert found.verdict is AuditVerdict.VIOLATED
    assert found.bound > 2
    assert found.low_order
    assert headline(found).startswith("violated: the last digits of the number tell the input")
    assert "--round D" in headline(found)
    assert document(found, "")["low_order"] is True
    left = audited(client, 3)
    assert left.verdict is not AuditVerdict.VIOLATED
    assert not left.low_order


def test_a_decimal_behind_the_noise_is_called_by_its_digit(rng: np.random.Generator) -> None:
    """It was said to be in low-order bits, which nobody sees; a person sees it."""
    client = partial(in_the_second_decimal, rng=rng)
    found = audited(client)
    assert found.low_order
    assert headline(found).startswith("violated: the last digits of the number tell the input")
    assert audited(client, 1).verdict is not AuditVerdict.VIOLATED


@pytest.mark.parametrize("name", TWINS)
def test_noise_on_a_grid_is_no_such_leak(name: str, rng: np.random.Generator) -> None:
    assert audited(partial(TWINS[name], rng=rng)).verdict is not AuditVerdict.VIOLATED


def test_a_number_in_clear_is_not_called_low_order_bits() -> None:
    found = audited(lambda value: value + 0.25)
    assert found.verdict is AuditVerdict.VIOLATED
    assert not found.low_order
    assert audited(lambda value: value + 0.25, 2).verdict is AuditVerdict.VIOLATED


def test_what_rounding_leaves_as_it_is() -> None:
    assert rounded(1.23456, 2) == 1.23
    assert str(rounded(-0.001, 2)) == "0.0"
    assert rounded([(0.126, "a"), {"x": 2.555_1}], 2) == [(0.13, "a"), {"x": 2.56}]
    assert rounded(np.array([0.126, 3]), 2).tolist() == [0.13, 3.0]
    assert rounded(np.array([1, 2]), 0).dtype == np.int64
    assert rounded(np.float32(0.126), 2) == np.float32(0.13)
    assert type(rounded(np.float32(0.126), 2)) is np.float32
    assert rounded((True, 7, None), 2) == (True, 7, None)


def test_both_parts_of_a_complex_number_are_rounded() -> None:
    assert rounded(0.126 + 2.555_1j, 2) == 0.13 + 2.56j
    assert str(rounded(complex(-0.001, -0.001), 2)) == "0j"
    found = rounded(np.complex64(0.126 - 0.001j), 2)
    assert (type(found), found, str(found.imag)) == (np.complex64, np.complex64(0.13), "0.0")
    assert rounded(np.array([0.126 + 2.555_1j]), 2).tolist() == [0.13 + 2.56j]
    assert rounded(np.array([0.126j], np.complex64), 2).dtype == np.complex64


def test_numbers_in_objects_and_iterators_are_rounded() -> None:
    held = Thing("Report", ("value", "kind"), ((0.126, 1j / 3), "a"))
    assert rounded(held, 2) == Thing("Report", ("value", "kind"), ((0.13, 0.33j), "a"))
    assert rounded(Consumed("generator", (0.126, [0.5])), 2) == Consumed("generator", (0.13, [0.5]))


def test_which_events_read_low_order_bits() -> None:
    yes = frozenset({"1"})
    assert [
        low_order(PairEvent(name, 0, 1, yes)) for name in ("zeros", "item-zeros:1", "item:1", "low")
    ] == [True, True, False, True]


def test_a_failed_assertion_says_so(rng: np.random.Generator) -> None:
    client = partial(PLANTED["library"], rng=rng)
    with pytest.raises(AssertionError, match="the last digits of the number"):
        assert_ldp(client, epsilon=CLAIMED, inputs=range(4), n=N)


@pytest.mark.parametrize(
    ("kind", "decimals"), [("callable", -1), ("callable", 16), ("file", 2), ("callable", True)]
)
def test_decimals_out_of_range(kind: str, decimals: int) -> None:
    with pytest.raises(ParameterError, match="--round"):
        Target(kind, "a:b", (0, 1), decimals=decimals)
