(** Protocols of many users, and mechanisms on databases as far as finite sums reach: exponential
    mechanism, the density ratio of Laplace noise, union bounds. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Exponential Randomizer Combine Approximate.
Import ListNotations.
Open Scope R_scope.

(** * A local protocol: every user has a randomizer of their own *)
Section Protocol.
Context {X Y : Type}.

(** The probability of a transcript of reports. *)
Fixpoint transcript (Qs : list (mech X Y)) (xs : list X) (ys : list Y) : R :=
  match Qs, xs, ys with
  | Q :: Qs', x :: xs', y :: ys' => pr Q x y * transcript Qs' xs' ys'
  | _, _, _ => 1
  end.

(** Every report can be given by its randomizer, every value belongs to its domain. *)
Fixpoint fits (Qs : list (mech X Y)) (xs : list X) (ys : list Y) : Prop :=
  match Qs, xs, ys with
  | Q :: Qs', x :: xs', y :: ys' => dom Q x /\ In y (outs Q) /\ fits Qs' xs' ys'
  | _, _, _ => True
  end.

(** The value of at most one user differs. *)
Inductive one_differs : list X -> list X -> Prop :=
  | differs_here x x' xs : one_differs (x :: xs) (x' :: xs)
  | differs_later x xs xs' : one_differs xs xs' -> one_differs (x :: xs) (x :: xs').

Lemma transcript_nonneg Qs : (forall Q, In Q Qs -> stochastic Q) ->
  forall xs ys, fits Qs xs ys -> 0 <= transcript Qs xs ys.
Proof.
  induction Qs as [|Q Qs IH]; intros St [|x xs] [|y ys] F; cbn in *; try lra.
  destruct F as (Hx & Hy & F). apply Rmult_le_pos.
  - now apply (proj1 (St Q (or_introl eq_refl) x Hx)).
  - apply IH; auto.
Qed.

Theorem protocol_ldp eps Qs : 0 <= eps -> (forall Q, In Q Qs -> stochastic Q /\ ldp Q eps) ->
  forall xs xs' ys, one_differs xs xs' -> fits Qs xs ys -> fits Qs xs' ys ->
  transcript Qs xs ys <= exp eps * transcript Qs xs' ys.
Proof.
  intros E H xs xs' ys D. assert (U : 1 <= exp eps).
  { destruct E as [E|E];
      [left; rewrite <- exp_0; now apply exp_strict | subst; rewrite exp_0; lra]. }
  revert xs xs' D ys. induction Qs as [|Q Qs IH]; intros xs xs' D ys F F'.
  - destruct D, ys; cbn; lra.
  - destruct (H Q (or_introl eq_refl)) as [St L].
    assert (Hs : forall Q, In Q Qs -> stochastic Q) by (intros P I; apply (H P); cbn; tauto).
    destruct D as [x x' xs | x xs xs' D]; destruct ys as [|y ys]; cbn in *; try lra.
    + destruct F as (Hx & Hy & F), F' as (Hx' & _ & F'). rewrite <- Rmult_assoc.
      apply Rmult_le_compat_r; [now apply transcript_nonneg | now apply L].
    + destruct F as (Hx & Hy & F), F' as (_ & _ & F').
      replace (exp eps * (pr Q x y * transcript Qs xs' ys))
        with (pr Q x y * (exp eps * transcript Qs xs' ys)) by ring.
      apply Rmult_le_compat_l; [now apply (proj1 (St x Hx)) | ]. apply IH; auto.
Qed.
End Protocol.

(** * A set that a report supports: p* <= e^eps q* *)
Theorem support_ratio {X Y} (M : mech X Y) eps x x' (S : Y -> bool) : ldp M eps ->
  dom M x -> dom M x' ->
  sum_over (filter S (outs M)) (pr M x) <= exp eps * sum_over (filter S (outs M)) (pr M x').
Proof. intros H Hx Hx'. pose proof (ldp_sets M eps H x x' S Hx Hx'). lra. Qed.

(** * The exponential mechanism, for every score on finitely many outputs *)
Section ExponentialMechanism.
Context {X O : Type} (D : X -> Prop) (os : list O) (score : X -> O -> R) (spread eps : R).
Hypothesis spread_positive : 0 < spread.
Hypothesis eps_nonneg : 0 <= eps.
Hypothesis sensitivity : forall x x' o, D x -> D x' -> In o os ->
  Rabs (score x o - score x' o) <= spread.

Definition weight (x : X) (o : O) : R := exp (eps * score x o / (2 * spread)).
Definition exponential_mech : mech X O :=
  Mech D os (fun x o => weight x o / sum_over os (weight x)).

Lemma weight_ratio x x' o : D x -> D x' -> In o os ->
  weight x o <= exp (eps / 2) * weight x' o.
Proof.
  intros Hx Hx' Ho. unfold weight. rewrite <- exp_plus.
  specialize (sensitivity x x' o Hx Hx' Ho). pose proof (Rle_abs (score x o - score x' o)) as A.
  assert (T : eps * score x o / (2 * spread) <= eps / 2 + eps * score x' o / (2 * spread)).
  { apply Rmult_le_reg_r with (2 * spread); [lra|].
    replace (eps * score x o / (2 * spread) * (2 * spread)) with (eps * score x o) by (field; lra).
    replace ((eps / 2 + eps * score x' o / (2 * spread)) * (2 * spread))
      with (eps * (spread + score x' o)) by (field; lra).
    apply Rmult_le_compat_l; lra. }
  destruct T as [T|T]; [left; now apply exp_strict | rewrite T; lra].
Qed.

Lemma total_positive x o : In o os -> 0 < sum_over os (weight x).
Proof.
  intros Ho. destruct os as [|a l]; [destruct Ho|]. cbn.
  assert (0 <= sum_over l (weight x)) by (apply sum_nonneg; intros; left; apply exp_pos).
  pose proof (exp_pos (eps * score x a / (2 * spread))). unfold weight at 1. lra.
Qed.

Theorem exponential_mech_ldp : ldp exponential_mech eps.
Proof.
  intros x x' o Hx Hx' Ho. cbn in *. pose proof (total_positive x o Ho) as T.
  pose proof (total_positive x' o Ho) as T'.
  assert (Z : sum_over os (weight x') <= exp (eps / 2) * sum_over os (weight x)).
  { rewrite <- sum_scale. apply sum_le. intros a Ha. now apply weight_ratio. }
  pose proof (weight_ratio x x' o Hx Hx' Ho) as W. pose proof (exp_pos (eps / 2)) as E.
  replace (exp eps) with (exp (eps / 2) * exp (eps / 2)) by (rewrite <- exp_plus; f_equal; field).
  apply Rmult_le_reg_r with (sum_over os (weight x) * sum_over os (weight x'));
    [now apply Rmult_lt_0_compat|].
  replace (weight x o / sum_over os (weight x) * (sum_over os (weight x) * sum_over os (weight x')))
    with (weight x o * sum_over os (weight x')) by (field; lra).
  replace (exp (eps / 2) * exp (eps / 2) * (weight x' o / sum_over os (weight x'))
      * (sum_over os (weight x) * sum_over os (weight x')))
    with ((exp (eps / 2) * weight x' o) * (exp (eps / 2) * sum_over os (weight x)))
    by (field; lra).
  apply Rmult_le_compat; try assumption; left; [apply exp_pos | assumption].
Qed.

(** Outputs whose score is c below the best one are rare: |O|/|O*| e^(-eps c/(2 D)) at most. *)
Theorem exponential_mech_utility x best c (top : O -> bool) : D x ->
  (forall o, In o os -> top o = true -> score x o = best) -> (0 < count top os)%nat ->
  sum_over (filter (fun o => if Rle_dec (score x o) (best - c) then true else false) os)
    (pr exponential_mech x)
  <= INR (length os) / INR (count top os) * exp (- (eps * c) / (2 * spread)).
Proof.
  intros Hx Top N. cbn. set (Z := sum_over os (weight x)).
  assert (C : 0 < INR (count top os)) by now apply lt_0_INR.
  assert (B : INR (count top os) * exp (eps * best / (2 * spread)) <= Z).
  { rewrite <- sum_indicator, Rmult_comm, <- sum_scale. apply sum_le. intros o Ho.
    pose proof (exp_pos (eps * score x o / (2 * spread))) as P. unfold weight.
    destruct (top o) eqn:Q; cbn [indicator]; [rewrite (Top o Ho Q); lra | lra]. }
  pose proof (exp_pos (eps * best / (2 * spread))) as Pb.
  assert (Zp : 0 < Z) by (eapply Rlt_le_trans; [|exact B]; now apply Rmult_lt_0_compat).
  rewrite sum_filter.
  apply Rle_trans with (sum_over os (fun _ => exp (eps * (best - c) / (2 * spread)) / Z)).
  - apply sum_le. intros o Ho. pose proof (exp_pos (eps * (best - c) / (2 * spread))) as P.
    destruct (Rle_dec (score x o) (best - c)) as [L|L]; cbn [indicator]; fold Z.
    + rewrite Rmult_1_l. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      assert (T : eps * score x o / (2 * spread) <= eps * (best - c) / (2 * spread)).
      { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
        now apply Rmult_le_compat_l. }
      unfold weight. destruct T as [T|T]; [left; now apply exp_strict | rewrite T; lra].
    + rewrite Rmult_0_l. apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
  - rewrite sum_constant.
    replace (eps * (best - c) / (2 * spread))
      with (eps * best / (2 * spread) + - (eps * c) / (2 * spread)) by (field; lra).
    rewrite exp_plus. set (b := exp (eps * best / (2 * spread))) in *.
    set (r := exp (- (eps * c) / (2 * spread))).
    assert (R0 : 0 < r) by apply exp_pos. pose proof (pos_INR (length os)) as L0.
    apply Rmult_le_reg_r with (Z * INR (count top os)); [now apply Rmult_lt_0_compat|].
    replace (INR (length os) * (b * r / Z) * (Z * INR (count top os)))
      with ((INR (length os) * r) * (INR (count top os) * b)) by (field; lra).
    replace (INR (length os) / INR (count top os) * r * (Z * INR (count top os)))
      with ((INR (length os) * r) * Z) by (field; lra).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
Qed.
End ExponentialMechanism.

(** * Laplace noise of scale b on K numbers: the ratio of two densities *)
Fixpoint l1_distance (a b : list R) : R :=
  match a, b with x :: a', y :: b' => Rabs (x - y) + l1_distance a' b' | _, _ => 0 end.

Lemma l1_triangle a b c : length a = length b -> length b = length c ->
  l1_distance a c <= l1_distance a b + l1_distance b c.
Proof.
  revert b c; induction a as [|x a IH]; intros [|y b] [|z c] E F; cbn in *; try discriminate;
    try lra.
  injection E as E. injection F as F. specialize (IH b c E F).
  pose proof (Rabs_triang (x - y) (y - z)) as T.
  replace (x - y + (y - z)) with (x - z) in T by ring. lra.
Qed.

Theorem laplace_ratio eps spread y f f' : 0 < eps -> 0 < spread ->
  length y = length f -> length f = length f' -> l1_distance f f' <= spread ->
  exp (- (l1_distance y f / (spread / eps)))
  <= exp eps * exp (- (l1_distance y f' / (spread / eps))).
Proof.
  intros E S L L' H. rewrite <- exp_plus. pose proof (l1_triangle y f f' L L') as T.
  assert (G : - (l1_distance y f / (spread / eps)) <= eps + - (l1_distance y f' / (spread / eps))).
  { apply Rmult_le_reg_r with (spread / eps); [now apply Rdiv_lt_0_compat|].
    replace (- (l1_distance y f / (spread / eps)) * (spread / eps)) with (- l1_distance y f)
      by (field; lra).
    replace ((eps + - (l1_distance y f' / (spread / eps))) * (spread / eps))
      with (spread - l1_distance y f') by (field; lra). lra. }
  destruct G as [G|G]; [left; now apply exp_strict | rewrite G; lra].
Qed.

(** * A union bound for K independent events of probability x *)
Theorem none_of_many x k : 0 <= x <= 1 -> 1 - (1 - x) ^ k <= INR k * x.
Proof.
  intros H. induction k as [|k IH]; [cbn; lra|]. rewrite S_INR. cbn [pow].
  assert (P : 0 <= (1 - x) ^ k <= 1).
  { split; [apply pow_le; lra|]. rewrite <- (pow1 k) at 2. apply pow_incr. lra. }
  set (q := (1 - x) ^ k) in *. assert (q * x <= 1 * x) by (apply Rmult_le_compat_r; lra).
  replace ((1 - x) * q) with (q - q * x) by ring. lra.
Qed.
