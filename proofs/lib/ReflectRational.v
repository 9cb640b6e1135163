(** Rational expressions over a domain, decided by computation: that they are 0, and their sign.

    A certificate is a list of factorisations. A polynomial that is proportional to a product of
    factors has the sign that follows from theirs; nothing else in a certificate is used, so that
    a wrong one proves less and nothing false. *)
From Coq Require Import Reals ZArith List Bool Lra Lia.
From LDP Require Import ReflectPoly ReflectSign.
Import ListNotations.
Open Scope R_scope.

(** ** Signs of products *)

(** (above, never 0): what is known of a real number. *)
Definition sign := (bool * bool)%type.
Definition has_sign (s : sign) (x : R) : Prop :=
  (if fst s then 0 <= x else x <= 0) /\ (snd s = true -> x <> 0).
Definition sign_product (s s' : sign) : sign := (Bool.eqb (fst s) (fst s'), snd s && snd s').

Definition factors := list (poly * nat).
Definition certificate := list factors.

Definition direct_sign (vs : list range) (p : poly) : option sign :=
  if shifted true vs p then Some (true, true)
  else if shifted true vs (popp p) then Some (false, true)
  else if shifted false vs p then Some (true, false)
  else if shifted false vs (popp p) then Some (false, false)
  else None.

Fixpoint product_sign (sign_of : poly -> option sign) (fs : factors) : option sign :=
  match fs with
  | [] => Some (true, true)
  | (p, e) :: fs' =>
      match product_sign sign_of fs', sign_of p with
      | Some s, Some s' =>
          Some (if Nat.even e then (fst s, snd s && snd s') else sign_product s s')
      | Some s, None => if Nat.even e then Some (fst s, false) else None
      | None, _ => None
      end
  end.

Fixpoint product (size : nat) (fs : factors) : poly :=
  match fs with
  | [] => pconst size 1
  | (p, e) :: fs' => pmul (ppow size p e) (product size fs')
  end.

Definition leading (p : poly) : Z := match p with [] => 0%Z | (_, c) :: _ => c end.

(** A certificate with its products multiplied out. *)
Definition known := list (poly * factors).
Definition multiplied (size : nat) (c : certificate) : known :=
  map (fun fs => (product size fs, fs)) c.

Definition proportional (p q : poly) : bool :=
  negb (Z.eqb (leading p) 0) && negb (Z.eqb (leading q) 0) &&
  pequal (pscale (leading q) p) (pscale (leading p) q).

Definition poly_sign (vs : list range) (c : known) (p : poly) : option sign :=
  match find (fun entry => proportional p (fst entry)) c with
  | Some (q, fs) =>
      match product_sign (direct_sign vs) fs with
      | Some s => Some (sign_product (Z.ltb 0 (leading p * leading q), true) s)
      | None => direct_sign vs p
      end
  | None => direct_sign vs p
  end.

