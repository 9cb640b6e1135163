"""Noise on points as they are: from the words of its kernel, or with its law from other words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified import TruncatedGeometric
from ldp_verified.errors import LdpError, ParameterError
from ldp_verified.protocols import SHE, PlaneNoise
from ldp_verified.run.kernels.noise import geometric_sampler
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.noisy_points import noisy_bits, noisy_cell
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.noise_programs import wrong_planes, wrong_sums
from tests.program.enumerated import law_of, table_of
from tests.program.group_cases import Tape
from tests.program.node import node, replayed
from tests.program.noise_cases import NOISE_CASES, moved
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ldp_verified.run.program import Program

SUMS = [SHE(1.0, 4), SHE(0.1, 3), SHE(8.0, 5, 7), SHE(0.5, 2, 1), SHE(6.0, 40)]
PLANES = [PlaneNoise(1.0, 5, 3), PlaneNoise(0.1, 2, 100), PlaneNoise(4.0, 2, 2)]
MADE: list[Any] = [*SUMS, *PLANES]


def sent(made: Any, value: int, tape: list[int]) -> tuple[tuple[int, ...], int]:
    """The report and how many words it takes, found without the program."""
    read = Tape(tape, 64)
    if isinstance(made, SHE):
        m, reach, share = made.number.thresholds
        sampler = geometric_sampler(m, reach, share)
        report = [read.filled(sampler, m * (v == value))[0] for v in range(made.k)]
        return tuple(report), read.read
    places = zip(made.axes, divmod(value, made.rows), strict=True)
    return tuple(moved(read, x, a.steps, a.thresholds[-1], 64) for a, x in places), read.read


def tapes_of(made: Any, rng: np.random.Generator) -> Iterator[list[int]]:
    """Random words; and boundary words among them, in each of the first places and a later one."""
    length = 2000
    yield from (rng.integers(0, 1 << 64, length, dtype=np.uint64).tolist() for _ in range(6))
    words = boundary_words(made.program())
    for word in words[:: 1 + len(words) // 12]:
        for place in (0, 1, 2, int(rng.integers(3, 40))):
            tape = rng.integers(0, 1 << 64, length, dtype=np.uint64).tolist()
            tape[place] = word
            yield tape


def differs(made: Any, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some value and words make another report, or are read to another end."""
    for tape in tapes_of(made, rng):
        for value in {0, program.inputs - 1, int(rng.integers(program.inputs))}:
            drawn = interpret(program, value, tape)
            if (drawn.report, drawn.words) != sent(made, value, tape):
                return True
    return False


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_program_sends_what_is_found_without_it(made: Any, rng: np.random.Generator) -> None:
    """At width 64: of sums by the kernel of one number, of planes by what the words say."""
    assert not differs(made, made.program(), rng)


def wrong_of(made: Any) -> list[tuple[str, Program]]:
    """Wrong programs at width 64."""
    if isinstance(made, SHE):
        return [*wrong_sums(made.program())]
    axes = [(axis.steps, axis.thresholds[-1]) for axis in made.axes]
    return [*wrong_planes("plane_noise", axes, 64)]


@pytest.mark.parametrize("made", [SUMS[0], SUMS[2], PLANES[0]], ids=repr)
def test_wrong_programs_are_seen_at_full_width(made: Any, rng: np.random.Generator) -> None:
    wrong = wrong_of(made)
    assert len(wrong) >= 6
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        assert any(differs(made, each, rng) for _ in range(5)), what


@pytest.mark.parametrize("name", ["she", "plane_noise"])
def test_wrong_programs_have_another_law(name: str) -> None:
    """By every sequence of words at width 2, or by their ranges."""
    right = NOISE_CASES[name].program
    axes = [(1, 1), (1, 1)]
    wrong = [*wrong_sums(right)] if name == "she" else [*wrong_planes(name, axes, 2)]
    seen = 0
    for what, each in wrong:
        try:
            check(each)
        except LdpError:
            continue
        seen += 1
        values = range(right.inputs)
        assert any(law_of(each, v, name)[0] != table_of(name, v) for v in values), what
    assert seen >= 5


def test_an_axis_moves_as_truncated_geometric_noise_does(rng: np.random.Generator) -> None:
    """From its words, one for rounding before them, on grids whose points are positions."""
    made = PlaneNoise(0.5, 5, 9)
    for _ in range(60):
        words = rng.integers(0, 1 << 64, 60, dtype=np.uint64).tolist()
        value = int(rng.integers(45))
        drawn, read, places = interpret(made.program(), value, words), 0, divmod(value, 9)
        for axis, place, cell in zip(made.axes, places, drawn.report, strict=True):
            assert isinstance(axis, TruncatedGeometric)
            position = place * ((1 << 52) // axis.steps)
            alone = interpret(axis.program(), position, [0, *words[read:]])
            output = alone.report[0]
            inner = {axis.steps - 1: 0, axis.steps: axis.steps}
            assert cell == inner.get(output, output + 1)
            read += alone.words - 1
        assert drawn.words == read


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_numbers_are_reports_of_the_protocol(made: Any) -> None:
    vectors = vectors_of(made.program(), 40)[:100]
    data = np.array([vector.report for vector in vectors])
    if isinstance(made, SHE):
        rows = data.astype(made.sampler().dtype)
        assert made.aggregate(made.reports(rows, False)).n == len(vectors)
        return
    halves = made.by_axis(made.reports(data, simulated=False))
    for state, each in zip(made.empty(), halves, strict=True):
        assert state.update(each).n == len(vectors)


@pytest.mark.parametrize("made", [SUMS[1], SUMS[2], PLANES[1]], ids=repr)
def test_c_and_javascript_replay_vectors_at_full_width(made: Any, tmp_path: Path) -> None:
    program = made.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


def test_of_a_plane_the_number_of_words_is_that_of_rejected_sides(rng: np.random.Generator) -> None:
    """Wherever the place is, and whatever is reported."""
    made = PLANES[0]
    for _ in range(50):
        words = rng.integers(0, 1 << 64, 60, dtype=np.uint64).tolist()
        assert len({interpret(made.program(), value, words).words for value in range(15)}) == 1


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError):
        noisy_cell("plane", [(1, 1), ((1 << 63) - 1, 1)], 2)
    with pytest.raises(ParameterError):
        noisy_bits("sums", 1, 1, 1, [1], [1], 2)
    with pytest.raises(ParameterError, match="at most 2"):
        noisy_cell("plane", [((1 << 33) - 1, 1), ((1 << 33) - 1, 1)])
