"""The law of a mechanism's reports, one by one, from the cells of its realized table."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified import GRR, HRR, OUE, SUE, BinaryRR, HadamardResponse, Warner
from ldp_verified.run.kernels.family import digit_count, evaluate

if TYPE_CHECKING:
    Law = dict[tuple[int, ...], Fraction]


def law_of_cells(made: Any, realization: Any, value: int) -> Law:
    """The probability of each report on a value.

    Unary encodings have as many lanes as a word has bits.
    """
    p, q, k = realization.p, realization.q, made.k
    if isinstance(made, GRR | BinaryRR | Warner):
        return {(y,): p if y == value else q for y in range(k)}
    if isinstance(made, HadamardResponse | HRR):
        held = made.layout.holds(np.arange(made.layout.counters, dtype=np.uint64), value)
        return {(y,): (p if each else q) / made.containing for y, each in enumerate(held)}
    if isinstance(made, OUE | SUE):
        lanes = realization.width
        blocks = range(0, k, lanes)
        return {
            tuple(y >> first & ((1 << lanes) - 1) for first in blocks): _bits(y, value, k, p, q)
            for y in range(1 << k)
        }
    g = made.buckets
    digits = digit_count(k, g)
    table = {}
    for function in itertools.product(range(g), repeat=digits):
        bucket = int(evaluate(np.array(function), np.array(value), g))
        for y in range(g):
            table[(*function, y)] = (p if y == bucket else q) / g**digits
    return table


def _bits(report: int, value: int, k: int, p: Fraction, q: Fraction) -> Fraction:
    mass = Fraction(1)
    for v in range(k):
        one = p if v == value else q
        mass *= one if report >> v & 1 else 1 - one
    return mass
