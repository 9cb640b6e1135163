"""Combine the routes' evidence on one claim into a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ldp_verified.kinds import Key, Kind
from ldp_verified.language import LDP, Line
from ldp_verified.language.exponents import beside
from ldp_verified.language.feasible import interior_point
from ldp_verified.language.forms import form_of
from ldp_verified.prove.addition import Asked, Voices, voices
from ldp_verified.prove.certificates import checker
from ldp_verified.prove.certificates.holds_where import condition
from ldp_verified.prove.contradiction import refuse_contradiction
from ldp_verified.prove.coq.kernel import Kernel
from ldp_verified.prove.coq.reflection import NAME as REFLECTION
from ldp_verified.prove.coq.reflection import Reflected
from ldp_verified.prove.counterexample import Counterexample, counterexample
from ldp_verified.prove.enumeration.enumeration import enumerate_obligations
from ldp_verified.prove.enumeration.points import exists, inside
from ldp_verified.prove.enumeration.witnesses import PointFinding
from ldp_verified.prove.prepared import LineCase, Prepared, derived_texts
from ldp_verified.prove.registry import named, proving, undecided
from ldp_verified.prove.smt import SolverAnswer, ask, model, only_between_integers, queries
from ldp_verified.prove.verdict_algebra import Evidence
from ldp_verified.prove.verdicts import Status, Verdict, Witness

ALGEBRA = named("certificate").group
"""The group that speaks of the rows of the derived pair tables."""

MOST_MODELS = 4
"""How many failed obligations of one kind the solver is asked to find a counterexample to."""

OF_NORMAL_NOISE: Mapping[str, str] = {
    Kind.SUMS_TO_ONE: "the integral of e^(-w^2/2) over the line is sqrt(2 pi)",
    Kind.CURVE: "Phi(z) is the integral of the normal density up to z",
    Kind.TIGHT: "Phi(z) is the integral of the normal density up to z",
}
"""Kind of obligation -> what the certificate of normal noise takes for granted."""


@dataclass(frozen=True)
class Said:
    """The routes' evidence on one claim's obligations of one kind.

    Attributes:
        outcomes: of the certificate. answers: of the solver, by obligation; None if it was not
            asked. finding: of enumeration, or None. kernel: Coq's; None if it was not asked.
        rows_hold: whether the statement's rows are those of the expanded table at named parameters;
            None where that cannot be looked at.
        stands: whether what the claim rests on may be true: everything in the declaration is shown
            to have a value, and of no law a checker has a witness against it, or refuses it. Else
            proofs say nothing.
        reflected: the answers of the checker inside Coq's kernel; None if it was not asked.
        added: the answers of added checkers.
    """

    outcomes: list[checker.CheckerOutcome]
    answers: Mapping[str, list[SolverAnswer]] | None
    finding: PointFinding | None
    kernel: Kernel | None = None
    rows_hold: Callable[[Mapping[str, str]], bool | None] = lambda _: None
    stands: bool = True
    reflected: Reflected | None = None
    added: Voices = field(default_factory=Voices)

    @property
    def missing(self) -> list[checker.CheckerOutcome]:
        """Return the outcomes without a certificate."""
        return [o for o in self.outcomes if not o.shown]

    @property
    def by_solver(self) -> bool:
        """Return whether every query of every obligation was answered `unsat`."""
        if self.answers is None or not self.outcomes:
            return False
        said = [self.answers.get(o.obligation.name, []) for o in self.outcomes]
        return all(found and all(a.text == "unsat" for a in found) for found in said)

    def theorems(self, key: Key) -> tuple[str, ...]:
        """The theorems accepted by Coq's kernel that state the obligation."""
        return () if self.kernel is None else self.kernel.theorems(key)

    def unaccepted(self, key: Key) -> str:
        """Why Coq's kernel, asked, accepted none."""
        return "" if self.kernel is None else self.kernel.reason(key)

    def proves(self, key: Key) -> tuple[str, ...]:
        """Return the checkers that prove the obligation for all parameters."""
        said = {
            "certificate": bool(self.outcomes) and not self.missing,
            "smt": self.by_solver,
            REFLECTION: self.reflected is not None and self.reflected.shows(key),
            "coq": bool(self.theorems(key)),
            **dict.fromkeys(self.added.proves, True),
        }
        return proving(said)


