(** Staircase noise, of which no theorem is printed: written by hand as `spec/` has it. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Randomizer.
Import ListNotations.
Open Scope R_scope.

(** * Powers of a number between 0 and 1 *)
Section Lattice.
Context (alpha : R).
Hypothesis alpha_0 : 0 < alpha.
Hypothesis alpha_1 : alpha < 1.

Lemma power_falls i j : (i <= j)%nat -> alpha ^ j <= alpha ^ i.
Proof.
  intros H. replace j with (i + (j - i))%nat by lia. rewrite pow_add.
  rewrite <- (Rmult_1_r (alpha ^ i)) at 2. apply Rmult_le_compat_l; [apply pow_le; lra|].
  rewrite <- (pow1 (j - i)). apply pow_incr. lra.
Qed.

Lemma lattice_step m a b : (b <= a + m)%nat -> alpha ^ m * alpha ^ a <= alpha ^ b.
Proof. intros H. rewrite <- pow_add. apply power_falls. lia. Qed.

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
