"""Errors of heavy hitters: the search settles where misses are as many as is said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.error_growth import (
    AXES,
    PRINTED,
    PROTOCOLS,
    Point,
    hashtogram,
    is_found,
    page,
    settled,
    slope,
)


@pytest.mark.parametrize("beta", [0.5, 0.25, 0.125])
def test_the_search_settles_at_beta(beta: float, rng: np.random.Generator) -> None:
    """Null: misses have the chance beta at the share that is found, which is known here.

    Finds are logistic in the logarithm of the share, with scale 0.1; 4,000 trials. The mean of the
    steps is a biased answer by less than a step, and its standard error is below 0.01.
    """

    def found(share: float) -> bool:
        return bool(rng.random() < 1 / (1 + math.exp(-math.log(share / 0.1) / 0.1)))

    exact = math.log(0.1) + 0.1 * math.log((1 - beta) / beta)
    assert abs(math.log(settled(found, 0.3, beta, 4000)) - exact) < 0.08


def test_slopes_are_those_of_powers(rng: np.random.Generator) -> None:
    """Null: an exponent of -1/2 lies within 8 standard errors; one of -1 does not."""
    sizes = np.repeat([1.0, 2.0, 4.0, 8.0, 16.0], 8)
    errors = 0.3 / np.sqrt(sizes) * np.exp(rng.normal(0, 0.02, len(sizes)))
    own, half = slope(sizes.tolist(), errors.tolist())
    assert abs(own + 0.5) < 4 * half
    assert abs(own + 1) > 10 * half


@pytest.mark.parametrize("name", PROTOCOLS)
def test_most_users_are_found_and_nobody_is_not(name: str, rng: np.random.Generator) -> None:
    at = Point(n=1 << 14, eps=4.0, bits=8, beta=1e-6)
    assert is_found(name, at, 0.9, rng)
    assert not is_found(name, at, 0.0, rng)


def test_axes_change_one_thing() -> None:
    for axis, sizes in AXES.items():
        changed = {
            name
            for size in sizes
            for name in ("n", "eps", "bits", "beta")
            if getattr(Point.on(axis, size), name) != getattr(Point(), name)
        }
        assert len(changed) == 1, axis
    assert {*AXES} == {*PRINTED}


def test_fewer_users_err_more(rng: np.random.Generator) -> None:
    """Errors of 2^12 and 2^18 users differ by a factor of 8; a medley of 12 runs tells that."""
    few, many = (hashtogram(Point(n=1 << power, bits=4), rng) for power in (12, 18))
    assert few > 2 * many


def test_the_page_has_a_row_for_each_slope() -> None:
    rows = [
        (name, axis, [(s, 1 / s) for s in sizes])
        for name in ("TreeHist", "Bitstogram")
        for axis, sizes in AXES.items()
    ]
    text = page(rows, 1.0)
    assert text.count("| TreeHist |") == 2 * len(AXES)
    assert "-1.00 | -1.00 to -1.00" in text
    columns = {line.replace("\\|", "").count("|") for line in text.splitlines() if line[:2] == "| "}
    assert columns == {6, 5}
    again = page([row for row in rows if row[0] == "TreeHist"], 2.0, text)
    assert "in 2 s of processor time, TreeHist alone; the other rows" in again
    assert [row for row in again.splitlines() if row[:2] == "| "] == [
        row for row in text.splitlines() if row[:2] == "| "
    ]
