(** Powers of a number between 0 and 1, and the whole part of a number: what noise on a grid and in
    steps needs. *)
From Coq Require Import Reals Lra Lia ZArith.
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

(** * Whole parts *)
Lemma int_part_nonnegative a : 0 <= a -> (0 <= Int_part a)%Z.
Proof.
  intros H. destruct (base_Int_part a) as [A1 A2]. apply Z.lt_succ_r, lt_IZR.
  rewrite succ_IZR. lra.
Qed.
