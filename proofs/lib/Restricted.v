(** Bounds that are not the same for all pairs, and bounds that may be exceeded a little. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Randomizer Matrix.
Import ListNotations.
Open Scope R_scope.

(** P(y|x) <= e^e P(y|x') for the pairs that have a bound e. *)
Definition ldp_where {X Y} (M : mech X Y) (bound : X -> X -> option R) : Prop :=
  forall x x' y e, dom M x -> dom M x' -> In y (outs M) -> bound x x' = Some e ->
  pr M x y <= exp e * pr M x' y.

(** By distance: e^(d(x, x') eps); a pair without a distance has no bound. *)
Definition metric_ldp {X Y} (M : mech X Y) (eps : R) (d : X -> X -> option R) : Prop :=
  ldp_where M (fun x x' => match d x x' with Some e => Some (e * eps) | None => None end).

(** Within a region only. *)
Definition ldp_within {X Y} (M : mech X Y) (region : X -> bool) (eps : R) : Prop :=
  ldp_where M (fun x x' => if region x && region x' then Some eps else None).

(** (eps, delta): P(S|x) <= e^eps P(S|x') + delta for every set S of outputs. *)
Definition ldp_delta {X Y} (M : mech X Y) (eps delta : R) : Prop :=
  forall x x' (S : Y -> bool), dom M x -> dom M x' ->
  sum_over (filter S (outs M)) (pr M x) <= exp eps * sum_over (filter S (outs M)) (pr M x') + delta.

(** The bound is reached by some set. *)
Definition ldp_delta_tight {X Y} (M : mech X Y) (eps delta : R) : Prop :=
  exists x x' (S : Y -> bool), dom M x /\ dom M x' /\
  sum_over (filter S (outs M)) (pr M x) = exp eps * sum_over (filter S (outs M)) (pr M x') + delta.

Definition distances (rows : list (list (option R))) (x x' : nat) : option R :=
  nth x' (nth x rows []) None.

Definition members (region : list nat) (x : nat) : bool := existsb (Nat.eqb x) region.

Section Matrix.
Context (d m : nat) (rows : list (list R)).

(** Every pair: no bound, or e with e^e = U and a bound U on every output. *)
Definition bounded_pair (bound : nat -> nat -> option R) (x x' : nat) : Prop :=
  match bound x x' with
  | None => True
  | Some e => exists U, exp e = U /\ each m (fun y => cell rows x y <= U * cell rows x' y)
  end.

Theorem matrix_where bound : each d (fun x => each d (bounded_pair bound x)) ->
  ldp_where (matrix d m rows) bound.
Proof.
  intros H x x' y e Hx Hx' Hy B. apply in_seq in Hy.
  pose proof (each_below d _ (each_below d _ H x Hx) x' Hx') as P. unfold bounded_pair in P.
  rewrite B in P. destruct P as (U & E & P). rewrite E.
  apply (each_below m (fun y => cell rows x y <= U * cell rows x' y)); [assumption | lia].
Qed.

(** Of each output is said that it exceeds the bound (true), that it does not (false), or nothing:
    then every event with it is looked at, and every one without. *)
Definition excess (U : R) (above : list bool) (x x' y : nat) : R :=
  if nth y above false then cell rows x y - U * cell rows x' y else 0.

Fixpoint events (marks : list (option bool)) : list (list bool) :=
  match marks with
  | [] => [[]]
  | Some b :: rest => map (cons b) (events rest)
  | None :: rest => map (cons true) (events rest) ++ map (cons false) (events rest)
  end.

Fixpoint each_event (P : list bool -> Prop) (l : list (list bool)) : Prop :=
  match l with [] => True | above :: rest => P above /\ each_event P rest end.

Lemma each_event_in P l above : each_event P l -> In above l -> P above.
Proof. induction l; cbn; [tauto|]. intros [H T] [->|I]; auto. Qed.

(** The event of S, but for the outputs of which something is said. *)
Fixpoint marked (marks : list (option bool)) (S : nat -> bool) (y : nat) : list bool :=
  match marks with
  | [] => []
  | mark :: rest =>
      match mark with Some b => b | None => S y end :: marked rest S (Datatypes.S y)
  end.

Lemma marked_in marks S y : In (marked marks S y) (events marks).
Proof.
  revert y. induction marks as [|[b|] rest IH]; intros y; cbn; [now left| |].
  - apply in_map, IH.
  - apply in_or_app. destruct (S y); [left | right]; apply in_map, IH.
Qed.

Lemma marked_nth marks S y i : (i < length marks)%nat ->
  nth i (marked marks S y) false
  = match nth i marks None with Some b => b | None => S (y + i)%nat end.
Proof.
  revert y i. induction marks as [|mark rest IH]; intros y [|i] L; cbn in *; try lia.
  - now rewrite Nat.add_0_r.
  - rewrite IH by lia. now rewrite Nat.add_succ_r.
Qed.

Theorem matrix_delta eps delta U (marks : nat -> nat -> list (option bool)) : exp eps = U ->
  each d (fun x => each d (fun x' => length (marks x x') = m /\
    each m (fun y => match nth y (marks x x') None with
      | Some true => U * cell rows x' y <= cell rows x y
      | Some false => cell rows x y <= U * cell rows x' y
      | None => True end) /\
    each_event (fun above => sum_over (seq 0 m) (excess U above x x') <= delta)
      (events (marks x x')))) ->
  ldp_delta (matrix d m rows) eps delta.
Proof.
  intros E H x x' S Hx Hx'. rewrite E.
  pose proof (each_below d _ (each_below d _ H x Hx) x' Hx') as (L & P & T).
  cbn beta in L, P, T. cbn [outs pr matrix].
  set (above := marked (marks x x') S 0).
  pose proof (each_event_in _ _ above T (marked_in _ _ _)) as Q. cbn beta in Q.
  assert (G : sum_over (filter S (seq 0 m)) (fun y => cell rows x y - U * cell rows x' y)
    <= sum_over (seq 0 m) (excess U above x x')).
  { assert (B : forall y, In y (seq 0 m) ->
      (if S y then cell rows x y - U * cell rows x' y else 0) <= excess U above x x' y).
    { intros y Hy. apply in_seq in Hy. unfold excess, above.
      rewrite marked_nth by lia. cbn [Nat.add].
      pose proof (each_below m _ P y ltac:(lia)) as Sign. cbn beta in Sign.
      destruct (nth y (marks x x') None) as [[|]|]; destruct (S y); lra. }
    revert B. generalize (seq 0 m). induction l as [|y l IH]; intros B; cbn; [lra|].
    pose proof (B y (or_introl eq_refl)) as By.
    specialize (IH (fun z Hz => B z (or_intror Hz))).
    destruct (S y); cbn; lra. }
  rewrite (sum_ext _ _ (fun y => cell rows x y + (- U) * cell rows x' y)) in G
    by (intros; ring).
  rewrite sum_plus, sum_scale in G. lra.
Qed.

Lemma sum_filter_excess U (above : list bool) x x' l :
  sum_over (filter (fun y => nth y above false) l) (cell rows x)
  = U * sum_over (filter (fun y => nth y above false) l) (cell rows x')
    + sum_over l (excess U above x x').
Proof.
  unfold excess. induction l as [|y l IH]; cbn; [ring|].
  destruct (nth y above false); cbn; rewrite IH; ring.
Qed.

Theorem matrix_delta_tight eps delta U x x' (above : list bool) : exp eps = U ->
  (x < d)%nat -> (x' < d)%nat -> sum_over (seq 0 m) (excess U above x x') = delta ->
  ldp_delta_tight (matrix d m rows) eps delta.
Proof.
  intros E Hx Hx' T. exists x, x', (fun y => nth y above false). repeat split; try assumption.
  cbn [outs pr matrix]. rewrite E, <- T. apply sum_filter_excess.
Qed.
End Matrix.

(** Two matrices with equal cells. *)
Theorem matrix_same d m rows rows' :
  each d (fun x => each m (fun y => cell rows x y = cell rows' x y)) ->
  same_table (matrix d m rows) (matrix d m rows').
Proof.
  intros H. split; [reflexivity|]. split; [reflexivity|]. intros x y Hx Hy. apply in_seq in Hy.
  apply (each_below m (fun y => cell rows x y = cell rows' x y)); [|lia].
  exact (each_below d _ H x Hx).
Qed.

(** The columns of two inputs, output by output. *)
Definition columns (M : mech nat nat) (x x' : nat) : list (R * R) :=
  map (fun y => (pr M x y, pr M x' y)) (outs M).

(** Many equations, which hold by computation, as one. Their conjunction is not taken apart: each of
    its proofs would hold all the equations behind it. *)
Fixpoint all_equal {T : Type} (pairs : list (T * T)) : Prop :=
  match pairs with
  | [] => True
  | [(a, b)] => a = b
  | (a, b) :: others => a = b /\ all_equal others
  end.

Lemma sides_equal {T : Type} (pairs : list (T * T)) :
  map fst pairs = map snd pairs -> all_equal pairs.
Proof.
  induction pairs as [|[a b] others IH]; intros E; [exact I|].
  assert (H : a = b) by exact (f_equal (hd a) E).
  assert (A : all_equal others) by exact (IH (f_equal (@tl T) E)).
  destruct others; [exact H | split; assumption].
Qed.

Ltac equations_of P :=
  lazymatch P with
  | ?a = ?b /\ ?others => let l := equations_of others in constr:((a, b) :: l)
  | ?a = ?b => constr:([(a, b)])
  end.

Ltac equations_computed :=
  lazymatch goal with
  | |- ?P => let l := equations_of P in exact_no_check (sides_equal l (eq_refl (map snd l)))
  end.
