"""Concrete structures behind the class counts: what the outputs *are*.

So a table can be expanded and sampled. A structure states the combinatorial object; it computes
nothing. Counting (the pair table), expansion (enumeration) and sampling (the kernels) each read it
for themselves, so a wrong count cannot hide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression


@dataclass(frozen=True)
class _Sized:
    """A structure whose attributes are all expressions.

    Attributes:
        arguments: attribute -> what a mechanism object calls that size.
        counted: the attribute for a number that the sizes determine: a symbol in the place of
            factorials and powers, so that counts stay rational functions. None where there is none.
        least: the smallest value of that number.
        leasts: attribute -> the smallest size there is; 0 for others.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k"}
    counted: ClassVar[str | None] = None
    least: ClassVar[int] = 1
    leasts: ClassVar[Mapping[str, int]] = {}

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        for each in fields(self):
            object.__setattr__(self, each.name, expression(each.name, getattr(self, each.name)))

    def map(self, function: Callable[[Any], Any]) -> Self:
        """The structure with `function` applied to its expressions."""
        return type(self)(*(function(getattr(self, each.name)) for each in fields(self)))

    @property
    def sizes(self) -> dict[str, Any]:
        """Return the name of each size in a mechanism object -> its expression."""
        return {argument: getattr(self, name) for name, argument in self.arguments.items()}

    @property
    def determined(self) -> Any:
        """The expression for the number that the sizes determine; None where there is none."""
        return None if self.counted is None else getattr(self, self.counted)

    def admits(self, sizes: Mapping[str, Any]) -> bool:  # noqa: ARG002  (others look at them)
        """Return whether there is a structure of these sizes, given by the names of `sizes`."""
        return True


@dataclass(frozen=True)
class Singletons(_Sized):
    """k blocks; block y is {y}. Outputs are the values themselves.

    Attributes:
        values: k, the number of input values.
    """

    values: Any


@dataclass(frozen=True)
class HashBlocks(_Sized):
    """Blocks (h, b) = {x : h(x) = b} of the linear digit family, exactly balanced for every g >= 2.

    Write x in base l, the smallest prime factor of g, with m = max(1, ceil(log_l k)) digits; h_a(x)
    = sum_i a_i digit_i(x) mod g for a in Z_g^m. Two different values differ in some digit by less
    than l, hence by a unit of Z_g, so h_a(x) - h_a(x') is uniform: the collision probability is
    exactly 1/g. The family has g^m functions.

    Attributes:
        values: k. buckets: g. functions: the symbol for the size of the family, g^m, which k and g
            determine.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k", "buckets": "g"}
    counted: ClassVar[str | None] = "functions"
    least: ClassVar[int] = 2
    leasts: ClassVar[Mapping[str, int]] = {"buckets": 2}

    values: Any
    buckets: Any
    functions: Any


@dataclass(frozen=True)
class LinearBlocks(_Sized):
    """Blocks (a, b) = {x : h_a(x) = b} of linear functions over Z_g, g a prime, numbered.

    Values and functions are vectors of m = max(1, ceil(log_g k)) base-g digits, and h_a(x) is their
    inner product mod g. It is the digit family of `HashBlocks` for a prime g; the report is the
    number of the function and the bucket.

    Attributes:
        values: k. prime: g. functions: the symbol for the size of the family, g^m.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k", "prime": "g"}
    counted: ClassVar[str | None] = "functions"
    least: ClassVar[int] = 2
    leasts: ClassVar[Mapping[str, int]] = {"prime": 2}

    values: Any
    prime: Any
    functions: Any

    def admits(self, sizes: Mapping[str, Any]) -> bool:
        """Return whether g is a prime."""
        return bool(sympy.isprime(int(sizes["g"])))


@dataclass(frozen=True)
class Subsets(_Sized):
    """All subsets of omega of the k values: each value is in omega/k of them.

    Attributes:
        values: k. size: omega. subsets: the symbol for their number, k choose omega.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k", "size": "omega"}
    counted: ClassVar[str | None] = "subsets"
    leasts: ClassVar[Mapping[str, int]] = {"size": 1}

    values: Any
    size: Any
    subsets: Any


@dataclass(frozen=True)
class HadamardBlocks(_Sized):
    """The columns of a Hadamard matrix; column y is {x : H[x + 1, y] = +1}, for 0 <= x < k.

    H is Sylvester's matrix of order K, the smallest power of two above k: H[a, y] is +1 where a and
    y have an even number of 1 bits in common, else -1. Row 0, all +1, belongs to no value.
    Two different rows below it are orthogonal, and each is orthogonal to row 0: a value is in K/2
    of the columns, and two values are in K/4.

    Attributes:
        values: k. order: the symbol for K.
    """

    counted: ClassVar[str | None] = "order"
    least: ClassVar[int] = 4

    values: Any
    order: Any


@dataclass(frozen=True)
class HadamardSigns(_Sized):
    """Blocks (j, s) = {x : H[x, j] = s} for columns j and signs s of Sylvester's matrix, x < k.

    K, the order of H, is the smallest power of two that is at least k. Rows of different values are
    orthogonal, so they agree in half of the columns: (j, s) is a hash function with two buckets.

    Attributes:
        values: k. order: the symbol for K.
    """

    counted: ClassVar[str | None] = "order"
    least: ClassVar[int] = 2

    values: Any
    order: Any


@dataclass(frozen=True)
class HashedSigns(_Sized):
    """Blocks (h, l, s) = {x : H[l, h(x)] = s}: a hash function h to m buckets, row l, sign s of H.

    H is Sylvester's matrix of order m, a power of two, and h runs through the digit family of
    `HashBlocks` for m buckets. Values in one bucket have one sign; rows of H agree with two
    different buckets half of the time.

    Attributes:
        values: k. buckets: m. functions: the symbol for the size of the family.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k", "buckets": "buckets"}
    counted: ClassVar[str | None] = "functions"
    least: ClassVar[int] = 2
    leasts: ClassVar[Mapping[str, int]] = {"buckets": 2}

    values: Any
    buckets: Any
    functions: Any

    def admits(self, sizes: Mapping[str, Any]) -> bool:
        """Return whether m is a power of two."""
        return int(sizes["buckets"]).bit_count() == 1


