"""Estimate averages, trends and changes over several days of memoised reports.

The permanent answers of a client are drawn once, so their noise is the same every day, and the days
are correlated. The average of D days does not have the error of one day divided by sqrt(D).

Let a report add s to the estimated count of a value, and v(f) be the variance of s at a share f.
Let c(f) be the variance of what all reports of a user share (`Longitudinal.shared_variances`),
which is the mean of s given the permanent answers and the public choice. For n users who report
every day and whose values do not change, the weighted sum of the days' shares with weights a_d has
the variance

    (sum a_d^2 (v - c) + (sum a_d)^2 c) / n.

Whoever changes when, it has at most (sum a_d^2 (v - c) + sum |a_d| sum |a_d| c) / n: the shared
parts of two days have a covariance of at most the mean of their variances (Cauchy, Schwarz).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.protocols.longitudinal import Longitudinal
from ldp_verified.protocols.rappor_decoding import KnownDomain
from ldp_verified.protocols.rappor_state import RapporState
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.in_order import numbers_in_order
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.aggregate.tabulated import Tabulated, check_level, normal_columns
from ldp_verified.run.aggregate.timeline import COLOURS, Line, timeline
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.estimate import Estimate

    Floats = NDArray[np.float64]

MOST_DAYS = 1 << 16


@dataclass(frozen=True, repr=False)
class DaysFigure(Tabulated):
    """A weighted sum of the daily shares of every value, with its errors.

    Attributes:
        labels: of the values. weights: of the days.
        values: float64 (k,), unbiased.
        std_error: float64 (k,), if the same users report every day and nobody's value changes;
            exact up to the shares that are plugged in. As `worst_std_error` where days have
            different numbers of reports.
        worst_std_error: float64 (k,), at least the true one whoever changes when, up to the same.
        tested: gives the honesty of the reports of each day, which nobody waits for who does not
            ask.
    """

    labels: tuple[str | int, ...]
    weights: tuple[float, ...]
    values: Floats
    std_error: Floats
    worst_std_error: Floats
    tested: Callable[[], Honesty] = lambda: UNTESTED

    quantity: ClassVar[str] = "share"

    @property
    def names(self) -> tuple[str | int, ...]:
        """The labels."""
        return self.labels

    @property
    def honesty(self) -> Honesty:
        """Tests of the reports of every day."""
        return self.tested()

    @property
    def heading(self) -> str:
        """The heading of the table, with the number of days."""
        return f"weighted sum over {len(self.weights)} days{self.honesty.doubt}"

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Shares, worst standard errors, -+ z of these. Args and Raises: as `Tabulated`."""
        return normal_columns(self.values, self.worst_std_error, level, simultaneous)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """(low, high) of the share of each value, by normal approximation, with the worst error.

        Args:
            level: the coverage asked for, in (0, 1), of one value that was fixed before.

        Raises:
            ParameterError: `level` is not between 0 and 1.
        """
        return self.columns(level)[2:]


@dataclass(frozen=True)
class Change:
    """A value whose share differs before and after a day.

    Attributes:
        label: of the value. day: the first one after the change, from 0.
        difference: the mean share of the days after, less that of the days before.
        std_error: of the difference, if nothing had changed.
        p_value: that nobody's value changed, by normal approximation, over all values and days.
    """

    label: str | int
    day: int
    difference: float
    std_error: float
    p_value: float


