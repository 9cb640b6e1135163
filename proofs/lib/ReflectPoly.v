(** Polynomials with integer coefficients as data, for proofs by computation.

    A polynomial is a list of terms (exponents, coefficient). A point is a list of reals, one per
    variable. Nothing is assumed of the lists: every operation is right whether or not its terms
    are sorted; sorted ones are shorter. *)
From Coq Require Import Reals ZArith List Lra Lia.
Import ListNotations.
Open Scope R_scope.

Definition mono := list nat.
Definition poly := list (mono * Z).

Fixpoint meval (r : list R) (m : mono) : R :=
  match m with [] => 1 | e :: m' => hd 0 r ^ e * meval (tl r) m' end.

Fixpoint peval (r : list R) (p : poly) : R :=
  match p with [] => 0 | (m, c) :: p' => IZR c * meval r m + peval r p' end.

Fixpoint mcompare (a b : mono) : comparison :=
  match a, b with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | e :: a', f :: b' => match Nat.compare e f with Eq => mcompare a' b' | other => other end
  end.

Fixpoint mmul (a b : mono) : mono :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | e :: a', f :: b' => (e + f)%nat :: mmul a' b'
  end.

(** Add one term. *)
Fixpoint insert (m : mono) (c : Z) (p : poly) : poly :=
  match p with
  | [] => if Z.eqb c 0 then [] else [(m, c)]
  | (m', c') :: p' =>
      match mcompare m m' with
      | Eq => if Z.eqb (c + c') 0 then p' else (m', (c + c')%Z) :: p'
      | Gt => (m, c) :: p
      | Lt => (m', c') :: insert m c p'
      end
  end.

Definition padd (p q : poly) : poly := fold_right (fun t => insert (fst t) (snd t)) q p.
Definition pscale (c : Z) (p : poly) : poly := map (fun t => (fst t, (c * snd t)%Z)) p.
Definition popp : poly -> poly := pscale (-1).
Definition pterm (m : mono) (c : Z) (p : poly) : poly :=
  map (fun t => (mmul m (fst t), (c * snd t)%Z)) p.
Definition pmul (p q : poly) : poly :=
  fold_right (fun t => padd (pterm (fst t) (snd t) q)) [] p.

(** Constants and variables among n. *)
Definition pconst (n : nat) (c : Z) : poly := if Z.eqb c 0 then [] else [(repeat 0%nat n, c)].
Definition pvar (n i : nat) : poly :=
  [(repeat 0%nat i ++ 1%nat :: repeat 0%nat (n - S i), 1%Z)].
Fixpoint ppow (n : nat) (p : poly) (e : nat) : poly :=
  match e with O => pconst n 1 | S e' => pmul p (ppow n p e') end.

Definition pzero (p : poly) : bool := forallb (fun t => Z.eqb (snd t) 0) p.
Definition pequal (p q : poly) : bool := pzero (padd p (popp q)).

(** The same polynomial with one more variable in front. *)
Definition lift (p : poly) : poly := map (fun t => (0%nat :: fst t, snd t)) p.

Lemma mcompare_eq a b : mcompare a b = Eq -> a = b.
Proof.
  revert b. induction a as [|e a IH]; intros [|f b]; cbn; try discriminate; [reflexivity|].
  destruct (Nat.compare e f) eqn:E; try discriminate. apply Nat.compare_eq in E.
  intros H. apply IH in H. congruence.
Qed.

Lemma mmul_eval r a b : meval r (mmul a b) = meval r a * meval r b.
Proof.
  revert r b. induction a as [|e a IH]; intros r [|f b]; cbn; try ring.
  rewrite IH, pow_add. ring.
Qed.

