"""The law of a mechanism: its table and its symbols' domains in one spelling, and their hash.

Reports, states and generated classes are told apart by this hash. Two declarations that differ in
prose, claims, the order of parameters or the spelling of a formula have one law; another cell, size
or domain is another law. The names of parameters belong to it, since that is how they are given.

Each expression is spelled as a quotient of polynomials without common factor, with whole
coefficients, its terms in the order of their text. So nothing depends on how sympy prints.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.density import Density
from ldp_verified.language.expressions import Generator, find_generator
from ldp_verified.language.forms import Line, Matrix, sizes
from ldp_verified.language.layout import CellLayout
from ldp_verified.language.noise import Steps

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism

VERSION = 1
"""The version of the spelling; another version gives every mechanism another hash."""

VALUE = "<value>"
"""How the input of a distribution on the line is spelled, whatever its name."""


def law_text(mechanism: Mechanism) -> str:
    """The law as JSON in ASCII, keys sorted."""
    spelling = _Spelling(mechanism)
    record = {
        "version": VERSION,
        "table": spelling.table(mechanism.table),
        "symbols": {p.name: spelling.interval(mechanism.domains[p]) for p in spelling.used},
        "where": sorted(spelling.condition(c) for c in _conditions(mechanism)),
    }
    return json.dumps(record, sort_keys=True, separators=(",", ":"))


def law_hash(mechanism: Mechanism) -> str:
    """The sha256 of `law_text`, in hex."""
    return hashlib.sha256(law_text(mechanism).encode()).hexdigest()


def _conditions(mechanism: Mechanism) -> Iterator[Any]:
    """Return the conditions on several parameters together, which intervals cannot say."""
    for domain in mechanism.domains.values():
        yield from domain.also


def _bounds(domain: Any) -> list[Any]:
    return [sympy.sympify(b) for b in (domain.lower, domain.upper) if b is not None]


class _Spelling:
    """How the expressions of one mechanism are written.

    Attributes:
        used: the parameters that the table, its conditions, or the bounds of such ones mention.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        table = mechanism.table
        places = [*table.expressions(), *sizes(table)]
        places += [("assuming", condition.margin) for condition in _conditions(mechanism)]
        names: dict[Any, str] = {}
        if isinstance(table, Line):
            names[table.value] = VALUE
            places += [("table.value", bound) for bound in _bounds(table.value.domain)]
        mentioned = {symbol for _, value in places for symbol in value.free_symbols}
        # A bound mentions only what was declared before.
        for parameter in reversed(mechanism.parameters):
            if parameter in mentioned:
                bounds = _bounds(mechanism.domains[parameter])
                places += [(parameter.name, bound) for bound in bounds]
                mentioned |= {symbol for bound in bounds for symbol in bound.free_symbols}
        self.used = [p for p in mechanism.parameters if p in mentioned]
        self._generator = _generator(self.used, places)
        if self._generator.eps is not None:
            names[self._generator.symbol] = f"exp({self._generator.eps}/{self._generator.root})"
        self._names = names

    def table(self, value: Any) -> Any:
        """A form, or a part of one, as JSON values: what it is, and its fields by name."""
        if isinstance(value, sympy.Symbol) and value in self._names:
            return {"value": self.interval(value.domain)}
        if isinstance(value, sympy.Basic):
            return self.expression(value)
        if isinstance(value, Matrix):
            return self._matrix(value)
        if is_dataclass(value):
            parts = {f.name: self.table(getattr(value, f.name)) for f in fields(value) if f.compare}
            if isinstance(value, Density | Steps):
                # The order in which pieces and atoms are listed says nothing.
                listed = (name for name in ("pieces", "atoms") if name in parts)
                parts |= {name: sorted(parts[name], key=json.dumps) for name in listed}
            return [type(value).__name__, parts]
        if isinstance(value, tuple):
            return [self.table(each) for each in value]
        if isinstance(value, frozenset):
            return sorted((self.table(each) for each in value), key=json.dumps)
        assert value is None or isinstance(value, str | int), value
        return value

    def _matrix(self, form: Matrix) -> Any:
        """Labels, the inputs that each output supports, the distinct cells and their places."""
        cells = CellLayout(
            tuple(map(self.expression, form.layout.cells)), form.layout.index
        ).merged()
        places = {label: i for i, label in enumerate(form.inputs)}
        support = form.support
        # The digest is of int32, little-endian, whatever the machine.
        index = hashlib.sha256(cells.index.astype("<i4").tobytes()).hexdigest()
        return [
            "Matrix",
            {
                "inputs": [_label(label) for label in form.inputs],
                "outputs": [_label(label) for label in form.outputs],
                "support": support and [sorted(places[x] for x in held) for held in support],
                "shape": list(cells.index.shape),
                "cells": list(cells.cells),
                "places": index,
            },
        ]

    def interval(self, domain: Any) -> Any:
        """The interval of a domain."""
        lower, upper = (
            None if bound is None else self.expression(sympy.sympify(bound))
            for bound in (domain.lower, domain.upper)
        )
        opened = [bool(domain.lower_open), bool(domain.upper_open)]
        return {"lower": lower, "upper": upper, "open": opened, "integer": bool(domain.integer)}

    def condition(self, condition: Any) -> str:
        """A condition between symbols."""
        return f"{self.expression(condition.margin)} {'>' if condition.strict else '>='} 0"

    def expression(self, value: Any) -> str:
        """An expression in its one spelling."""
        if value.is_Rational:
            return str(value)
        # A bound may hold eps in another way: it is spelled as it stands, then.
        with contextlib.suppress(SpecError):
            value = self._generator.algebraic("law", value)
        return self._quotient(value)

    def _quotient(self, value: Any) -> str:
        top, bottom = sympy.fraction(sympy.cancel(sympy.together(value)))
        try:
            polynomials, _ = sympy.parallel_poly_from_expr([top, bottom])
        except sympy.PolificationFailed:
            return self._atom(top / bottom) if not (top / bottom).is_Rational else str(top / bottom)
        terms = [self._terms(polynomial) for polynomial in polynomials]
        scale = _scale([c for found in terms for c in found.values()], terms[1])
        above, below = (
            " + ".join(f"{c * scale}{name}" for name, c in sorted(found.items())) for found in terms
        )
        return f"({above or 0})/({below})"

    def _terms(self, polynomial: Any) -> dict[str, Any]:
        """Product of powers of generators, as text -> coefficient."""
        names = [self._atom(generator) for generator in polynomial.gens]
        found = {}
        for powers, coefficient in polynomial.terms():
            used = sorted(f"*{n}^{p}" for n, p in zip(names, powers, strict=True) if p)
            if coefficient:
                found["".join(used)] = coefficient
        return found

    def _atom(self, value: Any) -> str:
        """Name a variable of polynomials: a symbol, or a function of expressions."""
        if value.is_Symbol:
            return self._names.get(value, str(value))
        if not value.args:
            return str(value)
        inside = ", ".join(map(self.expression, value.args))
        return f"{type(value).__name__}({inside})"


