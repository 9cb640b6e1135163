"""Hadamard columns and signs at full width: layout, limits, machine code against plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.hadamard import (
    MOST_VALUES,
    column_order,
    hadamard_column,
    hadamard_column_sampler,
    hadamard_sign,
    hadamard_sign_sampler,
    sign_order,
)
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = [2, 3, 4, 255, 256, 65535, 65536, 10**9, MOST_VALUES - 1]


def test_orders_are_the_least_powers_of_two() -> None:
    assert [column_order(k) for k in (2, 3, 4, 7, 8)] == [4, 4, 8, 8, 16]
    assert [sign_order(k) for k in (2, 3, 4, 7, 8, 9)] == [2, 4, 4, 8, 8, 16]
    assert column_order(MOST_VALUES - 1) == sign_order(MOST_VALUES) == MOST_VALUES


@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("count", [3, 3000])
def test_without_lies_signs_are_those_of_the_matrix(
    k: int, count: int, rng: np.random.Generator
) -> None:
    """The least threshold: another sign has probability 2^-64 a report."""
    values = rng.integers(0, k, size=count)
    values[0] = k - 1
    columns = hadamard_column(values, k, 1, word_source(None, "test")).astype(np.int64)
    assert int(columns.max()) < column_order(k)
    assert not (np.bitwise_count(columns & (values + 1)) % 2).any()
    signs = hadamard_sign(values, k, 1, word_source(None, "test")).astype(np.int64)
    assert int(signs.max()) < 2 * sign_order(k)
    np.testing.assert_array_equal(np.bitwise_count(signs // 2 & values) % 2, signs % 2)


@pytest.mark.parametrize("draw", [hadamard_column, hadamard_sign])
@pytest.mark.parametrize("k", [2, 300, 10**6])
def test_machine_code_draws_what_python_draws(
    draw: Callable[..., np.ndarray], k: int, rng: np.random.Generator
) -> None:
    values = rng.integers(0, k, size=4000)
    many = draw(values, k, 2**62, word_source(4, "test"))
    few = draw(values[:5], k, 2**62, word_source(4, "test"))
    np.testing.assert_array_equal(many[:5], few)


@pytest.mark.parametrize("make", [hadamard_column_sampler, hadamard_sign_sampler])
@pytest.mark.parametrize(
    ("k", "deny", "width", "argument"),
    [
        (1, 1, 64, "k"),
        (MOST_VALUES + 1, 1, 64, "k"),
        (33, 1, 4, "k"),
        (5, 0, 64, "deny"),
        (5, 16, 4, "deny"),
        (5, 1, 0, "width"),
    ],
)
def test_numbers_out_of_range_are_refused(
    make: Callable[..., object], k: int, deny: int, width: int, argument: str
) -> None:
    with pytest.raises(ParameterError, match=argument):
        make(k, deny, width)
