(** Noise in steps that repeat themselves, each period lower than the one before (staircase): its
    integral, its moments, and its ratios. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Tails Additive Line LatticeNoise Areas StepLevels.
Import ListNotations.
Open Scope R_scope.

Definition steps_noise (lower upper : R) (steps : list (R * R * R)) (period decay : R)
  : additive R :=
  Additive (fun x => lower <= x <= upper) (fun y => y) (steps_density steps period decay)
    step_integral.

(** The mean of z^2, from the moments of one side's first period. *)
Definition steps_square (steps : list (R * R * R)) (period decay : R) : R :=
  2 * (law_moment steps [] 2 / (1 - decay)
    + 2 * period * law_moment steps [] 1 * decay / (1 - decay) ^ 2
    + period ^ 2 * law_moment steps [] 0 * decay * (1 + decay) / (1 - decay) ^ 3).

(** How a bound on epsilon is written: as it stands, or as a number of logarithms. *)
Lemma bound_once eps ratio : exp eps = ratio -> exp eps = ratio ^ 1.
Proof. intros ->. now rewrite pow_1. Qed.

Lemma bound_times times ratio : 0 < ratio -> exp (INR times * ln ratio) = ratio ^ times.
Proof. intros H. rewrite (exp_power (ln ratio) times) by ring. now rewrite exp_ln. Qed.

Lemma sum_single h N M : (forall j, j <> N -> h j = 0) -> (N <= M)%nat -> sum_f_R0 h M = h N.
Proof.
  intros Z L. induction M as [|M IH].
  - cbn. now replace N with 0%nat by lia.
  - cbn [sum_f_R0]. destruct (Nat.eq_dec N (S M)) as [->|D].
    + rewrite (sum_eq _ (fun _ => 0)) by (intros i I; apply Z; lia).
      rewrite sum_cte. ring.
    + rewrite IH by lia. rewrite (Z (S M)) by lia. ring.
Qed.

Lemma sum_longer h N M : (forall j, (N < j)%nat -> h j = 0) -> (N <= M)%nat ->
  sum_f_R0 h M = sum_f_R0 h N.
Proof.
  intros Z L. induction M as [|M IH]; [now replace N with 0%nat by lia|].
  destruct (Nat.eq_dec N (S M)) as [->|D]; [reflexivity|].
  cbn [sum_f_R0]. rewrite IH by lia. rewrite (Z (S M)) by lia. ring.
Qed.

Section Steps.
Context (steps : list (R * R * R)) (period decay : R).
Hypothesis law : steps_law steps period decay.
Let period_above : 0 < period := proj1 law.
Let decay_above : 0 < decay := proj1 (proj2 law).
Let decay_below : decay < 1 := proj1 (proj2 (proj2 law)).
Let joined : chained 0 steps period := proj1 (proj2 (proj2 (proj2 law))).
Let positive_levels : every (fun p => 0 < step_level p) steps :=
  proj1 (proj2 (proj2 (proj2 (proj2 law)))).
Let whole : 2 * law_moment steps [] 0 = 1 - decay := proj2 (proj2 (proj2 (proj2 (proj2 law)))).

Let part := periods_over period.
Let moment j := sum_over steps (step_moment j).
Let part_above r : r < (INR (part r) + 1) * period := part_above steps period decay law r.
Let part_least r n : r < (INR n + 1) * period -> (part r <= n)%nat :=
  part_least steps period decay law r n.
Let part_is r n : INR n * period <= r -> r < (INR n + 1) * period -> part r = n :=
  part_is steps period decay law r n.
Let shift_beyond r j : (part r < j)%nat -> r - INR j * period < 0 :=
  shift_beyond steps period decay law r j.
Let shift_before r j : 0 <= r -> (j < part r)%nat -> period <= r - INR j * period :=
  shift_before steps period decay law r j.
Let level_above := level_above steps period decay law.
Let level_periods := level_periods steps period decay law.
Let level_falls := level_falls steps period decay law.

Lemma law_moment_steps j : law_moment steps [] j = moment j.
Proof. unfold law_moment. cbn. apply Rplus_0_r. Qed.

(** * The integral of a quadratic times the level, from 0 on *)
Section Half.
Context (a b c : R).

(** What period j has, up to s from its start. *)
Let piece (j : nat) (s : R) : R :=
  (a + b * (INR j * period) + c * (INR j * period) ^ 2) * all_below 0 steps s
  + (b + 2 * c * (INR j * period)) * all_below 1 steps s + c * all_below 2 steps s.
Let full (j : nat) : R :=
  (a * moment 0 + b * moment 1 + c * moment 2)
  + period * (b * moment 0 + 2 * c * moment 1) * INR j
  + c * period ^ 2 * moment 0 * (INR j * INR j).
Let term (z : R) (j : nat) : R := decay ^ j * piece j (z - INR j * period).
Let total : R :=
  (a * moment 0 + b * moment 1 + c * moment 2) / (1 - decay)
  + period * (b * moment 0 + 2 * c * moment 1) * decay / (1 - decay) ^ 2
  + c * period ^ 2 * moment 0 * decay * (1 + decay) / (1 - decay) ^ 3.
Let primitive (z : R) : R := sum_f_R0 (term z) (part z).

Lemma term_beyond z j : (part z < j)%nat -> term z j = 0.
Proof.
  intros H. apply shift_beyond in H. unfold term, piece.
  rewrite !(all_below_before _ _ _ joined) by lra. ring.
Qed.

Lemma primitive_upto z M : (part z <= M)%nat -> primitive z = sum_f_R0 (term z) M.
Proof.
  intros H. symmetry. apply sum_longer; [|assumption]. intros j. apply term_beyond.
Qed.

Lemma piece_full j s : period <= s -> piece j s = full j.
Proof.
  intros H. unfold piece, full. rewrite !(all_below_beyond _ _ _ joined) by assumption.
  fold (moment 0) (moment 1) (moment 2). ring.
Qed.

Lemma primitive_whole z : 0 <= z -> primitive z
  = sum_f_R0 (fun j => full j * decay ^ j) (part z)
    + decay ^ part z * (piece (part z) (z - INR (part z) * period) - full (part z)).
Proof.
  intros Z. unfold primitive.
  assert (H : forall N, (N <= part z)%nat ->
    forall j, (j < N)%nat -> term z j = full j * decay ^ j).
  { intros N L j J. unfold term. rewrite piece_full by (apply shift_before; [assumption | lia]).
    ring. }
  specialize (H (part z) (Nat.le_refl _)). unfold term at 1. unfold term in H.
  destruct (part z) as [|N] eqn:E.
  - cbn. ring.
  - cbn [sum_f_R0].
    rewrite (sum_eq _ (fun j => full j * decay ^ j) N) by (intros i I; apply H; lia).
    cbv beta. ring.
Qed.

Lemma continuous_sum (f : nat -> R -> R) M z : (forall j, continuity_pt (f j) z) ->
  continuity_pt (fun z => sum_f_R0 (fun j => f j z) M) z.
Proof.
  intros H. induction M as [|M IH]; cbn [sum_f_R0]; [apply H|].
  now apply (continuity_pt_plus (fun z => sum_f_R0 (fun j => f j z) M) (f (S M))).
Qed.

Lemma derivable_sum (f : nat -> R -> R) f' M z : (forall j, derivable_pt_lim (f j) z (f' j)) ->
  derivable_pt_lim (fun z => sum_f_R0 (fun j => f j z) M) z (sum_f_R0 f' M).
Proof.
  intros H. induction M as [|M IH]; cbn [sum_f_R0]; [apply H|].
  now apply (d_plus (fun z => sum_f_R0 (fun j => f j z) M) (f (S M))).
Qed.

Lemma near_period z y : Rabs (y - z) < period -> (part y <= S (part z))%nat.
Proof.
  intros H. apply Rabs_def2 in H. apply part_least. rewrite S_INR. pose proof (part_above z). lra.
Qed.

Lemma piece_continuous j s : continuity_pt (piece j) s.
Proof.
  assert (K : forall i k, continuity_pt (fun s => k * all_below i steps s) s).
  { intros i k. apply (continuity_pt_scal (all_below i steps)). apply all_below_continuous. }
  apply (continuity_pt_plus
    (fun s => (a + b * (INR j * period) + c * (INR j * period) ^ 2) * all_below 0 steps s
      + (b + 2 * c * (INR j * period)) * all_below 1 steps s) (fun s => c * all_below 2 steps s));
    [|apply K].
  apply (continuity_pt_plus
    (fun s => (a + b * (INR j * period) + c * (INR j * period) ^ 2) * all_below 0 steps s)
    (fun s => (b + 2 * c * (INR j * period)) * all_below 1 steps s)); apply K.
Qed.

Lemma primitive_continuous z : continuity_pt primitive z.
Proof.
  apply c_near with (g := fun y => sum_f_R0 (fun j => term y j) (S (part z))) (d := period);
    [assumption | |].
  - intros y Y. apply primitive_upto. exact (near_period z y Y).
  - apply (continuous_sum (fun j z => term z j)). intros j. unfold term.
    apply (continuity_pt_scal (fun z => piece j (z - INR j * period))).
    apply (continuity_pt_comp (fun z => z - INR j * period) (piece j)); [|apply piece_continuous].
    apply derivable_continuous_pt. exists (1 - 0).
    exact (d_minus _ _ z _ _ (d_id z) (d_const z (INR j * period))).
Qed.

Lemma piece_derivative j s : (forall p, In p steps -> s <> step_low p /\ s <> step_high p) ->
  derivable_pt_lim (piece j) s
    ((a + b * (s + INR j * period) + c * (s + INR j * period) ^ 2) * sum_over steps (step_at s)).
Proof.
  intros N. set (D i := all_below_derivative steps 0 period joined i s N).
  pose proof (d_plus _ _ s _ _
    (d_plus _ _ s _ _
      (d_scale _ s _ (D 0%nat) (a + b * (INR j * period) + c * (INR j * period) ^ 2))
      (d_scale _ s _ (D 1%nat) (b + 2 * c * (INR j * period))))
    (d_scale _ s _ (D 2%nat) c)) as H. cbv beta in H.
  eapply eq_rect; [exact H | cbn [pow]; ring].
Qed.

Lemma primitive_derivative z : 0 <= z ->
  (forall j p, In p steps ->
    z - INR j * period <> step_low p /\ z - INR j * period <> step_high p) ->
  derivable_pt_lim primitive z ((a + b * z + c * z ^ 2) * level_at steps period decay z).
Proof.
  intros Z N.
  apply d_near with (g := fun y => sum_f_R0 (fun j => term y j) (S (part z))) (d := period);
    [assumption | |].
  - intros y Y. apply primitive_upto. exact (near_period z y Y).
  - set (q := a + b * z + c * z ^ 2).
    assert (D : forall j, derivable_pt_lim (fun z => term z j) z
      (decay ^ j * (q * sum_over steps (step_at (z - INR j * period))))).
    { intros j. unfold term. apply (d_scale (fun z => piece j (z - INR j * period))).
      pose proof (d_comp (fun z => z - INR j * period) (piece j) z _ _
        (d_minus _ _ z _ _ (d_id z) (d_const z (INR j * period)))
        (piece_derivative j _ (N j))) as H. cbv beta in H.
      eapply eq_rect; [exact H|]. unfold q.
      replace (z - INR j * period + INR j * period) with z by ring. ring. }
    pose proof (derivable_sum (fun j z => term z j) _ (S (part z)) z D) as H.
    eapply eq_rect; [exact H|]. rewrite (sum_single _ (part z)); [| |lia].
    + unfold level_at. fold part.  ring.
    + intros j J. destruct (Nat.lt_ge_cases (part z) j) as [L|L].
      * rewrite (density_before _ _ _ _ joined) by (now apply shift_beyond). ring.
      * rewrite (density_beyond _ _ _ _ joined) by (apply shift_before; [assumption | lia]). ring.
Qed.

Lemma nonnegative_levels : every (fun p => 0 <= step_level p) steps.
Proof. exact (every_weaker _ _ steps (fun p => Rlt_le 0 (step_level p)) positive_levels). Qed.

Let far_0 : R := Rabs a * moment 0 + Rabs b * moment 1 + Rabs c * moment 2.
Let far_1 : R := period * (Rabs b * moment 0 + 2 * Rabs c * moment 1).
Let far_2 : R := Rabs c * period ^ 2 * moment 0.

Lemma piece_far j s :
  Rabs (piece j s - full j) <= far_0 + far_1 * INR j + far_2 * (INR j * INR j).
Proof.
  assert (K : forall i, - moment i <= all_below i steps s - moment i <= 0).
  { intros i. pose proof (all_below_bounded steps 0 period joined i s (Rle_refl 0)
      nonnegative_levels). fold (moment i) in *. lra. }
  assert (T : forall k i, Rabs (k * (all_below i steps s - moment i)) <= Rabs k * moment i).
  { intros k i. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
    pose proof (K i). rewrite Rabs_left1 by lra. lra. }
  pose proof (pos_INR j) as P. set (w := INR j * period).
  assert (W : 0 <= w) by (apply Rmult_le_pos; lra).
  replace (piece j s - full j)
    with (a * (all_below 0 steps s - moment 0) + w * (b * (all_below 0 steps s - moment 0))
      + w * w * (c * (all_below 0 steps s - moment 0)) + b * (all_below 1 steps s - moment 1)
      + 2 * w * (c * (all_below 1 steps s - moment 1)) + c * (all_below 2 steps s - moment 2))
    by (unfold piece, full, w; ring).
  assert (Q : forall k v i e, 0 <= v -> Rabs e <= Rabs k * moment i ->
    Rabs (v * e) <= v * (Rabs k * moment i)).
  { intros k v i e V E. rewrite Rabs_mult, (Rabs_right v) by lra. now apply Rmult_le_compat_l. }
  pose proof (T a 0%nat) as T1. pose proof (Q b w 0%nat _ W (T b 0%nat)) as T2.
  pose proof (Q c (w * w) 0%nat _ (Rmult_le_pos _ _ W W) (T c 0%nat)) as T3.
  pose proof (T b 1%nat) as T4. pose proof (Q c (2 * w) 1%nat _ ltac:(lra) (T c 1%nat)) as T5.
  pose proof (T c 2%nat) as T6.
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang|].
  eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_r, Rabs_triang|].
  eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_r, Rplus_le_compat_r, Rabs_triang|].
  eapply Rle_trans; [apply Rplus_le_compat_r, Rplus_le_compat_r, Rplus_le_compat_r,
    Rplus_le_compat_r, Rabs_triang|].
  unfold far_0, far_1, far_2.
  replace (Rabs a * moment 0 + Rabs b * moment 1 + Rabs c * moment 2
    + period * (Rabs b * moment 0 + 2 * Rabs c * moment 1) * INR j
    + Rabs c * period ^ 2 * moment 0 * (INR j * INR j))
    with (Rabs a * moment 0 + w * (Rabs b * moment 0) + w * w * (Rabs c * moment 0)
      + Rabs b * moment 1 + 2 * w * (Rabs c * moment 1) + Rabs c * moment 2)
    by (unfold w; ring).
  lra.
