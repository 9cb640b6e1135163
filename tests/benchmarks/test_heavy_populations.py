"""The populations of the comparison of heavy hitters."""

from __future__ import annotations

from collections import Counter

import numpy as np

from benchmarks import heavy_populations as hp

SMALL = hp.Population(
    "small", 12, tuple(range(40)), np.array([5000 - 100 * i for i in range(40)], dtype=np.int64)
)


def test_the_clustered_values_are_those_that_were_committed() -> None:
    found = hp.clustered()
    assert hp.digest(found) == hp.CLUSTERED_SHA256
    assert found.n == hp.USERS
    assert len(set(found.values)) == len(found.values) == hp.DISTINCT
    assert max(int(value) for value in found.values) < 1 << hp.BITS
    assert (np.diff(found.counts) <= 0).all()
    prefixes = {int(value) >> hp.BITS // 2 for value in found.values}
    assert 2000 < len(prefixes) <= hp.CLUSTERS
    other = hp.clustered(1.2)
    assert other.n == hp.USERS
    assert hp.digest(other) != hp.CLUSTERED_SHA256


def test_strings_are_in_the_order_of_their_counts() -> None:
    found = hp.of_counts("few", Counter({"a": 2, "b": 5}))
    assert (found.values, found.counts.tolist(), found.n) == (("b", "a"), [5, 2], 7)


def test_at_the_limit_all_others_are_alone() -> None:
    found = hp.at_the_limit(0.05)
    assert (found.top, found.n) == (16, hp.USERS)
    assert set(found.counts[:16].tolist()) == {int(np.ceil(0.05 * hp.USERS))}
    assert set(found.counts[16:].tolist()) == {1}
    assert len(set(found.values)) == len(found.values)


def test_wide_values_begin_with_the_narrow_ones() -> None:
    wide = hp.widened(SMALL)
    assert (wide.bits, wide.n) == (128, SMALL.n)
    assert tuple(int(value) >> 80 for value in wide.values) == SMALL.values
    assert max(int(value) & (1 << 80) - 1 for value in wide.values) > 2**79
