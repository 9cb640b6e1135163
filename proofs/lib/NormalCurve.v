(** How much reports with normal noise tell: the curve of deltas, and that it is reached.

    [normal_integral Phi] is taken for granted, as in NormalNoise.v. *)
From Coq Require Import Reals List Lra Lia Psatz.
From LDP Require Import Sums Exponential Tails Additive Line Areas LineIntegral Normal NormalNoise.
Import ListNotations.
Open Scope R_scope.

Section Curve.
Context (lower upper level scale : R).
Hypothesis law : normal_law level scale.
Let level_above : 0 < level := proj1 law.
Let scale_above : 0 < scale := proj1 (proj2 law).
Let whole : level * scale = 1 := proj2 (proj2 law).
Let M := normal_noise lower upper level scale.
Let top_positive : 0 < level / sqrt (2 * PI) := top_above level scale law.

Context (Phi : R -> R).
Hypothesis known : normal_integral Phi.
Let Phi_slope : forall z, derivable_pt_lim Phi z (exp (- (z * z / 2)) / sqrt (2 * PI)) :=
  proj1 known.
Let Phi_low : tends (fun z => Phi (- z)) 0 := proj1 (proj2 known).
Let Phi_high : tends Phi 1 := proj2 (proj2 known).

Lemma negative_slope z : derivable_pt_lim (fun z => - z) z (- (1)).
Proof. exact (derivable_pt_lim_opp (fun y => y) z 1 (d_id z)). Qed.

Lemma exp_at_least_one e : 0 <= e -> 1 <= exp e.
Proof.
  intros [H|<-]; [left; now apply exp_above_1 | right; symmetry; apply exp_0].
Qed.

Lemma tends_constant F k a : (forall y, a < y -> F y = k) -> tends F k.
Proof.
  intros H e He. exists a. intros y Y. rewrite (H y Y), Rminus_eq_0, Rabs_R0. assumption.
Qed.

Lemma Phi_mirror z : Phi (- z) = 1 - Phi z.
Proof.
  set (H := fun z => Phi z - -1 * Phi (- z)).
  assert (D : forall t, derivable_pt_lim H t 0).
  { intros t. pose proof (d_minus _ _ t _ _ (Phi_slope t)
      (d_scale _ t _ (d_comp _ Phi t _ _ (negative_slope t) (Phi_slope (- t))) (-1))) as X.
    cbv beta in X. eapply eq_rect; [exact X|]. replace (- t * - t) with (t * t) by ring. ring. }
  assert (C : forall t, 0 <= t -> H t = H 0).
  { intros t T. apply (constant_off [] H 0 t T).
    - intros y _. apply derivable_continuous_pt. exists 0. apply D.
    - intros y _ _. apply D. }
  assert (E : H 0 = 1).
  { apply (tends_unique H).
    - apply (tends_constant H (H 0) 0). intros y Y. apply C. lra.
    - replace 1 with (1 - -1 * 0) by ring. exact (tends_minus _ _ (-1) _ _ Phi_high Phi_low). }
  destruct (Rle_or_lt 0 z) as [Z|Z].
  - specialize (C z Z). unfold H in *. lra.
  - pose proof (C (- z) ltac:(lra)) as C'. unfold H in *. rewrite Ropp_involutive in C'. lra.
Qed.

(** The test that is passed by reports from a place on. *)
Definition from_on (place y : R) : R := if Rle_dec place y then 1 else 0.

Lemma from_on_test place y : 0 <= from_on place y <= 1.
Proof. unfold from_on. destruct (Rle_dec place y); lra. Qed.

Lemma half_line x place :
  line_integral (fun y => from_on place y * normal_weight level scale x y)
    (Phi ((x - place) / scale)).
