"""Wrong schemes of programs: a slip in a definition of the theory, whose proofs must then fail.

Each is (file of proofs/lib, a text that stands in it once, what stands there instead).
"""

from __future__ import annotations

WRONG_SCHEMES = {
    "the last lying word tells the truth": (
        "ProgramSchemes",
        "if w <=? k * lie - 1 then w / lie",
        "if w <? k * lie - 1 then w / lie",
    ),
    "the unfair end is not rejected": (
        "ProgramSchemes",
        "program nat :=\n  Until (fun v => v <=? k * (W / k) - 1)",
        "program nat :=\n  Until (fun v => v <=? k * (W / k))",
    ),
    "a uniform value for one word more": (
        "ProgramSchemes",
        "Report (if w <? mix then",
        "Report (if w <=? mix then",
    ),
    "a cut belongs to the outcome before it": (
        "ProgramPrefixes",
        "count (fun c => c <=? v) row",
        "count (fun c => c <? v) row",
    ),
    "the last number of a prefix is not looked at": (
        "ProgramPrefixes",
        "cuts_reached row (a * W ^ m + (W ^ m - 1))",
        "cuts_reached row (a * W ^ m + (W ^ m - 2))",
    ),
    "digits of a number are added and not appended": (
        "ProgramPrefixes",
        "prefix_table W row m (a * W + w)",
        "prefix_table W row m (a + w)",
    ),
    "a number that equals the threshold is below it": (
        "ProgramPlanes",
        "match lane with Some b => b | None => false",
        "match lane with Some b => b | None => true",
    ),
    "a lane is 1 above the threshold": (
        "ProgramPlanes",
        "then None else Some threshold",
        "then None else Some digit",
    ),
    "a decided lane is decided again": (
        "ProgramPlanes",
        "  | Some b => Some b\n",
        "  | Some b => Some digit\n",
    ),
    "planes end when one lane is decided": (
        "ProgramPlanes",
        "&& forallb is_decided lanes then",
        "&& existsb is_decided lanes then",
    ),
    "the own bit is 1 for one word more": (
        "ProgramBits",
        "placed_bit x (w <? one)",
        "placed_bit x (w <=? one)",
    ),
    "the own bit takes another place": (
        "ProgramBits",
        "match x with 0 => b :: rest | S n",
        "match x with 0 => a :: rest | S n",
    ),
    "a word beyond the equal shares gives coefficients": (
        "ProgramHashing",
        "Until (fun v => v <=? g ^ c * (W / g ^ c) - 1)\n",
        "Until (fun v => v <=? g ^ c * (W / g ^ c))\n",
    ),
    "coefficients of the word and not of its share": (
        "ProgramHashing",
        "(a ++ digits g n (v / (W / g ^ c)))",
        "(a ++ digits g n v)",
    ),
    "the bucket is answered without randomness": (
        "ProgramHashing",
        "bind (k_rr g lie (hash k g a x)) (fun y => Report (a, y))).\n\nDefinition is_report",
        "Report (a, hash k g a x)).\n\nDefinition is_report",
    ),
    "fields overlap": (
        "ProgramFields",
        "v / 2 ^ p mod 2 ^ r",
        "v / 2 ^ (pred p) mod 2 ^ r",
    ),
    "a coefficient has one bit too few": (
        "ProgramFields",
        "v / 2 ^ p mod 2 ^ r",
        "v / 2 ^ p mod 2 ^ (pred r)",
    ),
    "a digit that is equal is below": (
        "ProgramGeometric",
        "if v <? d then inr true",
        "if v <=? d then inr true",
    ),
    "the last digit is compared with more words": (
        "ProgramGeometric",
        "match rest with [] => inr false | _ => inl rest end else inr false",
        "inl rest else inr false",
    ),
    "a turn that is not below draws a 0": (
        "ProgramGeometric",
        "| Some (inr false) => Turn bits (power :: turns) None",
        "| Some (inr false) => next_turn last limit (bits ++ [false]) turns",
    ),
    "a number after the first of a turn is not cut to its digit": (
        "ProgramGeometric",
        "| Some ds => Some (compare_digit (w mod half) ds)",
        "| Some ds => Some (compare_digit w ds)",
    ),
    "the count goes on once more": (
        "ProgramGeometric",
        "| 0 => inr (bits, S n)",
        "| 0 => inl (Counting bits (S n) 0 last)",
    ),
    "the powers are a, a and a": (
        "ProgramNoise",
        "power_of half power = a /\\ doubling half (a * a) turns",
        "power_of half power = a /\\ doubling half a turns",
    ),
    "a step is taken after one that was not": (
        "ProgramWalk",
        "let more := going && (w mod half <? share) in",
        "let more := (w mod half <? share) in",
    ),
    "the size of a walk is forgotten": (
        "ProgramWalk",
        "  | 0 => Report (done size)",
        "  | 0 => Report (done 0)",
    ),
    "the side is never rejected": (
        "ProgramWalk",
        "Until (fun w => (half <=? w) || (w <? share))",
        "Until (fun w => true)",
    ),
    "the unfair slices are not rejected": (
        "ProgramSubsets",
        "B mod k <=? s * k mod B",
        "0 <=? s * k mod B",
    ),
    "a slice is a value by its remainder": (
        "ProgramSubsets",
        "(B k s : nat) : nat := s * k / B",
        "(B k s : nat) : nat := s mod k",
    ),
    "a value that moved is free again": (
        "ProgramSubsets",
        "inl (remove Nat.eq_dec p free, S more)",
        "inl (free, S more)",
    ),
}
