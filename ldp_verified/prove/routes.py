"""The checkers one by one, each asked whether it accepts a declaration as it stands."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import count
from pathlib import Path
from typing import Any

from ldp_verified.derive import Facts, NoEstimator
from ldp_verified.errors import SpecError
from ldp_verified.kinds import Kind
from ldp_verified.language import Line, Matrix, Mechanism, Points
from ldp_verified.language.forms import form_of
from ldp_verified.prove.addition import Answer, Asked, Says, voices
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.coq.compile import check_one
from ldp_verified.prove.coq.coqc import FOLDERS, compile_all, coq_version
from ldp_verified.prove.coq.printed_table import difference, small_points
from ldp_verified.prove.coq.printer import Unsupported, coq_print
from ldp_verified.prove.coq.reading import UnreadableError
from ldp_verified.prove.designs.counts import stated_points, stated_rows
from ldp_verified.prove.designs.identities import identities
from ldp_verified.prove.designs.rows import formulas_match, rows_match
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.points import points
from ldp_verified.prove.enumeration.witnesses import PointFinding
from ldp_verified.prove.mutation.wrong_declarations import COQ, STATEMENT, TextChange
from ldp_verified.prove.needs import Needs, needs_of, undefined
from ldp_verified.prove.registry import ADDED, everyone
from ldp_verified.prove.smt import ask, queries, solver
from ldp_verified.prove.statements.certificate import find
from ldp_verified.prove.statements.density_statement import line_statement
from ldp_verified.prove.statements.statement import statement

LARGEST = 4
"""Structures are enumerated up to this size first: nearly every error shows there."""

FURTHER = 8
"""And up to this one where nothing was found: an optimum of many buckets shows at 6."""

SMT_LIMIT_S = 5.0
"""Seconds for the queries of one declaration; what is not answered by then is not proved."""

COQ_LIMIT_S = 60.0
"""Seconds for one Coq file before the compiler is killed."""

OUT_OF_TIME = "took more than"
"""How `run_coqc` begins what it says of a compiler that it killed."""

COQ_AT_ONCE = 2
"""Coq compilers that run at the same time."""

REPEATED = "5eed"
"""The seed of drawn points here: a matrix that is made again is the same."""


@dataclass(frozen=True)
class Opinion:
    """The opinion of one checker on one declaration.

    Attributes:
        accepts: whether it accepts all of it that it can judge; None where it cannot judge any.
        why: why not, or what it cannot judge.
        partly: what it accepts is not all of it.
    """

    accepts: bool | None
    why: str = ""
    partly: bool = False


@dataclass(frozen=True)
class RouteSubject:
    """A declaration, with what several checkers read.

    Attributes:
        mechanism: as declared; only what it claims itself is looked at.
        text: what is changed in the texts that are printed of it; nothing by default.
    """

    mechanism: Mechanism
    text: TextChange | None = None

    @cached_property
    def statement(self) -> dict[str, Any]:
        """Return the statement that certificate and solver are about."""
        stated = {**self._stated(), "defined": self.needs.statement()}
        if self.text is None:
            return stated
        changed: dict[str, Any] = json.loads(self.text(STATEMENT, json.dumps(stated)))
        return changed

    @cached_property
    def needs(self) -> Needs:
        """Return the conditions under which everything in the declaration has a value."""
        return needs_of(self.mechanism)

    def _stated(self) -> dict[str, Any]:
        m = self.mechanism
        if isinstance(m.table, Line):
            return line_statement(m)
        found = Facts(m).estimator if isinstance(m.table, Matrix) else None
        weights = None if found is None or isinstance(found, NoEstimator) else found.matrix
        return statement(m, weights)

    @cached_property
    def obligations(self) -> list[Obligation]:
        """Return the obligations of the statement."""
        return obligations(self.statement)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """A certificate for as much of the statement as possible."""
        return find(self.statement, self.mechanism.name, self.mechanism.spec_hash)


Checker = Callable[[RouteSubject], "Opinion | Future[Opinion]"]
"""Takes a declaration; one that runs another program may answer later."""


def certificate(subject: RouteSubject) -> Opinion:
    """Every obligation of the declaration has a certificate."""
    for o in subject.obligations:
        # No certificate can show these, so none is searched for.
        if o.relation == "impossible" or (o.relation == "==" and o.value.numerator):
            return Opinion(False, f"{o.name}: {o.reason or 'the two sides differ'}")
    for outcome in checker.check(subject.statement, subject.certificate):
        if not outcome.shown:
            return Opinion(False, f"{outcome.obligation.name}: {outcome.reason}")
    return Opinion(True)


def smt(subject: RouteSubject) -> Opinion:
    """The solver answers `unsat` to every query of every obligation.

    It is asked about equations first, and about no more once one of them is not `unsat`.
    """
    equations = [o for o in subject.obligations if o.relation == "=="]
    said = _asked(subject, equations, None)
    return (
        said
        if said.accepts is False
        else _asked(subject, subject.obligations, subject.certificate["proofs"])
    )


def _asked(
    subject: RouteSubject, todo: list[Obligation], proofs: Mapping[str, Any] | None
) -> Opinion:
    m = subject.mechanism
    answers = ask(queries(todo, proofs), m.spec_hash, m.name, SMT_LIMIT_S)
    for o in todo:
        said = [answer.text for answer in answers if o.name in answer.query.obligations]
        other = [text for text in said if text != "unsat"]
        if other or not said:
            return Opinion(False, f"{o.name}: {other[0] if other else o.reason}")
    return Opinion(True)


def enumeration(largest: int = LARGEST, further: int = FURTHER) -> Checker:
    """The expanded table at sizes up to `largest`, and the pair table's rows against it.

    What it finds nothing against is looked at up to `further` as well.
    """

    def check(subject: RouteSubject) -> Opinion:
        m = subject.mechanism
        findings: list[PointFinding] = []
        for size in sorted({largest, max(largest, further)}):
            finite = not isinstance(m.table, Line)
            rows = _rows(subject, size) if finite else None
            no_value = undefined(m, subject.needs)
            looked = [each for each in (no_value, rows) if each is not None]
            findings = [*looked, *enumerate_obligations(m, size)]
            for finding in findings:
                if finding.witness is not None:
                    return Opinion(False, f"{finding.obligation}: {finding.witness.explanation}")
        if not findings:
            return Opinion(None, "it cannot be written out")
        if all(finding.obligation != Kind.SUMS_TO_ONE for finding in findings):
            return Opinion(True, "the table cannot be written out", partly=True)
        return Opinion(True)

    return check


def _rows(subject: RouteSubject, size: int) -> PointFinding | None:
    m = subject.mechanism
    if isinstance(m.table, Points):
        return formulas_match(m, stated_points(m, subject.statement), points(m, size))
    tables = m.algebraic_table.pair_tables()
    if subject.text is not None and "pair_tables" in subject.statement:
        tables = stated_rows(m, subject.statement)
    return rows_match(m, tables, points(m, size))


def block_sizes(largest: int = LARGEST) -> Checker:
    """The stated counts against the sizes of the structure's blocks."""

    def check(subject: RouteSubject) -> Opinion:
        counted = identities(subject.mechanism, points(subject.mechanism, largest))
        if counted is None:
            return Opinion(None, "it counts no blocks")
        return Opinion(
            counted.holds, "" if counted.witness is None else counted.witness.explanation
        )

    return check


