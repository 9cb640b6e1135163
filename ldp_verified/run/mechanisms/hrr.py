# Command: ldp-verified generate hrr
# Input: spec/hrr.py
# sha256 of the input: 8ae3183bc7000a499f276d0ff197efba1535e8477e966c23ca9aecd8c195aedd
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""One-bit Hadamard randomized response: generated from spec/hrr.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, SignRandomizer


@dataclass(frozen=True, repr=False)
class HRR(SignRandomizer):
    """One-bit Hadamard randomized response.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u/(u + 1): the probability that the sign is that of the value in the column
        outside = 1/(u + 1): the probability that it is the other one

    Support: p* = inside, q* = (inside + outside)/2. With c of n reports supporting a value, its
    count is estimated by (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of
    that is n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((u + 1)^2/(u - 1)^2 - f).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify hrr` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance, same_table; unbiased and variance for free cells (certificate:
    proofs/certificates/hrr.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `SignRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "hrr"
    law_sha256: ClassVar[str] = "cee3ecb265f79360a09dea08a1da029493a12ada4a825a5619b23729e2674428"

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(inside, outside) at t = e^-epsilon."""
        total = 1 + t
        return 1 / total, t / total

    @staticmethod
    def support(inside: Number, outside: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, (inside + outside) / 2

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
