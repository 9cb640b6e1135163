(** Protocols: what one user sends in several rounds, each in view of all that went before, and what
    a user sends who is put into one of several groups. The domain of values may be any type; reports
    are elements of finite lists. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Exponential Randomizer.
Import ListNotations.
Open Scope R_scope.

(** * Rounds: `N past` is the randomizer of the next report, the latest report of `past` first *)
Section Rounds.
Context {X Y : Type} (D : X -> Prop) (ys : list Y) (N : list Y -> mech X Y).

Fixpoint transcripts (k : nat) : list (list Y) :=
  match k with
  | O => [[]]
  | S k' => map (fun p => fst p :: snd p) (list_prod ys (transcripts k'))
  end.

Fixpoint likelihood (past : list Y) (x : X) (t : list Y) : R :=
  match t with [] => 1 | y :: t' => pr (N past) x y * likelihood (y :: past) x t' end.

(** What the rounds of a transcript cost, where the price of a round may depend on the past. *)
Fixpoint spent (price : list Y -> R) (past : list Y) (t : list Y) : R :=
  match t with [] => 0 | y :: t' => price past + spent price (y :: past) t' end.

Definition rounds (k : nat) : mech X (list Y) := Mech D (transcripts k) (likelihood []).

Hypothesis N_outs : forall past, outs (N past) = ys.
Hypothesis N_dom : forall past x, D x -> dom (N past) x.
Hypothesis N_law : forall past, stochastic (N past).

Lemma likelihood_nonneg k : forall past x t, D x -> In t (transcripts k) ->
  0 <= likelihood past x t.
Proof.
  induction k as [|k IH]; intros past x t Hx Ht; cbn in Ht.
  - destruct Ht as [<-|[]]. cbn. lra.
  - apply in_map_iff in Ht as ([y u] & <- & H). apply in_prod_iff in H as [Hy Hu]. cbn.
    apply Rmult_le_pos; [|now apply IH].
    apply (N_law past x); [auto | now rewrite N_outs].
Qed.

Lemma likelihood_sum k : forall past x, D x ->
  sum_over (transcripts k) (likelihood past x) = 1.
Proof.
  induction k as [|k IH]; intros past x Hx; [cbn; ring|].
  cbn [transcripts]. rewrite sum_map, sum_product. cbn.
  destruct (N_law past x) as [_ E]; [auto|]. rewrite N_outs in E. rewrite <- E.
  apply sum_ext. intros y Hy. rewrite sum_scale, IH by assumption. ring.
Qed.

Theorem rounds_stochastic k : stochastic (rounds k).
Proof.
  intros x Hx. split; [|now apply likelihood_sum].
  intros t Ht. now apply (likelihood_nonneg k).
Qed.

Lemma likelihood_ratio price :
  (forall past, ldp (N past) (price past)) ->
  forall k past x x' t, D x -> D x' -> In t (transcripts k) ->
  likelihood past x t <= exp (spent price past t) * likelihood past x' t.
