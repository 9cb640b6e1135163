(** Reports that are real numbers: densities that are constant on finitely many intervals, written
    by hand as `spec/` has them: duchi, piecewise, hybrid and square_wave.

    A step density starts at a first end and goes on to the last end of each interval in turn. Its
    moments are sums of integrals, each of which is the difference of an antiderivative
    (`piece_integral`); that a bound on densities bounds the probability of every (measurable) set
    is not said here. *)
From Coq Require Import Reals List Lra Lia Psatz Bool.
From LDP Require Import Sums Exponential Randomizer.
Import ListNotations.
Open Scope R_scope.

(** (end, level) of each interval, in order. *)
Fixpoint level_at (steps : list (R * R)) (y : R) : R :=
  match steps with
  | [] => 0
  | (stop, level) :: rest => if Rlt_dec y stop then level else level_at rest y
  end.

Definition step_density (start : R) (steps : list (R * R)) (y : R) : R :=
  if Rlt_dec y start then 0 else level_at steps y.

(** The sum over the intervals of the integral of level * y^j. *)
Fixpoint moment (j : nat) (start : R) (steps : list (R * R)) : R :=
  match steps with
  | [] => 0
  | (stop, level) :: rest =>
      level * (stop ^ S j - start ^ S j) / INR (S j) + moment j stop rest
  end.

(** Intervals are not reversed, and levels are not negative. *)
Fixpoint proper (start : R) (steps : list (R * R)) : Prop :=
  match steps with
  | [] => True
  | (stop, level) :: rest => start <= stop /\ 0 <= level /\ proper stop rest
  end.

