"""A deployment that changes while it runs: another epsilon, one category more.

The new descriptor has another hash, so that no report is taken for one of the other deployment.
Each deployment keeps a collector of its own, which is saved as ever; old reports are counted until
a date.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ldp_verified.deploy import wire
from ldp_verified.deploy.collector import Collector
from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.run.aggregate.estimate import Estimate
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.means import MeanEstimate
from ldp_verified.run.aggregate.moments import MeanState
from ldp_verified.run.aggregate.origin import one_kind
from ldp_verified.run.aggregate.state import State
from ldp_verified.run.aggregate.tabulated import FromReports, normal_columns
from ldp_verified.scalars import is_iterable

if TYPE_CHECKING:
    from collections.abc import Sequence

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CombinedShares(FromReports):
    """Estimated shares of the users of all deployments, in the order of the newest one's values.

    Attributes:
        labels: its values. n: reports of all deployments together.
        shares: float64 (k,), unbiased where the same share of the users of each deployment that has
            a value holds it. std_error: float64 (k,), of the shares, estimated.
        reports: int64 (k,): of the deployments that have the value; others say nothing of it.
        simulated: whether the reports are. honesty: of the reports of each deployment.
    """

    labels: tuple[str | int, ...]
    n: int
    shares: Floats
    std_error: Floats
    reports: NDArray[np.int64]
    simulated: bool
    honesty: Honesty = UNTESTED

    quantity: ClassVar[str] = "share"

    @property
    def names(self) -> tuple[str | int, ...]:
        """The labels."""
        return self.labels

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Shares, their errors and -+ z of these. Args and Raises: as `Tabulated`."""
        return normal_columns(self.shares, self.std_error, level, simultaneous)


