"""Clients as WebAssembly: clang and wasm-ld make the binary of the printed C."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ldp_verified.errors import InternalError, ParameterError

FLAGS: Final = (
    *("--target=wasm32", "-std=c99", "-ffreestanding", "-nostdlib", "-fno-builtin", "-Os"),
    *("-Wall", "-Wextra", "-Werror", "-Wl,--no-entry", "-Wl,--strip-all"),
    *("-Wl,-z,stack-size=16384",),
)
"""How the C of a client is compiled."""


_SAID: Final = b"Written by ldp-verified generate"
START: Final = b"\0asm\1\0\0\0" + bytes([0, 1 + len(_SAID), len(_SAID)]) + _SAID
"""How each binary begins: with the format's 8 bytes, and a custom section that says who wrote it.

A section is its kind, 0, and its size; then its name, whose length comes first. It has no data.
"""


def compiled_wasm(text: str) -> bytes:
    """The binary of a C text that includes only <stddef.h> and <stdint.h>.

    Raises:
        ParameterError: clang or wasm-ld is not installed.
        InternalError: clang refuses the text.
    """
    if shutil.which("clang") is None or shutil.which("wasm-ld") is None:
        rule = "must be installed for WebAssembly (Debian's packages clang and lld)"
        raise ParameterError("clang and wasm-ld", rule)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "client.c").write_text(text, encoding="utf-8")
        # Relative names, so that no path of a temporary folder is in what clang says.
        command = ["clang", *FLAGS, "-o", "client.wasm", "client.c"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            said = next((line for line in done.stderr.splitlines() if "error:" in line), "")
            rule = (
                f"must compile with clang, so this package is wrong: {said or done.stderr[-200:]}"
            )
            raise InternalError("the printed client", rule)
        return START + (folder / "client.wasm").read_bytes()[8:]
