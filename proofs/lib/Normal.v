(** Normal noise that is added to a number: which outputs tell two numbers apart, and by how much.
    Here Phi is any function whose derivative is the density; that it is the integral of the density
    up to z is the premise of what NormalNoise.v and NormalCurve.v prove of declared noise. *)
From Coq Require Import Reals Lra Lia Psatz.
From LDP Require Import Exponential Tails.
Open Scope R_scope.

(** The density of x + z at y, for any constant c (1/(s sqrt(2 pi)) makes it one). *)
Definition normal_density (c s x y : R) : R := c * exp (- ((y - x) * (y - x) / (2 * (s * s)))).

(** The loss is linear in the output. *)
Theorem normal_loss c s x x' y : 0 < s ->
  normal_density c s x y
  = exp ((x - x') * (y - (x + x') / 2) / (s * s)) * normal_density c s x' y.
Proof.
  intros S. unfold normal_density.
  replace (exp ((x - x') * (y - (x + x') / 2) / (s * s))
      * (c * exp (- ((y - x') * (y - x') / (2 * (s * s))))))
    with (c * (exp ((x - x') * (y - (x + x') / 2) / (s * s))
      * exp (- ((y - x') * (y - x') / (2 * (s * s)))))) by ring.
  rewrite <- exp_plus. f_equal. f_equal. field. lra.
Qed.

(** Whatever the epsilon, some output has a larger ratio. *)
Theorem normal_no_epsilon c s x x' e : 0 < c -> 0 < s -> x' < x ->
  exists y, exp e * normal_density c s x' y < normal_density c s x y.
Proof.
  intros C S H. exists ((x + x') / 2 + (e + 1) * (s * s) / (x - x')).
  rewrite (normal_loss c s x x') by assumption. apply Rmult_lt_compat_r.
  - unfold normal_density. apply Rmult_lt_0_compat; [assumption | apply exp_pos].
  - apply exp_strict.
    replace ((x - x') * ((x + x') / 2 + (e + 1) * (s * s) / (x - x') - (x + x') / 2) / (s * s))
      with (e + 1) by (field; lra). lra.
Qed.