@dataclass(frozen=True)
class Hyperplanes(_Sized):
    """Points of a projective space over Z_q, q a prime; block y holds the points orthogonal to y.

    A point is a vector of Z_q^t up to a factor, written with its first digit that is not 0 equal to
    1. The point with m digits after that 1, which write c in base q, has the number
    (q^m - 1)/(q - 1) + c; value x is point x. t is the least dimension, at least 2, with k points.
    With Q = q^t there are (Q - 1)/(q - 1) points; (Q/q - 1)/(q - 1) of them are orthogonal to a
    given one, and (Q/q^2 - 1)/(q - 1) to two given ones.

    Attributes:
        values: k. prime: q. vectors: the symbol for Q.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k", "prime": "prime"}
    counted: ClassVar[str | None] = "vectors"
    least: ClassVar[int] = 4
    leasts: ClassVar[Mapping[str, int]] = {"prime": 2}

    values: Any
    prime: Any
    vectors: Any

    def admits(self, sizes: Mapping[str, Any]) -> bool:
        """Return whether q is a prime: there is no field of other sizes, powers of primes aside."""
        return bool(sympy.isprime(int(sizes["prime"])))


@dataclass(frozen=True)
class Blocks:
    """An explicit list of blocks over the values 0..values-1 (a Fano plane, say).

    Attributes:
        values: the number of input values, an int. blocks: one frozenset of values per output.
    """

    values: int
    blocks: tuple[frozenset[int], ...]

    def __init__(self, values: int, blocks: Any) -> None:
        """Check that every block holds values of the domain.

        Raises:
            SpecError: a block holds something else than an int in 0..values-1.
        """
        frozen = tuple(frozenset(block) for block in blocks)
        for position, block in enumerate(frozen):
            if not all(type(x) is int and 0 <= x < values for x in block):
                raise SpecError(
                    f"blocks[{position}]", f"must hold integers in 0..{values - 1}", sorted(block)
                )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "blocks", frozen)

    def map(self, _function: Callable[[Any], Any]) -> Blocks:
        """The structure itself: it holds no expressions."""
        return self

    @property
    def sizes(self) -> dict[str, Any]:
        """Return no sizes, as the structure holds no expressions."""
        return {}

    @property
    def determined(self) -> None:
        """The number that the sizes determine: it has none."""
        return

    def admits(self, sizes: Mapping[str, Any]) -> bool:  # noqa: ARG002  (others look at them)
        """Return True, as the blocks are given."""
        return True


@dataclass(frozen=True)
class OneHot(_Sized):
    """Encoder of value x as k bits of which only bit x is 1.

    Attributes:
        values: k, the number of input values and of bits.
    """

    values: Any


@dataclass(frozen=True)
class HashedOneHot(_Sized):
    """Encoder of value x as a public hash function h and m bits of which only bit h(x) is 1.

    h is uniform in the digit family of `HashBlocks` for m buckets and does not depend on x: a
    report is the function and the randomized bits.

    Attributes:
        values: k. buckets: m. functions: the symbol for the size of the family.
    """

    arguments: ClassVar[Mapping[str, str]] = {"values": "k", "buckets": "buckets"}
    counted: ClassVar[str | None] = "functions"
    least: ClassVar[int] = 2
    leasts: ClassVar[Mapping[str, int]] = {"buckets": 2}

    values: Any
    buckets: Any
    functions: Any


Structure = (
    Singletons
    | HashBlocks
    | LinearBlocks
    | Subsets
    | HadamardBlocks
    | HadamardSigns
    | HashedSigns
    | Hyperplanes
    | Blocks
)

TWO = sympy.Integer(2)


def hashing(structure: Any) -> Any:
    """The structure as blocks of the digit family of hash functions, where it is that.

    Inner products of binary digits are the family for two buckets, those of digits in a prime base
    that for so many (theorem `prime_least_factor`).
    """
    match structure:
        case LinearBlocks(values=k, prime=g, functions=size):
            return HashBlocks(values=k, buckets=g, functions=size)
        case HadamardSigns(values=k, order=size):
            return HashBlocks(values=k, buckets=TWO, functions=size)
        case _:
            return structure
