"""Ranks of two kinds: the kernel is its table, by enumeration; machine code draws the same."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.favoured import favoured_sampler
from ldp_verified.run.kernels.seeds import word_source


@pytest.mark.parametrize(
    ("ranks", "favoured", "inside"),
    [(2, 1, 5), (4, 1, 3), (5, 2, 7), (6, 3, 1), (8, 5, 6), (7, 6, 4)],
)
def test_the_sampler_is_the_table(ranks: int, favoured: int, inside: int) -> None:
    found = exact_distribution(favoured_sampler(ranks, favoured, inside, width=3), 0, 4)
    assert found.unresolved == 0
    for rank in range(ranks):
        mine = Fraction(inside, 8 * favoured)
        other = Fraction(8 - inside, 8 * (ranks - favoured))
        assert found.probabilities[(rank,)] == (mine if rank < favoured else other)


def test_machine_code_draws_what_python_draws() -> None:
    sampler = favoured_sampler(200, 7, 1 << 62)
    values = np.zeros(3000, dtype=np.int64)
    bulk = sampler.draw(values, word_source(7, "test"))
    slots = [0] * 3000
    words = word_source(7, "test").words(30_000).tolist()
    done, _ = sampler.fill(values.tolist(), slots, words, sampler.cuts, sampler.sizes)
    assert done == 3000
    assert bulk.tolist() == slots


@pytest.mark.parametrize(
    "arguments", [(1, 1, 1), (9, 1, 1), (4, 0, 1), (4, 4, 1), (4, 1, 0), (4, 1, 8)]
)
def test_bad_numbers_are_refused(arguments: tuple[int, int, int]) -> None:
    with pytest.raises(ParameterError):
        favoured_sampler(*arguments, width=3)
