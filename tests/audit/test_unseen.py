"""(eps', delta) from samples: never below the truth but for the level, and useful."""

from __future__ import annotations

from functools import partial
from math import exp, inf

import numpy as np

from ldp_verified.check.audit.bounds.unseen import Seen, approximate
from ldp_verified.check.audit.claim import Claim
from ldp_verified.check.audit.run import audit
from ldp_verified.check.audit.targets.sources import from_callable
from tests.broken.audit.randomizers import grr


def true_delta(table: list[list[float]], epsilon: float) -> float:
    """The smallest delta of a table."""
    return max(
        sum(max(p - exp(epsilon) * q, 0.0) for p, q in zip(row, other, strict=True))
        for row in table
        for other in table
    )


def test_what_holds_is_never_below_the_truth() -> None:
    """400 seeded draws at level 0.05: the truth is missed 400 * 0.05 = 20 times on average at most.

    Bounds of every cell at once are far more careful than their level: none is expected.
    """
    table = [[0.5, 0.3, 0.15, 0.05], [0.2, 0.3, 0.3, 0.2]]
    generator = np.random.default_rng(8)
    for _ in range(400):
        counts = np.array([generator.multinomial(400, row) for row in table])
        found = approximate(counts, 0.05, 0.5)
        assert found.at_claim >= true_delta(table, 0.5)
        assert found.delta >= true_delta(table, min(found.epsilon, 50.0))


def test_what_was_never_seen_is_part_of_delta() -> None:
    few, many = (
        approximate(np.array([[n // 2, n // 2, 0], [n // 2, n // 2, 0]]), 0.01, 0.0)
        for n in (200, 200_000)
    )
    assert 0.01 < few.delta < 0.5
    assert many.delta < 1e-3
    assert many.epsilon < 0.05
    empty = approximate(np.zeros((2, 3), dtype=np.int64), 0.01, 0.0)
    assert (empty.epsilon, empty.delta) == (inf, 1.0)
    assert Seen.of(1000, ["a"] * 1000) is None


def test_an_approximate_bound_of_an_audit(rng: np.random.Generator) -> None:
    """eps = 0.5: the pair lies above it and below 1; level 1e-9."""
    source = from_callable(partial(grr, k=3, epsilon=0.5, rng=rng), range(3), "grr")
    found = audit(source, Claim(1.0, n=60_000, level=1e-9), seed=1).approximate
    assert found is not None
    assert 0.5 <= found.epsilon < 1.0
    assert found.delta < 0.01
    assert found.at_claim < 0.01
