"""The certificate verifier: exact integer arithmetic, without sympy.

A certificate is a JSON object with
    format, mechanism, spec_sha256
    statement     what is claimed (see `obligations`)
    proofs        obligation name -> {"constant": int, "factors": [[polynomial, power], ...]}; the
                  product must be the obligation's numerator
    denominators  domain -> polynomial -> the same, for every factor that some obligation divides by
    signs         domain -> polynomial -> [its shifted form, one per case of the domain], all
                  coefficients of one sign; or {"sign", "scale", "terms"}: sign * scale * it is
                  the sum of the terms [weight > 0, [power of each constraint of the domain]]

Nothing in it is believed: obligations are rebuilt from the statement, products multiplied out,
shifts carried out again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ldp_verified.prove.certificates.domains import (
    DomainCase,
    DomainVariable,
    cases,
    combined,
    constraints,
    shift,
    shifted_ring,
    sign,
)
from ldp_verified.prove.certificates.obligations import obligations
from ldp_verified.prove.certificates.parsed_statement import Obligation
from ldp_verified.prove.certificates.polynomials import ExpressionError, Poly, Ring, multiply, power

FORMAT = "ldp-verified-certificate/1"


class RejectedError(ValueError):
    """A part of a certificate does not show what it should."""


class RefusedError(RejectedError):
    """A refusal that no certificate can lift: as rational functions, the claim is not so."""


@dataclass(frozen=True)
class CheckerOutcome:
    """The decision on one obligation.

    Attributes:
        obligation: what had to be shown. shown: whether it was. reason: why not.
        refused: whether no certificate can show it, which is more than that none was found.
    """

    obligation: Obligation
    shown: bool
    reason: str = ""
    refused: bool = False


def occurring(
    variables: Sequence[DomainVariable], names: Sequence[str], poly: Poly
) -> list[DomainVariable]:
    """The variables that stand in `poly`, and those that bounds tie them to, in order."""
    used = {name for exponents in poly for name, e in zip(names, exponents, strict=True) if e}
    tied = [_symbols(text, names) for v in variables for text, _ in v.also]
    bounds = {v.name: [b for b in (v.lower, v.upper) if b is not None] for v in variables}
    seen: set[str] = set()
    while used != seen:
        fresh, seen = used - seen, set(used)
        used |= {name for each in tied if fresh & each for name in each}
        for bound in (b for name in fresh for b in bounds.get(name, ())):
            used |= _symbols(bound, names)
    return [v for v in variables if v.name in used]


def _symbols(text: str, names: Sequence[str]) -> set[str]:
    """The variables that occur in a rational function written as text."""
    parsed = Ring(names).parse(text)
    polys = [parsed.numerator, *(dict(key) for key in parsed.denominator)]
    return {
        name
        for poly in polys
        for exponents in poly
        for name, e in zip(names, exponents, strict=True)
        if e
    }


def restrict(poly: Poly, names: Sequence[str], kept: Sequence[DomainVariable]) -> Poly:
    """`poly` over the kept variables only; the others must not occur in it."""
    places = [list(names).index(v.name) for v in kept]
    return {tuple(exponents[p] for p in places): c for exponents, c in poly.items()}


class _Checker:
    def __init__(self, certificate: Mapping[str, Any]) -> None:
        self.certificate = certificate
        self.known: dict[tuple[str, str], tuple[int, bool]] = {}

    def factor_sign(self, o: Obligation, text: str, poly: Poly) -> tuple[int, bool]:
        """The sign of one factor, from its shifted forms."""
        at = (o.domain, text)
        if at not in self.known:
            self.known[at] = self._factor_sign(o, text, poly)
        return self.known[at]

    def _factor_sign(self, o: Obligation, text: str, poly: Poly) -> tuple[int, bool]:
        names = [v.name for v in o.variables]
        if set(poly) <= {(0,) * len(names)}:
            value = sum(poly.values())
            return (value > 0) - (value < 0), value != 0
        given = self.certificate["signs"].get(o.domain, {}).get(text)
        if given is None:
            raise RejectedError(f"no sign is given for {text}")
        kept = occurring(o.variables, names, poly)
        if isinstance(given, Mapping):
            return self._combined_sign(kept, restrict(poly, names, kept), given)
        ring, cover = shifted_ring(kept), cases(kept)
        if len(given) != len(cover):
            raise RejectedError(f"{len(given)} shifted forms for {len(cover)} cases of {text}")
        found = [
            self._case_sign(ring, restrict(poly, names, kept), case, shifted)
            for case, shifted in zip(cover, given, strict=True)
        ]
        signs = {s for s, _ in found if s}
        if len(signs) != 1:
            raise RejectedError(f"{text} changes its sign between cases, or is zero")
        return signs.pop(), all(s and strict for s, strict in found)

    @staticmethod
    def _combined_sign(
        kept: Sequence[DomainVariable], poly: Poly, given: Mapping[str, Any]
    ) -> tuple[int, bool]:
        """The sign of a polynomial that is given as a sum of products of what is >= 0."""
        side, scale = given["sign"], given["scale"]
        if type(side) is not int or abs(side) != 1 or type(scale) is not int or scale <= 0:
            raise RejectedError(f"{side!r} * {scale!r} is no sign and positive scale")
        total, never_zero = combined(constraints(kept), given["terms"], len(kept))
        if total != {exponents: side * scale * c for exponents, c in poly.items()}:
            raise RejectedError("the products of constraints do not sum to it")
        return side, never_zero

    @staticmethod
    def _case_sign(ring: Ring, poly: Poly, case: DomainCase, shifted: str) -> tuple[int, bool]:
        actual, given = shift(ring, poly, case), ring.parse(shifted)
        if given.numerator != actual or given.denominator:
            raise RejectedError(f"{shifted} is not the shifted form")
        result = sign(ring, actual, case)
        if result is None:
            raise RejectedError(f"coefficients of {shifted} have both signs")
        return result

    def product_sign(self, o: Obligation, poly: Poly, proof: Mapping[str, Any]) -> tuple[int, bool]:
        """The sign of `poly` as the given constant times the given powers."""
        ring = Ring([v.name for v in o.variables])
        constant = proof["constant"]
        if type(constant) is not int or constant == 0:
            raise RejectedError(f"constant {constant!r} is no non-zero integer")
        product: Poly = {(0,) * ring.size: constant}
        result, strict = (1 if constant > 0 else -1), True
        for text, exponent in proof["factors"]:
            parsed = ring.parse(text)
            if type(exponent) is not int or exponent < 1 or parsed.denominator or parsed.scale != 1:
                raise RejectedError(f"{text} ** {exponent!r} is no power of an integer polynomial")
            factor = parsed.numerator
            product = multiply(product, power(factor, exponent, ring.size))
            if exponent % 2 == 0:
                try:
                    strict = strict and self.factor_sign(o, text, factor)[1]
                except RejectedError:
                    strict = False
            else:
                s, never_zero = self.factor_sign(o, text, factor)
                result, strict = result * s, strict and never_zero
        if product != poly:
            raise RejectedError("the factors do not multiply to the obligation")
        return result, strict

    def check(self, o: Obligation) -> None:
        """Raise `RejectedError` unless the certificate shows the obligation."""
        if o.relation == "impossible":
            raise RefusedError(o.reason) if o.false else RejectedError(o.reason)
        ring = Ring([v.name for v in o.variables])
        result = 1
        for key, exponent in o.value.denominator.items():
            factor = dict(key)
            proof = self.certificate["denominators"].get(o.domain, {}).get(ring.show(factor))
            if proof is None:
                raise RejectedError(f"nothing shows that {ring.show(factor)} is not zero")
            s, strict = self.product_sign(o, factor, proof)
            if not strict:
                raise RejectedError(f"{ring.show(factor)} may be zero")
            result *= s**exponent
        top = o.value.numerator
        if o.relation == "==":
            if top:
                raise RefusedError("the two sides differ")
            return
        if not top:
            if o.relation in (">", "!="):
                raise RefusedError("it is identically zero")
            return
        proof = self.certificate["proofs"].get(o.name)
        if proof is None:
            raise RejectedError("the certificate holds no proof of it")
        s, strict = self.product_sign(o, top, proof)
        if o.relation != "!=" and s * result != 1:
            # Strictly so, it fails everywhere; else it may be zero everywhere that matters.
            opposite = "it has the opposite sign"
            raise RefusedError(opposite) if strict else RejectedError(opposite)
        if o.relation in (">", "!=") and not strict:
            raise RejectedError("it may be zero")


def check(statement: Mapping[str, Any], certificate: Mapping[str, Any]) -> list[CheckerOutcome]:
    """Decide every obligation of `statement` by `certificate`.

    A malformed certificate, or one for another statement, shows nothing.

    Raises:
        ExpressionError, KeyError, TypeError, ValueError: the *statement* is malformed.
    """
    todo = obligations(statement)
    if certificate.get("format") != FORMAT:
        return [CheckerOutcome(o, False, "unknown certificate format") for o in todo]
    if certificate.get("statement") != statement:
        return [CheckerOutcome(o, False, "the certificate is for another statement") for o in todo]
    checker = _Checker(certificate)
    outcomes = []
    for o in todo:
        try:
            checker.check(o)
        except (RejectedError, ExpressionError) as error:
            outcomes.append(CheckerOutcome(o, False, str(error), isinstance(error, RefusedError)))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            outcomes.append(CheckerOutcome(o, False, f"malformed certificate: {error!r}"))
        else:
            outcomes.append(CheckerOutcome(o, True))
    return outcomes


def shows(o: Obligation, certificate: Mapping[str, Any]) -> bool:
    """Return whether a certificate's proofs show one obligation; its statement is ignored."""
    try:
        _Checker(certificate).check(o)
    except (RejectedError, ExpressionError):
        return False
    return True


def factor_signs(o: Obligation, certificate: Mapping[str, Any]) -> dict[str, tuple[int, bool]]:
    """The verified (sign, never zero) of each factor that the certificate names for a domain."""
    checker = _Checker(certificate)
    ring = Ring([v.name for v in o.variables])
    found: dict[str, tuple[int, bool]] = {}
    texts = [text for text, _ in certificate["proofs"].get(o.name, {}).get("factors", [])]
    for proof in certificate["denominators"].get(o.domain, {}).values():
        texts += [text for text, _ in proof["factors"]]
    for text in texts:
        try:
            found[text] = checker.factor_sign(o, text, ring.parse(text).numerator)
        except (RejectedError, ExpressionError):
            continue
    return found
