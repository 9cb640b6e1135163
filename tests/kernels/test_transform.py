"""The transforms against sums written out, and that nothing but integers goes in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels import transform
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.transform import inner_product_sums, inner_products, walsh_hadamard

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


@pytest.mark.parametrize("bits", [0, 1, 2, 3, 4, 5, 11, 12, 13, 14])
@pytest.mark.parametrize("part", [1 << 4, 1 << 12])
@pytest.mark.parametrize("interpreted", [False, True])
def test_the_compiled_transform_is_that_of_numpy(
    bits: int, part: int, interpreted: bool, rng: np.random.Generator
) -> None:
    """Number for number, for whole rows, parts of them, and an odd number of levels of each."""
    if interpreted and bits > 5:
        bits = 5
    part, order = min(part, 2**bits), 2**bits
    expected = rng.integers(-(2**40), 2**40, size=(2, order))
    found = expected.copy()
    transform._with_numpy(expected)
    scratch = np.empty((order // part, min(part, 4 if interpreted else 64)), dtype=np.int64)
    run = transform._part_by_part if interpreted else compiled(transform._part_by_part)
    run(found, part, scratch)
    np.testing.assert_array_equal(found, expected)


def test_an_order_of_four_million(rng: np.random.Generator) -> None:
    """Single columns of the matrix come out as they are, and twice gives the order's multiple."""
    order = 1 << 22
    counts = np.zeros(order, dtype=np.int64)
    places = np.array([0, 1, order // 3, order - 1])
    counts[places] = [5, 7, 11, 13]
    found = walsh_hadamard(counts)
    for row in [0, 1, order - 1, *rng.integers(0, order, size=50).tolist()]:
        parity = np.bitwise_count(places & row) & 1
        assert found[row] == int((counts[places] * (1 - 2 * parity.astype(np.int64))).sum())
    np.testing.assert_array_equal(walsh_hadamard(found), order * counts)


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
