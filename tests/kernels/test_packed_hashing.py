"""Local hashing with coefficients side by side: the words' bits, and the law of narrow words."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.run.kernels import draw
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.hashing import digit_count, evaluate, local_hash_sampler
from ldp_verified.run.kernels.packed_hashing import lanes_for, packed_hash_fill
from ldp_verified.run.kernels.randomness import ReplayWords
from tests.broken.packed import WRONG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.draw import Fill


@pytest.mark.parametrize("g", [2, 4, 8, 16, 32])
def test_eight_lanes_at_the_full_width(g: int) -> None:
    assert lanes_for(g, 64) == 8
    assert local_hash_sampler(1024, g, 1).fill is packed_hash_fill


@pytest.mark.parametrize(("g", "width"), [(3, 64), (64, 64), (256, 64), (64, 8), (6, 8), (32, 4)])
def test_other_buckets_have_no_lanes(g: int, width: int) -> None:
    assert lanes_for(g, width) == 0


def coefficients(words: NDArray[np.uint64], g: int, digits: int) -> NDArray[np.int64]:
    """Coefficient i from the words of one report, bit by bit."""
    bits = (g - 1).bit_length()
    runs = 8 // bits
    found = []
    for i in range(digits):
        group, lane = divmod(i, 8)
        word, run = divmod(group, runs)
        found.append(int(words[word]) >> (8 * lane + run * bits) & (g - 1))
    return np.array(found)


@pytest.mark.parametrize("pure_words", [0, 1 << 40])
@pytest.mark.parametrize(
    ("k", "g"), [(2, 2), (1024, 4), (1000, 4), (2**31, 2), (2**31, 4), (2**31, 8), (10**6, 32)]
)
def test_coefficients_are_bits_of_the_words(
    k: int, g: int, pure_words: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the last word at its largest, which says the truth: both forms of the kernel."""
    monkeypatch.setattr(draw, "PURE_WORDS", pure_words)
    digits = digit_count(k, g)
    sampler = local_hash_sampler(k, g, (1 << 64) // (g + 2))
    count = 200
    words = rng.integers(0, 2**64 - 1, (count, sampler.least_words), np.uint64, endpoint=True)
    words[:, -1] = 2**64 - 1
    values = rng.integers(0, k, size=count)
    reports = sampler.draw(values, ReplayWords(words.reshape(-1)))
    functions = np.array([coefficients(row, g, digits) for row in words])
    np.testing.assert_array_equal(reports[:, :-1], functions)
    np.testing.assert_array_equal(reports[:, -1], evaluate(functions, values, g))


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize(
    ("k", "g", "width", "lanes"),
    [(16, 2, 12, 4), (16, 4, 16, 4), (8, 4, 10, 2), (30, 2, 8, 2), (64, 4, 8, 2), (7, 8, 8, 2)],
)
def test_functions_are_uniform_and_the_bucket_is_theirs(
    k: int, g: int, width: int, lanes: int, machine_code: bool
) -> None:
    """Each word of coefficients in turn runs through all of its values; the last says the truth."""
    assert lanes_for(g, width) == lanes
    lie = 2**width // (g + 1)
    sampler = local_hash_sampler(k, g, lie, width)
    assert sampler.fill is packed_hash_fill
    words = sampler.least_words - 1
    truth = 2**width - 1
    for moving in range(words):
        alphabets = [range(i + 5, i + 6) for i in range(words)] + [range(truth, truth + 1)]
        alphabets[moving] = range(2**width)
        for x in (0, k // 2 + 1, k - 1):
            law = exact_distribution(
                sampler, x, words + 1, words_at=alphabets.__getitem__, machine_code=machine_code
            )
            assert law.unfinished == 0
            reports = np.array(list(law.probabilities))
            hashes = evaluate(reports[:, :-1], np.array([x]), g)
            np.testing.assert_array_equal(hashes, reports[:, -1])
            per_word = lanes * (width // lanes // (g - 1).bit_length())
            moved = min(per_word, digit_count(k, g) - moving * per_word)
            assert len(reports) == g**moved
            assert set(law.probabilities.values()) == {Fraction(1, g**moved)}


DIGITS = (1, 2, 3, 7, 8, 9, 10, 16, 31)


@pytest.mark.parametrize("machine_code", [False, True])
@pytest.mark.parametrize("digits", DIGITS)
def test_nothing_is_written_after_the_last_report(digits: int, machine_code: bool) -> None:
    fill = compiled(packed_hash_fill) if machine_code else packed_hash_fill
    assert all(stays_within(fill, digits, served, machine_code) for served in range(14))


@pytest.mark.parametrize("wrong", WRONG)
def test_stores_that_reach_too_far_or_lose_bytes_are_found(wrong: str) -> None:
    assert not all(
        stays_within(WRONG[wrong], digits, served, False)
        for digits in DIGITS
        for served in range(14)
    )


def stays_within(fill: Fill, digits: int, served: int, machine_code: bool) -> bool:
    """Return whether reports are whole and nothing behind them changes, with words for `served`.

    Every coefficient is 3 and the values are 0, so a report of the truth is threes and a bucket 0.
    The kernel is given memory for more: what it writes there must show, not fail.
    """
    sampler = local_hash_sampler(2**digits, 4, (1 << 64) // 6)
    assert sampler.fill is packed_hash_fill
    words = np.full(sampler.least_words * served, 2**64 - 1, dtype=np.uint64)
    values = np.zeros(13, dtype=np.int64)
    held = np.full((21, digits + 1), 77, dtype=np.uint8)
    if machine_code:
        cuts, sizes = np.array(sampler.cuts, dtype=np.uint64), np.array(sampler.sizes)
        answer = fill(values, held.reshape(-1), words, cuts, sizes)
    else:
        slots = held.reshape(-1).tolist()
        answer = fill(values.tolist(), slots, words.tolist(), sampler.cuts, sampler.sizes)
        held = np.array(slots).reshape(held.shape)
    assert answer == (served, served * sampler.least_words)
    untouched = bool(np.all(held[served:] == 77))
    return untouched and bool(np.all(held[:served, :-1] == 3)) and not held[:served, -1].any()
