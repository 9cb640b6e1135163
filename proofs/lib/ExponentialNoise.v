(** Exponential noise on a number (Laplace): its integral, its moments, and its ratios. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Tails Additive.
Open Scope R_scope.

(** * A quadratic times e^(-z/s), from 0 on *)
Lemma exp_line w : 0 <= w -> 1 + w <= exp w.
Proof.
  intros H. unfold exp. destruct (exist_exp w) as [e E]. cbn [proj1_sig].
  apply Rle_trans with (sum_f_R0 (fun i => / INR (fact i) * w ^ i) 1); [cbn; lra|].
  apply sum_incr; [exact E|]. intros i. apply Rmult_le_pos; [|now apply pow_le].
  left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma falling w : 0 <= w -> w * exp (- w) <= 1.
Proof.
  intros H. pose proof (exp_line w H). pose proof (exp_pos w). rewrite exp_Ropp.
  apply Rmult_le_reg_r with (exp w); [assumption|]. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma square_falls s z : 0 < s -> 0 <= z ->
  z * z * exp (- (z / s)) <= 9 * (s * s) * exp (- (z / (3 * s))).
Proof.
  intros S Z. set (w := z / (3 * s)).
  assert (W : 0 <= w) by (apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat]; lra).
  replace (z / s) with (w + w + w) by (unfold w; field; lra).
  replace z with (3 * s * w) by (unfold w; field; lra).
  replace (- (w + w + w)) with (- w + (- w + - w)) by ring. rewrite !exp_plus.
  pose proof (falling w W) as L. pose proof (exp_pos (- w)) as E.
  assert (P : 0 <= w * exp (- w)) by nra.
  assert (Q : (w * exp (- w)) * (w * exp (- w)) <= 1) by nra.
  replace (3 * s * w * (3 * s * w) * (exp (- w) * (exp (- w) * exp (- w))))
    with (9 * (s * s) * ((w * exp (- w)) * (w * exp (- w)) * exp (- w))) by ring.
  apply Rmult_le_compat_l; [nra|].
  pose proof (Rmult_le_compat_r (exp (- w)) _ _ (Rlt_le _ _ E) Q). lra.
Qed.

Lemma vanishing s a b c : 0 < s -> tends (fun z => (a + b * z + c * (z * z)) * exp (- (z / s))) 0.
Proof.
  intros S e He. set (K := (Rabs a + Rabs b + Rabs c) * (9 * (s * s)) + 1).
  pose proof (Rabs_pos a). pose proof (Rabs_pos b). pose proof (Rabs_pos c).
  assert (N : 0 <= (Rabs a + Rabs b + Rabs c) * (9 * (s * s))).
  { apply Rmult_le_pos; [lra|]. nra. }
  assert (Kp : 0 < K) by (unfold K; lra).
  exists (Rmax 1 (3 * s * (K / e))). intros z Hz.
  assert (Z1 : 1 < z) by (eapply Rle_lt_trans; [apply Rmax_l | exact Hz]).
  assert (Z2 : 3 * s * (K / e) < z) by (eapply Rle_lt_trans; [apply Rmax_r | exact Hz]).
  rewrite Rminus_0_r, Rabs_mult, (Rabs_right (exp _)) by (left; apply exp_pos).
  assert (A : Rabs (a + b * z + c * (z * z)) <= (Rabs a + Rabs b + Rabs c) * (z * z)).
  { eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_mult c), (Rabs_right (z * z)) by nra.
    pose proof (Rabs_triang a (b * z)) as T. rewrite Rabs_mult, (Rabs_right z) in T by lra.
    assert (Z3 : z <= z * z) by nra.
    pose proof (Rmult_le_compat_l (Rabs a) 1 (z * z) ltac:(lra) ltac:(lra)).
    pose proof (Rmult_le_compat_l (Rabs b) z (z * z) ltac:(lra) Z3). lra. }
  pose proof (exp_pos (- (z / s))) as P.
  apply Rle_lt_trans with ((Rabs a + Rabs b + Rabs c) * (z * z * exp (- (z / s)))).
  { replace ((Rabs a + Rabs b + Rabs c) * (z * z * exp (- (z / s))))
      with ((Rabs a + Rabs b + Rabs c) * (z * z) * exp (- (z / s))) by ring.
    apply Rmult_le_compat_r; lra. }
  pose proof (square_falls s z S ltac:(lra)) as Q.
  apply Rle_lt_trans with ((Rabs a + Rabs b + Rabs c) * (9 * (s * s) * exp (- (z / (3 * s))))).
  { apply Rmult_le_compat_l; lra. }
  set (w := z / (3 * s)) in *.
  assert (W : K / e < w).
  { unfold w. apply Rmult_lt_reg_r with (3 * s); [lra|].
    replace (z / (3 * s) * (3 * s)) with z by (field; lra). lra. }
  assert (W0 : 0 < K / e) by (apply Rdiv_lt_0_compat; lra).
  pose proof (exp_line w ltac:(lra)) as G. pose proof (exp_pos w) as Ew.
  apply Rle_lt_trans with (K * exp (- w)).
  { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply exp_pos | unfold K; lra]. }
  rewrite exp_Ropp. apply Rmult_lt_reg_r with (exp w); [assumption|].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rlt_le_trans with (e * w); [|nra].
  apply Rmult_lt_reg_r with (/ e); [now apply Rinv_0_lt_compat|].
  replace (e * w * / e) with w by (field; lra). exact W.
