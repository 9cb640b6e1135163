"""Upper bounds over a declared output space: their level, exactly and in whole audits."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import comb, inf, log

import numpy as np
import pytest

from ldp_verified.check.audit.bounds.upper import upper_bound
from ldp_verified.check.audit.run import Claim, audit
from ldp_verified.check.audit.targets.sources import from_callable
from ldp_verified.errors import ParameterError
from tests.broken.audit.randomizers import grr


@pytest.mark.parametrize("p,q", [(0.7, 0.3), (0.9, 0.2), (0.5, 0.5)])
def test_the_bound_is_below_the_truth_with_probability_at_most_its_level(
    p: float, q: float
) -> None:
    """Exact: both binomial counts of two outputs are enumerated, n = 30 each."""
    n, level = 30, 0.2
    truth = max(log(p / q), log((1 - q) / (1 - p)))
    wrong = 0.0
    for a, b in product(range(n + 1), repeat=2):
        chance = comb(n, a) * p**a * (1 - p) ** (n - a) * comb(n, b) * q**b * (1 - q) ** (n - b)
        found = upper_bound(np.array([[a, n - a], [b, n - b]]), level, truth)
        wrong += chance * (found.epsilon < truth)
    assert wrong <= level


def test_a_missing_output_gives_no_eps_but_a_delta() -> None:
    found = upper_bound(np.array([[1000, 0], [990, 10]]), 0.01, 1.0)
    assert found.epsilon == inf
    assert 0 < found.delta < 0.05
    assert upper_bound(np.array([[0, 0], [5, 5]]), 0.01, 1.0).delta == 1.0


def test_slack_is_seen_by_an_audit(rng: np.random.Generator) -> None:
    """eps = 0.5 under a claim of 1.5: the upper bound lies between, level 1e-9."""
    source = from_callable(partial(grr, k=3, epsilon=0.5, rng=rng), range(3), "grr")
    claim = Claim(1.5, n=30_000, level=1e-9)
    found = audit(source, claim, outputs=range(3), seed=1)
    assert found.upper is not None
    assert 0.5 <= found.upper.epsilon < 1.5
    assert found.upper.delta == 0.0


def test_an_output_that_was_not_declared_is_said(rng: np.random.Generator) -> None:
    source = from_callable(partial(grr, k=3, epsilon=0.5, rng=rng), range(3), "grr")
    found = audit(source, Claim(1.5, n=2000), outputs=range(2), seed=1)
    assert found.upper is not None
    assert found.upper.outside > 0
    assert found.upper.epsilon == inf


def test_a_space_of_one_output_is_refused() -> None:
    with pytest.raises(ParameterError, match="outputs"):
        audit(from_callable(abs, range(3)), Claim(1.0, n=2000), outputs=[1])
