(** Noise that is added to a number, or to an integer: totals over all reports, moments, ratios.

    An integral is Newton's: an antiderivative on each of two half-lines, with limits. Sums over all
    integers are two series. That a bound on densities bounds the probability of every (measurable)
    set is not said here. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential.
Import ListNotations.
Open Scope R_scope.

(** * Totals *)
Definition tends (F : R -> R) (l : R) : Prop :=
  forall e, 0 < e -> exists Y, forall y, Y < y -> Rabs (F y - l) < e.

(** The integral of f from a on. *)
Definition right_integral (f : R -> R) (a total : R) : Prop := exists F,
  F a = 0 /\ continuity_pt F a /\ (forall y, a < y -> derivable_pt_lim F y (f y)) /\ tends F total.

(** The integral of f over all numbers. *)
Definition integral (f : R -> R) (total : R) : Prop := exists a left right,
  right_integral (fun y => f (- y)) (- a) left /\ right_integral f a right /\ total = left + right.

(** The sum of f over all integers. *)
Definition lattice_sum (f : Z -> R) (total : R) : Prop := exists a left right,
  infinit_sum (fun n => f (a - Z.of_nat (S n))%Z) left /\
  infinit_sum (fun n => f (a + Z.of_nat n)%Z) right /\ total = left + right.

(** * What is added to a value, and what is said of it *)
Record additive (T : Type) := Additive {
  additive_inputs : T -> Prop;
  additive_value : T -> R;
  additive_weight : T -> T -> R;
  additive_total : (T -> R) -> R -> Prop }.
Arguments Additive {T}.
Arguments additive_inputs {T}.
Arguments additive_value {T}.
Arguments additive_weight {T}.
Arguments additive_total {T}.

Section Claims.
Context {T : Type} (M : additive T).

Definition additive_stochastic : Prop := forall x, additive_inputs M x ->
  (forall y, 0 <= additive_weight M x y) /\ additive_total M (additive_weight M x) 1.

Definition additive_equal_support : Prop := forall x x' y,
  additive_inputs M x -> additive_inputs M x' ->
  0 < additive_weight M x y -> 0 < additive_weight M x' y.

Definition additive_ldp (eps : R) : Prop := forall x x' y,
  additive_inputs M x -> additive_inputs M x' ->
  additive_weight M x y <= exp eps * additive_weight M x' y.

(** From some report on the bound is reached. *)
Definition additive_tight (eps : R) : Prop := exists x x' y0,
  additive_inputs M x /\ additive_inputs M x' /\
  forall y, additive_value M y0 <= additive_value M y ->
    0 < additive_weight M x' y /\ additive_weight M x y = exp eps * additive_weight M x' y.

(** The bound is reached above one input and below another one. *)
Definition additive_tight_ends (low high : T) (eps : R) : Prop :=
  (forall y, additive_value M high <= additive_value M y ->
    0 < additive_weight M low y /\ additive_weight M high y = exp eps * additive_weight M low y) /\
  (forall y, additive_value M y <= additive_value M low ->
    0 < additive_weight M high y /\ additive_weight M low y = exp eps * additive_weight M high y).

Lemma additive_tight_at low high eps : additive_inputs M low -> additive_inputs M high ->
  additive_tight_ends low high eps -> additive_tight eps.
Proof. intros L H [E _]. now exists high, low, high. Qed.

Definition additive_mean (mean : T -> R) : Prop := forall x, additive_inputs M x ->
  additive_total M (fun y => additive_value M y * additive_weight M x y) (mean x).

Definition additive_variance (variance : T -> R) : Prop := forall x, additive_inputs M x ->
  exists m,
  additive_total M (fun y => additive_value M y * additive_weight M x y) m /\
  additive_total M (fun y => (additive_value M y - m) ^ 2 * additive_weight M x y)
    (variance x).

Lemma additive_mean_as mean stated :
  additive_mean mean -> (forall x, additive_inputs M x -> mean x = stated x) -> additive_mean stated.
Proof. intros H E x X. rewrite <- (E x X). now apply H. Qed.

Theorem additive_tight_best eps e : additive_tight eps -> additive_ldp e -> eps <= e.
Proof.
  intros (x & x' & y & X & X' & H) L. destruct (H y (Rle_refl _)) as [P E].
  pose proof (L x x' y X X') as B. rewrite E in B. apply Rnot_lt_le. intros C.
  pose proof (exp_strict _ _ C). nra.
Qed.
End Claims.
