(** The sign of a polynomial on a domain, by computation.

    The variables of a domain stand with the last one first: bounds of the first variable are
    quotients of polynomials in those after it. A variable x with bounds is replaced by a
    t >= 0 (x = L + t, x = U - t, or x = (L + U t)/(1 + t) and x = U), and the coefficients of the
    powers of t are looked at in the same way, over the variables that are left. *)
From Coq Require Import Reals ZArith List Bool Lra Lia.
From LDP Require Import ReflectPoly.
Import ListNotations.
Open Scope R_scope.

(** A bound is numerator and denominator, with whether it is excluded. *)
Record range := Range { below : option (poly * poly * bool); above : option (poly * poly * bool) }.

Definition quotient (r : list R) (b : poly * poly * bool) : R :=
  peval r (fst (fst b)) / peval r (snd (fst b)).

Definition within (v : range) (x : R) (r : list R) : Prop :=
  (match below v with
   | None => True
   | Some b => if snd b then quotient r b < x else quotient r b <= x
   end) /\
  (match above v with
   | None => True
   | Some b => if snd b then x < quotient r b else x <= quotient r b
   end).

Fixpoint inside (vs : list range) (r : list R) : Prop :=
  match vs with [] => True | v :: vs' => within v (hd 0 r) (tl r) /\ inside vs' (tl r) end.

(** ** A polynomial by the powers of its first variable *)
Fixpoint put (e : nat) (m : mono) (c : Z) (cs : list poly) : list poly :=
  match e, cs with
  | O, [] => [insert m c []]
  | O, p :: cs' => insert m c p :: cs'
  | S e', [] => [] :: put e' m c []
  | S e', p :: cs' => p :: put e' m c cs'
  end.

Definition coefficients (p : poly) : list poly :=
  fold_right (fun t => put (hd 0%nat (fst t)) (tl (fst t)) (snd t)) [] p.

Fixpoint heval (x : R) (r : list R) (cs : list poly) : R :=
  match cs with [] => 0 | c :: cs' => peval r c + x * heval x r cs' end.

Lemma put_eval x r e m c cs :
  heval x r (put e m c cs) = IZR c * meval r m * x ^ e + heval x r cs.
Proof.
  revert cs. induction e as [|e IH]; intros [|p cs]; cbn [put heval pow].
  - rewrite insert_eval. cbn. ring.
  - rewrite insert_eval. ring.
  - rewrite IH. cbn. ring.
  - rewrite IH. ring.
Qed.

Lemma coefficients_eval r p : peval r p = heval (hd 0 r) (tl r) (coefficients p).
Proof.
  unfold coefficients. induction p as [|[m c] p IH]; cbn [fold_right peval fst snd]; [reflexivity|].
  rewrite put_eval, <- IH. destruct m; cbn; ring.
Qed.