Qed.

Lemma primitive_tends : tends primitive total.
Proof.
  intros e He.
  pose proof (quadratic_series (a * moment 0 + b * moment 1 + c * moment 2)
    (period * (b * moment 0 + 2 * c * moment 1)) (c * period ^ 2 * moment 0) decay
    decay_above decay_below) as S. fold total in S.
  destruct (S (e / 2) ltac:(lra)) as [N1 H1].
  destruct (quadratic_vanishes far_0 far_1 far_2 decay decay_above decay_below (e / 2) ltac:(lra))
    as [N2 H2].
  exists (INR (N1 + N2) * period). intros y Y.
  assert (Y0 : 0 <= y).
  { pose proof (Rmult_le_pos _ _ (pos_INR (N1 + N2)) (Rlt_le _ _ period_above)). lra. }
  assert (B : (N1 + N2 <= part y)%nat).
  { pose proof (part_above y) as A. apply Nat.lt_succ_r, INR_lt. rewrite S_INR.
    apply Rmult_lt_reg_r with period; lra. }
  rewrite primitive_whole by assumption. specialize (H1 (part y) ltac:(lia)).
  specialize (H2 (part y) ltac:(lia)). unfold R_dist in H1, H2. rewrite Rminus_0_r in H2.
  set (s := sum_f_R0 (fun j => full j * decay ^ j) (part y)).
  change (Rabs (s - total) < e / 2) in H1.
  set (r := decay ^ part y * (piece (part y) (y - INR (part y) * period) - full (part y))).
  assert (G : Rabs r < e / 2).
  { unfold r. pose proof (pow_lt decay (part y) decay_above) as D.
    rewrite Rabs_mult, (Rabs_right (decay ^ part y)) by lra. eapply Rle_lt_trans; [|exact H2].
    rewrite Rabs_mult, (Rabs_right (decay ^ part y)) by lra. rewrite Rmult_comm.
    apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply piece_far|]. apply Rle_abs. }
  replace (s + r - total) with ((s - total) + r) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma primitive_zero : primitive 0 = 0.