def _generator(used: list[Any], places: list[tuple[str, Any]]) -> Generator:
    """The exponential in the table; claims have no part in it."""
    inside = {
        symbol
        for _, value in places
        for exponential in value.atoms(sympy.exp)
        for symbol in exponential.args[0].free_symbols
    }
    eps = next((p for p in used if p in inside), None)
    return find_generator(eps, places, {p.name for p in used})


def _scale(coefficients: list[Any], below: dict[str, Any]) -> Any:
    """Return the factor to whole, coprime coefficients, the denominator's first one positive."""
    if not all(c.is_Rational for c in coefficients):
        return sympy.Integer(1)
    whole = sympy.ilcm(1, *(c.q for c in coefficients))
    common = sympy.igcd(0, *(c * whole for c in coefficients))
    sign = 1 if below[min(below)] > 0 else -1
    return sympy.Rational(sign * whole, common)


def _label(label: Any) -> list[Any]:
    """The name of an input or output, and its type: 1 is not "1"."""
    if isinstance(label, frozenset | tuple):
        parts = [_label(each) for each in label]
        ordered = parts if isinstance(label, tuple) else sorted(parts, key=json.dumps)
        return [type(label).__name__, ordered]
    if isinstance(label, sympy.Basic):
        return ["expression", sympy.srepr(label)]
    return [type(label).__name__, repr(label)]
