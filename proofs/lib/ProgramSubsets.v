(** Values that go out or come in, one at a time, counted: the loop `_moving` of subset selection.

    A slice of a word is one of B numbers. Its product with k has the quotient by B as a value, and
    is rejected where the remainder is below B mod k (Daniel Lemire, 2019, Fast Random Integer
    Generation in an Interval). A value that is free moves; one that is not is a miss. In the end each set of values that can have moved is as likely, and
    each of its values as likely to be the last. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramPrefixes ProgramLoops.
Import ListNotations.
Open Scope nat_scope.

(** * The program *)

Definition slice_value (B k s : nat) : nat := s * k / B.
Definition slice_fair (B k s : nat) : bool := B mod k <=? s * k mod B.
Definition is_free (p : nat) (free : list nat) : bool :=
  if in_dec Nat.eq_dec p free then true else false.

(** The values that are free, and how many more are to move; at last what is free, and the value
    that moved last. *)
Definition moving_step (B k : nat) (s : list nat * nat) (w : nat) : list nat * nat + list nat * nat
    :=
  let (free, left) := s in
  let p := slice_value B k w in
  if slice_fair B k w && is_free p free then
    match left with
    | S (S more) => inl (remove Nat.eq_dec p free, S more)
    | _ => inr (remove Nat.eq_dec p free, p)
    end
  else inl s.

(** * Slices *)

Theorem slices_counted B k p : 0 < k -> k <= B -> p < k ->
  count (fun s => slice_fair B k s && (slice_value B k s =? p)) (seq 0 B) = B / k.
Proof.
  intros K R Hp. unfold slice_fair, slice_value.
  pose proof (Nat.div_mod B k ltac:(lia)) as D. pose proof (Nat.mod_upper_bound B k ltac:(lia)) as
    M.
  set (m := B / k) in *. set (r := B mod k) in *.
  assert (P : 0 < m) by (apply Nat.div_str_pos; lia).
  set (a := p * B + r). set (c := (a + (k - 1)) / k).
  pose proof (Nat.div_mod (a + (k - 1)) k ltac:(lia)) as C. fold c in C.
  pose proof (Nat.mod_upper_bound (a + (k - 1)) k ltac:(lia)) as U.
  set (u := (a + (k - 1)) mod k) in *.
  rewrite (count_ext _ (fun s => (c <=? s) && (s <? c + m))).
  - rewrite count_interval; [lia | lia|].
    assert (k * (c + m) <= k * B + (k - 1)) by (unfold a in C; nia).
    nia.
  - intros s I. apply in_seq in I. apply eq_true_iff_eq.
    rewrite !andb_true_iff, !Nat.leb_le, Nat.eqb_eq, Nat.ltb_lt.
    pose proof (Nat.div_mod (s * k) B ltac:(lia)) as E.
    pose proof (Nat.mod_upper_bound (s * k) B ltac:(lia)) as V.
    set (q := s * k / B) in *. set (v := s * k mod B) in *. unfold a in C.
    split.
    + intros [F Q]. rewrite Q in E. split; nia.
    + intros [F G]. assert (L : p * B + r <= s * k) by nia.
      assert (H : s * k < p * B + B) by nia.
      assert (Q : q = p) by nia. split; [|assumption]. rewrite Q in E. lia.
Qed.

Open Scope R_scope.

Lemma sum_one {A} (l : list A) a (f : A -> R) : NoDup l -> In a l ->
  (forall b, In b l -> b <> a -> f b = 0) -> sum_over l f = f a.
Proof.
  induction l as [|c l IH]; intros N I Z; [destruct I|]. inversion N as [|b k O M]; subst.
  cbn [sum_over]. destruct I as [->|I].
  - rewrite (sum_ext l f (fun _ => 0)); [rewrite sum_constant; ring|].
    intros b J. apply Z; [now right|]. intros ->. contradiction.
  - rewrite IH; [|assumption|assumption|intros; apply Z; [now right | assumption]].
    rewrite (Z c); [ring | now left|]. intros ->. contradiction.
Qed.

(** A sum over slices: what each free value gives, and what is left. *)
Lemma slices_sum B k free (g : nat -> R) x : (0 < k)%nat -> (k <= B)%nat -> NoDup free ->
  (forall p, In p free -> (p < k)%nat) ->
  sum_over (seq 0 B) (fun s => if slice_fair B k s && is_free (slice_value B k s) free
    then g (slice_value B k s) else x)
  = INR (B / k) * sum_over free g + (INR B - INR (B / k) * INR (length free)) * x.
Proof.
  intros K R N F.
  rewrite (sum_ext _ _ (fun s => x + sum_over free (fun p =>
    indicator (slice_fair B k s && (slice_value B k s =? p)%nat) * (g p - x)))).
  - rewrite sum_plus, sum_constant, seq_length, sum_swap.
    rewrite (sum_ext free _ (fun p => INR (B / k) * (g p + - x))).
    + rewrite sum_scale, sum_plus, sum_constant. ring.
    + intros p I. rewrite sum_scale_right, sum_indicator, slices_counted by auto. ring.
  - intros s _. unfold is_free. destruct (slice_fair B k s); cbn [andb].
    + set (v := slice_value B k s). destruct (in_dec Nat.eq_dec v free) as [I|O].
      * rewrite (sum_one free v); [|assumption|assumption|].
        -- rewrite Nat.eqb_refl. cbn. ring.
        -- intros p _ D. rewrite (proj2 (Nat.eqb_neq _ _)) by auto. cbn. ring.
      * rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_constant; ring|].
        intros p I. rewrite (proj2 (Nat.eqb_neq _ _)) by (intros ->; contradiction). cbn. ring.
    + rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_constant; ring|].
      intros p _. cbn. ring.