@dataclass(frozen=True)
class OverDays:
    """The states of several days of one memoised deployment, in order.

    Attributes:
        deployment: whose clients reported, each at most once a day; of RAPPOR, the known domain.
        days: the estimate of each day.
    """

    deployment: Longitudinal | KnownDomain
    days: tuple[Estimate, ...]

    @property
    def labels(self) -> tuple[str | int, ...]:
        """The labels of the values, in order."""
        return tuple(self.days[0].names)

    @cached_property
    def shares(self) -> Floats:
        """The estimated shares of every day, float64 (days, k); each is unbiased."""
        return np.array([day.shares for day in self.days])

    @cached_property
    def honesty(self) -> Honesty:
        """Tests of the reports of every day; an honest user is in each state once at most."""
        return Honesty(tuple(check for day in self.days for check in day.honesty.checks))

    def figure(self, weights: Iterable[float]) -> DaysFigure:
        """The sum of the daily shares with these weights.

        Args:
            weights: a finite number for each day, in order, fixed before the reports are looked at.

        Raises:
            ParameterError: other weights.
        """
        a = numbers_in_order("weights", weights, len(self.days))
        users = np.array([day.n for day in self.days], dtype=np.float64)
        size = np.abs(a)
        fresh, shared = self._daily_variances
        worst = (a**2 / users) @ fresh + (size / users).sum() * (size @ shared)
        if len(set(users)) == 1:
            own, kept = self._mean_variances
            steady = ((a**2).sum() * own + a.sum() ** 2 * kept) / users[0]
        else:
            steady = worst
        least, most = (np.sqrt(np.maximum(variance, 0)) for variance in (steady, worst))
        factors = tuple(a.tolist())
        return DaysFigure(self.labels, factors, a @ self.shares, least, most, lambda: self.honesty)

    def average(self) -> DaysFigure:
        """The mean of the daily shares of each value, as shares of users."""
        count = len(self.days)
        return self.figure([1 / count] * count)

    def trend(self) -> DaysFigure:
        """The slope of the least-squares line through the daily shares: shares of users per day.

        Raises:
            ParameterError: there is one day only.
        """
        self._several()
        centred = np.arange(len(self.days)) - (len(self.days) - 1) / 2
        return self.figure(centred / (centred**2).sum())

    def changes(self, level: float = 0.95) -> tuple[Change, ...]:
        """The values that changed, each at the day at which it shows most, clearest first.

        The null is that the same users reported every day and nobody's value changed. Then what
        days share drops out of the difference of two means. Of D - 1 days and k values the smallest
        p-value is multiplied by as many.

        Args:
            level: one minus the chance to name any value where the null holds.

        Raises:
            ParameterError: there is one day only, days differ in their number of reports, or
                `level` is not between 0 and 1.
        """
        self._several()
        check_level(level)
        if len({day.n for day in self.days}) > 1:
            rule = "must have as many reports each, of the same users"
            raise ParameterError("days", rule, sorted({day.n for day in self.days}))
        count = len(self.days)
        splits = np.array(
            [[-1 / day] * day + [1 / (count - day)] * (count - day) for day in range(1, count)]
        )
        sizes, values = np.sqrt((splits**2).sum(axis=1)), splits @ self.shares
        # Equal days differ by what is rounded, which is all where what is drawn daily is nothing.
        rounded = 2 * count * np.finfo(np.float64).eps * (np.abs(splits) @ np.abs(self.shares))
        values[np.abs(values) <= rounded] = 0.0
        own, _ = self._mean_variances
        noise = np.broadcast_to(np.sqrt(own / self.days[0].n), values.shape[1:]).tolist()
        steps = np.abs(values) / sizes[:, np.newaxis]
        found = []
        for v, best in enumerate(steps.argmax(axis=0).tolist()):
            step, error = float(steps[best, v]), noise[v] * float(sizes[best])
            score = 0.0 if step == 0 else step / noise[v] if noise[v] else math.inf
            p_value = min(1.0, values.size * math.erfc(score / math.sqrt(2)))
            if p_value <= 1 - level:
                value = float(values[best, v])
                found.append(Change(self.labels[v], best + 1, value, error, p_value))
        return tuple(sorted(found, key=lambda each: (each.p_value, -abs(each.difference))))

    def plot(self, top: int = 5, level: float = 0.95) -> Figure:
        """Draw the daily shares of the values that are largest on average, and found changes.

        The intervals of a line hold for one value and day each. The noise of a value's days is
        partly the same, so that a line moves less than its intervals suggest.

        Args:
            top: how many lines, 1..8. level: of the intervals, and of the changes that are marked.

        Raises:
            ImportError: matplotlib is not installed.
            ParameterError: a number out of range.
        """
        check_integer("top", top, 1, len(COLOURS))
        check_level(level)
        order = np.argsort(-self.shares.mean(axis=0), kind="stable")[:top].tolist()
        alike = len(self.days) > 1 and len({day.n for day in self.days}) == 1
        found = {each.label: each.day for each in self.changes(level)} if alike else {}
        ends = [[end / day.n for end in day.interval(level)] for day in self.days]
        low, high = (np.array([day[side] for day in ends]) for side in (0, 1))
        lines = []
        for place in order:
            label = self.labels[place]
            marks = (found[label],) if label in found else ()
            ends_of = low[:, place], high[:, place]
            lines.append(Line(str(label), self.shares[:, place], *ends_of, marks=marks))
        heading = f"{len(self.days)} days, each of {self.days[0].heading}"
        if not alike:
            heading = f"{len(self.days)} days, the first of {self.days[0].heading}"
        return timeline(lines, heading, "share", "day", level)

    def _several(self) -> None:
        if len(self.days) < 2:
            raise ParameterError("days", "must be two or more", len(self.days))

    @cached_property
    def _daily_variances(self) -> tuple[Floats, Floats]:
        """Return `_variances` at the shares of each day: both of shape (days, values)."""
        rows = zip(self.shares, self.days, strict=True)
        each = [self._variances(row, day.n) for row, day in rows]
        fresh, shared = (np.array(parts) for parts in zip(*each, strict=True))
        return fresh, shared

    @cached_property
    def _mean_variances(self) -> tuple[Floats, Floats]:
        """Return `_variances` at the mean shares, where days have equally many reports."""
        return self._variances(self.shares.mean(axis=0), self.days[0].n)

    def _variances(self, shares: Floats, n: int) -> tuple[Floats, Floats]:
        """(v - c, c) at some shares, of one user's part of an estimated count."""
        if isinstance(self.deployment, KnownDomain):
            total, shared = self.deployment.variances(shares)
            return total - shared, shared
        held = np.clip(shares, 0.0, 1.0)
        absent, own = map(float, self.deployment.shared_variances)
        shared = absent + (own - absent) * held
        return np.maximum(self.days[0].oracle.plug_in(held, n) - shared, 0), shared


