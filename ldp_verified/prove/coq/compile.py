"""Coq compiles the proofs, and what it accepted is compared with what was expected.

Everything happens on a copy in a build folder: nothing is written among the sources.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ldp_verified.errors import SpecError
from ldp_verified.language import Mechanism
from ldp_verified.prove.coq.coqc import (
    FOLDERS,
    compile_all,
    coq_version,
    first_error,
    module_name,
    run_coqc,
)
from ldp_verified.prove.coq.drift import coq_drift
from ldp_verified.prove.coq.expected import (
    LISTS,
    Expected,
    assumptions_file,
    check_file,
    may_use,
    read_assumptions,
    read_axioms,
    read_expected,
)
from ldp_verified.prove.coq.scan import ScanFinding, escapes, theorems

SECONDS_PER_FILE = 240


@dataclass(frozen=True)
class Proved:
    """A theorem that the kernel accepted with the statement that was expected.

    Attributes:
        name: the theorem. module: where it stands. statement: as listed. axioms: what it rests on,
            together with the theorems that were asked about at once.
    """

    name: str
    module: str
    statement: str
    axioms: tuple[str, ...]


@dataclass(frozen=True)
class KernelReport:
    """The answer of Coq's kernel about a proofs folder.

    Attributes:
        theorems: what is proved as expected. failures: everything that is wrong; the check passed
            only if there are none. seconds: compile time per file, and "assumptions".
        coq: the version.
    """

    theorems: tuple[Proved, ...]
    failures: tuple[ScanFinding, ...]
    seconds: dict[str, float] = field(default_factory=dict)
    coq: str = ""

    @property
    def holds(self) -> bool:
        """Return whether every expected theorem is proved, and nothing is wrong."""
        return not self.failures and bool(self.theorems)


def kernel_check(
    proofs_dir: Path,
    build_dir: Path,
    mechanisms: Iterable[Mechanism] | None = None,
    *,
    seconds_per_file: float = SECONDS_PER_FILE,
) -> KernelReport:
    """Compile a proofs folder and compare what was proved with its hand-kept lists.

    Args:
        proofs_dir: holds lib/, generated/, expected_theorems/ and allowed_axioms.txt.
        build_dir: emptied and filled.
        mechanisms: what generated/ has to be the text of, and nothing else; None skips that.
        seconds_per_file: a file that takes longer has failed.

    Raises:
        SpecError: coqc or one of the lists is missing, or the build folder lies where the sources
            are.
    """
    version = coq_version()
    expected = read_expected(proofs_dir)
    allowed = read_axioms(proofs_dir / "allowed_axioms.txt")
    files = _copy(proofs_dir, build_dir)
    failures: list[ScanFinding] = []
    if mechanisms is not None:
        drift = coq_drift(mechanisms, proofs_dir / "generated")
        failures += [ScanFinding("generated", 0, line) for line in drift]
    for name in files:
        failures += escapes(build_dir / name, name)
    failures += _unlisted(build_dir, files, expected)
    seconds, errors = compile_all(build_dir, files, seconds_per_file)
    failures += errors
    start = time.perf_counter()
    objects = {name: (build_dir / name).with_suffix(".vo") for name in files}
    compiled = {module_name(name) for name, path in objects.items() if path.exists()}
    proved, wrong = _confront(build_dir, expected, allowed, compiled, seconds_per_file)
    seconds["assumptions"] = time.perf_counter() - start
    return KernelReport(tuple(proved), tuple(failures + wrong), seconds, version)


def _copy(proofs_dir: Path, build_dir: Path) -> list[str]:
    source, target = proofs_dir.resolve(), build_dir.resolve()
    if source == target or source in target.parents or target in source.parents:
        raise SpecError("build_dir", "must not hold the sources or lie among them", str(build_dir))
    shutil.rmtree(target, ignore_errors=True)
    files = []
    for folder in FOLDERS:
        (target / folder).mkdir(parents=True)
        for path in sorted((source / folder).glob("*.v")):
            shutil.copyfile(path, target / folder / path.name)
            files.append(f"{folder}/{path.name}")
    return files


def _unlisted(build_dir: Path, files: list[str], expected: list[Expected]) -> list[ScanFinding]:
    listed = {(e.module, e.name) for e in expected if e.kind == "theorem"}
    return [
        ScanFinding(name, line, f"theorem {theorem} is not in {LISTS}")
        for name in files
        for theorem, line in theorems(build_dir / name).items()
        if (module_name(name), theorem) not in listed
    ]


def _confront(
    build_dir: Path,
    expected: list[Expected],
    allowed: dict[str, frozenset[str] | None],
    compiled: set[str],
    limit: float,
) -> tuple[list[Proved], list[ScanFinding]]:
    """Every entry of the list against the compiled modules; (what holds, what does not)."""
    failures: list[ScanFinding] = []
    for entry in expected:
        if entry.module not in compiled:
            message = f"{entry.name}: module {entry.module} did not compile"
            failures.append(ScanFinding(entry.file, entry.line, message))
    usable = [e for e in expected if e.module in compiled]
    if not usable:
        return [], failures
    bad: set[int] = set()
    while True:
        text, origin = check_file(usable, bad)
        (build_dir / "Expected.v").write_text(text, encoding="utf-8")
        status, output = run_coqc(build_dir, "Expected.v", limit)
        if status == 0:
            break
        finding = first_error(LISTS, output)
        position = origin[finding.line - 1] if 0 < finding.line <= len(origin) else -1
        if position < 0:
            failures.append(finding)
            return [], failures
        entry = usable[position]
        verb = "proved" if entry.kind == "theorem" else "defined"
        message = f"{entry.qualified} is not {verb} as listed: {finding.message}"
        failures.append(ScanFinding(entry.file, entry.line, message))
        bad.add(position)
    proved = []
    kept = [i for i, entry in enumerate(usable) if entry.kind == "theorem" and i not in bad]
    for i, names in _assumptions(build_dir, usable, kept, allowed, limit).items():
        entry = usable[i]
        extra = sorted(set(names) - may_use(entry, allowed))
        if extra:
            message = f"{entry.qualified} rests on {', '.join(extra)}, which is not allowed"
            failures.append(ScanFinding(entry.file, entry.line, message))
        else:
            proved.append(Proved(entry.name, entry.module, entry.text, tuple(names)))
    return proved, failures


def _assumptions(
    build_dir: Path,
    entries: list[Expected],
    indices: list[int],
    allowed: dict[str, frozenset[str] | None],
    limit: float,
) -> dict[int, list[str]]:
    """Find each theorem's assumptions, in groups that are halved while Coq takes too long.

    `Print Assumptions` takes most of a second, so theorems go together where nothing is wrong.
    """
    together: dict[frozenset[str], list[int]] = {}
    for i in indices:
        together.setdefault(may_use(entries[i], allowed), []).append(i)
    found: dict[int, list[str]] = {}
    asked = list(together.values())
    while asked:
        halves: list[list[int]] = []
        for group, names in _printed(build_dir, asked, limit):
            middle = len(group) // 2
            if not middle or set(names) <= may_use(entries[group[0]], allowed):
                found |= dict.fromkeys(group, names)
            else:
                halves += [group[:middle], group[middle:]]
        asked = halves
    return {i: found[i] for i in indices}


def _printed(
    build_dir: Path, groups: list[list[int]], limit: float
) -> list[tuple[list[int], list[str]]]:
    if not groups:
        return []
    named = [[f"expected_{i}" for i in group] for group in groups]
    text = assumptions_file("Expected", named)
    (build_dir / "Assumptions.v").write_text(text, encoding="utf-8")
    status, output = run_coqc(build_dir, "Assumptions.v", limit)
    if status:
        raise SpecError("Print Assumptions", f"failed: {output[-300:]}")
    texts = [
        (build_dir / f"assumptions_{number}.out").read_text(encoding="utf-8")
        for number in range(len(groups))
    ]
    return [(g, read_assumptions(text)) for g, text in zip(groups, texts, strict=True)]


def check_one(build_dir: Path, name: str, text: str, limit: float) -> ScanFinding | None:
    """Compile one more text against the library that a kernel check has compiled.

    For a mechanism that is not in the catalogue. Escape hatches count as failures.

    Args:
        build_dir: that of a `kernel_check`. name: an identifier, not that of a catalogue file.
        text: the Coq text. limit: seconds.

    Returns:
        What is wrong, or None where the kernel accepted all of it.
    """
    file = f"generated/{name}.v"
    (build_dir / file).write_text(text, encoding="utf-8")
    found = escapes(build_dir / file, file)
    if found:
        return found[0]
    status, output = run_coqc(build_dir, file, limit)
    return None if status == 0 else first_error(file, output)
