(** Geometric numbers digit by digit, counted: the loops of the package's `geometric_noise`.

    A word has one bit and a digit below `half`. In each turn a word whose bit is 1 draws a 0; else
    its digit, and where that is equal further ones, is compared with the digits of a power a: below
    it draws a 1, and otherwise the turn begins anew. So a turn draws a 1 with odds a to 1. In the
    end numbers are compared with the digits of the last power, and counted until one is not below
    it, or there are so many that the report is the same for all further ones. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramPrefixes ProgramLoops.
Import ListNotations.
Open Scope nat_scope.

(** * The program *)

(** A digit against those of a power: the digits that are left, or whether it is below. *)
Definition compare_digit (v : nat) (ds : list nat) : list nat + bool :=
  match ds with
  | [] => inr false
  | d :: rest =>
      if v <? d then inr true
      else if v =? d then match rest with [] => inr false | _ => inl rest end else inr false
  end.

(** Bits that were drawn, powers of the turns that are left, digits that are left to compare; or the
    bits, the count, how many more there may be, and digits that are left to compare. *)
Inductive noise_state : Type :=
| Turn (bits : list bool) (turns : list (list nat)) (open : option (list nat))
| Counting (bits : list bool) (n more : nat) (open : list nat).

Definition next_turn (last : list nat) (limit : list bool -> nat) (bits : list bool)
  (turns : list (list nat)) : noise_state :=
  match turns with
  | [] => Counting bits 0 (limit bits) last
  | _ => Turn bits turns None
  end.

Definition noise_step (half : nat) (last : list nat) (limit : list bool -> nat) (s : noise_state)
  (w : nat) : noise_state + (list bool * nat) :=
  match s with
  | Turn bits [] _ => inl (next_turn last limit bits [])
  | Turn bits (power :: turns) open =>
      let compared := match open with
        | None => if half <=? w then None else Some (compare_digit w power)
        | Some ds => Some (compare_digit (w mod half) ds)
        end in
      inl match compared with
        | None => next_turn last limit (bits ++ [false]) turns
        | Some (inl rest) => Turn bits (power :: turns) (Some rest)
        | Some (inr true) => next_turn last limit (bits ++ [true]) turns
        | Some (inr false) => Turn bits (power :: turns) None
        end
  | Counting bits n more ds =>
      match compare_digit (w mod half) ds with
      | inl rest => inl (Counting bits n more rest)
      | inr false => inr (bits, n)
      | inr true => match more with
                    | 0 => inr (bits, S n)
                    | S less => inl (Counting bits (S n) less last)
                    end
      end
  end.

Open Scope R_scope.

(** The number in 0..1 that has these digits. *)
Fixpoint power_of (half : nat) (ds : list nat) : R :=
  match ds with [] => 0 | d :: rest => (INR d + power_of half rest) / INR half end.

Definition digits_ok (half : nat) (ds : list nat) : Prop :=
  ds <> [] /\ forall d, In d ds -> (d < half)%nat.

(** What is drawn, if a is the power of a turn and c the last one. *)
Fixpoint count_law (c : R) (q : nat -> bool) (more n : nat) : R :=
  match more with
  | O => c * indicator (q (S n)) + (1 - c) * indicator (q n)
  | S less => c * count_law c q less (S n) + (1 - c) * indicator (q n)
  end.

Fixpoint turns_law (half : nat) (last : list nat) (limit : list bool -> nat)
  (q : list bool * nat -> bool) (bits : list bool) (turns : list (list nat)) : R :=
  match turns with
  | [] => count_law (power_of half last) (fun n => q (bits, n)) (limit bits) 0
  | power :: rest =>
      let a := power_of half power in
      (a * turns_law half last limit q (bits ++ [true]) rest
       + turns_law half last limit q (bits ++ [false]) rest) / (1 + a)
  end.

(** * Digits *)

Lemma power_range half ds : (0 < half)%nat -> (forall d, In d ds -> (d < half)%nat) ->
  0 <= power_of half ds <= 1.
Proof.
  intros P. apply lt_INR in P. cbn [INR] in P.
  induction ds as [|d ds IH]; intros B; cbn [power_of]; [lra|].
  destruct IH as [L U]; [intros e I; apply B; now right|].
  specialize (B d (or_introl eq_refl)). apply le_INR in B. rewrite S_INR in B.
  pose proof (pos_INR d). split.
  - apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
  - apply Rmult_le_reg_r with (INR half); [assumption|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma compare_sum half ds x z : digits_ok half ds ->
  sum_over (seq 0 half) (fun v => match compare_digit v ds with
    | inl rest => power_of half rest * x + (1 - power_of half rest) * z
    | inr true => x
    | inr false => z
    end) = INR half * (power_of half ds * x + (1 - power_of half ds) * z).
Proof.
  intros [N B]. destruct ds as [|d rest]; [contradiction|]. clear N.
  specialize (B d (or_introl eq_refl)).
  replace (seq 0 half) with (seq 0 d ++ seq d 1 ++ seq (d + 1) (half - d - 1)).
  2: { rewrite <- !seq_app. f_equal. lia. }
  rewrite !sum_app, (sum_seq_same 0 d x), (sum_seq_same (d + 1) (half - d - 1) z).
  - cbn [seq sum_over compare_digit power_of].
    rewrite Nat.ltb_irrefl, Nat.eqb_refl.
    replace (INR (half - d - 1)) with (INR half - INR d - 1)
      by (rewrite !minus_INR by lia; cbn; ring).
    assert (INR half <> 0) by (apply not_0_INR; lia).
    destruct rest; cbn [power_of]; field; assumption.
  - intros v R. cbn [compare_digit]. rewrite (proj2 (Nat.ltb_ge v d)) by lia.
    now rewrite (proj2 (Nat.eqb_neq v d)) by lia.
  - intros v R. cbn [compare_digit]. now rewrite (proj2 (Nat.ltb_lt v d)) by lia.
Qed.

Lemma compare_left v ds half rest : digits_ok half ds -> compare_digit v ds = inl rest ->
  digits_ok half rest /\ (length rest < length ds)%nat.
Proof.
  unfold compare_digit. intros [N B]. destruct ds as [|d [|e ds]]; [discriminate| |];
  destruct (v <? d)%nat; try discriminate; destruct (v =? d)%nat; try discriminate.
  intros E. injection E as <-. repeat split; [discriminate | | cbn; lia].
  intros f I. apply B. now right.
Qed.

Lemma compare_highest half ds : digits_ok half ds -> compare_digit (half - 1) ds <> inr true.
Proof.
  intros [N B]. destruct ds as [|d ds]; [contradiction|]. specialize (B d (or_introl eq_refl)).
  cbn [compare_digit]. rewrite (proj2 (Nat.ltb_ge (half - 1) d)) by lia.
  destruct (half - 1 =? d)%nat; [destruct ds|]; discriminate.
Qed.

(** * The law *)

Section Noise.
Context (half : nat) (positive : (0 < half)%nat) (last : list nat) (limit : list bool -> nat)
  (last_ok : digits_ok half last).

Let W := (2 * half)%nat.

(** At most so many turns are left, and so many digits to compare. *)
Definition noise_within (t m : nat) (s : noise_state) : Prop :=
  (length last <= m)%nat /\
  match s with
  | Turn _ turns open =>
      turns <> [] /\ (length turns <= t)%nat
      /\ (forall power, In power turns -> digits_ok half power /\ (length power <= m)%nat)
      /\ match open with None => True | Some ds => digits_ok half ds /\ (length ds <= m)%nat end
  | Counting _ _ _ ds => digits_ok half ds /\ (length ds <= m)%nat
  end.

Lemma next_within t m bits turns : (length last <= m)%nat -> (length turns <= t)%nat ->
  (forall power, In power turns -> digits_ok half power /\ (length power <= m)%nat) ->
  noise_within t m (next_turn last limit bits turns).
Proof.
  intros M T A. split; [assumption|]. destruct turns; cbn [next_turn]; [now split|].
  split; [discriminate|]. now repeat (split; [assumption|]).
Qed.

Lemma noise_stays t m : stays (noise_step half last limit) W (noise_within t m).
Proof.
  intros s w s' [M G] _ E. destruct s as [bits turns open|bits n more ds].
  - destruct G as (N & T & A & O). destruct turns as [|power turns]; [contradiction|].
    cbn [noise_step] in E. injection E as <-.
    assert (X : forall bits, noise_within t m (next_turn last limit bits turns)).
    { intros b. apply next_within; [assumption | cbn in T; lia | intros p I; apply A; now right]. }
    destruct (A power (or_introl eq_refl)) as [P Q].
    assert (Y : forall ds, (digits_ok half ds /\ (length ds <= m)%nat) ->
      forall v, noise_within t m match compare_digit v ds with
        | inl rest => Turn bits (power :: turns) (Some rest)
        | inr true => next_turn last limit (bits ++ [true]) turns
        | inr false => Turn bits (power :: turns) None
        end).
    { intros ds [D L] v. destruct (compare_digit v ds) as [rest|[]] eqn:C; [|apply X|].
      - destruct (compare_left v ds half rest D C).
        split; [assumption|]. split; [discriminate|]. split; [assumption|].
        split; [assumption|]. split; [assumption | lia].
      - split; [assumption|]. split; [discriminate|]. now repeat (split; [assumption|]). }
    destruct open as [ds|].
    + now apply Y.
    + destruct (half <=? w)%nat; [apply X|]. now apply Y.
  - destruct G as [D L]. cbn [noise_step] in E.
    destruct (compare_digit (w mod half) ds) as [rest|[]] eqn:C; [| destruct more |]; try
      discriminate;
    injection E as <-.
    + destruct (compare_left _ ds half rest D C). split; [assumption|]. split; [assumption | lia].
    + now split.
Qed.

Definition noise_law (q : list bool * nat -> bool) (s : noise_state) : R :=
  match s with
  | Turn bits turns None => turns_law half last limit q bits turns
  | Turn bits [] (Some _) => 0
  | Turn bits (power :: turns) (Some ds) =>
      power_of half ds * turns_law half last limit q (bits ++ [true]) turns
      + (1 - power_of half ds) * turns_law half last limit q bits (power :: turns)
  | Counting bits n more ds =>
      power_of half ds * match more with
        | O => indicator (q (bits, S n))
        | S less => count_law (power_of half last) (fun n => q (bits, n)) less (S n)
        end + (1 - power_of half ds) * indicator (q (bits, n))
  end.

Lemma next_law q bits turns :
  noise_law q (next_turn last limit bits turns) = turns_law half last limit q bits turns.
Proof. destruct turns; [|reflexivity]. cbn. now destruct (limit bits). Qed.

Lemma between p x z : 0 <= p <= 1 -> 0 <= x <= 1 -> 0 <= z <= 1 -> 0 <= p * x + (1 - p) * z <= 1.
Proof. intros P X Z. split; nra. Qed.

Lemma indicator_range b : 0 <= indicator b <= 1.
Proof. destruct b; cbn; lra. Qed.

Lemma count_range c q more n : 0 <= c <= 1 -> 0 <= count_law c q more n <= 1.
Proof.
  intros C. revert n. induction more; intros n; cbn [count_law]; apply between; auto;
  apply indicator_range.
Qed.

Lemma turns_range q bits turns :
  (forall power, In power turns -> digits_ok half power) ->
  0 <= turns_law half last limit q bits turns <= 1.
Proof.
  revert bits. induction turns as [|power turns IH]; intros bits A; cbn [turns_law].
  - apply count_range, power_range; [assumption | apply last_ok].
  - destruct (A power (or_introl eq_refl)) as [_ B].
    pose proof (power_range half power positive B) as P. set (a := power_of half power) in *.
    assert (A' : forall p, In p turns -> digits_ok half p) by (intros; apply A; now right).
    pose proof (IH (bits ++ [true]) A'). pose proof (IH (bits ++ [false]) A').
    set (x := turns_law _ _ _ _ (bits ++ [true]) _) in *.
    set (z := turns_law _ _ _ _ (bits ++ [false]) _) in *.
    split; apply Rmult_le_reg_r with (1 + a); try lra; unfold Rdiv; rewrite ?Rmult_assoc, ?Rinv_l
      by lra;
    nra.
Qed.

Theorem noise_harmonic q t m :
  harmonic (noise_step half last limit) W (noise_within t m) q (noise_law q).
Proof.
  intros s [M G]. assert (H : INR W = 2 * INR half) by (unfold W; rewrite mult_INR; reflexivity).
  destruct s as [bits turns open|bits n more ds].
  - destruct G as (N & T & A & O). destruct turns as [|power turns]; [contradiction|].
    assert (A' : forall p, In p (power :: turns) -> digits_ok half p) by (intros; now apply A).
    assert (A'' : forall p, In p turns -> digits_ok half p) by (intros; apply A; now right).
    pose proof (turns_range q bits (power :: turns) A') as R0.
    pose proof (turns_range q (bits ++ [true]) turns A'') as R1.
    destruct (A' power (or_introl eq_refl)) as [Pn Pb].
    pose proof (power_range half power positive Pb) as Pr.
    destruct open as [ds|].
    + destruct O as [D _]. split.
      * cbn [noise_law]. apply between; [apply power_range; [assumption | apply D]|assumption..].
      * cbn [noise_step noise_law].
        pose (f := fun v => match compare_digit v ds with
          | inl rest => power_of half rest * turns_law half last limit q (bits ++ [true]) turns
              + (1 - power_of half rest) * turns_law half last limit q bits (power :: turns)
          | inr true => turns_law half last limit q (bits ++ [true]) turns
          | inr false => turns_law half last limit q bits (power :: turns)
          end).
        rewrite (sum_ext _ _ (fun w => f (w mod half)%nat)).
        -- unfold W at 1. rewrite (sum_mod half f positive). unfold f.
           rewrite compare_sum by assumption. rewrite H. ring.
        -- intros w _. unfold f. destruct (compare_digit (w mod half) ds) as [rest|[]]; auto.
           apply next_law.
    + split; [exact R0|].
      cbn [noise_step]. unfold W. replace (2 * half)%nat with (half + half)%nat by lia.
      rewrite seq_app, sum_app. cbn [Nat.add].
      rewrite (sum_seq_same half half (turns_law half last limit q (bits ++ [false]) turns)).
      * rewrite (sum_ext _ _ (fun v => match compare_digit v power with
          | inl rest => power_of half rest * turns_law half last limit q (bits ++ [true]) turns
              + (1 - power_of half rest) * turns_law half last limit q bits (power :: turns)
          | inr true => turns_law half last limit q (bits ++ [true]) turns
          | inr false => turns_law half last limit q bits (power :: turns)
          end)).
        -- rewrite compare_sum by (now split). rewrite plus_INR. cbn [noise_law turns_law].
           field. lra.
        -- intros w I. apply in_seq in I. rewrite (proj2 (Nat.leb_gt half w)) by lia.
           destruct (compare_digit w power) as [rest|[]]; auto. apply next_law.
      * intros w I. rewrite (proj2 (Nat.leb_le half w)) by lia. apply next_law.
  - destruct G as [D _].
    assert (C : 0 <= power_of half last <= 1) by (apply power_range; [assumption | apply last_ok]).
    split.
    + cbn [noise_law]. apply between; [apply power_range; [assumption | apply D]| |
        apply indicator_range].
      destruct more; [apply indicator_range | now apply count_range].
    + cbn [noise_step noise_law]. 
      set (x := match more with
        | O => indicator (q (bits, S n))
        | S less => count_law (power_of half last) (fun n => q (bits, n)) less (S n)
        end).
      pose (f := fun v => match compare_digit v ds with
        | inl rest => power_of half rest * x + (1 - power_of half rest) * indicator (q (bits, n))
        | inr true => x
        | inr false => indicator (q (bits, n))
        end).
      rewrite (sum_ext _ _ (fun w => f (w mod half)%nat)).
      * unfold W at 1. rewrite (sum_mod half f positive). unfold f.
        rewrite compare_sum by assumption. rewrite H. ring.
      * intros w _. unfold f. destruct (compare_digit (w mod half) ds) as [rest|[]]; auto.
        unfold x. destruct more; [reflexivity|]. cbn [noise_law].
        destruct more; reflexivity.
Qed.

(** * The end *)

Lemma ends_later v n k s :
  ends_by (noise_step half last limit) v n s = true ->
  ends_by (noise_step half last limit) v (n + k) s = true.
Proof.
  revert s. induction n as [|n IH]; intros s E; [discriminate|]. cbn [ends_by Nat.add] in *.
  destruct (noise_step half last limit s v); auto.
Qed.

Lemma highest_word : (2 * half - 1) mod half = (half - 1)%nat.
Proof.
  replace (2 * half - 1)%nat with (half - 1 + 1 * half)%nat by lia.
  now rewrite Nat.mod_add, Nat.mod_small by lia.
Qed.

Lemma counting_ends m bits n more ds : digits_ok half ds -> (length ds <= m)%nat ->
  ends_by (noise_step half last limit) (2 * half - 1) m (Counting bits n more ds) = true.
Proof.
  revert ds. induction m as [|m IH]; intros ds D L.
  - destruct ds; [destruct D; contradiction | cbn in L; lia].
  - cbn [ends_by noise_step]. rewrite highest_word.
    pose proof (compare_highest half ds D) as H.
    destruct (compare_digit (half - 1) ds) as [rest|[]] eqn:C; [| contradiction | reflexivity].
    destruct (compare_left _ ds half rest D C). apply IH; [assumption | lia].
Qed.

Lemma turns_end m bits turns : (length last <= m)%nat ->
  ends_by (noise_step half last limit) (2 * half - 1) (length turns + m)
    (next_turn last limit bits turns) = true.
Proof.
  intros M. revert bits. induction turns as [|power turns IH]; intros bits.
  - now apply counting_ends.
  - cbn [next_turn length Nat.add ends_by noise_step].
    rewrite (proj2 (Nat.leb_le half (2 * half - 1))) by lia. apply IH.
Qed.

Lemma turn_ends m j bits power turns ds : (length last <= m)%nat -> digits_ok half ds ->
  (length ds <= j)%nat ->
  ends_by (noise_step half last limit) (2 * half - 1) (j + (S (length turns) + m))
    (Turn bits (power :: turns) (Some ds)) = true.
Proof.
  intros M. revert ds. induction j as [|j IH]; intros ds D L.
  - destruct ds; [destruct D; contradiction | cbn in L; lia].
  - cbn [Nat.add ends_by noise_step]. rewrite highest_word.
    pose proof (compare_highest half ds D) as H.
    destruct (compare_digit (half - 1) ds) as [rest|[]] eqn:C; [| contradiction |].
    + destruct (compare_left _ ds half rest D C). apply IH; [assumption | lia].
    + rewrite Nat.add_comm. apply ends_later. apply (turns_end m bits (power :: turns) M).
Qed.

Lemma noise_ends t m s : noise_within t m s ->
  ends_by (noise_step half last limit) (2 * half - 1) (m + (t + m)) s = true.
Proof.
  intros [M G]. destruct s as [bits turns open|bits n more ds].
  - destruct G as (N & T & A & O). destruct turns as [|power turns]; [contradiction|].
    cbn [length] in T. destruct open as [ds|].
    + destruct O as [D L]. replace (m + (t + m))%nat
        with (m + (S (length turns) + m) + (t - S (length turns)))%nat by lia.
      apply ends_later. now apply turn_ends.
    + replace (m + (t + m))%nat with (S (length turns) + m + (m + t - S (length turns)))%nat by lia.
      apply ends_later. apply (turns_end m bits (power :: turns) M).
  - destruct G as [D L]. apply ends_later. now apply counting_ends.
Qed.
End Noise.
