"""k-ary randomized response, word by word; its distribution is tests/conformance's part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.grr import grr, grr_wide
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source

if TYPE_CHECKING:
    from collections.abc import Callable


def test_intervals_of_one_draw() -> None:
    lie = 2**60 + 1
    words = [0, lie - 1, lie, 3 * lie - 1, 3 * lie, 2**64 - 1]
    reports = grr(np.array([2, 2, 0, 0, 1, 0]), 3, lie, ReplayWords(words))
    assert reports.tolist() == [0, 0, 1, 2, 1, 0]


def test_words_of_the_wide_form() -> None:
    k = 3  # 2^64 = 3 * share + 1: the last word is rejected
    share = 2**64 // 3
    words = [99, 0, 100, 5, 99, 2**64 - 1, share, 99, 3 * share - 1]
    reports = grr_wide(np.array([1, 1, 0, 0]), k, 100, ReplayWords(words + [0] * 8))
    assert reports.tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize(("k", "dtype"), [(2, "u1"), (256, "u1"), (257, "u2"), (65537, "u4")])
@pytest.mark.parametrize("draw", [grr, grr_wide])
def test_reports_are_compact(k: int, dtype: str, draw: Callable[..., np.ndarray]) -> None:
    reports = draw(np.full(10, k - 1), k, 1, word_source(1, "test"))
    assert reports.dtype == np.dtype(dtype)
    assert reports.tolist() == [k - 1] * 10


@pytest.mark.parametrize(
    ("k", "lie", "message"),
    [
        (1, 1, "k: must be in 2..256, got 1"),
        (3, 0, "lie: must be in 1..85, got 0"),
        (3, 86, "lie: must be in 1..85, got 86"),
        (257, 1, "k: must be in 2..256, got 257"),
    ],
)
def test_thresholds_out_of_range_are_refused(k: int, lie: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        grr(np.array([0]), k, lie, word_source(1, "test"), 8)


@pytest.mark.parametrize(
    ("k", "mix", "message"),
    [
        (1, 1, "k: must be in 2..256, got 1"),
        (257, 1, "k: must be in 2..256, got 257"),
        (3, 0, "mix: must be in 1..255, got 0"),
        (3, 256, "mix: must be in 1..255, got 256"),
    ],
)
def test_wide_thresholds_out_of_range_are_refused(k: int, mix: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        grr_wide(np.array([0]), k, mix, word_source(1, "test"), 8)
