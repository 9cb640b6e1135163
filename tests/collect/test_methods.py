"""The comparison of methods that make counts consistent."""

from __future__ import annotations

import numpy as np
import pytest

from ldp_verified import GRR, HadamardResponse
from ldp_verified.deploy.collect import methods
from ldp_verified.deploy.collect.methods import best, compare, scored, zipf
from ldp_verified.errors import ParameterError


def test_zipf() -> None:
    held = zipf(1024, 1_000_000, 1.5)
    assert (len(held), int(held.sum())) == (1024, 1_000_000)
    assert (np.diff(held) <= 0).all()
    assert zipf(4, 10, 0).tolist() == [4, 2, 2, 2]


def test_scores_are_those_computed_by_hand() -> None:
    held = np.array([100] * 10 + [0, 0])
    found = np.array([held + 1.0, held + 3.0])
    found[:, 10:] = [[4.0, -4.0], [4.0, -4.0]]
    score = scored(found, held, 0.5)
    assert score.squares == pytest.approx([(10 * 1 + 2 * 16) / 12, (10 * 9 + 2 * 16) / 12])
    assert score.top_squares == pytest.approx([1.0, 9.0])
    assert score.rms == pytest.approx(((10 * 1 + 10 * 9 + 4 * 16) / 24) ** 0.5)
    assert (score.top_bias, score.rest_bias) == (2.0, 0.0)
    assert score.top_spread == pytest.approx(2**0.5)
    assert (score.rest_spread, score.seconds) == (0.0, 0.5)
    halves = [[(v * methods.GOLDEN >> 63 - bit) & 1 for v in range(1, 13)] for bit in range(50)]
    shifted = scored(np.array([held + 1.0, held + 1.0]), held)
    assert shifted.sums == pytest.approx(np.mean([sum(half) ** 2 for half in halves]) ** 0.5)
    assert 0.4 < np.mean(halves) < 0.6


def test_methods_that_do_not_fit_are_left_out() -> None:
    held = zipf(12, 3000, 1.5)
    every = compare(GRR(2.0, 12), held, 3)
    assert tuple(every) == methods.NAMES
    assert every["norm-sub"].rms < every["raw"].rms
    some = compare(HadamardResponse(2.0, 12), held, 2)
    assert set(methods.NAMES) - set(some) == {"least-squares", "likelihood"}


def test_the_best_is_told_apart_or_not() -> None:
    held = zipf(12, 3000, 1.5)
    errors = np.random.default_rng(5).normal(size=(30, 12))
    small, same, large = (scored(held + by * errors, held) for by in (1.0, 1.0, 3.0))
    assert best({"large": large, "small": small, "same": same}) == ("small", ("same",))
    assert large.no_better_than(small) > 3
    assert small.no_better_than(same) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zipf(1, 10, 1.0), "k: must be"),
        (lambda: zipf(2, 0, 1.0), "n: must be"),
        (lambda: zipf(2, 10, -1.0), "exponent: must be a number in 0..10, got -1.0"),
        (lambda: compare(GRR(1.0, 3), np.array([1, 2, 3]), 1), "runs: must be"),
    ],
)
def test_arguments_are_checked(call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(ParameterError, match=message):
        call()
