"""Small proofs folders that are wrong, around one honest theorem."""

from __future__ import annotations

LISTED = """[LDP.Small]
double := fun m : nat => (m + m)%nat
small : forall m : nat, (m <= double m)%nat
"""
HEAD = "From Coq Require Import Arith.\nDefinition double (m : nat) := m + m.\n"
PROOF = "Proof. intros m. apply Nat.le_add_r. Qed.\n"
THEOREM = "Theorem small : forall m : nat, m <= double m.\n"
HONEST = HEAD + THEOREM + PROOF

# name -> (source, what the failure has to say, its line in the source; 0 where another file)
WRONG: dict[str, tuple[str, str, int]] = {
    "admitted": (HEAD + THEOREM + "Admitted.\n", "Admitted", 4),
    "admit": (HEAD + THEOREM + "Proof. intros m. admit. Admitted.\n", "admit", 4),
    "axiom": (HONEST + "Axiom false : False.\n", "Axiom", 5),
    "axiom behind a comment-like string": (
        "From Coq Require Import String.\n"
        + HONEST
        + 'Definition s := "(*"%string. Axiom false : False. Definition t := "*)"%string.\n',
        "Axiom",
        6,
    ),
    "axiom after a comment with a string": (
        HONEST + '(* "*)" still a comment *) #[local] Axiom false : False.\n',
        "Axiom",
        5,
    ),
    "local parameter": (HONEST + "Local Parameter p : nat.\n", "Parameter", 5),
    "hypothesis": (
        HEAD.replace("Definition", "Hypothesis all : forall a b : nat, a <= b.\nDefinition")
        + THEOREM
        + "Proof. intros m. apply all. Qed.\n",
        "Hypothesis outside a section",
        2,
    ),
    "variable": (HONEST + "Variable v : nat.\n", "Variable outside a section", 5),
    "context after a section": (
        HONEST + "Section A.\nEnd A.\nContext (v : nat).\n",
        "Context outside a section",
        7,
    ),
    "unguarded recursion": (
        HONEST + "Unset Guard Checking.\n",
        "Unset",
        5,
    ),
    "imported axiom": (
        HEAD.replace("Arith", "Arith ProofIrrelevance")
        + "Lemma same (P : Prop) (a b : P) : a = b. Proof. apply proof_irrelevance. Qed.\n"
        + THEOREM
        + "Proof. intros m. destruct (same True I I). apply Nat.le_add_r. Qed.\n",
        "proof_irrelevance, which is not allowed",
        0,
    ),
    "deleted": (HEAD, "not proved as listed", 0),
    "weakened": (
        HEAD + "Theorem small : forall m : nat, m = 0 -> m <= double m.\n"
        "Proof. intros m _. apply Nat.le_add_r. Qed.\n",
        "not proved as listed",
        0,
    ),
    "definition changed": (
        HONEST.replace("m + m.\n", "m + (m + m).\n", 1),
        "not defined as listed",
        0,
    ),
    "vocabulary shadowed": (
        HEAD
        + "Definition le (a b : nat) := True.\nTheorem small : forall m : nat, le m (double m).\n"
        "Proof. intros m. exact I. Qed.\n",
        "not proved as listed",
        0,
    ),
    "notation": (HONEST + 'Notation "a <= b" := True.\n', "Notation", 5),
    "unlisted": (
        HONEST + "Theorem more : 0 = 0.\nProof. reflexivity. Qed.\n",
        "more is not in expected_theorems.txt",
        5,
    ),
    "false": (HEAD + THEOREM.replace("m <=", "S m <=") + PROOF, "", 4),
    "endless": (
        HEAD + THEOREM + "Proof. repeat (assert True by exact I). Qed.\n",
        "took more than",
        0,
    ),
}
