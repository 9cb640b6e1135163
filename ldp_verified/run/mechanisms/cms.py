# Command: ldp-verified generate cms
# Input: spec/cms.py
# sha256 of the input: 0cfdacfd6b4afea20e094f62d8e4469577d9b7e7c65f3d55453c774bee3d2e43
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Count mean sketch: generated from spec/cms.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import BitSketchRandomizer, Categories, Number


@dataclass(frozen=True, repr=False)
class CMS(BitSketchRandomizer):
    """Count mean sketch.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        buckets: how many buckets the values are put into.
        rows: how many hash functions are drawn, once for all users; None for one for each
            report.
        seed: from which the hash functions are drawn; public.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with s = e^(epsilon/2):

        one  = s/(s + 1): the probability that the bit of the value's bucket is 1
        zero = 1/(s + 1): the probability that any other bit is 1

    Support: p* = one, q* = (buckets*zero + one - zero)/buckets. With c of n reports supporting a
    value, its count is estimated by (c - n q*)/(p* - q*). If a share f of the users holds it, the
    variance of that is n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((buckets + s - 1)*(buckets*s - s + 1)/((buckets - 1)^2*(s - 1)^2) + f (-1/(buckets - 1))).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify cms` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/cms.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `BitSketchRandomizer`.
    """

    epsilon: float
    k: int
    buckets: int
    rows: int | None = None
    seed: int = 0
    categories: Categories | None = None

    name: ClassVar[str] = "cms"
    law_sha256: ClassVar[str] = "15d09fffe33d6a596fde7015aaa207c3ed422fc318917ee5d741e8971bceb44e"
    root: ClassVar[int] = 2

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(one, zero) at t = e^(-epsilon/2)."""
        total = 1 + t
        return 1 / total, t / total

    @staticmethod
    def support(one: Number, zero: Number, buckets: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, (one + (buckets - 1) * zero) / buckets

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return one * (1 - zero) / (zero * (1 - one))
