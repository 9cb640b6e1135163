# Command: ldp-verified generate two_coins
# Input: spec/two_coins.py
# sha256 of the input: a7459b7fe975db4163f3bf2ed5a5176cc6942d105586839e2859653ee96a13eb
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Two coins: generated from spec/two_coins.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

from ldp_verified.run.realize import (
    Categories,
    MatrixRandomizer,
    Number,
    RationalParameter,
    TableRandomizer,
    at_epsilon,
    rational,
)


@dataclass(frozen=True, repr=False)
class TwoCoins(TableRandomizer):
    """Two coins.

    Args:
        heads: a parameter of the table, with 0 < heads < 1.
        yes: a parameter of the table, with 0 < yes <= 1/2.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with 0 < heads < 1 and 0 < yes <= 1/2:

        c0 = heads*yes - yes + 1
        c1 = yes*(1 - heads)
        c2 = (1 - heads)*(1 - yes)
        c3 = -heads*yes + heads + yes

    P(y|x) is the cell whose index is `pattern[x][y]`. Counts are estimated by a left inverse of the
    realized table, `weights`, applied to how often each output came.

    `epsilon` is the least double not below ln((-heads*yes + heads + yes)/(yes*(1 - heads))).

    Rests on what `ldp-verified verify two_coins` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, unbiased (certificate: proofs/certificates/two_coins.json). Cells are rounded to
    integer thresholds, and the estimator is that of the rounded table. Thresholds and the layout of
    reports: `TableRandomizer`.
    """

    heads: float | Fraction
    yes: float | Fraction
    categories: Categories | None = None
    epsilon: float = field(init=False)
    k: int = field(default=2, init=False)

    name: ClassVar[str] = "two_coins"
    law_sha256: ClassVar[str] = "fa752a35c307b3ad859ff9d747088c0566ea5eadd241bf63cc089ac826a6a361"
    exponent: ClassVar[str | None] = None
    parameters: ClassVar[tuple[RationalParameter, ...]] = (
        RationalParameter("heads", "0 < heads < 1", lambda own: 0 < own["heads"] < 1),
        RationalParameter("yes", "0 < yes <= 1/2", lambda own: 0 < own["yes"] <= Fraction(1, 2)),
    )
    pattern: ClassVar[tuple[tuple[int, ...], ...]] = (
        (0, 1),
        (2, 3),
    )

    @staticmethod
    def cells(heads: Number, yes: Number) -> tuple[Number, ...]:
        """The distinct probabilities at heads, yes."""
        return (
            1 + heads * yes - yes,
            yes * (1 - heads),
            (1 - heads) * (1 - yes),
            heads + yes - heads * yes,
        )

    @staticmethod
    def heads_at(u: Number, yes: Number) -> Number:
        """heads where the largest P(y|x)/P(y|x') is u."""
        return yes * (u - 1) / (1 + u * yes - yes)

    @classmethod
    def for_epsilon(
        cls, epsilon: float, *, yes: float | Fraction, categories: Categories | None = None
    ) -> Self:
        """Make a mechanism whose epsilon is just below the wanted one, never above it.

        `heads` is a fraction, rounded towards more noise. Its formula is what
        `ldp-verified verify` shows as `at_epsilon`.

        Raises:
            ParameterError: an argument is outside its domain, or leaves no room for epsilon.
        """
        return at_epsilon(
            cls, epsilon, "heads", cls.heads_at, ("yes",), {"yes": yes, "categories": categories}
        )


@dataclass(frozen=True, repr=False)
class FairCoins(MatrixRandomizer):
    """Two fair coins.

    Args:
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table:

        truth = 3/4: the probability that the report is the value
        lie   = 1/4: the probability that the report is another one, for each of them

    Support: p* = truth, q* = lie. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n (3/4).

    `epsilon` is the least double not below ln(3).

    Rests on what `ldp-verified verify two_coins` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, unbiased, variance, same_table; unbiased and variance for free cells (certificate:
    proofs/certificates/fair_coins.json). Cells are rounded to integer thresholds, so it is the
    proofs for free cells that hold for estimates and variances of the running code. Thresholds and
    the layout of reports: `MatrixRandomizer`.
    """

    categories: Categories | None = None
    epsilon: float = field(init=False)
    k: int = field(default=2, init=False)

    name: ClassVar[str] = "fair_coins"
    law_sha256: ClassVar[str] = "b07bed9ec5b83ec4c99e2503ed3beaf7cd32e3c6d7c6575caa584466c0b3d4a4"
    exponent: ClassVar[str | None] = None

    @staticmethod
    def cells(t: Number) -> tuple[Number, Number]:
        """(truth, lie)."""
        return rational(3, 4, t), rational(1, 4, t)

    @staticmethod
    def support(truth: Number, lie: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return truth, lie

    @staticmethod
    def worst_ratio(truth: Number, lie: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return truth / lie
