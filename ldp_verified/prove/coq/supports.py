"""Algebra of p* and q* that designs and bits share: variance, weights, and that the two differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from ldp_verified.language import Unbiased, n
from ldp_verified.prove.coq.algebra import Side
from ldp_verified.prove.coq.terms import NotCertifiedError, cancelled

if TYPE_CHECKING:
    from ldp_verified.prove.coq.theorems import Theorems


def support_variance(p_star: Side, q_star: Side, share: Side) -> Side:
    """`support_variance p* q* n share` of the library."""
    spread = sympy.factor(cancelled(p_star.value - q_star.value))
    p, q = p_star.value, q_star.value
    value = n * (share.value * p * (1 - p) + (1 - share.value) * q * (1 - q)) / spread**2
    text = f"support_variance {p_star.atom()} {q_star.atom()} n {share.atom()}"
    return Side(text, value)


def weighted(this: Theorems, claim: Unbiased, *wanted: tuple[Side, Side]) -> list[str]:
    """Proofs that a report adds the wanted expectation, for each rate of support."""
    yes, no = this.side(claim.supported), this.side(claim.otherwise)
    proofs = []
    for rate, target in wanted:
        left = Side(
            f"{rate.atom()} * {yes.atom()} + (1 - {rate.atom()}) * {no.atom()}",
            rate.value * yes.value + (1 - rate.value) * no.value,
        )
        unfold = "unfold design_p, design_q." if "design_" in rate.text else ""
        unfold = "unfold sketch_q." if "sketch_" in rate.text else unfold
        proofs.append(f"({this.algebra.equation(f'written_{target.text}', left, target, unfold)})")
    return proofs


def apart(this: Theorems, p_star: Side, q_star: Side, unfold: str) -> str:
    """Lemmas: p* - q* in factored form, and that it is not 0. The proof term of the latter.

    Raises:
        NotCertifiedError: p* = q*, or the sign of the difference was not found.
    """
    difference = Side(
        f"{p_star.text} - {q_star.text}",
        p_star.value - q_star.value,
    )
    factored = sympy.factor(cancelled(difference.value))
    if factored == 0:
        raise NotCertifiedError("p* = q*: a report says nothing about the value")
    this.algebra.equation("spread", difference, this.algebra.side(factored), unfold)
    zero = Side("0", sympy.Integer(0))
    if this.algebra.certifies(difference, "<", zero, unfold):
        proof = this.algebra.inequality("apart", difference, "<", zero, unfold)
        return f"(Rlt_not_eq _ _ ({proof}))"
    proof = this.algebra.inequality("apart", zero, "<", difference, unfold)
    return f"(Rgt_not_eq _ _ ({proof}))"
