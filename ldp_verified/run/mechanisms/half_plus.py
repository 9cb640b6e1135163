# Command: ldp-verified generate half_plus
# Input: spec/half_plus.py
# sha256 of the input: 6331fe9aa036ac207df047db64fc84de7f9631398eafe533538f40464c53a1ed
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""A sign kept with probability 1/2 + gamma: generated from spec/half_plus.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

from ldp_verified.run.realize import (
    Categories,
    MatrixRandomizer,
    Number,
    RationalParameter,
    at_epsilon,
)


@dataclass(frozen=True, repr=False)
class HalfPlus(MatrixRandomizer):
    """A sign kept with probability 1/2 + gamma.

    Args:
        gamma: a parameter of the table, with 0 < gamma < 1/2.
        categories: the labels of the values, in order; None for the table's own, -1, 1.

    Table, with 0 < gamma < 1/2:

        truth = gamma + 1/2: the probability that the report is the value
        lie   = 1/2 - gamma: the probability that the report is another one, for each of them

    Support: p* = truth, q* = lie. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n ((1 - 2*gamma)*(2*gamma + 1)/(16*gamma^2)).

    `epsilon` is the least double not below ln((2*gamma + 1)/(1 - 2*gamma)).

    Rests on what `ldp-verified verify half_plus` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/half_plus.json). Cells are rounded to integer thresholds, so it is the
    proofs for free cells that hold for estimates and variances of the running code. Thresholds and
    the layout of reports: `MatrixRandomizer`.
    """

    gamma: float | Fraction
    categories: Categories | None = None
    epsilon: float = field(init=False)
    k: int = field(default=2, init=False)

    own_labels: ClassVar[tuple[str | int, ...] | None] = (-1, 1)
    name: ClassVar[str] = "half_plus"
    law_sha256: ClassVar[str] = "1e768dcbeaaeb407f805a9da72e82fd1d603394fce11f00035593bbee277eaec"
    exponent: ClassVar[str | None] = None
    parameters: ClassVar[tuple[RationalParameter, ...]] = (
        RationalParameter(
            "gamma", "0 < gamma < 1/2", lambda own: 0 < own["gamma"] < Fraction(1, 2)
        ),
    )

    @staticmethod
    def cells(gamma: Number) -> tuple[Number, Number]:
        """(truth, lie) at gamma."""
        return (1 + 2 * gamma) / 2, (1 - 2 * gamma) / 2

    @staticmethod
    def support(truth: Number, lie: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return truth, lie

    @staticmethod
    def worst_ratio(truth: Number, lie: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return truth / lie

    @staticmethod
    def gamma_at(u: Number) -> Number:
        """gamma where the largest P(y|x)/P(y|x') is u."""
        return (u - 1) / (2 + 2 * u)

    @classmethod
    def for_epsilon(cls, epsilon: float, *, categories: Categories | None = None) -> Self:
        """Make a mechanism whose epsilon is just below the wanted one, never above it.

        `gamma` is a fraction, rounded towards more noise. Its formula is what
        `ldp-verified verify` shows as `at_epsilon`.

        Raises:
            ParameterError: an argument is outside its domain, or leaves no room for epsilon.
        """
        return at_epsilon(cls, epsilon, "gamma", cls.gamma_at, (), {"categories": categories})
