(** Two bits of a one-hot report: their joint distribution, and that nothing else matters. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Randomizer Bits OneHot.
Import ListNotations.
Open Scope R_scope.

(** The joint distribution of two bits is the product of theirs. *)
Lemma bits_two ps v w (h : bool -> bool -> R) :
  (v < length ps)%nat -> (w < length ps)%nat -> v <> w ->
  sum_over (all_bits (length ps))
    (fun o => bits_probability ps o * h (nth v o false) (nth w o false))
  = nth v ps 0 * (nth w ps 0 * h true true + (1 - nth w ps 0) * h true false)
    + (1 - nth v ps 0) * (nth w ps 0 * h false true + (1 - nth w ps 0) * h false false).
Proof.
  revert v w. induction ps as [|p ps IH]; cbn [length]; intros v w Hv Hw N; [lia|].
  cbn [all_bits]. rewrite sum_app, !sum_map. destruct v as [|v], w as [|w]; [lia| | |].
  - cbn [nth bits_probability bernoulli].
    rewrite (sum_ext (all_bits (length ps)) (fun b => p * _ * _)
      (fun b => p * (bits_probability ps b * h true (nth w b false)))) by (intros; ring).
    rewrite (sum_ext (all_bits (length ps)) (fun b => (1 - p) * _ * _)
      (fun b => (1 - p) * (bits_probability ps b * h false (nth w b false)))) by (intros; ring).
    rewrite !sum_scale, !bits_marginal by lia. ring.
  - cbn [nth bits_probability bernoulli].
    rewrite (sum_ext (all_bits (length ps)) (fun b => p * _ * _)
      (fun b => p * (bits_probability ps b * h (nth v b false) true))) by (intros; ring).
    rewrite (sum_ext (all_bits (length ps)) (fun b => (1 - p) * _ * _)
      (fun b => (1 - p) * (bits_probability ps b * h (nth v b false) false)))
      by (intros; ring).
    pose proof (bits_marginal ps v (fun c => h c true) ltac:(lia)) as T.
    pose proof (bits_marginal ps v (fun c => h c false) ltac:(lia)) as F.
    cbn beta in T, F. rewrite !sum_scale, T, F. ring.
  - cbn [nth bits_probability bernoulli].
    rewrite (sum_ext (all_bits (length ps)) (fun b => p * _ * _)
      (fun b => p * (bits_probability ps b * h (nth v b false) (nth w b false))))
      by (intros; ring).
    rewrite (sum_ext (all_bits (length ps)) (fun b => (1 - p) * _ * _)
      (fun b => (1 - p) * (bits_probability ps b * h (nth v b false) (nth w b false))))
      by (intros; ring).
    rewrite !sum_scale, IH by lia. ring.
Qed.

(** Reports of two lists of probabilities that differ in one place. *)
Lemma bits_differ_in_one ps qs v o : length ps = length qs -> length o = length ps ->
  (v < length ps)%nat -> (forall i, i <> v -> nth i ps 0 = nth i qs 0) ->
  bits_probability ps o * bernoulli (nth v qs 0) (nth v o false)
  = bits_probability qs o * bernoulli (nth v ps 0) (nth v o false).
Proof.
  revert qs o v. induction ps as [|p ps IH]; intros [|q qs] [|b o] v L1 L2 Hv E; cbn in L1, L2, Hv;
    try lia.
  destruct v as [|v].
  - assert (T : ps = qs).
    { apply nth_ext with (d := 0) (d' := 0); [lia|]. intros i _. apply (E (S i)). lia. }
    subst qs. cbn. ring.
  - pose proof (E 0%nat ltac:(lia)) as E0. cbn in E0. subst q. cbn [nth bits_probability].
    rewrite !Rmult_assoc. f_equal. apply IH; try lia. intros i Hi. apply (E (S i)). lia.
Qed.

(** Which report is 1 in bit x is what tells x from x'. The two bits have the joint distribution that
    the pair table states, and given the two the reports of x and x' are alike. *)
Definition bit_classes (k : nat) (one zero : R) : Prop :=
  forall x x', (x < k)%nat -> (x' < k)%nat -> x <> x' -> forall a b,
  let M := one_hot_bits k one zero in
  let class o := Bool.eqb (nth x o false) a && Bool.eqb (nth x' o false) b in
  expectation M x (fun o => indicator (class o)) = bernoulli one a * bernoulli zero b /\
  expectation M x' (fun o => indicator (class o)) = bernoulli zero a * bernoulli one b /\
  forall o, In o (outs M) -> class o = true ->
    pr M x o * (bernoulli zero a * bernoulli one b)
    = pr M x' o * (bernoulli one a * bernoulli zero b).

Section Classes.
Context (k : nat) (one zero : R).

Let ps (x : nat) := map (flipped one zero) (one_hot k x).

Lemma ps_length x : length (ps x) = k.
Proof. unfold ps. now rewrite map_length, one_hot_length. Qed.

Lemma ps_nth x v : (v < k)%nat -> nth v (ps x) 0 = if Nat.eqb v x then one else zero.
Proof.
  intros Hv. rewrite nth_indep with (d' := flipped one zero false) by now rewrite ps_length.
  unfold ps. rewrite map_nth, one_hot_nth by assumption. destruct (Nat.eqb v x); reflexivity.
Qed.

Lemma class_mass x x' y a b : (x < k)%nat -> (x' < k)%nat -> x <> x' ->
  expectation (one_hot_bits k one zero) y
    (fun o => indicator (Bool.eqb (nth x o false) a && Bool.eqb (nth x' o false) b))
  = bernoulli (nth x (ps y) 0) a * bernoulli (nth x' (ps y) 0) b.
Proof.
  intros Hx Hx' N. unfold expectation. cbn [outs pr one_hot_bits bits_mech]. fold (ps y).
  rewrite <- (ps_length y) at 1.
  rewrite (bits_two (ps y) x x' (fun c d => indicator (Bool.eqb c a && Bool.eqb d b)))
    by (rewrite ?ps_length; assumption).
  destruct a, b; cbn; ring.
Qed.

(** Two conditions on a user's own bit. *)
Lemma own_bit x a b : (x < k)%nat ->
  expectation (one_hot_bits k one zero) x
    (fun o => indicator (Bool.eqb (nth x o false) a && Bool.eqb (nth x o false) b))
  = if Bool.eqb a b then bernoulli one a else 0.
Proof.
  intros Hx. unfold expectation. cbn [outs pr one_hot_bits bits_mech]. fold (ps x).
  rewrite <- (ps_length x) at 1.
  rewrite (bits_marginal (ps x) x (fun c => indicator (Bool.eqb c a && Bool.eqb c b)))
    by now rewrite ps_length.
  rewrite ps_nth, Nat.eqb_refl by assumption. destruct a, b; cbn; ring.
Qed.

Theorem one_hot_classes : bit_classes k one zero.
Proof.
  intros x x' Hx Hx' N a b M class. unfold M, class. rewrite !class_mass by assumption.
  rewrite !ps_nth, !Nat.eqb_refl by assumption.
  destruct (Nat.eqb_spec x x') as [|_]; [congruence|].
  destruct (Nat.eqb_spec x' x) as [|_]; [congruence|].
  repeat split. intros o Ho C. cbn [outs one_hot_bits bits_mech] in Ho.
  apply all_bits_length in Ho. apply andb_true_iff in C as [Ca Cb].
  apply eqb_prop in Ca. apply eqb_prop in Cb.
  cbn [pr one_hot_bits bits_mech]. fold (ps x) (ps x').
  (* Between the two lists lies one that is zero in both places. *)
  set (zs := repeat zero k).
  assert (Lz : length zs = k) by (apply repeat_length).
  assert (Nz : forall i, (i < k)%nat -> nth i zs 0 = zero).
  { intros i Hi. rewrite nth_indep with (d' := zero) by now rewrite Lz. apply nth_repeat. }
  assert (E : forall y i, i <> y -> nth i (ps y) 0 = nth i zs 0).
  { intros y i Hi. destruct (Nat.lt_ge_cases i k) as [L|L].
    - rewrite Nz, ps_nth by assumption. destruct (Nat.eqb_spec i y); congruence.
    - rewrite !nth_overflow by (rewrite ?ps_length, ?Lz; assumption). reflexivity. }
  pose proof (bits_differ_in_one (ps x) zs x o) as A.
  pose proof (bits_differ_in_one (ps x') zs x' o) as B.
  rewrite ps_length, Lz in A, B. specialize (A eq_refl Ho Hx (E x)).
  specialize (B eq_refl Ho Hx' (E x')).
  rewrite Nz, ps_nth, Nat.eqb_refl, Ca in A by assumption.
  rewrite Nz, ps_nth, Nat.eqb_refl, Cb in B by assumption.
  transitivity (bits_probability (ps x) o * bernoulli zero a * bernoulli one b); [ring|].
  rewrite A.
  transitivity (bits_probability (ps x') o * bernoulli zero b * bernoulli one a); [|ring].
  rewrite B. ring.
Qed.
End Classes.
