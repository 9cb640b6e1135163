(** The checker: which assertions of a statement a certificate shows, by computation, and the
    theorem that what it answers [true] to holds of the table that the bytes denote. *)
From Coq Require Import Reals ZArith String List Bool Lra Lia.
From LDP Require Import Sums Randomizer Users Matrix.
From LDP Require Import ReflectPoly ReflectSign ReflectFactors ReflectRational ReflectStatement.
Import ListNotations.
Open Scope R_scope.

(** ** Domains as ranges of polynomials *)
Definition a_range (rs : list range) (b : option (expr * bool))
  : option (option (poly * poly * bool)) :=
  match b with
  | None => Some None
  | Some (e, o) =>
      let q := normal (length rs) e in
      if all_apart rs [] q then Some (Some (top q, product (length rs) (bottom q), o)) else None
  end.

Fixpoint ranges (vs : list bounded) : option (list range) :=
  match vs with
  | [] => Some []
  | v :: vs' =>
      match ranges vs' with
      | Some rs =>
          match a_range rs (lower v), a_range rs (upper v) with
          | Some low, Some high => Some (Range low high :: rs)
          | _, _ => None
          end
      | None => None
      end
  end.

Lemma a_range_value rs r e o b : inside rs r -> a_range rs (Some (e, o)) = Some b ->
  exists p, b = Some p /\ snd p = o /\ quotient r p = eval r e.
Proof.
  intros D H. cbn [a_range] in H. set (q := normal (length rs) e) in *.
  destruct (all_apart rs [] q) eqn:A; [|discriminate]. injection H as <-.
  eexists. split; [reflexivity|]. split; [reflexivity|]. unfold quotient. cbn [fst snd].
  rewrite product_eval. symmetry. apply (normal_means (length rs) r e).
  exact (all_apart_sound rs [] r D q A).
Qed.

