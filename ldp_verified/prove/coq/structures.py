"""The incidence structures and hash families of the library: their terms, sizes and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language import (
    HadamardBlocks,
    HashBlocks,
    HashedOneHot,
    HashedSigns,
    Hyperplanes,
    Singletons,
    Subsets,
)
from ldp_verified.language.structures import hashing
from ldp_verified.prove.coq.algebra import Side
from ldp_verified.prove.coq.terms import NotCertifiedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.prove.coq.parameters import Parameters


@dataclass(frozen=True)
class Size:
    """A symbol for a number that other parameters determine, as the library has it.

    Attributes:
        term: the number as a Coq term. least: the bound that the symbol has to have.
        proof: that the number is at least that.
    """

    term: str
    least: Any
    proof: str


@dataclass(frozen=True)
class Structure:
    """A structure of the library.

    Attributes:
        values, outputs, contains, report: number of values, outputs, membership and type of a
            report, as Coq terms. library: where it is defined.
    """

    values: str
    outputs: str
    contains: str
    report: str
    library: tuple[str, ...]


def size_of(structure: Any, natural: Callable[[Any], str]) -> Size:
    """Return the size that stands for the symbol `structure.determined`.

    Raises:
        NotCertifiedError: the library has no such structure.
    """
    match hashing(structure):
        case (
            HashBlocks(values=k, buckets=m)
            | HashedSigns(values=k, buckets=m)
            | HashedOneHot(values=k, buckets=m)
        ):
            term = f"family_size {natural(k)} {natural(m)}"
            return Size(term, 1, f"family_size_at_least_1 {natural(k)} {natural(m)} ltac:(lia)")
        case Subsets(values=k, size=w):
            given = f"{natural(k)} {natural(w)}"
            proof = f"subset_count_at_least_1 {given} ltac:(apply INR_le; lra)"
            return Size(f"subset_count {given}", 1, proof)
        case HadamardBlocks(values=k):
            proof = f"sylvester_order_above {natural(k)} ltac:(lia)"
            return Size(f"sylvester_order (S {natural(k)})", 4, proof)
        case Hyperplanes(values=k, prime=q):
            given = f"{natural(k)} {natural(q)}"
            proof = f"projective_vectors_least {given} ltac:(lia) ltac:(lia)"
            return Size(f"projective_vectors {given}", q**2, proof)
        case _:
            raise NotCertifiedError(f"lib/ has no theory of {type(structure).__name__}")


def structure_of(structure: Any, natural: Callable[[Any], str]) -> Structure | None:
    """The library's name for a structure, or None where it has none."""
    match hashing(structure):
        case Singletons(values=values):
            k = natural(values)
            return Structure(k, f"(singletons {k})", "Nat.eqb", "nat", ("Singletons",))
        case HashBlocks(values=values, buckets=buckets):
            k, g = natural(values), natural(buckets)
            pair = "(list nat * nat)"
            return Structure(
                k, f"(hash_blocks {k} {g})", f"(hash_contains {k} {g})", pair, ("Hashing",)
            )
        case Subsets(values=values, size=size):
            k = natural(values)
            outputs = f"(subsets {k} {natural(size)})"
            return Structure(k, outputs, "chosen", "(list bool)", ("Hashing", "Structures"))
        case HadamardBlocks(values=values):
            k = natural(values)
            outputs, contains = f"(hadamard_columns {k})", f"(hadamard_contains {k})"
            return Structure(k, outputs, contains, "(list nat)", ("Hashing", "Structures"))
        case HashedSigns(values=values, buckets=buckets):
            given = f"{natural(values)} {natural(buckets)}"
            return Structure(
                natural(values),
                f"(sign_blocks {given})",
                f"(sign_contains {given})",
                "(list nat * (list nat * nat))",
                ("Hashing", "Structures"),
            )
        case Hyperplanes(values=values, prime=prime) if not prime.is_Integer:
            given = f"{natural(values)} {natural(prime)}"
            return Structure(
                natural(values),
                f"(hyperplanes {given})",
                f"(hyperplane_contains {given})",
                "(list nat)",
                ("Hashing", "Structures", "Hyperplanes"),
            )
        case _:
            return None


def counts_of(structure: Any, parameters: Parameters, side: Callable[[Any], Side]) -> list[Any]:
    """Return the class counts of a structure as three sides, and the library's proof of them.

    Raises:
        NotCertifiedError: the library has no such structure.
    """
    natural = parameters.natural
    one, nothing = side(sympy.Integer(1)), side(sympy.Integer(0))
    match hashing(structure):
        case Singletons(values=k):
            return [side(k), one, nothing, f"(singletons_balanced {natural(k)})"]
        case HashBlocks(values=k, buckets=g, functions=size):
            m, buckets = side(size), side(g)
            real = f"(INR_IZR_INZ {natural(g)})" if g.is_Integer else "eq_refl"
            proof = f"(hash_balanced {natural(k)} {natural(g)} _ ltac:(lia) {real})"
            outputs = Side(f"{m.atom()} * {buckets.atom()}", size * g)
            return [outputs, m, Side(f"{m.atom()} / {buckets.atom()}", size / g), proof]
        case Subsets(values=k, size=w, subsets=size):
            all_of, v, s = side(size).atom(), side(k).atom(), side(w).atom()
            proof = f"(subsets_balanced {natural(k)} {natural(w)} ltac:(lia) ltac:(lia))"
            once = Side(f"{all_of} * {s} / {v}", size * w / k)
            twice = f"{all_of} * {s} * ({s} - 1) / ({v} * ({v} - 1))"
            return [
                side(size),
                once,
                Side(twice, size * w * (w - 1) / (k * (k - 1)), (1 / (k * (k - 1)),)),
                proof,
            ]
        case HadamardBlocks(values=k, order=size):
            order = side(size)
            half, quarter = (Side(f"{order.atom()} / {c}", size / c) for c in (2, 4))
            return [order, half, quarter, f"(hadamard_balanced {natural(k)})"]
        case HashedSigns(values=k, buckets=buckets, functions=size):
            functions, rows = side(size).atom(), side(buckets).atom()
            name = natural(buckets)
            power = f"(sylvester_order_power {name} ltac:(lia) {power_of_two(name)[0]})"
            return [
                Side(f"{functions} * (2 * {rows})", 2 * size * buckets),
                Side(f"{functions} * {rows}", size * buckets),
                Side(f"{functions} * ({rows} + 1) / 2", size * (buckets + 1) / 2),
                f"(signs_balanced {natural(k)} {name} ltac:(lia) {power})",
            ]
        case Hyperplanes(values=k, prime=q, vectors=size):
            vectors, p = side(size).atom(), side(q).atom()
            name = natural(q)
            return [
                Side(f"({vectors} - 1) / ({p} - 1)", (size - 1) / (q - 1)),
                Side(f"({vectors} / {p} - 1) / ({p} - 1)", (size / q - 1) / (q - 1)),
                Side(f"({vectors} / {p} ^ 2 - 1) / ({p} - 1)", (size / q**2 - 1) / (q - 1)),
                f"(hyperplanes_balanced {natural(k)} {name} {prime_number(name)[0]} ltac:(lia))",
            ]
        case _:
            raise NotCertifiedError("a Design without a concrete structure")


def power_of_two(name: str) -> tuple[str, str]:
    """A hypothesis, with its name: the natural number is a power of two."""
    return f"{name}_power", f"(exists t, {name} = 2 ^ t)%nat"


def prime_number(name: str) -> tuple[str, str]:
    """A hypothesis, with its name: the natural number is a prime."""
    return f"{name}_prime", f"Znumtheory.prime (Z.of_nat {name})"
