(** Bits by planes of words, counted: how the program `one_hot` of the package draws a block.

    A word is 2^lanes numbers times what is not looked at. Bit v of it is the next binary digit of a
    uniform number of lane v, which is compared with a threshold, highest digit first. A lane whose
    digit differs from the threshold's is decided: it is 1 where the number is below. Planes are
      read
    until none is left or, after some that are read anyway, all lanes are decided. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramLaws ProgramPrefixes.
Import ListNotations.
Open Scope nat_scope.

(** * The program *)

(** Bits 0..m-1 of a word. *)
Fixpoint lanes_of (m w : nat) : list bool :=
  match m with 0 => [] | S n => Nat.odd w :: lanes_of n (Nat.div2 w) end.

(** A lane is undecided, or it is decided to be 1 or 0. *)
Definition next_lane (threshold digit : bool) (lane : option bool) : option bool :=
  match lane with
  | Some b => Some b
  | None => if eqb threshold digit then None else Some threshold
  end.

Fixpoint next_lanes (threshold : bool) (word : list bool) (lanes : list (option bool)) :=
  match word, lanes with
  | b :: word, s :: lanes => next_lane threshold b s :: next_lanes threshold word lanes
  | _, _ => []
  end.

Definition is_decided (lane : option bool) : bool :=
  match lane with Some _ => true | None => false end.

(** A number that equals the threshold is not below it. *)
Definition lane_final (lane : option bool) : bool :=
  match lane with Some b => b | None => false end.

(** Digits of the threshold, highest first; `free` planes are read without a look at the lanes. *)
Fixpoint plane_program (free : nat) (digits : list bool) (lanes : list (option bool))
  : program (list bool) :=
  match digits with
  | [] => Report (map lane_final lanes)
  | t :: rest =>
      if (free =? 0) && forallb is_decided lanes then Report (map lane_final lanes)
      else Read (fun w => plane_program (pred free) rest
                            (next_lanes t (lanes_of (length lanes) w) lanes))
  end.

(** * One plane *)

(** Each bit is in its event. *)
Fixpoint each_in (events : list (bool -> bool)) (bits : list bool) : bool :=
  match events, bits with
  | [], [] => true
  | q :: events, b :: bits => q b && each_in events bits
  | _, _ => false
  end.

Fixpoint product_of (l : list nat) : nat := match l with [] => 1 | a :: l => a * product_of l end.

(** The product of what each lane gives for its bit. *)
Fixpoint lane_product (fs : list (bool -> nat)) (bits : list bool) : nat :=
  match fs, bits with
  | f :: fs, b :: bits => f b * lane_product fs bits
  | _, _ => 1
  end.

Lemma summed_add l f g : summed l (fun w => f w + g w) = summed l f + summed l g.
Proof.
  unfold summed. induction l as [|a l IH]; [reflexivity|]. cbn [map list_sum fold_right].
  change (fold_right Init.Nat.add 0) with list_sum. rewrite IH. lia.
Qed.

Lemma summed_halves W f : summed (seq 0 (2 * W)) f
  = summed (seq 0 W) (fun w => f (2 * w) + f (2 * w + 1)).
Proof.
  induction W as [|W IH]; [reflexivity|]. replace (2 * S W) with (2 * W + 1 + 1) by lia.
  replace (S W) with (W + 1) by lia. rewrite !seq_app, !summed_app, IH. unfold summed. cbn. lia.
Qed.

(** A sum over words of a product over lanes is a product of sums over bits. *)
Lemma lanes_independent fs e :
  summed (seq 0 (2 ^ (length fs + e))) (fun w => lane_product fs (lanes_of (length fs) w))
  = 2 ^ e * product_of (map (fun f => f true + f false) fs).
Proof.
  induction fs as [|f fs IH].
  - cbn [length lanes_of lane_product Nat.add product_of map]. rewrite Nat.mul_1_r.
    generalize (2 ^ e) as n. intros n. unfold summed. induction n as [|n IH]; [reflexivity|].
    rewrite seq_S, map_app, list_sum_app, IH. cbn. lia.
  - cbn [length Nat.add Nat.pow map product_of lanes_of]. rewrite summed_halves.
    rewrite (total_ext _ _ (fun w => lane_product fs (lanes_of (length fs) w)
      * (f true + f false))).
    + rewrite summed_scale, IH. lia.
    + intros w _. rewrite Nat.div2_double, Nat.add_1_r, Nat.div2_succ_double.
      rewrite Nat.odd_succ. replace (Nat.odd (2 * w)) with false
        by (symmetry; rewrite Nat.odd_mul; reflexivity).
      replace (Nat.even (2 * w)) with true by (symmetry; rewrite Nat.even_mul; reflexivity).
      cbn [lane_product]. lia.
Qed.

(** * Planes, of every length *)

(** Of the 2^L sequences of bits: how many lead a lane to a final bit in q, within the digits. *)
Fixpoint lane_count (digits : list bool) (q : bool -> bool) (lane : option bool) (L : nat) : nat :=
  match lane with
  | Some b => if q b then 2 ^ L else 0
  | None =>
      match digits, L with
      | [], _ => if q false then 2 ^ L else 0
      | _ :: _, 0 => 0
      | t :: rest, S n => lane_count rest q (next_lane t true None) n
                          + lane_count rest q (next_lane t false None) n
      end
  end.

Fixpoint lane_counts digits (events : list (bool -> bool)) (lanes : list (option bool)) (L : nat) :=
  match events, lanes with
  | q :: events, s :: lanes => lane_count digits q s L * lane_counts digits events lanes L
  | _, _ => 1
  end.

Lemma lane_count_step t digits q lane L :
  lane_count (t :: digits) q lane (S L)
  = lane_count digits q (next_lane t true lane) L + lane_count digits q (next_lane t false lane) L.
Proof.
  destruct lane as [b|]; [|reflexivity].
  destruct digits; cbn [lane_count next_lane]; destruct (q b); cbn [Nat.pow]; lia.
Qed.

Lemma lane_counts_end events lanes L : length events = length lanes ->
  lane_counts [] events lanes L
  = if each_in events (map lane_final lanes) then (2 ^ length lanes) ^ L else 0.
Proof.
  revert lanes. induction events as [|q events IH]; intros [|s lanes] E; try discriminate.
  - cbn. now rewrite Nat.pow_1_l.
  - injection E as E. cbn [lane_counts map each_in length]. rewrite IH by assumption.
    rewrite Nat.pow_succ_r', Nat.pow_mul_l.
    destruct s as [b|]; cbn [lane_count lane_final]; destruct (q _); cbn [andb];
    destruct (each_in _ _); lia.
Qed.

Lemma lane_counts_decided digits events lanes L : length events = length lanes ->
  forallb is_decided lanes = true -> lane_counts digits events lanes L
  = if each_in events (map lane_final lanes) then (2 ^ length lanes) ^ L else 0.
Proof.
  intros E D. rewrite <- lane_counts_end by assumption. clear E. revert lanes D.
  induction events as [|q events IH]; intros [|s lanes] D; try reflexivity.
  cbn [lane_counts forallb] in *. apply andb_true_iff in D as [D1 D2]. rewrite IH by assumption.
  destruct s; [|discriminate]. now destruct digits.
Qed.

Lemma lanes_of_length m w : length (lanes_of m w) = m.
Proof. revert w. induction m; intros w; cbn [lanes_of length]; [reflexivity | now f_equal]. Qed.

Lemma next_lanes_length t word lanes : length word = length lanes ->
  length (next_lanes t word lanes) = length lanes.
Proof.
  revert lanes. induction word; intros [|s lanes] E; try discriminate; [reflexivity|].
  cbn [next_lanes length]. f_equal. auto.
Qed.

Lemma lane_counts_step t digits events lanes e L : length events = length lanes ->
  summed (seq 0 (2 ^ (length lanes + e))) (fun w =>
    lane_counts digits events (next_lanes t (lanes_of (length lanes) w) lanes) L)
  = 2 ^ e * lane_counts (t :: digits) events lanes (S L).
Proof.
  intros E.
  set (fs := map (fun p => fun b => lane_count digits (fst p) (next_lane t b (snd p)) L)
    (combine events lanes)).
  assert (F : length fs = length lanes)
    by (unfold fs; rewrite map_length, combine_length; lia).
  rewrite <- F at 1. transitivity (2 ^ e * product_of (map (fun f => f true + f false) fs)).
  - rewrite <- lanes_independent. apply total_ext. intros w _. rewrite F.
    generalize (lanes_of_length (length lanes) w). generalize (lanes_of (length lanes) w) as word.
    unfold fs. clear F fs. revert lanes E.
    induction events as [|q events IH]; intros [|s lanes] E [|b word] B; try discriminate;
    [reflexivity|]. injection E as E. injection B as B.
    cbn [next_lanes lane_counts combine map lane_product fst snd]. now rewrite IH.
  - f_equal. unfold fs. clear F fs. revert lanes E.
    induction events as [|q events IH]; intros [|s lanes] E; try discriminate; [reflexivity|].
    injection E as E. cbn [combine map product_of fst snd lane_counts].
    now rewrite IH, lane_count_step.
Qed.

Lemma lane_counts_none digits events lanes : length events = length lanes -> digits <> [] ->
  forallb is_decided lanes = false -> lane_counts digits events lanes 0 = 0.
Proof.
  intros E N. revert lanes E. induction events as [|q events IH]; intros [|s lanes] E D;
  try discriminate. injection E as E. cbn [lane_counts forallb] in *.
  destruct s as [b|]; cbn [is_decided andb] in D.
  - rewrite IH by assumption. lia.
  - destruct digits; [contradiction|]. reflexivity.
Qed.

(** Of L words: the lanes' sequences of bits are independent. *)
Theorem planes_counts free digits events lanes e L : length events = length lanes -> free <= L ->
  halting (2 ^ (length lanes + e)) (plane_program free digits lanes) (each_in events) L
  = (2 ^ e) ^ L * lane_counts digits events lanes L.
Proof.
  revert free lanes L. induction digits as [|t digits IH]; intros free lanes L E B; cbn
    [plane_program].
  - rewrite halting_report, lane_counts_end, Nat.pow_add_r, Nat.pow_mul_l by assumption.
    destruct (each_in _ _); lia.
  - destruct ((free =? 0) && forallb is_decided lanes) eqn:D.
    + apply andb_true_iff in D as [_ D]. rewrite halting_report, lane_counts_decided by assumption.
      rewrite Nat.pow_add_r, Nat.pow_mul_l. destruct (each_in _ _); lia.
    + destruct L as [|L].
      * assert (free = 0) as -> by lia. cbn [andb Nat.eqb] in D.
        rewrite lane_counts_none by (assumption || discriminate). reflexivity.
      * rewrite halting_read.
        rewrite (total_ext _ _ (fun w => lane_counts digits events
          (next_lanes t (lanes_of (length lanes) w) lanes) L * (2 ^ e) ^ L)).
        -- rewrite summed_scale, lane_counts_step by assumption. cbn [Nat.pow]. lia.
        -- intros w _.
           set (after := next_lanes t (lanes_of (length lanes) w) lanes).
           assert (A : length after = length lanes)
             by (apply next_lanes_length, lanes_of_length).
           rewrite <- A at 1. rewrite IH by (rewrite ?A; lia || assumption). lia.
Qed.

Theorem planes_within W free digits lanes :
  reads_within W (length digits) (plane_program free digits lanes).
Proof.
  revert free lanes. induction digits as [|t digits IH]; intros free lanes; cbn [plane_program].
  - exact I.
  - destruct (_ && _); cbn [reads_within length]; auto.
Qed.

(** * A lane *)

(** The number that has these binary digits. *)
Fixpoint digits_number (digits : list bool) : nat :=
  match digits with
  | [] => 0
  | t :: rest => (if t then 2 ^ length rest else 0) + digits_number rest
  end.

Lemma digits_number_below digits : digits_number digits < 2 ^ length digits.
Proof. induction digits as [|[] d IH]; cbn [digits_number length Nat.pow]; lia. Qed.

Definition picks (q : bool -> bool) (b : bool) (c : nat) : nat := if q b then c else 0.

(** Of all digits and more: ones as often as numbers are below the threshold. *)
Theorem lane_counts_whole digits q L : lane_count digits q None (length digits + L)
  = (picks q true (digits_number digits) + picks q false (2 ^ length digits - digits_number
    digits)) * 2 ^ L.
Proof.
  unfold picks. induction digits as [|t digits IH].
  - cbn [lane_count length digits_number Nat.add Nat.pow]. destruct (q true), (q false); lia.
  - pose proof (digits_number_below digits). cbn [length Nat.add]. rewrite lane_count_step.
    assert (S : forall b, lane_count digits q (Some b) (length digits + L)
      = if q b then 2 ^ length digits * 2 ^ L else 0)
      by (intros; destruct digits; cbn [lane_count]; now rewrite <- Nat.pow_add_r).
    destruct t; cbn [next_lane eqb]; rewrite S, IH; cbn [digits_number Nat.pow];
    destruct (q true), (q false); nia.
Qed.

(** Of fewer: ones as the first digits say, zeros so that one sequence is undecided. *)
Theorem lane_counts_part t digits q L : length digits = L ->
  lane_count (digits ++ t) q None L
  = match t with
    | [] => lane_count digits q None L
    | _ => picks q true (digits_number digits) + picks q false (2 ^ L - 1 - digits_number digits)
    end.
Proof.
  intros <-. destruct t as [|t rest]; [now rewrite app_nil_r|]. unfold picks.
  induction digits as [|u digits IH].
  - cbn. now destruct (q true), (q false).
  - pose proof (digits_number_below digits). cbn [length app]. rewrite lane_count_step.
    assert (S : forall b, lane_count (digits ++ t :: rest) q (Some b) (length digits)
      = if q b then 2 ^ length digits else 0)
      by (intros; now destruct (digits ++ t :: rest)).
    destruct u; cbn [next_lane eqb]; rewrite S, IH; cbn [digits_number Nat.pow];
    destruct (q true), (q false); lia.
Qed.
