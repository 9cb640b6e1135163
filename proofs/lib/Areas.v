(** Integrals of functions that jump: areas under steps.

    An antiderivative is continuous, and may lack a derivative at finitely many places of each
    interval. Which one is taken makes no difference to the integral ([step_integral_unique]). *)
From Coq Require Import Reals List Lra Lia Psatz.
From LDP Require Import Sums Exponential Tails Additive Line.
Import ListNotations.
Open Scope R_scope.

(** The integral of f from a on, where f may jump at finitely many places before any b. *)
Definition right_step_integral (f : R -> R) (a total : R) : Prop := exists F : R -> R,
  F a = 0 /\ (forall y, a <= y -> continuity_pt F y) /\
  (forall b, exists jumps : list R,
    forall y, a < y < b -> ~ In y jumps -> derivable_pt_lim F y (f y)) /\
  tends F total.

(** The integral of f over all numbers. *)
Definition step_integral (f : R -> R) (total : R) : Prop := exists a left right,
  right_step_integral (fun y => f (- y)) (- a) left /\ right_step_integral f a right /\
  total = left + right.

(** * What holds near a place *)
Lemma d_near f g x l d : 0 < d -> (forall y, Rabs (y - x) < d -> f y = g y) ->
  derivable_pt_lim g x l -> derivable_pt_lim f x l.
Proof.
  intros P E H e He. destruct (H e He) as [r Q].
  assert (M : 0 < Rmin d r) by (apply Rmin_pos; [assumption | apply (cond_pos r)]).
  exists (mkposreal _ M). intros h H0 H1. cbn in H1.
  pose proof (Rmin_l d r). pose proof (Rmin_r d r).
  rewrite !E; [apply Q; [assumption | lra] | |].
  - rewrite Rminus_eq_0, Rabs_R0. assumption.
  - replace (x + h - x) with h by ring. lra.
Qed.

Lemma c_near f g x d : 0 < d -> (forall y, Rabs (y - x) < d -> f y = g y) ->
  continuity_pt g x -> continuity_pt f x.
Proof.
  intros P E H e He. destruct (H e He) as (r & R & Q).
  exists (Rmin d r). split; [now apply Rmin_pos|]. intros y [Y1 Y2].
  pose proof (Rmin_l d r). pose proof (Rmin_r d r). cbn in *. unfold R_dist in *.
  rewrite !E; [apply Q; split; [assumption | lra] | |].
  - rewrite Rminus_eq_0, Rabs_R0. assumption.
  - lra.
Qed.

Lemma c_sum {A} (l : list A) (f : A -> R -> R) x :
  (forall a, In a l -> continuity_pt (f a) x) ->
  continuity_pt (fun y => sum_over l (fun a => f a y)) x.
Proof.
  induction l as [|a r IH]; intros H; cbn [sum_over].
  - apply continuity_pt_const. now intros y z.
  - apply (continuity_pt_plus (f a) (fun y => sum_over r (fun a => f a y))).
    + apply H. now left.
    + apply IH. intros b B. apply H. now right.
Qed.

