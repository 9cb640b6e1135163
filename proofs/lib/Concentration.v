(** Tail bounds for sums over the reports of n independent users, each with a finite table.

    A report y adds h y to the sum; what is bounded is the probability that the sum lies t or more
    from its expectation: Hoeffding's inequality from the range of h, Bernstein's from the variance
    and the largest excess over the mean. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Exponential Randomizer Users Tails.
Import ListNotations.
Open Scope R_scope.

(** 1 where A holds. *)
Definition holds {A : Prop} (d : {A} + {~ A}) : R := if d then 1 else 0.

Section Tail.
Context {X Y : Type} (M : mech X Y).

Definition mean_n (xs : list X) (h : Y -> R) : R := expectation_n M xs (fun ys => sum_over ys h).

(** P(sum - mean >= t), P(mean - sum >= t), P(|sum - mean| >= t). *)
Definition above_mean (xs : list X) (h : Y -> R) (t : R) : R :=
  expectation_n M xs (fun ys => holds (Rle_dec t (sum_over ys h - mean_n xs h))).
Definition below_mean (xs : list X) (h : Y -> R) (t : R) : R :=
  expectation_n M xs (fun ys => holds (Rle_dec t (mean_n xs h - sum_over ys h))).
Definition off_mean (xs : list X) (h : Y -> R) (t : R) : R :=
  expectation_n M xs (fun ys => holds (Rle_dec t (Rabs (sum_over ys h - mean_n xs h)))).

Hypothesis St : stochastic M.

Lemma expectation_le x f g : dom M x -> (forall y, In y (outs M) -> f y <= g y) ->
  expectation M x f <= expectation M x g.
Proof.
  intros Hx H. apply sum_le. intros y Hy. apply Rmult_le_compat_l; [now apply St | now apply H].
Qed.

Lemma expectation_n_le xs F G : (forall x, In x xs -> dom M x) -> (forall ys, F ys <= G ys) ->
  expectation_n M xs F <= expectation_n M xs G.
Proof.
  revert F G. induction xs as [|x xs IH]; intros F G Hx H; cbn; [apply H|].
  apply expectation_le; [apply Hx; cbn; tauto|]. intros y _. apply IH; [|auto].
  intros; apply Hx; cbn; tauto.
Qed.

(** The moment generating function of a sum of independent reports is a product. *)
Lemma generating_product xs h m s c : (forall x, In x xs -> dom M x) ->
  (forall x, In x xs -> expectation M x (fun y => exp (s * (h y - m x))) <= exp (c x)) ->
  expectation_n M xs (fun ys => exp (s * (sum_over ys h - sum_over xs m)))
  <= exp (sum_over xs c).
Proof.
  induction xs as [|x xs IH]; intros Hx H; cbn [expectation_n sum_over].
  { right. f_equal. ring. }
  assert (Hxs : forall a, In a xs -> dom M a) by (intros; apply Hx; cbn; tauto).
  assert (Hc : forall a, In a xs ->
    expectation M a (fun y => exp (s * (h y - m a))) <= exp (c a)) by (intros; apply H; cbn; tauto).
  specialize (IH Hxs Hc). set (E := expectation_n M xs _) in IH.
  rewrite (expectation_ext M x _ (fun y => E * exp (s * (h y - m x)))).
  - rewrite expectation_scale, exp_plus, Rmult_comm.
    apply Rmult_le_compat; [| |apply H; cbn; tauto | exact IH].
    + rewrite <- (expectation_constant M x 0 St) by (apply Hx; cbn; tauto).
      apply expectation_le; [apply Hx; cbn; tauto|]. intros; left; apply exp_pos.
    + unfold E. rewrite <- (expectation_n_constant M St xs 0 Hxs).
      apply expectation_n_le; [assumption|]. intros; left; apply exp_pos.
  - intros y _. rewrite Rmult_comm. unfold E. rewrite <- expectation_n_scale.
    apply expectation_n_ext. intros ys. cbn [sum_over]. rewrite <- exp_plus. f_equal. ring.
Qed.

(** The bound of Chernoff: s >= 0 is free. *)
Theorem chernoff xs h t s c : (forall x, In x xs -> dom M x) -> 0 <= s ->
  (forall x, In x xs ->
    expectation M x (fun y => exp (s * (h y - expectation M x h))) <= exp (c x)) ->
  above_mean xs h t <= exp (sum_over xs c - s * t).
Proof.
  intros Hx S H. unfold above_mean, mean_n.
  rewrite expectation_n_sum by assumption.
  set (m := sum_over xs (fun x => expectation M x h)).
  apply Rle_trans with
    (expectation_n M xs (fun ys => exp (- (s * t)) * exp (s * (sum_over ys h - m)))).
  - apply expectation_n_le; [assumption|]. intros ys. rewrite <- exp_plus.
    unfold holds. destruct (Rle_dec t (sum_over ys h - m)) as [T|_]; [|left; apply exp_pos].
    assert (0 <= s * (sum_over ys h - m - t)) by (apply Rmult_le_pos; lra).
    pose proof (exp_tangent (- (s * t) + s * (sum_over ys h - m))). lra.
  - rewrite expectation_n_scale. unfold Rminus at 2. rewrite exp_plus, Rmult_comm.
    apply Rmult_le_compat_r; [left; apply exp_pos|].
    now apply (generating_product xs h (fun x => expectation M x h) s c).
Qed.

Lemma expectation_opp x h : expectation M x (fun y => - h y) = - expectation M x h.
Proof.
  rewrite (expectation_ext M x _ (fun y => (- 1) * h y)) by (intros; ring).
  rewrite expectation_scale. ring.
Qed.

Lemma below_above xs h t : (forall x, In x xs -> dom M x) ->
  below_mean xs h t = above_mean xs (fun y => - h y) t.
Proof.
  intros Hx. apply expectation_n_ext. intros ys.
  assert (S : forall l : list Y, sum_over l (fun y => - h y) = - sum_over l h)
    by (induction l; cbn; [ring | rewrite IHl; ring]).
  assert (E : mean_n xs (fun y => - h y) = - mean_n xs h).
  { unfold mean_n. rewrite (expectation_n_ext M xs _ (fun ys => (- 1) * sum_over ys h))
      by (intros; rewrite S; ring). rewrite expectation_n_scale. ring. }
  rewrite S, E. unfold holds.
  destruct (Rle_dec t (mean_n xs h - sum_over ys h)), (Rle_dec t (- sum_over ys h - - mean_n xs h));
    lra.
Qed.

Lemma off_sides xs h t : (forall x, In x xs -> dom M x) ->
  off_mean xs h t <= above_mean xs h t + below_mean xs h t.
Proof.
  intros Hx. unfold off_mean, above_mean, below_mean. rewrite <- expectation_n_plus.
  apply expectation_n_le; [assumption|]. intros ys. set (d := sum_over ys h - mean_n xs h).
  replace (mean_n xs h - sum_over ys h) with (- d) by (unfold d; ring). unfold holds.
  destruct (Rle_dec t (Rabs d)) as [T|_], (Rle_dec t d), (Rle_dec t (- d)); try lra.
  unfold Rabs in T. destruct (Rcase_abs d); lra.
Qed.

(** * Hoeffding *)

Lemma range_mean x h a b : dom M x -> (forall y, In y (outs M) -> a <= h y <= b) ->
  a <= expectation M x h <= b.
Proof.
  intros Hx H. pose proof (expectation_constant M x a St Hx) as A.
  pose proof (expectation_constant M x b St Hx) as B.
  assert (expectation M x (fun _ => a) <= expectation M x h)
    by (apply expectation_le; [assumption | intros y Hy; apply (H y Hy)]).
  assert (expectation M x h <= expectation M x (fun _ => b))
    by (apply expectation_le; [assumption | intros y Hy; apply (H y Hy)]). lra.
Qed.

(** Hoeffding's lemma. *)
Theorem hoeffding_lemma x h a b s : dom M x -> a < b ->
  (forall y, In y (outs M) -> a <= h y <= b) ->
  expectation M x (fun y => exp (s * (h y - expectation M x h)))
  <= exp (s * s * ((b - a) * (b - a)) / 8).
Proof.
  intros Hx L H. set (m := expectation M x h). pose proof (range_mean x h a b Hx H) as B.
  fold m in B. set (z := s * (b - a)). set (p := (m - a) / (b - a)).
  assert (P : 0 <= p <= 1).
  { unfold p, Rdiv. split.
    - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
    - apply Rmult_le_reg_r with (b - a); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  apply Rle_trans with (expectation M x (fun y => exp (- (p * z)) * (1 + (exp z - 1) / (b - a)
    * (h y + (- a))))).
  - apply expectation_le; [assumption|]. intros y Hy. specialize (H y Hy).
    set (l := (h y - a) / (b - a)).
    assert (Q : 0 <= l <= 1).
    { unfold l, Rdiv. split.
      - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
      - apply Rmult_le_reg_r with (b - a); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    replace (s * (h y - m)) with (- (p * z) + l * z) by (unfold p, l, z; field; lra).
    rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos|].
    eapply Rle_trans; [now apply exp_below_line|]. right. unfold l. field. lra.
  - rewrite expectation_scale, expectation_plus, expectation_scale, expectation_plus.
    rewrite !expectation_constant by assumption. fold m.
    replace (1 + (exp z - 1) / (b - a) * (m + - a)) with (1 - p + p * exp z)
      by (unfold p; field; lra).
    apply Rle_trans with (exp (- (p * z)) * exp (z * z / 8 + p * z)).
    + apply Rmult_le_compat_l; [left; apply exp_pos | now apply hoeffding_two_points].
    + right. rewrite <- exp_plus. f_equal. unfold z. field.
Qed.

(** Hoeffding's inequality: P(sum - mean >= t) <= exp(-2 t^2 / (n (b - a)^2)). *)
Theorem hoeffding_above xs h a b t : (forall x, In x xs -> dom M x) -> xs <> [] -> a < b ->
  (forall y, In y (outs M) -> a <= h y <= b) -> 0 <= t ->
  above_mean xs h t <= exp (- (2 * (t * t) / (INR (length xs) * ((b - a) * (b - a))))).
Proof.
  intros Hx N L H T. set (n := INR (length xs)). set (w := (b - a) * (b - a)).
  assert (W : 0 < w) by (apply Rmult_lt_0_compat; lra).
  assert (P : 0 < n).
  { apply lt_0_INR. destruct xs; [congruence | cbn; lia]. }
  set (s := 4 * t / (n * w)).
  assert (S : 0 <= s).
  { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat. }
  eapply Rle_trans; [apply (chernoff xs h t s (fun _ => s * s * w / 8)); try assumption|].
  - intros x Ix. apply hoeffding_lemma; auto.
  - right. f_equal. rewrite sum_constant. fold n. unfold s. field. lra.
Qed.

Theorem hoeffding_below xs h a b t : (forall x, In x xs -> dom M x) -> xs <> [] -> a < b ->
  (forall y, In y (outs M) -> a <= h y <= b) -> 0 <= t ->
  below_mean xs h t <= exp (- (2 * (t * t) / (INR (length xs) * ((b - a) * (b - a))))).
Proof.
  intros Hx N L H T. rewrite below_above by assumption.
  replace (b - a) with (- a - - b) by ring. apply hoeffding_above; try assumption; [lra|].
  intros y Hy. specialize (H y Hy). lra.
Qed.

Theorem hoeffding xs h a b t : (forall x, In x xs -> dom M x) -> xs <> [] -> a < b ->
  (forall y, In y (outs M) -> a <= h y <= b) -> 0 <= t ->
  off_mean xs h t <= 2 * exp (- (2 * (t * t) / (INR (length xs) * ((b - a) * (b - a))))).
Proof.
  intros Hx N L H T. eapply Rle_trans; [now apply off_sides|].
  pose proof (hoeffding_above xs h a b t Hx N L H T).
  pose proof (hoeffding_below xs h a b t Hx N L H T). lra.
Qed.

(** * Bernstein *)

Lemma bernstein_lemma x h c s : dom M x -> 0 < c ->
  (forall y, In y (outs M) -> h y - expectation M x h <= c) -> 0 < s -> s * c < 3 ->
  expectation M x (fun y => exp (s * (h y - expectation M x h)))
  <= exp (s * s * variance M x h / (2 * (1 - s * c / 3))).
Proof.
  intros Hx C H S S3. set (m := expectation M x h). set (d := 2 * (1 - s * c / 3)).
  assert (D : 0 < d) by (unfold d; lra).
  apply Rle_trans with (expectation M x (fun y => (1 + s * (h y + - m))
    + s * s / d * (h y - m)²)).
  - apply expectation_le; [assumption|]. intros y Hy.
    eapply Rle_trans; [apply (exp_below_parabola _ (s * c)); [| nra | assumption]|].
    + apply Rmult_le_compat_l; [lra | now apply H].
    + right. unfold d, Rsqr. field. lra.
  - rewrite !expectation_plus, !expectation_scale, expectation_plus.
    rewrite !expectation_constant by assumption. fold m.
    change (expectation M x (fun y => (h y - m)²)) with (variance M x h).
    replace (1 + s * (m + - m) + s * s / d * variance M x h)
      with (1 + s * s * variance M x h / d) by (field; lra).
    apply exp_tangent.
Qed.

(** Bernstein's inequality: P(sum - mean >= t) <= exp(-t^2 / (2 (V + c t / 3))) for any V at least
    the variance of the sum. *)
Theorem bernstein_above xs h c V t : (forall x, In x xs -> dom M x) -> 0 < c ->
  (forall x y, In x xs -> In y (outs M) -> h y - expectation M x h <= c) ->
  variance_n M xs (fun ys => sum_over ys h) <= V -> 0 < V -> 0 < t ->
  above_mean xs h t <= exp (- (t * t / (2 * (V + c * t / 3)))).
Proof.
  intros Hx C H HV V0 T. rewrite variance_n_sum in HV by assumption.
  assert (Q : 0 < c * t) by (now apply Rmult_lt_0_compat).
  assert (D : 0 < V + c * t / 3) by lra. set (s := t / (V + c * t / 3)).
  assert (S : 0 < s) by (now apply Rdiv_lt_0_compat).
  assert (G : 1 - s * c / 3 = V / (V + c * t / 3)) by (unfold s; field; lra).
  assert (P : 0 < V / (V + c * t / 3)) by (now apply Rdiv_lt_0_compat).
  eapply Rle_trans; [apply (chernoff xs h t s
    (fun x => s * s / (2 * (1 - s * c / 3)) * variance M x h)); [assumption | lra |]|].
  - intros x Ix. eapply Rle_trans; [apply (bernstein_lemma x h c s); auto; lra|].
    right. f_equal. field. lra.
  - rewrite sum_scale. set (v := sum_over xs (fun x => variance M x h)) in *.
    assert (A : s * s / (2 * (1 - s * c / 3)) * v - s * t <= - (t * t / (2 * (V + c * t / 3)))).
    { rewrite G. assert (B : s * s / (2 * (V / (V + c * t / 3))) * v
        <= s * s / (2 * (V / (V + c * t / 3))) * V).
      { apply Rmult_le_compat_l; [|assumption]. left. apply Rdiv_lt_0_compat; [|lra].
        now apply Rmult_lt_0_compat. }
      replace (s * s / (2 * (V / (V + c * t / 3))) * V) with (t * t / (2 * (V + c * t / 3))) in B
        by (unfold s; field; lra).
      replace (s * t) with (2 * (t * t / (2 * (V + c * t / 3)))) by (unfold s; field; lra).
      lra. }
    destruct A as [A|A]; [left; now apply exp_strict | right; now rewrite A].
Qed.

Theorem bernstein xs h c V t : (forall x, In x xs -> dom M x) -> 0 < c ->
  (forall x y, In x xs -> In y (outs M) -> Rabs (h y - expectation M x h) <= c) ->
  variance_n M xs (fun ys => sum_over ys h) <= V -> 0 < V -> 0 < t ->
  off_mean xs h t <= 2 * exp (- (t * t / (2 * (V + c * t / 3)))).
Proof.
  intros Hx C H HV V0 T. eapply Rle_trans; [now apply off_sides|].
  rewrite below_above by assumption.
  assert (A : above_mean xs h t <= exp (- (t * t / (2 * (V + c * t / 3))))).
  { apply bernstein_above; auto. intros x y Ix Iy. specialize (H x y Ix Iy).
    pose proof (Rle_abs (h y - expectation M x h)). lra. }
  assert (B : above_mean xs (fun y => - h y) t <= exp (- (t * t / (2 * (V + c * t / 3))))).
  { apply bernstein_above; auto.
    - intros x y Ix Iy. specialize (H x y Ix Iy). rewrite expectation_opp.
      rewrite <- Rabs_Ropp in H. pose proof (Rle_abs (- (h y - expectation M x h))). lra.
    - rewrite variance_n_sum in * by assumption. eapply Rle_trans; [|exact HV]. right.
      apply sum_ext. intros x _. unfold variance. rewrite expectation_opp.
      apply expectation_ext. intros y _. unfold Rsqr. ring. }
  lra.
Qed.
End Tail.

(** * Estimates of counts *)

(** P(|estimate - true count| >= t) for n users. *)
Definition count_error {Y} (M : mech nat Y) (w : nat -> Y -> R) (v : nat) (xs : list nat) (t : R)
  : R :=
  expectation_n M xs (fun ys => holds (Rle_dec t (Rabs (estimate w v ys - true_count v xs)))).

Theorem hoeffding_counts {Y} (M : mech nat Y) w v xs a b t : stochastic M ->
  unbiased_counts M w -> dom M v -> (forall x, In x xs -> dom M x) -> xs <> [] -> a < b ->
  (forall y, In y (outs M) -> a <= w v y <= b) -> 0 <= t ->
  count_error M w v xs t <= 2 * exp (- (2 * (t * t) / (INR (length xs) * ((b - a) * (b - a))))).
Proof.
  intros St U Hv Hx N L H T. unfold count_error. rewrite <- (U v xs Hv Hx).
  now apply (hoeffding M St xs (w v)).
Qed.

Theorem bernstein_counts {Y} (M : mech nat Y) w v xs c V t : stochastic M ->
  unbiased_counts M w -> dom M v -> (forall x, In x xs -> dom M x) -> 0 < c ->
  (forall x y, In x xs -> In y (outs M) -> Rabs (w v y - indicator (Nat.eqb x v)) <= c) ->
  variance_n M xs (estimate w v) <= V -> 0 < V -> 0 < t ->
  count_error M w v xs t <= 2 * exp (- (t * t / (2 * (V + c * t / 3)))).
Proof.
  intros St U Hv Hx C H HV V0 T. unfold count_error. rewrite <- (U v xs Hv Hx).
  apply (bernstein M St xs (w v)); auto. intros x y Ix Iy.
  assert (E : expectation M x (w v) = indicator (Nat.eqb x v)).
  { specialize (U v [x] Hv ltac:(intros z [<-|[]]; auto)). unfold estimate, true_count in U.
    rewrite expectation_n_sum in U by (auto; intros z [<-|[]]; auto). cbn in U. lra. }
  rewrite E. auto.
Qed.