(** Where the loss is e: the outputs above tell x from x' best. *)
Definition normal_cut (s x x' e : R) : R := (x + x') / 2 + e * (s * s) / (x - x').

Theorem normal_half_line c s x x' e y : 0 < c -> 0 < s -> x' < x ->
  normal_cut s x x' e <= y <-> exp e * normal_density c s x' y <= normal_density c s x y.
Proof.
  intros C S H. rewrite (normal_loss c s x x') by assumption.
  assert (P : 0 < normal_density c s x' y)
    by (unfold normal_density; apply Rmult_lt_0_compat; [assumption | apply exp_pos]).
  assert (Q : 0 < s * s) by nra.
  assert (E : (x - x') * (y - (x + x') / 2) / (s * s)
      = e + (y - normal_cut s x x' e) * ((x - x') / (s * s)))
    by (unfold normal_cut; field; lra).
  assert (F : 0 < (x - x') / (s * s)) by (apply Rdiv_lt_0_compat; lra).
  rewrite E. set (g := (x - x') / (s * s)) in *. split; intros I.
  - apply Rmult_le_compat_r; [lra|].
    destruct (Rle_lt_or_eq_dec 0 ((y - normal_cut s x x' e) * g)) as [L|L].
    + apply Rmult_le_pos; lra.
    + left. apply exp_strict. lra.
    + right. f_equal. lra.
  - apply Rmult_le_reg_r in I; [|assumption].
    destruct (Rle_or_lt (normal_cut s x x' e) y) as [L|L]; [assumption|exfalso].
    assert (N : (y - normal_cut s x x' e) * g < 0) by nra.
    assert (M : exp (e + (y - normal_cut s x x' e) * g) < exp e) by (apply exp_strict; lra).
    lra.
Qed.

(** So no event, random or not, gains more than that half-line: g is the chance that y counts. *)
Theorem normal_best_event c s x x' e y g : 0 < c -> 0 < s -> x' < x -> 0 <= g <= 1 ->
  g * (normal_density c s x y - exp e * normal_density c s x' y)
  <= (if Rle_dec (normal_cut s x x' e) y then 1 else 0)
     * (normal_density c s x y - exp e * normal_density c s x' y).
Proof.
  intros C S H G. pose proof (normal_half_line c s x x' e y C S H) as [A B].
  destruct (Rle_dec (normal_cut s x x' e) y) as [L|L].
  - specialize (A L). nra.
  - assert (normal_density c s x y < exp e * normal_density c s x' y)
      by (apply Rnot_le_lt; intros I; apply L, B, I). nra.
Qed.

(** The half-line, in standard deviations from x and from x', for numbers m deviations apart. *)
Theorem normal_arguments s x x' e : 0 < s -> x' < x ->
  (x - normal_cut s x x' e) / s = (x - x') / s / 2 - e / ((x - x') / s) /\
  (x' - normal_cut s x x' e) / s = - ((x - x') / s) / 2 - e / ((x - x') / s).
Proof. intros S H. unfold normal_cut. split; field; lra. Qed.

(** * The curve, for any Phi with the normal density as its derivative *)
Section Curve.
Context (c : R) (Phi : R -> R).
Hypothesis c_0 : 0 <= c.
Hypothesis Phi_derivative :
  forall z, derivable_pt_lim Phi z (c * exp (- (z * z / 2))).

Definition normal_curve (m e : R) : R := Phi (m / 2 - e / m) - exp e * Phi (- m / 2 - e / m).

Lemma normal_weights m e : m <> 0 ->
  exp e * exp (- ((- m / 2 - e / m) * (- m / 2 - e / m) / 2))
  = exp (- ((m / 2 - e / m) * (m / 2 - e / m) / 2)).
Proof. intros M. rewrite <- exp_plus. f_equal. field. assumption. Qed.

Lemma argument_derivative a e m : m <> 0 ->
  derivable_pt_lim (fun m => a * m - e / m) m (a + e / (m * m)).
Proof.
  intros M. replace (a + e / (m * m)) with (a * 1 - (0 * m - 1 * e) / (m)²)
    by (unfold Rsqr; field; assumption).
  apply (d_minus (fun m => a * m) (fun m => e / m)).
  - apply (d_scale (fun m => m)). apply d_id.
  - apply (d_div (fun _ => e) (fun m => m)); [apply d_const | apply d_id | assumption].
Qed.

(** In m it grows as fast as the density at the upper argument is large. *)
Theorem normal_curve_slope m e : m <> 0 ->
  derivable_pt_lim (fun m => normal_curve m e) m
    (c * exp (- ((m / 2 - e / m) * (m / 2 - e / m) / 2))).
Proof.
  intros M. set (v := m / 2 - e / m). set (w := - m / 2 - e / m).
  assert (V : / 2 * m - e / m = v) by (unfold v; field; assumption).
  assert (W : - / 2 * m - e / m = w) by (unfold w; field; assumption).
  assert (D : derivable_pt_lim
      (fun m => Phi (/ 2 * m - e / m) - exp e * Phi (- / 2 * m - e / m)) m
      (c * exp (- (v * v / 2)) * (/ 2 + e / (m * m))
       - exp e * (c * exp (- (w * w / 2)) * (- / 2 + e / (m * m))))).
  { apply (d_minus (fun m => Phi (/ 2 * m - e / m))
      (fun m => exp e * Phi (- / 2 * m - e / m))).
    - apply (d_comp (fun m => / 2 * m - e / m) Phi); [now apply argument_derivative|].
      rewrite V. apply Phi_derivative.
    - apply (d_scale (fun m => Phi (- / 2 * m - e / m))).
      apply (d_comp (fun m => - / 2 * m - e / m) Phi); [now apply argument_derivative|].
      rewrite W. apply Phi_derivative. }
  assert (E : exp e * exp (- (w * w / 2)) = exp (- (v * v / 2)))
    by (unfold v, w; now apply normal_weights).
  replace (c * exp (- (v * v / 2))) with
    (c * exp (- (v * v / 2)) * (/ 2 + e / (m * m))
       - exp e * (c * exp (- (w * w / 2)) * (- / 2 + e / (m * m)))).
  - intros eps P. destruct (D eps P) as [delta Q]. exists delta. intros h H0 H1.
    specialize (Q h H0 H1). unfold normal_curve.
    replace ((m + h) / 2) with (/ 2 * (m + h)) by field.
    replace (- (m + h) / 2) with (- / 2 * (m + h)) by field.
    replace (m / 2 - e / m) with (/ 2 * m - e / m) by (field; assumption).
    replace (- m / 2 - e / m) with (- / 2 * m - e / m) by (field; assumption). exact Q.
  - replace (exp e * (c * exp (- (w * w / 2)) * (- / 2 + e / (m * m))))
      with (c * (exp e * exp (- (w * w / 2))) * (- / 2 + e / (m * m))) by ring.
    rewrite E. field. assumption.
Qed.

(** So inputs that are further apart need a delta at least as large: the ends need most. *)
Theorem normal_curve_grows m m' e : 0 < m -> m <= m' -> normal_curve m e <= normal_curve m' e.
Proof.
  intros M [H|<-]; [|lra].
  destruct (MVT_cor2 (fun m => normal_curve m e)
    (fun m => c * exp (- ((m / 2 - e / m) * (m / 2 - e / m) / 2))) m m' H) as (k & E & K).
  - intros k K. apply normal_curve_slope. lra.
  - pose proof (exp_pos (- ((k / 2 - e / k) * (k / 2 - e / k) / 2))).
    assert (0 <= c * exp (- ((k / 2 - e / k) * (k / 2 - e / k) / 2)) * (m' - m))
      by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
Qed.
End Curve.

(** The antiderivatives behind mean and variance: z and z^2 - s^2, times the density. *)
Theorem normal_moments c s z : 0 < s ->
  derivable_pt_lim (fun z => - (s * s) * normal_density c s 0 z) z (z * normal_density c s 0 z) /\
  derivable_pt_lim (fun z => - (s * s) * (z * normal_density c s 0 z)) z
    ((z * z - s * s) * normal_density c s 0 z).
Proof.
  intros S.
  assert (D : derivable_pt_lim (fun z => normal_density c s 0 z) z
      (- (z / (s * s)) * normal_density c s 0 z)).
  { unfold normal_density.
    replace (- (z / (s * s)) * (c * exp (- ((z - 0) * (z - 0) / (2 * (s * s))))))
      with (c * (exp (- ((z - 0) * (z - 0) / (2 * (s * s)))) * (- (/ (2 * (s * s))) *
        ((1 - 0) * (z - 0) + (z - 0) * (1 - 0))))) by (field; lra).
    apply (d_scale (fun z => exp (- ((z - 0) * (z - 0) / (2 * (s * s)))))).
    apply (d_comp (fun z => - ((z - 0) * (z - 0) / (2 * (s * s)))) exp); [|apply d_exp].
    assert (B : derivable_pt_lim (fun z => - (/ (2 * (s * s))) * ((z - 0) * (z - 0))) z
        (- (/ (2 * (s * s))) * ((1 - 0) * (z - 0) + (z - 0) * (1 - 0)))).
    { apply (d_scale (fun z => (z - 0) * (z - 0))).
      apply (d_mult (fun z => z - 0) (fun z => z - 0));
        apply (d_minus (fun z => z) (fun _ => 0)); (apply d_id || apply d_const). }
    intros eps P. destruct (B eps P) as [delta Q]. exists delta. intros h H0 H1.
    specialize (Q h H0 H1).
    replace (- ((z + h - 0) * (z + h - 0) / (2 * (s * s))))
      with (- (/ (2 * (s * s))) * ((z + h - 0) * (z + h - 0))) by (field; lra).
    replace (- ((z - 0) * (z - 0) / (2 * (s * s))))
      with (- (/ (2 * (s * s))) * ((z - 0) * (z - 0))) by (field; lra). exact Q. }
  split.
  - replace (z * normal_density c s 0 z)
      with (- (s * s) * (- (z / (s * s)) * normal_density c s 0 z)) by (field; lra).
    apply (d_scale (fun z => normal_density c s 0 z)). exact D.
  - replace ((z * z - s * s) * normal_density c s 0 z)
      with (- (s * s) * (1 * normal_density c s 0 z
        + z * (- (z / (s * s)) * normal_density c s 0 z))) by (field; lra).
    apply (d_scale (fun z => z * normal_density c s 0 z)).
    apply (d_mult (fun z => z) (fun z => normal_density c s 0 z)); [apply d_id | exact D].
Qed.
