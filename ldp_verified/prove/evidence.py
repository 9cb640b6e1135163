"""What the routes say about one claim, and the verdict that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ldp_verified.language.feasible import interior_point
from ldp_verified.prove import checker
from ldp_verified.prove.case import Case, LineCase, derived_texts
from ldp_verified.prove.condition import condition
from ldp_verified.prove.coq.algebra import Key
from ldp_verified.prove.coq.kernel import Kernel
from ldp_verified.prove.describe import describe
from ldp_verified.prove.enumeration import enumerate_obligations
from ldp_verified.prove.smt import Answer, ask, model, queries
from ldp_verified.prove.verdicts import Status, Verdict, Witness
from ldp_verified.prove.witnesses import Finding

MOST_MODELS = 4
"""How many failed obligations of one kind the solver is asked to find a counterexample to."""

LAWS = {
    "nonnegative": "every probability and count is >= 0",
    "sums_to_one": "the probabilities of each input sum to 1",
    "equal_support": "what one input can give, every input can give",
}


OF_NORMAL_NOISE = {
    "sums_to_one": "the integral of e^(-w^2/2) over the line is sqrt(2 pi)",
    "curve": "Phi(z) is the integral of the normal density up to z; that then no event is better "
    "than a half-line, and no pair than the ends, is in Coq (LDP.Normal), not tied to this spec",
    "tight": "Phi(z) is the integral of the normal density up to z",
}
"""Kind of obligation -> what the certificate of normal noise takes for granted."""


@dataclass(frozen=True)
class Evidence:
    """What the routes say about one claim's obligations of one kind.

    Attributes:
        outcomes: of the certificate. answers: of the solver, by obligation; None if it was not
            asked. finding: of enumeration, or None. kernel: Coq's; None if it was not asked.
    """

    outcomes: list[checker.Outcome]
    answers: Mapping[str, list[Answer]] | None
    finding: Finding | None
    kernel: Kernel | None = None

    @property
    def missing(self) -> list[checker.Outcome]:
        """What has no certificate."""
        return [o for o in self.outcomes if not o.shown]

    @property
    def by_solver(self) -> bool:
        """Whether every query of every obligation was answered `unsat`."""
        if self.answers is None or not self.outcomes:
            return False
        said = [self.answers.get(o.obligation.name, []) for o in self.outcomes]
        return all(found and all(a.text == "unsat" for a in found) for found in said)

    def theorems(self, key: Key) -> tuple[str, ...]:
        """The theorems accepted by Coq's kernel that say it."""
        return () if self.kernel is None else self.kernel.theorems(key)

    def unaccepted(self, key: Key) -> str:
        """Why Coq's kernel, asked, accepted none."""
        return "" if self.kernel is None else self.kernel.reason(key)

    def checkers(self, key: Key) -> tuple[str, ...]:
        """Who shows it, or agrees at every size looked at."""
        names = []
        if self.outcomes and not self.missing:
            names.append("certificate")
        if self.by_solver:
            names.append("smt")
        if self.theorems(key):
            names.append("coq")
        if self.finding is not None and self.finding.holds:
            names.append("enumeration")
        return tuple(names)


def solver_answers(this: Case) -> dict[str, list[Answer]]:
    """Obligation -> what the solver said to every query that it needs."""
    found: dict[str, list[Answer]] = {}
    asked = queries(this.obligations, this.certificate["proofs"])
    for answer in ask(asked, this.mechanism.spec_hash, this.mechanism.name):
        for name in answer.query.obligations:
            found.setdefault(name, []).append(answer)
    return found


def verdict(this: Case, key: Key, evidence: Evidence) -> Verdict:
    """The verdict on one claim's obligations of one kind, `key` being (claim, kind)."""
    claim, kind = key
    derived = claim is not None and claim >= len(this.mechanism.claims)
    text = LAWS[kind] if claim is None else describe(this.completed.claims[claim])
    text = f"derived: {text}" if derived else text
    theorems, unaccepted = evidence.theorems(key), evidence.unaccepted(key)

    def say(
        status: Status, checkers: tuple[str, ...], *parts: str, witness: Witness | None = None
    ) -> Verdict:
        detail = "; ".join(part for part in parts if part)
        return Verdict(claim, text, kind, status, checkers, detail, witness, theorems, unaccepted)

    missing, finding = evidence.missing, evidence.finding
    sizes = "" if finding is None else finding.sizes
    where = (condition(evidence.outcomes, this.certificate) or "") if missing else ""
    witness = None if finding is None else finding.witness
    if witness is None and missing and evidence.answers is not None:
        witness = _from_model(this, key, evidence)
        sizes = f"{sizes}; counterexample proposed by smt" if witness else sizes
    if witness is not None and derived:
        # Nobody claimed it; what was derived holds in part of the domain only.
        parts = "; ".join(part for part in (where, witness.explanation, sizes) if part)
        return say(Status.OPEN, (), f"not for all parameters: {parts}")
    if witness is not None:
        clash = (
            f"yet Coq accepts {', '.join(theorems)}: one of the two is wrong" if theorems else ""
        )
        detail = (where, _right_value(this, kind), sizes, clash)
        return say(Status.REFUTED, ("enumeration",), *detail, witness=witness)
    checkers = evidence.checkers(key)
    if set(checkers) & {"certificate", "smt", "coq"}:
        made = say(Status.PROVED, checkers, sizes)
        normal = isinstance(this, LineCase) and this.mu is not None
        return replace(made, given=OF_NORMAL_NOISE.get(kind, "") if normal else "")
    why = ""
    if missing:
        why = f"no certificate: {missing[0].obligation.name}: {missing[0].reason}"
    coq = f"coq: {unaccepted}" if unaccepted else ""
    if checkers:
        return say(Status.ENUMERATED, checkers, sizes, where, why, coq)
    if not (sizes or where or why or coq):
        return say(Status.OPEN, (), "no checker decided it")
    return say(Status.OPEN, (), sizes, where, why, coq)


def _from_model(this: Case, key: Key, evidence: Evidence) -> Witness | None:
    """A witness at a point that the solver proposes, if the expanded table confirms it there."""
    assert evidence.answers is not None
    symbols = {symbol.name: symbol for symbol in this.completed.variables}
    for outcome in evidence.missing[:MOST_MODELS]:
        for answer in evidence.answers.get(outcome.obligation.name, []):
            if answer.text != "sat":
                continue
            values = model(answer.query)
            if values is None:
                continue
            point = interior_point(this.completed.variables)
            point = {s: Fraction(int(v.p), int(v.q)) for s, v in point.items()}
            point |= {symbols[name]: v for name, v in values.items() if name in symbols}
            for finding in enumerate_obligations(this.completed, at=[point]):
                if (finding.claim, finding.obligation) == key and finding.witness is not None:
                    return finding.witness
    return None


RIGHT = {
    "ratio": ("tight epsilon",),
    "tight": ("tight epsilon", "tight mu"),
    "curve": ("tight mu",),
    "unbiased": ("estimator",),
    "variance": ("variance of a count",),
    "mean": ("mean of a report",),
    "report_variance": ("variance of a report",),
}
"""Kind of obligation -> the derived facts that say what is the case instead."""


def _right_value(this: Case, kind: str) -> str:
    """What is derived where the claim says something else; empty where nothing is."""
    texts = derived_texts(this)
    names = RIGHT.get(kind, tuple(n for n in texts if n.startswith("best ")))
    if kind not in (*RIGHT, "optimal"):
        return ""
    return "; ".join(f"derived {name}: {texts[name]}" for name in names if name in texts)
