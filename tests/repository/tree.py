"""Checkers of which files there are, and of their text whatever the language."""

from __future__ import annotations

import re
import subprocess
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONGEST_FILE = 400
LONGEST_SPEC = 120
LARGEST_FILE = 1 << 20
GENERATED = "ldp_verified/run/mechanisms/"
PROTOCOLS = "ldp_verified/protocols"
# Folders of tests that mirror no folder of the package.
OTHER_TESTS = {
    *("additions", "benchmarks", "broken", "campaign", "environments", "golden", "on_devices"),
    *("on_engines", "on_site", "survey"),
    *("package", "release", "repository"),
}

# The one folder that has to write down what the others may not.
HERE = "tests/repository/"

UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
SOMEBODYS_FOLDER = re.compile(r"(?<![\w.~/<-])/(?:home|root|Users|work|tmp)/\w")
SUPPRESSION = re.compile(r"(?:type:\s*ignore|noqa)(?P<rest>.*)")
CODE_AND_REASON = re.compile(
    r"(?:\[[a-z-]+(?:,\s*[a-z-]+)*\]|:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)\s+\W*\w+\s+\w"
)
JUNK = re.compile(
    r"(?:^|/)(?:__pycache__|\.venv|venv|build|dist|node_modules|\.\w+_cache|[^/]+\.egg-info)/"
    r"|\.(?:py[cod]|so|nb[ci]|vo[ks]?|glob|cache|orig|rej|swp|whl|log)$"
    r"|(?:^|/)\.DS_Store$|(?:^|/)\.\w+\.aux$|~$"
)


def files(root: Path) -> list[Path]:
    """The files of a tree: git's own and new ones that it does not ignore; all, without git."""
    if not (root / ".git").exists():
        return sorted(path for path in root.rglob("*") if path.is_file())
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    paths = (root / name for name in set(listed.split("\0")) if name)
    return sorted(path for path in paths if path.is_file())


def relative(path: Path, root: Path) -> str:
    """A path as people write it, from the root and with forward slashes."""
    return path.relative_to(root).as_posix()


def text_lines(root: Path) -> Iterator[tuple[str, int, str]]:
    """(path, line number, line) of every text file but these checkers."""
    for path in files(root):
        name = relative(path, root)
        if name.startswith(HERE):
            continue
        try:
            content = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(content.splitlines(), 1):
            yield name, number, line


def build_junk(root: Path) -> list[str]:
    """Files that a tool made, and files too large for a source tree."""
    found = []
    for path in files(root):
        name = relative(path, root)
        if JUNK.search(name):
            found.append(f"{name}: made by a tool")
        elif path.stat().st_size > LARGEST_FILE:
            found.append(f"{name}: larger than {LARGEST_FILE} bytes")
    return found


def long_files(root: Path) -> list[str]:
    """Python files that hold more than one idea, going by their length; generated ones excepted."""
    found = []
    for path in files(root):
        name = relative(path, root)
        if path.suffix != ".py" or name.startswith(GENERATED):
            continue
        limit = LONGEST_SPEC if re.fullmatch(r"spec/[^/]+\.py", name) else LONGEST_FILE
        length = len(path.read_text(encoding="utf-8").splitlines())
        if length > limit:
            found.append(f"{name}: {length} lines, at most {limit}")
    return found


def unfinished(root: Path) -> list[str]:
    """Marks of unfinished work."""
    return _matching(root, UNFINISHED)


def folders_of_somebody(root: Path) -> list[str]:
    """Absolute paths of the machine that a file was written on."""
    return _matching(root, SOMEBODYS_FOLDER)


def _matching(root: Path, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()}"
        for name, number, line in text_lines(root)
        if pattern.search(line)
    ]


def bare_suppressions(root: Path) -> list[str]:
    """Silenced checkers without the code that is silenced and, after it, a reason in words."""
    found = []
    for path in files(root):
        if path.suffix != ".py":
            continue
        with tokenize.open(path) as lines:
            for token in tokenize.generate_tokens(lines.readline):
                if token.type != tokenize.COMMENT:
                    continue
                match = SUPPRESSION.search(token.string)
                if match and not CODE_AND_REASON.match(match["rest"]):
                    found.append(f"{relative(path, root)}:{token.start[0]}: {token.string}")
    return found


def spec_without_module_or_test(root: Path) -> list[str]:
    """Specs without a module or a test file of the same name, and modules without a spec.

    The module is generated, or a protocol's whose steps the spec states.
    """
    specs = {path.stem for path in (root / "spec").glob("*.py") if path.stem != "__init__"}
    modules = {path.stem for path in (root / GENERATED).glob("*.py") if path.stem != "__init__"}
    run = {n for n in specs - modules if (root / PROTOCOLS / f"{n}.py").is_file()}
    missing = sorted(specs - modules - run)
    found = [f"spec/{name}.py: has no {GENERATED}{name}.py" for name in missing]
    found += [f"{GENERATED}{name}.py: has no spec/{name}.py" for name in sorted(modules - specs)]
    for name in sorted(specs):
        test = f"tests/{'protocols' if name in run else 'mechanisms'}/test_{name}.py"
        if not (root / test).is_file():
            found.append(f"spec/{name}.py: has no {test}")
    return found


def folders_without_mirror(root: Path) -> list[str]:
    """Folders of the package without tests, and folders of tests that mirror nothing.

    The tests of a folder within a wing have a folder of its name, or of the wing's.
    """
    found = []
    tests = {
        path.parent.name for path in (root / "tests").glob("*/*.py") if path.stem != "__init__"
    }
    folders = _folders(root)
    for folder in folders:
        name, wing = folder.name, folder.parent.name if folder.parent in folders else ""
        bare = all(path.stem == "__init__" for path in folder.glob("*.py"))
        if not bare and not {name, wing} & tests:
            found.append(f"{relative(folder, root)}: has no tests/{name}")
    spare = tests - {folder.name for folder in folders} - OTHER_TESTS
    return found + [f"tests/{name}: mirrors no folder of ldp_verified" for name in sorted(spare)]


def tests_without_module(root: Path) -> list[str]:
    """Test files of mirrored folders that are neither test_MODULE.py nor test_MODULE_MORE.py."""
    found = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        parts = path.parent.relative_to(root / "tests").parts
        if parts and parts[0] in OTHER_TESTS:
            continue
        if parts:
            held = [each for each in _folders(root) if each.name == parts[0]]
            files = [file for each in held for file in each.joinpath(*parts[1:]).rglob("*.py")]
        else:
            files = list((root / "ldp_verified").glob("*.py"))
        modules = {each.stem for each in files}
        words = path.stem.split("_")[1:]
        if not modules & {"_".join(words[:i]) for i in range(1, len(words) + 1)}:
            found.append(f"{relative(path, root)}: mirrors no module of ldp_verified")
    return found


def _folders(root: Path) -> list[Path]:
    """The wings of the package and the folders within them."""
    package = root / "ldp_verified"
    below = [path.relative_to(package).parts[:-1] for path in package.glob("*/**/*.py")]
    return sorted({package.joinpath(*parts[:depth]) for parts in below for depth in (1, 2)})


def long_entries(root: Path) -> list[str]:
    """Entries of CHANGELOG.md that are not one sentence."""
    content = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    entries = re.findall(r"^- (.*(?:\n  .*)*)", content, re.MULTILINE)
    return [
        f"CHANGELOG.md: {entry}"
        for entry in entries
        if not entry.endswith(".") or re.search(r"[.!?]\s+[A-Z]", entry)
    ]
