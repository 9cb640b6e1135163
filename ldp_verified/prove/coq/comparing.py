"""Coq text of `BetterThan`: which of two randomizers has less variance, in both directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from ldp_verified.kinds import Kind
from ldp_verified.language import BetterThan, Mechanism, f, n
from ldp_verified.prove.coq.algebra import SHARE, USERS, Side
from ldp_verified.prove.coq.terms import cancelled

if TYPE_CHECKING:
    from ldp_verified.prove.coq.theorems import Theorems


FORALL, BOUNDS = "forall f, 0 <= f -> f <= 1 ->\n  ", "f_lower f_upper"


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
    every = claim.at_f == f
    share = Side("f" if every else this.algebra.side(claim.at_f).atom(), claim.at_f)
    ours, theirs = this.variance_side(share), other.variance_side(share)
    small, large = this.side(claim.condition.lts), this.side(claim.condition.gts)
    gap = Side(f"{theirs.text} - {ours.text}", theirs.value - ours.value)
    value = sympy.factor(cancelled(gap.value / (large.value - small.value)))
    factor = this.algebra.side(value)
    product = Side(
        f"({large.atom()} - {small.atom()}) * {factor.atom()}", (large.value - small.value) * value
    )
    # Both differences are rewritten before what they are made of is unfolded.
    steps = [step for step in dict.fromkeys((*own_before, *other_before)) if step]
    unfold = " ".join(sorted(steps, key=lambda step: ("support" not in step) + ("_p" in step)))
    number = this.again(Kind.BETTER)
    more = {**USERS, **SHARE} if every else dict(USERS)
    equal = this.algebra.equation(f"better{number}", gap, product, unfold, more)
    positive = this.algebra.inequality(
        f"better_factor{number}", Side("0", sympy.Integer(0)), "<", factor, "", more
    )
    closed = this.parameters.closed_with_generator.with_atom(n, "n").with_atom(f, "f")
    given = [*this.parameters.arguments, "n", *this.parameters.evidence, "n_lower"]
    if every:
        given = [*this.parameters.arguments, "n f", *this.parameters.evidence, "n_lower", BOUNDS]
    weights = [f"({self.at(f'{self.name}_weight')})" for self in (this, other)]
    shown = "f" if every else this.closed_atom(claim.at_f)
    condition = f"{this.users(claim.condition.lts)} < {this.users(claim.condition.gts)}"
    this.theorem(
        Kind.BETTER,
        f"{FORALL if every else ''}better_exactly ({this.applied}) {weights[0]}\n"
        f"    ({other.applied}) {weights[1]} {shown}\n"
        f"    ({condition})",
        *([f"intros f {BOUNDS}."] if every else []),
        f"eapply better_by with (Q := fun n => {closed.real(value)});",
        f"  [ {own_tactic} | {other_tactic} | intros n n_lower | intros n n_lower ].",
        f"- exact ({' '.join([equal, *given])}).",
        f"- exact ({' '.join([positive, *given])}).",
    )