Qed.

(** * The law *)

Definition is_moved (last : list nat) (z : nat) (r : list nat * nat) : bool :=
  (if list_eq_dec Nat.eq_dec (fst r) last then true else false) && (snd r =? z)%nat.

(** A free value moves, each with the same probability. *)
Fixpoint moving_law (q : list nat * nat -> bool) (more : nat) (free : list nat) : R :=
  sum_over free (fun p => match more with
    | O => indicator (q (remove Nat.eq_dec p free, p))
    | S less => moving_law q less (remove Nat.eq_dec p free)
    end) / INR (length free).

Definition moving_ok (k : nat) (s : list nat * nat) : Prop :=
  NoDup (fst s) /\ (forall p, In p (fst s) -> (p < k)%nat) /\ (0 < snd s <= length (fst s))%nat.

Lemma remove_length p free : NoDup free -> In p free ->
  S (length (remove Nat.eq_dec p free)) = length free.
Proof.
  induction free as [|a free IH]; intros N I; [destruct I|].
  inversion N as [|b l O M]; subst. cbn [remove]. destruct (Nat.eq_dec p a) as [->|D].
  - now rewrite notin_remove.
  - cbn [length]. destruct I as [->|I]; [contradiction|]. now rewrite IH.
Qed.

Lemma remove_NoDup p free : NoDup free -> NoDup (remove Nat.eq_dec p free).
Proof.
  induction free as [|a free IH]; intros N; [constructor|]. inversion N as [|b l O M]; subst.
  cbn [remove]. destruct (Nat.eq_dec p a); [auto|]. constructor; [|auto].
  intros I. apply in_remove in I as [I _]. contradiction.
Qed.

Section Moving.
Context (B k : nat) (positive : (0 < k)%nat) (room : (k <= B)%nat).

Lemma moving_stays : stays (moving_step B k) B (moving_ok k).
Proof.
  intros [free left] w t (N & F & L) _ E. cbn [fst snd moving_step] in *.
  destruct (slice_fair B k w && is_free (slice_value B k w) free) eqn:H.
  - apply andb_true_iff in H as [_ H]. unfold is_free in H.
    destruct (in_dec Nat.eq_dec (slice_value B k w) free) as [I|]; [|discriminate].
    destruct left as [|[|more]]; try discriminate. injection E as <-.
    pose proof (remove_length _ _ N I). split; [now apply remove_NoDup|]. cbn [fst snd].
    split; [|lia]. intros p J. apply in_remove in J as [J _]. now apply F.
  - injection E as <-. now repeat split.
