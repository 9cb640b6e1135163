(** What is asked of one value several times, or of one attribute among several; and that more
    noise in the second of two steps lowers the ratio. *)
From Coq Require Import Reals List Lra Lia Psatz.
From LDP Require Import Sums Exponential Randomizer Combine.
Import ListNotations.
Open Scope R_scope.

(** * One report of each of two attributes, both of which may differ: the sum *)
Theorem alongside_ldp {X1 X2 Y1 Y2} (M : mech X1 Y1) (N : mech X2 Y2) e1 e2 :
  stochastic M -> stochastic N -> ldp M e1 -> ldp N e2 -> ldp (parallel M N) (e1 + e2).
Proof.
  intros SM SN H1 H2 [a b] [a' b'] [y z] [Ha Hb] [Ha' Hb'] I. cbn in *.
  apply in_prod_iff in I as [Hy Hz]. rewrite exp_plus.
  replace (exp e1 * exp e2 * (pr M a' y * pr N b' z))
    with ((exp e1 * pr M a' y) * (exp e2 * pr N b' z)) by ring.
  apply Rmult_le_compat; [now apply SM | now apply SN | now apply H1 | now apply H2].
Qed.

(** * A public choice of one attribute, of which one report is sent: no more than for that one *)
Definition sampled {X V Y} (attributes : list nat) (w : nat -> R) (D : X -> Prop)
  (attribute : nat -> X -> V) (N : nat -> mech V Y) (ys : list Y) : mech X (nat * Y) :=
  mixture attributes w (fun j => encode_first D (attribute j) (N j)) ys D.

Theorem sampled_ldp {X V Y} attributes w (D : X -> Prop) (attribute : nat -> X -> V)
  (N : nat -> mech V Y) ys eps :
  (forall j, In j attributes -> 0 <= w j) -> (forall j, outs (N j) = ys) ->
  (forall j x, D x -> dom (N j) (attribute j x)) ->
  (forall j, In j attributes -> ldp (N j) eps) -> ldp (sampled attributes w D attribute N ys) eps.
Proof.
  intros W O I H. apply mixture_ldp; auto. intros j Hj. apply encode_first_ldp; auto.
Qed.

(** * One permanent answer, and t reports of it: no more than for the permanent answer *)
Fixpoint report_lists {Z} (zs : list Z) (t : nat) : list (list Z) :=
  match t with
  | 0%nat => [[]]
  | S t' => flat_map (fun z => map (cons z) (report_lists zs t')) zs
  end.

Fixpoint independent {Y Z} (K : Y -> Z -> R) (y : Y) (reports : list Z) : R :=
  match reports with [] => 1 | z :: rest => K y z * independent K y rest end.

Definition memo {X Y Z} (M : mech X Y) (zs : list Z) (K : Y -> Z -> R) (t : nat)
  : mech X (list Z) := post M (report_lists zs t) (independent K).

Theorem memo_ldp {X Y Z} (M : mech X Y) (zs : list Z) (K : Y -> Z -> R) t eps :
  (forall y z, In y (outs M) -> In z zs -> 0 <= K y z) -> ldp M eps -> ldp (memo M zs K t) eps.
Proof.
  intros P H. apply post_ldp; [|assumption]. intros y w Hy Hw.
  revert w Hw. induction t as [|t IH]; cbn; intros w Hw.
  - destruct Hw as [<-|[]]. cbn. lra.
  - apply in_flat_map in Hw as (z & Hz & Hw). apply in_map_iff in Hw as (v & <- & Hv). cbn.
    apply Rmult_le_pos; auto.
Qed.

(** * More noise in the second step *)

(** The ratio of one bit that is 1 with probability a for the own bit and b for others. *)
Definition odds_of (a b : R) : R := a * (1 - b) / (b * (1 - a)).

(** A bit with P(1) = p, randomized again: 1 stays with probability high, 0 becomes 1 with low. *)
Definition second_bit (high low p : R) : R := p * high + (1 - p) * low.

Lemma flipped_odds a b t : 0 < b -> b <= a -> a < 1 -> 0 <= t -> t <= 1 / 2 ->
  odds_of (second_bit (1 - t) t a) (second_bit (1 - t) t b) <= odds_of a b.
Proof.
  intros B L A T0 T1. unfold odds_of, second_bit.
  set (c := a * (1 - t) + (1 - a) * t). set (d := b * (1 - t) + (1 - b) * t).
  assert (D : 0 < d) by (unfold d; nra). assert (C : c < 1) by (unfold c; nra).
  assert (P : 0 < c) by (unfold c; nra). assert (Q : d < 1) by (unfold d; nra).
  assert (E1 : c * b <= a * d) by (unfold c, d; nra).
  assert (E2 : (1 - d) * (1 - a) <= (1 - b) * (1 - c)) by (unfold c, d; nra).
  assert (G : (c * b) * ((1 - d) * (1 - a)) <= (a * d) * ((1 - b) * (1 - c)))
    by (apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra).
  apply Rmult_le_reg_r with ((d * (1 - c)) * (b * (1 - a))).
  - repeat apply Rmult_lt_0_compat; lra.
  - replace (c * (1 - d) / (d * (1 - c)) * (d * (1 - c) * (b * (1 - a))))
      with ((c * b) * ((1 - d) * (1 - a))) by (field; lra).
    replace (a * (1 - b) / (b * (1 - a)) * (d * (1 - c) * (b * (1 - a))))
      with ((a * d) * ((1 - b) * (1 - c))) by (field; lra).
    exact G.
