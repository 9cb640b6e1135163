"""Find the exact region where one mechanism has less variance, from the sign of the gap.

Untrusted: what is found here becomes the condition of the claim, and goes through the same checkers
as a condition that the spec states itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy

from ldp_verified.derive import NoEstimator, in_epsilon, readable
from ldp_verified.derive.estimator import estimator, variance
from ldp_verified.errors import SpecError
from ldp_verified.language import BetterThan, Claim, Domain, Form, Mechanism, f, n
from ldp_verified.language.comparisons import name_of
from ldp_verified.prove.certificates.checker import occurring
from ldp_verified.prove.certificates.domains import SHARE, cases, shifted_ring, sign
from ldp_verified.prove.certificates.polynomials import Poly, Ring
from ldp_verified.prove.statements.certificate import shifted_forms
from ldp_verified.prove.statements.ranges import variable


def variance_gap(own: Form, other: Form, share: Any) -> Any:
    """Var(other) - Var(own) of one user at a share; None where one depends on more than f."""
    found = []
    for form in (other, own):
        best = estimator(form)
        value = None if isinstance(best, NoEstimator) else variance(best, form)
        if value is None:
            return None
        found.append(value / n)
    return (found[0] - found[1]).subs(f, share)


def with_regions(mechanism: Mechanism) -> tuple[Claim, ...]:
    """The claims, with the derived region where a comparison states none.

    Raises:
        SpecError: there is no such region, because a variance depends on more than f.
    """
    return tuple(
        replace(claim, condition=derived_region(mechanism, claim))
        if isinstance(claim, BetterThan) and claim.condition is None
        else claim
        for claim in mechanism.claims
    )


def reported(mechanism: Mechanism, completed: Mechanism) -> Mapping[str, str]:
    """Every region that was derived rather than claimed, as text."""
    return {
        f"less variance than {name_of(now.other)} at "
        f"{'every f' if now.at_f == f else f'f = {now.at_f}'}": now.where.replace(
            "exactly where", "iff"
        )
        for before, now in zip(mechanism.claims, completed.claims, strict=False)
        if isinstance(before, BetterThan)
        and isinstance(now, BetterThan)
        and before.condition is None
    }


def derived_region(mechanism: Mechanism, claim: BetterThan) -> Any:
    """A strict inequality that holds exactly where the mechanism has less variance.

    Solved for one parameter where the inequality is linear in it with a coefficient of known sign.

    Raises:
        SpecError: one of the variances depends on more than f.
    """
    assert claim.table is not None
    form = claim.table.map(lambda value: mechanism.algebraic("other table", value))
    gap = variance_gap(mechanism.algebraic_table, form, claim.at_f)
    if gap is None:
        raise SpecError(
            "BetterThan",
            "needs two variances that depend on no other user's value than the share f; there is "
            f"no such region for {mechanism.name} against",
            name_of(claim.other),
        )
    variables = {**mechanism.variables, f: Domain(lower=sympy.S.Zero, upper=sympy.S.One)}
    signs = _Signs(mechanism)
    margin = signs.open_part(sympy.cancel(sympy.together(gap)))
    if margin.is_number:
        return sympy.Gt(margin, 0, evaluate=False)

    def shown(value: Any) -> Any:
        return in_epsilon(mechanism, readable(value, variables))

    generator = mechanism.generator.symbol
    for symbol in sorted(variables, key=lambda s: (not variables[s].integer, s != f, s.name)):
        poly = sympy.Poly(margin, symbol)
        if symbol == generator or poly.degree() != 1:
            continue
        slope, start = poly.all_coeffs()
        direction = signs.of(slope)
        if direction:
            compare = sympy.Gt if direction > 0 else sympy.Lt
            return compare(symbol, shown(-start / slope), evaluate=False)
    return sympy.Gt(shown(margin), 0, evaluate=False)


class _Signs:
    """Signs of polynomials on the domain of a mechanism and a share f."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.variables = [
            *(variable(symbol, domain) for symbol, domain in mechanism.variables.items()),
            SHARE,
        ]
        self.symbols = [*mechanism.variables, f]

    def factor(self, polynomial: Any) -> tuple[int, bool]:
        """(sign, never zero) of an irreducible polynomial; (0, False) where it is not known."""
        terms: Poly = {
            tuple(map(int, e)): int(c) for e, c in sympy.Poly(polynomial, *self.symbols).terms()
        }
        names = [v.name for v in self.variables]
        forms = shifted_forms(self.variables, names, terms)
        if forms is None:
            return 0, False
        kept = occurring(self.variables, names, terms)
        ring: Ring = shifted_ring(kept)
        found = [
            sign(ring, ring.parse(form).numerator, case)
            for form, case in zip(forms, cases(kept), strict=True)
        ]
        if None in found or len({s for s, _ in filter(None, found) if s}) != 1:
            return 0, False
        return max((s for s, _ in filter(None, found)), key=abs), all(
            s != 0 and strict for s, strict in filter(None, found)
        )

    def of(self, polynomial: Any) -> int:
        """The sign of a polynomial that never vanishes; 0 where it is not known, or may."""
        constant, factors = sympy.factor_list(polynomial, *self.symbols)
        result = 1 if constant > 0 else -1
        for base, power in factors:
            own, strict = self.factor(base)
            if not strict:
                return 0
            result *= own**power
        return result

    def open_part(self, value: Any) -> Any:
        """A polynomial of the same sign: the factors of known sign are left out."""
        if value == 0:
            return sympy.S.Zero
        result = sympy.S.One
        for part in sympy.fraction(value):
            constant, factors = sympy.factor_list(part, *self.symbols)
            result *= 1 if constant > 0 else -1
            for base, power in factors:
                own, strict = self.factor(base)
                if strict:
                    result *= own**power
                else:
                    result *= base ** (1 if power % 2 else 2)
        return sympy.expand(result)
