# Command: ldp-verified generate hcms
# Input: spec/hcms.py
# sha256 of the input: eb0c668ddfaaf1f9668f0544d6782db84f325655223bf9a70425f88325beecca
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Hadamard count mean sketch: generated from spec/hcms.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, SignSketchRandomizer


@dataclass(frozen=True, repr=False)
class HCMS(SignSketchRandomizer):
    """Hadamard count mean sketch.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        buckets: how many buckets the values are put into.
        rows: how many hash functions are drawn, once for all users; None for one for each
            report.
        seed: from which the hash functions are drawn; public.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u/(u + 1): the probability that the sign is that of the bucket in the row
        outside = 1/(u + 1): the probability that it is the other one

    Support: p* = inside, q* = (buckets*inside + buckets*outside + inside - outside)/(2*buckets).
    With c of n reports supporting a value, its count is estimated by (c - n q*)/(p* - q*). If a
    share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n ((buckets*u + buckets
    - u + 1)*(buckets*u + buckets + u - 1)/((buckets - 1)^2*(u - 1)^2) + f (-(buckets + 1)/(buckets
    - 1))).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify hcms` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/hcms.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `SignSketchRandomizer`.
    """

    epsilon: float
    k: int
    buckets: int
    rows: int | None = None
    seed: int = 0
    categories: Categories | None = None

    name: ClassVar[str] = "hcms"
    law_sha256: ClassVar[str] = "1c22946c82ea7271395f4799b0b74d8455b0fb005459751e2ec3455e9c222b2b"

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(inside, outside) at t = e^-epsilon."""
        total = 1 + t
        return 1 / total, t / total

    @staticmethod
    def support(inside: Number, outside: Number, buckets: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, ((buckets + 1) * inside + (buckets - 1) * outside) / (2 * buckets)

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
