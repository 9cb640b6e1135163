(** Normal noise on a number: its integral, its moments, and how much its reports tell.

    What the normal density integrates to over a half-line is taken for granted, as a function Phi
    with [normal_integral Phi]; the theorems of moments and of the curve are about any such Phi. *)
From Coq Require Import Reals List Lra Lia Psatz.
From LDP Require Import Sums Exponential Tails Additive ExponentialNoise Line Areas LineIntegral
  Normal.
Import ListNotations.
Open Scope R_scope.

(** Phi(z) is the integral of e^(-w^2/2) / sqrt(2 pi) up to z, and 1 over all numbers. *)
Definition normal_integral (Phi : R -> R) : Prop :=
  (forall z, derivable_pt_lim Phi z (exp (- (z * z / 2)) / sqrt (2 * PI))) /\
  tends (fun z => Phi (- z)) 0 /\ tends Phi 1.

Definition normal_weight (level scale x y : R) : R :=
  normal_density (level / sqrt (2 * PI)) scale x y.

Definition normal_noise (lower upper level scale : R) : additive R :=
  Additive (fun x => lower <= x <= upper) (fun y => y) (normal_weight level scale) integral.

(** It is a law. *)
Definition normal_law (level scale : R) : Prop := 0 < level /\ 0 < scale /\ level * scale = 1.

Lemma root_above : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.

Section Normal.
Context (lower upper level scale : R).
Hypothesis law : normal_law level scale.
Let level_above : 0 < level := proj1 law.
Let scale_above : 0 < scale := proj1 (proj2 law).
Let whole : level * scale = 1 := proj2 (proj2 law).
Let M := normal_noise lower upper level scale.
Let top : R := level / sqrt (2 * PI).

Lemma top_above : 0 < top.
Proof. apply Rdiv_lt_0_compat; [assumption | apply root_above]. Qed.

Lemma normal_above x y : 0 < normal_weight level scale x y.
Proof. apply Rmult_lt_0_compat; [apply top_above | apply exp_pos]. Qed.

Theorem normal_equal_support : additive_equal_support M.
Proof. intros x x' y _ _ _. apply normal_above. Qed.

Context (Phi : R -> R).
Hypothesis known : normal_integral Phi.
Let Phi_slope : forall z, derivable_pt_lim Phi z (exp (- (z * z / 2)) / sqrt (2 * PI)) :=
  proj1 known.
Let Phi_low : tends (fun z => Phi (- z)) 0 := proj1 (proj2 known).
Let Phi_high : tends Phi 1 := proj2 (proj2 known).

(** * Moments *)
Lemma square_vanishes s b c : 0 < s ->
  tends (fun z => (b + c * z) * exp (- (z * z / (2 * (s * s))))) 0.
Proof.
  intros S e He. assert (Q : 0 < 2 * (s * s)) by nra.
  destruct (vanishing (2 * (s * s)) b c 0 Q e He) as [Y H]. exists (Rmax 1 Y). intros z Z.
  pose proof (Rmax_l 1 Y). pose proof (Rmax_r 1 Y). specialize (H z ltac:(lra)).
  rewrite Rminus_0_r in *. eapply Rle_lt_trans; [|exact H].
  rewrite !Rabs_mult, !(Rabs_right (exp _)) by (left; apply exp_pos).
  replace (b + c * z + 0 * (z * z)) with (b + c * z) by ring.
  apply Rmult_le_compat_l; [apply Rabs_pos|].
  assert (L : - (z * z / (2 * (s * s))) <= - (z / (2 * (s * s)))).
  { apply Ropp_le_contravar. unfold Rdiv.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    nra. }
  destruct L as [L|L]; [left; now apply exp_strict | right; now rewrite L].
Qed.

(** The integral of (a + b z + c z^2) times the density over z = y - x > 0. *)
Lemma normal_right x a b c f G half :
  (forall z, derivable_pt_lim G z (exp (- (z * z / 2)) / sqrt (2 * PI))) ->
  G 0 = 0 -> tends G half ->
  (forall y, x < y ->
    f y = (a + b * (y - x) + c * ((y - x) * (y - x))) * normal_weight level scale x y) ->
  right_integral f x ((a + c * scale ^ 2) * half + b * scale ^ 2 * top).
