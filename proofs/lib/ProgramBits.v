(** Independent bits in blocks, counted: the program `one_hot` of the package.

    Blocks of lanes are drawn plane by plane, one block after another. The value's own bit is drawn
    by a word of its own before them, and takes the place of the bit that was drawn there. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramLaws ProgramPrefixes
  ProgramPlanes.
Import ListNotations.
Open Scope nat_scope.

(** Blocks of lanes, one after another. *)
Fixpoint block_program (free : nat) (digits : list bool) (sizes : list nat) : program (list bool) :=
  match sizes with
  | [] => Report []
  | m :: rest => bind (plane_program free digits (repeat None m))
                   (fun a => bind (block_program free digits rest) (fun b => Report (a ++ b)))
  end.

Fixpoint placed_bit (x : nat) (b : bool) (bits : list bool) : list bool :=
  match bits with
  | [] => []
  | a :: rest => match x with 0 => b :: rest | S n => a :: placed_bit n b rest end
  end.

(** The own bit by a word of its own, which takes the place of what was drawn there. *)
Definition one_hot_program (one free : nat) (digits : list bool) (sizes : list nat) (x : nat)
  : program (list bool) :=
  Read (fun w => bind (block_program free digits sizes)
                   (fun bits => Report (placed_bit x (w <? one) bits))).

(** * Whole blocks *)

Definition bit_cell (digits : list bool) (q : bool -> bool) : nat :=
  picks q true (digits_number digits) + picks q false (2 ^ length digits - digits_number digits).

Lemma lane_counts_new digits events L :
  lane_counts digits events (repeat None (length events)) (length digits + L)
  = product_of (map (bit_cell digits) events) * (2 ^ length events) ^ L.
Proof.
  induction events as [|q events IH]; cbn [length repeat lane_counts map product_of].
  - now rewrite Nat.pow_1_l.
  - rewrite IH, lane_counts_whole, Nat.pow_succ_r', Nat.pow_mul_l. fold (bit_cell digits q). lia.
Qed.

(** Of all planes and more: the product of the table's cells. *)
Theorem block_counts free digits events e L : free <= length digits ->
  halting (2 ^ (length events + e)) (plane_program free digits (repeat None (length events)))
    (each_in events) (length digits + L)
  = (2 ^ e) ^ length digits * product_of (map (bit_cell digits) events)
    * (2 ^ (length events + e)) ^ L.
Proof.
  intros B. pose proof (planes_counts free digits events (repeat None (length events)) e
    (length digits + L)) as C. rewrite repeat_length in C. rewrite C by lia.
  rewrite lane_counts_new, !Nat.pow_add_r, Nat.pow_mul_l. lia.
Qed.

Fixpoint any_bits (m : nat) : list (bool -> bool) :=
  match m with 0 => [] | S n => (fun _ => true) :: any_bits n end.

Lemma any_bits_length m : length (any_bits m) = m.
Proof. induction m; cbn; congruence. Qed.

Lemma any_bits_in bits : each_in (any_bits (length bits)) bits = true.
Proof. induction bits; [reflexivity|assumption]. Qed.

Lemma planes_lengths W free digits lanes :
  always_gives W (fun bits => length bits = length lanes) (plane_program free digits lanes).
Proof.
  revert free lanes. induction digits as [|t digits IH]; intros free lanes; cbn [plane_program].
  - apply map_length.
  - destruct (_ && _); cbn [always_gives]; [apply map_length|]. intros w _.
    pose proof (next_lanes_length t _ lanes (lanes_of_length (length lanes) w)) as E.
    specialize (IH (pred free) (next_lanes t (lanes_of (length lanes) w) lanes)).
    revert IH. apply always_weaker. intros bits. congruence.
Qed.

Lemma always_halting {Y} W (P : Y -> Prop) (p : program Y) q r L : always_gives W P p ->
  (forall y, P y -> q y = r y) -> halting W p q L = halting W p r L.
Proof.
  intros H E. revert L. induction p as [y|next IH|ok next IH]; intros L; cbn [always_gives] in H.
  - rewrite !halting_report. now rewrite (E y H).
  - destruct L as [|L]; [reflexivity|]. rewrite !halting_read. apply total_ext.
    intros w I. apply in_seq in I. apply IH, H. lia.
  - induction L as [|L IL]; [reflexivity|]. rewrite !halting_until. apply total_ext.
    intros w I. apply in_seq in I. destruct (ok w) eqn:O; [|assumption].
    apply IH, H; [lia | assumption].
Qed.

(** Of fewer planes than there are: each lane has one sequence that decides nothing. *)
Theorem block_unresolved free digits t rest m e : free <= length digits ->
  unresolved (2 ^ (m + e)) (plane_program free (digits ++ t :: rest) (repeat None m)) (length
    digits)
  + (2 ^ e) ^ length digits * (2 ^ length digits - 1) ^ m = (2 ^ (m + e)) ^ length digits.
Proof.
  intros B. set (p := plane_program _ _ _). set (L := length digits).
  rewrite <- (halting_or_unresolved (2 ^ (m + e)) p L), Nat.add_comm. f_equal.
  rewrite (always_halting _ (fun bits => length bits = m) p _ (each_in (any_bits m))).
  - unfold p. pose proof (planes_counts free (digits ++ t :: rest) (any_bits m) (repeat None m) e L)
      as C. rewrite repeat_length in C. rewrite C by (rewrite ?any_bits_length; auto). f_equal.
    clear. induction m as [|m IH]; [reflexivity|].
    cbn [any_bits repeat lane_counts]. rewrite <- IH, lane_counts_part by reflexivity.
    cbn [Nat.pow]. f_equal. unfold picks. pose proof (digits_number_below digits). fold L in H |-
      *. lia.
  - pose proof (planes_lengths (2 ^ (m + e)) free (digits ++ t :: rest) (repeat None m)) as A.
    now rewrite repeat_length in A.
  - intros bits E. rewrite <- E. symmetry. apply any_bits_in.
Qed.

Open Scope R_scope.

Lemma block_law free digits events e : (free <= length digits)%nat ->
  law (2 ^ (length events + e)) (plane_program free digits (repeat None (length events))) (each_in
    events)
  * INR (2 ^ length digits) ^ length events = INR (product_of (map (bit_cell digits) events)).
Proof.
  intros B. set (W := (2 ^ (length events + e))%nat). set (p := plane_program _ _ _).
  assert (P : (0 < W)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  pose proof (counts_are_law W P p (each_in events) (length digits + 0)
    (reads_within_proper _ _ _ (planes_within _ _ _ _))
    (reads_within_resolved _ _ (length digits) _ (planes_within _ _ _ _) (Nat.le_add_r _ 0))) as C.
  pose proof (block_counts free digits events e 0 B) as K. fold W p in K. rewrite K in C.
  rewrite Nat.pow_0_r, Nat.mul_1_r, Nat.add_0_r, mult_INR, pow_INR in C.
  assert (Z : INR (2 ^ e) ^ length digits <> 0).
  { apply pow_nonzero. apply not_0_INR, Nat.pow_nonzero. lia. }
  apply Rmult_eq_reg_l with (INR (2 ^ e) ^ length digits); [|assumption].
  rewrite C. unfold W. rewrite Nat.pow_add_r, mult_INR, Rpow_mult_distr, !pow_INR, <- !pow_mult.
  rewrite (Nat.mul_comm (length digits)). ring.
Qed.

Definition lanes_total (sizes : list nat) : nat := fold_right Nat.add 0%nat sizes.

Lemma each_in_app events bits more : each_in events (bits ++ more)
  = each_in (firstn (length bits) events) bits && each_in (skipn (length bits) events) more.
Proof.
  revert events. induction bits as [|b bits IH]; intros [|q events]; try reflexivity.
  cbn [app length firstn skipn each_in]. now rewrite IH, andb_assoc.
Qed.

Lemma blocks_lengths W free digits sizes :
  always_gives W (fun bits => length bits = lanes_total sizes) (block_program free digits sizes).
Proof.
  induction sizes as [|m sizes IH]; cbn [block_program]; [reflexivity|].
  apply always_bind with (P := fun bits => length bits = m).
  - pose proof (planes_lengths W free digits (repeat None m)) as A. now rewrite repeat_length in A.
  - intros a A. apply (always_bind _ _ _ _ _ IH). intros b B. cbn [always_gives].
    rewrite app_length, A, B. reflexivity.
Qed.

Lemma blocks_within W free digits sizes :
  reads_within W (length sizes * length digits) (block_program free digits sizes).
Proof.
  induction sizes as [|m sizes IH]; cbn [block_program length Nat.mul]; [exact I|].
  apply reads_within_bind; [apply planes_within|]. intros a.
  rewrite <- (Nat.add_0_r (length sizes * length digits)).
  apply reads_within_bind; [assumption|]. intros. exact I.
Qed.

Lemma multiplied_app l m : product_of (l ++ m) = (product_of l * product_of m)%nat.
Proof. induction l; cbn; lia. Qed.

Lemma blocks_law w free digits sizes events : (free <= length digits)%nat ->
  (forall m, In m sizes -> (m <= w)%nat) -> length events = lanes_total sizes ->
  law (2 ^ w) (block_program free digits sizes) (each_in events)
  * INR (2 ^ length digits) ^ length events = INR (product_of (map (bit_cell digits) events)).
Proof.
  intros B. revert events. induction sizes as [|m sizes IH]; intros events F E; cbn [block_program].
  - destruct events; [|discriminate]. unfold law. cbn. ring.
  - cbn [lanes_total fold_right] in E. fold (lanes_total sizes) in E.
    assert (Fm : (m <= w)%nat) by (apply F; now left).
    assert (Em : length (firstn m events) = m) by (rewrite firstn_length; lia).
    assert (Er : length (skipn m events) = lanes_total sizes) by (rewrite skipn_length; lia).
    rewrite law_bind_where with (r := each_in (firstn m events))
      (l := law (2 ^ w) (block_program free digits sizes) (each_in (skipn m events))).
    + rewrite <- (firstn_skipn m events) at 3 4.
      rewrite app_length, pow_add, map_app, multiplied_app, mult_INR.
      rewrite <- (IH (skipn m events)) by (assumption || (intros; apply F; now right)).
      pose proof (block_law free digits (firstn m events) (w - m) B) as C.
      rewrite Em in C. replace (m + (w - m))%nat with w in C by lia. rewrite <- C, Em. ring.
    + pose proof (planes_lengths (2 ^ w) free digits (repeat None m)) as A.
      rewrite repeat_length in A. revert A. apply always_weaker. intros a A.
      rewrite law_bind. unfold law. cbn [average].
      rewrite (average_ext _ _ _ (fun b => indicator (each_in (firstn m events) a)
        * indicator (each_in (skipn m events) b))).
      * rewrite average_scale. destruct (each_in _ a); cbn [indicator]; ring.
      * intros b. rewrite each_in_app, A. destruct (each_in _ a), (each_in _ b); cbn; ring.
Qed.

(** Event x is another one. *)
Fixpoint with_event (x : nat) (q : bool -> bool) (events : list (bool -> bool)) :=
  match events with
  | [] => []
  | r :: rest => match x with O => q :: rest | S n => r :: with_event n q rest end
  end.

Lemma with_event_length x q events : length (with_event x q events) = length events.
Proof. revert x. induction events; intros [|x]; cbn [with_event length]; congruence. Qed.

Lemma each_in_placed x b events bits : (x < length events)%nat ->
  each_in events (placed_bit x b bits)
  = nth x events (fun _ => true) b && each_in (with_event x (fun _ => true) events) bits.
Proof.
  revert x bits. induction events as [|q events IH]; intros [|x] [|a bits] B; cbn [length] in B;
  try lia; cbn [placed_bit each_in nth with_event]; [now rewrite andb_false_r| reflexivity |
  now rewrite andb_false_r|].
  rewrite IH by lia. destruct (q a), (nth x events _ b); reflexivity.
Qed.

Theorem one_hot_within W one free digits sizes x :
  reads_within W (1 + length sizes * length digits) (one_hot_program one free digits sizes x).
Proof.
  unfold one_hot_program. cbn [Nat.add reads_within]. intros w _.
  rewrite <- (Nat.add_0_r (_ * _)). apply reads_within_bind; [apply blocks_within|]. intros. exact
    I.
Qed.

(** The own bit is 1 for `one` words, and the others are 1 for `number digits` of 2^digits. *)
Theorem one_hot_law w one free digits sizes events x : (free <= length digits)%nat ->
  (forall m, In m sizes -> (m <= w)%nat) -> length events = lanes_total sizes ->
  (x < lanes_total sizes)%nat -> (one <= 2 ^ w)%nat ->
  law (2 ^ w) (one_hot_program one free digits sizes x) (each_in events)
  * (INR (2 ^ w) * INR (2 ^ length digits) ^ length events)
  = INR ((picks (nth x events (fun _ => true)) true one
          + picks (nth x events (fun _ => true)) false (2 ^ w - one))
         * product_of (map (bit_cell digits) (with_event x (fun _ => true) events))).
Proof.
  intros B F E X O. set (W := (2 ^ w)%nat) in *. set (q := nth x events _).
  set (l := law W (block_program free digits sizes) (each_in (with_event x (fun _ => true)
    events))).
  assert (P : 0 < INR W) by (apply lt_0_INR, Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  unfold law, one_hot_program. cbn [average].
  rewrite (sum_ext _ _ (fun v => indicator (q (v <? one)%nat) * l)).
  - rewrite sum_scale_right, sum_indicator, mult_INR.
    pose proof (blocks_law w free digits sizes (with_event x (fun _ => true) events) B F) as L.
    rewrite with_event_length in L. specialize (L E). fold W l in L. rewrite <- L.
    assert (C : count (fun v => q (v <? one)%nat) (seq 0 W)
      = (picks q true one + picks q false (W - one))%nat).
    { rewrite (seq_cut one) by assumption. rewrite count_app. f_equal; unfold picks.
      - rewrite (count_ext _ (fun _ => q true)).
        + destruct (q true); [now rewrite count_all, seq_length by auto | now apply count_none].
        + intros v I. apply in_seq in I. now rewrite (proj2 (Nat.ltb_lt v one)) by lia.
      - rewrite (count_ext _ (fun _ => q false)).
        + destruct (q false); [now rewrite count_all, seq_length by auto | now apply count_none].
        + intros v I. apply in_seq in I. now rewrite (proj2 (Nat.ltb_ge v one)) by lia. }
    rewrite C. field. lra.
  - intros v _. fold (law W (bind (block_program free digits sizes)
      (fun bits => Report (placed_bit x (v <? one)%nat bits))) (each_in events)).
    rewrite law_bind. unfold law, l. cbn [average].
    rewrite (average_ext _ _ _ (fun bits => indicator (q (v <? one)%nat)
      * indicator (each_in (with_event x (fun _ => true) events) bits))).
    + now rewrite average_scale.
    + intros bits. rewrite each_in_placed by lia. fold q.
      destruct (q _), (each_in _ bits); cbn; ring.
Qed.

(** Of one word and those of all planes, or more: the product of the table's cells. *)
Theorem one_hot_counts w one free digits sizes events x L : (free <= length digits)%nat ->
  (forall m, In m sizes -> (m <= w)%nat) -> length events = lanes_total sizes ->
  (x < lanes_total sizes)%nat -> (one <= 2 ^ w)%nat -> (length sizes * length digits <= L)%nat ->
  (halting (2 ^ w) (one_hot_program one free digits sizes x) (each_in events) (S L)
   * (2 ^ length digits) ^ lanes_total sizes
   = (picks (nth x events (fun _ => true)) true one
      + picks (nth x events (fun _ => true)) false (2 ^ w - one))
     * product_of (map (bit_cell digits) (with_event x (fun _ => true) events)) * (2 ^ w) ^ L)%nat.
Proof.
  intros B F E X O N. apply INR_eq.
  rewrite mult_INR, mult_INR, <- (one_hot_law w one free digits sizes events x) by assumption.
  rewrite counts_are_law.
  - rewrite !pow_INR, E. cbn [pow]. ring.
  - apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia.
  - eapply reads_within_proper, one_hot_within.
  - eapply reads_within_resolved; [apply one_hot_within|]. lia.
Qed.
