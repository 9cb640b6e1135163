(** Tactics for generated algebra: signs by structure, inequalities by certificates.

    A generated lemma speaks of real variables (u = e^eps, k, g, ...) and comes with its
    certificate: b - a = N / D, and a factor that is positive as a sum of products of nonnegative
    things. No search is left to the checker. *)
From Coq Require Import Reals ZArith List Lra Lia Psatz.
From LDP Require Import Exponential ReflectPoly ReflectSign ReflectFactors ReflectRational.
Import ListNotations.
Open Scope R_scope.

Lemma certified_le a b N D : b - a = N / D -> 0 <= N -> 0 < D -> a <= b.
Proof.
  intros E HN HD. enough (0 <= N / D) by lra. unfold Rdiv.
  apply Rmult_le_pos; [assumption|]. left. now apply Rinv_0_lt_compat.
Qed.

Lemma certified_lt a b N D : b - a = N / D -> 0 < N -> 0 < D -> a < b.
Proof.
  intros E HN HD. enough (0 < N / D) by lra. unfold Rdiv.
  apply Rmult_lt_0_compat; [assumption|]. now apply Rinv_0_lt_compat.
Qed.

Lemma certified_above a N D : a = N / D -> 0 < N -> 0 < D -> a <> 0.
Proof. intros -> HN HD. apply Rgt_not_eq, Rdiv_lt_0_compat; assumption. Qed.

Lemma certified_below a N D : - a = N / D -> 0 < N -> 0 < D -> a <> 0.
Proof.
  intros E HN HD. assert (0 < N / D) by (apply Rdiv_lt_0_compat; assumption). lra.
Qed.

(** 0 <= e and 0 < e where e is built with + * / ^ from hypotheses and numerals. *)
Ltac positive :=
  lazymatch goal with
  | |- _ /\ _ => split; positive
  | |- 0 < _ => first [ assumption | lra |
      lazymatch goal with
      | |- 0 < _ * _ => apply Rmult_lt_0_compat; positive
      | |- 0 < _ / _ => apply Rdiv_lt_0_compat; positive
      | |- 0 < / _ => apply Rinv_0_lt_compat; positive
      | |- 0 < _ ^ _ => apply pow_lt; positive
      | |- 0 < _ + _ =>
          first [ apply Rplus_lt_le_0_compat; positive | apply Rplus_le_lt_0_compat; positive ]
      end ]
  | |- 0 <= _ => first [ assumption | lra |
      lazymatch goal with
      | |- 0 <= _ ^ 2 => apply pow2_ge_0
      | |- 0 <= _ * _ => apply Rmult_le_pos; positive
      | |- 0 <= _ / _ => unfold Rdiv; apply Rmult_le_pos; [ | left; apply Rinv_0_lt_compat ]; positive
      | |- 0 <= / _ => left; apply Rinv_0_lt_compat; positive
      | |- 0 <= _ ^ _ => apply pow_le; positive
      | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; positive
      end ]
  end.

(** Side conditions of [field]: what is asserted to be positive is not zero. *)
Ltac nonzero :=
  repeat match goal with |- _ /\ _ => split end;
  first [ assumption | apply Rgt_not_eq; unfold Rgt; solve [ positive ]
        | apply Rlt_not_eq; lra | solve [ auto with real ] ].

(** * By computation

    The algebra of a table is mostly over one variable that is above a number. There the checker of
    ReflectRational.v brings both sides over one denominator, and finds by itself the signs of what
    it divides by and of the difference. It takes a fifth of the time that [field] does. What it
    does not show is left to the tactics below: it ignores every other hypothesis. *)
Fixpoint above_numbers (bounds : list (Z * bool)) : list range :=
  match bounds with
  | [] => []
  | (c, strict) :: others =>
      let size := length others in
      Range (Some (pconst size c, pconst size 1, strict)) None :: above_numbers others
  end.

Fixpoint all_above (bounds : list (Z * bool)) (r : list R) : Prop :=
  match bounds with
  | [] => True
  | (c, strict) :: others =>
      (if strict then IZR c < hd 0 r else IZR c <= hd 0 r) /\ all_above others (tl r)
  end.

Lemma all_above_inside bounds : forall r, all_above bounds r -> inside (above_numbers bounds) r.
Proof.
  induction bounds as [|[c strict] others IH]; intros r; [exact (fun H => H)|]. intros [H A].
  split; [|now apply IH].
  assert (E : quotient (tl r) (pconst (length others) c, pconst (length others) 1, strict) = IZR c)
    by (unfold quotient; cbn [fst snd]; rewrite !pconst_eval; field).
  unfold within. split; [|exact I]. cbn [below snd]. destruct strict; rewrite E; exact H.
Qed.

Section Computed.
Context (bounds : list (Z * bool)) (r : list R) (A : all_above bounds r) (a b : expr).

Let vs := above_numbers bounds.
Let nothing_known := multiplied (length vs) [].

