"""The checkers one by one, each asked whether it accepts a declaration as it stands."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ldp_verified.language import Mechanism
from ldp_verified.prove import checker
from ldp_verified.prove.case import Case, case
from ldp_verified.prove.coq.printer import Unsupported, coq_text
from ldp_verified.prove.enumeration import enumerate_obligations
from ldp_verified.prove.identities import identities
from ldp_verified.prove.obligations import obligations
from ldp_verified.prove.points import points
from ldp_verified.prove.rows import rows_match
from ldp_verified.prove.smt import ask, queries, solver

LARGEST = 4
"""Structures are enumerated up to this size: every planted error of the catalogue shows at 3."""

SMT_LIMIT_S = 5.0
"""Seconds for the queries of one declaration; what is not answered by then is not proved."""

COQ_LIMIT_S = 120.0
"""Seconds for one Coq file before the compiler is killed."""

ROUTES: Mapping[str, str] = {
    "certificate": "algebra",
    "smt": "algebra",
    "enumeration": "enumeration",
    "identities": "identities",
    "coq": "coq",
}
"""Checker -> route. Certificate and SMT read the same obligations, so they are one."""


@dataclass(frozen=True)
class Opinion:
    """What one checker says of one declaration.

    Attributes:
        accepts: whether it accepts all of it that it can judge; None where it cannot judge any.
        why: why not, or what it cannot judge.
    """

    accepts: bool | None
    why: str = ""


@dataclass(frozen=True)
class Subject:
    """A declaration, with what several checkers read.

    Attributes:
        mechanism: as declared; only what it claims itself is looked at.
    """

    mechanism: Mechanism

    @cached_property
    def case(self) -> Case:
        """Its statement and certificate."""
        return case(self.mechanism)


Checker = Callable[[Subject], Opinion]


def certificate(subject: Subject) -> Opinion:
    """Every obligation of the declaration has a certificate."""
    this = subject.case
    for outcome in checker.check(this.statement, this.certificate):
        if not outcome.shown:
            return Opinion(False, f"{outcome.obligation.name}: {outcome.reason}")
    return Opinion(True)


def smt(subject: Subject) -> Opinion:
    """The solver answers `unsat` to every query of every obligation."""
    this = subject.case
    todo = obligations(this.statement)
    answers = ask(
        queries(todo, this.certificate["proofs"]), this.mechanism.spec_hash, this.mechanism.name,
        SMT_LIMIT_S,
    )
    for o in todo:
        said = [answer.text for answer in answers if o.name in answer.query.obligations]
        other = [text for text in said if text != "unsat"]
        if other or not said:
            return Opinion(False, f"{o.name}: {other[0] if other else o.reason}")
    return Opinion(True)


def enumeration(largest: int = LARGEST) -> Checker:
    """The expanded table at sizes up to `largest`, and the pair table's rows against it."""

    def check(subject: Subject) -> Opinion:
        m = subject.mechanism
        rows = rows_match(m, m.algebraic_table.pair_tables(), points(m, largest))
        findings = [*([rows] if rows else []), *enumerate_obligations(m, largest)]
        for finding in findings:
            if finding.witness is not None:
                return Opinion(False, f"{finding.obligation}: {finding.witness.explanation}")
        return Opinion(True) if findings else Opinion(None, "it cannot be written out")

    return check


def block_sizes(largest: int = LARGEST) -> Checker:
    """The stated counts against the sizes of the structure's blocks."""

    def check(subject: Subject) -> Opinion:
        counted = identities(subject.mechanism, points(subject.mechanism, largest))
        if counted is None:
            return Opinion(None, "it counts no blocks")
        return Opinion(counted.holds, "" if counted.witness is None else counted.witness.explanation)

    return check


def coq(library: Path) -> Checker:
    """The kernel accepts the generated theorems about the randomizer.

    A lemma for which no certificate was found is printed all the same, so that it is the kernel
    that rejects it; what has no printed form at all gets no opinion.

    Args:
        library: folder of the compiled hand-written theory (.vo files).
    """

    def check(subject: Subject) -> Opinion:
        text = coq_text(subject.mechanism, attempt=True)
        if isinstance(text, Unsupported):
            return Opinion(None, str(text))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{subject.mechanism.name}.v"
            path.write_text(text, encoding="utf-8")
            command = ["coqc", "-q", "-Q", str(library), "LDP", str(path)]
            try:
                run = subprocess.run(
                    command, capture_output=True, text=True, timeout=COQ_LIMIT_S, check=False
                )
            except subprocess.TimeoutExpired:
                return Opinion(False, f"not compiled within {COQ_LIMIT_S:.0f} s")
        said = " ".join(run.stderr.partition("Error:")[2].split())
        return Opinion(run.returncode == 0, "" if run.returncode == 0 else f"coqc: {said[:160]}")

    return check


def compiled_library(sources: Path, folder: Path) -> Path:
    """Compile the hand-written theory into `folder`, in the order of its _CoqProject.

    Raises:
        FileNotFoundError: no coqc, or no theory there.
        subprocess.CalledProcessError: it does not compile.
    """
    if shutil.which("coqc") is None:
        raise FileNotFoundError("coqc: install Coq")
    for line in (sources / "_CoqProject").read_text(encoding="utf-8").split():
        if line.startswith("lib/"):
            path = Path(shutil.copy(sources / line, folder))
            command = ["coqc", "-q", "-Q", str(folder), "LDP", str(path)]
            subprocess.run(command, check=True, capture_output=True)
    return folder


def checkers(largest: int = LARGEST) -> dict[str, Checker]:
    """What can be asked here; Coq is added by whoever wants to wait for it."""
    algebra: dict[str, Checker] = {"certificate": certificate}
    if solver() is not None:
        algebra["smt"] = smt
    return {**algebra, "enumeration": enumeration(largest), "identities": block_sizes(largest)}