Proof.
  intros D Z T E. set (e := fun y => exp (- ((y - x) * (y - x) / (2 * (scale * scale))))).
  exists (fun y => (a + c * scale ^ 2) * G (/ scale * (y - x))
    - top * scale ^ 2 * ((b + c * (y - x)) * e y - b)).
  assert (Le : forall y, derivable_pt_lim e y (e y * (- / (scale * scale) * (y - x)))).
  { intros y. unfold e. 
    pose proof (d_minus _ _ y _ _ (d_id y) (d_const y x)) as L.
    pose proof (d_scale _ y _ (d_mult _ _ y _ _ L L) (- / (2 * (scale * scale)))) as Q.
    pose proof (d_comp _ exp y _ _ Q (d_exp _)) as X. cbv beta in X.
    apply d_near with (d := 1)
      (g := fun y => exp (- / (2 * (scale * scale)) * ((y - x) * (y - x))));
      [lra | | eapply eq_rect; [exact X|]].
    - intros t _. f_equal. field. lra.
    - replace (- / (2 * (scale * scale)) * ((y - x) * (y - x)))
        with (- ((y - x) * (y - x) / (2 * (scale * scale)))) by (field; lra).
      set (u := exp _). field. lra. }
  assert (LG : forall y, derivable_pt_lim (fun y => G (/ scale * (y - x))) y
    (e y / sqrt (2 * PI) * (/ scale * (1 - 0)))).
  { intros y. pose proof (d_scale _ y _ (d_minus _ _ y _ _ (d_id y) (d_const y x)) (/ scale)) as Q.
    pose proof (d_comp _ G y _ _ Q (D (/ scale * (y - x)))) as X. cbv beta in X.
    eapply eq_rect; [exact X|]. f_equal. f_equal. unfold e. f_equal. field. lra. }
  pose proof root_above as RA.
  assert (K : level = / scale)
    by (apply Rmult_eq_reg_r with scale; [rewrite whole; field; lra | lra]).
  assert (Der : forall y, derivable_pt_lim
    (fun y => (a + c * scale ^ 2) * G (/ scale * (y - x))
      - top * scale ^ 2 * ((b + c * (y - x)) * e y - b)) y
    ((a + b * (y - x) + c * ((y - x) * (y - x))) * normal_weight level scale x y)).
  { intros y. pose proof (d_minus _ _ y _ _ (d_id y) (d_const y x)) as L.
    pose proof (d_plus _ _ y _ _ (d_const y b) (d_scale _ y _ L c)) as P.
    pose proof (d_minus _ _ y _ _ (d_mult _ _ y _ _ P (Le y)) (d_const y b)) as Q.
    pose proof (d_minus _ _ y _ _ (d_scale _ y _ (LG y) (a + c * scale ^ 2))
      (d_scale _ y _ Q (top * scale ^ 2))) as X. cbv beta in X.
    eapply eq_rect; [exact X|]. unfold normal_weight, normal_density. fold (e y).
    unfold top. rewrite K. set (u := e y). field. lra. }
  split; [|split; [|split]].
  - unfold e. replace (x - x) with 0 by ring. replace (/ scale * 0) with 0 by ring. rewrite Z.
    replace (0 * 0 / (2 * (scale * scale))) with 0 by (field; lra). rewrite Ropp_0, exp_0. ring.
  - apply derivable_continuous_pt. eexists. apply Der.
  - intros y Y. rewrite (E y Y). apply Der.
  - set (A := a + c * scale ^ 2). set (B := top * scale ^ 2).
    assert (T1 : tends (fun y => (b + c * (y - x)) * e y) 0).
    { intros r Hr. destruct (square_vanishes scale b c scale_above r Hr) as [Y H].
      exists (Y + x). intros y Hy. apply (H (y - x)). lra. }
    assert (T2 : tends (fun y => G (/ scale * (y - x))) half).
    { intros r Hr. destruct (T r Hr) as [Y H]. exists (scale * Y + x). intros y Hy. apply H.
      apply Rmult_lt_reg_l with scale; [assumption|].
      replace (scale * (/ scale * (y - x))) with (y - x) by (field; lra). lra. }
    assert (C0 : tends (fun _ : R => 0) 0).
    { intros r Hr. exists 0. intros y _. rewrite Rminus_0_r, Rabs_R0. assumption. }
    pose proof (tends_minus _ _ (- A) _ _ C0 T2) as U.
    pose proof (tends_minus _ _ B _ _ U T1) as V. cbv beta in V.
    intros r Hr. destruct (V r Hr) as [Y H]. exists Y. intros y Hy. specialize (H y Hy).
    replace (A * G (/ scale * (y - x)) - B * ((b + c * (y - x)) * e y - b)
      - (A * half + b * scale ^ 2 * top))
      with (0 - - A * G (/ scale * (y - x)) - B * ((b + c * (y - x)) * e y)
        - (0 - - A * half - B * 0)) by (unfold B; ring).
    exact H.
