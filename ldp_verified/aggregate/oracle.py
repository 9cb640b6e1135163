"""A frequency oracle as the server knows it: a layout, p*, q*, a variance linear in the share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from fractions import Fraction

    from ldp_verified.aggregate.layouts import Layout
    from ldp_verified.aggregate.reports import Identity


@dataclass(frozen=True)
class FrequencyOracle:
    """What turns support counts into estimates; the numbers are those of the realized table.

    Attributes:
        identity: which reports belong to it.
        layout: how they lie in an array.
        p_star: P(report supports v | the user holds v).
        q_star: P(report supports v | the user holds another value).
        variance_absent: variance of one user's contribution to the estimated count of a value they
            do not hold.
        variance_held: the same for the value they hold. A user population of which a share f holds
            v has the average variance_absent + (variance_held - variance_absent) f.

    Raises:
        ParameterError: p_star does not exceed q_star, or a variance is negative.
    """

    identity: Identity
    layout: Layout
    p_star: Fraction
    q_star: Fraction
    variance_absent: Fraction
    variance_held: Fraction

    def __post_init__(self) -> None:
        """Check what the estimator divides by and takes roots of."""
        if not self.p_star > self.q_star:
            raise ParameterError("p_star", "must exceed q_star", (self.p_star, self.q_star))
        if self.variance_absent < 0 or self.variance_held < 0:
            raise ParameterError(
                "variance", "must not be negative", (self.variance_absent, self.variance_held)
            )

    @property
    def k(self) -> int:
        """The number of values."""
        return self.layout.k
