"""`verify`: every law and claim of a mechanism through every checker, and their joint verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy

from ldp_verified.derive import Facts, NoEstimator, free_cells, in_epsilon, readable
from ldp_verified.language import (
    LDP,
    Domain,
    Mechanism,
    MetricLDP,
    PersonalisedLDP,
    PairRow,
    PairTable,
    Unbiased,
    Variance,
    f,
    n,
)
from ldp_verified.prove import checker
from ldp_verified.prove.certificate import find
from ldp_verified.prove.describe import describe
from ldp_verified.prove.enumeration import enumerate_obligations
from ldp_verified.prove.points import points
from ldp_verified.prove.reached import reached
from ldp_verified.prove.rows import rows_match
from ldp_verified.prove.statement import statement
from ldp_verified.prove.verdicts import Status, Verdict, Verification
from ldp_verified.prove.witnesses import Finding

PRIVACY = {LDP, MetricLDP, PersonalisedLDP}
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
LAWS = {
    "nonnegative": "every probability and count is >= 0",
    "sums_to_one": "the probabilities of each input sum to 1",
    "equal_support": "what one input can give, every input can give",
}


@dataclass(frozen=True)
class Case:
    """A mechanism on its way through the checkers.

    Attributes:
        mechanism: as declared.
        facts: what was derived.
    """

    mechanism: Mechanism
    facts: Facts

    @cached_property
    def completed(self) -> Mechanism:
        """The mechanism with the derived facts as further claims.

        For every kind of claim that it does not make itself.
        """
        kinds = {type(claim) for claim in self.mechanism.claims}
        extra: list[Any] = []
        epsilon = self.facts.epsilon
        if not kinds & PRIVACY and epsilon not in (None, sympy.oo):
            extra.append(LDP(epsilon, tight=True))
        if not isinstance(self.facts.estimator, NoEstimator):
            if Unbiased not in kinds:
                extra.append(Unbiased())
            if Variance not in kinds and self.facts.variance is not None:
                extra.append(Variance(in_epsilon(self.mechanism, self.facts.variance)))
        m = self.mechanism
        return Mechanism(
            m.name,
            title=m.title,
            parameters=m.parameters,
            table=m.table,
            claims=[*m.claims, *extra],
            assuming=m.assuming,
            origin=m.origin,
        )

    @cached_property
    def statement(self) -> dict[str, Any]:
        """What the certificate is about."""
        found = self.facts.estimator
        weights = None if isinstance(found, NoEstimator) else found.matrix
        return statement(self.completed, weights)

    @cached_property
    def certificate(self) -> dict[str, Any]:
        """A certificate for as much of the statement as possible."""
        return find(self.statement, self.mechanism.name, self.mechanism.spec_hash)


def case(mechanism: Mechanism) -> Case:
    """Derive the facts of a mechanism and set it up for the checkers."""
    return Case(mechanism, Facts(mechanism))


def certificate_for(mechanism: Mechanism) -> dict[str, Any]:
    """The certificate document of a mechanism: one for its table, one for its free cells.

    The latter is None where the free cells have no parametrisation.
    """
    free = free_cells(mechanism)
    return {
        "table": case(mechanism).certificate,
        "free_cells": None if free is None else case(free).certificate,
    }


def verify(mechanism: Mechanism, largest: int = 8) -> Verification:
    """Recompute everything and decide every obligation; writes nothing.

    Args:
        mechanism: the declaration; it may claim nothing, then what is derived is checked.
        largest: structures are enumerated up to this size.
    """
    start = time.perf_counter()
    this = case(mechanism)
    outcomes = checker.check(this.statement, this.certificate)
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
        _verdict(this, key, group, findings.get(key))
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
        _derived(this),
        time.perf_counter() - start,
    )


def _order(key: tuple[int | None, str]) -> tuple[int, int]:
    claim, kind = key
    kinds = [*LAWS, *CLAIMED]
    return (-1 if claim is None else claim, kinds.index(kind))


def _verdict(
    this: Case,
    key: tuple[int | None, str],
    group: list[checker.Outcome],
    finding: Finding | None,
) -> Verdict:
    claim, kind = key
    text = LAWS[kind] if claim is None else describe(this.completed.claims[claim])
    if claim is not None and claim >= len(this.mechanism.claims):
        text = f"derived: {text}"
    missing = [o for o in group if not o.shown]
    certified = bool(group) and not missing
    why = (
        "" if not missing else f"no certificate: {missing[0].obligation.name}: {missing[0].reason}"
    )
    if finding is not None and not finding.holds:
        if finding.witness is None:
            return Verdict(
                claim, text, kind, Status.OPEN, (), f"{finding.sizes}; {why}".strip("; ")
            )
        return Verdict(
            claim, text, kind, Status.REFUTED, ("enumeration",), finding.sizes, finding.witness
        )
    enumerated = finding is not None and finding.holds
    if certified:
        names = ("certificate", "enumeration") if enumerated else ("certificate",)
        return Verdict(claim, text, kind, Status.PROVED, names, finding.sizes if finding else "")
    if enumerated and finding is not None:
        detail = f"{finding.sizes}; {why}" if why else finding.sizes
        return Verdict(claim, text, kind, Status.ENUMERATED, ("enumeration",), detail)
    return Verdict(claim, text, kind, Status.OPEN, (), why or "no checker decided it")


def _counts_verdict(this: Case, largest: int) -> Verdict:
    """The rows as the certificate states them, against the expanded table."""
    text = "the pair table's classes are those of the expanded table"
    m = this.completed
    finding = rows_match(m, _stated_rows(this), points(m, largest))
    if finding is None:
        why = "the table cannot be written out (no concrete structure, or too large)"
        return Verdict(None, text, "class_counts", Status.OPEN, (), why)
    status = Status.ENUMERATED if finding.holds else Status.REFUTED
    return Verdict(
        None, text, "class_counts", status, ("enumeration",), finding.sizes, finding.witness
    )


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


def _derived(this: Case) -> Mapping[str, str]:
    """The derived facts as text, in e^eps."""
    facts, m = this.facts, this.mechanism

    def show(value: Any) -> str:
        return str(in_epsilon(m, readable(value, {**m.variables, n: Domain(lower=1)})))

    texts: dict[str, str] = {}
    if facts.tight is not None:
        place = f"{facts.tight.pair_name}, {facts.tight.outputs}"
        texts["tight epsilon"] = f"{facts.epsilon} ({place})"
        example = reached(m)
        if example is not None:
            texts["reached, for example, at"] = example
    if facts.support is not None:
        texts["p*"], texts["q*"] = show(facts.support.p_star), show(facts.support.q_star)
    found = facts.estimator
    if isinstance(found, NoEstimator):
        texts["estimator"] = f"no unbiased linear estimator exists: {found.reason}"
    elif found.supported is not None:
        texts["estimator"] = (
            f"add {show(found.supported)} per supporting report, {show(found.otherwise)} per other"
        )
    else:
        rows = [[show(v) for v in found.matrix.row(i)] for i in range(found.matrix.rows)]
        unique = "" if found.unique else " (of least variance at uniform shares)"
        texts["estimator"] = f"weights{unique} {rows}"
    if facts.variance is not None:
        per_share = facts.variance.coeff(f, 1)
        texts["variance of a count"] = show(facts.variance_at_zero) + (
            "" if per_share == 0 else f" + f*({show(per_share)})"
        )
    for symbol, value in facts.optimal_parameters.items():
        texts[f"best {symbol} at f = 0"] = show(value)
    if facts.optimal_cells is not None:
        cells = ", ".join(f"{name} = {show(v)}" for name, v in facts.optimal_cells.items())
        texts["best cells at f = 0"] = cells
    return texts
