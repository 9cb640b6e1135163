"""Parameters of a mechanism: sympy symbols that carry their own domain.

`eps = real("eps", above=0)`, `k = integer("k", at_least=2)`, `gamma = real("gamma", above=0,
below=Rational(1, 2))`. A bound may be an expression in parameters declared before it
(`integer("omega", at_least=1, at_most=k - 1)`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.names import check_parameter
from ldp_verified.language.requirements import birthplace, moment


@dataclass(frozen=True)
class Domain:
    """The set of values of one parameter: an interval of the reals, or of the integers.

    Attributes:
        lower, upper: sympy expressions (numbers, or expressions in other parameters); None where
            there is no bound.
        lower_open, upper_open: the bound itself is excluded.
        integer: only whole numbers belong to it.
    """

    lower: Any = None
    upper: Any = None
    lower_open: bool = False
    upper_open: bool = False
    integer: bool = False

    def contains(self, value: Any, others: dict[Any, Any] | None = None) -> bool:
        """Whether an exact number belongs to the domain.

        `others` gives the parameters that its bounds mention.

        Raises:
            SpecError: a bound mentions a parameter that `others` does not give.
        """
        number = sympy.sympify(value)
        if self.integer and not number.is_Integer:
            return False
        for bound, is_open, sign in (
            (self.lower, self.lower_open, 1),
            (self.upper, self.upper_open, -1),
        ):
            if bound is None:
                continue
            gap = sign * (number - sympy.sympify(bound).subs(others or {}))
            if not gap.is_number:
                raise SpecError("domain", "its bound mentions a parameter without a value", bound)
            if gap < 0 or (is_open and gap == 0):
                return False
        return True

    def describe(self, name: str) -> str:
        """The domain as a line of text: `0 < gamma < 1/2`, `integer k >= 2`."""
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
    """

    __slots__ = ("_domain_text", "domain", "made", "places")
    domain: Domain
    made: int
    places: frozenset[Any]
    _domain_text: str

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
        self.made = moment()
        self.places = birthplace()
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str, Domain], dict[str, bool]]:
        """What copy and pickle need to make the same parameter again."""
        return (self.name, self.domain), dict(self._assumptions_orig)

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
        return sympy.sympify(value)
    except (sympy.SympifyError, TypeError) as error:
        raise SpecError(argument, "must be a number or an expression", value) from error


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
    """A real parameter: `real("gamma", above=0, below=Rational(1, 2))`.

    `above`/`below` exclude the bound, `at_least`/`at_most` include it.

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


def integer(name: str, *, at_least: Any = None, at_most: Any = None) -> Parameter:
    """An integer parameter: `integer("k", at_least=2)`.

    Raises:
        SpecError: a name that means something else, a float or boolean bound, or an empty domain.
    """
    return _make(name, _bound("at_least", at_least), _bound("at_most", at_most), False, False, True)
