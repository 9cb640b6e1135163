"""The tools that run the tests, and which tests rest on which: a part of the keys of evidence."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from tests.inputs import TESTS

if TYPE_CHECKING:
    from pathlib import Path

LOCK = "constraints.txt"

COMPILED = (
    ("tests/program/", "tests/cli/test_clients", "tests/report/test_vector_files"),
    ("gcc", "clang", "node", "rustc"),
)
ON_DEVICES = (
    ("tests/on_devices/",),
    (*COMPILED[1], "wasm-ld", "tsc", "valgrind", "arm-none-eabi-gcc", "qemu-system-arm"),
)
"""Beginnings of names of test modules, and the programs that they run."""


def tools(root: Path) -> dict[str, str]:
    """Return the tools that run the tests, as name -> version; results hold for these only."""
    found = {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": f"{platform.system()} {platform.machine()}",
        "optimize": str(sys.flags.optimize),
        "chromium": str(any(map(shutil.which, ("chromium", "chromium-browser")))),
        "coqc": "none",
    }
    if shutil.which("coqc"):
        command = ["coqc", "--print-version"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        found["coqc"] = said.strip()
    lock = root / LOCK
    text = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    ours = re.compile(r"NUMBA_|LDP_VERIFIED_(?!SEED$|BASE$)")
    found |= {name: value for name, value in os.environ.items() if ours.match(name)}
    if (root / TESTS / "on_devices").is_dir():
        found |= {name: first_line(name) for name in ON_DEVICES[1]}
    return found


def first_line(program: str) -> str:
    """Return the first line that a program says of its version; "none" where it is missing."""
    if not shutil.which(program):
        return "none"
    command = [program, "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return said.split("\n", 1)[0].strip()


def used_tools(found: dict[str, str], module: str) -> dict[str, str]:
    """Return the tools that tests of a module run with, of all that were found."""
    used = found.keys() - set(ON_DEVICES[1])
    for beginnings, programs in (COMPILED, ON_DEVICES):
        if module.startswith(beginnings):
            used |= set(programs)
    return {name: version for name, version in found.items() if name in used}


def options(root: Path) -> Any:
    """How pytest is set up."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text).get("tool", {}).get("pytest", {})