Proof.
  set (P := fun t => Phi (/ scale * (t - x)) - Phi (/ scale * (place - x))).
  pose proof root_above as RA.
  assert (K : level = / scale)
    by (apply Rmult_eq_reg_r with scale; [rewrite whole; field; lra | lra]).
  assert (D : forall t, derivable_pt_lim P t (normal_weight level scale x t)).
  { intros t. pose proof (d_minus _ _ t _ _ (d_comp _ Phi t _ _
      (d_scale _ t _ (d_minus _ _ t _ _ (d_id t) (d_const t x)) (/ scale)) (Phi_slope _))
      (d_const t (Phi (/ scale * (place - x))))) as X. cbv beta in X.
    eapply eq_rect; [exact X|]. unfold normal_weight, normal_density.
    replace (/ scale * (t - x) * (/ scale * (t - x)) / 2)
      with ((t - x) * (t - x) / (2 * (scale * scale))) by (field; lra).
    rewrite K. set (u := exp _). field. lra. }
  exists (fun y => P (Rmax place y)), 0, (1 - Phi (/ scale * (place - x))).
  split; [|split; [|split; [|split]]].
  - intros y. apply (continuity_pt_comp (Rmax place) P).
    + intros e He. exists e. split; [assumption|]. intros t [_ T]. cbn in *. unfold R_dist in *.
      eapply Rle_lt_trans; [|exact T]. unfold Rmax.
      destruct (Rle_dec place t), (Rle_dec place y); unfold Rabs;
        repeat match goal with |- context [Rcase_abs ?a] => destruct (Rcase_abs a) end; lra.
    + apply derivable_continuous_pt. eexists. apply D.
  - intros a b. exists [place]. intros y _ N.
    assert (Q : y <> place) by (intros ->; apply N; now left).
    unfold from_on. destruct (Rle_dec place y) as [L|L].
    + rewrite Rmult_1_l. apply d_near with (g := P) (d := y - place); [lra | | apply D].
      intros t T. apply Rabs_def2 in T. now rewrite Rmax_right by lra.
    + rewrite Rmult_0_l. apply d_near with (g := fun _ => P place) (d := place - y);
        [lra | | apply d_const].
      intros t T. apply Rabs_def2 in T. now rewrite Rmax_left by lra.
  - intros e He. destruct (Phi_high e He) as [Y H]. exists (Rmax place (scale * Y + x)).
    intros y Hy. pose proof (Rmax_l place (scale * Y + x)).
    pose proof (Rmax_r place (scale * Y + x)).
    rewrite Rmax_right by lra. unfold P.
    replace (Phi (/ scale * (y - x)) - Phi (/ scale * (place - x))
      - (1 - Phi (/ scale * (place - x)))) with (Phi (/ scale * (y - x)) - 1) by ring.
    apply H. apply Rmult_lt_reg_l with scale; [assumption|].
    replace (scale * (/ scale * (y - x))) with (y - x) by (field; lra). lra.
  - apply (tends_constant _ 0 (- place)). intros y Y. rewrite Rmax_left by lra. unfold P. ring.
  - replace ((x - place) / scale) with (- (/ scale * (place - x))) by (field; lra).
    rewrite Phi_mirror. ring.
Qed.

