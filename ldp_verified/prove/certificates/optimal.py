"""Obligations of optimality claims: over a real parameter, or over the cells of one-hot bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ldp_verified.kinds import BITS, PAIRS, Kind
from ldp_verified.prove.certificates.domains import DomainVariable
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    Claim,
    Domain,
    Obligation,
    ParsedRow,
    Tables,
)
from ldp_verified.prove.certificates.polynomials import Fraction, Ring


@CERTIFICATE.rule((Kind.OPTIMAL,), PAIRS, words=("optimal_parameter",))
def optimal_parameter(
    tables: Tables, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    """The value lies in the domain, and nowhere in the domain is the variance smaller."""
    ring = tables.ring
    yield from within_domain(ring, wide, position, claim)
    best = {claim["parameter"]: ring.parse(claim["value"])}
    for t in range(len(tables.tables)):
        current = tables.variance(t, ring.parse(claim["at_f"]))
        value = ring.add(current, ring.substitute(current, best), -1)
        yield Obligation(position, Kind.OPTIMAL, f"optimal/{position}/{t}", ">=", value, wide)


def within_domain(ring: Ring, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """The value claimed to be the best lies between the bounds of its parameter."""
    best = ring.parse(claim["value"])
    for v in wide:
        for i, (text, strict) in enumerate(v.also):
            margin = ring.parse(text)
            value = ring.substitute(margin, {claim["parameter"]: best})
            if value == margin:
                continue
            name = f"optimal/{position}/also/{v.name}/{i}"
            yield Obligation(position, Kind.OPTIMAL, name, ">" if strict else ">=", value, wide)
    domain = next(v for v in wide if v.name == claim["parameter"])
    for bound, factor, side in ((domain.lower, 1, "lower"), (domain.upper, -1, "upper")):
        if bound is not None:
            gap = ring.add(best, ring.parse(bound), -1)
            value = gap if factor == 1 else ring.add(ring.constant(0), gap, -1)
            is_open = domain.lower_open if side == "lower" else domain.upper_open
            relation = ">" if is_open else ">="
            yield Obligation(
                position, Kind.OPTIMAL, f"optimal/{position}/{side}", relation, value, wide
            )


@CERTIFICATE.rule((Kind.OPTIMAL,), BITS, words=("optimal_bits",))
def optimal_bits(tables: Tables, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Obligations of an optimum over cells: no one-hot table of tight ratio <= u does better.

    Every one-hot table with one > zero has a level v = one (1 - zero)/(zero (1 - one)) > 1. That is
    its tight ratio, and one = v zero/(1 + (v - 1) zero). So at levels v <= u it is enough that
    V(zero, v) >= V0(v) and V0(v) >= V0(u), where V0 is the variance of the claimed cells. The level
    is written as level_**root, level_ <= the generator, so that the claimed cells stay rational.
    """
    generator, root = claim["generator"], claim["root"]
    level = DomainVariable("level_", "1", None, True, False, False)
    shared = tuple(
        DomainVariable(v.name, "level_", None, False, False, False) if v.name == generator else v
        for v in wide
    )
    zero = DomainVariable("zero_", "0", "1", True, True, False)
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
            yield Obligation(position, Kind.OPTIMAL, name, "==", value, wide)
    yield Obligation(
        position,
        Kind.OPTIMAL,
        f"optimal/{position}/level",
        "==",
        level_of_claimed,
        domain,
        domain_name,
    )
    value = ring.add(variance(one, z), optimum_at_level, -1)
    yield Obligation(
        position, Kind.OPTIMAL, f"optimal/{position}/at_level", ">=", value, domain, domain_name
    )
    value = ring.add(optimum_at_level, optimum, -1)
    yield Obligation(
        position,
        Kind.OPTIMAL,
        f"optimal/{position}/across_levels",
        ">=",
        value,
        domain,
        domain_name,
    )


def _bits_rows(ring: Ring) -> Callable[[Fraction, Fraction], Tables]:
    """A function (one, zero) -> the pair table of one-hot bits with these cells."""

    def rows(one: Fraction, zero: Fraction) -> Tables:
        tables = Tables(ring, {"pair_tables": [], "weights": None})
        unit = ring.constant(1)

        def cell(probability: Fraction, bit: bool) -> Fraction:
            return probability if bit else ring.add(unit, probability, -1)

        tables.tables = [
            [
                ParsedRow(
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
