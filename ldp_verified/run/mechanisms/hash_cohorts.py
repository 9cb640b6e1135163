# Command: ldp-verified generate hash_cohorts
# Input: spec/hash_cohorts.py
# sha256 of the input: 5a5480b21801489211233adadd6c23a353669af9589e88f5608a4da8e0658e7b
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Local hashing in cohorts: generated from spec/hash_cohorts.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, CohortRandomizer, Number


@dataclass(frozen=True, repr=False)
class HashCohorts(CohortRandomizer):
    """Local hashing in cohorts.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        g: how many buckets a hash function has; None for the number of least variance.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u/(g + u - 1): the probability that the bucket is the value's
        outside = 1/(g + u - 1): the probability that the bucket is another one, for each of them

    Support: p* = inside, q* = (g*outside + inside - outside)/g. With c of n reports supporting a
    value, its count is estimated by (c - n q*)/(p* - q*). If a share f of the users holds it, the
    variance of that is n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((g + u - 1)^2/((g - 1)*(u - 1)^2) + f ((g^2 - 2*g - u + 1)/((g - 1)*(u - 1)))).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify hash_cohorts` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, unbiased, variance, optimal, same_table; unbiased and variance for free cells
    (certificate: proofs/certificates/hash_cohorts.json). Cells are rounded to integer thresholds,
    so it is the proofs for free cells that hold for estimates and variances of the running code.
    Thresholds and the layout of reports: `CohortRandomizer`.
    """

    epsilon: float
    k: int
    g: int | None = None
    categories: Categories | None = None

    name: ClassVar[str] = "hash_cohorts"
    law_sha256: ClassVar[str] = "cac27c51fad429898c352eea5611c52c38bdcf8649755fa56c62efde10573ebe"

    @staticmethod
    def cells(t: Number, g: Number) -> tuple[Number, Number]:
        """(inside, outside) at t = e^-epsilon."""
        total = 1 + (g - 1) * t
        return 1 / total, t / total

    @staticmethod
    def support(inside: Number, outside: Number, g: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, (inside + (g - 1) * outside) / g

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
