"""`Mechanism`: parameters, one table, claims. What every other part of the package starts from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import display
from ldp_verified.language.assumptions import mentioned, narrowed, parts
from ldp_verified.language.claims import (
    BetterThan,
    Claim,
    Optimal,
    SameTable,
    SmallerWorst,
    f,
    n,
)
from ldp_verified.language.comparisons import others_requirements
from ldp_verified.language.declarations import note
from ldp_verified.language.exponents import stated as stated_by
from ldp_verified.language.expressions import EQUATION_HINT, Generator, find_generator
from ldp_verified.language.feasible import interior_point
from ldp_verified.language.floors import without_floors
from ldp_verified.language.forms import Form, Line, sizes
from ldp_verified.language.images import enclosed, image
from ldp_verified.language.law import law_hash
from ldp_verified.language.names import Origin, check_fields, check_word
from ldp_verified.language.parameters import Condition, Domain, Parameter
from ldp_verified.language.points import check_claims, in_powers, own_symbols, uncertain
from ldp_verified.language.requirements import (
    NONZERO,
    Requirement,
    collected,
    expressions_in,
    merged,
    written,
)
from ldp_verified.language.sayable import refuse


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A declared mechanism. Immutable; compared by identity.

    Attributes:
        name: identifier, the same in spec file, generated module, certificate, theorem and test.
        title: its name in the literature.
        parameters: every symbol that table and claims may use; bounds mention earlier ones.
        table: one of the forms.
        claims: what is said of it; may be empty.
        prefer: when to prefer it to others, in a sentence or two for the reader; nothing rests on
            it.
        assuming: further inequalities in the parameters and e^eps (`zero < one`,
            `t*(exp(eps) + 1) <= 1`), all of which hold.
        sampler: what draws its reports where its form does not say: a sampler of numbers ("sign",
            "laplace", ...), or "protocols.MODULE" where that module's clients run it. No part of
            the law.
        origin: the file it came from, set by the loader.
        runs: whether a class is to be generated for it; not for a statement about another one.
        domains: what each parameter ranges over, assumptions included.
        requirements: what must hold for everything in the declaration to have a value.
        made: the same object in every copy of one declaration, and in no other.
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    table: Form
    claims: tuple[Claim, ...] = ()
    assuming: tuple[Any, ...] = ()
    prefer: str = field(default="", repr=False)
    sampler: str = field(default="", repr=False)
    origin: Origin | None = field(default=None, repr=False)
    runs: bool = field(default=True, repr=False)
    domains: Mapping[Parameter, Domain] = field(default_factory=dict, repr=False)
    requirements: tuple[Requirement, ...] = field(default=(), repr=False)
    made: object = field(default=None, repr=False)

    def __init__(
        self,
        name: str,
        *,
        title: str = "",
        parameters: Sequence[Parameter],
        table: Form,
        claims: Sequence[Claim] = (),
        assuming: Sequence[Any] = (),
        prefer: str = "",
        sampler: str = "",
        origin: Origin | None = None,
        runs: bool = True,
    ) -> None:
        """Check that the declaration can be read as a table.

        Raises:
            SpecError: it names the field, the rule and the value.
        """
        check_word("name", name)
        if not isinstance(table, Form):
            forms = ", ".join(form.__name__ for form in get_args(Form))
            raise SpecError("table", f"must be one of {forms}", table)
        for argument, given in (("prefer", prefer), ("sampler", sampler)):
            if not isinstance(given, str):
                raise SpecError(argument, "must be a text", given)
        for argument, listed in (("parameters", parameters), ("claims", claims)):
            if not isinstance(listed, list | tuple):
                raise SpecError(argument, "must be a list, also of one", listed)
        for position, claim in enumerate(claims):
            if isinstance(claim, bool) or claim in (sympy.true, sympy.false):
                raise SpecError(f"claims[{position}]", f"must be a claim; {EQUATION_HINT}", claim)
            if not isinstance(claim, Claim):
                kinds = ", ".join(sorted(kind.__name__ for kind in get_args(Claim)))
                raise SpecError(f"claims[{position}]", f"must be one of {kinds}", claim)
        _check_parameters(parameters)
        check_claims(table, claims)
        assuming = [part for relation in assuming for part in parts(relation)]
        declared = without_floors(parameters, table, claims, assuming)
        parameters, table, claims, assuming, put = declared
        said: dict[str, Any] = {"name": name, "title": title or name, "table": table}
        said |= {"assuming": tuple(assuming), "prefer": prefer, "sampler": sampler}
        said |= {"origin": origin, "runs": bool(runs), "made": object()}
        for attribute, given in said.items():
            object.__setattr__(self, attribute, given)
        object.__setattr__(self, "parameters", _check_parameters(parameters))
        bound = (
            claim.bound_to(parameters)
            if isinstance(claim, SameTable | BetterThan | SmallerWorst)
            else claim
            for claim in claims
        )
        object.__setattr__(self, "claims", tuple(bound))
        object.__setattr__(self, "domains", narrowed(self.parameters, assuming))
        self._check_symbols()
        needed = (requirement.map(put) for requirement in self._required())
        object.__setattr__(self, "requirements", tuple(needed))
        refuse(self.table, self.claims, self.assuming, self.domains, self.generator.eps)
        interior_point(self.variables)
        _ = self.algebraic_table, [self.algebraic(w, e) for w, e in self._claim_expressions()]
        note(self)

    def _claim_expressions(self) -> Iterator[tuple[str, Any]]:
        for position, claim in enumerate(self.claims):
            for where, value in stated_by(self.table, claim):
                yield f"claims[{position}] {where}", in_powers(self.table, value)

    def _domain_expressions(self) -> Iterator[tuple[str, Any]]:
        for parameter, domain in self.domains.items():
            for bound in (domain.lower, domain.upper):
                if bound is not None:
                    yield parameter.name, sympy.sympify(bound)
            for condition in domain.also:
                yield "assuming", condition.margin

    def _check_symbols(self) -> None:
        inputs = {*own_symbols(self.table)}
        inputs |= {self.table.value} if isinstance(self.table, Line) else set()
        declared = {*self.parameters, *inputs}
        names = {parameter.name for parameter in self.parameters}
        if len(names) != len(self.parameters):
            raise SpecError("parameters", "must have different names", [*self.parameters])
        check_fields([parameter.name for parameter in self.parameters])
        if {p.name for p in inputs} & names:
            rule = "must not hold the input of the table, nor a symbol of its own"
            raise SpecError("parameters", rule, [*inputs])
        for reserved in (n, f):
            if reserved.name in names | {p.name for p in inputs}:
                rule = f"must not be named {reserved.name}: n users, share f"
                raise SpecError("parameters", rule, reserved.name)
        anywhere = ((f"claims[{i}]", e) for i, c in enumerate(self.claims) for e in _inside(c))
        for where, value in [
            *self._domain_expressions(),
            *self.table.expressions(),
            *sizes(self.table),
            *self._claim_expressions(),
            *anywhere,
        ]:
            allowed = declared | ({n, f} if where.startswith("claims") else set())
            for symbol in sorted(value.free_symbols - allowed, key=str):
                hint = (
                    "is another symbol of the same name: use the declared one"
                    if symbol.name in names
                    else f"uses a parameter that is not declared: add {symbol} to parameters=[...]"
                )
                raise SpecError(where, hint, symbol)

    def _required(self) -> tuple[Requirement, ...]:
        """Return the requirements of the declaration, each once."""
        inputs = [self.table.value] if isinstance(self.table, Line) else []
        bounds = [b for d in self.domains.values() for b in (d.lower, d.upper) if b is not None]
        stated = [self.table, self.claims, self.assuming, bounds]
        found = [Requirement(size, NONZERO) for _, size in sizes(self.table) if size.free_symbols]
        found += uncertain(self.table, written(stated, Mechanism))
        found += collected(self.parameters, inputs, own_symbols(self.table))
        for claim in self.claims:
            other = getattr(claim, "other", None)
            if other is not None:
                found += others_requirements(other, self.parameters)
        return merged(found)

    @cached_property
    def generator(self) -> Generator:
        """The one exponential through which epsilon enters."""
        everything = [
            *self.table.expressions(),
            *self._claim_expressions(),
            *self._domain_expressions(),
        ]
        inside = {
            symbol
            for where, value in everything
            for exponential in value.atoms(sympy.exp)
            for symbol in exponential.args[0].free_symbols
        }
        candidates = [p for p in self.parameters if p in inside]
        if len(candidates) > 1:
            raise SpecError(
                "table", "only one parameter may stand in exponents", [p.name for p in candidates]
            )
        eps = candidates[0] if candidates else None
        taken = {p.name for p in self.parameters}
        taken |= {self.table.value.name} if isinstance(self.table, Line) else set()
        return find_generator(eps, everything, taken)

    def algebraic(self, where: str, value: Any) -> Any:
        """`value` as a rational function of `variables`.

        Raises:
            SpecError: it is none, or eps stands outside its generator.
        """
        if value.is_Rational:
            return value
        result = self.generator.algebraic(where, in_powers(self.table, value))
        if not result.is_rational_function(*result.free_symbols):
            raise SpecError(where, "must be a rational function of the parameters and e^eps", value)
        odd = [
            part
            for part in sympy.preorder_traversal(result)
            if (part.is_Pow and not part.exp.is_Integer)
            or (part.is_number and not part.is_Rational and (part.is_Atom or part.is_Function))
        ]
        if odd:
            raise SpecError(where, f"must have rational coefficients; {odd[0]} is none", value)
        return result

    @cached_property
    def algebraic_table(self) -> Form:
        """The table with every e^(c eps) replaced by a power of the generator."""
        places = {value: where for where, value in self.table.expressions()}
        return self.table.map(lambda value: self.algebraic(places.get(value, "table"), value))

    @cached_property
    def variables(self) -> dict[Any, Domain]:
        """The symbols of the algebraic table with their domains.

        The generator stands first, or where eps stands if a bound of eps mentions others.
        """
        eps, symbol = self.generator.eps, self.generator.symbol
        domains = {p: self._algebraic_domain(p) for p in self.parameters if p != eps}
        if eps is not None:
            own = image(self.generator, self.domains)
            if mentioned(own) <= {symbol}:
                domains = {symbol: own, **domains}
            else:
                domains = {
                    symbol if p == eps else p: own if p == eps else domains[p]
                    for p in self.parameters
                }
        for parameter in self.parameters:
            for stated in self.domains[parameter].also:
                margin = self.algebraic("assuming", stated.margin)
                last = [s for s in domains if s in margin.free_symbols][-1]
                condition = Condition(last, margin, stated.strict)
                domains[last] = replace(domains[last], also=(*domains[last].also, condition))
        return domains

    def _algebraic_domain(self, parameter: Parameter) -> Domain:
        """The domain of a parameter other than eps, its bounds in the generator."""
        domain = enclosed(parameter, replace(self.domains[parameter], also=()))
        lower, upper = (
            None if bound is None else self.algebraic(parameter.name, sympy.sympify(bound))
            for bound in (domain.lower, domain.upper)
        )
        return replace(domain, lower=lower, upper=upper)

    @property
    def spec_hash(self) -> str:
        """sha256 of the spec file; of the printed declaration where there is no file."""
        if self.origin is not None:
            return self.origin.sha256
        parts = [self.name, repr(self.table), repr(self.claims), repr(self.assuming)]
        parts += [d.describe(p.name) for p, d in self.domains.items()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def law_hash(self) -> str:
        """sha256 of the table and its symbols' domains in one spelling (`language.law`)."""
        return law_hash(self)

    def instance(
        self,
        name: str,
        values: Mapping[Parameter, Any],
        *,
        title: str = "",
        claims: Sequence[Claim] | None = None,
        prefer: str = "",
    ) -> Mechanism:
        """This mechanism at fixed parameter values: `olh.instance("blh", {g: 2})`.

        Claims are carried over with the values put in; an `Optimal` claim over a fixed parameter
        and comparisons with other mechanisms are dropped. `claims` replaces them. It has no origin.

        Raises:
            SpecError: a value outside its parameter's domain, or an unknown parameter.
        """
        exact = {parameter: sympy.sympify(value) for parameter, value in values.items()}
        for parameter, value in exact.items():
            if parameter not in self.parameters:
                raise SpecError("values", "must name parameters of the mechanism", parameter)
            if not parameter.domain.contains(value, exact):
                raise SpecError(
                    parameter.name,
                    f"must satisfy {parameter.domain.describe(parameter.name)}",
                    value,
                )

        def put(value: Any) -> Any:
            return value.subs(exact) if isinstance(value, sympy.Basic) else value

        assuming = [put(relation) for relation in self.assuming]
        if sympy.false in assuming:
            broken = self.assuming[assuming.index(sympy.false)]
            raise SpecError("values", "must satisfy every assumption", str(broken))
        carried = [c.map(put) for c in self.claims if not _fixes(c, exact)]
        made = Mechanism(
            name,
            title=title or f"{self.title} at {', '.join(f'{p}={v}' for p, v in exact.items())}",
            parameters=[p for p in self.parameters if p not in exact],
            table=self.table.map(put),
            claims=carried if claims is None else claims,
            assuming=[relation for relation in assuming if relation != sympy.true],
            prefer=prefer,
        )
        needed = [r.map(put) for r in self.requirements]
        return made.with_requirements([*made.requirements, *needed])

    def with_requirements(self, needed: Sequence[Requirement]) -> Mechanism:
        """This declaration with `needed` in the place of its own requirements."""
        made = copy(self)
        object.__setattr__(made, "requirements", merged(needed))
        return made

    def with_origin(self, origin: Origin) -> Mechanism:
        """This declaration, said to come from `origin`."""
        made = copy(self)
        object.__setattr__(made, "origin", origin)
        return made

    def _repr_html_(self) -> str:
        return display.html(self)

    def _repr_latex_(self) -> str:
        return display.latex(self)


def _inside(claim: Claim) -> Iterator[Any]:
    """Every expression in the fields of a claim; not what a table compared with was made of."""
    return expressions_in(claim, Mechanism | Form)


def _fixes(claim: Claim, values: Mapping[Any, Any]) -> bool:
    if isinstance(claim, Optimal):
        return any(key in values for key in claim.values)
    return isinstance(claim, SameTable | BetterThan | SmallerWorst)


def _check_parameters(parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    for position, parameter in enumerate(parameters):
        if not isinstance(parameter, Parameter):
            raise SpecError(
                f"parameters[{position}]", "must be made by real(...) or integer(...)", parameter
            )
        earlier = set(parameters[:position])
        for bound in (parameter.domain.lower, parameter.domain.upper):
            if bound is not None and not bound.free_symbols <= earlier:
                raise SpecError(
                    parameter.name,
                    "its bounds may mention only parameters that stand before it in "
                    "parameters=[...]",
                    parameter.domain.describe(parameter.name),
                )
    return tuple(parameters)