def asked_of_added(this: Prepared, key: Key) -> Voices:
    """The answers of added checkers on one claim's obligations of one kind."""
    claim, kind = key
    m = this.completed
    said = None if claim is None else m.claims[claim]
    return voices(Asked(m, said, Kind(kind), lambda: this.statement), form_of(m.table))


def solver_answers(this: Prepared) -> dict[str, list[SolverAnswer]]:
    """Obligation -> what the solver said to every query that it needs."""
    found: dict[str, list[SolverAnswer]] = {}
    asked = queries(this.obligations, this.certificate["proofs"])
    for answer in ask(asked, this.mechanism.spec_hash, this.mechanism.name):
        for name in answer.query.obligations:
            found.setdefault(name, []).append(answer)
    return found


def verdict(this: Prepared, key: Key, said: Said) -> Verdict:
    """The verdict on one claim's obligations of one kind alone, `key` being (claim, kind).

    Raises:
        ContradictionError: it is proved, and there is a witness against it.
    """
    claim, kind = key
    derived = claim is not None and claim >= len(this.mechanism.claims)
    text = Kind(kind).text if claim is None else this.completed.claims[claim].describe()
    text = f"derived: {text}" if derived else text
    missing, finding = said.missing, said.finding
    sizes = "" if finding is None else finding.sizes
    # Of a bound e^x only an inequality is shown: where that holds is not where the claim does.
    m = this.completed
    inexact = claim is not None and beside(m.table, m.claims[claim]) is not None
    where = (condition(said.outcomes, this.certificate) or "") if missing and not inexact else ""
    witness = None if finding is None else finding.witness
    refuses: dict[str, str] = {}
    if witness is None and said.answers is not None:
        witness, refuses = _against_by_solver(this, key, said)
        sizes = f"{sizes}; counterexample proposed by smt" if witness else sizes
    if witness is None and said.added.places:
        witness, remarks = _against_by_added(this, key, said.added)
        sizes = "; ".join((sizes, *remarks))
    found = _searched(this, key, said) if witness is None else Counterexample()
    witness = witness or found.witness
    if found.undecided:
        refuses.setdefault("certificate", found.undecided)
    if witness is not None:
        _no_contradiction(this, key, text, said, witness)
    false = next((o for o in said.outcomes if o.refused), None)
    if false is not None:
        refuses.setdefault("certificate", f"{false.obligation.name}: {false.reason}")
    if said.kernel is not None and said.kernel.refusal(key):
        refuses["coq"] = said.kernel.refusal(key)
    refuses |= said.added.refuses
    normal = isinstance(this, LineCase) and this.mu is not None
    given = OF_NORMAL_NOISE.get(kind, "") if normal else ""
    evidence = Evidence(
        said.proves(key),
        (*(("enumeration",) * (finding is not None and finding.holds)), *said.added.agrees),
        refuses,
        # Nobody claimed what was derived; it holds in part of the domain only.
        None if derived else witness,
        assumes=(given,) if given else (),
    )
    parts: tuple[str, ...]
    if witness is not None and derived:
        evidence = Evidence(refuses=refuses)
        rest = "; ".join(part for part in (where, witness.explanation, sizes) if part)
        parts = (f"not for all parameters: {rest}",)
    elif witness is not None:
        parts = (where, _right_value(this, key), sizes)
    elif evidence.status.for_all:
        parts = (sizes,)
    else:
        why = "".join(f"no certificate: {o.obligation.name}: {o.reason}" for o in missing[:1])
        coq = f"coq: {said.unaccepted(key)}" if said.unaccepted(key) else ""
        missing_rule = undecided(kind, form_of(m.table)) if claim is not None else ""
        parts = (sizes, where, why, coq, missing_rule)
    return made(claim, text, kind, evidence, *parts, kernel=said.kernel)


