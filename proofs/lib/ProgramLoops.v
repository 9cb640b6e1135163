(** Programs whose loops read several words, or keep something from round to round: machines.

    A machine is in a state, and reads a word in each step: it goes on in another state, or ends
      with
    a report. Its law is found by guessing the probability of a report from each state and checking
    one step; of every length, what has ended is then at most the law's share of the sequences, and
    the law's share at most that and what has not ended. It ends with probability 1 if some word,
    repeated often enough, ends it from every state. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramPrefixes.
Import ListNotations.
Open Scope nat_scope.

Section Machine.
Context {State Y : Type} (step : State -> nat -> State + Y).

(** The report that words lead to; None if the machine wants more of them. *)
Fixpoint go_on (s : State) (ws : list nat) : option Y :=
  match ws with
  | [] => None
  | w :: rest => match step s w with inl t => go_on t rest | inr y => Some y end
  end.

(** Of the W^L sequences: how many lead to a report in q, and how many to none yet. *)
Definition ended (W : nat) (q : Y -> bool) (s : State) (L : nat) : nat :=
  count (fun ws => in_event q (go_on s ws)) (tuples W L).
Definition waiting (W : nat) (s : State) (L : nat) : nat :=
  count (fun ws => match go_on s ws with Some _ => false | None => true end) (tuples W L).

Theorem ended_or_waiting W s L : ended W (fun _ => true) s L + waiting W s L = W ^ L.
Proof.
  unfold ended, waiting. rewrite count_both; [apply tuples_length|].
  intros ws _. now destruct (go_on s ws).
Qed.

Theorem ended_step W q s L : ended W q s (S L) = summed (seq 0 W) (fun w =>
  match step s w with inl t => ended W q t L | inr y => if q y then W ^ L else 0 end).
Proof.
  unfold ended. cbn [Nat.add tuples]. rewrite count_flat_total. apply total_ext. intros w _.
  rewrite count_map. cbn [go_on]. destruct (step s w) as [t|y]; [reflexivity|].
  cbn [in_event]. destruct (q y); [rewrite count_all by auto; apply tuples_length|].
  now apply count_none.
Qed.

Theorem waiting_step W s L : waiting W s (S L) = summed (seq 0 W) (fun w =>
  match step s w with inl t => waiting W t L | inr y => 0 end).
Proof.
  unfold waiting. cbn [Nat.add tuples]. rewrite count_flat_total. apply total_ext. intros w _.
  rewrite count_map. cbn [go_on]. destruct (step s w) as [t|y]; [reflexivity|].
  now apply count_none.
Qed.

(** It stays among some states. *)
Definition stays (W : nat) (I : State -> Prop) : Prop :=
  forall s w t, I s -> w < W -> step s w = inl t -> I t.

(** Some n words, or fewer, end it. *)
Fixpoint can_end (W n : nat) (s : State) : Prop :=
  match n with
  | 0 => False
  | S m => exists w, w < W /\ match step s w with inl t => can_end W m t | inr _ => True end
  end.

(** A word, repeated n times, ends it. *)
Fixpoint ends_by (w n : nat) (s : State) : bool :=
  match n with
  | 0 => false
  | S m => match step s w with inl t => ends_by w m t | inr _ => true end
  end.

Lemma ends_by_can_end W v n s : v < W -> ends_by v n s = true -> can_end W n s.
Proof.
  intros V. revert s. induction n as [|n IH]; intros s E; [discriminate|]. cbn in *.
  exists v. split; [assumption|]. destruct (step s v); [now apply IH | exact I].
Qed.

Lemma summed_le l f g : (forall a, In a l -> f a <= g a) -> summed l f <= summed l g.
Proof.
  unfold summed. induction l as [|a l IH]; intros H; [reflexivity|].
  cbn [map list_sum fold_right]. change (fold_right Init.Nat.add 0) with list_sum.
  pose proof (H a (or_introl eq_refl)). pose proof (IH (fun b I => H b (or_intror I))). lia.
Qed.

Lemma summed_bounded W f M v : v < W -> (forall w, w < W -> f w <= M) -> f v + 1 <= M ->
  summed (seq 0 W) f + 1 <= W * M.
Proof.
  intros V B F. replace W with (v + (1 + (W - v - 1))) by lia.
  rewrite !seq_app, !summed_app. cbn [seq]. unfold summed at 2. cbn [map list_sum fold_right].
  assert (G : forall a n, a + n <= W -> summed (seq a n) f <= n * M).
  { intros a n. revert a. induction n as [|n IH]; intros a R; [reflexivity|].
    unfold summed. cbn [seq map list_sum fold_right]. change (fold_right Init.Nat.add 0) with
      list_sum.
    specialize (IH (S a) ltac:(lia)). unfold summed in IH.
    pose proof (B a ltac:(lia)). lia. }
  pose proof (G 0 v ltac:(lia)). pose proof (G (0 + v + 1) (W - v - 1) ltac:(lia)).
  cbn [Nat.add] in *. lia.
Qed.

Lemma waiting_at_most W s L : waiting W s L <= W ^ L.
Proof. pose proof (ended_or_waiting W s L). lia. Qed.

Lemma waiting_below W s n : can_end W n s -> waiting W s n + 1 <= W ^ n.
Proof.
  revert s. induction n as [|n IH]; intros s E; [destruct E|]. destruct E as [v [V E]].
  rewrite (waiting_step W s n). cbn [Nat.pow]. apply summed_bounded with v; [assumption| |].
  - intros w _. destruct (step s w); [apply waiting_at_most | lia].
  - destruct (step s v) as [t|y]; [now apply IH|].
    pose proof (Nat.pow_nonzero W n ltac:(lia)). lia.
Qed.

Lemma waiting_product W I n L M : stays W I -> (forall s, I s -> waiting W s L <= M) ->
  forall s, I s -> waiting W s (n + L) <= waiting W s n * M.
Proof.
  intros C B. induction n as [|n IH]; intros s G.
  - change (waiting W s 0) with 1. specialize (B s G). cbn [Nat.add]. lia.
  - cbn [Nat.add]. rewrite (waiting_step W s (n + L)), (waiting_step W s n), <- summed_scale.
    apply summed_le. intros w R. apply in_seq in R. destruct (step s w) as [t|y] eqn:E; [|lia].
    apply IH, (C s w); [assumption | lia | assumption].
Qed.

Lemma waiting_powers W I n : stays W I -> (forall s, I s -> can_end W n s) ->
  forall j s, I s -> waiting W s (j * n) <= (W ^ n - 1) ^ j.
Proof.
  intros C E. induction j as [|j IH]; intros s G; [cbn; lia|].
  cbn [Nat.mul Nat.pow]. eapply Nat.le_trans; [apply (waiting_product W I n (j * n) _ C IH s G)|].
  apply Nat.mul_le_mono_r. pose proof (waiting_below W s n (E s G)). lia.
Qed.

Open Scope R_scope.

(** It ends with probability 1. *)
Theorem machine_ends W I n : (0 < W)%nat -> stays W I -> (forall s, I s -> can_end W n s) ->
  forall s, I s -> Un_cv (fun L => INR (waiting W s L) / INR W ^ L) 0.
Proof.
  intros V C E s G.
  assert (PW : 0 < INR W) by (apply lt_0_INR; lia).
  assert (PP : forall L, 0 < INR W ^ L) by (intros; now apply pow_lt).
  set (r := INR (W ^ n - 1) / INR W ^ n).
  assert (R : 0 <= r < 1).
  { unfold r. pose proof (Nat.pow_nonzero W n ltac:(lia)). split.
    - apply Rmult_le_pos; [apply pos_INR | left; now apply Rinv_0_lt_compat].
    - apply Rmult_lt_reg_r with (INR W ^ n); [apply PP|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l, <- pow_INR
        by (apply Rgt_not_eq, PP). apply lt_INR. lia. }
  assert (Down : forall L k, INR (waiting W s (k + L)) / INR W ^ (k + L)
    <= INR (waiting W s L) / INR W ^ L).
  { intros L k. rewrite Nat.add_comm.
    pose proof (waiting_product W I L k (W ^ k) C (fun t _ => waiting_at_most W t k) s G) as P.
    apply le_INR in P. rewrite mult_INR, pow_INR in P.
    apply Rmult_le_reg_r with (INR W ^ (L + k)); [apply PP|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, PP).
    rewrite pow_add at 1. rewrite Rmult_assoc, <- (Rmult_assoc (/ _)), Rinv_l, Rmult_1_l
      by (apply Rgt_not_eq, PP). exact P. }
  intros e Pe. destruct (pow_lt_1_zero r) with (y := e) as [j J];
    [rewrite Rabs_pos_eq by lra; lra | assumption|].
  exists (j * n)%nat. intros L B. unfold R_dist. rewrite Rminus_0_r, Rabs_pos_eq.
  - replace L with ((L - j * n) + j * n)%nat by lia. eapply Rle_lt_trans; [apply Down|].
    specialize (J j (Nat.le_refl j)). rewrite Rabs_pos_eq in J by (apply pow_le; lra).
    eapply Rle_lt_trans; [|exact J].
    pose proof (waiting_powers W I n C E j s G) as P. apply le_INR in P. rewrite pow_INR in P.
    unfold r, Rdiv. rewrite Rpow_mult_distr, pow_inv, <- pow_mult, (Nat.mul_comm n).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, PP | exact P].
  - apply Rmult_le_pos; [apply pos_INR | left; apply Rinv_0_lt_compat, PP].
Qed.

(** One step says that h is the probability of a report in q, from each state. *)
Definition harmonic (W : nat) (I : State -> Prop) (q : Y -> bool) (h : State -> R) : Prop :=
  forall s, I s -> 0 <= h s <= 1 /\
    sum_over (seq 0 W) (fun w => match step s w with inl t => h t | inr y => indicator (q y) end)
    = INR W * h s.

Theorem machine_counts W I q h : stays W I -> harmonic W I q h -> forall s L, I s ->
  INR (ended W q s L) <= h s * INR W ^ L <= INR (ended W q s L) + INR (waiting W s L).
Proof.
  intros C H s L. revert s. induction L as [|L IH]; intros s G.
  - destruct (H s G) as [B _]. change (ended W q s 0) with 0%nat. change (waiting W s 0) with 1%nat.
    cbn. lra.
  - destruct (H s G) as [_ E].
    rewrite ended_step, waiting_step, !total_real, <- sum_plus.
    cbn [Nat.add pow]. rewrite <- Rmult_assoc, (Rmult_comm (h s)), <- E, <- sum_scale_right.
    split; apply sum_le; intros w R; apply in_seq in R; destruct (step s w) as [t|y] eqn:Q.
    + apply IH, (C s w); [assumption | lia | assumption].
    + destruct (q y); cbn [indicator]; [rewrite pow_INR|]; cbn; lra.
    + apply IH, (C s w); [assumption | lia | assumption].
    + destruct (q y); cbn [indicator]; [rewrite pow_INR|]; cbn; lra.
Qed.

(** The part of the sequences that leads to q goes to h. *)
Theorem machine_law W I q h n : (0 < W)%nat -> stays W I -> harmonic W I q h ->
  (forall s, I s -> can_end W n s) ->
  forall s, I s -> Un_cv (fun L => INR (ended W q s L) / INR W ^ L) (h s).
Proof.
  intros V C H E s G e Pe. destruct (machine_ends W I n V C E s G e Pe) as [N B].
  exists N. intros L J. specialize (B L J). revert B. unfold R_dist. rewrite Rminus_0_r.
  assert (P : 0 < INR W ^ L) by (apply pow_lt, lt_0_INR; lia).
  destruct (machine_counts W I q h C H s L G) as [A D].
  rewrite Rabs_pos_eq
    by (apply Rmult_le_pos; [apply pos_INR | left; now apply Rinv_0_lt_compat]).
  intros B. rewrite Rabs_minus_sym, Rabs_pos_eq.
  - eapply Rle_lt_trans; [|exact B]. apply Rmult_le_reg_r with (INR W ^ L); [assumption|].
    unfold Rdiv. rewrite Rmult_minus_distr_r, !Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_le_reg_r with (INR W ^ L); [assumption|].
    unfold Rdiv. rewrite Rmult_minus_distr_r, !Rmult_assoc, Rinv_l by lra. lra.
Qed.
End Machine.

(** * Sums over words *)

Open Scope R_scope.

Lemma sum_seq_same a n x (f : nat -> R) : (forall v, (a <= v < a + n)%nat -> f v = x) ->
  sum_over (seq a n) f = INR n * x.
Proof.
  intros H. rewrite (sum_ext _ _ (fun _ => x)), sum_constant, seq_length; [reflexivity|].
  intros v I. apply in_seq in I. now apply H.
Qed.

(** A word of 2 half numbers has each digit twice. *)
Lemma sum_mod half (f : nat -> R) : (0 < half)%nat ->
  sum_over (seq 0 (2 * half)) (fun w => f (w mod half)%nat) = 2 * sum_over (seq 0 half) f.
Proof.
  intros P. replace (2 * half)%nat with (half + half)%nat by lia. rewrite seq_app, sum_app.
  rewrite (sum_ext (seq 0 half) _ f)
    by (intros w I; apply in_seq in I; now rewrite Nat.mod_small by lia).
  replace (seq (0 + half) half) with (map (fun v => v + half)%nat (seq 0 half)).
  - rewrite sum_map, (sum_ext (seq 0 half) (fun v => f ((v + half) mod half)%nat) f); [ring|].
    intros v I. apply in_seq in I. f_equal. rewrite <- (Nat.mul_1_l half) at 1.
    now rewrite Nat.mod_add, Nat.mod_small by lia.
  - cbn [Nat.add]. generalize half at 1 3 as s. intros s. clear P.
    revert s. induction half as [|h IH]; intros s; [reflexivity|].
    cbn [seq map Nat.add]. f_equal. rewrite <- (IH (S s)), <- seq_shift, map_map.
    apply map_ext. intros. lia.
Qed.
