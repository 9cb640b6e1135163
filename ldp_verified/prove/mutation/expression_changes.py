"""Changes of expressions, from which wrong variants are made, and the declaration that results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import sympy

from ldp_verified.language import Claim, Form, Mechanism


def variant(
    m: Mechanism, *, table: Form | None = None, claims: tuple[Claim, ...] | None = None
) -> Mechanism:
    """The declaration with another table or other claims; it comes from no file.

    What the declaration needs to have a value is needed still.

    Raises:
        SpecError: it cannot be declared.
    """
    made = Mechanism(
        m.name,
        title=m.title,
        parameters=m.parameters,
        table=m.table if table is None else table,
        claims=m.claims if claims is None else claims,
        assuming=m.assuming,
    )
    return made.with_requirements([*made.requirements, *m.requirements])


def squared(value: Any) -> Any:
    """The expression with every e^x squared."""
    return value.xreplace({e: sympy.exp(2 * e.args[0]) for e in value.atoms(sympy.exp)})


def moved(parameters: Any, kind: str) -> Iterator[tuple[str, str, Callable[[Any], Any]]]:
    """(kind, what, change): every integer parameter one less, one more; reals twice as large."""
    for p in parameters:
        for new in (p - 1, p + 1) if p.domain.integer else (2 * p,):
            # In exponents a parameter is epsilon, whose mutation is another one.
            yield kind, f"{new} for {p}", partial(_outside_exp, parameter=p, new=new)


def _outside_exp(value: Any, parameter: Any, new: Any) -> Any:
    kept = {e: sympy.Dummy() for e in value.atoms(sympy.exp)}
    back = {dummy: e for e, dummy in kept.items()}
    return value.xreplace(kept).subs(parameter, new).xreplace(back)


def dropped(value: Any) -> Iterator[tuple[str, Any]]:
    """(the term, the expression without it) for every term of every sum in it."""
    for node in sympy.preorder_traversal(value):
        if node.is_Add:
            for term in node.args:
                yield f"{term} of {node}", value.xreplace({node: node - term})
