(** The bound of Noise.v is reached: two inputs, and a report that both can give. *)
From Coq Require Import Reals List Lra Lia ZArith.
From LDP Require Import Sums Exponential Randomizer Noise.
Import ListNotations.
Open Scope R_scope.

Lemma int_part_is z r : IZR z <= r < IZR z + 1 -> Int_part r = z.
Proof.
  intros [H1 H2]. destruct (base_Int_part r) as [B1 B2].
  assert (A : IZR (Int_part r) < IZR (z + 1)) by (rewrite plus_IZR; lra).
  assert (B : IZR z < IZR (Int_part r + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in A. apply lt_IZR in B. lia.
Qed.

Theorem staircase_tight eps g : 0 < eps -> 0 < g -> g < 1 ->
  0 < staircase_density eps g 1 (-1) /\
  staircase_density eps g (-1) (-1) = exp eps * staircase_density eps g 1 (-1).
Proof.
  intros E G0 G1. unfold staircase_density.
  assert (D : exp (- eps) < 1) by (rewrite <- exp_0; apply exp_strict; lra).
  pose proof (exp_pos (- eps)) as D0.
  assert (A : 0 < staircase_level eps g)
    by (unfold staircase_level; apply Rdiv_lt_0_compat; nra).
  assert (Z0 : stairs g (-1 - -1) = 0%nat).
  { unfold stairs. replace (-1 - -1) with 0 by ring. rewrite Rabs_R0.
    replace (Int_part (0 / 2 + (1 - g))) with 0%Z; [reflexivity|].
    symmetry. apply int_part_is. lra. }
  assert (Z1 : stairs g (-1 - 1) = 1%nat).
  { unfold stairs. replace (Rabs (-1 - 1)) with 2
      by (rewrite Rabs_left by lra; ring).
    replace (Int_part (2 / 2 + (1 - g))) with 1%Z; [reflexivity|].
    symmetry. apply int_part_is. lra. }
  rewrite Z0, Z1. cbn [pow]. split.
  - apply Rmult_lt_0_compat; lra.
  - replace (exp eps * (staircase_level eps g * (exp (- eps) * 1)))
      with (exp eps * exp (- eps) * staircase_level eps g) by ring.
    rewrite <- exp_plus, Rplus_opp_r, exp_0. ring.
Qed.
