"""Parameters of a mechanism: sympy symbols that carry their own domain.

`eps = real("eps", above=0)`, `k = integer("k", at_least=2)`, `gamma = real("gamma", above=0,
below=Rational(1, 2))`. A bound may be an expression in parameters declared before it
(`integer("omega", at_least=1, at_most=k - 1)`) and in e^eps (`at_most=1 / (exp(eps) + 1)`);
a bound of eps itself may be a logarithm (`at_most=log(3)`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.balls import sign
from ldp_verified.language.expressions import check_digits
from ldp_verified.language.names import check_parameter
from ldp_verified.language.requirements import birthplace, moment

NEAR = sympy.Rational(1, 1 << 20)
"""How close rational numbers come to an end that is irrational."""


@dataclass(frozen=True)
class Condition:
    """`margin >= 0`, or `margin > 0` if it is strict: what an interval cannot say.

    Attributes:
        symbol: the last of the symbols in `margin`; the condition belongs to its domain.
        margin: an expression. It may hold logarithms: then it decides which points belong to the
            domain, and the proofs do without it.
        strict: whether the margin must not be 0.
    """

    symbol: Any
    margin: Any
    strict: bool

    @property
    def rational(self) -> bool:
        """Return whether the margin is a rational function with rational coefficients."""
        numbers = self.margin.atoms(sympy.Pow, sympy.NumberSymbol, sympy.Function)
        return all(number.is_Pow and number.exp.is_Integer for number in numbers)

    def holds(self, point: Mapping[Any, Any]) -> bool:
        """Return whether the condition holds at exact values of all symbols; false if undecided.

        Raises:
            SpecError: a symbol has no value.
        """
        used = self.margin.free_symbols
        value = self.margin.subs({s: number for s, number in point.items() if s in used})
        if value.free_symbols:
            raise SpecError("domain", "a condition mentions a parameter without a value", value)
        if value.has(sympy.nan, sympy.zoo):
            return False
        found = sign(value)
        return found is not None and (found > 0 or (found == 0 and not self.strict))

    def ends(self, point: Mapping[Any, Any]) -> list[Any]:
        """Rational numbers close to where the margin is 0, on both sides, in the last symbol.

        Empty where the margin is no polynomial in it, or where others have no value in `point`.
        """
        top = sympy.fraction(sympy.together(self.margin.subs(dict(point))))[0]
        if top.free_symbols != {self.symbol} or not top.is_polynomial(self.symbol):
            return []
        if not self.rational:
            return []
        roots = sympy.Poly(top, self.symbol).intervals(eps=NEAR)
        return [end for ends, _ in roots for end in dict.fromkeys(ends)]

    def describe(self) -> str:
        """The condition with its negative terms moved to the smaller side: `b <= 3*a`."""
        terms = sympy.Add.make_args(sympy.expand(self.margin))
        small = [-term for term in terms if term.could_extract_minus_sign()]
        large = [term for term in terms if not term.could_extract_minus_sign()]
        return f"{sympy.Add(*small)} {'<' if self.strict else '<='} {sympy.Add(*large)}"


@dataclass(frozen=True)
class Domain:
    """The set of values of one parameter: an interval of the reals, or of the integers.

    Attributes:
        lower, upper: sympy expressions (numbers, or expressions in other parameters); None where
            there is no bound. They may lie outside the true bounds where `also` says what is meant.
        lower_open, upper_open: the bound itself is excluded.
        integer: only whole numbers belong to it.
        also: further conditions on it and on parameters before it.
    """

    lower: Any = None
    upper: Any = None
    lower_open: bool = False
    upper_open: bool = False
    integer: bool = False
    also: tuple[Condition, ...] = ()

    def contains(self, value: Any, others: dict[Any, Any] | None = None) -> bool:
        """Return whether an exact number belongs to the domain.

        `others` gives the parameters that its bounds mention.

        Raises:
            SpecError: a bound mentions a parameter that `others` does not give.
        """
        number = sympy.sympify(value)
        if self.integer and not number.is_Integer:
            return False
        for bound, is_open, side in (
            (self.lower, self.lower_open, 1),
            (self.upper, self.upper_open, -1),
        ):
            if bound is None:
                continue
            end = sympy.sympify(bound)
            # Most bounds are numbers, in which sympy would look for every symbol all the same.
            gap = side * (number - (end if end.is_Rational else end.subs(others or {})))
            if not gap.is_number:
                raise SpecError("domain", "its bound mentions a parameter without a value", bound)
            found = sign(gap)
            if found is None or found < 0 or (is_open and found == 0):
                return False
        return all(c.holds({**(others or {}), c.symbol: number}) for c in self.also)

    def narrower(self, point: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
        """Intervals between the ends of the conditions, within the bounds, in which to look.

        Args:
            point: values of the symbols that bounds and conditions mention.
        """
        ends = sorted({end for c in self.also for end in c.ends(point)})
        if not ends:
            return []
        lower, upper = (
            None if bound is None else sympy.sympify(bound).subs(dict(point))
            for bound in (self.lower, self.upper)
        )
        inner = [
            end for end in ends if (lower is None or end > lower) and (upper is None or end < upper)
        ]
        return list(zip([lower, *inner], [*inner, upper], strict=True))

    def describe(self, name: str) -> str:
        """The domain as a line of text: `0 < gamma < 1/2`, `integer k >= 2`."""
        return ", ".join([self._interval(name), *(c.describe() for c in self.also)])

    def _interval(self, name: str) -> str:
        left = "" if self.lower is None else f"{self.lower} {'<' if self.lower_open else '<='} "
        right = "" if self.upper is None else f" {'<' if self.upper_open else '<='} {self.upper}"
        kind = "integer " if self.integer else ""
        if left and not right:
            return f"{kind}{name} {'>' if self.lower_open else '>='} {self.lower}"
        if not left and not right:
            return f"{kind or 'real '}{name}"
        return f"{kind}{left}{name}{right}"


class Parameter(sympy.Symbol):
    """A sympy symbol with a `Domain`; made by `real` and `integer`, not by hand.

    `made` and `places` are when and where: what is noted later or elsewhere may be of another of
    the same name.

    Args:
        name: as it prints. domain: the numbers that it stands for.
        assumptions: of sympy, which follow from the domain.
    """

    __slots__ = ("_domain_text", "_text", "domain", "made", "places")
    domain: Domain
    made: int
    places: frozenset[Any]
    _domain_text: str
    _text: str

    def __new__(cls, name: str, domain: Domain, **assumptions: bool) -> Parameter:
        """A symbol that is equal to another only if name, assumptions and domain are.

        Raises:
            SpecError: the name is no word, or means something else where it is read.
        """
        check_parameter("name", name)
        self: Parameter = sympy.Symbol.__xnew__(cls, name, **assumptions)
        self.domain = domain
        # sympy compares symbols all the time: printing the bounds again each time is what costs.
        self._domain_text = repr(domain)
        self._text = sys.intern(repr(self._hashable_content()))
        self.made = moment()
        self.places = birthplace()
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str, Domain], dict[str, bool]]:
        """Return the arguments with which copy and pickle make the same parameter again."""
        return (self.name, self.domain), dict(self._assumptions_orig)

    def __eq__(self, other: object) -> Any:
        if type(other) is Parameter:
            return self._text == other._text
        return super().__eq__(other)

    __hash__ = sympy.Symbol.__hash__

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self._domain_text)


def _bound(argument: str, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, bool):
        raise SpecError(argument, "must be a number or an expression", value)
    if isinstance(value, float):
        raise SpecError(
            argument, "must be exact: write Rational(1, 2) or an integer, not a float", value
        )
    try:
        bound = sympy.sympify(value)
    except (sympy.SympifyError, TypeError) as error:
        raise SpecError(argument, "must be a number or an expression", value) from error
    check_digits(argument, bound)
    return bound


def _make(
    name: str, lower: Any, upper: Any, lower_open: bool, upper_open: bool, integer_: bool
) -> Parameter:
    domain = Domain(lower, upper, lower_open, upper_open, integer_)
    if lower is not None and upper is not None:
        width = sympy.sympify(upper) - lower
        if width.is_number and (width < 0 or (width == 0 and (lower_open or upper_open))):
            raise SpecError(name, "its domain must not be empty", domain.describe(name))
    assumptions: dict[str, bool] = {"integer": True} if integer_ else {"real": True}
    if lower is not None and lower.is_number:
        if lower > 0 or (lower == 0 and lower_open):
            assumptions["positive"] = True
        elif lower == 0:
            assumptions["nonnegative"] = True
    return Parameter(name, domain, **assumptions)


def real(
    name: str, *, above: Any = None, below: Any = None, at_least: Any = None, at_most: Any = None
) -> Parameter:
    """Declare a real parameter: `real("gamma", above=0, below=Rational(1, 2))`.

    `above`/`below` exclude the bound, `at_least`/`at_most` include it.

    Args:
        name: as the symbol prints.
        above, below: bounds outside the domain. at_least, at_most: bounds inside it.

    Raises:
        SpecError: a name that means something else, two lower or two upper bounds, a float or
            boolean bound, or an empty domain.
    """
    if above is not None and at_least is not None:
        raise SpecError(name, "takes above= or at_least=, not both", (above, at_least))
    if below is not None and at_most is not None:
        raise SpecError(name, "takes below= or at_most=, not both", (below, at_most))
    lower = _bound(
        "above" if above is not None else "at_least", above if at_least is None else at_least
    )
    upper = _bound(
        "below" if below is not None else "at_most", below if at_most is None else at_most
    )
    return _make(name, lower, upper, above is not None, below is not None, False)


def _whole_bound(bound: Any) -> Any:
    """Return the real bound E + c if floor(E) + c bounds an integer, with c an integer."""
    if bound is None or not bound.has(sympy.floor):
        return bound
    terms = [*sympy.Add.make_args(bound)]
    floors = [term for term in terms if isinstance(term, sympy.floor)]
    rest = sympy.Add(*(term for term in terms if term not in floors))
    if len(floors) != 1 or not rest.is_integer or rest.has(sympy.floor):
        return bound
    return floors[0].args[0] + rest


def integer(name: str, *, at_least: Any = None, at_most: Any = None) -> Parameter:
    """Declare an integer parameter: `integer("k", at_least=2)`.

    Args:
        name: as the symbol prints.
        at_least, at_most: bounds, which belong to the domain: `at_most=floor(k/2)`; None for
            none.

    Raises:
        SpecError: a name that means something else, a float or boolean bound, or an empty domain.
    """
    upper = _whole_bound(_bound("at_most", at_most))
    return _make(name, _bound("at_least", at_least), upper, False, False, True)
