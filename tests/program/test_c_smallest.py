"""Clients of the smallest protocols: compilers have nothing to warn of."""

from __future__ import annotations

import subprocess
import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import OLH
from ldp_verified.app.cli.clients import client_texts, program_of
from ldp_verified.app.report.wasm import compiled_wasm
from ldp_verified.errors import InternalError
from ldp_verified.protocols import JointTables, RangeTree, Rappor
from ldp_verified.run.program.c import c_header
from tests.program import gcc, node, wasm
from tests.program.gcc import every_answer
from tests.program.group_cases import Narrow
from tests.program.listed import LISTED
from tests.program.smallest import SMALLEST
from tests.program.test_c import every_reference

if TYPE_CHECKING:
    from pathlib import Path

FIXED = {
    *("Warner", "BinaryRR", "Duchi", "Piecewise", "SquareWave", "Hybrid", "Staircase", "TwoCoins"),
    *("Grades", "Geometric", "TruncatedGeometric"),
}
"""Mechanisms of the list without a size."""


def test_every_listed_class_with_a_size_is_here() -> None:
    listed = {type(made).__name__ for made in LISTED.values()}
    assert {type(made).__name__ for made in SMALLEST} == listed - FIXED


@pytest.mark.parametrize("made", SMALLEST, ids=repr)
def test_c_compiles_without_a_warning(made: Any, tmp_path: Path) -> None:
    strings = ("red", "green") if isinstance(made, Rappor) else ()
    (text,) = client_texts(made, "c", strings).values()
    assert isinstance(text, str)
    assert f"{program_of(made, strings).name}_report(" in text
    (tmp_path / "client.c").write_text(text)
    command = ["gcc", *gcc.FLAGS, "-fsyntax-only", "client.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("made", [*LISTED.values(), *SMALLEST], ids=repr)
def test_the_head_of_a_client_is_the_same_in_every_process(made: Any) -> None:
    """The text of a function has its address in memory, which is another one at each start."""
    assert " at 0x" not in repr(made)


def test_a_function_is_shown_by_its_name() -> None:
    made = JointTables(1.0, {"a": 2, "b": 2}, make=partial(OLH, g=2))
    assert repr(made).endswith("make=partial)")
    (text,) = client_texts(JointTables(1.0, {"a": 2, "b": 2}), "c").values()
    assert "make=least_variance)" in str(text).splitlines()[1]


def test_one_level_reads_the_words_that_it_read(tmp_path: Path) -> None:
    """A variable that nothing reads is cast; what is drawn, and from which words, stays."""
    program = RangeTree(1.2, 2).program(Narrow(4).program)
    text = c_header(program, ["A test."])
    assert "(void)v_group;" in text
    assert every_answer(text, program, 3, tmp_path / "c") == every_reference(program)
    if wasm.has_tools():
        answers = node.every_answer(wasm.module(program), program, 3, tmp_path / "wasm")
        assert answers == every_reference(program)


def test_c_that_clang_refuses_is_a_fault_of_this_package() -> None:
    if wasm.has_tools():
        with pytest.raises(InternalError, match=r"package is wrong: client\.c:1:") as refused:
            compiled_wasm("int wrong(void) { return 1 }\n")
        assert tempfile.gettempdir() not in str(refused.value)