def coq(build: Path, pool: Executor | None = None) -> Checker:
    """The kernel accepts the generated theorems about the randomizer.

    A lemma for which no certificate was found is printed all the same, so that it is the kernel
    that rejects it. A claim or a law that has no printed form is left out; what is accepted without
    it is accepted in part. The compiler stops at the first theorem that it rejects; one that is
    killed has no opinion.

    Args:
        build: folder made by `coq_library`. pool: where the compilers run; by default here.
    """
    numbers = count()

    def check(subject: RouteSubject) -> Opinion | Future[Opinion]:
        m = subject.mechanism
        printed = coq_print(m, attempt=True)
        if isinstance(printed, Unsupported):
            return Opinion(None, str(printed))
        parts = {k if claim is None else f"claim {claim + 1}" for claim, k in printed.refused}
        left_out = ", ".join(sorted(parts))
        text = printed.text if subject.text is None else subject.text(COQ, printed.text)
        with contextlib.suppress(UnreadableError):
            # What cannot be compared is left to the kernel, as `verify` does.
            if other := difference(m, text, small_points(m, REPEATED)):
                return Opinion(False, other)
        name = f"{subject.mechanism.name}_{next(numbers)}"
        ask_kernel = partial(_compiled, build, name, text, left_out)
        return ask_kernel() if pool is None else pool.submit(ask_kernel)

    return check


