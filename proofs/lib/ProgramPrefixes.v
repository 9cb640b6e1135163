(** Look-up by prefixes, counted: words are digits, highest first, of a number that is compared with
    cuts, and no more of them are read than say between which cuts it lies.

    A table of all first words says the report, or that a cut lies among the numbers that begin so.
    The report is that of `table_of_cuts` on the whole number of n words, whatever was read of it.
      *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramLaws.
Import ListNotations.
Open Scope nat_scope.

(** * Numbers by digits *)

Lemma summed_app l m f : summed (l ++ m) f = summed l f + summed m f.
Proof. unfold summed. now rewrite map_app, list_sum_app. Qed.

Lemma count_by_digit p W M : count p (seq 0 (W * M))
  = summed (seq 0 W) (fun w => count (fun v => p (w * M + v)) (seq 0 M)).
Proof.
  induction W as [|W IH]; [reflexivity|].
  replace (S W * M) with (W * M + M) by lia. rewrite seq_app, count_app, IH.
  replace (S W) with (W + 1) by lia. rewrite seq_app, summed_app. f_equal.
  unfold summed. cbn [seq map list_sum fold_right Nat.add]. rewrite Nat.add_0_r.
  rewrite <- (count_map p (fun v => W * M + v)). f_equal.
  clear. generalize (W * M) as s. intros s. induction M as [|M IH] in s |- *; [reflexivity|].
  cbn [seq map]. rewrite Nat.add_0_r. f_equal. rewrite (IH (S s)), <- seq_shift, map_map.
  apply map_ext. intros. lia.
Qed.

Lemma summed_scale l f c : summed l (fun w => f w * c) = summed l f * c.
Proof.
  unfold summed. induction l as [|a l IH]; [reflexivity|]. cbn [map list_sum fold_right].
  change (fold_right Init.Nat.add 0) with list_sum. rewrite IH. lia.
Qed.

(** * The program *)

(** How many cuts are not above a number. *)
Definition cuts_reached (row : list nat) (v : nat) : nat := count (fun c => c <=? v) row.

(** No cut lies among the numbers whose digits before the last m are those of a, but at their
    start. *)
Definition prefix_decided (W m : nat) (row : list nat) (a : nat) : bool :=
  cuts_reached row (a * W ^ m) =? cuts_reached row (a * W ^ m + (W ^ m - 1)).

(** With the digits of a read, and at most n to come. *)
Fixpoint prefix_table (W : nat) (row : list nat) (n a : nat) : program nat :=
  if prefix_decided W n row a then Report (cuts_reached row (a * W ^ n)) else
  match n with
  | 0 => Report (cuts_reached row a)
  | S m => Read (fun w => prefix_table W row m (a * W + w))
  end.

Lemma cuts_reached_grow row v u : v <= u -> cuts_reached row v <= cuts_reached row u.
Proof.
  intros H. unfold cuts_reached, count. induction row as [|c row IH]; [reflexivity|]. cbn [filter].
  destruct (c <=? v) eqn:E.
  - apply Nat.leb_le in E. rewrite (proj2 (Nat.leb_le c u)) by lia. cbn [length]. lia.
  - destruct (c <=? u); cbn [length]; lia.
Qed.

Lemma prefix_decided_all W row a : prefix_decided W 0 row a = true.
Proof. unfold prefix_decided. cbn. rewrite Nat.add_0_r. apply Nat.eqb_refl. Qed.

(** Further digits change nothing then. *)
Lemma prefix_decided_within W m n row a v : 0 < W -> prefix_decided W (m + n) row a = true -> v < W
    ^ n ->
  prefix_decided W m row (a * W ^ n + v) = true
  /\ cuts_reached row ((a * W ^ n + v) * W ^ m) = cuts_reached row (a * W ^ (m + n)).
Proof.
  unfold prefix_decided. intros P D B. apply Nat.eqb_eq in D. rewrite Nat.eqb_eq.
  pose proof (Nat.pow_nonzero W m ltac:(lia)). pose proof (Nat.pow_nonzero W n ltac:(lia)).
  rewrite Nat.pow_add_r in *. set (M := W ^ m) in *. set (N := W ^ n) in *.
  pose proof (cuts_reached_grow row (a * (M * N)) ((a * N + v) * M) ltac:(nia)).
  pose proof (cuts_reached_grow row ((a * N + v) * M) ((a * N + v) * M + (M - 1)) ltac:(lia)).
  pose proof (cuts_reached_grow row ((a * N + v) * M + (M - 1)) (a * (M * N) + (M * N - 1))
    ltac:(nia)).
  lia.
Qed.

(** Of L words, not more than are read at most: all whose numbers lie between two cuts have led to
    what lies between these. *)
Theorem prefix_counts W row m L a q : 0 < W ->
  halting W (prefix_table W row (m + L) a) q L
  = count (fun v => prefix_decided W m row (a * W ^ L + v) && q (cuts_reached row ((a * W ^ L + v)
    * W ^ m)))
      (seq 0 (W ^ L)).
Proof.
  intros P. induction L as [|L IH] in a |- *.
  - rewrite Nat.add_0_r. cbn [Nat.pow]. rewrite Nat.mul_1_r. unfold count. cbn [seq filter].
    rewrite Nat.add_0_r. destruct (prefix_decided W m row a) eqn:D.
    + destruct m; cbn [prefix_table]; rewrite D, halting_report; cbn [andb]; now destruct (q _).
    + destruct m; [now rewrite prefix_decided_all in D|]. cbn [prefix_table]. now rewrite D.
  - destruct (prefix_decided W (m + S L) row a) eqn:D.
    + replace (prefix_table W row (m + S L) a) with (Report (cuts_reached row (a * W ^ (m + S L))))
        by (rewrite Nat.add_succ_r in *; cbn [prefix_table]; now rewrite D).
      rewrite halting_report.
      rewrite (count_ext _ (fun _ => q (cuts_reached row (a * W ^ (m + S L))))).
      * destruct (q _); [now rewrite count_all, seq_length by auto | now rewrite count_none by
        auto].
      * intros v I. apply in_seq in I.
        destruct (prefix_decided_within W m (S L) row a v P D ltac:(lia)) as [-> ->]. reflexivity.
    + rewrite Nat.add_succ_r in *. cbn [prefix_table]. rewrite D, halting_read.
      change (W ^ S L) with (W * W ^ L). rewrite count_by_digit. apply total_ext. intros w _.
      rewrite IH. apply count_ext. intros v _.
      now replace ((a * W + w) * W ^ L + v) with (a * (W * W ^ L) + (w * W ^ L + v)) by lia.
Qed.

Theorem prefix_within W row n a : reads_within W n (prefix_table W row n a).
Proof.
  induction n as [|n IH] in a |- *; cbn [prefix_table]; destruct (prefix_decided _ _ _ _); cbn
    [reads_within];
  auto.
Qed.

(** Of all words: the table's counts, for n digits in base W. *)
Theorem prefix_table_counts W row n y L : 0 < W -> growing (W ^ n) row -> y <= length row ->
  halting W (prefix_table W row n 0) (Nat.eqb y) (n + L) = cuts_cell (W ^ n) row y * W ^ L.
Proof.
  intros P G B. apply INR_eq. rewrite counts_are_law;
    [ | assumption | eapply reads_within_proper, prefix_within
      | apply reads_within_resolved with n; [apply prefix_within | lia]].
  rewrite pow_add, mult_INR, <- Rmult_assoc, pow_INR. f_equal.
  rewrite <- counts_are_law;
    [ | assumption | eapply reads_within_proper, prefix_within
      | apply reads_within_resolved with n; [apply prefix_within | lia]].
  f_equal. rewrite <- (Nat.add_0_l n) at 1. rewrite prefix_counts by assumption.
  pose proof (table_of_cuts_counts (W ^ n) row y 0 G B) as T. rewrite Nat.mul_1_r in T.
  rewrite <- T. unfold table_of_cuts. rewrite one_word_counts, Nat.mul_1_r.
  apply count_ext. intros v _. now rewrite prefix_decided_all, Nat.mul_0_l, Nat.mul_1_r.
Qed.

(** After L words, fewer than are read at most, what is left are the numbers that begin as a cut
    does: no more than there are cuts. *)
Theorem prefix_unresolved W row m L a : 0 < W ->
  unresolved W (prefix_table W row (m + L) a) L
  = count (fun v => negb (prefix_decided W m row (a * W ^ L + v))) (seq 0 (W ^ L)).
Proof.
  intros P. pose proof (halting_or_unresolved W (prefix_table W row (m + L) a) L) as H.
  rewrite prefix_counts in H by assumption.
  rewrite (count_ext _ (fun v => prefix_decided W m row (a * W ^ L + v))) in H
    by (intros; apply andb_true_r).
  assert (E : count (fun v => prefix_decided W m row (a * W ^ L + v)) (seq 0 (W ^ L))
    + count (fun v => negb (prefix_decided W m row (a * W ^ L + v))) (seq 0 (W ^ L)) = W ^ L).
  { rewrite count_both by auto. apply seq_length. }
  lia.
Qed.

Lemma prefix_undecided_few W m row L : 0 < W ->
  count (fun v => negb (prefix_decided W m row v)) (seq 0 L) <= cuts_reached row (L * W ^ m - 1).
Proof.
  intros P. pose proof (Nat.pow_nonzero W m ltac:(lia)) as Z. set (M := W ^ m) in *.
  induction L as [|L IH]; [cbn; lia|].
  replace (S L) with (L + 1) by lia. rewrite seq_app, count_app. cbn [seq Nat.add].
  unfold count at 2. cbn [filter]. unfold prefix_decided at 2. fold M.
  pose proof (cuts_reached_grow row (L * M - 1) (L * M) ltac:(lia)).
  pose proof (cuts_reached_grow row (L * M) (L * M + (M - 1)) ltac:(lia)).
  replace ((L + 1) * M - 1) with (L * M + (M - 1)) by lia.
  destruct (Nat.eqb_spec (cuts_reached row (L * M)) (cuts_reached row (L * M + (M - 1)))); cbn
    [negb length];
  lia.
Qed.

Theorem prefix_few_unresolved W row m L : 0 < W ->
  unresolved W (prefix_table W row (m + L) 0) L <= length row.
Proof.
  intros P. rewrite prefix_unresolved by assumption. cbn [Nat.mul Nat.add].
  eapply Nat.le_trans; [apply prefix_undecided_few; assumption|]. unfold cuts_reached, count.
  induction row as [|c row IH]; [reflexivity|]. cbn [filter]. destruct (c <=? _); cbn [length]; lia.
Qed.
