# Command: ldp-verified generate hadamard_response
# Input: spec/hadamard_response.py
# sha256 of the input: 053d0b22024aa4013f58969c313b71dc06109b7a34ef518f5ba33a2da92304c3
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Hadamard response: generated from spec/hadamard_response.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, ColumnRandomizer, Number


@dataclass(frozen=True, repr=False)
class HadamardResponse(ColumnRandomizer):
    """Hadamard response.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u/(u + 1): the probability that the row of the value is +1 in the column
        outside = 1/(u + 1): the probability that it is -1 there

    Support: p* = inside, q* = (inside + outside)/2. With c of n reports supporting a value, its
    count is estimated by (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of
    that is n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((u + 1)^2/(u - 1)^2 - f).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify hadamard_response` shows: nonnegative, sums_to_one,
    equal_support, ratio, tight, unbiased, variance; unbiased and variance for free cells
    (certificate: proofs/certificates/hadamard_response.json). Cells are rounded to integer
    thresholds, so it is the proofs for free cells that hold for estimates and variances of the
    running code. Thresholds and the layout of reports: `ColumnRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "hadamard_response"
    law_sha256: ClassVar[str] = "64207161d27d3a0dc3b2db13f73950818bcb350824c7b35743172d9902a05504"

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
