(** n independent users, each with a value of their own, and linear estimates of counts.

    The estimate of the count of v adds w v y over the reports y. *)
From Coq Require Import Reals List Lra Lia Arith.
From LDP Require Import Sums Randomizer.
Import ListNotations.
Open Scope R_scope.

Section Users.
Context {X Y : Type} (M : mech X Y).

(** Expectation of F(reports) when users hold xs and report independently. *)
Fixpoint expectation_n (xs : list X) (F : list Y -> R) : R :=
  match xs with
  | [] => F []
  | x :: xs' => expectation M x (fun y => expectation_n xs' (fun ys => F (y :: ys)))
  end.

Definition variance_n (xs : list X) (F : list Y -> R) : R :=
  expectation_n xs (fun ys => (F ys - expectation_n xs F)²).

Lemma expectation_n_ext xs F G :
  (forall ys, F ys = G ys) -> expectation_n xs F = expectation_n xs G.
Proof.
  revert F G; induction xs; intros F G H; cbn; [auto|]. apply expectation_ext.
  intros; apply IHxs; auto.
Qed.

Lemma expectation_n_plus xs F G :
  expectation_n xs (fun ys => F ys + G ys) = expectation_n xs F + expectation_n xs G.
Proof.
  revert F G; induction xs; intros F G; cbn; [auto|]. rewrite <- expectation_plus.
  apply expectation_ext. intros; apply IHxs.
Qed.

Lemma expectation_n_scale xs c F :
  expectation_n xs (fun ys => c * F ys) = c * expectation_n xs F.
Proof.
  revert F; induction xs; intros F; cbn; [auto|]. rewrite <- expectation_scale.
  apply expectation_ext. intros; apply IHxs.
Qed.

Hypothesis St : stochastic M.

Lemma expectation_n_constant xs c :
  (forall x, In x xs -> dom M x) -> expectation_n xs (fun _ => c) = c.
Proof.
  induction xs; intros H; cbn; [auto|].
  rewrite (expectation_ext M a _ (fun _ => c)) by (intros; apply IHxs; intros; apply H; cbn; tauto).
  apply expectation_constant; [assumption | apply H; cbn; tauto].
Qed.

Lemma expectation_n_sum xs h : (forall x, In x xs -> dom M x) ->
  expectation_n xs (fun ys => sum_over ys h) = sum_over xs (fun x => expectation M x h).
Proof.
  induction xs; intros H; cbn; [auto|].
  assert (Hx : forall x, In x xs -> dom M x) by (intros; apply H; cbn; tauto).
  rewrite (expectation_ext M a _ (fun y => h y + sum_over xs (fun x => expectation M x h)))
    by (intros; rewrite expectation_n_plus, expectation_n_constant, IHxs; auto).
  rewrite expectation_plus, expectation_constant; auto. apply H; cbn; tauto.
Qed.

Lemma expectation_n_square xs h : (forall x, In x xs -> dom M x) ->
  expectation_n xs (fun ys => sum_over ys h * sum_over ys h)
  = sum_over xs (fun x => variance M x h)
    + sum_over xs (fun x => expectation M x h) * sum_over xs (fun x => expectation M x h).
Proof.
  induction xs; intros H; cbn; [ring|].
  assert (Hx : forall x, In x xs -> dom M x) by (intros; apply H; cbn; tauto).
  assert (Ha : dom M a) by (apply H; cbn; tauto).
  set (m := sum_over xs (fun x => expectation M x h)) in *.
  set (s := sum_over xs (fun x => variance M x h)) in *.
  rewrite (expectation_ext M a _ (fun y => h y * h y + ((2 * m) * h y + (s + m * m)))).
  2:{ intros y _. rewrite <- IHxs by auto.
      rewrite (expectation_n_ext xs _
        (fun ys => h y * h y + ((2 * h y) * sum_over ys h + sum_over ys h * sum_over ys h)))
        by (intros; ring).
      rewrite 2!expectation_n_plus, expectation_n_constant, expectation_n_scale,
        expectation_n_sum by auto. unfold m. ring. }
  rewrite 2!expectation_plus, expectation_scale, expectation_constant by auto.
  rewrite (variance_moments M a) by auto. ring.
Qed.

Lemma variance_n_sum xs h : (forall x, In x xs -> dom M x) ->
  variance_n xs (fun ys => sum_over ys h) = sum_over xs (fun x => variance M x h).
Proof.
  intros H. unfold variance_n. rewrite expectation_n_sum by auto.
  set (m := sum_over xs (fun x => expectation M x h)).
  rewrite (expectation_n_ext xs _
    (fun ys => sum_over ys h * sum_over ys h + ((- 2 * m) * sum_over ys h + m * m)))
    by (intros; unfold Rsqr; ring).
  rewrite 2!expectation_n_plus, expectation_n_scale, expectation_n_constant, expectation_n_sum,
    expectation_n_square by auto. fold m. ring.
