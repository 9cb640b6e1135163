"""List what makes everything in a spec defined, for the verifier; no sympy.

A statement's `defined` is null or
    variables  [Variable, ...], every symbol that a need mentions, and those that bounds mention
    needs      [{"value": text, "relation": "!=" | ">" | ">="}, ...]; where a need cannot be said of
               a rational function, {"reason": why}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.prove.certificates.domains import DomainVariable
from ldp_verified.prove.certificates.parsed_statement import CERTIFICATE, Obligation
from ldp_verified.prove.certificates.polynomials import ExpressionError, Ring

DOMAIN = "defined"
"""The domain in which a need has to hold: its own variables."""

RELATIONS = ("!=", ">", ">=")


@CERTIFICATE.rule((Kind.DEFINED,), tuple(TableForm))
def defined(statement: Mapping[str, Any]) -> list[Obligation]:
    """The needs of the statement, one obligation each.

    Raises:
        ExpressionError, KeyError, TypeError: the statement is malformed.
    """
    given = statement.get("defined")
    if given is None:
        return []
    variables = tuple(DomainVariable.from_json(entry) for entry in given["variables"])
    ring = Ring([v.name for v in variables])
    found = []
    for i, need in enumerate(given["needs"]):
        name = f"{Kind.DEFINED}/{i}"
        if "reason" in need:
            zero, why = ring.constant(0), str(need["reason"])
            made = Obligation(None, Kind.DEFINED, name, "impossible", zero, variables, DOMAIN, why)
        elif need["relation"] in RELATIONS:
            value = ring.parse(need["value"])
            made = Obligation(None, Kind.DEFINED, name, need["relation"], value, variables, DOMAIN)
        else:
            raise ExpressionError(f"unknown relation {need['relation']!r}")
        found.append(made)
    return found
