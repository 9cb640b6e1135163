(** Two probabilities over a balanced incidence structure.

    The outputs are blocks: there are b of them, r contain a given value, l contain two given
    values. A block is reported with probability [inside] if it contains the user's value and
    [outside] if it does not, and supports the values that it contains. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Randomizer Users Support.
Import ListNotations.
Open Scope R_scope.

Definition design {Y} (k : nat) (blocks : list Y) (contains : nat -> Y -> bool)
  (inside outside : R) : mech nat Y :=
  Mech (fun x => (x < k)%nat) blocks (fun x y => if contains x y then inside else outside).

Definition balanced {Y} (k : nat) (blocks : list Y) (contains : nat -> Y -> bool) (b r l : R)
  : Prop :=
  INR (length blocks) = b /\
  (forall x, (x < k)%nat -> INR (count (contains x) blocks) = r) /\
  (forall x x', (x < k)%nat -> (x' < k)%nat -> x <> x' ->
    INR (count (fun y => contains x y && contains x' y) blocks) = l).

Lemma balanced_counts {Y} k (blocks : list Y) contains b r l b' r' l' :
  balanced k blocks contains b r l -> b = b' -> r = r' -> l = l' ->
  balanced k blocks contains b' r' l'.
Proof. now intros H <- <- <-. Qed.

(** How often a report supports the user's value, and another value. *)
Definition design_p (r inside : R) : R := r * inside.
Definition design_q (r l inside outside : R) : R := l * inside + (r - l) * outside.

Section Design.
Context {Y : Type} (k : nat) (blocks : list Y) (contains : nat -> Y -> bool) (b r l : R).
Context (inside outside : R).
Hypothesis counts : balanced k blocks contains b r l.

Let M := design k blocks contains inside outside.

Theorem design_stochastic :
  0 <= inside -> 0 <= outside -> r * inside + (b - r) * outside = 1 -> stochastic M.
Proof.
  intros Hi Ho H1 x Hx. split.
  - intros y _. cbn. destruct (contains x y); assumption.
  - cbn. rewrite (sum_ext blocks _ (fun y => outside
      + (inside - outside) * indicator (contains x y)))
      by (intros y _; destruct (contains x y); cbn; ring).
    destruct counts as (B & C & _).
    rewrite sum_plus, sum_constant, sum_scale, sum_indicator, B, C by assumption. lra.
Qed.

Theorem design_equal_support : 0 < inside -> 0 < outside -> equal_support M.
Proof. intros Hi Ho x x' y _ _ _ _. cbn. destruct (contains x' y); assumption. Qed.

Theorem design_ldp eps U : exp eps = U -> 1 <= U -> 0 <= inside -> 0 <= outside ->
  inside <= U * outside -> outside <= U * inside -> ldp M eps.
Proof.
  intros E HU Hi Ho H1 H2 x x' y _ _ _. rewrite E. cbn.
  destruct (contains x y), (contains x' y); try assumption.
  - rewrite <- (Rmult_1_l inside) at 1. now apply Rmult_le_compat_r.
  - rewrite <- (Rmult_1_l outside) at 1. now apply Rmult_le_compat_r.
Qed.

(** Some block contains one of two values and not the other. *)
Lemma separating_block x x' : (x < k)%nat -> (x' < k)%nat -> x <> x' -> l < r ->
  exists y, In y blocks /\ contains x y = true /\ contains x' y = false.
Proof.
  intros Hx Hx' N L.
  destruct (existsb (fun y => contains x y && negb (contains x' y)) blocks) eqn:E.
  - apply existsb_exists in E as (y & I & Hy). exists y. split; [assumption|].
    apply andb_true_iff in Hy as [A B]. split; [assumption|]. now apply negb_true_iff.
  - exfalso. destruct counts as (_ & C & T).
    rewrite <- (T x x' Hx Hx' N), <- (C x Hx) in L. apply INR_lt in L.
    rewrite (count_ext (fun y => contains x y && contains x' y) (contains x)) in L; [lia|].
    intros y I. destruct (contains x y) eqn:A; [|reflexivity].
    destruct (contains x' y) eqn:B; [reflexivity|]. exfalso.
    assert (existsb (fun y => contains x y && negb (contains x' y)) blocks = true); [|congruence].
    apply existsb_exists. exists y. rewrite A, B. auto.
Qed.

Theorem design_tight eps U : exp eps = U -> (2 <= k)%nat -> l < r ->
  0 < outside -> inside = U * outside -> ldp_tight M eps.
Proof.
  intros E K L P T.
  destruct (separating_block 0 1) as (y & I & A & B); [lia | lia | lia | assumption|].
  exists 0%nat, 1%nat, y. cbn. rewrite A, B, E. repeat split; try assumption; lia.
Qed.

Theorem design_tight_outside eps U : exp eps = U -> (2 <= k)%nat -> l < r ->
  0 < inside -> outside = U * inside -> ldp_tight M eps.
Proof.
  intros E K L P T.
  destruct (separating_block 1 0) as (y & I & A & B); [lia | lia | lia | assumption|].
  exists 0%nat, 1%nat, y. cbn. rewrite A, B, E. repeat split; try assumption; lia.
Qed.

Lemma design_support_own v : (v < k)%nat ->
  expectation M v (fun y => indicator (contains v y)) = design_p r inside.
Proof.
  intros Hv. unfold expectation, M, design_p. cbn.
  rewrite (sum_ext blocks _ (fun y => inside * indicator (contains v y)))
    by (intros y _; destruct (contains v y); cbn; ring).
  destruct counts as (_ & C & _). rewrite sum_scale, sum_indicator, C by assumption. ring.
Qed.

Lemma design_support_other v x : (v < k)%nat -> (x < k)%nat -> x <> v ->
  expectation M x (fun y => indicator (contains v y)) = design_q r l inside outside.
Proof.
  intros Hv Hx N. unfold expectation, M, design_q. cbn.
  rewrite (sum_ext blocks _ (fun y => outside * indicator (contains v y)
    + (inside - outside) * indicator (contains x y && contains v y)))
    by (intros y _; destruct (contains x y), (contains v y); cbn; ring).
  destruct counts as (_ & C & T).
  rewrite sum_plus, 2!sum_scale, 2!sum_indicator, C, T by assumption. ring.
Qed.

Hypothesis St : stochastic M.
Theorem design_written supported otherwise :
  design_p r inside * supported + (1 - design_p r inside) * otherwise = 1 ->
  design_q r l inside outside * supported + (1 - design_q r l inside outside) * otherwise = 0 ->
  unbiased_counts M (written_weight contains supported otherwise).
Proof.
  apply written_unbiased; auto using design_support_own. intros; now apply design_support_other.
Qed.

Hypothesis apart : design_p r inside - design_q r l inside outside <> 0.

Theorem design_unbiased : unbiased_counts M
  (support_weight contains (design_p r inside) (design_q r l inside outside)).
Proof.
  apply support_unbiased; auto using design_support_own. intros; now apply design_support_other.
Qed.

Theorem design_variance : count_variance M
  (support_weight contains (design_p r inside) (design_q r l inside outside))
  (support_variance (design_p r inside) (design_q r l inside outside)).
Proof.
  apply support_variance_count; auto using design_support_own.
  intros; now apply design_support_other.
Qed.
End Design.

Lemma design_same {Y} k (blocks : list Y) contains inside outside inside' outside' :
  inside = inside' -> outside = outside' ->
  same_table (design k blocks contains inside outside) (design k blocks contains inside' outside').
Proof. intros <- <-. repeat split; auto. Qed.

(** * Cells that are free but for the sum of a row *)
Section FreeCells.
Context {Y : Type} (k : nat) (blocks : list Y) (contains : nat -> Y -> bool) (b r l : R).
Hypothesis counts : balanced k blocks contains b r l.
Hypothesis fewer : l < r.
Context (inside outside : R).
Hypothesis inside_lower : 0 <= inside.
Hypothesis outside_lower : 0 <= outside.
Hypothesis distinct : inside <> outside.
Hypothesis total : r * inside + (b - r) * outside = 1.

Lemma design_free_apart : design_p r inside - design_q r l inside outside <> 0.
Proof.
  unfold design_p, design_q.
  replace (r * inside - (l * inside + (r - l) * outside)) with ((r - l) * (inside - outside))
    by ring.
  apply Rmult_integral_contrapositive. split; lra.
Qed.

Theorem design_free_unbiased : unbiased_counts (design k blocks contains inside outside)
  (support_weight contains (design_p r inside) (design_q r l inside outside)).
Proof.
  eapply design_unbiased; [exact counts | | exact design_free_apart].
  eapply design_stochastic; eassumption.
Qed.

Theorem design_free_variance : count_variance (design k blocks contains inside outside)
  (support_weight contains (design_p r inside) (design_q r l inside outside))
  (support_variance (design_p r inside) (design_q r l inside outside)).
Proof.
  eapply design_variance; [exact counts | | exact design_free_apart].
  eapply design_stochastic; eassumption.
Qed.
End FreeCells.

(** * How many blocks hold both, one or none of two values *)
Definition pair_classes {Y} (k : nat) (blocks : list Y) (contains : nat -> Y -> bool) (b r l : R)
  : Prop := forall x x', (x < k)%nat -> (x' < k)%nat -> x <> x' ->
  INR (count (fun y => contains x y && contains x' y) blocks) = l /\
  INR (count (fun y => contains x y && negb (contains x' y)) blocks) = r - l /\
  INR (count (fun y => negb (contains x y) && contains x' y) blocks) = r - l /\
  INR (count (fun y => negb (contains x y) && negb (contains x' y)) blocks) = b - 2 * r + l.

Lemma count_split {A} (p q : A -> bool) (xs : list A) :
  INR (count p xs)
  = INR (count (fun a => p a && q a) xs) + INR (count (fun a => p a && negb (q a)) xs).
Proof.
  rewrite <- plus_INR. f_equal. unfold count. induction xs as [|a xs IH]; cbn; [reflexivity|].
  destruct (p a), (q a); cbn; lia.
Qed.

Theorem balanced_classes {Y} k (blocks : list Y) contains b r l :
  balanced k blocks contains b r l -> pair_classes k blocks contains b r l.
Proof.
  intros (B & C & T) x x' Hx Hx' N.
  pose proof (C x Hx) as Cx. rewrite (count_split _ (contains x')) in Cx.
  pose proof (C x' Hx') as Cx'. rewrite (count_split _ (contains x)) in Cx'.
  pose proof (T x x' Hx Hx' N) as Both.
  rewrite (count_ext (fun y => contains x' y && contains x y)
    (fun y => contains x y && contains x' y)) in Cx' by (intros; apply andb_comm).
  rewrite (count_ext (fun y => contains x' y && negb (contains x y))
    (fun y => negb (contains x y) && contains x' y)) in Cx' by (intros; apply andb_comm).
  pose proof (count_split (fun _ => true) (contains x) blocks) as All.
  rewrite (count_all (fun _ => true)) in All by reflexivity. cbn [andb] in All.
  rewrite (count_split (fun y => negb (contains x y)) (contains x') blocks) in All.
  rewrite B in All. change (fun a => contains x a) with (contains x) in All.
  rewrite (C x Hx) in All. repeat split; lra.
Qed.

(** * Blocks written out, their counts decided by computation *)
Definition listed_contains (listed : list (list nat)) (x y : nat) : bool :=
  existsb (Nat.eqb x) (nth y listed []).

Definition listed_counts (k b r l : nat) (listed : list (list nat)) : bool :=
  let outputs := seq 0 (length listed) in
  Nat.eqb (length listed) b &&
  forallb (fun x => Nat.eqb (count (listed_contains listed x) outputs) r) (seq 0 k) &&
  forallb (fun x => forallb (fun x' => Nat.eqb x x' ||
    Nat.eqb (count (fun y => listed_contains listed x y && listed_contains listed x' y) outputs) l)
    (seq 0 k)) (seq 0 k).

Theorem listed_balanced k b r l listed : listed_counts k b r l listed = true ->
  balanced k (seq 0 (length listed)) (listed_contains listed) (INR b) (INR r) (INR l).
Proof.
  unfold listed_counts. intros H. apply andb_true_iff in H as [H L].
  apply andb_true_iff in H as [B R]. apply Nat.eqb_eq in B. rewrite forallb_forall in R, L.
  split; [now rewrite seq_length, B|]. split.
  - intros x Hx. f_equal. apply Nat.eqb_eq, R. apply in_seq. lia.
  - intros x x' Hx Hx' N. f_equal.
    assert (I : In x (seq 0 k)) by (apply in_seq; lia).
    assert (I' : In x' (seq 0 k)) by (apply in_seq; lia).
    specialize (L x I). rewrite forallb_forall in L. specialize (L x' I').
    apply orb_true_iff in L as [L|L]; apply Nat.eqb_eq in L; [congruence | exact L].
Qed.
