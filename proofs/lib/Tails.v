(** Inequalities between real functions that tail bounds rest on: Hoeffding's lemma for two points,
    and e^x below its parabola. Their derivatives come from the standard library. *)
From Coq Require Import Reals Lra Lia Psatz.
From LDP Require Import Exponential.
Open Scope R_scope.

(** A derivative that is not negative, from 0 on. *)
Lemma grows (f f' : R -> R) : (forall c, 0 <= c -> derivable_pt_lim f c (f' c)) ->
  (forall c, 0 <= c -> 0 <= f' c) -> forall x, 0 <= x -> f 0 <= f x.
Proof.
  intros D P x [H|<-]; [|lra].
  destruct (MVT_cor2 f f' 0 x H) as (c & E & Hc); [intros; apply D; lra|].
  assert (0 <= f' c * (x - 0)) by (apply Rmult_le_pos; [apply P|]; lra). lra.
Qed.

(** Rules of the standard library, about functions that are written out. *)
Section Rules.
Context (f g : R -> R) (x a b : R).

Lemma d_const c : derivable_pt_lim (fun _ => c) x 0.
Proof. exact (derivable_pt_lim_const c x). Qed.
Lemma d_id : derivable_pt_lim (fun y => y) x 1.
Proof. exact (derivable_pt_lim_id x). Qed.
Lemma d_exp : derivable_pt_lim exp x (exp x).
Proof. exact (derivable_pt_lim_exp x). Qed.

Hypothesis Hf : derivable_pt_lim f x a.
Lemma d_scale c : derivable_pt_lim (fun y => c * f y) x (c * a).
Proof. exact (derivable_pt_lim_scal f c x a Hf). Qed.

Hypothesis Hg : derivable_pt_lim g x b.
Lemma d_plus : derivable_pt_lim (fun y => f y + g y) x (a + b).
Proof. exact (derivable_pt_lim_plus f g x a b Hf Hg). Qed.
Lemma d_minus : derivable_pt_lim (fun y => f y - g y) x (a - b).
Proof. exact (derivable_pt_lim_minus f g x a b Hf Hg). Qed.
Lemma d_mult : derivable_pt_lim (fun y => f y * g y) x (a * g x + f x * b).
Proof. exact (derivable_pt_lim_mult f g x a b Hf Hg). Qed.
Lemma d_div : g x <> 0 -> derivable_pt_lim (fun y => f y / g y) x ((a * g x - b * f x) / (g x)²).
Proof. exact (derivable_pt_lim_div f g x a b Hf Hg). Qed.
End Rules.

Lemma d_comp f g x a b : derivable_pt_lim f x a -> derivable_pt_lim g (f x) b ->
  derivable_pt_lim (fun y => g (f y)) x (b * a).
Proof. exact (derivable_pt_lim_comp f g x a b). Qed.

Lemma exp_tangent x : 1 + x <= exp x.
Proof. apply exp_ineq1_le. Qed.

Section TwoPoints.
Context (p : R).
Hypothesis p_range : 0 <= p <= 1.

Let mean_of s := 1 - p + p * exp s.

Lemma mean_positive s : 0 < mean_of s.
Proof. unfold mean_of. pose proof (exp_pos s). destruct (Req_dec p 0); nra. Qed.

Lemma mean_derivative s : derivable_pt_lim mean_of s (p * exp s).
Proof.
  replace (p * exp s) with (0 + p * exp s) by ring.
  apply (d_plus (fun _ => 1 - p) (fun s => p * exp s)).
  - apply d_const.
  - apply (d_scale exp). apply d_exp.
Qed.

Lemma identity_scaled c s : derivable_pt_lim (fun s => c * s) s c.
Proof.
  pose proof (d_scale (fun y => y) s 1 (d_id s) c) as H. rewrite Rmult_1_r in H. exact H.
Qed.

Let slope s := / 4 * s + p - p * exp s / mean_of s.

Lemma slope_derivative s :
  derivable_pt_lim slope s (/ 4 - p * (1 - p) * exp s / (mean_of s * mean_of s)).
Proof.
  pose proof (mean_positive s) as N.
  replace (/ 4 - _) with ((/ 4 + 0)
    - ((p * exp s) * mean_of s - (p * exp s) * (p * exp s)) / (mean_of s)²)
    by (unfold Rsqr; unfold mean_of at 1; field; lra).
  apply (d_minus (fun s => / 4 * s + p) (fun s => p * exp s / mean_of s)).
  - apply (d_plus (fun s => / 4 * s) (fun _ => p)).
    + apply identity_scaled.
    + apply d_const.
  - apply (d_div (fun s => p * exp s) mean_of).
    + apply (d_scale exp). apply d_exp.
    + apply mean_derivative.
    + lra.
Qed.

Lemma slope_nonnegative s : 0 <= s -> 0 <= slope s.
Proof.
  intros H. assert (Z : slope 0 = 0).
  { unfold slope, mean_of. rewrite exp_0. field. lra. }
  rewrite <- Z. apply (grows slope _ (fun c _ => slope_derivative c)); [|assumption].
  intros c _. pose proof (mean_positive c) as N. pose proof (exp_pos c) as E.
  assert (Q : 0 < mean_of c * mean_of c) by (apply Rmult_lt_0_compat; assumption).
  apply Rmult_le_reg_r with (mean_of c * mean_of c); [assumption|].
  rewrite Rmult_0_l. replace ((/ 4 - _) * _)
    with (((1 - p) - p * exp c) * ((1 - p) - p * exp c) / 4)
    by (unfold mean_of in *; field; lra).
  pose proof (Rle_0_sqr ((1 - p) - p * exp c)) as S. unfold Rsqr in S. lra.
Qed.

Lemma two_points_above s : 0 <= s -> mean_of s <= exp (s * s / 8 + p * s).
Proof.
  intros H. set (gap := fun s => (/ 8 * (s * s) + p * s) - ln (mean_of s)).
  assert (D : forall c, derivable_pt_lim gap c (slope c)).
  { intros c. pose proof (mean_positive c).
    replace (slope c) with ((/ 8 * (1 * c + c * 1) + p) - / mean_of c * (p * exp c))
      by (unfold slope; field; lra).
    apply (d_minus (fun s => / 8 * (s * s) + p * s) (fun s => ln (mean_of s))).
    - apply (d_plus (fun s => / 8 * (s * s)) (fun s => p * s)).
      + apply (d_scale (fun s => s * s)).
        apply (d_mult (fun y => y) (fun y => y)); apply d_id.
      + apply identity_scaled.
    - apply (d_comp mean_of ln).
      + apply mean_derivative.
      + now apply derivable_pt_lim_ln. }
  assert (Z : gap 0 = 0).
  { unfold gap, mean_of. rewrite exp_0. replace (1 - p + p * 1) with 1 by ring.
    rewrite ln_1. ring. }
  pose proof (grows gap slope (fun c _ => D c) slope_nonnegative s H) as G.
  rewrite Z in G. unfold gap in G. rewrite <- (exp_ln (mean_of s)) by apply mean_positive.
  assert (L : ln (mean_of s) <= s * s / 8 + p * s) by lra.
  destruct L as [L|L]; [left; now apply exp_strict | right; now rewrite L].
Qed.
End TwoPoints.

(** Hoeffding's lemma for a variable that is 0 or 1, with P(1) = p. *)
Theorem hoeffding_two_points p s : 0 <= p <= 1 ->
  1 - p + p * exp s <= exp (s * s / 8 + p * s).
Proof.
  intros P. destruct (Rle_or_lt 0 s) as [H|H]; [now apply two_points_above|].
  pose proof (two_points_above (1 - p) ltac:(lra) (- s) ltac:(lra)) as G.
  replace (s * s / 8 + p * s) with (s + (- s * - s / 8 + (1 - p) * - s)) by field.
  rewrite exp_plus. apply Rmult_le_compat_l with (r := exp s) in G; [|left; apply exp_pos].
  eapply Rle_trans; [|exact G]. right.
  replace (1 - (1 - p) + (1 - p) * exp (- s)) with (p + (1 - p) * exp (- s)) by ring.
  rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos.
Qed.

(** e^(l z) lies below the line through 1 and e^z. *)
Theorem exp_below_line l z : 0 <= l <= 1 -> exp (l * z) <= 1 - l + l * exp z.
Proof.
  intros L. pose proof (exp_pos (l * z)) as E.
  pose proof (exp_tangent (- (l * z))) as A. pose proof (exp_tangent ((1 - l) * z)) as B.
  assert (G : 1 <= (1 - l) * exp (- (l * z)) + l * exp ((1 - l) * z)).
  { assert ((1 - l) * (1 + - (l * z)) <= (1 - l) * exp (- (l * z)))
      by (apply Rmult_le_compat_l; lra).
    assert (l * (1 + (1 - l) * z) <= l * exp ((1 - l) * z))
      by (apply Rmult_le_compat_l; lra). nra. }
  apply Rmult_le_compat_l with (r := exp (l * z)) in G; [|lra].
  rewrite Rmult_1_r in G. eapply Rle_trans; [exact G|]. right.
  rewrite Rmult_plus_distr_l.
  replace (exp (l * z) * ((1 - l) * exp (- (l * z))))
    with ((1 - l) * exp (l * z + - (l * z))) by (rewrite exp_plus; ring).
  replace (exp (l * z) * (l * exp ((1 - l) * z)))
    with (l * exp (l * z + (1 - l) * z)) by (rewrite exp_plus; ring).
  replace (l * z + - (l * z)) with 0 by ring. replace (l * z + (1 - l) * z) with z by ring.
  rewrite exp_0. ring.
Qed.

(** * For Bernstein's inequality *)

Lemma exp_below_parabola_left x : x <= 0 -> exp x <= 1 + x + x * x / 2.
Proof.
  intros H. set (gap := fun y => 1 - y + y * y / 2 - exp (- y)).
  assert (D : forall c, derivable_pt_lim gap c (- 1 + c - (exp (- c) * - 1))).
  { intros c. unfold gap.
    apply (d_minus (fun y => 1 - y + y * y / 2) (fun y => exp (- y))).
    - replace (- 1 + c) with ((0 - 1) + ((1 * c + c * 1) * / 2 + (c * c) * 0)) by field.
      apply (d_plus (fun y => 1 - y) (fun y => y * y * / 2)).
      + apply (d_minus (fun _ => 1) (fun y => y));
          [apply d_const | apply d_id].
      + apply (d_mult (fun y => y * y) (fun _ => / 2)).
        * apply (d_mult (fun y => y) (fun y => y)); apply d_id.
        * apply d_const.
    - apply (d_comp Ropp exp).
      + exact (derivable_pt_lim_opp id c 1 (derivable_pt_lim_id c)).
      + apply d_exp. }
  pose proof (grows gap _ (fun c _ => D c)) as G.
  assert (P : forall c, 0 <= c -> 0 <= - 1 + c - exp (- c) * - 1)
    by (intros c _; pose proof (exp_tangent (- c)); lra).
  specialize (G P (- x) ltac:(lra)). unfold gap in G.
  rewrite Ropp_0, exp_0, Ropp_involutive in G. lra.
Qed.

Lemma exp_below_parabola_right x : 0 <= x ->
  exp x * (1 - x / 3) <= 1 + 2 * x / 3 + x * x / 6.
Proof.
  set (turn := fun y => 2 / 3 + / 3 * y - exp y * (2 / 3 - / 3 * y)).
  assert (E : forall y a c, derivable_pt_lim (fun y => exp y * (a - c * y)) y
    (exp y * (a - c * y) + exp y * (0 - c))).
  { intros y a c. apply (d_mult exp (fun y => a - c * y)).
    - apply d_exp.
    - apply (d_minus (fun _ => a) (fun y => c * y));
        [apply d_const | apply identity_scaled]. }
  assert (T : forall c, derivable_pt_lim turn c
    ((0 + / 3) - (exp c * (2 / 3 - / 3 * c) + exp c * (0 - / 3)))).
  { intros c. apply (d_minus (fun y => 2 / 3 + / 3 * y)
      (fun y => exp y * (2 / 3 - / 3 * y))); [|apply E].
    apply (d_plus (fun _ => 2 / 3) (fun y => / 3 * y));
      [apply d_const | apply identity_scaled]. }
  assert (P : forall c, 0 <= c -> 0 <= turn c).
  { intros c H. replace 0 with (turn 0) by (unfold turn; rewrite exp_0; field).
    apply (grows turn _ (fun c _ => T c)); [|assumption].
    intros y Hy. pose proof (exp_tangent (- y)) as A. pose proof (exp_pos y) as B.
    apply Rmult_le_compat_l with (r := exp y) in A; [|lra].
    rewrite <- exp_plus, Rplus_opp_r, exp_0 in A. lra. }
  set (gap := fun y => (1 + (2 / 3 * y + / 6 * (y * y))) - exp y * (1 - / 3 * y)).
  assert (D : forall c, derivable_pt_lim gap c (turn c)).
  { intros c. replace (turn c) with ((0 + (2 / 3 + / 6 * (1 * c + c * 1)))
      - (exp c * (1 - / 3 * c) + exp c * (0 - / 3))) by (unfold turn; field).
    apply (d_minus (fun y => 1 + (2 / 3 * y + / 6 * (y * y)))
      (fun y => exp y * (1 - / 3 * y))); [|apply E].
    apply (d_plus (fun _ => 1) (fun y => 2 / 3 * y + / 6 * (y * y)));
      [apply d_const|].
    apply (d_plus (fun y => 2 / 3 * y) (fun y => / 6 * (y * y)));
      [apply identity_scaled|].
    apply (d_scale (fun y => y * y)).
    apply (d_mult (fun y => y) (fun y => y)); apply d_id. }
  intros H. pose proof (grows gap turn (fun c _ => D c) P x H) as G. unfold gap in G.
  rewrite exp_0 in G. lra.
Qed.

Theorem exp_below_parabola x y : x <= y -> 0 < y -> y < 3 ->
  exp x <= 1 + x + x * x / (2 * (1 - y / 3)).
Proof.
  intros L Y0 Y3. assert (Q : 0 < 1 - y / 3) by lra. assert (S : 0 <= x * x) by nra.
  assert (I : / 2 <= / (2 * (1 - y / 3))) by (apply Rinv_le_contravar; lra).
  destruct (Rle_or_lt x 0) as [N|N].
  - eapply Rle_trans; [now apply exp_below_parabola_left|]. unfold Rdiv.
    apply Rplus_le_compat_l. now apply Rmult_le_compat_l.
  - assert (W : 0 < 1 - x / 3) by lra.
    apply Rle_trans with (1 + x + x * x / (2 * (1 - x / 3))).
    + apply Rmult_le_reg_r with (1 - x / 3); [assumption|].
      eapply Rle_trans; [apply exp_below_parabola_right; lra|]. right. field. lra.
    + apply Rplus_le_compat_l. unfold Rdiv. apply Rmult_le_compat_l; [assumption|].
      apply Rinv_le_contravar; lra.
Qed.
