(** The law of the package's geometric noise, from the loops of ProgramGeometric.v.

    Its turns have the powers a, then a, a^2, a^4, ..., and the last power is the next one of these.
    So the first bit, the side, is 1 with odds a to 1; and the size, whose bits come next, and whose
    multiples of 2^levels are counted, is n with the probability (1 - a) a^n. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing Programs ProgramSchemes ProgramPrefixes ProgramLoops
  ProgramGeometric.
Import ListNotations.
Open Scope R_scope.

Definition is_noise (bits : list bool) (n : nat) (r : list bool * nat) : bool :=
  (if list_eq_dec bool_dec (fst r) bits then true else false) && (n =? snd r)%nat.

(** Each bit with its odds. *)
Fixpoint turn_product (half : nat) (turns : list (list nat)) (bits : list bool) : R :=
  match turns, bits with
  | power :: turns, b :: bits =>
      (if b then power_of half power else 1) / (1 + power_of half power)
      * turn_product half turns bits
  | _, _ => 1
  end.

(** Of a count that ends at 1 + more. *)
Definition count_cell (c : R) (more n : nat) : R :=
  if (n <=? more)%nat then (1 - c) * c ^ n else if (n =? S more)%nat then c ^ n else 0.

Lemma count_law_none c q more n : (forall m, q m = false) -> count_law c q more n = 0.
Proof.
  intros H. revert n. induction more as [|more IH]; intros n; cbn [count_law]; rewrite !H, ?IH;
  cbn; ring.
Qed.

Lemma count_law_cell c more n m : count_law c (fun i => (m + n =? i)%nat) more m
  = count_cell c more n.
Proof.
  unfold count_cell. revert m n. induction more as [|more IH]; intros m n; cbn [count_law].
  - destruct n as [|[|n]].
    + rewrite Nat.add_0_r, Nat.eqb_refl, (proj2 (Nat.eqb_neq m (S m))) by lia. cbn. ring.
    + replace (m + 1)%nat with (S m) by lia. rewrite Nat.eqb_refl.
      rewrite (proj2 (Nat.eqb_neq (S m) m)) by lia. cbn. ring.
    + rewrite !(proj2 (Nat.eqb_neq _ _)) by lia. cbn. ring.
  - destruct n as [|n].
    + rewrite Nat.add_0_r, Nat.eqb_refl.
      assert (Z : forall more i, (m < i)%nat -> count_law c (fun j => (m =? j)%nat) more i = 0).
      { intros k. induction k as [|k IHk]; intros i B; cbn [count_law];
        rewrite !(proj2 (Nat.eqb_neq _ _)) by lia; rewrite ?IHk by lia; cbn; ring. }
      rewrite Z by lia. cbn. ring.
    + rewrite (proj2 (Nat.eqb_neq (m + S n) m)) by lia.
      replace (fun i => (m + S n =? i)%nat) with (fun i => (S m + n =? i)%nat).
      * rewrite IH. cbn [Nat.leb Nat.eqb indicator pow].
        destruct (n <=? more)%nat; [ring|]. destruct (n =? S more)%nat; ring.
      * now replace (m + S n)%nat with (S m + n)%nat by lia.
Qed.

Lemma turns_law_elsewhere half last limit target n done turns :
  (forall bits, length bits = length turns -> done ++ bits <> target) ->
  turns_law half last limit (is_noise target n) done turns = 0.
Proof.
  revert done. induction turns as [|power turns IH]; intros done H; cbn [turns_law].
  - apply count_law_none. intros m. unfold is_noise. cbn [fst].
    destruct (list_eq_dec bool_dec done target) as [E|]; [|reflexivity].
    exfalso. apply (H [] eq_refl). now rewrite app_nil_r.
  - rewrite !IH; [unfold Rdiv; ring | |];
    intros bits E; rewrite <- app_assoc; apply H; cbn [app length]; now rewrite E.
Qed.

Lemma turns_law_product half last limit bits n done turns : length bits = length turns ->
  (forall power, In power turns -> 0 <= power_of half power) ->
  turns_law half last limit (is_noise (done ++ bits) n) done turns
  = turn_product half turns bits * count_cell (power_of half last) (limit (done ++ bits)) n.
Proof.
  revert bits done. induction turns as [|power turns IH]; intros [|b bits] done E P;
  try discriminate; cbn [turns_law turn_product].
  - rewrite app_nil_r, Rmult_1_l, <- (count_law_cell _ _ n 0). cbn [Nat.add].
    generalize (limit done) as more, 0%nat as m. intros more.
    induction more as [|more IHm]; intros m; cbn [count_law]; rewrite ?IHm; unfold is_noise;
    cbn [fst snd]; destruct (list_eq_dec bool_dec done done); (contradiction || reflexivity).
  - injection E as E. specialize (P power (or_introl eq_refl)) as Pp.
    assert (P' : forall p, In p turns -> 0 <= power_of half p) by (intros; apply P; now right).
    assert (Z : forall c, c <> b ->
      turns_law half last limit (is_noise (done ++ b :: bits) n) (done ++ [c]) turns = 0).
    { intros c N. apply turns_law_elsewhere. intros more L Q. rewrite <- app_assoc in Q.
      apply app_inv_head in Q. injection Q as Q _. contradiction. }
    pose proof (IH bits (done ++ [b]) E P') as T. rewrite <- app_assoc in T. cbn [app] in T.
    destruct b; [rewrite T, (Z false) by discriminate | rewrite T, (Z true) by discriminate];
    field; lra.
Qed.

(** The powers are a, a^2, a^4, ... *)
Fixpoint doubling (half : nat) (a : R) (turns : list (list nat)) : Prop :=
  match turns with
  | [] => True
  | power :: turns => power_of half power = a /\ doubling half (a * a) turns
  end.

Fixpoint bits_number (bits : list bool) : nat :=
  match bits with [] => 0 | b :: bits => (if b then 1 else 0) + 2 * bits_number bits end.

Lemma doubling_product half a turns bits : 0 <= a -> doubling half a turns ->
  length bits = length turns ->
  turn_product half turns bits * (1 - a ^ (2 ^ length turns)) = (1 - a) * a ^ bits_number bits.
Proof.
  revert a bits. induction turns as [|power turns IH]; intros a [|b bits] A D E; try discriminate.
  - cbn. ring.
  - injection E as E. destruct D as [D1 D2]. cbn [turn_product bits_number length]. rewrite D1.
    specialize (IH (a * a) bits ltac:(nra) D2 E).
    replace (a ^ (2 ^ S (length turns))) with ((a * a) ^ (2 ^ length turns)).
    + rewrite Rmult_assoc, IH, pow_add. replace (a ^ (2 * bits_number bits))
        with ((a * a) ^ bits_number bits).
      * destruct b; cbn [pow]; field; lra.
      * rewrite pow_mult. cbn [pow]. now rewrite Rmult_1_r.
    + cbn [Nat.pow]. rewrite pow_mult. cbn [pow]. now rewrite Rmult_1_r.
Qed.

(** The law of the noise. *)
Theorem geometric_noise_law half last limit a side turns above bits n :
  0 <= a -> power_of half side = a -> doubling half a turns ->
  power_of half last = a ^ (2 ^ length turns) -> length bits = length turns ->
  (n <= limit (above :: bits))%nat ->
  (forall power, In power turns -> 0 <= power_of half power) ->
  turns_law half last limit (is_noise (above :: bits) n) [] (side :: turns)
  = (if above then a else 1) / (1 + a)
    * ((1 - a) * a ^ (bits_number bits + 2 ^ length turns * n)).
Proof.
  intros A S D L E B P. pose proof (turns_law_product half last limit (above :: bits) n []
    (side :: turns)) as T. cbn [app] in T. rewrite T.
  - cbn [turn_product]. unfold count_cell. rewrite (proj2 (Nat.leb_le _ _)) by assumption.
    rewrite L, S, pow_add, pow_mult, <- (Rmult_assoc (1 - a)), <- (doubling_product half a turns
      bits)
      by assumption. ring.
  - cbn. now rewrite E.
  - intros p [<-|I]; [lra | auto].
Qed.

Section Noise.
Context (half : nat) (positive : (0 < half)%nat) (last : list nat) (limit : list bool -> nat)
  (last_ok : digits_ok half last) (side : list nat) (turns : list (list nat))
  (turns_ok : forall power, In power (side :: turns) -> digits_ok half power).

Let longest := list_max (length last :: map (@length nat) (side :: turns)).

Lemma start_within :
  noise_within half last (S (length turns)) longest (Turn [] (side :: turns) None).
Proof.
  pose proof (proj1 (list_max_le (length last :: map (@length nat) (side :: turns)) longest)
    (Nat.le_refl _)) as M. rewrite Forall_forall in M.
  split; [apply M; now left|]. split; [discriminate|]. split; [cbn; lia|]. split; [|exact I].
  intros p J. split; [now apply turns_ok|]. apply M. right. now apply in_map.
Qed.

(** Of L words: what has led to a report in q, what the law says, and what may lead there. *)
Theorem geometric_noise_counts q L :
  let led := ended (noise_step half last limit) (2 * half) q (Turn [] (side :: turns) None) L in
  let left := waiting (noise_step half last limit) (2 * half) (Turn [] (side :: turns) None) L in
  INR led <= turns_law half last limit q [] (side :: turns) * INR (2 * half) ^ L
  <= INR led + INR left.
Proof.
  apply (machine_counts _ _ _ q (noise_law half last limit q)
    (noise_stays half positive last limit last_ok (S (length turns)) longest)
    (noise_harmonic half positive last limit last_ok q (S (length turns)) longest)).
  apply start_within.
Qed.

Theorem geometric_noise_ends :
  Un_cv (fun L => INR (waiting (noise_step half last limit) (2 * half)
    (Turn [] (side :: turns) None) L) / INR (2 * half) ^ L) 0.
Proof.
  apply (machine_ends _ (2 * half)%nat _ (longest + (S (length turns) + longest))%nat ltac:(lia)
    (noise_stays half positive last limit last_ok (S (length turns)) longest)).
  - intros s G. apply ends_by_can_end with (2 * half - 1)%nat; [lia|].
    now apply noise_ends.
  - apply start_within.
Qed.
End Noise.
