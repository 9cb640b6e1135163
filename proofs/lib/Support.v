(** Pure frequency oracles: every report supports a set of values.

    A report supports the user's own value with probability p_star and any other with q_star; the
    estimate of a count adds (1[v is supported] - q_star) / (p_star - q_star). *)
From Coq Require Import Reals List Lra Lia Arith.
From LDP Require Import Sums Randomizer Users.
Import ListNotations.
Open Scope R_scope.

Definition support_weight {Y} (supports : nat -> Y -> bool) (p_star q_star : R) (v : nat) (y : Y)
  : R := (indicator (supports v y) - q_star) / (p_star - q_star).

(** The variance of the estimated count. *)
Definition support_variance (p_star q_star n f : R) : R :=
  n * (f * (p_star * (1 - p_star) / ((p_star - q_star) * (p_star - q_star)))
       + (1 - f) * (q_star * (1 - q_star) / ((p_star - q_star) * (p_star - q_star)))).

Section Pure.
Context {Y : Type} (M : mech nat Y) (supports : nat -> Y -> bool) (p_star q_star : R).
Hypothesis St : stochastic M.
Hypothesis support_own : forall v, dom M v ->
  expectation M v (fun y => indicator (supports v y)) = p_star.
Hypothesis support_other : forall v x, dom M v -> dom M x -> x <> v ->
  expectation M x (fun y => indicator (supports v y)) = q_star.
Hypothesis apart : p_star - q_star <> 0.

Let w := support_weight supports p_star q_star.

Lemma support_rate v x : dom M v -> dom M x ->
  expectation M x (fun y => indicator (supports v y))
  = if Nat.eqb x v then p_star else q_star.
Proof.
  intros Hv Hx. destruct (Nat.eqb_spec x v); [subst; now apply support_own|].
  now apply support_other.
Qed.

Lemma support_mean v x : dom M v -> dom M x ->
  expectation M x (w v) = indicator (Nat.eqb x v).
Proof.
  intros Hv Hx. unfold w, support_weight.
  rewrite (expectation_ext M x _
    (fun y => / (p_star - q_star) * indicator (supports v y) + (- q_star / (p_star - q_star))))
    by (intros; field; assumption).
  rewrite expectation_plus, expectation_scale, expectation_constant, support_rate by assumption.
  destruct (Nat.eqb x v); cbn; field; assumption.
Qed.

Lemma support_spread v x : dom M v -> dom M x ->
  variance M x (w v) =
  if Nat.eqb x v then p_star * (1 - p_star) / ((p_star - q_star) * (p_star - q_star))
  else q_star * (1 - q_star) / ((p_star - q_star) * (p_star - q_star)).
Proof.
  intros Hv Hx. rewrite variance_moments, support_mean by assumption. unfold w, support_weight.
  rewrite (expectation_ext M x _
    (fun y => ((1 - 2 * q_star) / ((p_star - q_star) * (p_star - q_star)))
                * indicator (supports v y)
              + q_star * q_star / ((p_star - q_star) * (p_star - q_star))))
    by (intros y _; destruct (supports v y); cbn; field; assumption).
  rewrite expectation_plus, expectation_scale, expectation_constant, support_rate by assumption.
  destruct (Nat.eqb x v); cbn; field; assumption.
Qed.

Theorem support_unbiased : unbiased_counts M w.
Proof. apply linear_unbiased; [exact St | exact support_mean]. Qed.

Theorem support_variance_count : count_variance M w (support_variance p_star q_star).
Proof. apply linear_variance; [exact St | exact support_spread]. Qed.
End Pure.

(** Any two weights with the right expectations. *)
Definition written_weight {Y} (supports : nat -> Y -> bool) (supported otherwise : R) (v : nat)
  (y : Y) : R := if supports v y then supported else otherwise.

Theorem written_unbiased {Y} (M : mech nat Y) supports p_star q_star supported otherwise :
  stochastic M ->
  (forall v, dom M v -> expectation M v (fun y => indicator (supports v y)) = p_star) ->
  (forall v x, dom M v -> dom M x -> x <> v ->
    expectation M x (fun y => indicator (supports v y)) = q_star) ->
  p_star * supported + (1 - p_star) * otherwise = 1 ->
  q_star * supported + (1 - q_star) * otherwise = 0 ->
  unbiased_counts M (written_weight supports supported otherwise).
Proof.
  intros St Own Other H1 H0. apply linear_unbiased; [exact St|]. intros v x Hv Hx.
  rewrite (expectation_ext M x _
    (fun y => (supported - otherwise) * indicator (supports v y) + otherwise))
    by (intros y _; unfold written_weight; destruct (supports v y); cbn; ring).
  rewrite expectation_plus, expectation_scale, expectation_constant by assumption.
  destruct (Nat.eqb_spec x v) as [->|N]; cbn [indicator].
  - rewrite Own by assumption. lra.
  - rewrite Other by assumption. lra.
Qed.
