"""Noise from a table of weights: the whole law at narrow words, and what must not pass for it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.lattice import lattice_sampler
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.real_numbers.discrete_gaussian import DiscreteGaussian
from tests.broken.lattice import WRONG, wrong_sampler
from tests.registry import SAMPLER, covers

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Fill, Sampler

BITS, WIDTH = 6, 3
# Cuts between words, at words, several in one word, and at the very ends.
TABLES = [
    (1, 7, 48, 7, 1),
    (8, 48, 8),
    (1, 1, 1, 58, 1, 1, 1),
    (20, 24, 20),
    (1, 62, 1),
    (9, 1, 1, 42, 1, 1, 9),
]


def _law(sampler: Sampler, x: int) -> dict[int, Fraction]:
    found = exact_distribution(sampler, x, 2)
    assert found.unresolved == 0
    return {y: p for (y,), p in found.probabilities.items() if p}


def _table(weights: tuple[int, ...], x: int) -> dict[int, Fraction]:
    return {x + j: Fraction(w, 1 << BITS) for j, w in enumerate(weights)}


@covers(SAMPLER, "Gaussian")
@pytest.mark.parametrize("weights", TABLES)
def test_the_sampler_is_the_table(weights: tuple[int, ...]) -> None:
    for x in range(4):
        assert _law(lattice_sampler(3, weights, BITS, WIDTH), x) == _table(weights, x)


@pytest.mark.parametrize("fill", WRONG)
def test_wrong_kernels_are_seen(fill: Fill) -> None:
    seen = [
        (weights, x)
        for weights in TABLES
        for x in range(4)
        if _law(wrong_sampler(fill, 3, weights, BITS, WIDTH), x) != _table(weights, x)
    ]
    assert seen


@pytest.mark.parametrize("share", [1 << 17, 1 << 20, 300 << 20])
def test_machine_code_draws_what_python_draws(share: int) -> None:
    """More than 2^11 words run compiled; one value at a time runs as Python."""
    sampler = lattice_sampler(50, DiscreteGaussian.of(share).weights)
    n = 3000
    values = np.random.default_rng(1).integers(0, sampler.inputs, n)
    bulk = sampler.draw(values, word_source(7, "test"))
    words = word_source(7, "test").words(2 * n).view(np.uint32)
    slots = [0] * n
    done, _ = sampler.fill(values.tolist(), slots, words.tolist(), sampler.cuts, sampler.sizes)
    assert done == n
    assert bulk.tolist() == slots


def test_machine_code_reads_second_words_like_python() -> None:
    """Words of which every second one is the first word of a cut."""
    sampler = lattice_sampler(3, TABLES[2], BITS, WIDTH)
    words = np.random.default_rng(2).integers(0, 8, 4000).astype(np.uint64)
    values = np.arange(3000) % 4
    slots, out = [0] * 3000, np.zeros(3000, dtype=np.uint8)
    expected = sampler.fill(values.tolist(), slots, words.tolist(), sampler.cuts, sampler.sizes)
    assert sampler._in_bulk(values, out, words) == expected
    assert out.tolist() == slots


@pytest.mark.parametrize("weights", TABLES)
def test_a_report_that_words_do_not_suffice_for_is_not_done(weights: tuple[int, ...]) -> None:
    sampler = lattice_sampler(1, weights, BITS, WIDTH)
    for word in range(8):
        first = [word, 0]
        _, used = sampler.fill([1], [0], first, sampler.cuts, sampler.sizes)
        for have in range(used):
            done = sampler.fill([1], [0], first[:have], sampler.cuts, sampler.sizes)
            assert done == (0, 0)


@pytest.mark.parametrize(
    ("m", "weights", "argument"),
    [
        (-1, (32, 32), "m"),
        (1, (64,), "weights"),
        (1, (32, 31), "weights"),
        (1, (32, 33), "weights"),
        (1, (32, 0, 32), "weights"),
        (1, (65, -1), "weights"),
    ],
)
def test_other_tables_are_refused(m: int, weights: tuple[int, ...], argument: str) -> None:
    with pytest.raises(ParameterError, match=f"^{argument}: "):
        lattice_sampler(m, weights, BITS, WIDTH)
