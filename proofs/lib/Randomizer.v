(** Randomizers: what a client reports, its privacy, its moments.

    A randomizer is a domain of inputs, a finite list of outputs and a probability for each pair.
    eps-LDP is stated as a product, P(y|x) <= e^eps P(y|x'), so that it says something about cells
    that are zero. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Exponential.
Import ListNotations.
Open Scope R_scope.

Record mech (X Y : Type) := Mech { dom : X -> Prop; outs : list Y; pr : X -> Y -> R }.
Arguments Mech {X Y}.
Arguments dom {X Y}.
Arguments outs {X Y}.
Arguments pr {X Y}.

Section Definitions.
Context {X Y : Type} (M : mech X Y).

Definition stochastic := forall x, dom M x ->
  (forall y, In y (outs M) -> 0 <= pr M x y) /\ sum_over (outs M) (pr M x) = 1.

Definition ldp (eps : R) := forall x x' y, dom M x -> dom M x' -> In y (outs M) ->
  pr M x y <= exp eps * pr M x' y.

(** The bound is reached by an output that x' can give. *)
Definition ldp_tight (eps : R) := exists x x' y, dom M x /\ dom M x' /\ In y (outs M) /\
  0 < pr M x' y /\ pr M x y = exp eps * pr M x' y.

(** What one input can give, every input can give. *)
Definition equal_support := forall x x' y, dom M x -> dom M x' -> In y (outs M) ->
  0 < pr M x y -> 0 < pr M x' y.

Definition expectation (x : X) (h : Y -> R) := sum_over (outs M) (fun y => pr M x y * h y).
Definition variance (x : X) (h : Y -> R) := expectation x (fun y => (h y - expectation x h)²).
Definition unbiased (h : Y -> R) (t : X -> R) := forall x, dom M x -> expectation x h = t x.

(** No smaller epsilon holds. *)
Theorem ldp_tight_best eps e : ldp_tight eps -> ldp e -> eps <= e.
Proof.
  intros (x & x' & y & Hx & Hx' & Hy & Hp & He) H.
  specialize (H x x' y Hx Hx' Hy). rewrite He in H.
  apply Rmult_le_reg_r in H; [|assumption].
  destruct (Rle_or_lt eps e) as [L|L]; [assumption|]. apply exp_strict in L. lra.
Qed.

Theorem ldp_equal_support eps : ldp eps -> equal_support.
Proof.
  intros H x x' y Hx Hx' Hy P. specialize (H x x' y Hx Hx' Hy). pose proof (exp_pos eps) as E.
  destruct (Rlt_or_le 0 (pr M x' y)) as [L|L]; [assumption|]. exfalso.
  assert (exp eps * pr M x' y <= exp eps * 0) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma ldp_weaken e e' : stochastic -> e <= e' -> ldp e -> ldp e'.
Proof.
  intros St He H x x' y Hx Hx' Hy. eapply Rle_trans; [apply H; eauto|].
  apply Rmult_le_compat_r; [now apply St|].
  destruct He as [He|He]; [left; now apply exp_strict | right; now subst].
Qed.

Lemma expectation_plus x f g :
  expectation x (fun y => f y + g y) = expectation x f + expectation x g.
Proof. unfold expectation. rewrite <- sum_plus. apply sum_ext. intros; ring. Qed.

Lemma expectation_scale x c f : expectation x (fun y => c * f y) = c * expectation x f.
Proof. unfold expectation. rewrite <- sum_scale. apply sum_ext. intros; ring. Qed.

Lemma expectation_constant x c : stochastic -> dom M x -> expectation x (fun _ => c) = c.
Proof.
  intros St Hx. unfold expectation. rewrite sum_scale_right. destruct (St x Hx) as [_ ->]. ring.
Qed.

Lemma expectation_ext x f g :
  (forall y, In y (outs M) -> f y = g y) -> expectation x f = expectation x g.
Proof. intros H. apply sum_ext. intros; rewrite H; auto. Qed.

Lemma variance_moments x h : stochastic -> dom M x ->
  variance x h = expectation x (fun y => h y * h y) - expectation x h * expectation x h.
Proof.
  intros St Hx. unfold variance.
  rewrite (expectation_ext x _ (fun y => h y * h y
    + ((- 2 * expectation x h) * h y + expectation x h * expectation x h)))
    by (intros; unfold Rsqr; ring).
  rewrite 2!expectation_plus, expectation_scale, expectation_constant by assumption. ring.
Qed.
End Definitions.

(** The same inputs, the same outputs in the same order, the same probabilities. *)
Definition same_table {X Y} (M N : mech X Y) : Prop :=
  (forall x, dom M x <-> dom N x) /\ outs M = outs N /\
  forall x y, dom M x -> In y (outs M) -> pr M x y = pr N x y.
