"""Market baskets: the moments that their parameters give."""

from __future__ import annotations

import itertools

import numpy as np

from benchmarks import baskets


def test_baskets_and_patterns_have_the_declared_moments() -> None:
    """Of one seed, so that nothing is left to chance: T10, I4, 1000 items."""
    made = baskets.baskets(seed=0, count=20_000)
    assert len(made) == 20_000
    assert abs(made.sizes.mean() - 10) < 0.5
    assert made.sizes.min() >= 1
    assert made.items.min() >= 0
    assert made.items.max() < baskets.ITEMS
    listed = baskets.patterns(np.random.default_rng(1))
    assert len(listed) == baskets.PATTERNS
    assert abs(np.mean([len(each) for each in listed]) - 4) < 0.15
    assert all(len(set(each)) == len(each) for each in listed)
    # E min(1, an exponential of mean 1/2) is 0.43, less what is rounded or not there.
    shared = [len({*a} & {*b}) / len(b) for a, b in itertools.pairwise(listed)]
    assert 0.3 < np.mean(shared) < 0.5


def test_items_of_a_pattern_come_together() -> None:
    """The most frequent pair of items is far above what independent items would give."""
    made = baskets.baskets(seed=0, count=20_000)
    matrix = np.zeros((len(made), baskets.ITEMS), dtype=np.float32)
    matrix[made.owners, made.items] = 1
    together = matrix.T @ matrix
    share = np.diag(together) / len(made)
    np.fill_diagonal(together, 0)
    a, b = np.unravel_index(int(np.argmax(together)), together.shape)
    assert together[a, b] / len(made) > 3 * share[a] * share[b]


def test_a_seed_gives_the_same_again_and_another_one_others() -> None:
    one, again, other = (baskets.baskets(seed, 500) for seed in (1, 1, 2))
    assert np.array_equal(one.items, again.items)
    assert not np.array_equal(one.items[:100], other.items[:100])
