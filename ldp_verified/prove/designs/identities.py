"""Compute the counts of a design from the sizes of its blocks, looking at no pair of values.

Where every value lies in r of the b blocks, and every two values in lambda of them, counting
incidences in two ways gives

    sum over blocks of |B|             = r k
    sum over blocks of |B| (|B| - 1)   = lambda k (k - 1)

so the sizes of the blocks determine b, r and lambda. It is a second look at the class counts, which
enumeration compares pair by pair; it shares no code with that. It does not see whether the
structure is balanced at all: that, enumeration does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy
from sympy.ntheory.digits import digits

from ldp_verified.kinds import Kind, TableForm
from ldp_verified.language.forms import Design
from ldp_verified.language.structures import (
    Blocks,
    HadamardBlocks,
    HadamardSigns,
    HashBlocks,
    HashedSigns,
    Hyperplanes,
    LinearBlocks,
    Singletons,
    Subsets,
)
from ldp_verified.prove.designs.existence import impossible
from ldp_verified.prove.registry import Rules
from ldp_verified.prove.verdicts import Witness

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ldp_verified.language.mechanism import Mechanism

MOST_STEPS = 2**20
"""Values hashed at one point; larger families are left out."""


@dataclass(frozen=True)
class CountedBlocks:
    """The comparison of block sizes with the stated counts.

    Attributes:
        holds: whether b, r and lambda are the structure's at every size looked at.
        sizes: which those are. witness: where they are not.
    """

    holds: bool
    sizes: str
    witness: Witness | None


@dataclass(frozen=True)
class _Sizes:
    """k, and size of a block -> number of blocks of that size."""

    values: int
    blocks: tuple[tuple[int, int], ...]

    def total(self, weight: Any) -> int:
        return sum(count * weight(size) for size, count in self.blocks)


@lru_cache(maxsize=256)
def _hashed(k: int, g: int) -> _Sizes | None:
    """Sizes of the blocks {x : h(x) = b} over the digit family; None where it is too large."""
    base = min(sympy.primefactors(g))
    length = len(digits(k - 1, base)) - 1
    if g**length * k > MOST_STEPS:
        return None
    written = [tuple(reversed(digits(x, base)[1:])) for x in range(k)]
    sizes: Counter[int] = Counter()
    for coefficients in product(range(g), repeat=length):
        buckets = Counter(
            sum(a * d for a, d in zip(coefficients, number, strict=False)) % g for number in written
        )
        sizes.update(buckets.values())
        sizes[0] += g - len(buckets)
    return _Sizes(k, tuple(sorted(sizes.items())))


def _sizes(structure: Any, at: Mapping[Any, Any]) -> _Sizes | None:
    if isinstance(structure, Blocks):
        found = Counter(len(block) for block in structure.blocks)
        return _Sizes(structure.values, tuple(sorted(found.items())))
    k = int(structure.values.subs(at))
    if isinstance(structure, Singletons):
        return _Sizes(k, ((1, k),))
    if isinstance(structure, Subsets):
        size = int(structure.size.subs(at))
        return _Sizes(k, ((size, int(sympy.binomial(k, size))),))
    if isinstance(structure, HadamardBlocks):
        return _columns(k, range(1, k + 1), signs=1)
    if isinstance(structure, HadamardSigns):
        return _columns(k, range(k), signs=2)
    if isinstance(structure, HashedSigns):
        return _signed(k, int(structure.buckets.subs(at)))
    if isinstance(structure, Hyperplanes):
        return _hyperplanes(k, int(structure.prime.subs(at)))
    if isinstance(structure, LinearBlocks):
        return _hashed(k, int(structure.prime.subs(at)))  # the same functions, numbered
    return _hashed(k, int(structure.buckets.subs(at)))


@lru_cache(maxsize=256)
def _signed(k: int, m: int) -> _Sizes | None:
    """Sizes of the blocks of values whose buckets have one sign in a row of Sylvester's matrix."""
    length = max(1, (k - 1).bit_length())
    if m**length * k * m > MOST_STEPS:
        return None
    sizes: Counter[int] = Counter()
    for coefficients in product(range(m), repeat=length):
        buckets = [sum(a for i, a in enumerate(coefficients) if x >> i & 1) % m for x in range(k)]
        for row in range(m):
            positive = sum((row & bucket).bit_count() % 2 == 0 for bucket in buckets)
            sizes.update((positive, k - positive))
    return _Sizes(k, tuple(sorted(sizes.items())))