Lemma computed_eq : shows_zero vs nothing_known (ESub a b) = true -> eval r a = eval r b.
Proof.
  intros H. apply (shows_zero_sound vs [] r (all_above_inside _ _ A)) in H. cbn in H. lra.
Qed.

Lemma computed_le : shows_nonneg vs nothing_known (ESub b a) = true -> eval r a <= eval r b.
Proof.
  intros H. apply (shows_nonneg_sound vs [] r (all_above_inside _ _ A)) in H. cbn in H. lra.
Qed.

Lemma computed_lt : shows_positive vs nothing_known (ESub b a) = true -> eval r a < eval r b.
Proof.
  intros H. apply (shows_positive_sound vs [] r (all_above_inside _ _ A)) in H. cbn in H. lra.
Qed.
End Computed.

Ltac position x r :=
  lazymatch r with
  | x :: _ => constr:(0%nat)
  | _ :: ?others => let i := position x others in constr:(S i)
  end.

Ltac written_out r t :=
  lazymatch t with
  | ?a + ?b => let a := written_out r a in let b := written_out r b in constr:(EAdd a b)
  | ?a - ?b => let a := written_out r a in let b := written_out r b in constr:(ESub a b)
  | ?a * ?b => let a := written_out r a in let b := written_out r b in constr:(EMul a b)
  | ?a / ?b => let a := written_out r a in let b := written_out r b in constr:(EDiv a b)
  | - ?a => let a := written_out r a in constr:(ENeg a)
  | ?a ^ ?n => let a := written_out r a in constr:(EPow a n)
  | IZR ?z => constr:(EInt z)
  | _ => let i := position t r in constr:(EVar i)
  end.

Ltac unlisted x r := is_var x; tryif (let i := position x r in idtac) then fail else idtac.

(** A variable that is not yet listed, with the first number that is below it. *)
Ltac next_bound r :=
  match reverse goal with
  | _ : IZR ?c < ?x |- _ =>
      let checked := match goal with _ => unlisted x r end in constr:((x, (c, true)))
  | _ : IZR ?c <= ?x |- _ =>
      let checked := match goal with _ => unlisted x r end in constr:((x, (c, false)))
  | _ => constr:(tt)
  end.

(** Goes on with all of them: each is chosen once, whatever fails later. *)
Ltac with_bounds r bounds continue :=
  let found := next_bound r in
  lazymatch found with
  | (?x, ?bound) => with_bounds (x :: r) (bound :: bounds) continue
  | tt => continue r bounds
  end.

Ltac computed_over r bounds :=
  let shown l := (apply l; [cbn; repeat split; assumption | vm_compute; reflexivity]) in
  lazymatch goal with
  | |- ?a = ?b =>
      let a := written_out r a in let b := written_out r b in
      change_no_check (eval r a = eval r b); shown (computed_eq bounds r)
  | |- ?a <= ?b =>
      let a := written_out r a in let b := written_out r b in
      change_no_check (eval r a <= eval r b); shown (computed_le bounds r)
  | |- ?a < ?b =>
      let a := written_out r a in let b := written_out r b in
      change_no_check (eval r a < eval r b); shown (computed_lt bounds r)
  end.

(** With several variables the products may have too many terms to be written out. *)
Ltac computed_if_alone r bounds :=
  lazymatch r with
  | _ :: _ :: _ => fail
  | _ => computed_over r bounds
  end.

Ltac computed := solve [with_bounds (@nil R) (@nil (Z * bool)) computed_if_alone].

Ltac equation := first [ reflexivity | computed | ring | field; nonzero | field ].

(** [factor f g]: f > 0, because f equals g, which is positive by structure. *)
Ltac factor f g :=
  let H := fresh "Factor" in
  assert (H : 0 < f) by first [ computed | replace f with g by equation; positive ].

(** The same for f >= 0. *)
Ltac factor_nonneg f g :=
  let H := fresh "Factor" in
  assert (H : 0 <= f) by first [ computed | replace f with g by equation; positive ].

(** The difference of the two sides is N / D. *)
Ltac certificate N D :=
  first [ computed | lazymatch goal with
  | |- _ <= _ => apply (certified_le _ _ N D); [ equation | positive | positive ]
  | |- _ < _ => apply (certified_lt _ _ N D); [ equation | positive | positive ]
  end ].

(** A bound on a natural number, as a bound on the real. *)
Lemma real_at_least (m : Z) (k : nat) : (Z.to_nat m <= k)%nat -> IZR m <= INR k.
Proof. intros H. rewrite INR_IZR_INZ. apply IZR_le. lia. Qed.
Lemma real_at_most (m : Z) (k : nat) : (0 <= m)%Z -> (k <= Z.to_nat m)%nat -> INR k <= IZR m.
Proof. intros P H. rewrite INR_IZR_INZ. apply IZR_le. lia. Qed.
