"""The domain of a symbol as the text that certificates are about."""

from __future__ import annotations

from typing import Any

import sympy

from ldp_verified.derive.rational import simple
from ldp_verified.language import Domain
from ldp_verified.prove.certificates.domains import DomainVariable


def variable(symbol: Any, domain: Domain) -> DomainVariable:
    """A symbol with its domain as text.

    Of the further conditions those that are rational: without the others the domain is larger.
    """
    return DomainVariable(
        symbol.name,
        None if domain.lower is None else str(simple(domain.lower)),
        None if domain.upper is None else str(simple(domain.upper)),
        domain.lower_open,
        domain.upper_open,
        domain.integer,
        tuple((_polynomial(c.margin), c.strict) for c in domain.also if c.rational),
    )


def _polynomial(margin: Any) -> str:
    """A polynomial that is >= 0 (> 0) wherever the margin is."""
    top, bottom = sympy.fraction(sympy.together(margin))
    return str(sympy.expand(top * (1 if bottom.is_positive else bottom)))
