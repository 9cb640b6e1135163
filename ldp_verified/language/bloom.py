"""The Bloom encoder: a value as a set of one to h bits, chosen by h public hash functions.

What the randomizer sees is the encoding alone, so its inputs are taken to be all encodings there
can be. An encoder in front of a randomizer costs no privacy (theorem `encode_first_ldp`). Two
values whose encodings are disjoint and full reach the largest ratio. Where a domain holds no two
such values, the epsilon stated here is an upper bound for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression
from ldp_verified.language.pair_table import PairRow, PairTable

MOST_HASHES = 6
"""Pair tables grow with the fourth power of h; beyond this h the theorem for every h stands alone
(`proofs/lib/Bloom.v`)."""


@dataclass(frozen=True)
class Bloom:
    """Encoder of a value as m bits, at least one and at most h of which are 1.

    Several hash functions may hit the same bit, so an encoding may have fewer than h ones. Two
    values with the same encoding have the same reports; no pair table is about them.

    Burton H. Bloom (1970), Space/Time Trade-offs in Hash Coding with Allowable Errors.

    Attributes:
        bits: m, at least 2 h, so that disjoint encodings exist. hashes: h, a whole number.
    """

    bits: Any
    hashes: int

    def __post_init__(self) -> None:
        """Sympify the number of bits.

        Raises:
            SpecError: h is no whole number in 1..6, or m may be smaller than 2 h.
        """
        h = self.hashes
        if isinstance(h, sympy.Integer):
            object.__setattr__(self, "hashes", int(h))
        elif type(h) is not int:
            raise SpecError("Bloom.hashes", "must be a whole number, not a parameter", h)
        if not 1 <= self.hashes <= MOST_HASHES:
            raise SpecError("Bloom.hashes", f"must be in 1..{MOST_HASHES}", h)
        m = expression("Bloom.bits", self.bits)
        domain = getattr(m, "domain", None)
        least = m if m.is_number else None if domain is None else domain.lower
        # A name that a rewriting put in the place of the declared parameter has no domain to check.
        if least is None and domain is not None:
            raise SpecError("Bloom.bits", f"must be declared at_least={2 * self.hashes}", m)
        if least is not None and not least >= 2 * self.hashes:
            raise SpecError("Bloom.bits", f"must be at least 2 h = {2 * self.hashes}", least)
        object.__setattr__(self, "bits", m)

    @property
    def values(self) -> Any:
        """The number of encodings, sum_{i = 1..h} C(m, i)."""
        ones = range(1, self.hashes + 1)
        return sympy.Add(*(sympy.ff(self.bits, i) / sympy.factorial(i) for i in ones))

    @property
    def sizes(self) -> dict[str, Any]:
        """Return each size's name -> its expression; h is a number and not listed."""
        return {"m": self.bits}

    @property
    def determined(self) -> None:
        """No number follows from the sizes."""
        return None

    def map(self, function: Callable[[Any], Any]) -> Bloom:
        """The encoder with `function` applied to its expressions."""
        return Bloom(function(self.bits), self.hashes)

    def pair_tables(self, one: Any, zero: Any) -> tuple[PairTable, ...]:
        """One pair table for each number of bits that only x, and that only x', sets.

        Bits that both set or neither sets have the same distribution under both and sum to 1; a
        row says how many bits of either kind are reported as 1.
        """
        return tuple(
            PairTable(
                f"{a} bits of x only, {b} bits of x' only",
                tuple(
                    _row(one, zero, a, b, i, j)
                    for i, j in product(range(a, -1, -1), range(b, -1, -1))
                ),
            )
            for a, b in product(range(self.hashes, -1, -1), repeat=2)
            # Where one set lies in the other they share a bit, for none is empty.
            if (a and b) or 0 < a + b < self.hashes
        )


def _row(one: Any, zero: Any, a: int, b: int, i: int, j: int) -> PairRow:
    """`i` of the `a` bits that only x sets, and `j` of the `b` that only x' sets, are reported."""
    count = sympy.binomial(a, i) * sympy.binomial(b, j)
    mine, theirs = one**i * (1 - one) ** (a - i), zero**i * (1 - zero) ** (a - i)
    px = mine * zero**j * (1 - zero) ** (b - j)
    px2 = theirs * one**j * (1 - one) ** (b - j)
    return PairRow(f"{i} of {a} and {j} of {b} reported", count, px, px2, None, None)
