(** New randomizers from old ones, and the epsilon they have. *)
From Coq Require Import Reals List Lra Lia.
From LDP Require Import Sums Randomizer.
Import ListNotations.
Open Scope R_scope.

(** * Post-processing: a random map Q on the report *)
Section PostProcessing.
Context {X Y Z : Type} (M : mech X Y) (zs : list Z) (Q : Y -> Z -> R).

Definition post : mech X Z :=
  Mech (dom M) zs (fun x z => sum_over (outs M) (fun y => pr M x y * Q y z)).

Hypothesis Q_nonneg : forall y z, In y (outs M) -> In z zs -> 0 <= Q y z.

Theorem post_ldp eps : ldp M eps -> ldp post eps.
Proof.
  intros H x x' z Hx Hx' Hz. cbn. rewrite <- sum_scale. apply sum_le. intros y Hy.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [now apply Q_nonneg | now apply H].
Qed.

Hypothesis Q_sum : forall y, In y (outs M) -> sum_over zs (Q y) = 1.

Theorem post_stochastic : stochastic M -> stochastic post.
Proof.
  intros St x Hx. destruct (St x Hx) as [P0 P1]. split.
  - intros z Hz. apply sum_nonneg. intros y Hy. apply Rmult_le_pos; auto.
  - cbn. rewrite sum_swap. rewrite <- P1. apply sum_ext. intros y Hy.
    rewrite sum_scale, Q_sum by assumption. ring.
Qed.
End PostProcessing.

(** * Adaptive sequential composition: the second randomizer sees the first report *)
Section Composition.
Context {X Y Z : Type} (M : mech X Y) (N : Y -> mech X Z) (zs : list Z).
Hypothesis N_outs : forall y, outs (N y) = zs.
Hypothesis N_dom : forall y x, dom M x -> dom (N y) x.

Definition compose : mech X (Y * Z) :=
  Mech (dom M) (list_prod (outs M) zs)
    (fun x yz => pr M x (fst yz) * pr (N (fst yz)) x (snd yz)).

Theorem compose_stochastic :
  stochastic M -> (forall y, In y (outs M) -> stochastic (N y)) -> stochastic compose.
Proof.
  intros SM SN x Hx. destruct (SM x Hx) as [P0 P1]. split.
  - intros [y z] H. apply in_prod_iff in H as [Hy Hz]. cbn. apply Rmult_le_pos; [auto|].
    apply (SN y Hy x); [auto | now rewrite N_outs].
  - cbn. rewrite sum_product. cbn. rewrite <- P1. apply sum_ext. intros y Hy. rewrite sum_scale.
    destruct (SN y Hy x) as [_ E]; [auto|]. rewrite N_outs in E. rewrite E. ring.
Qed.

Theorem compose_ldp e1 e2 :
  stochastic M -> (forall y, In y (outs M) -> stochastic (N y)) ->
  ldp M e1 -> (forall y, In y (outs M) -> ldp (N y) e2) -> ldp compose (e1 + e2).
Proof.
  intros SM SN H1 H2 x x' [y z] Hx Hx' H. cbn in *. apply in_prod_iff in H as [Hy Hz].
  rewrite exp_plus.
  replace (exp e1 * exp e2 * (pr M x' y * pr (N y) x' z))
    with ((exp e1 * pr M x' y) * (exp e2 * pr (N y) x' z)) by ring.
  apply Rmult_le_compat; [now apply SM | | now apply H1 | ].
  - apply (SN y Hy x); [auto | now rewrite N_outs].
  - apply H2; auto. now rewrite N_outs.
Qed.
End Composition.

(** * Public mixture: a seed, drawn without looking at the input, is published *)
Section Mixture.
Context {X Y S : Type} (seeds : list S) (w : S -> R) (N : S -> mech X Y) (ys : list Y).
Context (D : X -> Prop).
Hypothesis w_nonneg : forall s, In s seeds -> 0 <= w s.
Hypothesis w_sum : sum_over seeds w = 1.
Hypothesis N_outs : forall s, outs (N s) = ys.
Hypothesis N_dom : forall s x, D x -> dom (N s) x.

