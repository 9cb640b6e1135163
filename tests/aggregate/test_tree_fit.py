"""The fit of a tree against dense least squares, and its mean over all ranges against their sum."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.run.aggregate.tree_fit import TreeFit, best_step, levels_of
from tests.broken.ranges import ForgetsTheLevelBelow

Floats = np.ndarray[Any, np.dtype[np.float64]]
TREES = [
    ((2,), (Fraction(3),)),
    ((4,), (Fraction(1),)),
    ((2, 8), (Fraction(2), Fraction(1, 3))),
    ((2, 4, 16), (Fraction(1), Fraction(2), Fraction(5))),
    ((4, 8, 16, 32), (Fraction(7), Fraction(1), Fraction(1, 9), Fraction(2))),
    ((3, 15, 30), (Fraction(1), Fraction(2), Fraction(1, 5))),
]


def dense(count: tuple[int, ...], variances: tuple[Fraction, ...]) -> tuple[Floats, Floats, Floats]:
    """(nodes by leaves, weights, inverse of the bordered normal equations): leaves sum to one."""
    leaves = count[-1]
    blocks = [np.repeat(np.eye(c), leaves // c, axis=1) for c in count]
    nodes = np.concatenate(blocks)
    weights = np.concatenate(
        [np.full(c, float(1 / v)) for c, v in zip(count, variances, strict=True)]
    )
    normal = nodes.T @ (weights[:, np.newaxis] * nodes)
    border = np.ones((leaves, 1))
    inverse = np.linalg.inv(np.block([[normal, border], [border.T, np.zeros((1, 1))]]))
    return nodes, weights, inverse


def agrees(fit: TreeFit, seed: int) -> bool:
    """Whether fitted leaves, variances and their mean are those of dense least squares."""
    nodes, weights, inverse = dense(fit.nodes, fit.variances)
    rng, leaves = np.random.default_rng(seed), fit.leaves
    seen = rng.normal(size=len(weights))
    parts = np.split(seen, np.cumsum(fit.nodes)[:-1])
    wanted = inverse @ np.append(nodes.T @ (weights * seen), 7.0)
    if not np.allclose(fit.fitted(parts, 7.0), wanted[:leaves]):
        return False
    pairs = np.array(list(itertools.combinations(range(leaves + 1), 2)))
    covariance = inverse[:leaves, :leaves]
    sums = [covariance[a:b, a:b].sum() for a, b in pairs]
    found = fit.variance_of(pairs[:, 0], pairs[:, 1])
    return np.allclose(found, sums) and np.isclose(float(fit.mean_variance), np.mean(sums))


@pytest.mark.parametrize("nodes, variances", TREES)
def test_the_fit_is_that_of_dense_least_squares(
    nodes: tuple[int, ...], variances: tuple[Fraction, ...], seed: int
) -> None:
    assert agrees(TreeFit(nodes, variances), seed)


def test_a_wrong_recursion_is_seen(seed: int) -> None:
    assert not agrees(ForgetsTheLevelBelow(*TREES[3]), seed)


def test_the_ranges_of_no_leaf_and_of_all_are_known() -> None:
    fit = TreeFit(*TREES[4])
    ends = np.array([0, 3, 32]), np.array([0, 3, 32])
    assert fit.variance_of(*ends).tolist() == [0, 0, 0]
    whole = fit.variance_of(np.array([0]), np.array([32]))
    assert whole[0] < 1e-12 * float(fit.variances[-1])


def test_levels_end_at_the_leaves() -> None:
    assert levels_of(10, 3) == (1, 4, 7, 10)
    assert levels_of(10, 10) == (10,)
    assert levels_of(4, 2) == (2, 4)


@pytest.mark.parametrize("bits", range(1, 13))
def test_no_step_has_a_smaller_mean_variance_than_the_best(bits: int) -> None:
    def cost(step: int) -> Fraction:
        nodes = tuple(1 << each for each in levels_of(bits, step))
        return TreeFit(nodes, (Fraction(len(nodes)),) * len(nodes)).mean_variance

    costs = [cost(step) for step in range(1, bits + 1)]
    assert costs[best_step(bits) - 1] == min(costs)
    # One level is best for few values only; for many the tree is far better.
    assert (best_step(bits) == bits) == (bits <= 4)
    assert bits < 10 or 9 * min(costs) < costs[-1]
