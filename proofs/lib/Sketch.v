(** Count mean sketch: a public uniform hash function of the balanced family, then one-hot bits of
    the bucket. A report (h, bits) supports the values whose bucket has a 1. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Exponential Randomizer Users Support Combine Bits OneHot TwoBits Bloom Hashing.
Import ListNotations.
Open Scope R_scope.

Definition hashed_bits (k m : nat) (one zero : R) : mech nat (list nat * list bool) :=
  mixture (hash_functions k m) (fun _ => / family_size k m)
    (fun h => encode_first (fun x => (x < k)%nat) (hash k m h) (one_hot_bits m one zero))
    (all_bits m) (fun x => (x < k)%nat).

Definition bucket_support (k m v : nat) (y : list nat * list bool) : bool :=
  bit_support (hash k m (fst y) v) (snd y).

(** How often a report supports a value that is not the user's. *)
Definition sketch_q (m one zero : R) : R := zero + (one - zero) / m.

(** One choice that reaches a bound is enough. *)
Theorem mixture_tight {X Y S} (seeds : list S) (w : S -> R) (N : S -> mech X Y) ys
  (D : X -> Prop) eps s :
  In s seeds -> 0 < w s -> outs (N s) = ys -> (forall x, dom (N s) x -> D x) ->
  ldp_tight (N s) eps -> ldp_tight (mixture seeds w N ys D) eps.
Proof.
  intros Hs Hw Ho Hd (x & x' & y & Hx & Hx' & Hy & P & E).
  exists x, x', (s, y). cbn. rewrite E. repeat split; auto.
  - apply in_prod; [assumption | now rewrite <- Ho].
  - now apply Rmult_lt_0_compat.
  - ring.
Qed.

Lemma only_first_map {A} (f g : A -> bool) l :
  only_first (map f l) (map g l) = count (fun a => f a && negb (g a)) l.
Proof.
  unfold count. induction l as [|a l IH]; [reflexivity|]. cbn [map only_first filter].
  destruct (f a), (g a); cbn [andb negb length]; now rewrite IH.
Qed.

Lemma one_hot_only_first m i j : (i < m)%nat -> i <> j ->
  only_first (one_hot m i) (one_hot m j) = 1%nat.
Proof.
  intros Hi N. unfold one_hot. rewrite only_first_map. apply count_one with (a := i).
  - apply seq_NoDup.
  - apply in_seq. lia.
  - rewrite Nat.eqb_refl. now destruct (Nat.eqb_spec i j).
  - intros b _ E. apply andb_true_iff in E as [E _]. now apply Nat.eqb_eq.
Qed.

Section Sketch.
Context (k m : nat) (one zero : R).
Hypothesis m_2 : (2 <= m)%nat.
Let M := hashed_bits k m one zero.

Lemma bucket_below h x : (hash k m h x < m)%nat.
Proof. apply Nat.mod_upper_bound. lia. Qed.

Lemma choice_positive : 0 < / family_size k m.
Proof. apply Rinv_0_lt_compat. pose proof (family_size_at_least_1 k m m_2). lra. Qed.

Lemma choice_sum : sum_over (hash_functions k m) (fun _ => / family_size k m) = 1.
Proof.
  rewrite sum_constant. fold (family_size k m).
  pose proof (family_size_at_least_1 k m m_2). field. lra.
Qed.

Theorem hashed_bits_stochastic : 0 <= one <= 1 -> 0 <= zero <= 1 -> stochastic M.
Proof.
  intros Ho Hz. pose proof choice_positive. apply mixture_stochastic; auto.
  - intros; lra.
  - apply choice_sum.
  - intros h _. apply encode_first_stochastic; [|now apply one_hot_stochastic].
    intros x _. apply bucket_below.
Qed.

Theorem hashed_bits_equal_support : 0 < one < 1 -> 0 < zero < 1 -> equal_support M.
Proof.
  intros Ho Hz x x' [h o] _ _ I P. cbn in I, P |- *. apply in_prod_iff in I as [_ I].
  pose proof choice_positive as C. apply Rmult_lt_0_compat; [assumption|].
  apply (one_hot_equal_support m one zero Ho Hz (hash k m h x)); try assumption;
    try apply bucket_below.
  apply Rmult_lt_reg_l with (/ family_size k m); [assumption|]. now rewrite Rmult_0_r.
Qed.

Theorem hashed_bits_ldp eps U : exp eps = U -> 0 < zero -> zero < one -> one < 1 ->
  one * (1 - zero) <= U * (zero * (1 - one)) -> ldp M eps.
Proof.
  intros E Hz Hzo Ho H. pose proof choice_positive. apply mixture_ldp; auto.
  - intros; lra.
  - intros h _. apply encode_first_ldp; [intros x _; apply bucket_below|].
    now apply one_hot_ldp with (U := U).
Qed.

(** Some function tells values 0 and 1 apart. *)
Lemma separating_function : (2 <= k)%nat ->
  exists h, In h (hash_functions k m) /\ hash k m h 0 <> hash k m h 1.
Proof.
  intros K. pose proof (hash_collisions k m 0 1 m_2 ltac:(lia) ltac:(lia) ltac:(lia)) as C.
  pose proof (family_size_at_least_1 k m m_2) as F. unfold family_size in F.
  destruct (existsb (fun h => negb (Nat.eqb (hash k m h 0) (hash k m h 1)))
    (hash_functions k m)) eqn:E.
  - apply existsb_exists in E as (h & I & Q). exists h. split; [assumption|].
    apply negb_true_iff, Nat.eqb_neq in Q. assumption.
  - exfalso. rewrite count_all in C.
    + assert (length (hash_functions k m) = 0%nat) as Z by nia. rewrite Z in F. cbn in F. lra.
    + intros h I. destruct (Nat.eqb (hash k m h 0) (hash k m h 1)) eqn:Q; [reflexivity|].
      assert (X : existsb (fun h => negb (Nat.eqb (hash k m h 0) (hash k m h 1)))
        (hash_functions k m) = true); [|congruence].
      apply existsb_exists. exists h. rewrite Q. auto.
Qed.

Theorem hashed_bits_tight eps U : exp eps = U -> (2 <= k)%nat -> 0 < zero -> zero < one ->
  one < 1 -> one * (1 - zero) = U * (zero * (1 - one)) -> ldp_tight M eps.
Proof.
  intros E K Hz Hzo Ho T. destruct (separating_function K) as (h & I & N).
  apply mixture_tight with (s := h); auto; [apply choice_positive|].
  change (ldp_tight (bits_mech one zero (fun x => (x < k)%nat) m
    (fun x => one_hot m (hash k m h x))) eps).
  apply bloom_tight with (h := 1%nat); try assumption.
  - intros; apply one_hot_length.
  - exists 0%nat, 1%nat. repeat split; try lia; apply one_hot_only_first; auto using bucket_below.
  - rewrite pow_1, E. unfold odds_ratio. rewrite T. field. lra.
Qed.

Lemma sketch_rate v x : (x < k)%nat ->
  expectation M x (fun y => indicator (bucket_support k m v y))
  = sum_over (hash_functions k m)
      (fun h => / family_size k m * if Nat.eqb (hash k m h v) (hash k m h x) then one else zero).
Proof.
  intros Hx. unfold expectation, M, hashed_bits. cbn [outs pr mixture encode_first].
  rewrite sum_product. apply sum_ext. intros h _.
  rewrite <- (one_hot_rate m one zero (hash k m h v) (hash k m h x)) by apply bucket_below.
  unfold expectation. rewrite <- sum_scale. apply sum_ext. intros o _.
  unfold bucket_support. cbn [fst snd]. apply Rmult_assoc.
Qed.

Lemma sketch_support_own v : (v < k)%nat ->
  expectation M v (fun y => indicator (bucket_support k m v y)) = one.
Proof.
  intros Hv. rewrite sketch_rate by assumption.
  rewrite (sum_ext _ _ (fun _ => / family_size k m * one))
    by (intros; now rewrite Nat.eqb_refl).
  rewrite sum_scale_right, choice_sum. ring.
Qed.

Lemma sketch_support_other v x : (v < k)%nat -> (x < k)%nat -> x <> v ->
  expectation M x (fun y => indicator (bucket_support k m v y)) = sketch_q (INR m) one zero.
Proof.
  intros Hv Hx N. rewrite sketch_rate by assumption.
  rewrite (sum_ext _ _ (fun h => / family_size k m * zero + (/ family_size k m * (one - zero))
    * indicator (Nat.eqb (hash k m h v) (hash k m h x))))
    by (intros h _; destruct (Nat.eqb (hash k m h v) (hash k m h x)); cbn; ring).
  rewrite sum_plus, sum_scale_right, choice_sum, sum_scale, sum_indicator.
  pose proof (hash_collisions k m v x m_2 Hv Hx ltac:(auto)) as C.
  pose proof (family_size_at_least_1 k m m_2) as F.
  assert (G : 0 < INR m) by (apply lt_0_INR; lia).
  assert (E : family_size k m
    = INR m * INR (count (fun h => Nat.eqb (hash k m h v) (hash k m h x)) (hash_functions k m)))
    by (unfold family_size; now rewrite <- mult_INR, C).
  unfold sketch_q. replace (INR (count _ _)) with (family_size k m / INR m)
    by (rewrite E; field; lra). field. lra.
Qed.

Hypothesis St : stochastic M.

Theorem hashed_bits_written supported otherwise :
  one * supported + (1 - one) * otherwise = 1 ->
  sketch_q (INR m) one zero * supported + (1 - sketch_q (INR m) one zero) * otherwise = 0 ->
  unbiased_counts M (written_weight (bucket_support k m) supported otherwise).
Proof.
  apply written_unbiased; auto using sketch_support_own.
  intros; now apply sketch_support_other.
Qed.

Hypothesis apart : one - sketch_q (INR m) one zero <> 0.

Theorem hashed_bits_unbiased :
  unbiased_counts M (support_weight (bucket_support k m) one (sketch_q (INR m) one zero)).
Proof.
  apply support_unbiased; auto using sketch_support_own.
  intros; now apply sketch_support_other.
Qed.

Theorem hashed_bits_variance :
  count_variance M (support_weight (bucket_support k m) one (sketch_q (INR m) one zero))
    (support_variance one (sketch_q (INR m) one zero)).
Proof.
  apply support_variance_count; auto using sketch_support_own.
  intros; now apply sketch_support_other.
Qed.
End Sketch.

Lemma sketch_apart m one zero : (2 <= m)%nat -> one <> zero -> one - sketch_q (INR m) one zero <> 0.
Proof.
  intros H N. assert (G : 2 <= INR m) by (change 2 with (INR 2); now apply le_INR).
  unfold sketch_q. replace (one - (zero + (one - zero) / INR m))
    with ((one - zero) * ((INR m - 1) / INR m)) by (field; lra).
  apply Rmult_integral_contrapositive. split; [lra|].
  apply Rgt_not_eq, Rdiv_lt_0_compat; lra.
Qed.

Lemma hashed_bits_same k m one zero one' zero' : one = one' -> zero = zero' ->
  same_table (hashed_bits k m one zero) (hashed_bits k m one' zero').
Proof. intros <- <-. repeat split; auto. Qed.

(** How the classes of the pair table come about. The buckets of two values are one for a share 1/m of
    the functions, and then the reports are alike; for the others the two bits have the joint
    distribution of two bits, and given them the reports are alike. *)
Definition sketch_classes (k m : nat) (one zero : R) : Prop :=
  forall x x', (x < k)%nat -> (x' < k)%nat -> x <> x' -> forall a b,
  let M := hashed_bits k m one zero in
  let meet y := Nat.eqb (hash k m (fst y) x) (hash k m (fst y) x') in
  let class y := Bool.eqb (bucket_support k m x y) a && Bool.eqb (bucket_support k m x' y) b in
  expectation M x (fun y => indicator (meet y && class y))
    = / INR m * (if Bool.eqb a b then bernoulli one a else 0) /\
  expectation M x (fun y => indicator (negb (meet y) && class y))
    = (1 - / INR m) * (bernoulli one a * bernoulli zero b) /\
  forall y, In y (outs M) -> class y = true ->
    if meet y then pr M x y = pr M x' y
    else pr M x y * (bernoulli zero a * bernoulli one b)
      = pr M x' y * (bernoulli one a * bernoulli zero b).

Section SketchClasses.
Context (k m : nat) (one zero : R).
Hypothesis m_2 : (2 <= m)%nat.
Let M := hashed_bits k m one zero.
Let share (g : list nat -> bool) : R :=
  sum_over (hash_functions k m) (fun h => / family_size k m * indicator (g h)).

Lemma sketch_given g p x c :
  (forall h, g h = true -> expectation (one_hot_bits m one zero) (hash k m h x)
     (fun o => indicator (p (h, o))) = c) ->
  expectation M x (fun y => indicator (g (fst y) && p y)) = share g * c.
Proof.
  intros H. unfold expectation, M, hashed_bits, share. cbn [outs pr mixture encode_first].
  rewrite sum_product, <- sum_scale_right. apply sum_ext. intros h _. cbn [fst snd].
  destruct (g h) eqn:G.
  - rewrite <- (H h G). unfold expectation. cbn [indicator andb]. rewrite Rmult_1_r, <- sum_scale.
    apply sum_ext. intros o _. apply Rmult_assoc.
  - cbn [indicator andb]. rewrite sum_scale_right. ring.
Qed.

Lemma share_meet x x' : (x < k)%nat -> (x' < k)%nat -> x <> x' ->
  share (fun h => Nat.eqb (hash k m h x) (hash k m h x')) = / INR m.
Proof.
  intros Hx Hx' N. unfold share. rewrite sum_scale, sum_indicator.
  pose proof (hash_collisions k m x x' m_2 Hx Hx' N) as C.
  pose proof (family_size_at_least_1 k m m_2) as F.
  assert (G : 0 < INR m) by (apply lt_0_INR; lia).
  assert (E : family_size k m
    = INR m * INR (count (fun h => Nat.eqb (hash k m h x) (hash k m h x')) (hash_functions k m)))
    by (unfold family_size; now rewrite <- mult_INR, C).
  replace (INR (count _ _)) with (family_size k m / INR m) by (rewrite E; field; lra). field. lra.
Qed.

Lemma share_apart g : share (fun h => negb (g h)) = 1 - share g.
Proof.
  unfold share. rewrite <- (choice_sum k m m_2) at 1.
  replace (sum_over (hash_functions k m) (fun _ => / family_size k m))
    with (sum_over (hash_functions k m)
      (fun h => / family_size k m * indicator (negb (g h)) + / family_size k m * indicator (g h))).
  - rewrite sum_plus. ring.
  - apply sum_ext. intros h _. destruct (g h); cbn; ring.
Qed.

Theorem hashed_bits_classes : sketch_classes k m one zero.
Proof.
  intros x x' Hx Hx' N a b M' meet class. unfold M'. clear M'. fold M.
  unfold meet, class. split; [|split].
  - rewrite (sketch_given (fun h => Nat.eqb (hash k m h x) (hash k m h x'))
      (fun y => Bool.eqb (bucket_support k m x y) a && Bool.eqb (bucket_support k m x' y) b) x
      (if Bool.eqb a b then bernoulli one a else 0)); [now rewrite share_meet|].
    intros h E. apply Nat.eqb_eq in E. unfold bucket_support, bit_support. cbn [fst snd].
    rewrite <- E. apply own_bit, bucket_below, m_2.
  - rewrite (sketch_given (fun h => negb (Nat.eqb (hash k m h x) (hash k m h x')))
      (fun y => Bool.eqb (bucket_support k m x y) a && Bool.eqb (bucket_support k m x' y) b) x
      (bernoulli one a * bernoulli zero b)); [now rewrite share_apart, share_meet|].
    intros h E. apply negb_true_iff, Nat.eqb_neq in E. unfold bucket_support, bit_support.
    cbn [fst snd]. apply (one_hot_classes m one zero); auto using bucket_below.
  - intros [h o] I C. unfold bucket_support, bit_support in C. cbn [fst snd] in C |- *.
    cbn [outs hashed_bits mixture M] in I. apply in_prod_iff in I as [_ I].
    unfold M, hashed_bits. cbn [pr mixture encode_first fst snd].
    destruct (Nat.eqb_spec (hash k m h x) (hash k m h x')) as [E|E]; [now rewrite E|].
    destruct (one_hot_classes m one zero (hash k m h x) (hash k m h x')
      (bucket_below k m m_2 h x) (bucket_below k m m_2 h x') E a b) as (_ & _ & T).
    specialize (T o I C). rewrite !Rmult_assoc. f_equal. exact T.
Qed.
End SketchClasses.
