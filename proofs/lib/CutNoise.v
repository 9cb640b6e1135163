(** Geometric noise that is cut off: what lies beyond an end is reported as that end, and read as
    the mean of what lies there. The weight is that of the number before it is cut, so that a bound
    at every number is one at every report; what a number is read as is its value. *)
From Coq Require Import Reals Lra Lia Psatz ZArith.
From LDP Require Import Sums Exponential Additive ExponentialNoise LatticeNoise NoisyBits.
Open Scope R_scope.

(** * Series that differ in some terms *)
Lemma infinit_sum_extended f g s t : infinit_sum f s -> infinit_sum g t ->
  infinit_sum (fun n => f n + g n) (s + t).
Proof.
  intros F G e He. destruct (F (e / 2) ltac:(lra)) as [N HN].
  destruct (G (e / 2) ltac:(lra)) as [N' HN'].
  exists (Nat.max N N'). intros n Hn. specialize (HN n ltac:(lia)). specialize (HN' n ltac:(lia)).
  unfold R_dist in *. rewrite plus_sum.
  replace (sum_f_R0 f n + sum_f_R0 g n - (s + t))
    with ((sum_f_R0 f n - s) + (sum_f_R0 g n - t)) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang | lra].
Qed.

Definition delayed (N : nat) (h : nat -> R) (n : nat) : R :=
  if (n <? N)%nat then 0 else h (n - N)%nat.

Lemma delayed_sum N h t : infinit_sum h t -> infinit_sum (delayed N h) t.
Proof.
  intros H e He. destruct (H e He) as [M HM]. exists (N + M)%nat. intros n Hn.
  assert (E : forall j, sum_f_R0 (delayed N h) (N + j) = sum_f_R0 h j).
  { destruct N as [|N]; intros j.
    - cbn [Nat.add]. apply sum_eq. intros i _. unfold delayed. cbn. now rewrite Nat.sub_0_r.
    - assert (Z : forall i, (i <= N)%nat -> sum_f_R0 (delayed (S N) h) i = 0).
      { induction i as [|i IH]; intros L; cbn [sum_f_R0].
        - unfold delayed. destruct (Nat.ltb_spec 0 (S N)); [reflexivity | lia].
        - rewrite IH by lia. unfold delayed. destruct (Nat.ltb_spec (S i) (S N)); [lra | lia]. }
      induction j as [|j IH].
      + rewrite Nat.add_0_r. cbn [sum_f_R0]. rewrite Z by lia. unfold delayed.
        destruct (Nat.ltb_spec (S N) (S N)); [lia|]. rewrite Nat.sub_diag. ring.
      + rewrite Nat.add_succ_r. cbn [sum_f_R0]. rewrite IH. unfold delayed.
        destruct (Nat.ltb_spec (S (S N + j)) (S N)); [lia|].
        replace (S (S N + j) - S N)%nat with (S j) by lia. reflexivity. }
  replace n with (N + (n - N))%nat by lia. rewrite E. apply HM. lia.
Qed.

Lemma infinit_sum_same f g t : infinit_sum f t -> (forall n, g n = f n) -> infinit_sum g t.
Proof.
  intros F E. replace t with (1 * t) by ring. apply (infinit_sum_scaled 1 f); [assumption|].
  intros n. rewrite E. ring.
Qed.

Lemma first_sum e : infinit_sum (fun n => match n with O => e | S _ => 0 end) e.
Proof.
  intros d Hd. exists 0%nat. intros n _. unfold R_dist.
  assert (E : sum_f_R0 (fun n => match n with O => e | S _ => 0 end) n = e)
    by (induction n as [|n IH]; cbn [sum_f_R0]; [|rewrite IH]; ring).
  rewrite E, Rminus_eq_0, Rabs_R0. exact Hd.
Qed.

Lemma shifted_sum f t : infinit_sum f t -> infinit_sum (fun n => f (S n)) (t - f 0%nat).
Proof.
  intros F e He. destruct (F e He) as [N HN]. exists N. intros n Hn.
  specialize (HN (S n) ltac:(lia)). unfold R_dist in *.
  rewrite (decomp_sum f (S n)) in HN by lia. cbn [pred] in HN.
  replace (sum_f_R0 (fun i => f (S i)) n - (t - f 0%nat))
    with (f 0%nat + sum_f_R0 (fun i => f (S i)) n - t) by ring. exact HN.
Qed.

(** A quadratic times d^n that stays, from N on, at the mean of what would follow. *)
Section Cut.
Context (d : R).
Hypothesis d_above : 0 < d.
Hypothesis d_below : d < 1.

