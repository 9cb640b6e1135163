"""Theorems of the library: what the kernel accepts, and what it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.check.claims import Context, RulingKind, Theorem
from ldp_verified.check.claims import theorems as module
from ldp_verified.prove.coq.coqc import coqc_available

if TYPE_CHECKING:
    import pytest


def test_without_coq_a_theorem_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "coqc_available", lambda: False)
    context = Context()
    theorem = Theorem("LDP.Combine.post_ldp")
    theorem.announce(context)
    found = theorem.decide(context)
    assert found.kind is RulingKind.OPEN
    assert module.NO_COQ in found.detail


def test_the_kernel_is_asked_where_it_is_installed() -> None:
    names = ["LDP.Combine.post_ldp", "LDP.Approximate.post_delta", "LDP.Combine.no_such_theorem"]
    found = module.accepted_theorems(names)
    if not coqc_available():
        assert set(found.values()) == {module.NO_COQ}
        return
    assert found["LDP.Combine.post_ldp"] == module.ACCEPTED
    assert found["LDP.Approximate.post_delta"] == module.ACCEPTED
    assert "expected_theorems" in found["LDP.Combine.no_such_theorem"]


def test_what_nobody_asked_for_beforehand_is_open() -> None:
    assert Theorem("LDP.Combine.post_ldp").decide(Context()).kind is RulingKind.OPEN
