"""Programs over days send and keep what the Python clients do, and their numbers are counted."""

from __future__ import annotations

import functools
import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols import ChangeTree, TreeClient, VotedMean, VotingClient
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.vectors import boundary_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program import Program


def tapes(program: Program, length: int, rng: np.random.Generator) -> list[list[int]]:
    """Random words, and words at and beside limits in the place of half of them, and of one."""
    limits = boundary_words(program)
    found = [rng.integers(0, 1 << 64, length, dtype=np.uint64).tolist() for _ in range(45)]
    for number, tape in enumerate(found):
        for place in range(length):
            if number % 3 == 1 and rng.random() < 0.5:
                tape[place] = limits[int(rng.integers(len(limits)))]
    for place, limit in itertools.product(range(4), limits):
        found.append(rng.integers(0, 1 << 64, length, dtype=np.uint64).tolist())
        found[-1][place] = limit
    return found


def tree_differs(made: ChangeTree, program: Program, rng: np.random.Generator) -> bool:
    """Return whether a user's day comes out otherwise than at the Python client."""
    for tape in tapes(program, 12 + made.days, rng):
        source = ReplayWords(tape)
        client, cells, read = TreeClient(made, new_user=True, rng=source), [0] * 6, 0
        bit, moves = 0, rng.random()
        for _ in range(made.days):
            bit ^= int(rng.random() < moves)
            right = client.report(bit).data.tolist()
            drawn = interpret(program, bit, tape[read:], cells)
            read += drawn.words
            row = np.array([drawn.report], dtype=np.uint64)
            kept = [client._level, client._rank, client._day, client._bit, client._seen]
            pending = {0: 0, -1: 1, 1: 2}[client._pending]
            if made.reports_of(row).data.tolist() != right or read != source._next:
                return True
            if cells != [*kept, pending]:
                return True
        before = [*cells]
        assert interpret(program, bit, [], cells) == ((0, 0), 0)
        assert cells == before
    return False


TREE = [
    ChangeTree(1.0, 30, 2),
    ChangeTree(0.1, 1),
    ChangeTree(3.0, 9, 3),
    ChangeTree(2.0, 70),
    ChangeTree(50.0, 5, 1024),
]


@pytest.mark.parametrize("made", TREE, ids=repr)
def test_the_tree_sends_and_keeps_what_the_python_client_does(
    made: ChangeTree, rng: np.random.Generator
) -> None:
    """From the same words, every day, and after all days nothing."""
    assert not tree_differs(made, made.program(), rng)


def test_the_tree_of_another_deployment_is_seen(rng: np.random.Generator) -> None:
    """A threshold that is another one, and one change more that counts.

    The words of a look are drawn, and one in six misses the threshold: 12 miss it with 1e-9.
    """
    right = ChangeTree(1.0, 30, 2)
    for wrong in (ChangeTree(1.0 + 1e-9, 30, 2), ChangeTree(1.0, 30, 3)):
        program = wrong.program()
        assert any(tree_differs(right, program, rng) for _ in range(12))


def vote_of(made: VotedMean, ones: int, published: float | None) -> int:
    """The value of a vote, as the head of a client says."""
    first, end = made.near(math.nan if published is None else published)
    return (first * (made.days + 2) + end) * (made.days + 1) + ones


def votes_differ(made: VotedMean, program: Program, rng: np.random.Generator) -> bool:
    """Return whether a vote or an answer comes out otherwise than at the Python client."""
    question = program.inputs - 1
    for tape in tapes(program, 12 + 3 * made.epochs, rng):
        source = ReplayWords(tape)
        client, cells, read = VotingClient(made, new_user=True, rng=source), [0] * 4, 0
        for _ in range(2 * made.epochs + 3):
            call: Callable[[], Any] = client.answer
            value = question
            if rng.random() < 0.6:
                ones = int(rng.integers(made.days + 1))
                mean = None if rng.random() < 0.1 else float(rng.random())
                call = functools.partial(client.vote, ones, mean)
                value = vote_of(made, ones, mean)
            try:
                right = call().data.tolist()
            except ParameterError:
                right = []
            drawn = interpret(program, value, tape[read:], cells)
            read += drawn.words
            row = np.array([drawn.report], dtype=np.uint64)
            if made.reports_of(row).data.tolist() != right or read != source._next:
                return True
            if cells != [client._steps, client._voted, client._answered, client._ones]:
                return True
    return False


