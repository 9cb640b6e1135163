"""Obligations of claims that set a mechanism beside another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ldp_verified.kinds import PAIRS, Kind
from ldp_verified.prove.parsed import CERTIFICATE, Claim, Domain, Obligation, Row, Tables
from ldp_verified.prove.polynomials import Ring


@CERTIFICATE.rule((Kind.BETTER,), PAIRS)
def better(tables: Tables, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Var(other) - Var(this) = condition * factor, factor > 0: positive where the condition is."""
    ring = tables.ring
    other = Tables(ring, {"pair_tables": claim["other"], "weights": claim["other_weights"]})
    condition, factor = ring.parse(claim["condition"]), ring.parse(claim["factor"])
    share = ring.parse(claim["at_f"])
    for t in range(len(tables.tables)):
        for t2 in range(len(other.tables)):
            gap = ring.add(other.variance(t2, share), tables.variance(t, share), -1)
            value = ring.add(gap, ring.multiply(condition, factor), -1)
            name = f"better/{position}/{t}/{t2}"
            yield Obligation(position, Kind.BETTER, name, "==", value, wide)
    yield Obligation(position, Kind.BETTER, f"better/{position}/factor", ">", factor, wide)


@CERTIFICATE.rule((Kind.SAME_TABLE,), PAIRS)
def same_table(tables: Tables, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Each pair table of either mechanism is one of the other's, equal rows merged."""
    ring = tables.ring
    other = Tables(ring, {"pair_tables": claim["other"], "weights": None})
    sides = ([_merged(ring, rows) for rows in side.tables] for side in (tables, other))
    own, theirs = sides
    for side, (left, right) in (("here", (own, theirs)), ("there", (theirs, own))):
        for t, rows in enumerate(left):
            found = any(_same_rows(ring, rows, rows2) for rows2 in right)
            yield Obligation(
                position,
                Kind.SAME_TABLE,
                f"same_table/{position}/{side}/{t}",
                "==" if found else "impossible",
                ring.constant(0),
                wide,
                reason="" if found else "no pair table of the other mechanism is equal to it",
            )


def _merged(ring: Ring, rows: Sequence[Row]) -> list[Row]:
    result: list[Row] = []
    for row in rows:
        for i, known in enumerate(result):
            if _same_cells(ring, row, known):
                result[i] = replace(known, count=ring.add(known.count, row.count))
                break
        else:
            result.append(row)
    return [row for row in result if row.count.numerator]


def _same_cells(ring: Ring, a: Row, b: Row) -> bool:
    equal = not ring.add(a.px, b.px, -1).numerator and not ring.add(a.px2, b.px2, -1).numerator
    return equal and (a.supports_x, a.supports_x2) == (b.supports_x, b.supports_x2)


def _same_rows(ring: Ring, left: Sequence[Row], right: Sequence[Row]) -> bool:
    return len(left) == len(right) and all(
        any(_same_cells(ring, a, b) and not ring.add(a.count, b.count, -1).numerator for b in right)
        for a in left
    )
