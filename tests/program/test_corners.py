"""Duchi's mechanism for vectors: the program's law, what its words tell, and its reports."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from ldp_verified.check.conformance.c_equality import c_equals_program
from ldp_verified.errors import DomainError, LdpError, ParameterError
from ldp_verified.protocols import DuchiVector
from ldp_verified.prove.smt import solver
from ldp_verified.run.kernels.randomness import ReplayWords
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.checking import check
from ldp_verified.run.program.corners import rounded_corner
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.javascript import javascript_module
from ldp_verified.run.program.vectors import boundary_words, vectors_of
from tests.broken.array_programs import lazy_corner, wrong_arrays
from tests.broken.programs import wrong_programs
from tests.program.array_cases import ARRAY_SIZES, BITS, THREE_SIGNS
from tests.program.joint import says_more
from tests.program.node import node, replayed
from tests.program.test_c import self_test
from tests.program.test_javascript import rows_of
from tests.program.test_python import printed

if TYPE_CHECKING:
    from pathlib import Path

    from ldp_verified.run.program import Program
    from tests.program.cases import Law
    from tests.program.joint import Joint

TWO_SIGNS = ARRAY_SIZES["duchi_vector_two"]
MADE = [
    DuchiVector(1.0, 1),
    DuchiVector(1.0, 2),
    DuchiVector(0.5, 5, (0, 10)),
    DuchiVector(1.0, 62),
]


def joint_of(program: Program, value: int, length: int) -> tuple[Joint, Fraction]:
    """The law of (report, words read), of all tapes in Python's printing, and what is left."""
    draw = printed(program)
    tapes = itertools.product(range(1 << program.width), repeat=length)
    found = Counter(draw(value, tape) for tape in tapes)
    left = Fraction(found.pop(None, 0), 1 << (program.width * length))
    return {seen: Fraction(n, 1 << (program.width * length)) for seen, n in found.items()}, left


def resolved(law: Joint, left: Fraction) -> Law:
    """The law of the reports alone, of what is resolved."""
    found: Law = {}
    for (report, _), mass in law.items():
        found[report] = found.get(report, Fraction(0)) + mass / (1 - left)
    return found


def test_two_signs_have_the_law_and_their_words_say_nothing_more() -> None:
    """Words are rejected whatever the value and the report are, so shares of the rest are exact."""
    program = TWO_SIGNS.program
    found = [joint_of(program, value, 6) for value in range(program.values)]
    for value, (law, left) in enumerate(found):
        assert left == Fraction(11, 32)
        assert resolved(law, left) == TWO_SIGNS.table(value)
    assert not says_more([law for law, _ in found])


def test_three_signs_have_the_law_and_read_one_number_of_words() -> None:
    program = THREE_SIGNS.program
    for value in (0, 19, 57, 98, 124):
        law, left = joint_of(program, value, 5)
        assert left == 0
        assert {words for _, words in law} == {5}
        assert resolved(law, left) == THREE_SIGNS.table(value)


def test_a_client_that_draws_until_a_corner_is_of_the_chosen_kind_tells() -> None:
    """It is what the kernel does: each report has the right law, and the words tell more."""
    wrong = lazy_corner(2, 3, 2, BITS)
    found = [joint_of(wrong, value, 6)[0] for value in range(wrong.values)]
    for value, law in enumerate(found):
        for report, mass in TWO_SIGNS.table(value).items():
            assert sum(m for (each, _), m in law.items() if each == report) <= mass
    assert says_more(found)


@pytest.mark.parametrize("case", [TWO_SIGNS, THREE_SIGNS], ids=["two", "three"])
def test_wrong_programs_are_rejected(case: Any) -> None:
    """By their ranges, or because a law is not the table's, or by the words that they read.

    Of two signs a limit may be one higher: corners that are apart in half of them are drawn again.
    """
    values = range(case.program.values) if case is TWO_SIGNS else (19, 57)
    found = same = 0
    for _, wrong in [*wrong_programs(case.program), *wrong_arrays(case.program)]:
        try:
            check(wrong)
        except LdpError:
            continue
        found += 1
        laws = [joint_of(wrong, value, case.words) for value in values]
        tables = [case.table(value) for value in values]
        right = all(resolved(*law) == table for law, table in zip(laws, tables, strict=True))
        same += right and not says_more([law for law, _ in laws])
    assert found >= 8
    assert same == (case is TWO_SIGNS)