Qed.

(** The integral of (a + b z + c z^2) level e^(-z/s) over z = y - x > 0. *)
Lemma right_half level s a b c x f : 0 < s ->
  (forall y, x < y -> f y =
    (a + b * (y - x) + c * ((y - x) * (y - x))) * (level * exp (- ((y - x) / s)))) ->
  right_integral f x (level * (a * s + b * s ^ 2 + 2 * c * s ^ 3)).
Proof.
  intros S E. set (total := level * (a * s + b * s ^ 2 + 2 * c * s ^ 3)).
  set (B := level * (b * s + 2 * c * s ^ 2)). set (C := level * (c * s)).
  set (F := fun y => total - (total + B * (y - x) + C * ((y - x) * (y - x)))
    * exp (- / s * (y - x))).
  assert (D : forall y, derivable_pt_lim F y
    ((a + b * (y - x) + c * ((y - x) * (y - x))) * (level * exp (- ((y - x) / s))))).
  { intros y. pose proof (d_minus _ _ y _ _ (d_id y) (d_const y x)) as L.
    assert (X : derivable_pt_lim (fun y => exp (- / s * (y - x))) y
      (exp (- / s * (y - x)) * (- / s * (1 - 0)))).
    { exact (d_comp _ exp y _ _ (d_scale _ y _ L (- / s)) (d_exp _)). }
    pose proof (d_plus _ _ y _ _
      (d_plus _ _ y _ _ (d_const y total) (d_scale _ y _ L B))
      (d_scale _ y _ (d_mult _ _ y _ _ L L) C)) as Q.
    pose proof (d_minus _ _ y _ _ (d_const y total) (d_mult _ _ y _ _ Q X)) as R.
    cbv beta in R. unfold F. eapply eq_rect; [exact R|].
    replace (- ((y - x) / s)) with (- / s * (y - x)) by (field; lra).
    set (e := exp _). unfold B, C, total. field. lra. }
  exists F. split; [|split; [|split]].
  - unfold F. replace (x - x) with 0 by ring. replace (- / s * 0) with 0 by ring.
    rewrite exp_0. ring.
  - apply derivable_continuous_pt. eexists. apply D.
  - intros y H. rewrite (E y H). apply D.
  - intros e He. destruct (vanishing s total B C S e He) as [Y HY]. exists (Y + x). intros y Hy.
    specialize (HY (y - x) ltac:(lra)). rewrite Rminus_0_r in HY. unfold F.
    replace (- / s * (y - x)) with (- ((y - x) / s)) by (field; lra).
    replace (total
      - (total + B * (y - x) + C * ((y - x) * (y - x))) * exp (- ((y - x) / s)) - total)
      with (- ((total + B * (y - x) + C * ((y - x) * (y - x))) * exp (- ((y - x) / s)))) by ring.
    rewrite Rabs_Ropp. exact HY.
Qed.

(** * Exponential noise: Laplace *)
Definition exponential_density (level scale x y : R) : R :=
  level * exp (- (Rabs (y - x) / scale)).

Definition exponential_noise (lower upper level scale : R) : additive R :=
  Additive (fun x => lower <= x <= upper) (fun y => y) (exponential_density level scale) integral.

(** The integral of (a + b z + c z^2) times the density of z = y - x. *)
Lemma exponential_moments level s a b c x f : 0 < s ->
  (forall y, f y = (a + b * (y - x) + c * ((y - x) * (y - x))) * exponential_density level s x y) ->
  integral f (2 * level * (a * s + 2 * c * s ^ 3)).
Proof.
  intros S E. exists x, (level * (a * s + - b * s ^ 2 + 2 * c * s ^ 3)),
    (level * (a * s + b * s ^ 2 + 2 * c * s ^ 3)). split; [|split; [|ring]].
  - apply right_half; [assumption|]. intros y H. rewrite E. unfold exponential_density.
    rewrite (Rabs_left (- y - x)) by lra. replace (- (- y - x)) with (y - - x) by ring. ring.
  - apply right_half; [assumption|]. intros y H. rewrite E. unfold exponential_density.
    now rewrite (Rabs_right (y - x)) by lra.