(** d^(length - 1) times the value at x = n/d, as a polynomial in t and the variables left. *)
Fixpoint homogeneous (size : nat) (cs : list poly) (n d : poly) : poly :=
  match cs with
  | [] => []
  | [c] => lift c
  | c :: cs' =>
      padd (pmul (lift c) (ppow size d (length cs'))) (pmul n (homogeneous size cs' n d))
  end.

Lemma homogeneous_eval size t r x c cs n d : peval (t :: r) n = peval (t :: r) d * x ->
  peval (t :: r) (homogeneous size (c :: cs) n d)
  = peval (t :: r) d ^ length cs * heval x r (c :: cs).
Proof.
  intros E. revert c. induction cs as [|c' cs IH]; intros c.
  - cbn [homogeneous length heval pow]. rewrite lift_eval. cbn [tl]. ring.
  - change (homogeneous size (c :: c' :: cs) n d) with
      (padd (pmul (lift c) (ppow size d (length (c' :: cs))))
         (pmul n (homogeneous size (c' :: cs) n d))).
    rewrite padd_eval, 2!pmul_eval, ppow_eval, lift_eval, IH, E. cbn [length heval pow tl]. ring.
Qed.

(** What a variable is replaced by: numerator, denominator, and whether t is never 0. *)
Definition pieces (size : nat) (v : range) : list (poly * poly * bool) :=
  let t := pvar size 0 in
  match below v, above v with
  | Some (n, d, o), None => [(padd (lift n) (pmul t (lift d)), lift d, o)]
  | None, Some (n, d, o) => [(padd (lift n) (popp (pmul t (lift d))), lift d, o)]
  | Some (n, d, o), Some (n', d', o') =>
      (padd (pmul (lift n) (lift d')) (pmul t (pmul (lift n') (lift d))),
       pmul (pmul (lift d) (lift d')) (padd (pconst size 1) t), o)
      :: if o' then [] else [(lift n', lift d', false)]
  | None, None => []
  end.

Definition divisors (v : range) : list poly :=
  (match below v with None => [] | Some b => [snd (fst b)] end)
  ++ match above v with None => [] | Some b => [snd (fst b)] end.

Lemma piece_found size v x r : within v x r -> pieces size v <> [] ->
  (forall d, In d (divisors v) -> 0 < peval r d) ->
  exists n d o t, In (n, d, o) (pieces size v) /\ 0 <= t /\ (o = true -> 0 < t) /\
    0 < peval (t :: r) d /\ peval (t :: r) n = peval (t :: r) d * x.
Proof.
  destruct v as [low high]. unfold within, pieces, divisors, quotient. cbn [below above].
  destruct low as [[[n d] o]|], high as [[[n' d'] o']|]; cbn [fst snd app]; intros [L U] NE P.
  - assert (D : 0 < peval r d) by (apply P; cbn; auto).
    assert (D' : 0 < peval r d') by (apply P; cbn; auto).
    set (l := peval r n / peval r d) in *. set (h := peval r n' / peval r d') in *.
    assert (En : peval r n = l * peval r d) by (unfold l; field; lra).
    assert (En' : peval r n' = h * peval r d') by (unfold h; field; lra).
    destruct (Rlt_or_le x h) as [Lt|Ge].
    + exists (padd (pmul (lift n) (lift d')) (pmul (pvar size 0) (pmul (lift n') (lift d)))).
      exists (pmul (pmul (lift d) (lift d')) (padd (pconst size 1) (pvar size 0))).
      exists o, ((x - l) / (h - x)).
      assert (T : 0 <= (x - l) / (h - x)).
      { unfold Rdiv. apply Rmult_le_pos; [destruct o; lra|].
        left. apply Rinv_0_lt_compat. lra. }
      split; [left; reflexivity|]. split; [exact T|]. split; [|split].
      * intros ->. apply Rdiv_lt_0_compat; lra.
      * evaluate_poly. cbn [nth tl]. apply Rmult_lt_0_compat; [|lra].
        now apply Rmult_lt_0_compat.
      * evaluate_poly. cbn [nth tl]. rewrite En, En'. field. lra.
    + exists (lift n'), (lift d'), false, 0.
      destruct o'; [lra|]. split; [right; left; reflexivity|]. split; [lra|].
      split; [discriminate|]. evaluate_poly. cbn [tl]. split; [assumption|].
      rewrite En'. assert (x = h) by lra. subst x. ring.
  - assert (D : 0 < peval r d) by (apply P; cbn; auto).
    set (l := peval r n / peval r d) in *.
    assert (En : peval r n = l * peval r d) by (unfold l; field; lra).
    eexists _, _, o, (x - l). split; [left; reflexivity|].
    split; [destruct o; lra|]. split; [intros ->; lra|].
    evaluate_poly. cbn [nth tl]. split; [assumption|]. rewrite En. ring.
  - assert (D : 0 < peval r d') by (apply P; cbn; auto).
    set (h := peval r n' / peval r d') in *.
    assert (En : peval r n' = h * peval r d') by (unfold h; field; lra).
    eexists _, _, o', (h - x). split; [left; reflexivity|].
    split; [destruct o'; lra|]. split; [intros ->; lra|].
    evaluate_poly. cbn [nth tl]. split; [assumption|]. rewrite En. ring.
  - now destruct NE.
Qed.

Definition is_nil {A} (l : list A) : bool := match l with [] => true | _ => false end.

(** Whether p >= 0, or with [strict] p > 0, on the domain. *)
Fixpoint shifted (strict : bool) (vs : list range) (p : poly) {struct vs} : bool :=
  match vs with
  | [] => forallb (fun t => is_nil (fst t) && Z.leb 0 (snd t)) p
      && (if strict then existsb (fun t => Z.ltb 0 (snd t)) p else true)
  | v :: vs' =>
      let size := length vs in
      match coefficients p with
      | [] => negb strict
      | [c] => shifted strict vs' c
      | cs =>
          forallb (shifted true vs') (divisors v) && negb (is_nil (pieces size v)) &&
          forallb (fun piece =>
            let qs := coefficients (homogeneous size cs (fst (fst piece)) (snd (fst piece))) in
            forallb (shifted false vs') qs &&
            (if strict then match qs with
              | [] => false
              | q :: rest => shifted true vs' q || (snd piece && existsb (shifted true vs') rest)
              end else true)) (pieces size v)
      end
  end.

Lemma heval_nonneg t r cs : 0 <= t -> (forall c, In c cs -> 0 <= peval r c) -> 0 <= heval t r cs.
Proof.
  intros T. induction cs as [|c cs IH]; cbn; intros H; [lra|].
  apply Rplus_le_le_0_compat; [auto|]. apply Rmult_le_pos; auto.
Qed.

Lemma heval_positive t r cs c : 0 < t -> (forall c, In c cs -> 0 <= peval r c) -> In c cs ->
  0 < peval r c -> 0 < heval t r cs.
Proof.
  intros T. induction cs as [|a cs IH]; cbn [In heval]; intros H I P; [tauto|].
  assert (N : 0 <= heval t r cs) by (apply heval_nonneg; [lra | auto]).
  destruct I as [->|I].
  - assert (0 <= t * heval t r cs) by (apply Rmult_le_pos; lra). lra.
  - assert (0 < t * heval t r cs) by (apply Rmult_lt_0_compat; auto).
    assert (0 <= peval r a) by auto. lra.
Qed.

Lemma shifted_sound vs : forall r p strict, shifted strict vs p = true -> inside vs r ->
  0 <= peval r p /\ (strict = true -> 0 < peval r p).
Proof.
  induction vs as [|v vs IH]; intros r p strict H D.
  - cbn [shifted] in H. apply andb_prop in H as [H S]. rewrite forallb_forall in H.
    assert (N : 0 <= peval r p).
    { clear S. induction p as [|[m c] p IHp]; cbn [peval]; [lra|].
      pose proof (H (m, c) (or_introl eq_refl)) as Hc. cbn [fst snd] in Hc.
      apply andb_prop in Hc as [M C]. destruct m; [|discriminate]. apply Z.leb_le, IZR_le in C.
      assert (0 <= peval r p) by (apply IHp; intros; apply H; now right). cbn. lra. }
    split; [exact N|]. intros ->. apply existsb_exists in S as ([m c] & I & C).
    cbn [snd] in C. clear N.
    induction p as [|[m' c'] p IHp]; cbn [peval]; [destruct I|].
    pose proof (H (m', c') (or_introl eq_refl)) as Hc. cbn [fst snd] in Hc.
    apply andb_prop in Hc as [M C']. destruct m'; [|discriminate]. apply Z.leb_le, IZR_le in C'.
    cbn [meval]. destruct I as [I|I].
    + injection I as <- <-. apply Z.ltb_lt, IZR_lt in C.
      assert (Q : forall q, (forall t, In t q -> is_nil (fst t) && Z.leb 0 (snd t) = true) ->
        0 <= peval r q).
      { clear. induction q as [|[m c] q IHq]; cbn [peval]; intros H; [lra|].
        pose proof (H (m, c) (or_introl eq_refl)) as Hc. cbn [fst snd] in Hc.
        apply andb_prop in Hc as [M C]. destruct m; [|discriminate]. apply Z.leb_le, IZR_le in C.
        assert (0 <= peval r q) by (apply IHq; intros; apply H; now right). cbn. lra. }
      assert (0 <= peval r p) by (apply Q; intros; apply H; now right). lra.
    + assert (0 < peval r p) by (apply IHp; [intros; apply H; now right | exact I]). lra.
  - destruct D as [W D]. rewrite coefficients_eval. cbn [shifted] in H.
    destruct (coefficients p) as [|c [|c' cs]] eqn:E.
    + cbn. split; [lra|]. destruct strict; [discriminate|]. intros; discriminate.
    + destruct (IH (tl r) c strict H D) as [A B]. cbn [heval]. split; [lra|].
      intros S. specialize (B S). lra.
    + apply andb_prop in H as [H F]. apply andb_prop in H as [P NE].
      rewrite forallb_forall in P, F.
      assert (P' : forall d, In d (divisors v) -> 0 < peval (tl r) d).
      { intros d I. apply (IH (tl r) d true); auto. }
      assert (NE' : pieces (length (v :: vs)) v <> []) by (destruct (pieces _ v); discriminate).
      destruct (piece_found (length (v :: vs)) v (hd 0 r) (tl r) W NE' P')
        as (n & d & o & t & I & T & To & Dp & En).
      specialize (F _ I). cbn [fst snd] in F. apply andb_prop in F as [F S].
      pose proof (homogeneous_eval (length (v :: vs)) t (tl r) (hd 0 r) c (c' :: cs) n d En) as V.
      set (h := homogeneous (length (v :: vs)) (c :: c' :: cs) n d) in *.
      rewrite forallb_forall in F.
      assert (F' : forall q, In q (coefficients h) -> 0 <= peval (tl r) q).
      { intros q Iq. apply (IH (tl r) q false); auto. }
      rewrite coefficients_eval in V. cbn [hd tl] in V.
      pose proof (heval_nonneg t (tl r) _ T F') as N. rewrite V in N.
      pose proof (pow_lt _ (length (c' :: cs)) Dp) as Dl.
      split.
      * apply (Rmult_le_reg_l _ _ _ Dl). lra.
      * intros ->.
        assert (Sp : 0 < heval t (tl r) (coefficients h)).
        { destruct (coefficients h) as [|q rest]; [discriminate|].
          apply orb_prop in S as [S|S].
          - cbn [heval]. assert (0 < peval (tl r) q) by (apply (IH (tl r) q true); auto).
            assert (0 <= t * heval t (tl r) rest).
            { apply Rmult_le_pos; [exact T|]. apply heval_nonneg; [exact T|].
              intros; apply F'; now right. }
            lra.
          - apply andb_prop in S as [O S]. apply existsb_exists in S as (q' & Iq & Sq).
            apply (heval_positive t (tl r) _ q'); auto; [now right|].
            apply (IH (tl r) q' true); auto. }
        rewrite V in Sp. apply (Rmult_lt_reg_l _ _ _ Dl). lra.
Qed.
