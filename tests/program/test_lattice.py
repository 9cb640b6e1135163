"""The program of Gaussian noise draws by its table of weights, and always reads three words."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.protocols import Gaussian
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.rounding import UNIT, round_to_grid
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.lattice import rounded_lattice

if TYPE_CHECKING:
    from ldp_verified.run.program import Program

MADE = [Gaussian(1.0, 1e-6), Gaussian(0.3, 1e-9, (0.0, 10.0), 10), Gaussian(4.0, 1e-3, grid=1)]
LARGEST = (1 << 64) - 1


def differs(made: Gaussian, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some position and words make another report than grid and weights say.

    A pair of words is a number below 2^128, and the noise is how many sums of weights are not above
    it. Words are random ones, and those at sums, with the second word at and beside theirs.
    """
    total, pairs = 0, [(0, 0), (LARGEST, LARGEST)]
    weights = made._noise.weights
    sums = list(accumulate(weights[:-1]))
    for place, weight in enumerate(weights[:-1]):
        total += weight
        if place % max(1, len(weights) // 40) == 0:
            pairs += [divmod(total + step, 1 << 64) for step in (-1, 0, 1)]
    pairs += rng.integers(0, LARGEST, (60, 2), dtype=np.uint64, endpoint=True).tolist()
    for first, second in pairs:
        word = int(rng.integers(0, LARGEST, dtype=np.uint64, endpoint=True))
        for position in (0, UNIT, int(rng.integers(UNIT))):
            source = ReplayWords(np.array([word], dtype=np.uint64))
            (point,) = round_to_grid(np.array([position]), made.steps, source).tolist()
            right = point + bisect_right(sums, (first << 64) + second)
            if interpret(program, position, [word, first, second]) != ((right,), 3):
                return True
    return False


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_program_draws_by_its_weights(made: Gaussian, rng: np.random.Generator) -> None:
    assert not differs(made, made.program(), rng)
    drawn = made.client().report(made.bounds[0])
    assert isinstance(drawn, int)
    assert 0 <= drawn < made.outputs


@pytest.mark.parametrize("made", MADE[:2], ids=repr)
def test_a_moved_weight_is_seen(made: Gaussian, rng: np.random.Generator) -> None:
    """Planted: one of 2^128 pairs of words moves from one amount of noise to the one below it."""
    weights = list(made._noise.weights)
    weights[0] += 1
    weights[1] -= 1
    wrong = rounded_lattice("wrong", made.steps, weights)
    assert differs(made, wrong, rng)
