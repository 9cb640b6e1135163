"""Clients as WebAssembly: clang and wasm-ld make the binary of the printed C."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ldp_verified.errors import ParameterError

FLAGS: Final = (
    *("--target=wasm32", "-std=c99", "-ffreestanding", "-nostdlib", "-fno-builtin", "-Os"),
    *("-Wall", "-Wextra", "-Werror", "-Wl,--no-entry", "-Wl,--strip-all"),
    *("-Wl,-z,stack-size=16384",),
)
"""How the C of a client is compiled."""


def compiled_wasm(text: str) -> bytes:
    """The binary of a C text that includes only <stddef.h> and <stdint.h>.

    Raises:
        ParameterError: clang or wasm-ld is not installed, or refuses the text.
    """
    if shutil.which("clang") is None or shutil.which("wasm-ld") is None:
        rule = "must be installed for WebAssembly (Debian's packages clang and lld)"
        raise ParameterError("clang and wasm-ld", rule)
    with tempfile.TemporaryDirectory() as name:
        source, binary = Path(name) / "client.c", Path(name) / "client.wasm"
        source.write_text(text, encoding="utf-8")
        command = ["clang", *FLAGS, "-o", str(binary), str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ParameterError("clang", f"must compile the client: {done.stderr[-500:]}")
        return binary.read_bytes()
