"""The power of the checkers, measured: which wrong variants of a mechanism does which one reject?

A variant counts as wrong unless it is shown here to say the same as the declaration that it was
made from, by comparing obligations as polynomials; no checker's opinion enters into that. A
checker's rejection counts only where it accepts the declaration before the change.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import sympy

from ldp_verified.language import Design, Matrix, Mechanism
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import Poly, Ring
from ldp_verified.prove.mutation.mutants import Mutant, mutants
from ldp_verified.prove.mutation.mutation_store import AnswerStore, RecordedAnswer
from ldp_verified.prove.mutation.wrong_declarations import COQ
from ldp_verified.prove.registry import route_of
from ldp_verified.prove.routes import LARGEST, Checker, Opinion, RouteSubject, checkers

__all__ = ["ENOUGH", "Judged", "Mutant", "MutationReport", "equivalent", "matrix", "mutants"]

ENOUGH = 2
"""Independent routes that must reject what is wrong."""

AT_ONCE = 4
"""Variants whose answers are waited for at the same time."""

COUNTS = ("blocks", "containing", "together")


@dataclass(frozen=True)
class Judged:
    """One variant and what is said of it.

    Attributes:
        mutant: the variant.
        equivalent: why it says the same as its control; empty where it does not.
        opinions: checker -> what it says of the variant; empty for one that cannot be declared.
        control: checker -> what it says of the declaration before the change.
    """

    mutant: Mutant
    equivalent: str
    opinions: Mapping[str, Opinion]
    control: Mapping[str, Opinion]

    @property
    def wrong(self) -> bool:
        """Return whether the variant can be declared and does not say the same as its control."""
        return self.mutant.mechanism is not None and not self.equivalent

    @property
    def rejected_by(self) -> tuple[str, ...]:
        """The checkers that reject the variant and accept its control."""
        return tuple(
            name
            for name, opinion in self.opinions.items()
            if opinion.accepts is False and self.control[name].accepts
        )

    @property
    def routes(self) -> frozenset[str]:
        """The independent routes among the checkers that reject the variant."""
        return frozenset(route_of(name) for name in self.rejected_by)

    @property
    def able(self) -> frozenset[str]:
        """The independent routes that can judge all of the variant, or reject it."""
        return self.routes | {
            route_of(name)
            for name, opinion in self.opinions.items()
            if opinion.accepts and not opinion.partly
        }

    @property
    def limited(self) -> str:
        """Why no two routes can judge the variant, where whoever can rejects it; else empty.

        That is so only where the table cannot be written out. Counts that the claims follow
        contradict nothing but the structure: without one they are another declaration, and nobody
        need reject them.
        """
        written = self.control.get("enumeration", Opinion(True))
        now = self.opinions.get("enumeration", Opinion(True))
        could = None not in (written.accepts, now.accepts) and not now.partly
        if not self.wrong or could or len(self.able) >= self.needed:
            return ""
        if not self.routes and not self.mutant.kind.startswith("consistent"):
            return ""
        form = self.mutant.control.table
        missing = isinstance(form, Design) and form.structure is None
        what = f"{'one route only' if self.routes else 'no route'}: "
        return what + ("no structure" if missing else "the table cannot be written out")

    @property
    def enough(self) -> bool:
        """Return whether the variant is not wrong, or rejected by enough independent routes."""
        return not self.wrong or len(self.routes) >= self.needed

    @property
    def needed(self) -> int:
        """The routes that must reject the variant, as a number: one where only one reads it."""
        return 1 if self.mutant.kind == "text" else ENOUGH


@dataclass(frozen=True)
class MutationReport:
    """The matrix: variants x checkers.

    Attributes:
        checkers: who was asked. results: one per variant.
        seconds: wall time. recorded: how many results are from earlier runs.
        left: mechanisms that time did not suffice for, or not for all of their variants.
        each: variants of each kind per mechanism that were made at most; None for all.
    """

    checkers: tuple[str, ...]
    results: tuple[Judged, ...]
    seconds: float
    recorded: int = 0
    left: tuple[str, ...] = ()
    each: int | None = None

    @property
    def wrong(self) -> tuple[Judged, ...]:
        """The variants that are really wrong."""
        return tuple(one for one in self.results if one.wrong)

    @property
    def equivalents(self) -> tuple[Judged, ...]:
        """The variants that say the same as before."""
        return tuple(one for one in self.results if one.equivalent)

    @property
    def refused(self) -> tuple[Judged, ...]:
        """The variants that the vocabulary refuses."""
        return tuple(one for one in self.results if one.mutant.mechanism is None)

    @property
    def insufficient(self) -> tuple[Judged, ...]:
        """The wrong variants that too few independent routes reject, of those that could."""
        return tuple(one for one in self.results if not one.enough and not one.limited)

    @property
    def limited(self) -> tuple[Judged, ...]:
        """The wrong variants that fewer than two routes can judge."""
        return tuple(one for one in self.results if one.limited)

    @property
    def unseen_by_algebra(self) -> tuple[Judged, ...]:
        """The wrong ones that certificate and SMT accept: only the structure gives them away."""
        return tuple(one for one in self.wrong if one.routes and "algebra" not in one.routes)

    @property
    def too_strict(self) -> tuple[tuple[Judged, str], ...]:
        """(variant, checker) where something that says the same as before is rejected."""
        return tuple(
            (one, name)
            for one in self.equivalents
            for name, opinion in one.opinions.items()
            if opinion.accepts is False and self.control_accepts(one, name)
        )

    @staticmethod
    def control_accepts(one: Judged, name: str) -> bool:
        """Return whether a checker accepts the declaration before the change."""
        return one.control[name].accepts is True

    @property
    def unaccepted(self) -> tuple[tuple[Mechanism, str, Opinion], ...]:
        """(declaration, checker, opinion) where the declaration before the change is rejected."""
        found = {
            (id(one.mutant.control), name): (one.mutant.control, name, opinion)
            for one in self.results
            for name, opinion in one.control.items()
            if opinion.accepts is False
        }
        return tuple(found.values())

    @property
    def rejections(self) -> Mapping[str, int]:
        """Checker -> how many wrong variants it rejects."""
        found = Counter(name for one in self.wrong for name in one.rejected_by)
        return {name: found[name] for name in self.checkers}

    @property
    def holds(self) -> bool:
        """Return whether all was asked and every wrong variant is rejected by enough routes."""
        return bool(self.wrong) and not (self.insufficient or self.limited or self.left)


def matrix(
    mechanisms: Sequence[Mechanism],
    asked: Mapping[str, Checker] | None = None,
    *,
    largest: int = LARGEST,
    each: int | None = None,
    kinds: Collection[str] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    store: AnswerStore | None = None,
    limit: float | None = None,
) -> MutationReport:
    """Ask every checker about every variant of every mechanism.

    Args:
        mechanisms: true declarations.
        asked: name -> checker; default all but Coq.
        largest: structures are enumerated up to this size, by the default checkers.
        each: variants of each kind per mechanism at most; None for all.
        kinds: kinds of variants; None for all.
        tell: called with what is being done.
        store: answers of earlier runs, which are not asked for again; new ones are kept there.
        limit: seconds, after which nobody is asked about a further variant.
    """
    start = time.perf_counter()
    ask = checkers(largest) if asked is None else asked
    judged: list[Judged] = []
    waiting: list[tuple[Mutant, str, _Said, _Said]] = []
    left: dict[str, None] = {}
    recorded = 0

    def settle(most: int) -> None:
        while len(waiting) > most:
            mutant, reason, said, before = waiting.pop(0)
            answer = RecordedAnswer(reason, _settled(said), _settled(before))
            judged.append(Judged(mutant, reason, answer.opinions, answer.control))
            if store is not None:
                store.put(mutant, answer)

    def late() -> bool:
        return limit is not None and time.perf_counter() - start > limit

    for mechanism in mechanisms:
        if late() and (store is None or mechanism.name not in store.mechanisms):
            left[mechanism.name] = None
            continue
        tell(f"{mechanism.name}: making variants")
        found = [
            m
            for m in mutants(mechanism, each)
            if (kinds is None or m.kind in kinds)
            # Nobody else reads what is printed for Coq.
            and (m.text is None or m.text.of != COQ or "coq" in ask)
        ]
        controls: dict[int, tuple[_Said, RouteSubject]] = {}
        for position, mutant in enumerate(found, 1):
            tell(f"{mutant.name} ({position} of {len(found)})")
            known = None if store is None else store.get(mutant)
            if known is not None:
                recorded += 1
                judged.append(Judged(mutant, known.equivalent, known.opinions, known.control))
            elif late():
                left[mechanism.name] = None
            else:
                waiting.append(_judged(mutant, ask, controls))
                settle(AT_ONCE)
    tell("waiting for the last answers")
    settle(0)
    seconds = time.perf_counter() - start
    return MutationReport(tuple(ask), tuple(judged), seconds, recorded, tuple(left), each)


_Said = Mapping[str, "Opinion | Future[Opinion]"]


def _settled(said: _Said) -> Mapping[str, Opinion]:
    return {
        name: opinion.result() if isinstance(opinion, Future) else opinion
        for name, opinion in said.items()
    }


def _judged(
    mutant: Mutant,
    ask: Mapping[str, Checker],
    controls: dict[int, tuple[_Said, RouteSubject]],
) -> tuple[Mutant, str, _Said, _Said]:
    if id(mutant.control) not in controls:
        subject = RouteSubject(mutant.control)
        controls[id(mutant.control)] = {n: check(subject) for n, check in ask.items()}, subject
    before, control = controls[id(mutant.control)]
    if mutant.mechanism is None:
        return mutant, "", {}, before
    subject = RouteSubject(mutant.mechanism, mutant.text)
    said = {name: check(subject) for name, check in ask.items()}
    # A changed text is judged by the one who reads it: no declaration is there to be compared.
    same = "" if mutant.text is not None else equivalent(control, subject)
    return mutant, same, said, before


def equivalent(control: RouteSubject, variant: RouteSubject) -> str:
    """Why a variant is true if its control is; empty where that is not shown.

    It is if domains and counts are the same, and every obligation of it is one of the control's, as
    rational functions, whatever their order, and every divisor one of the control's.
    """
    if control.mechanism.variables != variant.mechanism.variables:
        return ""
    forms = control.mechanism.table, variant.mechanism.table
    if isinstance(forms[0], Design) and any(
        sympy.cancel(getattr(forms[0], name) - getattr(forms[1], name)) != 0 for name in COUNTS
    ):
        return ""
    values = [Counter(map(_value, subject.obligations)) for subject in (control, variant)]
    if not values[1].keys() <= values[0].keys():
        return ""
    reduced = [_reduced(subject) for subject in (control, variant)]
    if not reduced[1].keys() <= reduced[0].keys():
        return ""
    if not _divisors(variant) <= _divisors(control):
        return ""
    if reduced[0] != reduced[1]:
        return "each of its obligations is one of the control's: it is true of another table"
    if forms[0] == forms[1]:
        return "another spelling of the same claim"
    columns = [Counter(zip(*form.rows, strict=True)) for form in forms if isinstance(form, Matrix)]
    if len(columns) == 2 and columns[0] == columns[1]:
        return "the outputs of the matrix change names, and the estimator with them"
    return "the same obligations in another order: the outputs change roles"


def _value(o: Obligation) -> tuple[Any, ...]:
    """The obligation at one point, exactly: where these differ, nothing need be reduced."""
    at = [Fraction(101 + 7 * i) for i in range(len(o.variables))]

    def evaluate(poly: Poly) -> Fraction:
        total = Fraction(0)
        for exponents, coefficient in poly.items():
            total += coefficient * prod(a**e for a, e in zip(at, exponents, strict=True))
        return total

    value: Fraction | None = evaluate(o.value.numerator) / o.value.scale
    for factor, power in o.value.denominator.items():
        below = evaluate(dict(factor))
        value = None if value is None or below == 0 else value / below**power
    return o.kind, o.relation, o.domain, o.reason, value


def _divisors(subject: RouteSubject) -> set[tuple[Any, ...]]:
    """Return the divisors that must not be 0, also where one stands under a 0."""
    return {
        (o.domain, tuple(v.name for v in o.variables), key)
        for o in subject.obligations
        for key in o.value.denominator
    }


def _reduced(subject: RouteSubject) -> Counter[tuple[str, ...]]:
    """Return the obligations as reduced rational functions, without names and order."""
    found: Counter[tuple[str, ...]] = Counter()
    for o in subject.obligations:
        ring = Ring([v.name for v in o.variables])
        value = sympy.sympify(ring.show(o.value.numerator), locals=_symbols(ring))
        value /= o.value.scale
        for factor, power in o.value.denominator.items():
            value /= sympy.sympify(ring.show(dict(factor)), locals=_symbols(ring)) ** power
        found[o.kind, o.relation, o.domain, o.reason, str(sympy.factor(sympy.cancel(value)))] += 1
    return found


def _symbols(ring: Ring) -> dict[str, Any]:
    return {name: sympy.Symbol(name) for name in ring.names}
