"""Coq text of `Optimal` over a parameter: no other value has less variance at that share."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ldp_verified.kinds import Kind
from ldp_verified.language import n
from ldp_verified.prove.coq.algebra import USERS, Side
from ldp_verified.prove.coq.terms import NotCertifiedError

if TYPE_CHECKING:
    from ldp_verified.prove.coq.theorems import Theorems


def optimal_parameter(this: Theorems, symbol: Any, value: Any, best: Any, share: Any) -> None:
    """The theorem of an `Optimal` claim over a parameter, of which `value` is the variance."""
    here = this.side(value)
    at_best = this.parameters.open.with_atom(n, "n").with_atom(
        symbol, f"({this.parameters.open.real(best)})"
    )
    algebraic = this.mechanism.algebraic("table", value)
    moved = algebraic.subs(symbol, this.mechanism.algebraic("table", best))
    there = Side(at_best.real(value), moved)
    domain = this.mechanism.variables[symbol]
    if any(c.margin.has(symbol) for d in this.mechanism.variables.values() for c in d.also):
        raise NotCertifiedError(f"a condition on {symbol} and others is not printed for an optimum")
    inside = []
    for bound, lower in ((domain.lower, True), (domain.upper, False)):
        if bound is not None:
            ends = [this.side(bound), this.side(best)]
            left, right = ends if lower else ends[::-1]
            is_open = domain.lower_open if lower else domain.upper_open
            relation = "<" if is_open else "<="
            label = "optimum_lower" if lower else "optimum_upper"
            proof = this.algebra.inequality(label, left, relation, right)
            closed = [this.closed(e) for e in ((bound, best) if lower else (best, bound))]
            inside.append((f"{closed[0]} {relation} {closed[1]}", proof))
    if domain.integer and domain.upper is None:
        # An integer >= 2 is one > 1; over the reals that is more, and the claim is about them.
        relaxed = replace(domain, lower=domain.lower - 1, lower_open=True)
        this.algebra.domains = {**this.algebra.domains, symbol: relaxed}
    name = this.algebra.inequality(Kind.OPTIMAL, there, "<=", here, extra=dict(USERS))
    this.algebra.domains = dict(this.mechanism.variables)
    closed_best = this.parameters.closed.with_atom(n, "INR (length xs)").with_atom(
        symbol, f"({this.closed(best)})"
    )
    weight = this.at(f"{this.name}_weight")
    statement = " /\\\n  ".join(text for text, _ in inside)
    statement += " /\\\n  " if inside else ""
    evidence = ["ltac:(lra)"] * len(this.parameters.evidence)
    call = " ".join([name, *this.parameters.arguments, "(INR (length xs))", *evidence])
    known = this.fact(this.at_share(share)).strip("()")
    this.theorem(
        Kind.OPTIMAL,
        f"{statement}forall v xs, {this.in_domain('v')} -> xs <> nil ->\n"
        f"  (forall x, In x xs -> {this.in_domain('x')}) ->\n"
        f"  share v xs = {this.closed(share)} ->\n"
        f"  {closed_best.real(value)}\n"
        f"  <= variance_n ({this.applied}) xs (estimate ({weight}) v)",
        *(f"split; [ exact ({proof}) |]." for _, proof in inside),
        "intros v xs v_known users_exist users_known share_known.",
        f"rewrite ({known} v xs v_known users_exist users_known share_known).",
        f"exact ({call} (users_positive xs users_exist)).",
    )
