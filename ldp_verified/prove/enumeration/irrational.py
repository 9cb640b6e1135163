"""Find failures at irrational parameters alone: a pole, or a zero of a positive term.

An inequality that is violated is violated at rationals too; a division by zero, or a strict
inequality that becomes an equation, may be so at one irrational number alone. The cells and the
claim are read as they are written, along a line; that an irreducible polynomial divides them, and
has a root in the domain, is exact.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import sympy
from flint import fmpq_poly

from ldp_verified.kinds import Kind
from ldp_verified.language.claims import Holds
from ldp_verified.language.exponents import stated
from ldp_verified.language.forms import Bits, Design, Matrix
from ldp_verified.prove.enumeration.exact_values import NotExpandableError
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from ldp_verified.language.mechanism import Mechanism
    from ldp_verified.prove.enumeration.lines import ParameterLine
    from ldp_verified.prove.enumeration.real_roots import Root

ZERO = fmpq_poly([0])


def irrational_failure(
    mechanism: Mechanism, key: tuple[int | None, str], line: ParameterLine, root: Root
) -> Witness | None:
    """A witness at an irrational root on a line, where the law or claim fails there; else None."""
    claim, kind = key
    reason = _of_table(mechanism, kind, line, root) if claim is None else ""
    if claim is not None:
        reason = _of_claim(mechanism, mechanism.claims[claim], line, root)
    if not reason:
        return None
    name = line.symbol.name
    at = root.describe(name)
    return Witness(
        {s.name: str(v) for s, v in line.point.items() if s != line.symbol} | {name: at},
        {"reason": reason},
        f"{reason} at {name} = the {at}",
    )


def _parts(line: ParameterLine, root: Root, expression: Any) -> tuple[bool, bool]:
    """Return whether the numerator, and whether the denominator, as written, is 0 at the root."""
    factor = fmpq_poly(list(root.factor))
    try:
        top, bottom = line.quotient(expression)
    except (NotExpandableError, ZeroDivisionError):
        return False, False
    return top % factor == ZERO, bottom % factor == ZERO


def _of_table(mechanism: Mechanism, kind: str, line: ParameterLine, root: Root) -> str:
    form = mechanism.algebraic_table
    for where, cell in form.expressions():
        if _parts(line, root, cell)[1]:
            return f"the cell {where} divides by zero"
    if kind != Kind.EQUAL_SUPPORT:
        return ""
    if isinstance(form, Matrix):
        zero = [_parts(line, root, cell)[0] for cell in form.layout.cells]
        for y, column in enumerate(form.layout.index.T.tolist()):
            for x, x2 in permutations(range(len(column)), 2):
                if zero[column[x2]] and not zero[column[x]]:
                    labels = form.inputs[x], form.inputs[x2]
                    return (
                        f"y = {form.outputs[y]} has a probability above 0 under x = {labels[0]} "
                        f"and 0 under x' = {labels[1]}"
                    )
    pairs: list[tuple[Any, Any]] = []
    if isinstance(form, Design):
        pairs = [(form.inside, form.outside)]
    if isinstance(form, Bits):
        pairs = [(form.one, form.zero), (1 - form.one, 1 - form.zero)]
    for a, b in pairs:
        if _parts(line, root, a)[0] != _parts(line, root, b)[0]:
            return f"of {a} and {b} exactly one is 0"
    return ""


def _of_claim(mechanism: Mechanism, claim: Any, line: ParameterLine, root: Root) -> str:
    for where, value in stated(mechanism.table, claim):
        if _parts(line, root, mechanism.algebraic(where, value))[1]:
            return f"{where} divides by zero"
    if isinstance(claim, Holds) and isinstance(claim.relation, sympy.Gt | sympy.Lt):
        gap = mechanism.algebraic("Holds.lhs", claim.relation.lhs) - mechanism.algebraic(
            "Holds.rhs", claim.relation.rhs
        )
        if _parts(line, root, gap)[0]:
            return f"claimed {claim.relation}; both sides are equal"
    return ""
