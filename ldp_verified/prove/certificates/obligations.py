"""List what makes the claims of a statement true; without sympy.

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
    defined      what must hold for all of it to have a value: see `defined`
A large explicit table has its `matrix` instead of pair tables: see `columns`. Points on a line have
formulas: see `point_obligations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ldp_verified.kinds import FINITE, PAIRS, Kind, TableForm
from ldp_verified.prove.certificates import column_obligations, compare, optimal
from ldp_verified.prove.certificates.columns import Columns
from ldp_verified.prove.certificates.defined import defined
from ldp_verified.prove.certificates.density_obligations import density_obligations
from ldp_verified.prove.certificates.domains import SHARE, USERS, DomainVariable
from ldp_verified.prove.certificates.events import with_delta
from ldp_verified.prove.certificates.parsed_statement import (
    CERTIFICATE,
    LAWS,
    Claim,
    Domain,
    Obligation,
    Tables,
    rule_for,
)
from ldp_verified.prove.certificates.point_obligations import point_obligations
from ldp_verified.prove.certificates.polynomials import ExpressionError, Ring


def obligations(statement: Mapping[str, Any]) -> list[Obligation]:
    """Everything that has to be shown for the statement's laws and claims.

    Raises:
        ExpressionError, KeyError, TypeError, ValueError: the statement is malformed.
    """
    if "points" in statement:
        return [*point_obligations(statement), *defined(statement)]
    if "pieces" in statement or "noise" in statement:
        return [*density_obligations(statement), *defined(statement)]
    variables = tuple(DomainVariable.from_json(entry) for entry in statement["variables"])
    wide = (*variables, USERS, SHARE)
    ring = Ring([v.name for v in wide])
    large = "matrix" in statement
    tables: Any = Columns(ring, statement) if large else Tables(ring, statement)
    forms = (TableForm.LARGE,) if large else PAIRS
    laws = rule_for({"kind": Kind.NONNEGATIVE}, *forms)
    found = [*laws(tables, wide, shared=_shared_support(statement, ring))]
    for position, claim in enumerate(statement["claims"]):
        try:
            if claim.get("other", ()) is None:
                raise ExpressionError("the other table is too large to be compared")
            listing = _with_exponent if "exponent" in claim else _plain
            found += listing(rule_for(claim, *forms), tables, wide, position, claim)
        except ExpressionError as error:
            kind = CERTIFICATE.kinds_of(claim["kind"])[0]
            zero = ring.constant(0)
            name = f"{kind}/{position}/impossible"
            found.append(
                Obligation(position, kind, name, "impossible", zero, wide, reason=str(error))
            )
    return [*found, *defined(statement)]


def _shared_support(statement: Mapping[str, Any], ring: Ring) -> bool:
    """Return whether every input has to be able to give what one can.

    No finite eps holds without it; where all that is claimed of privacy has a delta, none need.
    """
    private = [claim for claim in statement["claims"] if claim["kind"] == "ldp"]
    try:
        return not private or any(not ring.parse(claim["delta"]).numerator for claim in private)
    except ExpressionError:
        return True


@CERTIFICATE.rule(LAWS, PAIRS)
def _laws(tables: Tables, wide: Domain, *, shared: bool) -> Iterator[Obligation]:
    ring = tables.ring
    one = ring.constant(1)
    for t, rows in enumerate(tables.tables):
        for r, row in enumerate(rows):
            for field in ("count", "px", "px2"):
                value = getattr(row, field)
                yield Obligation(
                    None, Kind.NONNEGATIVE, f"nonnegative/{t}/{r}/{field}", ">=", value, wide
                )
        for field in ("px", "px2"):
            total = tables.sum(ring.multiply(row.count, getattr(row, field)) for row in rows)
            value = ring.add(total, one, -1)
            yield Obligation(None, Kind.SUMS_TO_ONE, f"sums_to_one/{t}/{field}", "==", value, wide)
        for r, row in enumerate(rows if shared else ()):
            if not row.count.numerator or not (row.px.numerator or row.px2.numerator):
                continue
            for field in ("px", "px2"):
                value = getattr(row, field)
                name = f"equal_support/{t}/{r}/{field}"
                yield Obligation(None, Kind.EQUAL_SUPPORT, name, ">", value, wide)


@CERTIFICATE.rule((Kind.RATIO, Kind.TIGHT), PAIRS, words=("ldp",))
def _ldp(tables: Tables, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    """Obligations of an LDP claim: each row within the bound; with a delta, each event."""
    ring = tables.ring
    if ring.parse(claim["delta"]).numerator:
        yield from with_delta(tables, wide, position, claim)
        return
    tightest: list[Obligation] | None = None
    for t, (rows, written) in enumerate(zip(tables.tables, claim["bounds"], strict=True)):
        if written is None:
            continue
        bound = ring.parse(written)
        for r, row in enumerate(rows):
            if not row.count.numerator:
                continue
            slack = ring.add(ring.multiply(bound, row.px2), row.px, -1)
            name = f"ratio/{position}/{t}/{r}"
            met = Obligation(
                None, Kind.NONNEGATIVE, f"nonnegative/{t}/{r}/count", ">", row.count, wide
            )
            yield Obligation(position, Kind.RATIO, name, ">=", slack, wide, needed=True, where=met)
            if tightest is None and not slack.numerator and row.px.numerator:
                name = f"tight/{position}/{t}/{r}"
                tightest = [
                    Obligation(position, Kind.TIGHT, f"{name}/equal", "==", slack, wide),
                    Obligation(position, Kind.TIGHT, f"{name}/count", ">", row.count, wide),
                    Obligation(position, Kind.TIGHT, f"{name}/px", ">", row.px, wide),
                ]
    if claim["tight"]:
        zero = ring.constant(0)
        why = "no row reaches the bound"
        none = Obligation(
            position, Kind.TIGHT, f"tight/{position}", "impossible", zero, wide, reason=why
        )
        yield from tightest or [none]


REGISTERED = (column_obligations, compare, optimal)
"""Modules with rules for further cells."""

TERMS = 7
"""The number of terms of the series of e^x that is used for an x with parameters."""

MOST_TERMS = 400
"""The largest number of terms of the series of e^x that is used where x is a number."""


def _plain(
    listing: Any, tables: Any, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    yield from listing(tables, wide, position, claim)


def _with_exponent(
    listing: Any, tables: Any, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    """A bound factor * e^x, by 1 + x + ... + x^m/m! <= e^x for x >= 0, and the factor >= 0.

    Never with equality: for a rational function x other than 0, e^x is none.
    """
    ring, kind = tables.ring, Kind.RATIO
    exponent = ring.parse(claim["exponent"])
    yield Obligation(position, kind, f"ratio/{position}/exponent", ">=", exponent, wide)
    large = isinstance(claim["bounds"], Mapping)
    written = claim["bounds"]["cells"] if large else claim["bounds"]
    for i, factor in enumerate(dict.fromkeys(filter(None, written))):
        value = ring.parse(factor)
        yield Obligation(position, kind, f"ratio/{position}/factor/{i}", ">=", value, wide)
    series = _series(exponent, claim["exponent"])
    scaled: Any = [None if factor is None else f"({factor})*({series})" for factor in written]
    scaled = {**claim["bounds"], "cells": scaled} if large else scaled
    yield from listing(tables, wide, position, {**claim, "bounds": scaled, "tight": False})
    if claim["tight"]:
        why = "no row reaches e^x, which is no rational function"
        zero = ring.constant(0)
        name = f"tight/{position}"
        yield Obligation(position, Kind.TIGHT, name, "impossible", zero, wide, reason=why)


def _series(value: Any, written: str) -> str:
    """The first terms of e^x, enough of them where x is a number."""
    constant = not value.denominator and set(map(sum, value.numerator)) <= {0}
    terms = TERMS
    if constant:
        size = abs(sum(value.numerator.values())) // value.scale
        terms = min(MOST_TERMS, 40 + 4 * size)
    text = "1"
    for i in range(terms, 0, -1):
        text = f"1 + ({written})/{i}*({text})"
    return text


def _one_estimator(tables: Tables, wide: Domain, position: int, kind: Kind) -> Iterator[Obligation]:
    """Weights that are not written follow from p* and q*, so all pairs must have the same."""
    for where, difference in tables.apart():
        yield Obligation(position, kind, f"{kind}/{position}/{where}", "==", difference, wide)


@CERTIFICATE.rule((Kind.UNBIASED,), PAIRS)
def _unbiased(tables: Tables, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    ring = tables.ring
    if claim["supported"] is None:
        yield from _one_estimator(tables, wide, position, Kind.UNBIASED)
    for t, rows in enumerate(tables.tables):
        if claim["supported"] is None:
            weights = tables.weights(t)
        else:
            yes, no = ring.parse(claim["supported"]), ring.parse(claim["otherwise"])
            weights = [(yes if r.supports_x else no, yes if r.supports_x2 else no) for r in rows]
        for which, target in ((0, 1), (1, 0)):
            value = ring.add(tables.moment(t, weights, which, 1), ring.constant(target), -1)
            name = f"unbiased/{position}/{t}/{'own' if which == 0 else 'other'}"
            yield Obligation(position, Kind.UNBIASED, name, "==", value, wide)


@CERTIFICATE.rule((Kind.VARIANCE,), PAIRS)
def _variance(tables: Tables, wide: Domain, position: int, claim: Claim) -> Iterator[Obligation]:
    ring = tables.ring
    yield from _one_estimator(tables, wide, position, Kind.VARIANCE)
    share = ring.parse("f" if claim["at_f"] is None else claim["at_f"])
    for t in range(len(tables.tables)):
        total = ring.multiply(ring.variable("n"), tables.variance(t, share))
        value = ring.add(total, ring.parse(claim["value"]), -1)
        yield Obligation(position, Kind.VARIANCE, f"variance/{position}/{t}", "==", value, wide)


@CERTIFICATE.rule((Kind.HOLDS,), FINITE)
def _holds(
    tables: Tables | Columns, wide: Domain, position: int, claim: Claim
) -> Iterator[Obligation]:
    ring = tables.ring
    value = ring.add(ring.parse(claim["left"]), ring.parse(claim["right"]), -1)
    name = f"holds/{position}"
    yield Obligation(position, Kind.HOLDS, name, claim["relation"], value, wide, needed=True)
