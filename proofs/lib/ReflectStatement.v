(** What the text of a statement says: variables with bounds, an explicit table, and assertions
    about it. This file has no proofs: it is the meaning of the bytes. *)
From Coq Require Import Reals ZArith List String Bool.
From LDP Require Import Sums Randomizer Users Matrix ReflectRational ReflectParse.
Import ListNotations.

(** A variable: bounds as expressions in the variables before it (and whether they are excluded),
    and further expressions that are >= 0 (or > 0). Variables stand with the last one first. *)
Record bounded := Bounded {
  lower : option (expr * bool); upper : option (expr * bool); conditions : list (expr * bool) }.

Section Domain.
Open Scope R_scope.
Definition less (strict : bool) (x y : R) : Prop := if strict then x < y else x <= y.

Fixpoint in_domain (vs : list bounded) (r : list R) : Prop :=
  match vs with
  | [] => True
  | v :: vs' =>
      match lower v with None => True | Some (e, o) => less o (eval (tl r) e) (hd 0 r) end /\
      match upper v with None => True | Some (e, o) => less o (hd 0 r) (eval (tl r) e) end /\
      (forall e o, In (e, o) (conditions v) -> less o 0 (eval r e)) /\
      in_domain vs' (tl r)
  end.
End Domain.

Inductive relation := Equal | Apart | Above | AtLeast.

(** Assertions; [table] is the d x m matrix of expressions. *)
Inductive assertion :=
  | Stochastic
  | Needs (domain : list bounded) (needs : list (relation * expr))
  | Private (bounds : list (option expr))
  | Tight (bounds : list (option expr))
  | Unbiased (weights : list (list expr))
  | Variance (weights : list (list expr)) (formula : expr)
  | Holds (rel : relation) (e : expr)
  | Unread.

Record statement := Statement {
  variables : list bounded; table : list (list expr); assertions : list assertion }.

(** ** Reading *)
Open Scope string_scope.

Definition field (name : string) (j : json) : option json :=
  match j with
  | JObject l =>
      match find (fun entry => String.eqb name (fst entry)) l with
      | Some (_, v) => Some v
      | None => None
      end
  | _ => None
  end.

