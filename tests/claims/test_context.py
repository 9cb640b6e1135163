"""Checks of a run share one verification for equal declarations, whoever loaded them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.check.claims import Context, RulingKind, Table
from ldp_verified.check.claims import context as module
from ldp_verified.language import LDP, Mechanism, Variance, load, n
from ldp_verified.prove import Verification, verify

if TYPE_CHECKING:
    import pytest


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many claims each verification was about, in order."""
    asked: list[int] = []

    def counting(mechanism: Mechanism, largest: int, **options: Any) -> Verification:
        asked.append(len(mechanism.claims))
        return verify(mechanism, largest, **options)

    monkeypatch.setattr(module, "verify", counting)
    return asked


def test_equal_declarations_are_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch)
    (one,), (other,) = load("warner"), load("warner")
    copy = Mechanism("warner", parameters=other.parameters, table=other.table)
    gamma = one.parameters[0]
    variance = Variance(n * (1 / (16 * gamma**2) - 1) / 1)
    checks = [Table(one, LDP(0)), Table(copy, LDP(0)), Table(copy, variance)]
    context = Context(largest=3)
    for check in checks:
        check.announce(context)
    context.prepare()
    kinds = [check.decide(context).kind for check in checks]
    assert asked == [2]
    assert kinds == [RulingKind.REFUTED, RulingKind.REFUTED, RulingKind.REFUTED]


def test_another_table_of_the_same_name_is_another_mechanism(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = counted(monkeypatch)
    (grr,), (two_coins,) = load("grr"), load("two_coins")[1:]
    eps, k = grr.parameters
    three = Mechanism("x", parameters=[eps], table=grr.instance("y", {k: 3}, claims=[]).table)
    four = Mechanism("x", parameters=[eps], table=grr.instance("y", {k: 4}, claims=[]).table)
    context = Context(largest=3)
    checks = [Table(three, LDP(eps)), Table(four, LDP(eps)), Table(two_coins, LDP(0))]
    for check in checks:
        check.announce(context)
    kinds = [check.decide(context).kind for check in checks]
    assert asked == [1, 1, 1]
    assert kinds == [RulingKind.PROVED, RulingKind.PROVED, RulingKind.REFUTED]


def test_progress_says_what_is_verified_and_that_the_kernel_is_waited_for() -> None:
    said: list[tuple[str, float, float | None]] = []
    context = Context(largest=3)
    context.announce(load("binary_rr")[0], None)
    context.prepare(lambda what, done, total: said.append((what, done, total)))
    assert said == [("verifying binary_rr", 0, 2), ("waiting for Coq's kernel", 1, 2)]


def test_a_verdict_without_what_is_derived_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counted(monkeypatch)
    (sue,) = load("sue")
    context = Context(largest=4)
    for claim in sue.claims:
        context.announce(sue, claim)
    everything = verify(sue, 4, coq=False)
    for position, claim in enumerate(sue.claims):
        whole = [v for v in everything.verdicts if v.claim == position]
        assert list(context.verdicts(sue, claim)) == whole
    assert asked == [len(sue.claims)]
