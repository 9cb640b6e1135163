"""What counts as an integer or a number, wherever an argument is checked."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.protocols import CandidateSizes
from ldp_verified.run.realize.parameters import check_share, exact_number
from ldp_verified.scalars import is_integer, is_number

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
