(** Shuffled reports: what an analyzer that cannot tell whose report is whose learns of one user.

    Feldman, McMillan, Talwar (2021), Hiding Among the Clones: every other user is, with some
    probability c, a fair coin between the two distributions that the user's own report comes from.
    What does not depend on the order of the reports then depends on how many came from which. *)
From Coq Require Import Reals List Lra Lia Permutation Arith.
From LDP Require Import Sums Exponential Randomizer Users Domination Coins.
Import ListNotations.
Open Scope R_scope.

(** * Expectations over independent reports, each with a row of its own *)
Section Rows.
Context {Y : Type} (ys : list Y).

Fixpoint over_rows (rs : list (Y -> R)) (F : list Y -> R) : R :=
  match rs with
  | [] => F []
  | r :: rs' => sum_over ys (fun y => r y * over_rows rs' (fun zs => F (y :: zs)))
  end.

(** Nothing but how often each report occurs matters. *)
Definition orderless (F : list Y -> R) : Prop := forall l m, Permutation l m -> F l = F m.

Lemma over_rows_ext rs F G : (forall l, F l = G l) -> over_rows rs F = over_rows rs G.
Proof.
  revert F G. induction rs; intros F G H; cbn; [auto|]. apply sum_ext. intros y _. f_equal.
  apply IHrs. auto.
Qed.

Lemma orderless_tail F y : orderless F -> orderless (fun l => F (y :: l)).
Proof. intros H l m P. apply H. now constructor. Qed.

Lemma over_rows_permuted rs rs' : Permutation rs rs' ->
  forall F, orderless F -> over_rows rs F = over_rows rs' F.
Proof.
  induction 1; intros F HF; cbn; auto.
  - apply sum_ext. intros y _. f_equal. apply IHPermutation. now apply orderless_tail.
  - rewrite (sum_ext ys _ (fun z => sum_over ys (fun y0 =>
      y z * (x y0 * over_rows l (fun zs => F (z :: y0 :: zs))))))
      by (intros; now rewrite <- sum_scale).
    rewrite sum_swap. apply sum_ext. intros b _. rewrite <- sum_scale. apply sum_ext. intros a _.
    rewrite (over_rows_ext l (fun zs => F (a :: b :: zs)) (fun zs => F (b :: a :: zs)))
      by (intros; apply HF; constructor).
    ring.
  - rewrite IHPermutation1 by assumption. now apply IHPermutation2.
Qed.

(** A row of total m whose entries are not negative. *)
Definition mass (m : R) (r : Y -> R) : Prop :=
  (forall y, In y ys -> 0 <= r y) /\ sum_over ys r = m.

Fixpoint total (ms : list R) : R := match ms with [] => 1 | m :: ms' => m * total ms' end.

Lemma over_rows_bounds ms rs : Forall2 mass ms rs ->
  forall F, (forall l, 0 <= F l <= 1) -> 0 <= over_rows rs F <= total ms.
Proof.
  induction 1 as [|m r ms rs [R0 R1] _ IH]; intros F HF; cbn; [apply HF|].
  assert (B : forall y, 0 <= over_rows rs (fun zs => F (y :: zs)) <= total ms)
    by (intros; now apply IH).
  split.
  - apply sum_nonneg. intros y Hy. apply Rmult_le_pos; [auto | apply B].
  - rewrite <- R1, <- sum_scale_right. apply sum_le. intros y Hy.
    apply Rmult_le_compat_l; [auto | apply B].
Qed.

