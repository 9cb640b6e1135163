(** What the bits say that one of two Bloom encodings sets and the other does not: the classes of
    outputs in a pair table, for every number of bits m and of hash functions h. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Randomizer Bits Bloom.
Import ListNotations.
Open Scope R_scope.

(** How many subsets of i elements there are among n. *)
Fixpoint choose (n i : nat) : nat :=
  match n, i with
  | _, O => 1
  | O, S _ => 0
  | S n', S i' => choose n' i' + choose n' i
  end.

(** How many of the bits that only the first sets are 1 in a report. *)
Fixpoint reported (a c o : list bool) : nat :=
  match a, c, o with
  | x :: a', y :: c', b :: o' =>
      ((if x && negb y && b then 1 else 0) + reported a' c' o')%nat
  | _, _, _ => 0%nat
  end.

(** One report in which i of n bits of chance p are 1. *)
Definition one_of_class (p : R) (n i : nat) : R := p ^ i * (1 - p) ^ (n - i).

Definition bloom_class (x x' : list bool) (i j : nat) (o : list bool) : bool :=
  Nat.eqb (reported x x' o) i && Nat.eqb (reported x' x o) j.

Definition bloom_classes (m h : nat) (one zero : R) : Prop :=
  let M := bloom_bits m h one zero in
  let parts a b := (0 < a <= h /\ 0 < b <= h \/ 0 < a + b < h /\ (a = 0 \/ b = 0))%nat in
  (forall x x', dom M x -> dom M x' -> x <> x' -> let a := only_first x x' in
   let b := only_first x' x in parts a b /\ forall i j, (i <= a)%nat -> (j <= b)%nat ->
     expectation M x (fun o => indicator (bloom_class x x' i j o))
     = INR (choose a i * choose b j) * (one_of_class one a i * one_of_class zero b j) /\
     expectation M x' (fun o => indicator (bloom_class x x' i j o))
     = INR (choose a i * choose b j) * (one_of_class zero a i * one_of_class one b j) /\
     forall o, In o (outs M) -> bloom_class x x' i j o = true ->
       pr M x o * (one_of_class zero a i * one_of_class one b j)
       = pr M x' o * (one_of_class one a i * one_of_class zero b j)) /\
  forall a b, parts a b -> exists x x', dom M x /\ dom M x' /\ x <> x' /\
    only_first x x' = a /\ only_first x' x = b.

Lemma choose_beyond n i : (n < i)%nat -> choose n i = 0%nat.
Proof.
  revert i. induction n as [|n IH]; intros [|i] L; cbn; try lia. rewrite !IH by lia. reflexivity.
Qed.

(** The number of ones of so many bits of chance p, by recursion. *)
Fixpoint ones_mass (p : R) (n i : nat) : R :=
  match n with
  | O => if Nat.eqb i 0 then 1 else 0
  | S n' => p * (match i with O => 0 | S i' => ones_mass p n' i' end) + (1 - p) * ones_mass p n' i
  end.

Lemma ones_mass_choose p n i : ones_mass p n i = INR (choose n i) * one_of_class p n i.
Proof.
  unfold one_of_class. revert i. induction n as [|n IH]; intros [|i];
    cbn [ones_mass choose Nat.eqb].
  - cbn. ring.
  - cbn. ring.
  - rewrite IH. replace (choose n 0) with 1%nat by (destruct n; reflexivity).
    rewrite !Nat.sub_0_r. cbn. ring.
  - rewrite !IH, plus_INR. cbn [Nat.sub pow].
    destruct (Nat.lt_ge_cases i n) as [L|L].
    + replace (n - i)%nat with (S (n - S i)) by lia. cbn [pow]. ring.
    + rewrite (choose_beyond n (S i)) by lia. cbn [INR]. ring.
Qed.

Lemma reported_most a c o : (reported a c o <= only_first a c)%nat.
Proof.
  revert c o. induction a as [|[] a IH]; intros [|[] c] [|[] o]; cbn; try lia;
    specialize (IH c o); lia.
Qed.

Section Classes.
Context (one zero : R).

Lemma class_sum x x' i j : length x = length x' ->
  sum_over (all_bits (length x)) (fun o => bits_probability (map (flipped one zero) x) o
    * indicator (bloom_class x x' i j o))
  = ones_mass one (only_first x x') i * ones_mass zero (only_first x' x) j.
Proof.
  unfold bloom_class. revert x' i j. induction x as [|a x IH]; intros [|c x'] i j L;
    cbn in L; try lia.
  - cbn. destruct i, j; cbn; ring.
  - injection L as L. cbn [length all_bits]. rewrite sum_app, !sum_map.
    cbn [map bits_probability].
    assert (P : forall q (f : list bool -> R) (cl : list bool -> bool),
      sum_over (all_bits (length x)) (fun o => q * f o * indicator (cl o))
      = q * sum_over (all_bits (length x)) (fun o => f o * indicator (cl o))).
    { intros q f cl. rewrite <- sum_scale. apply sum_ext. intros; ring. }
    rewrite !P. clear P.
    destruct a, c; cbn [reported only_first andb negb Nat.add flipped bernoulli ones_mass].
    + rewrite !IH by assumption. ring.
    + destruct i as [|i].
      * rewrite (sum_ext _ _ (fun o => 0)) by (intros; cbn; ring).
        rewrite IH by assumption. rewrite sum_constant. ring.
      * rewrite (sum_ext _ (fun o => _ * indicator (Nat.eqb (S _) _ && _))
          (fun o => bits_probability (map (flipped one zero) x) o
            * indicator (Nat.eqb (reported x x' o) i && Nat.eqb (reported x' x o) j)))
          by (intros; reflexivity).
        rewrite !IH by assumption. ring.
    + destruct j as [|j].
      * rewrite (sum_ext _ _ (fun o => 0)) by (intros; rewrite andb_false_r; cbn; ring).
        rewrite IH by assumption. rewrite sum_constant. ring.
      * rewrite (sum_ext _ (fun o => _ * indicator (_ && Nat.eqb (S _) _))
          (fun o => bits_probability (map (flipped one zero) x) o
            * indicator (Nat.eqb (reported x x' o) i && Nat.eqb (reported x' x o) j)))
          by (intros; reflexivity).
        rewrite !IH by assumption. ring.
    + rewrite !IH by assumption. ring.
Qed.

Lemma class_alike x x' o : length x = length x' -> length o = length x ->
  bits_probability (map (flipped one zero) x) o
    * (one_of_class zero (only_first x x') (reported x x' o)
       * one_of_class one (only_first x' x) (reported x' x o))
  = bits_probability (map (flipped one zero) x') o
    * (one_of_class one (only_first x x') (reported x x' o)
       * one_of_class zero (only_first x' x) (reported x' x o)).
Proof.
  unfold one_of_class. revert x' o.
  induction x as [|a x IH]; intros [|c x'] [|b o] L L'; cbn in L, L'; try lia; [cbn; ring|].
  specialize (IH x' o ltac:(lia) ltac:(lia)). cbn [map bits_probability].
  pose proof (reported_most x x' o) as F. pose proof (reported_most x' x o) as B.
  set (P := bits_probability (map (flipped one zero) x) o) in *.
  set (Q := bits_probability (map (flipped one zero) x') o) in *.
  assert (step : forall n i, (i <= n)%nat -> (S n - i = S (n - i))%nat) by (intros; lia).
  destruct a, c, b; cbn [only_first reported andb negb Nat.add flipped bernoulli];
    rewrite ?Nat.sub_succ, ?step by assumption; cbn [pow];
    match goal with |- ?t * P * _ = ?s * Q * _ =>
      match type of IH with P * ?u = Q * ?v =>
        first [ transitivity (t * (P * u)); [ring|]; rewrite IH; ring
              | transitivity (t * s * (P * u)); [ring|]; rewrite IH; ring ] end end.
Qed.
End Classes.

Lemma same_where_neither_first x x' : length x = length x' -> only_first x x' = 0%nat ->
  only_first x' x = 0%nat -> x = x'.
Proof.
  revert x'. induction x as [|[] x IH]; intros [|[] x'] L; cbn in *; intros; try lia;
    try discriminate; f_equal; apply IH; try lia; assumption.
Qed.

Lemma only_first_swap x x' : length x = length x' ->
  (only_first x x' + ones x' = only_first x' x + ones x)%nat.
Proof.
  unfold ones, count. revert x'. induction x as [|[] x IH]; intros [|[] x'] L; cbn in *; try lia;
    specialize (IH x' ltac:(lia)); lia.
Qed.

Lemma only_first_shared s a c : only_first (repeat true s ++ a) (repeat true s ++ c)
  = only_first a c.
Proof. induction s; cbn; auto. Qed.

Lemma parts_exist m h a b : (2 * h <= m)%nat ->
  (0 < a <= h /\ 0 < b <= h \/ 0 < a + b < h /\ (a = 0 \/ b = 0))%nat ->
  exists x x', (length x = m /\ (1 <= ones x <= h)%nat) /\
    (length x' = m /\ (1 <= ones x' <= h)%nat) /\ x <> x' /\
    only_first x x' = a /\ only_first x' x = b.
Proof.
  intros K H.
  set (s := if (Nat.eqb a 0 || Nat.eqb b 0)%bool then 1%nat else 0%nat).
  assert (S1 : (s + a + b <= m /\ 1 <= s + a <= h /\ 1 <= s + b <= h)%nat).
  { unfold s. destruct (Nat.eqb_spec a 0), (Nat.eqb_spec b 0); cbn; lia. }
  set (rest := repeat false (m - s - a - b)).
  exists (repeat true s ++ repeat true a ++ repeat false b ++ rest),
    (repeat true s ++ repeat false a ++ repeat true b ++ rest).
  assert (A : only_first (repeat true s ++ repeat true a ++ repeat false b ++ rest)
    (repeat true s ++ repeat false a ++ repeat true b ++ rest) = a).
  { rewrite only_first_shared, only_first_apart, only_first_other, only_first_same. lia. }
  assert (B : only_first (repeat true s ++ repeat false a ++ repeat true b ++ rest)
    (repeat true s ++ repeat true a ++ repeat false b ++ rest) = b).
  { rewrite only_first_shared, only_first_other, only_first_apart, only_first_same. lia. }
  split; [|split; [|split; [|split; assumption]]].
  - unfold rest. rewrite !app_length, !repeat_length, !ones_app, !ones_true, !ones_false. lia.
  - unfold rest. rewrite !app_length, !repeat_length, !ones_app, !ones_true, !ones_false. lia.
  - intros E. rewrite E in A. rewrite only_first_same in A.
    rewrite E in B. rewrite only_first_same in B. lia.
Qed.

Theorem bloom_bits_classes m h one zero : (2 * h <= m)%nat -> bloom_classes m h one zero.
Proof.
  intros K. split.
  - intros x x' [L N] [L' N'] D a b.
    pose proof (only_first_ones x x') as A. pose proof (only_first_ones x' x) as B.
    pose proof (only_first_swap x x' ltac:(congruence)) as W.
    assert (Z : (0 < a + b)%nat).
    { destruct (Nat.eq_dec (a + b) 0) as [E|E]; [|lia]. exfalso. apply D.
      apply same_where_neither_first; [congruence | |]; fold a b; lia. }
    fold a b in A, B, W. split.
    { destruct (Nat.eq_dec a 0), (Nat.eq_dec b 0); lia. }
    intros i j I J. unfold expectation, bloom_bits, bits_mech. cbn [outs pr].
    split; [|split].
    + rewrite <- L, class_sum by congruence. fold a b. rewrite !ones_mass_choose, mult_INR. ring.
    + rewrite <- L'.
      rewrite (sum_ext _ _ (fun o => bits_probability (map (flipped one zero) x') o
        * indicator (bloom_class x' x j i o)))
        by (intros; unfold bloom_class; rewrite andb_comm; reflexivity).
      rewrite class_sum by congruence. fold a b. rewrite !ones_mass_choose, mult_INR. ring.
    + intros o Ho C. apply all_bits_length in Ho.
      apply andb_true_iff in C as [Ci Cj]. apply Nat.eqb_eq in Ci. apply Nat.eqb_eq in Cj.
      pose proof (class_alike one zero x x' o ltac:(congruence) ltac:(congruence)) as E.
      fold a b in E. now rewrite Ci, Cj in E.
  - intros a b H. exact (parts_exist m h a b K H).
Qed.
