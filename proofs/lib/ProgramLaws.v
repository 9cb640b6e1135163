(** The law of a program beside its counts: of every length, what has halted by then is a part of
    the law's share of the sequences, and what has not is the rest.

    So where nothing is left after n words, the counts of every longer sequence are the law's; and a
    law of one program followed by another is a mean over what the first one gives. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs.
Import ListNotations.
Open Scope R_scope.

Lemma average_until {Y} W ok (next : nat -> program Y) h : (0 < count ok (seq 0 W))%nat ->
  average W (Until ok next) h * INR W
  = sum_over (seq 0 W) (fun w => if ok w then average W (next w) h
                                 else average W (Until ok next) h).
Proof.
  intros G. rewrite sum_split, sum_constant. fold (count (fun a => negb (ok a)) (seq 0 W)).
  cbn [average]. set (s := sum_over _ _).
  assert (T : INR (count ok (seq 0 W)) + INR (count (fun w => negb (ok w)) (seq 0 W)) = INR W).
  { rewrite <- plus_INR. f_equal. rewrite count_both by auto. apply seq_length. }
  apply lt_INR in G. cbn [INR] in G. rewrite <- T. field. lra.
Qed.

Lemma average_sum {Y} W (p : program Y) f g : average W p (fun y => f y + g y)
  = average W p f + average W p g.
Proof.
  induction p as [y|next IH|ok next IH]; cbn [average]; [reflexivity| |].
  - rewrite (sum_ext _ _ _ (fun w _ => IH w)), sum_plus. unfold Rdiv. ring.
  - rewrite (sum_ext _ _ _ (fun w _ => IH w)), sum_plus. unfold Rdiv. ring.
Qed.

Lemma average_ext {Y} W (p : program Y) f g : (forall y, f y = g y) -> average W p f = average W p
    g.
Proof.
  intros E. induction p as [y|next IH|ok next IH]; cbn [average]; [apply E| |];
  f_equal; apply sum_ext; auto.
Qed.

Lemma average_scale {Y} W (p : program Y) f c : average W p (fun y => c * f y) = c * average W p f.
Proof.
  induction p as [y|next IH|ok next IH]; cbn [average]; [reflexivity| |];
  rewrite (sum_ext _ _ _ (fun w _ => IH w)), sum_scale; unfold Rdiv; ring.
Qed.

Section Between.
Context {Y : Type} (W : nat) (positive : (0 < W)%nat).

Let P : 0 < INR W. Proof. now apply lt_0_INR. Qed.

Lemma law_nonneg (p : program Y) q : proper W p -> 0 <= law W p q.
Proof.
  unfold law. induction p as [y|next IH|ok next IH]; cbn [proper average]; intros H.
  - destruct (q y); cbn; lra.
  - apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
    apply sum_nonneg. intros w I. apply in_seq in I. apply IH, H. lia.
  - destruct H as [G H]. apply lt_INR in G. cbn [INR] in G.
    apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
    apply sum_nonneg. intros w I. apply filter_In in I as [I O]. apply in_seq in I.
    apply IH, H; [lia | assumption].
Qed.

Lemma halting_below_law (p : program Y) q L : proper W p ->
  INR (halting W p q L) <= law W p q * INR W ^ L.
Proof.
  pose proof (pow_le (INR W)) as PW.
  revert L. induction p as [y|next IH|ok next IH]; intros L H.
  - rewrite halting_report. unfold law. cbn. destruct (q y); cbn [indicator].
    + rewrite pow_INR. lra.
    + cbn [INR]. lra.
  - destruct L as [|L].
    + cbn [pow]. rewrite Rmult_1_r. apply Rle_trans with 0; [|now apply law_nonneg].
      unfold halting. cbn. lra.
    + rewrite halting_read, total_real. unfold law. cbn [average proper pow] in *.
      replace (sum_over (seq 0 W) (fun w => average W (next w) (fun y => indicator (q y)))
        / INR W * (INR W * INR W ^ L)) with (sum_over (seq 0 W)
        (fun w => average W (next w) (fun y => indicator (q y)) * INR W ^ L))
        by (rewrite sum_scale_right; field; lra).
      apply sum_le. intros w I. apply in_seq in I. apply (IH w L), H. lia.
  - pose proof H as [G F]. induction L as [|L IL].
    + cbn [pow]. rewrite Rmult_1_r. apply Rle_trans with 0; [|now apply law_nonneg].
      unfold halting. cbn. lra.
    + rewrite halting_until, total_real. unfold law in *. cbn [pow].
      rewrite <- Rmult_assoc, average_until, <- sum_scale_right by assumption.
      apply sum_le. intros w I. apply in_seq in I. destruct (ok w) eqn:O; [|assumption].
      apply (IH w L), F; [lia | assumption].
Qed.

Lemma halting_both (p : program Y) q L : (halting W p (fun _ => true) L
  = halting W p q L + halting W p (fun y => negb (q y)) L)%nat.
Proof.
  unfold halting, count. induction (tuples W L) as [|ws l IH]; [reflexivity|]. cbn [filter].
  destruct (run p ws) as [y|]; cbn [in_event]; [|exact IH].
  destruct (q y); cbn [negb length]; lia.
Qed.

(** Of every length: what has halted, what the law says, and what halts in the end at most. *)
Theorem counts_around_law (p : program Y) q L : proper W p ->
  INR (halting W p q L) <= law W p q * INR W ^ L
  <= INR (halting W p q L) + INR (unresolved W p L).
Proof.
  intros H. split; [now apply halting_below_law|].
  pose proof (halting_below_law p (fun y => negb (q y)) L H) as B.
  pose proof (law_total W p positive H) as T.
  assert (S : law W p q + law W p (fun y => negb (q y)) = 1).
  { transitivity (law W p (fun _ => true)); [|exact T]. unfold law.
    rewrite <- average_sum. apply average_ext.
    intros y. destruct (q y); cbn; lra. }
  pose proof (halting_or_unresolved W p L) as E. apply (f_equal INR) in E.
  rewrite plus_INR, pow_INR in E.
  pose proof (halting_both p q L) as D. apply (f_equal INR) in D. rewrite plus_INR in D.
  assert (X : law W p q * INR W ^ L
    = INR W ^ L - law W p (fun y => negb (q y)) * INR W ^ L) 
    by (replace (law W p q) with (1 - law W p (fun y => negb (q y))) by lra; ring).
  lra.
Qed.

Theorem counts_are_law (p : program Y) q L : proper W p -> unresolved W p L = 0%nat ->
  INR (halting W p q L) = law W p q * INR W ^ L.
Proof.
  intros H U. pose proof (counts_around_law p q L H) as [A B]. rewrite U in B. cbn [INR] in B. lra.
Qed.
End Between.

(** * One program after another *)

Theorem law_bind {X Y} W (p : program X) (f : X -> program Y) q :
  law W (bind p f) q = average W p (fun x => law W (f x) q).
Proof. apply average_bind. Qed.

(** It reads at most n words. *)
Fixpoint reads_within {Y} (W n : nat) (p : program Y) {struct p} : Prop :=
  match p with
  | Report _ => True
  | Read next => match n with
                 | O => False
                 | S m => forall w, (w < W)%nat -> reads_within W m (next w)
                 end
  | Until _ _ => False
  end.

Theorem reads_within_resolved {Y} W (p : program Y) n L : reads_within W n p -> (n <= L)%nat ->
  unresolved W p L = 0%nat.
Proof.
  revert n L. induction p as [y|next IH|ok next IH]; intros n L H B; cbn [reads_within] in H.
  - now apply count_none.
  - destruct n as [|n]; [contradiction|]. destruct L as [|L]; [lia|].
    unfold unresolved. cbn [tuples]. rewrite count_flat with (c := 0%nat); [lia|].
    intros w I. apply in_seq in I. rewrite count_map. cbn [run].
    apply (IH w n L); [apply H|]; lia.
  - contradiction.
Qed.

Theorem reads_within_proper {Y} W (p : program Y) n : reads_within W n p -> proper W p.
Proof.
  revert n. induction p as [y|next IH|ok next IH]; intros n H; cbn [reads_within proper] in *;
  [exact I | | contradiction].
  destruct n as [|n]; [contradiction|]. intros w B. exact (IH w n (H w B)).
Qed.

Lemma reads_within_more {Y} W (p : program Y) n m : (n <= m)%nat -> reads_within W n p ->
    reads_within W m p.
Proof.
  revert n m. induction p as [y|next IH|ok next IH]; intros n m B H; cbn [reads_within] in *; auto.
  destruct n as [|n]; [contradiction|]. destruct m as [|m]; [lia|]. intros w Hw.
  apply (IH w n m); [lia | now apply H].
Qed.

Theorem reads_within_bind {X Y} W (p : program X) (f : X -> program Y) n m : reads_within W n p ->
  (forall x, reads_within W m (f x)) -> reads_within W (n + m) (bind p f).
Proof.
  intros H F. revert n H. induction p as [x|next IH|ok next IH]; intros n H; cbn [reads_within
    bind] in *.
  - apply reads_within_more with m; [lia | apply F].
  - destruct n as [|n]; [contradiction|]. cbn [Nat.add]. intros w B. now apply IH, H.
  - contradiction.
Qed.

(** Whatever is read, what it gives has the property. *)
Fixpoint always_gives {Y} (W : nat) (P : Y -> Prop) (p : program Y) : Prop :=
  match p with
  | Report y => P y
  | Read next => forall w, (w < W)%nat -> always_gives W P (next w)
  | Until ok next => forall w, (w < W)%nat -> ok w = true -> always_gives W P (next w)
  end.

Lemma always_average {Y} W (p : program Y) f g : always_gives W (fun y => f y = g y) p ->
  average W p f = average W p g.
Proof.
  induction p as [y|next IH|ok next IH]; cbn [always_gives average]; intros H; [exact H| |];
  f_equal; apply sum_ext; intros w I.
  - apply in_seq in I. apply IH, H. lia.
  - apply filter_In in I as [I O]. apply in_seq in I. apply IH, H; [lia | assumption].
Qed.

Lemma always_weaker {Y} W (P Q : Y -> Prop) (p : program Y) : (forall y, P y -> Q y) ->
  always_gives W P p -> always_gives W Q p.
Proof. intros H. induction p; cbn [always_gives]; auto. Qed.

Lemma always_bind {X Y} W (P : X -> Prop) (Q : Y -> Prop) (p : program X) (f : X -> program Y) :
  always_gives W P p -> (forall x, P x -> always_gives W Q (f x)) -> always_gives W Q (bind p f).
Proof. intros H F. induction p; cbn [always_gives bind] in *; auto. Qed.

(** Where what follows has one law after each result in `r`, and none in q after the others. *)
Theorem law_bind_where {X Y} W (p : program X) (f : X -> program Y) q (r : X -> bool) (l : R) :
  always_gives W (fun x => law W (f x) q = if r x then l else 0) p -> law W (bind p f) q = law W p
    r * l.
Proof.
  intros H. rewrite law_bind, (always_average W p _ (fun x => l * indicator (r x))).
  - rewrite average_scale. unfold law. ring.
  - revert H. apply always_weaker. intros x ->. destruct (r x); cbn; ring.
Qed.