Lemma d_sum {A} (l : list A) (f : A -> R -> R) (f' : A -> R) x :
  (forall a, In a l -> derivable_pt_lim (f a) x (f' a)) ->
  derivable_pt_lim (fun y => sum_over l (fun a => f a y)) x (sum_over l f').
Proof.
  induction l as [|a r IH]; intros H; cbn [sum_over].
  - apply d_const.
  - apply (d_plus (f a) (fun y => sum_over r (fun a => f a y))).
    + apply H. now left.
    + apply IH. intros b B. apply H. now right.
Qed.

(** * The part of a step below s *)
Definition clamped (p : R * R * R) (s : R) : R := Rmax (step_low p) (Rmin s (step_high p)).
Definition moment_below (j : nat) (s : R) (p : R * R * R) : R :=
  step_moment j (step_low p, clamped p s, step_level p).

Lemma clamped_within p s : step_low p <= step_high p ->
  step_low p <= clamped p s <= step_high p.
Proof.
  intros H. unfold clamped. split; [apply Rmax_l|]. apply Rmax_lub; [assumption | apply Rmin_r].
Qed.

Lemma clamped_low p s : s <= step_low p -> clamped p s = step_low p.
Proof.
  intros H. unfold clamped. apply Rmax_left. apply Rle_trans with s; [apply Rmin_l | assumption].
Qed.

Lemma clamped_high p s : step_low p <= step_high p -> step_high p <= s -> clamped p s = step_high p.
Proof. intros L H. unfold clamped. rewrite Rmin_right by assumption. now apply Rmax_right. Qed.

Lemma clamped_inside p s : step_low p <= s <= step_high p -> clamped p s = s.
Proof. intros [L H]. unfold clamped. rewrite Rmin_left by assumption. now apply Rmax_right. Qed.

Lemma clamped_moves p s t : Rabs (clamped p t - clamped p s) <= Rabs (t - s).
Proof.
  unfold clamped, Rmin. destruct (Rle_dec t (step_high p)), (Rle_dec s (step_high p)); unfold Rmax;
    repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end;
    unfold Rabs;
    repeat match goal with |- context [Rcase_abs ?a] => destruct (Rcase_abs a) end; lra.
Qed.

Lemma clamped_continuous p s : continuity_pt (clamped p) s.
Proof.
  intros e He. exists e. split; [assumption|]. intros t [_ T]. cbn in *. unfold R_dist in *.
  pose proof (clamped_moves p s t). lra.
Qed.

Lemma moment_derivative j low level t :
  derivable_pt_lim (fun t => step_moment j (low, t, level)) t (level * t ^ j).
Proof.
  assert (N : INR (S j) <> 0) by (apply not_0_INR; lia).
  replace (level * t ^ j) with (level / INR (S j) * (INR (S j) * t ^ pred (S j) - 0))
    by (cbn [pred]; field; assumption).
  assert (D : derivable_pt_lim (fun t => level / INR (S j) * (t ^ S j - low ^ S j)) t
    (level / INR (S j) * (INR (S j) * t ^ pred (S j) - 0))).
  { apply (d_scale (fun t => t ^ S j - low ^ S j)). 
    apply (d_minus (fun t => t ^ S j) (fun _ => low ^ S j));
      [apply derivable_pt_lim_pow | apply d_const]. }
  eapply d_near with (d := 1); [lra | | exact D].
  intros y _. unfold step_moment, step_level, step_low, step_high. cbn [fst snd]. field. assumption.
Qed.

Lemma below_continuous j p s : continuity_pt (fun s => moment_below j s p) s.
Proof.
  apply (continuity_pt_comp (clamped p) (fun t => step_moment j (step_low p, t, step_level p))).
  - apply clamped_continuous.
  - apply derivable_continuous_pt. eexists. apply moment_derivative.
Qed.

Lemma below_derivative j p s : step_low p <= step_high p -> s <> step_low p -> s <> step_high p ->
  derivable_pt_lim (fun s => moment_below j s p) s (s ^ j * step_at s p).
Proof.
  intros L N1 N2. unfold step_at.
  assert (C : forall t, derivable_pt_lim (fun _ : R => t) s 0) by (intros; apply d_const).
  destruct (Rle_dec (step_low p) s) as [A|A].
  - destruct (Rlt_dec s (step_high p)) as [B|B].
    + apply d_near with (g := fun t => step_moment j (step_low p, t, step_level p))
        (d := Rmin (s - step_low p) (step_high p - s)).
      * apply Rmin_pos; lra.
      * intros y Y. pose proof (Rmin_l (s - step_low p) (step_high p - s)).
        pose proof (Rmin_r (s - step_low p) (step_high p - s)).
        assert (Z : Rabs (y - s) < s - step_low p /\ Rabs (y - s) < step_high p - s) by lra.
        destruct Z as [Z1 Z2]. apply Rabs_def2 in Z1. apply Rabs_def2 in Z2.
        unfold moment_below. rewrite clamped_inside by lra. reflexivity.
      * rewrite Rmult_comm. apply moment_derivative.
    + rewrite Rmult_0_r.
      apply d_near with (g := fun _ => step_moment j p) (d := s - step_high p); [lra| |apply C].
      intros y Y. apply Rabs_def2 in Y. unfold moment_below. rewrite clamped_high by lra.
      now destruct p as [[low high] level].
  - rewrite Rmult_0_r.
    apply d_near with (g := fun _ => step_moment j (step_low p, step_low p, step_level p))
      (d := step_low p - s); [lra| |apply C].
    intros y Y. apply Rabs_def2 in Y. unfold moment_below. now rewrite clamped_low by lra.
Qed.

(** * Steps without gaps *)
Definition all_below (j : nat) (steps : list (R * R * R)) (s : R) : R :=
  sum_over steps (moment_below j s).

Section Chained.
Context (steps : list (R * R * R)) (start stop : R).
Hypothesis joined : chained start steps stop.

Lemma chained_high p : In p steps -> step_low p <= step_high p <= stop.
Proof.
  revert start joined. induction steps as [|q r IH]; intros start H I; [destruct I|].
  destruct H as (A & B & C). pose proof (chained_stop _ _ _ C).
  destruct I as [<-|I]; [lra | exact (IH _ C I)].
Qed.

Lemma all_below_before j s : s <= start -> all_below j steps s = 0.
Proof.
  intros H. unfold all_below.
  rewrite (sum_ext steps (moment_below j s) (fun _ => 0)).
  - clear joined. induction steps as [|p r IH]; cbn [sum_over]; [|rewrite IH]; lra.
  - intros p I. pose proof (chained_low _ _ _ _ joined I). unfold moment_below.
    rewrite clamped_low by lra. unfold step_moment, step_low, step_high, step_level. cbn [fst snd].
    unfold Rdiv. rewrite Rminus_eq_0. ring.
Qed.

Lemma all_below_beyond j s : stop <= s -> all_below j steps s = sum_over steps (step_moment j).
Proof.
  intros H. apply sum_ext. intros p I. pose proof (chained_high p I). unfold moment_below.
  rewrite clamped_high by lra. now destruct p as [[low high] level].
Qed.

Lemma all_below_continuous j s : continuity_pt (all_below j steps) s.
Proof. apply (c_sum steps (fun p s => moment_below j s p)). intros p _. apply below_continuous. Qed.

Lemma all_below_derivative j s :
  (forall p, In p steps -> s <> step_low p /\ s <> step_high p) ->
  derivable_pt_lim (all_below j steps) s (s ^ j * sum_over steps (step_at s)).
Proof.
  intros N. rewrite <- sum_scale.
  apply (d_sum steps (fun p s => moment_below j s p) (fun p => s ^ j * step_at s p)).
  intros p I. destruct (N p I). pose proof (chained_high p I). apply below_derivative; tauto.
Qed.

Lemma all_below_bounded j s : 0 <= start -> every (fun p => 0 <= step_level p) steps ->
  0 <= all_below j steps s <= sum_over steps (step_moment j).
Proof.
  intros S P. unfold all_below.
  assert (E : forall p, In p steps -> 0 <= moment_below j s p <= step_moment j p).
  { intros p I. pose proof (chained_low _ _ _ _ joined I). pose proof (chained_high p I) as [L _].
    pose proof (every_in _ _ p P I) as Q. cbn beta in Q. destruct (clamped_within p s L) as [C1 C2].
    assert (N : 0 < / INR (Datatypes.S j)) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
    assert (M1 : step_low p ^ Datatypes.S j <= clamped p s ^ Datatypes.S j)
      by (apply pow_incr; lra).
    assert (M2 : clamped p s ^ Datatypes.S j <= step_high p ^ Datatypes.S j)
      by (apply pow_incr; lra).
    unfold moment_below, step_moment, Rdiv.
    change (step_low (step_low p, clamped p s, step_level p)) with (step_low p).
    change (step_high (step_low p, clamped p s, step_level p)) with (clamped p s).
    change (step_level (step_low p, clamped p s, step_level p)) with (step_level p).
    split; [repeat apply Rmult_le_pos; lra|].
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
  split.
  - apply sum_nonneg. intros p I. now apply E.
  - apply sum_le. intros p I. now apply E.
Qed.
End Chained.

(** * The integral is one number *)
Lemma constant_off (jumps : list R) (G : R -> R) : forall a b, a <= b ->
  (forall y, a <= y <= b -> continuity_pt G y) ->
  (forall y, a < y < b -> ~ In y jumps -> derivable_pt_lim G y 0) -> G b = G a.
Proof.
  induction jumps as [|p r IH]; intros a b L C D.
  - destruct L as [L|<-]; [|reflexivity].
    assert (D' : forall y, a < y < b -> derivable_pt_lim G y 0) by (intros; apply D; auto).
    destruct (MVT G (fun y => y) a b (fun c H => exist _ 0 (D' c H))
      (fun c _ => exist _ 1 (d_id c)) L C) as (c & P & E).
    + intros c _. apply derivable_continuous_pt. exists 1. apply d_id.
    + cbn in E. lra.
  - destruct (Rlt_le_dec a p) as [A|A]; [destruct (Rlt_le_dec p b) as [B|B]|].
    + transitivity (G p); apply IH; try lra; intros y Y; try (apply C; lra);
        intros N; (apply D; [lra|]); intros [Q|Q]; (lra || contradiction).
    + apply IH; try assumption. intros y Y N. apply D; [lra|]. intros [Q|Q]; [lra | contradiction].
    + apply IH; try assumption. intros y Y N. apply D; [lra|]. intros [Q|Q]; [lra | contradiction].
Qed.

Lemma tends_unique F l m : tends F l -> tends F m -> l = m.
Proof.
  intros H K. destruct (Req_dec l m) as [E|N]; [assumption|exfalso].
  assert (P : 0 < Rabs (l - m) / 2) by (pose proof (Rabs_pos_lt (l - m)); lra).
  destruct (H _ P) as [Y1 H1]. destruct (K _ P) as [Y2 H2]. set (y := Rabs Y1 + Rabs Y2 + 1).
  pose proof (Rle_abs Y1). pose proof (Rle_abs Y2). pose proof (Rabs_pos Y1).
  pose proof (Rabs_pos Y2).
  specialize (H1 y ltac:(unfold y; lra)). specialize (H2 y ltac:(unfold y; lra)).
  pose proof (Rabs_triang (l - F y) (F y - m)) as T.
  replace (l - F y + (F y - m)) with (l - m) in T by ring.
  rewrite (Rabs_minus_sym l (F y)) in T. lra.
Qed.

Lemma tends_shifted F G k a l m : (forall y, a <= y -> F y = G y + k) -> tends F l -> tends G m ->
  l = m + k.
Proof.
  intros E H K. apply (tends_unique F); [assumption|]. intros e He. destruct (K e He) as [Y HY].
  exists (Rmax a Y). intros y P. pose proof (Rmax_l a Y). pose proof (Rmax_r a Y).
  rewrite E by lra. replace (G y + k - (m + k)) with (G y - m) by ring. apply HY. lra.
Qed.

(** Two antiderivatives of one function differ by a constant. *)
Lemma differ_by_constant f F G a :
  (forall y, a <= y -> continuity_pt F y) -> (forall y, a <= y -> continuity_pt G y) ->
  (forall b, exists jumps, forall y, a < y < b -> ~ In y jumps -> derivable_pt_lim F y (f y)) ->
  (forall b, exists jumps, forall y, a < y < b -> ~ In y jumps -> derivable_pt_lim G y (f y)) ->
  forall y, a <= y -> F y = G y + (F a - G a).
Proof.
  intros CF CG DF DG y Y. destruct (DF y) as [j1 H1]. destruct (DG y) as [j2 H2].
  enough (E : F y - G y = F a - G a) by lra.
  apply (constant_off (j1 ++ j2) (fun y => F y - G y) a y Y).
  - intros t T. apply (continuity_pt_minus F G); [apply CF | apply CG]; lra.
  - intros t T N. rewrite in_app_iff in N. replace 0 with (f t - f t) by ring.
    apply (d_minus F G); [apply H1 | apply H2]; tauto.
Qed.

Lemma step_integrals_from f a1 a2 l1 r1 l2 r2 : a1 <= a2 ->
  right_step_integral (fun y => f (- y)) (- a1) l1 -> right_step_integral f a1 r1 ->
  right_step_integral (fun y => f (- y)) (- a2) l2 -> right_step_integral f a2 r2 ->
  l1 + r1 = l2 + r2.
Proof.
  intros L (L1 & L1z & L1c & L1d & L1t) (R1 & R1z & R1c & R1d & R1t)
    (L2 & L2z & L2c & L2d & L2t) (R2 & R2z & R2c & R2d & R2t).
  assert (ER : r1 = r2 + R1 a2).
  { apply (tends_shifted R1 R2 (R1 a2) a2); try assumption. intros y Y.
    rewrite (differ_by_constant f R1 R2 a2); [rewrite R2z; lra | | assumption | | assumption | lra].
    - intros t T. apply R1c. lra.
    - intros b. destruct (R1d b) as [j H]. exists j. intros t T. apply H. lra. }
  assert (EL : l2 = l1 + L2 (- a1)).
  { apply (tends_shifted L2 L1 (L2 (- a1)) (- a1)); try assumption. intros y Y.
    rewrite (differ_by_constant (fun y => f (- y)) L2 L1 (- a1));
      [rewrite L1z; lra | | assumption | | assumption | lra].
    - intros t T. apply L2c. lra.
    - intros b. destruct (L2d b) as [j H]. exists j. intros t T. apply H. lra. }
  destruct (R1d a2) as [j1 H1]. destruct (L2d (- a1)) as [j2 H2].
  pose proof (constant_off (j1 ++ map Ropp j2) (fun y => R1 y + L2 (- y)) a1 a2 L) as E.
  assert (O : forall y, derivable_pt_lim (fun y => - y) y (- (1))).
  { intros y. exact (derivable_pt_lim_opp (fun y => y) y 1 (d_id y)). }
  assert (X : R1 a2 + L2 (- a2) = R1 a1 + L2 (- a1)).
  { apply E.
    - intros y Y. apply (continuity_pt_plus R1 (fun y => L2 (- y))); [apply R1c; lra|].
      apply (continuity_pt_comp (fun y => - y) L2); [|apply L2c; lra].
      apply derivable_continuous_pt. exists (- (1)). apply O.
    - intros y Y N. rewrite in_app_iff in N.
      replace 0 with (f y + f (- - y) * - (1)) by (rewrite Ropp_involutive; ring).
      apply (d_plus R1 (fun y => L2 (- y))); [apply H1; tauto|].
      apply (d_comp (fun y => - y) L2); [apply O|]. apply H2; [lra|].
      intros I. apply N. right. apply in_map_iff. exists (- y). split; [ring | assumption]. }
  lra.
Qed.

Theorem step_integral_unique f t u : step_integral f t -> step_integral f u -> t = u.
Proof.
  intros (a1 & l1 & r1 & L1 & R1 & ->) (a2 & l2 & r2 & L2 & R2 & ->).
  destruct (Rle_or_lt a1 a2) as [H|H].
  - exact (step_integrals_from f a1 a2 l1 r1 l2 r2 H L1 R1 L2 R2).
  - symmetry. exact (step_integrals_from f a2 a1 l2 r2 l1 r1 (Rlt_le _ _ H) L2 R2 L1 R1).
Qed.