def _compiled(build: Path, name: str, text: str, left_out: str) -> Opinion:
    found = check_one(build, name, text, COQ_LIMIT_S)
    for path in (build / "generated").glob(f"*{name}.*"):
        path.unlink()
    if found is None:
        why = f"{left_out} not printed" if left_out else ""
        return Opinion(True, why, partly=bool(left_out))
    if found.message.startswith(OUT_OF_TIME):
        return Opinion(None, found.message)
    return Opinion(False, str(found))


def coq_library(proofs: Path, build: Path) -> Path:
    """Compile the hand-written theory of a proofs folder in an empty build folder.

    Raises:
        SpecError: no coqc, no theory there, or it does not compile.
    """
    coq_version()
    for folder in FOLDERS:
        (build / folder).mkdir(parents=True)
    files = [f"lib/{path.name}" for path in sorted((proofs / "lib").glob("*.v"))]
    if not files:
        raise SpecError("proofs", "must hold lib/*.v", str(proofs))
    for name in files:
        shutil.copyfile(proofs / name, build / name)
    _, errors = compile_all(build, files, COQ_LIMIT_S)
    if errors:
        raise SpecError("proofs", "must compile", str(errors[0]))
    return build


def added(name: str) -> Checker:
    """Ask an added checker about every obligation of the declaration that it has a rule for.

    Args:
        name: as it is registered.
    """

    def check(subject: RouteSubject) -> Opinion:
        m = subject.mechanism
        keys = {(o.claim, o.kind): None for o in subject.obligations}
        if not isinstance(m.table, Line):
            keys[None, Kind.CLASS_COUNTS] = None
        said = []
        for position, kind in keys:
            claim = None if position is None else m.claims[position]
            asked = Asked(m, claim, kind, lambda: subject.statement)
            found = voices(asked, form_of(m.table), (name,)).answers.get(name)
            said.append((kind, found or Answer(Says.OPEN, "no rule")))
        for kind, answer in said:
            if answer.says is Says.REFUSED:
                return Opinion(False, f"{kind}: {answer.why}")
        left = [kind for kind, answer in said if answer.says is Says.OPEN]
        if len(left) == len(said):
            return Opinion(None, "it decides no obligation of it")
        return Opinion(True, f"not decided: {', '.join(left)}" if left else "", partly=bool(left))

    return check


def checkers(largest: int = LARGEST) -> dict[str, Checker]:
    """Return the available checkers except Coq, which callers add if they want to wait."""
    own: dict[str, Checker] = {
        "certificate": certificate,
        "enumeration": enumeration(largest),
        "identities": block_sizes(largest),
    }
    if solver() is not None:
        own["smt"] = smt
    names = [each.name for each in everyone()]
    return {n: added(n) if n in ADDED else own[n] for n in names if n in ADDED or n in own}
