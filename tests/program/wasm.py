"""Clients as WebAssembly, made by clang; node runs their modules as it does the printed ones."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from ldp_verified.app.report.wasm import compiled_wasm
from ldp_verified.run.program.c import c_header
from ldp_verified.run.program.wasm import wasm_module, wasm_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.program import Program
    from ldp_verified.run.program.vectors import Vector


def has_tools() -> bool:
    """Return whether clang and wasm-ld are there; with CI set they must be."""
    found = shutil.which("clang") is not None and shutil.which("wasm-ld") is not None
    assert found or "CI" not in os.environ, "clang or lld is not installed: no WebAssembly was made"
    return found and shutil.which("node") is not None


def module(
    program: Program,
    identity: bytes = bytes(8),
    slip: Callable[[str], str] = lambda text: text,
) -> str:
    """The module of a program; `slip` changes the C."""
    about: list[str] = ["A test."]
    vectors: list[Vector] = []
    text = slip(c_header(program, about, vectors, identity))
    return wasm_module(program, about, compiled_wasm(text + wasm_source(program)))
