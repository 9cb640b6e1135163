(** Signs of polynomials that a certificate writes as products.

    A certificate is a list of factorisations. A polynomial that is proportional to a product of
    factors has the sign that follows from theirs; nothing else in a certificate is used, so that
    a wrong one proves less and nothing false. *)
From Coq Require Import Reals ZArith List Bool Lra Lia.
From LDP Require Import ReflectPoly ReflectSign.
Import ListNotations.
Open Scope R_scope.

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