Lemma over_rows_mixed r q q' rest c rs F :
  (forall y, In y ys -> r y = c / 2 * (q y + q' y) + rest y) ->
  over_rows (r :: rs) F
  = c * ((over_rows (q :: rs) F + over_rows (q' :: rs) F) / 2) + over_rows (rest :: rs) F.
Proof.
  intros H. cbn. set (E := fun y => over_rows rs (fun zs => F (y :: zs))).
  change (sum_over ys (fun y => r y * E y)
    = c * ((sum_over ys (fun y => q y * E y) + sum_over ys (fun y => q' y * E y)) / 2)
      + sum_over ys (fun y => rest y * E y)).
  rewrite (sum_ext ys _ (fun y => c / 2 * (q y * E y) + (c / 2 * (q' y * E y) + rest y * E y)))
    by (intros y Hy; rewrite H by assumption; ring).
  rewrite 2!sum_plus, 2!sum_scale. field.
Qed.
End Rows.

Lemma over_rows_users {X Y} (M : mech X Y) xs F :
  expectation_n M xs F = over_rows (outs M) (map (pr M) xs) F.
Proof.
  revert F. induction xs; intros F; cbn; [reflexivity|]. apply sum_ext. intros y _. f_equal.
  apply IHxs.
Qed.

(** * Hiding among the clones *)
Section Hiding.
Context {Y : Type} (ys : list Y) (q q' : Y -> R) (c u t : R) (F : list Y -> R).
Hypothesis Mq : mass ys 1 q.
Hypothesis Mq' : mass ys 1 q'.
Hypothesis Hc : 0 <= c <= 1.
Hypothesis HF : orderless F.
Hypothesis F01 : forall l, 0 <= F l <= 1.

Definition cloned (a b : nat) (others : list (Y -> R)) : R :=
  over_rows ys (repeat q a ++ repeat q' b ++ others) F.

Definition advantage (m : nat) (g : nat -> nat -> R) : R :=
  (truth_weight u - t * (1 - truth_weight u)) * fair m g 1 0
  + ((1 - truth_weight u) - t * truth_weight u) * fair m g 0 1.

(** Any other user's row, less the share of the clones. *)
Definition rest (r : Y -> R) (y : Y) : R := r y - c / 2 * (q y + q' y).

Lemma rest_mass r : sum_over ys r = 1 -> (forall y, In y ys -> c / 2 * (q y + q' y) <= r y) ->
  mass ys (1 - c) (rest r).
Proof.
  intros S H. destruct Mq as [_ S1], Mq' as [_ S2]. split.
  - intros y Hy. specialize (H y Hy). unfold rest. lra.
  - unfold rest. rewrite (sum_ext ys _ (fun y => r y + (- (c / 2) * q y + - (c / 2) * q' y)))
      by (intros; ring).
    rewrite 2!sum_plus, 2!sum_scale, S, S1, S2. field.
Qed.

Lemma cloned_step a b r qs rs :
  cloned a b (qs ++ r :: rs)
  = c * ((cloned (S a) b (qs ++ rs) + cloned a (S b) (qs ++ rs)) / 2)
    + cloned a b ((rest r :: qs) ++ rs).
Proof.
  unfold cloned.
  set (others := repeat q a ++ repeat q' b ++ qs ++ rs).
  rewrite (over_rows_permuted ys _ (r :: others));
    [| unfold others; rewrite !app_assoc; symmetry; apply Permutation_middle | assumption].
  rewrite (over_rows_mixed ys r q q' (rest r) c) by (intros; unfold rest; ring).
  f_equal; [f_equal; f_equal; f_equal|].
  - apply over_rows_permuted; [|assumption]. unfold others.
    cbn [repeat]. rewrite <- app_comm_cons. apply Permutation_middle.
  - apply over_rows_permuted; [|assumption]. unfold others.
    cbn [app]. rewrite (app_assoc (repeat q a)). rewrite (app_assoc (repeat q a) (repeat q' b)).
    apply Permutation_middle.
Qed.

Lemma total_repeat m n : total (repeat m n) = m ^ n.
Proof. induction n; cbn; [reflexivity | now rewrite IHn]. Qed.

Lemma cloned_bounds a b qs : Forall (mass ys (1 - c)) qs ->
  0 <= cloned a b (qs ++ []) <= (1 - c) ^ length qs.
Proof.
  intros H. unfold cloned. rewrite app_nil_r.
  assert (B : forall k m r, mass ys m r -> Forall2 (mass ys) (repeat m k) (repeat r k))
    by (induction k; cbn; constructor; auto).
  assert (Q : Forall2 (mass ys) (repeat (1 - c) (length qs)) qs)
    by (induction H; cbn; constructor; auto).
  replace ((1 - c) ^ length qs)
    with (total (repeat 1 a ++ repeat 1 b ++ repeat (1 - c) (length qs))).
  - apply over_rows_bounds; [|assumption]. repeat apply Forall2_app; auto.
  - assert (A : forall k ms, total (repeat 1 k ++ ms) = total ms)
      by (induction k; intros; cbn; [reflexivity | rewrite IHk; ring]).
    now rewrite 2!A, total_repeat.
Qed.

Lemma hiding rs : Forall (fun r => sum_over ys r = 1
    /\ forall y, In y ys -> c / 2 * (q y + q' y) <= r y) rs ->
  forall m qs, Forall (mass ys (1 - c)) qs ->
  advantage m (fun a b => cloned a b (qs ++ rs))
  <= (1 - c) ^ length qs * thin (length rs) c (fun j => clone_delta u t (m + j)).
Proof.
  induction 1 as [|r rs [S1 Hr] _ IH]; intros m qs Hqs.
  - cbn [length thin]. rewrite Nat.add_0_r. apply shown_mass_bound.
    + apply pow_le. lra.
    + intros a b. now apply cloned_bounds.
  - set (V := fun a b => cloned a b (qs ++ rs)).
    set (W := fun a b => cloned a b ((rest r :: qs) ++ rs)).
    assert (E : forall a b, fair m (fun a b => cloned a b (qs ++ r :: rs)) a b
      = c * fair (S m) V a b + fair m W a b).
    { intros a b. rewrite <- fair_last, <- fair_scale, <- fair_plus. apply fair_ext.
      intros. apply cloned_step. }
    unfold advantage. rewrite 2!E.
    specialize (IH (S m) qs Hqs) as I1.
    assert (Hq : Forall (mass ys (1 - c)) (rest r :: qs))
      by (constructor; [now apply rest_mass | assumption]).
    specialize (IH m (rest r :: qs) Hq) as I2.
    fold V in I1. fold W in I2. unfold advantage in I1, I2. cbn [length] in *. cbn [thin].
    rewrite (thin_ext _ c (fun j => clone_delta u t (m + S j)) (fun j => clone_delta u t (S m + j)))
      by (intros; f_equal; lia).
    cbn [pow] in I2.
    apply Rle_trans with
      (c * ((truth_weight u - t * (1 - truth_weight u)) * fair (S m) V 1 0
          + (1 - truth_weight u - t * truth_weight u) * fair (S m) V 0 1)
       + ((truth_weight u - t * (1 - truth_weight u)) * fair m W 1 0
          + (1 - truth_weight u - t * truth_weight u) * fair m W 0 1)); [right; ring|].
    apply (Rmult_le_compat_l c) in I1; [|tauto]. lra.
Qed.
End Hiding.

(** n users report once each by M, and nobody sees in which order: what is told of one user's value.
    c is a share of clones that the table has. *)
Theorem shuffled_clones {X Y} (M : mech X Y) (u t c : R) (x x' : X) (others : list X)
  (F : list Y -> R) :
  1 < u -> 0 <= c <= 1 -> stochastic M -> dom M x -> dom M x' ->
  (forall z, In z others -> dom M z) ->
  (forall y, In y (outs M) -> pr M x y <= u * pr M x' y /\ pr M x' y <= u * pr M x y) ->
  (forall z y, In z others -> In y (outs M) -> c / 2 * (pr M x y + pr M x' y) <= pr M z y) ->
  orderless F -> (forall l, 0 <= F l <= 1) ->
  expectation_n M (x :: others) F - t * expectation_n M (x' :: others) F
  <= thin (length others) c (clone_delta u t).
Proof.
  intros Hu Hc St Hx Hx' Ho Hr Hl HF F01.
  destruct (St x Hx) as [P0 P1], (St x' Hx') as [P0' P1'].
  set (q := part u (pr M x) (pr M x')). set (q' := part u (pr M x') (pr M x)).
  assert (Mq : mass (outs M) 1 q).
  { split; [apply part_nonneg; [assumption|]; apply Hr | now apply part_sum]. }
  assert (Mq' : mass (outs M) 1 q').
  { split; [apply part_nonneg; [assumption|]; apply Hr | now apply part_sum]. }
  assert (Both : forall y, q y + q' y = pr M x y + pr M x' y)
    by (intros; unfold q, q', part; field; lra).
  rewrite 2!over_rows_users. cbn [map].
  set (rs := map (pr M) others).
  assert (A : forall p p', (forall y, In y (outs M) ->
      pr M p y = truth_weight u * part u (pr M p) (pr M p') y
        + (1 - truth_weight u) * part u (pr M p') (pr M p) y)) by (intros; now apply parts_mix).
  assert (L : forall r w s s', (forall y, In y (outs M) -> r y = w * s y + (1 - w) * s' y) ->
    over_rows (outs M) (r :: rs) F
    = w * over_rows (outs M) (s :: rs) F + (1 - w) * over_rows (outs M) (s' :: rs) F).
  { intros r w s s' H. cbn. rewrite <- 2!sum_scale, <- sum_plus. apply sum_ext. intros y Hy.
    rewrite (H y Hy). ring. }
  rewrite (L (pr M x) (truth_weight u) q q') by (apply A).
  rewrite (L (pr M x') (truth_weight u) q' q) by (apply A).
  assert (G : advantage u t 0 (fun a b => cloned (outs M) q q' F a b ([] ++ rs))
    <= (1 - c) ^ length (@nil (Y -> R))
       * thin (length rs) c (fun j => clone_delta u t (0 + j))).
  { apply hiding; auto. apply Forall_map, Forall_forall. intros z Hz. split.
    - now apply St, Ho.
    - intros y Hy. rewrite Both. now apply Hl. }
  unfold rs in G at 2. rewrite map_length in G. cbn in G. unfold advantage in G. cbn [fair] in G.
  unfold cloned in G. cbn [repeat app] in G.
  change (over_rows (outs M) (q :: rs) F) with (over_rows (outs M) (q :: rs) F) in G.
  rewrite Rmult_1_l in G. eapply Rle_trans; [|exact G]. right. cbn. ring.
Qed.

(** With an epsilon alone: 1/e^eps is a share of clones of every table. *)
Theorem shuffled_ldp {X Y} (M : mech X Y) eps t x x' others F :
  0 < eps -> stochastic M -> ldp M eps -> dom M x -> dom M x' ->
  (forall z, In z others -> dom M z) -> orderless F -> (forall l, 0 <= F l <= 1) ->
  expectation_n M (x :: others) F - t * expectation_n M (x' :: others) F
  <= thin (length others) (/ exp eps) (clone_delta (exp eps) t).
Proof.
  intros He St H Hx Hx' Ho HF F01. pose proof (exp_above_1 eps He) as U.
  assert (I : 0 < / exp eps) by (apply Rinv_0_lt_compat; lra).
  assert (J : / exp eps * exp eps = 1) by (apply Rinv_l; lra).
  apply shuffled_clones; auto.
  - split; [lra|]. rewrite <- J. rewrite <- (Rmult_1_r (/ exp eps)) at 1.
    apply Rmult_le_compat_l; lra.
  - intros z y Hz Hy.
    assert (A : forall a, dom M a -> / exp eps * pr M a y <= pr M z y).
    { intros a Ha. replace (pr M z y) with (/ exp eps * (exp eps * pr M z y))
        by (rewrite <- Rmult_assoc, J; ring).
      apply Rmult_le_compat_l; [lra|]. apply H; auto. }
    pose proof (A x Hx). pose proof (A x' Hx'). lra.
Qed.
