(** Steps that repeat themselves, each period lower than the one before: the level at a distance. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Noise Line.
Import ListNotations.
Open Scope R_scope.

(** How many periods are over at r. *)
Definition periods_over (period r : R) : nat := Z.to_nat (Int_part (r / period)).

(** The level at a distance r: that of the step in which r lies, taken j periods back, times
    decay^j. *)
Definition level_at (steps : list (R * R * R)) (period decay r : R) : R :=
  decay ^ periods_over period r
  * sum_over steps (step_at (r - INR (periods_over period r) * period)).

Definition steps_density (steps : list (R * R * R)) (period decay x y : R) : R :=
  level_at steps period decay (Rabs (y - x)).

(** It is a law: positive steps fill a period, and both sides together have the integral 1. *)
Definition steps_law (steps : list (R * R * R)) (period decay : R) : Prop :=
  0 < period /\ 0 < decay /\ decay < 1 /\ chained 0 steps period /\
  every (fun p => 0 < step_level p) steps /\ 2 * law_moment steps [] 0 = 1 - decay.

(** Levels that do not rise, from one level to another one. *)
Fixpoint levels_fall (above : R) (steps : list (R * R * R)) (beneath : R) : Prop :=
  match steps with
  | [] => beneath <= above
  | p :: rest => step_level p <= above /\ levels_fall (step_level p) rest beneath
  end.

Lemma every_weaker {A} (P Q : A -> Prop) l : (forall a, P a -> Q a) -> every P l -> every Q l.
Proof. intros H. induction l as [|a r IH]; cbn; [trivial|]. intros [B C]. auto. Qed.

Section Steps.
Context (steps : list (R * R * R)) (period decay : R).
Hypothesis law : steps_law steps period decay.
Let period_above : 0 < period := proj1 law.
Let decay_above : 0 < decay := proj1 (proj2 law).
Let decay_below : decay < 1 := proj1 (proj2 (proj2 law)).
Let joined : chained 0 steps period := proj1 (proj2 (proj2 (proj2 law))).
Let positive_levels : every (fun p => 0 < step_level p) steps :=
  proj1 (proj2 (proj2 (proj2 (proj2 law)))).

Let part := periods_over period.

(** * Periods *)
Lemma part_above r : r < (INR (part r) + 1) * period.
Proof.
  unfold part, periods_over. destruct (base_Int_part (r / period)) as [_ B].
  assert (C : IZR (Int_part (r / period)) <= INR (Z.to_nat (Int_part (r / period)))).
  { rewrite INR_IZR_INZ. apply IZR_le. lia. }
  replace r with (r / period * period) at 1 by (field; lra).
  apply Rmult_lt_compat_r; lra.
Qed.

Lemma part_below r : 0 <= r -> INR (part r) * period <= r.
Proof.
  intros H. unfold part, periods_over. destruct (base_Int_part (r / period)) as [A _].
  assert (Q : 0 <= r / period) by (apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat]; lra).
  pose proof (int_part_nonnegative _ Q). rewrite INR_IZR_INZ, Z2Nat.id by assumption.
  replace r with (r / period * period) at 2 by (field; lra).
  apply Rmult_le_compat_r; lra.
Qed.

Lemma part_negative r : r < 0 -> part r = 0%nat.
Proof.
  intros H. unfold part, periods_over. destruct (base_Int_part (r / period)) as [A _].
  assert (Q : r / period < 0).
  { unfold Rdiv. rewrite <- (Rmult_0_l (/ period)). apply Rmult_lt_compat_r; [|assumption].
    now apply Rinv_0_lt_compat. }
  assert (L : (Int_part (r / period) < 0)%Z) by (apply lt_IZR; lra). lia.
Qed.

Lemma part_least r n : r < (INR n + 1) * period -> (part r <= n)%nat.
Proof.
  intros H. destruct (Rlt_le_dec r 0) as [L|L]; [rewrite (part_negative r L); lia|].
  pose proof (part_below r L) as B. apply Nat.lt_succ_r, INR_lt. rewrite S_INR.
  apply Rmult_lt_reg_r with period; lra.
Qed.

Lemma part_is r n : INR n * period <= r -> r < (INR n + 1) * period -> part r = n.
Proof.
  intros L H. apply Nat.le_antisymm; [now apply part_least|]. pose proof (part_above r) as A.
  apply Nat.lt_succ_r, INR_lt. rewrite S_INR. apply Rmult_lt_reg_r with period; lra.
Qed.

Lemma part_shift r n : 0 <= r -> part (r + INR n * period) = (part r + n)%nat.
Proof.
  intros H. pose proof (part_above r). pose proof (part_below r H).
  apply part_is; rewrite plus_INR; lra.
Qed.

Lemma shift_beyond r j : (part r < j)%nat -> r - INR j * period < 0.
Proof.
  intros H. pose proof (part_above r) as A. apply le_INR in H. rewrite S_INR in H.
  pose proof (Rmult_le_compat_r period _ _ (Rlt_le _ _ period_above) H). lra.
Qed.

