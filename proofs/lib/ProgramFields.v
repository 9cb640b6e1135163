(** Local hashing with coefficients from fields of words, counted: the program `local_hashing` of
    the package where g is a power of two.

    A coefficient is r bits of a word from some place on. The fields of a word do not overlap, so
    each of their joint values has as many words. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramLaws ProgramPrefixes
  ProgramPlanes ProgramHashing.
Import ListNotations.
Open Scope nat_scope.

(** * The program *)

Definition field (r v p : nat) : nat := v / 2 ^ p mod 2 ^ r.

Fixpoint field_words {Y} (r : nat) (places sizes a : list nat) (next : list nat -> program Y)
  : program Y :=
  match sizes with
  | [] => next a
  | n :: rest => Read (fun v => field_words r places rest (a ++ map (field r v) (firstn n places))
                                  next)
  end.

Definition local_hashing_fields (k lie r : nat) (places sizes : list nat) (x : nat)
  : program (list nat * nat) :=
  field_words r places sizes []
    (fun a => bind (k_rr (2 ^ r) lie (hash k (2 ^ r) a x)) (fun y => Report (a, y))).

(** No bit of a word is in two fields. *)
Definition apart (r : nat) (places : list nat) : Prop := NoDup (flat_map (fun p => seq p r) places).

(** * Bits of a word *)

Definition agrees (v : nat) (l : list (nat * bool)) : bool :=
  forallb (fun p => eqb (Nat.testbit v (fst p)) (snd p)) l.

Definition above_first (l : list (nat * bool)) : list (nat * bool) :=
  map (fun p => (pred (fst p), snd p)) (filter (fun p => negb (fst p =? 0)) l).

Lemma agrees_halves u (b : bool) l : agrees ((if b then 1 else 0) + 2 * u) l
  = agrees u (above_first l) && forallb (fun p => negb (fst p =? 0) || eqb b (snd p)) l.
Proof.
  unfold agrees, above_first. induction l as [|[i x] l IH]; [reflexivity|].
  cbn [forallb filter fst snd]. rewrite IH. destruct i as [|i]; cbn [Nat.eqb negb orb].
  - replace (Nat.testbit _ 0) with b.
    + destruct (eqb b x), (forallb _ (map _ _)); cbn; reflexivity.
    + rewrite Nat.bit0_odd. destruct b; rewrite Nat.odd_add_mul_2 || idtac; reflexivity.
  - cbn [map forallb fst snd pred].
    replace (Nat.testbit ((if b then 1 else 0) + 2 * u) (S i)) with (Nat.testbit u i).
    + destruct (eqb _ x), (forallb _ (map _ _)); reflexivity.
    + symmetry. destruct b; [rewrite Nat.add_comm; apply Nat.testbit_odd_succ; lia |
        apply Nat.testbit_even_succ; lia].
Qed.

Lemma above_first_shift l : (forall p, In p l -> fst p <> 0) ->
  map fst (above_first l) = map pred (map fst l) /\ length (above_first l) = length l.
Proof.
  intros A. unfold above_first. induction l as [|p l IH]; [split; reflexivity|].
  cbn [filter]. rewrite (proj2 (Nat.eqb_neq (fst p) 0)) by (apply A; now left).
  cbn [negb map length fst]. destruct IH as [E L]; [intros q I; apply A; now right|].
  split; [now rewrite E | now rewrite L].
Qed.

Lemma NoDup_pred l : (forall i, In i l -> i <> 0) -> NoDup l -> NoDup (map pred l).
Proof.
  intros A N. induction N as [|i l O N IH]; cbn [map]; constructor.
  - intros I. apply in_map_iff in I as [j [E J]]. apply O.
    pose proof (A i (or_introl eq_refl)). pose proof (A j (or_intror J)).
    now replace i with j by lia.
  - apply IH. intros j J. apply A. now right.
Qed.

Lemma NoDup_left {A} (l m : list A) : NoDup (l ++ m) -> NoDup l.
Proof.
  induction l as [|a l IH]; intros N; [constructor|]. inversion N as [|b k O M]; subst.
  constructor; [|auto]. intros I. apply O, in_app_iff. now left.
Qed.

Theorem bits_counted w l : NoDup (map fst l) -> (forall p, In p l -> fst p < w) ->
  count (fun v => agrees v l) (seq 0 (2 ^ w)) = 2 ^ (w - length l).
Proof.
  revert l. induction w as [|w IH]; intros l N B.
  - destruct l as [|p l]; [reflexivity|]. specialize (B p (or_introl eq_refl)). lia.
  - assert (S : count (fun v => agrees v l) (seq 0 (2 ^ S w)) = count (fun u =>
      agrees u (above_first l)) (seq 0 (2 ^ w))
      * (count (fun b => forallb (fun p => negb (fst p =? 0) || eqb b (snd p)) l) [true; false])).
    { rewrite <- total_where. cbn [Nat.pow]. generalize (2 ^ w) as M. clear. intros M.
      transitivity (summed (seq 0 M) (fun u => (if agrees (2 * u) l then 1 else 0)
        + (if agrees (1 + 2 * u) l then 1 else 0))).
      - replace (M + (M + 0)) with (2 * M) by lia. rewrite <- (Nat.mul_1_r (count _ _)).
        rewrite <- total_where, summed_halves. apply total_ext. intros u _.
        now rewrite (Nat.add_comm (2 * u) 1).
      - apply total_ext. intros u _. pose proof (agrees_halves u true l) as T.
        pose proof (agrees_halves u false l) as F. cbn [Nat.add] in F. cbn beta iota in T.
        rewrite T, F. unfold count. cbn [filter].
        destruct (agrees u _), (forallb (fun p => _ || eqb true _) l),
          (forallb (fun p => _ || eqb false _) l); reflexivity. }
    rewrite S. clear S.
    destruct (in_dec Nat.eq_dec 0 (map fst l)) as [I|O].
    + apply in_map_iff in I as [[i x] [E I]]. cbn in E. subst i.
      apply in_split in I as (l1 & l2 & ->).
      rewrite map_app in N. cbn [map fst] in N. pose proof (NoDup_remove_2 _ _ _ N) as Z.
      apply NoDup_remove_1 in N. rewrite <- map_app in N, Z.
      assert (A : forall p, In p (l1 ++ l2) -> fst p <> 0)
        by (intros p Ip X; apply Z; rewrite <- X; now apply in_map).
      replace (above_first (l1 ++ (0, x) :: l2)) with (above_first (l1 ++ l2))
        by (unfold above_first; now rewrite !filter_app).
      destruct (above_first_shift (l1 ++ l2) A) as [Sh Ln].
      rewrite IH.
      * rewrite Ln, !app_length. cbn [length].
        replace (count _ [true; false]) with 1; [rewrite Nat.mul_1_r; f_equal; lia|].
        unfold count. cbn [filter]. rewrite !forallb_app. cbn [forallb fst snd Nat.eqb negb orb].
        assert (Q : forall b, forallb (fun p => negb (fst p =? 0) || eqb b (snd p)) (l1 ++ l2)
          = true).
        { intros b. apply forallb_forall. intros p Ip. rewrite (proj2 (Nat.eqb_neq _ _)) by auto.
          reflexivity. }
        pose proof (Q true) as Qt. pose proof (Q false) as Qf. rewrite forallb_app in Qt, Qf.
        apply andb_true_iff in Qt as [-> ->]. apply andb_true_iff in Qf as [-> ->].
        now destruct x.
      * rewrite Sh. apply NoDup_pred; [|assumption].
        intros i Ii X. apply Z. now rewrite <- X.
      * intros p Ip. unfold above_first in Ip. apply in_map_iff in Ip as [q [<- Iq]].
        apply filter_In in Iq as [Iq _]. cbn [fst]. specialize (A q Iq).
        assert (fst q < S w) by (apply B; apply in_app_iff in Iq as [Iq|Iq]; apply in_app_iff;
          [now left | right; now right]). lia.
    + assert (A : forall p, In p l -> fst p <> 0)
        by (intros p Ip X; apply O; rewrite <- X; now apply in_map).
      destruct (above_first_shift l A) as [Sh Ln]. rewrite IH.
      * rewrite Ln. replace (count _ [true; false]) with 2.
        -- assert (length l <= w).
           { rewrite <- (map_length fst), <- (seq_length w 1). apply NoDup_incl_length;
             [assumption|].
             intros i I. apply in_map_iff in I as [p [<- Ip]]. apply in_seq.
             specialize (A p Ip). specialize (B p Ip). lia. }
           replace (S w - length l) with (S (w - length l)) by lia. cbn [Nat.pow]. lia.
        -- unfold count. cbn [filter].
           assert (Q : forall b, forallb (fun p => negb (fst p =? 0) || eqb b (snd p)) l = true).
           { intros b. apply forallb_forall. intros p Ip. rewrite (proj2 (Nat.eqb_neq _ _)) by auto.
             reflexivity. }
           now rewrite !Q.
      * rewrite Sh. apply NoDup_pred; [|assumption]. intros i Ii ->. contradiction.
      * intros p Ip. unfold above_first in Ip. apply in_map_iff in Ip as [q [<- Iq]].
        apply filter_In in Iq as [Iq _]. cbn [fst]. specialize (A q Iq). specialize (B q Iq). lia.
Qed.

(** * Fields of a word *)

Definition field_bits (r p d : nat) : list (nat * bool) :=
  map (fun j => (p + j, Nat.testbit d j)) (seq 0 r).

Lemma field_agrees r v p d : d < 2 ^ r -> agrees v (field_bits r p d) = (field r v p =? d).
Proof.
  intros B. unfold agrees, field_bits, field. apply eq_true_iff_eq.
  rewrite forallb_forall, Nat.eqb_eq. split.
  - intros H. apply Nat.bits_inj. intros j. destruct (Nat.lt_ge_cases j r) as [J|J].
    + rewrite Nat.mod_pow2_bits_low, Nat.div_pow2_bits by assumption.
      specialize (H (p + j, Nat.testbit d j)). cbn [fst snd] in H. rewrite Nat.add_comm.
      apply eqb_prop, H. apply in_map_iff. exists j. split; [reflexivity|]. apply in_seq. lia.
    + rewrite Nat.mod_pow2_bits_high by assumption. symmetry.
      rewrite <- (Nat.mod_small d (2 ^ r)) by assumption. now apply Nat.mod_pow2_bits_high.
  - intros <- x I. apply in_map_iff in I as [j [<- J]]. apply in_seq in J. cbn [fst snd].
    rewrite Nat.mod_pow2_bits_low, Nat.div_pow2_bits, Nat.add_comm by lia. apply eqb_reflx.
Qed.

Fixpoint fields_bits (r : nat) (places ds : list nat) : list (nat * bool) :=
  match places, ds with
  | p :: places, d :: ds => field_bits r p d ++ fields_bits r places ds
  | _, _ => []
  end.

Lemma fields_agree r v places ds : length ds = length places -> (forall d, In d ds -> d < 2 ^ r) ->
  agrees v (fields_bits r places ds)
  = if list_eq_dec Nat.eq_dec (map (field r v) places) ds then true else false.
Proof.
  revert ds. induction places as [|p places IH]; intros [|d ds] E B; try discriminate.
  - reflexivity.
  - injection E as E. cbn [fields_bits map]. unfold agrees. rewrite forallb_app.
    fold (agrees v (field_bits r p d)) (agrees v (fields_bits r places ds)).
    rewrite field_agrees, IH by (assumption || (intros; apply B; (now left) || now right)).
    destruct (Nat.eqb_spec (field r v p) d) as [<-|N]; cbn [andb].
    + destruct (list_eq_dec _ (map _ _) ds) as [<-|M];
      destruct (list_eq_dec _ (_ :: _) _) as [X|X]; congruence.
    + destruct (list_eq_dec _ (_ :: _) _) as [X|X]; congruence.
Qed.

Lemma fields_places r places ds : length ds = length places ->
  map fst (fields_bits r places ds) = flat_map (fun p => seq p r) places.
Proof.
  revert ds. induction places as [|p places IH]; intros [|d ds] E; try discriminate; [reflexivity|].
  injection E as E. cbn [fields_bits flat_map]. rewrite map_app, IH by assumption. f_equal.
  unfold field_bits. rewrite map_map. cbn [fst]. clear. revert p.
  induction r as [|r IH]; intros p; [reflexivity|]. cbn [seq map]. rewrite Nat.add_0_r. f_equal.
  rewrite <- (IH (S p)), <- seq_shift, map_map. apply map_ext. intros. lia.
Qed.

(** Each joint value of the fields has as many words. *)
Theorem fields_counted w r places ds : apart r places -> (forall p, In p places -> p + r <= w) ->
  length ds = length places -> (forall d, In d ds -> d < 2 ^ r) ->
  count (fun v => if list_eq_dec Nat.eq_dec (map (field r v) places) ds then true else false)
    (seq 0 (2 ^ w)) = 2 ^ (w - r * length places).
Proof.
  intros A R E B.
  rewrite (count_ext _ (fun v => agrees v (fields_bits r places ds)))
    by (intros; now rewrite fields_agree).
  rewrite bits_counted.
  - f_equal. f_equal. rewrite <- (map_length fst), fields_places by assumption. clear.
    induction places as [|p places IH]; cbn [flat_map length]; [lia|].
    rewrite app_length, IH, seq_length. lia.
  - now rewrite fields_places.
  - intros p I. apply (in_map fst) in I. rewrite fields_places in I by assumption.
    apply in_flat_map in I as [q [Q I]]. apply in_seq in I. specialize (R q Q). lia.
Qed.

(** * Coefficients, and the bucket *)

Section Fields.
Context (w r : nat) (places : list nat) (disjoint : apart r places)
  (room : forall p, In p places -> p + r <= w).

Lemma field_coefficients_elsewhere {Y} sizes a (next : list nat -> program Y) q L :
  (forall n, In n sizes -> n <= length places) ->
  (forall b n, length b = fold_right Nat.add 0 sizes -> halting (2 ^ w) (next (a ++ b)) q n = 0) ->
  halting (2 ^ w) (field_words r places sizes a next) q L = 0.
Proof.
  revert a L. induction sizes as [|n sizes IH]; intros a L C H; cbn [field_words].
  - rewrite <- (app_nil_r a). now apply H.
  - destruct L as [|L]; [reflexivity|]. rewrite halting_read.
    rewrite (total_ext _ _ (fun _ => 0)).
    + unfold summed. now induction (seq 0 (2 ^ w)).
    + intros v _. apply IH; [intros; apply C; now right|]. intros b i E. rewrite <- app_assoc.
      apply H. specialize (C n (or_introl eq_refl)). cbn [fold_right].
      rewrite app_length, map_length, firstn_length, E. lia.
Qed.

Theorem field_coefficient_counts {Y} sizes a t (next : list nat -> program Y) q f L :
  (forall n, In n sizes -> n <= length places) -> length t = fold_right Nat.add 0 sizes ->
  (forall i, In i t -> i < 2 ^ r) ->
  (forall b n, length b = length t ->
    halting (2 ^ w) (next (a ++ b)) q n = if list_eq_dec Nat.eq_dec b t then f n else 0) ->
  halting (2 ^ w) (field_words r places sizes a next) q (length sizes + L)
  = fold_right (fun n => Nat.mul (2 ^ (w - r * n))) 1 sizes * f L.
Proof.
  revert a t. induction sizes as [|n sizes IH]; intros a t C E B H; cbn [field_words].
  - destruct t; [|discriminate]. specialize (H [] L eq_refl). rewrite app_nil_r in H.
    cbn [length Nat.add]. rewrite H. cbn. lia.
  - cbn [fold_right length Nat.add] in *. set (d := firstn n t). set (u := skipn n t).
    assert (N : n <= length places) by (apply C; now left).
    assert (D : length d = n) by (unfold d; rewrite firstn_length; lia).
    assert (U : length u = fold_right Nat.add 0 sizes) by (unfold u; rewrite skipn_length; lia).
    assert (T : t = d ++ u) by (symmetry; apply firstn_skipn).
    assert (F : length (firstn n places) = n) by (rewrite firstn_length; lia).
    rewrite halting_read, (total_ext _ _ (fun v =>
      if (if list_eq_dec Nat.eq_dec (map (field r v) (firstn n places)) d then true else false)
      then fold_right (fun n => Nat.mul (2 ^ (w - r * n))) 1 sizes * f L else 0)).
    + rewrite total_where, fields_counted.
      * rewrite F. lia.
      * apply NoDup_left with (m := flat_map (fun p => seq p r) (skipn n places)).
        rewrite <- flat_map_app, firstn_skipn. exact disjoint.
      * intros p I. apply room. rewrite <- (firstn_skipn n places). apply in_app_iff. now left.
      * congruence.
      * intros i I. apply B. rewrite T. apply in_app_iff. now left.
    + intros v _. destruct (list_eq_dec Nat.eq_dec (map (field r v) _) d) as [->|M].
      * apply IH with (t := u); [intros m I; apply C; now right | assumption
          | intros i I; apply B; rewrite T; apply in_or_app; now right|].
        intros b i X. rewrite <- app_assoc, H by (rewrite T, !app_length; lia).
        destruct (list_eq_dec Nat.eq_dec (d ++ b) t) as [Q|Q];
        destruct (list_eq_dec Nat.eq_dec b u) as [R|R]; try reflexivity; exfalso.
        -- rewrite T in Q. apply app_inv_head in Q. contradiction.
        -- apply Q. rewrite T. now f_equal.
      * apply field_coefficients_elsewhere; [intros; apply C; now right|].
        intros b i X. rewrite <- app_assoc, H by (rewrite T, !app_length, map_length; lia).
        destruct (list_eq_dec Nat.eq_dec (_ ++ b) t) as [Q|Q]; [|reflexivity]. exfalso. apply M.
        rewrite T in Q. apply (f_equal (firstn n)) in Q. revert Q.
        rewrite !firstn_app, D, map_length, F, Nat.sub_diag, !firstn_O, !app_nil_r.
        rewrite (firstn_all2 (n := n) (map _ _)) by (rewrite map_length; lia).
        now rewrite (firstn_all2 (n := n) d) by lia.
Qed.

(** Each function of the family is drawn equally often, and the bucket has the table's counts. *)
Theorem local_hashing_fields_counts k lie sizes t x y L : 0 < lie -> 2 ^ r * lie <= 2 ^ w ->
  (forall n, In n sizes -> n <= length places) -> length t = fold_right Nat.add 0 sizes ->
  (forall i, In i t -> i < 2 ^ r) -> y < 2 ^ r ->
  halting (2 ^ w) (local_hashing_fields k lie r places sizes x) (is_report t y)
    (length sizes + S L)
  = fold_right (fun n => Nat.mul (2 ^ (w - r * n))) 1 sizes
    * (k_rr_cell (2 ^ w) (2 ^ r) lie (hash k (2 ^ r) t x) y * (2 ^ w) ^ L).
Proof.
  intros Q R C E B Hy. change (k_rr_cell _ _ _ _ _ * _)
    with (hash_answer (2 ^ w) (2 ^ r) lie (hash k (2 ^ r) t x) y (S L)).
  apply field_coefficient_counts with (t := t); try assumption.
  intros b n _. apply hash_answer_counts; auto. now apply Nat.neq_0_lt_0, Nat.pow_nonzero.
Qed.

Theorem local_hashing_fields_within k lie sizes x :
  reads_within (2 ^ w) (length sizes + 1) (local_hashing_fields k lie r places sizes x).
Proof.
  unfold local_hashing_fields. generalize (@nil nat) as a.
  induction sizes as [|n sizes IH]; intros a; cbn [field_words length Nat.add reads_within].
  - cbn. exact (fun _ _ => I).
  - intros. apply IH.
Qed.
End Fields.
