(** The best threshold of histogram encoding with Laplace noise and a threshold, written by hand as
    `spec/the.py` has it: with s = e^(eps/2) and raised = e^(eps t/2) for a threshold t from 0 to 1,
    the cells are 1 - raised / (2 s) and 1 / (2 raised). *)
From Coq Require Import Reals List Lra Lia Psatz.
From LDP Require Import Sums Randomizer Users Support Bits OneHot.
Import ListNotations.
Open Scope R_scope.

Definition raised_one (s raised : R) : R := 1 - raised / (2 * s).
Definition raised_zero (raised : R) : R := 1 / (2 * raised).

(** s for the best [raised]. *)
Definition best_level (best : R) : R := best * (3 * best - 2) / (2 * best - 1).

Section Threshold.
Context (best raised : R).
Let s := best_level best.
Hypothesis best_1 : 1 < best.
Hypothesis raised_lower : 1 <= raised.
Hypothesis raised_upper : raised <= s.

Theorem the_threshold_above : best < s.
Proof.
  unfold s, best_level. apply Rmult_lt_reg_r with (2 * best - 1); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

Theorem the_threshold_below : s < best ^ 2.
Proof.
  unfold s, best_level. apply Rmult_lt_reg_r with (2 * best - 1); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  assert (0 < best * ((best - 1) * (best - 1))) by (repeat apply Rmult_lt_0_compat; lra). nra.
Qed.

Lemma spread_above : 0 < s * (2 * raised - 1) - raised * raised.
Proof.
  pose proof the_threshold_above as A.
  assert (raised * (2 * raised - 1) <= s * (2 * raised - 1)) by (apply Rmult_le_compat_r; lra).
  destruct raised_lower as [L|L]; [nra|]. rewrite <- L in *. lra.
Qed.

Lemma raised_spread : raised_one s raised - raised_zero raised
  = (s * (2 * raised - 1) - raised * raised) / (2 * s * raised).
Proof. pose proof the_threshold_above. unfold raised_one, raised_zero. field. lra. Qed.

Definition raised_variance (s raised : R) : R :=
  raised_zero raised * (1 - raised_zero raised)
  / ((raised_one s raised - raised_zero raised) * (raised_one s raised - raised_zero raised)).

Theorem the_threshold_least : raised_variance s best <= raised_variance s raised.
Proof.
  pose proof the_threshold_above as A. pose proof spread_above as D.
  set (K := 16 * best ^ 3 * raised - 8 * best ^ 3 - 4 * best ^ 2 * raised ^ 2
    - 20 * best ^ 2 * raised + 11 * best ^ 2 + 4 * best * raised ^ 2 + 6 * best * raised
    - 4 * best - raised ^ 2).
  assert (P : 0 <= K).
  { assert (I : K * (s - 1) = (best - 1) * (8 * best ^ 2 - 5 * best + 1) * (s - raised)
      + best * (best - 1) * (15 * best ^ 2 - 15 * best + 4) * (raised - 1)
      + (2 * best - 1) ^ 2 * ((raised - 1) * (s - raised) * (s - 1)))
      by (unfold K, s, best_level; field; lra).
    assert (0 <= K * (s - 1)); [|nra]. rewrite I.
    assert (0 <= 8 * best ^ 2 - 5 * best + 1) by nra.
    assert (0 <= 15 * best ^ 2 - 15 * best + 4) by nra.
    repeat apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; lra || apply pow2_ge_0. }
  assert (E : raised_variance s raised - raised_variance s best
    = (best - raised) ^ 2 * (3 * best - 2) ^ 2 * K
      / (4 * (best - 1) ^ 2 * (2 * best - 1)
         * ((2 * best - 1) * (s * (2 * raised - 1) - raised * raised)) ^ 2)).
  { unfold raised_variance. rewrite raised_spread.
    replace (raised_one s best - raised_zero best)
      with ((s * (2 * best - 1) - best * best) / (2 * s * best))
      by (unfold raised_one, raised_zero; field; lra).
    unfold raised_zero, K. unfold s, best_level in *. field.
    repeat split; try lra.
    - apply Rmult_lt_compat_r with (r := 2 * best - 1) in D; [|lra].
      apply Rgt_not_eq. replace (best * (3 * best - 2) * (2 * raised - 1)
        - raised * raised * (2 * best - 1)) with ((best * (3 * best - 2) / (2 * best - 1)
        * (2 * raised - 1) - raised * raised) * (2 * best - 1)) by (field; lra). lra.
    - nra. }
  enough (0 <= raised_variance s raised - raised_variance s best) by lra. rewrite E.
  unfold Rdiv. apply Rmult_le_pos.
  - apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; apply pow2_ge_0.
  - left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat;
      [|apply pow_lt, Rmult_lt_0_compat; lra].
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra | apply pow_lt; lra] | lra].
Qed.

End Threshold.

Lemma raised_at_zero best raised v xs : 1 < best -> 1 <= raised -> raised <= best_level best ->
  (v < 2)%nat -> xs <> [] -> (forall x, In x xs -> (x < 2)%nat) -> share v xs = 0 ->
  let one := raised_one (best_level best) raised in let zero := raised_zero raised in
  variance_n (one_hot_bits 2 one zero) xs (estimate (support_weight bit_support one zero) v)
  = INR (length xs) * raised_variance (best_level best) raised.
Proof.
  intros B L U Hv N Hx F one zero. pose proof (the_threshold_above best B) as A.
  pose proof (spread_above best raised B L U) as D.
  assert (Z : 0 < zero <= 1 / 2).
  { unfold zero, raised_zero. split; [apply Rdiv_lt_0_compat; lra|].
    apply Rmult_le_reg_r with (2 * raised); [lra|]. unfold Rdiv at 1.
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (P : zero < one).
  { enough (0 < one - zero) by lra. unfold one, zero. rewrite raised_spread by assumption.
    apply Rdiv_lt_0_compat; [assumption | nra]. }
  assert (Q : one <= 1).
  { unfold one, raised_one. assert (0 < raised / (2 * best_level best))
      by (apply Rdiv_lt_0_compat; lra). lra. }
  rewrite (one_hot_variance 2 one zero (one_hot_stochastic 2 one zero ltac:(lra) ltac:(lra))
    ltac:(lra) v xs Hv N Hx), F.
  unfold support_variance, raised_variance. fold one zero. field. lra.
Qed.

(** No threshold between 0 and 1 has a smaller variance for a count that is zero. *)
Theorem the_threshold_optimal best raised v xs : 1 < best -> 1 <= raised ->
  raised <= best_level best -> (v < 2)%nat -> xs <> [] ->
  (forall x, In x xs -> (x < 2)%nat) -> share v xs = 0 ->
  let one := raised_one (best_level best) in
  variance_n (one_hot_bits 2 (one best) (raised_zero best)) xs
    (estimate (support_weight bit_support (one best) (raised_zero best)) v)
  <= variance_n (one_hot_bits 2 (one raised) (raised_zero raised)) xs
    (estimate (support_weight bit_support (one raised) (raised_zero raised)) v).
Proof.
  intros B L U Hv N Hx F one. pose proof (the_threshold_above best B) as A. unfold one.
  rewrite (raised_at_zero best best) by (assumption || lra).
  rewrite (raised_at_zero best raised) by assumption.
  apply Rmult_le_compat_l; [apply pos_INR|]. now apply the_threshold_least.
Qed.
