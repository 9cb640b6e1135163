"""Coq text of bounds by distance, within a region, or with a delta, over an explicit matrix."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language import LDP, MetricLDP, PersonalisedLDP
from ldp_verified.prove.coq.algebra import CoqLevel, Side, each, product, total
from ldp_verified.prove.coq.terms import NotCertifiedError, cancelled

if TYPE_CHECKING:
    from ldp_verified.prove.coq.matrices import MatrixTheorems

ZERO = Side("0", sympy.Integer(0))

MOST_FREE = 6
"""Outputs of one pair of inputs that may exceed the bound or not."""


def pair_bounds(this: MatrixTheorems, claim: MetricLDP | PersonalisedLDP) -> None:
    """The theorem of a bound by distance or within a region."""
    if isinstance(claim, MetricLDP):
        _metric(this, claim)
        return
    level = this.level(claim.epsilon)
    inside = [x for x, label in enumerate(this.form.inputs) if label in claim.region]

    def pair(x: int, x2: int) -> str:
        return _bounded(this, level, x, x2) if {x, x2} <= set(inside) else "I"

    region = "; ".join(map(str, inside))
    this.theorem(
        "within",
        f"ldp_within ({this.applied}) (members [{region}]%nat) {level.epsilon}",
        f"apply matrix_where; exact {_pairs(this, pair)}.",
    )


def _metric(this: MatrixTheorems, claim: MetricLDP) -> None:
    """P(y|x) <= e^(d epsilon) P(y|x') with the distances written out."""
    inputs = this.form.inputs
    epsilon = this.parameters.closed.with_atom(this.mechanism.generator.eps, "eps").atom(
        claim.epsilon
    )
    distances = [[_distance(claim, x, x2) for x2 in inputs] for x in inputs]

    def pair(x: int, x2: int) -> str:
        distance = distances[x][x2]
        if distance is None:
            return "I"
        return _bounded(this, _scaled(this, claim.epsilon, distance, epsilon), x, x2)

    rows = [
        "; ".join("None" if d is None else f"Some {this.closed_atom(d)}" for d in row)
        for row in distances
    ]
    table = ";\n     ".join(f"[{row}]" for row in rows)
    this.theorem(
        "metric",
        f"metric_ldp ({this.applied}) {epsilon}\n    (distances\n    [{table}])",
        f"apply matrix_where; exact {_pairs(this, pair)}.",
    )


def _distance(claim: MetricLDP, x: Any, x2: Any) -> Any:
    """The distance of two inputs; None on the diagonal and where nothing is bounded."""
    if x == x2:
        return None
    exponential = claim.ratio_between(x, x2)
    return None if exponential is None else sympy.log(exponential) / claim.epsilon


def _scaled(this: MatrixTheorems, epsilon: Any, distance: Any, written: str) -> CoqLevel:
    """The bound e^(distance * epsilon), whose exponent stands in Coq as that product."""
    if isinstance(epsilon, sympy.log) and distance.is_Integer and distance > 0:
        return _power(this.level(epsilon), distance, f"({this.closed_atom(distance)} * {written})")
    generator = this.mechanism.generator
    power = None
    if generator.eps is not None:
        power = distance * epsilon / generator.eps * generator.root
    if power is None or not power.is_Integer or power < 0:
        raise NotCertifiedError(f"{distance} * {epsilon} is no multiple of eps")
    base = "eps" if generator.root == 1 else f"(eps / {generator.root})"
    exponent = f"({this.closed_atom(distance)} * {written})"
    ratio = this.side(sympy.exp(distance * epsilon))
    closed = this.closed(sympy.exp(distance * epsilon))
    if power == 1:
        proof = f"(f_equal exp (ltac:(field) : {exponent} = {base}))"
    else:
        proof = f"(exp_power {base} {power} {exponent} ltac:(simpl INR; field))"
    return CoqLevel(exponent, ratio, closed, proof)


def _power(unit: CoqLevel, distance: Any, exponent: str) -> CoqLevel:
    """The bound of so many units of a logarithm."""
    raised = f"(exp_power {unit.epsilon} {distance} {exponent} ltac:(simpl INR; ring))"
    return CoqLevel(
        exponent,
        Side(f"{unit.ratio.atom()} ^ {distance}", unit.ratio.value**distance),
        f"(({unit.closed_ratio}) ^ {distance})",
        f"(eq_trans {raised} (f_equal (fun z => z ^ {distance}) {unit.proof}))",
    )


def _bounded(this: MatrixTheorems, level: CoqLevel, x: int, x2: int) -> str:
    """The proof of `bounded_pair` where there is a bound."""

    def below(y: int) -> str:
        left, right = this.cells[x][y], product(level.ratio, this.cells[x2][y])
        return f"({this.algebra.inequality(f'ratio_{x}_{x2}_{y}', left, '<=', right)})"

    rows = f"({this.at(f'{this.name}_rows')})"
    cells = f"cell {rows} {x}%nat y <= bound_ * cell {rows} {x2}%nat y"
    stated = f"fun bound_ => exp {level.epsilon} = bound_ /\\ each {this.m} (fun y => {cells})"
    proofs = f"(conj {level.proof} {each(this.m, below)})"
    return f"(ex_intro ({stated}) ({level.closed_ratio}) {proofs})"


def _pairs(this: MatrixTheorems, pair: Any) -> str:
    return each(this.d, lambda x: each(this.d, lambda x2: pair(x, x2)))


def _marks(this: MatrixTheorems, level: CoqLevel, x: int, x2: int) -> list[bool | None]:
    """Return for each output if it exceeds the bound (true), does not (false) or may do either."""

    def mark(y: int) -> bool | None:
        cell, other = this.cells[x][y], product(level.ratio, this.cells[x2][y])
        if this.algebra.certifies(cell, "<=", other):
            return False
        return True if this.algebra.certifies(other, "<=", cell) else None

    return [mark(y) for y in range(this.m)]


def _events(marks: list[bool | None]) -> list[list[bool]]:
    """The events that are looked at, in the order of the library's `events`.

    Raises:
        NotCertifiedError: they are too many.
    """
    if marks.count(None) > MOST_FREE:
        raise NotCertifiedError(f"more than 2^{MOST_FREE} events of one pair of inputs")
    options = [(True, False) if mark is None else (mark,) for mark in marks]
    return [list(event) for event in itertools.product(*options)]


def _excess(this: MatrixTheorems, level: CoqLevel, above: list[bool], x: int, x2: int) -> Side:
    """The sum over the outputs of an event, as the library unfolds it."""
    terms = []
    for y, over in enumerate(above):
        cell, other = this.cells[x][y], product(level.ratio, this.cells[x2][y])
        gap = Side(f"{cell.atom()} - {other.text}", cell.value - other.value)
        terms.append(gap if over else ZERO)
    return total(terms)


def _listed(above: list[bool]) -> str:
    return "[" + "; ".join("true" if over else "false" for over in above) + "]"


def _marked(marks: list[bool | None]) -> str:
    words = {True: "Some true", False: "Some false", None: "None"}
    return "[" + "; ".join(words[mark] for mark in marks) + "]"


def delta_bound(this: MatrixTheorems, claim: LDP) -> None:
    """The theorem of an (epsilon, delta) claim, for every set of outputs.

    Raises:
        NotCertifiedError: too many events have to be looked at, or one has no certificate.
    """
    level, delta = this.level(claim.epsilon), this.side(claim.delta)
    marks = [[_marks(this, level, x, x2) for x2 in range(this.d)] for x in range(this.d)]

    def pair(x: int, x2: int) -> str:
        def sign(y: int) -> str:
            cell, other = this.cells[x][y], product(level.ratio, this.cells[x2][y])
            mark = marks[x][x2][y]
            if mark is None:
                return "I"
            sides = (other, cell) if mark else (cell, other)
            return f"({this.algebra.inequality(f'sign_{x}_{x2}_{y}', sides[0], '<=', sides[1])})"

        shown, events = [], _events(marks[x][x2])
        for number, event in enumerate(events):
            name = f"delta_{x}_{x2}" + (f"_{number}" if len(events) > 1 else "")
            excess = _excess(this, level, event, x, x2)
            shown.append(f"(conj ({this.algebra.inequality(name, excess, '<=', delta)}) ")
        summed = "".join(shown) + "I" + ")" * len(shown)
        return f"(conj eq_refl (conj {each(this.m, sign)} {summed}))"

    rows = "; ".join("[" + "; ".join(map(_marked, row)) + "]" for row in marks)
    this.theorem(
        "ldp_delta",
        f"ldp_delta ({this.applied}) {level.epsilon} {this.closed_atom(claim.delta)}",
        f"apply matrix_delta with (U := {level.closed_ratio})",
        f"  (marks := fun x x' => nth x' (nth x [{rows}] []) []); "
        f"{this.goals(level.proof, _pairs(this, pair))}.",
    )


def delta_reached(this: MatrixTheorems, claim: LDP) -> None:
    """The theorem that a set of outputs reaches the bound.

    Raises:
        NotCertifiedError: no event of any pair reaches delta, or they are too many.
    """
    level, delta = this.level(claim.epsilon), this.side(claim.delta)
    for x, x2 in itertools.product(range(this.d), repeat=2):
        for event in _events(_marks(this, level, x, x2)):
            excess = _excess(this, level, event, x, x2)
            if cancelled(excess.value - delta.value) != 0:
                continue
            equal = this.algebra.equation("delta_reached", excess, delta)
            this.theorem(
                "delta_tight",
                f"ldp_delta_tight ({this.applied}) {level.epsilon} {this.closed_atom(claim.delta)}",
                f"apply matrix_delta_tight with (U := {level.closed_ratio}) (x := {x}%nat)",
                f"  (x' := {x2}%nat) (above := {_listed(event)}); "
                f"{this.goals(level.proof, 'ltac:(lia)', 'ltac:(lia)', f'({equal})')}.",
            )
            return
    raise NotCertifiedError("no pair reaches delta")
