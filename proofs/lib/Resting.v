(** Reports that look at the value in a few turns only: an input that leaves its rest so often and no
    more, and a report that is asked for so often and no more. *)
From Coq Require Import Reals List Lra Lia Bool.
From LDP Require Import Sums Exponential Randomizer Protocols.
Import ListNotations.
Open Scope R_scope.

(** How many steps of a transcript have a property that may depend on the past. *)
Fixpoint steps {Y} (p : list Y -> bool) (past t : list Y) : nat :=
  match t with [] => O | y :: t' => ((if p past then 1 else 0) + steps p (y :: past) t')%nat end.

Lemma spent_steps {Y} (p : list Y -> bool) (e : R) t : forall past,
  spent (fun before => if p before then e else 0) past t = INR (steps p past t) * e.
Proof.
  induction t as [|y t IH]; intros past; cbn [spent steps]; [cbn; ring|].
  rewrite IH, plus_INR. destruct (p past); cbn [INR]; ring.
Qed.

Lemma spent_plus {Y} (f g : list Y -> R) t : forall past,
  spent (fun before => f before + g before) past t = spent f past t + spent g past t.
Proof. induction t as [|y t IH]; intros past; cbn [spent]; [ring|]. rewrite IH. ring. Qed.

(** * A filter whose prices depend on the two values that are told apart *)
Section Pair.
Context {X Y : Type} (D : X -> Prop) (ys : list Y) (N : list Y -> mech X Y).
Hypothesis N_outs : forall past, outs (N past) = ys.
Hypothesis N_dom : forall past x, D x -> dom (N past) x.
Hypothesis N_law : forall past, stochastic (N past).

