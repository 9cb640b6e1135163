(** One-hot bits: value x is encoded as k bits of which only bit x is 1.

    Bit v of a report supports value v. *)
From Coq Require Import Reals List Lra Lia Arith Bool Psatz.
From LDP Require Import Sums Exponential Randomizer Users Support Bits.
Import ListNotations.
Open Scope R_scope.

Definition one_hot (k x : nat) : list bool := map (fun i => Nat.eqb i x) (seq 0 k).

Definition bit_support (v : nat) (o : list bool) : bool := nth v o false.

Definition one_hot_bits (k : nat) (one zero : R) : mech nat (list bool) :=
  bits_mech one zero (fun x => (x < k)%nat) k (one_hot k).

Lemma one_hot_length k x : length (one_hot k x) = k.
Proof. unfold one_hot. now rewrite map_length, seq_length. Qed.

Lemma one_hot_nth k x v : (v < k)%nat -> nth v (one_hot k x) false = Nat.eqb v x.
Proof.
  intros H. unfold one_hot.
  rewrite nth_indep with (d' := (fun i => Nat.eqb i x) 0%nat)
    by now rewrite map_length, seq_length.
  rewrite map_nth with (f := fun i => Nat.eqb i x), seq_nth by assumption. reflexivity.
Qed.

Lemma one_hot_ones k x : (x < k)%nat -> (ones (one_hot k x) <= 1)%nat.
Proof.
  intros H. unfold ones, one_hot. rewrite count_map.
  rewrite (count_one _ _ x); [lia | apply seq_NoDup | apply in_seq; lia | apply Nat.eqb_refl |].
  intros b _ E. now apply Nat.eqb_eq in E.
Qed.

Section OneHot.
Context (k : nat) (one zero : R).
Let M := one_hot_bits k one zero.

Theorem one_hot_stochastic : 0 <= one <= 1 -> 0 <= zero <= 1 -> stochastic M.
Proof. intros Ho Hz. apply bits_stochastic; try assumption. intros; apply one_hot_length. Qed.

Theorem one_hot_equal_support : 0 < one < 1 -> 0 < zero < 1 -> equal_support M.
Proof.
  intros Ho Hz x x' o _ Hx' I _. cbn in *. apply all_bits_length in I.
  assert (L : length (one_hot k x') = length o) by now rewrite one_hot_length.
  clear I Hx'. revert o L. induction (one_hot k x') as [|b l IH]; intros [|c o] L; cbn in L;
    try lia; cbn; [lra|].
  apply Rmult_lt_0_compat; [destruct b, c; cbn; lra | apply IH; lia].
Qed.

Theorem one_hot_ldp eps U : exp eps = U -> 0 < zero -> zero < one -> one < 1 ->
  one * (1 - zero) <= U * (zero * (1 - one)) -> ldp M eps.
Proof.
  intros E Hz Hzo Ho H.
  assert (A : one / zero * zero = one) by (field; lra).
  assert (B : (1 - zero) / (1 - one) * (1 - one) = 1 - zero) by (field; lra).
  assert (A1 : 1 <= one / zero) by (apply Rmult_le_reg_r with zero; lra).
  assert (B1 : 1 <= (1 - zero) / (1 - one)) by (apply Rmult_le_reg_r with (1 - one); lra).
  apply bits_ldp with (up := one / zero) (down := (1 - zero) / (1 - one)) (h := 1%nat);
    try lra.
  - intros []; cbn; [lra|].
    apply Rle_trans with (1 * (1 - zero)); [lra | apply Rmult_le_compat_r; lra].
  - intros []; cbn; [|lra].
    apply Rle_trans with (1 * one); [lra | apply Rmult_le_compat_r; lra].
  - intros; apply one_hot_length.
  - intros; now apply one_hot_ones.
  - rewrite pow_1, E. apply Rmult_le_reg_r with (zero * (1 - one));
      [apply Rmult_lt_0_compat; lra|].
    replace (one / zero * ((1 - zero) / (1 - one)) * (zero * (1 - one)))
      with (one * (1 - zero)) by (field; lra). exact H.
Qed.

(** The same where the larger of the two is the probability of a 1 for a bit that is 0. *)
Theorem one_hot_ldp_swapped eps U : exp eps = U -> 0 < one -> one < zero -> zero < 1 ->
  zero * (1 - one) <= U * (one * (1 - zero)) -> ldp M eps.
Proof.
  intros E Ho Hoz Hz H.
  assert (A : zero / one * one = zero) by (field; lra).
  assert (B : (1 - one) / (1 - zero) * (1 - zero) = 1 - one) by (field; lra).
  assert (A1 : 1 <= zero / one) by (apply Rmult_le_reg_r with one; lra).
  assert (B1 : 1 <= (1 - one) / (1 - zero)) by (apply Rmult_le_reg_r with (1 - zero); lra).
  apply bits_ldp with (up := (1 - one) / (1 - zero)) (down := zero / one) (h := 1%nat);
    try lra.
  - intros []; cbn; [|lra].
    apply Rle_trans with (1 * zero); [lra | apply Rmult_le_compat_r; lra].
  - intros []; cbn; [lra|].
    apply Rle_trans with (1 * (1 - one)); [lra | apply Rmult_le_compat_r; lra].
  - intros; apply one_hot_length.
  - intros; now apply one_hot_ones.
  - rewrite pow_1, E. apply Rmult_le_reg_r with (one * (1 - zero));
      [apply Rmult_lt_0_compat; lra|].
    replace ((1 - one) / (1 - zero) * (zero / one) * (one * (1 - zero)))
      with (zero * (1 - one)) by (field; lra). exact H.
Qed.

Lemma at_least_two : (2 <= k)%nat -> exists n, k = S (S n).
Proof. intros H. exists (k - 2)%nat. lia. Qed.

(** Both bits that matter, for inputs 0 and 1; the rest of the report has the same factor. *)
Lemma first_two n : k = S (S n) -> forall a b t,
  pr M 0%nat (a :: b :: t)
    = bernoulli one a * (bernoulli zero b * bits_probability (repeat zero n) t) /\
  pr M 1%nat (a :: b :: t)
    = bernoulli zero a * (bernoulli one b * bits_probability (repeat zero n) t).
Proof.
  intros Ek a b t.
  assert (R : forall x, (x < 2)%nat ->
    map (flipped one zero) (map (fun i => Nat.eqb i x) (seq 2 n)) = repeat zero n).
  { intros x Hx. assert (G : forall m s, (2 <= s)%nat ->
      map (flipped one zero) (map (fun i => Nat.eqb i x) (seq s m)) = repeat zero m).
    { induction m; intros s Hs; cbn; [reflexivity|].
      destruct (Nat.eqb_spec s x); [lia|]. cbn. f_equal. apply IHm. lia. }
    now apply G. }
  unfold M. rewrite Ek. cbn [one_hot_bits bits_mech pr one_hot seq map Nat.eqb flipped].
  rewrite !R by lia. split; reflexivity.
Qed.

Lemma repeated_positive n c : 0 < bernoulli zero c ->
  0 < bits_probability (repeat zero n) (repeat c n).
Proof. intros P. induction n; cbn; [lra|]. now apply Rmult_lt_0_compat. Qed.

Lemma in_outs n a b c : k = S (S n) -> In (a :: b :: repeat c n) (outs M).
Proof.
  intros Ek. pose proof (all_bits_complete (a :: b :: repeat c n)) as H. cbn [length] in H.
  rewrite repeat_length, <- Ek in H. exact H.
Qed.

Theorem one_hot_tight eps U : exp eps = U -> (2 <= k)%nat -> 0 < zero -> zero < 1 ->
  0 < one -> one < 1 -> one * (1 - zero) = U * (zero * (1 - one)) -> ldp_tight M eps.
Proof.
  intros E K Hz Hz1 Ho Ho1 T. destruct (at_least_two K) as [n Ek].
  exists 0%nat, 1%nat, (true :: false :: repeat true n).
  destruct (first_two n Ek true false (repeat true n)) as [E0 E1].
  assert (P : 0 < bits_probability (repeat zero n) (repeat true n))
    by (apply repeated_positive; cbn; assumption).
  rewrite E0, E1, E. cbn [bernoulli].
  repeat split; try (cbn; lia).
  - now apply in_outs.
  - repeat apply Rmult_lt_0_compat; lra.
  - replace (one * ((1 - zero) * bits_probability (repeat zero n) (repeat true n)))
      with (one * (1 - zero) * bits_probability (repeat zero n) (repeat true n)) by ring.
    rewrite T. ring.
Qed.

Theorem one_hot_tight_swapped eps U : exp eps = U -> (2 <= k)%nat -> 0 < one -> one < 1 ->
  0 < zero -> zero < 1 -> zero * (1 - one) = U * (one * (1 - zero)) -> ldp_tight M eps.
Proof.
  intros E K Ho Ho1 Hz Hz1 T. destruct (at_least_two K) as [n Ek].
  exists 0%nat, 1%nat, (false :: true :: repeat true n).
  destruct (first_two n Ek false true (repeat true n)) as [E0 E1].
  assert (P : 0 < bits_probability (repeat zero n) (repeat true n))
    by (apply repeated_positive; cbn; assumption).
  rewrite E0, E1, E. cbn [bernoulli].
  repeat split; try (cbn; lia).
  - now apply in_outs.
  - repeat apply Rmult_lt_0_compat; lra.
  - replace ((1 - one) * (zero * bits_probability (repeat zero n) (repeat true n)))
      with (zero * (1 - one) * bits_probability (repeat zero n) (repeat true n)) by ring.
    rewrite T. ring.
Qed.

(** What eps-LDP says about the two cells. *)
Lemma one_hot_ldp_cells eps : (2 <= k)%nat -> 0 <= zero <= 1 -> ldp M eps ->
  one * (1 - zero) <= exp eps * (zero * (1 - one)) /\
  zero * (1 - one) <= exp eps * (one * (1 - zero)).
Proof.
  intros K Hz H. destruct (at_least_two K) as [n Ek].
  assert (C : exists c, 0 < bernoulli zero c)
    by (destruct (Rlt_dec 0 zero); [exists true | exists false]; cbn; lra).
  destruct C as [c C]. pose proof (repeated_positive n c C) as P.
  assert (D0 : dom M 0%nat) by (cbn; lia).
  assert (D1 : dom M 1%nat) by (cbn; lia).
  pose proof (H 0%nat 1%nat _ D0 D1 (in_outs n true false c Ek)) as H1.
  pose proof (H 0%nat 1%nat _ D0 D1 (in_outs n false true c Ek)) as H2.
  destruct (first_two n Ek true false (repeat c n)) as [E0 E1]. rewrite E0, E1 in H1.
  destruct (first_two n Ek false true (repeat c n)) as [F0 F1]. rewrite F0, F1 in H2.
  cbn [bernoulli] in H1, H2. clear E0 E1 F0 F1.
  set (T := bits_probability (repeat zero n) (repeat c n)) in *.
  split; apply Rmult_le_reg_r with T; try assumption; lra.
Qed.

Lemma one_hot_rate v x : (v < k)%nat -> (x < k)%nat ->
  expectation M x (fun o => indicator (bit_support v o)) = if Nat.eqb v x then one else zero.
Proof.
  intros Hv Hx. unfold expectation, bit_support. cbn.
  assert (L : length (map (flipped one zero) (one_hot k x)) = k)
    by now rewrite map_length, one_hot_length.
  rewrite <- L at 1. rewrite bits_marginal by now rewrite L.
  rewrite nth_indep with (d' := flipped one zero false) by now rewrite L.
  rewrite map_nth, one_hot_nth by assumption. destruct (Nat.eqb v x); cbn; ring.
Qed.

Lemma one_hot_support_own v : (v < k)%nat ->
  expectation M v (fun o => indicator (bit_support v o)) = one.
Proof. intros. rewrite one_hot_rate by auto. now rewrite Nat.eqb_refl. Qed.

Lemma one_hot_support_other v x : (v < k)%nat -> (x < k)%nat -> x <> v ->
  expectation M x (fun o => indicator (bit_support v o)) = zero.
Proof. intros. rewrite one_hot_rate by auto. destruct (Nat.eqb_spec v x); congruence. Qed.

Hypothesis St : stochastic M.
Theorem one_hot_written supported otherwise :
  one * supported + (1 - one) * otherwise = 1 ->
  zero * supported + (1 - zero) * otherwise = 0 ->
  unbiased_counts M (written_weight bit_support supported otherwise).
Proof.
  apply written_unbiased; auto using one_hot_support_own.
  intros; now apply one_hot_support_other.
Qed.

Hypothesis apart : one - zero <> 0.

Theorem one_hot_unbiased : unbiased_counts M (support_weight bit_support one zero).
Proof.
  apply support_unbiased; auto using one_hot_support_own.
  intros; now apply one_hot_support_other.
Qed.

Theorem one_hot_variance :
  count_variance M (support_weight bit_support one zero) (support_variance one zero).
Proof.
  apply support_variance_count; auto using one_hot_support_own.
  intros; now apply one_hot_support_other.
Qed.
End OneHot.

Lemma one_hot_same k one zero one' zero' : one = one' -> zero = zero' ->
  same_table (one_hot_bits k one zero) (one_hot_bits k one' zero').
Proof. intros <- <-. repeat split; auto. Qed.

(** At eps-LDP, and for a count that is zero, the variance of any one-hot table is at least that
    of the table on the curve one (1 - zero) = U zero (1 - one) with the same [zero]. *)
Definition curve_variance (U z : R) : R :=
  (1 - z + U * z) * (1 - z + U * z) / (z * (1 - z) * ((U - 1) * (U - 1))).

Lemma curve_bound_above U p q : 1 < U -> 0 <= q <= 1 -> 0 <= p <= 1 -> q < p ->
  p * (1 - q) <= U * (q * (1 - p)) ->
  0 < q < 1 /\ curve_variance U q <= q * (1 - q) / ((p - q) * (p - q)).
Proof.
  intros HU Hq Hp L H. assert (Q : 0 < q < 1).
  { split; [|lra]. destruct (Req_dec q 0) as [Z|]; [|lra]. rewrite Z in H, L. lra. }
  split; [assumption|].
  assert (D : 0 < 1 - q + U * q) by nra.
  assert (A : (p - q) * (1 - q + U * q) <= q * (1 - q) * (U - 1)) by lra.
  assert (W : 0 < q * (1 - q)) by nra.
  assert (S : (p - q) * (p - q) * ((1 - q + U * q) * (1 - q + U * q))
              <= q * (1 - q) * (q * (1 - q)) * ((U - 1) * (U - 1))).
  { replace (q * (1 - q) * (q * (1 - q)) * ((U - 1) * (U - 1)))
      with (q * (1 - q) * (U - 1) * (q * (1 - q) * (U - 1))) by ring.
    replace ((p - q) * (p - q) * ((1 - q + U * q) * (1 - q + U * q)))
      with ((p - q) * (1 - q + U * q) * ((p - q) * (1 - q + U * q))) by ring.
    assert (0 <= (p - q) * (1 - q + U * q)) by nra.
    apply Rmult_le_compat; lra. }
  unfold curve_variance.
  apply Rmult_le_reg_r with (q * (1 - q) * ((U - 1) * (U - 1)) * ((p - q) * (p - q))).
  - repeat apply Rmult_lt_0_compat; lra.
  - replace ((1 - q + U * q) * (1 - q + U * q) / (q * (1 - q) * ((U - 1) * (U - 1)))
      * (q * (1 - q) * ((U - 1) * (U - 1)) * ((p - q) * (p - q))))
      with ((p - q) * (p - q) * ((1 - q + U * q) * (1 - q + U * q))) by (field; lra).
    replace (q * (1 - q) / ((p - q) * (p - q))
      * (q * (1 - q) * ((U - 1) * (U - 1)) * ((p - q) * (p - q))))
      with (q * (1 - q) * (q * (1 - q)) * ((U - 1) * (U - 1))) by (field; lra).
    exact S.
Qed.

Lemma curve_bound U p q : 1 < U -> 0 <= q <= 1 -> 0 <= p <= 1 -> p <> q ->
  p * (1 - q) <= U * (q * (1 - p)) -> q * (1 - p) <= U * (p * (1 - q)) ->
  exists z, 0 < z < 1 /\ curve_variance U z <= q * (1 - q) / ((p - q) * (p - q)).
Proof.
  intros HU Hq Hp N H1 H2. destruct (Rlt_dec q p) as [L|L].
  - exists q. now apply curve_bound_above with (p := p).
  - exists (1 - q). destruct (curve_bound_above U (1 - p) (1 - q)) as [Z V]; try lra.
    split; [assumption|]. eapply Rle_trans; [exact V|]. right.
    replace (1 - p - (1 - q)) with (q - p) by ring. field. lra.
Qed.

(** Optimality at f = 0: if every table on the curve has variance at least [best], then so has every
    one-hot randomizer that is eps-LDP. *)
Theorem one_hot_least_variance k eps (best : R) : (2 <= k)%nat -> 0 < eps ->
  (forall z, 0 < z -> z < 1 -> best <= curve_variance (exp eps) z) ->
  forall one zero, 0 <= one <= 1 -> 0 <= zero <= 1 -> one <> zero ->
  ldp (one_hot_bits k one zero) eps ->
  forall v xs, (v < k)%nat -> xs <> [] -> (forall x, In x xs -> (x < k)%nat) ->
  share v xs = 0 ->
  INR (length xs) * best <=
  variance_n (one_hot_bits k one zero) xs (estimate (support_weight bit_support one zero) v).
Proof.
  intros K E B p q Hp Hq N L v xs Hv Hn Hx F.
  assert (HU : 1 < exp eps) by (now apply exp_above_1).
  destruct (one_hot_ldp_cells k p q eps K Hq L) as [H1 H2].
  destruct (curve_bound (exp eps) p q HU Hq Hp N H1 H2) as (z & Z & V).
  rewrite (one_hot_variance k p q (one_hot_stochastic k p q Hp Hq) ltac:(lra) v xs Hv Hn Hx), F.
  unfold support_variance. pose proof (users_positive xs Hn).
  replace (0 * _ + (1 - 0) * _) with (q * (1 - q) / ((p - q) * (p - q))) by (field; lra).
  apply Rmult_le_compat_l; [lra|]. specialize (B z). lra.
Qed.