Definition quadratic (a b c t : R) : R := a + b * t + c * (t * t).
Definition kept (N n : nat) : R := if (n <? N)%nat then INR n else INR N + d / (1 - d).

Lemma cut_series a b c N :
  infinit_sum (fun n => quadratic a b c (kept N n) * d ^ n)
    (a / (1 - d) + b * d / (1 - d) ^ 2 + c * d * (1 + d) / (1 - d) ^ 3
      - c * d ^ N * d / (1 - d) ^ 3).
Proof.
  set (m := d / (1 - d)).
  pose proof (quadratic_series a b c d d_above d_below) as Whole.
  pose proof (quadratic_series (b * m + c * (2 * INR N * m + m * m)) (- b - 2 * c * INR N) (- c)
    d d_above d_below) as Rest.
  pose proof (delayed_sum N _ _ (infinit_sum_scaled (d ^ N) _ _ _ Rest (fun n => eq_refl))) as Late.
  pose proof (infinit_sum_extended _ _ _ _ Whole Late) as Both.
  eapply eq_ind; [eapply infinit_sum_same; [exact Both|] |].
  - intros n. unfold kept, delayed, quadratic. destruct (Nat.ltb_spec n N) as [L|L]; [ring|].
    fold m. remember (n - N)%nat as j eqn:J. assert (E : n = (N + j)%nat) by lia. subst n.
    rewrite plus_INR, pow_add. ring.
  - unfold m. field. lra.
Qed.
End Cut.

(** What a number is read as. *)
Definition cut_value (low high : Z) (low_report high_report : R) (y : Z) : R :=
  if (y <=? low)%Z then low_report else if (high <=? y)%Z then high_report else IZR y.

Definition cut_noise (lower upper low high : Z) (mass decay low_report high_report : R) :
    additive Z :=
  Additive (fun x => (lower <= x <= upper)%Z) (cut_value low high low_report high_report)
    (lattice_weight mass decay) lattice_sum.

(** It is a law, and the ends lie around the inputs and are read as means. *)
Definition cut_law (lower upper low high : Z) (mass decay low_report high_report : R) : Prop :=
  lattice_law mass decay /\ (low <= lower)%Z /\ (lower < upper)%Z /\ (upper <= high)%Z /\
  low_report = IZR low - decay / (1 - decay) /\ high_report = IZR high + decay / (1 - decay).

Lemma cut_power d n : 0 < d -> d < 1 -> 0 < d ^ n /\ d ^ n <= 1.
Proof.
  intros D D'. split; [now apply pow_lt|]. rewrite <- (pow1 n). apply pow_incr. lra.
Qed.

Section CutNoise.
Context (lower upper low high : Z) (mass decay low_report high_report : R).
Hypothesis cut : cut_law lower upper low high mass decay low_report high_report.
Let law : lattice_law mass decay := proj1 cut.
Let low_end : (low <= lower)%Z := proj1 (proj2 cut).
Let apart : (lower < upper)%Z := proj1 (proj2 (proj2 cut)).
Let high_end : (upper <= high)%Z := proj1 (proj2 (proj2 (proj2 cut))).
Let low_mean : low_report = IZR low - decay / (1 - decay) :=
  proj1 (proj2 (proj2 (proj2 (proj2 cut)))).
Let high_mean : high_report = IZR high + decay / (1 - decay) :=
  proj2 (proj2 (proj2 (proj2 (proj2 cut)))).
Let mass_above : 0 < mass := proj1 law.
Let decay_above : 0 < decay := proj1 (proj2 law).
Let decay_below : decay < 1 := proj1 (proj2 (proj2 law)).
Let whole : mass * (1 + decay) = 1 - decay := proj2 (proj2 (proj2 law)).
Let M := cut_noise lower upper low high mass decay low_report high_report.

(** What the two cuts take from the variance of an input. *)
Definition cut_off (x : Z) : R :=
  decay * (decay ^ Z.abs_nat (x - low) + decay ^ Z.abs_nat (high - x))
    / ((1 + decay) * (1 - decay) ^ 2).

Lemma cut_quadratic x a b c f total : additive_inputs M x ->
  (forall y, f y = quadratic a b c (additive_value M y - IZR x) * lattice_weight mass decay x y) ->
  total = a + c * (2 * decay / (1 - decay) ^ 2 - cut_off x) -> lattice_sum f total.
