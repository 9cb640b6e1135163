"""Refuse statements about finite tables where reports are numbers."""

from __future__ import annotations

from ldp_verified.prove.coq.algebra import CoqLevel, Side
from ldp_verified.prove.coq.terms import NotCertifiedError
from ldp_verified.prove.coq.theorems import Theorems

FINITE = "it is a statement about finitely many outputs"


class LineTheorems(Theorems):
    """Theorems about reports on the line, without what is said of finite tables only."""

    def privacy(self, level: CoqLevel) -> None:
        """Refuse, unless the form of table has levels."""
        raise NotCertifiedError(f"{level.epsilon}, of this form of table")

    def tight(self, level: CoqLevel) -> None:
        """Refuse, as `privacy` does."""
        raise NotCertifiedError(f"{level.epsilon}, of this form of table")

    def unbiased(self) -> None:
        """Refuse the claim."""
        raise NotCertifiedError(FINITE)

    def variance_form(self) -> tuple[str, tuple[str, ...]]:
        """Refuse the claim."""
        raise NotCertifiedError(FINITE)

    def variance_side(self, _share: Side) -> Side:
        """Refuse the claim."""
        raise NotCertifiedError(FINITE)

    def in_domain(self, _variable: str) -> str:
        """Refuse the claim."""
        raise NotCertifiedError(FINITE)