Fixpoint all {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: rest =>
      match f a, all f rest with Some b, Some bs => Some (b :: bs) | _, _ => None end
  end.

Definition a_list (j : option json) : option (list json) :=
  match j with Some (JList l) => Some l | _ => None end.
Definition an_expr (names : list string) (j : option json) : option expr :=
  match j with Some (JText s) => expression names s | _ => None end.

(** [Some None]: there is none. *)
Definition a_bound (names : list string) (bound is_open : option json)
  : option (option (expr * bool)) :=
  match bound, is_open with
  | Some JNull, Some (JBool _) => Some None
  | Some (JText s), Some (JBool o) =>
      match expression names s with Some e => Some (Some (e, o)) | None => None end
  | _, _ => None
  end.

Definition a_condition (names : list string) (j : json) : option (expr * bool) :=
  match j with
  | JList [JText s; JBool o] =>
      match expression names s with Some e => Some (e, o) | None => None end
  | _ => None
  end.

Definition some_conditions (names : list string) (j : option json) : option (list (expr * bool)) :=
  match j with
  | None => Some []
  | Some (JList l) => all (a_condition names) l
  | _ => None
  end.

(** What every statement has besides its variables: n users, of whom a share f holds a value. *)
Definition users_and_share : list string := ["f"; "n"].

Fixpoint some_variables (l : list json) (names : list string) (vs : list bounded)
  : option (list string * list bounded) :=
  match l with
  | [] => Some (names, vs)
  | j :: rest =>
      match field "name" j with
      | Some (JText name) =>
          if is_name name && negb (existsb (String.eqb name) (users_and_share ++ names)) then
            match a_bound names (field "lower" j) (field "lower_open" j),
                  a_bound names (field "upper" j) (field "upper_open" j),
                  some_conditions (name :: names) (field "also" j) with
            | Some low, Some high, Some more =>
                some_variables rest (name :: names) (Bounded low high more :: vs)
            | _, _, _ => None
            end
          else None
      | _ => None
      end
  end.

Definition read_variables (j : option json) : option (list string * list bounded) :=
  match a_list j with Some l => some_variables l [] [] | None => None end.

(** The pairs x, x' of different inputs, in the order of the pair tables. *)
Definition pairs (d : nat) : list (nat * nat) :=
  filter (fun p => negb (Nat.eqb (fst p) (snd p))) (list_prod (seq 0 d) (seq 0 d)).

Fixpoint same_expr (a b : expr) : bool :=
  match a, b with
  | EInt z, EInt z' => Z.eqb z z'
  | EVar i, EVar i' => Nat.eqb i i'
  | ENeg a, ENeg b => same_expr a b
  | EAdd a a', EAdd b b' | ESub a a', ESub b b'
  | EMul a a', EMul b b' | EDiv a a', EDiv b b' => same_expr a b && same_expr a' b'
  | EPow a n, EPow b n' => same_expr a b && Nat.eqb n n'
  | _, _ => false
  end.

Fixpoint same_row (a b : list expr) : bool :=
  match a, b with
  | [], [] => true
  | x :: a', y :: b' => same_expr x y && same_row a' b'
  | _, _ => false
  end.

(** The matrix of which there is a list of (cell of x, cell of x') for every pair, if there is
    one: row x is what the first pair of x says, and every pair must say the same. *)
Definition assemble (d : nat) (tables : list (list (expr * expr))) : option (list (list expr)) :=
  let given := combine (pairs d) tables in
  let row x := match find (fun t => Nat.eqb (fst (fst t)) x) given with
    | Some (_, cells) => map fst cells
    | None => []
    end in
  if Nat.eqb (List.length tables) (List.length (pairs d)) &&
    forallb (fun t => same_row (map fst (snd t)) (row (fst (fst t)))
      && same_row (map snd (snd t)) (row (snd (fst t)))) given
  then Some (map row (seq 0 d)) else None.

(** How many inputs have that many ordered pairs. *)
Definition inputs_of (tables : nat) : option nat :=
  find (fun d => Nat.eqb (d * (d - 1)) tables) (seq 2 tables).

(** A row of a pair table of an explicit matrix stands for one output. *)
Definition a_row (names : list string) (j : json) : option (expr * expr) :=
  match field "count" j, an_expr names (field "px" j), an_expr names (field "px2" j) with
  | Some (JText "1"), Some a, Some b => Some (a, b)
  | _, _, _ => None
  end.

Definition a_pair_table {A} (row : json -> option A) (j : json) : option (list A) :=
  match a_list (field "rows" j) with Some rows => all row rows | None => None end.

Definition a_weight (names : list string) (j : json) : option (expr * expr) :=
  match j with
  | JList [own; other] =>
      match an_expr names (Some own), an_expr names (Some other) with
      | Some a, Some b => Some (a, b)
      | _, _ => None
      end
  | _ => None
  end.

Definition a_weight_table (names : list string) (j : json) : option (list (expr * expr)) :=
  match j with JList rows => all (a_weight names) rows | _ => None end.

Definition a_support (yes no : expr) (j : json) : option (expr * expr) :=
  match field "supports_x" j, field "supports_x2" j with
  | Some (JBool a), Some (JBool b) => Some (if a then yes else no, if b then yes else no)
  | _, _ => None
  end.

Section Claims.
Context (names : list string) (d : nat) (tables : list json) (weights : option json).

Definition written_weights : option (list (list expr)) :=
  match a_list weights with
  | Some l =>
      match all (a_weight_table names) l with Some ts => assemble d ts | None => None end
  | None => None
  end.

Definition some_bounds (j : option json) : option (list (option expr)) :=
  match a_list j with
  | Some l => all (fun b => match b with
      | JNull => Some None
      | JText s => match expression names s with Some e => Some (Some e) | None => None end
      | _ => None
      end) l
  | None => None
  end.

Definition a_relation (j : option json) : option relation :=
  match j with
  | Some (JText "==") => Some Equal
  | Some (JText "!=") => Some Apart
  | Some (JText ">") => Some Above
  | Some (JText ">=") => Some AtLeast
  | _ => None
  end.

Definition wide : list string := users_and_share ++ names.

(** A claim of privacy makes two assertions, every other one. *)
Definition a_claim (j : json) : list assertion :=
  match field "kind" j with
  | Some (JText "ldp") =>
      match field "delta" j, some_bounds (field "bounds" j) with
      | Some (JText "0"), Some bounds => [Private bounds; Tight bounds]
      | _, _ => [Unread; Unread]
      end
  | Some (JText "unbiased") =>
      match field "supported" j, field "otherwise" j with
      | Some JNull, Some JNull =>
          match written_weights with Some w => [Unbiased w] | None => [Unread] end
      | yes, no =>
          match an_expr names yes, an_expr names no with
          | Some a, Some b =>
              match all (a_pair_table (a_support a b)) tables with
              | Some ts => match assemble d ts with Some w => [Unbiased w] | None => [Unread] end
              | None => [Unread]
              end
          | _, _ => [Unread]
          end
      end
  | Some (JText "variance") =>
      match field "at_f" j, written_weights, an_expr wide (field "value" j) with
      | Some JNull, Some w, Some v => [Variance w v]
      | _, _, _ => [Unread]
      end
  | Some (JText "holds") =>
      match a_relation (field "relation" j), an_expr wide (field "left" j),
            an_expr wide (field "right" j) with
      | Some r, Some a, Some b => [Holds r (ESub a b)]
      | _, _, _ => [Unread]
      end
  | _ => [Unread]
  end.
End Claims.

Definition a_need (names : list string) (j : json) : option (relation * expr) :=
  match a_relation (field "relation" j), an_expr names (field "value" j) with
  | Some r, Some e => Some (r, e)
  | _, _ => None
  end.

Definition some_needs (j : option json) : assertion :=
  match j with
  | Some JNull => Needs [] []
  | Some o =>
      match read_variables (field "variables" o), a_list (field "needs" o) with
      | Some (names, vs), Some l =>
          match all (a_need names) l with Some needs => Needs vs needs | None => Unread end
      | _, _ => Unread
      end
  | None => Unread
  end.

(** Whether a statement says nothing that is not read here. *)
Definition known_fields (j : json) : bool :=
  match j with
  | JObject l => forallb (fun entry => existsb (String.eqb (fst entry))
      ["variables"; "pair_tables"; "weights"; "claims"; "defined"]) l
  | _ => false
  end.

Definition read (bytes : string) : option statement :=
  match read_json bytes with
  | Some j =>
      match read_variables (field "variables" j), a_list (field "pair_tables" j),
            a_list (field "claims" j) with
      | Some (names, vs), Some tables, Some claims =>
          match inputs_of (List.length tables), all (a_pair_table (a_row names)) tables with
          | Some d, Some cells =>
              match assemble d cells with
              | Some rows =>
                  if known_fields j then
                    Some (Statement vs rows (Stochastic :: some_needs (field "defined" j)
                      :: flat_map (a_claim names d tables (field "weights" j)) claims))
                  else None
              | None => None
              end
          | _, _ => None
          end
      | _, _, _ => None
      end
  | None => None
  end.

(** ** Meaning *)
Open Scope R_scope.

Definition values_of (r : list R) (rows : list (list expr)) : list (list R) :=
  map (map (eval r)) rows.
Definition width (rows : list (list expr)) : nat := List.length (hd [] rows).

(** The randomizer at a point. *)
Definition mechanism (s : statement) (r : list R) : mech nat nat :=
  matrix (List.length (table s)) (width (table s)) (values_of r (table s)).

Definition related (rel : relation) (x : R) : Prop :=
  match rel with Equal => x = 0 | Apart => x <> 0 | Above => 0 < x | AtLeast => 0 <= x end.

(** The one bound of all pairs; [None] where they differ, or a pair has none. *)
Definition uniform (d : nat) (bounds : list (option expr)) : option expr :=
  match bounds with
  | Some b :: rest =>
      if Nat.eqb (List.length bounds) (List.length (pairs d)) &&
        forallb (fun a => match a with Some a => same_expr a b | None => false end) rest
      then Some b else None
  | _ => None
  end.

Definition true_of (s : statement) (a : assertion) : Prop :=
  match a with
  | Stochastic => forall r, in_domain (variables s) r ->
      stochastic (mechanism s r) /\
      forall row e, In row (table s) -> In e row -> defined r e
  | Needs vs needs => forall rel e r, In (rel, e) needs -> in_domain vs r -> related rel (eval r e)
  | Private bounds =>
      match uniform (List.length (table s)) bounds with
      | Some b => forall r eps, in_domain (variables s) r -> exp eps = eval r b ->
          ldp (mechanism s r) eps
      | None => List.length bounds = List.length (pairs (List.length (table s))) /\
          forall x x' b y r, In ((x, x'), Some b) (combine (pairs (List.length (table s))) bounds) ->
          in_domain (variables s) r -> In y (outs (mechanism s r)) ->
          pr (mechanism s r) x y <= eval r b * pr (mechanism s r) x' y
      end
  | Tight bounds =>
      match uniform (List.length (table s)) bounds with
      | Some b => forall r eps, in_domain (variables s) r -> exp eps = eval r b ->
          ldp_tight (mechanism s r) eps
      | None => False
      end
  | Unbiased w => forall r, in_domain (variables s) r ->
      unbiased_counts (mechanism s r) (cell (values_of r w))
  | Variance w v => forall r, in_domain (variables s) r ->
      count_variance (mechanism s r) (cell (values_of r w)) (fun n f => eval (f :: n :: r) v)
  | Holds rel e => forall r n f, in_domain (variables s) r -> 1 <= n -> 0 <= f -> f <= 1 ->
      related rel (eval (f :: n :: r) e)
  | Unread => False
  end.
