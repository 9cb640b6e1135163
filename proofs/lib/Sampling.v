(** A private choice of the randomizer's input: what hiding the choice is worth. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Exponential Randomizer.
Import ListNotations.
Open Scope R_scope.

(** * One of the inputs zs, drawn with the chances w x and told to nobody *)
Section Sampled.
Context {X Z Y : Type} (D : X -> Prop) (zs : list Z) (w : X -> Z -> R) (M : mech Z Y).

Definition hidden : mech X Y :=
  Mech D (outs M) (fun x y => sum_over zs (fun z => w x z * pr M z y)).

Hypothesis w_nonneg : forall x z, D x -> In z zs -> 0 <= w x z.
Hypothesis w_sum : forall x, D x -> sum_over zs (w x) = 1.
Hypothesis M_dom : forall z, In z zs -> dom M z.

Theorem hidden_stochastic : stochastic M -> stochastic hidden.
Proof.
  intros SM x Hx. split.
  - intros y Hy. cbn in *. apply sum_nonneg. intros z Hz.
    apply Rmult_le_pos; [auto|]. apply (SM z); auto.
  - cbn. rewrite sum_swap. rewrite <- (w_sum x Hx). apply sum_ext. intros z Hz.
    rewrite sum_scale. destruct (SM z) as [_ ->]; auto. ring.
Qed.

(** Whatever the randomizer is, the choice costs nothing: both sides are averages. *)
Theorem hidden_ldp eps : ldp M eps -> ldp hidden eps.
Proof.
  intros H x x' y Hx Hx' Hy. cbn in *.
  set (total := sum_over zs (fun z => w x' z * pr M z y)).
  assert (B : forall z, In z zs -> pr M z y <= exp eps * total).
  { intros z Hz. unfold total.
    replace (pr M z y) with (sum_over zs (fun z' => w x' z' * pr M z y))
      by (rewrite sum_scale_right, w_sum by assumption; ring).
    rewrite <- sum_scale. apply sum_le. intros z' Hz'.
    replace (exp eps * (w x' z' * pr M z' y)) with (w x' z' * (exp eps * pr M z' y)) by ring.
    apply Rmult_le_compat_l; auto. }
  replace (exp eps * total) with (sum_over zs (fun z => w x z * (exp eps * total)))
    by (rewrite sum_scale_right, w_sum by assumption; ring).
  apply sum_le. intros z Hz. apply Rmult_le_compat_l; auto.
Qed.
End Sampled.

(** * k-ary randomized response: an input of chance at most c is hidden among the others *)
Section Response.
Context {X : Type} (D : X -> Prop) (k : nat) (w : X -> nat -> R) (q e c : R).
Hypothesis w_nonneg : forall x z, D x -> (z < k)%nat -> 0 <= w x z.
Hypothesis w_sum : forall x, D x -> sum_over (seq 0 k) (w x) = 1.
Hypothesis w_most : forall x z, D x -> (z < k)%nat -> w x z <= c.

Definition k_response : mech nat nat :=
  Mech (fun z => (z < k)%nat) (seq 0 k) (fun z y => if Nat.eqb z y then exp e * q else q).

Lemma sum_own (f : nat -> R) y l : NoDup l -> In y l ->
  sum_over l (fun z => if Nat.eqb z y then f z else 0) = f y.
Proof.
  induction l as [|a l IH]; intros N H; [destruct H|]. inversion N as [|? ? Ha Nl]; subst. cbn.
  destruct (Nat.eqb_spec a y) as [->|E].
  - replace (sum_over l (fun z => if Nat.eqb z y then f z else 0)) with (sum_over l (fun _ => 0)).
    + rewrite sum_constant. ring.
    + apply sum_ext. intros z Hz. destruct (Nat.eqb_spec z y) as [->|]; [contradiction|reflexivity].
  - destruct H as [->|H]; [contradiction|]. rewrite IH by assumption. ring.
Qed.

Lemma hidden_response x y : D x -> (y < k)%nat ->
  pr (hidden D (seq 0 k) w k_response) x y = q * (1 + (exp e - 1) * w x y).
Proof.
  intros Hx Hy. cbn.
  transitivity (sum_over (seq 0 k)
    (fun z => w x z * q + (if Nat.eqb z y then w x z * (exp e - 1) * q else 0))).
  - apply sum_ext. intros z _. destruct (Nat.eqb z y); ring.
  - rewrite sum_plus, sum_scale_right, w_sum, (sum_own (fun z => w x z * (exp e - 1) * q));
      [ring | apply seq_NoDup | apply in_seq; lia | assumption].
Qed.

(** For any two of all values: whole sets, however many of their items differ. *)
Theorem hidden_response_ldp eps : 0 <= q -> 0 <= e -> 1 + c * (exp e - 1) <= exp eps ->
  ldp (hidden D (seq 0 k) w k_response) eps.
Proof.
  intros Hq He H x x' y Hx Hx' Hy. apply in_seq in Hy as [_ Hy]. cbn in Hy.
  rewrite !hidden_response by assumption.
  assert (G : 0 <= exp e - 1).
  { destruct He as [He|<-]; [pose proof (exp_above_1 e He); lra | rewrite exp_0; lra]. }
  assert (A : 1 + (exp e - 1) * w x y <= exp eps).
  { eapply Rle_trans; [|exact H]. rewrite (Rmult_comm c).
    apply Rplus_le_compat_l, Rmult_le_compat_l; auto. }
  assert (B : 1 <= 1 + (exp e - 1) * w x' y).
  { pose proof (Rmult_le_pos _ _ G (w_nonneg x' y Hx' Hy)). lra. }
  pose proof (exp_pos eps).
  replace (exp eps * (q * (1 + (exp e - 1) * w x' y)))
    with (q * (exp eps * (1 + (exp e - 1) * w x' y))) by ring.
  apply Rmult_le_compat_l; [assumption|].
  apply Rle_trans with (exp eps * 1); [lra|]. apply Rmult_le_compat_l; lra.
Qed.

(** Nothing less holds where one value gives y its largest chance and another one gives it none. *)
Theorem hidden_response_tight eps x x' y : D x -> D x' -> (y < k)%nat -> 0 < q ->
  w x y = c -> w x' y = 0 -> 1 + c * (exp e - 1) = exp eps ->
  ldp_tight (hidden D (seq 0 k) w k_response) eps.
Proof.
  intros Hx Hx' Hy Hq E E' H. exists x, x', y. repeat split; auto.
  - apply in_seq. lia.
  - rewrite hidden_response, E' by assumption. lra.
  - rewrite !hidden_response, E, E' by assumption. rewrite <- H. ring.
Qed.
End Response.
