"""Sampling from rows of cuts; that the distribution is the table's is tests/conformance's part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.categorical import categorical
from ldp_verified.run.kernels.randomness import ReplayWords


@pytest.mark.parametrize("width", [3, 64])
def test_an_output_is_the_number_of_cuts_up_to_the_word(width: int) -> None:
    scale = 2 ** (width - 3)
    cuts = [[0, 3, 3], [1, 8, 8], [2, 5, 7]]
    words = [word * scale for word in range(8)]
    for x, row in enumerate(cuts):
        expected = [sum(cut <= word for cut in row) for word in range(8)]
        table = [[cut * scale for cut in r] for r in cuts]
        values = np.full(8, x)
        assert categorical(values, table, ReplayWords(words, width), width).tolist() == expected


def test_thresholds_may_be_arrays() -> None:
    words = ReplayWords([2**63 - 1, 2**63, 0, 2**64 - 1])
    table = np.array([[2**63], [2**63]], dtype=np.uint64)
    assert categorical(np.array([0, 1, 1, 0]), table, words).tolist() == [0, 1, 0, 1]
    whole = np.array([[0], [2**64]], dtype=object)
    words = ReplayWords([0, 2**64 - 1, 0, 2**64 - 1])
    assert categorical(np.array([0, 0, 1, 1]), whole, words).tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("thresholds", "rule"),
    [
        ([], "must be"),
        ([[], []], "must be"),
        ([[1], [1, 2]], "must be"),
        ([[3, 2]], "non-decreasing"),
        ([[-1, 2]], "non-decreasing"),
        ([[1, 257]], "non-decreasing"),
    ],
)
def test_other_tables_are_refused(thresholds: Any, rule: str) -> None:
    with pytest.raises(ParameterError, match=f"thresholds: .*{rule}"):
        categorical(np.array([0]), thresholds, ReplayWords([1]), 8)


def test_cuts_that_are_not_integers_are_refused() -> None:
    wrong: Any = [[0.5]]
    with pytest.raises(TypeError):
        categorical(np.array([0]), wrong, ReplayWords([1]), 8)
