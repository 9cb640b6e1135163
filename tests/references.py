"""Read the references in a module's text: its imports, its strings, and attributes of names."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TypeGuard

STARTERS = {"subprocess", "multiprocessing"}
LISTING = {"glob", "iglob", "iterdir", "listdir", "rglob", "scandir", "walk"}
"""Attributes that find files without their names."""
OF_OS = ("exec", "popen", "posix_spawn", "spawn", "system")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
MARKS = {"ldp": "ldp_verified.check.audit.plugin"}
"""Markers with which a test has more of a plugin run."""


@dataclass
class Module:
    """The references in a module's text.

    Attributes:
        early: (module, name taken from it; empty for the module itself; "*" for all names) of the
            imports at its top level. late: the same of those in functions.
        strings: its strings, docstrings excepted. attributes: (name, attribute taken from it; empty
            where the name stands alone). lazy: it imports what is asked of it by `__getattr__`.
            starts: it can start processes. lists: it can list folders. own: it makes names of
            modules from its own name.
    """

    early: list[tuple[str, str]] = field(default_factory=list)
    late: list[tuple[str, str]] = field(default_factory=list)
    strings: set[str] = field(default_factory=set)
    attributes: set[tuple[str, str]] = field(default_factory=set)
    lazy: bool = False
    starts: bool = False
    lists: bool = False
    own: bool = False


def read_module(text: str, package: str) -> Module:
    """Imports and strings of a module.

    Args:
        text: its source.
        package: the dotted name of the package that relative imports start from.

    Raises:
        SyntaxError: it is not Python.
    """
    found = Module()
    waiting: list[tuple[ast.AST, bool]] = [(ast.parse(text), True)]
    while waiting:
        node, top = waiting.pop()
        imports = found.early if top else found.late
        if isinstance(node, ast.Import):
            found.starts |= any(alias.name.split(".")[0] in STARTERS for alias in node.names)
            imports += [(alias.name, "*" if alias.asname else "") for alias in node.names]
            continue
        if isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level]
            start = base if node.level else []
            source = ".".join([*start, *filter(None, [node.module])])
            found.starts |= source.split(".")[0] in STARTERS
            found.lists |= source != "ast" and any(each.name in LISTING for each in node.names)
            imports += [(source, alias.name) for alias in node.names]
            continue
        if _is_mark(node):
            found.late.append((MARKS[node.attr], "*"))
        if isinstance(node, ast.Attribute) and node.attr in LISTING:
            found.lists |= not (isinstance(node.value, ast.Name) and node.value.id == "ast")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.attributes.add((node.value.id, node.attr))
            continue
        if isinstance(node, ast.Name):
            found.attributes.add((node.id, ""))
            continue
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                found.strings.add(node.value)
            continue
        if isinstance(node, ast.JoinedStr):
            found.own |= any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node))
        if isinstance(node, ast.If) and _is_type_checking(node.test):
            waiting += [(each, top) for each in node.orelse]
            continue
        found.lazy |= isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
        below = top and not isinstance(node, FUNCTIONS)
        for value in vars(node).values():  # much faster than ast.iter_child_nodes
            for child in value if isinstance(value, list) else (value,):
                if isinstance(child, ast.AST) and not _is_docstring(child):
                    waiting.append((child, below))
    found.starts |= any(of == "os" and each.startswith(OF_OS) for of, each in found.attributes)
    return found


def _is_mark(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Return whether it is `pytest.mark.NAME` for one of the names."""
    if not isinstance(node, ast.Attribute) or node.attr not in MARKS:
        return False
    return isinstance(node.value, ast.Attribute) and node.value.attr == "mark"


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_type_checking(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"