class Succession:
    """Collectors of one question, of which only the newest is still asked.

    Args:
        newest: what reports are asked for now.
        ended: each older collector with the moment from which on its reports are refused.

    Raises:
        ParameterError: two of one deployment, no collectors, or a moment without a time zone.
        ReportError: some are for simulated and some for real reports.
    """

    def __init__(self, newest: Collector, ended: Sequence[tuple[Collector, datetime]]) -> None:
        self._until: dict[bytes, datetime] = {}
        listed = [newest]
        if not is_iterable(ended):
            raise ParameterError("ended", "must be a list of pairs", type(ended))
        for pair in ended:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                rule = "must be pairs of a collector and a moment"
                raise ParameterError("ended", rule, type(pair))
            collector, until = pair
            check_kind("ended", collector, Collector)
            if not isinstance(until, datetime) or until.tzinfo is None:
                raise ParameterError("until", "must be a datetime with a time zone", until)
            self._until[collector.deployment.digest] = until
            listed.append(collector)
        check_kind("newest", newest, Collector)
        self._by_tag = {each.deployment.digest[: wire.TAG_BYTES]: each for each in listed}
        if len(self._by_tag) != len(listed):
            rule = "must be of another deployment each"
            raise ParameterError("ended", rule, newest.deployment.tag)
        one_kind(each.simulated for each in listed)
        self.newest = newest

    @property
    def collectors(self) -> tuple[Collector, ...]:
        """The newest collector, then the others as they were given."""
        return tuple(self._by_tag.values())

    @property
    def n(self) -> int:
        """Return the number of all reports that were counted."""
        return sum(each.n for each in self.collectors)

    def add(
        self, data: wire.Given, repeated: str = "refuse", *, now: datetime | None = None
    ) -> int:
        """Count a report or a batch where it belongs; see `Collector.add`.

        Args:
            data, repeated: as there. now: when it arrived; this moment by default.

        Returns:
            How many reports were counted.

        Raises:
            ReportError: also for an old deployment's report that came too late.
            ReplayError, ParameterError: as there; or `now` has no time zone.
        """
        moment = datetime.now(UTC) if now is None else now
        if not isinstance(moment, datetime) or moment.tzinfo is None:
            raise ParameterError("now", "must be a datetime with a time zone", now)
        collector = self._by_tag.get(wire.tag_of(data), self.newest)
        until = self._until.get(collector.deployment.digest)
        if until is not None and moment >= until:
            rule = f"of deployment {collector.deployment.tag} were accepted until {until}"
            raise ReportError("reports", rule)
        return collector.add(data, repeated)

    def estimate(self) -> CombinedShares | MeanEstimate:
        """Average the estimates of all deployments that have reports, weighted by inverse variance.

        The weights are those of the largest variance that any values can give, which does not
        depend on what was reported: so the combination is as unbiased as its parts. A value that
        only some deployments have is estimated from their reports.

        Rows are matched by the names of each deployment's own estimate. Where these number other
        things than values (buckets, sizes of sets), they must be the same in every deployment.

        Raises:
            ParameterError: the estimates are no shares or means to be combined (pairs of keys and
                numbers, ranges, tables), there are no reports, means are of other bounds, or one
                name may stand for different things: see `collectors` for each on its own.
        """
        held = [each for each in self.collectors if each.n]
        if not held:
            raise ParameterError("n", "must be above 0 for an estimate", 0)
        kinds = {type(each.state) for each in (self.newest, *held)}
        if all(issubclass(kind, MeanState) for kind in kinds):
            return _combined_means([each.state for each in held])
        if not all(issubclass(kind, State) for kind in kinds):
            rule = "must have shares or means to combine"
            raise ParameterError("state", rule, sorted(kind.__name__ for kind in kinds))
        newest, *parts = (each.estimate() for each in (self.newest, *held))
        others = {type(each).__name__ for each in (newest, *parts)} - {Estimate.__name__}
        if others:
            raise ParameterError("estimate", "must be shares of values to combine", sorted(others))
        _check_rows([each.deployment.mechanism for each in (self.newest, *held)])
        return self._combined_shares(tuple(newest.names), parts)

    def _combined_shares(
        self, labels: tuple[str | int, ...], parts: list[Estimate]
    ) -> CombinedShares:
        k = len(labels)
        total, weights, squares = np.zeros(k), np.zeros(k), np.zeros(k)
        reports = np.zeros(k, dtype=np.int64)
        for estimate in parts:
            there = {label: place for place, label in enumerate(estimate.names)}
            mine = [v for v, label in enumerate(labels) if label in there]
            theirs = [there[labels[v]] for v in mine]
            absent, slope = (np.broadcast_to(e, estimate.oracle.k) for e in _line(estimate))
            weight = estimate.n / np.maximum(absent, absent + slope)[theirs]
            total[mine] += weight * estimate.shares[theirs]
            squares[mine] += (weight * estimate.std_error[theirs] / estimate.n) ** 2
            weights[mine] += weight
            reports[mine] += estimate.n
        with np.errstate(invalid="ignore"):  # a value that no report speaks of: nan
            shares, errors = total / weights, np.sqrt(squares) / weights
        simulated = self.newest.simulated
        honesty = Honesty(tuple(c for estimate in parts for c in estimate.honesty.checks))
        return CombinedShares(labels, self.n, shares, errors, reports, simulated, honesty)


def _line(estimate: Estimate) -> tuple[Any, Any]:
    return estimate.oracle.variance_line(estimate.n)


def _check_rows(mechanisms: list[Any]) -> None:
    """Refuse rows of which nobody knows whether one name stands for one thing.

    Raises:
        ParameterError: names number something else than values, and not surely the same things.
    """
    kinds = {each.estimated_rows for each in mechanisms}
    if len(kinds) > 1:
        rule = "must have rows that stand for the same in every deployment"
        raise ParameterError("estimate", rule, sorted(kind[0] for kind in kinds))


def _combined_means(states: list[MeanState]) -> MeanEstimate:
    bounds = {(state.low, state.high) for state in states}
    if len(bounds) > 1:
        raise ParameterError("bounds", "must be the same for a mean of all", sorted(bounds))
    estimates = [state.estimate() for state in states]
    weights = [each.worst_std_error**-2 for each in estimates]
    whole = math.fsum(weights)
    parts = [(weight / whole, each) for weight, each in zip(weights, estimates, strict=True)]
    checks = tuple(check for each in estimates for check in each.honesty.checks)
    return MeanEstimate(
        sum(each.n for each in estimates),
        math.fsum(share * each.mean for share, each in parts),
        math.hypot(*(share * each.std_error for share, each in parts)),
        math.hypot(*(share * each.worst_std_error for share, each in parts)),
        estimates[0].bounds,
        tuple((share**2 * part, of) for share, each in parts for part, of in each.noise),
        Honesty(checks),
    )
