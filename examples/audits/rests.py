"""What the verdict of a row rests on: the parts of the package that its audit passed through.

A module of which a function was run counts whole. Of one that was only loaded, what stands outside
of functions counts: constants, classes, signatures. Docstrings, comments and layout never do, nor
does `ldp_verified.app`, which shows results and decides none.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from examples.audits.cases import HERE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

ROOT = HERE.parent.parent
PACKAGE = "ldp_verified"
DIGITS = 10


def digest(parts: Iterable[bytes]) -> str:
    """Hash several texts, each with its length, so that no two lists run together."""
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()[:DIGITS]


def hashed(folder: Path) -> str:
    """Hash the Python sources below a folder, with their names."""
    files = sorted(folder.rglob("*.py"))
    parts = ((str(f.relative_to(folder)).encode(), f.read_bytes()) for f in files)
    return digest(part for pair in parts for part in pair)


def watch() -> set[str]:
    """Collect, from now on, the files of which a function is run, in all threads."""
    files: set[str] = set()

    def started(frame: FrameType, _event: str, _: object) -> None:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:  # neither a module nor a class's body
            files.add(frame.f_code.co_filename)

    threading.settrace(started)
    sys.settrace(started)
    return files


def rests(files: set[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the modules of the package that were passed through, and those only loaded.

    Args:
        files: of which a function was run, from `watch`.
    """
    passed: list[str] = []
    loaded: list[str] = []
    for name, module in sorted(sys.modules.items()):
        apart = not name.startswith(PACKAGE) or name.startswith(f"{PACKAGE}.app")
        if apart or not (file := getattr(module, "__file__", None)):
            continue
        (passed if file in files else loaded).append(name)
    return tuple(passed), tuple(loaded)


def today(passed: Iterable[str], loaded: Iterable[str], root: Path = ROOT) -> str:
    """Hash what stands today in the modules that a row rests on.

    Args:
        passed: names of modules that count whole. loaded: of those that count by their outline.
        root: folder of the package.
    """
    parts = [(name, True) for name in passed] + [(name, False) for name in loaded]
    return digest(
        part.encode() for name, whole in parts for part in (name, _said(root, name, whole))
    )


def _said(root: Path, name: str, whole: bool) -> str:
    path = root.joinpath(*name.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return bare(file.read_text(encoding="utf-8"), whole)
    return "gone"


@cache
def bare(source: str, whole: bool) -> str:
    """Return a source without docstrings, comments and layout.

    Args:
        source: of a module. whole: with the bodies of functions.
    """
    return ast.unparse(_Bare(whole).visit(ast.parse(source)))


class _Bare(ast.NodeTransformer):
    def __init__(self, whole: bool) -> None:
        self.whole = whole

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not self.whole:
            node.body = [ast.Pass()]
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        if not self.whole:
            node.body = [ast.Pass()]
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if text else node
