"""The noise kernels: ranges, digits, and that machine code draws what Python draws."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.alias_noise import (
    alias_noise,
    alias_staircase,
    staircase_noise_sampler,
)
from ldp_verified.run.kernels.draw import Sampler
from ldp_verified.run.kernels.noise import geometric_sampler, power_digits, useful_levels
from ldp_verified.run.kernels.noisy_one_hot import noisy_one_hot_sampler
from ldp_verified.run.kernels.prefix_noise import noise_sampler, prefix_noise_sampler
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.staircase import staircase_sampler

if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS: list[tuple[str, Callable[[int], Sampler]]] = [
    ("geometric", lambda share: geometric_sampler(3, 9, share)),
    ("alias noise", lambda share: alias_noise(3, 9, share)),
    ("prefix noise", lambda share: prefix_noise_sampler(3, 9, share)),
    ("fastest noise", lambda share: noise_sampler(3, 9, share)),
    ("noisy one-hot", lambda share: noisy_one_hot_sampler(3, 3, 1 << 20, share)),
    ("staircase", lambda share: staircase_sampler(3, 1, 2, share)),
    ("alias staircase", lambda share: alias_staircase(3, 1, 2, share, 1)),
    ("fastest staircase", lambda share: staircase_noise_sampler(3, 1, 2, share)),
]


@pytest.mark.parametrize("share", [-1, 0, 1 << 63])
@pytest.mark.parametrize("build", [pytest.param(build, id=name) for name, build in KERNELS])
def test_every_kernel_of_noise_asks_the_same_of_a_decay(
    build: Callable[[int], Sampler], share: int
) -> None:
    rule = re.escape(f"share: must be in 1..{(1 << 63) - 1}, got {share}")
    with pytest.raises(ParameterError, match=f"^{rule}$"):
        build(share)


@pytest.mark.parametrize(
    ("m", "reach", "share", "width"),
    [(0, 0, 1, 3), (1, -1, 1, 3), (1, 0, 0, 3), (1, 0, 4, 3), (1, 1 << 31, 1, 3), (1, 0, 1, 65)],
)
def test_other_lattices_are_refused(m: int, reach: int, share: int, width: int) -> None:
    with pytest.raises(ParameterError):
        geometric_sampler(m, reach, share, width)


@pytest.mark.parametrize(
    ("m", "w", "periods", "share"),
    [(0, 1, 1, 1), (3, 0, 1, 1), (3, 4, 1, 1), (3, 1, 0, 1), (3, 1, 1, 0), (3, 1, 1, 4)],
)
def test_other_staircases_are_refused(m: int, w: int, periods: int, share: int) -> None:
    with pytest.raises(ParameterError):
        staircase_sampler(m, w, periods, share, width=3)


@given(st.integers(1, (1 << 63) - 1), st.integers(0, 5))
def test_digits_are_those_of_the_power(share: int, levels: int) -> None:
    digits, counts = power_digits(share, levels, 63)
    start = 0
    for i, count in enumerate(counts):
        own = digits[start : start + count]
        value = sum(Fraction(digit, 1 << (63 * (place + 1))) for place, digit in enumerate(own))
        assert value == Fraction(share, 1 << 63) ** (2**i)
        assert own[-1] != 0
        start += count
    assert start == len(digits)


def test_bits_are_drawn_until_half_of_all_numbers_need_no_more() -> None:
    assert useful_levels(1 << 62, 63) == 0
    assert useful_levels(3 << 61, 63) == 2
    assert useful_levels((1 << 63) - 1, 63) == 13


SAMPLERS = [
    geometric_sampler(16, 700, int(0.94 * 2**63)),
    geometric_sampler(3, 0, 1 << 62),
    geometric_sampler(1, 1 << 20, (1 << 63) - (1 << 43)),
    staircase_sampler(64, 27, 46, int(0.37 * 2**63)),
    staircase_sampler(1 << 20, 25, 3, 1 << 30),
    staircase_sampler(3, 1, 1 << 20, (1 << 63) - (1 << 43)),
]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_machine_code_draws_what_python_draws(sampler: Sampler) -> None:
    """More than 2^11 words run compiled; one value at a time runs as Python."""
    n = 3000
    values = np.random.default_rng(1).integers(0, sampler.inputs, n)
    bulk = sampler.draw(values, word_source(7, "test"))
    words = word_source(7, "test").words(150 * n)
    slots = [0] * n
    done, _ = sampler.fill(values.tolist(), slots, words.tolist(), sampler.cuts, sampler.sizes)
    assert done > n // 2
    assert bulk[:done].tolist() == slots[:done]


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_report_that_words_do_not_suffice_for_is_not_done(sampler: Sampler) -> None:
    words = word_source(3, "test").words(200).tolist()
    out = [0]
    _, used = sampler.fill([1], out, words, sampler.cuts, sampler.sizes)
    for have in range(used):
        done = sampler.fill([1], [0], words[:have], sampler.cuts, sampler.sizes)
        assert done == (0, 0)
