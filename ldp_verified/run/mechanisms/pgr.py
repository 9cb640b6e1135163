# Command: ldp-verified generate pgr
# Input: spec/pgr.py
# sha256 of the input: dfc6e7fa708fa8e6ffc53f6f07d8b6bf91b5efc042f5151a089c88c92b83c069
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Projective geometry response: generated from spec/pgr.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, PointRandomizer


@dataclass(frozen=True, repr=False)
class PGR(PointRandomizer):
    """Projective geometry response.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        prime: the order of the field; None for the prime of least variance.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u*(Q - q)/(Q*q + Q*u - Q - q*u):
            the probability that the point is orthogonal to that of the value
        outside = (Q - q)/(Q*q + Q*u - Q - q*u):
            the probability that it is not, times (vectors/prime - 1)/(vectors - vectors/prime)

    Support: p* = inside, q* = (-Q*q*outside - Q*inside + Q*outside + q^2*inside)/(q*(-Q + q)). With
    c of n reports supporting a value, its count is estimated by (c - n q*)/(p* - q*). If a share f
    of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n ((q + u - 1)*(Q*q +
    Q*u - Q - q^2*u)/(Q*(q - 1)*(u - 1)^2) + f ((Q*q^2 - 2*Q*q - Q*u + Q + q^2*u)/(Q*(q - 1)*(u -
    1)))).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify pgr` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/pgr.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `PointRandomizer`.
    """

    epsilon: float
    k: int
    prime: int | None = None
    categories: Categories | None = None

    name: ClassVar[str] = "pgr"
    law_sha256: ClassVar[str] = "bb8dae1bf823f5e4b4d67e29314d9c04c3c511b988b8b4e970d90f3caaa459a5"

    @staticmethod
    def cells(t: Number, prime: Number, vectors: Number) -> tuple[Number, Number]:
        """(inside, outside) at t = e^-epsilon."""
        total = vectors - prime + vectors * (prime - 1) * t
        return (vectors - prime) / total, t * (vectors - prime) / total

    @staticmethod
    def support(
        inside: Number, outside: Number, prime: Number, vectors: Number
    ) -> tuple[Number, Number]:
        """(p*, q*)."""
        return (
            inside,
            ((vectors - prime**2) * inside + vectors * (prime - 1) * outside)
            / (prime * (vectors - prime)),
        )

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
