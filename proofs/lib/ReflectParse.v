(** Text to data: JSON without white space or escapes, and expressions. Whatever is not read is
    refused; what a text means is what these functions make of it. *)
From Coq Require Import ZArith List String Ascii Bool.
From LDP Require Import ReflectRational.
Import ListNotations.
Open Scope string_scope.

Definition code (c : ascii) : nat := nat_of_ascii c.
Definition between (low high : nat) (c : ascii) : bool :=
  Nat.leb low (code c) && Nat.leb (code c) high.
Definition is_digit : ascii -> bool := between 48 57.
Definition is_letter (c : ascii) : bool := between 65 90 c || between 97 122 c || Ascii.eqb c "_".
Definition is_plain (c : ascii) : bool :=
  between 32 126 c && negb (Ascii.eqb c """") && negb (Ascii.eqb c "\").

(** The longest beginning whose characters are such, and the rest. *)
Fixpoint span (such : ascii -> bool) (s : string) : string * string :=
  match s with
  | EmptyString => (EmptyString, EmptyString)
  | String c s' =>
      if such c then let (a, b) := span such s' in (String c a, b) else (EmptyString, s)
  end.

Fixpoint digits (s : string) (so_far : Z) : Z :=
  match s with
  | EmptyString => so_far
  | String c s' => digits s' (10 * so_far + Z.of_nat (code c - 48))%Z
  end.

(** A number in decimal without leading zeros. *)
Definition number (s : string) : option Z :=
  match s with
  | EmptyString => None
  | String "0" EmptyString => Some 0%Z
  | String "0" _ => None
  | _ => Some (digits s 0%Z)
  end.

Definition is_name (s : string) : bool :=
  match s with
  | EmptyString => false
  | String c s' =>
      is_letter c && String.eqb (snd (span (fun a => is_letter a || is_digit a) s')) EmptyString
  end.

(** ** JSON *)
Inductive json :=
  | JNull | JBool (b : bool) | JInt (z : Z) | JText (s : string)
  | JList (l : list json) | JObject (l : list (string * json)).

Fixpoint strip (word s : string) : option string :=
  match word, s with
  | EmptyString, _ => Some s
  | String a word', String b s' => if Ascii.eqb a b then strip word' s' else None
  | _, _ => None
  end.

Fixpoint distinct (names : list string) : bool :=
  match names with
  | [] => true
  | a :: rest => negb (existsb (String.eqb a) rest) && distinct rest
  end.

(** After an opening quote. *)
Definition text (s : string) : option (string * string) :=
  match span is_plain s with (a, String """" rest) => Some (a, rest) | _ => None end.

Definition literal (s : string) : option (json * string) :=
  match strip "null" s, strip "true" s, strip "false" s with
  | Some rest, _, _ => Some (JNull, rest)
  | _, Some rest, _ => Some (JBool true, rest)
  | _, _, Some rest => Some (JBool false, rest)
  | _, _, _ =>
      match span is_digit s with
      | (a, rest) => match number a with Some z => Some (JInt z, rest) | None => None end
      end
  end.

Fixpoint value (fuel : nat) (s : string) {struct fuel} : option (json * string) :=
  match fuel, s with
  | S k, String "[" (String "]" rest) => Some (JList [], rest)
  | S k, String "{" (String "}" rest) => Some (JObject [], rest)
  | S k, String "[" rest =>
      match items k rest with Some (l, rest') => Some (JList l, rest') | None => None end
  | S k, String "{" rest =>
      match members k rest with
      | Some (l, rest') => if distinct (map fst l) then Some (JObject l, rest') else None
      | None => None
      end
  | S k, String """" rest =>
      match text rest with Some (a, rest') => Some (JText a, rest') | None => None end
  | S k, _ => literal s
  | O, _ => None
  end
with items (fuel : nat) (s : string) {struct fuel} : option (list json * string) :=
  match fuel with
  | O => None
  | S k =>
      match value k s with
      | Some (v, String "]" rest) => Some ([v], rest)
      | Some (v, String "," rest) =>
          match items k rest with Some (l, rest') => Some (v :: l, rest') | None => None end
      | _ => None
      end
  end
with members (fuel : nat) (s : string) {struct fuel} : option (list (string * json) * string) :=
  match fuel, s with
  | S k, String """" rest =>
      match text rest with
      | Some (a, String ":" rest') =>
          match value k rest' with
          | Some (v, String "}" rest'') => Some ([(a, v)], rest'')
          | Some (v, String "," rest'') =>
              match members k rest'' with
              | Some (l, rest3) => Some ((a, v) :: l, rest3)
              | None => None
              end
          | _ => None
          end
      | _ => None
      end
  | _, _ => None
  end.

Definition read_json (s : string) : option json :=
  match value (S (String.length s)) s with Some (v, EmptyString) => Some v | _ => None end.

(** ** Expressions: + - * / ** with Python's precedence, integers, names, parentheses *)
Inductive token :=
  | TInt (z : Z) | TName (s : string)
  | TPlus | TMinus | TTimes | TOver | TPower | TOpen | TClose.

Fixpoint tokens (fuel : nat) (s : string) : option (list token) :=
  let next t rest := match fuel with
    | O => None
    | S k => match tokens k rest with Some ts => Some (t :: ts) | None => None end
    end in
  match fuel, s with
  | _, EmptyString => Some []
  | O, _ => None
  | S k, String " " rest => tokens k rest
  | S _, String "+" rest => next TPlus rest
  | S _, String "-" rest => next TMinus rest
  | S _, String "*" (String "*" rest) => next TPower rest
  | S _, String "*" rest => next TTimes rest
  | S _, String "/" rest => next TOver rest
  | S _, String "(" rest => next TOpen rest
  | S _, String ")" rest => next TClose rest
  | S _, String c _ =>
      if is_digit c then
        match span is_digit s with
        | (a, rest) => match number a with Some z => next (TInt z) rest | None => None end
        end
      else if is_letter c then
        let (a, rest) := span (fun b => is_letter b || is_digit b) s in next (TName a) rest
      else None
  end.

Fixpoint position (name : string) (names : list string) : option nat :=
  match names with
  | [] => None
  | a :: rest =>
      if String.eqb name a then Some O
      else match position name rest with Some i => Some (S i) | None => None end
  end.

Definition parsed := option (expr * list token).

Section Names.
Context (names : list string).

Fixpoint sum (fuel : nat) (ts : list token) {struct fuel} : parsed :=
  match fuel with
  | O => None
  | S k => match term k ts with Some (a, rest) => more_terms k a rest | None => None end
  end
with more_terms (fuel : nat) (a : expr) (ts : list token) {struct fuel} : parsed :=
  match fuel, ts with
  | S k, TPlus :: rest =>
      match term k rest with Some (b, rest') => more_terms k (EAdd a b) rest' | None => None end
  | S k, TMinus :: rest =>
      match term k rest with Some (b, rest') => more_terms k (ESub a b) rest' | None => None end
  | S k, _ => Some (a, ts)
  | O, _ => None
  end
with term (fuel : nat) (ts : list token) {struct fuel} : parsed :=
  match fuel with
  | O => None
  | S k => match signed k ts with Some (a, rest) => more_factors k a rest | None => None end
  end
with more_factors (fuel : nat) (a : expr) (ts : list token) {struct fuel} : parsed :=
  match fuel, ts with
  | S k, TTimes :: rest =>
      match signed k rest with
      | Some (b, rest') => more_factors k (EMul a b) rest' | None => None end
  | S k, TOver :: rest =>
      match signed k rest with
      | Some (b, rest') => more_factors k (EDiv a b) rest' | None => None end
  | S k, _ => Some (a, ts)
  | O, _ => None
  end
with signed (fuel : nat) (ts : list token) {struct fuel} : parsed :=
  match fuel, ts with
  | S k, TMinus :: rest =>
      match signed k rest with Some (a, rest') => Some (ENeg a, rest') | None => None end
  | S k, _ => raised k ts
  | O, _ => None
  end
with raised (fuel : nat) (ts : list token) {struct fuel} : parsed :=
  match fuel with
  | O => None
  | S k =>
      match atom k ts with
      | Some (a, TPower :: TInt e :: rest) => Some (EPow a (Z.to_nat e), rest)
      | Some (a, TPower :: TMinus :: TInt e :: rest)
      | Some (a, TPower :: TOpen :: TMinus :: TInt e :: TClose :: rest) =>
          Some (EDiv (EInt 1) (EPow a (Z.to_nat e)), rest)
      | Some (a, TPower :: _) => None
      | other => other
      end
  end
with atom (fuel : nat) (ts : list token) {struct fuel} : parsed :=
  match fuel, ts with
  | S k, TInt z :: rest => Some (EInt z, rest)
  | S k, TName s :: rest =>
      match position s names with Some i => Some (EVar i, rest) | None => None end
  | S k, TOpen :: rest =>
      match sum k rest with Some (a, TClose :: rest') => Some (a, rest') | _ => None end
  | _, _ => None
  end.

(** Every variable is read as its place among the names. *)
Definition expression (s : string) : option expr :=
  match tokens (String.length s) s with
  | Some ts => match sum (10 * S (List.length ts)) ts with Some (e, []) => Some e | _ => None end
  | None => None
  end.
End Names.
