"""The C of each mechanism's program is the program, at 64 bits; C with a slip is told by a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR, OLH, OUE
from ldp_verified.check.conformance.c_equality import CEquality, c_equals_program
from ldp_verified.check.conformance.c_text import read_body, read_tables
from ldp_verified.errors import SpecError
from ldp_verified.protocols import (
    HPGR,
    LGRR,
    LOLOHA,
    SHE,
    ChangeTree,
    Gaussian,
    PlaneNoise,
    Rappor,
    RegionChoice,
    SafeRegions,
    SignMatrix,
    VotedMean,
)
from ldp_verified.prove.smt import solver
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.interpret import interpret
from ldp_verified.run.program.schemes import k_rr, one_hot
from tests.broken.programs import wrong_programs
from tests.mechanisms.parameters import CLASSES, usual
from tests.program.listed import strings_of
from tests.program.test_hashed_groups import MADE as HASHED
from tests.program.test_schemes import WIDE

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program import Program


REGION = RegionChoice(SafeRegions({"all": ["east", "west"], "west": ["a", "b"]}, (1,)), "west", 1)


def mechanisms() -> dict[str, Any]:
    """Those of other tests at full width, and one of each class."""
    made = {repr(each): each for each in WIDE}
    return made | {name: cls(**usual(cls)) for name, cls in CLASSES.items()}


MADE = mechanisms()


def compared(program: Program, text: str) -> CEquality:
    """What z3 says of a text."""
    path = solver()
    assert path is not None, "z3 is not installed: nothing was compared"
    return c_equals_program(program, text, (path, "-in"))


@pytest.mark.parametrize("name", MADE)
def test_the_c_is_the_program(name: str) -> None:
    program = MADE[name].program()
    found = compared(program, c_header(program, ["A test."]))
    assert found.status == "proved", found
    assert found.shown > 1
    assert found.undecided == ()


KEEPING: list[Any] = [
    *(LGRR(2.0, 1.0, 9), LOLOHA(2.0, 1.0, 9), Rappor(0.5, 0.25, 0.75, 33, 2, 2)),
    *(ChangeTree(1.0, 30, 2), VotedMean(4.0, 12, 30, 3, 2)),
]


@pytest.mark.parametrize("made", KEEPING, ids=repr)
def test_the_c_of_a_client_that_keeps_is_the_program(made: Any) -> None:
    from ldp_verified.app.cli.clients import program_of

    program = program_of(made, strings_of(made))
    assert compared(program, c_header(program, ["A test."])).status == "proved"


@pytest.mark.parametrize(
    "made", [*HASHED, SignMatrix(1.0), HPGR(5.0, 22_000), Gaussian(1.0, 1e-6)], ids=repr
)
def test_the_c_of_a_protocol_on_wide_values_is_the_program(made: Any) -> None:
    program = made.program()
    found = compared(program, c_header(program, ["A test."]))
    assert (found.status, found.undecided) == ("proved", ())


@pytest.mark.parametrize("made", [PlaneNoise(1.0, 9, 5), SHE(1.0, 5, 4), REGION], ids=repr)
def test_the_c_of_noise_on_points_and_of_a_region_is_the_program(made: Any) -> None:
    program = made.program()
    found = compared(program, c_header(program, ["A test."]))
    assert (found.status, found.undecided) == ("proved", ())


def changed(pattern: str, new: str) -> Callable[[str], str]:
    """The text with the last place of a pattern changed."""

    def change(text: str) -> str:
        *_, place = re.finditer(pattern, text)
        return text[: place.start()] + place.expand(new) + text[place.end() :]

    return change


def off_by(step: int) -> Callable[[str], str]:
    """The last limit of a word is another one."""

    def change(text: str) -> str:
        *_, place = re.finditer(r"v_word <=? UINT64_C\((\d+)\)", text)
        return text[: place.start(1)] + str(int(place[1]) + step) + text[place.end(1) :]

    return change


WRONG: dict[str, Callable[[str], str]] = {
    "< for <=": changed(r"v_word <= ", "v_word < "),
    "a limit one too high": off_by(1),
    "a limit one too low": off_by(-1),
    "a comparison with a sign": changed(
        r"if \(v_word <= (UINT64_C\(\d+\))\)", r"if ((int64_t)v_word <= (int64_t)\1)"
    ),
    "a word of 32 bits": changed(r"v_word <= ", "(uint32_t)v_word <= "),
    "another divisor": changed(r"v_word / UINT64_C\(\d+\)", "v_word / UINT64_C(3)"),
}


@pytest.mark.parametrize("slip", WRONG)
@pytest.mark.parametrize("made", [GRR(1.0, 16), OLH(1.0, 1000, g=3)], ids=repr)
def test_a_slip_is_told_by_a_word(slip: str, made: Any) -> None:
    program = made.program()
    found = compared(program, WRONG[slip](c_header(program, ["A test."])))
    assert found.status == "refuted"
    assert found.witness is not None
    assert 0 <= found.witness["v_word"] < 1 << 64


@pytest.mark.parametrize("step", [-1, 1])
def test_the_word_of_a_wrong_limit_is_the_boundary(step: int) -> None:
    program = k_rr("grr", 5, 1 << 60)
    found = compared(program, off_by(step)(c_header(program, ["A test."])))
    assert found.witness is not None
    limit = 5 * (1 << 60) - 1
    assert found.witness["v_word"] == limit + max(step, 0)
    wrong = k_rr("grr", 5, 1 << 60)
    assert interpret(wrong, 4, [limit]) != interpret(wrong, 3, [limit + 1])


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("v_ones | ", "v_ones & "),
        ("v_undecided & ((v_word ^ ", "v_undecided & ((v_word | "),
        ("v_ones = UINT64_C(0)", "v_ones = UINT64_C(1)"),
    ],
)
def test_a_lost_digit_of_lanes_is_told(right: str, wrong: str) -> None:
    program = OUE(1.0, 65).program()
    text = c_header(program, ["A test."])
    assert right in text
    assert compared(program, text.replace(right, wrong, 1)).status == "refuted"


def test_a_lost_carry_is_told() -> None:
    """A sum without its carries: of a coefficient, and what the bucket was."""
    program = OLH(1.0, 1000, g=3).program()
    text = c_header(program, ["A test."])
    assert "(v_bucket + (" in text
    found = compared(program, text.replace("(v_bucket + (", "(v_bucket ^ (", 1))
    assert found.status == "refuted"
    assert found.witness is not None
    bucket, coefficient = found.witness["v_bucket"], found.witness["v_coefficient"]
    assert bucket & coefficient * (found.witness["v_rest"] % 3)


@pytest.mark.parametrize("made", [k_rr("grr", 5, 1 << 60), one_hot("oue", 70, 3 << 60, 5 << 59)])
def test_another_program_is_told(made: Program) -> None:
    text = c_header(made, ["A test."])
    wrongs = list(wrong_programs(made))
    assert len(wrongs) > 2
    for slip, wrong in wrongs:
        assert compared(wrong, text).status == "refuted", slip


def test_another_structure_is_told() -> None:
    program = OLH(1.0, 1000, g=3).program()
    text = c_header(program, ["A test."])
    once = re.sub(r"do \{\n(.*?)\} while \([^\n]*;", r"\1", text, count=1, flags=re.DOTALL)
    assert once != text
    assert compared(program, once).status == "refuted"


def test_a_solver_that_does_not_decide_leaves_the_link_sampled() -> None:
    program = k_rr("grr", 5, 1 << 60)
    text = c_header(program, ["A test."])
    answers = (
        "sh",
        "-c",
        'grep -c check-sat | while read n; do seq $n | sed "s/.*/unknown\\nnext/"; done',
    )
    found = c_equals_program(program, text, answers)
    assert found.status == "sampled"
    assert len(found.undecided) > 1
    with pytest.raises(SpecError, match="answer every question"):
        c_equals_program(program, text, ("true",))


def test_small_words_and_other_texts_are_refused() -> None:
    program = k_rr("grr", 5, 3, 6)
    with pytest.raises(SpecError, match="width: must be 64, got 6"):
        compared(program, c_header(program, ["A test."]))
    with pytest.raises(SpecError, match="must have a function grr_report"):
        read_body("int main;", "grr", kept=False)
    with pytest.raises(SpecError, match="must give 2 entries"):
        read_tables("static const uint64_t t[2] = {UINT64_C(1)};")
