(** Coins: how many of n users are clones, and what their fair coins and one that is not show.

    Their sums are written out by recursion, and stated with binomial coefficients below. *)
From Coq Require Import Reals List Lra Lia Arith.
From LDP Require Import Sums Domination.
Import ListNotations.
Open Scope R_scope.

(** Expectation of g(a + heads, b + tails) over m fair coins. *)
Fixpoint fair (m : nat) (g : nat -> nat -> R) (a b : nat) : R :=
  match m with
  | O => g a b
  | S m' => (fair m' g (S a) b + fair m' g a (S b)) / 2
  end.

(** Expectation of h(C), C ~ Bin(n, c). *)
Fixpoint thin (n : nat) (c : R) (h : nat -> R) : R :=
  match n with
  | O => h O
  | S n' => c * thin n' c (fun m => h (S m)) + (1 - c) * thin n' c h
  end.

(** P(Bin(m, 1/2) = j). *)
Fixpoint coin_mass (m j : nat) : R :=
  match m with
  | O => match j with O => 1 | S _ => 0 end
  | S m' => (coin_mass m' j + match j with O => 0 | S i => coin_mass m' i end) / 2
  end.

(** P(A + D = j), A ~ Bin(m, 1/2), D ~ Bernoulli(w). *)
Definition shown_mass (w : R) (m j : nat) : R :=
  w * match j with O => 0 | S i => coin_mass m i end + (1 - w) * coin_mass m j.

(** The largest P(S) - t P'(S), S any set of values of A + D given m clones: D has the chance
    u/(u + 1) under the one input, 1/(u + 1) under the other. *)
Definition clone_delta (u t : R) (m : nat) : R :=
  sum_over (seq 0 (m + 2)) (fun j =>
    Rmax 0 (shown_mass (truth_weight u) m j - t * shown_mass (1 - truth_weight u) m j)).

Lemma coin_mass_beyond m j : (m < j)%nat -> coin_mass m j = 0.
Proof.
  revert j. induction m as [|m IH]; intros [|j] H; cbn; try lia; [reflexivity|].
  rewrite (IH (S j)), (IH j) by lia. field.
Qed.

Lemma fair_ext m g h : (forall a b, g a b = h a b) -> forall a b, fair m g a b = fair m h a b.
Proof. intros H. induction m; intros; cbn; [auto|]. now rewrite 2!IHm. Qed.

Lemma fair_plus m g h a b :
  fair m (fun a b => g a b + h a b) a b = fair m g a b + fair m h a b.
Proof. revert a b. induction m; intros; cbn; [auto|]. rewrite 2!IHm. field. Qed.

Lemma fair_scale m c g a b : fair m (fun a b => c * g a b) a b = c * fair m g a b.
Proof. revert a b. induction m; intros; cbn; [auto|]. rewrite 2!IHm. field. Qed.

(** One coin more, tossed first or last. *)
Lemma fair_last m g a b :
  fair m (fun a b => (g (S a) b + g a (S b)) / 2) a b = fair (S m) g a b.
Proof. revert a b. induction m; intros; cbn; [auto|]. rewrite 2!IHm. reflexivity. Qed.

Lemma thin_ext n c g h : (forall m, g m = h m) -> thin n c g = thin n c h.
Proof.
  revert g h. induction n; intros g h H; cbn; [auto|].
  rewrite (IHn (fun m => g (S m)) (fun m => h (S m))), (IHn g h); auto.
Qed.

Lemma sum_first n f : sum_over (seq 0 (S n)) f = f 0%nat + sum_over (seq 0 n) (fun j => f (S j)).
Proof. cbn [seq sum_over]. now rewrite <- seq_shift, sum_map. Qed.

Lemma sum_last n f : sum_over (seq 0 (S n)) f = sum_over (seq 0 n) f + f n.
Proof. rewrite seq_S, sum_app. cbn. ring. Qed.

Lemma fair_sum m g a b : fair m g a b
  = sum_over (seq 0 (S m)) (fun j => coin_mass m j * g (a + j)%nat (b + (m - j))%nat).
