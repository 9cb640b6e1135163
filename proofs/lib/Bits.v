(** Independent bits: every bit of an encoding is randomized on its own. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Randomizer.
Import ListNotations.
Open Scope R_scope.

Definition bernoulli (p : R) (b : bool) : R := if b then p else 1 - p.

(** P(report) of independent bits with P(bit i is 1) = ps_i. *)
Fixpoint bits_probability (ps : list R) (o : list bool) : R :=
  match ps, o with
  | [], [] => 1
  | p :: ps', b :: o' => bernoulli p b * bits_probability ps' o'
  | _, _ => 0
  end.

Fixpoint all_bits (k : nat) : list (list bool) :=
  match k with
  | 0%nat => [[]]
  | S k' => map (cons true) (all_bits k') ++ map (cons false) (all_bits k')
  end.

Lemma all_bits_length k o : In o (all_bits k) -> length o = k.
Proof.
  revert o. induction k; cbn; intros o H; [destruct H as [<-|[]]; reflexivity|].
  apply in_app_iff in H as [H|H]; apply in_map_iff in H as (o' & <- & H); cbn; f_equal; auto.
Qed.

Lemma all_bits_complete o : In o (all_bits (length o)).
Proof.
  induction o as [|[] o IH]; cbn; [auto| |]; apply in_app_iff; [left|right]; now apply in_map.
Qed.

Lemma bernoulli_nonneg p b : 0 <= p <= 1 -> 0 <= bernoulli p b.
Proof. destruct b; cbn; lra. Qed.

Lemma bits_sum ps : sum_over (all_bits (length ps)) (bits_probability ps) = 1.
Proof.
  induction ps as [|p ps IH]; cbn; [ring|].
  rewrite sum_app, !sum_map. cbn. rewrite !sum_scale, IH. ring.
Qed.

Lemma bits_nonneg ps : (forall p, In p ps -> 0 <= p <= 1) -> forall o, 0 <= bits_probability ps o.
Proof.
  induction ps; intros H [|b o]; cbn; try lra. apply Rmult_le_pos.
  - apply bernoulli_nonneg, H; cbn; tauto.
  - apply IHps. intros; apply H; cbn; tauto.
Qed.

(** The distribution of one bit. *)
Lemma bits_marginal ps v (h : bool -> R) : (v < length ps)%nat ->
  sum_over (all_bits (length ps)) (fun o => bits_probability ps o * h (nth v o false))
  = nth v ps 0 * h true + (1 - nth v ps 0) * h false.
Proof.
  revert v. induction ps as [|p ps IH]; cbn [length]; intros v Hv; [lia|].
  cbn. rewrite sum_app, !sum_map. destruct v.
  - cbn. rewrite (sum_ext _ _ (fun b => (p * h true) * bits_probability ps b)) by (intros; ring).
    rewrite (sum_ext (all_bits (length ps)) (fun b => (1 - p) * _ * _)
      (fun b => ((1 - p) * h false) * bits_probability ps b)) by (intros; ring).
    rewrite !sum_scale, bits_sum. ring.
  - cbn. rewrite (sum_ext _ _ (fun b => p * (bits_probability ps b * h (nth v b false))))
      by (intros; ring).
    rewrite (sum_ext (all_bits (length ps)) (fun b => (1 - p) * _ * _)
      (fun b => (1 - p) * (bits_probability ps b * h (nth v b false)))) by (intros; ring).
    rewrite !sum_scale, IH by lia. ring.
Qed.

(** * Any encoder: P(1|1) = one, P(1|0) = zero *)
Section Encoder.
Context (one zero : R).

Definition flipped (b : bool) : R := if b then one else zero.

Definition bits_mech {X} (D : X -> Prop) (k : nat) (encode : X -> list bool)
  : mech X (list bool) :=
  Mech D (all_bits k) (fun x => bits_probability (map flipped (encode x))).

Hypothesis one_range : 0 <= one <= 1.
Hypothesis zero_range : 0 <= zero <= 1.

Lemma flipped_range l p : In p (map flipped l) -> 0 <= p <= 1.
Proof. intros H. apply in_map_iff in H as ([] & <- & _); cbn; assumption. Qed.

Theorem bits_stochastic {X} (D : X -> Prop) k encode :
  (forall x, D x -> length (encode x) = k) -> stochastic (@bits_mech X D k encode).
Proof.
  intros HL x Hx. split.
  - intros o _. cbn. apply bits_nonneg. apply flipped_range.
  - cbn. rewrite <- (HL x Hx), <- (map_length flipped). apply bits_sum.
Qed.

(** How many bits are 1 in the first and 0 in the second. *)
Fixpoint only_first (a c : list bool) : nat :=
  match a, c with
  | true :: a', false :: c' => S (only_first a' c')
  | _ :: a', _ :: c' => only_first a' c'
  | _, _ => 0%nat
  end.

Definition ones (a : list bool) : nat := count (fun b => b) a.

Lemma only_first_ones a c : (only_first a c <= ones a)%nat.
Proof.
  unfold ones, count. revert c; induction a as [|[] a IH]; intros [|[] c]; cbn; try lia;
    specialize (IH c); cbn in *; lia.
Qed.

Context (up down : R).
Hypothesis up_1 : 1 <= up.
Hypothesis down_1 : 1 <= down.
Hypothesis up_bound : forall b, bernoulli one b <= up * bernoulli zero b.
Hypothesis down_bound : forall b, bernoulli zero b <= down * bernoulli one b.

Lemma bits_ratio a c o : length a = length c -> length o = length a ->
  bits_probability (map flipped a) o
  <= up ^ only_first a c * down ^ only_first c a * bits_probability (map flipped c) o.
Proof.
  revert c o. induction a as [|x a IH]; intros [|y c] [|b o] L1 L2; cbn in L1, L2; try lia;
    [cbn; lra|].
  specialize (IH c o ltac:(lia) ltac:(lia)).
  assert (N : 0 <= bits_probability (map flipped a) o) by (apply bits_nonneg, flipped_range).
  cbn [map bits_probability].
  set (T := up ^ only_first a c * down ^ only_first c a * bits_probability (map flipped c) o)
    in *.
  destruct x, y; cbn [only_first pow flipped].
  - replace (_ * _ * (bernoulli one b * bits_probability (map flipped c) o))
      with (bernoulli one b * T) by (unfold T; ring).
    apply Rmult_le_compat_l; [now apply bernoulli_nonneg | assumption].
  - replace (up * _ * _ * (bernoulli zero b * bits_probability (map flipped c) o))
      with ((up * bernoulli zero b) * T) by (unfold T; ring).
    apply Rmult_le_compat; auto. now apply bernoulli_nonneg.
  - replace (_ * (down * _) * (bernoulli one b * bits_probability (map flipped c) o))
      with ((down * bernoulli one b) * T) by (unfold T; ring).
    apply Rmult_le_compat; auto. now apply bernoulli_nonneg.
  - replace (_ * _ * (bernoulli zero b * bits_probability (map flipped c) o))
      with (bernoulli zero b * T) by (unfold T; ring).
    apply Rmult_le_compat_l; [now apply bernoulli_nonneg | assumption].
Qed.

(** An encoder with at most h ones costs (up * down)^h. *)
Theorem bits_ldp {X} (D : X -> Prop) k encode h eps :
  (forall x, D x -> length (encode x) = k) -> (forall x, D x -> (ones (encode x) <= h)%nat) ->
  (up * down) ^ h <= exp eps -> ldp (@bits_mech X D k encode) eps.
Proof.
  intros HL Hh He x x' o Hx Hx' Ho. cbn in *. apply all_bits_length in Ho.
  eapply Rle_trans; [apply (bits_ratio (encode x) (encode x') o); rewrite ?HL; auto|].
  apply Rmult_le_compat_r; [apply bits_nonneg, flipped_range|].
  eapply Rle_trans; [|exact He]. rewrite Rpow_mult_distr.
  apply Rmult_le_compat; try (apply pow_le; lra);
    (apply Rle_pow; [assumption|]); (eapply Nat.le_trans; [apply only_first_ones | auto]).
Qed.
End Encoder.
