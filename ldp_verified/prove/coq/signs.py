"""Certificates of sign: a polynomial as a sum of products of things that are >= 0.

For a variable with one bound the polynomial is written in its distance from the bound; with two
numeric bounds in the distances from both (Bernstein's form). If every coefficient then has the same
sign, so has the polynomial, and Coq is given that form: it checks the identity by `ring` and reads
the sign off the structure. Nothing here is believed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sympy

from ldp_verified.language import Domain
from ldp_verified.prove.certificates.polynomials import Poly
from ldp_verified.prove.coq.terms import MOST_KNOWN, NotCertifiedError, Spelling, cancelled
from ldp_verified.prove.statements.multipliers import combination


@dataclass(frozen=True)
class Factor:
    """A polynomial with a known sign on the domain.

    Attributes:
        value: the polynomial, signed so that it is >= 0. form: the same, as a sum of products of
            nonnegative things. strict: whether it is > 0. square: no form; only even powers of it
            are >= 0. given: what the form takes to be > 0: denominators of bounds.
    """

    value: Any
    form: str
    strict: bool
    square: bool = False
    given: tuple[Factor, ...] = ()


@dataclass(frozen=True)
class Margin:
    """A polynomial that is >= 0 because of a bound or a condition.

    Attributes:
        value: it. text: as it is written. strict: whether it is > 0. given: see `Factor`.
    """

    value: Any
    text: str
    strict: bool
    given: tuple[Factor, ...] = ()


@dataclass(frozen=True)
class Signed:
    """sign * constant * product of factors**power."""

    sign: int
    constant: Any
    factors: tuple[tuple[Factor, int], ...]


class SignProofs:
    """Signs of polynomials over a domain.

    Args:
        domains: symbol -> `Domain`, in the order in which bounds refer to each other.
        spelling: how the symbols are written.
    """

    def __init__(self, domains: Mapping[Any, Domain], spelling: Spelling) -> None:
        self.domains = domains
        self.spelling = spelling
        turned = _turned(domains)
        self.readings = [domains] if turned is None else [domains, turned]
        self._found: dict[Any, tuple[int, Factor] | None] = {}
        self._below: dict[Any, list[Factor]] = {}
        self._products: dict[Any, Signed] = {}

    def factor(self, polynomial: Any) -> tuple[int, Factor]:
        """The sign of a polynomial, and why.

        Raises:
            NotCertifiedError: its sign changes, or no certificate was found.
        """
        if polynomial not in self._found:
            self._found[polynomial] = self._search(polynomial)
        found = self._found[polynomial]
        if found is None:
            raise NotCertifiedError(f"the sign of {polynomial} on the domain")
        return found

    def _search(self, polynomial: Any) -> tuple[int, Factor] | None:
        found: tuple[int, Factor] | None = None
        for domains in self.readings:
            for choice in itertools.product(*map(self._ends, domains.values())):
                made = self._form(polynomial, domains, choice)
                if made is not None and made[1].strict:
                    return made
                found = found or made
            if found is not None:
                break
        conditions = any(c.rational for domain in self.domains.values() for c in domain.also)
        if found is None or (conditions and not found[1].strict):
            found = self._combined(polynomial) or found
        return found

    def _combined(self, polynomial: Any) -> tuple[int, Factor] | None:
        """The polynomial as a sum of products of bounds and conditions."""
        symbols = [*self.domains]
        if not polynomial.free_symbols or not polynomial.is_polynomial(*symbols):
            return None
        margins = [*self._distances(polynomial)]
        scaled = [_integral(margin.value, symbols) for margin in margins]
        target, denominator = _integral(polynomial, symbols)
        known = [(poly, m.strict) for (poly, _), m in zip(scaled, margins, strict=True)]
        found = combination(target, known) if known else None
        if found is None:
            return None
        summands = []
        given: dict[Factor, None] = {}
        for weight, powers in found["terms"]:
            constant = sympy.Rational(weight, found["scale"] * denominator)
            parts = []
            strict = True
            for margin, (_, own), e in zip(margins, scaled, powers, strict=True):
                if e:
                    constant *= own**e
                    parts.append(f"({margin.text})" + (f" ^ {e}" if e > 1 else ""))
                    strict = strict and margin.strict
                    given |= dict.fromkeys(margin.given)
            summands.append((not strict, " * ".join([self.spelling.atom(constant), *parts])))
        summands.sort()
        value = polynomial if found["sign"] > 0 else sympy.expand(-polynomial)
        form = " + ".join(text for _, text in summands)
        return found["sign"], Factor(value, form, not summands[0][0], given=tuple(given))

    def _distances(self, wanted: Any) -> Iterator[Margin]:
        """Yield the margins of bounds and conditions, quotients multiplied by denominators."""
        for symbol, domain in self.domains.items():
            name = self.spelling.atom(symbol)
            for bound, is_open, side in (
                (domain.lower, domain.lower_open, 1),
                (domain.upper, domain.upper_open, -1),
            ):
                if bound is None:
                    continue
                end = self.spelling.atom(bound)
                text = f"{name} - {end}" if side > 0 else f"{end} - {name}"
                if bound.is_polynomial(*self.domains):
                    yield Margin(side * (symbol - bound), text, is_open)
                    continue
                above, below = sympy.fraction(cancelled(bound))
                if below == wanted or not above.is_polynomial(*self.domains):
                    continue
                try:
                    sign, factor = self.factor(below)
                except NotCertifiedError:
                    continue
                if factor.strict:
                    value = sympy.expand(side * sign * (symbol * below - above))
                    text = f"({self.spelling.real(factor.value)}) * ({text})"
                    yield Margin(value, text, is_open, (factor,))
            for condition in domain.also:
                if condition.rational and condition.margin.is_polynomial(*self.domains):
                    text = self.spelling.real(condition.margin)
                    yield Margin(condition.margin, text, condition.strict)

    def _form(
        self, polynomial: Any, domains: Mapping[Any, Domain], ends: Sequence[str]
    ) -> tuple[int, Factor] | None:
        """The polynomial in the distances from these ends; None if its coefficients differ in sign.

        No product of distances need be positive where their sum is: another choice of ends may
        show more.
        """
        moved = polynomial
        back: dict[Any, str] = {}
        strict: dict[Any, bool] = {}
        for (symbol, domain), end in reversed(list(zip(domains.items(), ends, strict=True))):
            moved = self._moved(moved, symbol, domain, end, back, strict)
        if not moved.is_polynomial(*back):  # a bound that is a quotient of other parameters
            return None
        terms = sympy.Poly(moved, *back).terms() if back else [((), moved)]
        signs = [s for s in (1, -1) if all(c.is_Rational and c * s >= 0 for _, c in terms)]
        if not signs:
            return None
        sign = signs[0]
        distances = list(back)

        def is_strict(powers: tuple[int, ...]) -> bool:
            return all(strict[d] for d, power in zip(distances, powers, strict=True) if power)

        ordered = sorted(terms, key=lambda term: not is_strict(term[0]))
        form = " + ".join(
            " * ".join(
                [self.spelling.atom(abs(c))]
                + [
                    f"({back[d]})" + (f" ^ {power}" if power > 1 else "")
                    for d, power in zip(distances, powers, strict=True)
                    if power
                ]
            )
            for powers, c in ordered
        )
        value = polynomial if sign > 0 else sympy.expand(-polynomial)
        return sign, Factor(value, form, is_strict(ordered[0][0]))

    @staticmethod
    def _ends(domain: Domain) -> tuple[str, ...]:
        """The bounds from which a variable may be measured; from both where both are numbers."""
        low, high = domain.lower, domain.upper
        if low is None or high is None:
            return ("upper",) if low is None else ("lower",)
        single = ("lower", "upper")
        return ("both", *single) if low.is_number and high.is_number else single

    def _moved(
        self,
        value: Any,
        symbol: Any,
        domain: Domain,
        end: str,
        back: dict[Any, str],
        strict: dict[Any, bool],
    ) -> Any:
        name = self.spelling.atom(symbol)
        low, high = domain.lower, domain.upper
        if low is None and high is None:
            if value.has(symbol):
                raise NotCertifiedError(f"{symbol} has no bounds")
            return value
        up, down = sympy.Dummy(f"above_{symbol}"), sympy.Dummy(f"below_{symbol}")
        if end == "both":
            polynomial = sympy.Poly(value, symbol)
            degree, width = polynomial.degree(), high - low
            if degree <= 0:
                return value
            value = sum(
                c * (low * down + high * up) ** i * (up + down) ** (degree - i)
                for (i,), c in polynomial.terms()
            )
            value /= width**degree
        elif end == "lower":
            value = value.subs(symbol, low + up)
        else:
            value = value.subs(symbol, high - down)
        value = sympy.expand(value)
        if low is not None:
            back[up] = f"{name} - {self.spelling.atom(low)}"
            strict[up] = domain.lower_open
        if high is not None:
            back[down] = f"{self.spelling.atom(high)} - {name}"
            strict[down] = domain.upper_open
        return value

    def product(self, polynomial: Any) -> Signed:
        """A polynomial as a product whose sign can be read off.

        Raises:
            NotCertifiedError: a factor has no certificate.
        """
        if polynomial not in self._products:
            self._products[polynomial] = self._product(polynomial)
        return self._products[polynomial]

    def _product(self, polynomial: Any) -> Signed:
        constant, parts = sympy.factor_list(polynomial)
        sign = 1 if constant >= 0 else -1
        factors: list[tuple[Factor, int]] = []
        for part, power in parts:
            try:
                own, factor = self.factor(part)
            except NotCertifiedError:
                if power % 2:
                    raise
                factors.append((Factor(part, "", False, square=True), power))
                continue
            sign *= own**power
            factors.append((factor, power))
        return Signed(sign, abs(constant), tuple(factors))

    def written(self, signed: Signed) -> str:
        """The product without its sign, as a Coq term."""
        parts = [] if signed.constant == 1 and signed.factors else [signed.constant]
        texts = [self.spelling.atom(part) for part in parts]
        for factor, power in signed.factors:
            base = f"({self.spelling.real(factor.value)})"
            if factor.square:
                inner = base if power == 2 else f"({base} ^ {power // 2})"
                texts.append(f"{inner} ^ 2")
            else:
                texts.append(base + (f" ^ {power}" if power > 1 else ""))
        return " * ".join(texts)

    def asserted(self, factors: list[Factor]) -> dict[str, str]:
        """Tactics that assert the sign of every factor, each once -> what they assert."""
        lines: dict[str, str] = {}
        for factor in [part for whole in factors for part in (*whole.given, whole)]:
            if not factor.square and factor.value.free_symbols:
                tactic = "factor" if factor.strict else "factor_nonneg"
                text = self.spelling.real(factor.value)
                relation = "<" if factor.strict else "<="
                lines.setdefault(f"{tactic} ({text}) ({factor.form}).", f"0 {relation} {text}")
        return lines

    def denominators(self, value: Any) -> list[Factor]:
        """The factors of every denominator inside an expression that have a certificate."""
        if value not in self._below:
            self._below[value] = self._denominators(value)
        return self._below[value]

    def _denominators(self, value: Any) -> list[Factor]:
        found: list[Factor] = []
        for part in sympy.preorder_traversal(value):
            if part.is_Pow and part.exp.is_negative:
                for inner in _factors(part.base):
                    try:
                        found.append(self.factor(inner)[1])
                    except NotCertifiedError:
                        continue
        return found


@lru_cache(maxsize=MOST_KNOWN)
def _factors(base: Any) -> tuple[Any, ...]:
    """The factors of what is divided by, once for each: the cells of a table have most in common.

    The whole as well as its factors: `field` asks for what stands there.
    """
    return tuple(
        inner
        for side in sympy.fraction(cancelled(base))
        for inner in [*(i for i, _ in sympy.factor_list(side)[1]), side]
    )


def _integral(polynomial: Any, symbols: list[Any]) -> tuple[Poly, int]:
    """A multiple of a polynomial with integer coefficients, and the multiplier."""
    scale, whole = sympy.Poly(polynomial, *symbols, domain=sympy.QQ).clear_denoms(convert=True)
    return {tuple(map(int, e)): int(c) for e, c in whole.terms()}, int(scale)


def _turned(domains: Mapping[Any, Domain]) -> dict[Any, Domain] | None:
    """The domain with a <= b read as a lower bound of b, which then comes last; None without one.

    The other bounds of b are dropped.
    """
    found = dict(domains)
    for symbol, domain in reversed(list(domains.items())):
        bound = domain.upper
        if bound in domains and bound in found:
            other = found.pop(bound)
            found[symbol] = replace(found[symbol], upper=None, upper_open=False)
            found[bound] = replace(
                other, lower=symbol, lower_open=domain.upper_open, upper=None, upper_open=False
            )
    return None if list(found) == list(domains) else found