Proof.
  revert a b. induction m as [|m IH]; intros a b.
  { cbn. rewrite 2!Nat.add_0_r. ring. }
  cbn [fair]. rewrite 2!IH.
  rewrite (sum_ext (seq 0 (S (S m))) _ (fun j =>
    / 2 * (coin_mass m j * g (a + j)%nat (b + (S m - j))%nat)
    + / 2 * (match j with O => 0 | S i => coin_mass m i end * g (a + j)%nat (b + (S m - j))%nat)))
    by (intros j _; cbn [coin_mass]; field).
  rewrite sum_plus, 2!sum_scale. unfold Rdiv. rewrite Rmult_comm, Rmult_plus_distr_l, Rplus_comm.
  f_equal; f_equal.
  - rewrite (sum_last (S m)), coin_mass_beyond by lia. rewrite Rmult_0_l, Rplus_0_r.
    apply sum_ext. intros j Hj. apply in_seq in Hj. f_equal. f_equal. lia.
  - rewrite (sum_first (S m)), Rmult_0_l, Rplus_0_l.
    apply sum_ext. intros j _. f_equal. f_equal; lia.
Qed.

(** Own report and clones together. *)
Lemma fair_shown w m g : w * fair m g 1 0 + (1 - w) * fair m g 0 1
  = sum_over (seq 0 (m + 2)) (fun j => shown_mass w m j * g j (S m - j)%nat).
Proof.
  replace (m + 2)%nat with (S (S m)) by lia. rewrite 2!fair_sum. unfold shown_mass.
  rewrite (sum_ext (seq 0 (S (S m))) _ (fun j =>
    w * (match j with O => 0 | S i => coin_mass m i end * g j (S m - j)%nat)
    + (1 - w) * (coin_mass m j * g j (S m - j)%nat))) by (intros; ring).
  rewrite sum_plus, 2!sum_scale. f_equal; f_equal.
  - rewrite (sum_first (S m)), Rmult_0_l, Rplus_0_l. apply sum_ext. intros j _. f_equal.
  - rewrite (sum_last (S m)), coin_mass_beyond by lia. rewrite Rmult_0_l, Rplus_0_r.
    apply sum_ext. intros j Hj. apply in_seq in Hj. f_equal. f_equal. lia.
Qed.

Lemma shown_mass_bound u t m g mu : 0 <= mu -> (forall a b, 0 <= g a b <= mu) ->
  (truth_weight u - t * (1 - truth_weight u)) * fair m g 1 0
  + ((1 - truth_weight u) - t * truth_weight u) * fair m g 0 1
  <= mu * clone_delta u t m.
Proof.
  intros Hmu Hg. set (w := truth_weight u).
  replace ((w - t * (1 - w)) * fair m g 1 0 + ((1 - w) - t * w) * fair m g 0 1)
    with ((w * fair m g 1 0 + (1 - w) * fair m g 0 1)
      + (- t) * ((1 - w) * fair m g 1 0 + (1 - (1 - w)) * fair m g 0 1)) by ring.
  rewrite 2!fair_shown, <- sum_scale, <- sum_plus. unfold clone_delta. fold w.
  rewrite <- sum_scale. apply sum_le. intros j _. specialize (Hg j (S m - j)%nat).
  set (d := shown_mass w m j - t * shown_mass (1 - w) m j).
  replace (shown_mass w m j * g j (S m - j)%nat
    + - t * (shown_mass (1 - w) m j * g j (S m - j)%nat))
    with (d * g j (S m - j)%nat) by (unfold d; ring).
  apply Rle_trans with (Rmax 0 d * g j (S m - j)%nat).
  - apply Rmult_le_compat_r; [tauto | apply Rmax_r].
  - rewrite Rmult_comm. apply Rmult_le_compat_r; [apply Rmax_l | tauto].
Qed.

