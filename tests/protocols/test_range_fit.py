"""Variances of fitted ranges, against covariance matrices that are written out."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from ldp_verified.protocols import RangeHierarchy
from ldp_verified.protocols.range_fit import RangeFit
from ldp_verified.run.aggregate.combined import covariance
from tests.broken.ranges import WithoutTheDraw

PARAMETERS = [
    (1.0, 6, None),
    (4.0, 9, (5, 2)),
    (2.0, 12, (3, 2, 2)),
    (2.0, 11, (3, 2, 2)),
    (0.5, 7, (2, 2, 2)),
]


def stated(made: RangeHierarchy, n: int, shares: np.ndarray, *, draw: bool = True) -> RangeFit:
    """As the estimate has it, at true shares."""
    users = tuple(n // len(made.nodes) + level for level in range(len(made.nodes)))
    kind = RangeFit if draw else WithoutTheDraw
    return kind(made.fit(users), made._noises(users), sum(users), shares)


def dense(fit: RangeFit, made: RangeHierarchy, first: int, past: int) -> float:
    """The same from all covariances of all nodes, and the weights from solved equations."""
    leaves, shares = fit.fit.leaves, fit.leaves
    above = [np.repeat(np.eye(count), leaves // count, axis=1) for count in made.nodes]
    normal = sum(a.T @ a / float(v) for a, v in zip(above, fit.fit.variances, strict=True))
    # The covariance of the fitted leaves, whose sum is known.
    basis = np.linalg.svd(np.ones((1, leaves)))[2][1:].T
    fitted = basis @ np.linalg.inv(basis.T @ normal @ basis) @ basis.T
    wanted = ((np.arange(leaves) >= first) & (np.arange(leaves) < past)).astype(float)
    total = -(shares @ wanted) * (1 - shares @ wanted) / fit.users
    parts = zip(above, fit.fit.variances, fit.levels, made.scheme.parts, strict=True)
    for a, v, level, part in parts:
        weights = (a @ fitted @ wanted / float(v))[: part.k]
        own = (a @ shares)[: part.k]
        noise = covariance(part.oracle, own)
        assert noise is not None
        drawn = np.diag(own) - np.outer(own, own)
        total += weights @ (noise + drawn) @ weights / level.users
    return float(total)


def populations(made: RangeHierarchy) -> list[np.ndarray]:
    leaves = made.nodes[-1]
    rng = np.random.default_rng(1)
    skewed = np.where(np.arange(leaves) < made.k, rng.random(leaves) ** 4, 0)
    even = np.where(np.arange(leaves) < made.k, 1 / made.k, 0)
    return [np.eye(leaves)[0], np.eye(leaves)[made.k - 1], even, skewed / skewed.sum()]


@pytest.mark.parametrize(("epsilon", "k", "fanouts"), PARAMETERS)
def test_variances_are_those_of_all_covariances(
    epsilon: float, k: int, fanouts: tuple[int, ...] | None
) -> None:
    made = RangeHierarchy(epsilon, k, fanouts)
    pairs = np.array(list(combinations(range(k + 1), 2)))
    for shares in populations(made):
        fit = stated(made, 90, shares)
        found = fit.variance_of(pairs[:, 0], pairs[:, 1])
        expected = [max(dense(fit, made, *pair), 0.0) for pair in pairs.tolist()]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_variances_without_the_draw_are_seen() -> None:
    made = RangeHierarchy(4.0, 9, (5, 2))
    shares = populations(made)[2]
    fit = stated(made, 90, shares, draw=False)
    found = fit.variance_of(np.array([0]), np.array([4]))
    assert found[0] < 0.8 * dense(fit, made, 0, 4)


def test_many_ranges_are_those_of_each() -> None:
    made = RangeHierarchy(1.0, 9)
    fit = stated(made, 90, populations(made)[3])
    first = np.zeros(40_000, dtype=np.int64)
    found = fit.variance_of(first, first + 4)
    assert np.unique(found).tolist() == fit.variance_of(first[:1], first[:1] + 4).tolist()
    assert fit.variance_of(first[:0], first[:0]).shape == (0,)
