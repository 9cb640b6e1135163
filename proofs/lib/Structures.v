(** More balanced incidence structures: subsets of one size, Sylvester's Hadamard matrices, and
    hash functions whose bucket is a row of such a matrix.

    H[i, y] is +1 where the binary digits of i and y have an even number of ones in common. The
    columns y are written as their lists of binary digits, so that they are the hash functions of
    the digit family for two buckets: H[i, y] = +1 iff the hash of i is 0. *)
From Coq Require Import Reals List Lra Lia Arith Bool ZArith Znumtheory.
From LDP Require Import Sums Design Hashing.
Import ListNotations.
Open Scope nat_scope.

(** * All subsets of w of k values, as k bits each *)
Fixpoint subsets (k w : nat) : list (list bool) :=
  match k, w with
  | 0, 0 => [[]]
  | 0, S _ => []
  | S k', 0 => map (cons false) (subsets k' 0)
  | S k', S w' => map (cons true) (subsets k' w') ++ map (cons false) (subsets k' w)
  end.

Definition chosen (x : nat) (y : list bool) : bool := nth x y false.

Lemma subsets_length_0 k : length (subsets k 0) = 1.
Proof. induction k; cbn; [reflexivity|]. now rewrite map_length. Qed.

Lemma subsets_length k w :
  length (subsets (S k) (S w)) = length (subsets k w) + length (subsets k (S w)).
Proof. cbn. now rewrite app_length, !map_length. Qed.

(** (k + 1) C(k, w) = (w + 1) C(k + 1, w + 1) *)
Lemma subsets_absorb k w : S k * length (subsets k w) = S w * length (subsets (S k) (S w)).
Proof.
  revert w. induction k as [|k IH]; intros w.
  - destruct w; [reflexivity|]. cbn. lia.
  - rewrite subsets_length. destruct w as [|w].
    + rewrite subsets_length_0. specialize (IH 0). rewrite subsets_length_0 in IH. lia.
    + pose proof (IH w). pose proof (IH (S w)).
      rewrite (subsets_length k w) in *. rewrite (subsets_length k (S w)) in *. nia.
Qed.

Lemma subsets_step k w : subsets (S k) (S w)
  = map (cons true) (subsets k w) ++ map (cons false) (subsets k (S w)).
Proof. reflexivity. Qed.

Lemma count_none_chosen k x : count (chosen x) (subsets k 0) = 0.
Proof.
  revert x. induction k as [|k IH]; intros x; [now destruct x|].
  cbn [subsets]. rewrite count_map. destruct x; [now apply count_none | apply (IH x)].
Qed.

Lemma count_chosen k w x : x < S k ->
  count (chosen x) (subsets (S k) (S w)) = length (subsets k w).
Proof.
  revert w x. induction k as [|k IH]; intros w x H;
    rewrite subsets_step, count_app, !count_map; destruct x as [|x].
  - rewrite count_all, count_none by reflexivity. lia.
  - lia.
  - rewrite count_all, count_none by reflexivity. lia.
  - change (count (chosen x) (subsets (S k) w) + count (chosen x) (subsets (S k) (S w))
      = length (subsets (S k) w)).
    rewrite IH by lia. destruct w as [|w].
    + now rewrite count_none_chosen, !subsets_length_0.
    + rewrite IH by lia. now rewrite subsets_length.
Qed.

Definition both_chosen (x x' : nat) (y : list bool) : bool := chosen x y && chosen x' y.

Lemma count_none_both k x x' : x <> x' -> count (both_chosen x x') (subsets k 1) = 0.
Proof.
  revert x x'. induction k as [|k IH]; intros x x' N; [reflexivity|].
  rewrite subsets_step, count_app, !count_map. destruct x as [|x], x' as [|x']; [lia| | |].
  - change (count (chosen x') (subsets k 0) + count (fun _ => false) (subsets k 1) = 0).
    rewrite count_none_chosen. now apply count_none.
  - rewrite (count_ext _ (chosen x) (subsets k 0)) by (intros; apply andb_true_r).
    rewrite count_none_chosen. apply count_none. intros; apply andb_false_r.
  - change (count (both_chosen x x') (subsets k 0) + count (both_chosen x x') (subsets k 1) = 0).
    rewrite IH by lia. rewrite count_none; [reflexivity|]. intros y I.
    pose proof (count_none_chosen k x) as Z. unfold both_chosen.
    destruct (chosen x y) eqn:E; [|reflexivity]. exfalso.
    assert (J : In y (filter (chosen x) (subsets k 0))) by now apply filter_In.
    unfold count in Z. destruct (filter (chosen x) (subsets k 0)); [destruct J | discriminate].
Qed.

Lemma count_both_chosen k w x x' : x < S (S k) -> x' < S (S k) -> x <> x' ->
  count (both_chosen x x') (subsets (S (S k)) (S (S w))) = length (subsets k w).
Proof.
  revert w x x'. induction k as [|k IH]; intros w x x' H H' N;
    rewrite subsets_step, count_app, !count_map.
  - assert ((x = 0 /\ x' = 1) \/ (x = 1 /\ x' = 0)) as [[-> ->]|[-> ->]] by lia;
      destruct w; reflexivity.
  - destruct x as [|x], x' as [|x']; [lia| | |].
    + change (count (chosen x') (subsets (S (S k)) (S w))
        + count (fun _ => false) (subsets (S (S k)) (S (S w))) = length (subsets (S k) w)).
      rewrite count_chosen by lia. rewrite (count_none (fun _ => false)) by reflexivity. lia.
    + rewrite (count_ext _ (chosen x) (subsets _ (S w))) by (intros; apply andb_true_r).
      rewrite count_chosen by lia. rewrite count_none by (intros; apply andb_false_r). lia.
    + change (count (both_chosen x x') (subsets (S (S k)) (S w))
        + count (both_chosen x x') (subsets (S (S k)) (S (S w))) = length (subsets (S k) w)).
      rewrite (IH w) by lia. destruct w as [|w].
      * rewrite count_none_both by lia. now rewrite !subsets_length_0.
      * rewrite IH by lia. now rewrite subsets_length.
Qed.

Open Scope R_scope.

Definition subset_count (k w : nat) : R := INR (length (subsets k w)).

Lemma subset_count_at_least_1 k w : (w <= k)%nat -> 1 <= subset_count k w.
Proof.
  intros H. unfold subset_count. change 1 with (INR 1). apply le_INR. revert w H.
  induction k as [|k IH]; intros w H; [assert (w = 0)%nat by lia; subst; cbn; lia|].
  destruct w as [|w]; [rewrite subsets_length_0; lia|].
  rewrite subsets_length. specialize (IH w ltac:(lia)). lia.
Qed.

(** Every value is in w/k of the subsets, every two in w (w - 1) / (k (k - 1)). *)
Theorem subsets_balanced k w : (2 <= k)%nat -> (1 <= w)%nat ->
  balanced k (subsets k w) chosen (subset_count k w) (subset_count k w * INR w / INR k)
    (subset_count k w * INR w * (INR w - 1) / (INR k * (INR k - 1))).
Proof.
  intros K W. destruct k as [|[|k]]; try lia. destruct w as [|w]; [lia|].
  assert (Pk : 0 < INR (S k)) by (apply lt_0_INR; lia).
  assert (A : INR (S (S k)) * INR (length (subsets (S k) w))
    = INR (S w) * INR (length (subsets (S (S k)) (S w)))).
  { rewrite <- !mult_INR. f_equal. apply subsets_absorb. }
  unfold subset_count. split; [reflexivity|]. split.
  - intros x Hx. rewrite count_chosen by assumption. rewrite Rmult_comm, <- A.
    field. rewrite (S_INR (S k)). lra.
  - intros x x' Hx Hx' N. change (INR (count (both_chosen x x') (subsets (S (S k)) (S w)))
      = INR (length (subsets (S (S k)) (S w))) * INR (S w) * (INR (S w) - 1)
        / (INR (S (S k)) * (INR (S (S k)) - 1))).
    replace (INR (length (subsets (S (S k)) (S w))) * INR (S w))
      with (INR (S (S k)) * INR (length (subsets (S k) w))) by (rewrite A; ring).
    rewrite (S_INR w), (S_INR (S k)). replace (INR (S k) + 1 - 1) with (INR (S k)) by ring.
    replace (INR w + 1 - 1) with (INR w) by ring. destruct w as [|w].
    + rewrite count_none_both by assumption. change (INR 0) with 0. field. lra.
    + rewrite count_both_chosen by assumption.
      assert (B : INR (S k) * INR (length (subsets k w))
        = INR (S w) * INR (length (subsets (S k) (S w)))).
      { rewrite <- !mult_INR. f_equal. apply subsets_absorb. }
      replace ((INR (S k) + 1) * INR (length (subsets (S k) (S w))) * INR (S w))
        with ((INR (S k) + 1) * (INR (S w) * INR (length (subsets (S k) (S w))))) by ring.
      rewrite <- B. field. lra.
Qed.

(** * Rows below the first of Sylvester's matrix, as many columns as rows *)

(** The least power of two that is at least k, and at least 2. *)
Definition sylvester_order (k : nat) : R := family_size k 2.

(** Column y contains value x iff H[x + 1, y] = +1, for k values and an order above k. *)
Definition hadamard_columns (k : nat) : list (list nat) := hash_functions (S k) 2.
Definition hadamard_contains (k : nat) (x : nat) (y : list nat) : bool :=
  Nat.eqb (hash (S k) 2 y (S x)) 0.

Lemma hash_of_zero k g y : (2 <= g)%nat -> hash k g y 0 = 0%nat.
Proof.
  intros G. destruct (least_factor_spec g G) as [L _]. unfold hash.
  assert (E : dot y (digits (least_factor g) (hash_digits k g) 0) = 0%nat).
  { generalize (hash_digits k g). intros m. revert y.
    induction m as [|m IH]; intros [|a y]; cbn [digits dot]; try reflexivity.
    rewrite Nat.mod_0_l, Nat.div_0_l by lia. rewrite IH. lia. }
  rewrite E. apply Nat.mod_0_l. lia.
Qed.

Lemma hash_two k y x : hash k 2 y x = 0%nat \/ hash k 2 y x = 1%nat.
Proof. unfold hash. pose proof (Nat.mod_upper_bound (dot y (digits (least_factor 2)
  (hash_digits k 2) x)) 2). lia. Qed.

Lemma count_agreement {A} (p q : A -> bool) (l : list A) :
  (2 * count (fun a => p a && q a) l + length l
   = count p l + count q l + count (fun a => Bool.eqb (p a) (q a)) l)%nat.
Proof.
  unfold count. induction l as [|a l IH]; [reflexivity|]. cbn [filter].
  destruct (p a), (q a); cbn [andb Bool.eqb length]; lia.
Qed.

Theorem hadamard_balanced k : balanced k (hadamard_columns k) (hadamard_contains k)
  (sylvester_order (S k)) (sylvester_order (S k) / 2) (sylvester_order (S k) / 4).
Proof.
  set (ys := hadamard_columns k). unfold sylvester_order, family_size.
  change (hash_functions (S k) 2) with ys.
  assert (Half : forall x, (x < k)%nat ->
    (2 * count (hadamard_contains k x) ys = length ys)%nat).
  { intros x H. etransitivity; [|apply (hash_collisions (S k) 2 (S x) 0); lia]. f_equal.
    apply count_ext. intros y _. now rewrite (hash_of_zero (S k)) by lia. }
  split; [reflexivity|]. split.
  - intros x H. rewrite <- (Half x H), mult_INR. cbn [INR]. field.
  - intros x x' H H' N. pose proof (Half x H). pose proof (Half x' H').
    assert (Agree : (2 * count (fun y => Bool.eqb (hadamard_contains k x y)
        (hadamard_contains k x' y)) ys = length ys)%nat).
    { etransitivity; [|apply (hash_collisions (S k) 2 (S x) (S x')); lia]. f_equal.
      apply count_ext.
      intros y _. unfold hadamard_contains. destruct (hash_two (S k) y (S x)) as [-> | ->],
        (hash_two (S k) y (S x')) as [-> | ->]; reflexivity. }
    pose proof (count_agreement (hadamard_contains k x) (hadamard_contains k x') ys) as C.
    assert (E : (length ys
      = 4 * count (fun y => hadamard_contains k x y && hadamard_contains k x' y) ys)%nat) by lia.
    rewrite E, mult_INR. cbn [INR]. field.
Qed.

(** * A bucket of a hash function as the row of a matrix: one sign of it *)

(** Reports (h, (l, s)); they contain x iff H[l, h(x)] = s. The order is the number of buckets
    where that is a power of two. *)
Definition sign_blocks (k m : nat) : list (list nat * (list nat * nat)) :=
  list_prod (hash_functions k m) (hash_blocks m 2).
Definition sign_contains (k m x : nat) (y : list nat * (list nat * nat)) : bool :=
  hash_contains m 2 (hash k m (fst y) x) (snd y).

Lemma count_list_prod {A B} (p : A * B -> bool) (l : list A) (l' : list B) :
  INR (count p (list_prod l l')) = sum_over l (fun a => INR (count (fun b => p (a, b)) l')).
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [list_prod sum_over].
  now rewrite count_app, count_map, plus_INR, IH.
Qed.

Theorem signs_balanced k m : (2 <= m)%nat -> sylvester_order m = INR m ->
  balanced k (sign_blocks k m) (sign_contains k m)
    (family_size k m * (2 * INR m)) (family_size k m * INR m)
    (family_size k m * (INR m + 1) / 2).
Proof.
  intros Hm P. unfold sylvester_order in P.
  destruct (hash_balanced m 2 (INR 2) ltac:(lia) eq_refl) as (B & C & T).
  rewrite P in B, C, T. assert (M0 : 0 < INR m) by (apply lt_0_INR; lia).
  assert (Hb : forall a x, (hash k m a x < m)%nat)
    by (intros; apply Nat.mod_upper_bound; lia).
  split; [|split].
  - unfold sign_blocks. rewrite prod_length, mult_INR, B. unfold family_size. cbn [INR]. ring.
  - intros x Hx. unfold sign_blocks. rewrite count_list_prod.
    rewrite (sum_ext _ _ (fun _ => INR m)).
    + now rewrite sum_constant.
    + intros a _. unfold sign_contains. cbn [fst snd]. now apply C.
  - intros x x' Hx Hx' N. unfold sign_blocks. rewrite count_list_prod.
    pose proof (hash_collisions k m x x' Hm Hx Hx' N) as H.
    rewrite (sum_ext _ _ (fun a => INR m / 2
      + INR m / 2 * indicator (Nat.eqb (hash k m a x) (hash k m a x')))).
    + rewrite sum_plus, sum_constant, sum_scale, sum_indicator. fold (family_size k m).
      assert (E : INR m * INR (count (fun a => Nat.eqb (hash k m a x) (hash k m a x'))
        (hash_functions k m)) = family_size k m)
        by (unfold family_size; now rewrite <- mult_INR, H).
      replace (INR m / 2 * INR _) with (family_size k m / 2) by (rewrite <- E; field). field.
    + intros a _. unfold sign_contains. cbn [fst snd].
      destruct (Nat.eqb_spec (hash k m a x) (hash k m a x')) as [Q|Q]; cbn [indicator].
      * rewrite <- Q. rewrite (count_ext _ (hash_contains m 2 (hash k m a x)))
          by (intros; apply andb_diag). rewrite C by apply Hb. field.
      * rewrite T by auto. cbn [INR]. field.
Qed.

(** An order at least as large as the number of rows, and one that is the number itself. *)
Lemma hash_digits_two k : hash_digits k 2 = digit_count k 2.
Proof. reflexivity. Qed.

Lemma sylvester_order_above k : (2 <= k)%nat -> 4 <= sylvester_order (S k).
Proof.
  intros K. unfold sylvester_order, family_size, hash_functions. rewrite tuples_length.
  rewrite hash_digits_two. pose proof (digit_count_enough (S k) 2 ltac:(lia)) as E.
  replace 4 with (INR 4) by (cbn; ring). apply le_INR.
  destruct (digit_count (S k) 2) as [|[|d]]; [cbn in E; lia | cbn in E; lia |].
  cbn [Nat.pow]. pose proof (Nat.pow_nonzero 2 d). lia.
Qed.

Theorem sylvester_order_power m : (2 <= m)%nat -> (exists t, m = 2 ^ t)%nat ->
  sylvester_order m = INR m.
Proof.
  intros Hm [t ->]. unfold sylvester_order, family_size, hash_functions.
  rewrite tuples_length, hash_digits_two. f_equal. f_equal.
  destruct t as [|t]; [cbn in Hm; lia|]. unfold digit_count.
  destruct (find _ _) as [d|] eqn:E.
  - apply find_first in E as (l1 & l2 & Q & P & N). apply seq_before in Q as [B C].
    apply Nat.leb_le, Nat.pow_le_mono_r_iff in P; [|lia].
    destruct (Nat.eq_dec d (S t)) as [|D]; [assumption|].
    specialize (N (S t) (C (S t) ltac:(lia))). apply Nat.leb_gt in N. lia.
  - pose proof (find_none _ _ E (S t)) as F. cbn beta in F.
    rewrite Nat.leb_refl in F. discriminate F. apply in_seq.
    pose proof (Nat.pow_gt_lin_r 2 (S t)). lia.
Qed.

(** Where g is a prime, the digits of the family are those in base g. *)
Theorem prime_least_factor g : Znumtheory.prime (Z.of_nat g) -> least_factor g = g.
Proof.
  intros P. pose proof (Znumtheory.prime_ge_2 _ P). unfold least_factor.
  destruct (find _ _) as [l|] eqn:E; [|reflexivity]. apply find_some in E as [I D].
  apply in_seq in I. apply Nat.eqb_eq, Nat.mod_divide in D; [|lia].
  assert (Z.divide (Z.of_nat l) (Z.of_nat g)) as Q
    by (destruct D as [c ->]; exists (Z.of_nat c); lia).
  apply Znumtheory.prime_divisors in Q; [|assumption]. lia.
Qed.