def _searched(this: Prepared, key: Key, said: Said) -> Counterexample:
    """A place where an obligation fails, looked for in the whole domain; none if it is proved."""
    missing = [outcome.obligation for outcome in said.missing]
    if said.proves(key) or not missing:
        return Counterexample()
    related = [o for o in this.obligations if (o.claim, o.kind) == (key[0], Kind.RATIO)]
    return counterexample(this.completed, key, missing, related)


def made(
    claim: int | None,
    text: str,
    kind: str,
    evidence: Evidence,
    *parts: str,
    kernel: Kernel | None,
) -> Verdict:
    """The verdict that follows from the evidence for one obligation alone.

    Args:
        claim, text, kind: of the obligation. evidence: of the routes. parts: of the detail.
        kernel: Coq's answers; None if it was not asked.
    """
    status, key = evidence.status, (claim, kind)
    checkers = (*evidence.proves, *evidence.agrees)
    if status is Status.REFUTED:
        checkers = evidence.against
    elif status is Status.OPEN:
        checkers = ()
    if evidence.refuses and status is Status.OPEN:
        whom = f" what {', '.join(evidence.proves)} proves" if evidence.proves else ""
        dissent = [f"{name} refuses{whom}: {why}" for name, why in evidence.refuses.items()]
        parts = (*dissent, *parts)
    detail = "; ".join(dict.fromkeys(part for part in parts if part))
    if status is Status.OPEN and not detail:
        detail = "no checker decided it"
    return Verdict(
        claim,
        text,
        kind,
        status,
        checkers,
        detail,
        evidence.witness,
        () if kernel is None else kernel.theorems(key),
        "" if kernel is None else kernel.reason(key),
        evidence.assumes,
        evidence.groups if status.for_all else (),
        evidence.refuses,
        proviso=kernel.proviso if kernel is not None and kernel.theorems(key) else "",
    )


def _against_by_solver(
    this: Prepared, key: Key, said: Said
) -> tuple[Witness | None, dict[str, str]]:
    """A witness at a point that the solver proposes, or that it refuses, and why.

    Its `sat` is about real numbers, and about obligations that may be more than the claim needs.
    It is a refusal unless the expanded table at the model, with integers in their places, obeys the
    claim, or there is no such model. Against a certificate of the very same obligation it is one in
    any case. On the line it is one unless there is no such model: a few inputs show no more.
    """
    assert said.answers is not None
    line = isinstance(this.mechanism.table, Line)
    refuses: dict[str, str] = {}
    tried = 0
    for outcome in said.outcomes:
        for answer in said.answers.get(outcome.obligation.name, []):
            if answer.text != "sat":
                continue
            name = answer.query.title
            if outcome.shown:
                refuses["smt"] = f"{name}: sat, against its certificate"
                continue
            tried += 1
            values = model(answer.query) if tried <= MOST_MODELS else None
            if values is None:
                if tried <= MOST_MODELS and not any(v.integer for v in answer.query.variables):
                    refuses.setdefault("smt", f"{name}: sat, at no rational point")
                elif line and not only_between_integers(answer.query):
                    refuses.setdefault("smt", f"{name}: sat")
                continue
            there = _looked_at(this, key, values)
            witness = next((f.witness for f in there or () if f.witness is not None), None)
            if witness is not None:
                return witness, {}
            if line or (there is not None and not there):
                at = ", ".join(f"{name} = {value}" for name, value in values.items())
                refuses.setdefault("smt", f"{name}: sat at {at}{_without(this, values)}")
    return None, refuses


def _looked_at(
    this: Prepared, key: Key, values: Mapping[str, Fraction]
) -> list[PointFinding] | None:
    """What enumeration finds about a claim where some symbols have these values.

    Parameters without a value are given one. The list is empty where there is no structure, and so
    no table; it is None outside of the domain.
    """
    point = _place(this, values)
    if not inside(this.completed, point):
        return None
    found = enumerate_obligations(
        this.completed, at=[point], inputs=[values[x] for x in _inputs(this) if x in values]
    )
    return [f for f in found if (f.claim, f.obligation) == key]


