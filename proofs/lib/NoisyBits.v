(** Vectors of numbers, each with noise of its own: the high value where a one is, else the low one.
    A total over vectors is an iterated one. *)
From Coq Require Import Reals List Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Tails Additive ExponentialNoise LatticeNoise.
Import ListNotations.
Open Scope R_scope.

Section NoisyBits.
Context {T : Type} (M : additive T) (low high : T).

Definition bit_of (v i : nat) : T := if Nat.eqb v i then high else low.

Fixpoint vector_weight (v i : nat) (ys : list T) : R :=
  match ys with
  | [] => 1
  | y :: rest => additive_weight M (bit_of v i) y * vector_weight v (S i) rest
  end.

(** The density, or probability, of a vector of reports for the value v. *)
Definition noisy_bits_weight (v : nat) (ys : list T) : R := vector_weight v 0 ys.

(** An iterated integral, or sum, over vectors of k reports. *)
Fixpoint vector_total (k : nat) (f : list T -> R) (total : R) : Prop :=
  match k with
  | O => f [] = total
  | S k' => exists inner, (forall y, vector_total k' (fun rest => f (y :: rest)) (inner y)) /\
      additive_total M inner total
  end.

Definition noisy_bits_stochastic (k : nat) : Prop := forall v, (v < k)%nat ->
  (forall ys, length ys = k -> 0 <= noisy_bits_weight v ys) /\
  vector_total k (noisy_bits_weight v) 1.

