(** Finite sums of reals over lists, and counting. *)
From Coq Require Import Reals List Arith Lia Lra Bool.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum_over {A} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | a :: l' => f a + sum_over l' f end.

Definition indicator (b : bool) : R := if b then 1 else 0.

Definition count {A} (p : A -> bool) (l : list A) : nat := length (filter p l).

Section Sums.
Context {A B : Type}.
Implicit Types (l : list A) (m : list B).

Lemma sum_app l1 l2 (f : A -> R) : sum_over (l1 ++ l2) f = sum_over l1 f + sum_over l2 f.
Proof. induction l1; cbn; [ring | rewrite IHl1; ring]. Qed.

Lemma sum_map m (g : B -> A) (f : A -> R) : sum_over (map g m) f = sum_over m (fun b => f (g b)).
Proof. induction m; cbn; [reflexivity | now rewrite IHm]. Qed.

Lemma sum_ext l (f g : A -> R) : (forall a, In a l -> f a = g a) -> sum_over l f = sum_over l g.
Proof.
  induction l; cbn; intros H; [reflexivity|].
  rewrite H by tauto. rewrite IHl; [ring|]. auto.
Qed.

Lemma sum_plus l (f g : A -> R) :
  sum_over l (fun a => f a + g a) = sum_over l f + sum_over l g.
Proof. induction l; cbn; [ring | rewrite IHl; ring]. Qed.

Lemma sum_scale l c (f : A -> R) : sum_over l (fun a => c * f a) = c * sum_over l f.
Proof. induction l; cbn; [ring | rewrite IHl; ring]. Qed.

Lemma sum_scale_right l c (f : A -> R) : sum_over l (fun a => f a * c) = sum_over l f * c.
Proof. induction l; cbn; [ring | rewrite IHl; ring]. Qed.

Lemma sum_constant l c : sum_over l (fun _ => c) = INR (length l) * c.
Proof.
  induction l; [cbn; ring|]. change (length (a :: l)) with (S (length l)).
  rewrite S_INR. cbn [sum_over]. rewrite IHl. ring.
Qed.

Lemma sum_le l (f g : A -> R) : (forall a, In a l -> f a <= g a) -> sum_over l f <= sum_over l g.
Proof. induction l; cbn; intros H; [lra|]. apply Rplus_le_compat; auto. Qed.

Lemma sum_nonneg l (f : A -> R) : (forall a, In a l -> 0 <= f a) -> 0 <= sum_over l f.
Proof. induction l; cbn; intros H; [lra|]. apply Rplus_le_le_0_compat; auto. Qed.

Lemma sum_indicator l (p : A -> bool) :
  sum_over l (fun a => indicator (p a)) = INR (count p l).
Proof.
  unfold count. induction l; [reflexivity|]. cbn [sum_over filter]. rewrite IHl.
  destruct (p a); cbn [indicator length]; [rewrite S_INR|]; ring.
Qed.
End Sums.

Section TwoLists.
Context {A B : Type}.
Implicit Types (l : list A) (m : list B).

Lemma sum_swap l m (f : A -> B -> R) :
  sum_over l (fun a => sum_over m (f a)) = sum_over m (fun b => sum_over l (fun a => f a b)).
Proof.
  induction l; cbn.
  - induction m; cbn; [reflexivity | rewrite <- IHm; ring].
  - rewrite IHl, <- sum_plus. reflexivity.
Qed.

Lemma sum_product l m (f : A * B -> R) :
  sum_over (list_prod l m) f = sum_over l (fun a => sum_over m (fun b => f (a, b))).
Proof. induction l; cbn; [reflexivity|]. now rewrite sum_app, sum_map, IHl. Qed.
End TwoLists.

(** Counting: the cases that the structures need. *)
Section Counting.
Context {A : Type}.
Implicit Types (l : list A).

Lemma count_app (p : A -> bool) l1 l2 : count p (l1 ++ l2) = (count p l1 + count p l2)%nat.
Proof. unfold count. now rewrite filter_app, app_length. Qed.

Lemma count_map {B} (p : A -> bool) (g : B -> A) (m : list B) :
  count p (map g m) = count (fun b => p (g b)) m.
Proof. unfold count. induction m; cbn; [reflexivity|]. destruct (p (g a)); cbn; congruence. Qed.

Lemma count_ext (p q : A -> bool) l : (forall a, In a l -> p a = q a) -> count p l = count q l.
Proof.
  unfold count. induction l; cbn; intros H; [reflexivity|]. rewrite (H a) by auto.
  destruct (q a); cbn; rewrite IHl; auto.
Qed.

Lemma count_none (p : A -> bool) l : (forall a, In a l -> p a = false) -> count p l = 0%nat.
Proof.
  unfold count. induction l; cbn; intros H; [reflexivity|]. rewrite (H a) by auto. auto.
Qed.

Lemma count_all (p : A -> bool) l : (forall a, In a l -> p a = true) -> count p l = length l.
Proof.
  unfold count. induction l; cbn; intros H; [reflexivity|]. rewrite (H a) by auto.
  cbn. rewrite IHl; auto.
Qed.

Lemma count_one (p : A -> bool) l a :
  NoDup l -> In a l -> p a = true -> (forall b, In b l -> p b = true -> b = a) ->
  count p l = 1%nat.
Proof.
  induction l as [|c l IH]; intros N I P U; [destruct I|].
  inversion N as [|? ? Nc Nl]; subst. unfold count. cbn [filter].
  destruct (p c) eqn:E.
  - assert (c = a) by (apply U; cbn; auto). subst c. cbn [length]. f_equal.
    apply count_none. intros b Hb. destruct (p b) eqn:Eb; [|reflexivity].
    assert (b = a) by (apply U; cbn; auto). subst. contradiction.
  - destruct I as [->|I]; [congruence|]. apply IH; auto. intros; apply U; cbn; auto.
Qed.

Lemma count_flat {B} (p : A -> bool) (g : B -> list A) (m : list B) c :
  (forall b, In b m -> count p (g b) = c) -> count p (flat_map g m) = (length m * c)%nat.
Proof.
  induction m; intros H; [reflexivity|]. cbn [flat_map length].
  rewrite count_app, H, IHm; [reflexivity | intros; apply H | ]; cbn; auto.
Qed.

Lemma count_flat_one {B} (p : A -> bool) (g : B -> list A) (m : list B) (q : B -> bool) c :
  (forall b, In b m -> count p (g b) = if q b then c else 0%nat) ->
  count p (flat_map g m) = (count q m * c)%nat.
Proof.
  unfold count. induction m; cbn; intros H; [reflexivity|].
  rewrite filter_app, app_length, H, IHm by auto. destruct (q a); cbn; lia.
Qed.
End Counting.
