# Command: ldp-verified generate sue
# Input: spec/sue.py
# sha256 of the input: 20b18e627ddc4f8fa3a5f0b54fc63603e245007ecb86cf5468791dbccc5341ce
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Symmetric unary encoding: generated from spec/sue.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, OneHotRandomizer


@dataclass(frozen=True, repr=False)
class SUE(OneHotRandomizer):
    """Symmetric unary encoding.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with s = e^(epsilon/2):

        one  = s/(s + 1): the probability that the value's own bit is 1
        zero = 1/(s + 1): the probability that any other bit is 1

    Support: p* = one, q* = zero. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n (s/(s - 1)^2).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify sue` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/sue.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `OneHotRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "sue"
    law_sha256: ClassVar[str] = "1cbea12422a7b34d8075e586292c042ede1779b5f3a19f090251bd14ff0df6e4"
    root: ClassVar[int] = 2

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(one, zero) at t = e^(-epsilon/2)."""
        total = 1 + t
        return 1 / total, t / total

    @staticmethod
    def support(one: Number, zero: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, zero

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return one * (1 - zero) / (zero * (1 - one))
