"""Print the conditions under which a spec is defined, as lemmas over real variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.kinds import Kind
from ldp_verified.language import Domain
from ldp_verified.language.requirements import NONZERO, POSITIVE
from ldp_verified.prove.coq.algebra import Algebra
from ldp_verified.prove.coq.terms import NotCertifiedError, Spelling, identifiers
from ldp_verified.prove.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.prove.coq.theorems import Theorems


def needed(theorems: Theorems) -> None:
    """One lemma for each need of the mechanism, over all symbols that any of them mentions.

    Raises:
        NotCertifiedError: a need cannot be stated, or has no certificate.
    """
    needs = needs_of(theorems.mechanism)
    if needs.reasons:
        raise NotCertifiedError(needs.reasons[0])
    spelled = identifiers((s.name for s in needs.variables), own=theorems.name)
    atoms = dict(zip(needs.variables, spelled, strict=True))
    own = theorems.algebra
    prefix = f"{theorems.name}_{Kind.DEFINED}"
    names = []
    for number, (value, relation) in enumerate(needs.stated):
        try:
            algebra = _lemma(prefix, number, value, relation, needs.variables, atoms, own)
        except NotCertifiedError:
            wider = _wider(needs.variables)
            algebra = _lemma(prefix, number, value, relation, wider, atoms, own)
        own.lemmas += algebra.lemmas
        names.append(f"{prefix}_{number}")
    if names:
        theorems.settles[own.doing] = names


def _lemma(
    prefix: str,
    number: int,
    value: Any,
    relation: str,
    domains: Mapping[Any, Domain],
    atoms: Mapping[Any, str],
    own: Algebra,
) -> Algebra:
    """One need as a lemma over these domains.

    Raises:
        NotCertifiedError: no certificate was found.
    """
    spelling = Spelling(atoms, None, 1, "1")
    algebra = Algebra(prefix, dict(domains), spelling, [], [], doing=own.doing)
    algebra.stages = own.stages
    name = str(number)
    if relation == NONZERO:
        algebra.nonzero(name, algebra.side(value))
    else:
        # Factored, a quotient's denominator is a product of what the certificate shows positive.
        zero, side = algebra.side(sympy.S.Zero), algebra.side(sympy.factor(value), value)
        algebra.inequality(name, zero, "<" if relation == POSITIVE else "<=", side)
    return algebra


def _wider(domains: Mapping[Any, Domain]) -> dict[Any, Domain]:
    """Domains that contain these: a bound that is another symbol is replaced by that one's own."""
    found: dict[Any, Domain] = {}
    for symbol, domain in domains.items():
        below, above = found.get(domain.lower), found.get(domain.upper)
        found[symbol] = Domain(
            domain.lower if below is None else below.lower,
            domain.upper if above is None else above.upper,
            domain.lower_open or (below is not None and below.lower_open),
            domain.upper_open or (above is not None and above.upper_open),
            domain.integer,
        )
    return found
