(** The balanced family of hash functions of local hashing.

    Let l be the smallest prime factor of g, and write x < k in base l with m digits. For
    coefficients a in Z_g^m, h_a(x) is the sum of a_i digit_i(x), mod g. Two different values
    differ in a digit, by less than l in absolute value, so by a unit of Z_g: over all a, their
    hashes agree for exactly one in g. A report is (a, b); it contains the values that h_a maps to
    b. *)
From Coq Require Import Reals List Lra Lia Arith Bool ZArith Znumtheory.
From LDP Require Import Sums Design.
Import ListNotations.
Open Scope nat_scope.

(** * Digits *)

(** The least divisor of g that is at least 2. *)
Definition least_factor (g : nat) : nat :=
  match find (fun c => Nat.eqb (g mod c) 0) (seq 2 (g - 1)) with Some c => c | None => g end.

(** The least m >= 1 with k <= l^m. *)
Definition digit_count (k l : nat) : nat :=
  match find (fun m => Nat.leb k (l ^ m)) (seq 1 k) with Some m => m | None => k end.

Fixpoint digits (l m x : nat) : list nat :=
  match m with 0 => [] | S m' => x mod l :: digits l m' (x / l) end.

Fixpoint dot (a d : list nat) : nat :=
  match a, d with ai :: a', di :: d' => ai * di + dot a' d' | _, _ => 0 end.

Fixpoint tuples (g m : nat) : list (list nat) :=
  match m with
  | 0 => [[]]
  | S m' => flat_map (fun c => map (cons c) (tuples g m')) (seq 0 g)
  end.

Definition hash_digits (k g : nat) : nat := digit_count k (least_factor g).
Definition hash_functions (k g : nat) : list (list nat) := tuples g (hash_digits k g).
Definition hash (k g : nat) (a : list nat) (x : nat) : nat :=
  dot a (digits (least_factor g) (hash_digits k g) x) mod g.

(** Reports (a, b), and the values that they contain. *)
Definition hash_blocks (k g : nat) : list (list nat * nat) :=
  list_prod (hash_functions k g) (seq 0 g).
Definition hash_contains (k g : nat) (x : nat) (y : list nat * nat) : bool :=
  Nat.eqb (hash k g (fst y) x) (snd y).

Lemma find_first {A} (p : A -> bool) l x : find p l = Some x ->
  exists l1 l2, l = l1 ++ x :: l2 /\ p x = true /\ forall y, In y l1 -> p y = false.
Proof.
  induction l as [|a l IH]; cbn; [discriminate|]. destruct (p a) eqn:E.
  - intros H. injection H as ->. exists [], l. cbn. tauto.
  - intros H. destruct (IH H) as (l1 & l2 & -> & P & N). exists (a :: l1), l2.
    split; [reflexivity|]. split; [assumption|]. intros y [<-|I]; auto.
Qed.

Lemma seq_before s n l1 x l2 : seq s n = l1 ++ x :: l2 ->
  (s <= x < s + n)%nat /\ forall c, (s <= c < x)%nat -> In c l1.
Proof.
  revert s n. induction l1 as [|a l1 IH]; intros s n H.
  - destruct n; [discriminate|]. cbn in H. injection H as -> _. split; [lia|]. lia.
  - destruct n; [discriminate|]. cbn in H. injection H as -> H. destruct (IH (S a) n H) as [B C].
    split; [lia|]. intros c Hc. destruct (Nat.eq_dec c a); [left; auto|]. right. apply C. lia.
Qed.

Lemma least_factor_spec g : (2 <= g)%nat ->
  (2 <= least_factor g)%nat /\ forall c, (2 <= c < least_factor g)%nat -> (g mod c <> 0)%nat.
