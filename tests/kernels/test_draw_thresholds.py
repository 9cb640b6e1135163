"""Samplers at 64 bits: their constants are the table's, and machine code decides at its boundaries.

The distribution of a kernel is enumerated at a few bits. What would be wrong at 64 alone, such as
planes that are cut off after the 40th, is looked for here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import OUE, SUE, THE, UE, BasicRappor, HistogramRR
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.bernoulli import bernoulli_sampler
from ldp_verified.run.kernels.randomness import ReplayWords
from tests.kernels.test_draw_every_kernel import ALL
from tests.mechanisms.parameters import usual

if TYPE_CHECKING:
    from ldp_verified.run.kernels.draw import Sampler

LARGE = (1 << 64) - 1
ONE_HOT: list[Any] = [
    *(OUE(eps, 130) for eps in (1e-3, 0.5, 1.0, 4.0, 8.0, 30.0)),
    *(
        SUE(1.0, 64),
        SUE(10.0, 65),
        THE(**usual(THE)),
        UE(0.2, 0.7, 64),
        BasicRappor(0.5, 0.25, 0.75, 64),
    ),
    HistogramRR(2.0, 70),
]


def recovered(sampler: Sampler) -> int:
    """The threshold in the constants of `bernoulli_fill`."""
    all_lanes, *masks = sampler.cuts
    assert set(masks) <= {0, all_lanes}
    return sum(1 << (63 - plane) for plane, mask in enumerate(masks) if mask)


def planes_of(numbers: list[int]) -> list[int]:
    """Words whose lanes spell these numbers, one for each lane, highest digit first."""
    return [
        sum((number >> (63 - plane) & 1) << lane for lane, number in enumerate(numbers))
        for plane in range(64)
    ]


def beside(threshold: int) -> list[int]:
    """The threshold, what is next to it, and what differs from it in one digit."""
    found = {threshold, threshold - 1, min(threshold + 1, LARGE), 0, LARGE}
    return sorted(found | {threshold ^ 1 << digit for digit in range(64)})


def wrong_lanes(sampler: Sampler, threshold: int) -> list[int]:
    """Numbers beside the threshold that machine code compares otherwise than it should."""
    wrong = []
    numbers = beside(threshold)
    for first in range(0, len(numbers), 64):
        lanes = numbers[first : first + 64]
        tape = planes_of(lanes)[: sampler.least_words]
        blocks = sampler.draw(np.zeros(2, dtype=np.int64), ReplayWords([*tape, *tape]))
        for block in blocks.tolist():
            wrong += [n for lane, n in enumerate(lanes) if block >> lane & 1 != (n < threshold)]
    return wrong


@pytest.fixture(autouse=True)
def machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two values and more are drawn by the compiled kernel."""
    monkeypatch.setattr(draw, "PURE_WORDS", 0)


@pytest.mark.parametrize("made", ONE_HOT, ids=repr)
def test_planes_have_the_thresholds_of_the_table(made: Any) -> None:
    for threshold in made.thresholds:
        assert recovered(bernoulli_sampler(threshold)) == threshold


@pytest.mark.parametrize("made", ONE_HOT, ids=repr)
def test_machine_code_compares_lanes_as_numbers(made: Any) -> None:
    for threshold in made.thresholds:
        assert not wrong_lanes(bernoulli_sampler(threshold), threshold)


def test_planes_that_are_cut_off_are_seen() -> None:
    """Planted: at most 40 planes, which at small widths are all of them."""
    _, zero = OUE(1.0, 64).thresholds
    sampler = bernoulli_sampler(zero)
    assert sampler.sizes[0] > 40

    short = replace(sampler, cuts=sampler.cuts[:41], sizes=(40,))
    capped = replace(short, words_per_value=40, least_words=40)
    assert recovered(capped) != zero
    assert wrong_lanes(capped, zero)


@pytest.mark.parametrize("step", [-1, 1])
def test_a_threshold_beside_the_tables_is_seen(step: int) -> None:
    _, zero = OUE(1.0, 64).thresholds
    assert wrong_lanes(bernoulli_sampler(zero + step), zero)


def boundaries(sampler: Sampler) -> list[int]:
    """Words at and beside each constant of a sampler, and beside its multiples."""
    found = {0, 1, LARGE - 1, LARGE, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1}
    for cut in sampler.cuts[-2600:]:
        for times in (1, 2, 3, max(1, sampler.inputs - 1), sampler.inputs):
            found |= {int(cut) * times + step for step in (-1, 0, 1)}
    return sorted(word for word in found if 0 <= word <= LARGE)


@pytest.mark.parametrize("name", ALL)
def test_machine_code_draws_at_boundaries_what_python_draws(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the words lie beside a constant of the kernel, the others are random."""
    sampler = ALL[name]
    values = rng.integers(0, sampler.inputs, size=300).astype(np.int64)
    words = rng.integers(0, LARGE, size=1 << 18, dtype=np.uint64, endpoint=True)
    beside_cuts = rng.choice(np.array(boundaries(sampler), dtype=np.uint64), size=len(words))
    words = np.where(rng.random(len(words)) < 0.5, beside_cuts, words)
    drawn = []
    for pure_words in (0, 1 << 40):
        monkeypatch.setattr(draw, "PURE_WORDS", pure_words)
        drawn.append(sampler.draw(values, ReplayWords(words)))
    np.testing.assert_array_equal(drawn[0], drawn[1])
