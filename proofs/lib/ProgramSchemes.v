(** Programs of k-ary randomized response and of tables of cuts, counted.

    They are the programs `k_rr`, `k_rr_wide` and `table_of_cuts` of the package, for words of any
    width: W is 2^width. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs.
Import ListNotations.
Open Scope nat_scope.

(** * One word *)

Lemma count_interval a b n : a <= b -> b <= n ->
  count (fun w => (a <=? w) && (w <? b)) (seq 0 n) = b - a.
Proof.
  intros A B. replace n with (a + ((b - a) + (n - b))) by lia. rewrite !seq_app, !count_app.
  rewrite (count_none _ (seq 0 a)), (count_all _ (seq (0 + a) (b - a))),
    (count_none _ (seq _ (n - b))).
  - rewrite seq_length. lia.
  - intros w I. apply in_seq in I. apply andb_false_iff. right. apply Nat.ltb_ge. lia.
  - intros w I. apply in_seq in I. apply andb_true_iff.
    split; [apply Nat.leb_le | apply Nat.ltb_lt]; lia.
  - intros w I. apply in_seq in I. apply andb_false_iff. left. apply Nat.leb_gt. lia.
Qed.

Lemma seq_cut a n : a <= n -> seq 0 n = seq 0 a ++ seq a (n - a).
Proof. intros H. replace n with (a + (n - a)) at 1 by lia. now rewrite seq_app. Qed.

(** Of the W^(1 + L) sequences, W^L for each word that leads there; none is unresolved. *)
Theorem one_word_counts {Y} W (f : nat -> Y) q L :
  halting W (Read (fun w => Report (f w))) q (S L) = count (fun w => q (f w)) (seq 0 W) * W ^ L.
Proof.
  unfold halting. cbn [tuples]. apply count_flat_one. intros w _. rewrite count_map.
  apply (halting_report W (f w) q L).
Qed.

Theorem one_word_resolved {Y} W (f : nat -> Y) L :
  unresolved W (Read (fun w => Report (f w))) (S L) = 0.
Proof.
  pose proof (halting_or_unresolved W (Read (fun w => Report (f w))) (S L)) as H.
  rewrite one_word_counts, count_all, seq_length in H by auto. cbn [Nat.pow] in H. lia.
Qed.

(** * Rejection *)

(** Of each accepted word: the sequences of L words in which it is the first accepted one, if
    `bad` words are not. *)
Fixpoint retried (W bad L : nat) : nat :=
  match L with 0 => 0 | S n => W ^ n + bad * retried W bad n end.

Lemma total_split (ok : nat -> bool) l f c :
  summed l (fun a => if ok a then f a else c)
  = summed (filter ok l) f + count (fun a => negb (ok a)) l * c.
Proof.
  unfold summed, count. induction l as [|a l IH]; [reflexivity|].
  cbn [map list_sum fold_right filter].
  change (fold_right Init.Nat.add 0) with list_sum. rewrite IH.
  destruct (ok a); cbn [negb length map list_sum fold_right];
  change (fold_right Init.Nat.add 0) with list_sum; lia.
Qed.

Lemma total_indicator {Y} (q : Y -> bool) (f : nat -> Y) l c :
  summed l (fun w => if q (f w) then c else 0) = count (fun w => q (f w)) l * c.
Proof.
  unfold summed, count. induction l as [|a l IH]; [reflexivity|].
  cbn [map list_sum fold_right filter].
  change (fold_right Init.Nat.add 0) with list_sum. rewrite IH.
  destruct (q (f a)); cbn [length]; lia.
Qed.

Lemma summed_constant l c : summed l (fun _ => c) = length l * c.
Proof.
  unfold summed. induction l as [|a l IH]; [reflexivity|].
  cbn [map list_sum fold_right length].
  change (fold_right Init.Nat.add 0) with list_sum. rewrite IH. lia.
Qed.

Lemma count_filter {A} (p ok : A -> bool) l :
  count p (filter ok l) = count (fun a => ok a && p a) l.
Proof.
  unfold count. induction l as [|a l IH]; [reflexivity|]. cbn [filter].
  destruct (ok a); cbn [andb filter]; [destruct (p a); cbn [length]; auto | auto].
Qed.

Theorem rejection_counts {Y} W ok (f : nat -> Y) q L :
  halting W (Until ok (fun w => Report (f w))) q L
  = count (fun w => ok w && q (f w)) (seq 0 W)
    * retried W (count (fun w => negb (ok w)) (seq 0 W)) L.
Proof.
  induction L as [|L IH]; [cbn; lia|].
  rewrite halting_until, IH, total_split.
  rewrite (total_ext _ _ (fun w => if q (f w) then W ^ L else 0)) by (intros; apply halting_report).
  rewrite total_indicator, count_filter. cbn [retried]. lia.
Qed.

Lemma retried_or_not W good bad L : good + bad = W -> good * retried W bad L + bad ^ L = W ^ L.
Proof.
  intros E. induction L as [|L IH]; [cbn; lia|]. cbn [retried Nat.pow].
  set (r := retried W bad L) in *. rewrite <- E at 2. rewrite Nat.mul_add_distr_r.
  rewrite <- IH at 3. nia.
Qed.

(** What is left after L words: they were all rejected. *)
Theorem rejection_unresolved {Y} W ok (f : nat -> Y) L :
  unresolved W (Until ok (fun w => Report (f w))) L
  = count (fun w => negb (ok w)) (seq 0 W) ^ L.
Proof.
  pose proof (halting_or_unresolved W (Until ok (fun w => Report (f w))) L) as H.
  rewrite rejection_counts in H.
  rewrite (count_ext (fun w => ok w && true) ok) in H by (intros; apply andb_true_r).
  assert (E : count ok (seq 0 W) + count (fun w => negb (ok w)) (seq 0 W) = W).
  { rewrite count_both by auto. apply seq_length. }
  pose proof (retried_or_not W _ _ L E). lia.
Qed.

(** * k-ary randomized response *)

(** The words below k lie report 0..k-1, `lie` words each; all further words the truth. *)
Definition k_rr (k lie x : nat) : program nat :=
  Read (fun w => Report (if w <=? k * lie - 1 then w / lie else x)).
Definition k_rr_cell (W k lie x y : nat) : nat := if y =? x then W - (k - 1) * lie else lie.

Lemma quotient lie w y : 0 < lie -> (y =? w / lie) = ((y * lie <=? w) && (w <? S y * lie)).
Proof.
  intros P. apply eq_true_iff_eq. rewrite andb_true_iff, Nat.eqb_eq, Nat.leb_le, Nat.ltb_lt.
  pose proof (Nat.div_mod w lie ltac:(lia)) as D. pose proof (Nat.mod_upper_bound w lie ltac:(lia)).
  split; [intros ->; nia|]. intros [A B]. nia.
Qed.

Lemma count_quotients lie y k : 0 < lie -> y < k ->
  count (fun w => y =? w / lie) (seq 0 (k * lie)) = lie.
Proof.
  intros P B. rewrite (count_ext _ (fun w => (y * lie <=? w) && (w <? S y * lie)))
    by (intros; now apply quotient).
  rewrite count_interval; [nia | nia | nia].
Qed.

Theorem k_rr_counts W k lie x y L : 0 < lie -> k * lie <= W -> x < k -> y < k ->
  halting W (k_rr k lie x) (Nat.eqb y) (S L) = k_rr_cell W k lie x y * W ^ L.
Proof.
  intros P B Hx Hy. unfold k_rr. rewrite one_word_counts. f_equal.
  rewrite (seq_cut (k * lie)), count_app by assumption.
  rewrite (count_ext _ (fun w => y =? w / lie) (seq 0 (k * lie))).
  - rewrite count_quotients by assumption. unfold k_rr_cell. 
    assert (Q : forall w, In w (seq (k * lie) (W - k * lie)) -> (w <=? k * lie - 1) = false).
    { intros w I. apply in_seq in I. apply Nat.leb_gt. nia. }
    destruct (y =? x) eqn:E.
    + rewrite count_all, seq_length by (intros w I; now rewrite Q). nia.
    + rewrite count_none by (intros w I; now rewrite Q). lia.
  - intros w I. apply in_seq in I. rewrite (proj2 (Nat.leb_le _ _)) by lia. reflexivity.
Qed.

Theorem k_rr_resolved W k lie x L : unresolved W (k_rr k lie x) (S L) = 0.
Proof. apply one_word_resolved. Qed.

(** * k-ary randomized response for large k *)

(** With mix words of W a uniform value: words beyond k equal shares are rejected. It is drawn
    whether it is told or not. *)
Definition equal_shares (W k : nat) : program nat :=
  Until (fun v => v <=? k * (W / k) - 1) (fun v => Report (v / (W / k))).
Definition k_rr_wide (W k mix x : nat) : program nat :=
  Read (fun w => Until (fun v => v <=? k * (W / k) - 1)
                   (fun v => Report (if w <? mix then v / (W / k) else x))).

Section Uniform.
Context (W k : nat) (positive : 0 < k) (room : k <= W).

Lemma share_positive : 0 < W / k.
Proof. apply Nat.div_str_pos. lia. Qed.

Lemma shares_within : k * (W / k) <= W.
Proof. apply Nat.mul_div_le. lia. Qed.

Lemma count_rejected : count (fun v => negb (v <=? k * (W / k) - 1)) (seq 0 W) = W mod k.
Proof.
  pose proof share_positive. pose proof shares_within.
  rewrite (count_ext _ (fun w => (k * (W / k) <=? w) && (w <? W))).
  - rewrite count_interval by lia. pose proof (Nat.div_mod W k ltac:(lia)). lia.
  - intros w I. apply in_seq in I. apply eq_true_iff_eq.
    rewrite negb_true_iff, andb_true_iff, Nat.leb_gt, Nat.leb_le, Nat.ltb_lt. nia.
Qed.

Theorem uniform_counts y L : y < k ->
  halting W (equal_shares W k) (Nat.eqb y) L = W / k * retried W (W mod k) L.
Proof.
  intros B. pose proof share_positive. pose proof shares_within.
  unfold equal_shares. rewrite rejection_counts, count_rejected. f_equal.
  rewrite (seq_cut (k * (W / k)) W), count_app by assumption.
  rewrite (count_ext _ (fun w => y =? w / (W / k)) (seq 0 (k * (W / k)))).
  - rewrite count_quotients, count_none by (assumption || (intros w I; apply in_seq in I;
      apply andb_false_iff; left; apply Nat.leb_gt; nia)). lia.
  - intros w I. apply in_seq in I. rewrite (proj2 (Nat.leb_le _ _)) by lia. reflexivity.
Qed.

Theorem uniform_unresolved L : unresolved W (equal_shares W k) L = (W mod k) ^ L.
Proof. unfold equal_shares. now rewrite rejection_unresolved, count_rejected. Qed.

Lemma count_accepted : count (fun v => v <=? k * (W / k) - 1) (seq 0 W) = k * (W / k).
Proof.
  pose proof share_positive. pose proof shares_within.
  rewrite (count_ext _ (fun w => (0 <=? w) && (w <? k * (W / k)))).
  - rewrite count_interval; lia.
  - intros v I. apply eq_true_iff_eq. rewrite andb_true_iff, !Nat.leb_le, Nat.ltb_lt. nia.
Qed.

(** After 1 + L words. The last factor is the same for all reports and values: how many words are
    read is independent of both. *)
Theorem k_rr_wide_counts mix x y L : mix <= W -> x < k -> y < k ->
  halting W (k_rr_wide W k mix x) (Nat.eqb y) (S L)
  = (mix * (W / k) + (if y =? x then (W - mix) * (k * (W / k)) else 0)) * retried W (W mod k) L.
Proof.
  intros M Hx Hy. unfold k_rr_wide. rewrite halting_read.
  rewrite (total_ext _ _ (fun w => if negb (w <? mix)
    then (if y =? x then k * (W / k) else 0) * retried W (W mod k) L
    else W / k * retried W (W mod k) L)).
  - rewrite total_split.
    rewrite (count_ext (fun a => negb (negb (a <? mix))) (fun w => (0 <=? w) && (w <? mix)))
      by (intros; now rewrite negb_involutive).
    rewrite count_interval by lia. rewrite Nat.sub_0_r, summed_constant.
    fold (count (fun w => negb (w <? mix)) (seq 0 W)).
    rewrite (count_ext _ (fun w => (mix <=? w) && (w <? W))).
    + rewrite count_interval by lia. destruct (y =? x); lia.
    + intros w I. apply in_seq in I. apply eq_true_iff_eq.
      rewrite !andb_true_iff, negb_true_iff, Nat.ltb_ge, Nat.leb_le, Nat.ltb_lt. lia.
  - intros w _. destruct (w <? mix); cbn [negb].
    + now apply uniform_counts.
    + rewrite rejection_counts, count_rejected. f_equal. destruct (y =? x).
      * rewrite (count_ext _ (fun v => v <=? k * (W / k) - 1)) by (intros; apply andb_true_r).
        apply count_accepted.
      * apply count_none. intros. apply andb_false_r.
Qed.

Theorem k_rr_wide_unresolved mix x L :
  unresolved W (k_rr_wide W k mix x) (S L) = W * (W mod k) ^ L.
Proof.
  unfold unresolved. cbn [tuples]. rewrite count_flat_one
    with (q := fun _ => true) (c := (W mod k) ^ L).
  - rewrite count_all by auto. now rewrite seq_length.
  - intros w _. rewrite count_map. cbn [k_rr_wide run].
    rewrite <- count_rejected. apply rejection_unresolved.
Qed.

Theorem k_rr_wide_halts mix x :
  Un_cv (fun L => INR (unresolved W (k_rr_wide W k mix x) L) / INR W ^ L)%R 0%R.
Proof.
  apply program_halts; [lia|]. intros w _. cbn. split; [|tauto].
  pose proof share_positive. rewrite count_accepted. nia.
Qed.
End Uniform.

(** * Tables of cuts *)

(** The report is the number of cuts of the value's row that are not above the word. *)
Definition table_of_cuts (row : list nat) : program nat :=
  Read (fun w => Report (count (fun c => c <=? w) row)).
Definition cuts_cell (W : nat) (row : list nat) (y : nat) : nat :=
  nth y (row ++ [W]) 0 - nth y (0 :: row) 0.

Definition growing (W : nat) (row : list nat) : Prop :=
  forall i, i <= length row -> nth i (0 :: row) 0 <= nth i (row ++ [W]) 0.

Lemma growing_tail W c row : growing W (c :: row) ->
  (forall d, In d row -> c <= d) /\ (forall d, In d (c :: row) -> d <= W).
Proof.
  revert c. induction row as [|d row IH]; intros c G.
  - split; [intros d []|]. intros d [<-|[]]. apply (G 1). cbn. lia.
  - assert (C : c <= d) by (apply (G 1); cbn; lia).
    destruct (IH d) as [A B].
    { intros [|i] I; cbn [nth]; [lia|]. apply (G (S (S i))). cbn in *. lia. }
    split; [intros e [<-|I]; [assumption|]; pose proof (A e I); lia|].
    intros e [<-|I]; [|auto]. pose proof (B d (or_introl eq_refl)). lia.
Qed.

(** A word lies above y cuts, and not above the next one. *)
Lemma above_cuts W row w y : growing W row -> w < W -> y <= length row ->
  (y =? count (fun c => c <=? w) row)
  = ((nth y (0 :: row) 0 <=? w) && (w <? nth y (row ++ [W]) 0)).
Proof.
  revert y. induction row as [|c row IH]; intros y G B Hy.
  - cbn in Hy. assert (y = 0) as -> by lia. cbn. symmetry. now apply Nat.ltb_lt.
  - destruct (growing_tail W c row G) as [T U].
    assert (Gr : growing W row).
    { intros [|i] I; cbn [nth]; [lia|]. apply (G (S (S i))). cbn in *. lia. }
    destruct (c <=? w) eqn:E.
    + apply Nat.leb_le in E. unfold count in *. cbn [filter]. rewrite (proj2 (Nat.leb_le c w) E).
      cbn [length]. destruct y as [|y].
      * cbn [nth app]. symmetry. apply andb_false_iff. right. apply Nat.ltb_ge. lia.
      * cbn [Nat.eqb]. cbn in Hy. rewrite IH by (assumption || lia). cbn [nth app].
        destruct y; [|reflexivity]. cbn [nth]. f_equal. apply eq_true_iff_eq.
        rewrite !Nat.leb_le. lia.
    + apply Nat.leb_gt in E. unfold count. cbn [filter]. rewrite (proj2 (Nat.leb_gt c w) E).
      fold (count (fun c => c <=? w) row). rewrite count_none
        by (intros d I; apply Nat.leb_gt; pose proof (T d I); lia).
      destruct y as [|y]; cbn [nth app Nat.eqb].
      * symmetry. apply andb_true_iff. split; [reflexivity | now apply Nat.ltb_lt].
      * symmetry. apply andb_false_iff. left. apply Nat.leb_gt. cbn in Hy.
        destruct y as [|y]; [assumption|]. cbn [nth].
        apply Nat.lt_le_trans with c; [assumption|]. apply T, nth_In. lia.
Qed.

Theorem table_of_cuts_counts W row y L : growing W row -> y <= length row ->
  halting W (table_of_cuts row) (Nat.eqb y) (S L) = cuts_cell W row y * W ^ L.
Proof.
  intros G Hy. unfold table_of_cuts. rewrite one_word_counts. f_equal.
  rewrite (count_ext _ (fun w => (nth y (0 :: row) 0 <=? w) && (w <? nth y (row ++ [W]) 0))).
  - apply count_interval; [now apply G|].
    destruct row as [|c row]; [cbn in Hy; assert (y = 0) as -> by lia; cbn; lia|].
    destruct (Nat.lt_ge_cases y (length (c :: row))).
    + rewrite app_nth1 by assumption. apply (growing_tail W c row G), nth_In. assumption.
    + rewrite app_nth2 by assumption. replace (y - _) with 0 by lia. cbn. lia.
  - intros w I. apply in_seq in I. apply (above_cuts W row w y); [assumption | lia | assumption].
Qed.

Theorem table_of_cuts_resolved W row L : unresolved W (table_of_cuts row) (S L) = 0.
Proof. apply one_word_resolved. Qed.
