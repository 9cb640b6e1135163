"""Hashing 128-bit values: collisions of exactly 2^-r, and supports of extensions by transform."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels import wide
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.transform import walsh_hadamard

MASK = (1 << 64) - 1


def words(numbers: list[int], count: int) -> np.ndarray:
    """Numbers as rows of 64-bit words, the lowest first."""
    rows = [[number >> 64 * i & MASK for i in range(count)] for number in numbers]
    return np.array(rows, dtype=np.uint64)


@pytest.mark.parametrize("r, shift", [*itertools.product((1, 2, 3), (0, 61, 62, 63, 64, 124))])
def test_two_values_collide_under_exactly_one_in_2_to_the_r_functions(r: int, shift: int) -> None:
    """All values that differ in four bits, under all seeds that these bits can see."""
    seeds = words([seed << shift for seed in range(1 << (4 + r - 1))], 3)
    values = words([value << shift for value in range(16)], 2)[:, ::-1]
    found = np.array([wide.hashes(seeds, value, r) for value in values])
    for one, other in itertools.combinations(range(16), 2):
        assert np.count_nonzero(found[one] == found[other]) == len(seeds) >> r


def test_seeds_have_as_many_bits_as_are_used(seed: int) -> None:
    for r in range(1, wide.MOST_BITS + 1):
        seeds = wide.draw_seeds(200, r, word_source(seed, "test"))
        assert seeds.shape == (200, 3)
        assert int(seeds[:, 2].max()) < 1 << (r - 1)
    with pytest.raises(ParameterError, match="r: must"):
        wide.draw_seeds(1, 9, word_source(seed, "test"))


@pytest.mark.parametrize(
    "begin, end", [(0, 7), (60, 70), (58, 64), (64, 72), (121, 128), (3, 9), (63, 65)]
)
def test_extensions_are_counted_as_each_of_them_would_be(begin: int, end: int, seed: int) -> None:
    rng, r = np.random.default_rng(seed), 3
    seeds = wide.draw_seeds(300, r, word_source(seed, "test"))
    buckets = rng.integers(0, 1 << r, 300)
    parents = wide.prefixes(rng.integers(0, 1 << 64, (3, 2), dtype=np.uint64), begin)
    found = wide.extension_supports(seeds, buckets, parents, begin, end, r)
    size = 1 << (end - begin)
    places = np.array(list(itertools.product(range(3), range(size))))
    each = wide.extended(parents, end, places)
    assert len({tuple(row) for row in each.tolist()}) == len(np.unique(parents, axis=0)) * size
    assert np.array_equal(wide.prefixes(each, begin), parents[places[:, 0]])
    assert np.array_equal(wide.prefixes(each, end), each)
    assert np.array_equal(found.ravel(), wide.value_supports(seeds, buckets, each, r))


@pytest.mark.parametrize("begin, end", [(0, 7), (60, 70), (58, 64), (121, 128), (63, 65)])
@pytest.mark.parametrize("each", [3, 1 << 29])
def test_shared_functions_are_counted_as_their_reports_would_be(
    begin: int, end: int, each: int, seed: int
) -> None:
    """Also where the sums need more than 32 bits."""
    rng, r = np.random.default_rng(seed), 3
    seeds = wide.draw_seeds(40, r, word_source(seed, "test"))
    counts = rng.integers(0, 4, (40, 1 << r))
    parents = wide.prefixes(rng.integers(0, 1 << 64, (3, 2), dtype=np.uint64), begin)
    spectra = walsh_hadamard(counts * each)
    found = wide.shared_supports(seeds, spectra, parents, begin, end)
    buckets = np.concatenate([np.repeat(np.arange(1 << r), row) for row in counts])
    reports = np.repeat(seeds, counts.sum(axis=1), axis=0)
    wanted = wide.extension_supports(reports, buckets, parents, begin, end, r)
    assert np.array_equal(found, each * wanted)


def test_prefixes_are_those_of_the_number() -> None:
    number = 0x123456789ABCDEF0FEDCBA9876543211
    value = words([number], 2)[:, ::-1]
    for length in range(129):
        upper, lower = wide.prefixes(value, length)[0].tolist()
        assert upper << 64 | lower == number >> (128 - length) << (128 - length)


def test_parities_are_those_of_the_common_bits(rng: np.random.Generator) -> None:
    masks = rng.integers(0, 1 << 64, size=(50, 2), dtype=np.uint64)
    value = rng.integers(0, 1 << 64, size=2, dtype=np.uint64)
    wanted = [
        ((int(a) & int(value[0])).bit_count() + (int(b) & int(value[1])).bit_count()) & 1
        for a, b in masks
    ]
    assert wide.parities(masks, value).tolist() == wanted
    assert wide.parities(masks, np.tile(value, (50, 1))).tolist() == wanted
