# Command: ldp-verified generate histogram_rr
# Input: spec/histogram_rr.py
# sha256 of the input: 1e6bd9c3ee36ec02f4e4624ae06b5249de254d9068a398317e7c72f26fc364d2
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Histogram by randomized response: generated from spec/histogram_rr.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, OneHotRandomizer


@dataclass(frozen=True, repr=False)
class HistogramRR(OneHotRandomizer):
    """Histogram by randomized response.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^(epsilon/2):

        one  = u/(u + 1): the probability that the value's own bit is 1
        zero = 1/(u + 1): the probability that any other bit is 1

    Support: p* = one, q* = zero. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n (u/(u - 1)^2).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify histogram_rr` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, unbiased, variance, same_table; unbiased and variance for free cells (certificate:
    proofs/certificates/histogram_rr.json). Cells are rounded to integer thresholds, so it is the
    proofs for free cells that hold for estimates and variances of the running code. Thresholds and
    the layout of reports: `OneHotRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None

    name: ClassVar[str] = "histogram_rr"
    law_sha256: ClassVar[str] = "c09595d09c2fb6769f2bdcc824bcdf2e360ab9bcf0bb4094b8b51941a47071c5"
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