Qed.

Lemma moving_range q more free : NoDup free -> (more < length free)%nat ->
  0 <= moving_law q more free <= 1.
Proof.
  revert free. induction more as [|more IH]; intros free N L; cbn [moving_law];
  (assert (P : 0 < INR (length free)) by (apply lt_0_INR; lia));
  set (f := fun p => _); (assert (G : forall p, In p free -> 0 <= f p <= 1);
  [intros p I; unfold f | ]).
  - destruct (q _); cbn; lra.
  - split; [apply Rmult_le_pos; [apply sum_nonneg; intros; now apply G |
      left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (INR (length free)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    replace (1 * INR (length free)) with (sum_over free (fun _ => 1))
      by (rewrite sum_constant; ring).
    rewrite Rmult_1_r. apply sum_le. intros p I. now apply G.
  - apply IH; [now apply remove_NoDup|]. pose proof (remove_length p free N I). lia.
  - split; [apply Rmult_le_pos; [apply sum_nonneg; intros; now apply G |
      left; now apply Rinv_0_lt_compat]|].
    apply Rmult_le_reg_r with (INR (length free)); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    replace (1 * INR (length free)) with (sum_over free (fun _ => 1))
      by (rewrite sum_constant; ring).
    rewrite Rmult_1_r. apply sum_le. intros p I. now apply G.
Qed.

Theorem moving_harmonic q : harmonic (moving_step B k) B (moving_ok k) q
  (fun s => moving_law q (pred (snd s)) (fst s)).
Proof.
  intros [free left] (N & F & L). cbn [fst snd] in *.
  split; [apply moving_range; [assumption | lia]|].
  set (x := moving_law q (pred left) free).
  assert (P : 0 < INR (length free)) by (apply lt_0_INR; lia).
  set (g := fun p => match pred left with
    | O => indicator (q (remove Nat.eq_dec p free, p))
    | S less => moving_law q less (remove Nat.eq_dec p free)
    end).
  rewrite (sum_ext _ _ (fun s => if slice_fair B k s && is_free (slice_value B k s) free
    then g (slice_value B k s) else x)).
  - rewrite slices_sum by assumption.
    assert (X : sum_over free g = INR (length free) * x).
    { unfold x, g. destruct (pred left); cbn [moving_law]; field; lra. }
    rewrite X. ring.
  - intros w _. cbn [moving_step].
    destruct (slice_fair B k w && is_free (slice_value B k w) free); [|reflexivity].
    destruct left as [|[|more]]; [lia | reflexivity | reflexivity].
Qed.

Lemma value_of_some p : (p < k)%nat -> exists w, (w < B)%nat /\ slice_fair B k w = true
  /\ slice_value B k w = p.
Proof.
  intros Hp. pose proof (slices_counted B k p positive room Hp) as C.
  assert (P : (0 < B / k)%nat) by (apply Nat.div_str_pos; lia).
  unfold count in C. destruct (filter _ _) as [|w l] eqn:E; [cbn in C; lia|].
  assert (I : In w (filter (fun s => slice_fair B k s && (slice_value B k s =? p)%nat) (seq 0 B)))
    by (rewrite E; now left).
  apply filter_In in I as [I H]. apply in_seq in I. apply andb_true_iff in H as [H1 H2].
  exists w. split; [lia|]. split; [assumption | now apply Nat.eqb_eq].
Qed.

Lemma moving_can_end n s : moving_ok k s -> (length (fst s) <= n)%nat ->
  can_end (moving_step B k) B n s.
Proof.
  revert s. induction n as [|n IH]; intros [free left] (N & F & L) M; cbn [fst snd] in *; [lia|].
  destruct free as [|p free]; [cbn in L; lia|].
  destruct (value_of_some p (F p (or_introl eq_refl))) as (w & W & H & V).
  exists w. split; [assumption|]. cbn [moving_step]. rewrite H, V. unfold is_free.
  destruct (in_dec Nat.eq_dec p (p :: free)) as [I|O]; [|exfalso; apply O; now left].
  cbn [andb]. destruct left as [|[|more]]; [lia | exact Logic.I|].
  pose proof (remove_length p (p :: free) N I) as R. cbn [length] in *.
  apply IH; [|cbn [fst]; lia]. split; [now apply remove_NoDup|]. cbn [fst snd].
  split; [|lia]. intros j J. apply in_remove in J as [J _]. now apply F.
Qed.

(** Of L slices: what has led to a report in q, what the law says, and what may lead there. *)
Theorem moving_counts q s L : moving_ok k s ->
  INR (ended (moving_step B k) B q s L)
  <= moving_law q (pred (snd s)) (fst s) * INR B ^ L
  <= INR (ended (moving_step B k) B q s L) + INR (waiting (moving_step B k) B s L).
Proof.
  apply (machine_counts _ _ (moving_ok k) q (fun s => moving_law q (pred (snd s)) (fst s))
    moving_stays (moving_harmonic q)).
Qed.

Theorem moving_ends s : moving_ok k s ->
  Un_cv (fun L => INR (waiting (moving_step B k) B s L) / INR B ^ L) 0.
Proof.
  intros G.
  apply (machine_ends _ B (moving_ok k) k); [lia | apply moving_stays | | exact G].
  intros t H. apply moving_can_end; [assumption|]. destruct H as (N & F & _).
  rewrite <- (seq_length k 0). apply NoDup_incl_length; [assumption|].
  intros p J. apply in_seq. specialize (F p J). lia.
Qed.
End Moving.

(** * Each set that can have moved *)

Definition free_after (moved free : list nat) : list nat :=
  filter (fun p => negb (is_free p moved)) free.

(** n (n - 1) ... with m factors. *)
Fixpoint falling (n m : nat) : R :=
  match m with O => 1 | S l => INR n * falling (pred n) l end.

Lemma is_free_spec p free : is_free p free = true <-> In p free.
Proof.
  unfold is_free. destruct (in_dec Nat.eq_dec p free); split; auto; discriminate || contradiction.
Qed.

Lemma moving_none q more free :
  (forall p l, In p free -> incl l free -> q (l, p) = false) -> moving_law q more free = 0.
Proof.
  revert free. induction more as [|more IH]; intros free H; cbn [moving_law].
  - rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_constant; unfold Rdiv; ring|].
    intros p I. rewrite H; [reflexivity | assumption|].
    intros j J. now apply in_remove in J.
  - rewrite (sum_ext _ _ (fun _ => 0)); [rewrite sum_constant; unfold Rdiv; ring|].
    intros p I. apply IH. intros j l J L. apply H; [now apply in_remove in J|].
    intros i T. apply L in T. now apply in_remove in T.
Qed.

Lemma free_after_one z free : free_after [z] free = remove Nat.eq_dec z free.
Proof.
  unfold free_after. induction free as [|p free IH]; [reflexivity|]. cbn [filter remove].
  rewrite IH. unfold is_free.
  destruct (Nat.eq_dec z p) as [<-|D], (in_dec Nat.eq_dec _ [z]) as [I|O]; cbn [negb];
    try reflexivity.
  - exfalso. apply O. now left.
  - destruct I as [I|[]]. contradiction.
Qed.

Lemma free_after_remove p moved free : In p moved ->
  free_after moved free = free_after (remove Nat.eq_dec p moved) (remove Nat.eq_dec p free).
Proof.
  intros M. unfold free_after. induction free as [|j free IH]; [reflexivity|].
  cbn [filter remove]. destruct (Nat.eq_dec p j) as [->|D].
  - rewrite (proj2 (is_free_spec j moved) M). exact IH.
  - cbn [filter]. rewrite IH.
    assert (E : is_free j moved = is_free j (remove Nat.eq_dec p moved)).
    { apply eq_true_iff_eq. rewrite !is_free_spec. split; intros J.
      - apply in_in_remove; [congruence | assumption].
      - now apply in_remove in J. }
    now rewrite E.
Qed.

Lemma moved_counted z moved free : NoDup free -> NoDup moved -> incl moved free -> In z moved ->
  S (count (fun p => is_free p moved && negb (p =? z)%nat) free) = length moved.
Proof.
  intros N M C Z. rewrite <- (remove_length z moved M Z). f_equal. unfold count.
  apply Nat.le_antisymm; apply NoDup_incl_length.
  - now apply NoDup_filter.
  - intros p I. apply filter_In in I as [_ I]. apply andb_true_iff in I as [I D].
    apply is_free_spec in I. apply negb_true_iff, Nat.eqb_neq in D. now apply in_in_remove.
  - now apply remove_NoDup.
  - intros p I. apply in_remove in I as [I D]. apply filter_In. split; [now apply C|].
    rewrite (proj2 (is_free_spec p moved) I). cbn. now apply negb_true_iff, Nat.eqb_neq.
Qed.

(** Of n free values, each set of m that can have moved, with each of it as the last one, has the
    probability (m - 1)! / (n (n - 1) ... (n - m + 1)). *)
Theorem moving_law_of_report more free moved z : NoDup free -> NoDup moved -> incl moved free ->
  length moved = S more -> In z moved ->
  moving_law (is_moved (free_after moved free) z) more free
  = INR (fact more) / falling (length free) (S more).
Proof.
  revert free moved. induction more as [|more IH]; intros free moved N M C L Z.
  - destruct moved as [|y [|]]; try discriminate. destruct Z as [->|[]].
    cbn [moving_law falling fact]. rewrite (sum_one free z).
    + unfold is_moved. cbn [fst snd]. rewrite free_after_one, Nat.eqb_refl.
      destruct (list_eq_dec _ _ _) as [_|X]; [cbn; f_equal; ring | now contradiction X].
    + assumption.
    + apply C. now left.
    + intros p _ D. unfold is_moved. cbn [fst snd].
      rewrite (proj2 (Nat.eqb_neq p z)) by assumption. rewrite andb_false_r. reflexivity.
  - cbn [moving_law]. set (F := free_after moved free).
    set (v := INR (fact more) / falling (length free - 1) (S more)).
    rewrite (sum_ext _ _ (fun p => indicator (is_free p moved && negb (p =? z)%nat) * v)).
    + rewrite sum_scale_right, sum_indicator.
      pose proof (moved_counted z moved free N M C Z) as K. rewrite L in K. injection K as K.
      rewrite K. unfold v. change (falling (length free) (S (S more)))
        with (INR (length free) * falling (pred (length free)) (S more)).
      rewrite <- Nat.sub_1_r. change (fact (S more)) with ((S more) * fact more)%nat.
      rewrite mult_INR. unfold Rdiv. rewrite Rinv_mult. ring.
    + intros p I. destruct (is_free p moved) eqn:E; cbn [andb].
      * apply is_free_spec in E. destruct (Nat.eqb_spec p z) as [->|D]; cbn [negb indicator].
        -- rewrite Rmult_0_l. apply moving_none. intros j l J _. unfold is_moved. cbn [fst snd].
           apply in_remove in J as [_ J]. rewrite (proj2 (Nat.eqb_neq j z)) by assumption.
           apply andb_false_r.
        -- unfold F, v. rewrite (free_after_remove p moved free E), Rmult_1_l.
           pose proof (remove_length p free N I) as R.
           replace (length free - 1)%nat with (length (remove Nat.eq_dec p free)) by lia.
           apply IH.
           ++ now apply remove_NoDup.
           ++ now apply remove_NoDup.
           ++ intros j J. apply in_remove in J as [J Dj]. apply in_in_remove; auto.
           ++ pose proof (remove_length p moved M E). lia.
           ++ apply in_in_remove; auto.
      * cbn [indicator]. rewrite Rmult_0_l. apply moving_none. intros j l J S. unfold is_moved.
        cbn [fst snd]. destruct (list_eq_dec Nat.eq_dec l F) as [->|]; [|reflexivity].
        exfalso. assert (Q : In p F).
        { unfold F, free_after. apply filter_In. split; [assumption|]. now rewrite E. }
        apply S in Q. apply in_remove in Q as [_ Q]. now apply Q.
Qed.
