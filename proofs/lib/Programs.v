(** Programs that draw one report from uniform words, counted over every sequence of words.

    A word is one of W numbers, 0..W-1, so W is 2^w for words of w bits. A program gives a report,
    or reads a word and goes on, or reads words until one is accepted. After L words some of the W^L
    sequences have led to each report, and the others to none yet. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From LDP Require Import Sums Hashing.
Import ListNotations.
Open Scope nat_scope.

Inductive program (Y : Type) : Type :=
| Report (y : Y)
| Read (next : nat -> program Y)
| Until (ok : nat -> bool) (next : nat -> program Y).
Arguments Report {Y}.
Arguments Read {Y}.
Arguments Until {Y}.

(** The report that words lead to; None if the program wants more of them. Words may be left. *)
Fixpoint run {Y} (p : program Y) (ws : list nat) {struct p} : option Y :=
  match p with
  | Report y => Some y
  | Read next => match ws with [] => None | w :: rest => run (next w) rest end
  | Until ok next =>
      (fix again (ws : list nat) : option Y :=
        match ws with
        | [] => None
        | w :: rest => if ok w then run (next w) rest else again rest
        end) ws
  end.

(** One program, then another one that looks at what the first one gave. *)
Fixpoint bind {X Y} (p : program X) (f : X -> program Y) : program Y :=
  match p with
  | Report x => f x
  | Read next => Read (fun w => bind (next w) f)
  | Until ok next => Until ok (fun w => bind (next w) f)
  end.

Definition in_event {Y} (q : Y -> bool) (found : option Y) : bool :=
  match found with Some y => q y | None => false end.

(** Of the W^L sequences: how many lead to a report in q, and how many to none yet. *)
Definition halting {Y} (W : nat) (p : program Y) (q : Y -> bool) (L : nat) : nat :=
  count (fun ws => in_event q (run p ws)) (tuples W L).
Definition unresolved {Y} (W : nat) (p : program Y) (L : nat) : nat :=
  count (fun ws => match run p ws with Some _ => false | None => true end) (tuples W L).

(** Each loop that can be reached accepts a word. *)
Fixpoint proper {Y} (W : nat) (p : program Y) : Prop :=
  match p with
  | Report _ => True
  | Read next => forall w, w < W -> proper W (next w)
  | Until ok next => 0 < count ok (seq 0 W) /\ forall w, w < W -> ok w = true -> proper W (next w)
  end.

(** The mean of a number of the report: words are uniform, and in a loop the accepted ones. *)
Fixpoint average {Y} (W : nat) (p : program Y) (h : Y -> R) : R :=
  match p with
  | Report y => h y
  | Read next => (sum_over (seq 0 W) (fun w => average W (next w) h) / INR W)%R
  | Until ok next =>
      (sum_over (filter ok (seq 0 W)) (fun w => average W (next w) h) / INR (count ok (seq 0 W)))%R
  end.

(** The probability of a report in q. *)
Definition law {Y} (W : nat) (p : program Y) (q : Y -> bool) : R :=
  average W p (fun y => indicator (q y)).

(** * Counting *)

Lemma count_both {A} (p r : A -> bool) l : (forall a, In a l -> r a = negb (p a)) ->
  count p l + count r l = length l.
Proof.
  unfold count. induction l as [|a l IH]; intros H; [reflexivity|]. cbn [filter length].
  rewrite (H a) by now left. specialize (IH (fun b I => H b (or_intror I))).
  destruct (p a); cbn [negb length]; lia.
Qed.

Theorem halting_or_unresolved {Y} W (p : program Y) L :
  halting W p (fun _ => true) L + unresolved W p L = W ^ L.
Proof.
  unfold halting, unresolved. rewrite count_both; [apply tuples_length|].
  intros ws _. now destruct (run p ws).
Qed.

Lemma halting_report {Y} W (y : Y) q L :
  halting W (Report y) q L = if q y then W ^ L else 0.
Proof.
  unfold halting. cbn. destruct (q y) eqn:E.
  - rewrite count_all by auto. apply tuples_length.
  - now apply count_none.
Qed.

Definition summed (l : list nat) (f : nat -> nat) : nat := list_sum (map f l).

Lemma count_flat_total {A} (p : A -> bool) (g : nat -> list A) l :
  count p (flat_map g l) = summed l (fun b => count p (g b)).
Proof.
  unfold summed. induction l; [reflexivity|]. cbn [flat_map map list_sum fold_right].
  rewrite count_app, IHl. reflexivity.
Qed.

Lemma total_ext l f g : (forall a, In a l -> f a = g a) -> summed l f = summed l g.
Proof. intros H. unfold summed. now rewrite (map_ext_in _ _ _ H). Qed.

Theorem halting_read {Y} W (next : nat -> program Y) q L :
  halting W (Read next) q (S L) = summed (seq 0 W) (fun w => halting W (next w) q L).
Proof.
  unfold halting. cbn [tuples]. rewrite count_flat_total. apply total_ext. intros w _.
  now rewrite count_map.
Qed.

Theorem halting_until {Y} W ok (next : nat -> program Y) q L :
  halting W (Until ok next) q (S L)
  = summed (seq 0 W) (fun w => if ok w then halting W (next w) q L
                              else halting W (Until ok next) q L).
Proof.
  unfold halting at 1. cbn [tuples]. rewrite count_flat_total. apply total_ext. intros w _.
  rewrite count_map. unfold halting. destruct (ok w) eqn:E; apply count_ext; intros ws _; cbn;
  now rewrite E.
Qed.

(** * Limits *)

Open Scope R_scope.

Definition fraction {Y} (W : nat) (p : program Y) (q : Y -> bool) (L : nat) : R :=
  INR (halting W p q L) / INR W ^ L.

Lemma total_real l f : INR (summed l f) = sum_over l (fun a => INR (f a)).
Proof.
  unfold summed. induction l; cbn [map list_sum fold_right sum_over]; [reflexivity|].
  now rewrite plus_INR, <- IHl.
Qed.

Lemma limit_shift u l : Un_cv (fun n => u (S n)) l -> Un_cv u l.
Proof.
  intros H e E. destruct (H e E) as [N B]. exists (S N). intros [|n] G; [lia|]. apply B. lia.
Qed.

Lemma limit_constant c : Un_cv (fun _ => c) c.
Proof. intros e E. exists 0%nat. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0; auto. Qed.

Lemma limit_ext u v l : (forall n, u n = v n) -> Un_cv v l -> Un_cv u l.
Proof. intros X H e E. destruct (H e E) as [N B]. exists N. intros. rewrite X. auto. Qed.

Lemma limit_sum {A} (l : list A) (u : A -> nat -> R) v : (forall a, In a l -> Un_cv (u a) (v a)) ->
  Un_cv (fun n => sum_over l (fun a => u a n)) (sum_over l v).
Proof.
  induction l; intros H; cbn [sum_over]; [apply limit_constant|].
  apply CV_plus with (An := u a); [apply H; now left|]. apply IHl. intros. apply H. now right.
Qed.

Lemma limit_scale u l c : Un_cv u l -> Un_cv (fun n => u n * c) (l * c).
Proof. intros H. apply CV_mult with (Bn := fun _ => c); [assumption | apply limit_constant]. Qed.

(** What shrinks by a factor in each step, but for something that vanishes, vanishes. *)
Lemma shrinking a u b : 0 <= a < 1 -> (forall n, u (S n) = a * u n + b n) -> Un_cv b 0 ->
  Un_cv u 0.
Proof.
  intros A Step B e E.
  assert (P : 0 < e / 2 * (1 - a)) by (apply Rmult_lt_0_compat; lra).
  destruct (B _ P) as [N HN].
  assert (G : forall m, Rabs (u (N + m)%nat) <= a ^ m * Rabs (u N) + e / 2).
  { induction m as [|m IH].
    - rewrite Nat.add_0_r. cbn. lra.
    - rewrite Nat.add_succ_r, Step. specialize (HN (N + m)%nat ltac:(lia)).
      unfold R_dist in HN. rewrite Rminus_0_r in HN.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult, (Rabs_pos_eq a) by lra.
      assert (a * Rabs (u (N + m)%nat) <= a * (a ^ m * Rabs (u N) + e / 2))
        by (apply Rmult_le_compat_l; lra).
      cbn [pow]. lra. }
  assert (Z : Rabs a < 1) by (rewrite Rabs_pos_eq; lra).
  set (c := Rabs (u N) + 1). assert (C : 0 < c) by (unfold c; pose proof (Rabs_pos (u N)); lra).
  assert (Q : 0 < e / 2 / c) by (apply Rdiv_lt_0_compat; lra).
  destruct (pow_lt_1_zero a Z _ Q) as [M HM].
  exists (N + M)%nat. intros n Hn. replace n with (N + (n - N))%nat by lia.
  unfold R_dist. rewrite Rminus_0_r. specialize (G (n - N)%nat).
  specialize (HM (n - N)%nat ltac:(lia)).
  assert (T : 0 <= a ^ (n - N)) by (apply pow_le; lra). rewrite Rabs_pos_eq in HM by assumption.
  assert (a ^ (n - N) * Rabs (u N) <= a ^ (n - N) * c)
    by (apply Rmult_le_compat_l; [assumption | unfold c; lra]).
  assert (a ^ (n - N) * c < e / 2 / c * c) by (apply Rmult_lt_compat_r; assumption).
  replace (e / 2 / c * c) with (e / 2) in * by (field; lra). lra.
Qed.

Lemma sum_split {A} (ok : A -> bool) l (f g : A -> R) :
  sum_over l (fun a => if ok a then f a else g a)
  = sum_over (filter ok l) f + sum_over (filter (fun a => negb (ok a)) l) g.
Proof. induction l; cbn; [ring|]. rewrite IHl. destruct (ok a); cbn; ring. Qed.

Section Limits.
Context {Y : Type} (W : nat) (q : Y -> bool) (positive : (0 < W)%nat).

Lemma W_real : 0 < INR W. Proof. now apply lt_0_INR. Qed.

Lemma fraction_step (p : program Y) L (f : nat -> nat) :
  halting W p q (S L) = summed (seq 0 W) f ->
  fraction W p q (S L) = sum_over (seq 0 W) (fun w => INR (f w) / INR W ^ L) / INR W.
Proof.
  intros E. unfold fraction. rewrite E, total_real. unfold Rdiv at 2 3.
  rewrite sum_scale_right. cbn [pow]. pose proof W_real.
  assert (INR W ^ L <> 0) by (apply pow_nonzero; lra). field. split; [assumption || lra..].
Qed.

Theorem fraction_law (p : program Y) : proper W p -> Un_cv (fraction W p q) (law W p q).
Proof.
  pose proof W_real as P.
  induction p as [y|next IH|ok next IH]; unfold law in *; cbn [proper average] in *; intros H.
  - apply limit_ext with (v := fun _ => indicator (q y)); [|apply limit_constant].
    intros L. unfold fraction. rewrite halting_report.
    assert (INR W ^ L <> 0) by (apply pow_nonzero; lra).
    destruct (q y); cbn; [rewrite pow_INR|]; now field.
  - apply limit_shift. eapply limit_ext; [intros L; apply fraction_step, halting_read|].
    cbn beta. apply limit_scale, limit_sum. intros w I. apply in_seq in I.
    apply (IH w), H. lia.
  - destruct H as [G H].
    set (good := count ok (seq 0 W)) in *.
    set (bad := count (fun w => negb (ok w)) (seq 0 W)).
    assert (T : INR good + INR bad = INR W).
    { rewrite <- plus_INR. f_equal. unfold good, bad. rewrite count_both by auto.
      apply seq_length. }
    apply lt_INR in G. cbn [INR] in G. pose proof (pos_INR bad) as B.
    set (s := sum_over (filter ok (seq 0 W))
      (fun w => average W (next w) (fun y => indicator (q y)))).
    set (f := fun L => sum_over (filter ok (seq 0 W)) (fun w => fraction W (next w) q L)).
    assert (F : Un_cv f s).
    { apply limit_sum. intros w I. apply filter_In in I as [I O]. apply in_seq in I.
      apply (IH w), H; [lia | assumption]. }
    assert (Step : forall L, fraction W (Until ok next) q (S L)
      = INR bad / INR W * fraction W (Until ok next) q L + f L / INR W).
    { intros L. rewrite (fraction_step _ L _ (halting_until W ok next q L)).
      rewrite (sum_ext _ _ (fun w => if ok w then fraction W (next w) q L
        else fraction W (Until ok next) q L)) by (intros w _; unfold fraction; now destruct (ok w)).
      rewrite sum_split, sum_constant. fold (f L). unfold bad, count. field. lra. }
    assert (D : Un_cv (fun L => fraction W (Until ok next) q L - s / INR good) 0).
    { apply shrinking with (a := INR bad / INR W) (b := fun L => (f L - s) * / INR W).
      - split; [apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]|].
        apply Rmult_lt_reg_r with (INR W); [assumption|].
        replace (INR bad / INR W * INR W) with (INR bad) by (field; lra). lra.
      - intros L. rewrite Step. rewrite <- T. field. lra.
      - replace 0 with ((s - s) * / INR W) by (rewrite Rminus_diag_eq; [ring | reflexivity]).
        apply limit_scale. apply CV_minus with (Bn := fun _ => s); [assumption|].
        apply limit_constant. }
    apply limit_ext with (v := fun L => fraction W (Until ok next) q L - s / INR good
      + s / INR good); [intros; ring|].
    pose proof (CV_plus _ (fun _ => s / INR good) _ _ D (limit_constant _)) as Sum.
    rewrite Rplus_0_l in Sum. exact Sum.
