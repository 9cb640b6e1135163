# Command: ldp-verified generate binary_rr
# Input: spec/binary_rr.py
# sha256 of the input: a39e1817f0fc150e460e397c230feccd2ec0fcdf51244f7ab4260fa618794b55
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Binary randomized response: generated from spec/binary_rr.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ldp_verified.run.realize import Categories, MatrixRandomizer, Number


@dataclass(frozen=True, repr=False)
class BinaryRR(MatrixRandomizer):
    """Binary randomized response.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        categories: the labels of the values, in order; None for the table's own, -1, 1.

    Table, with u = e^epsilon:

        truth = u/(u + 1): the probability that the report is the value
        lie   = 1/(u + 1): the probability that the report is another one, for each of them

    Support: p* = truth, q* = lie. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n (u/(u - 1)^2).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify binary_rr` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/binary_rr.json). Cells are rounded to integer thresholds, so it is the
    proofs for free cells that hold for estimates and variances of the running code. Thresholds and
    the layout of reports: `MatrixRandomizer`.
    """

    epsilon: float
    categories: Categories | None = None
    k: int = field(default=2, init=False)

    own_labels: ClassVar[tuple[str | int, ...] | None] = (-1, 1)
    name: ClassVar[str] = "binary_rr"
    law_sha256: ClassVar[str] = "aff64fe3155bc4e4f40a02edcb7f8fae753e831c537e10839a6c34de8f11d3a5"

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(truth, lie) at t = e^-epsilon."""
        total = 1 + t
        return 1 / total, t / total

    @staticmethod
    def support(truth: Number, lie: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return truth, lie

    @staticmethod
    def worst_ratio(truth: Number, lie: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return truth / lie
