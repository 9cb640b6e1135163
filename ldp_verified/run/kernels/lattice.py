"""Sampling noise on the integers from a table of weights: half a word, rarely more, per value.

The weights add up to a power of two, so every probability is exact.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, SupportsIndex

from ldp_verified.errors import ParameterError
from ldp_verified.run.kernels.alias import alias_sampler
from ldp_verified.run.kernels.draw import HALF, Sampler, check_width

if TYPE_CHECKING:
    from collections.abc import Sequence


def lattice_sampler(
    m: int, weights: Sequence[SupportsIndex], bits: int = 128, width: int = HALF
) -> Sampler:
    """The input plus j, where P(j) = weights[j]/2^bits.

    Args:
        m: inputs are 0..m.
        weights: positive integers, two or more, that add up to 2^bits.
        bits: of the weights.
        width: bits of a word that are used.

    Raises:
        ParameterError: something is outside its range.
    """
    check_width(width)
    whole = [operator.index(weight) for weight in weights]
    if m < 0:
        raise ParameterError("m", "must be >= 0", m)
    if len(whole) < 2 or min(whole) <= 0 or sum(whole) != 1 << bits:
        rule = f"must be two or more, positive, and add up to 2^{bits}"
        raise ParameterError("weights", rule, whole[:8])
    return alias_sampler(m, whole, bits, width=width)
