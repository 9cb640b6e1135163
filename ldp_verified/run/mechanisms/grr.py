# Command: ldp-verified generate grr
# Input: spec/grr.py
# sha256 of the input: dc80049430f453698f072d8614425439f3c0ff0030753d91cbf63940c466919a
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""k-ary randomized response: generated from spec/grr.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, SingletonRandomizer


@dataclass(frozen=True, repr=False)
class GRR(SingletonRandomizer):
    """k-ary randomized response.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u/(k + u - 1): the probability that the report is the value
        outside = 1/(k + u - 1): the probability that the report is another one, for each of them

    Support: p* = inside, q* = outside. With c of n reports supporting a value, its count is
    estimated by (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((k + u - 2)/(u - 1)^2 + f ((k - 2)/(u - 1))).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify grr` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance, better; unbiased and variance for free cells (certificate:
    proofs/certificates/grr.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `SingletonRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "grr"
    law_sha256: ClassVar[str] = "8d91685fea43d0b098e6a6afb5b47632120253b129ca3f98b52d7f7a276c7977"

    @staticmethod
    def cells(t: Number, k: Number) -> tuple[Number, Number]:
        """(inside, outside) at t = e^-epsilon."""
        total = 1 + (k - 1) * t
        return 1 / total, t / total

    @staticmethod
    def support(inside: Number, outside: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, outside

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