Qed.

(** It is a law. *)
Definition exponential_law (level scale : R) : Prop :=
  0 < level /\ 0 < scale /\ 2 * level * scale = 1.

Section Exponential.
Context (lower upper level scale : R).
Hypothesis law : exponential_law level scale.
Let level_above : 0 < level := proj1 law.
Let scale_above : 0 < scale := proj1 (proj2 law).
Let whole : 2 * level * scale = 1 := proj2 (proj2 law).
Let M := exponential_noise lower upper level scale.

Lemma exponential_above x y : 0 < exponential_density level scale x y.
Proof. apply Rmult_lt_0_compat; [assumption | apply exp_pos]. Qed.

Theorem exponential_equal_support : additive_equal_support M.
Proof. intros x x' y _ _ _. apply exponential_above. Qed.

Theorem exponential_ldp eps : upper - lower <= eps * scale -> additive_ldp M eps.
Proof.
  intros H x x' y [X1 X2] [X1' X2']. cbn. unfold exponential_density.
  replace (exp eps * (level * exp (- (Rabs (y - x') / scale))))
    with (level * (exp eps * exp (- (Rabs (y - x') / scale)))) by ring.
  apply Rmult_le_compat_l; [lra|]. rewrite <- exp_plus.
  pose proof (Rabs_triang (y - x) (x - x')) as T.
  replace (y - x + (x - x')) with (y - x') in T by ring.
  assert (D : Rabs (x - x') <= upper - lower) by (apply Rabs_le; lra).
  assert (E : - (Rabs (y - x) / scale) <= eps + - (Rabs (y - x') / scale)).
  { apply Rmult_le_reg_r with scale; [assumption|].
    replace (- (Rabs (y - x) / scale) * scale) with (- Rabs (y - x)) by (field; lra).
    replace ((eps + - (Rabs (y - x') / scale)) * scale) with (eps * scale - Rabs (y - x'))
      by (field; lra). lra. }
  destruct E as [E|E]; [left; now apply exp_strict | right; now rewrite E].
Qed.

Lemma exponential_ends eps : lower <= upper -> upper - lower = eps * scale ->
  additive_tight_ends M lower upper eps.
Proof.
  intros L H. assert (E : eps = (upper - lower) / scale) by (rewrite H; field; lra).
  split; intros y Y; cbn in Y; (split; [apply exponential_above|]); cbn; unfold exponential_density.
  - rewrite !Rabs_right by lra.
    replace (- ((y - upper) / scale)) with (eps + - ((y - lower) / scale))
      by (rewrite E; field; lra).
    rewrite exp_plus. ring.
  - rewrite !Rabs_left1 by lra.
    replace (- (- (y - lower) / scale)) with (eps + - (- (y - upper) / scale))
      by (rewrite E; field; lra).
    rewrite exp_plus. ring.
Qed.

Theorem exponential_tight eps : lower <= upper -> upper - lower = eps * scale ->
  additive_tight M eps.
Proof.
  intros L H. apply (additive_tight_at M lower upper); [cbn; lra | cbn; lra |].
  now apply exponential_ends.
Qed.

Lemma exponential_quadratic x a b c f total :
  (forall y, f y
    = (a + b * (y - x) + c * ((y - x) * (y - x))) * exponential_density level scale x y) ->
  total = a + 2 * c * scale ^ 2 -> integral f total.
Proof.
  intros E H. replace total with (2 * level * (a * scale + 2 * c * scale ^ 3)).
  - now apply exponential_moments with (b := b) (x := x).
  - rewrite H. transitivity ((a + 2 * c * scale ^ 2) * (2 * level * scale)); [ring|].
    rewrite whole. ring.
Qed.

Theorem exponential_stochastic : additive_stochastic M.
Proof.
  intros x _. split; [intros y; left; apply exponential_above|].
  apply (exponential_quadratic x 1 0 0); [|ring]. intros y. cbn -[exponential_density]. ring.
Qed.

Theorem exponential_mean : additive_mean M (fun x => x).
Proof. 
  intros x _. apply (exponential_quadratic x x 1 0); [|cbn; ring].
  intros y. cbn -[exponential_density]. ring.
Qed.

Theorem exponential_variance v : v = 2 * scale ^ 2 -> additive_variance M (fun _ => v).
Proof.
  intros ->. intros x X. exists x. split; [now apply exponential_mean|].
  apply (exponential_quadratic x 0 0 1); [|ring]. intros y. cbn -[exponential_density]. ring.
Qed.
End Exponential.
