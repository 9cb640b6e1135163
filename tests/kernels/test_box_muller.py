"""Normal numbers: machine code and NumPy give the bits of the plain loop, close to real numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ldp_verified.run.kernels import box_muller
from ldp_verified.run.kernels.box_muller import _pairs, normal_numbers

MASK = (1 << 64) - 1


def mixed(word: int) -> int:
    """SplitMix64's output function, of Python's integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & MASK
    return word ^ word >> 31


def starting_at(below: int, angle: int) -> int:
    """The state whose first word has these 24 bits of a length and of an angle."""

    def unshifted(word: int, by: int) -> int:
        found = word
        for _ in range(64 // by):
            found = word ^ found >> by
        return found

    word = unshifted((angle << 40) | (below << 8), 31)
    word = unshifted(word * pow(0x94D049BB133111EB, -1, 1 << 64) & MASK, 27)
    word = unshifted(word * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & MASK, 30)
    return word - 0x9E3779B97F4A7C15 & MASK


ENDS = [0, 1, (1 << 21) - 1, 1 << 21, (1 << 22) - 1, 1 << 22, 3 << 21, (1 << 24) - 1]
"""Of lengths and of angles: both ends, and where the kernel takes another branch."""


@pytest.mark.parametrize("half", [1, 2, 37, 500])
def test_all_forms_give_the_same_bits(
    half: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = rng.integers(0, 1 << 64, 40, dtype=np.uint64)
    corners = [starting_at(below, angle) for below in ENDS for angle in ENDS]
    starts = np.concatenate([drawn, np.array(corners, dtype=np.uint64)])
    by_numpy = normal_numbers(starts, half)
    monkeypatch.setattr(box_muller, "MANY", 0)
    compiled = normal_numbers(starts, half)
    assert by_numpy.view(np.int32).tolist() == compiled.view(np.int32).tolist()
    if half < 30:
        plain = np.empty_like(by_numpy)
        with np.errstate(over="ignore"):  # words wrap
            _pairs(starts, half, plain)
        assert plain.view(np.int32).tolist() == compiled.view(np.int32).tolist()


def test_numbers_are_near_those_of_real_numbers(rng: np.random.Generator) -> None:
    """In double precision, from integers; a length near 1 has 24 bits of 1 - r only."""
    pairs = [(below, angle) for below in ENDS for angle in ENDS]
    pairs += rng.integers(0, 1 << 24, (2_000, 2)).tolist()
    starts = np.array([starting_at(*pair) for pair in pairs], dtype=np.uint64)
    assert mixed(int(starts[9]) + 0x9E3779B97F4A7C15 & MASK) >> 40 == pairs[9][1]
    found = normal_numbers(starts, 1)
    for (below, angle), (first, second) in zip(pairs, found.tolist(), strict=True):
        rounded = float(np.float32(below + 0.5)) / 2**24
        length, turn = math.sqrt(-2 * math.log(rounded)), 2 * math.pi * angle / 2**24
        assert first == pytest.approx(length * math.cos(turn), abs=3e-6)
        assert second == pytest.approx(length * math.sin(turn), abs=3e-6)