(** The integral of level * y^j from a to b, by Newton's definition. *)
Theorem piece_integral j level a b : a <= b ->
  exists pr : Newton_integrable (fun y => level * y ^ j) a b,
  NewtonInt (fun y => level * y ^ j) a b pr = level * (b ^ S j - a ^ S j) / INR (S j).
Proof.
  intros L. set (g := fun y => level / INR (S j) * y ^ S j).
  assert (N : INR (S j) <> 0) by (apply not_0_INR; lia).
  assert (D : forall y, derivable_pt_lim g y (level * y ^ j)).
  { intros y. replace (level * y ^ j) with (level / INR (S j) * (INR (S j) * y ^ pred (S j)))
      by (cbn [pred]; field; assumption).
    exact (derivable_pt_lim_scal (fun y => y ^ S j) _ y _ (derivable_pt_lim_pow y (S j))). }
  assert (A : antiderivative (fun y => level * y ^ j) g a b).
  { split; [|assumption]. intros y _. exists (exist _ _ (D y)). reflexivity. }
  exists (exist _ g (or_introl A)). unfold NewtonInt, g. field. assumption.
Qed.

Lemma last_cons {A} (a d : A) l : last (a :: l) d = last l a.
Proof.
  revert a d. induction l as [|b l IH]; intros a d; [reflexivity|].
  change (last (b :: l) d = last (b :: l) a). now rewrite !IH.
Qed.

Lemma level_between steps low high start stop y : Forall (fun s => low <= snd s <= high) steps ->
  last (map fst steps) start = stop -> y < stop -> start <= y -> low <= level_at steps y <= high.
Proof.
  revert start. induction steps as [|[r l] rest IH]; intros start F E H1 H2.
  - cbn in E. lra.
  - inversion F as [|? ? F1 F2]. cbn [level_at]. destruct (Rlt_dec y r) as [L|L]; [assumption|].
    cbn [map fst] in E. rewrite last_cons in E. apply (IH r); auto; lra.
Qed.

Lemma proper_last steps start : proper start steps -> start <= last (map fst steps) start.
Proof.
  revert start. induction steps as [|[r l] rest IH]; intros start P; [cbn; lra|].
  destruct P as (A & _ & B). cbn [map fst]. rewrite last_cons. specialize (IH r B). lra.
Qed.

Lemma level_beyond steps start y : proper start steps -> last (map fst steps) start <= y ->
  level_at steps y = 0.
Proof.
  revert start. induction steps as [|[r l] rest IH]; intros start P E; [reflexivity|].
  destruct P as (_ & _ & P). cbn [map fst] in E. rewrite last_cons in E.
  pose proof (proper_last rest r P). cbn [level_at].
  destruct (Rlt_dec y r) as [L|L]; [lra|]. now apply (IH r).
Qed.

(** Two step densities on one interval with levels between low and high. *)
Theorem step_ratio start stop low high U steps steps' y : high <= U * low -> 0 <= low ->
  1 <= U -> proper start steps -> proper start steps' ->
  last (map fst steps) start = stop -> last (map fst steps') start = stop ->
  Forall (fun s => low <= snd s <= high) steps -> Forall (fun s => low <= snd s <= high) steps' ->
  step_density start steps y <= U * step_density start steps' y.
Proof.
  intros H L0 HU P P' E E' F F'. unfold step_density. destruct (Rlt_dec y start) as [|N]; [lra|].
  destruct (Rlt_dec y stop) as [Y|Y].
  - pose proof (level_between steps low high start stop y F E Y ltac:(lra)).
    pose proof (level_between steps' low high start stop y F' E' Y ltac:(lra)).
    assert (U * low <= U * level_at steps' y) by (apply Rmult_le_compat_l; lra). lra.
  - rewrite (level_beyond steps start y), (level_beyond steps' start y); try assumption; lra.
Qed.

(** * Duchi's mechanism: two outputs *)
Definition duchi_point (eps : R) : R := (exp eps + 1) / (exp eps - 1).
Definition duchi_value (eps : R) (b : bool) : R := if b then duchi_point eps else - duchi_point eps.
Definition duchi_mass (eps x : R) (b : bool) : R :=
  if b then 1 / 2 + x * (exp eps - 1) / (2 * exp eps + 2)
  else 1 / 2 - x * (exp eps - 1) / (2 * exp eps + 2).
Definition duchi (eps : R) : mech R bool :=
  Mech (fun x => -1 <= x <= 1) [false; true] (duchi_mass eps).

Section Duchi.
Context (eps : R).
Hypothesis eps_0 : 0 < eps.
Let u := exp eps.

Lemma duchi_above : 1 < u.
Proof. now apply exp_above_1. Qed.

Lemma duchi_cells x b : -1 <= x <= 1 -> 1 / (u + 1) <= duchi_mass eps x b <= u / (u + 1).
Proof.
  intros H. pose proof duchi_above as U. unfold duchi_mass. fold u.
  assert (G : -1 * ((u - 1) / (2 * u + 2)) <= x * ((u - 1) / (2 * u + 2))
    <= 1 * ((u - 1) / (2 * u + 2))).
  { assert (0 <= (u - 1) / (2 * u + 2)).
    { unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. }
    split; apply Rmult_le_compat_r; lra. }
  replace (1 / (u + 1)) with (1 / 2 - 1 * ((u - 1) / (2 * u + 2))) by (field; lra).
  replace (u / (u + 1)) with (1 / 2 + 1 * ((u - 1) / (2 * u + 2))) by (field; lra).
  replace (x * (u - 1) / (2 * u + 2)) with (x * ((u - 1) / (2 * u + 2))) by (field; lra).
  destruct b; lra.
Qed.

Theorem duchi_stochastic : stochastic (duchi eps).
Proof.
  intros x Hx. pose proof duchi_above as U. split.
  - intros b _. pose proof (duchi_cells x b Hx) as C.
    assert (0 < 1 / (u + 1)) by (apply Rdiv_lt_0_compat; lra). cbn. lra.
  - cbn. fold u. field. lra.
Qed.

Theorem duchi_ldp : ldp (duchi eps) eps.
Proof.
  intros x x' b Hx Hx' _. pose proof duchi_above as U. cbn [duchi pr]. fold u.
  pose proof (duchi_cells x b Hx) as C. pose proof (duchi_cells x' b Hx') as C'.
  assert (u * (1 / (u + 1)) <= u * duchi_mass eps x' b) by (apply Rmult_le_compat_l; lra).
  replace (u / (u + 1)) with (u * (1 / (u + 1))) in C by (field; lra). lra.
Qed.

Theorem duchi_tight : ldp_tight (duchi eps) eps.
Proof.
  pose proof duchi_above as U. exists 1, (-1), true. cbn. fold u. repeat split; try lra; auto.
  - replace (1 / 2 + _) with (1 / (u + 1)) by (field; lra). apply Rdiv_lt_0_compat; lra.
  - field. lra.
Qed.

Theorem duchi_mean x : expectation (duchi eps) x (duchi_value eps) = x.
Proof.
  pose proof duchi_above as U. unfold expectation. cbn. unfold duchi_point. fold u. field. lra.
Qed.

Theorem duchi_variance x : -1 <= x <= 1 ->
  variance (duchi eps) x (duchi_value eps) = duchi_point eps ^ 2 - x ^ 2.
Proof.
  intros Hx. pose proof duchi_above as U.
  rewrite variance_moments, duchi_mean by (auto using duchi_stochastic).
  unfold expectation. cbn. unfold duchi_point. fold u. field. lra.
Qed.
End Duchi.

(** * The piecewise mechanism, s = e^(eps/2) *)
Section Piecewise.
Context (s : R).
Hypothesis s_1 : 1 < s.

Definition piecewise_end : R := (s + 1) / (s - 1).
Definition piecewise_from (x : R) : R :=
  (piecewise_end + 1) * x / 2 - (piecewise_end - 1) / 2.
Definition piecewise_to (x : R) : R := piecewise_from x + piecewise_end - 1.
Definition piecewise_high : R := (s ^ 2 - s) / (2 * s + 2).
Definition piecewise_low : R := (s - 1) / (2 * s ^ 2 + 2 * s).
Definition piecewise (x : R) : list (R * R) :=
  [(piecewise_from x, piecewise_low); (piecewise_to x, piecewise_high);
   (piecewise_end, piecewise_low)].

Lemma piecewise_levels : 0 < piecewise_low /\ piecewise_high = s ^ 2 * piecewise_low.
Proof.
  unfold piecewise_low, piecewise_high. split; [apply Rdiv_lt_0_compat; nra|]. field.
  split; nra.
Qed.

Lemma piecewise_ends x : -1 <= x <= 1 ->
  - piecewise_end <= piecewise_from x /\ piecewise_from x <= piecewise_to x /\
  piecewise_to x <= piecewise_end.
Proof.
  intros H. assert (E : 1 < piecewise_end).
  { unfold piecewise_end. apply Rmult_lt_reg_r with (s - 1); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  unfold piecewise_to, piecewise_from. split; [|split]; nra.
Qed.

Theorem piecewise_total x : moment 0 (- piecewise_end) (piecewise x) = 1.
Proof.
  unfold piecewise, piecewise_to, piecewise_from, piecewise_low, piecewise_high, piecewise_end.
  cbn. field. repeat split; nra.
Qed.

Theorem piecewise_proper x : -1 <= x <= 1 -> proper (- piecewise_end) (piecewise x).
Proof.
  intros H. destruct (piecewise_ends x H) as (A & B & C). destruct piecewise_levels as [L E].
  assert (0 < piecewise_high) by (rewrite E; apply Rmult_lt_0_compat; nra).
  cbn. repeat split; lra.
Qed.

Theorem piecewise_ratio x x' y : -1 <= x <= 1 -> -1 <= x' <= 1 ->
  step_density (- piecewise_end) (piecewise x) y
  <= s ^ 2 * step_density (- piecewise_end) (piecewise x') y.
Proof.
  intros H H'. destruct piecewise_levels as [L E].
  assert (S1 : 1 <= s ^ 2) by nra.
  assert (G : 1 * piecewise_low <= s ^ 2 * piecewise_low) by (apply Rmult_le_compat_r; lra).
  apply step_ratio with (stop := piecewise_end) (low := piecewise_low) (high := piecewise_high)
      (U := s ^ 2); [ lra | lra | lra | now apply piecewise_proper | now apply piecewise_proper
    | reflexivity | reflexivity | | ];
    cbn; repeat (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Theorem piecewise_mean x : moment 1 (- piecewise_end) (piecewise x) = x.
Proof.
  unfold piecewise, piecewise_to, piecewise_from, piecewise_low, piecewise_high, piecewise_end.
  cbn. field. repeat split; nra.
Qed.

Theorem piecewise_variance x : moment 2 (- piecewise_end) (piecewise x) - x ^ 2
  = x ^ 2 / (s - 1) + (s + 3) / (3 * (s - 1) ^ 2).
Proof.
  unfold piecewise, piecewise_to, piecewise_from, piecewise_low, piecewise_high, piecewise_end.
  cbn. field. repeat split; nra.
Qed.

Theorem piecewise_worst x : -1 <= x <= 1 ->
  x ^ 2 / (s - 1) + (s + 3) / (3 * (s - 1) ^ 2) <= 4 * s / (3 * (s - 1) ^ 2).
Proof.
  intros H. replace (4 * s / (3 * (s - 1) ^ 2))
    with (1 / (s - 1) + (s + 3) / (3 * (s - 1) ^ 2)) by (field; lra).
  apply Rplus_le_compat_r. unfold Rdiv. apply Rmult_le_compat_r; [|nra].
  left. apply Rinv_0_lt_compat. lra.
Qed.
End Piecewise.

(** * The square wave, u = e^eps and any b *)
Section SquareWave.
Context (u b : R).
Hypothesis u_1 : 1 < u.
Hypothesis b_0 : 0 < b.

Definition square_wave (x : R) : list (R * R) :=
  [(x - b, 1 / (2 * b * u + 1)); (x + b, u / (2 * b * u + 1)); (1 + b, 1 / (2 * b * u + 1))].

Lemma square_wave_positive : 0 < 2 * b * u + 1.
Proof. nra. Qed.

Theorem square_wave_total x : moment 0 (- b) (square_wave x) = 1.
Proof. pose proof square_wave_positive. unfold square_wave. cbn. field. lra. Qed.

Theorem square_wave_proper x : 0 <= x <= 1 -> proper (- b) (square_wave x).
Proof.
  intros H. pose proof square_wave_positive as P. assert (0 < / (2 * b * u + 1))
    by (now apply Rinv_0_lt_compat). cbn. unfold Rdiv. repeat split; nra.
Qed.

Theorem square_wave_ratio x x' y : 0 <= x <= 1 -> 0 <= x' <= 1 ->
  step_density (- b) (square_wave x) y <= u * step_density (- b) (square_wave x') y.
Proof.
  intros H H'. pose proof square_wave_positive as P.
  assert (0 < / (2 * b * u + 1)) by (now apply Rinv_0_lt_compat).
  apply step_ratio with (stop := 1 + b) (low := 1 / (2 * b * u + 1))
    (high := u / (2 * b * u + 1));
    [ unfold Rdiv; nra | unfold Rdiv; nra | lra | now apply square_wave_proper
    | now apply square_wave_proper | reflexivity | reflexivity | | ];
    repeat (apply Forall_cons; [cbn; unfold Rdiv; nra|]); apply Forall_nil.
Qed.

Definition square_wave_expected (x : R) : R := (2 * b * (u - 1) * x + b + 1 / 2) / (2 * b * u + 1).

Theorem square_wave_mean x : moment 1 (- b) (square_wave x) = square_wave_expected x.
Proof.
  pose proof square_wave_positive. unfold square_wave, square_wave_expected. cbn. field. lra.
Qed.

Theorem square_wave_square x : moment 2 (- b) (square_wave x)
  = (6 * b * (u - 1) * x ^ 2 + 2 * b ^ 3 * u + 3 * b ^ 2 + 3 * b + 1) / (3 * (2 * b * u + 1)).
Proof. pose proof square_wave_positive. unfold square_wave. cbn. field. lra. Qed.
End SquareWave.

(** * The hybrid: piecewise with probability alpha, else Duchi's, s = e^(eps/2) *)
Theorem hybrid_ratio eps alpha x x' y : 0 < eps -> 0 <= alpha <= 1 ->
  -1 <= x <= 1 -> -1 <= x' <= 1 ->
  let s := exp (eps / 2) in
  alpha * step_density (- piecewise_end s) (piecewise s x) y
    <= exp eps * (alpha * step_density (- piecewise_end s) (piecewise s x') y) /\
  forall b, (1 - alpha) * duchi_mass eps x b <= exp eps * ((1 - alpha) * duchi_mass eps x' b).
Proof.
  intros E A H H' s. assert (S : 1 < s) by (apply exp_above_1; lra).
  assert (Q : exp eps = s ^ 2) by (unfold s; apply exp_power; cbn; field). split.
  - rewrite Q. pose proof (piecewise_ratio s S x x' y H H') as P.
    replace (s ^ 2 * (alpha * step_density (- piecewise_end s) (piecewise s x') y))
      with (alpha * (s ^ 2 * step_density (- piecewise_end s) (piecewise s x') y)) by ring.
    apply Rmult_le_compat_l; lra.
  - intros b. assert (I : In b (outs (duchi eps))) by (destruct b; cbn; auto).
    pose proof (duchi_ldp eps E x x' b H H' I) as P. cbn [duchi pr] in P.
    replace (exp eps * ((1 - alpha) * duchi_mass eps x' b))
      with ((1 - alpha) * (exp eps * duchi_mass eps x' b)) by ring.
    apply Rmult_le_compat_l; lra.
Qed.

(** With probability alpha one, else the other: the mean is x whatever alpha; the second moment. *)
Theorem hybrid_mean eps alpha x : 0 < eps -> let s := exp (eps / 2) in
  alpha * moment 1 (- piecewise_end s) (piecewise s x)
    + (1 - alpha) * expectation (duchi eps) x (duchi_value eps) = x.
Proof.
  intros E s. assert (S : 1 < s) by (apply exp_above_1; lra).
  rewrite piecewise_mean by assumption. rewrite duchi_mean by assumption. ring.
Qed.

Theorem hybrid_variance eps x : 0 < eps -> -1 <= x <= 1 ->
  let s := exp (eps / 2) in let alpha := 1 - 1 / s in let B := (s ^ 2 + 1) / (s ^ 2 - 1) in
  alpha * moment 2 (- piecewise_end s) (piecewise s x)
    + (1 - alpha) * expectation (duchi eps) x (fun b => duchi_value eps b * duchi_value eps b)
    - x ^ 2
  = (s + 3) / (3 * s * (s - 1)) + B ^ 2 / s.
Proof.
  intros E H s alpha B. assert (S : 1 < s) by (apply exp_above_1; lra).
  assert (Q : exp eps = s ^ 2) by (unfold s; apply exp_power; cbn; field).
  pose proof (piecewise_variance s S x) as V.
  assert (W : expectation (duchi eps) x (fun b => duchi_value eps b * duchi_value eps b) = B ^ 2).
  { unfold expectation. cbn. unfold duchi_point, B. rewrite Q. field. repeat split; nra. }
  rewrite W. replace (moment 2 (- piecewise_end s) (piecewise s x))
    with (x ^ 2 + (x ^ 2 / (s - 1) + (s + 3) / (3 * (s - 1) ^ 2))) by lra.
  unfold alpha, B. field. repeat split; nra.
Qed.
