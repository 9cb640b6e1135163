"""Bytes that are no statement, and statements that are not true, around Warner's.

Each takes the genuine statement and returns bytes. The checker inside the kernel must refuse to
read the former, and must not show what is named of the latter, whatever the certificate.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

Statement = dict[str, Any]
Edit = Callable[[Statement], str]


def written(statement: Statement) -> str:
    """The canonical bytes."""
    return json.dumps(statement, sort_keys=True, separators=(",", ":"))


def _replaced(old: str, new: str) -> Edit:
    """The bytes with a text in place of every other."""

    def edit(statement: Statement) -> str:
        text = written(statement)
        assert old in text
        return text.replace(old, new)

    return edit


def _changed(change: Callable[[Statement], None]) -> Edit:
    """The bytes of a changed statement."""

    def edit(statement: Statement) -> str:
        copied = copy.deepcopy(statement)
        change(copied)
        assert copied != statement
        return written(copied)

    return edit


def _variable_again(statement: Statement) -> None:
    statement["variables"] *= 2


def _column_of_another_table(statement: Statement) -> None:
    statement["pair_tables"][0]["rows"][0]["px"] = "gamma"


def _table_left_out(statement: Statement) -> None:
    statement["pair_tables"].pop()


def _row_left_out(statement: Statement) -> None:
    statement["pair_tables"][1]["rows"].pop()


def _bound_in_itself(statement: Statement) -> None:
    statement["variables"][0]["upper"] = "gamma + 1"


UNREADABLE: dict[str, Edit] = {
    "key twice": lambda s: '{"claims":[],' + written(s)[1:],
    "inner key twice": _replaced('"count":"1"', '"count":"1","count":"1"'),
    "variable twice": _changed(_variable_again),
    "name of the users": _replaced("gamma", "n"),
    "name of the share": _replaced("gamma", "f"),
    "name with a digit first": _replaced("gamma", "2g"),
    "full-width name": _replaced("gamma", "\uff47amma"),
    "escaped name": _replaced("gamma", "\\u0067amma"),
    "accented name": _replaced("gamma", "gamm\u00e4"),
    "unknown name": _changed(lambda s: s["variables"].clear()),
    "bound in the variable itself": _changed(_bound_in_itself),
    "leading zero": _replaced("2*gamma", "02*gamma"),
    "only zeros": _replaced("2*gamma", "00+2*gamma"),
    "underscore in a number": _replaced("2*gamma", "2_0*gamma"),
    "hexadecimal": _replaced("2*gamma", "0x2*gamma"),
    "float": _replaced("2*gamma", "2.0*gamma"),
    "exponent": _replaced("2*gamma", "2e0*gamma"),
    "no sign between": _replaced("2*gamma", "2 gamma"),
    "whole division": _replaced(")/2", ")//2"),
    "power of a power": _replaced("(2*gamma + 1)/2", "(2*gamma + 1)**1**1/2"),
    "power that is a variable": _replaced("(2*gamma + 1)/2", "(2*gamma + 1)**gamma/2"),
    "comment": _replaced("(2*gamma + 1)/2", "(2*gamma + 1)/2 # + 1"),
    "parenthesis left open": _replaced("(2*gamma + 1)/2", "(2*gamma + 1/2"),
    "two expressions": _replaced("(2*gamma + 1)/2", "(2*gamma + 1)/2, 1"),
    "white space": lambda s: json.dumps(s, sort_keys=True),
    "something after it": lambda s: written(s) + "{}",
    "cut off": lambda s: written(s)[:-1],
    "unknown field": lambda s: '{"assuming":[],' + written(s)[1:],
    "count that is not 1": _replaced('"count":"1"', '"count":"2"'),
    "column of another table": _changed(_column_of_another_table),
    "table left out": _changed(_table_left_out),
    "row left out": _changed(_row_left_out),
}
"""What Coq must not read as a statement."""

EVERYTHING = frozenset({"stochastic", "ratio", "tight", "unbiased", "variance"})


def _claim(kind: str, **fields: Any) -> Edit:
    def change(statement: Statement) -> None:
        next(c for c in statement["claims"] if c["kind"] == kind).update(fields)

    return _changed(change)


def _bounds(**fields: Any) -> Edit:
    def change(statement: Statement) -> None:
        for place in (statement, statement["defined"]):
            place["variables"][0].update(fields)

    return _changed(change)


FALSE: dict[str, tuple[Edit, frozenset[str]]] = {
    "cells that do not sum to 1": (_replaced("(2*gamma + 1)/2", "(2*gamma + 2)/2"), EVERYTHING),
    "cells below 0": (_bounds(upper="2/3"), EVERYTHING | {"defined"}),
    "domain with its end": (_bounds(upper_open=False), frozenset({"ratio", "defined"})),
    "no upper bound": (_bounds(upper=None), EVERYTHING | {"defined"}),
    "no lower bound": (_bounds(lower=None), EVERYTHING | {"defined"}),
    "smaller epsilon": (
        _claim("ldp", bounds=["(gamma + 1)/(1 - gamma)"] * 2),
        frozenset({"ratio", "tight"}),
    ),
    "larger epsilon": (
        _claim("ldp", bounds=["2*(2*gamma + 1)/(1 - 2*gamma)"] * 2),
        frozenset({"tight"}),
    ),
    "one bound of two": (
        _claim("ldp", bounds=["(2*gamma + 1)/(1 - 2*gamma)"]),
        frozenset({"ratio", "tight"}),
    ),
    # True if a sign bound more tightly than a power, or if operations went from right to left.
    "sign before a power": (
        _claim("variance", value="n*(1/(16*gamma**2) - -2**2/16)"),
        frozenset({"variance"}),
    ),
    "divisions in a row": (
        _claim("variance", value="n*(1/(16*gamma**2) - 1/8/2)"),
        frozenset({"variance"}),
    ),
    "differences in a row": (
        _claim("variance", value="n*(1/(16*gamma**2) - 1/2 - 1/4)"),
        frozenset({"variance"}),
    ),
    "smaller variance": (
        _claim("variance", value="n*(1/(16*gamma**2) - 1/4)/2"),
        frozenset({"variance"}),
    ),
    "variance that vanishes at f = 0 and 1": (
        _claim("variance", value="n*(1/(16*gamma**2) - 1/4) + f*(1 - f)"),
        frozenset({"variance"}),
    ),
    "variance that is right for one user": (
        _claim("variance", value="n**2*(1/(16*gamma**2) - 1/4)"),
        frozenset({"variance"}),
    ),
    "weights": (_replaced("/(4*gamma)", "/(5*gamma)"), frozenset({"unbiased", "variance"})),
}
"""Statements that are not true, and what must not be shown of each."""
