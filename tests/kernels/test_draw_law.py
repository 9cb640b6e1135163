"""The law of machine code at 64 bits, recovered from what it does with words, not from constants.

Null: the compiled kernel of a class has the class's table. A word is put in a place that it reads,
all other words are held still, and the words at which its report changes are found by bisection.
What bisection overlooks is missing from the law, which is compared exactly: so nothing can be.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import GRR, HRR, BinaryRR, KeepOrUniform, Warner
from ldp_verified.run.kernels.compiled import compiled
from ldp_verified.run.kernels.grr import grr_sampler
from tests.mechanisms.parameters import CLASSES, usual

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.kernels.draw import Sampler

WORDS = 1 << 64
STARTS = 1 << 10
"""Words at which bisection begins, equally far apart; multiples of constants are others."""

Report = tuple[int, ...] | None
"""None where a report needs more words than it was given."""

ONE_WORD: list[Any] = [
    *(GRR(epsilon, k) for epsilon in (1e-3, 1.0, 8.0, 30.0) for k in (2, 3, 16)),
    *(BinaryRR(0.1), BinaryRR(20.0), Warner(0.25), KeepOrUniform(1.0, 5)),
    *(CLASSES[name](**usual(CLASSES[name])) for name in ("TwoCoins", "HalfPlus", "Grades")),
]


def reader(sampler: Sampler, value: int, before: tuple[int, ...]) -> Callable[[int], Report]:
    """What machine code reports when a word follows those."""
    run, constants = compiled(sampler.fill), sampler.arrays
    given = np.array([value], dtype=np.uint64 if sampler.unsigned else np.int64)
    out = np.zeros(sampler.columns, dtype=sampler.dtype)

    def report(word: int) -> Report:
        words = np.array([*before, word], dtype=np.uint64)
        done, used = run(given, out, words, *constants)
        if not done:
            return None
        assert used == len(words)
        return tuple(out.tolist())

    return report


def law(report: Callable[[int], Report], sampler: Sampler) -> dict[Report, Fraction]:
    """The share of words that lead to each report."""
    multiples = {cut * times for cut in sampler.cuts[:50] for times in range(sampler.inputs + 1)}
    starts = {*range(0, WORDS, WORDS // STARTS), WORDS - 1, *multiples}
    ends = sorted(word for word in starts if word < WORDS)
    found: dict[Report, int] = {}
    begin, held = 0, report(0)
    for left, right in pairwise(ends):
        while held != report(right):
            low, high = max(left, begin), right  # the report at `low` is the held one
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if report(middle) == held else (low, middle)
            found[held] = found.get(held, 0) + high - begin
            begin, held = high, report(high)
    found[held] = found.get(held, 0) + WORDS - begin
    return {each: Fraction(count, WORDS) for each, count in found.items()}


@pytest.mark.parametrize("made", ONE_WORD, ids=repr)
def test_the_law_of_one_word_is_the_table(made: Any) -> None:
    sampler = made.sampler()
    assert sampler.least_words == 1
    for value in range(made.k):
        found = law(reader(sampler, value, ()), sampler)
        outputs = range(getattr(made, "outputs", made.k))
        table = {(y,): made.pmf(y, made.labels[value]) for y in outputs}
        assert found == {report: p for report, p in table.items() if p}


@pytest.mark.parametrize("made", [HRR(1.0, 5), HRR(8.0, 3)], ids=repr)
def test_the_law_of_the_last_of_two_words_is_the_coins(made: Any, rng: np.random.Generator) -> None:
    """Whatever the row is, one of two reports has the share that the table gives it."""
    sampler = made.sampler()
    for first in rng.integers(0, WORDS - 1, 5, dtype=np.uint64, endpoint=True).tolist():
        for value in range(made.k):
            found = law(reader(sampler, value, (first,)), sampler)
            masses = [made.pmf(report[0], value) for report in found if report is not None]
            assert sorted(found.values()) == sorted(p / sum(masses) for p in masses)


@pytest.mark.parametrize("moved", [-1, 1])
def test_a_threshold_beside_the_tables_is_seen(moved: int) -> None:
    """Planted: one word more, or one less, leads to a lie."""
    made = GRR(1.0, 16)
    (lie,) = made.thresholds
    sampler = grr_sampler(16, lie + moved)
    found = law(reader(sampler, 3, ()), sampler)
    assert found[(0,)] == made.pmf(0, 3) + Fraction(moved, WORDS)
