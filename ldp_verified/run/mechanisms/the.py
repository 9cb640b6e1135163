# Command: ldp-verified generate the
# Input: spec/the.py
# sha256 of the input: da614105d7058a2acc6dc8b976d9c7358a922db1a88fb191ca12e3f5afacda00
# Tools: ldp-verified 0.1.0, sympy 1.14.0
"""Thresholding with histogram encoding: generated from spec/the.py, not to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from ldp_verified.run.realize import Categories, Number, OneHotRandomizer, RationalParameter


@dataclass(frozen=True, repr=False)
class THE(OneHotRandomizer):
    """Thresholding with histogram encoding.

    Args:
        kept: a parameter of the table, with kept >= 1.
        raised: a parameter of the table, with raised > 1.
        k: how many values there are.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Table, with kept >= 1 and raised > 1:

        one  = (2*kept - 1)/(2*kept): the probability that the value's own bit is 1
        zero = 1/(2*raised): the probability that any other bit is 1

    Support: p* = one, q* = zero. With c of n reports supporting a value, its count is estimated by
    (c - n q*)/(p* - q*). If a share f of the users holds it, the variance of that is
    n (f p*(1 - p*) + (1 - f) q*(1 - q*))/(p* - q*)^2; for the table above, n (kept^2*(2*raised -
    1)/(2*kept*raised - kept - raised)^2 + f (-(kept - raised)/(2*kept*raised - kept - raised))).

    `epsilon` is the least double not below ln((2*kept - 1)*(2*raised - 1)).

    Rests on what `ldp-verified verify the` shows: nonnegative, sums_to_one, equal_support, ratio,
    tight, holds, unbiased, variance; unbiased and variance for free cells (certificate:
    proofs/certificates/the.json). Cells are rounded to integer thresholds, so it is the proofs for
    free cells that hold for estimates and variances of the running code. Thresholds and the layout
    of reports: `OneHotRandomizer`.
    """

    kept: float | Fraction
    raised: float | Fraction
    k: int
    categories: Categories | None = None
    epsilon: float = field(init=False)

    name: ClassVar[str] = "the"
    law_sha256: ClassVar[str] = "971dcae421fa8f802dce08c74ac6925c590d6e46c6441f898ac100faac7f37a0"
    exponent: ClassVar[str | None] = None
    parameters: ClassVar[tuple[RationalParameter, ...]] = (
        RationalParameter("kept", "kept >= 1", lambda own: own["kept"] >= 1),
        RationalParameter("raised", "raised > 1", lambda own: own["raised"] > 1),
    )

    @staticmethod
    def cells(kept: Number, raised: Number) -> tuple[Number, Number]:
        """(one, zero) at kept, raised."""
        return (2 * kept - 1) / (2 * kept), 1 / (2 * raised)

    @staticmethod
    def support(one: Number, zero: Number) -> tuple[Number, Number]:
        """(p*, q*)."""
        return one, zero

    @staticmethod
    def worst_ratio(one: Number, zero: Number) -> Number:
        """The largest P(y|x)/P(y|x')."""
        return one * (1 - zero) / (zero * (1 - one))
