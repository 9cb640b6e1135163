"""Bounds of heavy hitters in beta are compared by relations that can fail."""

from __future__ import annotations

from sympy import Gt, Le

from ldp_verified.check.claims import (
    Context,
    Relation,
    RulingKind,
    earlier_bound_exceeds,
    optimal_bound_stays,
    queries_per_cell,
    reduction_keeps_epsilon,
)
from ldp_verified.language import real


def _kind(check: Relation) -> RulingKind:
    context = Context()
    check.announce(context)
    return check.decide(context).kind


def test_true_ones_are_proved() -> None:
    assert _kind(earlier_bound_exceeds()) is RulingKind.PROVED
    assert _kind(optimal_bound_stays()) is RulingKind.PROVED


def test_false_ones_are_refuted() -> None:
    assert _kind(reduction_keeps_epsilon()) is RulingKind.REFUTED
    assert _kind(queries_per_cell()) is RulingKind.REFUTED
    # Planted: the bounds where a = b is too small, and a constant of 1 instead of 2.
    c, r, s = (real(name, above=0) for name in ("c", "r", "s"))
    a = real("a", at_least=c**2)
    assert _kind(Relation(Gt(a / 2, c**2, evaluate=False), (c, a))) is RulingKind.REFUTED
    one = Le((r + s) ** 2, r**2 + s**2, evaluate=False)
    assert _kind(Relation(one, (r, s))) is RulingKind.REFUTED
