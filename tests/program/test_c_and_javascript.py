"""Wrong clients in C and JavaScript: who catches which, as docs/devices.md says it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ldp_verified import GRR, OLH, OUE
from ldp_verified.program.c import c_header
from ldp_verified.program.javascript import LIMB, javascript_module
from ldp_verified.report.vector_files import vector_file
from tests.broken.printed import SLIPS
from tests.program import gcc, node
from tests.program.enumerated import at_small_width
from tests.program.test_c import every_reference
from tests.report.test_vector_files import answers_of, rows_of

if TYPE_CHECKING:
    from ldp_verified.program import Program

ABOUT = ["A test."]
PAGE = Path(__file__).parents[2] / "docs" / "devices.md"
FULL: dict[str, Any] = {
    "grr": GRR(1.0, 16),
    "grr_wide": GRR(2.0, 3_000_000),
    "olh_lanes": OLH(1.0, 1000, g=4),
    "oue": OUE(0.5, 130),
}
CHECKS = {
    "words": "every word",
    "vectors": "vectors",
    "build": "build",
    "source": "source",
}


def group_of(made: Any) -> dict[str, Any]:
    group: dict[str, Any] = vector_file([made], 64)["testGroups"][0]
    return group


def small(case: str) -> tuple[Program, int]:
    """A program at a small width, and words of a tape."""
    program, _ = at_small_width(case)
    return program, 12 // program.width


def catch_c(slip: Any, folder: Path) -> set[str]:
    """The checks that tell the C text with a slip from the right one."""
    folder.mkdir(exist_ok=True)
    caught = set()
    program, length = small(slip.case)
    text = slip.c(c_header(program, ABOUT))
    if gcc.every_answer(text, program, length, folder / "small") != every_reference(program):
        caught.add("words")
    made = FULL[slip.case]
    group, program = group_of(made), made.program()
    text = slip.c(c_header(program, ABOUT))
    if gcc.replayed(text, program, rows_of(group), folder / "full") != answers_of(group):
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
    if node.every_answer(text, program, length, folder / "small") != every_reference(program):
        caught.add("words")
    made = FULL[slip.case]
    group = group_of(made)
    text = slip.javascript(javascript_module(made.program(), ABOUT), LIMB)
    found = node.replayed(text, rows_of(group), folder / "full")
    if [(None if isinstance(a, str) else a, n) for a, n in found] != answers_of(group):
        caught.add("vectors")
    if "import" in text or "Math" in text:
        caught.add("build")
    if not node.secure_source_is_read(text, made.k, folder / "full"):
        caught.add("source")
    return caught


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


def test_the_page_says_who_catches_what() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, slip in SLIPS.items():
        columns = [
            ", ".join(words for check, words in CHECKS.items() if check in by) or "none such"
            for by in (slip.by_c, slip.by_javascript)
        ]
        assert f"| {name} | {columns[0]} | {columns[1]} |" in page
