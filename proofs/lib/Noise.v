(** Noise that is added to a number: Laplace, two-sided geometric, geometric cut off, staircase;
    to one number, or to each of several (summation with histogram encoding). Written by hand as
    `spec/` has them. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Randomizer Central.
Import ListNotations.
Open Scope R_scope.

(** * Laplace, on [-1, 1]: b is its scale *)
Definition laplace_density (b x y : R) : R := 1 / (2 * b) * exp (- (Rabs (y - x) / b)).

Theorem laplace_density_ratio b x x' y : 0 < b -> -1 <= x <= 1 -> -1 <= x' <= 1 ->
  laplace_density b x y <= exp (2 / b) * laplace_density b x' y.
Proof.
  intros B H H'. unfold laplace_density.
  replace (exp (2 / b) * (1 / (2 * b) * exp (- (Rabs (y - x') / b))))
    with (1 / (2 * b) * (exp (2 / b) * exp (- (Rabs (y - x') / b)))) by ring.
  apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|]. rewrite <- exp_plus.
  pose proof (Rabs_triang (y - x) (x - x')) as T.
  replace (y - x + (x - x')) with (y - x') in T by ring.
  assert (D : Rabs (x - x') <= 2) by (apply Rabs_le; lra).
  assert (E : - (Rabs (y - x) / b) <= 2 / b + - (Rabs (y - x') / b)).
  { apply Rmult_le_reg_r with b; [assumption|].
    replace (- (Rabs (y - x) / b) * b) with (- Rabs (y - x)) by (field; lra).
    replace ((2 / b + - (Rabs (y - x') / b)) * b) with (2 - Rabs (y - x')) by (field; lra). lra. }
  destruct E as [E|E]; [left; now apply exp_strict | right; now rewrite E].
Qed.

Theorem laplace_density_tight b : 0 < b ->
  laplace_density b 1 1 = exp (2 / b) * laplace_density b (-1) 1.
Proof.
  intros B. unfold laplace_density.
  replace (1 - 1) with 0 by ring. replace (1 - -1) with 2 by ring.
  rewrite Rabs_R0, (Rabs_right 2) by lra.
  replace (- (0 / b)) with (2 / b + - (2 / b)) by (field; lra).
  rewrite exp_plus. ring.
Qed.

(** Noise of its own on each of several numbers, in all 2 apart at most: one-hot bits. *)
Theorem she_density_ratio b y f f' : 0 < b -> length y = length f -> length f = length f' ->
  l1_distance f f' <= 2 ->
  exp (- (l1_distance y f / b)) <= exp (2 / b) * exp (- (l1_distance y f' / b)).
Proof.
  intros B L L' H. pose proof (laplace_ratio (2 / b) 2 y f f') as P.
  replace (2 / (2 / b)) with b in P by (field; lra).
  apply P; try assumption; [apply Rdiv_lt_0_compat; lra | lra].
Qed.

(** * Geometric noise on the integers, decay alpha *)
Section Lattice.
Context (alpha : R).
Hypothesis alpha_0 : 0 < alpha.
Hypothesis alpha_1 : alpha < 1.

Definition lattice_mass (z : Z) : R := (1 - alpha) / (1 + alpha) * alpha ^ Z.abs_nat z.

Lemma power_falls i j : (i <= j)%nat -> alpha ^ j <= alpha ^ i.
Proof.
  intros H. replace j with (i + (j - i))%nat by lia. rewrite pow_add.
  rewrite <- (Rmult_1_r (alpha ^ i)) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|].
  rewrite <- (pow1 (j - i)). apply pow_incr. lra.
Qed.

Lemma mass_positive : 0 < (1 - alpha) / (1 + alpha).
Proof. apply Rdiv_lt_0_compat; lra. Qed.

Lemma lattice_step m a b : (b <= a + m)%nat -> alpha ^ m * alpha ^ a <= alpha ^ b.
Proof. intros H. rewrite <- pow_add. apply power_falls. lia. Qed.

(** e^eps with eps = - m ln alpha. *)
Lemma lattice_level m : exp (- INR m * ln alpha) * alpha ^ m = 1.
Proof.
  rewrite (exp_power (- ln alpha) m) by ring. rewrite exp_Ropp, exp_ln by assumption.
  rewrite <- Rpow_mult_distr, Rinv_l, pow1 by lra. reflexivity.
Qed.

Lemma below_level m p q : alpha ^ m * p <= q -> p <= exp (- INR m * ln alpha) * q.
Proof.
  intros H. pose proof (exp_pos (- INR m * ln alpha)) as E.
  apply Rmult_le_compat_l with (r := exp (- INR m * ln alpha)) in H; [|lra].
  rewrite <- Rmult_assoc, lattice_level in H. lra.
Qed.

Theorem geometric_ratio m x x' y : (Z.abs (x - x') <= Z.of_nat m)%Z ->
  lattice_mass (y - x) <= exp (- INR m * ln alpha) * lattice_mass (y - x').
Proof.
  intros H. apply below_level. unfold lattice_mass.
  replace (alpha ^ m * ((1 - alpha) / (1 + alpha) * alpha ^ Z.abs_nat (y - x)))
    with ((1 - alpha) / (1 + alpha) * (alpha ^ m * alpha ^ Z.abs_nat (y - x))) by ring.
  apply Rmult_le_compat_l; [left; apply mass_positive|]. apply lattice_step. lia.
Qed.

Theorem geometric_tight m :
  lattice_mass (0 - 0) = exp (- INR m * ln alpha) * lattice_mass (0 - Z.of_nat m).
Proof.
  unfold lattice_mass. replace (Z.abs_nat (0 - 0)) with 0%nat by reflexivity.
  replace (Z.abs_nat (0 - Z.of_nat m)) with m by lia.
  replace (exp (- INR m * ln alpha) * ((1 - alpha) / (1 + alpha) * alpha ^ m))
    with ((1 - alpha) / (1 + alpha) * (exp (- INR m * ln alpha) * alpha ^ m)) by ring.
  rewrite lattice_level. cbn. ring.
Qed.

(** All of it is 1: what lies at 0 or above, and as much again but for 0. *)
Theorem geometric_total :
  infinit_sum (fun n => lattice_mass (Z.of_nat n)) (1 / (1 + alpha)) /\
  1 / (1 + alpha) + (1 / (1 + alpha) - lattice_mass 0) = 1.
Proof.
  split.
  - pose proof (GP_infinite alpha ltac:(rewrite Rabs_right; lra)) as G.
    intros e He. unfold Pser in G. pose proof mass_positive as P.
    destruct (G (e / ((1 - alpha) / (1 + alpha)))) as [N HN]; [now apply Rdiv_lt_0_compat|].
    exists N. intros n Hn. specialize (HN n Hn). unfold R_dist in *.
    replace (sum_f_R0 (fun n => lattice_mass (Z.of_nat n)) n - 1 / (1 + alpha))
      with ((1 - alpha) / (1 + alpha) * (sum_f_R0 (fun n => 1 * alpha ^ n) n - / (1 - alpha))).
    + rewrite Rabs_mult, (Rabs_right ((1 - alpha) / (1 + alpha))) by lra.
      apply Rmult_lt_compat_l with (r := (1 - alpha) / (1 + alpha)) in HN; [|assumption].
      replace ((1 - alpha) / (1 + alpha) * (e / ((1 - alpha) / (1 + alpha)))) with e in HN
        by (field; lra). exact HN.
    + rewrite Rmult_minus_distr_l, scal_sum. f_equal; [|field; lra].
      apply sum_eq. intros i _. unfold lattice_mass. rewrite Zabs2Nat.id. ring.
  - unfold lattice_mass. cbn. field. lra.
Qed.

(** Noise of its own on each of several integers, in all 2 m apart at most: one-hot bits in steps
    of 1/m. *)
Fixpoint lattice_masses (ys xs : list Z) : R :=
  match ys, xs with
  | y :: ys', x :: xs' => lattice_mass (y - x) * lattice_masses ys' xs'
  | _, _ => 1
  end.

Fixpoint lattice_distance (xs xs' : list Z) : nat :=
  match xs, xs' with
  | x :: r, x' :: r' => (Z.abs_nat (x - x') + lattice_distance r r')%nat
  | _, _ => 0%nat
  end.

Lemma lattice_masses_ratio ys xs xs' : length xs = length ys -> length xs' = length ys ->
  alpha ^ lattice_distance xs xs' * lattice_masses ys xs <= lattice_masses ys xs'.
Proof.
  revert xs xs'. induction ys as [|y ys IH]; intros [|x xs] [|x' xs'] L L'; cbn in L, L';
    try lia; [cbn; lra|].
  specialize (IH xs xs' ltac:(lia) ltac:(lia)). cbn [lattice_distance lattice_masses].
  rewrite pow_add.
  replace (alpha ^ Z.abs_nat (x - x') * alpha ^ lattice_distance xs xs'
      * (lattice_mass (y - x) * lattice_masses ys xs))
    with ((alpha ^ Z.abs_nat (x - x') * lattice_mass (y - x))
      * (alpha ^ lattice_distance xs xs' * lattice_masses ys xs)) by ring.
  assert (P : forall zs ws, 0 <= lattice_masses zs ws).
  { induction zs as [|z zs IHz]; intros [|w ws]; cbn; try lra. apply Rmult_le_pos; [|apply IHz].
    apply Rmult_le_pos; [left; apply mass_positive | apply pow_le; lra]. }
  assert (Q : forall z, 0 <= lattice_mass z)
    by (intros z; apply Rmult_le_pos; [left; apply mass_positive | apply pow_le; lra]).
  apply Rmult_le_compat; [| | |exact IH].
  - apply Rmult_le_pos; [apply pow_le; lra | apply Q].
  - apply Rmult_le_pos; [apply pow_le; lra | apply P].
  - unfold lattice_mass.
    replace (alpha ^ Z.abs_nat (x - x') * ((1 - alpha) / (1 + alpha) * alpha ^ Z.abs_nat (y - x)))
      with ((1 - alpha) / (1 + alpha) * (alpha ^ Z.abs_nat (x - x') * alpha ^ Z.abs_nat (y - x)))
      by ring.
    apply Rmult_le_compat_l; [left; apply mass_positive|]. apply lattice_step. lia.
Qed.

Theorem she_lattice_ratio m ys xs xs' : length xs = length ys -> length xs' = length ys ->
  (lattice_distance xs xs' <= 2 * m)%nat ->
  lattice_masses ys xs <= exp (- INR (2 * m) * ln alpha) * lattice_masses ys xs'.
Proof.
  intros L L' D. apply below_level.
  eapply Rle_trans; [|now apply (lattice_masses_ratio ys xs xs')].
  apply Rmult_le_compat_r; [|now apply power_falls].
  clear -alpha_0 alpha_1. revert xs. induction ys as [|y ys IH]; intros [|x xs]; cbn; try lra.
  apply Rmult_le_pos; [|apply IH].
  apply Rmult_le_pos; [left; apply mass_positive | apply pow_le; lra].
Qed.

(** * Cut off: everything beyond lowest and highest is reported as the end *)
Definition cut_mass (lowest highest x y : Z) : R :=
  if Z.eqb y lowest then alpha ^ Z.abs_nat (x - lowest) / (1 + alpha)
  else if Z.eqb y highest then alpha ^ Z.abs_nat (highest - x) / (1 + alpha)
  else lattice_mass (y - x).

Theorem truncated_geometric_ratio lowest highest m x x' y :
  (lowest <= x <= highest)%Z -> (lowest <= x' <= highest)%Z -> (Z.abs (x - x') <= Z.of_nat m)%Z ->
  cut_mass lowest highest x y <= exp (- INR m * ln alpha) * cut_mass lowest highest x' y.
Proof.
  intros H H' D. unfold cut_mass. destruct (Z.eqb y lowest); [|destruct (Z.eqb y highest)].
  - apply below_level. unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r;
      [left; apply Rinv_0_lt_compat; lra | apply lattice_step; lia].
  - apply below_level. unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r;
      [left; apply Rinv_0_lt_compat; lra | apply lattice_step; lia].
  - now apply geometric_ratio.
Qed.
End Lattice.

(** * Staircase, on [-1, 1]: the level falls by e^-eps at 2 g, 2 (1 + g), 2 (2 + g), ... *)
Definition stairs (g z : R) : nat := Z.abs_nat (Int_part (Rabs z / 2 + (1 - g))).
Definition staircase_level (eps g : R) : R :=
  (1 - exp (- eps)) / (4 * (g + (1 - g) * exp (- eps))).
Definition staircase_density (eps g x y : R) : R :=
  staircase_level eps g * exp (- eps) ^ stairs g (y - x).

Lemma int_part_mono a b : a <= b -> (Int_part a <= Int_part b)%Z.
Proof.
  intros H. destruct (base_Int_part a) as [A1 A2]. destruct (base_Int_part b) as [B1 B2].
  apply Z.lt_succ_r, lt_IZR. rewrite succ_IZR. lra.
Qed.

Lemma int_part_next a : Int_part (a + 1) = (Int_part a + 1)%Z.
Proof.
  destruct (base_Int_part a) as [A1 A2]. destruct (base_Int_part (a + 1)) as [B1 B2].
  apply Z.le_antisymm; apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR, ?plus_IZR; lra.
Qed.

Lemma int_part_nonnegative a : 0 <= a -> (0 <= Int_part a)%Z.
Proof.
  intros H. destruct (base_Int_part a) as [A1 A2]. apply Z.lt_succ_r, lt_IZR.
  rewrite succ_IZR. lra.
Qed.

Theorem staircase_ratio eps g x x' y : 0 < eps -> 0 < g -> g < 1 ->
  -1 <= x <= 1 -> -1 <= x' <= 1 ->
  staircase_density eps g x y <= exp eps * staircase_density eps g x' y.
Proof.
  intros E G0 G1 H H'. unfold staircase_density.
  pose proof (exp_above_1 eps E) as U.
  assert (D : exp eps * exp (- eps) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_pos (- eps)) as D0.
  assert (D1 : exp (- eps) < 1) by nra.
  assert (A : 0 <= staircase_level eps g).
  { unfold staircase_level, Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. nra. }
  assert (S : (stairs g (y - x') <= stairs g (y - x) + 1)%nat).
  { unfold stairs. pose proof (Rabs_triang (y - x) (x - x')) as T.
    replace (y - x + (x - x')) with (y - x') in T by ring.
    assert (W : Rabs (x - x') <= 2) by (apply Rabs_le; lra).
    pose proof (int_part_mono (Rabs (y - x') / 2 + (1 - g)) (Rabs (y - x) / 2 + (1 - g) + 1)
      ltac:(lra)) as I. rewrite int_part_next in I.
    pose proof (Rabs_pos (y - x)). pose proof (Rabs_pos (y - x')).
    pose proof (int_part_nonnegative (Rabs (y - x) / 2 + (1 - g)) ltac:(lra)).
    pose proof (int_part_nonnegative (Rabs (y - x') / 2 + (1 - g)) ltac:(lra)). lia. }
  pose proof (lattice_step (exp (- eps)) D0 D1 1 _ _ S) as P. rewrite pow_1 in P.
  replace (exp eps * (staircase_level eps g * exp (- eps) ^ stairs g (y - x')))
    with (staircase_level eps g * (exp eps * exp (- eps) ^ stairs g (y - x'))) by ring.
  apply Rmult_le_compat_l; [assumption|].
  apply Rmult_le_compat_l with (r := exp eps) in P; [|lra].
  rewrite <- Rmult_assoc, D in P. lra.
Qed.
