"""Interfaces of the server's side: a layout of reports, an estimator, its variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.layouts import Layout, SupportLayout

Floats = NDArray[np.float64]
Counters = NDArray[np.int64]


class Estimator(Protocol):
    """An estimator of k counts from counters; all numbers are those of the realized table."""

    @property
    def identity(self) -> Identity:
        """Return the identity of the reports that this estimator counts."""

    @property
    def k(self) -> int:
        """The number of values, or of candidates among them."""

    def estimated(self, n: int, counters: Counters) -> Floats:
        """Unbiased estimates of the k counts from the counters of n reports, float64 (k,)."""

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """Variance per user of each estimated count, at shares estimated from n, float64 (k,)."""

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """(a, b): of n users, at a share f of a value its variance per user is at most a + b f.

        Each broadcastable to (k,).

        Args:
            n: number of users.
        """

    @property
    def half_step(self) -> Floats:
        """Half of the most that one report in the place of another changes; broadcastable too."""


class Oracle(Estimator, Protocol):
    """An estimator with the layout of the reports that it counts."""

    @property
    def layout(self) -> Layout:
        """The layout of the reports in an array."""

    @property
    def labels(self) -> tuple[str | int, ...] | None:
        """The labels of the k values, in order; None for 0, ..., k - 1."""

    @property
    def no_estimator(self) -> str | None:
        """The reason why counts cannot be estimated without bias; None where they can."""

    def implausible(self, n: int, counters: Counters) -> str | None:
        """Say why honest reports give these counters with a chance below 2^-100; None if not."""


class OfValues:
    """A mechanism from whose reports the count of each value is estimated, if it says no other."""

    @property
    def estimated_rows(self) -> tuple[str, object]:
        """Say what the rows of an estimate stand for, and for which ones: here for all values."""
        return "values", None


@dataclass(frozen=True)
class FrequencyOracle:
    """An oracle whose reports support values: p*, q*, a variance linear in the share.

    Attributes:
        identity: which reports belong to it.
        layout: how they lie in an array.
        p_star: P(report supports v | the user holds v).
        q_star: P(report supports v | the user holds another value).
        variance_absent: variance of one user's contribution to the estimated count of a value they
            do not hold.
        variance_held: the same for the value they hold. A user population of which a share f holds
            v has the average variance_absent + (variance_held - variance_absent) f.
        fresh: whether every report is a new draw, so that its support of v has the probability p*
            or q* whatever the other reports are. Not so where permanent answers are reported on
            again, or where rows of a sketch were drawn once.
        in_period: whether that is so of reports of different users: of permanent answers, where
            each user has one report in the state.
        labels: of the k values, in order; None for 0, ..., k - 1.
        exclusive: whether every user holds exactly one of the values.

    Raises:
        ParameterError: p_star does not exceed q_star, or a variance is negative.
    """

    identity: Identity
    layout: SupportLayout
    p_star: Fraction
    q_star: Fraction
    variance_absent: Fraction
    variance_held: Fraction
    fresh: bool = False
    labels: tuple[str | int, ...] | None = None
    exclusive: bool = True
    in_period: bool = False

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

    def named(self, values: tuple[int, ...]) -> tuple[str | int, ...]:
        """The labels of some values."""
        return values if self.labels is None else tuple(self.labels[v] for v in values)

    @property
    def no_estimator(self) -> None:
        """Return None, as there is an estimator: p* exceeds q*."""
        return

    def implausible(self, n: int, counters: Counters) -> str | None:
        """Return why fresh reports hardly ever add up to these counters; None if they may.

        Whoever holds what, the support of v in n fresh reports lies between n q* - t and n p* + t,
        except with probability at most 2 e^(-2 t^2/n). The source is Hoeffding (1963), "Probability
        Inequalities for Sums of Bounded Random Variables". t is chosen so that all k supports lie
        there, except with probability at most 2^-100.
        """
        if not self.fresh or n == 0:
            return None
        supports = self.layout.supports(counters.copy())
        t = math.sqrt(n * (math.log(2 * self.k) + 100 * math.log(2)) / 2)
        least, most = math.floor(n * self.q_star) - t, math.ceil(n * self.p_star) + t
        wrong = (supports < least) | (supports > most)
        if not wrong.any():
            return None
        found = f"{int(supports[wrong.argmax()])} of {n} reports support value {wrong.argmax()}"
        return f"{found}, of which honest ones give {max(0, int(least))}..{min(n, int(most))}"

    def estimated(self, n: int, counters: Counters) -> Floats:
        """(support count - n q*) / (p* - q*)."""
        # n q* is split at the integer: the subtraction is exact and only the last steps round.
        whole, part = divmod(n * self.q_star, 1)
        exact = (counters - whole).astype(np.float64)
        return np.asarray((exact - float(part)) / float(self.p_star - self.q_star))

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The line at the shares, clipped to [0, 1]."""
        a, b = self.variance_line(n)
        return np.asarray(a + b * np.clip(shares, 0.0, 1.0))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """The exact variance line, the same for all values and numbers of users.

        Args:
            n: number of users.
        """
        del n
        a = self.variance_absent
        return np.asarray(float(a)), np.asarray(float(self.variance_held - a))

    @property
    def half_step(self) -> Floats:
        """Half of what a support adds."""
        return np.asarray(float(Fraction(1, 2) / (self.p_star - self.q_star)))
