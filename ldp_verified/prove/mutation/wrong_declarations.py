"""Wrong variants of what stands around a table: names, domains, divisors, and the printed text.

A changed domain or divisor is offered only where it is wrong for certain. At a point that is named,
a probability has no value, is negative or above 1, or is 0 beside a claim of privacy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import LDP, Design, Mechanism, integer, real
from ldp_verified.language.feasible import interior_point
from ldp_verified.language.parameters import Domain
from ldp_verified.language.requirements import NONZERO, Requirement
from ldp_verified.prove.enumeration.points import structure_symbols
from ldp_verified.prove.mutation.expression_changes import variant

STATEMENT, COQ = "statement", "coq"

LOOK_ALIKES = {"k": "\uff4b", "g": "\uff47", "eps": "\u03b5ps", "gamma": "\u03b3amma"}
"""Names that a reader takes for the parameter's own, or for one of its ASCII spelling."""

TAKEN = ("lambda", "fun", "exp", "let")
"""Words of Python, of Coq, and of both."""


PROBABILITY = (
    r'("count": "(?!0)[^"]*", "px": |"cell": |"level": |"mass": |"matrix": {"cells": \[)"([^"]*)"'
)
"""A probability of the statement: in a row, a formula of points, a piece of a density, an atom,
noise, or a matrix by its distinct cells. A row that counts no output may say what it likes."""


@dataclass(frozen=True)
class TextChange:
    """A change of what a checker reads, the declaration being left alone.

    Attributes:
        of: "statement", which certificate, solver and the comparison of rows read; or "coq".
        change: of the text; the first place is changed; a `ValueError` where the text has none.
    """

    of: str
    change: Callable[[str], str]

    def __call__(self, of: str, text: str) -> str:
        """The text, changed if it is the one that is meant."""
        return self.change(text) if of == self.of else text


Declared = Iterator[tuple[str, str, Callable[[], Mechanism]]]
"""Kind, what was changed, and the changed declaration."""


def wrong_declarations(m: Mechanism) -> Declared:
    """Every wrong variant of a mechanism's names, domains and divisors."""
    yield from _names(m)
    yield from _domains(m)
    yield from _singularities(m)


def redeclared(m: Mechanism, change: dict[Any, Any], *, table: bool = True) -> Mechanism:
    """The declaration with other parameters in the place of some.

    Args:
        m: the declaration. change: old parameter -> new one. table: whether the table speaks of
            the new ones too, and they are declared; else only the claims do.

    Raises:
        SpecError: it cannot be declared.
    """
    put = partial(_put, change)
    claims = [claim.map(put) for claim in m.claims]
    if not table:
        return variant(m, claims=tuple(claims))
    return Mechanism(
        m.name,
        title=m.title,
        parameters=[change.get(p, p) for p in m.parameters],
        table=m.table.map(put),
        claims=claims,
        assuming=[put(relation) for relation in m.assuming],
    )


def _names(m: Mechanism) -> Declared:
    """Names that mean something else or look like another one; parameters taken for each other."""
    for p in m.parameters:
        names = (LOOK_ALIKES.get(p.name, chr(0xFF41)), TAKEN[len(p.name) % len(TAKEN)])
        for name in names:
            yield "name", f"{name} for {p}", partial(_renamed, m, p, name)
    for p, q in combinations(m.parameters, 2):
        swapped = {p: q, q: p}
        if any(_differs(claim, swapped) for claim in m.claims):
            what = f"{p} and {q} exchanged in the claims"
            yield "name", what, partial(redeclared, m, swapped, table=False)


def _renamed(m: Mechanism, p: Any, name: str) -> Mechanism:
    return redeclared(m, {p: (integer if p.domain.integer else real)(name)})


def _differs(claim: Any, change: dict[Any, Any]) -> bool:
    try:
        return bool(claim.map(partial(_put, change)) != claim)
    except SpecError:  # The vocabulary refuses what it becomes; the variant records that.
        return True


def _put(change: dict[Any, Any], value: Any) -> Any:
    return value.xreplace(change) if isinstance(value, sympy.Basic) else value


def _domains(m: Mechanism) -> Declared:
    """Domains with more in them than the table can bear.

    What the sizes of a structure determine has one value, whatever else its domain has in it.
    """
    inside = interior_point(m.variables)
    determined = structure_symbols(m.algebraic_table)[1]
    for p in m.parameters:
        symbol = m.generator.symbol if p == m.generator.eps else p
        if symbol != p or p in determined or any(_mentions(q.domain, p) for q in m.parameters):
            continue
        for what, domain, at in _wider(p.domain, inside):
            if _bad(m, {**inside, p: at}):
                new = _parameter(p.name, domain)
                yield (
                    "domain",
                    f"{domain.describe(p.name)} for {p.domain.describe(p.name)}: {what}",
                    partial(redeclared, m, {p: new}),
                )


