(** The incidence structure of k-ary randomized response: block y contains y alone. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Design.
Import ListNotations.
Open Scope R_scope.

Definition singletons (k : nat) : list nat := seq 0 k.

Lemma count_singleton k x : (x < k)%nat -> count (Nat.eqb x) (singletons k) = 1%nat.
Proof.
  intros H. apply count_one with (a := x).
  - apply seq_NoDup.
  - apply in_seq. lia.
  - apply Nat.eqb_refl.
  - intros b _ E. apply Nat.eqb_eq in E. auto.
Qed.

Theorem singletons_balanced k : balanced k (singletons k) Nat.eqb (INR k) 1 0.
Proof.
  split; [unfold singletons; now rewrite seq_length|]. split.
  - intros x Hx. now rewrite count_singleton.
  - intros x x' _ _ N. rewrite count_none; [reflexivity|]. intros y _.
    destruct (Nat.eqb_spec x y), (Nat.eqb_spec x' y); cbn; congruence.
Qed.
