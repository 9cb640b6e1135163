"""Local hashing: layout, division and limits; the distribution is tests/conformance's part."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.family import MOST_VALUES, digit_base
from ldp_verified.run.kernels.hashing import (
    _reciprocal,
    digit_count,
    evaluate,
    local_hash,
    local_hash_sampler,
)
from ldp_verified.run.kernels.seeds import word_source


@pytest.mark.parametrize(
    ("k", "g"),
    [
        *((2, 2), (1024, 4), (1000, 3), (1000, 6), (10**6, 256), (10**5, 257)),
        *((MOST_VALUES, 2), (MOST_VALUES, 32), (MOST_VALUES, 64), (10**4, 65521)),
    ],
)
@pytest.mark.parametrize("count", [3, 3000])
def test_without_lies_the_report_is_the_hash(
    k: int, g: int, count: int, rng: np.random.Generator
) -> None:
    """The least threshold: a lie has probability g 2^-64 a report."""
    values = rng.integers(0, k, size=count)
    values[0] = k - 1
    reports = local_hash(values, k, g, 1, word_source(None, "test"))
    assert reports.dtype == (np.uint8 if g <= 256 else np.uint16)
    assert reports.shape == (count, digit_count(k, g) + 1)
    assert int(reports.max()) < g
    np.testing.assert_array_equal(evaluate(reports[:, :-1], values, g), reports[:, -1])


def test_division_by_multiplication_is_exact() -> None:
    """For all x < 2^31, as 2^shift / divisor is rounded up by little.

    The quotient can only come out too large, and that first for the largest x that is one short
    of a multiple of the divisor: the excess over x / divisor grows with x, and any other x is
    further from its next multiple than the excess can reach.
    """
    for divisor in [*range(2, 300), 65521, 65535, 65536]:
        inverse, shift = _reciprocal(divisor)
        assert inverse <= 2**32
        assert 0 <= inverse * divisor - 2**shift < divisor
        assert MOST_VALUES * divisor <= 2**shift
        largest = MOST_VALUES // divisor * divisor - 1
        for x in (0, 1, divisor - 1, divisor, divisor + 1, largest, largest + 1, MOST_VALUES - 1):
            assert x * inverse >> shift == x // divisor


@pytest.mark.parametrize(("k", "g"), [(1024, 3), (7, 5), (100, 64), (100, 200)])
@pytest.mark.parametrize("width", [8, 16, 64])
def test_at_most_half_of_the_words_are_rejected(k: int, g: int, width: int) -> None:
    sampler = local_hash_sampler(k, g, 1, width)
    last_fair = sampler.cuts[3]
    assert 2 ** (width - 1) <= last_fair + 1 <= 2**width
    assert sampler.least_words <= sampler.columns
    assert sampler.sizes[2] == digit_base(g)


@pytest.mark.parametrize(
    ("k", "g", "lie", "message"),
    [
        (1, 2, 1, "k: must be in 2..2147483648, got 1"),
        (2, 1, 1, "g: must be in 2..65536, got 1"),
        (2, 257, 1, "g: must be in 2..256, got 257"),
        (2, 3, 0, "lie: must be in 1..85, got 0"),
        (2, 3, 86, "lie: must be in 1..85, got 86"),
    ],
)
def test_parameters_out_of_range_are_refused(k: int, g: int, lie: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        local_hash(np.array([0]), k, g, lie, word_source(1, "test"), 8)
