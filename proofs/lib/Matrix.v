(** Explicit matrices: d inputs, m outputs, every cell written down. *)
From Coq Require Import Reals List Lra Lia Arith.
From LDP Require Import Sums Randomizer Users.
Import ListNotations.
Open Scope R_scope.

Definition cell (rows : list (list R)) (i j : nat) : R := nth j (nth i rows []) 0.

Definition matrix (d m : nat) (rows : list (list R)) : mech nat nat :=
  Mech (fun x => (x < d)%nat) (seq 0 m) (cell rows).

(** P 0, P 1, ..., P (n - 1), as one conjunction. *)
Fixpoint each (n : nat) (P : nat -> Prop) : Prop :=
  match n with 0%nat => True | S m => each m P /\ P m end.

Lemma each_below n P : each n P -> forall i, (i < n)%nat -> P i.
Proof.
  induction n; cbn; [lia|]. intros [H Hn] i Hi.
  destruct (Nat.eq_dec i n) as [->|]; [assumption|]. apply IHn; [assumption | lia].
Qed.

Section Matrix.
Context (d m : nat) (rows : list (list R)).

Theorem matrix_stochastic :
  each d (fun x => each m (fun y => 0 <= cell rows x y)) ->
  each d (fun x => sum_over (seq 0 m) (cell rows x) = 1) ->
  stochastic (matrix d m rows).
Proof.
  intros H0 H1 x Hx. split.
  - intros y Hy. apply in_seq in Hy. apply (each_below m (fun y => 0 <= cell rows x y)); [|lia].
    exact (each_below d _ H0 x Hx).
  - exact (each_below d _ H1 x Hx).
Qed.

Theorem matrix_equal_support :
  each d (fun x => each d (fun x' => each m (fun y => 0 < cell rows x y -> 0 < cell rows x' y))) ->
  equal_support (matrix d m rows).
Proof.
  intros H x x' y Hx Hx' Hy. apply in_seq in Hy.
  apply (each_below m (fun y => 0 < cell rows x y -> 0 < cell rows x' y)); [|lia].
  exact (each_below d _ (each_below d _ H x Hx) x' Hx').
Qed.

Theorem matrix_ldp eps U : exp eps = U ->
  each d (fun x => each d (fun x' => each m (fun y => cell rows x y <= U * cell rows x' y))) ->
  ldp (matrix d m rows) eps.
Proof.
  intros E H x x' y Hx Hx' Hy. rewrite E. apply in_seq in Hy.
  apply (each_below m (fun y => cell rows x y <= U * cell rows x' y)); [|lia].
  exact (each_below d _ (each_below d _ H x Hx) x' Hx').
Qed.

Theorem matrix_tight eps U x x' y : exp eps = U ->
  (x < d)%nat -> (x' < d)%nat -> (y < m)%nat ->
  0 < cell rows x' y -> cell rows x y = U * cell rows x' y -> ldp_tight (matrix d m rows) eps.
Proof.
  intros E Hx Hx' Hy P T. exists x, x', y. rewrite E. cbn. repeat split; try assumption.
  apply in_seq. lia.
Qed.

(** The estimate adds weights v y, from a left inverse of the matrix. *)
Context (weights : list (list R)) (own other : R).
Hypothesis St : stochastic (matrix d m rows).
Hypothesis inverse : each d (fun v => each d (fun x =>
  sum_over (seq 0 m) (fun y => cell rows x y * cell weights v y) = if Nat.eqb x v then 1 else 0)).

Lemma matrix_mean v x : (v < d)%nat -> (x < d)%nat ->
  expectation (matrix d m rows) x (cell weights v) = indicator (Nat.eqb x v).
Proof. intros Hv Hx. exact (each_below d _ (each_below d _ inverse v Hv) x Hx). Qed.

Theorem matrix_unbiased : unbiased_counts (matrix d m rows) (cell weights).
Proof.
  intros v xs Hv Hx. unfold estimate. rewrite expectation_n_sum by assumption.
  apply sum_ext. intros x I. apply matrix_mean; auto. now apply Hx.
Qed.

Theorem matrix_variance :
  each d (fun v => each d (fun x =>
    sum_over (seq 0 m) (fun y => cell rows x y * (cell weights v y * cell weights v y))
    = if Nat.eqb x v then own + 1 else other)) ->
  count_variance (matrix d m rows) (cell weights)
    (fun n f => n * (f * own + (1 - f) * other)).
Proof.
  intros H. apply linear_variance; [exact St|]. intros v x Hv Hx.
  rewrite variance_moments, matrix_mean by assumption.
  pose proof (each_below d _ (each_below d _ H v Hv) x Hx) as S. cbn beta in S.
  unfold expectation. cbn [outs pr matrix]. rewrite S.
  destruct (Nat.eqb x v); cbn; ring.
Qed.
End Matrix.
