(** (eps, delta): what the definition for sets implies and what implies it; post-processing,
    composition, disjoint parts of the data, groups. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Exponential Randomizer Combine Matrix Restricted Protocols.
Import ListNotations.
Open Scope R_scope.

Lemma sum_filter {A} (S : A -> bool) (f : A -> R) l :
  sum_over (filter S l) f = sum_over l (fun a => indicator (S a) * f a).
Proof.
  induction l as [|a l IH]; cbn; [reflexivity|].
  destruct (S a); cbn [sum_over indicator]; rewrite IH; ring.
Qed.

Lemma sum_minus {A} l (f g : A -> R) c :
  sum_over l (fun a => f a - c * g a) = sum_over l f - c * sum_over l g.
Proof. induction l; cbn; [ring | rewrite IHl; ring]. Qed.

Section Definitions.
Context {X Y : Type} (M : mech X Y).

(** Every single output instead of every set. *)
Definition pointwise_delta (eps delta : R) : Prop :=
  forall x x' y, dom M x -> dom M x' -> In y (outs M) -> pr M x y <= exp eps * pr M x' y + delta.

(** Whether the privacy loss of an output is above eps. *)
Definition loses (eps : R) (x x' : X) (y : Y) : bool :=
  if Rle_dec (pr M x y) (exp eps * pr M x' y) then false else true.

(** Pr[L > eps] <= delta, L being the privacy loss of an output drawn for x. *)
Definition loss_tail (eps delta : R) : Prop :=
  forall x x', dom M x -> dom M x' ->
  sum_over (filter (loses eps x x') (outs M)) (pr M x) <= delta.

(** Sets follow from outputs if there is no delta; with one it is multiplied by their number. *)
Theorem pointwise_sets eps delta : 0 <= delta -> pointwise_delta eps delta ->
  ldp_delta M eps (INR (length (outs M)) * delta).
Proof.
  intros D H x x' S Hx Hx'.
  assert (G : sum_over (filter S (outs M)) (fun y => pr M x y - exp eps * pr M x' y)
    <= sum_over (outs M) (fun _ => delta)).
  { rewrite sum_filter. apply sum_le. intros y Hy. specialize (H x x' y Hx Hx' Hy).
    destruct (S y); cbn [indicator]; lra. }
  rewrite sum_minus, sum_constant in G. lra.
Qed.

Theorem ldp_sets eps : ldp M eps -> ldp_delta M eps 0.
Proof.
  intros H. replace 0 with (INR (length (outs M)) * 0) by ring. apply pointwise_sets; [lra|].
  intros x x' y Hx Hx' Hy. rewrite Rplus_0_r. now apply H.
Qed.

(** Outputs are sets of one, where the list of outputs names each once. *)
Theorem sets_pointwise eps delta (same : Y -> Y -> bool) :
  (forall y z, same y z = true <-> y = z) -> NoDup (outs M) ->
  ldp_delta M eps delta -> pointwise_delta eps delta.
Proof.
  intros E N H x x' y Hx Hx' Hy. specialize (H x x' (same y) Hx Hx').
  assert (F : forall l, NoDup l -> In y l -> filter (same y) l = [y]).
  { induction l as [|a l IH]; intros Nl Il; [destruct Il|]. cbn. inversion Nl; subst.
    destruct (same y a) eqn:Q.
    - apply E in Q; subst a. f_equal. destruct (filter (same y) l) as [|b r] eqn:Z; [reflexivity|].
      exfalso. assert (I : In b (filter (same y) l)) by (rewrite Z; cbn; tauto).
      apply filter_In in I as [I1 I2]. apply E in I2; subst. contradiction.
    - destruct Il as [->|Il]; [|now apply IH].
      assert (T : same y y = true) by now apply E. congruence. }
  rewrite (F (outs M) N Hy) in H. cbn in H. lra.
Qed.

(** The set of all outputs whose loss is above eps needs the largest delta. *)
Lemma positive_part eps delta x x' : ldp_delta M eps delta -> dom M x -> dom M x' ->
  sum_over (outs M) (fun y => Rmax 0 (pr M x y - exp eps * pr M x' y)) <= delta.
Proof.
  intros H Hx Hx'. specialize (H x x' (loses eps x x') Hx Hx').
  assert (G : sum_over (filter (loses eps x x') (outs M)) (fun y => pr M x y - exp eps * pr M x' y)
    = sum_over (outs M) (fun y => Rmax 0 (pr M x y - exp eps * pr M x' y))).
  { rewrite sum_filter. apply sum_ext. intros y _. unfold loses, Rmax.
    destruct (Rle_dec (pr M x y) _); destruct (Rle_dec 0 _); cbn [indicator]; lra. }
  rewrite sum_minus in G. lra.
Qed.

Theorem tail_sets eps delta : stochastic M -> loss_tail eps delta -> ldp_delta M eps delta.
Proof.
  intros St H x x' S Hx Hx'. specialize (H x x' Hx Hx').
  assert (G : sum_over (filter S (outs M)) (fun y => pr M x y - exp eps * pr M x' y)
    <= sum_over (filter (loses eps x x') (outs M)) (pr M x)).
  { rewrite 2!sum_filter. apply sum_le. intros y Hy.
    pose proof (proj1 (St x Hx) y Hy). pose proof (proj1 (St x' Hx') y Hy).
    pose proof (exp_pos eps) as E.
    assert (0 <= exp eps * pr M x' y) by (apply Rmult_le_pos; lra).
    unfold loses. destruct (S y), (Rle_dec (pr M x y) _); cbn [indicator]; lra. }
  rewrite sum_minus in G. lra.
Qed.

(** The other way round only for a larger epsilon, and a larger delta. *)
Theorem sets_tail eps e delta : stochastic M -> eps < e -> ldp_delta M eps delta ->
  loss_tail e (delta / (1 - exp (eps - e))).
Proof.
  intros St L H x x' Hx Hx'. pose proof (positive_part eps delta x x' H Hx Hx') as P.
  assert (Q : exp (eps - e) < 1) by (rewrite <- exp_0; apply exp_strict; lra).
  apply Rmult_le_reg_r with (1 - exp (eps - e)); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
  rewrite Rmult_comm, <- sum_scale. rewrite sum_filter.
  eapply Rle_trans; [|exact P]. apply sum_le. intros y Hy.
  pose proof (proj1 (St x Hx) y Hy). pose proof (Rmax_l 0 (pr M x y - exp eps * pr M x' y)).
  pose proof (Rmax_r 0 (pr M x y - exp eps * pr M x' y)).
  unfold loses. destruct (Rle_dec (pr M x y) _) as [A|A]; cbn [indicator]; [lra|].
  apply Rnot_le_lt in A.
  assert (B : exp eps * pr M x' y <= exp (eps - e) * pr M x y).
  { replace eps with ((eps - e) + e) at 1 by ring. rewrite exp_plus, Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply exp_pos | lra]. }
  lra.
Qed.

(** A test of the output that is itself random: the lemma behind everything below. *)
Lemma random_test eps delta x x' (h : Y -> R) : ldp_delta M eps delta ->
  dom M x -> dom M x' -> (forall y, In y (outs M) -> 0 <= h y <= 1) ->
  sum_over (outs M) (fun y => pr M x y * h y)
  <= exp eps * sum_over (outs M) (fun y => pr M x' y * h y) + delta.
Proof.
  intros H Hx Hx' Hh. pose proof (positive_part eps delta x x' H Hx Hx') as P.
  assert (G : sum_over (outs M) (fun y => pr M x y * h y - exp eps * (pr M x' y * h y))
    <= sum_over (outs M) (fun y => Rmax 0 (pr M x y - exp eps * pr M x' y))).
  { apply sum_le. intros y Hy. specialize (Hh y Hy).
    pose proof (Rmax_l 0 (pr M x y - exp eps * pr M x' y)).
    pose proof (Rmax_r 0 (pr M x y - exp eps * pr M x' y)).
    replace (pr M x y * h y - exp eps * (pr M x' y * h y))
      with (h y * (pr M x y - exp eps * pr M x' y)) by ring.
    apply Rle_trans with (h y * Rmax 0 (pr M x y - exp eps * pr M x' y)).
    - apply Rmult_le_compat_l; lra.
    - rewrite <- (Rmult_1_l (Rmax 0 _)) at 2. apply Rmult_le_compat_r; lra. }
  rewrite sum_minus in G. lra.
Qed.
End Definitions.

(** * Post-processing *)
Theorem post_delta {X Y Z} (M : mech X Y) (zs : list Z) (Q : Y -> Z -> R) eps delta :
  (forall y z, In y (outs M) -> In z zs -> 0 <= Q y z) ->
  (forall y, In y (outs M) -> sum_over zs (Q y) = 1) ->
  ldp_delta M eps delta -> ldp_delta (post M zs Q) eps delta.
Proof.
  intros Q0 Q1 H x x' S Hx Hx'. cbn in *.
  assert (E : forall a,
    sum_over (filter S zs) (fun z => sum_over (outs M) (fun y => pr M a y * Q y z))
    = sum_over (outs M) (fun y => pr M a y * sum_over (filter S zs) (Q y))).
  { intros a. rewrite sum_swap. apply sum_ext. intros y _. now rewrite sum_scale. }
  rewrite 2!E. apply random_test; try assumption. intros y Hy. rewrite sum_filter. split.
  - apply sum_nonneg. intros z Hz. specialize (Q0 y z Hy Hz). destruct (S z); cbn; lra.
  - rewrite <- (Q1 y Hy). apply sum_le. intros z Hz. specialize (Q0 y z Hy Hz).
    destruct (S z); cbn [indicator]; lra.
Qed.

(** * Adaptive composition: epsilons add up, and deltas *)
Lemma mass_bounds {X Y} (M : mech X Y) x (S : Y -> bool) : stochastic M -> dom M x ->
  0 <= sum_over (filter S (outs M)) (pr M x) <= 1.
Proof.
  intros St Hx. destruct (St x Hx) as [P0 P1]. rewrite sum_filter. split.
  - apply sum_nonneg. intros y Hy. specialize (P0 y Hy). destruct (S y); cbn; lra.
  - rewrite <- P1. apply sum_le. intros y Hy. specialize (P0 y Hy).
    destruct (S y); cbn [indicator]; lra.
Qed.

Lemma filter_product {A B} (S : A * B -> bool) (l : list A) (m : list B) (f : A * B -> R) :
  sum_over (filter S (list_prod l m)) f
  = sum_over l (fun a => sum_over (filter (fun b => S (a, b)) m) (fun b => f (a, b))).
Proof.
  rewrite sum_filter, sum_product. apply sum_ext. intros a _. now rewrite sum_filter.
Qed.

Section Composition.
Context {X Y Z : Type} (M : mech X Y) (N : Y -> mech X Z) (zs : list Z).
Hypothesis N_outs : forall y, outs (N y) = zs.
Hypothesis N_dom : forall y x, dom M x -> dom (N y) x.

Theorem compose_delta e1 d1 e2 d2 : 0 <= d2 ->
  stochastic M -> (forall y, In y (outs M) -> stochastic (N y)) ->
  ldp_delta M e1 d1 -> (forall y, In y (outs M) -> ldp_delta (N y) e2 d2) ->
  ldp_delta (compose M N zs) (e1 + e2) (d1 + d2).
Proof.
  intros D SM SN H1 H2 x x' S Hx Hx'. cbn in *.
  set (g := fun a y => sum_over (filter (fun z => S (y, z)) zs) (pr (N y) a)).
  assert (E : forall a, sum_over (filter S (list_prod (outs M) zs))
    (fun yz => pr M a (fst yz) * pr (N (fst yz)) a (snd yz))
    = sum_over (outs M) (fun y => pr M a y * g a y)).
  { intros a. rewrite filter_product. apply sum_ext. intros y _. cbn. now rewrite sum_scale. }
  rewrite 2!E.
  assert (B : forall a y, dom M a -> In y (outs M) -> 0 <= g a y <= 1).
  { intros a y Ha Hy. unfold g. rewrite <- (N_outs y). apply mass_bounds; auto. }
  set (h := fun y => Rmin 1 (exp e2 * g x' y)).
  assert (Hh : forall y, In y (outs M) -> 0 <= h y <= 1).
  { intros y Hy. specialize (B x' y Hx' Hy). pose proof (exp_pos e2). unfold h. split.
    - apply Rmin_glb; [lra|]. apply Rmult_le_pos; lra.
    - apply Rmin_l. }
  assert (G : sum_over (outs M) (fun y => pr M x y * g x y)
    <= sum_over (outs M) (fun y => pr M x y * h y) + d2).
  { destruct (SM x Hx) as [P0 P1].
    replace d2 with (sum_over (outs M) (fun y => d2 * pr M x y)) by (rewrite sum_scale, P1; ring).
    rewrite <- sum_plus. apply sum_le. intros y Hy. specialize (P0 y Hy).
    replace (pr M x y * h y + d2 * pr M x y) with (pr M x y * (h y + d2)) by ring.
    apply Rmult_le_compat_l; [assumption|]. pose proof (B x y Hx Hy) as B1.
    pose proof (H2 y Hy x x' (fun z => S (y, z)) (N_dom y x Hx) (N_dom y x' Hx')) as H3.
    rewrite N_outs in H3. fold (g x y) in H3. fold (g x' y) in H3.
    unfold h, Rmin. destruct (Rle_dec 1 _); lra. }
  pose proof (random_test M e1 d1 x x' h H1 Hx Hx' Hh) as T.
  assert (L : sum_over (outs M) (fun y => pr M x' y * h y)
    <= exp e2 * sum_over (outs M) (fun y => pr M x' y * g x' y)).
  { rewrite <- sum_scale. apply sum_le. intros y Hy. destruct (SM x' Hx') as [P0 _].
    specialize (P0 y Hy).
    replace (exp e2 * (pr M x' y * g x' y)) with (pr M x' y * (exp e2 * g x' y)) by ring.
    apply Rmult_le_compat_l; [assumption | apply Rmin_r]. }
  apply (Rmult_le_compat_l (exp e1)) in L; [|left; apply exp_pos].
  rewrite exp_plus, Rmult_assoc. lra.
Qed.
End Composition.

Lemma filter_map {A B} (f : A -> B) (S : B -> bool) (g : B -> R) (l : list A) :
  sum_over (filter S (map f l)) g = sum_over (filter (fun a => S (f a)) l) (fun a => g (f a)).
Proof. now rewrite 2!sum_filter, sum_map. Qed.

(** Any number of steps, each in view of all that went before: the latest report of [past] first. *)
Theorem rounds_delta {X Y} (D : X -> Prop) (ys : list Y) (N : list Y -> mech X Y)
  (e d : nat -> R) : (forall past, outs (N past) = ys) ->
  (forall past x, D x <-> dom (N past) x) -> (forall past, stochastic (N past)) ->
  (forall i, 0 <= d i) -> (forall past, ldp_delta (N past) (e (length past)) (d (length past))) ->
  forall k, ldp_delta (rounds D ys N k) (prices e 0 k) (prices d 0 k).
Proof.
  intros No Nd Ns Hd Hl k.
  assert (P : forall n i, 0 <= prices d i n).
  { induction n as [|n IH]; intros i; cbn; [lra|]. specialize (Hd i). specialize (IH (S i)). lra. }
  assert (G : forall n past, ldp_delta (Mech D (transcripts ys n) (likelihood N past))
    (prices e (length past) n) (prices d (length past) n)).
  { induction n as [|n IH]; intros past.
    - intros x x' S _ _. cbn. rewrite exp_0. destruct (S []); cbn; lra.
    - set (rest := fun y => Mech D (transcripts ys n) (likelihood N (y :: past))).
      intros x x' S Hx Hx'. cbn [outs pr transcripts dom] in *. rewrite 2!filter_map.
      assert (R : forall y, stochastic (rest y)).
      { intros y a Ha. cbn in *. split.
        - intros t Ht. eapply likelihood_nonneg; eauto. intros q b Hb. now apply Nd.
        - apply (likelihood_sum D ys N); auto. intros q b Hb. now apply Nd. }
      pose proof (compose_delta (N past) rest (transcripts ys n) (fun _ => eq_refl)
        (fun y a Ha => proj2 (Nd past a) Ha) (e (length past)) (d (length past))
        (prices e (Datatypes.S (length past)) n) (prices d (Datatypes.S (length past)) n)
        (P _ _) (Ns past) (fun y _ => R y) (Hl past) (fun y _ => IH (y :: past))
        x x' (fun p => S (fst p :: snd p))) as C.
      cbn [compose outs pr dom] in C. rewrite No in C. apply C; now apply Nd. }
  exact (G k []).
Qed.

(** * Disjoint parts of the data: the larger of the two *)
Theorem parallel_delta {X1 X2 Y1 Y2} (M : mech X1 Y1) (N : mech X2 Y2) e1 d1 e2 d2 x x'
  (S : Y1 * Y2 -> bool) : stochastic M -> stochastic N -> ldp_delta M e1 d1 -> ldp_delta N e2 d2 ->
  dom (parallel M N) x -> dom (parallel M N) x' -> fst x = fst x' \/ snd x = snd x' ->
  sum_over (filter S (outs (parallel M N))) (pr (parallel M N) x)
  <= exp (Rmax e1 e2) * sum_over (filter S (outs (parallel M N))) (pr (parallel M N) x')
     + Rmax d1 d2.
Proof.
  intros SM SN H1 H2 [Ha Hb] [Ha' Hb'] Hn. destruct x as [a b], x' as [a' b']. cbn in *.
  set (g := fun c y => sum_over (filter (fun z => S (y, z)) (outs N)) (pr N c)).
  assert (E : forall a b, sum_over (filter S (list_prod (outs M) (outs N)))
    (fun yz => pr M a (fst yz) * pr N b (snd yz)) = sum_over (outs M) (fun y => pr M a y * g b y)).
  { intros c d. rewrite filter_product. apply sum_ext. intros y _. cbn. now rewrite sum_scale. }
  rewrite 2!E.
  assert (B : forall c y, dom N c -> 0 <= g c y <= 1) by (intros c y Hc; now apply mass_bounds).
  assert (P : forall c d, dom M c -> dom N d -> 0 <= sum_over (outs M) (fun y => pr M c y * g d y)).
  { intros c d Hc Hd. apply sum_nonneg. intros y Hy. apply Rmult_le_pos.
    - now apply (proj1 (SM c Hc)).
    - now apply B. }
  assert (W : forall e, e <= Rmax e1 e2 -> exp e <= exp (Rmax e1 e2)).
  { intros e [L|L]; [left; now apply exp_strict | rewrite L; lra]. }
  destruct Hn; subst.
  - assert (G : sum_over (outs M) (fun y => pr M a' y * g b y)
      <= exp e2 * sum_over (outs M) (fun y => pr M a' y * g b' y) + d2).
    { destruct (SM a' Ha') as [P0 P1].
      replace d2 with (sum_over (outs M) (fun y => d2 * pr M a' y))
        by (rewrite sum_scale, P1; ring).
      rewrite <- sum_scale, <- sum_plus. apply sum_le. intros y Hy. specialize (P0 y Hy).
      replace (exp e2 * (pr M a' y * g b' y) + d2 * pr M a' y)
        with (pr M a' y * (exp e2 * g b' y + d2)) by ring.
      apply Rmult_le_compat_l; [assumption|].
      exact (H2 b b' (fun z => S (y, z)) Hb Hb'). }
    pose proof (Rmax_r d1 d2). pose proof (W e2 (Rmax_r e1 e2)) as We.
    apply (Rmult_le_compat_r _ _ _ (P a' b' Ha' Hb')) in We. lra.
  - pose proof (random_test M e1 d1 a a' (g b') H1 Ha Ha' (fun y _ => B b' y Hb')) as G.
    pose proof (Rmax_l d1 d2). pose proof (W e1 (Rmax_l e1 e2)) as We.
    apply (Rmult_le_compat_r _ _ _ (P a' b' Ha' Hb')) in We. lra.
Qed.

(** * Any number of disjoint parts: part i of the data goes to [M i] *)
Section Parts.
Context {X Y : Type} (M : nat -> mech X Y).

Fixpoint disjoint (first k : nat) : mech (list X) (list Y) :=
  match k with
  | O => Mech (fun xs => xs = []) [[]] (fun _ _ => 1)
  | S k' => Mech
      (fun xs => match xs with
        | [] => False | x :: more => dom (M first) x /\ dom (disjoint (S first) k') more end)
      (map (fun p => fst p :: snd p) (list_prod (outs (M first)) (outs (disjoint (S first) k'))))
      (fun xs t => match xs, t with
        | x :: more, y :: u => pr (M first) x y * pr (disjoint (S first) k') more u | _, _ => 0 end)
  end.

(** Two lists of parts that differ in one place at most. *)
Fixpoint one_part (xs xs' : list X) : Prop :=
  match xs, xs' with
  | [], [] => True
  | x :: more, x' :: more' => (x = x' /\ one_part more more') \/ more = more'
  | _, _ => False
  end.

Fixpoint greatest (e : nat -> R) (first k : nat) : R :=
  match k with O => 0 | S k' => Rmax (e first) (greatest e (S first) k') end.

Hypothesis M_law : forall i, stochastic (M i).

Lemma disjoint_stochastic k : forall first, stochastic (disjoint first k).
Proof.
  induction k as [|k IH]; intros first xs Hx; cbn in *.
  - split; [intros; lra | ring].
  - destruct xs as [|x more]; [easy|]. destruct Hx as [Hx Hm].
    destruct (M_law first x Hx) as [P0 P1]. destruct (IH (S first) more Hm) as [Q0 Q1]. split.
    + intros t Ht. apply in_map_iff in Ht as ([y u] & <- & H). apply in_prod_iff in H as [Hy Hu].
      cbn. apply Rmult_le_pos; auto.
    + rewrite sum_map, sum_product. cbn. rewrite <- P1. apply sum_ext. intros y _.
      rewrite sum_scale, Q1. ring.
Qed.

Theorem disjoint_delta (e d : nat -> R) : (forall i, 0 <= d i) ->
  (forall i, ldp_delta (M i) (e i) (d i)) ->
  forall k first xs xs' S, dom (disjoint first k) xs -> dom (disjoint first k) xs' ->
  one_part xs xs' ->
  sum_over (filter S (outs (disjoint first k))) (pr (disjoint first k) xs)
  <= exp (greatest e first k)
       * sum_over (filter S (outs (disjoint first k))) (pr (disjoint first k) xs')
     + greatest d first k.
Proof.
  intros Hd Hl k. induction k as [|k IH]; intros first xs xs' S Hx Hx' Hn.
  - cbn. rewrite exp_0. destruct (S []); cbn; lra.
  - cbn [disjoint dom] in Hx, Hx'. destruct xs as [|x more]; [easy|]. destruct xs' as [|x' more'];
      [easy|]. destruct Hx as [Hx Hm], Hx' as [Hx' Hm'].
    cbn [disjoint outs pr greatest]. rewrite 2!filter_map.
    set (rest := disjoint (Datatypes.S first) k) in *.
    pose proof (disjoint_stochastic k (Datatypes.S first)) as R. fold rest in R.
    set (g := fun c y => sum_over (filter (fun u => S (y :: u)) (outs rest)) (pr rest c)).
    assert (E : forall a b, sum_over
      (filter (fun p => S (fst p :: snd p)) (list_prod (outs (M first)) (outs rest)))
      (fun p => pr (M first) a (fst p) * pr rest b (snd p))
      = sum_over (outs (M first)) (fun y => pr (M first) a y * g b y)).
    { intros a b. rewrite filter_product. apply sum_ext. intros y _. cbn. now rewrite sum_scale. }
    rewrite 2!E.
    set (e0 := greatest e (Datatypes.S first) k) in *.
    set (d0 := greatest d (Datatypes.S first) k) in *.
    assert (B : forall c y, dom rest c -> 0 <= g c y <= 1)
      by (intros c y Hc; now apply mass_bounds).
    assert (P : forall c b, dom (M first) c -> dom rest b ->
      0 <= sum_over (outs (M first)) (fun y => pr (M first) c y * g b y)).
    { intros c b Hc Hb. apply sum_nonneg. intros y Hy. apply Rmult_le_pos.
      - now apply (proj1 (M_law first c Hc)).
      - now apply B. }
    assert (W : forall a, a <= Rmax (e first) e0 -> exp a <= exp (Rmax (e first) e0)).
    { intros a [L|L]; [left; now apply exp_strict | rewrite L; lra]. }
    cbn in Hn. destruct Hn as [[-> Hn]| ->].
    + assert (G : sum_over (outs (M first)) (fun y => pr (M first) x' y * g more y)
        <= exp e0 * sum_over (outs (M first)) (fun y => pr (M first) x' y * g more' y) + d0).
      { destruct (M_law first x' Hx') as [P0 P1].
        replace d0 with (sum_over (outs (M first)) (fun y => d0 * pr (M first) x' y))
          by (rewrite sum_scale, P1; ring).
        rewrite <- sum_scale, <- sum_plus. apply sum_le. intros y Hy. specialize (P0 y Hy).
        replace (exp e0 * (pr (M first) x' y * g more' y) + d0 * pr (M first) x' y)
          with (pr (M first) x' y * (exp e0 * g more' y + d0)) by ring.
        apply Rmult_le_compat_l; [assumption|].
        exact (IH (Datatypes.S first) more more' (fun u => S (y :: u)) Hm Hm' Hn). }
      pose proof (Rmax_r (d first) d0). pose proof (W e0 (Rmax_r (e first) e0)) as We.
      apply (Rmult_le_compat_r _ _ _ (P x' more' Hx' Hm')) in We. lra.
    + pose proof (random_test (M first) (e first) (d first) x x' (g more') (Hl first) Hx Hx'
        (fun y _ => B more' y Hm')) as G.
      pose proof (Rmax_l (d first) d0). pose proof (W (e first) (Rmax_l (e first) e0)) as We.
      apply (Rmult_le_compat_r _ _ _ (P x' more' Hx' Hm')) in We. lra.
Qed.
End Parts.

(** * Groups: a chain of neighbours *)
Fixpoint geometric_sum (u : R) (k : nat) : R :=
  match k with O => 0 | S j => 1 + u * geometric_sum u j end.

Lemma geometric_sum_power u k : 1 <= u -> geometric_sum u k <= INR k * u ^ k.
Proof.
  intros U. induction k as [|k IH]; [cbn; lra|]. rewrite S_INR. cbn [geometric_sum pow].
  assert (P : 1 <= u ^ k) by (apply pow_R1_Rle; lra).
  assert (Q : u * geometric_sum u k <= u * (INR k * u ^ k)) by (apply Rmult_le_compat_l; lra).
  assert (T : 1 <= u * u ^ k) by (rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra).
  pose proof (pos_INR k). lra.
Qed.

Section Groups.
Context {X Y : Type} (M : mech X Y) (near : X -> X -> Prop).

Definition delta_near (eps delta : R) : Prop := forall x x' (S : Y -> bool), near x x' ->
  sum_over (filter S (outs M)) (pr M x) <= exp eps * sum_over (filter S (outs M)) (pr M x') + delta.

Inductive chain : nat -> X -> X -> Prop :=
  | chain_0 x : chain 0 x x
  | chain_S k x y z : near x y -> chain k y z -> chain (Datatypes.S k) x z.

Theorem group_delta eps delta k x x' (S : Y -> bool) : 0 <= delta -> delta_near eps delta ->
  chain k x x' -> sum_over (filter S (outs M)) (pr M x)
  <= exp (INR k * eps) * sum_over (filter S (outs M)) (pr M x') + delta * geometric_sum (exp eps) k.
Proof.
  intros D H Hs. induction Hs as [x|k x y z N Hs IH].
  - cbn [INR geometric_sum]. rewrite Rmult_0_l, exp_0. lra.
  - specialize (H x y S N). apply (Rmult_le_compat_l (exp eps)) in IH; [|left; apply exp_pos].
    rewrite S_INR. cbn [geometric_sum].
    replace ((INR k + 1) * eps) with (eps + INR k * eps) by ring. rewrite exp_plus. lra.
Qed.

(** The bound that is usually stated: K e^(K eps) delta. *)
Theorem group_delta_power eps delta k x x' (S : Y -> bool) : 0 <= delta -> 0 <= eps ->
  delta_near eps delta -> chain k x x' -> sum_over (filter S (outs M)) (pr M x)
  <= exp (INR k * eps) * sum_over (filter S (outs M)) (pr M x')
     + INR k * exp (INR k * eps) * delta.
Proof.
  intros D E H Hs. eapply Rle_trans; [apply (group_delta eps delta k x x' S D H Hs)|].
  assert (U : 1 <= exp eps).
  { destruct E as [E|E];
      [left; rewrite <- exp_0; now apply exp_strict | subst; rewrite exp_0; lra]. }
  pose proof (geometric_sum_power (exp eps) k U) as G.
  rewrite (exp_power eps k (INR k * eps)) by reflexivity.
  apply (Rmult_le_compat_l delta) in G; [|assumption]. lra.
Qed.
End Groups.
