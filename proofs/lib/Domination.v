(** Binary randomized response is the worst case of e^eps = u: the rows of two inputs are mixtures
    of the same two distributions, with its weights u/(u + 1) and 1/(u + 1).

    So several reports, each randomized in view of those before, tell x from x' no better than as
    many binary ones do. Kairouz, Oh, Viswanath (2017), The Composition Theorem for Differential
    Privacy, prove it with the privacy region; here it is an induction. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Exponential Randomizer.
Import ListNotations.
Open Scope R_scope.

(** Weight of the larger part; 1 - truth_weight u = 1/(u + 1). *)
Definition truth_weight (u : R) : R := u / (u + 1).

Section Two.
Context {Y : Type} (ys : list Y) (p p' : Y -> R) (u : R).
Hypothesis Hu : 1 < u.

(** The two distributions; [part p p'] prevails in p, [part p' p] in p'. *)
Definition part (p p' : Y -> R) (y : Y) : R := (u * p y - p' y) / (u - 1).

Lemma truth_parts : truth_weight u = 1 - 1 / (u + 1) /\ 0 < truth_weight u < 1.
Proof.
  unfold truth_weight. split; [field; lra|]. split.
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_lt_reg_r with (u + 1); [lra|]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma parts_mix y : p y = truth_weight u * part p p' y + (1 - truth_weight u) * part p' p y.
Proof. unfold truth_weight, part. field. lra. Qed.

Lemma part_nonneg : (forall y, In y ys -> p' y <= u * p y) ->
  forall y, In y ys -> 0 <= part p p' y.
Proof.
  intros H y Hy. specialize (H y Hy). unfold part, Rdiv.
  apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma part_sum : sum_over ys p = 1 -> sum_over ys p' = 1 -> sum_over ys (part p p') = 1.
Proof.
  intros H H'. unfold part.
  rewrite (sum_ext ys _ (fun y => u / (u - 1) * p y + (- / (u - 1)) * p' y))
    by (intros; field; lra).
  rewrite sum_plus, 2!sum_scale, H, H'. field. lra.
Qed.
End Two.

(** * Reports in view of those before *)
Section Adaptive.
Context {X Y : Type} (N : list Y -> mech X Y).

(** Expectation of F(all reports, the latest first) of k more reports of x. *)
Fixpoint adaptive (k : nat) (x : X) (past : list Y) (F : list Y -> R) : R :=
  match k with
  | O => F past
  | S k' => expectation (N past) x (fun y => adaptive k' x (y :: past) F)
  end.
End Adaptive.

(** The largest a P(S) - b P'(S) over sets S of k answers of binary randomized response, P and P'
    their distributions under the two inputs: one answer after the other. *)
Fixpoint binary_delta (u a b : R) (k : nat) : R :=
  match k with
  | O => Rmax 0 (a - b)
  | S k' => binary_delta u (truth_weight u * a) ((1 - truth_weight u) * b) k'
            + binary_delta u ((1 - truth_weight u) * a) (truth_weight u * b) k'
  end.

Lemma binary_delta_nonneg u a b k : 0 <= binary_delta u a b k.
Proof.
  revert a b. induction k; intros a b; cbn; [apply Rmax_l|].
  apply Rplus_le_le_0_compat; apply IHk.
Qed.

Section Dominated.
Context {X Y : Type} (N : list Y -> mech X Y) (D : X -> Prop) (u : R).
Hypothesis Hu : 1 < u.
Hypothesis St : forall past, stochastic (N past).
Hypothesis Dom : forall past x, D x -> dom (N past) x.
Hypothesis Ratio : forall past x x' y, D x -> D x' -> In y (outs (N past)) ->
  pr (N past) x y <= u * pr (N past) x' y.

Theorem dominated (F : list Y -> R) x x' a b k past : (forall ys, 0 <= F ys <= 1) ->
  D x -> D x' -> 0 <= a -> 0 <= b ->
  a * adaptive N k x past F - b * adaptive N k x' past F <= binary_delta u a b k.
Proof.
  intros HF Hx Hx'. revert a b past. induction k as [|k IH]; intros a b past Ha Hb; cbn.
  - specialize (HF past). unfold Rmax. destruct (Rle_dec 0 (a - b)) as [L|L].
    + replace (a * F past - b * F past) with ((a - b) * F past) by ring.
      rewrite <- (Rmult_1_r (a - b)) at 2. apply Rmult_le_compat_l; lra.
    + replace (a * F past - b * F past) with (- ((b - a) * F past)) by ring.
      assert (0 <= (b - a) * F past) by (apply Rmult_le_pos; lra). lra.
  - destruct (truth_parts u Hu) as [_ W]. set (w := truth_weight u) in *.
    destruct (St past x (Dom past x Hx)) as [_ P1].
    destruct (St past x' (Dom past x' Hx')) as [_ P1'].
    set (M := N past) in *. set (q := part u (pr M x) (pr M x')).
    set (q' := part u (pr M x') (pr M x)).
    assert (Q0 : forall y, In y (outs M) -> 0 <= q y)
      by (apply part_nonneg; [assumption|]; intros; now apply Ratio).
    assert (Q0' : forall y, In y (outs M) -> 0 <= q' y)
      by (apply part_nonneg; [assumption|]; intros; now apply Ratio).
    set (A := binary_delta u (w * a) ((1 - w) * b) k).
    set (B := binary_delta u ((1 - w) * a) (w * b) k).
    set (E := fun y => adaptive N k x (y :: past) F).
    set (E' := fun y => adaptive N k x' (y :: past) F).
    apply Rle_trans with (sum_over (outs M) (fun y => q y * A + q' y * B)).
    + unfold expectation.
      change (a * sum_over (outs M) (fun y => pr M x y * E y)
        - b * sum_over (outs M) (fun y => pr M x' y * E' y)
        <= sum_over (outs M) (fun y => q y * A + q' y * B)).
      replace (a * sum_over (outs M) (fun y => pr M x y * E y)
        - b * sum_over (outs M) (fun y => pr M x' y * E' y))
        with (sum_over (outs M) (fun y => a * (pr M x y * E y) + (- b) * (pr M x' y * E' y)))
        by (rewrite sum_plus, 2!sum_scale; ring).
      apply Rle_trans with (sum_over (outs M) (fun y =>
        q y * (w * a * E y - (1 - w) * b * E' y) + q' y * ((1 - w) * a * E y - w * b * E' y))).
      * right. apply sum_ext. intros y _.
        rewrite (parts_mix (pr M x) (pr M x') u Hu y) at 1.
        rewrite (parts_mix (pr M x') (pr M x) u Hu y) at 1.
        fold q q' w. ring.
      * apply sum_le. intros y Hy. apply Rplus_le_compat.
        -- apply Rmult_le_compat_l; [now apply Q0|]. apply IH; apply Rmult_le_pos; lra.
        -- apply Rmult_le_compat_l; [now apply Q0'|]. apply IH; apply Rmult_le_pos; lra.
    + rewrite sum_plus, 2!sum_scale_right.
      assert (S1 : sum_over (outs M) q = 1) by now apply part_sum.
      assert (S2 : sum_over (outs M) q' = 1) by now apply part_sum.
      change (sum_over (outs M) q * A + sum_over (outs M) q' * B <= A + B).
      rewrite S1, S2. lra.
Qed.
End Dominated.

(** k reports of randomizers with eps > 0, each chosen in view of those before: their delta at t is
    at most that of k answers of binary randomized response. *)
Theorem dominated_composition {X Y} (N : list Y -> mech X Y) (D : X -> Prop) eps t k
  (F : list Y -> R) x x' :
  0 < eps -> (forall past, stochastic (N past)) -> (forall past x, D x -> dom (N past) x) ->
  (forall past, ldp (N past) eps) -> (forall ys, 0 <= F ys <= 1) -> D x -> D x' ->
  adaptive N k x [] F - exp t * adaptive N k x' [] F <= binary_delta (exp eps) 1 (exp t) k.
Proof.
  intros He St Dom H HF Hx Hx'. rewrite <- (Rmult_1_l (adaptive N k x [] F)).
  apply (dominated N D (exp eps)); auto; try lra.
  - now apply exp_above_1.
  - intros past a a' y Ha Ha' Hy. apply H; auto.
  - left. apply exp_pos.
Qed.
