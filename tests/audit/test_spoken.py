"""Candidates are drawn fairly, and what outputs speak for is what the readings say one by one."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.check.audit.events import spoken as module
from ldp_verified.check.audit.events.events import PooledEvent
from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.events.spoken import candidates, spoken, stratifies
from ldp_verified.check.audit.targets.batch import Batch


def reading(name: str, k: int) -> OutputReading:
    return OutputReading(name, tuple(range(k)))


@pytest.mark.parametrize(
    "name,k,fits",
    [("bits", 5, True), ("bits", 2, False), ("same", 5, False), ("votes:1;bits", 5, False)],
)
def test_only_what_speaks_for_several_has_strata(name: str, k: int, fits: bool) -> None:
    assert stratifies(reading(name, k)) is fits
    assert PooledEvent(reading(name, k)).stratified is fits


@pytest.mark.parametrize("k", [4, 33, 200, 1500])
def test_candidates_are_the_own_input_and_different_others(
    k: int, rng: np.random.Generator
) -> None:
    own = rng.integers(0, k, size=400)
    found = candidates(own, reading("bits", k), rng)
    assert found.shape == (400, min(k, module.MOST))
    assert np.array_equal(found[:, 0], own)
    assert all(len({*row}) == found.shape[1] for row in found.tolist())
    assert found.min() >= 0
    assert found.max() < k


@pytest.mark.parametrize("k", [40, 1100])
def test_given_the_candidates_every_one_is_as_likely_the_input(
    k: int, rng: np.random.Generator
) -> None:
    """Null: of the candidates, the input has a uniform rank; chi-square, 20,000 rows, 1e-9."""
    own = rng.integers(0, k, size=20_000)
    found = candidates(own, reading("bits", k), rng)
    ranks = (found < own[:, None]).sum(axis=1)
    m = found.shape[1]
    counts = np.bincount(ranks, minlength=m)
    statistic = float(((counts - 20_000 / m) ** 2 / (20_000 / m)).sum())
    assert statistic < 130  # chi-square with 31 degrees: above it with probability below 1e-13


def test_sides_of_vectors_noisy_numbers_and_learnt_values(rng: np.random.Generator) -> None:
    inputs = rng.integers(0, 3, size=50)
    vectors = Batch(inputs, (rng.random((50, 3)) < 0.5).astype(np.int64))
    noisy = Batch(inputs, rng.normal(size=(50, 3)))
    texts = Batch(inputs, [f"v{i}" for i in rng.integers(0, 3, size=50)])
    learnt = 'learnt:{"feature": "plain", "speaks": {"v0": [0, 1], "v1": [2]}}'
    for name, batch in (("bits", vectors), ("noisy:0.5", noisy), (learnt, texts)):
        chosen = candidates(inputs, reading(name, 3), rng)
        speaks, against = spoken(reading(name, 3), batch, chosen)
        for i in range(3):
            one, other = reading(name, 3).sides(batch, chosen[:, i])
            assert np.array_equal(speaks[:, i], one)
            assert np.array_equal(against[:, i], other)
        assert not (speaks & against).any()


def test_strata_count_what_sides_count(rng: np.random.Generator) -> None:
    """Three inputs: the sums over strata by hand, and sides as the random other input says."""
    outputs = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 0], [0, 0, 1]])
    batch = Batch(np.array([0, 0, 0, 0, 0, 1]), outputs)
    event = PooledEvent(reading("bits", 3))
    (other, side), strata = event.strata(batch, rng)
    assert strata.rows == ((1, 2, 1, 1), (2, 1, 1, 1))
    assert np.array_equal(side, event.reading.against(batch, batch.inputs, other))
    assert not (other == batch.inputs).any()
