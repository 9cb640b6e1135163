"""How the planted samplers are put together, and the parameters they are shown at."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ldp_verified.run.kernels.bits import one_hot_sampler
from ldp_verified.run.kernels.categorical import categorical_sampler
from ldp_verified.run.kernels.grr import grr_sampler, grr_wide_sampler
from ldp_verified.run.kernels.hashing import local_hash_sampler
from tests.broken import kernels, laws
from tests.conformance import tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.kernels.draw import Sampler

# Examples of the parameters at a width: e^eps = 2.718, thresholds rounded as they should be.

U = Fraction(2718, 1000)


def ceiling(cell: Fraction, width: int) -> int:
    """The threshold of a probability, rounded up."""
    scale: int = 2**width
    return math.ceil(cell * scale)


def matrix_example(width: int) -> dict[str, Any]:
    lie = ceiling(1 / (U + 1), width)
    return {"thresholds": ((2**width - lie,), (lie,))}


def singletons_example(width: int) -> dict[str, Any]:
    return {"k": 5, "lie": ceiling(1 / (U + 4), width)}


def wide_example(width: int) -> dict[str, Any]:
    return {"k": 5, "mix": ceiling(5 / (U + 4), width)}


def bits_example(width: int) -> dict[str, Any]:
    return {"k": 5, "one": 2 ** (width - 1), "zero": ceiling(1 / (U + 1), width)}


def hash_example(width: int) -> dict[str, Any]:
    return {"k": 5, "g": 3, "lie": ceiling(1 / (U + 2), width)}


def composite_hash_example(width: int) -> dict[str, Any]:
    return {"k": 4, "g": 4, "lie": ceiling(1 / (U + 3), width)}


# Flaws that the right kernels show when they are given the wrong constants.

Cuts = tuple[tuple[int], tuple[int]]


def one_word_more(thresholds: Cuts, width: int) -> Cuts:
    (first,), (second,) = thresholds
    return (min(first + 1, 2**width),), (min(second + 1, 2**width),)


def lies_rounded_down(thresholds: Cuts, width: int) -> Cuts:
    (first,), (second,) = thresholds
    return (min(first + 1, 2**width),), (second - 1,)


def zero_never_flips(thresholds: Cuts, width: int) -> Cuts:
    return (2**width,), thresholds[1]


def matrix(change: Callable[[Cuts, int], Cuts]) -> dict[str, Callable[..., Any]]:
    return {
        "sampler": lambda thresholds, width: categorical_sampler(change(thresholds, width), width),
        "table": lambda x, thresholds, width: tables.matrix(x, change(thresholds, width), width),
        "example": matrix_example,
    }


def moved(form: str, right: Callable[..., Sampler], name: str, by: int) -> dict[str, Any]:
    """The right kernel with one threshold moved."""

    def move(parameters: dict[str, Any]) -> dict[str, Any]:
        return parameters | {name: parameters[name] + by}

    return {
        "sampler": lambda **parameters: right(**move(parameters)),
        "table": lambda x, **parameters: tables.FORMS[form](x, **move(parameters)),
    }


# Flaws with a kernel of their own.


def careless_grr(flaw: int) -> Callable[..., Sampler]:
    def sampler(k: int, lie: int, width: int) -> Sampler:
        cuts = (lie, k * lie - 1, min(k * lie, 2**width - 1))
        right = grr_sampler(k, lie, width)
        return replace(right, fill=kernels.careless_grr, cuts=cuts, sizes=(flaw, k))

    return sampler


def careless_wide(flaw: int) -> Callable[..., Sampler]:
    def sampler(k: int, mix: int, width: int) -> Sampler:
        right = grr_wide_sampler(k, mix, width)
        cuts = (mix, 2**width // k, k)
        return replace(right, fill=kernels.careless_wide, cuts=cuts, sizes=(flaw, k))

    return sampler


def careless_bits(flaw: int) -> Callable[..., Sampler]:
    def sampler(k: int, one: int, zero: int, width: int, lanes: int = 64) -> Sampler:
        right = one_hot_sampler(k, one, zero, width, lanes)
        return replace(
            right,
            fill=kernels.careless_bits,
            table=b"",
            cuts=(one, zero, 1),
            sizes=(flaw, k, lanes, right.columns),
            word_bits=width,
            words_per_value=k + 1,
            least_words=k + 1,
        )

    return sampler


def padded_bits(k: int, one: int, zero: int, width: int, lanes: int = 64) -> Sampler:
    right = one_hot_sampler(-(-k // lanes) * lanes, one, zero, width, lanes)
    return replace(right, inputs=k)


def reversed_bits(k: int, one: int, zero: int, width: int, lanes: int = 64) -> Sampler:
    return one_hot_sampler(k, one, laws.reverse(zero, width), width, lanes)


def careless_hash(flaw: int) -> Callable[..., Sampler]:
    def sampler(k: int, g: int, lie: int, width: int) -> Sampler:
        right = local_hash_sampler(k, g, lie, width)
        digits = right.columns - 1
        share = 2**width // g
        base = g if flaw == kernels.WRONG_BASE else tables.smallest_prime_factor(g)
        return replace(
            right,
            fill=kernels.careless_hash,
            cuts=(lie, g * lie - 1, share, g * share - 1, g, min(g * lie, 2**width - 1)),
            sizes=(flaw, base, g, digits),
            words_per_value=digits + 1,
            least_words=digits,
        )

    return sampler
