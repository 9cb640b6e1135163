"""From a statement to the obligations that make its claims true; without sympy.

This is the part of the certificate verifier that decides *what* has to be shown. It reads the rows
and the claims and nothing else, so that a certificate for another table or another claim does not
fit. An obligation says that a rational function is 0, or >= 0, or > 0 on the domain.

The statement (variables, pair tables, claims, all as text) is a JSON object:
    variables    [Variable, ...] in the order in which bounds refer to each other
    pair_tables  [{"pair": str, "rows": [row, ...]}, ...], a row being
                 {"outputs", "count", "px", "px2", "supports_x", "supports_x2"}
    weights      null, or for each pair table [[own, other], ...] per row: what the output adds to
                 the estimates of x and of x'
    claims       [{"kind": ...}, ...]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_verified.prove.domains import Variable
from ldp_verified.prove.polynomials import ExpressionError, Fraction, Ring

USERS = Variable("n", "1", None, False, False, True)
SHARE = Variable("f", "0", "1", False, False, False)


@dataclass(frozen=True)
class Obligation:
    """`value` relation 0 on the domain of `variables`.

    Attributes:
        claim: position of the claim, None for the laws of every table.
        kind: nonnegative | sums_to_one | equal_support | ratio | tight | unbiased | variance |
            optimal | holds.
        name: unique in the statement, says which row.
        relation: "==", ">=", ">".
        value: a rational function over `variables`.
        variables: the domain. domain: its name in a certificate.
        reason: why it cannot even be stated ("division by zero"); then `relation` is "impossible".
    """

    claim: int | None
    kind: str
    name: str
    relation: str
    value: Fraction
    variables: tuple[Variable, ...]
    domain: str = "main"
    reason: str = ""


@dataclass(frozen=True)
class _Row:
    count: Fraction
    px: Fraction
    px2: Fraction
    supports_x: bool | None
    supports_x2: bool | None


class _Tables:
    """The parsed pair tables, with what is computed from their rows."""

    def __init__(self, ring: Ring, statement: Mapping[str, Any]) -> None:
        self.ring = ring
        self.tables = [
            [
                _Row(
                    ring.parse(row["count"]),
                    ring.parse(row["px"]),
                    ring.parse(row["px2"]),
                    row["supports_x"],
                    row["supports_x2"],
                )
                for row in table["rows"]
            ]
            for table in statement["pair_tables"]
        ]
        written = statement["weights"]
        self.written = (
            None
            if written is None
            else [[(ring.parse(own), ring.parse(other)) for own, other in t] for t in written]
        )

    def sum(self, terms: Iterator[Fraction]) -> Fraction:
        total = self.ring.constant(0)
        for term in terms:
            total = self.ring.add(total, term)
        return total

    def weights(self, t: int) -> list[tuple[Fraction, Fraction]]:
        """What each row adds to the estimates of x and x'.

        As written, else (1[support] - q*)/(p* - q*) from the rows.
        """
        if self.written is not None:
            return self.written[t]
        ring, rows = self.ring, self.tables[t]
        if any(row.supports_x is None or row.supports_x2 is None for row in rows):
            raise ExpressionError("the statement has neither weights nor support")
        p_star = self.sum(ring.multiply(r.count, r.px) for r in rows if r.supports_x)
        q_star = self.sum(ring.multiply(r.count, r.px) for r in rows if r.supports_x2)
        spread = ring.add(p_star, q_star, -1)
        one = ring.constant(1)
        yes = ring.divide(ring.add(one, q_star, -1), spread)
        no = ring.divide(ring.add(ring.constant(0), q_star, -1), spread)
        return [(yes if r.supports_x else no, yes if r.supports_x2 else no) for r in rows]

    def moment(
        self, t: int, weights: Sequence[tuple[Fraction, Fraction]], which: int, exponent: int
    ) -> Fraction:
        """E[weight**exponent] under x, of the estimate of x (which = 0) or of x' (which = 1)."""
        ring = self.ring
        terms = []
        for row, pair in zip(self.tables[t], weights, strict=True):
            term = ring.multiply(row.count, row.px)
            for _ in range(exponent):
                term = ring.multiply(term, pair[which])
            terms.append(term)
        return self.sum(iter(terms))

    def variance(self, t: int, share: Fraction) -> Fraction:
        """Per user: share * Var(estimate of x | x) + (1 - share) * Var(estimate of x' | x)."""
        ring, weights = self.ring, self.weights(t)
        parts = []
        for which in (0, 1):
            mean = self.moment(t, weights, which, 1)
            second = self.moment(t, weights, which, 2)
            parts.append(ring.add(second, ring.multiply(mean, mean), -1))
        rest = ring.add(ring.constant(1), share, -1)
        return ring.add(ring.multiply(share, parts[0]), ring.multiply(rest, parts[1]))


