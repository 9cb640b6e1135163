# Command: ldp-verified generate olh
# Input: spec/olh.py
# sha256 of the input: e34607c04f6f92db73a67a7a92eb5639d70c11a7e676e9728baa04b1c8af7cd4
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Optimized local hashing: generated from spec/olh.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ldp_verified.run.realize import Categories, HashedRandomizer, Number


@dataclass(frozen=True, repr=False)
class OLH(HashedRandomizer):
    """Optimized local hashing.

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

    Rests on what `ldp-verified verify olh` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance, optimal; unbiased and variance for free cells (certificate:
    proofs/certificates/olh.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `HashedRandomizer`.
    """

    epsilon: float
    k: int
    g: int | None = None
    categories: Categories | None = None

    name: ClassVar[str] = "olh"
    law_sha256: ClassVar[str] = "5d89c6c59fc38d54e48abb93c3fa6e502687f57b89a1b3ecdcb505140643ac0c"

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


@dataclass(frozen=True, repr=False)
class BLH(HashedRandomizer):
    """Binary local hashing.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = u/(u + 1): the probability that the bucket is the value's
        outside = 1/(u + 1): the probability that the bucket is another one, for each of them

    Support: p* = inside, q* = (inside + outside)/2. With c of n reports supporting a value, its
    count is estimated by (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of
    that is n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((u + 1)^2/(u - 1)^2 - f).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify olh` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/blh.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `HashedRandomizer`.
    """

    epsilon: float
    k: int
    categories: Categories | None = None
    g: int = field(default=2, init=False)

    name: ClassVar[str] = "blh"
    law_sha256: ClassVar[str] = "58a7b36c6f08601f392879e20774e6fb140e6fa17af6a87d310d448cf34be845"

    @staticmethod
    def cells(t: Number, g: Number) -> tuple[Number, Number]:  # noqa: ARG004  constant in g
        """(inside, outside) at t = e^-epsilon."""
        total = 1 + t
        return 1 / total, t / total

    @staticmethod
    def support(inside: Number, outside: Number, g: Number) -> tuple[Number, Number]:  # noqa: ARG004  constant in g
        """(p*, q*)."""
        return inside, (inside + outside) / 2

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
