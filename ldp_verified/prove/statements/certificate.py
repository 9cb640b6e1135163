"""Finding certificates with sympy. Untrusted: whatever is found goes through `checker.check`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ldp_verified.prove.certificates.polynomials import Poly, Ring
from ldp_verified.prove.statements.multipliers import combination


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
        for key in o.value.denominator:
            finder.denominator(o, ring, dict(key))
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

    def denominator(self, o: Obligation, ring: Ring, poly: Poly) -> None:
        place = self.denominators.setdefault(o.domain, {})
        if ring.show(poly) not in place:
            place[ring.show(poly)] = self.factor(o, ring, poly)

    def factor(self, o: Obligation, ring: Ring, poly: Poly) -> dict[str, Any]:
        """The factorisation of `poly`, the signs of its factors noted on the way."""
        symbols = [sympy.Symbol(name) for name in ring.names]
        constant, factors = sympy.Poly(poly, *symbols, domain=sympy.ZZ).factor_list()
        listed = []
        for factor, exponent in factors:
            terms: Poly = {tuple(map(int, e)): int(c) for e, c in factor.terms()}
            text = ring.show(terms)
            self._note_sign(o, text, terms, ring.names)
            listed.append([text, int(exponent)])
        whole = self._as_a_whole(o, ring, poly, listed)
        if whole is not None:
            return whole
        return {"constant": int(constant), "factors": sorted(listed)}

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
        if any(v.also for v in kept):
            found = combination(restrict(poly, names, kept), constraints(kept))
            if found is not None:
                place[text] = found


def shifted_forms(
    variables: Sequence[DomainVariable], names: Sequence[str], poly: Poly
) -> list[str] | None:
    """The shifted forms of `poly`, one per case, if each has coefficients of one sign.

    Else None.
    """
    kept = occurring(variables, names, poly)
    ring = shifted_ring(kept)
    forms = []
    for case in cases(kept):
        shifted = shift(ring, restrict(poly, names, kept), case)
        if sign(ring, shifted, case) is None:
            return None
        forms.append(ring.show(shifted))
    return forms