Theorem pair_filter_ldp (price : X -> X -> list Y -> R) budget k :
  (forall past x x' y, D x -> D x' -> In y ys ->
    pr (N past) x y <= exp (price x x' past) * pr (N past) x' y) ->
  (forall x x' t, D x -> D x' -> In t (transcripts ys k) -> spent (price x x') [] t <= budget) ->
  ldp (rounds D ys N k) budget.
Proof.
  intros H B x x' t Hx Hx' Ht.
  assert (R : forall j past u, In u (transcripts ys j) ->
    likelihood N past x u <= exp (spent (price x x') past u) * likelihood N past x' u).
  { intros j. induction j as [|j IH]; intros past u Hu; cbn in Hu.
    - destruct Hu as [<-|[]]. cbn. rewrite exp_0. lra.
    - apply in_map_iff in Hu as ([y v] & <- & Hp). apply in_prod_iff in Hp as [Hy Hv].
      cbn [likelihood spent fst snd]. rewrite exp_plus.
      replace (exp (price x x' past) * exp (spent (price x x') (y :: past) v)
          * (pr (N past) x' y * likelihood N (y :: past) x' v))
        with ((exp (price x x' past) * pr (N past) x' y)
          * (exp (spent (price x x') (y :: past) v) * likelihood N (y :: past) x' v)) by ring.
      apply Rmult_le_compat.
      + apply (N_law past x); [auto | now rewrite N_outs].
      + now apply (likelihood_nonneg D ys N N_outs N_dom N_law j).
      + now apply H.
      + now apply IH. }
  apply Rle_trans with (exp (spent (price x x') [] t) * likelihood N [] x' t).
  - now apply (R k).
  - apply Rmult_le_compat_r; [now apply (likelihood_nonneg D ys N N_outs N_dom N_law k)|].
    destruct (B x x' t Hx Hx' Ht) as [L|E]; [left; now apply exp_strict | right; now rewrite E].
Qed.
End Pair.

(** * The input of a report is f of value and past, but at rest once it has left the rest m times *)
Section Rest.
Context {X Y I : Type} (f : list Y -> X -> I) (away : I -> bool) (is_vote : list Y -> bool) (m : nat).

(** In the steps that are `is_vote` a report of this kind is sent. *)
Fixpoint left_rest (past : list Y) (x : X) : nat :=
  match past with
  | [] => O
  | _ :: before => (left_rest before x
      + if is_vote before && (left_rest before x <? m)%nat && away (f before x) then 1 else 0)%nat
  end.

Definition leaves (x : X) (past : list Y) : bool :=
  is_vote past && (left_rest past x <? m)%nat && away (f past x).

Definition kept_input (rest : I) (x : X) (past : list Y) : I :=
  if leaves x past then f past x else rest.

Lemma leaves_most x t : forall past, (left_rest past x <= m)%nat ->
  (left_rest past x + steps (leaves x) past t <= m)%nat.
Proof.
  induction t as [|y t IH]; intros past H; cbn [steps]; [lia|].
  specialize (IH (y :: past)). cbn [left_rest] in IH. fold (leaves x past) in IH.
  destruct (leaves x past) eqn:E.
  - unfold leaves in E. apply andb_prop in E as [E _]. apply andb_prop in E as [_ E].
    apply Nat.ltb_lt in E. lia.
  - lia.
Qed.

Lemma steps_either (p q : list Y -> bool) t : forall past,
  (steps (fun before => p before || q before) past t <= steps p past t + steps q past t)%nat.
Proof.
  induction t as [|y t IH]; intros past; cbn [steps]; [lia|]. specialize (IH (y :: past)).
  destruct (p past), (q past); cbn [orb]; lia.
Qed.

Lemma steps_within (p q : list Y -> bool) t : (forall past, p past = true -> q past = true) ->
  forall past, (steps p past t <= steps q past t)%nat.
Proof.
  intros H. induction t as [|y t IH]; intros past; cbn [steps]; [lia|]. specialize (IH (y :: past)).
  destruct (p past) eqn:E; [rewrite (H past E); lia | destruct (q past); lia].
Qed.

(** Two values have different inputs in no more steps than both leave the rest in, nor than there are
    reports of this kind. *)
Theorem apart_most x x' t :
  (steps (fun past => leaves x past || leaves x' past) [] t <= Nat.min (2 * m) (steps is_vote [] t))%nat.
Proof.
  pose proof (leaves_most x t [] (Nat.le_0_l m)) as A.
  pose proof (leaves_most x' t [] (Nat.le_0_l m)) as A'.
  cbn [left_rest] in A, A'.
  pose proof (steps_either (leaves x) (leaves x') t []) as S.
  assert (W : (steps (fun past => leaves x past || leaves x' past) [] t <= steps is_vote [] t)%nat).
  { apply steps_within. intros past H. apply orb_prop in H as [H|H];
      unfold leaves in H; apply andb_prop in H as [H _]; now apply andb_prop in H as [H _]. }
  lia.
Qed.
End Rest.

(** * Both kinds of reports, one a step, in any public order *)
Section Turns.
Context {X Y I : Type} (D : X -> Prop) (ys : list Y) (f : list Y -> X -> I) (away : I -> bool)
  (rest : I) (is_vote : list Y -> bool) (m : nat) (V : list Y -> mech I Y) (asked : list Y -> bool)
  (W : list Y -> mech X Y).

(** A step is a report on the kept input; or it is asked for; or it tells nothing of the value. *)
Definition turns : list Y -> mech X Y := fun past => Mech D ys (fun x y =>
  if is_vote past then pr (V past) (kept_input f away is_vote m rest x past) y else pr (W past) x y).

Hypothesis V_outs : forall past, outs (V past) = ys.
Hypothesis V_dom : forall past x, D x -> dom (V past) (f past x).
Hypothesis V_rest : forall past, dom (V past) rest.
Hypothesis V_law : forall past, stochastic (V past).
Hypothesis W_outs : forall past, outs (W past) = ys.
Hypothesis W_dom : forall past x, D x -> dom (W past) x.
Hypothesis W_law : forall past, stochastic (W past).

Lemma kept_dom past x : D x -> dom (V past) (kept_input f away is_vote m rest x past).
Proof. intros Hx. unfold kept_input. destruct (leaves f away is_vote m x past); auto. Qed.

Lemma turns_stochastic past : stochastic (turns past).
Proof.
  intros x Hx. cbn. destruct (is_vote past).
  - destruct (V_law past (kept_input f away is_vote m rest x past) (kept_dom past x Hx)) as [P S].
    rewrite V_outs in P, S. now split.
  - destruct (W_law past x (W_dom past x Hx)) as [P S]. rewrite W_outs in P, S. now split.
Qed.

(** The input leaves its rest in m steps at most, by what the device does; of the other reports u at
    most are asked for, and the rest of them cost nothing. *)
Theorem turns_ldp a b u v k : 0 <= a -> 0 <= b ->
  (forall past, ldp (V past) a) ->
  (forall past, ldp (W past) (if asked past then b else 0)) ->
  (forall t, In t (transcripts ys k) -> (steps is_vote [] t <= v)%nat) ->
  (forall t, In t (transcripts ys k) ->
    (steps (fun past => negb (is_vote past) && asked past) [] t <= u)%nat) ->
  ldp (rounds D ys turns k) (INR (Nat.min (2 * m) v) * a + INR u * b).
Proof.
  intros Ha Hb HV HW Hv Hu.
  set (apart := fun x x' past => leaves f away is_vote m x past || leaves f away is_vote m x' past).
  set (second := fun past => negb (is_vote past) && asked past).
  apply (pair_filter_ldp D ys turns) with (price := fun x x' past =>
    (if apart x x' past then a else 0) + (if second past then b else 0)).
  - reflexivity.
  - intros past x Hx. exact Hx.
  - exact turns_stochastic.
  - intros past x x' y Hx Hx' Hy. unfold second. cbn [turns pr].
    destruct (is_vote past) eqn:M; cbn [negb andb].
    + rewrite Rplus_0_r. unfold apart, kept_input.
      destruct (leaves f away is_vote m x past), (leaves f away is_vote m x' past);
        cbn [orb]; try (apply HV; [now auto | now auto | now rewrite V_outs]).
      rewrite exp_0. lra.
    + assert (N : forall z, leaves f away is_vote m z past = false)
        by (intros z; unfold leaves; now rewrite M).
      unfold apart. rewrite !N. cbn [orb]. rewrite Rplus_0_l.
      apply HW; [now apply W_dom | now apply W_dom | now rewrite W_outs].
  - intros x x' t Hx Hx' Ht. rewrite spent_plus, !spent_steps.
    apply Rplus_le_compat; apply Rmult_le_compat_r; try assumption; apply le_INR.
    + pose proof (apart_most f away is_vote m x x' t). specialize (Hv t Ht). unfold apart. lia.
    + exact (Hu t Ht).
Qed.
End Turns.
