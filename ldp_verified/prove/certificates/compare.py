"""Obligations of claims that set a mechanism beside another one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ldp_verified.kinds import PAIRS, Kind
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    Claim,
    Domain,
    Obligation,
    ParsedRow,
    Tables,
)
from ldp_verified.prove.certificates.polynomials import Fraction, Ring


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
    """Obligations that two tables have the same outputs, nameless; see `prove.statements.outputs`.

    Where columns are listed, these decide. Else both tables have one structure of the same sizes,
    and then their pair tables do.
    """
    ring = tables.ring
    own, other = claim["outputs"]

    def stated(name: str, why: str) -> Obligation:
        return Obligation(
            position,
            Kind.SAME_TABLE,
            f"same_table/{position}/{name}",
            "impossible" if why else "==",
            ring.constant(0),
            wide,
            reason=why,
        )

    if own is None or other is None or ("columns" in own) != ("columns" in other):
        yield stated("outputs", "which outputs the two tables have is not compared")
    elif "columns" in own:
        yield from (stated(*each) for each in _columns(ring, own["columns"], other["columns"]))
    elif own["structure"] != other["structure"] or not _same_sizes(ring, own, other):
        yield stated("outputs", "the outputs of the two tables are of different structures")
    else:
        yield from (stated(*each) for each in _pairs(ring, tables, claim))


def _same_sizes(ring: Ring, own: Claim, other: Claim) -> bool:
    sizes = [[ring.parse(text) for text in side["sizes"]] for side in (own, other)]
    return len(sizes[0]) == len(sizes[1]) and all(
        not ring.add(a, b, -1).numerator for a, b in zip(*sizes, strict=True)
    )


def _columns(
    ring: Ring, own: Sequence[Sequence[str]], other: Sequence[Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """(name, why not): every output of either table is as often in the other one."""
    sides = [[[ring.parse(text) for text in each] for each in side] for side in (own, other)]
    # An output that no input gives is none.
    here, there = (
        [column for column in side if any(cell.numerator for cell in column)] for side in sides
    )
    for y, column in enumerate(here):
        counts = [sum(_same_column(ring, column, each) for each in side) for side in (here, there)]
        why = "" if counts[0] == counts[1] else "no output of the other table is equal to it"
        yield f"here/{y}", why
    lengths = f"no output: {len(here)} of them here, {len(there)} there"
    yield "there", "" if len(here) == len(there) else lengths


def _same_column(ring: Ring, a: Sequence[Fraction], b: Sequence[Fraction]) -> bool:
    return len(a) == len(b) and all(
        not ring.add(x, y, -1).numerator for x, y in zip(a, b, strict=True)
    )


def _pairs(ring: Ring, tables: Tables, claim: Claim) -> Iterator[tuple[str, str]]:
    """(name, why not): each pair table of either is one of the other's, equal rows merged."""
    other = Tables(ring, {"pair_tables": claim["other"], "weights": None})
    sides = ([_merged(ring, rows) for rows in side.tables] for side in (tables, other))
    own, theirs = sides
    for side, (left, right) in (("here", (own, theirs)), ("there", (theirs, own))):
        for t, rows in enumerate(left):
            found = any(_same_rows(ring, rows, rows2) for rows2 in right)
            why = "" if found else "no pair table of the other mechanism is equal to it"
            yield f"{side}/{t}", why


def _merged(ring: Ring, rows: Sequence[ParsedRow]) -> list[ParsedRow]:
    result: list[ParsedRow] = []
    for row in rows:
        for i, known in enumerate(result):
            if _same_cells(ring, row, known):
                result[i] = replace(known, count=ring.add(known.count, row.count))
                break
        else:
            result.append(row)
    return [row for row in result if row.count.numerator]


def _same_cells(ring: Ring, a: ParsedRow, b: ParsedRow) -> bool:
    equal = not ring.add(a.px, b.px, -1).numerator and not ring.add(a.px2, b.px2, -1).numerator
    return equal and (a.supports_x, a.supports_x2) == (b.supports_x, b.supports_x2)


def _same_rows(ring: Ring, left: Sequence[ParsedRow], right: Sequence[ParsedRow]) -> bool:
    return len(left) == len(right) and all(
        any(_same_cells(ring, a, b) and not ring.add(a.count, b.count, -1).numerator for b in right)
        for a in left
    )
