"""Name the arguments of a generated class's cells: t, rational parameters, sizes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import Domain
from ldp_verified.language.names import field_name
from ldp_verified.language.parameters import Condition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ldp_verified.language import Mechanism

ROOM = 96
"""Columns of a line within a generated class."""

OPEN_UNIT = Domain(lower=sympy.Integer(0), upper=sympy.Integer(1), lower_open=True, upper_open=True)
K = sympy.Symbol("k", positive=True)
NATURAL = {
    "k": Domain(lower=sympy.Integer(2), integer=True),
    "g": Domain(lower=sympy.Integer(2), integer=True),
    "omega": Domain(lower=sympy.Integer(1), upper=K - 1, integer=True),
    "prime": Domain(lower=sympy.Integer(2), integer=True),
    "buckets": Domain(lower=sympy.Integer(2), integer=True),
}
"""The domains of sizes that the classes in `ldp_verified.run.realize` enforce of themselves."""


@dataclass(frozen=True)
class ArgumentRule:
    """The domain of an argument, as it is enforced.

    Attributes:
        name: the argument.
        domain: bounds in the printed symbols.
    """

    name: str
    domain: Domain

    @property
    def text(self) -> str:
        """The domain in words, without its kind; empty where nothing is bounded."""
        if self.domain.lower is None and self.domain.upper is None and not self.domain.also:
            return ""
        return self.domain.describe(self.name).removeprefix("integer ").removeprefix("real ")

    @property
    def condition(self) -> str:
        """The domain as a condition in Python, over exact values `own["name"]`."""
        parts = []
        if self.domain.upper is None and self.domain.lower is not None:
            relation = ">" if self.domain.lower_open else ">="
            parts.append(f'own["{self.name}"] {relation} {_exact_text(self.domain.lower)}')
        elif self.domain.upper is not None:
            below = "<" if self.domain.lower_open else "<="
            lower = self.domain.lower
            start = "" if lower is None else f"{_exact_text(lower)} {below} "
            relation = "<" if self.domain.upper_open else "<="
            upper = _exact_text(self.domain.upper)
            parts.append(f'{start}own["{self.name}"] {relation} {upper}')
        for condition in self.domain.also:
            top, bottom = sympy.fraction(sympy.together(condition.margin))
            margin = sympy.expand(top * (1 if bottom.is_positive else bottom))
            parts.append(f"{_exact_text(margin)} {'>' if condition.strict else '>='} 0")
        return f"lambda own: {' and '.join(parts)}" if parts else "lambda _own: True"

    @property
    def lines(self) -> list[str]:
        """A `RationalParameter` in a tuple, as the formatter breaks it."""
        parts = [f'"{self.name}"', f'"{self.text}"', self.condition]
        if self.domain.integer:
            parts.append("integer=True")
        line = f"    RationalParameter({', '.join(parts)}),"
        if len(line) <= ROOM:
            return [line]
        inner = f"        {', '.join(parts)}"
        if len(inner) <= ROOM:
            return ["    RationalParameter(", inner, "    ),"]
        return ["    RationalParameter(", *(f"        {part}," for part in parts), "    ),"]


@dataclass(frozen=True)
class Arguments:
    """The arguments of a generated class.

    Attributes:
        exponent: the field through which the exponential enters ("epsilon", or the spec's own name
            where the tight epsilon is another one); None where there is none.
        root: t = e^(-exponent/root).
        own: the rational parameters with their domains.
        rules: domains of other arguments, beyond what their kind demands.
        sizes: k, g, ... -> printed symbols, or numbers. derived: sizes that the class works out ->
            printed symbols.
        renamed: symbols of the spec -> printed expressions.
        domains: where the printed symbols range.
    """

    exponent: str | None
    root: int
    own: tuple[ArgumentRule, ...]
    rules: tuple[ArgumentRule, ...]
    sizes: dict[str, Any]
    derived: dict[str, Any]
    renamed: dict[Any, Any]
    domains: dict[Any, Domain]

    @property
    def points(self) -> list[Any]:
        """Return the arguments of `cells` before sizes; t alone if there are no others."""
        own = [self.symbol(rule.name) for rule in self.own]
        return [self.symbol("t"), *own] if self.exponent is not None or not own else own

    def symbol(self, name: str) -> Any:
        """The printed symbol of that name."""
        return next(symbol for symbol in self.domains if symbol.name == name)

    def printed(self, value: Any) -> Any:
        """An expression of the algebraic table in the printed symbols."""
        return value.subs(self.renamed)


def refusal(mechanism: Mechanism, rule: str, *got: Any) -> SpecError:
    """The error that says what stands in the way of a numeric side."""
    return SpecError(mechanism.name, f"has no numeric side: {rule}", *got)


def arguments(
    mechanism: Mechanism,
    sizes: Mapping[str, Any],
    used: Sequence[Any],
    ratio: Any,
    derived: Mapping[str, Any] | None = None,
) -> Arguments:
    """The arguments of a mechanism's class.

    Args:
        mechanism: the mechanism.
        sizes: size argument -> expression in the spec.
        used: the cells, in the algebraic variables.
        ratio: e^epsilon of the table; None where no closed form is known.
        derived: size that the class works out -> its symbol in the spec.

    Raises:
        SpecError: a name is taken, or a domain cannot be enforced.
    """
    generator = mechanism.generator
    for value in used:
        if not _is_rational(value):
            raise refusal(mechanism, "its cells must have rational coefficients", value)
    inside = {symbol for value in used for symbol in value.free_symbols}
    more = {} if derived is None else dict(derived)
    known = {size for size in (*sizes.values(), *more.values()) if not size.is_Integer}
    own = _own(mechanism, inside - known)
    own, of_sizes = _conditions(mechanism, own, inside, sizes)
    exponent, root = None, 1
    if generator.symbol is not None and generator.symbol in inside:
        exponent, root = _exponent(mechanism, ratio)
    printed: dict[Any, Any] = {}
    domains: dict[Any, Domain] = {sympy.Symbol("t", positive=True): OPEN_UNIT}
    for name, size in sizes.items():
        symbol = sympy.Symbol(name, positive=True)
        domains[symbol] = NATURAL[name]
        if not size.is_Integer:
            printed[size] = symbol
    for name, size in more.items():
        symbol = sympy.Symbol(name, positive=True)
        printed[size] = symbol
        domains[symbol] = _mapped(mechanism.domains[size], printed)
    for rule in own:
        symbol = sympy.Symbol(field_name(rule.name), real=True)
        spec = next(p for p in mechanism.parameters if p.name == rule.name)
        printed[spec] = symbol
        domains[symbol] = _mapped(rule.domain, printed)
    if exponent is not None:
        printed[generator.symbol] = 1 / next(iter(domains))
    rules = [*_size_rules(mechanism, sizes, printed, of_sizes)]
    if exponent is not None:
        rules += _exponent_rule(mechanism, exponent, root)
    own = tuple(ArgumentRule(field_name(rule.name), _mapped(rule.domain, printed)) for rule in own)
    for each in (*rules, *own):
        _check_bounds(mechanism, each, own)
    symbols = {name: printed.get(size, size) for name, size in sizes.items()}
    worked_out = {name: printed[size] for name, size in more.items()}
    return Arguments(exponent, root, own, tuple(rules), symbols, worked_out, printed, domains)


def _own(mechanism: Mechanism, inside: set[Any]) -> tuple[ArgumentRule, ...]:
    """The rational parameters that the cells use, and those that their bounds mention."""
    wanted = {p for p in mechanism.parameters if p in inside and p != mechanism.generator.eps}
    for parameter in reversed(mechanism.parameters):
        if parameter in wanted:
            domain = mechanism.domains[parameter]
            for bound in (domain.lower, domain.upper):
                if bound is not None:
                    wanted |= {p for p in mechanism.parameters if p in bound.free_symbols}
    sizes = {p for p in wanted if p not in inside and p.domain.integer}
    return tuple(
        ArgumentRule(p.name, replace(mechanism.domains[p], also=()))
        for p in mechanism.parameters
        if p in wanted and p not in sizes and p != mechanism.generator.eps
    )


def _conditions(
    mechanism: Mechanism, own: tuple[ArgumentRule, ...], inside: set[Any], sizes: Mapping[str, Any]
) -> tuple[tuple[ArgumentRule, ...], dict[Any, tuple[Condition, ...]]]:
    """The rules with the mechanism's further conditions, and those that are about sizes only.

    Raises:
        SpecError: one is about something that is not known when arguments are checked.
    """
    free = {size for size in sizes.values() if not size.is_Integer}
    used = inside | free | {mechanism.generator.eps, mechanism.generator.symbol}
    names = [rule.name for rule in own]
    by_name: dict[str, tuple[Condition, ...]] = {}
    of_sizes: dict[Any, tuple[Condition, ...]] = {}
    for condition in (c for domain in mechanism.domains.values() for c in domain.also):
        mentioned = condition.margin.free_symbols
        if not mentioned & used:
            continue
        carriers = [name for name in names if name in {s.name for s in mentioned - free}]
        if not condition.rational or len(carriers) != len(mentioned - free):
            what = "the class cannot check an assumption about more than its sizes and parameters"
            raise refusal(mechanism, what, condition.describe())
        if carriers:
            by_name[carriers[-1]] = (*by_name.get(carriers[-1], ()), condition)
        else:
            of_sizes[condition.symbol] = (*of_sizes.get(condition.symbol, ()), condition)
    rules = (ArgumentRule(r.name, replace(r.domain, also=by_name.get(r.name, ()))) for r in own)
    return tuple(rules), of_sizes


def _exponent(mechanism: Mechanism, ratio: Any) -> tuple[str, int]:
    """The field and the root: epsilon where e^epsilon is a power of the generator."""
    generator = mechanism.generator
    symbol = generator.symbol
    if ratio is not None and ratio.is_polynomial(symbol):
        power = sympy.degree(ratio, symbol)
        if power >= 1 and sympy.cancel(ratio - symbol**power) == 0:
            return "epsilon", int(power)
    return field_name(generator.eps.name), int(generator.root)


def _exponent_rule(mechanism: Mechanism, exponent: str, root: int) -> list[ArgumentRule]:
    """The spec's bounds of its own eps, carried over to the class's argument."""
    generator = mechanism.generator
    domain = mechanism.domains[generator.eps]
    if domain.lower == 0 and domain.upper is None:
        return []
    scale = sympy.Rational(root, generator.root) if exponent == "epsilon" else sympy.Integer(1)
    lower, upper = (None if b is None else b * scale for b in (domain.lower, domain.upper))
    scaled = Domain(lower, upper, domain.lower_open, domain.upper_open)
    return [ArgumentRule(exponent, scaled)]


def _size_rules(
    mechanism: Mechanism,
    sizes: Mapping[str, Any],
    printed: Mapping[Any, Any],
    conditions: Mapping[Any, tuple[Condition, ...]],
) -> list[ArgumentRule]:
    rules = []
    for name, size in sizes.items():
        least = NATURAL[name].lower
        if size.is_Integer:
            if size < least:
                raise refusal(mechanism, f"{name} must be at least {least}", size)
            continue
        domain = mechanism.domains.get(size)
        if domain is None or not domain.integer:
            rule = f"{name} must be an integer parameter or a number"
            raise refusal(mechanism, rule, size)
        domain = replace(domain, also=conditions.get(size, ()))
        if _mapped(domain, printed) != NATURAL[name]:
            rules.append(ArgumentRule(name, _mapped(domain, printed)))
    return rules


def _mapped(domain: Domain, printed: Mapping[Any, Any]) -> Domain:
    lower, upper = (
        None if bound is None else sympy.sympify(bound).subs(printed)
        for bound in (domain.lower, domain.upper)
    )
    also = tuple(
        Condition(printed.get(c.symbol, c.symbol), c.margin.subs(printed), c.strict)
        for c in domain.also
    )
    return replace(domain, lower=lower, upper=upper, also=also)


def _check_bounds(mechanism: Mechanism, rule: ArgumentRule, own: Sequence[ArgumentRule]) -> None:
    """Check that bounds are rational, and mention what is known when they are checked."""
    names = [each.name for each in own]
    later = set(names[names.index(rule.name) :] if rule.name in names else names)
    later.add("t")
    for bound in (rule.domain.lower, rule.domain.upper):
        if bound is None:
            continue
        used = {symbol.name for symbol in bound.free_symbols}
        allowed = {*NATURAL, *names}
        if not _is_rational(bound) or used & later or used - allowed:
            what = "its bounds must be rational functions of sizes and of parameters before it"
            raise refusal(mechanism, what, rule.domain.describe(rule.name))


def _is_rational(value: Any) -> bool:
    """Return whether a value is a rational function with rational coefficients."""
    numbers = value.atoms(sympy.Pow, sympy.NumberSymbol, sympy.Function)
    return all(n.is_Pow and n.exp.is_Integer for n in numbers)


def _exact_text(bound: Any) -> str:
    """A rational function as Python that is exact on fractions."""
    if bound.is_Integer:
        return str(bound)
    if bound.is_Rational:
        return f"Fraction({bound.p}, {bound.q})"
    swap = {symbol: sympy.Symbol(f'own["{symbol.name}"]') for symbol in bound.free_symbols}
    top, bottom = sympy.fraction(sympy.cancel(sympy.together(bound.subs(swap))))
    if bottom == 1:
        return str(top)
    return f"({top}) / ({bottom})"
