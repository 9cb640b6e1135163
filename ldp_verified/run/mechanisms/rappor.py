# Command: ldp-verified generate rappor
# Input: spec/rappor.py
# sha256 of the input: 3d87fb9bcebfbafd9622760e33422a054d9844f309f857ed4efb5d2a1e5769a0
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Basic RAPPOR, one report: generated from spec/rappor.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, OneHotRandomizer, RationalParameter


@dataclass(frozen=True, repr=False)
class BasicRappor(OneHotRandomizer):
    """Basic RAPPOR, one report.

    Args:
        noise: a parameter of the table, with 0 < noise < 1.
        low: a parameter of the table, with 0 < low < 1.
        high: a parameter of the table, with low < high < 1.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with 0 < noise < 1 and 0 < low < 1 and low < high < 1:

        one  = -high*noise/2 + high + low*noise/2: the probability that the value's own bit is 1
        zero = high*noise/2 - low*noise/2 + low: the probability that any other bit is 1

    Support: p* = one, q* = zero. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n ((high*noise -
    low*noise + 2*low)*(-high*noise + low*noise - 2*low + 2)/(4*(1 - noise)^2*(high - low)^2) + f
    (-(high + low - 1)/((1 - noise)*(high - low)))).

    `epsilon` is the least double not below ln((-high*noise + 2*high + low*noise)*(-high*noise +
    low*noise - 2*low + 2)/((high*noise - low*noise + 2*low)*(high*noise - 2*high - low*noise +
    2))).

    Rests on what `ldp-verified verify rappor` shows: nonnegative, sums_to_one, equal_support,
    ratio, tight, holds, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/basic_rappor.json). Cells are rounded to integer thresholds, so it is the
    proofs for free cells that hold for estimates and variances of the running code. Thresholds and
    the layout of reports: `OneHotRandomizer`.
    """

    noise: float | Fraction
    low: float | Fraction
    high: float | Fraction
    k: int
    categories: Categories | None = None
    epsilon: float = field(init=False)

    name: ClassVar[str] = "basic_rappor"
    law_sha256: ClassVar[str] = "cfc79dcfd2864f133c04c31aa418fc0299b041baf6dd37d765b1eaec23b89620"
    exponent: ClassVar[str | None] = None
    parameters: ClassVar[tuple[RationalParameter, ...]] = (
        RationalParameter("noise", "0 < noise < 1", lambda own: 0 < own["noise"] < 1),
        RationalParameter("low", "0 < low < 1", lambda own: 0 < own["low"] < 1),
        RationalParameter("high", "low < high < 1", lambda own: own["low"] < own["high"] < 1),
    )

    @staticmethod
    def cells(noise: Number, low: Number, high: Number) -> tuple[Number, Number]:
        """(one, zero) at noise, low, high."""
        return (
            (2 * high + noise * low - noise * high) / 2,
            (2 * low + noise * high - noise * low) / 2,
        )

    @staticmethod
    def support(one: Number, zero: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, zero

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return one * (1 - zero) / (zero * (1 - one))
