"""Witnesses evaluated again: from the numbers that are printed, and the written-out table.

Nothing that found a witness is asked. Fractions throughout; where a statement has roots, logarithms
or erfc, sympy's 60 digits and a gap that is far above them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import Any

import sympy

from ldp_verified.analysis.utility import Contribution, contribution
from ldp_verified.check.claims import (
    AllOf,
    AskedGroups,
    Both,
    Case,
    Cases,
    Check,
    EpsilonAt,
    GaussianIs,
    Grid,
    Implies,
    Ladder,
    Law,
    Relation,
    Table,
    Tail,
)
from ldp_verified.check.claims.central import integrated
from ldp_verified.check.claims.definitions import Definition
from ldp_verified.check.claims.exact_series import exponential
from ldp_verified.kinds import Kind
from ldp_verified.language import LDP, BetterThan, Holds, Mechanism, Unbiased, Variance, f, n
from ldp_verified.protocols import SVIM
from ldp_verified.prove import Witness
from ldp_verified.prove.enumeration.expand import expand
from ldp_verified.run.realize.tables.balls import ball, decide

SMALL = sympy.Float("1e-30", 60)


def shows(check: Check, witness: Witness) -> bool:
    """Return whether the witness shows that the statement is false.

    Raises:
        NotImplementedError: nothing here evaluates such a check: its refutations stay single.
    """
    match check:
        case AllOf():
            return any(_applies(each, witness) and shows(each, witness) for each in check.checks)
        case Both():
            return any(shows(each, witness) for each in (check.one, check.other))
        case Relation():
            return not _true(check.relation, _put(_subject(check), witness))
        case Table():
            return _table(check, witness)
        case Law(mechanism=mechanism, law=Kind.EQUAL_SUPPORT):
            likely, less = _cells(mechanism, witness)
            return likely > 0 == less
        case Implies():
            return _separates(check, witness)
        case Grid() | Ladder():
            # A symbol that cancelled needs no value.
            symbols = check.relation.free_symbols
            at = {s: sympy.Rational(witness.parameters[str(s)]) for s in symbols}
            return not _true(check.relation, at)
        case EpsilonAt():
            return _epsilon(check, witness)
        case Tail():
            return _tail(check, witness)
        case GaussianIs():
            return _gaussian(check, witness)
        case AskedGroups():
            return _asked(check, witness)
        case Cases():
            case = _same_case(check, witness)
            return not case.holds and not case.again()
        case _:
            raise NotImplementedError(type(check).__name__)


def _subject(check: Relation) -> Mechanism:
    """The mechanism of a relation, which makes the claim: so it knows what stands in exponents."""
    blank, claim = check._subject()
    return Mechanism("r", parameters=blank.parameters, table=blank.table, claims=[claim])


def _applies(check: Check, witness: Witness) -> bool:
    """Return whether a witness of a conjunction can be one of this part."""
    if isinstance(check, Relation):
        return {v.name for v in _subject(check).variables} == set(witness.parameters)
    if isinstance(check, Table):
        names = {v.name for v in check.mechanism.variables}
        placed = {"x", "x'", "y"} <= set(witness.values)
        return isinstance(check.claim, LDP) and placed and names == set(witness.parameters)
    return True


def _put(mechanism: Mechanism, witness: Witness) -> dict[Any, Any]:
    """Exact values of the parameters; eps from that of e^(eps/q)."""
    names = {p.name: p for p in mechanism.parameters}
    generator = mechanism.generator
    found: dict[Any, Any] = {}
    for name, value in witness.parameters.items():
        if name in names:
            found[names[name]] = sympy.Rational(value)
        else:
            assert name == generator.symbol.name, name
            found[generator.eps] = generator.root * sympy.log(sympy.Rational(value))
    return found


def _true(relation: Any, at: Mapping[Any, Any]) -> bool:
    """Return whether a relation holds at exact values; exactly where both sides are rational."""
    gap = sympy.expand(relation.lhs.subs(at) - relation.rhs.subs(at))
    if not gap.is_Rational:
        gap = sympy.N(gap, 60)
        assert abs(gap) > SMALL, gap
    signs = {"==": gap == 0, "<=": gap <= 0, "<": gap < 0, ">=": gap >= 0, ">": gap > 0}
    return bool(signs[relation.rel_op])


def _table(check: Table, witness: Witness) -> bool:
    mechanism, claim, values = check.mechanism, check.claim, witness.values
    at = _put(mechanism, witness)
    point = {name: Fraction(value) for name, value in witness.parameters.items()}
    if isinstance(claim, Holds):
        return not _true(claim.relation, at)
    if isinstance(claim, LDP):
        likely, less = _cells(mechanism, witness)
        ratio = sympy.Rational(str(likely)) / sympy.Rational(str(less))
        return not _true(sympy.Le(ratio, sympy.exp(claim.epsilon), evaluate=False), at)
    if isinstance(claim, BetterThan):
        claim = claim.bound_to(mechanism.parameters)
        assert claim.table is not None
        other = Mechanism("other", parameters=mechanism.parameters, table=claim.table)
        share = Fraction(values["f"])
        here, there = (_per_user(m, point, 0, 1, share) for m in (mechanism, other))
        return (here < there) is not _true(claim.condition, {**at, f: sympy.Rational(str(share))})
    if isinstance(claim, Variance):
        users, share = Fraction(values["n"]), Fraction(values["f"])
        v, x = (mechanism_input(mechanism, point, values[k]) for k in ("v", "other users' value"))
        found = users * _per_user(mechanism, point, v, x, share)
        assert found == Fraction(values["variance"])
        put = {**at, n: sympy.Rational(str(users)), f: sympy.Rational(str(share))}
        return bool(sympy.expand(claim.value.subs(put)) != sympy.Rational(str(found)))
    if isinstance(claim, Unbiased):
        v, x = (mechanism_input(mechanism, point, values[k]) for k in ("v", "x"))
        table = expand(mechanism, point)
        supports = [c for c in table.columns if c.supports is not None and v in c.supports]
        mass = sum((c.multiplicity * table.probability(c, x) for c in supports), Fraction(0))
        adds = [Fraction(str(sympy.expand(w.subs(at)))) for w in (claim.supported, claim.otherwise)]
        mean = adds[0] * mass + adds[1] * (1 - mass)
        assert mean == Fraction(values["expectation"])
        return mean != int(x == v)
    raise NotImplementedError(type(claim).__name__)


def _cells(mechanism: Mechanism, witness: Witness) -> tuple[Fraction, Fraction]:
    """P(y|x) and P(y|x') at the witness: of the table that is written out, and as printed."""
    point = {name: Fraction(value) for name, value in witness.parameters.items()}
    table, values = expand(mechanism, point), witness.values
    (column,) = (each for each in table.columns if str(each.output) == values["y"])
    places = [mechanism_input(mechanism, point, values[name]) for name in ("x", "x'")]
    likely, less = (table.probability(column, x) for x in places)
    assert (likely, less) == (Fraction(values["P(y|x)"]), Fraction(values["P(y|x')"]))
    return likely, less


def mechanism_input(mechanism: Mechanism, point: Mapping[str, Fraction], shown: str) -> int:
    """The position of an input by its printed name."""
    return [str(x) for x in expand(mechanism, point).inputs].index(shown)


def _per_user(
    mechanism: Mechanism, point: Mapping[str, Fraction], v: int, x: int, share: Fraction
) -> Fraction:
    """The variance that one user adds, a share of whom hold v and the others x."""
    own, others = contribution(mechanism, point, v, v), contribution(mechanism, point, x, v)
    return share * own.variance + (1 - share) * others.variance


def _separates(check: Implies, witness: Witness) -> bool:
    """Both definitions from the printed rows, by sets of outputs and by single ones."""
    level, delta = (Fraction(witness.parameters[k]) for k in ("e^eps", "delta"))
    rows = {
        name.removeprefix("P(.|").removesuffix(")"): [Fraction(p) for p in row.split(", ")]
        for name, row in witness.values.items()
        if name.startswith("P(.|")
    }
    assert all(sum(row) == 1 and min(row) >= 0 for row in rows.values())
    return _has(check.premise, rows, level, delta) and not _has(
        check.conclusion, rows, level, delta
    )


def _has(
    definition: Definition, rows: Mapping[str, list[Fraction]], level: Fraction, delta: Fraction
) -> bool:
    bound = level**definition.power
    for x, p in rows.items():
        for y, q in rows.items():
            if x == y or not _neighbours(definition, x, y):
                continue
            if definition.text.startswith("Pr[L"):
                needed = sum((a for a, b in zip(p, q, strict=True) if a > bound * b), Fraction(0))
            elif "single output" in definition.text:
                needed = max(a - bound * b for a, b in zip(p, q, strict=True))
            else:
                sets = range(1 << len(p))
                needed = max(
                    sum((p[i] - bound * q[i] for i in range(len(p)) if s >> i & 1), Fraction(0))
                    for s in sets
                )
            if needed > definition.scale(len(p)) * delta:
                return False
    return True


def _neighbours(definition: Definition, x: str, y: str) -> bool:
    if "databases" not in definition.text:
        return True
    one, other = (sorted(each.strip("{}").replace(",", "")) for each in (x, y))
    if "replaced" in definition.text:
        return len(one) == len(other)
    return abs(len(one) - len(other)) == 1


def _epsilon(check: EpsilonAt, witness: Witness) -> bool:
    """The printed probabilities are those of the table, and their ratio is above the series."""
    point = {name: Fraction(value) for name, value in witness.parameters.items()}
    table = expand(check.mechanism, point)
    x, x2 = (mechanism_input(check.mechanism, point, witness.values[k]) for k in ("x", "x'"))
    top, bottom = (Fraction(witness.values[k]) for k in ("P(y|x)", "P(y|x')"))
    pairs = {(table.probability(c, x), table.probability(c, x2)) for c in table.columns}
    assert (top, bottom) in pairs
    put = {p: sympy.Rational(str(point[p.name])) for p in check.mechanism.parameters}
    claimed = Fraction(str(sympy.sympify(check.claimed).subs(put)))
    return top > exponential(claimed)[1] * bottom


def _tail(check: Tail, witness: Witness) -> bool:
    """Binomial sums in fractions, group by group."""
    formulas = [check.threshold, check.beta, check.events]
    for group in check.groups:
        formulas += [group.chance, group.high, group.low, group.count]
    symbols = {str(s): s for e in formulas for s in sympy.sympify(e).free_symbols}
    at = {symbols[k]: sympy.Rational(v) for k, v in witness.parameters.items()}

    def number(expression: Any) -> Fraction:
        return Fraction(str(sympy.sympify(expression).subs(at)))

    above = Fraction(str(sympy.N(check.threshold.subs(at), 40))) + Fraction(1, 10**20)
    sums, mean = {Fraction(0): Fraction(1)}, Fraction(0)
    for group in check.groups:
        chance, high, low = number(group.chance), number(group.high), number(group.low)
        count = int(number(group.count))
        mean += count * Contribution([(high, chance), (low, 1 - chance)]).mean
        more: dict[Fraction, Fraction] = {}
        for total, share in sums.items():
            for i in range(count + 1):
                place = total + i * high + (count - i) * low
                weight = share * comb(count, i) * chance**i * (1 - chance) ** (count - i)
                more[place] = more.get(place, Fraction(0)) + weight
        sums = more
    far = sum((p for total, p in sums.items() if abs(total - mean) > above), Fraction(0))
    return 1 - (1 - far) ** int(number(check.events)) > number(check.beta)


def _gaussian(check: GaussianIs, witness: Witness) -> bool:
    """The integral of the positive part of a difference of densities, at the printed values."""
    symbols = {str(s): s for s in check.values}
    at = {symbols[k]: sympy.Rational(v) for k, v in witness.parameters.items()}
    sigma, epsilon, delta = (
        Fraction(str(sympy.N(sympy.sympify(e).subs(at), 40)))
        for e in (check.sigma, check.epsilon, check.delta)
    )
    return bool(decide(lambda: bool(integrated(epsilon, sigma) > ball(delta))))


def _asked(check: AskedGroups, witness: Witness) -> bool:
    """Clients that are drawn into groups are in the printed ones, which are not those claimed."""
    drawn = {SVIM(1.0, 4, 1).client(rng=seed).group for seed in range(200)}
    return str(len(drawn)) == witness.values["groups"] != str(check.groups)


def _same_case(check: Cases, witness: Witness) -> Case:
    """The case that is printed, made again."""
    for case in check.cases():
        shown = {name: str(value) for name, value in case.parameters.items()}
        values = {name: str(value) for name, value in case.values.items()}
        if (shown, values) == (dict(witness.parameters), dict(witness.values)):
            return case
    raise AssertionError("no case has these values")