Lemma has_sign_product s s' x y : has_sign s x -> has_sign s' y ->
  has_sign (sign_product s s') (x * y).
Proof.
  destruct s as [a b], s' as [a' b']. unfold has_sign, sign_product. cbn [fst snd].
  intros [A B] [A' B']. split.
  - destruct a, a'; cbn.
    + now apply Rmult_le_pos.
    + rewrite <- (Ropp_involutive y). assert (0 <= x * - y) by (apply Rmult_le_pos; lra). lra.
    + rewrite <- (Ropp_involutive x). assert (0 <= - x * y) by (apply Rmult_le_pos; lra). lra.
    + replace (x * y) with (- x * - y) by ring. apply Rmult_le_pos; lra.
  - intros E. apply andb_prop in E as [E E']. apply Rmult_integral_contrapositive. auto.
Qed.

Lemma direct_sign_sound vs r p s : direct_sign vs p = Some s -> inside vs r ->
  has_sign s (peval r p).
Proof.
  unfold direct_sign, has_sign. intros H D.
  destruct (shifted true vs p) eqn:A.
  { injection H as <-. destruct (shifted_sound vs r p true A D) as [N P]. cbn.
    specialize (P eq_refl). split; [exact N | lra]. }
  destruct (shifted true vs (popp p)) eqn:B.
  { injection H as <-. destruct (shifted_sound vs r _ true B D) as [N P]. cbn.
    specialize (P eq_refl). rewrite popp_eval in *. split; lra. }
  destruct (shifted false vs p) eqn:C.
  { injection H as <-. destruct (shifted_sound vs r p false C D) as [N _]. cbn.
    split; [exact N | discriminate]. }
  destruct (shifted false vs (popp p)) eqn:E; [|discriminate].
  injection H as <-. destruct (shifted_sound vs r _ false E D) as [N _]. cbn.
  rewrite popp_eval in N. split; [lra | discriminate].
Qed.

Fixpoint factors_value (r : list R) (fs : factors) : R :=
  match fs with [] => 1 | (p, e) :: fs' => peval r p ^ e * factors_value r fs' end.

Lemma product_eval size r fs : peval r (product size fs) = factors_value r fs.
Proof.
  induction fs as [|[p e] fs IH]; cbn [product factors_value].
  - apply pconst_eval.
  - now rewrite pmul_eval, ppow_eval, IH.
Qed.

Lemma even_power_nonneg x e : Nat.even e = true -> 0 <= x ^ e.
Proof.
  intros H. apply Nat.even_spec in H as [k ->]. rewrite pow_mult. apply pow_le, pow2_ge_0.
Qed.

Lemma odd_power_sign s x e : Nat.even e = false -> has_sign s x -> has_sign s (x ^ e).
Proof.
  intros O [A B]. destruct e as [|e]; [discriminate|].
  rewrite Nat.even_succ, <- Nat.negb_even in O. apply negb_false_iff in O.
  pose proof (even_power_nonneg x _ O) as P. cbn [pow]. split.
  - destruct (fst s); [now apply Rmult_le_pos|].
    assert (0 <= - x * x ^ e) by (apply Rmult_le_pos; lra). lra.
  - intros N. specialize (B N). apply Rmult_integral_contrapositive. split; [exact B|].
    now apply pow_nonzero.
Qed.

Lemma product_sign_sound sign_of r fs :
  (forall p s, sign_of p = Some s -> has_sign s (peval r p)) ->
  forall s, product_sign sign_of fs = Some s -> has_sign s (factors_value r fs).
Proof.
  intros Each. induction fs as [|[p e] fs IH]; cbn [product_sign factors_value]; intros s H.
  - injection H as <-. unfold has_sign. cbn. split; [lra | intros _; lra].
  - destruct (product_sign sign_of fs) as [t|]; [|discriminate].
    specialize (IH t eq_refl). rewrite Rmult_comm.
    destruct (sign_of p) as [u|] eqn:E.
    + apply Each in E. injection H as <-.
      destruct (Nat.even e) eqn:V.
      * replace (fst t, snd t && snd u) with (sign_product t (true, snd u))
          by (unfold sign_product; cbn; now destruct (fst t)).
        apply has_sign_product; [exact IH|]. split; cbn; [now apply even_power_nonneg|].
        intros N. apply pow_nonzero. now apply (proj2 E).
      * apply has_sign_product; [exact IH|]. now apply odd_power_sign.
    + destruct (Nat.even e) eqn:V; [|discriminate]. injection H as <-.
      replace (fst t, false) with (sign_product t (true, false))
        by (unfold sign_product; cbn; now destruct (fst t), (snd t)).
      apply has_sign_product; [exact IH|]. split; cbn; [now apply even_power_nonneg|discriminate].
Qed.

Lemma poly_sign_sound vs r c p s : poly_sign vs (multiplied (length vs) c) p = Some s ->
  inside vs r -> has_sign s (peval r p).
Proof.
  unfold poly_sign. intros H D.
  destruct (find _ _) as [[q fs]|] eqn:F; [|now apply (direct_sign_sound vs)].
  destruct (product_sign (direct_sign vs) fs) as [t|] eqn:P; [|now apply (direct_sign_sound vs)].
  injection H as <-. apply find_some in F as [I F].
  unfold multiplied in I. apply in_map_iff in I as (fs' & I & _). injection I as <- ->.
  apply (product_sign_sound _ r) in P; [|intros; now apply (direct_sign_sound vs)].
  rewrite <- (product_eval (length vs)) in P.
  set (q := product (length vs) fs) in *. cbn [fst] in F. apply andb_prop in F as [F E].
  apply andb_prop in F as [A B]. apply negb_true_iff, Z.eqb_neq in A, B.
  apply (pequal_eval r) in E. rewrite 2!pscale_eval in E.
  apply not_0_IZR in A, B. set (a := leading p) in *. set (b := leading q) in *.
  replace (peval r p) with (IZR a * IZR b * / (IZR b * IZR b) * peval r q).
  2:{ apply (Rmult_eq_reg_l (IZR b)); [|exact B]. rewrite E. field. exact B. }
  apply has_sign_product; [|exact P]. unfold has_sign. cbn [fst snd].
  assert (S : 0 < / (IZR b * IZR b)).
  { apply Rinv_0_lt_compat. change (IZR b * IZR b) with (Rsqr (IZR b)). now apply Rlt_0_sqr. }
  rewrite <- mult_IZR. split.
  - destruct (Z.ltb_spec 0 (a * b)) as [L|L].
    + apply IZR_lt in L. left. now apply Rmult_lt_0_compat.
    + apply IZR_le in L. assert (0 <= - IZR (a * b) * / (IZR b * IZR b))
        by (apply Rmult_le_pos; lra). lra.
  - intros _. rewrite mult_IZR. apply Rmult_integral_contrapositive. split; [|lra].
    now apply Rmult_integral_contrapositive.
Qed.

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

Theorem normal_means r e : means r (normal e) (eval r e).
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

Theorem normal_defined r e : apart r (divided (normal e)) -> defined r e.
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

Theorem shows_zero_sound e : shows_zero k e = true -> eval r e = 0.
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

Theorem shows_nonneg_sound e : shows_nonneg k e = true -> 0 <= eval r e.
Proof.
  unfold shows_nonneg. destruct (expr_sign k e) as [[[|] b]|] eqn:E; try discriminate.
  intros _. apply expr_sign_sound in E. exact (proj1 E).
Qed.

Theorem all_apart_defined e : all_apart k (normal (length vs) e) = true -> defined r e.
Proof. intros H. apply (normal_defined (length vs)). now apply all_apart_sound. Qed.

Theorem shows_apart_sound e : shows_apart k e = true -> eval r e <> 0.
Proof.
  unfold shows_apart. destruct (expr_sign k e) as [[b [|]]|] eqn:E; try discriminate.
  intros _. apply expr_sign_sound in E. now apply (proj2 E).
Qed.

Theorem shows_positive_sound e : shows_positive k e = true -> 0 < eval r e.
Proof.
  unfold shows_positive. destruct (expr_sign k e) as [[[|] [|]]|] eqn:E; try discriminate.
  intros _. apply expr_sign_sound in E. destruct E as [N P]. specialize (P eq_refl).
  cbn in N. lra.
Qed.
End Shown.
