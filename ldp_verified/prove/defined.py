"""Obligations that make everything in a spec defined, for the verifier; no sympy.

A statement's `defined` is null or
    variables  [Variable, ...], every symbol that a need mentions, and those that bounds mention
    needs      [{"value": text, "relation": "!=" | ">" | ">="}, ...]; where a need cannot be said of
               a rational function, {"reason": why}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldp_verified.prove.domains import Variable
from ldp_verified.prove.parsed import Obligation
from ldp_verified.prove.polynomials import ExpressionError, Ring

KIND = "defined"
RELATIONS = ("!=", ">", ">=")


def defined(statement: Mapping[str, Any]) -> list[Obligation]:
    """The needs of the statement, one obligation each.

    Raises:
        ExpressionError, KeyError, TypeError: the statement is malformed.
    """
    given = statement.get("defined")
    if given is None:
        return []
    variables = tuple(Variable.from_json(entry) for entry in given["variables"])
    ring = Ring([v.name for v in variables])
    found = []
    for i, need in enumerate(given["needs"]):
        name = f"{KIND}/{i}"
        if "reason" in need:
            zero, why = ring.constant(0), str(need["reason"])
            made = Obligation(None, KIND, name, "impossible", zero, variables, KIND, why)
        elif need["relation"] in RELATIONS:
            value = ring.parse(need["value"])
            made = Obligation(None, KIND, name, need["relation"], value, variables, KIND)
        else:
            raise ExpressionError(f"unknown relation {need['relation']!r}")
        found.append(made)
    return found