(** What the best test gains. *)
Let gain (x x' eps y : R) : R :=
  normal_weight level scale x y - exp eps * normal_weight level scale x' y.

Lemma best_gain x x' eps : x' < x ->
  line_integral (fun y => from_on (normal_cut scale x x' eps) y * gain x x' eps y)
    (normal_curve Phi ((x - x') / scale) eps).
Proof.
  intros H. destruct (normal_arguments scale x x' eps scale_above H) as [E E'].
  unfold normal_curve. rewrite <- E, <- E'.
  eapply line_integral_same; [|exact (line_integral_minus _ _ (exp eps) _ _
    (half_line x (normal_cut scale x x' eps)) (half_line x' (normal_cut scale x x' eps)))].
  intros y. unfold gain. ring.
Qed.

Lemma gain_above x x' eps test p p' : x' < x -> (forall y, 0 <= test y <= 1) ->
  line_integral (fun y => test y * normal_weight level scale x y) p ->
  line_integral (fun y => test y * normal_weight level scale x' y) p' ->
  p <= exp eps * p' + normal_curve Phi ((x - x') / scale) eps.
Proof.
  intros H T I I'. pose proof (line_integral_minus _ _ (exp eps) _ _ I I') as J.
  enough (p - exp eps * p' <= normal_curve Phi ((x - x') / scale) eps) by lra.
  eapply line_integral_le; [|exact J | exact (best_gain x x' eps H)].
  intros y. pose proof (normal_best_event (level / sqrt (2 * PI)) scale x x' eps y (test y)
    top_positive scale_above H (T y)) as B. unfold gain, from_on. unfold normal_weight in *. lra.
Qed.

Lemma curve_nonnegative m eps : 0 < m -> 0 <= normal_curve Phi m eps.
Proof.
  intros Hm. assert (H : 0 < m * scale) by (apply Rmult_lt_0_compat; assumption).
  replace m with ((m * scale - 0) / scale) by (field; lra).
  eapply line_integral_nonnegative; [|exact (best_gain (m * scale) 0 eps H)].
  intros y. unfold from_on.
  destruct (Rle_dec (normal_cut scale (m * scale) 0 eps) y) as [L|L]; [|lra].
  apply (normal_half_line (level / sqrt (2 * PI)) scale (m * scale) 0 eps y
    top_positive scale_above H) in L. unfold gain, normal_weight. lra.
Qed.

Lemma curve_grows m m' eps : 0 < m -> m <= m' -> normal_curve Phi m eps <= normal_curve Phi m' eps.
Proof.
  intros P L. apply (normal_curve_grows (/ sqrt (2 * PI)) Phi); [| |assumption | assumption].
  - left. apply Rinv_0_lt_compat, root_above.
  - intros z. rewrite Rmult_comm. apply Phi_slope.
Qed.

Lemma test_mirror test x p : line_integral (fun y => test y * normal_weight level scale x y) p ->
  line_integral (fun y => test (- y) * normal_weight level scale (- x) y) p.
Proof.
  intros I. eapply line_integral_same; [|exact (line_integral_mirror _ _ I)].
  intros y. cbv beta. f_equal. unfold normal_weight, normal_density. f_equal. f_equal. f_equal.
  f_equal. ring.
Qed.

Theorem normal_delta mu : 0 < mu -> upper - lower <= mu * scale ->
  additive_curve M (fun eps => normal_curve Phi mu eps).
Proof.
  intros U H x x' eps test p p' [X1 X2] [X1' X2'] E T I I'. cbn -[normal_weight] in I, I'.
  assert (B : forall d, 0 < d -> d <= upper - lower ->
    normal_curve Phi (d / scale) eps <= normal_curve Phi mu eps).
  { intros d D L. apply curve_grows; [now apply Rdiv_lt_0_compat|].
    apply Rmult_le_reg_r with scale; [assumption|].
    replace (d / scale * scale) with d by (field; lra). lra. }
  destruct (Rtotal_order x x') as [L|[L|L]].
  - pose proof (gain_above (- x) (- x') eps (fun y => test (- y)) p p' ltac:(lra)
      (fun y => T (- y)) (test_mirror test x p I) (test_mirror test x' p' I')) as G.
    specialize (B (- x - - x') ltac:(lra) ltac:(lra)). lra.
  - subst x'. pose proof (curve_nonnegative mu eps U) as N.
    pose proof (exp_at_least_one eps E) as One.
    assert (P : 0 <= p').
    { apply (line_integral_nonnegative _ _ (fun y => Rmult_le_pos _ _ (proj1 (T y))
        (Rlt_le _ _ (normal_above level scale law x y))) I'). }
    assert (Q : p <= p') by (eapply line_integral_le; [|exact I | exact I']; intros y; lra).
    nra.
  - pose proof (gain_above x x' eps test p p' L T I I') as G.
    specialize (B (x - x') ltac:(lra) ltac:(lra)). lra.
Qed.

Theorem normal_tight mu : 0 < mu -> upper - lower = mu * scale ->
  additive_curve_tight M (fun eps => normal_curve Phi mu eps).
Proof.
  intros U H. assert (L : lower < upper).
  { assert (0 < mu * scale) by (apply Rmult_lt_0_compat; assumption). lra. }
  assert (In1 : additive_inputs M upper) by (cbn; lra).
  assert (In2 : additive_inputs M lower) by (cbn; lra). split.
  - intros eps P.
    destruct (normal_no_epsilon (level / sqrt (2 * PI)) scale upper lower eps top_positive
      scale_above L) as [y Y].
    specialize (P upper lower y In1 In2). cbn in P. unfold normal_weight in P. lra.
  - intros eps _. exists upper, lower, (from_on (normal_cut scale upper lower eps)). do 2 eexists.
    split; [assumption|]. split; [assumption|]. split; [apply from_on_test|].
    split; [apply half_line|]. split; [apply half_line|].
    destruct (normal_arguments scale upper lower eps scale_above L) as [-> ->].
    unfold normal_curve. replace ((upper - lower) / scale) with mu by (rewrite H; field; lra). ring.
Qed.
End Curve.