def _parameter(name: str, domain: Domain) -> Any:
    if domain.integer:
        return integer(name, at_least=domain.lower, at_most=domain.upper)
    below = "above" if domain.lower_open else "at_least"
    above = "below" if domain.upper_open else "at_most"
    return real(name, **{below: domain.lower, above: domain.upper})


def _mentions(domain: Domain, p: Any) -> bool:
    bounds = (domain.lower, domain.upper, *(condition.margin for condition in domain.also))
    return any(b is not None and p in sympy.sympify(b).free_symbols for b in bounds)


def _wider(domain: Domain, inside: dict[Any, Any]) -> Iterator[tuple[str, Domain, Any]]:
    """(what, the wider domain, a point that it has more)."""
    lower, upper = domain.lower, domain.upper
    if lower is not None:
        at = sympy.sympify(lower).subs(inside)
        if domain.integer:
            yield "one less", replace(domain, lower=lower - 1), at - 1
        else:
            if domain.lower_open:
                yield "with its lower end", replace(domain, lower_open=False), at
            yield "without a lower end", replace(domain, lower=None, lower_open=False), at - 1
    if upper is not None:
        at = sympy.sympify(upper).subs(inside)
        if domain.integer:
            yield "one more", replace(domain, upper=upper + 1), at + 1
        else:
            if domain.upper_open:
                yield "with its upper end", replace(domain, upper_open=False), at
            yield "without an upper end", replace(domain, upper=None, upper_open=False), at + 1


def _bad(m: Mechanism, point: dict[Any, Any]) -> bool:
    """Return whether a probability of the table is none at a point."""
    private = any(isinstance(claim, LDP) and claim.delta == 0 for claim in m.claims)
    form: Any = m.algebraic_table
    for cell in form.cells().values():
        value = sympy.sympify(cell).subs(point)
        if value.free_symbols:
            return False
        if not value.is_Rational or value < 0 or value > 1 or (private and value == 0):
            return True
    return False


def _singularities(m: Mechanism) -> Declared:
    """A cell multiplied by (p - c)/(p - c), c in the domain: sympy cancels it before anyone looks.

    What is divided by is noted by the vocabulary while a spec runs; here it is noted by hand, since
    no spec is run.
    """
    inside = interior_point(m.variables)
    for symbol, domain in m.variables.items():
        at = inside[symbol]
        if not domain.integer:
            near = at * sympy.Rational(102, 101)
            at = near if domain.contains(near, {**inside, symbol: near}) else at
        if symbol == m.generator.symbol:
            divisor = sympy.exp(m.generator.eps / m.generator.root) - at
        elif symbol in m.parameters:
            divisor = symbol - at
        else:
            continue
        yield (
            "singularity",
            f"a cell multiplied by ({divisor})/({divisor})",
            partial(_divided, m, divisor),
        )


def _divided(m: Mechanism, divisor: Any) -> Mechanism:
    made = variant(m)
    return made.with_requirements([*made.requirements, Requirement(divisor, NONZERO)])


def text_changes(m: Mechanism, coq_text: str, *, counted: bool) -> Iterator[tuple[str, TextChange]]:
    """(what was changed, change) of the texts that are printed of a mechanism.

    Args:
        m: the declaration. coq_text: what is printed of it; empty where nothing is.
        counted: whether the statement has rows, each with a count of outputs.
    """
    yield (
        "the first probability of the statement halved",
        TextChange(STATEMENT, partial(_first, PROBABILITY, r'\1"(\2)/2"')),
    )
    if counted:
        yield (
            "the first count of the statement one more",
            TextChange(STATEMENT, partial(_first, r'"count": "([^"]*)"', r'"count": "\1 + 1"')),
        )
    name = re.escape(m.name)
    cell = "inside" if isinstance(m.table, Design) else "one"
    body = rf"(Definition {name}_{cell}\b[^=]*:=\s*)(.*?)\.\n"
    listed = rf"(Definition {name}_rows\b[^=]*:=\s*\[\[)([^;\]]*)"
    for pattern, new in ((body, r"\1(\2) / 2.\n"), (listed, r"\1(\2) / 2")):
        if re.search(pattern, coq_text, re.DOTALL):
            yield (
                "the first cell halved in the Coq text",
                TextChange(COQ, partial(_first, pattern, new)),
            )
            break
    weaker = rf"(Theorem {name}_ldp : [^.]*?\n  ldp \([^()]*\)) eps\."
    if re.search(weaker, coq_text):
        yield (
            "2 eps for eps in the Coq theorem",
            TextChange(COQ, partial(_first, weaker, r"\1 (2 * eps).")),
        )


def _first(pattern: str, new: str, text: str) -> str:
    changed, places = re.subn(pattern, new, text, count=1, flags=re.DOTALL)
    if not places:
        raise ValueError(f"text: nothing to be changed matches {pattern}")
    return changed