Proof.
  intros G. unfold least_factor.
  destruct (find (fun c => Nat.eqb (g mod c) 0) (seq 2 (g - 1))) as [l|] eqn:E.
  - apply find_first in E as (l1 & l2 & S & P & N). apply seq_before in S as [B C].
    split; [lia|]. intros c Hc. specialize (N c (C c Hc)). now apply Nat.eqb_neq in N.
  - split; [lia|]. intros c Hc Z.
    pose proof (find_none _ _ E c) as F. cbn beta in F.
    rewrite (proj2 (Nat.eqb_eq _ _) Z) in F. discriminate F. apply in_seq. lia.
Qed.

Lemma power_above l : (2 <= l)%nat -> forall m, (m < l ^ m)%nat.
Proof. intros. apply Nat.pow_gt_lin_r. lia. Qed.

Lemma digit_count_enough k l : (2 <= l)%nat -> (k <= l ^ digit_count k l)%nat.
Proof.
  intros L. unfold digit_count.
  destruct (find (fun m => Nat.leb k (l ^ m)) (seq 1 k)) as [m|] eqn:E.
  - apply find_some in E as [_ P]. now apply Nat.leb_le.
  - pose proof (power_above l L k). lia.
Qed.

Lemma digits_length l m x : length (digits l m x) = m.
Proof. revert x. induction m; intros x; cbn; auto. Qed.

Lemma digits_small l m x d : (2 <= l)%nat -> In d (digits l m x) -> (d < l)%nat.
Proof.
  intros L. revert x. induction m; intros x; cbn; [tauto|]. intros [<-|I]; [|eauto].
  apply Nat.mod_upper_bound. lia.
Qed.

Lemma digits_injective l m x x' : (2 <= l)%nat -> (x < l ^ m)%nat -> (x' < l ^ m)%nat ->
  digits l m x = digits l m x' -> x = x'.
