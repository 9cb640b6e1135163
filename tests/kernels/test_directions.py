"""Public directions: SplitMix64 word by word, uniform on the sphere, and what the server adds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldp_verified.run.kernels.directions import SCALE, added, nearness, normals, scaled_lengths

MASK = (1 << 64) - 1


def mixed(word: int) -> int:
    """SplitMix64's output function, of Python's integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def test_numbers_are_those_of_box_and_muller_on_splitmix() -> None:
    """In double precision, from integers: the kernel has single precision."""
    seeds, lines, d = np.array([5, (1 << 56) - 1], dtype=np.uint64), np.array([0, 3]), 7
    found = normals(seeds, lines.astype(np.uint64), d)
    for i, (seed, line) in enumerate(zip(seeds.tolist(), lines.tolist(), strict=True)):
        for j in range(4):
            step = 0x9E3779B97F4A7C15 * (line * 4 + j + 1)
            word = mixed((seed << 8) + step & MASK)
            radius = math.sqrt(-2 * math.log(((word & 0xFFFFFFFF) // 256 + 0.5) / 2**24))
            angle = 2 * math.pi * (word >> 40) / 2**24
            assert found[i, j] == pytest.approx(radius * math.cos(angle), abs=2e-5)
            if 4 + j < d:
                assert found[i, 4 + j] == pytest.approx(radius * math.sin(angle), abs=2e-5)


@pytest.mark.parametrize(("d", "seed_of_zeros"), [(1, 7923605), (2, 18825254)])
def test_a_line_whose_numbers_are_all_zero_is_the_first_axis(d: int, seed_of_zeros: int) -> None:
    """Two such seeds, found by search: both numbers of the pair are 0, or the only one is."""
    seeds, line = np.array([seed_of_zeros, 5], dtype=np.uint64), np.zeros(2, dtype=np.uint64)
    word = mixed((seed_of_zeros << 8) + 0x9E3779B97F4A7C15 & MASK)
    assert (word & 0xFFFFFFFF) >> 8 == 0xFFFFFF or (d == 1 and (word >> 40) % (1 << 22) == 0)
    with np.errstate(all="raise"):
        axis = np.eye(1, d)
        assert normals(seeds, line, d)[:1].tolist() == axis.tolist()
        near = nearness(np.repeat(axis, 2, axis=0), seeds, 1)
        assert near[0, 0] == 1
        assert np.isfinite(near).all()
        totals, squares = added(seeds[:1], np.array([1]), d)
        assert totals.tolist() == (-SCALE * axis[0]).tolist()
        assert squares.tolist() == (SCALE * axis[0]).tolist()


@pytest.mark.parametrize("d", [2, 3, 8])
def test_directions_are_uniform_and_lines_independent(d: int, seed: int) -> None:
    """Null: means of products of coordinates, and of two lines, as on the sphere.

    All are within -1..1: Hoeffding's inequality at 1e-10 for all of them, n = 200,000.
    """
    n = 200_000
    seeds = np.random.default_rng(seed).integers(0, 1 << 56, n, dtype=np.uint64)
    units = []
    for line in (0, 1):
        own = normals(seeds, np.full(n, line, dtype=np.uint64), d).astype(np.float64)
        units.append(own / np.linalg.norm(own, axis=1, keepdims=True))
    one, two = units
    looks = [(one.mean(axis=0), np.zeros(d)), (two.mean(axis=0), np.zeros(d))]
    looks += [(one.T @ one / n, np.eye(d) / d), (one.T @ two / n, np.zeros((d, d)))]
    third, fourth = 3 / (d * (d + 2)), 15 / (d * (d + 2) * (d + 4))
    looks += [
        ((one**4).mean(axis=0), np.full(d, third)),
        ((one**6).mean(axis=0), np.full(d, fourth)),
    ]
    far = math.sqrt(2 * math.log(2 * 2 * d * (d + 2) / 1e-10) / n)
    for found, wanted in looks:
        assert np.abs(found - wanted).max() < far


def test_products_and_sums_do_not_depend_on_how_many_there_are() -> None:
    rng = np.random.default_rng(3)
    d, n = 300, 1000
    seeds = rng.integers(0, 1 << 56, n, dtype=np.uint64)
    vectors = rng.standard_normal((n, d))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    whole = nearness(vectors, seeds, 2)
    assert nearness(vectors[700:701], seeds[700:701], 2)[0] == pytest.approx(whole[700], abs=1e-6)
    longer = nearness(3 * vectors, seeds, 2, 2.0, np.full(n, 1.5))
    assert longer == pytest.approx(whole, abs=1e-6)
    tiny = nearness(vectors * 1e-200, seeds, 2, 1.0, np.full(n, 1e-200))
    assert tiny == pytest.approx(whole, abs=1e-6)
    own = normals(seeds, np.ones(n, dtype=np.uint64), d).astype(np.float64)
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    assert whole[:, 1] == pytest.approx((own * vectors).sum(axis=1), abs=1e-6)
    totals, squares = added(seeds, np.full(n, 3), d)
    assert totals / SCALE == pytest.approx(-own.sum(axis=0), abs=n / SCALE)
    assert squares.sum() / SCALE == pytest.approx(n, abs=n * d / SCALE)
    parts = [added(seeds[a:b], np.full(b - a, 3), d)[0] for a, b in ((0, 400), (400, n))]
    assert (parts[0] + parts[1]).tolist() == totals.tolist()


def test_lengths_are_those_of_the_vectors_and_nothing_overflows() -> None:
    vectors = np.array([[3.0, 4.0], [0.0, 0.0], [1e300, 1e300], [1e-320, 0.0]])
    found = scaled_lengths(vectors, 2.0)
    assert found[:2].tolist() == [2.5, 0.0]
    assert found[2] == np.inf
    assert found[3] == 0
    assert scaled_lengths(vectors, 1e300)[2] == pytest.approx(math.sqrt(2))
    # A vector without a length is turned into one of length 1.
    seeds = np.array([7], dtype=np.uint64)
    first = np.array([[1.0, 0.0]])
    none = nearness(np.zeros((1, 2)), seeds, 1, 2.0, np.zeros(1))
    assert none == pytest.approx(nearness(first, seeds, 1))
