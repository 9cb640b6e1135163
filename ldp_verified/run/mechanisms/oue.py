# Command: ldp-verified generate oue
# Input: spec/oue.py
# sha256 of the input: 4233030e6b210ea980beda4f8a42449910678e51ccf53659d47794880c7bb40a
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Optimized unary encoding: generated from spec/oue.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, OneHotRandomizer, rational


@dataclass(frozen=True, repr=False)
class OUE(OneHotRandomizer):
    """Optimized unary encoding.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        one  = 1/2: the probability that the value's own bit is 1
        zero = 1/(u + 1): the probability that any other bit is 1

    Support: p* = one, q* = zero. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n (4*u/(u - 1)^2 + f).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify oue` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance, optimal; unbiased and variance for free cells (certificate:
    proofs/certificates/oue.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `OneHotRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "oue"
    law_sha256: ClassVar[str] = "7f1e91ee79bff870d9c9e9caf92e7013bba07f272934d2334bc3fe37c7f5f377"

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(one, zero) at t = e^-epsilon."""
        return rational(1, 2, t), t / (1 + t)

    @staticmethod
    def support(one: Number, zero: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, zero

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return one * (1 - zero) / (zero * (1 - one))
