(** Geometric noise on an integer: its sum, its moments, and its ratios. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Noise Additive ExponentialNoise.
Open Scope R_scope.

Lemma quadratic_vanishes A B C d : 0 < d -> d < 1 ->
  Un_cv (fun n => (A + B * INR n + C * (INR n * INR n)) * d ^ n) 0.
Proof.
  intros D0 D1 e He. pose proof (ln_increasing d 1 D0 D1) as L. rewrite ln_1 in L.
  assert (S : 0 < / - ln d) by (apply Rinv_0_lt_compat; lra).
  destruct (vanishing (/ - ln d) A B C S e He) as [Y HY].
  exists (Z.to_nat (up (Rabs Y))). intros n Hn. unfold R_dist.
  replace (d ^ n) with (exp (- (INR n / / - ln d))).
  - apply HY. pose proof (Rle_abs Y). destruct (archimed (Rabs Y)) as [U _].
    apply Rle_lt_trans with (Rabs Y); [assumption|].
    apply Rlt_le_trans with (IZR (up (Rabs Y))); [lra|].
    rewrite INR_IZR_INZ. apply IZR_le. pose proof (Rabs_pos Y).
    assert (0 < up (Rabs Y))%Z by (apply lt_IZR; lra). lia.
  - unfold Rdiv. rewrite Rinv_inv. replace (- (INR n * - ln d)) with (INR n * ln d) by ring.
    rewrite (exp_power (ln d) n) by ring. now rewrite exp_ln.
Qed.

Lemma quadratic_series a b c d : 0 < d -> d < 1 ->
  infinit_sum (fun n => (a + b * INR n + c * (INR n * INR n)) * d ^ n)
    (a / (1 - d) + b * d / (1 - d) ^ 2 + c * d * (1 + d) / (1 - d) ^ 3).
Proof.
  intros D0 D1. set (C := c / (1 - d)). set (B := (b + 2 * C * d) / (1 - d)).
  set (A := (a + B * d + C * d) / (1 - d)).
  set (rest := fun n => (A + B * INR n + C * (INR n * INR n)) * d ^ n).
  assert (P : forall n, sum_f_R0 (fun n => (a + b * INR n + c * (INR n * INR n)) * d ^ n) n
    = A - rest (S n)).
  { assert (Step : forall n, (a + b * INR n + c * (INR n * INR n)) * d ^ n = rest n - rest (S n)).
    { intros n. unfold rest. rewrite S_INR. cbn [pow]. unfold A, B, C. field. lra. }
    induction n as [|n IH]; cbn [sum_f_R0]; [|rewrite IH]; rewrite Step; [|ring].
    unfold rest at 1. cbn [INR pow]. ring. }
  intros e He. destruct (quadratic_vanishes A B C d D0 D1 e He) as [N HN].
  exists N. intros n Hn. rewrite P. specialize (HN (S n) ltac:(lia)). unfold R_dist in *.
  replace (A - rest (S n) - _) with (- (rest (S n) - 0)); [now rewrite Rabs_Ropp|].
  unfold A, B, C. field. lra.
Qed.

Lemma infinit_sum_scaled c f g total : infinit_sum f total -> (forall n, g n = c * f n) ->
  infinit_sum g (c * total).
Proof.
  intros F E e He. destruct (F (e / (Rabs c + 1))) as [N HN].
  { apply Rdiv_lt_0_compat; [assumption|]. pose proof (Rabs_pos c). lra. }
  exists N. intros n Hn. specialize (HN n Hn). unfold R_dist in *. pose proof (Rabs_pos c).
  rewrite (sum_eq g (fun i => f i * c)) by (intros i _; rewrite E; ring). rewrite <- scal_sum.
  replace (c * sum_f_R0 f n - c * total) with (c * (sum_f_R0 f n - total)) by ring.
  rewrite Rabs_mult. pose proof (Rabs_pos (sum_f_R0 f n - total)).
  apply Rle_lt_trans with ((Rabs c + 1) * Rabs (sum_f_R0 f n - total)); [nra|].
  apply Rmult_lt_reg_l with (/ (Rabs c + 1)); [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. rewrite Rmult_comm. exact HN.
Qed.

Definition lattice_weight (mass decay : R) (x y : Z) : R := mass * decay ^ Z.abs_nat (y - x).

Definition lattice_noise (lower upper : Z) (mass decay : R) : additive Z :=
  Additive (fun x => (lower <= x <= upper)%Z) IZR (lattice_weight mass decay) lattice_sum.

(** It is a law. *)
Definition lattice_law (mass decay : R) : Prop :=
  0 < mass /\ 0 < decay /\ decay < 1 /\ mass * (1 + decay) = 1 - decay.

Section LatticeNoise.
Context (lower upper : Z) (mass decay : R).
Hypothesis law : lattice_law mass decay.
Let mass_above : 0 < mass := proj1 law.
Let decay_above : 0 < decay := proj1 (proj2 law).
Let decay_below : decay < 1 := proj1 (proj2 (proj2 law)).
Let whole : mass * (1 + decay) = 1 - decay := proj2 (proj2 (proj2 law)).
Let M := lattice_noise lower upper mass decay.

Lemma lattice_above x y : 0 < lattice_weight mass decay x y.
Proof. apply Rmult_lt_0_compat; [assumption | now apply pow_lt]. Qed.

Theorem lattice_equal_support : additive_equal_support M.
Proof. intros x x' y _ _ _. apply lattice_above. Qed.

Section Ratio.
Context (times : nat) (ratio : R).

Theorem lattice_ldp : (upper - lower <= Z.of_nat times)%Z -> 1 <= ratio * decay ->
  additive_ldp M (INR times * ln ratio).
Proof.
  intros H Q x x' y X X'. cbn in X, X'. cbn -[lattice_weight]. unfold lattice_weight.
  assert (U : 0 < ratio) by nra.
  rewrite (exp_power (ln ratio) times) by ring. rewrite exp_ln by assumption.
  assert (P : 1 <= ratio ^ times * decay ^ times).
  { rewrite <- Rpow_mult_distr. now apply pow_R1_Rle. }
  pose proof (lattice_step decay decay_above decay_below times
    (Z.abs_nat (y - x)) (Z.abs_nat (y - x')) ltac:(lia)) as L.
  pose proof (pow_lt decay (Z.abs_nat (y - x)) decay_above).
  pose proof (pow_lt ratio times U).
  replace (ratio ^ times * (mass * decay ^ Z.abs_nat (y - x')))
    with (mass * (ratio ^ times * decay ^ Z.abs_nat (y - x'))) by ring.
  apply Rmult_le_compat_l; [lra|].
  apply Rle_trans with (ratio ^ times * (decay ^ times * decay ^ Z.abs_nat (y - x))); nra.
Qed.

Lemma lattice_ends : (upper - lower = Z.of_nat times)%Z -> ratio * decay = 1 ->
  additive_tight_ends M lower upper (INR times * ln ratio).
Proof.
  intros H Q. assert (U : 0 < ratio) by nra.
  split; intros y Y; cbn in Y; apply le_IZR in Y; (split; [apply lattice_above|]);
    cbn -[lattice_weight]; unfold lattice_weight;
    rewrite (exp_power (ln ratio) times) by ring; rewrite exp_ln by assumption.
  - replace (Z.abs_nat (y - lower)) with (times + Z.abs_nat (y - upper))%nat by lia.
    rewrite pow_add.
    transitivity ((ratio * decay) ^ times * (mass * decay ^ Z.abs_nat (y - upper))).
    + rewrite Q, pow1. ring.
    + rewrite Rpow_mult_distr. ring.
  - replace (Z.abs_nat (y - upper)) with (times + Z.abs_nat (y - lower))%nat by lia.
    rewrite pow_add.
    transitivity ((ratio * decay) ^ times * (mass * decay ^ Z.abs_nat (y - lower))).
    + rewrite Q, pow1. ring.
    + rewrite Rpow_mult_distr. ring.
Qed.

Theorem lattice_tight : (lower <= upper)%Z -> (upper - lower = Z.of_nat times)%Z ->
  ratio * decay = 1 -> additive_tight M (INR times * ln ratio).
Proof.
  intros L H Q. apply (additive_tight_at M lower upper); [cbn; lia | cbn; lia |].
  now apply lattice_ends.
Qed.

Lemma lattice_step_above : 1 <= ratio * decay -> 0 <= ln ratio.
Proof.
  intros Q. rewrite <- ln_1. left. apply ln_increasing; [lra|]. nra.
Qed.
End Ratio.

Lemma lattice_quadratic x a b c f total :
  (forall y, f y = (a + b * IZR (y - x) + c * (IZR (y - x) * IZR (y - x)))
    * lattice_weight mass decay x y) ->
  total = a + 2 * c * decay / (1 - decay) ^ 2 -> lattice_sum f total.
Proof.
  intros E ->. exists x. do 2 eexists. split; [|split].
  - eapply infinit_sum_scaled with (c := mass * decay)
      (f := fun n => ((a - b + c) + (2 * c - b) * INR n + c * (INR n * INR n)) * decay ^ n).
    + now apply quadratic_series.
    + intros n. rewrite E. unfold lattice_weight.
      replace (Z.abs_nat (x - Z.of_nat (S n) - x)) with (S n) by lia.
      replace (x - Z.of_nat (S n) - x)%Z with (- Z.of_nat (S n))%Z by lia.
      rewrite opp_IZR, <- INR_IZR_INZ, S_INR. cbn [pow]. ring.
  - eapply infinit_sum_scaled with (c := mass)
      (f := fun n => (a + b * INR n + c * (INR n * INR n)) * decay ^ n).
    + now apply quadratic_series.
    + intros n. rewrite E. unfold lattice_weight.
      replace (Z.abs_nat (x + Z.of_nat n - x)) with n by lia.
      replace (x + Z.of_nat n - x)%Z with (Z.of_nat n) by lia.
      rewrite <- INR_IZR_INZ. ring.
  - transitivity ((a + 2 * c * decay / (1 - decay) ^ 2) * (mass * (1 + decay)) / (1 - decay));
      [rewrite whole|]; field; lra.
Qed.

Theorem lattice_stochastic : additive_stochastic M.
Proof.
  intros x _. split; [intros y; left; apply lattice_above|].
  apply (lattice_quadratic x 1 0 0); [|field; lra]. intros y. cbn -[lattice_weight]. ring.
Qed.

Theorem lattice_mean : additive_mean M (fun x => IZR x).
Proof.
  intros x _. apply (lattice_quadratic x (IZR x) 1 0); [|cbn; field; lra].
  intros y. cbn -[lattice_weight]. rewrite minus_IZR. ring.
Qed.

Theorem lattice_variance v : v = 2 * decay / (1 - decay) ^ 2 -> additive_variance M (fun _ => v).
Proof.
  intros ->. intros x X. exists (IZR x). split; [now apply lattice_mean|].
  apply (lattice_quadratic x 0 0 1); [|field; lra].
  intros y. cbn -[lattice_weight]. rewrite minus_IZR. ring.
Qed.
End LatticeNoise.