def positions(d: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Some within the bounds, and some at their ends."""
    found = rng.integers(0, UNIT, d, endpoint=True)
    found[rng.random(d) < 0.3] = 0
    found[rng.random(d) < 0.3] = UNIT
    return tuple(found.tolist())


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_reports_are_of_the_kind_that_python_draws(
    made: DuchiVector, rng: np.random.Generator
) -> None:
    """From the same words for signs and kind Python takes the program's corner as the first one.

    At and beside each limit, in the place of a sign and in that of the kind, which is read last.
    """
    program, d = made.program(), made.d
    words = boundary_words(program)
    assert {made._inside - 1, made._inside} <= {*words}
    for turn in range(300):
        tape = rng.integers(0, 1 << 64, d + 200, dtype=np.uint64)
        value = positions(d, rng)
        kind = interpret(program, value, tape.tolist()).words - 1
        tape[kind if turn % 2 else int(rng.integers(d))] = words[turn // 2 % len(words)]
        report, read = interpret(program, value, tape.tolist())
        low, high = made.bounds
        numbers = [low + (high - low) * (each / UNIT) for each in value]
        given = [*tape[:d], tape[read - 1], report[0], *tape[d:]]
        assert made._index_of(numbers) == value
        source = ReplayWords(np.array(given, dtype=np.uint64))
        assert made.privatize(numbers, source).data.tolist() == [*report]


@pytest.mark.parametrize("made", MADE[1:3], ids=repr)
def test_wrong_programs_are_seen_at_full_width(made: DuchiVector) -> None:
    """By vectors, and by words at and beside each number's own limit."""
    right = made.program()
    vectors = vectors_of(right)
    tried: list[Any] = [(v.value, v.words) for v in vectors]
    for value, words in tried[::3]:
        for place, number in enumerate(value):
            if number:
                moved = [*words]
                moved[place] = (number - 1) << 12
                tried.append((value, moved))
            if number < UNIT:
                moved = [*words]
                moved[place] = number << 12
                tried.append((value, moved))
    seen, same = 0, 0
    for what, wrong in [*wrong_arrays(right), *wrong_programs(right)]:
        if "rejected" in what or "private value" in what:
            continue
        try:
            check(wrong)
        except LdpError:
            continue
        seen += 1
        same += all(answer(wrong, *each) == answer(right, *each) for each in tried)
    assert seen >= 8
    assert same == (made.d % 2 == 0)


def answer(program: Program, value: Any, words: Any) -> Any:
    """What a program makes of a value and words; None where they are too few."""
    try:
        return interpret(program, value, words)
    except LdpError:
        return None


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_c_and_javascript_replay_vectors_at_full_width(made: DuchiVector, tmp_path: Path) -> None:
    program = made.program()
    assert self_test(program, vectors_of(program), tmp_path / "c") == 0
    if node() is not None:
        rows, answers = rows_of(program)
        assert replayed(javascript_module(program, ["A test."]), rows, tmp_path) == answers


@pytest.mark.parametrize("made", MADE, ids=repr)
def test_the_c_is_the_program(made: DuchiVector) -> None:
    """Statement by statement, at 64 bits; a text that reads another number is told from it."""
    program, path = made.program(), solver()
    assert path is not None
    text = c_header(program, ["A test."])
    found = c_equals_program(program, text, (path, "-in"))
    assert (found.status, found.undecided) == ("proved", ())
    wrong = text.replace("value[v_turn]", "value[v_turn ^ UINT64_C(1)]")
    assert wrong != text
    assert c_equals_program(program, wrong, (path, "-in")).status == "refuted"


def test_a_client_reports_on_vectors(rng: np.random.Generator) -> None:
    """Numbers that clients give are reports; what is no vector is refused and not shown."""
    made = DuchiVector(2.0, 3, (0.0, 10.0))
    client = made.client()
    data = np.array([client.report(rng.random(3) * 10) for _ in range(50)], dtype=np.uint64)
    assert made.empty().update(made.reports(data, simulated=False)).n == 50
    for wrong in ([1.0, 2.0], [1.0, 2.0, 77.0], [[1.0, 2.0, 3.0]], ["77"] * 3, [float("nan")] * 3):
        with pytest.raises(DomainError) as caught:
            client.report(wrong)
        assert "77" not in str(caught.value)


@pytest.mark.parametrize(("d", "inside"), [(0, 1), (63, 1), (3, 0), (3, 1 << 64)])
def test_integers_that_do_not_fit_are_refused(d: int, inside: int) -> None:
    with pytest.raises(ParameterError):
        rounded_corner("corners", d, inside)