Definition noisy_bits_equal_support (k : nat) : Prop := forall v v' ys,
  (v < k)%nat -> (v' < k)%nat -> length ys = k ->
  0 < noisy_bits_weight v ys -> 0 < noisy_bits_weight v' ys.

Definition noisy_bits_ldp (k : nat) (eps : R) : Prop := forall v v' ys,
  (v < k)%nat -> (v' < k)%nat -> length ys = k ->
  noisy_bits_weight v ys <= exp eps * noisy_bits_weight v' ys.

(** The bound is reached wherever one number is large enough and another small enough. *)
Definition noisy_bits_tight (k : nat) (eps : R) : Prop := exists v v' most least,
  (v < k)%nat /\ (v' < k)%nat /\ forall ys, length ys = k ->
  (forall y, nth_error ys v = Some y -> additive_value M most <= additive_value M y) ->
  (forall y, nth_error ys v' = Some y -> additive_value M y <= additive_value M least) ->
  0 < noisy_bits_weight v' ys /\ noisy_bits_weight v ys = exp eps * noisy_bits_weight v' ys.

Hypothesis low_input : additive_inputs M low.
Hypothesis high_input : additive_inputs M high.

Lemma bit_input v i : additive_inputs M (bit_of v i).
Proof. unfold bit_of. now destruct (Nat.eqb v i). Qed.

Lemma vector_above v i ys : (forall x y, additive_inputs M x -> 0 < additive_weight M x y) ->
  0 < vector_weight v i ys.
Proof.
  intros P. revert i. induction ys as [|y ys IH]; intros i; cbn; [lra|].
  apply Rmult_lt_0_compat; [apply P, bit_input | apply IH].
Qed.

Lemma noisy_bits_positive k : (forall x y, additive_inputs M x -> 0 < additive_weight M x y) ->
  noisy_bits_equal_support k.
Proof. intros P v v' ys _ _ _ _. now apply vector_above. Qed.

Definition here (e : R) (v i len : nat) : R := if (i <=? v)%nat then
  if (v <? i + len)%nat then e else 1 else 1.

Lemma here_step e v i len :
  here e v i (S len) = (if Nat.eqb v i then e else 1) * here e v (S i) len.
Proof.
  unfold here. destruct (Nat.eqb_spec v i), (Nat.leb_spec i v), (Nat.leb_spec (S i) v),
    (Nat.ltb_spec v (i + S len)), (Nat.ltb_spec v (S i + len)); try lia; lra.
Qed.

Lemma vector_ratio e v v' ys : 0 <= e -> additive_ldp M e ->
  (forall x y, additive_inputs M x -> 0 <= additive_weight M x y) ->
  forall i, vector_weight v i ys
    <= here (exp e) v i (length ys) * here (exp e) v' i (length ys) * vector_weight v' i ys.
Proof.
  intros E L P. assert (U : 1 <= exp e) by (pose proof (exp_line e E); lra).
  assert (N : forall w i zs, 0 <= vector_weight w i zs).
  { intros w i zs. revert i. induction zs as [|z zs IH]; intros i; cbn; [lra|].
    apply Rmult_le_pos; [apply P, bit_input | apply IH]. }
  induction ys as [|y ys IH]; intros i; cbn [vector_weight length].
  - unfold here. destruct (i <=? v)%nat, (i <=? v')%nat, (v <? i + 0)%nat, (v' <? i + 0)%nat; nra.
  - rewrite !here_step. specialize (IH (S i)).
    set (g := here (exp e) v (S i) (length ys) * here (exp e) v' (S i) (length ys)) in *.
    set (h := (if Nat.eqb v i then exp e else 1) * (if Nat.eqb v' i then exp e else 1)).
    assert (H : additive_weight M (bit_of v i) y <= h * additive_weight M (bit_of v' i) y).
    { pose proof (L _ _ y high_input low_input). pose proof (L _ _ y low_input high_input).
      pose proof (P low y low_input). pose proof (P high y high_input).
      unfold h, bit_of. destruct (Nat.eqb v i), (Nat.eqb v' i); nra. }
    match goal with |- _ <= ?r => replace r with
      ((h * additive_weight M (bit_of v' i) y) * (g * vector_weight v' (S i) ys))
      by (unfold g, h; ring) end.
    apply Rmult_le_compat; [apply P, bit_input | apply N | exact H | exact IH].
Qed.

Lemma noisy_bits_bound k e : 0 <= e -> additive_ldp M e ->
  (forall x y, additive_inputs M x -> 0 <= additive_weight M x y) -> noisy_bits_ldp k (2 * e).
Proof.
  intros E L P v v' ys V V' K. unfold noisy_bits_weight.
  pose proof (vector_ratio e v v' ys E L P 0%nat) as H. rewrite K in H.
  unfold here in H. cbn [Nat.leb Nat.add] in H.
  destruct (Nat.ltb_spec v k); [|lia]. destruct (Nat.ltb_spec v' k); [|lia].
  replace (2 * e) with (e + e) by ring. now rewrite exp_plus.
Qed.

Lemma vector_same v v' i ys : (v < i)%nat -> (v' < i)%nat ->
  vector_weight v i ys = vector_weight v' i ys.
Proof.
  revert i. induction ys as [|y ys IH]; intros i V V'; cbn [vector_weight]; [reflexivity|].
  rewrite (IH (S i)) by lia. unfold bit_of.
  destruct (Nat.eqb_spec v i), (Nat.eqb_spec v' i); try lia. reflexivity.
Qed.

Lemma noisy_bits_reached k e : (2 <= k)%nat -> additive_tight_ends M low high e ->
  (forall x y, additive_inputs M x -> 0 < additive_weight M x y) -> noisy_bits_tight k (2 * e).
Proof.
  intros K [A B] P. exists 0%nat, 1%nat, high, low. split; [lia|]. split; [lia|].
  intros [|a [|b ys]] L Most Least; cbn in L; try lia.
  split; [now apply vector_above|]. unfold noisy_bits_weight. cbn [vector_weight]. unfold bit_of.
  cbn [Nat.eqb]. destruct (A a) as [_ ->]; [now apply Most|].
  destruct (B b) as [_ ->]; [now apply Least|]. rewrite (vector_same 0 1 2 ys) by lia.
  replace (2 * e) with (e + e) by ring. rewrite exp_plus. ring.
Qed.

(** Totals of a multiple of a function. *)
Definition additive_scales : Prop := forall c f g total, additive_total M f total ->
  (forall y, g y = c * f y) -> additive_total M g (c * total).

Lemma vector_scales k : additive_scales -> forall c f g total, vector_total k f total ->
  (forall ys, g ys = c * f ys) -> vector_total k g (c * total).
Proof.
  intros S. induction k as [|k IH]; cbn; intros c f g total F E; [now rewrite E, F|].
  destruct F as (inner & I & Tot). exists (fun y => c * inner y). split.
  - intros y. apply (IH c (fun rest => f (y :: rest))); [apply I | intros ys; apply E].
  - exact (S c inner _ total Tot (fun y => eq_refl)).
Qed.

Lemma noisy_bits_whole k : additive_scales -> additive_stochastic M -> noisy_bits_stochastic k.
Proof.
  intros S W v _. split.
  - intros ys _. unfold noisy_bits_weight. generalize 0%nat.
    induction ys as [|y ys IH]; intros i; cbn; [lra|].
    apply Rmult_le_pos; [apply (W _ (bit_input v i)) | apply IH].
  - unfold noisy_bits_weight. generalize 0%nat.
    induction k as [|k IH]; intros i; cbn; [reflexivity|].
    exists (fun y => additive_weight M (bit_of v i) y * 1). split.
    + intros y. now apply (vector_scales k S _ (vector_weight v (Datatypes.S i))).
    + replace 1 with (1 * 1) by ring.
      apply (S 1 (additive_weight M (bit_of v i))); [apply (W _ (bit_input v i))|]. intros y. ring.
Qed.
(** * The sum of one number over users, each with an input of their own *)
Fixpoint users_weight (xs ys : list T) : R :=
  match xs, ys with
  | x :: xs', y :: ys' => additive_weight M x y * users_weight xs' ys'
  | _, _ => 1
  end.

Fixpoint users_sum (ys : list T) : R :=
  match ys with [] => 0 | y :: rest => additive_value M y + users_sum rest end.

Definition users_variance (xs : list T) (V : R) : Prop := exists m,
  vector_total (length xs) (fun ys => users_sum ys * users_weight xs ys) m /\
  vector_total (length xs) (fun ys => (users_sum ys - m) ^ 2 * users_weight xs ys) V.

(** Of n users a share f holds the value. What is counted are steps from the low value to the high
    one, so that the variance of the sum is the square of that step times that of the count. *)
Definition noisy_count_variance (V : R -> R -> R) : Prop := forall holders others,
  (0 < holders + others)%nat -> let n := INR (holders + others) in
  users_variance (repeat high holders ++ repeat low others)
    ((additive_value M high - additive_value M low) ^ 2 * V n (INR holders / n)).

(** Mean m, and variance v: every quadratic has the total that they say. *)
Definition quadratic_totals (x : T) (m v : R) : Prop := forall a b c f,
  (forall y, f y = (a + b * (additive_value M y - m) + c * (additive_value M y - m) ^ 2)
    * additive_weight M x y) -> additive_total M f (a + c * v).

Lemma users_quadratic (mean : T -> R) v xs :
  (forall x, In x xs -> quadratic_totals x (mean x) v) ->
  forall a b c f, (forall ys, length ys = length xs -> f ys = (a
      + b * (users_sum ys - sum_over xs mean)
      + c * (users_sum ys - sum_over xs mean) ^ 2) * users_weight xs ys) ->
  vector_total (length xs) f (a + c * (INR (length xs) * v)).
Proof.
  induction xs as [|x xs IH]; intros Q a b c f E.
  - cbn [length vector_total]. rewrite (E [] eq_refl). cbn. ring.
  - cbn [length vector_total].
    exists (fun y => let t := additive_value M y - mean x in
      (a + b * t + c * t ^ 2 + c * (INR (length xs) * v)) * additive_weight M x y). split.
    + intros y. cbv zeta. set (t := additive_value M y - mean x).
      set (w := additive_weight M x y).
      replace ((a + b * t + c * t ^ 2 + c * (INR (length xs) * v)) * w)
        with ((a + b * t + c * t ^ 2) * w + c * w * (INR (length xs) * v)) by ring.
      apply (IH (fun x' H => Q x' (or_intror H)) _ ((b + 2 * c * t) * w)).
      intros ys L. rewrite (E (y :: ys)) by (cbn; now rewrite L).
      cbn [users_sum users_weight sum_over]. unfold t, w. ring.
    + replace (a + c * (INR (S (length xs)) * v)) with (a + c * (INR (length xs) * v) + c * v)
        by (rewrite S_INR; ring).
      apply (Q x (or_introl eq_refl) _ b). intros y. cbv zeta. ring.
Qed.

Lemma users_variance_sum mean v xs : (forall x, In x xs -> quadratic_totals x (mean x) v) ->
  users_variance xs (INR (length xs) * v).
Proof.
  intros Q. exists (sum_over xs mean). split.
  - replace (sum_over xs mean) with (sum_over xs mean + 0 * (INR (length xs) * v)) by ring.
    apply (users_quadratic mean v xs Q _ 1). intros ys _. ring.
  - replace (INR (length xs) * v) with (0 + 1 * (INR (length xs) * v)) by ring.
    apply (users_quadratic mean v xs Q _ 0). intros ys _. ring.
Qed.

Lemma noisy_count mean v V : (forall x, additive_inputs M x -> quadratic_totals x (mean x) v) ->
  (forall n f, 1 <= n -> 0 <= f -> f <= 1 ->
    (additive_value M high - additive_value M low) ^ 2 * V n f = n * v) ->
  noisy_count_variance V.
Proof.
  intros Q E holders others H n. assert (N : 1 <= n) by (apply (le_INR 1); lia).
  assert (P : 0 <= INR holders) by apply pos_INR.
  assert (L : INR holders <= n) by (apply le_INR; lia).
  rewrite E; [| exact N | |].
  - replace n with (INR (length (repeat high holders ++ repeat low others)))
      by now rewrite app_length, !repeat_length.
    apply users_variance_sum with mean. intros x I. apply Q. apply in_app_or in I.
    destruct I as [I|I]; apply repeat_spec in I; now subst x.
  - apply Rmult_le_pos; [assumption|]. left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_reg_r with n; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
End NoisyBits.

(** * Exponential noise *)
Lemma right_integral_scales c f g a total : right_integral f a total -> (forall y, g y = c * f y) ->
  right_integral g a (c * total).
Proof.
  intros (F & Z & C & D & L) E. exists (fun y => c * F y). split; [now rewrite Z, Rmult_0_r|].
  split; [|split].
  - apply (continuity_pt_scal F c a C).
  - intros y H. rewrite E. apply d_scale. now apply D.
  - intros e He. pose proof (Rabs_pos c). destruct (L (e / (Rabs c + 1))) as [Y HY].
    { apply Rdiv_lt_0_compat; lra. }
    exists Y. intros y Hy. specialize (HY y Hy).
    replace (c * F y - c * total) with (c * (F y - total)) by ring. rewrite Rabs_mult.
    pose proof (Rabs_pos (F y - total)).
    apply Rle_lt_trans with ((Rabs c + 1) * Rabs (F y - total)); [nra|].
    apply Rmult_lt_reg_l with (/ (Rabs c + 1)); [apply Rinv_0_lt_compat; lra|].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. rewrite Rmult_comm. exact HY.
Qed.

Lemma integral_scales c f g total : integral f total -> (forall y, g y = c * f y) ->
  integral g (c * total).
Proof.
  intros (a & l & r & L & R & ->) E. exists a, (c * l), (c * r). split; [|split; [|ring]].
  - now apply (right_integral_scales c (fun y => f (- y))).
  - now apply (right_integral_scales c f).
Qed.

Section ExponentialBits.
Context (lower upper level scale : R) (k : nat).
Hypothesis law : exponential_law level scale.
Hypothesis ordered : lower <= upper.
Let M := exponential_noise lower upper level scale.
Let low_input : additive_inputs M lower := conj (Rle_refl lower) ordered.
Let high_input : additive_inputs M upper := conj ordered (Rle_refl upper).
Let above x y (_ : additive_inputs M x) : 0 < additive_weight M x y :=
  exponential_above level scale law x y.

Theorem exponential_bits_stochastic : noisy_bits_stochastic M lower upper k.
Proof.
  apply noisy_bits_whole; [assumption | assumption | | now apply exponential_stochastic].
  intros c. apply integral_scales.
Qed.

Theorem exponential_bits_equal_support : noisy_bits_equal_support M lower upper k.
Proof. now apply noisy_bits_positive. Qed.

Theorem exponential_bits_ldp eps : 2 * (upper - lower) <= eps * scale ->
  noisy_bits_ldp M lower upper k eps.
Proof.
  intros H. pose proof (proj1 (proj2 law)) as S. replace eps with (2 * (eps / 2)) by field.
  apply noisy_bits_bound; [assumption | assumption | nra | |].
  { apply exponential_ldp; [assumption | lra]. }
  intros x y X. left. now apply above.
Qed.

Theorem exponential_bits_tight eps : (2 <= k)%nat -> 2 * (upper - lower) = eps * scale ->
  noisy_bits_tight M lower upper k eps.
Proof.
  intros K H. replace eps with (2 * (eps / 2)) by field.
  apply noisy_bits_reached; try assumption. apply exponential_ends; [assumption | assumption | lra].
Qed.

Theorem exponential_bits_variance V : (forall n f, 1 <= n -> 0 <= f -> f <= 1 ->
    (upper - lower) ^ 2 * V n f = n * (2 * scale ^ 2)) ->
  noisy_count_variance M lower upper V.
Proof.
  intros E. apply noisy_count with (mean := fun x => x) (v := 2 * scale ^ 2); try assumption.
  intros x _ a b c f F. apply (exponential_quadratic level scale law x a b c); [|ring].
  intros y. rewrite F. cbn -[exponential_density]. ring.
Qed.
End ExponentialBits.

(** * Geometric noise *)
Lemma lattice_sum_scales c f g total : lattice_sum f total -> (forall y, g y = c * f y) ->
  lattice_sum g (c * total).
Proof.
  intros (a & l & r & L & R & ->) E. exists a, (c * l), (c * r). split; [|split; [|ring]].
  - eapply infinit_sum_scaled; [exact L|]. intros n. apply E.
  - eapply infinit_sum_scaled; [exact R|]. intros n. apply E.
Qed.

Section LatticeBits.
Context (lower upper : Z) (mass decay : R) (k : nat).
Hypothesis law : lattice_law mass decay.
Hypothesis ordered : (lower <= upper)%Z.
Let M := lattice_noise lower upper mass decay.
Let low_input : additive_inputs M lower := conj (Z.le_refl lower) ordered.
Let high_input : additive_inputs M upper := conj ordered (Z.le_refl upper).
Let above x y (_ : additive_inputs M x) : 0 < additive_weight M x y :=
  lattice_above mass decay law x y.

Theorem lattice_bits_stochastic : noisy_bits_stochastic M lower upper k.
Proof.
  apply noisy_bits_whole; [assumption | assumption | | now apply lattice_stochastic].
  intros c. apply lattice_sum_scales.
Qed.

Theorem lattice_bits_equal_support : noisy_bits_equal_support M lower upper k.
Proof. now apply noisy_bits_positive. Qed.

Lemma twice times ratio : INR (2 * times) * ln ratio = 2 * (INR times * ln ratio).
Proof. rewrite mult_INR. replace (INR 2) with 2 by (cbn; ring). ring. Qed.

Theorem lattice_bits_ldp times ratio : (upper - lower <= Z.of_nat times)%Z -> 1 <= ratio * decay ->
  noisy_bits_ldp M lower upper k (INR (2 * times) * ln ratio).
Proof.
  intros H Q. rewrite twice.
  apply noisy_bits_bound; [assumption | assumption | | now apply lattice_ldp |].
  - apply Rmult_le_pos; [apply pos_INR | now apply (lattice_step_above mass decay law)].
  - intros x y X. left. now apply above.
Qed.

Theorem lattice_bits_tight times ratio : (2 <= k)%nat -> (upper - lower = Z.of_nat times)%Z ->
  ratio * decay = 1 -> noisy_bits_tight M lower upper k (INR (2 * times) * ln ratio).
Proof.
  intros K H Q. rewrite twice. apply noisy_bits_reached; try assumption. now apply lattice_ends.
Qed.

Theorem lattice_bits_variance V : (forall n f, 1 <= n -> 0 <= f -> f <= 1 ->
    (IZR upper - IZR lower) ^ 2 * V n f = n * (2 * decay / (1 - decay) ^ 2)) ->
  noisy_count_variance M lower upper V.
Proof.
  intros E. apply noisy_count with (mean := IZR) (v := 2 * decay / (1 - decay) ^ 2); try assumption.
  intros x _ a b c f F. apply (lattice_quadratic mass decay law x a b c).
  - intros y. rewrite F. cbn -[lattice_weight]. rewrite minus_IZR. ring.
  - field. pose proof (proj1 (proj2 (proj2 law))). lra.
Qed.
End LatticeBits.
