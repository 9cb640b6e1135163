"""Finding certificates with sympy. Untrusted: whatever is found goes through `checker.check`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import sympy

from ldp_verified.prove.certificates.checker import FORMAT, occurring, restrict
from ldp_verified.prove.certificates.domains import (
    DomainVariable,
    cases,
    constraints,
    shift,
    shifted_ring,
    sign,
)
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import (
    Exponents,
    Poly,
    Ring,
    dense,
    key,
    moved,
    primitive,
)
from ldp_verified.prove.statements.multipliers import combination
from ldp_verified.prove.statements.telescopes import telescoped

MOST_FACTORED = 2**14
"""A polynomial is factored if a dense one of its degrees has no more terms."""

MOST_DEGREE = 64
"""The highest degree in one variable of a polynomial that is factored."""

MOST_SHIFTED = 512
"""Terms that a shifted form may have where it is looked for.

The verifier takes seconds for so many, and cannot read twice as many before Python's stack ends.
"""


def find(
    statement: Mapping[str, Any],
    mechanism: str,
    spec_hash: str,
    todo: Sequence[Obligation] | None = None,
) -> dict[str, Any]:
    """A certificate for as many obligations of the statement as possible.

    Args:
        statement: see `obligations`.
        mechanism, spec_hash: written into the certificate.
        todo: the statement's obligations, where they are known already.

    Returns:
        A JSON object; see `checker`.
    """
    finder = _Finder()
    proofs = {}
    for o in obligations(statement) if todo is None else todo:
        ring = Ring([v.name for v in o.variables])
        for factor in o.value.denominator:
            finder.denominator(o, ring, dict(factor))
        if o.relation != "==" and o.value.numerator:
            proofs[o.name] = finder.factor(o, ring, o.value.numerator)
    return {
        "format": FORMAT,
        "mechanism": mechanism,
        "spec_sha256": spec_hash,
        "statement": statement,
        "proofs": proofs,
        "denominators": finder.denominators,
        "signs": finder.signs,
    }


class _Finder:
    def __init__(self) -> None:
        self.signs: dict[str, dict[str, list[str] | dict[str, Any]]] = {}
        self.denominators: dict[str, dict[str, Any]] = {}
        self._factored: dict[Any, tuple[int, list[tuple[Poly, int]]]] = {}

    def denominator(self, o: Obligation, ring: Ring, poly: Poly) -> None:
        place = self.denominators.setdefault(o.domain, {})
        if ring.show(poly) not in place:
            place[ring.show(poly)] = self.factor(o, ring, poly)

    def factor(self, o: Obligation, ring: Ring, poly: Poly) -> dict[str, Any]:
        """The factorisation of `poly`, the signs of its factors noted on the way."""
        same = (ring.names, key(poly))  # many obligations are one inequality
        if same not in self._factored:
            self._factored[same] = _factors(ring, poly)
        constant, factors = self._factored[same]
        listed = []
        for terms, exponent in factors:
            text = ring.show(terms)
            self._note_sign(o, text, terms, ring.names)
            listed.append([text, exponent])
        whole = self._as_a_whole(o, ring, poly, listed)
        if whole is not None:
            return whole
        return {"constant": constant, "factors": sorted(listed)}

    def _as_a_whole(
        self, o: Obligation, ring: Ring, poly: Poly, listed: Sequence[Sequence[Any]]
    ) -> dict[str, Any] | None:
        """The sign of a product of which a factor has none: a condition may be such a product."""
        place = self.signs[o.domain] if listed else {}
        unknown = [text for text, exponent in listed if exponent % 2 and text not in place]
        kept = occurring(o.variables, ring.names, poly)
        if not unknown or len(listed) == 1 or not any(v.also for v in kept):
            return None
        found = combination(restrict(poly, ring.names, kept), constraints(kept))
        if found is None:
            return None
        place[ring.show(poly)] = found
        return {"constant": 1, "factors": [[ring.show(poly), 1]]}

    def _note_sign(self, o: Obligation, text: str, poly: Poly, names: Sequence[str]) -> None:
        place = self.signs.setdefault(o.domain, {})
        if text in place or set(poly) <= {(0,) * len(names)}:
            return
        forms = shifted_forms(o.variables, names, poly)
        if forms is not None:
            place[text] = forms
            return
        kept = occurring(o.variables, names, poly)
        target, given = restrict(poly, names, kept), constraints(kept)
        found = telescoped(target, given)
        if found is None and any(v.also for v in kept):
            found = combination(target, given)
        if found is not None:
            place[text] = found


def _factors(ring: Ring, poly: Poly) -> tuple[int, list[tuple[Poly, int]]]:
    """(constant, (factor, power)...) whose product is `poly`: irreducible, unless it is large.

    sympy takes minutes to factor what has a high degree in many variables, and factors of a high
    degree may have hundreds of terms. Of such a polynomial only the powers of x and of x - 1 that
    divide it are taken out, for each variable x, the latter where that makes it shorter.
    """
    if dense(poly) <= MOST_FACTORED and max(map(max, poly)) <= MOST_DEGREE:
        symbols = [sympy.Symbol(name) for name in ring.names]
        constant, factors = sympy.Poly(poly, *symbols, domain=sympy.ZZ).factor_list()
        return int(constant), [
            ({tuple(map(int, e)): int(c) for e, c in factor.terms()}, int(exponent))
            for factor, exponent in factors
        ]
    content, rest = primitive(poly)
    found: list[tuple[Poly, int]] = []
    zero = (0,) * ring.size
    for i in range(ring.size):
        unit = moved(zero, i, 1)
        lowest = min(exponents[i] for exponents in rest)
        rest = {moved(exponents, i, -lowest): c for exponents, c in rest.items()}
        times = 0
        while (quotient := _by_gap(rest, i)) is not None and len(quotient) < len(rest):
            rest, times = quotient, times + 1
        named = (({unit: 1}, lowest), ({unit: 1, zero: -1}, times))
        found += [(factor, power) for factor, power in named if power]
    return content, [*found, (rest, 1)]


def _by_gap(poly: Poly, place: int) -> Poly | None:
    """The polynomial divided by x - 1, x being the variable at a place; None if that leaves a rest.

    A power x^e is (x - 1)(1 + ... + x^(e - 1)) + 1, so that coefficients are partial sums.
    """
    by_rest: dict[Exponents, dict[int, int]] = {}
    for exponents, c in poly.items():
        by_rest.setdefault(moved(exponents, place, -exponents[place]), {})[exponents[place]] = c
    quotient: Poly = {}
    for rest, powers in by_rest.items():
        if sum(powers.values()):
            return None
        total = 0
        for e in range(max(powers), 0, -1):
            total += powers.get(e, 0)
            if total:
                quotient[moved(rest, place, e - 1)] = total
    return quotient


def shifted_forms(
    variables: Sequence[DomainVariable], names: Sequence[str], poly: Poly
) -> list[str] | None:
    """The shifted forms of `poly`, one per case, if each has coefficients of one sign.

    Else None, and where they may have too many terms to be written down and read.
    """
    kept = occurring(variables, names, poly)
    if _spread(restrict(poly, names, kept), kept) > MOST_SHIFTED:
        return None
    ring = shifted_ring(kept)
    forms = []
    for case in cases(kept):
        shifted = shift(ring, restrict(poly, names, kept), case)
        if sign(ring, shifted, case) is None:
            return None
        forms.append(ring.show(shifted))
    return forms


def _spread(poly: Poly, kept: Sequence[DomainVariable]) -> int:
    """Estimate how many terms a shifted form has.

    A power of a variable with two bounds becomes all powers up to the highest in the polynomial;
    a power of another variable becomes all powers up to itself.
    """
    highest = list(map(max, zip(*poly, strict=True)))
    wide = [v.lower is not None and v.upper is not None for v in kept]
    shifted = (
        prod(1 + (top if both else e) for e, top, both in zip(each, highest, wide, strict=True))
        for each in poly
    )
    return min(dense(poly), sum(shifted))
