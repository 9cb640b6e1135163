"""Coq text of normal noise on a number.

The library has its moments and its curve (`proofs/lib/NormalNoise.v`, `NormalCurve.v`), for any Phi
that is the integral of the normal density up to a number, and 1 over all numbers. That there is one
is the premise of every printed theorem that has an integral in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from ldp_verified.kinds import Kind
from ldp_verified.language import GaussianLDP
from ldp_verified.language.privacy import Privacy
from ldp_verified.prove.coq.algebra import Side, product
from ldp_verified.prove.coq.density_table import ONE, ZERO
from ldp_verified.prove.coq.noise import NoiseTheorems
from ldp_verified.prove.coq.terms import NotCertifiedError

WITHOUT = frozenset({"law", str(Kind.EQUAL_SUPPORT)})
"""What is proved without the premise."""


class NormalTheorems(NoiseTheorems):
    """Theorems about normal noise."""

    libraries = (
        *NoiseTheorems.libraries,
        *("Line", "Areas", "LineIntegral", "Normal", "NormalNoise", "NormalCurve"),
    )
    printings: ClassVar[Mapping[Kind, Callable[..., None]]] = {
        **NoiseTheorems.printings,
        Kind.CURVE: lambda self, claim: self.curve(claim, Kind.CURVE),
    }

    def theorem(self, suffix: str, conclusion: str, *steps: str) -> None:
        """Add a theorem over the parameters, with the premise where it needs one."""
        if suffix not in WITHOUT:
            conclusion = f"forall Phi, normal_integral Phi ->\n  {conclusion}"
            steps = ("intros Phi known.", *steps)
        super().theorem(suffix, conclusion, *steps)

    def equal_support(self) -> None:
        """Prove equal support: every report has a positive density, whatever the input is."""
        subject = f"additive_equal_support ({self.applied})"
        law = super()._of_law()
        self._apply(Kind.EQUAL_SUPPORT, subject, "normal_equal_support", *law)

    def bound(self, claim: Privacy, *, tight: bool) -> None:
        """The theorem that a curve is reached and no epsilon is enough.

        Raises:
            NotCertifiedError: the claim has an epsilon.
        """
        if not isinstance(claim, GaussianLDP) or not tight:
            raise NotCertifiedError(f"{claim.describe()}: the loss of normal noise has no bound")
        self.curve(claim, Kind.TIGHT)

    def curve(self, claim: GaussianLDP, kind: Kind) -> None:
        """The theorem that inputs are at most mu scales apart, or just so."""
        tight = kind == Kind.TIGHT
        mu = self.side(claim.mu)
        low, high = self._sides()
        reach = Side(f"{high.atom()} - {low.atom()}", high.value - low.value)
        room = product(mu, self.cells["scale"])
        above = self._inequality("mu_above", ZERO, "<", mu)
        if tight:
            apart = f"({self.algebra.equation('scales', reach, room)})"
        else:
            apart = self._inequality("scales", reach, "<=", room)
        says = f"{Kind.CURVE}_{Kind.TIGHT}" if tight else Kind.CURVE
        lemma = "normal_tight" if tight else "normal_delta"
        curve = f"(normal_curve Phi {self.closed_atom(claim.mu)})"
        conclusion = f"additive_{says} ({self.applied}) {curve}"
        goals = [*self._of_law(), f"exact {above}", f"exact {apart}"]
        self._apply(kind, conclusion, lemma, *goals)

    def _of_law(self) -> list[str]:
        """The tactics for what the library's theorems suppose of the law, and of Phi."""
        return [*super()._of_law(), "exact known"]

    def _whole_law(self) -> str:
        """The proof that the cells are those of a law."""
        level, scale = self.cells["level"], self.cells["scale"]
        whole = self.algebra.equation("whole", product(level, scale), ONE)
        return self._all([self._above("level"), self._above("scale"), f"({whole})"])

    def _variance_of_one(self) -> Side:
        """The variance, as the library has it."""
        scale = self.cells["scale"]
        return Side(f"{scale.atom()} ^ 2", scale.value**2, scale.parts)
