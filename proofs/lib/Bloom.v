(** RAPPOR for every number h of hash functions: any encoder into k bits of which at most h are 1,
    each bit randomized on its own, once (the permanent response) or twice (one report). *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Exponential Randomizer Combine Bits.
Import ListNotations.
Open Scope R_scope.

(** * Any cells 0 < zero < one < 1 *)
Section Bloom.
Context (one zero : R).
Hypothesis zero_0 : 0 < zero.
Hypothesis ordered : zero < one.
Hypothesis one_1 : one < 1.

Definition odds_ratio : R := one * (1 - zero) / (zero * (1 - one)).

Theorem bloom_ldp_below {X} (D : X -> Prop) k encode h eps :
  (forall x, D x -> length (encode x) = k) -> (forall x, D x -> (ones (encode x) <= h)%nat) ->
  odds_ratio ^ h <= exp eps -> ldp (@bits_mech one zero X D k encode) eps.
Proof.
  intros HL Hh E.
  assert (A : one / zero * zero = one) by (field; lra).
  assert (B : (1 - zero) / (1 - one) * (1 - one) = 1 - zero) by (field; lra).
  assert (A1 : 1 <= one / zero) by (apply Rmult_le_reg_r with zero; lra).
  assert (B1 : 1 <= (1 - zero) / (1 - one)) by (apply Rmult_le_reg_r with (1 - one); lra).
  apply bits_ldp with (up := one / zero) (down := (1 - zero) / (1 - one)) (h := h);
    try lra; try assumption.
  - intros []; cbn; [lra|].
    apply Rle_trans with (1 * (1 - zero)); [lra | apply Rmult_le_compat_r; lra].
  - intros []; cbn; [|lra].
    apply Rle_trans with (1 * one); [lra | apply Rmult_le_compat_r; lra].
  - replace (one / zero * ((1 - zero) / (1 - one))) with odds_ratio; [exact E|].
    unfold odds_ratio. field. lra.
Qed.

Theorem bloom_ldp {X} (D : X -> Prop) k encode h eps :
  (forall x, D x -> length (encode x) = k) -> (forall x, D x -> (ones (encode x) <= h)%nat) ->
  exp eps = odds_ratio ^ h -> ldp (@bits_mech one zero X D k encode) eps.
Proof. intros HL Hh E. apply bloom_ldp_below with (h := h); auto. rewrite E. apply Rle_refl. Qed.

(** The report that is the encoding of the first of two values. *)
Lemma own_encoding a c : length a = length c ->
  bits_probability (map (flipped one zero) a) a
    * (zero ^ only_first a c * (1 - one) ^ only_first c a)
  = one ^ only_first a c * (1 - zero) ^ only_first c a
    * bits_probability (map (flipped one zero) c) a.
Proof.
  revert c. induction a as [|x a IH]; intros [|y c] L; cbn in L; try lia; [cbn; ring|].
  specialize (IH c ltac:(lia)). cbn [map bits_probability].
  set (P := bits_probability (map (flipped one zero) a) a) in *.
  set (Q := bits_probability (map (flipped one zero) c) a) in *.
  destruct x, y; cbn [only_first pow flipped bernoulli].
  - replace (one * P * _) with
      (one * (P * (zero ^ only_first a c * (1 - one) ^ only_first c a))) by ring.
    rewrite IH. ring.
  - replace (one * P * _) with
      (one * zero * (P * (zero ^ only_first a c * (1 - one) ^ only_first c a))) by ring.
    rewrite IH. ring.
  - replace ((1 - zero) * P * _) with
      ((1 - zero) * (1 - one) * (P * (zero ^ only_first a c * (1 - one) ^ only_first c a)))
      by ring.
    rewrite IH. ring.
  - replace ((1 - zero) * P * _) with
      ((1 - zero) * (P * (zero ^ only_first a c * (1 - one) ^ only_first c a))) by ring.
    rewrite IH. ring.
Qed.

Lemma reports_are_possible a o : length o = length a ->
  0 < bits_probability (map (flipped one zero) a) o.
Proof.
  revert o. induction a as [|x a IH]; intros [|b o] L; cbn in L; try lia; [cbn; lra|].
  cbn [map bits_probability]. apply Rmult_lt_0_compat; [|apply IH; lia].
  destruct x, b; cbn; lra.
Qed.

(** Two values of which each sets h bits that the other does not. *)
Theorem bloom_tight {X} (D : X -> Prop) k encode h eps :
  (forall x, D x -> length (encode x) = k) ->
  (exists x x', D x /\ D x' /\ only_first (encode x) (encode x') = h
    /\ only_first (encode x') (encode x) = h) ->
  exp eps = odds_ratio ^ h -> ldp_tight (@bits_mech one zero X D k encode) eps.
Proof.
  intros HL (x & x' & Hx & Hx' & F & B) E.
  exists x, x', (encode x). cbn.
  assert (L : length (encode x) = length (encode x')) by now rewrite !HL.
  pose proof (own_encoding (encode x) (encode x') L) as O. rewrite F, B in O.
  assert (P : 0 < bits_probability (map (flipped one zero) (encode x')) (encode x))
    by now apply reports_are_possible.
  assert (N : 0 < zero ^ h * (1 - one) ^ h)
    by (apply Rmult_lt_0_compat; apply pow_lt; lra).
  repeat split; try assumption.
  - rewrite <- (HL x Hx). apply all_bits_complete.
  - rewrite E. apply Rmult_eq_reg_r with (zero ^ h * (1 - one) ^ h); [|lra]. rewrite O.
    replace (odds_ratio ^ h * _ * _)
      with (odds_ratio ^ h * (zero ^ h * (1 - one) ^ h)
        * bits_probability (map (flipped one zero) (encode x')) (encode x)) by ring.
    f_equal. rewrite <- !Rpow_mult_distr. f_equal. unfold odds_ratio. field. lra.
Qed.
End Bloom.

(** * Randomizing independent bits again, one by one *)
Lemma bits_then ps high low o : length o = length ps ->
  sum_over (all_bits (length ps))
    (fun b => bits_probability ps b * bits_probability (map (flipped high low) b) o)
  = bits_probability (map (fun p => p * high + (1 - p) * low) ps) o.
Proof.
  revert o. induction ps as [|p ps IH]; intros [|y o] L; cbn in L; try lia; [cbn; ring|].
  cbn [length all_bits map bits_probability]. rewrite sum_app, !sum_map.
  cbn [map bits_probability bernoulli flipped].
  rewrite (sum_ext _ _ (fun b => (p * bernoulli high y)
    * (bits_probability ps b * bits_probability (map (flipped high low) b) o)))
    by (intros; ring).
  rewrite (sum_ext (all_bits (length ps)) (fun b => (1 - p) * _ * _)
    (fun b => ((1 - p) * bernoulli low y)
    * (bits_probability ps b * bits_probability (map (flipped high low) b) o)))
    by (intros; ring).
  rewrite !sum_scale, IH by lia. destruct y; cbn [bernoulli]; ring.
Qed.

(** * RAPPOR: f, p and q as in the article *)
Section Rappor.
Context {X : Type} (D : X -> Prop) (k h : nat) (encode : X -> list bool) (f p q : R).

Definition permanent : mech X (list bool) := bits_mech (1 - f / 2) (f / 2) D k encode.

Definition instantaneous (b o : list bool) : R := bits_probability (map (flipped q p) b) o.

(** One report: an instantaneous response to the permanent one. *)
Definition report : mech X (list bool) := post permanent (all_bits k) instantaneous.

Definition q_star : R := f / 2 * (p + q) + (1 - f) * q.
Definition p_star : R := f / 2 * (p + q) + (1 - f) * p.

Hypothesis f_0 : 0 < f.
Hypothesis f_1 : f < 1.
Hypothesis encode_length : forall x, D x -> length (encode x) = k.

Theorem permanent_ldp eps : (forall x, D x -> (ones (encode x) <= h)%nat) ->
  exp eps = ((1 - f / 2) / (f / 2)) ^ (2 * h) -> ldp permanent eps.
Proof.
  intros Hh E. apply bloom_ldp with (h := h); try lra; try assumption.
  rewrite E, pow_mult. f_equal. unfold odds_ratio. cbn. field. lra.
Qed.

Theorem permanent_tight eps :
  (exists x x', D x /\ D x' /\ only_first (encode x) (encode x') = h
    /\ only_first (encode x') (encode x) = h) ->
  exp eps = ((1 - f / 2) / (f / 2)) ^ (2 * h) -> ldp_tight permanent eps.
Proof.
  intros W E. apply bloom_tight with (h := h); try lra; try assumption.
  rewrite E, pow_mult. f_equal. unfold odds_ratio. cbn. field. lra.
Qed.

(** All reports ever, whatever is made of the permanent response and however often. *)
Theorem all_reports_ldp {Z} (zs : list Z) (Q : list bool -> Z -> R) eps :
  (forall b z, In b (all_bits k) -> In z zs -> 0 <= Q b z) ->
  (forall x, D x -> (ones (encode x) <= h)%nat) ->
  exp eps = ((1 - f / 2) / (f / 2)) ^ (2 * h) -> ldp (post permanent zs Q) eps.
Proof. intros HQ Hh E. apply post_ldp; [assumption | now apply permanent_ldp]. Qed.

Lemma report_probability x o : D x -> In o (all_bits k) ->
  pr report x o = bits_probability (map (flipped q_star p_star) (encode x)) o.
Proof.
  intros Hx Ho. cbn. apply all_bits_length in Ho.
  assert (L : length (map (flipped (1 - f / 2) (f / 2)) (encode x)) = k)
    by now rewrite map_length, encode_length.
  unfold instantaneous. rewrite <- L at 1. rewrite bits_then by congruence.
  rewrite map_map. f_equal. apply map_ext. intros []; cbn; unfold q_star, p_star; field.
Qed.

Hypothesis p_0 : 0 <= p.
Hypothesis p_q : p < q.
Hypothesis q_1 : q <= 1.

Lemma star_range : 0 < p_star /\ p_star < q_star /\ q_star < 1.
Proof. unfold p_star, q_star. repeat split; nra. Qed.

Theorem report_ldp eps : (forall x, D x -> (ones (encode x) <= h)%nat) ->
  exp eps = (q_star * (1 - p_star) / (p_star * (1 - q_star))) ^ h -> ldp report eps.
Proof.
  intros Hh E x x' o Hx Hx' Ho. destruct star_range as (P0 & PQ & Q1).
  rewrite !report_probability by assumption.
  exact (bloom_ldp q_star p_star P0 PQ Q1 D k encode h eps encode_length Hh E x x' o Hx Hx' Ho).
Qed.

Theorem report_tight eps :
  (exists x x', D x /\ D x' /\ only_first (encode x) (encode x') = h
    /\ only_first (encode x') (encode x) = h) ->
  exp eps = (q_star * (1 - p_star) / (p_star * (1 - q_star))) ^ h -> ldp_tight report eps.
Proof.
  intros W E. destruct star_range as (P0 & PQ & Q1).
  destruct (bloom_tight q_star p_star P0 PQ Q1 D k encode h eps encode_length W E)
    as (x & x' & o & Hx & Hx' & Ho & Hp & He).
  exists x, x', o. cbn [dom outs bits_mech] in Hx, Hx', Ho.
  rewrite !report_probability by assumption. repeat split; assumption.
Qed.
End Rappor.

(** * All encodings of one to h ones among k bits, as the inputs themselves *)
Definition bloom_bits (k h : nat) (one zero : R) : mech (list bool) (list bool) :=
  bits_mech one zero (fun a => length a = k /\ (1 <= ones a <= h)%nat) k (fun a => a).

Section AllEncodings.
Context (k h : nat) (one zero : R).
Let M := bloom_bits k h one zero.

Theorem bloom_bits_stochastic : 0 <= one <= 1 -> 0 <= zero <= 1 -> stochastic M.
Proof. intros Ho Hz. apply bits_stochastic; try assumption. now intros a [L _]. Qed.

Hypothesis zero_0 : 0 < zero.
Hypothesis ordered : zero < one.
Hypothesis one_1 : one < 1.

Theorem bloom_bits_equal_support : equal_support M.
Proof.
  intros x x' y [Lx _] [Lx' _] Hy E. cbn in *. apply all_bits_length in Hy.
  assert (0 < bits_probability (map (flipped one zero) x) y)
    by (apply reports_are_possible; congruence).
  assert (0 < bits_probability (map (flipped one zero) x') y)
    by (apply reports_are_possible; congruence).
  lra.
Qed.

Lemma spread_positive : 0 < (zero * (1 - one)) ^ h.
Proof. apply pow_lt, Rmult_lt_0_compat; lra. Qed.

Lemma odds_power : odds_ratio one zero ^ h * (zero * (1 - one)) ^ h = (one * (1 - zero)) ^ h.
Proof. rewrite <- Rpow_mult_distr. f_equal. unfold odds_ratio. field. lra. Qed.

Theorem bloom_bits_ldp eps U : exp eps = U ->
  (one * (1 - zero)) ^ h <= U * (zero * (1 - one)) ^ h -> ldp M eps.
Proof.
  intros E H.
  assert (O : odds_ratio one zero ^ h <= exp eps).
  { apply Rmult_le_reg_r with ((zero * (1 - one)) ^ h); [apply spread_positive|].
    now rewrite odds_power, E. }
  apply bloom_ldp_below with (h := h); try assumption; now intros a [L N].
Qed.

Lemma only_first_apart n a c : only_first (repeat true n ++ a) (repeat false n ++ c)
  = (n + only_first a c)%nat.
Proof. induction n; cbn; auto. Qed.

Lemma only_first_other n a c : only_first (repeat false n ++ a) (repeat true n ++ c)
  = only_first a c.
Proof. induction n; cbn; auto. Qed.

Lemma only_first_same a : only_first a a = 0%nat.
Proof. induction a as [|[] a IH]; cbn; auto. Qed.

Lemma ones_app a c : ones (a ++ c) = (ones a + ones c)%nat.
Proof. unfold ones, count. now rewrite filter_app, app_length. Qed.

Lemma ones_true n : ones (repeat true n) = n.
Proof. unfold ones, count. induction n; cbn; auto. Qed.

Lemma ones_false n : ones (repeat false n) = 0%nat.
Proof. unfold ones, count. induction n; cbn; auto. Qed.

Theorem bloom_bits_tight eps U : exp eps = U -> (1 <= h)%nat -> (2 * h <= k)%nat ->
  (one * (1 - zero)) ^ h = U * (zero * (1 - one)) ^ h -> ldp_tight M eps.
Proof.
  intros E H K T. apply bloom_tight with (h := h); try assumption.
  - now intros a [L _].
  - set (rest := repeat false (k - 2 * h)).
    exists (repeat true h ++ repeat false h ++ rest), (repeat false h ++ repeat true h ++ rest).
    unfold rest. repeat split;
      rewrite ?app_length, ?repeat_length, ?ones_app, ?ones_true, ?ones_false; try lia.
    + rewrite only_first_apart, only_first_other, only_first_same. lia.
    + rewrite only_first_other, only_first_apart, only_first_same. lia.
  - rewrite E. apply Rmult_eq_reg_r with ((zero * (1 - one)) ^ h);
      [|pose proof spread_positive; lra]. now rewrite odds_power.
Qed.
End AllEncodings.
