"""The transforms against sums written out, and that nothing but integers goes in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.kernels.transform import inner_product_sums, inner_products, walsh_hadamard

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHAPES = st.sampled_from([(2, 0), (2, 1), (2, 4), (3, 1), (3, 3), (5, 2), (7, 1)])


def digits(number: int, prime: int, length: int) -> list[int]:
    return [number // prime**i % prime for i in range(length)]


@given(st.data(), st.integers(0, 6))
def test_walsh_hadamard_is_the_sum_with_signs(data: st.DataObject, bits: int) -> None:
    order = 2**bits
    counts = data.draw(st.lists(st.integers(-(2**40), 2**40), min_size=order, max_size=order))
    given_ = np.array(counts, dtype=np.int64)
    found = walsh_hadamard(given_)
    rows = range(order)
    assert found.dtype == np.int64
    assert found.tolist() == [
        sum((-1) ** (a & y).bit_count() * counts[y] for y in rows) for a in rows
    ]
    assert given_.tolist() == counts, "the counts are not changed"


def test_walsh_hadamard_twice_is_the_order_times_the_counts() -> None:
    counts = np.random.default_rng(5).integers(0, 1000, size=1 << 12)
    assert (walsh_hadamard(walsh_hadamard(counts)) == len(counts) * counts).all()


@pytest.mark.parametrize("size", [0, 3, 6])
def test_other_orders_are_refused(size: int) -> None:
    with pytest.raises(ParameterError, match="power of two"):
        walsh_hadamard(np.zeros(size, dtype=np.int64))


@given(st.data(), SHAPES)
def test_sums_by_inner_product(data: st.DataObject, shape: tuple[int, int]) -> None:
    prime, length = shape
    size = prime**length
    seed = data.draw(st.integers(0, 2**32))
    table = np.random.default_rng(seed).integers(0, 100, size=(prime, size))
    vectors = [digits(number, prime, length) for number in range(size)]

    def inner(a: list[int], v: list[int]) -> int:
        return sum(x * y for x, y in zip(a, v, strict=True)) % prime

    wanted = [sum(int(table[inner(a, v), i]) for i, a in enumerate(vectors)) for v in vectors]
    assert inner_product_sums(table, prime).tolist() == wanted
    numbers: NDArray[np.int64] = np.arange(size)
    assert inner_products(numbers, numbers, prime).tolist() == [
        [inner(a, v) for v in vectors] for a in vectors
    ]


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 3), (2, 6), (2, 0)])
def test_other_shapes_are_refused(rows: int, columns: int) -> None:
    with pytest.raises(ParameterError, match="table"):
        inner_product_sums(np.zeros((rows, columns), dtype=np.int64), 2)


def test_inner_products_of_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert inner_products(nothing, np.arange(3), 5).shape == (0, 3)
    assert inner_products(np.arange(3), nothing, 5).shape == (3, 0)
