"""Two samples of one law are not told apart, and what differs is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from benchmarks import agreement

if TYPE_CHECKING:
    import pytest


def noise(decay: float, seed: int, n: int = 20_000) -> list[int]:
    """Two-sided geometric noise by another route than ours."""
    rng = np.random.default_rng(seed)
    found = rng.geometric(1 - decay, n) - rng.geometric(1 - decay, n)
    return list(map(int, found))


def test_one_law_is_one_law(seed: int) -> None:
    """Null: one law; the p-value is below 1e-10 with probability 1e-10, n = 20,000 each."""
    p, classes = agreement.compared(noise(0.5, seed), noise(0.5, seed + 1))
    assert p > 1e-10
    assert classes >= 15


def test_two_laws_are_told_apart(seed: int) -> None:
    """A decay of 0.5 or 0.6, n = 20,000 each: missed with probability < 1e-20."""
    p, _ = agreement.compared(noise(0.5, seed), noise(0.6, seed))
    assert p < agreement.LEVEL


def test_samples_of_one_value_say_nothing() -> None:
    p, classes = agreement.compared([3] * 100, [3] * 100)
    assert math.isnan(p)
    assert classes == 1


def test_a_page_says_what_was_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "DRAWS", 2000)
    monkeypatch.setattr(agreement, "CHOICES", 500)
    made = agreement.cases(1)
    assert len(made) == 9
    assert all(case.asked()["count"] in (2000, 500) for case in made)
    theirs = {"version": "0", "drawn": {case.name: case.ours for case in made}}
    text = agreement.page(made, theirs, 1)
    assert text.count("as it should be") == sum(case.same for case in made)
    assert text.count("WRONG") == sum(not case.same for case in made)
