(** Noise of bounded range by a walk, counted: the program `truncated_noise` of the package.

    The side is drawn by rejection: words from half on are a 0, those below `share` a 1. Then n
    words are read, whatever they are: the size is how many of the first ones are below `share`, all
    taken mod half. So the counts are a product: of the side and size, and of how many words are
    read, whose law is one for all sides and sizes. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramPrefixes.
Import ListNotations.
Open Scope nat_scope.

(** n words; the size so far, and whether it still grows. *)
Fixpoint walk {Y} (half share n : nat) (done : nat -> Y) (going : bool) (size : nat) : program Y :=
  match n with
  | 0 => Report (done size)
  | S n => Read (fun w => let more := going && (w mod half <? share) in
                          walk half share n done more (if more then S size else size))
  end.

Definition truncated_noise {Y} (half share n : nat) (placed : bool -> nat -> Y) : program Y :=
  Until (fun w => (half <=? w) || (w <? share))
    (fun w => walk half share n (placed (negb (half <=? w))) true 0).

Section Walk.
Context (half share : nat) (below : share <= half) (positive : 0 < half).

Lemma count_below : count (fun w => w mod half <? share) (seq 0 (2 * half)) = 2 * share.
Proof.
  replace (2 * half) with (half + half) by lia. rewrite seq_app, count_app.
  rewrite (count_ext _ (fun w => (0 <=? w) && (w <? share)) (seq 0 half)).
  - rewrite count_interval by lia. cbn [Nat.add].
    rewrite (count_ext _ (fun w => (half <=? w) && (w <? half + share)) (seq half half)).
    + transitivity (share - 0 + count (fun w => (half <=? w) && (w <? half + share))
        (seq 0 (half + half))).
      * f_equal. rewrite seq_app, count_app, (count_none _ (seq 0 half)); [reflexivity|].
        intros w I. apply in_seq in I. apply andb_false_iff. left. apply Nat.leb_gt. lia.
      * rewrite count_interval by lia. lia.
    + intros w I. apply in_seq in I. apply eq_true_iff_eq.
      rewrite andb_true_iff, Nat.leb_le, !Nat.ltb_lt.
      replace (w mod half) with (w - half); [lia|].
      apply Nat.mod_unique with (q := 1); lia.
  - intros w I. apply in_seq in I. rewrite Nat.mod_small by lia. apply eq_true_iff_eq.
    rewrite andb_true_iff, Nat.leb_le, !Nat.ltb_lt. lia.
Qed.

Lemma count_not_below : count (fun w => negb (w mod half <? share)) (seq 0 (2 * half))
  = (2 * half) - 2 * share.
Proof.
  pose proof (count_both (fun w => w mod half <? share) (fun w => negb (w mod half <? share))
    (seq 0 (2 * half)) (fun _ _ => eq_refl)) as H.
  rewrite count_below, seq_length in H. lia.
Qed.

(** Of the (2 half)^n sequences of n words: those after which the size is j, from 0. *)
Definition walk_cell (n j : nat) : nat :=
  if j =? n then (2 * share) ^ n
  else if j <? n then (2 * share) ^ j * ((2 * half) - 2 * share) * (2 * half) ^ (n - 1 - j) else 0.

Lemma walk_stopped {Y} n (done : nat -> Y) size q L :
  halting (2 * half) (walk half share n done false size) q (n + L)
  = if q (done size) then (2 * half) ^ (n + L) else 0.
Proof.
  induction n as [|n IH]; [apply halting_report|].
  cbn [walk andb Nat.add]. rewrite halting_read.
  rewrite (total_ext _ _ (fun _ => if q (done size) then (2 * half) ^ (n + L) else 0))
      by (intros; apply IH).
  rewrite summed_constant, seq_length. destruct (q (done size)); cbn [Nat.pow]; lia.
Qed.

Theorem walk_counts {Y} n (done : nat -> Y) size q L :
  halting (2 * half) (walk half share n done true size) q (n + L)
  = summed (seq 0 (S n)) (fun j => if q (done (size + j)) then walk_cell n j else 0)
    * (2 * half) ^ L.
Proof.
  revert size. induction n as [|n IH]; intros size.
  - cbn [walk Nat.add]. rewrite halting_report. unfold summed. cbn [seq map list_sum fold_right].
    unfold walk_cell. cbn [Nat.eqb Nat.pow].
    replace (size + 0) with size by lia. destruct (q (done size)); ring.
  - cbn [walk Nat.add andb]. rewrite halting_read.
    rewrite (total_ext _ _ (fun w => if (w mod half <? share)
      then halting (2 * half) (walk half share n done true (S size)) q (n + L)
      else if q (done size) then (2 * half) ^ (n + L) else 0)).
    2: { intros w _. destruct (w mod half <? share); [reflexivity|]. apply walk_stopped. }
    rewrite total_split, count_not_below, summed_constant.
    change (length (filter _ (seq 0 (2 * half))))
      with (count (fun w => w mod half <? share) (seq 0 (2 * half))).
    rewrite count_below, IH.
    change (seq 0 (S (S n))) with (0 :: seq 1 (S n)).
    unfold summed at 2. cbn [map list_sum fold_right].
    change (fold_right Init.Nat.add 0) with list_sum.
    rewrite <- seq_shift, map_map.
    assert (E : list_sum (map (fun j => if q (done (size + S j)) then walk_cell (S n) (S j) else 0)
        (seq 0 (S n)))
      = summed (seq 0 (S n)) (fun j => if q (done (S size + j)) then walk_cell n j else 0)
        * (2 * share)).
    { rewrite <- summed_scale. unfold summed. f_equal. apply map_ext. intros j.
      replace (size + S j) with (S size + j) by lia.
      destruct (q (done (S size + j))); [|lia]. unfold walk_cell. cbn [Nat.eqb].
      change (S j <? S n) with (j <? n).
      destruct (j =? n) eqn:E; [cbn [Nat.pow]; ring|].
      destruct (j <? n) eqn:B; [|lia]. apply Nat.ltb_lt in B.
      replace (S n - 1 - S j) with (n - 1 - j) by lia. cbn [Nat.pow]. ring. }
    rewrite E. unfold walk_cell at 2. cbn [Nat.eqb Nat.ltb Nat.leb].
    replace (size + 0) with size by lia. replace (S n - 1 - 0) with n by lia. cbn [Nat.pow].
    rewrite Nat.pow_add_r. destruct (q (done size)); ring.
Qed.

Theorem walk_reads_all {Y} n (done : nat -> Y) going size q L : L < n ->
  halting (2 * half) (walk half share n done going size) q L = 0.
Proof.
  revert going size L. induction n as [|n IH]; intros going size L B; [lia|].
  destruct L as [|L]; [reflexivity|]. cbn [walk]. rewrite halting_read.
  rewrite (total_ext _ _ (fun _ => 0)) by (intros; apply IH; lia).
  rewrite summed_constant. lia.
Qed.

(** What leads to a report of q, for a side. *)
Definition side_cell {Y} (n : nat) (placed : bool -> nat -> Y) (q : Y -> bool) (above : bool)
  : nat :=
  summed (seq 0 (S n)) (fun j => if q (placed above j) then walk_cell n j else 0).

Lemma truncated_reads_all {Y} n (placed : bool -> nat -> Y) q L : L <= n ->
  halting (2 * half) (truncated_noise half share n placed) q L = 0.
Proof.
  induction L as [|L IH]; intros B; [reflexivity|]. unfold truncated_noise in *.
  rewrite halting_until, (total_ext _ _ (fun _ => 0)).
  - rewrite summed_constant. lia.
  - intros w _. destruct ((half <=? w) || (w <? share)); [apply walk_reads_all | apply IH]; lia.
Qed.

(** After n + L words. The last factor is the same for all reports and values: how many words are
    read is independent of both. *)
Theorem truncated_noise_counts {Y} n (placed : bool -> nat -> Y) q L :
  halting (2 * half) (truncated_noise half share n placed) q (n + L)
  = (half * side_cell n placed q false + share * side_cell n placed q true)
    * retried (2 * half) (half - share) L.
Proof.
  induction L as [|L IH].
  - rewrite Nat.add_0_r, truncated_reads_all by lia. cbn [retried]. lia.
  - rewrite Nat.add_succ_r. unfold truncated_noise in *. rewrite halting_until, IH.
    set (A := side_cell n placed q false). set (B := side_cell n placed q true).
    set (R := retried (2 * half) (half - share) L).
    rewrite (total_ext _ _ (fun w => if half <=? w then A * (2 * half) ^ L
      else if w <? share then B * (2 * half) ^ L else (half * A + share * B) * R)).
    + replace (seq 0 (2 * half)) with (seq 0 share ++ seq share (half - share) ++ seq half half).
      2: { rewrite (seq_cut half (2 * half)) by lia. rewrite (seq_cut share half) by lia.
           rewrite <- app_assoc. do 2 f_equal. f_equal. lia. }
      rewrite !summed_app.
      rewrite (total_ext (seq 0 share) _ (fun _ => B * (2 * half) ^ L)).
      2: { intros w I. apply in_seq in I. rewrite (proj2 (Nat.leb_gt _ _)) by lia.
           now rewrite (proj2 (Nat.ltb_lt _ _)) by lia. }
      rewrite (total_ext (seq share _) _ (fun _ => (half * A + share * B) * R)).
      2: { intros w I. apply in_seq in I. rewrite (proj2 (Nat.leb_gt _ _)) by lia.
           now rewrite (proj2 (Nat.ltb_ge _ _)) by lia. }
      rewrite (total_ext (seq half _) _ (fun _ => A * (2 * half) ^ L)).
      2: { intros w I. apply in_seq in I. now rewrite (proj2 (Nat.leb_le _ _)) by lia. }
      rewrite !summed_constant, !seq_length. cbn [retried]. fold R. ring.
    + intros w _. destruct (half <=? w) eqn:H; cbn [orb negb].
      * apply walk_counts.
      * destruct (w <? share); [apply walk_counts | reflexivity].
Qed.

(** The side is a 1 with odds share to half; the size is j with probability (1 - a) a^j below n for
    a = share/half, and n with a^n: of (2 half)^n sequences. *)
Theorem side_and_size n above j : j <= n ->
  side_cell n (fun above j => (above, j))
    (fun found => eqb (fst found) above && (snd found =? j)) above = walk_cell n j.
Proof.
  intros B. unfold side_cell. cbn [fst snd]. rewrite eqb_reflx. cbn [andb].
  rewrite (total_ext _ _ (fun i => if i =? j then walk_cell n j else 0)).
  - rewrite total_indicator with (f := fun i => i) (q := fun i => i =? j).
    rewrite (count_ext _ (fun i => (j <=? i) && (i <? S j))).
    + rewrite count_interval by lia. lia.
    + intros i _. apply eq_true_iff_eq. rewrite andb_true_iff, Nat.leb_le, Nat.ltb_lt, Nat.eqb_eq.
      lia.
  - intros i _. destruct (i =? j) eqn:E; [|reflexivity]. apply Nat.eqb_eq in E. now subst.
Qed.

Lemma walk_proper {Y} n (done : nat -> Y) going size :
  proper (2 * half) (walk half share n done going size).
Proof.
  revert going size. induction n as [|n IH]; intros going size; cbn [walk proper]; [exact I|].
  intros w _. apply IH.
Qed.

Theorem truncated_noise_halts {Y} n (placed : bool -> nat -> Y) :
  Un_cv (fun L => INR (unresolved (2 * half) (truncated_noise half share n placed) L)
    / INR (2 * half) ^ L)%R 0%R.
Proof.
  apply program_halts; [lia|]. unfold truncated_noise. cbn [proper]. split.
  - replace (2 * half) with (half + half) by lia. rewrite seq_app, count_app.
    rewrite (count_all _ (seq (0 + half) half)).
    + rewrite seq_length. lia.
    + intros w I. apply in_seq in I. apply orb_true_iff. left. apply Nat.leb_le. lia.
  - intros w _ _. apply walk_proper.
Qed.
End Walk.