Proof.
  intros [X X'] E ->. cbn in X, X'.
  set (N := Z.abs_nat (high - x)). set (N' := Z.abs_nat (x - low)).
  pose proof (cut_series decay decay_above decay_below a b c N) as Up.
  pose proof (cut_series decay decay_above decay_below a (- b) c N') as Down.
  set (q := quadratic a b c).
  (* Where the input is the low end itself, its own number is read as that end. *)
  pose (own := if Nat.eqb N' 0 then q (- (decay / (1 - decay))) - q 0 else 0).
  pose proof (infinit_sum_extended _ _ _ _ Up (first_sum own)) as Right.
  pose proof (shifted_sum _ _ Down) as Left. cbv beta in Left.
  exists x. do 2 eexists. split; [|split].
  - apply (infinit_sum_scaled mass _ _ _ Left). intros n. rewrite E. unfold lattice_weight.
    replace (Z.abs_nat (x - Z.of_nat (S n) - x)) with (S n) by lia. cbn [additive_value].
    unfold M, cut_noise, cut_value. cbn [additive_value]. unfold kept, quadratic.
    destruct (Z.leb_spec (x - Z.of_nat (S n)) low), (Nat.ltb_spec (S n) N'); try lia.
    + rewrite low_mean. replace (IZR low) with (IZR x - INR N')
        by (unfold N'; rewrite INR_IZR_INZ, Zabs2Nat.id_abs, Z.abs_eq, minus_IZR by lia; ring).
      ring.
    + destruct (Z.leb_spec high (x - Z.of_nat (S n))); [lia|].
      rewrite minus_IZR, <- INR_IZR_INZ. ring.
  - apply (infinit_sum_scaled mass _ _ _ Right). intros n. rewrite E. unfold lattice_weight.
    replace (Z.abs_nat (x + Z.of_nat n - x)) with n by lia.
    unfold M, cut_noise, cut_value. cbn [additive_value]. unfold kept, own, q, quadratic.
    destruct (Z.leb_spec (x + Z.of_nat n) low), (Nat.eqb_spec N' 0); try lia.
    + assert (n = 0)%nat by lia. subst n. destruct (Nat.ltb_spec 0 N); [|lia].
      rewrite low_mean. replace x with low by lia. cbn [INR pow]. ring.
    + destruct (Nat.ltb_spec n N), (Z.leb_spec high (x + Z.of_nat n)); try lia.
      * destruct n; [lia|]. rewrite plus_IZR, <- INR_IZR_INZ. ring.
      * destruct n; [lia|]. rewrite high_mean. replace (IZR high) with (IZR x + INR N)
          by (unfold N; rewrite INR_IZR_INZ, Zabs2Nat.id_abs, Z.abs_eq, minus_IZR by lia; ring).
        ring.
    + destruct (Nat.ltb_spec n N), (Z.leb_spec high (x + Z.of_nat n)); try lia.
      * rewrite plus_IZR, <- INR_IZR_INZ. destruct n; cbn [INR]; ring.
      * rewrite high_mean. replace (IZR high) with (IZR x + INR N)
          by (unfold N; rewrite INR_IZR_INZ, Zabs2Nat.id_abs, Z.abs_eq, minus_IZR by lia; ring).
        destruct n; ring.
  - unfold cut_off. fold N N'. unfold own, q, kept, quadratic.
    assert (D : mass = (1 - decay) / (1 + decay)) by (rewrite <- whole; field; lra).
    rewrite D. destruct (Nat.eqb_spec N' 0) as [Z|Z]; destruct (Nat.ltb_spec 0 N'); try lia;
      cbn [INR pow]; [rewrite Z; cbn [INR pow]|]; field; lra.
Qed.

Theorem cut_equal_support : additive_equal_support M.
Proof. exact (lattice_equal_support lower upper mass decay law). Qed.

Theorem cut_ldp times ratio : (upper - lower <= Z.of_nat times)%Z -> 1 <= ratio * decay ->
  additive_ldp M (INR times * ln ratio).
Proof. exact (lattice_ldp lower upper mass decay law times ratio). Qed.

Lemma beyond : 0 < decay / (1 - decay).
Proof. apply Rdiv_lt_0_compat; lra. Qed.

Lemma value_above y : additive_value M upper <= additive_value M y -> (upper <= y)%Z.
Proof.
  pose proof beyond as B. unfold M, cut_noise, cut_value. cbn [additive_value].
  destruct (Z.leb_spec upper low); [lia|].
  destruct (Z.leb_spec y low), (Z.leb_spec high upper), (Z.leb_spec high y); try lia; intros Order.
  - assert (IZR low < IZR high) by (apply IZR_lt; lia). lra.
  - assert (IZR low < IZR upper) by (apply IZR_lt; lia). lra.
  - assert (IZR y < IZR high) by (apply IZR_lt; lia). lra.
  - now apply le_IZR.
Qed.

Lemma value_below y : additive_value M y <= additive_value M lower -> (y <= lower)%Z.
Proof.
  pose proof beyond as B. unfold M, cut_noise, cut_value. cbn [additive_value].
  destruct (Z.leb_spec high lower); [lia|].
  destruct (Z.leb_spec y low), (Z.leb_spec lower low), (Z.leb_spec high y); try lia; intros Order.
  - assert (IZR low < IZR high) by (apply IZR_lt; lia). lra.
  - assert (IZR low < IZR y) by (apply IZR_lt; lia). lra.
  - assert (IZR lower < IZR high) by (apply IZR_lt; lia). lra.
  - now apply le_IZR.
Qed.

Lemma cut_ends times ratio : (upper - lower = Z.of_nat times)%Z -> ratio * decay = 1 ->
  additive_tight_ends M lower upper (INR times * ln ratio).
Proof.
  intros H Q. destruct (lattice_ends lower upper mass decay law times ratio H Q) as [A B].
  split; intros y Y.
  - apply A. cbn. apply IZR_le. now apply value_above.
  - apply B. cbn. apply IZR_le. now apply value_below.
Qed.

Theorem cut_tight times ratio : (upper - lower = Z.of_nat times)%Z -> ratio * decay = 1 ->
  additive_tight M (INR times * ln ratio).
Proof.
  intros H Q. apply (additive_tight_at M lower upper); [cbn; lia | cbn; lia |].
  now apply cut_ends.
Qed.

Theorem cut_stochastic : additive_stochastic M.
Proof.
  intros x X. split; [intros y; left; exact (lattice_above mass decay law x y)|].
  apply (cut_quadratic x 1 0 0); [assumption | | ring].
  intros y. unfold quadratic. cbn [M cut_noise additive_weight]. ring.
Qed.

Theorem cut_mean : additive_mean M (fun x => IZR x).
Proof.
  intros x X. apply (cut_quadratic x (IZR x) 1 0); [assumption | | ring].
  intros y. unfold quadratic. change (additive_weight M x y) with (lattice_weight mass decay x y).
  ring.
Qed.

Theorem cut_variance v : (forall x, (lower <= x <= upper)%Z ->
    v x = 2 * decay / (1 - decay) ^ 2 - cut_off x) -> additive_variance M v.
Proof.
  intros V x X. exists (IZR x). split; [now apply cut_mean|].
  apply (cut_quadratic x 0 0 1); [assumption | | rewrite (V x X); ring].
  intros y. unfold quadratic. change (additive_weight M x y) with (lattice_weight mass decay x y).
  ring.
Qed.

(** * Vectors of such numbers *)
Context (k : nat).
Let low_input : additive_inputs M lower := conj (Z.le_refl lower) (Z.lt_le_incl _ _ apart).
Let high_input : additive_inputs M upper := conj (Z.lt_le_incl _ _ apart) (Z.le_refl upper).
Let above x y (_ : additive_inputs M x) : 0 < additive_weight M x y :=
  lattice_above mass decay law x y.

Theorem cut_bits_stochastic : noisy_bits_stochastic M lower upper k.
Proof.
  apply noisy_bits_whole; [assumption | assumption | | exact cut_stochastic].
  intros c. apply lattice_sum_scales.
Qed.

Theorem cut_bits_equal_support : noisy_bits_equal_support M lower upper k.
Proof. now apply noisy_bits_positive. Qed.

Theorem cut_bits_ldp times ratio : (upper - lower <= Z.of_nat times)%Z -> 1 <= ratio * decay ->
  noisy_bits_ldp M lower upper k (INR (2 * times) * ln ratio).
Proof.
  intros H Q. rewrite twice.
  apply noisy_bits_bound; [assumption | assumption | | now apply cut_ldp |].
  - apply Rmult_le_pos; [apply pos_INR | now apply (lattice_step_above mass decay law)].
  - intros x y X. left. now apply above.
Qed.

Theorem cut_bits_tight times ratio : (2 <= k)%nat -> (upper - lower = Z.of_nat times)%Z ->
  ratio * decay = 1 -> noisy_bits_tight M lower upper k (INR (2 * times) * ln ratio).
Proof.
  intros K H Q. rewrite twice. apply noisy_bits_reached; try assumption. now apply cut_ends.
Qed.
End CutNoise.
