"""Expressions of protocol files as Python text in exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import day_bits, itemsets

HELPERS = ("ceiling", "exp", "floor", "log", "mod", "power")
"""The functions of `exact_terms` that the text may call."""

SETS = {
    itemsets.PaddedItem: "padded_item",
    itemsets.HeldAmong: "held_among",
    itemsets.SizeOf: "size_of",
    itemsets.SignedItems: "signed_items",
    day_bits.MaskedChange: "masked_change",
    sympy.factorial: "factorial",
}
"""Function of an expression -> the function of `exact_sets` that the text calls for it."""

_RELATIONS = {
    sympy.Lt: "<",
    sympy.Le: "<=",
    sympy.Gt: ">",
    sympy.Ge: ">=",
    sympy.Eq: "==",
    sympy.Ne: "!=",
}


def term(value: Any, names: Mapping[Any, str], where: str) -> str:
    """The text of an expression.

    Args:
        value: a sympy expression. names: of its symbols in the text. where: for the message.

    Raises:
        SpecError: it has no exact text, as square roots have none.
    """
    return _term(sympy.sympify(value), names, where)


def _term(value: Any, names: Mapping[Any, str], where: str) -> str:
    def text(part: Any) -> str:
        return _term(part, names, where)

    if value in names:
        return names[value]
    if value.is_Integer:
        return str(value) if value >= 0 else f"({value})"
    if value.is_Rational:
        return f"Fraction({value.p}, {value.q})"
    if value in (sympy.true, sympy.false):
        return str(bool(value))
    if value.is_Add or value.is_Mul:
        sign = " + " if value.is_Add else " * "
        return f"({sign.join(map(text, value.args))})"
    if value.is_Pow and (value.exp.is_integer or value.exp.is_Integer):
        return f"power({text(value.base)}, {text(value.exp)})"
    if value == sympy.E:
        return "exp(1)"
    if isinstance(value, sympy.floor | sympy.ceiling | sympy.log | sympy.exp) and (
        len(value.args) == 1
    ):
        return f"{type(value).__name__}({text(value.args[0])})"
    if isinstance(value, sympy.Mod):
        return f"mod({text(value.args[0])}, {text(value.args[1])})"
    if isinstance(value, sympy.Abs):
        return f"abs({text(value.args[0])})"
    if type(value) in SETS:
        return f"{SETS[type(value)]}({', '.join(map(text, value.args))})"
    if isinstance(value, sympy.Min | sympy.Max):
        return f"{type(value).__name__.lower()}({', '.join(map(text, value.args))})"
    if isinstance(value, sympy.Piecewise):
        return _pieces(value, names, where)
    if isinstance(value, sympy.And | sympy.Or):
        sign = " and " if isinstance(value, sympy.And) else " or "
        return f"({sign.join(map(text, value.args))})"
    if isinstance(value, sympy.Not):
        return f"(not {text(value.args[0])})"
    for kind, sign in _RELATIONS.items():
        if isinstance(value, kind):
            return f"({text(value.lhs)} {sign} {text(value.rhs)})"
    rule = "cannot be run exactly: no class is generated from it"
    raise SpecError(where, rule, str(value))


def _pieces(value: Any, names: Mapping[Any, str], where: str) -> str:
    """The first piece whose condition holds; the last one must hold always."""
    *pieces, (last, always) = value.args
    if always != sympy.true:
        raise SpecError(where, "must end with a piece that holds always", str(value))
    found = _term(last, names, where)
    for expression, condition in reversed(pieces):
        held = _term(expression, names, where)
        found = f"({held} if {_term(condition, names, where)} else {found})"
    return found