Qed.
End Limits.

Theorem law_total {Y} W (p : program Y) : (0 < W)%nat -> proper W p -> law W p (fun _ => true) = 1.
Proof.
  intros P. pose proof (lt_0_INR W P) as PR.
  unfold law. induction p as [y|next IH|ok next IH];
  cbn [proper average]; intros H; [reflexivity| |].
  - rewrite (sum_ext _ _ (fun _ => 1)).
    + rewrite sum_constant, seq_length. field. lra.
    + intros w I. apply in_seq in I. apply IH, H. lia.
  - destruct H as [G H]. apply lt_INR in G. cbn [INR] in G.
    rewrite (sum_ext _ _ (fun _ => 1)).
    + rewrite sum_constant. unfold count in *. field. lra.
    + intros w I. apply filter_In in I as [I O]. apply in_seq in I. apply IH, H; [lia|assumption].
Qed.

(** It halts with probability 1. *)
Theorem program_halts {Y} W (p : program Y) : (0 < W)%nat -> proper W p ->
  Un_cv (fun L => INR (unresolved W p L) / INR W ^ L) 0.
Proof.
  intros P H. pose proof (lt_0_INR W P) as PR.
  apply limit_ext with (v := fun L => 1 - fraction W p (fun _ => true) L).
  - intros L. unfold fraction. pose proof (halting_or_unresolved W p L) as E.
    apply (f_equal INR) in E. rewrite plus_INR, pow_INR in E.
    assert (INR W ^ L <> 0) by (apply pow_nonzero; lra).
    replace (INR (unresolved W p L)) with (INR W ^ L - INR (halting W p (fun _ => true) L)) by lra.
    now field.
  - replace 0 with (1 - 1) by ring. apply CV_minus with (An := fun _ => 1).
    + apply limit_constant.
    + rewrite <- (law_total W p P H). now apply fraction_law.
Qed.

Theorem average_bind {X Y} W (p : program X) (f : X -> program Y) h :
  average W (bind p f) h = average W p (fun x => average W (f x) h).
Proof.
  induction p as [x|next IH|ok next IH]; cbn [bind average]; [reflexivity| |]; f_equal;
  apply sum_ext; auto.
Qed.

Theorem proper_bind {X Y} W (p : program X) (f : X -> program Y) : proper W p ->
  (forall x, proper W (f x)) -> proper W (bind p f).
Proof.
  intros P F. induction p as [x|next IH|ok next IH]; cbn [bind proper] in *; [auto|auto|].
  destruct P as [G P]. split; auto.
Qed.