def obligations(statement: Mapping[str, Any]) -> list[Obligation]:
    """Everything that has to be shown for the statement's laws and claims.

    Raises:
        ExpressionError, KeyError, TypeError, ValueError: the statement is malformed.
    """
    variables = tuple(Variable.from_json(entry) for entry in statement["variables"])
    wide = (*variables, USERS, SHARE)
    ring = Ring([v.name for v in wide])
    tables = _Tables(ring, statement)
    found = [*_laws(tables, wide)]
    for position, claim in enumerate(statement["claims"]):
        try:
            found += _KINDS[claim["kind"]](tables, wide, position, claim)
        except ExpressionError as error:
            kind = _NAMES.get(claim["kind"], claim["kind"])
            zero = ring.constant(0)
            name = f"{kind}/{position}/impossible"
            found.append(
                Obligation(position, kind, name, "impossible", zero, wide, reason=str(error))
            )
    return found


def _laws(tables: _Tables, wide: tuple[Variable, ...]) -> Iterator[Obligation]:
    ring = tables.ring
    one = ring.constant(1)
    for t, rows in enumerate(tables.tables):
        for r, row in enumerate(rows):
            for field in ("count", "px", "px2"):
                value = getattr(row, field)
                yield Obligation(
                    None, "nonnegative", f"nonnegative/{t}/{r}/{field}", ">=", value, wide
                )
        for field in ("px", "px2"):
            total = tables.sum(ring.multiply(row.count, getattr(row, field)) for row in rows)
            value = ring.add(total, one, -1)
            yield Obligation(None, "sums_to_one", f"sums_to_one/{t}/{field}", "==", value, wide)
        for r, row in enumerate(rows):
            if not row.count.numerator or not (row.px.numerator or row.px2.numerator):
                continue
            for field in ("px", "px2"):
                value = getattr(row, field)
                name = f"equal_support/{t}/{r}/{field}"
                yield Obligation(None, "equal_support", name, ">", value, wide)


def _ldp(
    tables: _Tables, wide: tuple[Variable, ...], position: int, claim: Mapping[str, Any]
) -> Iterator[Obligation]:
    ring = tables.ring
    bound = ring.parse(claim["ratio"])
    best: tuple[int, int] | None = None
    for t, rows in enumerate(tables.tables):
        for r, row in enumerate(rows):
            if not row.count.numerator:
                continue
            value = ring.add(ring.multiply(bound, row.px2), row.px, -1)
            yield Obligation(position, "ratio", f"ratio/{position}/{t}/{r}", ">=", value, wide)
            if best is None and not value.numerator and row.px.numerator:
                best = t, r
    if claim["tight"]:
        t, r = best if best is not None else (0, 0)
        row = tables.tables[t][r]
        value = ring.add(ring.multiply(bound, row.px2), row.px, -1)
        yield Obligation(position, "tight", f"tight/{position}/{t}/{r}/equal", "==", value, wide)
        for field in ("count", "px"):
            value = getattr(row, field)
            yield Obligation(
                position, "tight", f"tight/{position}/{t}/{r}/{field}", ">", value, wide
            )


def _unbiased(
    tables: _Tables, wide: tuple[Variable, ...], position: int, claim: Mapping[str, Any]
) -> Iterator[Obligation]:
    ring = tables.ring
    for t, rows in enumerate(tables.tables):
        if claim["supported"] is None:
            weights = tables.weights(t)
        else:
            yes, no = ring.parse(claim["supported"]), ring.parse(claim["otherwise"])
            weights = [(yes if r.supports_x else no, yes if r.supports_x2 else no) for r in rows]
        for which, target in ((0, 1), (1, 0)):
            value = ring.add(tables.moment(t, weights, which, 1), ring.constant(target), -1)
            name = f"unbiased/{position}/{t}/{'own' if which == 0 else 'other'}"
            yield Obligation(position, "unbiased", name, "==", value, wide)


def _variance(
    tables: _Tables, wide: tuple[Variable, ...], position: int, claim: Mapping[str, Any]
) -> Iterator[Obligation]:
    ring = tables.ring
    share = ring.parse("f" if claim["at_f"] is None else claim["at_f"])
    for t in range(len(tables.tables)):
        total = ring.multiply(ring.variable("n"), tables.variance(t, share))
        value = ring.add(total, ring.parse(claim["value"]), -1)
        yield Obligation(position, "variance", f"variance/{position}/{t}", "==", value, wide)


def _optimal_parameter(
    tables: _Tables, wide: tuple[Variable, ...], position: int, claim: Mapping[str, Any]
) -> Iterator[Obligation]:
    ring = tables.ring
    name, best = claim["parameter"], ring.parse(claim["value"])
    domain = next(v for v in wide if v.name == name)
    for bound, factor, side in ((domain.lower, 1, "lower"), (domain.upper, -1, "upper")):
        if bound is not None:
            gap = ring.add(best, ring.parse(bound), -1)
            value = gap if factor == 1 else ring.add(ring.constant(0), gap, -1)
            is_open = domain.lower_open if side == "lower" else domain.upper_open
            relation = ">" if is_open else ">="
            yield Obligation(
                position, "optimal", f"optimal/{position}/{side}", relation, value, wide
            )
    for t in range(len(tables.tables)):
        current = tables.variance(t, ring.parse(claim["at_f"]))
        value = ring.add(current, ring.substitute(current, {name: best}), -1)
        yield Obligation(position, "optimal", f"optimal/{position}/{t}", ">=", value, wide)


