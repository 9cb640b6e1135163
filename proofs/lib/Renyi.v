(** Renyi divergence of two rows: what it says of (eps, delta), and two randomizers one after the
    other.

    Mironov (2017), Renyi Differential Privacy; the conversion is that of Canonne, Kamath, Steinke
    (2020), The Discrete Gaussian for Differential Privacy. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Randomizer Combine.
Import ListNotations.
Open Scope R_scope.

(** p (p/q)^(a - 1), and 0 where p is. *)
Definition moment_of (a p q : R) : R := if Rle_dec p 0 then 0 else p * Rpower (p / q) (a - 1).

(** sum p^a q^(1 - a), which is e^((a - 1) D) for the Renyi divergence D of order a. *)
Definition renyi_moment {X Y} (M : mech X Y) (a : R) (x x' : X) : R :=
  sum_over (outs M) (fun y => moment_of a (pr M x y) (pr M x' y)).

Lemma moment_nonneg a p q : 0 <= moment_of a p q.
Proof.
  unfold moment_of. destruct (Rle_dec p 0) as [L|L]; [lra|].
  apply Rmult_le_pos; [lra|]. left. apply exp_pos.
Qed.

Lemma ln_below z : 0 < z -> ln z <= z - 1.
Proof.
  intros H. destruct (Req_dec (ln z) 0) as [E|N].
  - rewrite E. assert (z = 1) by (rewrite <- (exp_ln z H), E; apply exp_0). lra.
  - pose proof (exp_ineq1 (ln z) N) as L. rewrite (exp_ln z H) in L. lra.
Qed.

Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof.
  intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv; [ring | | |]; auto.
  now apply Rinv_0_lt_compat.
Qed.

(** The largest (1 - s) s^(a - 1) is at s = (a - 1)/a. *)
Lemma best_share a s : 1 < a -> 0 < s -> s < 1 ->
  (1 - s) * Rpower s (a - 1) <= Rpower ((a - 1) / a) (a - 1) / a.
Proof.
  intros Ha S0 S1. set (b := (a - 1) / a).
  assert (B : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  assert (I : 0 < / b) by now apply Rinv_0_lt_compat.
  assert (L : ln (a * (1 - s)) + (a - 1) * ln (s / b) <= 0).
  { assert (L1 : ln (a * (1 - s)) <= a * (1 - s) - 1)
      by (apply ln_below, Rmult_lt_0_compat; lra).
    assert (L2 : ln (s / b) <= s / b - 1) by (apply ln_below; now apply Rmult_lt_0_compat).
    apply (Rmult_le_compat_l (a - 1)) in L2; [|lra].
    assert (E : (a - 1) * (s / b - 1) = a * s - (a - 1)) by (unfold b; field; lra).
    lra. }
  assert (G : a * (1 - s) * Rpower (s / b) (a - 1) <= 1).
  { apply Rle_trans with (exp (ln (a * (1 - s)) + (a - 1) * ln (s / b))).
    - right. rewrite exp_plus, exp_ln by (apply Rmult_lt_0_compat; lra). reflexivity.
    - apply Rle_trans with (exp 0); [|right; apply exp_0].
      destruct L as [L|L]; [left; now apply exp_increasing | right; now rewrite L]. }
  assert (D : Rpower s (a - 1) = Rpower b (a - 1) * Rpower (s / b) (a - 1)).
  { rewrite Rpower_mult_distr; [f_equal; field; lra | assumption | now apply Rmult_lt_0_compat]. }
  rewrite D. assert (P : 0 < Rpower b (a - 1)) by apply exp_pos.
  apply (Rmult_le_compat_l (Rpower b (a - 1) * / a)) in G.
  - unfold Rdiv at 2. rewrite Rmult_1_r in G. eapply Rle_trans; [right|exact G]. field. lra.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma excess_below a p q eps : 1 < a -> 0 <= p -> 0 <= q -> (0 < p -> 0 < q) ->
  p - exp eps * q
  <= moment_of a p q * (exp (- (a - 1) * eps) * (Rpower ((a - 1) / a) (a - 1) / a)).
Proof.
  intros Ha Hp Hq Hs. pose proof (exp_pos eps) as E.
  assert (K : 0 < Rpower ((a - 1) / a) (a - 1) / a)
    by (apply Rdiv_lt_0_compat; [apply exp_pos | lra]).
  pose proof (exp_pos (- (a - 1) * eps)) as E'.
  unfold moment_of. destruct (Rle_dec p 0) as [L|L].
  - assert (0 <= exp eps * q) by (apply Rmult_le_pos; lra). lra.
  - assert (P : 0 < p) by lra. specialize (Hs P).
    set (s := exp eps * q / p).
    assert (S0 : 0 < s) by (unfold s; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | lra]).
    assert (Q : p - exp eps * q = p * (1 - s)) by (unfold s; field; lra).
    assert (W : Rpower (p / q) (a - 1) * exp (- (a - 1) * eps) * Rpower s (a - 1) = 1).
    { unfold Rpower. rewrite <- 2!exp_plus. transitivity (exp 0); [|apply exp_0]. f_equal. unfold s.
      rewrite (ln_quotient p q), (ln_quotient (exp eps * q) p), ln_mult, ln_exp
        by (assumption || now apply Rmult_lt_0_compat). ring. }
    rewrite Q. destruct (Rlt_le_dec s 1) as [S1|S1].
    + pose proof (best_share a s Ha S0 S1) as B. set (k := Rpower ((a - 1) / a) (a - 1) / a) in *.
      set (f := Rpower (p / q) (a - 1) * exp (- (a - 1) * eps)) in *.
      assert (F : 0 < f) by (apply Rmult_lt_0_compat; [apply exp_pos | assumption]).
      apply (Rmult_le_compat_l (p * f)) in B; [|apply Rmult_le_pos; lra].
      replace (p * (1 - s)) with (p * f * ((1 - s) * Rpower s (a - 1)));
        [|replace (p * f * ((1 - s) * Rpower s (a - 1)))
            with (p * (1 - s) * (f * Rpower s (a - 1))) by ring; rewrite W; ring].
      eapply Rle_trans; [exact B|]. right. unfold f. ring.
    + apply Rle_trans with 0.
      * rewrite <- (Rmult_0_r p). apply Rmult_le_compat_l; lra.
      * apply Rmult_le_pos; [|apply Rmult_le_pos; lra].
        apply Rmult_le_pos; [lra|]. left. apply exp_pos.
Qed.

(** What x' cannot give, x cannot give. *)
Definition covered {X Y} (M : mech X Y) (x x' : X) : Prop :=
  forall y, In y (outs M) -> 0 < pr M x y -> 0 < pr M x' y.

(** The delta of every eps, from the divergence of one order. *)
Theorem renyi_delta {X Y} (M : mech X Y) a eps x x' (S : Y -> bool) :
  1 < a -> stochastic M -> dom M x -> dom M x' -> covered M x x' ->
  sum_over (filter S (outs M)) (pr M x) - exp eps * sum_over (filter S (outs M)) (pr M x')
  <= renyi_moment M a x x' * (exp (- (a - 1) * eps) * (Rpower ((a - 1) / a) (a - 1) / a)).
Proof.
  intros Ha St Hx Hx' Hc. unfold renyi_moment. rewrite <- sum_scale_right.
  set (f := fun y => moment_of a (pr M x y) (pr M x' y)
    * (exp (- (a - 1) * eps) * (Rpower ((a - 1) / a) (a - 1) / a))).
  assert (F0 : forall y, 0 <= f y).
  { intros y. apply Rmult_le_pos; [apply moment_nonneg|]. apply Rmult_le_pos.
    - left. apply exp_pos.
    - apply Rmult_le_pos; left; [apply exp_pos | apply Rinv_0_lt_compat; lra]. }
  assert (P : forall y, In y (outs M) -> 0 <= pr M x y /\ 0 <= pr M x' y)
    by (intros y Hy; split; [now apply (St x Hx) | now apply (St x' Hx')]).
  unfold covered in Hc. change (sum_over (filter S (outs M)) (pr M x)
    - exp eps * sum_over (filter S (outs M)) (pr M x') <= sum_over (outs M) f).
  induction (outs M) as [|y l IH]; cbn; [lra|].
  assert (I : sum_over (filter S l) (pr M x) - exp eps * sum_over (filter S l) (pr M x')
    <= sum_over l f) by (apply IH; intros; [apply Hc | apply P]; cbn; auto).
  destruct (P y) as [P0 P0']; [cbn; auto|].
  pose proof (excess_below a (pr M x y) (pr M x' y) eps Ha P0 P0' (Hc y (or_introl eq_refl))) as B.
  specialize (F0 y). fold (f y) in B.
  destruct (S y); cbn [sum_over]; [rewrite Rmult_plus_distr_l|]; lra.
Qed.

(** Divergences add up, also if the second randomizer is chosen in view of the first report. *)
Theorem renyi_compose {X Y Z} (M : mech X Y) (N : Y -> mech X Z) zs a m1 m2 x x' :
  1 < a -> stochastic M -> (forall y, stochastic (N y)) -> dom M x -> dom M x' ->
  (forall y, dom (N y) x /\ dom (N y) x') -> (forall y, outs (N y) = zs) ->
  covered M x x' -> (forall y, covered (N y) x x') -> 0 <= m2 ->
  renyi_moment M a x x' <= m1 -> (forall y, In y (outs M) -> renyi_moment (N y) a x x' <= m2) ->
  renyi_moment (compose M N zs) a x x' <= m1 * m2.
Proof.
  intros Ha SM SN Hx Hx' HN Ho CM CN H2 R1 R2.
  assert (E : renyi_moment (compose M N zs) a x x'
    = sum_over (outs M) (fun y =>
        moment_of a (pr M x y) (pr M x' y) * renyi_moment (N y) a x x')).
  { unfold renyi_moment. cbn [compose outs pr]. rewrite sum_product. apply sum_ext. intros y Hy.
    rewrite Ho, <- sum_scale. apply sum_ext. intros z Hz. cbn [fst snd].
    assert (P : 0 <= pr M x y) by now apply (SM x Hx).
    assert (P2 : 0 <= pr (N y) x z) by (apply (SN y x); [apply HN | now rewrite Ho]).
    unfold moment_of. destruct (Rle_dec (pr M x y) 0) as [L|L].
    { replace (pr M x y) with 0 by lra. rewrite Rmult_0_l.
      destruct (Rle_dec 0 0) as [_|C]; [ring | lra]. }
    destruct (Rle_dec (pr (N y) x z) 0) as [L2|L2].
    { replace (pr (N y) x z) with 0 by lra. rewrite Rmult_0_r.
      destruct (Rle_dec 0 0) as [_|C]; [ring | lra]. }
    assert (Q : 0 < pr M x' y) by (apply CM; [assumption | lra]).
    assert (Q2 : 0 < pr (N y) x' z) by (apply CN; [now rewrite Ho | lra]).
    destruct (Rle_dec (pr M x y * pr (N y) x z) 0) as [C|_].
    { exfalso. assert (0 < pr M x y * pr (N y) x z) by (apply Rmult_lt_0_compat; lra). lra. }
    replace (pr M x y * pr (N y) x z / (pr M x' y * pr (N y) x' z))
      with (pr M x y / pr M x' y * (pr (N y) x z / pr (N y) x' z)) by (field; lra).
    rewrite <- Rpower_mult_distr by (apply Rdiv_lt_0_compat; lra). ring. }
  rewrite E. apply Rle_trans with (renyi_moment M a x x' * m2).
  - unfold renyi_moment at 2. rewrite <- sum_scale_right. apply sum_le. intros y Hy.
    apply Rmult_le_compat_l; [apply moment_nonneg | now apply R2].
  - now apply Rmult_le_compat_r.
Qed.

(** The conversion as Mironov states it, which is weaker. *)
Theorem renyi_conversion {X Y} (M : mech X Y) a r d x x' (S : Y -> bool) :
  1 < a -> 0 < d -> stochastic M -> dom M x -> dom M x' -> covered M x x' ->
  renyi_moment M a x x' <= exp ((a - 1) * r) ->
  sum_over (filter S (outs M)) (pr M x)
  <= exp (r + ln (1 / d) / (a - 1)) * sum_over (filter S (outs M)) (pr M x') + d.
Proof.
  intros Ha Hd St Hx Hx' Hc Hm.
  pose proof (renyi_delta M a (r + ln (1 / d) / (a - 1)) x x' S Ha St Hx Hx' Hc) as B.
  set (k := Rpower ((a - 1) / a) (a - 1) / a) in *.
  assert (K : 0 <= k <= 1).
  { assert (P : 0 < Rpower ((a - 1) / a) (a - 1) <= 1).
    { split; [apply exp_pos|]. unfold Rpower. apply Rle_trans with (exp 0); [|right; apply exp_0].
      assert (L : ln ((a - 1) / a) < 0).
      { rewrite <- ln_1. apply ln_increasing; [apply Rdiv_lt_0_compat; lra|].
        apply Rmult_lt_reg_r with a; [lra|]. unfold Rdiv.
        rewrite Rmult_assoc, Rinv_l by lra. lra. }
      left. apply exp_increasing. rewrite <- (Rmult_0_r (a - 1)). apply Rmult_lt_compat_l; lra. }
    assert (I : 0 < / a <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    unfold k, Rdiv. split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra | lra]. }
  assert (E : exp ((a - 1) * r) * exp (- (a - 1) * (r + ln (1 / d) / (a - 1))) = d).
  { rewrite <- exp_plus.
    replace ((a - 1) * r + - (a - 1) * (r + ln (1 / d) / (a - 1))) with (- ln (1 / d))
      by (field; lra).
    rewrite (ln_quotient 1 d), ln_1 by lra. replace (- (0 - ln d)) with (ln d) by ring.
    now apply exp_ln. }
  set (e := exp (- (a - 1) * (r + ln (1 / d) / (a - 1)))) in *.
  assert (P : 0 < e) by apply exp_pos.
  assert (T : renyi_moment M a x x' * (e * k) <= d).
  { apply Rle_trans with (exp ((a - 1) * r) * (e * k)).
    - apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | assumption].
    - rewrite <- Rmult_assoc, E. replace d with (d * 1) at 2 by ring.
      apply Rmult_le_compat_l; lra. }
  lra.
Qed.