Proof.
  unfold primitive. replace (part 0) with 0%nat by (symmetry; apply part_is; cbn; lra).
  cbn [sum_f_R0]. unfold term, piece. cbn [INR].
  rewrite !(all_below_before _ _ _ joined) by lra. ring.
Qed.

Lemma steps_right x f :
  (forall y, x < y ->
    f y = (a + b * (y - x) + c * ((y - x) * (y - x))) * level_at steps period decay (y - x)) ->
  right_step_integral f x total.
Proof.
  intros E. exists (fun y => primitive (y - x)).
  assert (D : forall y, derivable_pt_lim (fun y => y - x) y (1 - 0))
    by (intros y; exact (d_minus _ _ y _ _ (d_id y) (d_const y x))).
  split; [|split; [|split]].
  - rewrite Rminus_eq_0. apply primitive_zero.
  - intros y _. apply (continuity_pt_comp (fun y => y - x) primitive).
    + apply derivable_continuous_pt. exists (1 - 0). apply D.
    + apply primitive_continuous.
  - intros e. exists (flat_map (fun j => flat_map (fun p => [x + (INR j * period + step_low p);
      x + (INR j * period + step_high p)]) steps) (seq 0 (S (part (e - x))))).
    intros y [Y Y'] N. rewrite (E y Y).
    assert (Z : derivable_pt_lim primitive (y - x)
      ((a + b * (y - x) + c * (y - x) ^ 2) * level_at steps period decay (y - x))).
    { apply primitive_derivative; [lra|]. intros j p I.
      destruct (Nat.lt_ge_cases (part (e - x)) j) as [J|J].
      - apply shift_beyond in J. pose proof (chained_low _ _ _ _ joined I).
        pose proof (chained_high _ _ _ joined p I). lra.
      - split; intros Q; apply N; apply in_flat_map; exists j; (split; [apply in_seq; lia|]);
          apply in_flat_map; exists p; (split; [assumption|]); [left | right; left];
          rewrite <- Q; ring. }
    pose proof (d_comp (fun y => y - x) primitive y _ _ (D y) Z) as H.
    eapply eq_rect; [exact H|]. cbn [pow]. ring.
  - intros e He. destruct (primitive_tends e He) as [Y HY]. exists (Y + x). intros y Hy.
    apply HY. lra.
Qed.
End Half.

(** * The theorems *)
Context (lower upper : R).
Let M := steps_noise lower upper steps period decay.

Lemma steps_above x y : 0 < steps_density steps period decay x y.
Proof. apply level_above, Rabs_pos. Qed.

Theorem steps_equal_support : additive_equal_support M.
Proof. intros x x' y _ _ _. apply steps_above. Qed.

Theorem steps_ldp top times count ratio eps : levels_fall top steps (decay * top) ->
  exp eps = ratio ^ times -> INR times = count -> upper - lower <= count * period ->
  1 <= ratio * decay -> additive_ldp M eps.
Proof.
  intros F E <- H Q x x' y [X1 X2] [X1' X2']. cbn -[steps_density]. unfold steps_density. rewrite E.
  assert (U : 0 < ratio) by nra.
  assert (P : 1 <= ratio ^ times * decay ^ times).
  { rewrite <- Rpow_mult_distr. now apply pow_R1_Rle. }
  pose proof (Rabs_triang (y - x) (x - x')) as T.
  replace (y - x + (x - x')) with (y - x') in T by ring.
  assert (D : Rabs (x - x') <= upper - lower) by (apply Rabs_le; lra).
  pose proof (level_falls top (Rabs (y - x')) (Rabs (y - x) + INR times * period) F
    (Rabs_pos _) ltac:(lra)) as L.
  rewrite level_periods in L by apply Rabs_pos.
  pose proof (level_above (Rabs (y - x)) (Rabs_pos _)) as A.
  pose proof (pow_lt ratio times U) as R.
  apply Rle_trans
    with (ratio ^ times * (decay ^ times * level_at steps period decay (Rabs (y - x)))).
  - rewrite <- Rmult_assoc. nra.
  - apply Rmult_le_compat_l; lra.
Qed.

Theorem steps_tight times count ratio eps : lower <= upper -> exp eps = ratio ^ times ->
  INR times = count -> upper - lower = count * period -> ratio * decay = 1 -> additive_tight M eps.
Proof.
  intros L E <- H Q. exists upper, lower, upper. split; [cbn; lra|]. split; [cbn; lra|].
  intros y Y. cbn in Y. split; [apply steps_above|]. cbn -[steps_density]. unfold steps_density.
  rewrite E, !Rabs_right by lra.
  replace (y - lower) with (y - upper + INR times * period) by lra.
  rewrite level_periods by lra. rewrite <- Rmult_assoc, <- Rpow_mult_distr, Q, pow1. ring.
Qed.

Lemma steps_quadratic x a b c f total :
  (forall y, f y
    = (a + b * (y - x) + c * ((y - x) * (y - x))) * steps_density steps period decay x y) ->
  total = a + c * steps_square steps period decay -> step_integral f total.
Proof.
  intros E ->. exists x. do 2 eexists. split; [|split].
  - apply (steps_right a (- b) c). intros y H. rewrite E. unfold steps_density.
    rewrite (Rabs_left (- y - x)) by lra. replace (- (- y - x)) with (y - - x) by ring. ring.
  - apply (steps_right a b c). intros y H. rewrite E. unfold steps_density.
    now rewrite (Rabs_right (y - x)) by lra.
  - unfold steps_square. rewrite !law_moment_steps.
    pose proof whole as W. rewrite law_moment_steps in W.
    transitivity (a * (2 * moment 0) / (1 - decay)
      + c * (2 * (moment 2 / (1 - decay) + 2 * period * moment 1 * decay / (1 - decay) ^ 2
    + period ^ 2 * moment 0 * decay * (1 + decay) / (1 - decay) ^ 3))).
    + rewrite W. field. lra.
    + field. lra.
Qed.

Theorem steps_stochastic : additive_stochastic M.
Proof.
  intros x _. split; [intros y; left; apply steps_above|].
  apply (steps_quadratic x 1 0 0); [|ring]. intros y. cbn -[steps_density]. ring.
Qed.

Theorem steps_mean : additive_mean M (fun x => x).
Proof.
  intros x _. apply (steps_quadratic x x 1 0); [|cbn; ring]. intros y. cbn -[steps_density]. ring.
Qed.

Theorem steps_variance v : v = steps_square steps period decay -> additive_variance M (fun _ => v).
Proof.
  intros ->. intros x X. exists x. split; [now apply steps_mean|].
  apply (steps_quadratic x 0 0 1); [|ring]. intros y. cbn -[steps_density]. ring.
Qed.
End Steps.
