"""Estimated counts with standard errors and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.aggregate.combined import Combined, combination, ratio
from ldp_verified.run.aggregate.consistent import Consistent
from ldp_verified.run.aggregate.difference import Difference
from ldp_verified.run.aggregate.distinct import (
    AtLeast,
    Distinct,
    check_held_share,
    distinct_at_least,
    held_by,
)
from ldp_verified.run.aggregate.fitted import made_consistent
from ldp_verified.run.aggregate.honest import Honesty, HonestyCheck, honesty
from ldp_verified.run.aggregate.interval_ends import coins_of_supports, score_ends, support_ends
from ldp_verified.run.aggregate.listed import check_each_once
from ldp_verified.run.aggregate.tabulated import Tabulated, check_level, quantile
from ldp_verified.run.aggregate.tested import Compared, changed, equal_to
from ldp_verified.scalars import is_integer, size_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ldp_verified.run.aggregate.oracle import Estimator
    from ldp_verified.run.aggregate.state import State

Floats = NDArray[np.float64]


def _estimated(before: object) -> Estimate:
    """An estimate, or that of a state.

    Raises:
        ParameterError: it is neither.
    """
    of_state = getattr(before, "estimate", None)
    found = of_state() if callable(of_state) and not isinstance(before, type) else before
    if not isinstance(found, Estimate):
        raise ParameterError("before", "must be an estimate of counts, or its state", type(before))
    return found


def _frozen(array: Floats) -> Floats:
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Tabulated):
    """The estimated number of users who hold each value, or each of some candidates.

    It iterates over (label, estimated count, standard error). All arrays are read-only and in the
    order of the values. With n = 0 the counts, standard errors and intervals are 0 and the shares
    nan.

    Attributes:
        oracle: the estimator and its variances, of the realized table.
        n: the number of reports.
        support_counts: int64 (k,), how many reports support each value; where outputs support none,
            int64 (outputs,), how often each output came.
        simulated: whether any of the reports was simulated.
        labels: of the k values or candidates, in order; None for 0, ..., k - 1.
        counters: of the state, for `honesty`; None leaves out the tests that need them.
        further: tests of what counters do not hold, such as pairs of ones.
    """

    oracle: Estimator
    n: int
    support_counts: NDArray[np.int64]
    simulated: bool = False
    labels: tuple[str | int, ...] | None = None
    counters: NDArray[np.int64] | None = None
    further: tuple[HonestyCheck, ...] = ()

    def __post_init__(self) -> None:
        """Take a read-only view of the support counts."""
        view = self.support_counts.view()
        view.flags.writeable = False
        object.__setattr__(self, "support_counts", view)

    @cached_property
    def counts(self) -> Floats:
        """Unbiased estimated counts, in users, float64 (k,): (support count - n q*) / (p* - q*).

        Where outputs support no value, the left inverse of the table applied to their counts. They
        may fall below 0 or above n.
        """
        return _frozen(self.oracle.estimated(self.n, self.support_counts))

    @cached_property
    def shares(self) -> Floats:
        """Estimated shares, counts / n, float64 (k,); nan where n = 0."""
        if self.n == 0:
            return _frozen(np.full(self.oracle.k, np.nan))
        return _frozen(self.counts / self.n)

    @cached_property
    def std_error(self) -> Floats:
        """Plug-in standard error of `counts`, in users, float64 (k,).

        sqrt(n (a + b f)), the exact variance at a share f, with the estimated share clipped to [0,
        1] in the place of f. Where outputs support no value, the exact variance of a population
        with the estimated shares, made to add up to 1.
        """
        if self.n == 0:
            return _frozen(np.zeros(self.oracle.k))
        return _frozen(np.sqrt(self.n * self.oracle.plug_in(self.shares, self.n)))

    def interval(self, level: float = 0.95, simultaneous: bool = False) -> tuple[Floats, Floats]:
        """Intervals for the true counts among these very n users, who need be no sample.

        Where reports support values independently, a support count is a sum of coins. Then an
        interval holds all counts for which neither tail of that sum is too small. Such intervals
        hold for few users too, and for small chances of a support.

        Elsewhere they are score intervals, by normal approximation: tables without support, rows
        of a sketch that were drawn once, permanent answers over several periods, a random part of
        the users. These cover less where few supports are expected.

        Args:
            level: the coverage asked for, in (0, 1).
            simultaneous: cover all k values at once with this level (Bonferroni), rather than each.

        Returns:
            The lower and the upper ends, float64 (k,) each, in users, in [0, n].

        Raises:
            ParameterError: `level` is not a number in (0, 1), or `simultaneous` no bool.
        """
        check_level(level)
        check_kind("simultaneous", simultaneous, bool)
        if self.n == 0:
            return _frozen(np.zeros(self.oracle.k)), _frozen(np.zeros(self.oracle.k))
        together, coins = self.oracle.k if simultaneous else 1, coins_of_supports(self.oracle)
        if coins is not None:
            miss = (1.0 - level) / together / 2
            low, high = support_ends(coins, self.n, self.support_counts, miss)
            return _frozen(low), _frozen(high)
        low, high = score_ends(self.oracle, self.n, self.shares, quantile(level, together))
        return _frozen(low), _frozen(high)

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts, errors and ends of intervals, in users. Args and Raises: as `interval`."""
        return self.counts, self.std_error, *self.interval(level, simultaneous)

    @property
    def reports(self) -> int:
        """The number of reports that were counted: n, or those of the users asked about this."""
        return int(getattr(self.oracle, "asked", self.n))

    @property
    def heading(self) -> str:
        """The number and mechanism of the reports, and whether they are simulated."""
        simulated = " simulated" if self.simulated else ""
        made = self.oracle.identity.mechanism
        return f"{self.n:,}{simulated} reports of {made}{self.honesty.doubt}"

    @cached_property
    def honesty(self) -> Honesty:
        """Tests that reports drawn from the table pass at a stated level, whatever users hold.

        `heading` and `repr` say so where any of them rejects at the significance 1e-9.
        """
        found = honesty(self.oracle, self.n, self.support_counts, self.counters)
        return found.with_checks(self.further)

    @property
    def names(self) -> tuple[str | int, ...] | range:
        """The labels of all values, in order; 0, ..., k - 1 where there are none."""
        return range(self.oracle.k) if self.labels is None else self.labels

    @cached_property
    def _numbered(self) -> dict[str | int, int]:
        return super()._places()

    def _places(self) -> dict[str | int, int]:
        return self._numbered

    def labelled(self, labels: object) -> Estimate:
        """This estimate with other labels of its values, as of one attribute of tuples.

        Args:
            labels: texts or integers in the order of the values, all different.

        Raises:
            ParameterError: they are not as many, nothing of the kind, or not all different.
        """
        if not isinstance(labels, list | tuple | range | np.ndarray):
            raise ParameterError("labels", "must be a list, tuple, range or array", type(labels))
        k = self.oracle.k
        if isinstance(labels, range) and size_of(labels) != k:
            raise ParameterError("labels", f"must be k = {k}, all different", size_of(labels))
        names = labels if isinstance(labels, range) else list(labels)
        plain = tuple(int(each) if is_integer(each) else each for each in names)
        wrong = [each for each in plain if not isinstance(each, str) and not is_integer(each)]
        if wrong:
            raise ParameterError("labels", "must be texts or integers", wrong[0])
        if len(plain) != k or len(set(plain)) != k:
            raise ParameterError("labels", f"must be k = {k}, all different", len(set(plain)))
        return replace(self, labels=plain)

    # --- several values together ---------------------------------------------------------------

    def _combined(self, weights: dict[int, float]) -> Combined:
        array = np.zeros(self.oracle.k)
        for place, weight in weights.items():
            array[place] += weight
        return combination(self.oracle, self.n, self.counts, self.std_error, array)

    def sum_of(self, labels: Iterable[str | int]) -> Combined:
        """Estimate how many users hold one of several values.

        Its interval is a normal approximation: see `Combined.interval`.

        Args:
            labels: of the values, fixed before the reports are looked at.

        Raises:
            ParameterError: there is no such label, one stands there twice, or none at all.
        """
        try:  # no more than there are, of a range without end
            listed = [labels] if isinstance(labels, str) else [*islice(labels, self.oracle.k + 1)]
        except (TypeError, IndexError):
            raise ParameterError("labels", "must be labels of values", type(labels)) from None
        if not listed:
            raise ParameterError("labels", "must be one or more", 0)
        places = [self._place("labels", label) for label in listed]
        check_each_once([self.names[place] for place in places], "labels")
        return self._combined(dict.fromkeys(places, 1.0))

    def contrast(self, first: str | int, second: str | int) -> Combined:
        """Estimate how many more users hold the first value than the second.

        Its interval is a normal approximation: see `Combined.interval`.

        Args:
            first: a label. second: another label.

        Raises:
            ParameterError: there is no such label, or both are the same.
        """
        places = self._place("first", first), self._place("second", second)
        if places[0] == places[1]:
            raise ParameterError("second", "must be another value", second)
        return self._combined({places[0]: 1.0, places[1]: -1.0})

    def ratio(self, above: str | int, below: str | int) -> Combined:
        """Estimate how many times as many users hold the value `above` as the value `below`.

        Its interval is a normal approximation: see `Combined.interval`.

        Args:
            above: a label. below: another label, whose count is divided by.

        Raises:
            ParameterError: there is no such label, or the count to divide by is not 3 standard
                errors above 0.
        """
        places = self._place("above", above), self._place("below", below)
        return ratio(self.oracle, self.n, self.counts, self.std_error, *places)

    def held_by(self, share: float, level: float = 0.95) -> Distinct:
        """Estimate how many values at least this share of the users hold, with an interval.

        The interval follows from intervals of all counts at once, and holds where they do: see
        `interval`. It is wide where the share is not well above the errors. How many values anybody
        holds cannot be told.

        Args:
            share: in (0, 1]. level: of the interval, in (0, 1).

        Raises:
            ParameterError: a number is out of its range.
        """
        wanted, ends = check_held_share(share), self.interval(level, simultaneous=True)
        every = self.of_all_values
        alone = every or bool(getattr(getattr(self.oracle, "oracle", None), "exclusive", False))
        return held_by(wanted, self.n, self.counts, ends, complete=every, exclusive=alone)

    def distinct_at_least(self, level: float = 0.95) -> AtLeast:
        """A lower bound of how many different values are held among these, and which are.

        S. Holm (1979), "A Simple Sequentially Rejective Multiple Test Procedure": valid whatever
        the counts have to do with each other. Where these are all values of users who hold one
        each, half of the error goes to another bound. It is the least number of values for which
        all users fit below the upper ends of the counts. There is no upper bound below the number
        of values: what one user holds is not seen. `deploy.collect.plan_distinct` says which shares
        are.

        Args:
            level: in (0, 1), the chance at least that the bound holds, whatever the users hold.

        Raises:
            ParameterError: `level` is not in (0, 1), or the values were chosen by these reports.
        """
        check_level(level)
        return distinct_at_least(self, float(level))

    def consistent(
        self,
        method: str = "norm-sub",
        level: float = 0.95,
        totals: Mapping[Any, float] | None = None,
    ) -> Consistent:
        """Counts that are not negative and add up to n, or as near as the method goes.

        Args:
            method: base-pos, base-cut, norm, norm-mul, norm-cut or norm-sub (`consistent.METHODS`),
                power, power-norm-sub, least-squares, likelihood or ibu (see `fitted`), or
                empirical-bayes (see `prior`). All are for all mechanisms, but for likelihood
                (k-ary response and known tables), least-squares (not hashes) and ibu (supports).
            level: of the simultaneous intervals.
            totals: numbers of users that are known without the reports: from a label, or a tuple of
                labels, to how many of these n users hold one of them.

        Raises:
            ParameterError: no such method, or none for these reports; a level not in (0, 1); totals
                that contradict n; or these are not all values.
        """
        return made_consistent(self, method, level, totals)

    @property
    def of_all_values(self) -> bool:
        """Return whether every user holds exactly one of these values, as candidates do not say."""
        return bool(getattr(self.oracle, "exclusive", False))

    # --- hypotheses about the users ------------------------------------------------------------

    def equal_to(self, shares: object) -> Compared:
        """Test whether the users are drawn from a known distribution; exact, see `Compared`.

        The population is meant, not these users: they are a sample of it.

        Args:
            shares: of all values, not negative, sum 1: in order, or by label, as a mapping has
                them, or a series of pandas with another index than 0, 1, ...

        Raises:
            ParameterError: no such shares; these are not all values; or not all reports are new
                draws, so that they are not independent.
        """
        return equal_to(self, shares)

    def changed_since(self, before: Estimate | State) -> Compared:
        """Test whether the users of an earlier date are drawn from the same distribution; exact.

        Users of the two dates are to be drawn independently. Where they are the same ones, who
        mostly keep their values, false alarms are rarer still. `difference` says by how much.

        Args:
            before: an estimate or state by the same mechanism, of other reports.

        Raises:
            ParameterError: it is of another mechanism, or not all reports are new draws.
        """
        return changed(_estimated(before), self)

    def difference(self, before: Estimate | State, population: bool = True) -> Difference:
        """Estimate how much larger the share of each value is here than in another group or date.

        Args:
            before: an estimate or state of other reports, with the same labels; the mechanism and
                its epsilon may be others.
            population: True for shares of the populations that both groups are drawn from, each
                independently; False for shares among these very users, who may be the same ones.

        Returns:
            Differences of shares in [-1, 1], with standard errors and intervals.

        Raises:
            ParameterError: it has other labels, a group is empty, or not all reports are new draws.
        """
        return Difference(_estimated(before), self, population)

    def __repr__(self) -> str:
        simulated = "simulated " if self.simulated else ""
        typical = math.sqrt(self.n * float(np.max(self.oracle.variance_line(self.n)[0])))
        return (
            f"<Estimate from {self.n} {simulated}{self.oracle.identity.mechanism} reports: "
            f"k={self.oracle.k}, standard error {typical:.6g} for a value that nobody holds"
            f"{self.honesty.doubt}>"
        )