Proof.
  intros L. revert x x'. induction m; intros x x' Hx Hx' E; [cbn in *; lia|].
  cbn [digits] in E. injection E as E0 E1. cbn [Nat.pow] in Hx, Hx'.
  apply IHm in E1; try (apply Nat.div_lt_upper_bound; lia).
  rewrite (Nat.div_mod x l), (Nat.div_mod x' l) by lia. now rewrite E0, E1.
Qed.

(** * Counting *)

Lemma tuples_length g m : length (tuples g m) = (g ^ m)%nat.
Proof.
  induction m; [reflexivity|]. cbn [tuples Nat.pow].
  transitivity (count (fun _ => true) (flat_map (fun c => map (cons c) (tuples g m)) (seq 0 g))).
  - now rewrite count_all.
  - rewrite count_flat with (c := (g ^ m)%nat); [now rewrite seq_length|].
    intros c _. rewrite count_all by auto. now rewrite map_length.
Qed.

Lemma same_residue g a b : (0 < g)%nat ->
  (a mod g = b mod g)%nat <-> (Z.of_nat g | Z.of_nat a - Z.of_nat b)%Z.
Proof.
  intros G. split.
  - intros E. exists (Z.of_nat (a / g) - Z.of_nat (b / g))%Z.
    pose proof (Nat.div_mod a g). pose proof (Nat.div_mod b g). nia.
  - intros [c E]. apply Nat2Z.inj. rewrite !Nat2Z.inj_mod.
    replace (Z.of_nat a) with (Z.of_nat b + c * Z.of_nat g)%Z by lia.
    rewrite Z.mod_add by lia. reflexivity.
Qed.

(** Below the least factor of g, everything but 0 is a unit. *)
Lemma small_unit g c : (2 <= g)%nat -> (0 < c < Z.of_nat (least_factor g))%Z ->
  rel_prime c (Z.of_nat g).
Proof.
  intros G Hc. destruct (least_factor_spec g G) as [_ F].
  apply Zgcd_1_rel_prime. set (e := Z.gcd c (Z.of_nat g)).
  assert (P : (0 < e)%Z).
  { assert (0 <= e)%Z by apply Z.gcd_nonneg. assert (e <> 0)%Z; [|lia].
    intros Z0. apply Z.gcd_eq_0_l in Z0. lia. }
  destruct (Z.eq_dec e 1) as [|N]; [assumption|]. exfalso.
  assert (D : (e | c)%Z) by apply Z.gcd_divide_l. apply Z.divide_pos_le in D; [|lia].
  apply (F (Z.to_nat e)); [lia|]. apply Nat2Z.inj. rewrite Nat2Z.inj_mod, Z2Nat.id by lia.
  apply Z.mod_divide; [lia|]. apply Z.gcd_divide_r.
Qed.

Lemma difference_unit g d d' : (2 <= g)%nat -> (d < least_factor g)%nat ->
  (d' < least_factor g)%nat -> d <> d' -> rel_prime (Z.of_nat d - Z.of_nat d') (Z.of_nat g).
Proof.
  intros G Hd Hd' N. destruct (Nat.lt_ge_cases d' d).
  - apply small_unit; lia.
  - replace (Z.of_nat d - Z.of_nat d')%Z with (- (Z.of_nat d' - Z.of_nat d))%Z by ring.
    apply rel_prime_sym. apply Zgcd_1_rel_prime. rewrite Z.gcd_opp_r.
    apply Zgcd_1_rel_prime, rel_prime_sym, small_unit; lia.
Qed.

(** One coefficient in g makes two different digits agree, whatever the other digits add. *)
Lemma count_coefficient g d d' s s' : (2 <= g)%nat ->
  (d < least_factor g)%nat -> (d' < least_factor g)%nat -> d <> d' ->
  count (fun c => Nat.eqb ((c * d + s) mod g) ((c * d' + s') mod g)) (seq 0 g) = 1%nat.
Proof.
  intros G Hd Hd' N.
  pose proof (difference_unit g d d' G Hd Hd' N) as U.
  destruct (rel_prime_bezout _ _ U) as [v w E].
  set (D := (Z.of_nat d - Z.of_nat d')%Z) in *.
  set (T := (Z.of_nat s' - Z.of_nat s)%Z).
  set (a := Z.to_nat ((v * T) mod Z.of_nat g)).
  assert (B : (0 <= (v * T) mod Z.of_nat g < Z.of_nat g)%Z) by (apply Z.mod_pos_bound; lia).
  assert (A : Z.of_nat a = ((v * T) mod Z.of_nat g)%Z) by (unfold a; lia).
  assert (Q : (Z.of_nat a * D - T = Z.of_nat g * (- (w * T) - (v * T / Z.of_nat g) * D))%Z).
  { rewrite A, Z.mod_eq by lia. set (q := (v * T / Z.of_nat g)%Z).
    replace ((v * T - Z.of_nat g * q) * D - T)%Z
      with ((v * D - 1) * T - Z.of_nat g * q * D)%Z by ring.
    replace (v * D - 1)%Z with (- (w * Z.of_nat g))%Z by lia. ring. }
  apply count_one with (a := a).
  - apply seq_NoDup.
  - apply in_seq. lia.
  - apply Nat.eqb_eq, same_residue; [lia|].
    exists (- (w * T) - (v * T / Z.of_nat g) * D)%Z. unfold D, T in *. lia.
  - intros b Ib Eb. apply in_seq in Ib. apply Nat.eqb_eq, same_residue in Eb; [|lia].
    assert (F : (Z.of_nat g | D * (Z.of_nat b - Z.of_nat a))%Z).
    { destruct Eb as [e Eb].
      exists (e - (- (w * T) - (v * T / Z.of_nat g) * D))%Z. unfold D, T in *. lia. }
    apply Gauss in F; [|now apply rel_prime_sym].
    destruct F as [e F]. assert (e = 0)%Z by nia. lia.
Qed.

Lemma list_cases (d d' : nat) (t t' : list nat) :
  d :: t <> d' :: t' -> t <> t' \/ (t = t' /\ d <> d').
Proof.
  intros N. destruct (list_eq_dec Nat.eq_dec t t'); [|auto]. right. split; [assumption|].
  intros ->. now subst.
Qed.

Definition agree (g s s' : nat) (t t' : list nat) (a : list nat) : bool :=
  Nat.eqb ((dot a t + s) mod g) ((dot a t' + s') mod g).

(** Two different strings of small digits have the same hash for one in g tuples. *)
Lemma count_collisions g m t t' s s' : (2 <= g)%nat -> length t = m -> length t' = m ->
  (forall d, In d t -> (d < least_factor g)%nat) ->
  (forall d, In d t' -> (d < least_factor g)%nat) -> t <> t' ->
  (g * count (agree g s s' t t') (tuples g m) = g ^ m)%nat.
Proof.
  intros G. revert t t' s s'. induction m as [|m IH]; intros t t' s s' L L' B B' N.
  - destruct t, t'; try discriminate. congruence.
  - destruct t as [|d t], t' as [|d' t']; try discriminate. cbn [length] in L, L'.
    cbn [tuples]. rewrite Nat.pow_succ_r'.
    assert (Step : forall c, count (agree g s s' (d :: t) (d' :: t')) (map (cons c) (tuples g m))
      = count (agree g (c * d + s) (c * d' + s') t t') (tuples g m)).
    { intros c. rewrite count_map. apply count_ext. intros a _. unfold agree. cbn [dot].
      f_equal; f_equal; lia. }
    destruct (list_cases d d' t t' N) as [Nt | [Et Nd]].
    + assert (Tails : forall s s', (g * count (agree g s s' t t') (tuples g m) = g ^ m)%nat).
      { intros. apply IH; auto with arith.
        - intros; apply B; cbn; auto.
        - intros; apply B'; cbn; auto. }
      set (c0 := count (agree g 0 0 t t') (tuples g m)).
      assert (H0 : forall s s', count (agree g s s' t t') (tuples g m) = c0).
      { intros s1 s1'. assert (g * count (agree g s1 s1' t t') (tuples g m) = g * c0)%nat; [|nia].
        unfold c0. now rewrite !Tails. }
      rewrite count_flat with (c := c0) by (intros c _; rewrite Step; apply H0).
      rewrite seq_length. f_equal. unfold c0.
      apply Tails.
    + subst t'. f_equal.
      rewrite count_flat_one
        with (q := fun c => Nat.eqb ((c * d + s) mod g) ((c * d' + s') mod g)) (c := (g ^ m)%nat).
      * rewrite count_coefficient; [ring | assumption | | | assumption].
        -- apply B; cbn; auto.
        -- apply B'; cbn; auto.
      * intros c _. rewrite Step.
        assert (S : forall a, agree g (c * d + s) (c * d' + s') t t a
          = Nat.eqb ((c * d + s) mod g) ((c * d' + s') mod g)).
        { intros a. unfold agree. apply eq_true_iff_eq. rewrite !Nat.eqb_eq, !same_residue by lia.
          rewrite !Nat2Z.inj_add.
          replace (Z.of_nat (dot a t) + (Z.of_nat (c * d) + Z.of_nat s) -
            (Z.of_nat (dot a t) + (Z.of_nat (c * d') + Z.of_nat s')))%Z
            with (Z.of_nat (c * d) + Z.of_nat s - (Z.of_nat (c * d') + Z.of_nat s'))%Z by ring.
          tauto. }
        destruct (Nat.eqb ((c * d + s) mod g) ((c * d' + s') mod g)) eqn:E.
        -- rewrite count_all by (intros a _; apply S). apply tuples_length.
        -- apply count_none. intros a _. apply S.
Qed.

(** Two different values collide under exactly one in g functions of the family. *)
Theorem hash_collisions k g x x' : (2 <= g)%nat -> (x < k)%nat -> (x' < k)%nat -> x <> x' ->
  (g * count (fun a => Nat.eqb (hash k g a x) (hash k g a x')) (hash_functions k g)
   = length (hash_functions k g))%nat.
Proof.
  intros G Hx Hx' N. unfold hash_functions. rewrite tuples_length.
  destruct (least_factor_spec g G) as [L2 _].
  pose proof (digit_count_enough k (least_factor g) L2) as E. fold (hash_digits k g) in E.
  rewrite <- (count_collisions g (hash_digits k g)
    (digits (least_factor g) (hash_digits k g) x) (digits (least_factor g) (hash_digits k g) x')
    0 0 G).
  - f_equal. apply count_ext. intros a _. unfold agree, hash. now rewrite !Nat.add_0_r.
  - apply digits_length.
  - apply digits_length.
  - intros d. now apply digits_small.
  - intros d. now apply digits_small.
  - intros D. apply N. apply digits_injective in D; auto; lia.
Qed.

Lemma count_pairs {A} (q : A -> bool) (h : A -> nat) (l : list A) g :
  (forall a, In a l -> (h a < g)%nat) ->
  count (fun y => Nat.eqb (h (fst y)) (snd y) && q (fst y)) (list_prod l (seq 0 g))
  = count q l.
Proof.
  intros H. induction l as [|a l IH]; [reflexivity|].
  cbn [list_prod]. rewrite count_app, count_map, IH by (intros; apply H; cbn; auto). cbn [fst snd].
  unfold count at 3. cbn [filter]. destruct (q a).
  - rewrite (count_ext _ (Nat.eqb (h a))) by (intros; apply andb_true_r).
    rewrite count_one with (a := h a); [reflexivity | | | |].
    + apply seq_NoDup.
    + apply in_seq. specialize (H a (or_introl eq_refl)). lia.
    + apply Nat.eqb_refl.
    + intros b _ E. apply Nat.eqb_eq in E. auto.
  - rewrite count_none by (intros; apply andb_false_r). reflexivity.
Qed.

Open Scope R_scope.

Definition family_size (k g : nat) : R := INR (length (hash_functions k g)).

Lemma family_size_at_least_1 k g : (2 <= g)%nat -> 1 <= family_size k g.
Proof.
  intros G. unfold family_size, hash_functions. rewrite tuples_length. change 1 with (INR 1).
  apply le_INR. pose proof (Nat.pow_nonzero g (hash_digits k g)). lia.
Qed.

(** The family is exactly balanced, for every g >= 2 and k. *)
Theorem hash_balanced k g G : (2 <= g)%nat -> INR g = G ->
  balanced k (hash_blocks k g) (hash_contains k g)
    (family_size k g * G) (family_size k g) (family_size k g / G).
Proof.
  intros Hg <-. assert (Pg : 0 < INR g) by (apply lt_0_INR; lia).
  assert (Hb : forall a x, (hash k g a x < g)%nat)
    by (intros; apply Nat.mod_upper_bound; lia).
  split; [|split].
  - unfold hash_blocks, family_size. now rewrite prod_length, mult_INR, seq_length.
  - intros x Hx. unfold family_size. f_equal.
    rewrite <- (count_all (fun _ => true) (hash_functions k g)) by auto.
    rewrite <- (count_pairs (fun _ => true) (fun a => hash k g a x) _ g) by auto.
    apply count_ext. intros y _. now rewrite andb_true_r.
  - intros x x' Hx Hx' N. unfold family_size.
    rewrite <- (hash_collisions k g x x' Hg Hx Hx' N), mult_INR.
    rewrite <- (count_pairs
      (fun a => Nat.eqb (hash k g a x) (hash k g a x')) (fun a => hash k g a x) _ g) by auto.
    replace (INR g * _ / INR g) with
      (INR (count (fun y => Nat.eqb (hash k g (fst y) x) (snd y)
        && Nat.eqb (hash k g (fst y) x) (hash k g (fst y) x'))
        (list_prod (hash_functions k g) (seq 0 g)))) by (field; lra).
    f_equal. apply count_ext. intros [a b] _. unfold hash_contains. cbn [fst snd].
    destruct (Nat.eqb_spec (hash k g a x) b) as [<-|]; [|reflexivity]. cbn.
    apply Nat.eqb_sym.
Qed.
