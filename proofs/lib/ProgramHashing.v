(** Local hashing with coefficients from equal shares, counted: the program `local_hashing` of the
    package, where g is no power of two or is taken as if it were none.

    A word beyond g^c equal shares is rejected; the share of another one has c digits in base g,
    lowest first, which are coefficients. Of the last word fewer may be needed. Then comes k-ary
    randomized response of the hash. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramLaws ProgramPrefixes.
Import ListNotations.
Open Scope nat_scope.

(** * The program *)

(** Coefficients of several words, `sizes` of them from each, then what comes after all. *)
Fixpoint coefficient_words {Y} (W g c : nat) (sizes a : list nat) (next : list nat -> program Y)
  : program Y :=
  match sizes with
  | [] => next a
  | n :: rest =>
      Until (fun v => v <=? g ^ c * (W / g ^ c) - 1)
        (fun v => coefficient_words W g c rest (a ++ digits g n (v / (W / g ^ c))) next)
  end.

Definition local_hashing (W k g lie c : nat) (sizes : list nat) (x : nat)
  : program (list nat * nat) :=
  coefficient_words W g c sizes []
    (fun a => bind (k_rr g lie (hash k g a x)) (fun y => Report (a, y))).

Definition is_report (t : list nat) (y : nat) (r : list nat * nat) : bool :=
  (if list_eq_dec Nat.eq_dec (fst r) t then true else false) && (y =? snd r).

(** * Rejection, then something *)

(** The sequences in which a word is the first accepted one, and the others lead on. *)
Fixpoint first_accepted (bad : nat) (f : nat -> nat) (L : nat) : nat :=
  match L with 0 => 0 | S n => f n + bad * first_accepted bad f n end.

(** The sequences in which none was accepted, or what comes after wants more. *)
Fixpoint not_through (good bad : nat) (f : nat -> nat) (L : nat) : nat :=
  match L with 0 => 1 | S n => good * f n + bad * not_through good bad f n end.

Lemma total_where (r : nat -> bool) l c : summed l (fun w => if r w then c else 0) = count r l * c.
Proof. apply (total_indicator r (fun w => w) l c). Qed.

Lemma first_accepted_scale bad f s L :
  first_accepted bad (fun n => s * f n) L = s * first_accepted bad f L.
Proof. induction L as [|L IH]; cbn [first_accepted]; [lia|]. rewrite IH. lia. Qed.

Theorem until_counts {Y} W ok (r : nat -> bool) (next : nat -> program Y) q f L :
  (forall w n, w < W -> ok w = true -> halting W (next w) q n = if r w then f n else 0) ->
  halting W (Until ok next) q L
  = count (fun w => ok w && r w) (seq 0 W)
    * first_accepted (count (fun w => negb (ok w)) (seq 0 W)) f L.
Proof.
  intros H. induction L as [|L IH]; [cbn; lia|].
  rewrite halting_until, IH, total_split. cbn [first_accepted].
  rewrite (total_ext _ _ (fun w => if r w then f L else 0)).
  - rewrite total_where, count_filter. lia.
  - intros w I. apply filter_In in I as [I O]. apply in_seq in I. apply H; [lia | assumption].
Qed.

Theorem unresolved_until {Y} W ok (next : nat -> program Y) f L :
  (forall w n, w < W -> ok w = true -> unresolved W (next w) n = f n) ->
  unresolved W (Until ok next) L
  = not_through (count ok (seq 0 W)) (count (fun w => negb (ok w)) (seq 0 W)) f L.
Proof.
  intros H. induction L as [|L IH]; [reflexivity|].
  unfold unresolved at 1. cbn [tuples]. rewrite count_flat_total. cbn [not_through].
  rewrite (total_ext _ _ (fun w => if ok w then unresolved W (next w) L
    else unresolved W (Until ok next) L)).
  - rewrite IH, total_split, (total_ext _ _ (fun _ => f L)).
    + f_equal. unfold count, summed. induction (filter ok (seq 0 W)) as [|a l E]; [reflexivity|].
      cbn [map list_sum fold_right length]. change (fold_right Init.Nat.add 0) with list_sum.
      rewrite E. lia.
    + intros w I. apply filter_In in I as [I O]. apply in_seq in I. apply H; [lia | assumption].
  - intros w _. rewrite count_map. unfold unresolved.
    destruct (ok w) eqn:E; apply count_ext; intros ws _; cbn; now rewrite E.
Qed.

(** * Digits of a share *)

Lemma digits_counted g n j d : 0 < g -> length d = n -> (forall i, In i d -> i < g) ->
  count (fun u => if list_eq_dec Nat.eq_dec (digits g n u) d then true else false)
    (seq 0 (g ^ (n + j))) = g ^ j.
Proof.
  intros G. revert d. induction n as [|n IH]; intros d E B.
  - destruct d; [|discriminate]. rewrite count_all, seq_length by reflexivity. reflexivity.
  - destruct d as [|r d]; [discriminate|]. injection E as E.
    replace (g ^ (S n + j)) with (g ^ (n + j) * g) by (cbn [Nat.add Nat.pow]; lia).
    rewrite count_by_digit.
    rewrite (total_ext _ _ (fun u =>
      if (if list_eq_dec Nat.eq_dec (digits g n u) d then true else false) then 1 else 0)).
    + rewrite total_where, IH by (assumption || (intros i I; apply B; now right)). lia.
    + intros u _.
      rewrite (count_ext _ (fun v => (r =? v)
        && (if list_eq_dec Nat.eq_dec (digits g n u) d then true else false))).
      * destruct (list_eq_dec Nat.eq_dec (digits g n u) d).
        -- apply count_one with (a := r); [apply seq_NoDup | | |].
           ++ apply in_seq. pose proof (B r (or_introl eq_refl)). lia.
           ++ now rewrite Nat.eqb_refl.
           ++ intros b _ T. apply andb_true_iff in T as [T _]. apply Nat.eqb_eq in T. congruence.
        -- apply count_none. intros v _. apply andb_false_r.
      * intros v I. apply in_seq in I. cbn [digits].
        rewrite (Nat.add_comm (u * g)), Nat.mod_add, Nat.mod_small by lia.
        rewrite Nat.div_add, Nat.div_small by lia. cbn [Nat.add].
        destruct (Nat.eqb_spec r v) as [<-|N]; cbn [andb].
        -- destruct (list_eq_dec Nat.eq_dec (digits g n u) d) as [<-|M];
           destruct (list_eq_dec Nat.eq_dec (r :: _) _) as [X|X]; congruence.
        -- destruct (list_eq_dec Nat.eq_dec (v :: _) _) as [X|X]; congruence.
Qed.

Lemma digits_length g n u : length (digits g n u) = n.
Proof. revert u. induction n; intros; cbn [digits length]; congruence. Qed.

(** What k-ary randomized response of the hash says after L more words. *)
Definition hash_answer (W g lie h y L : nat) : nat :=
  match L with 0 => 0 | S n => k_rr_cell W g lie h y * W ^ n end.

Lemma hash_answer_counts W g k lie a t x y L : 0 < g -> 0 < lie -> g * lie <= W -> y < g ->
  halting W (bind (k_rr g lie (hash k g a x)) (fun y => Report (a, y))) (is_report t y) L
  = if list_eq_dec Nat.eq_dec a t then hash_answer W g lie (hash k g t x) y L else 0.
Proof.
  intros P Q R Hy. unfold k_rr. cbn [bind]. unfold is_report.
  destruct L as [|L]; [destruct (list_eq_dec _ _ _); reflexivity|].
  rewrite (one_word_counts W (fun w => (a, if w <=? g * lie - 1 then w / lie else hash k g a x))).
  cbn [fst snd]. destruct (list_eq_dec Nat.eq_dec a t) as [->|N]; cbn [andb hash_answer].
  - f_equal. assert (X : hash k g t x < g) by (unfold hash; apply Nat.mod_upper_bound; lia).
    pose proof (k_rr_counts W g lie (hash k g t x) y 0 Q R X Hy) as K.
    unfold k_rr in K. rewrite one_word_counts, !Nat.mul_1_r in K. exact K.
  - now rewrite count_none.
Qed.

Section Hashing.
Context (W g c : nat) (positive : 0 < g) (room : g ^ c <= W).

Let P : 0 < g ^ c. Proof. apply Nat.neq_0_lt_0, Nat.pow_nonzero. lia. Qed.

Lemma share_counted (p : nat -> bool) :
  count (fun v => (v <=? g ^ c * (W / g ^ c) - 1) && p (v / (W / g ^ c))) (seq 0 W)
  = count p (seq 0 (g ^ c)) * (W / g ^ c).
Proof.
  pose proof (share_positive W (g ^ c) P room) as S. pose proof (Nat.mul_div_le W (g ^ c)
    ltac:(lia)) as T.
  set (s := W / g ^ c) in *. rewrite (seq_cut (g ^ c * s)) by exact T. rewrite count_app.
  rewrite (count_none _ (seq (g ^ c * s) _)).
  - rewrite Nat.add_0_r, count_by_digit, <- total_where. apply total_ext. intros u I.
    apply in_seq in I. rewrite (count_ext _ (fun _ => p u)).
    + destruct (p u); [now rewrite count_all, seq_length | now apply count_none].
    + intros v J. apply in_seq in J. rewrite (proj2 (Nat.leb_le _ _)) by nia. cbn [andb].
      rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia. reflexivity.
  - intros v I. apply in_seq in I. apply andb_false_iff. left. apply Nat.leb_gt. nia.
Qed.

Lemma shares_accepted : count (fun v => v <=? g ^ c * (W / g ^ c) - 1) (seq 0 W)
  = g ^ c * (W / g ^ c).
Proof.
  rewrite (count_ext _ (fun v => (v <=? g ^ c * (W / g ^ c) - 1) && true))
    by (intros; now rewrite andb_true_r).
  rewrite (share_counted (fun _ => true)), count_all, seq_length by reflexivity. reflexivity.
Qed.

Lemma coefficients_elsewhere {Y} sizes a (next : list nat -> program Y) q L :
  (forall b n, length b = fold_right Nat.add 0 sizes -> halting W (next (a ++ b)) q n = 0) ->
  halting W (coefficient_words W g c sizes a next) q L = 0.
Proof.
  revert a L. induction sizes as [|n sizes IH]; intros a L H; cbn [coefficient_words].
  - rewrite <- (app_nil_r a). now apply H.
  - rewrite until_counts with (r := fun _ => false) (f := fun _ => 0).
    + rewrite count_none by (intros; apply andb_false_r). reflexivity.
    + intros w j _ _. apply IH. intros b i E. rewrite <- app_assoc. apply H.
      rewrite app_length, digits_length, E. reflexivity.
Qed.

(** Of each list of coefficients t the same number, whatever comes after. *)
Theorem coefficient_counts {Y} sizes a t (next : list nat -> program Y) q f L :
  (forall n, In n sizes -> n <= c) -> length t = fold_right Nat.add 0 sizes ->
  (forall i, In i t -> i < g) ->
  (forall b n, length b = length t ->
    halting W (next (a ++ b)) q n = if list_eq_dec Nat.eq_dec b t then f n else 0) ->
  halting W (coefficient_words W g c sizes a next) q L
  = fold_right (fun n => Nat.mul (g ^ (c - n) * (W / g ^ c))) 1 sizes
    * Nat.iter (length sizes) (first_accepted (W mod g ^ c)) f L.
Proof.
  revert a t L. induction sizes as [|n sizes IH]; intros a t L C E B H; cbn [coefficient_words].
  - destruct t; [|discriminate]. specialize (H [] L eq_refl). rewrite app_nil_r in H.
    rewrite H. cbn. lia.
  - cbn [fold_right] in E. set (d := firstn n t). set (u := skipn n t).
    assert (D : length d = n) by (unfold d; rewrite firstn_length; lia).
    assert (U : length u = fold_right Nat.add 0 sizes) by (unfold u; rewrite skipn_length; lia).
    assert (T : t = d ++ u) by (symmetry; apply firstn_skipn).
    rewrite until_counts with
      (r := fun v => if list_eq_dec Nat.eq_dec (digits g n (v / (W / g ^ c))) d then true else
        false)
      (f := fun L => fold_right (fun n => Nat.mul (g ^ (c - n) * (W / g ^ c))) 1 sizes
        * Nat.iter (length sizes) (first_accepted (W mod g ^ c)) f L).
    + rewrite (share_counted (fun v => if list_eq_dec Nat.eq_dec (digits g n v) d
        then true else false)).
      rewrite count_rejected by assumption. specialize (C n (or_introl eq_refl)).
      replace (g ^ c) with (g ^ (n + (c - n))) at 1 by (f_equal; lia).
      rewrite digits_counted by (assumption || (intros i I; apply B; rewrite T; apply in_or_app;
        now left)).
      rewrite first_accepted_scale. cbn [length Nat.iter fold_right nat_rect].
      unfold Nat.iter. cbn [nat_rect]. lia.
    + intros v j _ _. destruct (list_eq_dec Nat.eq_dec (digits g n (v / (W / g ^ c))) d) as [->|N].
      * apply IH with (t := u); [intros m I; apply C; now right | assumption
          | intros i I; apply B; rewrite T; apply in_or_app; now right|].
        intros b i X. rewrite <- app_assoc, H by (rewrite T, !app_length; lia).
        destruct (list_eq_dec Nat.eq_dec (d ++ b) t) as [Q|Q];
        destruct (list_eq_dec Nat.eq_dec b u) as [R|R]; try reflexivity; exfalso.
        -- rewrite T in Q. apply app_inv_head in Q. contradiction.
        -- apply Q. rewrite T. now f_equal.
      * apply coefficients_elsewhere. intros b i X. rewrite <- app_assoc, H
          by (rewrite T, !app_length, digits_length; lia).
        destruct (list_eq_dec Nat.eq_dec (_ ++ b) t) as [Q|Q]; [|reflexivity]. exfalso. apply N.
        rewrite T in Q. apply (f_equal (firstn n)) in Q. revert Q.
        rewrite !firstn_app, D, digits_length, Nat.sub_diag, !firstn_O, !app_nil_r.
        rewrite !firstn_all2 by (rewrite ?digits_length, ?D; lia). auto.
Qed.

Theorem coefficients_unresolved {Y} sizes a (next : list nat -> program Y) f L :
  (forall b n, unresolved W (next b) n = f n) ->
  unresolved W (coefficient_words W g c sizes a next) L
  = Nat.iter (length sizes) (not_through (g ^ c * (W / g ^ c)) (W mod g ^ c)) f L.
Proof.
  intros H. revert a L. induction sizes as [|n sizes IH]; intros a L; cbn [coefficient_words].
  - apply H.
  - rewrite unresolved_until with (f := Nat.iter (length sizes)
      (not_through (g ^ c * (W / g ^ c)) (W mod g ^ c)) f) by (intros; apply IH).
    now rewrite shares_accepted, count_rejected by assumption.
Qed.

(** Each function of the family is drawn equally often, and the bucket has the table's counts. *)
Theorem local_hashing_counts k lie sizes t x y L : 0 < lie -> g * lie <= W ->
  (forall n, In n sizes -> n <= c) -> length t = fold_right Nat.add 0 sizes ->
  (forall i, In i t -> i < g) -> y < g ->
  halting W (local_hashing W k g lie c sizes x) (is_report t y) L
  = fold_right (fun n => Nat.mul (g ^ (c - n) * (W / g ^ c))) 1 sizes
    * Nat.iter (length sizes) (first_accepted (W mod g ^ c)) (hash_answer W g lie (hash k g t x) y)
      L.
Proof.
  intros. apply coefficient_counts with (t := t); try assumption.
  intros b n _. now apply hash_answer_counts.
Qed.

Theorem local_hashing_unresolved k lie sizes x L :
  unresolved W (local_hashing W k g lie c sizes x) L
  = Nat.iter (length sizes) (not_through (g ^ c * (W / g ^ c)) (W mod g ^ c))
      (fun n => if n =? 0 then 1 else 0) L.
Proof.
  apply coefficients_unresolved. intros b [|n]; [reflexivity|]. cbn [bind k_rr Nat.eqb].
  apply (one_word_resolved W (fun w => (b, if w <=? g * lie - 1 then w / lie else hash k g b x))).
Qed.

Theorem local_hashing_halts k lie sizes x :
  Un_cv (fun L => INR (unresolved W (local_hashing W k g lie c sizes x) L) / INR W ^ L)%R 0%R.
Proof.
  pose proof P. apply program_halts; [lia|]. unfold local_hashing. generalize (@nil nat) as a.
  induction sizes as [|n sizes IH]; intros a; cbn [coefficient_words proper].
  - cbn. exact (fun _ _ => I).
  - split; [|intros; apply IH]. rewrite shares_accepted.
    pose proof (share_positive W (g ^ c) P room). nia.
Qed.
End Hashing.
