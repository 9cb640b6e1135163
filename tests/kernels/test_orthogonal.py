"""Sums over orthogonal points against inner products written out, and both ways to add."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels import orthogonal
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.hyperplanes import points
from ldp_verified.run.kernels.orthogonal import orthogonal_sums
from ldp_verified.run.kernels.transform import inner_products

SPACES = [(2, 1), (2, 2), (2, 6), (3, 1), (3, 2), (3, 4), (5, 3), (7, 2), (7, 3), (11, 3), (47, 2)]


def vectors(prime: int, t: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The number of each point's vector: its first digit that is not 0 is 1."""
    return np.concatenate([np.arange(prime**m, 2 * prime**m) for m in range(t)])


@pytest.mark.parametrize(("prime", "t"), SPACES)
@pytest.mark.parametrize("few", [0, 1 << 20])
def test_sums_are_those_of_inner_products(
    prime: int, t: int, few: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orthogonal, "FEW_VECTORS", few)
    every = vectors(prime, t)
    counts = rng.integers(-100, 100, size=points(prime, t))
    wanted = (inner_products(every, every, prime) == 0) @ counts
    assert np.array_equal(orthogonal_sums(counts, prime), wanted)


@pytest.mark.parametrize(("prime", "t"), [(2, 12), (3, 7), (5, 5)])
def test_few_vectors_are_summed_over_with_the_sums_of_lines(
    prime: int, t: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = rng.integers(0, 1 << 40, size=points(prime, t))
    fast = orthogonal_sums(counts, prime)
    monkeypatch.setattr(orthogonal, "FEW_VECTORS", 0)
    monkeypatch.setattr(orthogonal, "inner_product_sums", None)
    assert np.array_equal(fast, orthogonal_sums(counts, prime))


@pytest.mark.parametrize(("prime", "t"), [(3, 10), (41, 3)])
def test_large_tables_are_added_by_machine_code_and_by_numpy_alike(
    prime: int, t: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = rng.integers(0, 1 << 40, size=points(prime, t))
    monkeypatch.setattr(orthogonal, "FEW_VECTORS", 0)
    monkeypatch.setattr(orthogonal, "PURE_ENTRIES", 0)
    fast = orthogonal_sums(counts, prime)
    monkeypatch.setattr(orthogonal, "PURE_ENTRIES", 1 << 62)
    assert np.array_equal(fast, orthogonal_sums(counts, prime))
    some = rng.integers(0, points(prime, t), size=20)
    every = vectors(prime, t)
    assert (
        fast[some].tolist() == ((inner_products(every[some], every, prime) == 0) @ counts).tolist()
    )


@pytest.mark.parametrize("inverse", [1, 2, 4])
def test_the_kernel_is_its_definition(inverse: int, rng: np.random.Generator) -> None:
    """In plain Python, as machine code and in NumPy."""
    old, q = rng.integers(0, 100, size=(3, 2, 5, 5)), 5
    rows, places = np.array([2, 0]), np.array([1, 3])
    wanted = np.zeros((4, 2, q), dtype=np.int64)
    for row, place in zip(rows, places, strict=True):
        for z in range(q):
            wanted[place, :, z] = sum(old[row, :, d, (z - d) * inverse % q] for d in range(q))
    for add in (
        orthogonal._add_turned,
        compiled(orthogonal._add_turned),
        orthogonal._add_with_numpy,
    ):
        new = np.zeros_like(wanted)
        add(old, new, rows, places, inverse)
        assert np.array_equal(new, wanted)


@pytest.mark.parametrize("length", [0, 2, 5, 12])
def test_counts_of_some_points_are_refused(length: int) -> None:
    with pytest.raises(ParameterError, match="counts: must be of all points over 3 elements"):
        orthogonal_sums(np.zeros(length, dtype=np.int64), 3)