Lemma ranges_inside vs : forall rs r, ranges vs = Some rs -> in_domain vs r -> inside rs r.
Proof.
  induction vs as [|v vs IH]; cbn [ranges in_domain]; intros rs r H D.
  - injection H as <-. exact I.
  - destruct (ranges vs) as [rs'|]; [|discriminate].
    destruct D as (L & U & _ & D). specialize (IH rs' (tl r) eq_refl D).
    destruct (a_range rs' (lower v)) as [low|] eqn:A; [|discriminate].
    destruct (a_range rs' (upper v)) as [high|] eqn:B; [|discriminate].
    injection H as <-. split; [|exact IH]. split; cbn [below above].
    + destruct (lower v) as [[e o]|]; [|injection A as <-; exact I].
      destruct (a_range_value _ _ _ _ _ IH A) as (p & -> & S & Q). rewrite S, Q. exact L.
    + destruct (upper v) as [[e o]|]; [|injection B as <-; exact I].
      destruct (a_range_value _ _ _ _ _ IH B) as (p & -> & S & Q). rewrite S, Q. exact U.
Qed.

(** ** What is decided *)
Definition ecell (rows : list (list expr)) (i j : nat) : expr := nth j (nth i rows []) (EInt 0).
Definition esum (l : list expr) : expr := fold_right EAdd (EInt 0) l.
Definition square (d : nat) : list (nat * nat) := list_prod (seq 0 d) (seq 0 d).

Fixpoint at_share (f : Z) (e : expr) : expr :=
  match e with
  | EInt z => EInt z
  | EVar O => EInt f
  | EVar (S O) => EInt 1
  | EVar (S (S i)) => EVar i
  | ENeg a => ENeg (at_share f a)
  | EAdd a b => EAdd (at_share f a) (at_share f b)
  | ESub a b => ESub (at_share f a) (at_share f b)
  | EMul a b => EMul (at_share f a) (at_share f b)
  | EDiv a b => EDiv (at_share f a) (at_share f b)
  | EPow a n => EPow (at_share f a) n
  end.

Fixpoint wider (e : expr) : expr :=
  match e with
  | EInt z => EInt z
  | EVar i => EVar (S (S i))
  | ENeg a => ENeg (wider a)
  | EAdd a b => EAdd (wider a) (wider b)
  | ESub a b => ESub (wider a) (wider b)
  | EMul a b => EMul (wider a) (wider b)
  | EDiv a b => EDiv (wider a) (wider b)
  | EPow a n => EPow (wider a) n
  end.

Definition shows (rs : list range) (k : known) (rel : relation) (e : expr) : bool :=
  match rel with
  | Equal => shows_zero rs k e
  | Apart => shows_apart rs k e
  | Above => shows_positive rs k e
  | AtLeast => shows_nonneg rs k e
  end.

Definition with_users (vs : list bounded) : list bounded :=
  Bounded (Some (EInt 0, false)) (Some (EInt 1, false)) []
  :: Bounded (Some (EInt 1, false)) None [] :: vs.

Definition lifted (c : certificate) : certificate :=
  map (map (fun t => (lift (lift (fst t)), snd t))) c.

Section Decide.
Context (rs : list range) (k : known) (rows : list (list expr)).
Let d := length rows.
Let m := width rows.

Definition stochastic_shown : bool :=
  forallb (forallb (fun e => all_apart rs k (normal (length rs) e))) rows &&
  forallb (fun x => forallb (fun y => shows_nonneg rs k (ecell rows x y)) (seq 0 m)) (seq 0 d) &&
  forallb (fun x => shows_zero rs k (ESub (esum (map (ecell rows x) (seq 0 m))) (EInt 1)))
    (seq 0 d).

Definition bounded_by (b : expr) (x x' : nat) : bool :=
  forallb (fun y => shows_nonneg rs k (ESub (EMul b (ecell rows x' y)) (ecell rows x y))) (seq 0 m).

Definition private_shown (bounds : list (option expr)) : bool :=
  match uniform d bounds with
  | Some b => Nat.leb 2 d && forallb (fun p => bounded_by b (fst p) (snd p)) (pairs d)
  | None => Nat.eqb (length bounds) (length (pairs d)) &&
      forallb (fun t => match snd t with
        | Some b => bounded_by b (fst (fst t)) (snd (fst t))
        | None => true
        end) (combine (pairs d) bounds)
  end.

Definition reached (b : expr) (t : nat * nat * nat) : bool :=
  let '(x, x', y) := t in
  if shows_zero rs k (ESub (ecell rows x y) (EMul b (ecell rows x' y)))
  then shows_positive rs k (ecell rows x' y) else false.

Definition tight_shown (bounds : list (option expr)) : bool :=
  match uniform d bounds with
  | Some b =>
      match find (reached b) (list_prod (pairs d) (seq 0 m)) with Some _ => true | None => false end
  | None => false
  end.

Definition unbiased_shown (w : list (list expr)) : bool :=
  forallb (fun p : nat * nat => let (v, x) := p in
    shows_zero rs k (ESub (esum (map (fun y => EMul (ecell rows x y) (ecell w v y)) (seq 0 m)))
      (EInt (if Nat.eqb x v then 1 else 0)%Z))) (square d).

Definition second_shown (w : list (list expr)) (own other : expr) : bool :=
  forallb (fun p : nat * nat => let (v, x) := p in
    shows_zero rs k (ESub
      (esum (map (fun y => EMul (ecell rows x y) (EMul (ecell w v y) (ecell w v y))) (seq 0 m)))
      (if Nat.eqb x v then EAdd own (EInt 1) else other))) (square d).
End Decide.

Definition variance_form (formula own other : expr) : expr :=
  ESub (EMul (EVar 1) (EAdd (EMul (EVar 0) (wider own))
    (EMul (ESub (EInt 1) (EVar 0)) (wider other)))) formula.

Definition needs_shown (c : certificate) (vs : list bounded) (needs : list (relation * expr))
  : bool :=
  match ranges vs with
  | Some rs => forallb (fun t => shows rs (multiplied (length rs) c) (fst t) (snd t)) needs
  | None => false
  end.

(** [NotRead]: this checker does not know what is asserted, and says nothing. *)
Inductive answer := Shown | NotShown | NotRead.

Definition answer_of (b : bool) : answer := if b then Shown else NotShown.

(** The answers for the assertions of a statement, in their order. A certificate is one for the
    variables of the table and one for those of what has to be defined. *)
Definition judged (s : statement) (c c' : certificate) : list answer :=
  match ranges (variables s), ranges (with_users (variables s)) with
  | Some rs, Some rs' =>
      let k := multiplied (length rs) c in
      let k' := multiplied (length rs') (lifted c) in
      let proper := stochastic_shown rs k (table s) in
      map (fun a => match a with
        | Stochastic => answer_of proper
        | Needs vs needs => answer_of (needs_shown c' vs needs)
        | Private bounds => answer_of (if proper then private_shown rs k (table s) bounds else false)
        | Tight bounds => answer_of (if proper then tight_shown rs k (table s) bounds else false)
        | Unbiased w => answer_of (if proper then unbiased_shown rs k (table s) w else false)
        | Variance w v =>
            let own := at_share 1 v in
            let other := at_share 0 v in
            answer_of (if proper then if unbiased_shown rs k (table s) w then
                if second_shown rs k (table s) w own other
                then shows_zero rs' k' (variance_form v own other)
                else false else false else false)
        | Holds rel e => answer_of (shows rs' k' rel e)
        | Unread => NotRead
        end) (assertions s)
  | _, _ => []
  end.

(** [None] for bytes that are no statement about an explicit table. *)
Definition judge (bytes : string) (c c' : certificate) : option (list answer) :=
  match read bytes with Some s => Some (judged s c c') | None => None end.

(** ** Soundness *)
Lemma each_all n (P : nat -> Prop) : (forall i, (i < n)%nat -> P i) -> each n P.
Proof.
  induction n; cbn; intros H; [exact I|]. split; [apply IHn; intros; apply H; lia | apply H; lia].
Qed.

Lemma values_cell r rows i j : cell (values_of r rows) i j = eval r (ecell rows i j).
Proof.
  unfold cell, values_of, ecell. change 0 with (eval r (EInt 0)).
  change (@nil R) with (map (eval r) []). now rewrite 2!map_nth.
Qed.

Lemma esum_eval {A} r (g : A -> expr) l : eval r (esum (map g l)) = sum_over l (fun a => eval r (g a)).
Proof. unfold esum. induction l; cbn; [reflexivity | now rewrite IHl]. Qed.

Lemma wider_eval r n f e : eval (f :: n :: r) (wider e) = eval r e.
Proof. induction e; cbn [wider eval]; [reflexivity | reflexivity | ..]; congruence. Qed.

Lemma at_share_eval r f e : eval r (at_share f e) = eval (IZR f :: 1 :: r) e.
Proof.
  induction e; cbn [at_share eval]; [reflexivity | destruct i as [|[|i]]; reflexivity | ..]; congruence.
Qed.

Lemma pairs_in d x x' : In (x, x') (pairs d) <-> (x < d)%nat /\ (x' < d)%nat /\ x <> x'.
Proof.
  unfold pairs. rewrite filter_In, in_prod_iff, 2!in_seq. cbn [fst snd].
  rewrite negb_true_iff, Nat.eqb_neq. intuition lia.
Qed.

Lemma square_in d x x' : (x < d)%nat -> (x' < d)%nat -> In (x, x') (square d).
Proof. intros. unfold square. apply in_prod; apply in_seq; lia. Qed.

Lemma shows_sound rs c r rel e : inside rs r -> shows rs (multiplied (length rs) c) rel e = true ->
  related rel (eval r e).
Proof.
  intros D. destruct rel; cbn [shows related];
    [apply shows_zero_sound | apply shows_apart_sound | apply shows_positive_sound
    | apply shows_nonneg_sound]; exact D.
Qed.

Section Sound.
Context (rs : list range) (c : certificate) (rows : list (list expr)) (r : list R).
Let k := multiplied (length rs) c.
Let d := length rows.
Let m := width rows.
Hypothesis D : inside rs r.
Let M := matrix d m (values_of r rows).

Let zero := shows_zero_sound rs c r D.
Let nonneg := shows_nonneg_sound rs c r D.

Lemma stochastic_sound : stochastic_shown rs k rows = true ->
  stochastic M /\ forall row e, In row rows -> In e row -> defined r e.
Proof.
  unfold stochastic_shown. intros H. apply andb_prop in H as [H S]. apply andb_prop in H as [F N].
  rewrite forallb_forall in F, N, S. split.
  - apply matrix_stochastic.
    + apply each_all. intros x Hx. apply each_all. intros y Hy. rewrite values_cell. apply nonneg.
      specialize (N x). rewrite forallb_forall in N. apply N; apply in_seq; fold d m; lia.
    + apply each_all. intros x Hx. rewrite (sum_ext _ _ (fun y => eval r (ecell rows x y)))
        by (intros; apply values_cell).
      rewrite <- (esum_eval r (ecell rows x)).
      assert (E : shows_zero rs k (ESub (esum (map (ecell rows x) (seq 0 m))) (EInt 1)) = true)
        by (apply S, in_seq; fold d; lia).
      apply zero in E. cbn [eval] in E. lra.
  - intros row e Ir Ie. specialize (F row Ir). rewrite forallb_forall in F.
    exact (all_apart_defined rs c r D e (F e Ie)).
Qed.

Hypothesis St : stochastic M.

Lemma bounded_sound b x x' y : bounded_by rs k rows b x x' = true -> (y < m)%nat ->
  pr M x y <= eval r b * pr M x' y.
Proof.
  unfold bounded_by. rewrite forallb_forall. intros H Hy. cbn [pr M matrix].
  rewrite 2!values_cell.
  assert (E : shows_nonneg rs k (ESub (EMul b (ecell rows x' y)) (ecell rows x y)) = true)
    by (apply H, in_seq; fold m; lia).
  apply nonneg in E. cbn [eval] in E. lra.
Qed.

Lemma private_sound eps b : exp eps = eval r b -> (2 <= d)%nat ->
  forallb (fun p => bounded_by rs k rows b (fst p) (snd p)) (pairs d) = true -> ldp M eps.
Proof.
  intros E Hd H. rewrite forallb_forall in H.
  assert (P : forall x x' y, (x < d)%nat -> (x' < d)%nat -> x <> x' -> (y < m)%nat ->
    pr M x y <= exp eps * pr M x' y).
  { intros x x' y Hx Hx' Ne Hy. rewrite E. apply bounded_sound; [|exact Hy].
    apply (H (x, x')). apply pairs_in. auto. }
  assert (One : 1 <= exp eps).
  { destruct (St 0%nat) as [_ S0]; [cbn; lia|]. destruct (St 1%nat) as [_ S1]; [cbn; lia|].
    rewrite <- S0, <- (Rmult_1_r (exp eps)), <- S1 at 1. rewrite <- sum_scale. apply sum_le.
    intros y Hy. cbn [outs M matrix] in Hy. apply in_seq in Hy. apply P; lia. }
  intros x x' y Hx Hx' Hy. pose proof Hy as I. cbn [outs M matrix] in Hy. apply in_seq in Hy.
  destruct (Nat.eq_dec x x') as [<-|Ne].
  - rewrite <- (Rmult_1_l (pr M x y)) at 1. apply Rmult_le_compat_r; [|exact One].
    now apply St.
  - apply P; auto; lia.
Qed.

Lemma tight_sound eps b t : exp eps = eval r b ->
  find (reached rs k rows b) (list_prod (pairs d) (seq 0 m)) = Some t -> ldp_tight M eps.
Proof.
  intros E F. apply find_some in F as [I F]. destruct t as [[x x'] y]. unfold reached in F.
  destruct (shows_zero _ _ _) eqn:Z; [|discriminate]. apply zero in Z. cbn [eval] in Z.
  apply (shows_positive_sound rs c r D) in F. apply in_prod_iff in I as [Ip Iy].
  apply pairs_in in Ip as (Hx & Hx' & _). exists x, x', y. cbn [dom outs pr M matrix].
  rewrite 2!values_cell, E. repeat split; auto. lra.
Qed.

Lemma inverse_sound w : unbiased_shown rs k rows w = true ->
  each d (fun v => each d (fun x => sum_over (seq 0 m)
    (fun y => cell (values_of r rows) x y * cell (values_of r w) v y) = if Nat.eqb x v then 1 else 0)).
Proof.
  unfold unbiased_shown. rewrite forallb_forall. intros H.
  apply each_all. intros v Hv. apply each_all. intros x Hx.
  specialize (H (v, x) (square_in d v x Hv Hx)). cbn beta iota in H. apply zero in H.
  cbn [eval] in H. rewrite esum_eval in H.
  rewrite (sum_ext _ _ (fun y => eval r (EMul (ecell rows x y) (ecell w v y))))
    by (intros; cbn [eval]; now rewrite 2!values_cell).
  fold m in H. destruct (Nat.eqb x v); lra.
Qed.

Lemma second_sound w own other : second_shown rs k rows w own other = true ->
  each d (fun v => each d (fun x => sum_over (seq 0 m)
    (fun y => cell (values_of r rows) x y * (cell (values_of r w) v y * cell (values_of r w) v y))
    = if Nat.eqb x v then eval r own + 1 else eval r other)).
Proof.
  unfold second_shown. rewrite forallb_forall. intros H.
  apply each_all. intros v Hv. apply each_all. intros x Hx.
  specialize (H (v, x) (square_in d v x Hv Hx)). cbn beta iota in H. apply zero in H.
  cbn [eval] in H. rewrite esum_eval in H.
  rewrite (sum_ext _ _
    (fun y => eval r (EMul (ecell rows x y) (EMul (ecell w v y) (ecell w v y)))))
    by (intros; cbn [eval]; now rewrite !values_cell).
  fold m in H. destruct (Nat.eqb x v); cbn [eval] in *; lra.
Qed.
End Sound.

Lemma with_users_domain vs r n f : in_domain vs r -> 1 <= n -> 0 <= f -> f <= 1 ->
  in_domain (with_users vs) (f :: n :: r).
Proof.
  intros. cbn [with_users in_domain lower upper conditions tl hd eval less In]. tauto.
Qed.

Lemma judged_sound s c c' i a : nth_error (assertions s) i = Some a ->
  nth_error (judged s c c') i = Some Shown -> true_of s a.
Proof.
  unfold judged. intros A J.
  destruct (ranges (variables s)) as [rs|] eqn:Rs; [|destruct i; discriminate].
  destruct (ranges (with_users (variables s))) as [rs'|] eqn:Rs'; [|destruct i; discriminate].
  rewrite (map_nth_error _ _ _ A) in J. injection J as J. clear A i.
  assert (Yes : forall b, answer_of b = Shown -> b = true) by (intros []; [auto | discriminate]).

  pose proof (fun r => ranges_inside _ _ r Rs) as In1.
  pose proof (fun r => ranges_inside _ _ r Rs') as In2.
  pose proof (fun r H P => proj1 (stochastic_sound rs c (table s) r (In1 r H) P)) as St.
  destruct a; cbn [true_of]; try discriminate; apply Yes in J.
  - intros r H. exact (stochastic_sound rs c (table s) r (In1 r H) J).
  - intros rel e r I H. unfold needs_shown in J.
    destruct (ranges domain) as [rd|] eqn:Rd; [|discriminate]. rewrite forallb_forall in J.
    exact (shows_sound rd c' r rel e (ranges_inside _ _ r Rd H) (J _ I)).
  - destruct (stochastic_shown _ _ _) eqn:P; [|discriminate]. unfold private_shown in J.
    destruct (uniform _ bounds) as [b|].
    + intros r eps H E. apply andb_prop in J as [Hd J]. apply Nat.leb_le in Hd.
      exact (private_sound rs c (table s) r (In1 r H) (St r H eq_refl) eps b E Hd J).
    + apply andb_prop in J as [L J]. apply Nat.eqb_eq in L. split; [exact L|].
      intros x x' b y r I H Hy. rewrite forallb_forall in J. specialize (J _ I).
      cbn [fst snd] in J. cbn [outs mechanism matrix] in Hy. apply in_seq in Hy.
      apply (bounded_sound rs c (table s) r (In1 r H)); [exact J | lia].
  - destruct (stochastic_shown _ _ _) eqn:P; [|discriminate]. unfold tight_shown in J.
    destruct (uniform _ bounds) as [b|]; [|discriminate]. intros r eps H E.
    destruct (find _ _) as [t|] eqn:F; [|discriminate].
    exact (tight_sound rs c (table s) r (In1 r H) eps b t E F).
  - destruct (stochastic_shown _ _ _) eqn:P; [|discriminate]. intros r H.
    apply matrix_unbiased; [exact (St r H eq_refl)|].
    exact (inverse_sound rs c (table s) r (In1 r H) weights J).
  - destruct (stochastic_shown _ _ _) eqn:P; [|discriminate].
    destruct (unbiased_shown _ _ _ _) eqn:U; [|discriminate].
    destruct (second_shown _ _ _ _ _ _) eqn:Q; [|discriminate]. intros r H.
    eapply count_variance_form.
    + apply matrix_variance; [exact (St r H eq_refl) | |].
      * exact (inverse_sound rs c (table s) r (In1 r H) weights U).
      * exact (second_sound rs c (table s) r (In1 r H) weights _ _ Q).
    + intros n f Hn Hf Hf'. pose proof (with_users_domain _ r n f H Hn Hf Hf') as W.
      pose proof (shows_zero_sound rs' (lifted c) _ (In2 _ W) _ J) as Z.
      unfold variance_form in Z. cbn [eval nth] in Z. rewrite 2!wider_eval in Z. lra.
  - intros r n f H Hn Hf Hf'. pose proof (with_users_domain _ r n f H Hn Hf Hf') as W.
    exact (shows_sound rs' (lifted c) _ rel e (In2 _ W) J).
Qed.

(** What the checker answers [Shown] to holds of what the bytes denote. *)
Theorem judge_sound bytes c c' answers : judge bytes c c' = Some answers ->
  exists s, read bytes = Some s /\ forall i a,
    nth_error (assertions s) i = Some a -> nth_error answers i = Some Shown -> true_of s a.
Proof.
  unfold judge. destruct (read bytes) as [s|]; [|discriminate]. intros H. injection H as <-.
  exists s. split; [reflexivity|]. intros i a. apply judged_sound.
Qed.
