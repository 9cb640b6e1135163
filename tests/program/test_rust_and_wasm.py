"""The Rust printing, and the C as WebAssembly, draw what the interpreter draws."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from ldp_verified import GRR
from ldp_verified.app.cli.clients import client_texts
from ldp_verified.errors import ParameterError
from ldp_verified.protocols import LGRR
from ldp_verified.run.program.rust import rust_crate
from tests.broken.programs import wrong_programs
from tests.program import node, rustc, wasm
from tests.program.enumerated import CASES, at_small_width, words_of
from tests.program.test_c import every_reference

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = ["A test."]


@pytest.mark.parametrize("name", CASES)
def test_every_word_at_small_width(name: str, tmp_path: Path) -> None:
    """`test_c.py` shows that the reference has the table's law."""
    program, _ = at_small_width(name)
    length = words_of(name)
    right = every_reference(program, length)
    if rustc.rustc() is not None:
        found = rustc.every_answer(rust_crate(program, ABOUT), program, length, tmp_path / "rust")
        assert found == right
    if wasm.has_tools():
        found = node.every_answer(wasm.module(program), program, length, tmp_path / "wasm")
        assert found == right


@pytest.mark.parametrize("name", ["grr", "olh_shares"])
def test_printings_of_wrong_programs_differ(name: str, tmp_path: Path) -> None:
    program, _ = at_small_width(name)
    wrong = [(what, each) for what, each in wrong_programs(program) if "one too" in what]
    length = 12 // program.width
    right = every_reference(program, length)
    for i, (what, each) in enumerate(wrong[:3]):
        if rustc.rustc() is not None:
            found = rustc.every_answer(rust_crate(each, ABOUT), each, length, tmp_path / str(i))
            assert found != right, what
        if wasm.has_tools():
            found = node.every_answer(wasm.module(each), each, length, tmp_path / f"w{i}")
            assert found != right, what


@pytest.mark.parametrize("made", [GRR(1.0, 16), LGRR(2.0, 1.0, 5)], ids=repr)
def test_a_crate_is_packaged_and_its_own_tests_pass(
    made: GRR | LGRR, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cargo package` compiles the crate that it made; nothing is fetched."""
    if rustc.rustc() is None:
        return
    (tmp_path / "src").mkdir()
    for name, text in client_texts(made, "rust").items():
        assert isinstance(text, str)
        (tmp_path / name).write_text(text)
    crate = (tmp_path / "src" / "lib.rs").read_text()
    assert "#![no_std]\n#![forbid(unsafe_code)]" in crate
    monkeypatch.setenv("CARGO_TARGET_DIR", str(tmp_path / "target"))
    for command in (["test", "--quiet"], ["package", "--allow-dirty", "--quiet"]):
        done = subprocess.run(
            ["cargo", *command, "--offline"],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    wrong = crate.replace("Ok(row.2)", "Ok([row.2[0] ^ 1])")
    assert wrong != crate
    (tmp_path / "src" / "lib.rs").write_text(wrong)
    done = subprocess.run(
        ["cargo", "test", "--offline"], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "vectors_come_out ... FAILED" in done.stdout


def test_without_its_tool_chain_webassembly_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ParameterError, match="clang and lld"):
        client_texts(GRR(1.0, 4), "wasm")


@pytest.mark.parametrize("made", [GRR(1.0, 16), GRR(2.0, 1 << 21)], ids=repr)
def test_webassembly_reads_the_secure_source_and_nothing_else(made: GRR, tmp_path: Path) -> None:
    if wasm.has_tools():
        assert node.secure_source_is_read(wasm.module(made.program()), made.k, tmp_path)
