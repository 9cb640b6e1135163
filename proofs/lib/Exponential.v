(** The few facts about e^x that the theory needs.

    They come from the series, so that nothing rests on classical logic, as the standard library's
    [exp_increasing] (by way of derivatives) does. *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

Lemma exp_above_1 eps : 0 < eps -> 1 < exp eps.
Proof.
  intros H. unfold exp. destruct (exist_exp eps) as [e E]. cbn [proj1_sig].
  pose proof (sum_incr (fun i => / INR (fact i) * eps ^ i) 1 e E) as S.
  enough (1 + eps <= e) by lra.
  replace (1 + eps) with (sum_f_R0 (fun i => / INR (fact i) * eps ^ i) 1)
    by (cbn; field).
  apply S. intros n. apply Rmult_le_pos.
  - left. apply Rinv_0_lt_compat, lt_0_INR, lt_O_fact.
  - apply pow_le. lra.
Qed.

Lemma exp_strict x y : x < y -> exp x < exp y.
Proof.
  intros H. replace y with (x + (y - x)) by ring. rewrite exp_plus.
  rewrite <- (Rmult_1_r (exp x)) at 1.
  apply Rmult_lt_compat_l; [apply exp_pos | apply exp_above_1; lra].
Qed.

(** e^(m a) = (e^a)^m *)
Lemma exp_power a m e : e = INR m * a -> exp e = exp a ^ m.
Proof.
  intros ->. induction m; [cbn; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR. replace ((INR m + 1) * a) with (a + INR m * a) by ring.
  now rewrite exp_plus, IHm.
Qed.