Lemma shift_before r j : 0 <= r -> (j < part r)%nat -> period <= r - INR j * period.
Proof.
  intros P H. pose proof (part_below r P) as A. apply le_INR in H. rewrite S_INR in H.
  pose proof (Rmult_le_compat_r period _ _ (Rlt_le _ _ period_above) H). lra.
Qed.

(** * Levels *)
Lemma level_periods r n : 0 <= r ->
  level_at steps period decay (r + INR n * period) = decay ^ n * level_at steps period decay r.
Proof.
  intros H. unfold level_at. fold part.  rewrite (part_shift r n H), plus_INR, pow_add.
  replace (r + INR n * period - (INR (part r) + INR n) * period)
    with (r - INR (part r) * period) by ring. ring.
Qed.

Lemma within_period r : 0 <= r -> 0 <= r - INR (part r) * period < period.
Proof. intros H. pose proof (part_above r). pose proof (part_below r H). lra. Qed.

Lemma level_of_step r : 0 <= r -> exists p, In p steps /\
  step_low p <= r - INR (part r) * period < step_high p /\
  level_at steps period decay r = decay ^ part r * step_level p.
Proof.
  intros H. destruct (density_within _ _ _ _ joined (within_period r H)) as (p & I & P).
  exists p. split; [assumption|]. split; [assumption|]. unfold level_at. fold part. f_equal.
  exact (density_on _ _ _ _ _ joined I P).
Qed.

Lemma level_above r : 0 <= r -> 0 < level_at steps period decay r.
Proof.
  intros H. destruct (level_of_step r H) as (p & I & _ & ->).
  apply Rmult_lt_0_compat; [now apply pow_lt | exact (every_in _ _ p positive_levels I)].
Qed.

Lemma falling_top above l beneath p : levels_fall above l beneath -> In p l ->
  step_level p <= above.
Proof.
  revert above. induction l as [|q r IH]; intros above F I; [destruct I|].
  destruct F as [A F]. destruct I as [<-|I]; [assumption|]. specialize (IH _ F I). lra.
Qed.

Lemma falling_bottom above l beneath p : levels_fall above l beneath -> In p l ->
  beneath <= step_level p.
Proof.
  assert (B : forall r a, levels_fall a r beneath -> beneath <= a).
  { induction r as [|q r IH]; intros a F; [exact F|]. destruct F as [A F]. apply IH in F. lra. }
  revert above. induction l as [|q r IH]; intros above F I; [destruct I|].
  destruct F as [A F]. destruct I as [<-|I]; [exact (B _ _ F) | exact (IH _ F I)].
Qed.

Lemma falling_order above l beneath start stop p q s t : chained start l stop ->
  levels_fall above l beneath -> In p l -> In q l -> step_low p <= s < step_high p ->
  step_low q <= t < step_high q -> s <= t -> step_level q <= step_level p.
Proof.
  revert above start. induction l as [|a r IH]; intros above start C F I J P Q L; [destruct I|].
  destruct C as (C1 & C2 & C3). destruct F as [F1 F2].
  destruct I as [<-|I], J as [<-|J].
  - lra.
  - exact (falling_top _ _ _ _ F2 J).
  - pose proof (chained_low _ _ _ _ C3 I). lra.
  - exact (IH _ _ C3 F2 I J P Q L).
Qed.

Lemma level_falls top r t : levels_fall top steps (decay * top) -> 0 <= r -> r <= t ->
  level_at steps period decay t <= level_at steps period decay r.
Proof.
  intros F H L. destruct (level_of_step r H) as (p & I & P & ->).
  destruct (level_of_step t ltac:(lra)) as (q & J & Q & ->).
  pose proof (every_in _ _ p positive_levels I) as Pp. cbn beta in Pp.
  pose proof (every_in _ _ q positive_levels J) as Pq. cbn beta in Pq.
  assert (M : (part r <= part t)%nat) by (apply part_least; pose proof (part_above t); lra).
  destruct (Nat.eq_dec (part r) (part t)) as [E|E].
  - rewrite E in P |- *. apply Rmult_le_compat_l; [apply pow_le; lra|].
    apply (falling_order _ _ _ _ _ p q (r - INR (part t) * period) (t - INR (part t) * period)
      joined F I J P Q). lra.
  - pose proof (falling_top _ _ _ _ F J) as T. pose proof (falling_bottom _ _ _ _ F I) as B.
    replace (part t) with (S (part t - part r - 1) + part r)%nat by lia.
    rewrite pow_add. cbn [pow].
    pose proof (pow_lt decay (part r) decay_above) as D.
    assert (D1 : decay ^ (part t - part r - 1) <= 1).
    { rewrite <- (pow1 (part t - part r - 1)). apply pow_incr. lra. }
    pose proof (pow_lt decay (part t - part r - 1) decay_above) as D2.
    assert (X : decay ^ (part t - part r - 1) * (decay * step_level q) <= step_level p).
    { apply Rle_trans with (1 * (decay * step_level q)); [|nra].
      apply Rmult_le_compat_r; nra. }
    replace (decay * decay ^ (part t - part r - 1) * decay ^ part r * step_level q)
      with (decay ^ part r * (decay ^ (part t - part r - 1) * (decay * step_level q))) by ring.
    apply Rmult_le_compat_l; lra.
Qed.
End Steps.