def _hyperplanes(k: int, q: int) -> _Sizes | None:
    """Return how many of k points are orthogonal to each vector, up to its q - 1 factors."""
    length = 2
    while (q**length - 1) // (q - 1) < k:
        length += 1
    if q**length * k > MOST_STEPS:
        return None
    vectors = list(product(range(q), repeat=length))
    points = [v for v in vectors if next((c for c in v if c), 0) == 1][:k]
    sizes: Counter[int] = Counter()
    for vector in vectors[1:]:
        dots = (sum(a * b for a, b in zip(vector, p, strict=True)) for p in points)
        sizes[sum(dot % q == 0 for dot in dots)] += 1
    return _Sizes(k, tuple(sorted((size, times // (q - 1)) for size, times in sizes.items())))


def _columns(k: int, rows: range, signs: int) -> _Sizes:
    """Sizes of the blocks that these rows of Sylvester's matrix make, by columns and signs."""
    order = 1 << rows[-1].bit_length()
    sizes: Counter[int] = Counter()
    for column in range(order):
        positive = sum((row & column).bit_count() % 2 == 0 for row in rows)
        sizes.update((positive, k - positive)[:signs])
    return _Sizes(k, tuple(sorted(sizes.items())))


IDENTITIES: Rules[Any] = Rules("identities")


@IDENTITIES.rule((Kind.CLASS_COUNTS,), (TableForm.DESIGN,))
def identities(mechanism: Mechanism, points: Iterable[Mapping[Any, Any]]) -> CountedBlocks | None:
    """Compare the stated b, r and lambda with the sizes of the blocks.

    Args:
        mechanism: the mechanism.
        points: values of `mechanism.variables`; what the sizes determine may be left out.

    Returns:
        None where nothing can be counted: another form, too large everywhere, or no structure and
        no reason why none can exist.
    """
    form = mechanism.algebraic_table
    if not isinstance(form, Design):
        return None
    if form.structure is None:
        return _impossible(form, points)
    looked: dict[tuple[Any, ...], None] = {}
    for point in points:
        at = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
        found = _sizes(form.structure, at)
        if found is None:
            continue
        blocks = found.total(lambda _: 1)
        if form.structure.determined is not None and form.structure.determined.is_Symbol:
            at[form.structure.determined] = _number(form.structure, blocks, at)
        witness = _wrong(form, found, blocks, at)
        looked[(found.values, blocks)] = None
        if witness is not None:
            return CountedBlocks(False, _describe(looked), witness)
    return CountedBlocks(True, _describe(looked), None) if looked else None


def _impossible(form: Design, points: Iterable[Mapping[Any, Any]]) -> CountedBlocks | None:
    """A refutation where no blocks can have the stated counts; they prove nothing otherwise."""
    for point in points:
        at = {s: sympy.Rational(v.numerator, v.denominator) for s, v in point.items()}
        witness = impossible(form, at)
        if witness is not None:
            return CountedBlocks(False, "", witness)
    return None


def _number(structure: Any, blocks: int, at: Mapping[Any, Any]) -> Any:
    """Return the symbol's value that follows from the number of blocks."""
    if isinstance(structure, HashBlocks):
        return sympy.Rational(blocks, int(structure.buckets.subs(at)))
    if isinstance(structure, LinearBlocks):
        return sympy.Rational(blocks, int(structure.prime.subs(at)))
    if isinstance(structure, HashedSigns):
        return sympy.Rational(blocks, 2 * int(structure.buckets.subs(at)))
    if isinstance(structure, Hyperplanes):
        return blocks * (int(structure.prime.subs(at)) - 1) + 1
    return sympy.Rational(blocks, 2 if isinstance(structure, HadamardSigns) else 1)


def _wrong(form: Design, found: _Sizes, blocks: int, at: Mapping[Any, Any]) -> Witness | None:
    """The first of the three identities that fails."""
    k = found.values
    for name, stated, factor, counted, what in (
        ("blocks", form.blocks, 1, blocks, "blocks"),
        ("containing", form.containing, k, found.total(lambda s: s), "members of blocks in all"),
        (
            "together",
            form.together,
            k * (k - 1),
            found.total(lambda s: s * (s - 1)),
            "ordered pairs in blocks in all",
        ),
    ):
        said = stated.subs(at) * factor
        if sympy.cancel(said - counted) != 0:
            return Witness(
                {symbol.name: str(value) for symbol, value in at.items()},
                {name: str(stated.subs(at)), "stated": str(said), "counted": str(counted)},
                f"{counted} {what}, but {name} = {stated.subs(at)} makes it {said}",
            )
    return None


def _describe(looked: Iterable[tuple[Any, ...]]) -> str:
    """The sizes in words."""
    sizes = sorted(looked)
    ks = sorted({k for k, _ in sizes})
    of = str(ks[0]) if len(ks) == 1 else f"{ks[0]}..{ks[-1]}"
    return f"block sizes of {len(sizes)} structures over {of} values"
