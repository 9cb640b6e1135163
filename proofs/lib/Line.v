(** Reports that are real numbers: a density that is constant on finitely many intervals, and atoms.

    Moments are sums of integrals, each of which is the difference of an antiderivative
    ([piece_integral]); that a bound on densities bounds the probability of every (measurable) set
    is not said here. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Exponential.
Import ListNotations.
Open Scope R_scope.

(** Intervals (low, high, level) and atoms (location, mass), for each input. *)
Record line := Line {
  line_inputs : R -> Prop;
  line_steps : R -> list (R * R * R);
  line_atoms : R -> list (R * R) }.

Definition step_low (p : R * R * R) : R := fst (fst p).
Definition step_high (p : R * R * R) : R := snd (fst p).
Definition step_level (p : R * R * R) : R := snd p.

(** The level of an interval from its low end up to its high end, 0 elsewhere. *)
Definition step_at (y : R) (p : R * R * R) : R :=
  if Rle_dec (step_low p) y then if Rlt_dec y (step_high p) then step_level p else 0 else 0.

Definition atom_at (y : R) (a : R * R) : R := if Req_EM_T y (fst a) then snd a else 0.

Definition line_density (M : line) (x y : R) : R := sum_over (line_steps M x) (step_at y).
Definition line_mass (M : line) (x y : R) : R := sum_over (line_atoms M x) (atom_at y).

(** The integral of level * y^j over an interval. *)
Definition step_moment (j : nat) (p : R * R * R) : R :=
  step_level p * (step_high p ^ S j - step_low p ^ S j) / INR (S j).

(** E[y^j] of intervals and atoms. *)
Definition law_moment (steps : list (R * R * R)) (atoms : list (R * R)) (j : nat) : R :=
  sum_over steps (step_moment j) + sum_over atoms (fun a => snd a * fst a ^ j).
Definition law_variance (steps : list (R * R * R)) (atoms : list (R * R)) : R :=
  law_moment steps atoms 2 - law_moment steps atoms 1 ^ 2.

Definition line_moment (M : line) (x : R) (j : nat) : R :=
  law_moment (line_steps M x) (line_atoms M x) j.
Definition line_variance (M : line) (x : R) : R := law_variance (line_steps M x) (line_atoms M x).

Fixpoint every {A : Type} (P : A -> Prop) (l : list A) : Prop :=
  match l with [] => True | a :: r => P a /\ every P r end.

Fixpoint paired {A : Type} (P : A -> A -> Prop) (l l' : list A) : Prop :=
  match l, l' with [], [] => True | a :: r, a' :: r' => P a a' /\ paired P r r' | _, _ => False end.

(** From left to right without gaps. *)
Fixpoint chained (start : R) (steps : list (R * R * R)) (stop : R) : Prop :=
  match steps with
  | [] => start = stop
  | p :: rest => step_low p = start /\ step_low p <= step_high p /\ chained (step_high p) rest stop
  end.

Fixpoint ordered (atoms : list (R * R)) : Prop :=
  match atoms with [] => True | a :: r => every (fun b => fst a < fst b) r /\ ordered r end.

(** The intervals of every input fill the same interval. *)
Definition line_chained (M : line) (start stop : R) : Prop :=
  forall x, line_inputs M x -> chained start (line_steps M x) stop.

Definition line_stochastic (M : line) : Prop := forall x, line_inputs M x ->
  every (fun p => 0 <= step_level p) (line_steps M x) /\
  every (fun a => 0 <= snd a) (line_atoms M x) /\ line_moment M x 0 = 1.

(** What one input can give, every input can give. *)
Definition line_equal_support (M : line) : Prop := forall x x' y,
  line_inputs M x -> line_inputs M x' ->
  (0 < line_density M x y -> 0 < line_density M x' y) /\
  (0 < line_mass M x y -> 0 < line_mass M x' y).

Definition line_ldp (M : line) (eps : R) : Prop := forall x x' y,
  line_inputs M x -> line_inputs M x' ->
  line_density M x y <= exp eps * line_density M x' y /\
  line_mass M x y <= exp eps * line_mass M x' y.

(** The bound is reached throughout an interval, or by an atom, that x' can give. *)
Definition line_tight (M : line) (eps : R) : Prop := exists x x',
  line_inputs M x /\ line_inputs M x' /\
  ((exists a b, a < b /\ forall y, a < y < b ->
     0 < line_density M x' y /\ line_density M x y = exp eps * line_density M x' y) \/
   (exists y, 0 < line_mass M x' y /\ line_mass M x y = exp eps * line_mass M x' y)).

Definition line_mean (M : line) (t : R -> R) : Prop :=
  forall x, line_inputs M x -> line_moment M x 1 = t x.
Definition line_variance_is (M : line) (v : R -> R) : Prop :=
  forall x, line_inputs M x -> line_variance M x = v x.

(** The largest variance of an input, and an input that has it. *)
Definition line_worst (M : line) (at_input v : R) : Prop :=
  line_inputs M at_input /\ line_variance M at_input = v /\
  forall x, line_inputs M x -> line_variance M x <= v.

(** The integral of level * y^j from a to b, by Newton's definition. *)
Theorem piece_integral j level a b : a <= b ->
  exists pr : Newton_integrable (fun y => level * y ^ j) a b,
  NewtonInt (fun y => level * y ^ j) a b pr = step_moment j (a, b, level).
Proof.
  intros L. set (g := fun y => level / INR (S j) * y ^ S j).
  assert (N : INR (S j) <> 0) by (apply not_0_INR; lia).
  assert (D : forall y, derivable_pt_lim g y (level * y ^ j)).
  { intros y. replace (level * y ^ j) with (level / INR (S j) * (INR (S j) * y ^ pred (S j)))
      by (cbn [pred]; field; assumption).
    exact (derivable_pt_lim_scal (fun y => y ^ S j) _ y _ (derivable_pt_lim_pow y (S j))). }
  assert (A : antiderivative (fun y => level * y ^ j) g a b).
  { split; [|assumption]. intros y _. exists (exist _ _ (D y)). reflexivity. }
  exists (exist _ g (or_introl A)).
  unfold NewtonInt, g, step_moment, step_level, step_low, step_high. cbn [fst snd].
  field. assumption.
Qed.

(** No smaller epsilon holds. *)
Theorem line_tight_best M eps e : line_tight M eps -> line_ldp M e -> eps <= e.
Proof.
  intros (x & x' & Hx & Hx' & H) L.
  assert (T : exists p p', 0 < p' /\ p = exp eps * p' /\ p <= exp e * p').
  { destruct H as [(a & b & A & H) | (y & P & E)].
    - destruct (H ((a + b) / 2) ltac:(lra)) as [P E].
      destruct (L x x' ((a + b) / 2) Hx Hx') as [B _]. eauto.
    - destruct (L x x' y Hx Hx') as [_ B]. eauto. }
  destruct T as (p & p' & P & E & B). rewrite E in B. apply Rmult_le_reg_r in B; [|assumption].
  destruct (Rle_or_lt eps e) as [C|C]; [assumption|]. apply exp_strict in C. lra.
Qed.

Lemma every_in {A} (P : A -> Prop) l a : every P l -> In a l -> P a.
Proof.
  induction l as [|b r IH]; [intros _ []|]. intros [H T] [<-|I]; auto.
Qed.

Lemma chained_stop start steps stop : chained start steps stop -> start <= stop.
Proof.
  revert start. induction steps as [|p r IH]; intros start H; [cbn in H; lra|].
  destruct H as (A & B & C). apply IH in C. lra.
Qed.

Lemma chained_low start steps stop p : chained start steps stop -> In p steps -> start <= step_low p.
Proof.
  revert start. induction steps as [|q r IH]; intros start H I; [destruct I|].
  destruct H as (A & B & C). destruct I as [<-|I]; [lra|]. apply (IH _ C) in I. lra.
Qed.

Lemma density_before start steps stop y : chained start steps stop -> y < start ->
  sum_over steps (step_at y) = 0.
Proof.
  revert start. induction steps as [|p r IH]; intros start H L; [reflexivity|].
  destruct H as (A & B & C). cbn [sum_over map fold_right].
  change (step_at y p + sum_over r (step_at y) = 0). rewrite (IH (step_high p)) by (auto || lra).
  unfold step_at. destruct (Rle_dec (step_low p) y); [lra|]. ring.
Qed.

Lemma density_beyond start steps stop y : chained start steps stop -> stop <= y ->
  sum_over steps (step_at y) = 0.
Proof.
  revert start. induction steps as [|p r IH]; intros start H L; [reflexivity|].
  destruct H as (A & B & C). pose proof (chained_stop _ _ _ C).
  change (step_at y p + sum_over r (step_at y) = 0). rewrite (IH (step_high p)) by (auto || lra).
  unfold step_at. destruct (Rle_dec (step_low p) y); [|ring].
  destruct (Rlt_dec y (step_high p)); [lra|ring].
Qed.

Lemma density_on start steps stop p y : chained start steps stop -> In p steps ->
  step_low p <= y < step_high p -> sum_over steps (step_at y) = step_level p.
Proof.
  revert start. induction steps as [|q r IH]; intros start H I Y; [destruct I|].
  destruct H as (A & B & C). change (step_at y q + sum_over r (step_at y) = step_level p).
  destruct I as [<-|I].
  - rewrite (density_before _ _ _ _ C) by lra. unfold step_at.
    destruct (Rle_dec (step_low q) y); [|lra]. destruct (Rlt_dec y (step_high q)); lra.
  - rewrite (IH _ C I Y). pose proof (chained_low _ _ _ _ C I). unfold step_at.
    destruct (Rle_dec (step_low q) y); [|ring]. destruct (Rlt_dec y (step_high q)); [lra|ring].
Qed.

Lemma density_within start steps stop y : chained start steps stop -> start <= y < stop ->
  exists p, In p steps /\ step_low p <= y < step_high p.
Proof.
  revert start. induction steps as [|q r IH]; intros start H Y; [cbn in H; lra|].
  destruct H as (A & B & C). destruct (Rlt_le_dec y (step_high q)) as [L|L].
  - exists q. split; [now left | lra].
  - destruct (IH _ C) as (p & I & P); [lra|]. exists p. split; [now right | assumption].
Qed.

(** Either both densities are 0, or both are levels of their inputs. *)
Lemma densities M start stop x x' y : line_chained M start stop ->
  line_inputs M x -> line_inputs M x' ->
  (line_density M x y = 0 /\ line_density M x' y = 0) \/
  (exists p p', In p (line_steps M x) /\ In p' (line_steps M x') /\
    line_density M x y = step_level p /\ line_density M x' y = step_level p').
Proof.
  intros C Hx Hx'. pose proof (C x Hx) as D. pose proof (C x' Hx') as D'. unfold line_density.
  destruct (Rlt_le_dec y start) as [L|L].
  { left. split; eapply density_before; eauto. }
  destruct (Rlt_le_dec y stop) as [T|T].
  2: { left. split; eapply density_beyond; eauto. }
  right. destruct (density_within _ _ _ y D (conj L T)) as (p & I & P).
  destruct (density_within _ _ _ y D' (conj L T)) as (p' & I' & P').
  exists p, p'. repeat split; auto; eapply density_on; eauto.
Qed.

(** Every level is within the bound of every level, every mass of the same mass. *)
Theorem line_ratio M start stop eps U : exp eps = U -> line_chained M start stop ->
  (forall x x', line_inputs M x -> line_inputs M x' ->
    every (fun p => every (fun p' => step_level p <= U * step_level p') (line_steps M x'))
      (line_steps M x) /\
    paired (fun a a' => fst a = fst a' /\ snd a <= U * snd a') (line_atoms M x) (line_atoms M x')) ->
  line_ldp M eps.
Proof.
  intros E C H x x' y Hx Hx'. rewrite E. destruct (H x x' Hx Hx') as [S A]. split.
  - destruct (densities M start stop x x' y C Hx Hx')
      as [(-> & ->) | (p & p' & I & I' & -> & ->)]; [lra|].
    apply (every_in _ _ p) in S; [|assumption]. now apply (every_in _ _ p') in S.
  - unfold line_mass. revert A. generalize (line_atoms M x') as l'.
    induction (line_atoms M x) as [|a r IH]; intros [|a' r'] A; cbn in A; try contradiction.
    + cbn. lra.
    + destruct A as [[B L] A]. specialize (IH r' A).
      change (atom_at y a + sum_over r (atom_at y)
        <= U * (atom_at y a' + sum_over r' (atom_at y))).
      rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|assumption].
      unfold atom_at. rewrite B. destruct (Req_EM_T y (fst a')); lra.
Qed.

(** Positive levels, and positive masses at the same places. *)
Theorem line_support M start stop : line_chained M start stop ->
  (forall x x', line_inputs M x -> line_inputs M x' ->
    every (fun p => 0 < step_level p) (line_steps M x') /\
    paired (fun a a' => fst a = fst a' /\ 0 < snd a') (line_atoms M x) (line_atoms M x')) ->
  line_equal_support M.
Proof.
  intros C H x x' y Hx Hx'. destruct (H x x' Hx Hx') as [S A]. split.
  - destruct (densities M start stop x x' y C Hx Hx')
      as [(-> & ->) | (p & p' & I & I' & _ & ->)]; [lra|].
    intros _. exact (every_in _ _ p' S I').
  - unfold line_mass. revert A. generalize (line_atoms M x') as l'.
    assert (N : forall l l', paired (fun a a' => fst a = fst a' /\ 0 < snd a') l l' ->
      0 <= sum_over l' (atom_at y)).
    { induction l as [|a r IH]; intros [|a' r'] A; cbn in A; try contradiction; [cbn; lra|].
      destruct A as [[_ P] A]. specialize (IH r' A).
      change (0 <= atom_at y a' + sum_over r' (atom_at y)).
      unfold atom_at at 1. destruct (Req_EM_T y (fst a')); lra. }
    induction (line_atoms M x) as [|a r IH]; intros [|a' r'] A; cbn in A; try contradiction.
    + cbn. lra.
    + destruct A as [[B P] A]. specialize (IH r' A). pose proof (N _ _ A).
      change (0 < atom_at y a + sum_over r (atom_at y)
        -> 0 < atom_at y a' + sum_over r' (atom_at y)).
      unfold atom_at at 1 3. rewrite B. destruct (Req_EM_T y (fst a')); lra.
Qed.

(** Two levels in the ratio of the bound whose intervals meet. *)
Theorem line_tight_step M start stop eps U x x' p p' : exp eps = U -> line_chained M start stop ->
  line_inputs M x -> line_inputs M x' -> In p (line_steps M x) -> In p' (line_steps M x') ->
  step_low p < step_high p -> step_low p < step_high p' ->
  step_low p' < step_high p -> step_low p' < step_high p' ->
  0 < step_level p' -> step_level p = U * step_level p' -> line_tight M eps.
Proof.
  intros E C Hx Hx' I I' A1 A2 A3 A4 P Q. exists x, x'. repeat split; auto. left.
  exists (Rmax (step_low p) (step_low p')), (Rmin (step_high p) (step_high p')).
  split; [apply Rmax_lub_lt; apply Rmin_glb_lt; assumption|]. intros y [L G].
  pose proof (Rmax_l (step_low p) (step_low p')). pose proof (Rmax_r (step_low p) (step_low p')).
  pose proof (Rmin_l (step_high p) (step_high p')). pose proof (Rmin_r (step_high p) (step_high p')).
  unfold line_density. rewrite (density_on _ _ _ p y (C x Hx) I) by lra.
  rewrite (density_on _ _ _ p' y (C x' Hx') I') by lra. rewrite E. split; assumption.
Qed.

Lemma mass_elsewhere atoms b : every (fun a => b < fst a) atoms ->
  sum_over atoms (atom_at b) = 0.
Proof.
  induction atoms as [|a r IH]; [reflexivity|]. intros [L H].
  change (atom_at b a + sum_over r (atom_at b) = 0). rewrite (IH H). unfold atom_at.
  destruct (Req_EM_T b (fst a)); lra.
Qed.

Lemma mass_on atoms a : ordered atoms -> In a atoms -> sum_over atoms (atom_at (fst a)) = snd a.
Proof.
  induction atoms as [|b r IH]; [intros _ []|]. intros [L O] I.
  change (atom_at (fst a) b + sum_over r (atom_at (fst a)) = snd a). destruct I as [<-|I].
  - rewrite (mass_elsewhere r (fst b) L). unfold atom_at.
    destruct (Req_EM_T (fst b) (fst b)); lra.
  - rewrite (IH O I). apply (every_in _ _ a) in L; [|assumption]. unfold atom_at.
    destruct (Req_EM_T (fst a) (fst b)); lra.
Qed.

(** Two masses of one place in the ratio of the bound. *)
Theorem line_tight_atom M eps U x x' a a' : exp eps = U ->
  line_inputs M x -> line_inputs M x' -> ordered (line_atoms M x) -> ordered (line_atoms M x') ->
  In a (line_atoms M x) -> In a' (line_atoms M x') -> fst a = fst a' ->
  0 < snd a' -> snd a = U * snd a' -> line_tight M eps.
Proof.
  intros E Hx Hx' O O' I I' F P Q. exists x, x'. repeat split; auto. right. exists (fst a).
  unfold line_mass. rewrite (mass_on _ a O I). rewrite F, (mass_on _ a' O' I'). rewrite E.
  split; assumption.
Qed.

(** The difference of two worst variances is a positive multiple of what one compares. *)
Lemma smaller_by (v v' low high c : R) : v' - v = c * (high - low) -> 0 < c ->
  (v < v' <-> low < high).
Proof. intros E C. split; intros L; nra. Qed.

(** Moments over lists that are written down, as sums. *)
Ltac moments :=
  unfold law_variance, law_moment, step_moment, step_level, step_high, step_low;
  cbn [sum_over fst snd INR].