def _optimal_bits(
    tables: _Tables, wide: tuple[Variable, ...], position: int, claim: Mapping[str, Any]
) -> Iterator[Obligation]:
    """Obligations of an optimum over cells: no one-hot table of tight ratio <= u does better.

    Every one-hot table with one > zero has a level v = one (1 - zero)/(zero (1 - one)) > 1, which
    is its tight ratio, and one = v zero/(1 + (v - 1) zero). So at levels v <= u it is enough that
    V(zero, v) >= V0(v) and V0(v) >= V0(u), where V0 is the variance of the claimed cells. The level
    is written as level_**root, level_ <= the generator, so that the claimed cells stay rational.
    """
    generator, root = claim["generator"], claim["root"]
    level = Variable("level_", "1", None, True, False, False)
    shared = tuple(
        Variable(v.name, "level_", None, False, False, False) if v.name == generator else v
        for v in wide
    )
    zero = Variable("zero_", "0", "1", True, True, False)
    domain = (level, *shared, zero)
    domain_name = f"levels/{position}"
    ring = Ring([v.name for v in domain])
    bits = _bits_rows(ring)
    claimed = {name: ring.parse(claim[name]) for name in ("one", "zero")}
    v = ring.constant(1)
    for _ in range(root):
        v = ring.multiply(v, ring.variable("level_"))
    z = ring.variable("zero_")
    below = ring.add(ring.constant(1), ring.multiply(ring.add(v, ring.constant(1), -1), z))
    one = ring.divide(ring.multiply(v, z), below)
    share = ring.parse(claim["at_f"])

    def variance(first: Fraction, second: Fraction) -> Fraction:
        return bits(first, second).variance(0, share)

    optimum = variance(claimed["one"], claimed["zero"])
    optimum_at_level = ring.substitute(optimum, {generator: ring.variable("level_")})
    top = ring.constant(1)
    for _ in range(root):
        top = ring.multiply(top, ring.variable(generator))
    rows = bits(claimed["one"], claimed["zero"]).tables[0]
    level_of_claimed = ring.add(rows[1].px, ring.multiply(top, rows[1].px2), -1)
    own = [tables.ring.parse(claim[name]) for name in ("one", "zero")]
    actual = _bits_rows(tables.ring)(*own).tables[0]
    for r, (row, declared) in enumerate(zip(actual, tables.tables[0], strict=True)):
        for field in ("px", "px2"):
            value = tables.ring.add(getattr(row, field), getattr(declared, field), -1)
            name = f"optimal/{position}/cells/{r}/{field}"
            yield Obligation(position, "optimal", name, "==", value, wide)
    yield Obligation(
        position,
        "optimal",
        f"optimal/{position}/level",
        "==",
        level_of_claimed,
        domain,
        domain_name,
    )
    value = ring.add(variance(one, z), optimum_at_level, -1)
    yield Obligation(
        position, "optimal", f"optimal/{position}/at_level", ">=", value, domain, domain_name
    )
    value = ring.add(optimum_at_level, optimum, -1)
    yield Obligation(
        position, "optimal", f"optimal/{position}/across_levels", ">=", value, domain, domain_name
    )


def _bits_rows(ring: Ring) -> Callable[[Fraction, Fraction], _Tables]:
    """A function (one, zero) -> the pair table of one-hot bits with these cells."""

    def rows(one: Fraction, zero: Fraction) -> _Tables:
        tables = _Tables(ring, {"pair_tables": [], "weights": None})
        unit = ring.constant(1)

        def cell(probability: Fraction, bit: bool) -> Fraction:
            return probability if bit else ring.add(unit, probability, -1)

        tables.tables = [
            [
                _Row(
                    unit,
                    ring.multiply(cell(one, a), cell(zero, b)),
                    ring.multiply(cell(zero, a), cell(one, b)),
                    a,
                    b,
                )
                for a in (True, False)
                for b in (True, False)
            ]
        ]
        return tables

    return rows


def _holds(
    tables: _Tables, wide: tuple[Variable, ...], position: int, claim: Mapping[str, Any]
) -> Iterator[Obligation]:
    ring = tables.ring
    value = ring.add(ring.parse(claim["left"]), ring.parse(claim["right"]), -1)
    yield Obligation(position, "holds", f"holds/{position}", claim["relation"], value, wide)


_NAMES = {"ldp": "ratio", "optimal_parameter": "optimal", "optimal_bits": "optimal"}
_KINDS = {
    "ldp": _ldp,
    "unbiased": _unbiased,
    "variance": _variance,
    "optimal_parameter": _optimal_parameter,
    "optimal_bits": _optimal_bits,
    "holds": _holds,
}
