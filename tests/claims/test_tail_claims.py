"""Tails in claims: bracketed thresholds, and Hoeffding's bound where its theorem is accepted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational, Symbol, log, sqrt

from ldp_verified.analysis.utility import Contribution, exact_tail
from ldp_verified.check.claims import BY_HOEFFDING, Context, Hoeffding, RulingKind, Tail, TwoPoint
from ldp_verified.check.claims.tail_claims import rational, tail_by_convolution
from ldp_verified.check.claims.theorems import ACCEPTED

n, beta, g, many = map(Symbol, ("n", "beta", "gamma", "many"))
signs = TwoPoint(Rational(1, 2) + g, 1, -1, n)
bound = sqrt(2 * n * log(2 / beta))
at: dict[Any, tuple[str | int, ...]] = {n: (5, 20), beta: ("1/10", "1/2"), g: ("1/4",)}


class Accepting(Context):
    """A context whose kernel has accepted these theorems and no other."""

    names: tuple[str, ...] = ()

    def theorem(self, name: str) -> str:
        """Empty for these, else a reason."""
        return ACCEPTED if name in self.names else "not asked"


def accepting(*names: str) -> Accepting:
    """A context that accepts these."""
    context = Accepting()
    context.names = names
    return context


def test_the_theorem_proves_what_sums_only_check() -> None:
    claim = Tail([signs], bound, beta, at, "cited", proved=True)
    alone = claim.decide(accepting())
    assert alone.kind is RulingKind.CHECKED
    assert "4 cases agree" in alone.detail
    found = claim.decide(accepting(BY_HOEFFDING))
    assert found.kind is RulingKind.PROVED
    assert set(found.checkers) == {"coq", "polynomials", "balls", "enumeration"}


@pytest.mark.parametrize(
    "threshold",
    [bound / 2, bound * Rational(999, 1000), sqrt(2 * n * log(3 / beta)), sqrt(2 * n), bound * n],
)
def test_another_threshold_is_not_hoeffdings(threshold: object) -> None:
    proof = Hoeffding([signs], threshold, beta)
    assert proof.decide(accepting(BY_HOEFFDING)).kind is RulingKind.OPEN


def test_several_events_need_the_union_bound_in_the_logarithm_and_as_a_theorem() -> None:
    right = sqrt(2 * n * log(2 * many / beta))
    both = accepting(BY_HOEFFDING, "LDP.Central.none_of_many")
    assert Hoeffding([signs], right, beta, many).decide(both).kind is RulingKind.PROVED
    assert Hoeffding([signs], bound, beta, many).decide(both).kind is RulingKind.OPEN
    assert (
        Hoeffding([signs], right, beta, many).decide(accepting(BY_HOEFFDING)).kind
        is RulingKind.OPEN
    )


def test_a_width_that_is_not_that_of_the_users_is_not_enough() -> None:
    wide = TwoPoint(Rational(1, 2) + g, 2, -1, n)
    assert Hoeffding([wide], bound, beta).decide(accepting(BY_HOEFFDING)).kind is RulingKind.OPEN


def test_several_groups_need_values_that_are_as_far_apart() -> None:
    m = Symbol("m")
    held = TwoPoint(Rational(1, 2) + g, 1, -1, m)
    others = TwoPoint(Rational(1, 2), 1, -1, n - m)
    kernel = accepting(BY_HOEFFDING)
    assert Hoeffding([held, others], bound, beta).decide(kernel).kind is RulingKind.PROVED
    wider = TwoPoint(Rational(1, 2), 2, -1, n - m)
    assert Hoeffding([held, wider], bound, beta).decide(kernel).kind is RulingKind.OPEN
    more = TwoPoint(Rational(1, 2), 1, -1, n)
    assert Hoeffding([held, more], bound, beta).decide(kernel).kind is RulingKind.OPEN


def test_a_false_tail_is_refuted_whoever_proves_it() -> None:
    claim = Tail([signs], bound / 3, beta, at, proved=True)
    assert claim.decide(accepting(BY_HOEFFDING)).kind is RulingKind.REFUTED


def test_expressions_that_are_rational() -> None:
    assert rational(g + Rational(1, 2), {g: Fraction(1, 4)}) == Fraction(3, 4)


def test_a_sum_user_by_user_is_the_exact_tail() -> None:
    own = Contribution([(Fraction(2), Fraction(1, 3)), (Fraction(-1), Fraction(2, 3))])
    for error in (0, 1, 3):
        by_hand = tail_by_convolution([(own, 5)], Fraction(error))
        assert exact_tail([(own, 5)], error, strict=True) == pytest.approx(float(by_hand))
