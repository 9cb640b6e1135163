# Command: ldp-verified generate ue
# Input: spec/ue.py
# sha256 of the input: 49af46276e4fe605dc76a9ee17bc95760dfa144700e075af3be5f0fb9726b091
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Unary encoding: generated from spec/ue.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Self

from ldp_verified.run.realize import (
    Categories,
    Number,
    OneHotRandomizer,
    RationalParameter,
    at_epsilon,
)


@dataclass(frozen=True, repr=False)
class UE(OneHotRandomizer):
    """Unary encoding.

    Args:
        zero: a parameter of the table, with 0 < zero < 1.
        one: a parameter of the table, with zero < one < 1.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with 0 < zero < 1 and zero < one < 1:

        one  = one: the probability that the value's own bit is 1
        zero = zero: the probability that any other bit is 1

    Support: p* = one, q* = zero. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above,
    n (zero*(1 - zero)/(one - zero)^2 + f (-(one + zero - 1)/(one - zero))).

    `epsilon` is the least double not below ln(one*(1 - zero)/(zero*(1 - one))).

    Rests on what `ldp-verified verify ue` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/ue.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `OneHotRandomizer`.
    """

    zero: float | Fraction
    one: float | Fraction
    k: int
    categories: Categories | None = None
    epsilon: float = field(init=False)

    name: ClassVar[str] = "ue"
    law_sha256: ClassVar[str] = "54048e7be2b32b66e4b5b28f30935499d4c6b09c552e16d7d8cfa36a596560d3"
    exponent: ClassVar[str | None] = None
    parameters: ClassVar[tuple[RationalParameter, ...]] = (
        RationalParameter("zero", "0 < zero < 1", lambda own: 0 < own["zero"] < 1),
        RationalParameter("one", "zero < one < 1", lambda own: own["zero"] < own["one"] < 1),
    )

    @staticmethod
    def cells(zero: Number, one: Number) -> tuple[Number, Number]:
        """(one, zero) at zero, one."""
        return one, zero

    @staticmethod
    def support(one: Number, zero: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, zero

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return one * (1 - zero) / (zero * (1 - one))

    @staticmethod
    def zero_at(u: Number, one: Number) -> Number:
        """zero where the largest P(y|x)/P(y|x') is u."""
        return one / (u + one - u * one)

    @classmethod
    def for_epsilon(
        cls, epsilon: float, *, one: float | Fraction, k: int, categories: Categories | None = None
    ) -> Self:
        """Make a mechanism whose epsilon is just below the wanted one, never above it.

        `zero` is a fraction, rounded towards more noise. Its formula is what
        `ldp-verified verify` shows as `at_epsilon`.

        Raises:
            ParameterError: an argument is outside its domain, or leaves no room for epsilon.
        """
        return at_epsilon(
            cls,
            epsilon,
            "zero",
            cls.zero_at,
            ("one",),
            {"one": one, "k": k, "categories": categories},
        )