def _place(this: Prepared, values: Mapping[str, Fraction]) -> dict[Any, Fraction]:
    """The point of these values by name; parameters without a value are given one."""
    symbols = {symbol.name: symbol for symbol in this.completed.variables}
    point = interior_point(this.completed.variables)
    inner = {s: Fraction(int(v.p), int(v.q)) for s, v in point.items()}
    return inner | {symbols[name]: v for name, v in values.items() if name in symbols}


def _without(this: Prepared, values: Mapping[str, Fraction]) -> str:
    """Say that there is no structure, and so no table, at these values; empty where there is."""
    there = exists(this.completed.algebraic_table, _place(this, values))
    return "" if there else ", where there is no structure of these sizes"


def _inputs(this: Prepared) -> tuple[str, ...]:
    """The names of x and x' in the obligations of a table on the line; none elsewhere."""
    if not isinstance(this.mechanism.table, Line):
        return ()
    return this.statement["value"]["name"], this.statement["other"]


def _against_by_added(this: Prepared, key: Key, added: Voices) -> tuple[Witness | None, list[str]]:
    """A witness at a place that an added checker names, if enumeration finds one; and remarks."""
    known = {*(symbol.name for symbol in this.completed.variables), *_inputs(this)}
    remarks = []
    for name, place in added.places.items():
        at = ", ".join(f"{each} = {value}" for each, value in place.items())
        values = {each: Fraction(str(value)) for each, value in place.items() if each in known}
        there = _looked_at(this, key, values) if {*place} <= known else None
        if there is None:
            remarks.append(f"{name} names a place outside the domain: {at}")
            continue
        witness = next((f.witness for f in there if f.witness is not None), None)
        if witness is not None:
            return witness, [f"counterexample proposed by {name}"]
        without = _without(this, values)
        if without:
            remarks.append(f"{name} refuses it at {at}{without}")
        elif there:
            remarks.append(f"{name} refuses it at {at}, where enumeration finds nothing against it")
    return None, remarks


def _no_contradiction(this: Prepared, key: Key, text: str, said: Said, witness: Witness) -> None:
    """Certificate and solver speak of the rows; where these are wrong, they prove nothing.

    Raises:
        ContradictionError: somebody proves what the witness refutes.
    """
    proves = said.proves(key)
    if (
        not said.stands
        or not proves
        or (
            # The others read the declaration, whatever its rows.
            all(named(name).group == ALGEBRA for name in proves)
            and said.rows_hold(witness.parameters) is False
        )
    ):
        return
    refuse_contradiction(this.mechanism, key, text, proves, said.theorems(key), witness)


RIGHT: Mapping[str, tuple[str, ...]] = {
    Kind.RATIO: ("tight epsilon",),
    Kind.TIGHT: ("tight epsilon", "tight mu"),
    Kind.CURVE: ("tight mu",),
    Kind.UNBIASED: ("estimator",),
    Kind.VARIANCE: ("variance of a count",),
    Kind.MEAN: ("mean of a report",),
    Kind.REPORT_VARIANCE: ("variance of a report",),
}
"""Kind of obligation -> the derived facts that say what is the case instead."""


MOST_PAIRS = 12
"""Pair tables of which the largest delta is said in a verdict."""


def _right_value(this: Prepared, key: Key) -> str:
    """Return the derived value for a claim of this kind; empty if none is derived."""
    claim, kind = key
    said = None if claim is None else this.completed.claims[claim]
    if isinstance(said, LDP) and said.delta != 0:
        if len(this.facts.pair_tables) > MOST_PAIRS:
            return ""
        level = this.mechanism.algebraic("LDP.epsilon", said.ratio)
        return f"derived largest delta: {this.facts.largest_delta(level)}"
    texts = derived_texts(this)
    names = RIGHT.get(kind, tuple(n for n in texts if n.startswith("best ")))
    if kind not in (*RIGHT, Kind.OPTIMAL):
        return ""
    return "; ".join(f"derived {name}: {texts[name]}" for name in names if name in texts)
