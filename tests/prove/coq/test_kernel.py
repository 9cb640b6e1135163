"""The kernel decides a mechanism obligation by obligation, and verify shows it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from ldp_verified.errors import SpecError
from ldp_verified.language import (
    LDP,
    Bits,
    Bloom,
    Design,
    Mechanism,
    Singletons,
    Variance,
    exp,
    integer,
    load,
    n,
    real,
)
from ldp_verified.prove import Status, verify
from ldp_verified.prove.coq import coqc_available, kernel
from ldp_verified.prove.coq.kernel import Kernel, ask_kernel
from ldp_verified.prove.coq.library import library_names, proofs_folder, taken_names
from ldp_verified.prove.coq.printer import Printed, coq_print

eps = real("eps", above=0)
k = integer("k", at_least=2)
zero = real("zero", above=0, below=1)
one = real("one", above=zero, below=1)
u = exp(eps)
GRR = Design(k, 1, 0, u / (u + k - 1), 1 / (u + k - 1), Singletons(k))


def missing(mechanism: Mechanism) -> bool:
    """Return whether coqc is missing, having made sure that nothing is accepted then."""
    if coqc_available():
        return False
    assert "CI" not in os.environ, "coqc is not installed: nothing was kernel-checked"
    with pytest.raises(SpecError, match="not installed"):
        ask_kernel(mechanism)
    return True


def test_every_claim_of_a_mechanism_is_proved_by_coq() -> None:
    (mechanism,) = load("grr")
    if missing(mechanism):
        return
    result = verify(mechanism, 3, smt=False, coq=True)
    assert result.status is Status.PROVED
    assert result.holds
    assert {v.groups for v in result.verdicts} == {("algebra", "coq")}
    theorems = {v.obligation: v.theorems for v in result.verdicts}
    assert all("coq" in v.checkers and not v.unaccepted for v in result.verdicts)
    assert theorems["nonnegative"] == theorems["sums_to_one"] == ("grr_stochastic",)
    assert theorems["class_counts"] == ("grr_classes",)
    assert theorems["free_cells"] == ("grr_free_unbiased", "grr_free_variance")
    assert theorems["ratio"] == ("grr_ldp",)


def test_what_is_wrong_is_left_out_and_the_rest_accepted() -> None:
    wrong = [LDP(eps / 2), Variance(n * (k - 1 + u) / (u - 1) ** 2, at_f=0)]
    claims: list[Any] = [LDP(eps, tight=True), *wrong]
    mechanism = Mechanism("mine", parameters=[eps, k], table=GRR, claims=claims)
    if missing(mechanism):
        return
    result = verify(mechanism, 3, smt=False, coq=True)
    said = {(v.claim, v.obligation): v for v in result.verdicts}
    for key in ((1, "ratio"), (2, "variance")):
        assert said[key].status is Status.REFUTED
        assert not said[key].theorems
        assert said[key].unaccepted.startswith(("not printed because", "not accepted:"))
    assert said[(0, "ratio")].theorems == ("mine_ldp",)
    assert said[(3, "unbiased")].theorems == ("mine_unbiased",)
    assert said[(3, "unbiased")].statement.startswith("derived: ")


def test_a_wrong_count_is_refuted_and_coq_accepts_nothing() -> None:
    table = replace(GRR, together=k / (k + 1))
    mechanism = Mechanism("mine", parameters=[eps, k], table=table, claims=[LDP(eps)])
    if missing(mechanism):
        return
    said = {v.obligation: v for v in verify(mechanism, 3, smt=False, coq=True).verdicts}
    assert said["class_counts"].status is Status.REFUTED
    assert said["ratio"].status is Status.OPEN
    assert said["ratio"].refusals["coq"].startswith("not accepted: ")
    assert all(not verdict.theorems for verdict in said.values())
    assert all(v.unaccepted.startswith("not accepted: ") for v in said.values())


def test_a_logarithm_may_rest_on_excluded_middle_and_nothing_else_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = Mechanism("mine", parameters=[eps, k], table=GRR)
    if missing(mechanism):
        return
    text = (
        "From Coq Require Import Reals.\n"
        "Theorem mine_log : forall x : R, ln x = 0%R \\/ ln x <> 0%R.\n"
        "Proof. intros x. apply Classical_Prop.classic. Qed.\n"
        "Theorem mine_either : forall P : Prop, P \\/ ~ P.\n"
        "Proof. exact Classical_Prop.classic. Qed.\n"
        "Theorem mine_plain : True.\nProof. exact I. Qed.\n"
    )
    keys = {(0, "ratio"): "mine_log", (0, "tight"): "mine_either", (1, "holds"): "mine_plain"}
    printed = Printed("mine", text, {key: (name,) for key, name in keys.items()}, {}, {})
    monkeypatch.setattr(kernel, "coq_print", lambda _mechanism, **_options: printed)
    found = ask_kernel(mechanism)
    assert set(found.accepted) == {(0, "ratio"), (1, "holds")}
    assert found.reason((0, "tight")) == "not accepted: it rests on Classical_Prop.classic"


@pytest.mark.parametrize(
    "source",
    [
        "Axiom mine_ldp : False.",
        "Theorem mine_ldp : False.\nAdmitted.",
        "Theorem mine_ldp : 1 = 2.\nProof. reflexivity. Qed.",
        "Lemma mine_other : True.\nProof. exact I. Qed.",
    ],
)
def test_what_is_not_proved_is_not_accepted(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = Mechanism("mine", parameters=[eps, k], table=GRR)
    if missing(mechanism):
        return
    text = Printed("mine", source + "\n", {(0, "ratio"): ("mine_ldp",)}, {}, {})
    monkeypatch.setattr(kernel, "coq_print", lambda _mechanism, **_options: text)
    found = ask_kernel(mechanism)
    assert not found.accepted
    assert found.reason((0, "ratio")).startswith("not accepted: ")


def bloom(hashes: int) -> Mechanism:
    m = integer("m", at_least=2 * hashes)
    return Mechanism("mine", parameters=[zero, one, m], table=Bits(one, zero, Bloom(m, hashes)))


def test_bloom_encodings_are_counted() -> None:
    if missing(bloom(3)):
        return
    assert ask_kernel(bloom(3)).theorems((None, "class_counts")) == ("mine_classes",)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("bloom_classes m 2", "bloom_classes m 3"),
        ("bloom_classes m 2", "bloom_classes (S m) 3"),
        ("bloom_classes m 2", "bit_classes m"),
    ],
)
def test_wrong_classes_of_bloom_encodings_are_rejected(
    right: str, wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = bloom(2)
    if missing(mechanism):
        return
    printed = coq_print(mechanism)
    assert isinstance(printed, Printed)
    assert right in printed.text
    planted = replace(printed, text=printed.text.replace(right, wrong))
    monkeypatch.setattr(kernel, "coq_print", lambda _, **more: printed if more else planted)
    assert (None, "class_counts") in ask_kernel(mechanism).rejected


@pytest.mark.parametrize("field", ["blocks", "containing", "together"])
def test_a_wrong_count_of_hyperplanes_is_rejected(field: str) -> None:
    (pgr,) = load("pgr")
    if missing(pgr):
        return
    assert isinstance(pgr.table, Design)
    wrong = replace(pgr.table, **{field: getattr(pgr.table, field) + 1})
    claims = list(pgr.claims)
    found = ask_kernel(Mechanism("mine", parameters=pgr.parameters, table=wrong, claims=claims))
    assert not found.accepted
    assert found.rejects_rest


def test_no_time_is_no_acceptance() -> None:
    mechanism = Mechanism("mine", parameters=[eps, k], table=GRR)
    if missing(mechanism):
        return
    found = ask_kernel(mechanism, limit=0)
    assert not found.accepted
    assert "took more than" in found.reason((0, "ratio"))


@pytest.mark.parametrize("name", ["design", "stochastic", "m"])
def test_a_name_of_the_library_is_not_printed_over(name: str) -> None:
    mechanism = Mechanism(name, parameters=[eps, k], table=GRR)
    if missing(mechanism):
        return
    theorems = ask_kernel(mechanism).theorems((None, "sums_to_one"))
    assert theorems
    assert all(theorem.startswith(f"{name}_own_") for theorem in theorems)


def test_where_another_name_is_taken_too_nothing_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = Mechanism("mine", parameters=[eps, k], table=GRR)
    if missing(mechanism):
        return
    taken = frozenset({"mine", "mine_own"})
    monkeypatch.setattr("ldp_verified.prove.coq.kernel.taken_names", lambda names, _: names & taken)
    assert "the library has the name mine_own" in ask_kernel(mechanism).why


def test_a_name_that_only_proofs_mention_is_free() -> None:
    taken = library_names(proofs_folder())
    assert {"design", "exp_above_1", "Rabs", "ldp", "equation"} <= taken
    assert not {"split", "induction", "lra"} & taken
    assert taken_names(taken | {"lra"}, proofs_folder()) == taken
    asked = frozenset({"design", "ldp", "split", "lra", "mine"})
    assert taken_names(asked, proofs_folder()) == {"design", "ldp"}
    assert taken_names(frozenset({"mine", "mine_own"}), proofs_folder()) == set()


def test_without_coqc_nothing_is_by_coq(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    mechanism = Mechanism("mine", parameters=[eps, k], table=GRR)
    result = verify(mechanism, 3, smt=False)
    assert all("coq" not in v.checkers and not v.unaccepted for v in result.verdicts)
    assert result.status is Status.ONE_GROUP
    with pytest.raises(SpecError, match="coqc"):
        verify(mechanism, 3, smt=False, coq=True)


def test_what_nobody_answers_is_not_accepted() -> None:
    nothing = Kernel(why="not printed because it is large")
    assert nothing.theorems((0, "ratio")) == ()
    assert nothing.reason((0, "ratio")) == "not printed because it is large"
