"""The program of Gaussian noise draws what the kernels draw, and always reads three words."""

from __future__ import annotations

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
    """Return whether some position and words make another report than the kernels'.

    Words are random ones, and those at cuts, with the second word at and beside theirs.
    """
    total, pairs = 0, [(0, 0), (LARGEST, LARGEST)]
    weights = made._noise.weights
    for place, weight in enumerate(weights[:-1]):
        total += weight
        if place % max(1, len(weights) // 40) == 0:
            pairs += [divmod(total + step, 1 << 64) for step in (-1, 0, 1)]
    pairs += rng.integers(0, LARGEST, (60, 2), dtype=np.uint64, endpoint=True).tolist()
    for first, second in pairs:
        word = int(rng.integers(0, LARGEST, dtype=np.uint64, endpoint=True))
        for position in (0, UNIT, int(rng.integers(UNIT))):
            tape = np.array([word, first, second], dtype=np.uint64)
            source = ReplayWords(tape)
            point = round_to_grid(np.array([position]), made.steps, source)
            right = made.sampler().draw(point, source).reshape(-1).tolist()
            if interpret(program, position, tape.tolist()) != (tuple(right), 3):
                return True
    return False


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_program_draws_what_the_kernels_draw(made: Gaussian, rng: np.random.Generator) -> None:
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