Qed.

Lemma normal_quadratic x a b c f total :
  (forall y, f y
    = (a + b * (y - x) + c * ((y - x) * (y - x))) * normal_weight level scale x y) ->
  total = a + c * scale ^ 2 -> integral f total.
Proof.
  intros E ->.
  assert (Near : forall z, derivable_pt_lim (fun z => - z) z (- (1)))
    by (intros z; exact (derivable_pt_lim_opp (fun y => y) z 1 (d_id z))).
  exists x, ((a + c * scale ^ 2) * Phi 0 + - b * scale ^ 2 * top),
    ((a + c * scale ^ 2) * (1 - Phi 0) + b * scale ^ 2 * top). split; [|split; [|ring]].
  - apply normal_right with (G := fun z => Phi 0 - Phi (- z)).
    + intros z. pose proof (d_minus _ _ z _ _ (d_const z (Phi 0))
        (d_comp _ Phi z _ _ (Near z) (Phi_slope (- z)))) as X. cbv beta in X.
      eapply eq_rect; [exact X|]. replace (- z * - z) with (z * z) by ring. ring.
    + rewrite Ropp_0. ring.
    + intros r Hr. destruct (Phi_low r Hr) as [Y H]. exists Y. intros z Hz. specialize (H z Hz).
      replace (Phi 0 - Phi (- z) - Phi 0) with (- (Phi (- z) - 0)) by ring. now rewrite Rabs_Ropp.
    + intros y Y. rewrite E. unfold normal_weight, normal_density.
      replace (- y - x) with (- (y - - x)) by ring.
      replace (- (y - - x) * - (y - - x)) with ((y - - x) * (y - - x)) by ring. ring.
  - apply normal_right with (G := fun z => Phi z - Phi 0).
    + intros z. pose proof (d_minus _ _ z _ _ (Phi_slope z) (d_const z (Phi 0))) as X.
      cbv beta in X. eapply eq_rect; [exact X|]. ring.
    + ring.
    + intros r Hr. destruct (Phi_high r Hr) as [Y H]. exists Y. intros z Hz. specialize (H z Hz).
      replace (Phi z - Phi 0 - (1 - Phi 0)) with (Phi z - 1) by ring. exact H.
    + intros y _. apply E.
Qed.

Theorem normal_stochastic : additive_stochastic M.
Proof.
  intros x _. split; [intros y; left; apply normal_above|].
  apply (normal_quadratic x 1 0 0); [|ring]. intros y. cbn -[normal_weight]. ring.
Qed.

Theorem normal_mean : additive_mean M (fun x => x).
Proof.
  intros x _. apply (normal_quadratic x x 1 0); [|cbn; ring].
  intros y. cbn -[normal_weight]. ring.
Qed.

Theorem normal_variance v : v = scale ^ 2 -> additive_variance M (fun _ => v).
Proof.
  intros ->. intros x X. exists x. split; [now apply normal_mean|].
  apply (normal_quadratic x 0 0 1); [|ring]. intros y. cbn -[normal_weight]. ring.
Qed.
End Normal.
