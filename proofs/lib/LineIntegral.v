(** Integrals over all numbers with one antiderivative, and what a test of a report can gain. *)
From Coq Require Import Reals List Lra Lia Psatz.
From LDP Require Import Sums Exponential Tails Additive Line Areas.
Import ListNotations.
Open Scope R_scope.

(** The integral of f over all numbers, where f may jump at finitely many places of an interval. *)
Definition line_integral (f : R -> R) (total : R) : Prop := exists F left right,
  continuity F /\
  (forall a b, exists jumps : list R,
    forall y, a < y < b -> ~ In y jumps -> derivable_pt_lim F y (f y)) /\
  tends F right /\ tends (fun y => F (- y)) left /\ total = right - left.

(** Whoever draws a conclusion with chance [test y] from the report y gains at most this. *)
Definition additive_curve (M : additive R) (delta : R -> R) : Prop :=
  forall x x' eps test p p', additive_inputs M x -> additive_inputs M x' -> 0 <= eps ->
  (forall y, 0 <= test y <= 1) ->
  line_integral (fun y => test y * additive_weight M x y) p ->
  line_integral (fun y => test y * additive_weight M x' y) p' ->
  p <= exp eps * p' + delta eps.

(** No epsilon is enough, and at each of them some test of two inputs gains as much. *)
Definition additive_curve_tight (M : additive R) (delta : R -> R) : Prop :=
  (forall eps, ~ additive_ldp M eps) /\
  forall eps, 0 <= eps -> exists x x' test p p',
  additive_inputs M x /\ additive_inputs M x' /\ (forall y, 0 <= test y <= 1) /\
  line_integral (fun y => test y * additive_weight M x y) p /\
  line_integral (fun y => test y * additive_weight M x' y) p' /\
  p = exp eps * p' + delta eps.

Lemma tends_minus F G k l m : tends F l -> tends G m -> tends (fun y => F y - k * G y) (l - k * m).
Proof.
  intros H K e He. pose proof (Rabs_pos k) as P.
  destruct (H (e / 2) ltac:(lra)) as [Y1 H1].
  destruct (K (e / (2 * (Rabs k + 1)))) as [Y2 H2]; [apply Rdiv_lt_0_compat; lra|].
  exists (Rmax Y1 Y2). intros y Y. pose proof (Rmax_l Y1 Y2). pose proof (Rmax_r Y1 Y2).
  specialize (H1 y ltac:(lra)). specialize (H2 y ltac:(lra)).
  replace (F y - k * G y - (l - k * m)) with ((F y - l) + (- k) * (G y - m)) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang|]. rewrite (Rabs_mult (- k)), Rabs_Ropp.
  pose proof (Rabs_pos (G y - m)) as Q.
  assert (B : Rabs k * Rabs (G y - m) <= (Rabs k + 1) * Rabs (G y - m)) by nra.
  assert (C : (Rabs k + 1) * Rabs (G y - m) < e / 2).
  { apply Rmult_lt_reg_r with (/ (Rabs k + 1)); [apply Rinv_0_lt_compat; lra|].
    replace ((Rabs k + 1) * Rabs (G y - m) * / (Rabs k + 1)) with (Rabs (G y - m)) by (field; lra).
    replace (e / 2 * / (Rabs k + 1)) with (e / (2 * (Rabs k + 1))) by (field; lra). exact H2. }
  lra.
Qed.

Lemma line_integral_minus f g k p q : line_integral f p -> line_integral g q ->
  line_integral (fun y => f y - k * g y) (p - k * q).
Proof.
  intros (F & l1 & r1 & C1 & D1 & R1 & L1 & ->) (G & l2 & r2 & C2 & D2 & R2 & L2 & ->).
  exists (fun y => F y - k * G y), (l1 - k * l2), (r1 - k * r2).
  split; [|split; [|split; [|split; [|ring]]]].
  - intros y. apply (continuity_pt_minus F (fun y => k * G y)); [apply C1|].
    apply (continuity_pt_scal G). apply C2.
  - intros a b. destruct (D1 a b) as [j1 J1]. destruct (D2 a b) as [j2 J2]. exists (j1 ++ j2).
    intros y Y N. rewrite in_app_iff in N. apply (d_minus F (fun y => k * G y)); [apply J1; tauto|].
    apply (d_scale G). apply J2; tauto.
  - now apply tends_minus.
  - now apply (tends_minus (fun y => F (- y)) (fun y => G (- y))).
Qed.

Lemma line_integral_same f g p : (forall y, f y = g y) -> line_integral f p -> line_integral g p.
Proof.
  intros E (F & l & r & C & D & Rt & L & ->). exists F, l, r. repeat (split; [assumption|]).
  split; [|now repeat split]. intros a b. destruct (D a b) as [j J]. exists j. intros y Y N.
  rewrite <- E. now apply J.
