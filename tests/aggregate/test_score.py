"""Ends of score intervals against points that are tried one by one."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified.run.aggregate.score import Parabola, furthest


def tried(start: float, end: float, estimate: float, reached: Parabola) -> float:
    """The last of 20,001 points that is near enough; `start` if none is."""
    shares = np.linspace(0, 1, 20_001)
    points = start + shares * (end - start)
    held = np.flatnonzero((points - estimate) ** 2 <= reached.at(shares))
    return float(points[held[-1]]) if len(held) else start


def test_ends_are_the_last_points_that_are_near_enough(rng: np.random.Generator) -> None:
    """Exact: random parabolas above 0, in both directions, also with an estimate outside."""
    k = 400
    starts, ends = rng.uniform(-5, 5, (2, k))
    beyond = rng.choice([0.0, 0.3, 2.0], k) * np.sign(starts - ends)
    values = rng.exponential(rng.choice([0.01, 1.0, 30.0], k), (3, k))
    # Its least value is at an end, or on the way.
    values[1] = np.maximum(values[1], (values[0] + values[2]) / 2 - np.minimum(*values[::2]) / 2)
    found = furthest(starts, ends, starts + beyond, Parabola(*values))
    for i in range(k):
        reached = Parabola(*(float(value[i]) for value in values))
        expected = tried(starts[i], ends[i], starts[i] + beyond[i], reached)
        assert found[i] == pytest.approx(expected, abs=1.01 * abs(ends[i] - starts[i]) / 20_000)


def test_lengths_may_be_those_of_the_widest_and_the_narrowest_bounds() -> None:
    for unit in (1e-140, 1.0, 1e140):
        start, end = np.zeros(1), np.full(1, unit)
        found = furthest(start, end, start, Parabola(*(np.full(1, unit**2 / 4),) * 3))
        assert found[0] == pytest.approx(unit / 2, rel=1e-15)


def test_the_least_end_keeps_its_digits() -> None:
    """W(f) = f on the way from 1e-12 to 0: the end f has (1e-12 - f)^2 = 1e-20 f."""
    start, end = np.full(1, 1e-12), np.zeros(1)
    reached = Parabola(start * 1e-20, start * 1e-20 / 2, end)
    (found,) = furthest(start, end, start, reached)
    assert (1e-12 - found) ** 2 == pytest.approx(1e-20 * found, rel=1e-6)


def test_what_is_not_known_has_no_end() -> None:
    nan, one = np.full(1, np.nan), np.ones(1)
    for given in (
        (nan, one, one, Parabola(one, one, one)),
        (one, one, one, Parabola(one, nan, one)),
    ):
        assert np.isnan(furthest(*given)).all()


def test_values_between_three_are_those_of_the_parabola() -> None:
    made = Parabola(4.0, 1.0, 0.0)
    assert made.at(np.array([0.0, 0.25, 0.5, 1.0])) == pytest.approx([4.0, 2.25, 1.0, 0.0])
    assert made.between(10.0, 30.0, np.array([10.0, 20.0])) == pytest.approx([4.0, 1.0])
