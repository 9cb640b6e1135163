(** Points of a projective space over the field of q elements, q a prime, and its hyperplanes: how
    many points are orthogonal to one point, and to two, for every q and every dimension. *)
From Coq Require Import Reals List Lra Lia Arith Bool ZArith Znumtheory FinFun.
From LDP Require Import Sums Design Hashing Structures.
Import ListNotations.
Open Scope nat_scope.

(** Vectors of t digits below q whose first digit that is not 0 is 1. *)
Fixpoint points (q t : nat) : list (list nat) :=
  match t with
  | 0 => []
  | S t' => map (cons 0) (points q t') ++ map (cons 1) (tuples q t')
  end.

(** The least dimension, at least 2, that has k points. *)
Definition dimension (k q : nat) : nat :=
  match find (fun t => Nat.leb k (length (points q t))) (seq 2 k) with Some t => t | None => k end.

Definition orthogonal (q : nat) (x y : list nat) : bool := Nat.eqb (dot y x mod q) 0.

Definition hyperplanes (k q : nat) : list (list nat) := points q (dimension k q).
Definition hyperplane_contains (k q x : nat) (y : list nat) : bool :=
  orthogonal q (nth x (hyperplanes k q) []) y.

(** * One point *)
Section Field.
Context (q : nat).
Hypothesis q_prime : Znumtheory.prime (Z.of_nat q).

Lemma q_least : 2 <= q.
Proof. pose proof (Znumtheory.prime_ge_2 _ q_prime). lia. Qed.

Lemma points_length t : (q - 1) * length (points q t) + 1 = q ^ t.
Proof.
  pose proof q_least. induction t as [|t IH]; [cbn; lia|].
  cbn [points]. rewrite app_length, !map_length, tuples_length, Nat.pow_succ_r'. nia.
Qed.

Definition vector (t : nat) (x : list nat) : Prop := length x = t /\ forall d, In d x -> d < q.
Definition zeros (t : nat) : list nat := repeat 0 t.

Lemma dot_zeros y t : dot y (zeros t) = 0.
Proof. revert t. induction y as [|a y IH]; intros [|t]; cbn; rewrite ?IH; lia. Qed.

Lemma tuples_vector t x : In x (tuples q t) -> vector t x.
Proof.
  revert x. induction t as [|t IH]; intros x H; cbn in H.
  - destruct H as [<-|[]]. split; [reflexivity | cbn; tauto].
  - apply in_flat_map in H as (c & Hc & H). apply in_map_iff in H as (y & <- & H).
    apply in_seq in Hc. destruct (IH y H) as [L B]. split; [cbn; lia|].
    intros d [<-|I]; [lia | now apply B].
Qed.

Lemma points_vector t x : In x (points q t) -> vector t x.
Proof.
  pose proof q_least. revert x. induction t as [|t IH]; intros x H'; cbn in H'; [tauto|].
  apply in_app_iff in H' as [H'|H']; apply in_map_iff in H' as (y & <- & H');
    [destruct (IH y H') as [L B] | destruct (tuples_vector t y H') as [L B]];
    (split; [cbn; lia|]); intros d [<-|I]; (lia || now apply B).
Qed.

Lemma points_not_zero t x : In x (points q t) -> x <> zeros t.
Proof.
  revert x. induction t as [|t IH]; intros x H; cbn in H; [tauto|].
  apply in_app_iff in H as [H|H]; apply in_map_iff in H as (y & <- & H); intros E;
    cbn in E; [|discriminate]. injection E as E. now apply (IH y).
Qed.

(** A linear equation with a constant term has q^(t-1) solutions. *)
Lemma solutions t x s : vector t x -> x <> zeros t ->
  q * count (fun y => Nat.eqb ((s + dot y x) mod q) 0) (tuples q t) = q ^ t.
Proof.
  pose proof q_least as G. intros [L B] N.
  pose proof (prime_least_factor q q_prime) as F.
  rewrite <- (count_collisions q t x (zeros t) s 0 G L); [| | | |assumption].
  - f_equal. apply count_ext. intros y _. unfold agree. rewrite dot_zeros, Nat.add_0_r.
    rewrite (Nat.add_comm s), Nat.mod_0_l by lia. reflexivity.
  - apply repeat_length.
  - intros d I. rewrite F. now apply B.
  - intros d I. apply repeat_spec in I. rewrite F. lia.
Qed.

Lemma vector_tail t a x : vector (S t) (a :: x) -> vector t x.
Proof. intros [L B]. split; [cbn in L; lia|]. intros d I. apply B. now right. Qed.

Lemma orthogonal_points t x : vector (S t) x -> x <> zeros (S t) ->
  (q - 1) * count (orthogonal q x) (points q (S t)) + 1 = q ^ t.
Proof.
  pose proof q_least as G. revert x. induction t as [|t IH]; intros x V N.
  - destruct x as [|a [|b x]]; [destruct V; discriminate | | destruct V; discriminate].
    cbn [points tuples map app]. unfold count. cbn [filter]. unfold orthogonal. cbn [dot].
    replace (1 * a + 0) with a by lia.
    destruct V as [_ B]. specialize (B a (or_introl eq_refl)).
    rewrite Nat.mod_small by assumption. destruct (Nat.eqb_spec a 0) as [->|_]; [|cbn; lia].
    exfalso. now apply N.
  - destruct x as [|a x]; [destruct V; discriminate|].
    pose proof (vector_tail _ _ _ V) as W.
    change (points q (S (S t)))
      with (map (cons 0) (points q (S t)) ++ map (cons 1) (tuples q (S t))).
    rewrite count_app, !count_map.
    rewrite (count_ext (fun y => orthogonal q (a :: x) (0 :: y)) (orthogonal q x)) by reflexivity.
    rewrite (count_ext (fun y => orthogonal q (a :: x) (1 :: y))
      (fun y => Nat.eqb ((a + dot y x) mod q) 0))
      by (intros y _; unfold orthogonal; cbn [dot]; do 2 f_equal; lia).
    destruct (list_eq_dec Nat.eq_dec x (zeros (S t))) as [->|Nx].
    + rewrite (count_all (orthogonal q (zeros (S t))))
        by (intros y _; unfold orthogonal; rewrite dot_zeros, Nat.mod_0_l by lia; reflexivity).
      rewrite count_none; [rewrite Nat.add_0_r; apply points_length|].
      intros y _. rewrite dot_zeros, Nat.add_0_r. apply Nat.eqb_neq.
      destruct V as [_ B]. specialize (B a (or_introl eq_refl)).
      rewrite Nat.mod_small by assumption. intros ->. now apply N.
    + specialize (IH x W Nx). pose proof (solutions (S t) x a W Nx) as S1.
      rewrite Nat.pow_succ_r' in S1 |- *. nia.
Qed.

(** * Two points: every other point is orthogonal to one combination of them *)
Fixpoint combined (l : nat) (x x' : list nat) : list nat :=
  match x, x' with
  | a :: r, b :: r' => (a + l * b) mod q :: combined l r r'
  | _, _ => []
  end.

Lemma combined_vector t l x x' : vector t x -> vector t x' -> vector t (combined l x x').
Proof.
  pose proof q_least. revert x x'. induction t as [|t IH]; intros [|a x] [|b x'] V V';
    try (destruct V; discriminate); try (destruct V'; discriminate).
  - split; [reflexivity | cbn; tauto].
  - destruct (IH x x' (vector_tail _ _ _ V) (vector_tail _ _ _ V')) as [L B].
    split; [cbn; lia|]. intros d [<-|I]; [apply Nat.mod_upper_bound; lia | now apply B].
Qed.

Lemma combined_dot l y x x' : length x = length x' -> exists c,
  dot y x + l * dot y x' = dot y (combined l x x') + c * q.
Proof.
  pose proof q_least. revert x x'. induction y as [|s y IH]; intros [|a x] [|b x'] L;
    cbn in L; try lia; try (exists 0; cbn; lia).
  destruct (IH x x' ltac:(lia)) as [c E]. exists (s * ((a + l * b) / q) + c).
  cbn [combined dot]. pose proof (Nat.div_mod (a + l * b) q ltac:(lia)) as D.
  set (d := (a + l * b) / q) in *. set (m := (a + l * b) mod q) in *. nia.
Qed.

Lemma combined_orthogonal l x x' y : length x = length x' ->
  orthogonal q (combined l x x') y = Nat.eqb ((dot y x + l * dot y x') mod q) 0.
Proof.
  pose proof q_least. intros L. destruct (combined_dot l y x x' L) as [c E].
  unfold orthogonal. rewrite E, Nat.mod_add by lia. reflexivity.
Qed.

Lemma opposite v w t : vector t v -> vector t w -> combined (q - 1) v w = zeros t -> v = w.
Proof.
  pose proof q_least. revert v w. induction t as [|t IH]; intros [|a v] [|b w] V W E;
    try (destruct V; discriminate); try (destruct W; discriminate); [reflexivity|].
  cbn [combined zeros repeat] in E. injection E as E0 E.
  rewrite (IH v w (vector_tail _ _ _ V) (vector_tail _ _ _ W) E). f_equal.
  destruct V as [_ A], W as [_ B]. specialize (A a (or_introl eq_refl)).
  specialize (B b (or_introl eq_refl)).
  apply Nat.mod_divide in E0 as [c E0]; [|lia].
  assert (D : a + q * b = c * q + b) by (destruct q; nia).
  destruct (Nat.lt_trichotomy c b) as [C|[->|C]]; [|lia|].
  - replace b with (c + S (b - c - 1)) in D by lia. set (e := b - c - 1) in *. nia.
  - replace c with (b + S (c - b - 1)) in D by lia. set (e := c - b - 1) in *. nia.
Qed.

Lemma combined_not_zero t l x x' : In x (points q t) -> In x' (points q t) -> x <> x' -> l < q ->
  combined l x x' <> zeros t.
Proof.
  pose proof q_least. revert x x'. induction t as [|t IH]; intros x x' I I' N Hl E; [easy|].
  cbn [points] in I, I'. apply in_app_iff in I, I'.
  destruct I as [I|I], I' as [I'|I']; apply in_map_iff in I as (y & <- & I);
    apply in_map_iff in I' as (y' & <- & I'); cbn [combined zeros repeat] in E;
    injection E as E0 E.
  - apply (IH y y'); try assumption. congruence.
  - rewrite Nat.mul_1_r in E0. cbn [Nat.add] in E0.
    rewrite Nat.mod_small in E0 by assumption. subst l.
    apply (points_not_zero t y I).
    destruct (points_vector t y I) as [L B]. destruct (tuples_vector t y' I') as [L' _].
    assert (S0 : forall u w, length u = length w -> (forall d, In d u -> d < q) ->
      combined 0 u w = u).
    { induction u as [|a u IHu]; intros [|b w] Lw Bu; cbn in Lw; try lia; [reflexivity|].
      cbn [combined]. rewrite Nat.mul_0_l, Nat.add_0_r, Nat.mod_small by (apply Bu; now left).
      f_equal. apply IHu; [lia|]. intros d Id. apply Bu. now right. }
    unfold zeros. rewrite <- E. symmetry. apply S0; [congruence | assumption].
  - rewrite Nat.mul_0_r, Nat.mod_small in E0 by lia. lia.
  - assert (l = q - 1).
    { apply Nat.mod_divide in E0 as [c E0]; [|lia]. destruct c as [|[|c]]; nia. }
    subst l. apply N. f_equal.
    apply (opposite y y' t); [now apply tuples_vector | now apply tuples_vector | exact E].
Qed.

(** Of the q combinations and x' itself: one is orthogonal to y, or all of them. *)
Lemma combinations_of_one s s' :
  count (fun l => Nat.eqb ((s + l * s') mod q) 0) (seq 0 q)
    + (if Nat.eqb (s' mod q) 0 then 1 else 0)
  = 1 + q * (if Nat.eqb (s mod q) 0 && Nat.eqb (s' mod q) 0 then 1 else 0).
Proof.
  pose proof q_least as G. destruct (Nat.eqb_spec (s' mod q) 0) as [E|E].
  - assert (H : forall l, (s + l * s') mod q = s mod q).
    { intros l. rewrite Nat.add_mod, Nat.mul_mod, E, Nat.mul_0_r, Nat.mod_0_l, Nat.add_0_r,
        Nat.mod_mod by lia. reflexivity. }
    destruct (Nat.eqb_spec (s mod q) 0) as [Z|Z]; cbn [andb].
    + rewrite count_all; [rewrite seq_length; lia|]. intros l _. now rewrite H, Z.
    + rewrite count_none; [lia|]. intros l _. rewrite H. now apply Nat.eqb_neq.
  - rewrite andb_false_r.
    pose proof (count_coefficient q (s' mod q) 0 s 0 G) as C.
    rewrite (prime_least_factor q q_prime) in C.
    pose proof (Nat.mod_upper_bound s' q ltac:(lia)).
    rewrite <- (C ltac:(lia) ltac:(lia) E).
    rewrite Nat.mul_0_r, !Nat.add_0_r. apply count_ext. intros l _.
    rewrite Nat.mul_0_r, Nat.add_0_r, Nat.mod_0_l by lia. f_equal.
    rewrite (Nat.add_comm s).
    rewrite <- (Nat.add_mod_idemp_l (l * s')), <- (Nat.mul_mod_idemp_r l s'),
      Nat.add_mod_idemp_l by lia. reflexivity.
Qed.

Open Scope R_scope.

Lemma two_points t x x' : In x (points q (S t)) -> In x' (points q (S t)) -> x <> x' ->
  let r := INR (count (orthogonal q x) (points q (S t))) in
  INR q * r + r = INR (length (points q (S t)))
    + INR q * INR (count (fun y => orthogonal q x y && orthogonal q x' y) (points q (S t))).
Proof.
  intros I I' N r. set (P := points q (S t)) in *.
  pose proof q_least as G.
  destruct (points_vector _ _ I) as [L B]. destruct (points_vector _ _ I') as [L' B'].
  assert (same : forall z, vector (S t) z -> z <> zeros (S t) ->
    INR (count (orthogonal q z) P) = r).
  { intros z V Nz. unfold r. f_equal. pose proof (orthogonal_points t z V Nz) as E.
    pose proof (orthogonal_points t x (conj L B) (points_not_zero _ _ I)) as E'.
    fold P in E, E'. nia. }
  assert (E : sum_over P (fun y => sum_over (seq 0 q) (fun l =>
      indicator (orthogonal q (combined l x x') y)) + indicator (orthogonal q x' y))
    = sum_over P (fun y => 1 + INR q * indicator (orthogonal q x y && orthogonal q x' y))).
  { apply sum_ext. intros y _. rewrite sum_indicator.
    rewrite (count_ext _ (fun l => Nat.eqb ((dot y x + l * dot y x') mod q) 0))
      by (intros l _; apply combined_orthogonal; congruence).
    pose proof (f_equal INR (combinations_of_one (dot y x) (dot y x'))) as C.
    rewrite !plus_INR, mult_INR in C. unfold orthogonal, indicator.
    destruct (Nat.eqb (dot y x mod q) 0), (Nat.eqb (dot y x' mod q) 0); cbn in C |- *; lra. }
  rewrite !sum_plus, sum_swap, sum_constant, sum_scale, !sum_indicator in E.
  rewrite (sum_ext (seq 0 q) _ (fun _ => r)) in E.
  - rewrite sum_constant, seq_length in E.
    rewrite (same x' (conj L' B') (points_not_zero _ _ I')) in E. lra.
  - intros l Hl. apply in_seq in Hl. rewrite sum_indicator. apply same.
    + apply combined_vector; split; assumption.
    + apply combined_not_zero; try assumption; lia.
Qed.
End Field.

Open Scope R_scope.

(** * The points of the table *)
Lemma NoDup_app_alone {A} (l m : list A) : NoDup l -> NoDup m ->
  (forall a, In a l -> In a m -> False) -> NoDup (l ++ m).
Proof.
  intros L M D. induction L as [|a l H L IH]; [assumption|]. cbn. constructor.
  - rewrite in_app_iff. intros [I|I]; [contradiction|]. apply (D a); cbn; auto.
  - apply IH. intros b I. apply D. now right.
Qed.

Lemma distinct_flat {A B} (f : A -> list B) l : NoDup l -> (forall a, NoDup (f a)) ->
  (forall a a' b, In b (f a) -> In b (f a') -> a = a') -> NoDup (flat_map f l).
Proof.
  intros N F D. induction N as [|a l H N IH]; [constructor|]. cbn. apply NoDup_app_alone; auto.
  intros b I J. apply in_flat_map in J as (a' & Ia & J). now rewrite (D a a' b I J) in H.
Qed.

Lemma distinct_tuples q t : NoDup (tuples q t).
Proof.
  induction t as [|t IH]; cbn; [repeat constructor; easy|].
  apply distinct_flat; [apply seq_NoDup | |].
  - intros c. apply FinFun.Injective_map_NoDup; [|assumption]. intros x y E. now injection E.
  - intros c c' x I J. apply in_map_iff in I as (y & <- & _). apply in_map_iff in J as (z & E & _).
    now injection E.
Qed.

Lemma distinct_points q t : NoDup (points q t).
Proof.
  induction t as [|t IH]; cbn; [constructor|]. apply NoDup_app_alone.
  - apply FinFun.Injective_map_NoDup; [|assumption]. intros x y E. now injection E.
  - apply FinFun.Injective_map_NoDup; [|apply distinct_tuples]. intros x y E. now injection E.
  - intros x I J. apply in_map_iff in I as (y & <- & _). apply in_map_iff in J as (z & E & _).
    discriminate.
Qed.

Lemma points_many q t : (2 <= q)%nat -> (t <= length (points q t))%nat.
Proof.
  intros Q. induction t as [|t IH]; [lia|]. cbn [points].
  rewrite app_length, !map_length, tuples_length. pose proof (Nat.pow_nonzero q t). lia.
Qed.

Lemma dimension_enough k q : (2 <= q)%nat -> (2 <= k)%nat ->
  (k <= length (points q (dimension k q)) /\ 2 <= dimension k q)%nat.
Proof.
  intros Q K. unfold dimension.
  destruct (find (fun t => Nat.leb k (length (points q t))) (seq 2 k)) as [t|] eqn:E.
  - apply find_some in E as [I P]. apply in_seq in I. apply Nat.leb_le in P. lia.
  - pose proof (points_many q k Q). lia.
Qed.

Definition projective_vectors (k q : nat) : R := INR (q ^ dimension k q).

Lemma projective_vectors_least k q : (2 <= q)%nat -> (2 <= k)%nat ->
  INR q ^ 2 <= projective_vectors k q.
Proof.
  intros Q K. unfold projective_vectors. rewrite <- pow_INR. apply le_INR.
  apply Nat.pow_le_mono_r; [lia|]. now apply dimension_enough.
Qed.

Theorem hyperplanes_balanced k q : Znumtheory.prime (Z.of_nat q) -> (2 <= k)%nat ->
  balanced k (hyperplanes k q) (hyperplane_contains k q)
    ((projective_vectors k q - 1) / (INR q - 1))
    ((projective_vectors k q / INR q - 1) / (INR q - 1))
    ((projective_vectors k q / INR q ^ 2 - 1) / (INR q - 1)).
Proof.
  intros q_prime K. pose proof (q_least q q_prime) as Q.
  destruct (dimension_enough k q Q K) as [Enough Two].
  unfold projective_vectors, hyperplane_contains, hyperplanes.
  destruct (dimension k q) as [|t]; [lia|]. set (P := points q (S t)) in *.
  assert (Q1 : 1 < INR q) by (apply (lt_INR 1); lia).
  assert (Less : INR (q - 1) = INR q - 1) by (rewrite minus_INR by lia; reflexivity).
  rewrite Nat.pow_succ_r', mult_INR. set (W := INR (q ^ t)).
  pose proof (f_equal INR (points_length q q_prime (S t))) as B. fold P in B.
  rewrite Nat.pow_succ_r', plus_INR, !mult_INR, Less in B. fold W in B. cbn [INR] in B.
  assert (nth_in : forall x, (x < k)%nat -> In (nth x P []) P)
    by (intros; apply nth_In; lia).
  assert (R1 : forall x, (x < k)%nat ->
    (INR q - 1) * INR (count (orthogonal q (nth x P [])) P) + 1 = W).
  { intros x Hx. specialize (nth_in x Hx).
    pose proof (f_equal INR (orthogonal_points q q_prime t _
      (points_vector q q_prime _ _ nth_in) (points_not_zero q _ _ nth_in))) as E.
    rewrite plus_INR, mult_INR, Less in E. exact E. }
  split; [|split].
  - apply Rmult_eq_reg_l with (INR q - 1); [|lra].
    replace ((INR q - 1) * ((INR q * W - 1) / (INR q - 1))) with (INR q * W - 1) by (field; lra).
    lra.
  - intros x Hx. specialize (R1 x Hx). apply Rmult_eq_reg_l with (INR q - 1); [|lra].
    replace ((INR q - 1) * ((INR q * W / INR q - 1) / (INR q - 1))) with (W - 1) by (field; lra).
    change (fun y => orthogonal q (nth x P []) y) with (orthogonal q (nth x P [])). lra.
  - intros x x' Hx Hx' N.
    assert (D : nth x P [] <> nth x' P []).
    { intros E. apply N. apply (proj1 (NoDup_nth P []) (distinct_points q (S t))); lia || exact E. }
    pose proof (two_points q q_prime t _ _ (nth_in x Hx) (nth_in x' Hx') D) as T.
    cbv zeta in T. fold P in T. specialize (R1 x Hx).
    set (r := INR (count (orthogonal q (nth x P [])) P)) in *.
    set (both := INR (count
      (fun y => orthogonal q (nth x P []) y && orthogonal q (nth x' P []) y) P)) in *. set (b := INR (length P)) in *.
    apply Rmult_eq_reg_l with (INR q * (INR q - 1)); [|nra].
    replace (INR q * (INR q - 1) * ((INR q * W / INR q ^ 2 - 1) / (INR q - 1))) with (W - INR q)
      by (field; lra).
    replace (INR q * (INR q - 1) * both) with ((INR q - 1) * (INR q * both)) by ring.
    replace (INR q * both) with (INR q * r + r - b) by lra.
    replace ((INR q - 1) * (INR q * r + r - b))
      with ((INR q + 1) * ((INR q - 1) * r) - (INR q - 1) * b) by ring.
    replace ((INR q - 1) * r) with (W - 1) by lra.
    replace ((INR q - 1) * b) with (INR q * W - 1) by lra. ring.
Qed.
