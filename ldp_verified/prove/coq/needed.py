"""What makes everything in a spec defined, as lemmas over real variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from ldp_verified.language.requirements import NONZERO, POSITIVE
from ldp_verified.prove.coq.algebra import Algebra
from ldp_verified.prove.coq.terms import NotCertifiedError, Spelling, identifiers
from ldp_verified.prove.defined import KIND
from ldp_verified.prove.needs import needs_of

if TYPE_CHECKING:
    from ldp_verified.prove.coq.theorems import Theorems


def needed(theorems: Theorems) -> None:
    """One lemma for each need of the mechanism, over all symbols that any of them mentions.

    Raises:
        NotCertifiedError: a need cannot be stated, or has no certificate.
    """
    needs = needs_of(theorems.mechanism)
    if needs.reasons:
        raise NotCertifiedError(needs.reasons[0])
    atoms = dict(zip(needs.variables, identifiers(s.name for s in needs.variables), strict=True))
    spelling = Spelling(atoms, None, 1, "1")
    own = theorems.algebra
    prefix = f"{theorems.name}_{KIND}"
    algebra = Algebra(prefix, needs.variables, spelling, [], [], doing=own.doing)
    algebra.stages = own.stages
    zero = algebra.side(sympy.S.Zero)
    for number, (value, relation) in enumerate(needs.stated):
        name = str(number)
        if relation == NONZERO:
            algebra.nonzero(name, algebra.side(value))
        else:
            sign = "<" if relation == POSITIVE else "<="
            algebra.inequality(name, zero, sign, algebra.side(value))
    own.lemmas += algebra.lemmas
    names = [f"{prefix}_{number}" for number in range(len(needs.stated))]
    if names:
        theorems.settles[own.doing] = names
