"""Coq text of `BetterThan`: which of two randomizers has less variance, in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from ldp_verified.language import BetterThan, Mechanism, n
from ldp_verified.prove.coq.algebra import USERS, Side

if TYPE_CHECKING:
    from ldp_verified.prove.coq.theorems import Theorems


def better(this: Theorems, claim: BetterThan) -> None:
    """The other table as a second randomizer, and the theorem that compares the variances.

    Raises:
        NotCertifiedError: the difference of the variances is no positive multiple of the difference
            of the condition's sides.
    """
    m = this.mechanism
    assert claim.table is not None
    other = this.beside(
        Mechanism(
            f"{m.name}_other{this.again('better')}",
            parameters=list(m.parameters),
            table=claim.table,
            claims=list(m.claims),
            assuming=list(m.assuming),
            origin=m.origin,
        )
    )
    other.table()
    other.printing_users()
    own_tactic, own_before = this.variance_form()
    other_tactic, other_before = other.variance_form()
    this.absorb(other)
    this.libraries = (*dict.fromkeys([*this.libraries, "Compare"]),)
    share = this.algebra.side(claim.at_f)
    share = Side(share.atom(), claim.at_f)
    ours, theirs = this.variance_side(share), other.variance_side(share)
    small, large = this.side(claim.condition.lts), this.side(claim.condition.gts)
    gap = Side(f"{theirs.text} - {ours.text}", theirs.value - ours.value)
    value = sympy.factor(sympy.cancel(sympy.together(gap.value / (large.value - small.value))))
    factor = this.algebra.side(value)
    product = Side(
        f"({large.atom()} - {small.atom()}) * {factor.atom()}", (large.value - small.value) * value
    )
    # Both differences are rewritten before what they are made of is unfolded.
    steps = [step for step in dict.fromkeys((*own_before, *other_before)) if step]
    unfold = " ".join(sorted(steps, key=lambda step: ("support" not in step) + ("_p" in step)))
    equal = this.algebra.equation("better", gap, product, unfold, dict(USERS))
    positive = this.algebra.inequality(
        "better_factor", Side("0", sympy.Integer(0)), "<", factor, "", dict(USERS)
    )
    closed = this.parameters.closed_with_generator.with_atom(n, "n")
    given = [*this.parameters.arguments, "n", *this.parameters.evidence, "n_lower"]
    weights = [f"({self.at(f'{self.name}_weight')})" for self in (this, other)]
    condition = f"{this.closed(claim.condition.lts)} < {this.closed(claim.condition.gts)}"
    this.theorem(
        "better",
        f"better_exactly ({this.applied}) {weights[0]}\n"
        f"    ({other.applied}) {weights[1]} {this.closed_atom(claim.at_f)}\n    ({condition})",
        f"eapply better_by with (Q := fun n => {closed.real(value)});",
        f"  [ {own_tactic} | {other_tactic} | intros n n_lower | intros n n_lower ].",
        f"- exact ({' '.join([equal, *given])}).",
        f"- exact ({' '.join([positive, *given])}).",
    )
