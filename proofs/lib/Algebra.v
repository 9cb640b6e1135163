(** Tactics for generated algebra: signs by structure, inequalities by certificates.

    A generated lemma speaks of real variables (u = e^eps, k, g, ...) and comes with its
    certificate: b - a = N / D, and a factor that is positive as a sum of products of nonnegative
    things. No search is left to the checker. *)
From Coq Require Import Reals Lra Lia Psatz.
From LDP Require Import Exponential.
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

Ltac equation := first [ reflexivity | ring | field; nonzero | field ].

(** [factor f g]: f > 0, because f equals g, which is positive by structure. *)
Ltac factor f g :=
  let H := fresh "Factor" in assert (H : 0 < f) by (replace f with g by equation; positive).

(** The same for f >= 0. *)
Ltac factor_nonneg f g :=
  let H := fresh "Factor" in assert (H : 0 <= f) by (replace f with g by equation; positive).

(** The difference of the two sides is N / D. *)
Ltac certificate N D :=
  lazymatch goal with
  | |- _ <= _ => apply (certified_le _ _ N D); [ equation | positive | positive ]
  | |- _ < _ => apply (certified_lt _ _ N D); [ equation | positive | positive ]
  end.


(** A bound on a natural number, as a bound on the real. *)
Lemma real_at_least (m : Z) (k : nat) : (Z.to_nat m <= k)%nat -> IZR m <= INR k.
Proof. intros H. rewrite INR_IZR_INZ. apply IZR_le. lia. Qed.
Lemma real_at_most (m : Z) (k : nat) : (0 <= m)%Z -> (k <= Z.to_nat m)%nat -> INR k <= IZR m.
Proof. intros P H. rewrite INR_IZR_INZ. apply IZR_le. lia. Qed.