VOTED = [
    VotedMean(4.0, 12, 30, updates=3, votes=2, margin=0.25),
    VotedMean(1.0, 2),
    VotedMean(0.5, 5, 2, updates=5, votes=3, margin=0.1),
    VotedMean(20.0, 3, 1_000_003, updates=64, votes=64, margin=0.01, vote_share=0.9),
]


@pytest.mark.parametrize("made", VOTED, ids=repr)
def test_votes_and_answers_are_those_of_the_python_client(
    made: VotedMean, rng: np.random.Generator
) -> None:
    """From the same words, whatever is published; what it refuses is no message and no word."""
    assert not votes_differ(made, made.program(), rng)


@pytest.mark.parametrize(
    "wrong",
    [
        VotedMean(4.0, 12, 30, updates=3, votes=1, margin=0.25),
        VotedMean(4.0, 12, 30, updates=2, votes=2, margin=0.25),
        VotedMean(4.0, 12, 30, updates=3, votes=2, margin=0.25, vote_share=0.5 + 1e-9),
    ],
    ids=repr,
)
def test_votes_of_another_deployment_are_seen(wrong: VotedMean, rng: np.random.Generator) -> None:
    assert votes_differ(VOTED[0], wrong.program(), rng)


@pytest.mark.parametrize("made", VOTED, ids=repr)
def test_the_two_ends_say_who_differs(made: VotedMean, rng: np.random.Generator) -> None:
    """For means of all kinds: between numbers of ones, at one, a margin away, none yet."""
    ones = np.arange(made.days + 1)
    steps = [one / made.days for one in rng.integers(0, made.days + 1, 20).tolist()]
    means = [math.nan, 0.0, 1.0, *steps, *rng.random(20).tolist()]
    means += [mean + side * made.margin for mean in steps for side in (-1, 1)]
    for mean in means:
        first, end = made.near(mean)
        assert 0 <= first <= made.days
        assert 0 <= end <= made.days + 1
        assert np.array_equal(made.differs(ones, mean), (ones < first) | (ones >= end))


def test_rows_of_numbers_become_the_messages(rng: np.random.Generator) -> None:
    """A state counts what programs gave as it counts the messages of the Python clients."""
    tree, voted = ChangeTree(1.0, 9, 2), VotedMean(4.0, 3, 2, updates=3)
    rows, right = [], tree.empty(simulated=True)
    for _ in range(20):
        tape = rng.integers(0, 1 << 64, 40, dtype=np.uint64).tolist()
        client, cells, read = TreeClient(tree, new_user=True, rng=ReplayWords(tape)), [0] * 6, 0
        for day in range(9):
            right = right.update(client.report(day // 4 % 2))
            drawn = interpret(tree.program(), day // 4 % 2, tape[read:], cells)
            rows.append(drawn.report)
            read += drawn.words
    sent = tree.reports_of(np.array(rows, dtype=np.uint64), simulated=True)
    assert tree.empty(simulated=True).update(sent).counts == right.counts
    assert right.n == 20
    answers = np.array([[0], [1], [6], [12], [7]], dtype=np.uint64)
    assert voted.reports_of(answers).data.tolist() == [0, 5, 11, 6]
    assert not voted.reports_of(answers).simulated
    nothing = tree.reports_of(np.zeros((3, 2), dtype=np.uint64))
    assert tree.empty().update(nothing) == tree.empty()


def test_what_is_no_row_is_refused() -> None:
    tree, voted = ChangeTree(1.0, 4), VotedMean(1.0, 2)
    signs = 2 * tree.firsts[-1]
    wrong: list[tuple[Any, Any]] = [
        *((tree, [[signs, 0]]), (tree, [[0, signs + 1]]), (tree, [[tree.codes + 1, 0]])),
        *((tree, [[0]]), (tree, [0, 0]), (tree, [[0, 0, 0]])),
        *((voted, [[9]]), (voted, [[1 << 63]]), (voted, [[0, 0]])),
    ]
    for made, rows in wrong:
        with pytest.raises(ReportError, match="numbers"):
            made.reports_of(np.array(rows, dtype=np.uint64))
        with pytest.raises(ReportError, match="numbers"):
            made.reports_of(rows)
    with pytest.raises(ReportError, match="integers"):
        tree.reports_of(np.zeros((1, 2)))
    with pytest.raises(ParameterError, match="simulated"):
        tree.reports_of(np.zeros((1, 2), dtype=np.uint64), simulated=1)  # type: ignore[arg-type]  # no bool
