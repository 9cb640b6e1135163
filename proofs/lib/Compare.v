(** Which of two randomizers estimates a count with less variance. *)
From Coq Require Import Reals List Lra Lia Arith.
From LDP Require Import Sums Randomizer Users.
Import ListNotations.
Open Scope R_scope.

(** At share f, the estimate w of M has less variance than the estimate w' of N exactly where C
    holds, whatever the users hold. *)
Definition better_exactly {Y Y'} (M : mech nat Y) (w : nat -> Y -> R) (N : mech nat Y')
  (w' : nat -> Y' -> R) (f : R) (C : Prop) : Prop :=
  forall v xs, dom M v -> dom N v -> xs <> [] -> (forall x, In x xs -> dom M x /\ dom N x) ->
  share v xs = f ->
  (variance_n M xs (estimate w v) < variance_n N xs (estimate w' v) <-> C).

(** The difference of the variances is that of the two sides, times something positive. *)
Lemma less_exactly a a' l r Q : a' - a = (r - l) * Q -> 0 < Q -> (a < a' <-> l < r).
Proof.
  intros E HQ. split; intros H.
  - assert (P : 0 < (r - l) * Q) by lra.
    destruct (Rlt_or_le l r) as [L|L]; [assumption|]. exfalso.
    assert ((r - l) * Q <= 0 * Q) by (apply Rmult_le_compat_r; lra). lra.
  - assert (0 < (r - l) * Q) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Theorem better_by {Y Y'} (M : mech nat Y) w (N : mech nat Y') w' f (V V' : R -> R -> R)
  (l r : R) (Q : R -> R) :
  count_variance M w V -> count_variance N w' V' ->
  (forall n, 1 <= n -> V' n f - V n f = (r - l) * Q n) -> (forall n, 1 <= n -> 0 < Q n) ->
  better_exactly M w N w' f (l < r).
Proof.
  intros HV HV' E HQ v xs Hv Hv' Hn Hx Hf.
  rewrite (HV v xs Hv Hn) by (intros; now apply Hx).
  rewrite (HV' v xs Hv' Hn) by (intros; now apply Hx). rewrite Hf.
  pose proof (users_positive xs Hn) as P. apply less_exactly with (Q := Q (INR (length xs))).
  - now apply E.
  - now apply HQ.
Qed.