Qed.

(** Both kinds of second step, where high is 1 - low and where it is 1/2: a larger low is a
    smaller ratio. *)
Lemma more_noise high high' low low' p q : 0 < q -> q <= p -> p < 1 ->
  0 <= low -> low <= low' -> low' < 1 / 2 ->
  0 < second_bit high low q -> second_bit high low p < 1 ->
  second_bit high low q <= second_bit high low p ->
  high' * (1 - 2 * low) = high * (1 - low - low') + (1 - high) * (low' - low) ->
  odds_of (second_bit high' low' p) (second_bit high' low' q)
  <= odds_of (second_bit high low p) (second_bit high low q).
Proof.
  intros Q L P L0 LL L1 A B C H. set (t := (low' - low) / (1 - 2 * low)).
  assert (N : 0 < 1 - 2 * low) by lra.
  assert (T0 : 0 <= t) by (unfold t, Rdiv; apply Rmult_le_pos; [lra|];
    left; apply Rinv_0_lt_compat; lra).
  assert (T1 : t <= 1 / 2) by (unfold t; apply Rmult_le_reg_r with (1 - 2 * low); [lra|];
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
  assert (E : high' = (high * (1 - low - low') + (1 - high) * (low' - low)) / (1 - 2 * low))
    by (rewrite <- H; field; lra).
  assert (F : forall r, second_bit high' low' r
    = second_bit (1 - t) t (second_bit high low r))
    by (intros r; rewrite E; unfold second_bit, t; field; lra).
  rewrite !F. now apply flipped_odds.
Qed.

Theorem more_noise_symmetric p q low low' : 0 < q -> q <= p -> p < 1 ->
  0 <= low -> low <= low' -> low' < 1 / 2 ->
  odds_of (second_bit (1 - low') low' p) (second_bit (1 - low') low' q)
  <= odds_of (second_bit (1 - low) low p) (second_bit (1 - low) low q).
Proof.
  intros Q L P L0 LL L1. apply more_noise; try assumption; unfold second_bit; nra.
Qed.

Theorem more_noise_half p q low low' : 0 < q -> q <= p -> p < 1 ->
  0 <= low -> low <= low' -> low' < 1 / 2 ->
  odds_of (second_bit (1 / 2) low' p) (second_bit (1 / 2) low' q)
  <= odds_of (second_bit (1 / 2) low p) (second_bit (1 / 2) low q).
Proof.
  intros Q L P L0 LL L1. apply more_noise; try assumption; unfold second_bit; nra.
Qed.

(** k-ary response with cells p and q, k - 1 of the latter, and another that gives each other value
    with probability lie. *)
Definition own_twice (k p q lie : R) : R := p * (1 - (k - 1) * lie) + (k - 1) * q * lie.
Definition other_twice (k p q lie : R) : R :=
  p * lie + q * (1 - (k - 1) * lie) + (k - 2) * q * lie.

Theorem more_noise_kary k p q lie lie' : 2 <= k -> 0 < q -> q <= p ->
  0 <= lie -> lie <= lie' -> k * lie' <= 1 ->
  own_twice k p q lie' / other_twice k p q lie' <= own_twice k p q lie / other_twice k p q lie.
Proof.
  intros K Q L L0 LL L1.
  assert (O : forall l, own_twice k p q l = p - (k - 1) * ((p - q) * l))
    by (intros; unfold own_twice; ring).
  assert (T : forall l, other_twice k p q l = q + (p - q) * l)
    by (intros; unfold other_twice; ring).
  assert (G : (p - q) * lie <= (p - q) * lie') by (apply Rmult_le_compat_l; lra).
  assert (G0 : 0 <= (p - q) * lie) by (apply Rmult_le_pos; lra).
  rewrite !O, !T. apply Rle_trans with ((p - (k - 1) * ((p - q) * lie)) / (q + (p - q) * lie')).
  - unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
    assert ((k - 1) * ((p - q) * lie) <= (k - 1) * ((p - q) * lie'))
      by (apply Rmult_le_compat_l; lra). lra.
  - unfold Rdiv. apply Rmult_le_compat_l; [|apply Rinv_le_contravar; lra].
    assert ((k - 1) * lie <= 1) by nra.
    assert ((p - q) * ((k - 1) * lie) <= (p - q) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
