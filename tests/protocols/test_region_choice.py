"""The program of a user who has chosen a region sends what their Python client sends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols import RegionChoice, SafeRegions, SafeRegionState
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.noise_programs import wrong_regions
from tests.program.enumerated import law_of, table_of
from tests.program.further_cases import sign_case
from tests.program.node import node, replayed
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program

TREE = {"world": ["east", "sea", "west"], "east": ["ea", "eb", "ec"], "west": ["wa", "wb"]}
MADE = SafeRegions(TREE, (0.5, 2.0), seed=9)
LARGE = SafeRegions({"all": [f"p{place}" for place in range(5000)]}, (1.0,))
CHOICES = [
    *(RegionChoice(MADE, region, epsilon) for region in TREE for epsilon in (0.5, 2.0)),
    RegionChoice(LARGE, "all", 1.0),
]


def differs(choice: RegionChoice, program: Program, rng: np.random.Generator) -> bool:
    """Return whether some place and words make another report than the Python client's."""
    tapes = [rng.integers(0, 1 << 63, 4, dtype=np.uint64) for _ in range(12)]
    for word in boundary_words(choice.program()):
        for place in (0, 1):
            tapes.append(rng.integers(0, 1 << 63, 4, dtype=np.uint64))
            tapes[-1][place] = word
    for tape in tapes:
        value = int(rng.integers(len(choice.places)))
        rest = tape[1:] if int(tape[0]) < (1 << 64) - 2 else tape[2:]
        first = int(tape[len(tape) - len(rest) - 1]) >> 1
        made = choice.scheme
        client = made.client(choice.region, choice.epsilon, first, ReplayWords(rest))
        sent = client.report(choice.places[value])
        if interpret(program, value, tape.tolist()).report != (first, int(sent.signs[0])):
            return True
    return False


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_the_program_sends_what_the_python_client_sends(
    choice: RegionChoice, rng: np.random.Generator
) -> None:
    """At width 64, for the client that has the number which the first word gives."""
    assert not differs(choice, choice.program(), rng)


def test_programs_of_other_choices_are_seen(rng: np.random.Generator) -> None:
    """Planted: another region, another epsilon, another seed."""
    right = RegionChoice(MADE, "west", 2.0)
    others = [
        *(RegionChoice(MADE, "east", 2.0), RegionChoice(MADE, "west", 0.5)),
        RegionChoice(SafeRegions(TREE, (0.5, 2.0), seed=8), "west", 2.0),
    ]
    for other in others:
        assert any(differs(right, other.program(), rng) for _ in range(20)), other
    inner = MADE.matrices[1].program()
    first = MADE.taxonomy.span("west").start
    for what, wrong in wrong_regions(inner, first, 2):
        assert any(differs(right, wrong, rng) for _ in range(20)), what


def test_wrong_programs_have_another_law() -> None:
    """By every sequence of words at width 3."""
    seen = [*wrong_regions(sign_case(3, 1, 3).program, 3, 3)]
    assert len(seen) == 3
    for what, each in seen:
        laws = [law_of(each, v, "safe_regions")[0] for v in range(3)]
        assert laws != [table_of("safe_regions", v) for v in range(3)], what


def test_the_collector_reads_the_numbers(rng: np.random.Generator) -> None:
    """Of users with two choices; a user counts for places of their region."""
    state = SafeRegionState(MADE)
    for choice in CHOICES[2:6:3]:
        program = choice.program()
        tapes = rng.integers(0, 1 << 63, (200, 2), dtype=np.uint64).tolist()
        rows = np.array([interpret(program, 1, tape).report for tape in tapes], dtype=np.uint64)
        reports = choice.reports_of(rows)
        assert set(reports.regions.tolist()) == {MADE.region(choice.region)}
        assert set(reports.levels.tolist()) == {MADE.level(choice.epsilon)}
        state = state.update(reports)
        wrongs: list[Any] = [rows[:, :1], rows.astype(np.float64), rows + np.uint64(2)]
        for wrong in wrongs:
            with pytest.raises(ReportError):
                choice.reports_of(wrong)
    assert state.n == 400


@pytest.mark.parametrize("choice", [CHOICES[1], CHOICES[-1]], ids=repr)
def test_c_and_javascript_replay_vectors_at_full_width(
    choice: RegionChoice, tmp_path: Path
) -> None:
    program = choice.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


def test_a_value_is_told_in_words() -> None:
    told = CHOICES[4].program_value
    assert "of the region 'west': 0 is 'wa', 1 is 'wb'." in told
    assert (
        "0 is 'p0', 4999 is 'p4999'; RegionChoice.places lists them." in CHOICES[-1].program_value
    )
    assert CHOICES[4].epsilon == 0.5
    assert CHOICES[4].thresholds == MADE.matrices[0].thresholds
    with pytest.raises(DomainError):
        interpret(CHOICES[4].program(), 2, [0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((MADE, "mars", 2.0), "region: must be a region of the taxonomy"),
        ((MADE, "ea", 2.0), "region: must be a region of the taxonomy"),
        ((MADE, "west", 1.0), "epsilon: must be one of"),
        ((MADE, None, 1.0), "region: must be a region"),
        ((MADE, "west", None), "epsilon: must be"),
        ((TREE, "west", 2.0), "scheme: must be"),
    ],
)
def test_choices_that_are_none_are_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RegionChoice(*arguments)
