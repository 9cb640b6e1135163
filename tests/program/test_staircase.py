"""The program of staircase noise has its law, over every word that decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ldp_verified.check.conformance.decision_tree import exact_distribution
from ldp_verified.errors import ParameterError
from ldp_verified.run.program.staircase import staircase_noise
from tests.broken.programs import wrong_programs
from tests.program.cases import staircase_case
from tests.program.enumerated import as_sampler

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = 9
"""Rounding, side, three periods, a cell that may not be kept, the end, and one to be rejected."""


@pytest.mark.parametrize("cell, values", [((2, 1), (1, 4)), ((1, 1), range(5))])
def test_the_exact_law_is_the_table(cell: tuple[int, int], values: Sequence[int]) -> None:
    """Noise that is folded is summed to the end in the table, without the program."""
    case = staircase_case(*cell, 1, 2, WORDS)
    for value in values:
        law = exact_distribution(as_sampler(case.program), value, WORDS)
        assert law.unresolved == 0
        table = case.table(value)
        assert law.probabilities == {report: mass for report, mass in table.items() if mass}
        assert sum(table.values()) == 1


def test_wrong_programs_have_another_law() -> None:
    """Three limits may be one higher: no word is there, or it is all the same further out."""
    case = staircase_case(2, 1, 1, 2, WORDS)
    wrong = [each for what, each in wrong_programs(case.program) if "one too high" in what]
    table = {report: mass for report, mass in case.table(1).items() if mass}
    laws = [exact_distribution(as_sampler(each), 1, WORDS).probabilities for each in wrong]
    assert sum(law != table for law in laws) == len(wrong) - 3 == 5


def test_integers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="bits"):
        staircase_noise("staircase", (2, 1, 1), (2, 2, 1), (1,), (1,), 2, 3)
