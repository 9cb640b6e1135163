"""A size that a mechanism may choose, such as OLH's g: the best one at f = 0 for eps and k.

What `derive` has an optimum for is set to the better of the two integers around it. For subsets the
integer of least variance is searched for, which rests on the variance having one minimum. Every
prime up to a little beyond e^eps is tried. The server's memory is not considered.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.language import Design, Hyperplanes, Subsets

if TYPE_CHECKING:
    from ldp_verified.derive import Facts

MOST = 1 << 16
"""The bound below which primes are tried: no class has more buckets."""

Sizes = Callable[[float, float], tuple[float, ...]]
"""(e^(eps/root), k) -> values of the symbols, in their order."""

Variance = Callable[..., float]
"""(e^(eps/root), k, *sizes) -> variance at f = 0."""


def best_sizes(facts: Facts, symbols: list[Any], at_zero: Variance) -> Sizes | None:
    """Return the function that chooses the symbols; None where it is not known how.

    Args:
        facts: of the mechanism.
        symbols: what its variance depends on, besides eps and k.
        at_zero: the variance at f = 0.
    """
    if not symbols:
        return _none
    mechanism = facts.mechanism
    structure = mechanism.table.structure if isinstance(mechanism.table, Design) else None
    names = [symbol.name for symbol in symbols]
    if isinstance(structure, Subsets) and names == [str(structure.size)]:
        return lambda level, k: (_lowest(lambda size: at_zero(level, k, size), math.ceil(k) - 1),)
    if isinstance(structure, Hyperplanes):
        if names != sorted([str(structure.prime), str(structure.vectors)]):
            return None
        first = names[0] == str(structure.prime)

        def plane(level: float, k: float) -> tuple[float, ...]:
            found = [(float(q), float(_vectors(k, q))) for q in _primes(level)]
            pairs = [pair if first else pair[::-1] for pair in found]
            return min(pairs, key=lambda pair: at_zero(level, k, *pair))

        return plane
    if any(s not in facts.optimal_parameters or not s.domain.integer for s in symbols):
        return None
    return _around(facts, symbols, at_zero)


def _none(level: float, k: float) -> tuple[float, ...]:
    """Choose nothing, for a mechanism without such symbols."""
    del level, k
    return ()


def _around(facts: Facts, symbols: list[Any], at_zero: Variance) -> Sizes:
    """The best of the integers next to the derived optima."""
    mechanism = facts.mechanism
    u = mechanism.generator.symbol
    k = next(p for p in mechanism.parameters if p.name == "k")
    best = [sympy.lambdify([u, k], facts.optimal_parameters[s], "math") for s in symbols]

    def near(level: float, size: float) -> tuple[float, ...]:
        choices: list[tuple[float, ...]] = [()]
        for symbol, found in zip(symbols, best, strict=True):
            real = found(level, size)
            both = [float(math.floor(real)), float(math.ceil(real))]
            given = {k: sympy.Float(size), u: sympy.Float(level)}
            inside = [x for x in both if symbol.domain.contains(sympy.Integer(int(x)), given)]
            choices = [(*c, x) for c in choices for x in inside or both[:1]]
        return min(choices, key=lambda choice: at_zero(level, size, *choice))

    return near


def _lowest(value: Callable[[float], float], last: int) -> float:
    """The integer in 1..last of least value, where values fall, then rise."""
    low, high = 1, max(1, last)
    while low < high:
        middle = (low + high) // 2
        if value(middle + 1) < value(middle):
            low = middle + 1
        else:
            high = middle
    return float(low)


@cache
def _all_primes() -> tuple[int, ...]:
    return tuple(sympy.primerange(2, MOST))


def _primes(level: float) -> tuple[int, ...]:
    """Return the primes up to 2 e^eps + 8; the best one is near e^eps + 1."""
    return (
        tuple(q for q in _all_primes() if q <= 2 * (level + 4)) if level < MOST else _all_primes()
    )


def _vectors(k: float, prime: int) -> int:
    """q^t with the least t >= 2 for which there are k points."""
    vectors = prime * prime
    while (vectors - 1) // (prime - 1) < k:
        vectors *= prime
    return vectors
