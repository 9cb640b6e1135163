(** Rational expressions over a domain, decided by computation: that they are 0, and their sign.

    An expression is brought over one denominator. Whatever it is divided by on the way is noted,
    and has to be shown not to be 0. *)
From Coq Require Import Reals ZArith List Bool Lra Lia.
From LDP Require Import ReflectPoly ReflectSign ReflectFactors.
Import ListNotations.
Open Scope R_scope.

(** ** Expressions *)
Inductive expr :=
  | EInt (z : Z) | EVar (i : nat) | ENeg (a : expr)
  | EAdd (a b : expr) | ESub (a b : expr) | EMul (a b : expr) | EDiv (a b : expr)
  | EPow (a : expr) (n : nat).

(** Their value: [r] holds the variables, a quotient is the field's. *)
Fixpoint eval (r : list R) (e : expr) : R :=
  match e with
  | EInt z => IZR z
  | EVar i => nth i r 0
  | ENeg a => - eval r a
  | EAdd a b => eval r a + eval r b
  | ESub a b => eval r a - eval r b
  | EMul a b => eval r a * eval r b
  | EDiv a b => eval r a / eval r b
  | EPow a n => eval r a ^ n
  end.

(** Nothing in it is divided by 0. *)
Fixpoint defined (r : list R) (e : expr) : Prop :=
  match e with
  | EInt _ | EVar _ => True
  | ENeg a | EPow a _ => defined r a
  | EAdd a b | ESub a b | EMul a b => defined r a /\ defined r b
  | EDiv a b => defined r a /\ defined r b /\ eval r b <> 0
  end.

(** A quotient whose denominator is kept in factors, and every polynomial it was divided by. *)
Record quot := Quot { top : poly; bottom : factors; divided : list poly }.

Definition qvalue (r : list R) (q : quot) : R := peval r (top q) / factors_value r (bottom q).

Fixpoint mono_same (m m' : mono) : bool :=
  match m, m' with
  | [], [] => true
  | e :: m, f :: m' => Nat.eqb e f && mono_same m m'
  | _, _ => false
  end.
Fixpoint same (p q : poly) : bool :=
  match p, q with
  | [], [] => true
  | (m, c) :: p', (m', c') :: q' => mono_same m m' && Z.eqb c c' && same p' q'
  | _, _ => false
  end.

Fixpoint raise (p : poly) (e : nat) (fs : factors) : factors :=
  match fs with
  | [] => [(p, e)]
  | (q, f) :: fs' => if same p q then (q, (e + f)%nat) :: fs' else (q, f) :: raise p e fs'
  end.
Definition times (fs fs' : factors) : factors := fold_right (fun t => raise (fst t) (snd t)) fs' fs.

(** What is left of [fs] without p^e, and how many p it lacks. *)
Fixpoint cut (p : poly) (e : nat) (fs : factors) : factors * nat :=
  match fs with
  | [] => ([], e)
  | (q, f) :: fs' =>
      if same p q then ((q, (f - e)%nat) :: fs', (e - f)%nat)
      else let (rest, lacking) := cut p e fs' in ((q, f) :: rest, lacking)
  end.

(** What [b] lacks of [a], and what [a] lacks of [b]. *)
Fixpoint lacking (b a : factors) : factors * factors :=
  match b with
  | [] => (a, [])
  | (p, e) :: b' =>
      let (a', l) := cut p e a in
      let (mb, ma) := lacking b' a' in (mb, if Nat.eqb l 0 then ma else (p, l) :: ma)
  end.

Fixpoint joined (ps qs : list poly) : list poly :=
  match ps with
  | [] => qs
  | p :: ps' => let rest := joined ps' qs in if existsb (same p) rest then rest else p :: rest
  end.

Definition content (p : poly) : Z :=
  let g := fold_right (fun t => Z.gcd (snd t)) 0%Z p in
  if Z.ltb (leading p) 0 then (- g)%Z else g.

Section Normal.
Context (size : nat).

Definition qadd (a b : quot) : quot :=
  let (mb, ma) := lacking (bottom b) (bottom a) in
  Quot (padd (pmul (top a) (product size ma)) (pmul (top b) (product size mb)))
    (times mb (bottom b)) (joined (divided a) (divided b)).
Definition qopp (a : quot) : quot := Quot (popp (top a)) (bottom a) (divided a).
Definition qmul (a b : quot) : quot :=
  Quot (pmul (top a) (top b)) (times (bottom a) (bottom b)) (joined (divided a) (divided b)).
Definition qinv (a : quot) : quot :=
  let c := content (top a) in
  let part := map (fun t => (fst t, Z.div (snd t) c)) (top a) in
  let fs := if pequal (pscale c part) (top a) then [(pconst size c, 1%nat); (part, 1%nat)]
    else [(top a, 1%nat)] in
  Quot (product size (bottom a)) fs (joined (map fst fs) (divided a)).
Definition qconst (c : Z) : quot := Quot (pconst size c) [] [].
Fixpoint qpow (a : quot) (n : nat) : quot :=
  match n with O => Quot (pconst size 1) [] (divided a) | S n' => qmul (qpow a n') a end.

Fixpoint normal (e : expr) : quot :=
  match e with
  | EInt z => qconst z
  | EVar i => Quot (pvar size i) [] []
  | ENeg a => qopp (normal a)
  | EAdd a b => qadd (normal a) (normal b)
  | ESub a b => qadd (normal a) (qopp (normal b))
  | EMul a b => qmul (normal a) (normal b)
  | EDiv a b => qmul (normal a) (qinv (normal b))
  | EPow a n => qpow (normal a) n
  end.

Definition apart (r : list R) (ps : list poly) : Prop := forall p, In p ps -> peval r p <> 0.

Lemma mono_same_eq m m' : mono_same m m' = true -> m = m'.
Proof.
  revert m'. induction m as [|e m IH]; intros [|f m']; cbn; try discriminate; [reflexivity|].
  intros H. apply andb_prop in H as [H H']. apply Nat.eqb_eq in H as ->. now rewrite (IH m').
Qed.

Lemma same_eq p q : same p q = true -> p = q.
Proof.
  revert q. induction p as [|[m c] p IH]; intros [|[m' c'] q]; cbn; try discriminate;
    [reflexivity|].
  intros H. apply andb_prop in H as [H Q]. apply andb_prop in H as [M C].
  apply mono_same_eq in M as ->. apply Z.eqb_eq in C as ->. now rewrite (IH q).
Qed.

Lemma raise_value r p e fs : factors_value r (raise p e fs) = peval r p ^ e * factors_value r fs.
Proof.
  induction fs as [|[q f] fs IH]; cbn [raise factors_value]; [ring|].
  destruct (same p q) eqn:S; cbn [factors_value].
  - apply same_eq in S as ->. rewrite pow_add. ring.
  - rewrite IH. ring.
Qed.

Lemma times_value r fs fs' :
  factors_value r (times fs fs') = factors_value r fs * factors_value r fs'.
Proof.
  unfold times. induction fs as [|[p e] fs IH]; cbn [fold_right factors_value fst snd]; [ring|].
  rewrite raise_value, IH. ring.
Qed.

Lemma cut_value r p e fs fs' l : cut p e fs = (fs', l) ->
  factors_value r fs * peval r p ^ l = peval r p ^ e * factors_value r fs' /\
  (factors_value r fs <> 0 -> factors_value r fs' <> 0).
Proof.
  revert fs' l. induction fs as [|[q f] fs IH]; cbn [cut factors_value]; intros fs' l H.
  - injection H as <- <-. cbn. split; [ring | tauto].
  - destruct (same p q) eqn:S.
    + apply same_eq in S as ->. injection H as <- <-. cbn [factors_value]. split.
      * transitivity (peval r q ^ (f + (e - f)) * factors_value r fs); [rewrite pow_add; ring|].
        replace (f + (e - f))%nat with (e + (f - e))%nat by lia. rewrite pow_add. ring.
      * intros N. apply Rmult_integral_contrapositive. split.
        -- destruct (Nat.eq_dec (f - e) 0) as [->|L]; [cbn; lra|]. apply pow_nonzero. intros Z.
           apply N. rewrite Z, pow_i by lia. ring.
        -- intros Z. apply N. rewrite Z. ring.
    + destruct (cut p e fs) as [rest lack] eqn:C. injection H as <- <-.
      destruct (IH rest lack eq_refl) as [V K]. cbn [factors_value]. split.
      * rewrite Rmult_assoc, V. ring.
      * intros N. apply Rmult_integral_contrapositive. split.
        -- intros Z. apply N. rewrite Z. ring.
        -- apply K. intros Z. apply N. rewrite Z. ring.
Qed.

Lemma lacking_value r b : forall a mb ma, lacking b a = (mb, ma) ->
  factors_value r a * factors_value r ma = factors_value r b * factors_value r mb /\
  (factors_value r a <> 0 -> factors_value r mb <> 0).
Proof.
  induction b as [|[p e] b IH]; cbn [lacking factors_value]; intros a mb ma H.
  - injection H as <- <-. cbn. split; [ring | tauto].
  - destruct (cut p e a) as [a' l] eqn:C. destruct (lacking b a') as [mb' ma'] eqn:L.
    injection H as <- <-. destruct (cut_value r _ _ _ _ _ C) as [V K].
    destruct (IH _ _ _ L) as [V' K']. split; [|auto].
    assert (E : factors_value r (if Nat.eqb l 0 then ma' else (p, l) :: ma')
      = peval r p ^ l * factors_value r ma').
    { destruct (Nat.eqb_spec l 0) as [->|]; cbn; ring. }
    rewrite E, <- Rmult_assoc, V, Rmult_assoc, V'. ring.
Qed.

Lemma joined_in p ps qs : In p ps \/ In p qs -> In p (joined ps qs).
Proof.
  induction ps as [|a ps IH]; cbn [joined In]; [tauto|]. intros H.
  destruct (existsb (same a) (joined ps qs)) eqn:E.
  - destruct H as [[->|H]|H]; [|tauto|tauto].
    apply existsb_exists in E as (q & I & S). apply same_eq in S as ->. exact I.
  - cbn [In]. tauto.
Qed.

Lemma apart_joined r ps qs : apart r (joined ps qs) -> apart r ps /\ apart r qs.
Proof. intros H. split; intros p I; apply H, joined_in; tauto. Qed.

Definition means (r : list R) (q : quot) (x : R) : Prop :=
  apart r (divided q) -> factors_value r (bottom q) <> 0 /\ x = qvalue r q.

Lemma qconst_means r c : means r (qconst c) (IZR c).
Proof.
  intros _. unfold qvalue, qconst. cbn [top bottom factors_value]. rewrite pconst_eval.
  split; [lra | field].
Qed.

Lemma qadd_means r a b x y : means r a x -> means r b y -> means r (qadd a b) (x + y).
Proof.
  unfold means, qadd. intros A B. destruct (lacking (bottom b) (bottom a)) as [mb ma] eqn:L.
  unfold qvalue. cbn [top bottom divided]. intros P. apply apart_joined in P as [Pa Pb].
  destruct (A Pa) as [Na Va]. destruct (B Pb) as [Nb Vb]. unfold qvalue in Va, Vb.
  destruct (lacking_value r _ _ _ _ L) as [V K]. specialize (K Na).
  rewrite times_value, padd_eval, 2!pmul_eval, 2!product_eval. subst x y. split.
  - apply Rmult_integral_contrapositive; auto.
  - set (da := factors_value r (bottom a)) in *. set (db := factors_value r (bottom b)) in *.
    set (m := factors_value r ma) in *. set (k := factors_value r mb) in *.
    assert (M : m <> 0).
    { intros Z. rewrite Z, Rmult_0_r in V. symmetry in V. apply Rmult_integral in V as [V|V]; auto. }
    replace (peval r (top a) / da) with (peval r (top a) * m / (k * db)).
    2:{ rewrite (Rmult_comm k), <- V. field. auto. }
    field. auto.
Qed.

Lemma qopp_means r a x : means r a x -> means r (qopp a) (- x).
Proof.
  unfold means, qopp, qvalue. cbn [top bottom divided]. intros A P. destruct (A P) as [N ->].
  rewrite popp_eval. split; [exact N|]. field. exact N.
Qed.

Lemma qmul_means r a b x y : means r a x -> means r b y -> means r (qmul a b) (x * y).
Proof.
  unfold means, qmul, qvalue. cbn [top bottom divided]. intros A B P.
  apply apart_joined in P as [Pa Pb]. destruct (A Pa) as [Na ->]. destruct (B Pb) as [Nb ->].
  rewrite times_value, pmul_eval. split; [apply Rmult_integral_contrapositive; auto|].
  field. auto.
Qed.

Lemma qinv_parts r a : apart r (divided (qinv a)) ->
  apart r (divided a) /\ factors_value r (bottom (qinv a)) = peval r (top a) /\
  peval r (top a) <> 0.
Proof.
  unfold qinv. set (c := content (top a)).
  set (part := map (fun t => (fst t, Z.div (snd t) c)) (top a)).
  set (fs := if pequal (pscale c part) (top a) then _ else _). cbn [top bottom divided].
  intros P. apply apart_joined in P as [Pf Pa]. split; [exact Pa|].
  assert (F : factors_value r fs = peval r (top a)).
  { unfold fs. destruct (pequal (pscale c part) (top a)) eqn:E; cbn [factors_value pow].
    - apply (pequal_eval r) in E. rewrite <- E, pscale_eval, pconst_eval. ring.
    - ring. }
  split; [exact F|]. rewrite <- F. clear F. revert Pf. generalize fs. clear. intros fs Pf.
  induction fs as [|[p e] fs IH]; cbn; [lra|]. apply Rmult_integral_contrapositive. split.
  - apply pow_nonzero, Pf. now left.
  - apply IH. intros q I. apply Pf. now right.
Qed.

Lemma qinv_means r a x : means r a x -> means r (qinv a) (/ x).
Proof.
  intros A P. destruct (qinv_parts r a P) as (Pa & F & N). destruct (A Pa) as [Na ->].
  unfold qvalue. rewrite F. split; [exact N|]. unfold qinv. cbn [top].
  rewrite product_eval. field. auto.
Qed.

Lemma qpow_means r a x n : means r a x -> means r (qpow a n) (x ^ n).
Proof.
  intros A. induction n as [|n IH]; cbn [qpow pow].
  { intros _. exact (qconst_means r 1 (fun p I => match I with end)). }
  rewrite Rmult_comm. now apply qmul_means.
Qed.

Lemma normal_means r e : means r (normal e) (eval r e).
Proof.
  induction e; cbn [normal eval].
  - apply qconst_means.
  - intros _. unfold qvalue. cbn [top bottom factors_value]. rewrite pvar_eval. split; [lra|field].
  - now apply qopp_means.
  - now apply qadd_means.
  - apply qadd_means; [assumption | now apply qopp_means].
  - now apply qmul_means.
  - apply qmul_means; [assumption | now apply qinv_means].
  - now apply qpow_means.
Qed.

Lemma qpow_divided r a n : apart r (divided (qpow a n)) -> apart r (divided a).
Proof.
  destruct n; cbn [qpow qmul divided]; [auto|]. intros P. now apply apart_joined in P.
Qed.

Lemma qadd_divided r a b : apart r (divided (qadd a b)) ->
  apart r (divided a) /\ apart r (divided b).
Proof. unfold qadd. destruct (lacking _ _). cbn [divided]. apply apart_joined. Qed.

Lemma normal_defined r e : apart r (divided (normal e)) -> defined r e.
Proof.
  induction e; cbn [normal defined]; intros P; auto.
  - apply qadd_divided in P as []. auto.
  - apply qadd_divided in P as []. auto.
  - apply apart_joined in P as []. auto.
  - apply apart_joined in P as [Pa Pb]. apply qinv_parts in Pb as (Pb & _ & N).
    split; [auto|]. split; [auto|]. destruct (normal_means r e2 Pb) as [K ->].
    unfold qvalue, Rdiv. apply Rmult_integral_contrapositive.
    split; [exact N | now apply Rinv_neq_0_compat].
  - apply IHe. now apply qpow_divided in P.
Qed.
End Normal.

(** ** What a certificate shows of an expression on a domain *)
Section Shown.
Context (vs : list range) (c : certificate).

Definition all_apart (k : known) (q : quot) : bool :=
  forallb (fun p => match poly_sign vs k p with Some (_, true) => true | _ => false end) (divided q).

Definition shows_zero (k : known) (e : expr) : bool :=
  let q := normal (length vs) e in all_apart k q && pzero (top q).

(** The sign of a quotient, where its divisors are not 0. *)
Definition expr_sign (k : known) (e : expr) : option sign :=
  let q := normal (length vs) e in
  if negb (all_apart k q) then None
  else if pzero (top q) then Some (true, false)
  else match poly_sign vs k (top q), product_sign (poly_sign vs k) (bottom q) with
  | Some s, Some s' => Some (sign_product s s')
  | _, _ => None
  end.

Definition shows_nonneg (k : known) (e : expr) : bool :=
  match expr_sign k e with Some (true, _) => true | _ => false end.
Definition shows_positive (k : known) (e : expr) : bool :=
  match expr_sign k e with Some (true, true) => true | _ => false end.

Definition shows_apart (k : known) (e : expr) : bool :=
  match expr_sign k e with Some (_, true) => true | _ => false end.

Let k := multiplied (length vs) c.
Context (r : list R) (D : inside vs r).

Lemma all_apart_sound q : all_apart k q = true -> apart r (divided q).
Proof.
  unfold all_apart. rewrite forallb_forall. intros H p I. specialize (H p I).
  destruct (poly_sign vs k p) as [[a [|]]|] eqn:E; try discriminate.
  apply (poly_sign_sound vs r) in E; [|exact D]. now apply (proj2 E).
Qed.

Lemma shows_zero_sound e : shows_zero k e = true -> eval r e = 0.
Proof.
  unfold shows_zero. intros H. apply andb_prop in H as [A Z]. apply all_apart_sound in A.
  destruct (normal_means (length vs) r e A) as [N ->]. unfold qvalue.
  rewrite (pzero_eval r _ Z). field. exact N.
Qed.

Lemma inverse_sign s x : x <> 0 -> has_sign s x -> has_sign s (/ x).
Proof.
  intros N [A B]. split; [|intros _; now apply Rinv_neq_0_compat]. destruct (fst s).
  - left. apply Rinv_0_lt_compat. lra.
  - left. apply Rinv_lt_0_compat. lra.
Qed.

Lemma expr_sign_sound e s : expr_sign k e = Some s -> has_sign s (eval r e).
Proof.
  unfold expr_sign. destruct (all_apart k _) eqn:A; [|discriminate]. cbn [negb].
  apply all_apart_sound in A. destruct (normal_means (length vs) r e A) as [N ->].
  unfold qvalue. set (q := normal (length vs) e) in *.
  destruct (pzero (top q)) eqn:Z.
  { intros H. injection H as <-. rewrite (pzero_eval r _ Z). split; cbn; [|discriminate].
    unfold Rdiv. lra. }
  destruct (poly_sign vs k (top q)) as [t|] eqn:T; [|discriminate].
  apply (poly_sign_sound vs r) in T; [|exact D].
  destruct (product_sign (poly_sign vs k) (bottom q)) as [u|] eqn:U; [|discriminate].
  apply (product_sign_sound _ r) in U; [|intros; now apply (poly_sign_sound vs _ c)].
  intros H. injection H as <-. apply has_sign_product; [exact T | now apply inverse_sign].
Qed.

Lemma shows_nonneg_sound e : shows_nonneg k e = true -> 0 <= eval r e.
Proof.
  unfold shows_nonneg. destruct (expr_sign k e) as [[[|] b]|] eqn:E; try discriminate.
  intros _. apply expr_sign_sound in E. exact (proj1 E).
Qed.

Lemma all_apart_defined e : all_apart k (normal (length vs) e) = true -> defined r e.
Proof. intros H. apply (normal_defined (length vs)). now apply all_apart_sound. Qed.

Lemma shows_apart_sound e : shows_apart k e = true -> eval r e <> 0.
Proof.
  unfold shows_apart. destruct (expr_sign k e) as [[b [|]]|] eqn:E; try discriminate.
  intros _. apply expr_sign_sound in E. now apply (proj2 E).
Qed.

Lemma shows_positive_sound e : shows_positive k e = true -> 0 < eval r e.
Proof.
  unfold shows_positive. destruct (expr_sign k e) as [[[|] [|]]|] eqn:E; try discriminate.
  intros _. apply expr_sign_sound in E. destruct E as [N P]. specialize (P eq_refl).
  cbn in N. lra.
Qed.
End Shown.
