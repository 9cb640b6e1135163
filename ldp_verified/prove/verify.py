"""`verify`: every law and claim of a mechanism through every checker, and their joint verdict."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.derive import Wanted, free_cells, wanted
from ldp_verified.errors import SpecError
from ldp_verified.language import Design, Form, Line, Mechanism, PairRow, PairTable
from ldp_verified.prove import checker
from ldp_verified.prove.case import Case, case, derived_texts
from ldp_verified.prove.columns import number
from ldp_verified.prove.coq.algebra import Key
from ldp_verified.prove.coq.coqc import coq_version, coqc_available
from ldp_verified.prove.coq.kernel import Asking, Kernel
from ldp_verified.prove.enumeration import enumerate_obligations
from ldp_verified.prove.evidence import LAWS, Evidence, solver_answers, verdict
from ldp_verified.prove.existence import of_one_size
from ldp_verified.prove.identities import Counted, identities
from ldp_verified.prove.points import points
from ldp_verified.prove.region import reported
from ldp_verified.prove.rows import cells_match, rows_match
from ldp_verified.prove.smt import solver
from ldp_verified.prove.verdicts import Status, Verdict, Verification, Witness
from ldp_verified.prove.witnesses import Finding

Counts = Mapping[str, Finding | Counted | None]

SOLVED = 4
"""Structures at a wanted epsilon are enumerated up to this size: the table was, up to its own."""

CLAIMED = (
    "ratio",
    "curve",
    "tight",
    "unbiased",
    "variance",
    "optimal",
    "holds",
    "same_table",
    "better",
    "mean",
    "report_variance",
    "worst_variance",
)


STAGES = (
    "deriving",
    "finding certificates",
    "checking certificates",
    "asking the solver",
    "enumerating tables",
    "comparing classes",
    "freeing the cells",
    "solving for epsilon",
    "waiting for Coq",
)
"""What `verify` does, in order."""

Tell = Callable[[str], None]


def verify(
    mechanism: Mechanism,
    largest: int = 8,
    *,
    smt: bool | None = None,
    coq: bool | None = None,
    progress: Tell | None = None,
    derived: bool = True,
) -> Verification:
    """Recompute everything and decide every obligation.

    Writes nothing, but for the user's cache of Coq's compiled library.

    Args:
        mechanism: the declaration; it may claim nothing, then what is derived is checked.
        largest: structures are enumerated up to this size.
        smt: whether z3 is asked too; by default if it is installed.
        coq: whether Coq's kernel is asked too; by default if coqc is installed.
        progress: called with each of `STAGES` when it begins.
        derived: whether what is derived beyond the mechanism's claims is decided too, and said.
            Without it only laws, class counts and claims are decided, by the same checkers.

    Raises:
        FileNotFoundError: `smt` is true and z3 is not installed.
        SpecError: `coq` is true and coqc is not installed, or cannot compile the library.
    """
    start = time.perf_counter()
    if coq:
        coq_version()
    tell = progress or (lambda _: None)
    tell("deriving")
    this = case(mechanism, derived=derived)
    with contextlib.ExitStack() as stack:
        asking = None
        if coq or (coq is None and coqc_available()):
            asking = stack.enter_context(Asking(this.completed))
        verdicts = _verdicts(this, largest, smt, lambda: _kernel(asking, coq), tell)
    return Verification(
        mechanism.name,
        mechanism.title,
        mechanism.spec_hash,
        verdicts,
        derived_texts(this) if derived else reported(mechanism, this.completed),
        time.perf_counter() - start,
    )


def _kernel(asking: Asking | None, coq: bool | None) -> Kernel | None:
    """Coq's answers; nobody who did not ask for them has to have a Coq that works."""
    if asking is None:
        return None
    try:
        return asking.answer()
    except SpecError as error:
        if coq:
            raise
        return Kernel(why=str(error))


def _verdicts(
    this: Case, largest: int, smt: bool | None, kernel: Callable[[], Kernel | None], tell: Tell
) -> tuple[Verdict, ...]:
    statement = this.statement
    tell("finding certificates")
    certificate = this.certificate
    tell("checking certificates")
    outcomes = checker.check(statement, certificate)
    tell("asking the solver")
    asked = solver() is not None if smt is None else smt
    answers = solver_answers(this) if asked else {}
    tell("enumerating tables")
    findings = {
        (found.claim, found.obligation): found
        for found in enumerate_obligations(this.completed, largest)
    }
    groups: dict[Key, list[checker.Outcome]] = {}
    for outcome in outcomes:
        o = outcome.obligation
        groups.setdefault((o.claim, o.kind), []).append(outcome)
    for key in findings:
        groups.setdefault(key, [])
    tell("comparing classes")
    finite = not isinstance(this.mechanism.table, Line)
    counted = _counted(this, largest) if finite else None
    tell("freeing the cells")
    free = free_cells(this.mechanism) if this.derived else None
    missing = None if free is None or not free.claims else _uncertified(free)
    tell("solving for epsilon")
    solved = wanted(this.mechanism, this.facts) if this.derived else None
    at_epsilon = [] if solved is None else [_wanted_verdict(solved, largest, smt)]
    tell("waiting for Coq")
    said = kernel()
    verdicts = [
        verdict(this, key, Evidence(group, answers if asked else None, findings.get(key), said))
        for key, group in sorted(groups.items(), key=lambda item: _order(item[0]))
    ]
    if counted is not None:
        verdicts.append(_counts_verdict(this.completed.algebraic_table, counted, said))
    if free is not None and missing is not None:
        verdicts.append(_free_verdict(free, missing, said))
    return (*verdicts, *at_epsilon)


