"""Small proofs folders that are wrong, around one honest theorem."""

from __future__ import annotations

LISTED = """# What has to be proved of the module LDP.Small.
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
        "more is not in expected_theorems",
        5,
    ),
    "false": (HEAD + THEOREM.replace("m <=", "S m <=") + PROOF, "", 4),
    "endless": (
        HEAD + THEOREM + "Proof. repeat (assert True by exact I). Qed.\n",
        "took more than",
        0,
    ),
}


IN_PROOF = HEAD + THEOREM + "Proof.\n"
# name -> (source, what is said of it, its line): Coq takes most of these without a word.
ESCAPES: dict[str, tuple[str, str, int]] = {
    name: (HONEST + text, said, 5 + text.count("\n", 0, -1))
    for name, (text, said) in {
        "local option": ("Local Set Universe Polymorphism.\n", "Local Set"),
        "global option": ("#[global] Set Default Proof Using.\n", "# [ global"),
        "option in brackets": ("#[local, program] Definition d := 0.\n", "# [ local"),
        "positivity switched off": ("#[bypass_check(positivity)] Inductive t := .\n", "# ["),
        "load path": ('Add LoadPath "/tmp" as LDP.\n', "Add LoadPath"),
        "recursive load path": ('Add Rec LoadPath "/tmp" as LDP.\n', "Add Rec LoadPath"),
        "plugin": ('Declare ML Module "ltac_plugin".\n', "Declare ML Module"),
        "another file": ('Load "/elsewhere/other".\n', "Load"),
        "late import": ("Open Scope R_scope.\nFrom LDP Require Import Sums.\n", "From LDP"),
        "import without a library": ("Require Import Sums.\n", "Require Import"),
        "axioms of Coq": ("From Coq Require Import ClassicalEpsilon.\n", "From Coq Require"),
        "notations of Coq": ("From Coq Require Import Utf8.\n", "From Coq Require"),
        "exported": ("From Coq Require Export Reals.\n", "From Coq Require Export"),
        "module brought in": ("Import Nat.\n", "Import Nat"),
        "scope bound to a type": ("Bind Scope nat_scope with bool.\n", "Bind Scope"),
        "delimiter rebound": ("Delimit Scope nat_scope with R.\n", "Delimit Scope"),
        "delimiter removed": ("Undelimit Scope R_scope.\n", "Undelimit Scope"),
        "scope closed": ("Close Scope nat_scope.\n", "Close Scope"),
        "integers opened": ("Open Scope Z_scope.\n", "Open Scope Z_scope"),
        "locally opened": ("Local Open Scope nat_scope.\n", "Local Open Scope"),
        "arguments in a scope": ("Arguments double m%nat_scope.\n", "Arguments double"),
        "coercion": ("Record box : Type := Box { held :> nat }.\n", "Record box"),
        "notation at a type": (
            'Inductive same : nat -> Prop := here : 0 [=] 0 where "a [=] b" := (same a).\n',
            "Inductive same",
        ),
        "notation at a definition": ('Fixpoint f (n : nat) := 0 where "!" := 0.\n', "Fixpoint f"),
        "primitive": ("Primitive int := #int63_type.\n", "Primitive"),
        "parameter in a class": ("Class magic := { wrong : False }.\n", "Class magic"),
        "hint": ("Hint Extern 0 => exact I : core.\n", "Hint Extern"),
        "instance": ("Declare Instance magic : False.\n", "Declare Instance"),
        "declared with others": ("Axioms (a b : False).\n", "Axioms"),
        "conjecture": ("Conjecture c : False.\n", "Conjecture"),
        "hypothesis after a section in a comment": (
            "(* Section A. *) Hypothesis h : False.\n",
            "Hypothesis outside a section",
        ),
        "hypothesis after a section in a string": (
            'Definition s := " Section A. ". Hypothesis h : False.\n',
            "Hypothesis outside a section",
        ),
        "axiom behind a nested comment": ("(* (* *) *) Axiom a : False.\n", "Axiom a"),
        "axiom behind a strange comment": ("(*) *) Axiom a : False.\n", "Axiom a"),
        "axiom behind a quoted quote": (
            'Definition s := "a""(*". Axiom a : False. (* *)\n',
            "Axiom a",
        ),
        "a comment that Coq reads as a projection": (
            "Definition s := S.(* Section A. *)\n",
            "a comment right behind",
        ),
        "Cyrillic letter": ("D\u0435finition d := 0.\n", "U+0435"),
        "Greek letter in a name": ("Definition doubl\u03b5 := 0.\n", "U+03B5"),
        "full-width letter": ("\uff21xiom a : False.\n", "U+FF21"),
        "full stop that is none": ("Definition d := 0\u3002\n", "U+3002"),
        "blank that is none": ("Definition d := 0.\u00a0Axiom a : False.\n", "U+00A0"),
        "form feed": ("Definition d := 0.\fAxiom a : False.\n", "U+000C"),
        "written backwards": ("(* \u202e *) Definition d := 0.\n", "U+202E"),
        "tactic outside a proof": ("exact I.\n", "exact I"),
        "time": ("Time Definition d := 0.\n", "Time Definition"),
        "fail": ("Fail Definition d := nothing.\n", "Fail Definition"),
        "program": ("Program Definition d : nat := 0.\n", "Program Definition"),
        "polymorphic": ("Polymorphic Definition d := 0.\n", "Polymorphic"),
        "saved otherwise": ("Lemma l : 0 = 0.\nProof. exact eq_refl. Defined.\n", "Defined"),
        "term as a proof": ("Lemma l : 0 = 0.\nProof eq_refl.\n", "Proof eq_refl"),
    }.items()
} | {
    "axiom in a proof": (IN_PROOF + "- Axiom a : False. Qed.\n", "Axiom a", 5),
    "axiom behind a goal": (IN_PROOF + "2: { Axiom a : False. } Qed.\n", "Axiom a", 5),
    "option in a proof": (IN_PROOF + "Local Unset Guard Checking.\nQed.\n", "Local Unset", 5),
    "admitted with dots": (IN_PROOF + "admit... Qed.\n", "admit", 5),
    "given up": (IN_PROOF + "all: give_up. Qed.\n", "give_up", 5),
    "admitted in a term": (
        HEAD + "Definition d : nat := ltac:(admit).\n",
        "admit",
        3,
    ),
    "checked by another program": (IN_PROOF + "native_compute. Qed.\n", "native_compute", 5),
}
