# Command: ldp-verified generate subset_selection
# Input: spec/subset_selection.py
# sha256 of the input: 5cb638895607f7d2dd041760031b28e1626c56c1c24abcf4c894a8faae7a956b
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Subset selection: generated from spec/subset_selection.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, SubsetRandomizer


@dataclass(frozen=True, repr=False)
class SubsetSelection(SubsetRandomizer):
    """Subset selection.

    Args:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are.
        omega: how many values a report names; None for the number of least variance.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with u = e^epsilon:

        inside  = omega*u/(k + omega*u - omega): the probability that the report holds the value
        outside = omega/(k + omega*u - omega):
            the probability that it does not, times omega/(k - omega)

    Support: p* = inside, q* = (k*outside + omega*inside - omega*outside - inside)/(k - 1). With c
    of n reports supporting a value, its count is estimated by (c - n q*)/(p* - q*). If a share f of
    the users holds it, the variance of that is n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2;
    for the table above, n ((k + omega*u - omega - 1)*(k + omega*u - omega - u)/(omega*(k -
    omega)*(u - 1)^2) + f (-(-k^2 + 2*k*omega + k + omega^2*u - omega^2 - omega*u - omega)/(omega*(k
    - omega)*(u - 1)))).

    The largest ratio P(y|x)/P(y|x') of the table above is e^epsilon.

    Rests on what `ldp-verified verify subset_selection` shows: nonnegative, sums_to_one,
    equal_support, ratio, tight, unbiased, variance, holds; unbiased and variance for free cells
    (certificate: proofs/certificates/subset_selection.json). Cells are rounded to integer
    thresholds, so it is the proofs for free cells that hold for estimates and variances of the
    running code. Thresholds and the layout of reports: `SubsetRandomizer`.
    """

    epsilon: float
    k: int
    omega: int | None = None
    categories: Categories | None = None

    name: ClassVar[str] = "subset_selection"
    law_sha256: ClassVar[str] = "11ee33bf0aac5e417814474e644a7dead2a767d3fa4a66ee02f79d486e6a0306"

    @staticmethod
    def cells(t: Number, k: Number, omega: Number) -> tuple[Number, Number]:
        """(inside, outside) at t = e^-epsilon."""
        total = omega + (k - omega) * t
        return omega / total, t * omega / total

    @staticmethod
    def support(inside: Number, outside: Number, k: Number, omega: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return inside, ((omega - 1) * inside + (k - omega) * outside) / (k - 1)

    @staticmethod
    def worst_ratio(inside: Number, outside: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return inside / outside