(** More clones hide more: what is lost by counting fewer is on the safe side. *)
Theorem clone_delta_decreasing u t m : clone_delta u t (S m) <= clone_delta u t m.
Proof.
  set (l := fun j => shown_mass (truth_weight u) m j - t * shown_mass (1 - truth_weight u) m j).
  set (before := fun j => match j with O => 0 | S i => l i end).
  assert (E : forall j, shown_mass (truth_weight u) (S m) j
      - t * shown_mass (1 - truth_weight u) (S m) j
    = (l j + before j) / 2).
  { intros j. unfold before, l, shown_mass. destruct j as [|[|j]]; cbn [coin_mass].
    all: unfold Rdiv; ring. }
  unfold clone_delta. replace (S m + 2)%nat with (S (m + 2)) by lia. fold l.
  apply Rle_trans with (sum_over (seq 0 (S (m + 2)))
    (fun j => / 2 * Rmax 0 (l j) + / 2 * Rmax 0 (before j))).
  - apply sum_le. intros j _. rewrite E. unfold Rmax.
    destruct (Rle_dec 0 ((l j + before j) / 2)), (Rle_dec 0 (l j)), (Rle_dec 0 (before j)); lra.
  - rewrite sum_plus, 2!sum_scale. rewrite (sum_last (m + 2)), (sum_first (m + 2)).
    assert (Z : l (m + 2)%nat = 0).
    { unfold l, shown_mass. replace (m + 2)%nat with (S (S m)) by lia.
      rewrite 2!coin_mass_beyond by lia. ring. }
    rewrite Z. cbn [before]. rewrite Rmax_left by lra. right.
    change (fun j => Rmax 0
        (shown_mass (truth_weight u) m j - t * shown_mass (1 - truth_weight u) m j))
      with (fun j => Rmax 0 (l j)). lra.
Qed.

(** * In the usual notation *)

Lemma choose_first n : C n 0 = 1.
Proof.
  unfold C. rewrite Nat.sub_0_r. cbn [fact]. rewrite Rmult_1_l. apply Rinv_r, INR_fact_neq_0.
Qed.

Lemma choose_last n : C n n = 1.
Proof.
  unfold C. rewrite Nat.sub_diag. cbn [fact]. rewrite Rmult_1_r. apply Rinv_r, INR_fact_neq_0.
Qed.

Theorem coin_mass_binomial m j : (j <= m)%nat -> coin_mass m j = C m j / 2 ^ m.
Proof.
  revert j. induction m as [|m IH]; intros j H.
  - replace j with 0%nat by lia. rewrite choose_first. cbn. field.
  - assert (P : 2 ^ m <> 0) by (apply pow_nonzero; lra). cbn [coin_mass pow].
    destruct j as [|j]; [rewrite (IH 0%nat), 2!choose_first by lia; now field|].
    rewrite (IH j) by lia. destruct (Nat.eq_dec j m) as [->|N].
    + rewrite coin_mass_beyond, 2!choose_last by lia. now field.
    + rewrite (IH (S j)), <- (pascal m j) by lia. now field.
Qed.

Lemma thin_shift n c h k :
  thin n c (fun m => h (k + S m)%nat) = thin n c (fun m => h (S k + m)%nat).
Proof. apply thin_ext. intros. f_equal. lia. Qed.

Theorem thin_binomial n c h : thin n c h
  = sum_over (seq 0 (S n)) (fun m => C n m * c ^ m * (1 - c) ^ (n - m) * h m).
Proof.
  revert h. induction n as [|n IH]; intros h.
  { cbn. rewrite choose_first. ring. }
  cbn [thin]. rewrite 2!IH.
  rewrite (sum_ext (seq 0 (S (S n))) _ (fun m =>
    match m with O => 0 | S i => C n i * c ^ m * (1 - c) ^ (S n - m) * h m end
    + (if Nat.leb m n then C n m * c ^ m * (1 - c) ^ (S n - m) * h m else 0))).
  - rewrite sum_plus. f_equal.
    + rewrite (sum_first (S n)), Rplus_0_l, <- sum_scale. apply sum_ext. intros j _.
      replace (S n - S j)%nat with (n - j)%nat by lia. cbn [pow]. ring.
    + rewrite (sum_last (S n)). replace (Nat.leb (S n) n) with false
        by (symmetry; apply Nat.leb_gt; lia).
      rewrite Rplus_0_r, <- sum_scale. apply sum_ext. intros j Hj. apply in_seq in Hj.
      replace (Nat.leb j n) with true by (symmetry; apply Nat.leb_le; lia).
      replace (S n - j)%nat with (S (n - j)) by lia. cbn [pow]. ring.
  - intros m Hm. apply in_seq in Hm. destruct m as [|m].
    + cbn [Nat.leb]. rewrite 2!choose_first. ring.
    + destruct (Nat.leb (S m) n) eqn:L.
      * apply Nat.leb_le in L. rewrite <- (pascal n m) by lia. ring.
      * apply Nat.leb_gt in L. replace m with n by lia. rewrite 2!choose_last. ring.
Qed.
