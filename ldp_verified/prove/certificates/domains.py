"""Substitutions that turn a domain of parameters into non-negative variables.

Part of the certificate verifier, without sympy.

A lower bound L gives x = L + t; an upper bound U gives x = U - t; both give x = (L + U t)/(1 + t),
t >= 0. A polynomial all of whose coefficients in the t are non-negative is then >= 0 on the whole
domain, and > 0 if a monomial with positive coefficient holds only variables that are never 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ldp_verified.prove.certificates.polynomials import (
    ExpressionError,
    Fraction,
    Poly,
    Ring,
    add,
    multiply,
    power,
)

PREFIX = "t_"


@dataclass(frozen=True)
class DomainVariable:
    """A variable of a statement with its bounds, as texts in the variables before it.

    Attributes:
        name: an identifier. lower, upper: bounds or None. lower_open, upper_open: whether the bound
            is excluded.
        integer: only whole numbers (the proofs use the real interval, which is stronger).
        also: further conditions: (polynomial in it and the variables before it, whether it must not
            be 0); it is >= 0.
    """

    name: str
    lower: str | None
    upper: str | None
    lower_open: bool
    upper_open: bool
    integer: bool
    also: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> DomainVariable:
        """Read what `to_json` wrote.

        Raises:
            KeyError, TypeError, ValueError: a field is missing or superfluous.
        """
        also = tuple((text, strict) for text, strict in entry.get("also", ()))
        return cls(**{**entry, "also": also})

    def to_json(self) -> dict[str, Any]:
        """A JSON object with one entry per field; without `also` where there is nothing in it."""
        entry = dict(self.__dict__)
        entry["also"] = [list(each) for each in self.also]
        return entry if self.also else {k: v for k, v in entry.items() if k != "also"}


USERS = DomainVariable("n", "1", None, False, False, True)
SHARE = DomainVariable("f", "0", "1", False, False, False)
"""What variances of estimated counts are stated in."""


@dataclass(frozen=True)
class DomainCase:
    """One way to put non-negative variables in; the cases together cover the domain.

    Attributes:
        values: variable name -> rational function in the ring with the t.
        positive: names of t that are never 0.
    """

    values: Mapping[str, Fraction]
    positive: frozenset[str]


def conditions(ring: Ring, variable: DomainVariable) -> list[tuple[Poly, bool]]:
    """The further conditions of a variable: (polynomial that is >= 0, whether it is never 0).

    Raises:
        ExpressionError: one is no polynomial.
    """
    found = []
    for text, strict in variable.also:
        parsed = ring.parse(text)
        if parsed.denominator:
            raise ExpressionError(f"the condition {text!r} is no polynomial")
        found.append((parsed.numerator, strict))
    return found


def constraints(variables: Sequence[DomainVariable]) -> list[tuple[Poly, bool]]:
    """Everything that the domain says: (polynomial that is >= 0, whether it is never 0).

    A bound's denominators are multiplied out twice, so that their sign does not matter.
    """
    ring = Ring([v.name for v in variables])
    found = []
    for v in variables:
        for bound, is_open, side in ((v.lower, v.lower_open, 1), (v.upper, v.upper_open, -1)):
            if bound is None:
                continue
            gap = ring.add(ring.variable(v.name), ring.parse(bound), -1)
            poly = {exponents: side * c for exponents, c in gap.numerator.items()}
            for factor, exponent in gap.denominator.items():
                if exponent % 2:
                    poly = multiply(poly, dict(factor))
            found.append((poly, is_open))
        found += conditions(ring, v)
    return found


def combined(
    given: Sequence[tuple[Poly, bool]], terms: Sequence[Any], size: int
) -> tuple[Poly, bool]:
    """A sum of products of constraints with weights > 0, and whether it is never 0.

    Args:
        given: the constraints. terms: [weight, [the power of each constraint]]. size: of the ring.

    Raises:
        ExpressionError: a weight is no int above 0, or a power no int >= 0.
    """
    total: Poly = {}
    never_zero = False
    for weight, powers in terms:
        if type(weight) is not int or weight <= 0 or len(powers) != len(given):
            raise ExpressionError(f"{weight!r} is no weight of a product of constraints")
        product: Poly = {(0,) * size: weight}
        for (poly, _), exponent in zip(given, powers, strict=True):
            if type(exponent) is not int or exponent < 0:
                raise ExpressionError(f"{exponent!r} is no power")
            product = multiply(product, power(poly, exponent, size))
        total = add(total, product)
        never_zero |= all(strict for (_, strict), e in zip(given, powers, strict=True) if e)
    return total, never_zero


def shifted_ring(variables: Sequence[DomainVariable]) -> Ring:
    """The ring that holds the variables and their t."""
    names = [v.name for v in variables]
    return Ring(names + [PREFIX + name for name in names])


def cases(variables: Sequence[DomainVariable]) -> list[DomainCase]:
    """The cover of the domain.

    A finite upper bound that belongs to the domain (t at infinity) is a case of its own.
    """
    ring = shifted_ring(variables)
    choices = [
        (False, True)
        if v.upper is not None and v.lower is not None and not v.upper_open
        else (False,)
        for v in variables
    ]
    return [_case(ring, variables, at_end) for at_end in product(*choices)]


def _case(ring: Ring, variables: Sequence[DomainVariable], at_end: tuple[bool, ...]) -> DomainCase:
    values: dict[str, Fraction] = {}
    positive: set[str] = set()
    for variable, end in zip(variables, at_end, strict=True):
        t = ring.variable(PREFIX + variable.name)

        def bound(text: str) -> Fraction:
            result = ring.substitute(ring.parse(text), values)
            so_far = DomainCase(values, frozenset(positive))
            for factor in result.denominator:
                if sign(ring, dict(factor), so_far) != (1, True):
                    raise ExpressionError(f"the denominator of bound {text!r} may not be positive")
            return result

        if variable.lower is not None and variable.upper is not None:
            low, high = bound(variable.lower), bound(variable.upper)
            mixed = ring.divide(
                ring.add(low, ring.multiply(high, t)), ring.add(ring.constant(1), t)
            )
            values[variable.name] = high if end else mixed
            is_open = variable.lower_open
        elif variable.lower is not None:
            values[variable.name] = ring.add(bound(variable.lower), t)
            is_open = variable.lower_open
        elif variable.upper is not None:
            values[variable.name] = ring.add(bound(variable.upper), t, -1)
            is_open = variable.upper_open
        else:
            continue
        if is_open:
            positive.add(PREFIX + variable.name)
    return DomainCase(values, frozenset(positive))


def shift(ring: Ring, poly: Poly, case: DomainCase) -> Poly:
    """The numerator of `poly` (over the original variables) after the substitution.

    Its denominator is positive, made of (1 + t) and those of bounds.
    """
    size = ring.size // 2
    lifted: Poly = {exponents + (0,) * size: c for exponents, c in poly.items()}
    return ring.substitute(Fraction(lifted, {}), case.values).numerator


def sign(ring: Ring, shifted: Poly, case: DomainCase) -> tuple[int, bool] | None:
    """(sign, strict): +1 if every coefficient is >= 0, -1 if every one is <= 0.

    None otherwise, or if an unbounded variable is left. strict: the value is never 0, because some
    monomial holds only variables that are never 0.
    """
    size = ring.size // 2
    if not shifted or any(any(exponents[:size]) for exponents in shifted):
        return (0, False) if not shifted else None
    signs = {c > 0 for c in shifted.values()}
    if len(signs) != 1:
        return None
    may_vanish = [ring.names[size + i] not in case.positive for i in range(size)]
    strict = any(
        not any(e and zero for e, zero in zip(exponents[size:], may_vanish, strict=True))
        for exponents in shifted
    )
    return (1 if signs.pop() else -1), strict
