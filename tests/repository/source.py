"""Checkers of Python source, by its syntax tree."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from typing import TYPE_CHECKING

from ldp_verified.extras import EXTRAS, PARTS
from ldp_verified.kinds import Kind
from tests.repository.tree import files, relative

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Where a distribution's name is not that of its module.
MODULE_OF = {"python-flint": "flint"}
SEEDED = {
    "ldp_verified/run/kernels/seeds.py": "the hash",
    "ldp_verified/check/audit/rules/shared.py": "replays draws and watches what is seeded",
    "ldp_verified/prove/enumeration/drawn.py": "points of tables, from a hashed seed",
    "ldp_verified/derive/by_column.py": "marks for cells, which no seed of a user reaches",
}
"""Where numpy's generators may be made, and why."""

DRAWING = {"aggregate", "collect", "kernels", "mechanisms", "protocols", "realize"}
"""Folders in which reports are drawn or counted."""

WORDS = {
    "ldp_verified/app/cli/audit_options.py": {"variance"},
    "ldp_verified/run/aggregate/oracle.py": {"variance"},
    "ldp_verified/check/conformance/numeric.py": {"mean"},
    "ldp_verified/check/conformance/populations.py": {"mean", "variance"},
    "ldp_verified/check/conformance/vectors.py": {"mean"},
    "ldp_verified/derive/__init__.py": {"free_cells"},
    "ldp_verified/generate/density.py": {"mean"},
    "ldp_verified/generate/module.py": {"at_epsilon"},
    "ldp_verified/language/display.py": {"ratio"},
    "ldp_verified/prove/coq/compile.py": {"defined"},
    "ldp_verified/prove/coq/reflection.py": {"defined"},
    "ldp_verified/prove/certificates/defined.py": {"defined"},
    "ldp_verified/prove/enumeration/density_enumeration.py": {"mean", "variance"},
    "ldp_verified/prove/enumeration/noise_enumeration.py": {"mean", "variance"},
    "ldp_verified/prove/mutation/wrong_claims.py": {"variance"},
    "ldp_verified/run/realize/__init__.py": {"at_epsilon"},
    "ldp_verified/app/report/derivation.py": {"ratio"},
    "ldp_verified/app/report/entry_facts.py": {"mean", "variance", "optimal"},
}
"""Where a word that is also the name of a kind of obligation means something else."""

SKIPS = {"skip", "skipif", "xfail", "importorskip"}


def trees(root: Path, *folders: str) -> Iterator[tuple[str, ast.Module]]:
    """(path, syntax tree) of every Python file below these folders."""
    for path in files(root):
        name = relative(path, root)
        if path.suffix == ".py" and name.split("/")[0] in folders:
            yield name, ast.parse(path.read_text(encoding="utf-8"), name)


def without_docstring(root: Path) -> list[str]:
    """Public modules, classes, functions and methods without a docstring."""
    found = []
    for name, tree in trees(root, "ldp_verified", "spec", "benchmarks", "release"):
        if not ast.get_docstring(tree):
            found.append(f"{name}: the module")
        found += [
            f"{name}:{node.lineno}: {node.name}"
            for node in _public(tree)
            if not ast.get_docstring(node)
        ]
    return found


def _public(
    node: ast.Module | ast.ClassDef,
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for child in node.body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            decorators = {ast.unparse(each) for each in child.decorator_list}
            if child.name.startswith("_") or decorators & {"overload", "typing.overload"}:
                continue
            yield child
            if isinstance(child, ast.ClassDef):
                yield from _public(child)


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    for each in ast.walk(node):
        if isinstance(each, ast.Import):
            yield from ((each.lineno, alias.name) for alias in each.names)
        elif isinstance(each, ast.ImportFrom):
            yield each.lineno, "." * each.level + (each.module or "")


def bare_kinds(root: Path) -> list[str]:
    """Kinds of obligation that are written as strings outside `kinds.py`.

    Fields of a document may have the same names: keys of a look-up, and of a dictionary that is
    made in a function, are not looked at.
    """
    kinds = set(Kind)
    found = []
    for name, tree in trees(root, "ldp_verified"):
        meant = WORDS.get(name, set())
        fields = set(_fields(tree)) if name != "ldp_verified/kinds.py" else set(ast.walk(tree))
        found += [
            f"{name}:{node.lineno}: {node.value!r}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and node not in fields
            if isinstance(node.value, str) and node.value in kinds - meant
        ]
    return found


def _fields(tree: ast.Module) -> Iterator[ast.AST | None]:
    """Whatever is the name of a field, or a part of a longer text."""
    tables = {node for each in tree.body if not _body(each) for node in ast.walk(each)}
    for node in ast.walk(tree):
        match node:
            case ast.Subscript():
                yield node.slice
            case ast.Dict() if node not in tables:
                yield from node.keys
            case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[first, *_]):
                yield first
            case ast.JoinedStr():
                yield from ast.walk(node)


