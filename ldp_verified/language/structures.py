"""Concrete structures behind the class counts: what the outputs *are*.

So a table can be expanded and sampled. A structure states the combinatorial object; it computes
nothing. Counting (the pair table), expansion (enumeration) and sampling (the kernels) each read it
for themselves, so a wrong count cannot hide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ldp_verified.errors import SpecError
from ldp_verified.language.expressions import expression


@dataclass(frozen=True)
class Singletons:
    """k blocks; block y is {y}. Outputs are the values themselves.

    Attributes:
        values: k, the number of input values.
    """

    values: Any

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        object.__setattr__(self, "values", expression("values", self.values))

    def map(self, function: Callable[[Any], Any]) -> Singletons:
        """The structure with `function` applied to its expressions."""
        return Singletons(function(self.values))


@dataclass(frozen=True)
class HashBlocks:
    """Blocks (h, b) = {x : h(x) = b} of the linear digit family, exactly balanced for every g >= 2.

    Write x in base l, the smallest prime factor of g, with m = max(1, ceil(log_l k)) digits; h_a(x)
    = sum_i a_i digit_i(x) mod g for a in Z_g^m. Two different values differ in some digit by less
    than l, hence by a unit of Z_g, so h_a(x) - h_a(x') is uniform: the collision probability is
    exactly 1/g. The family has g^m functions.

    Attributes:
        values: k. buckets: g. functions: the symbol for the size of the family, g^m, which k and g
            determine.
    """

    values: Any
    buckets: Any
    functions: Any

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        object.__setattr__(self, "values", expression("values", self.values))
        object.__setattr__(self, "buckets", expression("buckets", self.buckets))
        object.__setattr__(self, "functions", expression("functions", self.functions))

    def map(self, function: Callable[[Any], Any]) -> HashBlocks:
        """The structure with `function` applied to its expressions."""
        return HashBlocks(function(self.values), function(self.buckets), function(self.functions))


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


@dataclass(frozen=True)
class OneHot:
    """Encoder of value x as k bits of which only bit x is 1.

    Attributes:
        values: k, the number of input values and of bits.
    """

    values: Any

    def __post_init__(self) -> None:
        """Sympify the numbers.

        Raises:
            SpecError: something that is no exact expression.
        """
        object.__setattr__(self, "values", expression("values", self.values))

    def map(self, function: Callable[[Any], Any]) -> OneHot:
        """The structure with `function` applied to its expressions."""
        return OneHot(function(self.values))


Structure = Singletons | HashBlocks | Blocks
