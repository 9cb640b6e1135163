"""Programs over days at small widths: the declared law of all days, its price, wrong ones."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified.run.program.interpret import OutOfWordsError, interpret
from tests.broken.days import (
    TREES,
    VOTES,
    word_where_pending,
    word_where_yes,
    wrong_tree,
    wrong_votes,
)
from tests.program.day_cases import tree_case, voted_case
from tests.program.joint import says_more, worst_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program import Program

    Law = dict[tuple[int, ...], Fraction]
    Joint = dict[tuple[tuple[int, ...], int], Fraction]
    Votes = tuple[int, int, tuple[int, int], tuple[int, int], int]


def in_a_row(program: Program, values: Sequence[int], most: int) -> tuple[Joint, Fraction]:
    """The law of (reports, words of each as digits) in a row, and the mass that is not resolved.

    All words are tried that a report may read, and up to `most` where it reads on.
    """
    states: dict[Any, Fraction] = {((0,) * program.cells, (), ()): Fraction(1)}
    left = Fraction(0)
    for value in values:
        after: dict[Any, Fraction] = {}
        for (cells, seen, read), mass in states.items():
            drawn, lost = one_report(program, cells, value, most)
            left += mass * lost
            for (report, words, kept), share in drawn.items():
                key = (kept, seen + report, (*read, words))
                after[key] = after.get(key, Fraction(0)) + mass * share
        states = after
    law: Joint = {}
    for (_, seen, read), mass in states.items():
        number = functools.reduce(lambda total, words: total * (most + 1) + words, read, 0)
        law[seen, number] = law.get((seen, number), Fraction(0)) + mass
    return law, left


@functools.cache
def one_report(
    program: Program, cells: tuple[int, ...], value: int, most: int
) -> tuple[dict[Any, Fraction], Fraction]:
    """The law of (report, words read, what is kept after it), and the mass that is left."""
    law: dict[Any, Fraction] = {}
    left = Fraction(0)
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        words = waiting.pop()
        mass = Fraction(1, 1 << (program.width * len(words)))
        kept = [*cells]
        try:
            drawn = interpret(program, value, words, kept)
        except OutOfWordsError:
            assert kept == [*cells], "a source that fails must leave what is kept as it is"
            if len(words) == most:
                left += mass
            else:
                waiting += [(*words, word) for word in range(1 << program.width)]
            continue
        key = (drawn.report, drawn.words, tuple(kept))
        law[key] = law.get(key, Fraction(0)) + mass
    return law, left


def reports_alone(law: Joint) -> Law:
    found: Law = {}
    for (seen, _), mass in law.items():
        found[seen] = found.get(seen, Fraction(0)) + mass
    return found


def has_law(law: Law, left: Fraction, table: Law) -> bool:
    """Return whether it is the table; where some mass is left, no more than the table has."""
    if set(law) - set(table) or sum(law.values()) + left != 1 or left >= Fraction(1, 4):
        return False
    return all(mass <= table[seen] for seen, mass in law.items())


TREE_SIZES = [(2, 1, 1, 2), (3, 2, 1, 2), (3, 4, 3, 3), (5, 2, 1, 2), (8, 2, 1, 2)]
"""(days, changes, threshold, width); with five days there are three levels, and words go."""


def histories(days: int) -> list[tuple[int, ...]]:
    """All sequences of bits; where they are many, each eleventh."""
    every = list(itertools.product(range(2), repeat=days))
    return every if days <= 5 else every[::11]


@pytest.mark.parametrize("size", TREE_SIZES, ids=repr)
def test_all_days_of_a_user_have_the_declared_law(size: tuple[int, int, int, int]) -> None:
    """And one more day, which gives nothing; the words of each report tell no more than it."""
    days, changes, lie, width = size
    program, _, table, _ = tree_case(*size, 0)
    laws = []
    for bits in histories(days):
        law, left = in_a_row(program, (*bits, bits[-1]), 4 if days < 5 else 6)
        assert (left > 0) == (days == 5)
        assert has_law(reports_alone(law), left, table(*bits, bits[-1])), bits
        laws.append(law)
    assert not says_more(laws)
    if days <= 3:  # where there are more changes that count than days, some are never kept
        share, found = Fraction(lie, 1 << width), worst_ratio(laws)
        assert found is not None
        assert found == (1 - share) / share or (found < (1 - share) / share and changes > days)


@pytest.mark.parametrize("what", TREES)
def test_wrong_trees_have_another_law(what: str) -> None:
    size = (3, 2, 1, 2)
    wrong, table = wrong_tree(what, *size), tree_case(*size, 0)[2]
    found = []
    for bits in itertools.product(range(2), repeat=3):
        law, left = in_a_row(wrong, bits, 4)
        found.append(has_law(reports_alone(law), left, table(*bits)))
    assert not all(found)


def test_a_word_that_is_read_where_a_change_is_pending_is_seen() -> None:
    """All days have the right law, and the number of words gives the change away."""
    size = (3, 2, 1, 2)
    program, _, table, _ = tree_case(*size, 0)
    wrong, laws = word_where_pending(program), []
    for bits in itertools.product(range(2), repeat=3):
        law, left = in_a_row(wrong, bits, 5)
        assert has_law(reports_alone(law), left, table(*bits))
        laws.append(law)
    assert says_more(laws)
    assert worst_ratio(laws) is None


VOTED_SIZES: list[Votes] = [
    (2, 1, (1, 1), (1, 1), 2),
    (3, 2, (1, 2), (3, 2), 3),
    (2, 3, (2, 1), (1, 1), 2),
]
"""(epochs, days, limits, thresholds, width); with three days a word may go."""


def told(days: int) -> list[int]:
    """Values that are tried: whoever differs or not, some of both, and the question."""
    width = days + 1
    ends = dict.fromkeys([(1, width), (0, 0), (0, width), (1, 2)])
    votes = [(first * (days + 2) + end) * width for first, end in ends]
    return [*(vote + ones for vote in votes for ones in range(width)), width * width * (days + 2)]


@pytest.mark.parametrize("size", VOTED_SIZES, ids=repr)
def test_votes_and_answers_in_a_row_have_their_law(size: Votes) -> None:
    """Of three reports whatever they are, among them those that there must not be."""
    days = size[1]
    program, _, table, public = voted_case(*size, 0)
    same: dict[Any, list[Joint]] = {}
    for values in itertools.product(told(days), repeat=3):
        law, left = in_a_row(program, values, 3)
        assert left == 0 or days == 3
        assert has_law(reports_alone(law), left, table(*values)), values
        same.setdefault(tuple(map(public, values)), []).append(law)
    assert not any(says_more(laws) for laws in same.values())
    assert max(map(len, same.values())) == (days + 1) ** 3


@pytest.mark.parametrize("size", VOTED_SIZES[:2], ids=repr)
def test_all_that_a_user_says_costs_what_is_stated(size: Votes) -> None:
    """2 a votes + b updates, with the question after every vote, and one vote more.

    Two means are published, in any order: one that all differ from, and one that some do.
    """
    epochs, days, limits, lies, width = size
    program, *_, public = voted_case(*size, 0)
    *votes, question = told(days)
    same: dict[Any, list[Joint]] = {}
    for values in itertools.product(votes[: 2 * (days + 1)], repeat=epochs):
        row = [each for value in values for each in (value, question)]
        law, left = in_a_row(program, (*row, 0), 3)
        assert left == 0
        same.setdefault(tuple(map(public, values)), []).append(law)
    found = [worst_ratio(laws) for laws in same.values()]
    vote, answer = (Fraction((1 << width) - lie, lie) for lie in lies)
    bound = vote ** min(2 * limits[0], epochs) * answer ** min(limits[1], epochs)
    assert None not in found
    assert max(ratio for ratio in found if ratio is not None) == bound


@pytest.mark.parametrize("what", VOTES)
def test_wrong_votes_have_another_law(what: str) -> None:
    size = VOTED_SIZES[1]
    wrong, table = wrong_votes(what, *size), voted_case(*size, 0)[2]
    *votes, question = told(2)
    rows = [(*both, question, question) for both in itertools.product(votes, repeat=2)]
    rows += [(one, question, *rest) for one, *rest in rows]
    rows += [(0, question, 0, question, 0, question)]
    found = []
    for values in rows:
        law, left = in_a_row(wrong, values, 3)
        found.append(has_law(reports_alone(law), left, table(*values)))
    assert not all(found)


def test_a_word_that_is_read_where_a_vote_is_yes_is_seen() -> None:
    size = VOTED_SIZES[0]
    program, _, table, public = voted_case(*size, 0)
    wrong = word_where_yes(program)
    same: dict[Any, list[Joint]] = {}
    for values in itertools.product(told(1), repeat=2):
        law, left = in_a_row(wrong, values, 3)
        assert has_law(reports_alone(law), left, table(*values))
        same.setdefault(tuple(map(public, values)), []).append(law)
    assert any(says_more(laws) for laws in same.values())