Proof.
  intros H k. induction k as [|k IH]; intros past x x' t Hx Hx' Ht; cbn in Ht.
  - destruct Ht as [<-|[]]. cbn. rewrite exp_0. lra.
  - apply in_map_iff in Ht as ([y u] & <- & Hp). apply in_prod_iff in Hp as [Hy Hu]. cbn.
    rewrite exp_plus.
    replace (exp (price past) * exp (spent price (y :: past) u)
        * (pr (N past) x' y * likelihood (y :: past) x' u))
      with ((exp (price past) * pr (N past) x' y)
        * (exp (spent price (y :: past) u) * likelihood (y :: past) x' u)) by ring.
    apply Rmult_le_compat.
    + apply (N_law past x); [auto | now rewrite N_outs].
    + now apply (likelihood_nonneg k).
    + apply H; auto. now rewrite N_outs.
    + now apply IH.
Qed.

(** A filter: the price of a round may depend on what was sent before, as long as no transcript
    costs more than the budget. *)
Theorem filter_ldp price budget k :
  (forall past, ldp (N past) (price past)) ->
  (forall t, In t (transcripts k) -> spent price [] t <= budget) ->
  ldp (rounds k) budget.
Proof.
  intros H B x x' t Hx Hx' Ht.
  apply Rle_trans with (exp (spent price [] t) * likelihood [] x' t).
  - now apply (likelihood_ratio price H k).
  - apply Rmult_le_compat_r; [now apply (likelihood_nonneg k)|].
    destruct (B t Ht) as [L|E]; [left; now apply exp_strict | right; now rewrite E].
Qed.
End Rounds.

(** * Adaptive sequential composition, for any number of rounds *)

(** What the rounds cost, round i being of price e i. *)
Fixpoint prices (e : nat -> R) (first k : nat) : R :=
  match k with O => 0 | S k' => e first + prices e (S first) k' end.

Lemma spent_prices {Y} (ys : list Y) (e : nat -> R) k : forall past t,
  In t (transcripts ys k) ->
  spent (fun before => e (length before)) past t = prices e (length past) k.
Proof.
  induction k as [|k IH]; intros past t Ht; cbn in Ht.
  - destruct Ht as [<-|[]]. reflexivity.
  - apply in_map_iff in Ht as ([y u] & <- & Hp). apply in_prod_iff in Hp as [Hy Hu]. cbn.
    now rewrite (IH (y :: past) u Hu).
Qed.

(** In round i the user applies `U i p`, p being what the server publishes after what it has seen.
    Whatever it publishes, also a malicious one, the epsilons of the rounds add up. *)
Theorem sequential_ldp {X Y P} (D : X -> Prop) (ys : list Y) (U : nat -> P -> mech X Y)
  (publish : list Y -> P) (e : nat -> R) k :
  (forall i p, outs (U i p) = ys) -> (forall i p x, D x -> dom (U i p) x) ->
  (forall i p, stochastic (U i p)) -> (forall i p, ldp (U i p) (e i)) ->
  ldp (rounds D ys (fun past => U (length past) (publish past)) k) (prices e 0 k).
Proof.
  intros Ho Hd Hs He.
  apply (filter_ldp D ys _) with (price := fun past => e (length past)); auto.
  intros t Ht. right. now apply (spent_prices ys e k [] t).
Qed.

(** * Parallel split: a group, chosen without looking at the value, is published *)

(** The largest of the groups' epsilons. *)
Fixpoint largest {G} (e : G -> R) (groups : list G) : R :=
  match groups with [] => 0 | g :: rest => Rmax (e g) (largest e rest) end.

Lemma largest_bound {G} (e : G -> R) groups g : In g groups -> e g <= largest e groups.
Proof.
  induction groups as [|h rest IH]; intros H; [destruct H|]. cbn. destruct H as [->|H].
  - apply Rmax_l.
  - eapply Rle_trans; [now apply IH | apply Rmax_r].
Qed.

Section Split.
Context {X Y G : Type} (groups : list G) (w : G -> R) (N : G -> mech X Y) (D : X -> Prop).
Hypothesis w_nonneg : forall g, In g groups -> 0 <= w g.
Hypothesis w_sum : sum_over groups w = 1.
Hypothesis N_dom : forall g x, D x -> dom (N g) x.
Hypothesis N_law : forall g, In g groups -> stochastic (N g).

Definition split_outs (over : list G) : list (G * Y) :=
  flat_map (fun g => map (pair g) (outs (N g))) over.

Definition grouped : mech X (G * Y) :=
  Mech D (split_outs groups) (fun x gy => w (fst gy) * pr (N (fst gy)) x (snd gy)).

Lemma in_split over g y : In (g, y) (split_outs over) -> In g over /\ In y (outs (N g)).
Proof.
  intros H. apply in_flat_map in H as (h & Hh & H). apply in_map_iff in H as (z & E & Hz).
  injection E as <- <-. now split.
Qed.

Lemma split_sum over (f : G * Y -> R) :
  sum_over (split_outs over) f = sum_over over (fun g => sum_over (outs (N g)) (fun y => f (g, y))).
Proof.
  unfold split_outs. induction over as [|g rest IH]; cbn; [reflexivity|].
  now rewrite sum_app, sum_map, IH.
Qed.

Theorem groups_stochastic : stochastic grouped.
Proof.
  intros x Hx. split.
  - intros [g y] H. apply in_split in H as [Hg Hy]. cbn. apply Rmult_le_pos; [auto|].
    apply (N_law g Hg x); auto.
  - unfold grouped. cbn [outs pr]. rewrite split_sum. cbn [fst snd]. rewrite <- w_sum.
    apply sum_ext. intros g Hg. rewrite sum_scale.
    destruct (N_law g Hg x) as [_ E]; [auto|]. rewrite E. ring.
Qed.

Theorem groups_ldp e : (forall g, In g groups -> ldp (N g) (e g)) ->
  ldp grouped (largest e groups).
Proof.
  intros H x x' [g y] Hx Hx' HI. apply in_split in HI as [Hg Hy]. cbn.
  replace (exp (largest e groups) * (w g * pr (N g) x' y))
    with (w g * (exp (largest e groups) * pr (N g) x' y)) by ring.
  apply Rmult_le_compat_l; [auto|].
  apply (ldp_weaken (N g) (e g)); auto. now apply largest_bound.
Qed.
End Split.
