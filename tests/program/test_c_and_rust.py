"""Wrong clients in every language: who catches which, as docs/devices.md says it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR, OLH, OUE
from ldp_verified.app.cli.clients import program_of
from ldp_verified.app.report.vector_files import vector_file
from ldp_verified.errors import InternalError
from ldp_verified.protocols import LGRR, Rappor
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.javascript import LIMB, javascript_module
from ldp_verified.run.program.rust import rust_crate
from tests.broken.printed import SLIPS
from tests.broken.printed_rust import RUST
from tests.program import gcc, node, rustc, wasm
from tests.program.enumerated import at_small_width
from tests.program.kept import KEPT, every_pair
from tests.program.listed import strings_of
from tests.program.test_c import every_reference
from tests.report.test_vector_files import kept_answers_of, kept_rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program import Program

ABOUT = ["A test."]
PAGE = Path(__file__).parents[2] / "docs" / "devices.md"
FULL: dict[str, Any] = {
    "grr": GRR(1.0, 16),
    "grr_wide": GRR(2.0, 3_000_000),
    "olh_lanes": OLH(1.0, 1000, g=4),
    "oue": OUE(0.5, 130),
    "lgrr": LGRR(2.0, 1.0, 9),
    "rappor": Rappor(0.5, 0.25, 0.75, 33, 2, 2),
}
CHECKS = {
    "words": "every word",
    "vectors": "vectors",
    "build": "build",
    "source": "source",
}


def group_of(made: Any) -> dict[str, Any]:
    strings = strings_of(made)
    group: dict[str, Any] = vector_file([(made, strings)], 64)["testGroups"][0]
    return group


def full_program(case: str) -> Program:
    """The program of a case at width 64."""
    found: Program = program_of(FULL[case], strings_of(FULL[case]))
    return found


def small(case: str) -> tuple[Program, int]:
    """A program at a small width, and words of a tape."""
    if case in KEPT:
        return KEPT[case].program, KEPT[case].words
    program, _ = at_small_width(case)
    return program, 12 // program.width


def reference(case: str) -> list[Any]:
    """What the interpreter answers to all tapes of a case."""
    return every_pair(case) if case in KEPT else every_reference(small(case)[0])


def identity_of(group: dict[str, Any]) -> bytes:
    """What a state of a group begins with."""
    return kept_rows_of(group)[0][2][:8] or bytes(8)


def catch_c(slip: Any, folder: Path) -> set[str]:
    """The checks that tell the C text with a slip from the right one."""
    folder.mkdir(exist_ok=True)
    caught = set()
    program, length = small(slip.case)
    text = slip.c(c_header(program, ABOUT))
    if gcc.every_answer(text, program, length, folder / "small") != reference(slip.case):
        caught.add("words")
    made = FULL[slip.case]
    group, program = group_of(made), full_program(slip.case)
    text = slip.c(c_header(program, ABOUT, (), identity_of(group)))
    rows, right = kept_rows_of(group), kept_answers_of(group)
    if gcc.replayed_kept(text, program, rows, folder / "full") != right:
        caught.add("vectors")
    command = ["nm", "-u", "--format=posix", str(folder / "full" / "client.so")]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if " U" in listed:
        caught.add("build")
    return caught


def catch_javascript(slip: Any, folder: Path) -> set[str]:
    """The checks that tell the JavaScript text with a slip from the right one."""
    folder.mkdir(exist_ok=True)
    caught = set()
    program, length = small(slip.case)
    limb = (program.width + 1) // 2
    text = slip.javascript(javascript_module(program, ABOUT, limb), limb)
    if node.every_answer(text, program, length, folder / "small") != reference(slip.case):
        caught.add("words")
    made = FULL[slip.case]
    group = group_of(made)
    text = slip.javascript(
        javascript_module(full_program(slip.case), ABOUT, identity=identity_of(group)), LIMB
    )
    if differs_in_node(text, group, folder / "full"):
        caught.add("vectors")
    if "import" in text or "Math" in text:
        caught.add("build")
    keeps = full_program(slip.case).cells > 0
    if not keeps and not node.secure_source_is_read(text, made.k, folder / "full"):
        caught.add("source")
    return caught


def differs_in_node(text: str, group: dict[str, Any], folder: Path) -> bool:
    """Return whether a module answers the vectors of a group otherwise."""
    found = node.replayed_kept(text, kept_rows_of(group), folder)
    answers = [(None if isinstance(a, str) else a, *more) for a, *more in found]
    return answers != kept_answers_of(group)


def catch_wasm(slip: Any, folder: Path) -> set[str]:
    """The checks that tell WebAssembly of the C text with a slip from the right one."""
    folder.mkdir(exist_ok=True)
    program, length = small(slip.case)
    try:
        text = slip.module(wasm.module(program, slip=slip.c))
    except InternalError:
        return {"build"}
    caught = set()
    if node.every_answer(text, program, length, folder / "small") != reference(slip.case):
        caught.add("words")
    made = FULL[slip.case]
    group = group_of(made)
    text = slip.module(wasm.module(full_program(slip.case), identity_of(group), slip.c))
    if differs_in_node(text, group, folder / "full"):
        caught.add("vectors")
    keeps = full_program(slip.case).cells > 0
    if not keeps and not node.secure_source_is_read(text, made.k, folder / "full"):
        caught.add("source")
    return caught


def catch_rust(case: str, slip: Callable[[str], str], folder: Path) -> set[str]:
    """The checks that tell the Rust text with a slip from the right one."""
    folder.mkdir(exist_ok=True)
    caught = set()
    program, length = small(case)
    text = slip(rust_crate(program, ABOUT))
    if rustc.every_answer(text, program, length, folder / "small") != reference(case):
        caught.add("words")
    group, program = group_of(FULL[case]), full_program(case)
    text = slip(rust_crate(program, ABOUT, (), identity_of(group)))
    found = rustc.replayed(text, program, kept_rows_of(group), folder / "full")
    if [(a, n, b"" if a is None else kept) for a, n, kept in found] != kept_answers_of(group):
        caught.add("vectors")
    return caught


@pytest.mark.parametrize("name", RUST)
def test_a_wrong_rust_client_is_caught(name: str, tmp_path: Path) -> None:
    case, slip, by = RUST[name]
    if rustc.rustc() is not None:
        assert catch_rust(case, slip, tmp_path) == by != set()


@pytest.mark.parametrize("name", [name for name in SLIPS if SLIPS[name].c])
def test_a_wrong_webassembly_client_is_caught(name: str, tmp_path: Path) -> None:
    if wasm.has_tools():
        assert catch_wasm(SLIPS[name], tmp_path) == SLIPS[name].by_wasm != set()


@pytest.mark.parametrize("name", [name for name in SLIPS if SLIPS[name].c])
def test_a_wrong_c_client_is_caught(name: str, tmp_path: Path) -> None:
    assert catch_c(SLIPS[name], tmp_path) == SLIPS[name].by_c != set()


@pytest.mark.parametrize("name", [name for name in SLIPS if SLIPS[name].javascript])
def test_a_wrong_javascript_client_is_caught(name: str, tmp_path: Path) -> None:
    if node.node() is not None:
        assert catch_javascript(SLIPS[name], tmp_path) == SLIPS[name].by_javascript != set()


@pytest.mark.parametrize("case", FULL)
def test_right_clients_are_not_caught(case: str, tmp_path: Path) -> None:
    """The same checks of texts without a slip."""
    right = SLIPS["sign extension"]._replace(
        case=case, c=lambda text: text, javascript=lambda text, _: text
    )
    assert catch_c(right, tmp_path / "c") == set()
    if node.node() is not None:
        assert catch_javascript(right, tmp_path / "javascript") == set()
    if rustc.rustc() is not None:
        assert catch_rust(case, lambda text: text, tmp_path / "rust") == set()
    if wasm.has_tools():
        assert catch_wasm(right, tmp_path / "wasm") == set()


def test_the_page_says_who_catches_what() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, slip in SLIPS.items():
        rust = RUST[name][2] if name in RUST else frozenset()
        columns = [
            ", ".join(words for check, words in CHECKS.items() if check in by) or "none such"
            for by in (slip.by_c, slip.by_javascript, rust, slip.by_wasm)
        ]
        assert f"| {name} | {' | '.join(columns)} |" in page