def over_days(deployment: Longitudinal | KnownDomain, states: Iterable[Any]) -> OverDays:
    """Take the states of several days together.

    Args:
        deployment: the memoised protocol of all of them; of RAPPOR, a `KnownDomain`.
        states: of one day each, in order, with one report at most of each user: `State`s, or
            `RapporState`s for RAPPOR.

    Raises:
        ParameterError: no memoised protocol, no state, or too many.
        ReportError: a state is of another protocol, has no reports, or some are simulated and
            others are not.
    """
    if not isinstance(deployment, Longitudinal | KnownDomain):
        rule = "must be a memoised protocol, or a KnownDomain of RAPPOR"
        raise ParameterError("deployment", rule, type(deployment))
    if isinstance(states, str | bytes | np.ndarray) or not isinstance(states, Iterable):
        raise ParameterError("states", "must be states of several days", type(states))
    listed: list[Any] = list(itertools.islice(states, MOST_DAYS + 1))
    if not 1 <= len(listed) <= MOST_DAYS:
        raise ParameterError("states", f"must be 1 to {MOST_DAYS}", len(listed))
    for day, state in enumerate(listed):
        if isinstance(deployment, KnownDomain):
            check_kind(f"states[{day}]", state, RapporState, ReportError)
            identity = RapporState(deployment.deployment).identity
        else:
            check_kind(f"states[{day}]", state, State, ReportError)
            identity = deployment.identity
        difference = identity.difference(state.identity)
        if difference is not None:
            raise ReportError(f"states[{day}]", f"is foreign: {difference}")
        if state.n == 0:
            raise ReportError(f"states[{day}]", "must hold reports", 0)
    if len({bool(state.simulated) for state in listed}) > 1:
        raise ReportError("states", "must all be simulated or all be real")
    if isinstance(deployment, KnownDomain):
        return OverDays(deployment, tuple(deployment.decode(state) for state in listed))
    return OverDays(deployment, tuple(state.estimate() for state in listed))