def _body(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def spec_imports(root: Path) -> list[str]:
    """Specs that import anything but sympy and the vocabulary (claims have a second one)."""
    found = []
    for name, tree in trees(root, "spec"):
        allowed = ["ldp_verified.language"]
        if name.startswith("spec/claims/"):
            allowed.append("ldp_verified.check.claims")
        for line, module in _imports(tree):
            parts = module.split(".")
            ours = any(f"{module}.".startswith(f"{each}.") for each in allowed)
            if parts[0] not in {"sympy", "__future__"} and not ours:
                found.append(f"{name}:{line}: imports {module}")
    return found


def spec_sources(root: Path) -> list[str]:
    """Specs whose docstring shows no table (two indented lines or more) or cites no year."""
    found = []
    for name, tree in trees(root, "spec"):
        text = ast.get_docstring(tree, clean=False) or ""
        if not re.search(r"(?:^ {4}.*\S.*\n){2}", text, re.MULTILINE):
            found.append(f"{name}: the docstring shows no table")
        if not name.startswith("spec/claims/") and not re.search(r"\b(?:18|19|20)\d\d\b", text):
            found.append(f"{name}: the docstring cites no author, year and title")
    return found


def undeclared_imports(root: Path) -> list[str]:
    """Imports of the package that pyproject.toml does not declare.

    What a module imports on loading must be a dependency, or stand beside its part in the table of
    extras; what a function imports, or only a type checker, may be an extra.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = _modules(project["dependencies"])
    extras = [each for extra in project.get("optional-dependencies", {}).values() for each in extra]
    either = needed | _modules(extras)
    found = []
    for name, tree in trees(root, "ldp_verified"):
        lazy = {
            line
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            or (isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"))
            for line, _ in _imports(node)
        }
        for line, module in _imports(tree):
            top = module.split(".")[0]
            allowed = either if line in lazy else needed | _of_part(name)
            known = {"", "ldp_verified"} | sys.stdlib_module_names | allowed
            if top not in known:
                found.append(
                    f"{name}:{line}: imports {module}, which pyproject.toml does not declare"
                )
    return found


def unannounced_imports(root: Path) -> list[str]:
    """Imports of a package that an extra installs, in a function that does not say so first.

    `extras.needs` has to stand before them; for whole parts of the library the table of extras has.
    """
    optional = {package for package, extra in EXTRAS.items() if extra}
    found = []
    for name, tree in trees(root, "ldp_verified"):
        known = _of_part(name)
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            said = _announced(function)
            found += [
                f"{name}:{line}: imports {module}"
                for line, module in _imports(function)
                for top in [module.split(".")[0]]
                if top in optional - known and said.get(top, line) >= line
            ]
    return found


def _announced(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, int]:
    """Package -> the first line of a function where `extras.needs` is asked about it."""
    said: dict[str, int] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "needs":
            for argument in node.args[1:]:
                if isinstance(argument, ast.Constant):
                    said.setdefault(str(argument.value), node.lineno)
    return said


LATER = {
    "check.audit": ("scipy", "sympy"),
    "check.conformance": ("scipy", "sympy"),
    "app.report": ("sympy",),
}
"""Folders whose modules are loaded when they are asked for, by what has looked already."""


def _of_part(name: str) -> set[str]:
    """The packages that the part of the library with this file may import on loading."""
    module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    found: set[str] = set()
    for part, packages in [*PARTS.items(), *LATER.items()]:
        if f"{module}.".startswith(f"ldp_verified.{part}."):
            found.update(packages)
    return found


def _modules(requirements: list[str]) -> set[str]:
    names = [re.split(r"[\s\[<>=!~;]", each, maxsplit=1)[0] for each in requirements]
    return {MODULE_OF.get(name, name.replace("-", "_")) for name in names}


def skipped_tests(root: Path) -> list[str]:
    """Tests that may be skipped, or may fail without notice."""
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, tree in trees(root, "tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in SKIPS
        if ast.unparse(node.value) in {"pytest", "pytest.mark", "unittest"}
    ]


def names_of_several_classes(root: Path) -> list[str]:
    """Public classes of the package whose name another one has too."""
    found: dict[str, list[str]] = {}
    for name, tree in trees(root, "ldp_verified"):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(name)
    return [f"{each}: {', '.join(files)}" for each, files in found.items() if len(files) > 1]


def unseeded_tests(root: Path) -> list[str]:
    """Generators in tests that no seed can replay: the fixtures `rng` and `seed` can be."""
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, tree in trees(root, "tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("default_rng")
        and not (node.args or node.keywords)
    ]


def unhashed_seeds(root: Path) -> list[str]:
    """Numpy generators that are made, or drawn from where they are an argument, past the hash.

    Whoever seeds data and reports alike would share words between them. In the package nothing of
    `numpy.random` or `random` is used but the type `Generator` in annotations; where reports are
    drawn, nothing is asked of an argument `rng`, which is passed on as it is.
    """
    found = []
    for name, tree in trees(root, "ldp_verified"):
        if name in SEEDED:
            continue
        notes = {
            id(each)
            for node in ast.walk(tree)
            for note in (getattr(node, "annotation", None), getattr(node, "returns", None))
            if isinstance(note, ast.AST)
            for each in ast.walk(note)
        }
        aliases = {
            id(each)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp | ast.Subscript)
            for each in ast.walk(node.value)
        }
        typed = {
            id(each.value)
            for each in ast.walk(tree)
            if isinstance(each, ast.Attribute) and each.attr == "Generator"
            if id(each) in notes | aliases
        }
        drawing = not DRAWING.isdisjoint(name.split("/")[1:3])
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                used = any(each.name in {"random", "numpy.random"} for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                names = {each.name for each in node.names}
                used = node.module in {"random", "numpy.random"} and not node.level
                used = used or (node.module == "numpy" and "random" in names)
            elif isinstance(node, ast.Attribute):
                of = node.value.id if isinstance(node.value, ast.Name) else ""
                used = of in {"np", "numpy"} and node.attr == "random" and id(node) not in typed
                used = used or node.attr in {"bit_generator", "random_raw"}
                used = used or (drawing and of == "rng")
            else:
                continue
            if used:
                found.append(f"{name}:{node.lineno}: {ast.unparse(node)}")
    return found


def timed_tests(root: Path) -> list[str]:
    """Assertions about a clock, which a busy machine makes fail."""
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name, tree in trees(root, "tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and re.search(r"\b(?:perf_counter|monotonic|process_time)(?:_ns)?$", ast.unparse(node.func))
    ]


def untyped_modules(root: Path) -> list[str]:
    """Modules other than sympy that mypy is told to take untyped, and weaker settings."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    found = [] if settings.get("strict") is True else ["pyproject.toml: mypy is not strict"]
    found += [
        f"pyproject.toml: mypy has {key} for everything"
        for key in ("ignore_missing_imports", "ignore_errors", "exclude")
        if settings.get(key)
    ]
    for override in settings.get("overrides", []):
        modules = override["module"]
        modules = [modules] if isinstance(modules, str) else modules
        weak = {"ignore_missing_imports", "ignore_errors", "follow_imports"} & set(override)
        if weak and modules != ["sympy.*"]:
            found.append(f"pyproject.toml: mypy has {sorted(weak)} for {modules}")
    return found