Lemma insert_eval r m c p : peval r (insert m c p) = IZR c * meval r m + peval r p.
Proof.
  induction p as [|[m' c'] p IH]; cbn [insert peval].
  - destruct (Z.eqb_spec c 0) as [->|]; cbn; ring.
  - destruct (mcompare m m') eqn:E; cbn [peval].
    + apply mcompare_eq in E as ->. rewrite <- Rplus_assoc, <- Rmult_plus_distr_r, <- plus_IZR.
      destruct (Z.eqb_spec (c + c') 0) as [->|]; cbn [peval]; ring.
    + rewrite IH. ring.
    + reflexivity.
Qed.

Lemma padd_eval r p q : peval r (padd p q) = peval r p + peval r q.
Proof.
  unfold padd. induction p as [|[m c] p IH]; cbn; [ring|]. rewrite insert_eval, IH. ring.
Qed.

Lemma pscale_eval r c p : peval r (pscale c p) = IZR c * peval r p.
Proof.
  induction p as [|[m d] p IH]; cbn [pscale map peval fst snd]; [ring|].
  fold (pscale c p). rewrite IH, mult_IZR. ring.
Qed.

Lemma popp_eval r p : peval r (popp p) = - peval r p.
Proof. unfold popp. rewrite pscale_eval. ring. Qed.

Lemma pterm_eval r m c p : peval r (pterm m c p) = IZR c * meval r m * peval r p.
Proof.
  induction p as [|[m' d] p IH]; cbn [pterm map peval fst snd]; [ring|].
  fold (pterm m c p). rewrite IH, mult_IZR, mmul_eval. ring.
Qed.

Lemma pmul_eval r p q : peval r (pmul p q) = peval r p * peval r q.
Proof.
  unfold pmul. induction p as [|[m c] p IH]; cbn [fold_right peval fst snd]; [ring|].
  rewrite padd_eval, pterm_eval, IH. ring.
Qed.

Lemma meval_zeros r n : meval r (repeat 0%nat n) = 1.
Proof. revert r. induction n; intros r; cbn; [reflexivity|]. rewrite IHn. ring. Qed.

Lemma pconst_eval r n c : peval r (pconst n c) = IZR c.
Proof.
  unfold pconst. destruct (Z.eqb_spec c 0) as [->|]; cbn; [ring|]. rewrite meval_zeros. ring.
Qed.

Lemma pvar_eval r n i : peval r (pvar n i) = nth i r 0.
Proof.
  unfold pvar. cbn [peval]. rewrite Rmult_1_l, Rplus_0_r. generalize (n - S i)%nat. revert r.
  induction i as [|i IH]; intros r k; cbn.
  - rewrite meval_zeros. destruct r; cbn; ring.
  - rewrite IH. destruct r as [|x r]; cbn; [destruct i|]; ring.
Qed.

Lemma ppow_eval r n p e : peval r (ppow n p e) = peval r p ^ e.
Proof.
  induction e; cbn [ppow pow]; [apply pconst_eval | now rewrite pmul_eval, IHe].
Qed.

Lemma pzero_eval r p : pzero p = true -> peval r p = 0.
Proof.
  induction p as [|[m c] p IH]; cbn [pzero forallb peval snd]; [reflexivity|]. intros H.
  apply andb_prop in H as [H1 H2]. apply Z.eqb_eq in H1 as ->. rewrite IH by exact H2. ring.
Qed.

Lemma pequal_eval r p q : pequal p q = true -> peval r p = peval r q.
Proof.
  intros H. apply (pzero_eval r) in H. rewrite padd_eval, popp_eval in H. lra.
Qed.

Lemma lift_eval r p : peval r (lift p) = peval (tl r) p.
Proof.
  induction p as [|[m c] p IH]; cbn [lift map peval fst snd]; [reflexivity|].
  fold (lift p). rewrite IH. cbn [meval pow]. ring.
Qed.

Ltac evaluate_poly :=
  repeat rewrite ?padd_eval, ?pscale_eval, ?popp_eval, ?pmul_eval, ?pconst_eval, ?pvar_eval,
    ?ppow_eval, ?lift_eval.