Qed.
End Users.

(** * Estimates of counts *)

Definition estimate {Y} (w : nat -> Y -> R) (v : nat) (reports : list Y) : R :=
  sum_over reports (w v).

Definition true_count (v : nat) (xs : list nat) : R :=
  sum_over xs (fun x => indicator (Nat.eqb x v)).

Definition share (v : nat) (xs : list nat) : R := true_count v xs / INR (length xs).

(** The estimate of every count is unbiased, whatever the n users hold. *)
Definition unbiased_counts {Y} (M : mech nat Y) (w : nat -> Y -> R) : Prop :=
  forall v xs, dom M v -> (forall x, In x xs -> dom M x) ->
  expectation_n M xs (estimate w v) = true_count v xs.

(** Its variance is V n f for n users of whom a share f holds v. *)
Definition count_variance {Y} (M : mech nat Y) (w : nat -> Y -> R) (V : R -> R -> R) : Prop :=
  forall v xs, dom M v -> xs <> [] -> (forall x, In x xs -> dom M x) ->
  variance_n M xs (estimate w v) = V (INR (length xs)) (share v xs).

(** The same for one share only. *)
Definition count_variance_at {Y} (M : mech nat Y) (w : nat -> Y -> R) (f : R) (V : R -> R)
  : Prop :=
  forall v xs, dom M v -> xs <> [] -> (forall x, In x xs -> dom M x) -> share v xs = f ->
  variance_n M xs (estimate w v) = V (INR (length xs)).

Lemma users_positive (xs : list nat) : xs <> [] -> 1 <= INR (length xs).
Proof.
  intros H. change 1 with (INR 1). apply le_INR. destruct xs; [congruence|]. cbn. lia.
Qed.

Lemma share_bounds v xs : xs <> [] -> 0 <= share v xs <= 1.
Proof.
  intros H. pose proof (users_positive xs H) as P.
  assert (C : 0 <= true_count v xs <= INR (length xs)).
  { unfold true_count. clear. induction xs as [|x xs IH]; [cbn; lra|]. cbn [sum_over].
    change (length (x :: xs)) with (S (length xs)). rewrite S_INR.
    destruct (Nat.eqb x v); cbn [indicator]; lra. }
  unfold share, Rdiv. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_reg_r with (INR (length xs)); [lra|]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Section LinearEstimate.
Context {Y : Type} (M : mech nat Y) (w : nat -> Y -> R) (own other : R).
Hypothesis St : stochastic M.
Hypothesis mean : forall v x, dom M v -> dom M x ->
  expectation M x (w v) = indicator (Nat.eqb x v).
Hypothesis spread : forall v x, dom M v -> dom M x ->
  variance M x (w v) = if Nat.eqb x v then own else other.

Theorem linear_unbiased : unbiased_counts M w.
Proof.
  intros v xs Hv Hx. unfold estimate. rewrite expectation_n_sum by assumption.
  apply sum_ext. intros x I. apply mean; auto.
Qed.

Theorem linear_variance :
  count_variance M w (fun n f => n * (f * own + (1 - f) * other)).
Proof.
  intros v xs Hv Hn Hx. unfold estimate. rewrite variance_n_sum by assumption.
  rewrite (sum_ext xs _ (fun x => other + (own - other) * indicator (Nat.eqb x v))).
  - rewrite sum_plus, sum_constant, sum_scale. fold (true_count v xs).
    pose proof (users_positive xs Hn). unfold share. field. lra.
  - intros x I. rewrite spread by auto. destruct (Nat.eqb x v); cbn; ring.
Qed.
End LinearEstimate.

(** The same variance in another form, which needs to agree for real n >= 1 and 0 <= f <= 1. *)
Lemma count_variance_form {Y} (M : mech nat Y) w (V V' : R -> R -> R) :
  count_variance M w V -> (forall n f, 1 <= n -> 0 <= f -> f <= 1 -> V n f = V' n f) ->
  count_variance M w V'.
Proof.
  intros H E v xs Hv Hn Hx. rewrite (H v xs Hv Hn Hx). pose proof (share_bounds v xs Hn).
  apply E; try tauto. now apply users_positive.
Qed.

Lemma count_variance_form_at {Y} (M : mech nat Y) w (V : R -> R -> R) f (V' : R -> R) :
  count_variance M w V -> (forall n, 1 <= n -> V n f = V' n) -> count_variance_at M w f V'.
Proof.
  intros H E v xs Hv Hn Hx Hf. rewrite (H v xs Hv Hn Hx), Hf. apply E. now apply users_positive.
Qed.