Definition mixture : mech X (S * Y) :=
  Mech D (list_prod seeds ys) (fun x sy => w (fst sy) * pr (N (fst sy)) x (snd sy)).

Theorem mixture_stochastic : (forall s, In s seeds -> stochastic (N s)) -> stochastic mixture.
Proof.
  intros SN x Hx. split.
  - intros [s y] H. apply in_prod_iff in H as [Hs Hy]. cbn. apply Rmult_le_pos; [auto|].
    apply (SN s Hs x); [auto | now rewrite N_outs].
  - cbn. rewrite sum_product. cbn. rewrite <- w_sum. apply sum_ext. intros s Hs.
    rewrite sum_scale. destruct (SN s Hs x) as [_ E]; [auto|]. rewrite N_outs in E.
    rewrite E. ring.
Qed.

Theorem mixture_ldp eps : (forall s, In s seeds -> ldp (N s) eps) -> ldp mixture eps.
Proof.
  intros H x x' [s y] Hx Hx' HI. cbn in *. apply in_prod_iff in HI as [Hs Hy].
  replace (exp eps * (w s * pr (N s) x' y)) with (w s * (exp eps * pr (N s) x' y)) by ring.
  apply Rmult_le_compat_l; [auto|]. apply H; auto. now rewrite N_outs.
Qed.
End Mixture.

(** * An encoder before the randomizer *)
Definition encode_first {X X' Y} (D : X' -> Prop) (f : X' -> X) (M : mech X Y) : mech X' Y :=
  Mech D (outs M) (fun x => pr M (f x)).

Theorem encode_first_stochastic {X X' Y} (D : X' -> Prop) (f : X' -> X) (M : mech X Y) :
  (forall x, D x -> dom M (f x)) -> stochastic M -> stochastic (encode_first D f M).
Proof. intros Hf H x Hx. apply (H (f x)). auto. Qed.

Theorem encode_first_ldp {X X' Y} (D : X' -> Prop) (f : X' -> X) (M : mech X Y) eps :
  (forall x, D x -> dom M (f x)) -> ldp M eps -> ldp (encode_first D f M) eps.
Proof. intros Hf H x x' y Hx Hx' Hy. apply H; auto. Qed.

(** * Parallel composition: two attributes, neighbours differ in one of them *)
Definition parallel {X1 X2 Y1 Y2} (M : mech X1 Y1) (N : mech X2 Y2) : mech (X1 * X2) (Y1 * Y2) :=
  Mech (fun x => dom M (fst x) /\ dom N (snd x)) (list_prod (outs M) (outs N))
    (fun x y => pr M (fst x) (fst y) * pr N (snd x) (snd y)).

Theorem parallel_ldp {X1 X2 Y1 Y2} (M : mech X1 Y1) (N : mech X2 Y2) e1 e2 :
  stochastic M -> stochastic N -> ldp M e1 -> ldp N e2 ->
  forall x x' y, dom (parallel M N) x -> dom (parallel M N) x' -> In y (outs (parallel M N)) ->
  fst x = fst x' \/ snd x = snd x' ->
  pr (parallel M N) x y <= exp (Rmax e1 e2) * pr (parallel M N) x' y.
Proof.
  intros SM SN H1 H2 [a b] [a' b'] [y z] [Ha Hb] [Ha' Hb'] HI Hn. cbn in *.
  apply in_prod_iff in HI as [Hy Hz].
  assert (Mn : ldp M (Rmax e1 e2)) by (eapply ldp_weaken; eauto using Rmax_l).
  assert (Nn : ldp N (Rmax e1 e2)) by (eapply ldp_weaken; eauto using Rmax_r).
  destruct Hn; subst.
  - replace (exp (Rmax e1 e2) * (pr M a' y * pr N b' z))
      with (pr M a' y * (exp (Rmax e1 e2) * pr N b' z)) by ring.
    apply Rmult_le_compat_l; [now apply SM | now apply Nn].
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [now apply SN | now apply Mn].
Qed.
