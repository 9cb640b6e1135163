"""Exact draws: every word of a small source leads where it should."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ldp_verified.analysis.interaction.draws import Draws
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.seeds import word_source


def drawn(words: list[int], chances: list[Fraction]) -> int:
    return Draws(ReplayWords(np.array(words, dtype=np.uint64))).choose(chances)


def test_all_words_count_alike() -> None:
    """Probabilities of twelfths, all words of four bits: 12..15 draw again."""
    chances = [Fraction(1, 12), Fraction(1, 2), Fraction(0), Fraction(5, 12)]
    found = Counter(drawn([word], chances) for word in range(12))
    assert found == {0: 1, 1: 6, 3: 5}
    for word in range(12, 16):
        assert drawn([word, 0], chances) == 0
        assert drawn([word, 16 + 3], chances) == 1  # the higher bits do not count


def test_large_denominators_take_several_words() -> None:
    tiny = Fraction(1, 1 << 100)
    assert drawn([0, 0], [tiny, 1 - tiny]) == 0
    assert drawn([1, 0], [tiny, 1 - tiny]) == 1
    assert drawn([0, 1], [tiny, 1 - tiny]) == 1


def test_certain_things_are_certain() -> None:
    source: Any = word_source(1, "test")
    draws = Draws(source)
    assert draws.simulated
    assert all(draws.accept(Fraction(1)) for _ in range(20))
    assert not any(draws.accept(Fraction(0)) for _ in range(20))


def test_what_sums_to_less_than_one_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="sum to 1"):
        drawn([3], [Fraction(1, 4), Fraction(1, 4)])
