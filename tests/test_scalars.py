"""What counts as an integer or a number, wherever an argument is checked."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from ldp_verified import GRR, BinaryRR, Laplace
from ldp_verified.analysis.account import PrivacyLoss
from ldp_verified.deploy import Deployment
from ldp_verified.deploy.collector import Collector
from ldp_verified.deploy.succession import Succession
from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.protocols import (
    SHE,
    SVSM,
    BoxWavelet,
    CandidateCounts,
    CandidateSizes,
    JointTables,
    KeyValueResponse,
    PaddedResponse,
    PrefixExtending,
    RangeTree,
    SampleOne,
    Split,
)
from ldp_verified.run.realize.parameters import check_share, exact_number
from ldp_verified.scalars import is_integer, is_iterable, is_number, size_of

if TYPE_CHECKING:
    from collections.abc import Callable

NEITHER: list[Any] = [
    *(True, np.True_, None, "1", b"1", 1j, [1], np.array(1), np.ma.masked),
    *(np.timedelta64(1), np.timedelta64(1, "s"), np.timedelta64("NaT"), np.datetime64("2020")),
]


@pytest.mark.parametrize("value", NEITHER, ids=repr)
def test_what_is_neither_an_integer_nor_a_number(value: Any) -> None:
    assert not is_integer(value)
    assert not is_number(value)
    assert exact_number(value) is None
    with pytest.raises(ParameterError, match="candidates: must be"):
        CandidateSizes(1.0, 5, cast("Any", [value, value]))


@pytest.mark.parametrize("value", [0, -3, 1 << 400, np.int8(3), np.uint64(3)], ids=repr)
def test_integers_are_integers_and_numbers(value: Any) -> None:
    assert is_integer(value)
    assert is_number(value)
    assert exact_number(value) == int(value)


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.longdouble("0.5")], ids=repr)
def test_floats_are_numbers_alone(value: Any) -> None:
    assert not is_integer(value)
    assert is_number(value)
    assert check_share("share", value) * 2 == 1


def test_no_infinite_number_is_exact() -> None:
    for value in (float("inf"), float("nan"), np.longdouble("-inf"), np.float64("nan")):
        assert is_number(value)
        assert exact_number(value) is None


def test_a_range_of_any_size_is_counted() -> None:
    ends = range(-5, 6)
    for first, after, step in itertools.product(ends, ends, (-3, -2, -1, 1, 2, 3)):
        numbers = range(first, after, step)
        assert size_of(numbers) == len(numbers)
    assert size_of(range(2**70)) == 2**70
    assert size_of(range(2**70, 0, -(2**3))) == 2**67


HUGE = (range(2**70), range(2**70, 0, -1), range(-(2**70), 2**70, 3))


def test_an_array_without_an_axis_cannot_be_gone_through() -> None:
    more: list[Any] = [[], (1,), "ab", {1}, {1: 2}, range(3), np.zeros(0), np.zeros((2, 2))]
    for several in (*more, iter(())):
        assert is_iterable(several)
    for single in (3, None, np.array(3), np.int64(3), object()):
        assert not is_iterable(single)


def test_arrays_without_an_axis_are_refused_in_words() -> None:
    """Each was a TypeError, "iteration over a 0-d array" or "len() of unsized object"."""
    alone: Any = np.array(1)
    sets, tuples = PaddedResponse(1.0, 6, 2), SampleOne(1.0, (("a", "b"), ("x", "y")))
    pairs = KeyValueResponse(1.0, 4, 2)
    boxes = BoxWavelet(1.0, (4, 4))
    given: list[Callable[[], object]] = [
        lambda: tuples.privatize([alone], rng=1),
        lambda: tuples.privatize(alone, rng=1),
        lambda: boxes.privatize([alone], rng=1),
        lambda: boxes.privatize(alone, rng=1),
        lambda: sets.privatize(alone, rng=1),
        lambda: sets.centre(alone),
        lambda: sets.influence(alone),
        lambda: pairs.privatize(alone, rng=1),
        lambda: pairs.centre(alone),
        lambda: pairs.influence(alone),
        lambda: tuples.influence(0, alone),
        lambda: PrivacyLoss(alone),
        lambda: Succession(Collector(Deployment(GRR(1.0, 4))), alone),
    ]
    for each in given:
        with pytest.raises(LdpError, match="must"):
            each()


@pytest.mark.parametrize("numbers", HUGE, ids=repr)
def test_a_range_beyond_all_lists_is_refused_in_words(numbers: range) -> None:
    """Its `len` raises an OverflowError, and to list it takes all memory, or for ever."""
    labels, sizes = ("a", "b", "c", "d"), cast("Any", (numbers, 2))
    named, sets = GRR(1.0, 4, categories=labels), PaddedResponse(1.0, 4, 2)

    def private(made: Any) -> Callable[[], object]:
        return lambda: made.privatize(numbers)

    given: list[Callable[[], object]] = [
        *map(private, (GRR(1.0, 4), named, BinaryRR(1.0), Laplace(1.0, (0, 1)), SHE(1.0, 4))),
        *map(private, (PrefixExtending(1.0, bits=64), sets, RangeTree(1.0, 8))),
        lambda: GRR(1.0, 4).privatize_in_threads(numbers, 2),
        lambda: GRR(1.0, 4, categories=numbers),
        lambda: GRR(1.0, 4).empty().estimate().labelled(numbers),
        lambda: GRR(1.0, 4).empty().estimate().sum_of(numbers),
        lambda: GRR(1.0, 4).empty().estimate(numbers),
        lambda: sets.privatize([numbers]),
        private(KeyValueResponse(1.0, 4, 2)),
        lambda: CandidateCounts(1.0, 4, numbers),  # type: ignore[arg-type]  # what is wrong
        lambda: CandidateCounts(1.0, 4, (numbers, (1,))),  # type: ignore[arg-type]  # what is wrong
        lambda: SVSM(1.0, 64).mine(numbers),
        lambda: SVSM(1.0, 64).simulate([[0]], numbers),
        lambda: SampleOne(1.0, sizes),
        lambda: Split(1.0, sizes),
        lambda: JointTables(1.0, {"a": numbers, "b": labels}),
    ]
    for each in given:
        with pytest.raises(LdpError, match="must"):
            each()