Qed.

Lemma line_integral_mirror f p : line_integral f p -> line_integral (fun y => f (- y)) p.
Proof.
  intros (F & l & r & C & D & Rt & L & ->).
  assert (O : forall y, derivable_pt_lim (fun y => - y) y (- (1))).
  { intros y. exact (derivable_pt_lim_opp (fun y => y) y 1 (d_id y)). }
  exists (fun y => 0 - 1 * F (- y)), (0 - 1 * r), (0 - 1 * l).
  assert (Z : forall y : R, tends (fun _ => 0) 0).
  { intros _ e He. exists 0. intros y _. rewrite Rminus_0_r, Rabs_R0. assumption. }
  split; [|split; [|split; [|split; [|ring]]]].
  - intros y. apply (continuity_pt_minus (fun _ => 0) (fun y => 1 * F (- y))).
    + apply continuity_pt_const. now intros a b.
    + apply (continuity_pt_scal (fun y => F (- y))).
      apply (continuity_pt_comp (fun y => - y) F); [|apply C].
      apply derivable_continuous_pt. exists (- (1)). apply O.
  - intros a b. destruct (D (- b) (- a)) as [j J]. exists (map Ropp j). intros y Y N.
    replace (f (- y)) with (0 - 1 * (f (- y) * - (1))) by ring.
    apply (d_minus (fun _ => 0) (fun y => 1 * F (- y))); [apply d_const|].
    apply (d_scale (fun y => F (- y))). apply (d_comp (fun y => - y) F); [apply O|].
    apply J; [lra|]. intros I. apply N. apply in_map_iff. exists (- y). split; [ring | assumption].
  - apply (tends_minus (fun _ => 0) (fun y => F (- y))); [apply (Z 0) | assumption].
  - apply (tends_minus (fun _ => 0) (fun y => F (- - y))); [apply (Z 0)|].
    intros e He. destruct (Rt e He) as [Y H]. exists Y. intros y Hy. rewrite Ropp_involutive. auto.
Qed.

Lemma grows_off (jumps : list R) (G G' : R -> R) : forall a b, a <= b ->
  (forall y, a <= y <= b -> continuity_pt G y) ->
  (forall y, a < y < b -> ~ In y jumps -> derivable_pt_lim G y (G' y)) ->
  (forall y, 0 <= G' y) -> G a <= G b.
Proof.
  induction jumps as [|p r IH]; intros a b L C D P.
  - destruct L as [L|<-]; [|lra].
    assert (D' : forall y, a < y < b -> derivable_pt_lim G y (G' y)) by (intros; apply D; auto).
    destruct (MVT G (fun y => y) a b (fun c H => exist _ (G' c) (D' c H))
      (fun c _ => exist _ 1 (d_id c)) L C) as (c & Q & E).
    + intros c _. apply derivable_continuous_pt. exists 1. apply d_id.
    + cbn in E. pose proof (P c). nra.
  - destruct (Rlt_le_dec a p) as [A|A]; [destruct (Rlt_le_dec p b) as [B|B]|].
    + apply Rle_trans with (G p); apply IH; try lra; try assumption; intros y Y;
        try (apply C; lra); intros N; (apply D; [lra|]); intros [Q|Q]; (lra || contradiction).
    + apply IH; try assumption. intros y Y N. apply D; [lra|]. intros [Q|Q]; [lra | contradiction].
    + apply IH; try assumption. intros y Y N. apply D; [lra|]. intros [Q|Q]; [lra | contradiction].
Qed.

Lemma line_integral_nonnegative f p : (forall y, 0 <= f y) -> line_integral f p -> 0 <= p.
Proof.
  intros P (F & l & r & C & D & Rt & L & ->). apply Rnot_lt_le. intros N.
  destruct (Rt ((l - r) / 2) ltac:(lra)) as [Y1 H1].
  destruct (L ((l - r) / 2) ltac:(lra)) as [Y2 H2].
  set (y := Rabs Y1 + Rabs Y2 + 1). pose proof (Rle_abs Y1). pose proof (Rle_abs Y2).
  pose proof (Rabs_pos Y1). pose proof (Rabs_pos Y2).
  specialize (H1 y ltac:(unfold y; lra)). specialize (H2 y ltac:(unfold y; lra)).
  apply Rabs_def2 in H1. apply Rabs_def2 in H2.
  destruct (D (- y) y) as [j J].
  pose proof (grows_off j F f (- y) y ltac:(unfold y; lra) (fun t _ => C t) J P). lra.
Qed.

Theorem line_integral_le f g p q : (forall y, f y <= g y) -> line_integral f p ->
  line_integral g q -> p <= q.
Proof.
  intros E I J. pose proof (line_integral_minus g f 1 q p J I) as H.
  apply line_integral_nonnegative in H; [lra|]. intros y. specialize (E y). lra.
Qed.
