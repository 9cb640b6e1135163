"""Read from the sources alone which files of the checkout a test's outcome can depend on.

Nothing is imported: the imports and the strings of each module are followed from the test. Where
the sources cannot say what is read, everything that might be is an input. Too many inputs cost
time, since a result is redone; too few would let a changed checker keep its old results.

- An import, at any depth of a function, is followed. A package whose `__getattr__` imports what is
  asked of it, and of which nothing is asked but its modules, counts with its own text and the
  imports at its top.
- A string that names a module (`"ldp_verified.prove.smt"`, also in code for another process)
  counts as an import. A string that names a package, or begins a name, counts as all of it.
- A string that names a folder or file of the checkout (`"proofs"`, `"docs/audit.md"`) makes the
  files there inputs; in the package and in specs only one without a blank, since a sentence sends
  people to a page and opens none. Data of the package is an input of every test. Other data beside
  Python is one where a module lies in its folder, has a string with its name or its folder's, or
  lists folders, a test any and another module those beside its own.
- A module of the package that starts processes needs its whole folder. A module of the tests
  that does needs every Python file, and all data that is not documentation.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tests.references import Module, read_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TESTS = "tests"
MANIFEST = "tests/evidence.json"
PACKAGE = "ldp_verified"
PROSE = {"docs"}
"""Folders that only a test which names them reads."""

JUNK = re.compile(
    r"^(?:\.git|\.venv.*|\..*cache|\.hypothesis|__pycache__|build|dist|demo-output|node_modules|.*\.egg-info)$"
    r"|\.(?:py[cod]|vo|vok|vos|glob|aux|cache|part)$"
)
OWN = tuple(
    f"tests/{name}.py" for name in ("evidence", "tools", "inputs", "one_mechanism", "references")
)
"""These count by their text: the processes that they start ask for versions and commits."""
PLUGIN = (
    "ldp_verified/__init__.py",
    "ldp_verified/check/audit/__init__.py",
    "ldp_verified/check/audit/plugin.py",
)
"""What pytest loads of the package, whichever test it runs."""


class Checkout:
    """The files of a checkout, their hashes, and what each test module can read of them.

    Args:
        root: the folder with the tests in `tests/`.

    Attributes:
        hashes: of the files that were asked for so far.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[str, Module] = {}
        self._refers: dict[tuple[str, bool], frozenset[tuple[str, bool]]] = {}
        self._closures: dict[tuple[str, ...], frozenset[str]] = {}
        self._said: dict[str, frozenset[str]] = {}
        self._files_named: dict[str, frozenset[str]] = {}
        self.hashes: dict[str, str] = {}

    @cached_property
    def files(self) -> dict[str, tuple[str, ...]]:
        """The files of each folder or file at the top that is not made by a tool."""
        return {
            path.name: tuple(sorted(self._below(path)))
            for path in sorted(self.root.iterdir())
            if not JUNK.search(path.name)
        }

    def _below(self, path: Path) -> Iterator[str]:
        if path.is_file():
            yield path.relative_to(self.root).as_posix()
        elif path.is_dir():
            for child in path.iterdir():
                if not JUNK.search(child.name):
                    yield from self._below(child)

    @cached_property
    def python(self) -> dict[str, str]:
        """Dotted name -> file of every Python module of the checkout."""
        return {
            path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
            for paths in self.files.values()
            for path in paths
            if path.endswith(".py")
        }

    @cached_property
    def _roots(self) -> set[str]:
        return {name.split(".")[0] for name in self.python}

    @cached_property
    def _names(self) -> re.Pattern[str]:
        roots = "|".join(sorted(map(re.escape, self._roots)))
        return re.compile(rf"(?<![\w./])(?:{roots})(?:\.\w+)+\.?|(?<![\w./])(?:{roots})\.$")

    @cached_property
    def common(self) -> frozenset[str]:
        """Inputs of every test: data of the package, and each conftest with all it imports.

        What a conftest reads is an input of the tests in its folder, see `inputs`.
        """
        found = {path for path in self.files.get(PACKAGE, ()) if not path.endswith(".py")}
        found.update(path for path in (*OWN, *PLUGIN) if path in self.python.values())
        # Examples have tests of their own, which other runs collect.
        return frozenset(found) | self._imports(self._conftests(self.files.get(TESTS, ())))

    @staticmethod
    def _conftests(paths: Iterable[str]) -> list[str]:
        return [path for path in paths if path.rsplit("/", 1)[-1] == "conftest.py"]

    @cached_property
    def _data(self) -> dict[str, tuple[str, frozenset[str]]]:
        """Folder of each file of data beside Python, and the words that may stand for it."""
        return {
            path: (path.rpartition("/")[0], frozenset(path.split("/")[1:]))
            for folder in {*self._roots} - {"spec", PACKAGE}
            for path in self.files.get(folder, ())
            if self._is_source(folder) and not path.endswith(".py") and path != MANIFEST
        }

    def _data_read(self, modules: Iterable[str]) -> Iterator[str]:
        """The data beside Python that modules may read."""
        folders: set[str] = set()
        listed: set[str] = set()
        words: set[str] = set()
        for path in modules:
            # The package and specs read no data of tests, benchmarks or releases.
            if path in OWN or path.startswith((f"{PACKAGE}/", "spec/")):
                continue
            module = self.module(path)
            if module.lists:
                listed.add(path.split("/")[0])
            folders.add(path.rpartition("/")[0])
            words |= self._words(path)
        for path, (folder, own) in self._data.items():
            top = path.split("/")[0]
            if TESTS in listed or top in listed or folder in folders or own & words:
                yield path

    def _words(self, path: str) -> frozenset[str]:
        """The words of a module's strings."""
        if path not in self._said:
            parts = (re.split(r"[^\w.-]+", text) for text in self._names_of_files(path))
            self._said[path] = frozenset().union(*parts)
        return self._said[path]

    def _names_of_files(self, path: str) -> Iterator[str]:
        """The strings of a module that may name what it reads."""
        speaks = path.startswith((f"{PACKAGE}/", "spec/"))
        for text in self.module(path).strings:
            if not speaks or not any(map(str.isspace, text)):
                yield text

    def _is_source(self, folder: str) -> bool:
        return folder == TESTS or f"{folder}/__init__.py" in self.python.values()

    def inputs(self, test_module: str) -> frozenset[str]:
        """The files, from the root, that tests of a module can depend on."""
        folders = [str(folder) for folder in Path(test_module).parents[:-1]]
        packages = [f"{folder}/__init__.py" for folder in folders]
        shared = [f"{folder}/conftest.py" for folder in folders if folder != TESTS]
        # What the conftest of all tests reads decides whether there is a run, and no more.
        ours = [path for path in (*packages, *shared) if path in self.python.values()]
        return self._closure([test_module, *ours]) | self.common

    def hash_of(self, path: str) -> str:
        """The SHA-256 of a file's bytes; of nothing, where it is gone."""
        if path not in self.hashes:
            try:
                content = (self.root / path).read_bytes()
            except FileNotFoundError:
                content = b"gone"
            self.hashes[path] = hashlib.sha256(content).hexdigest()
        return self.hashes[path]

    def digest(self, paths: Iterable[str], *more: str) -> str:
        """128 bits of the SHA-256 of the names and contents of files, and of more."""
        lines = [f"{path} {self.hash_of(path)}" for path in sorted(set(paths))]
        return hashlib.sha256("\n".join([*more, *lines]).encode()).hexdigest()[:32]

    def _closure(self, start: list[str]) -> frozenset[str]:
        key = tuple(sorted(start))
        if key not in self._closures:
            whole = set(start)
            found = self._imports(start, whole)
            found |= self._imports(self._started(found), whole)
            for path in [each for each in found if each.endswith(".py")]:
                if path in whole or not self.module(path).lazy:
                    found |= self._named_files(path)
            found.update(self._data_read([each for each in found if each.endswith(".py")]))
            self._closures[key] = frozenset(found)
        return self._closures[key]

    def _may_run(self, path: str) -> bool:
        """Return whether a process of a test may read a file that nothing names.

        What it may of tests is in `_started`; of other tools, pages and examples, what is named.
        """
        top = path.split("/")[0]
        return top in {PACKAGE, "spec"} or not (top in PROSE or self._has_python(top))

    def _has_python(self, folder: str) -> bool:
        return any(path.endswith(".py") for path in self.files.get(folder, ()))

    def _started(self, found: set[str]) -> set[str]:
        """The modules of tests that processes may run which tests start: beside them, or named.

        A name is that of the file, or that of a folder where names of files are put together.
        """
        ours = [p for p in found if p.startswith(f"{TESTS}/") and p.endswith(".py")]
        ours = [path for path in ours if path not in OWN]
        if not any(self.module(path).starts for path in ours):
            return set()
        words = frozenset().union(*map(self._words, ours))
        beside = {path.rpartition("/")[0] for path in ours} - {TESTS}
        made_up = ".py" in words or any(self.module(path).lists for path in ours)
        named = set()
        for path in self.files.get(TESTS, ()):
            folder, _, name = path.rpartition("/")
            if not path.endswith(".py"):
                continue
            by_folder = made_up and not words.isdisjoint(folder.split("/")[1:])
            # A process runs no other test unless that is named.
            near = not name.startswith("test_") and any(
                f"{folder}/".startswith(f"{each}/") for each in beside
            )
            if name in words or by_folder or near:
                named.add(path)
        return named

    def _imports(self, start: Iterable[str], whole: set[str] | None = None) -> set[str]:
        """Files that modules lead to by imports; those of which names are used go to `whole`."""
        whole = {*start} if whole is None else whole
        found: set[str] = set()
        waiting = [(path, True) for path in start]
        while waiting:
            path, names_used = waiting.pop()
            found.add(path)
            if not path.endswith(".py"):
                continue
            for target, used in self._edges(path, whole=names_used):
                if target not in found or (used and target not in whole):
                    found.add(target)
                    if used:
                        whole.add(target)
                    waiting.append((target, used))
        return found

    def module(self, path: str) -> Module:
        """The references in the text of a file."""
        if path not in self._modules:
            package = path.rsplit("/", 1)[0].replace("/", ".") if "/" in path else ""
            text = (self.root / path).read_bytes().decode("utf-8")
            self._modules[path] = read_module(text, package)
        return self._modules[path]

    def _edges(self, path: str, *, whole: bool) -> frozenset[tuple[str, bool]]:
        """(file, whether names of it are used) for all that a module refers to."""
        module = self.module(path)
        whole = whole or not module.lazy
        key = path, whole
        if path in OWN:
            return frozenset()
        if key not in self._refers:
            found: set[tuple[str, bool]] = set()
            for name, taken in module.early + (module.late if whole else []):
                found.update(self._imported(module, name, taken))
            if whole:
                found.update((each, True) for each in self._mentioned(path, module))
            self._refers[key] = frozenset(found)
        return self._refers[key]

    def _imported(self, module: Module, name: str, taken: str) -> Iterator[tuple[str, bool]]:
        """The modules that an import loads, and whether it takes names from them."""
        parts = name.split(".")
        if parts[0] not in self._roots:
            return
        for length in range(1, len(parts)):
            package = self.python.get(".".join(parts[:length]))
            if package:
                yield package, False
        if name not in self.python:  # a folder without `__init__.py`
            inner = self.python.get(f"{name}.{taken}")
            if inner:
                yield inner, True
            elif taken == "*":
                yield from ((each, True) for each in self._subtree(name.replace(".", "/")))
            return
        if not taken:
            yield self.python[name], len(parts) > 1
            first = parts[0]
            used = {attribute for of, attribute in module.attributes if of == first}
            if first in self.python and any(self._gives(first, each) for each in used):
                yield self.python[first], True
        elif taken == "*":
            yield self.python[name], True
        else:
            yield self.python[name], self._gives(name, taken)
            inner = self.python.get(f"{name}.{taken}")
            if inner:
                yield inner, True

    def _gives(self, package: str, taken: str) -> bool:
        """Return whether a name from a package may be something else than one of its modules."""
        if f"{package}.{taken}" not in self.python:
            return True
        return taken in self.module(self.python[package]).strings

    def _mentioned(self, path: str, module: Module) -> Iterator[str]:
        folder = path.split("/")[0]
        of_tests = folder == TESTS or not self._is_source(folder)
        if module.starts and of_tests:
            yield from (each for each in self.python.values() if self._may_run(each))
        if module.starts and not of_tests:
            yield from self._subtree(path.rsplit("/", 1)[0])
        if module.own:
            yield from self._subtree(path.rsplit("/", 1)[0])
        for text in module.strings:
            yield from self._modules_in(text, of_tests=of_tests)

    def _named_files(self, path: str) -> frozenset[str]:
        """Files that a module may read: hashed, but what they import is not followed.

        A spec imports the vocabulary only, which comes with the module that runs specs.
        """
        if path in OWN:
            return frozenset()
        if path not in self._files_named:
            module = self.module(path)
            top = path.split("/")[0]
            of_tests = top == TESTS or not self._is_source(top)
            texts = self._names_of_files(path)
            found = {f for text in texts for f in self._paths_in(text, of_tests=of_tests)}
            if module.starts and of_tests:
                folders = [n for n, files in self.files.items() if files != (n,)]
                found.update(f for n in folders for f in self.files[n] if self._may_run(f))
            self._files_named[path] = frozenset(found - {MANIFEST})
        return self._files_named[path]

    def _modules_in(self, text: str, *, of_tests: bool) -> Iterator[str]:
        if not any(root in text for root in self._roots):
            return
        for match in self._names.finditer(text):
            if not of_tests and match.group() != text:  # a sentence, not a name to import
                continue
            parts = match.group().rstrip(".").split(".")
            while parts and ".".join(parts) not in self.python:
                parts.pop()
            name = ".".join(parts) or match.group().split(".")[0]
            file = self.python.get(name)
            if name in self._roots and not of_tests:  # `ldp_verified.rows`: a key of metadata
                continue
            if file is None or file.endswith("/__init__.py"):
                yield from self._subtree(name.replace(".", "/"))
            else:
                yield file

    def _paths_in(self, text: str, *, of_tests: bool) -> Iterator[str]:
        for top, files in self.files.items():
            if top not in text:
                continue
            if files == (top,):  # a file at the root: no part of the package reads one
                if of_tests:
                    yield top
                continue
            if self._is_source(top) and not of_tests:
                continue
            for place in re.findall(rf"(?<![\w.-]){re.escape(top)}(?:/[\w./-]+|/|$)", text):
                if place.startswith(top + "/") or text == top:
                    yield from [place] if place in files else self._subtree(top)
                if place in files and place.endswith(".py") and not self._is_source(top):
                    yield from self._subtree(place.rpartition("/")[0])  # it may load those beside
        if of_tests and text.replace("-", "_") in self._roots:
            yield from self._subtree(text.replace("-", "_"))

    def _subtree(self, folder: str) -> Iterator[str]:
        files = self.files.get(folder.split("/")[0], ())
        yield from (f for f in files if f.startswith(folder + "/") and f != MANIFEST)
