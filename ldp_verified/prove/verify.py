"""`verify`: every law and claim of a mechanism through every checker, and their joint verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.derive import free_cells
from ldp_verified.language import Mechanism, PairRow, PairTable
from ldp_verified.prove import checker
from ldp_verified.prove.case import Case, case, derived_texts
from ldp_verified.prove.columns import number
from ldp_verified.prove.enumeration import enumerate_obligations
from ldp_verified.prove.evidence import LAWS, Evidence, solver_answers, verdict
from ldp_verified.prove.identities import identities
from ldp_verified.prove.points import points
from ldp_verified.prove.rows import cells_match, rows_match
from ldp_verified.prove.smt import solver
from ldp_verified.prove.verdicts import Status, Verdict, Verification
from ldp_verified.prove.witnesses import Finding

CLAIMED = (
    "ratio",
    "tight",
    "unbiased",
    "variance",
    "optimal",
    "holds",
    "same_table",
    "better",
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
    stated = this.certificate["statement"].get("matrix")
    finding = rows_match(m, _stated_rows(this), at) if stated is None else _cells_finding(m, stated)
    counted = identities(m, at)
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
    return Verdict(None, text, "class_counts", Status.OPEN, (), why)


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


def _free_verdict(free: Mechanism) -> Verdict:
    this = case(free)
    text = "estimator unbiased, variance as derived, for free cells (so for the realized table)"
    missing = [o for o in checker.check(this.statement, this.certificate) if not o.shown]
    if missing:
        why = f"{missing[0].obligation.name}: {missing[0].reason}"
        return Verdict(None, text, "free_cells", Status.OPEN, (), f"no certificate: {why}")
    domains = ", ".join(d.describe(str(s)) for s, d in free.variables.items())
    return Verdict(None, text, "free_cells", Status.PROVED, ("certificate",), domains)
