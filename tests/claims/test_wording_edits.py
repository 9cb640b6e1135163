"""Every reading of the register, edited in one place: the statement that is shown changes too."""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
import sympy
from sympy import Integer, Rational, log

from ldp_verified.check.claims import (
    QUERIES_ASKED,
    TOLERANCE,
    Check,
    Context,
    RulingKind,
    chosen,
    hash_reports,
    load_documents,
    query_sizes,
    reports_by_queries,
)
from ldp_verified.check.claims.accounting import (
    HIDDEN,
    OF_ORDER,
    SHARE,
    exact_composition,
    from_renyi,
    shuffled,
)
from ldp_verified.check.claims.loader import compared
from ldp_verified.check.claims.reports import BITS, G
from ldp_verified.language import Mechanism, Parameter

TURNED = {
    "<": sympy.Gt,
    "<=": sympy.Ge,
    ">": sympy.Lt,
    ">=": sympy.Le,
    "==": sympy.Ne,
}
"""How a relation is written -> the one in the other direction."""


def _expressions(expression: Any) -> Iterator[Any]:
    for number in sorted(expression.atoms(Integer, Rational), key=sympy.default_sort_key):
        yield expression.xreplace({number: number + 1})
    if isinstance(expression, sympy.core.relational.Relational):
        yield TURNED[expression.rel_op](expression.lhs, expression.rhs, evaluate=False)


def _domains(parameter: Parameter) -> Iterator[Parameter]:
    domain, kind = parameter.domain, dict(parameter._assumptions_orig)
    for side in ("lower", "upper"):
        bound = getattr(domain, side)
        if bound is None or not bound.is_number:
            continue
        is_open = f"{side}_open"
        for changed in ({side: bound + Rational(1, 7)}, {is_open: not getattr(domain, is_open)}):
            yield Parameter(parameter.name, dataclasses.replace(domain, **changed), **kind)


def _cells(mechanism: Mechanism) -> Iterator[Mechanism]:
    """The same with one cell of the table changed; nothing is checked of it."""
    name, cell = next(iter(mechanism.table.cells().items()))
    for changed in _expressions(cell):
        made = copy.copy(mechanism)
        cells = {**mechanism.table.cells(), name: changed}
        object.__setattr__(made, "table", mechanism.table.with_cells(cells))
        yield made


LEFT_OUT = {"cited", "conclusive", "checkers", "script", "source", "theorem", "file", "proved"}
"""What is no part of a statement: who says so, and how it is decided."""


def edited(value: Any) -> Iterator[tuple[str, Any]]:
    """(where, the same with one number, direction or end of a range changed)."""
    if isinstance(value, Parameter):
        yield from (("", each) for each in _domains(value))
    elif isinstance(value, sympy.Basic):
        relations = sympy.core.relational.Relational
        for each in _expressions(value):
            if each != value and (isinstance(each, relations) or not each.is_Boolean):
                yield "", each
    elif isinstance(value, str):
        if re.fullmatch(r"\d+(/\d+)?", value):
            yield "", str(Fraction(value) + 1)
    elif isinstance(value, Mechanism):
        yield from (("", each) for each in _cells(value))
    elif isinstance(value, bool):
        yield "", not value
    elif isinstance(value, int):
        yield "", value + 1
    elif isinstance(value, tuple | list):
        for i, part in enumerate(value):
            for where, each in edited(part):
                yield f"[{i}]{where}", type(value)((*value[:i], each, *value[i + 1 :]))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from ((f"[{key}]{where}", {**value, key: each}) for where, each in edited(part))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            if not field.init or field.name in LEFT_OUT or field.name.startswith("_"):
                continue
            part = getattr(value, field.name)
            if isinstance(part, Parameter) and field.name != "parameter":
                continue  # the mechanism's own parameter: another one could not be declared
            for where, each in edited(part):
                made = copy.copy(value)
                made.__dict__.pop("_about", None)
                object.__setattr__(made, field.name, each)
                yield f".{field.name}{where}", made


def test_an_edit_of_a_formal_version_shows_in_its_statement() -> None:
    known, looked, kinds = compared(), 0, set()
    for _, _, entry in chosen(load_documents(), []):
        readings = [r for part in entry.parts for r in (*part.readings, *part.corrections)]
        stated = {reading.statement for reading in readings}
        for reading in readings:
            for where, check in edited(reading.check):
                if ".values[" in where and _for_all(check):
                    continue  # only a second look at what is proved for all values
                looked += 1
                kinds.add(type(check).__name__)
                said = check.says()
                assert said != reading.statement, (entry.id, where)
                # It may be another reading of the same entry, which was compared too.
                assert (entry.id, said) not in known or said in stated, (entry.id, where)
    assert looked > 1000
    assert {"Table", "Relation", "Ladder", "Tail", "Grid", "GaussianIs", "LaplaceMoment"} <= kinds


def _for_all(check: Any) -> bool:
    """Return whether a tail is proved for all values, which then are no part of its statement."""
    parts = [getattr(check, "check", None), *getattr(check, "checks", ())]
    return bool(getattr(check, "proved", False)) or any(map(_for_all, filter(None, parts)))


FORMULAS: dict[str, tuple[Check, Check]] = {
    "B11 without 2 log2 g + 1": (hash_reports(), hash_reports(bound=BITS - 2 * G)),
    "E15 with one third of the users": (
        query_sizes(users=3 * QUERIES_ASKED * log(20 * QUERIES_ASKED)),
        query_sizes(users=QUERIES_ASKED * log(20 * QUERIES_ASKED)),
    ),
    "E15 with four times the tolerance": (
        reports_by_queries(),
        reports_by_queries(tolerance=4 * TOLERANCE),
    ),
    "composition with half of the sum": (exact_composition(), exact_composition(share=SHARE / 2)),
    "Renyi without the logarithm": (from_renyi(), from_renyi(claimed=OF_ORDER)),
}
"""Statements of finitely many cases, true -> with a formula that is false in one of them."""


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_of_finitely_many_cases_is_what_is_computed(name: str) -> None:
    true, false = FORMULAS[name]
    assert true.says() != false.says()
    assert true.decide(Context()).kind is RulingKind.CHECKED
    found = false.decide(Context())
    assert found.kind is RulingKind.REFUTED
    assert found.witness is not None


def test_a_bound_that_is_not_reached_by_another_bound_is_open() -> None:
    found = shuffled(hidden=HIDDEN / 100).decide(Context())
    assert found.kind is RulingKind.OPEN
    assert shuffled(hidden=HIDDEN / 100).says() != shuffled().says()