def _order(key: Key) -> tuple[int, int]:
    claim, kind = key
    kinds = [*LAWS, *CLAIMED]
    return (-1 if claim is None else claim, kinds.index(kind))


def _counted(this: Case, largest: int) -> Counts:
    """The rows as the certificate states them, against the expanded table and the block sizes."""
    m = this.completed
    at = points(m, largest)
    stated = this.certificate["statement"].get("matrix")
    finding = rows_match(m, _stated_rows(this), at) if stated is None else _cells_finding(m, stated)
    return {"enumeration": finding, "identities": identities(m, at)}


def _counts_verdict(form: Form, found: Counts, kernel: Kernel | None) -> Verdict:
    key: Key = (None, "class_counts")
    text = "the pair table's classes are those of the expanded table"
    theorems = () if kernel is None else kernel.theorems(key)
    unaccepted = "" if kernel is None else kernel.reason(key)

    def say(
        status: Status, checkers: tuple[str, ...], detail: str, witness: Witness | None = None
    ) -> Verdict:
        return Verdict(None, text, key[1], status, checkers, detail, witness, theorems, unaccepted)

    against = {name: each for name, each in found.items() if each and not each.holds}
    for each in against.values():
        return say(Status.REFUTED, tuple(against), each.sizes, each.witness)
    first = found["enumeration"]
    if first is None:
        why = "the table cannot be written out (no concrete structure, or too large)"
        if isinstance(form, Design) and form.structure is None:
            size = of_one_size(form)
            why = "that such blocks exist: no structure is given" + (f"; {size}" if size else "")
        coq = f"; coq: {unaccepted}" if unaccepted else ""
        return say(Status.PROVED if theorems else Status.OPEN, _by(theorems), why + coq)
    names = (*_by(theorems), *(name for name, each in found.items() if each))
    return say(Status.PROVED if theorems else Status.ENUMERATED, names, first.sizes)


def _by(theorems: tuple[str, ...]) -> tuple[str, ...]:
    return ("coq",) if theorems else ()


def _cells_finding(mechanism: Mechanism, stated: Mapping[str, Any]) -> Finding | None:
    """The cells of a large table, as the certificate states them, against the expanded table.

    At two points, which is enough to see that a text is of another cell.
    """
    names = {symbol.name: symbol for symbol in mechanism.variables}
    numbers = [number(text) for text in stated["cells"]]
    cells = [
        sympy.sympify(text, locals=names) if known is None else Fraction(*known)
        for text, known in zip(stated["cells"], numbers, strict=True)
    ]
    return cells_match(mechanism, {**stated, "cells": cells}, points(mechanism)[:2])


def _stated_rows(this: Case) -> tuple[PairTable, ...]:
    """The pair tables as they stand in the certificate, read back from its text."""
    names = {symbol.name: symbol for symbol in this.completed.variables}

    def read(text: str) -> Any:
        return sympy.sympify(text, locals=names)

    return tuple(
        PairTable(
            table["pair"],
            tuple(
                PairRow(
                    row["outputs"],
                    read(row["count"]),
                    read(row["px"]),
                    read(row["px2"]),
                    row["supports_x"],
                    row["supports_x2"],
                )
                for row in table["rows"]
            ),
        )
        for table in this.certificate["statement"]["pair_tables"]
    )


def _uncertified(free: Mechanism) -> list[checker.Outcome]:
    this = case(free)
    return [o for o in checker.check(this.statement, this.certificate) if not o.shown]


def _wanted_verdict(solved: Wanted, largest: int, smt: bool | None) -> Verdict:
    """The table at the solution has eps as its tight epsilon, and the solution is admissible."""
    inner = _verdicts(
        case(solved.mechanism), min(largest, SOLVED), smt, lambda: None, lambda _: None
    )
    needed = [v for v in inner if v.obligation not in ("class_counts", "free_cells")]
    short = [v for v in needed if v.status is not Status.PROVED]
    refuted = next((v for v in short if v.status is Status.REFUTED), None)
    status = Status.PROVED if not short else Status.OPEN if refuted is None else Status.REFUTED
    names = tuple(name for name in needed[0].checkers if all(name in v.checkers for v in needed))
    detail = "; ".join(f"{v.obligation}: {v.detail or v.status.value}" for v in short)
    witness = None if refuted is None else refuted.witness
    text = f"any eps > 0 is the tight epsilon at {solved.text}"
    return Verdict(None, text, "at_epsilon", status, () if short else names, detail, witness)


def _free_verdict(
    free: Mechanism, missing: list[checker.Outcome], kernel: Kernel | None
) -> Verdict:
    key: Key = (None, "free_cells")
    text = "estimator unbiased, variance as derived, for free cells (so for the realized table)"
    theorems = () if kernel is None else kernel.theorems(key)
    unaccepted = "" if kernel is None else kernel.reason(key)
    checkers = ((() if missing else ("certificate",)), _by(theorems))
    names = tuple(name for group in checkers for name in group)
    detail = ", ".join(d.describe(str(s)) for s, d in free.variables.items())
    if missing:
        detail = f"no certificate: {missing[0].obligation.name}: {missing[0].reason}"
    status = Status.PROVED if names else Status.OPEN
    return Verdict(None, text, key[1], status, names, detail, None, theorems, unaccepted)
