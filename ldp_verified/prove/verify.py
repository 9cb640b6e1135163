"""`verify`: every law and claim of a mechanism through every checker, and their joint verdict."""

from __future__ import annotations

import time
from typing import Any

import sympy

from ldp_verified.derive import free_cells
from ldp_verified.language import Density, Design, Mechanism, PairRow, PairTable
from ldp_verified.prove import checker
from ldp_verified.prove.case import Case, case, derived_texts
from ldp_verified.prove.enumeration import enumerate_obligations
from ldp_verified.prove.evidence import LAWS, Evidence, solver_answers, verdict
from ldp_verified.prove.existence import of_one_size
from ldp_verified.prove.identities import identities
from ldp_verified.prove.points import points
from ldp_verified.prove.rows import rows_match
from ldp_verified.prove.smt import solver
from ldp_verified.prove.verdicts import Status, Verdict, Verification

CLAIMED = (
    "ratio",
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


def verify(mechanism: Mechanism, largest: int = 8, *, smt: bool | None = None) -> Verification:
    """Recompute everything and decide every obligation; writes nothing.

    Args:
        mechanism: the declaration; it may claim nothing, then what is derived is checked.
        largest: structures are enumerated up to this size.
        smt: whether z3 is asked too; by default if it is installed.

    Raises:
        FileNotFoundError: `smt` is true and z3 is not installed.
    """
    start = time.perf_counter()
    this = case(mechanism)
    outcomes = checker.check(this.statement, this.certificate)
    asked = solver() is not None if smt is None else smt
    answers = solver_answers(this) if asked else {}
    findings = {
        (found.claim, found.obligation): found
        for found in enumerate_obligations(this.completed, largest)
    }
    groups: dict[tuple[int | None, str], list[checker.Outcome]] = {}
    for outcome in outcomes:
        o = outcome.obligation
        groups.setdefault((o.claim, o.kind), []).append(outcome)
    for key in findings:
        groups.setdefault(key, [])
    verdicts = [
        verdict(this, key, Evidence(group, answers if asked else None, findings.get(key)))
        for key, group in sorted(groups.items(), key=lambda item: _order(item[0]))
    ]
    if not isinstance(mechanism.table, Density):
        verdicts.append(_counts_verdict(this, largest))
    free = free_cells(mechanism)
    if free is not None and free.claims:
        verdicts.append(_free_verdict(free))
    return Verification(
        mechanism.name,
        mechanism.title,
        mechanism.spec_hash,
        tuple(verdicts),
        derived_texts(this),
        time.perf_counter() - start,
    )


def _order(key: tuple[int | None, str]) -> tuple[int, int]:
    claim, kind = key
    kinds = [*LAWS, *CLAIMED]
    return (-1 if claim is None else claim, kinds.index(kind))


def _counts_verdict(this: Case, largest: int) -> Verdict:
    """The rows as the certificate states them, against the expanded table and the block sizes."""
    text = "the pair table's classes are those of the expanded table"
    m = this.completed
    at = points(m, largest)
    finding, counted = rows_match(m, _stated_rows(this), at), identities(m, at)
    found = {"enumeration": finding, "identities": counted}
    for refuted in (True, False):
        agreed = {name: each for name, each in found.items() if each and each.holds is not refuted}
        first = next(iter(agreed.values()), None)
        if first is None or (not refuted and finding is None):
            continue
        status = Status.REFUTED if refuted else Status.ENUMERATED
        names = tuple(agreed)
        return Verdict(None, text, "class_counts", status, names, first.sizes, first.witness)
    why = "the table cannot be written out (no concrete structure, or too large)"
    form = m.algebraic_table
    if isinstance(form, Design) and form.structure is None:
        size = of_one_size(form)
        why = "that such blocks exist: no structure is given" + (f"; {size}" if size else "")
    return Verdict(None, text, "class_counts", Status.OPEN, (), why)


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


def _free_verdict(free: Mechanism) -> Verdict:
    this = case(free)
    text = "estimator unbiased, variance as derived, for free cells (so for the realized table)"
    missing = [o for o in checker.check(this.statement, this.certificate) if not o.shown]
    if missing:
        why = f"{missing[0].obligation.name}: {missing[0].reason}"
        return Verdict(None, text, "free_cells", Status.OPEN, (), f"no certificate: {why}")
    domains = ", ".join(d.describe(str(s)) for s, d in free.variables.items())
    return Verdict(None, text, "free_cells", Status.PROVED, ("certificate",), domains)
