"""Counts that make sense: none negative, and all of them as many as there are users.

Unbiased estimates fall below 0 and add up to something else than n. These methods change that, and
pay with bias: small counts are pulled up or down. They are post-processing, so that they cost no
privacy.

Tianhao Wang, Milan Lopuhaa-Zwakenberg, Zitao Li, Boris Skoric, Ninghui Li (2020), Locally
Differentially Private Frequency Estimation with Consistency. The names of the methods are theirs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty
from ldp_verified.run.aggregate.tabulated import Tabulated, check_level

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Method = Callable[[Floats, float, Floats], Floats]


def base_pos(counts: Floats, n: float, std_error: Floats) -> Floats:
    """Negative counts become 0. Values that nobody holds are counted too high on average."""
    del n, std_error
    return np.maximum(counts, 0.0)


def base_cut(counts: Floats, n: float, std_error: Floats) -> Floats:
    """Counts that noise alone seldom exceeds for any value become 0.

    The threshold is a normal quantile over all values at 5 % (Bonferroni), times each count's own
    error. Noise exceeds it with another chance than 5 % where few supports are expected. Of 1,000
    values of k-ary response at epsilon = 1 it is 14 % with 100 users, 1 % with 1,000 and 3 % with
    1,000,000. `Estimate.top` has intervals instead. Counts below the threshold are lost.
    """
    del n
    from statistics import NormalDist  # not needed by clients

    z = NormalDist().inv_cdf(1 - 0.05 / len(counts))
    return np.where(counts >= z * std_error, counts, 0.0)


def norm(counts: Floats, n: float, std_error: Floats) -> Floats:
    """Add one number to all counts, so that they add up to n. Some may be negative.

    Unbiased, since n is known and the estimates are.
    """
    del std_error
    return np.asarray(counts + (n - counts.sum()) / len(counts))


def norm_mul(counts: Floats, n: float, std_error: Floats) -> Floats:
    """Set negative counts to 0, and multiply the others so that they add up to n."""
    positive = base_pos(counts, n, std_error)
    total = positive.sum()
    if total == 0.0:
        return np.full(len(counts), n / len(counts))
    return np.asarray(positive / total * n)


def norm_cut(counts: Floats, n: float, std_error: Floats) -> Floats:
    """The smallest positive counts become 0 until the others add up to n at most.

    Where all positive counts add up to less than n they are kept, and so the sum stays below n. A
    count above n is n.
    """
    order = np.argsort(-counts, kind="stable")
    positive = np.minimum(base_pos(counts, n, std_error), n)
    kept = np.cumsum(positive[order]) <= n
    found = np.zeros(len(counts))
    found[order[kept]] = positive[order[kept]]
    return found


def norm_sub(counts: Floats, n: float, std_error: Floats) -> Floats:
    """max(count + delta, 0) with the one delta that makes them add up to n.

    This is the nearest point, in squared distance, of all that are not negative and add up to n:
    the projection on the simplex. So where the positive counts add up to less than n, delta is
    positive and small negative counts may become positive. A loop that sets negative counts to 0
    first, and then shifts what is left, is another method.
    """
    del std_error
    order = np.sort(counts)[::-1]
    shifts = (n - np.cumsum(order)) / np.arange(1, len(counts) + 1)
    kept = np.flatnonzero(order + shifts > 0)
    delta = shifts[kept[-1] if len(kept) else 0]
    return np.asarray(np.maximum(counts + delta, 0.0))


METHODS: Final[dict[str, Method]] = {
    "base-pos": base_pos,
    "base-cut": base_cut,
    "norm": norm,
    "norm-mul": norm_mul,
    "norm-cut": norm_cut,
    "norm-sub": norm_sub,
}
"""Those that need the counts and their errors alone, by the names that they have in the paper."""


@dataclass(frozen=True, eq=False, repr=False)
class Consistent(Tabulated):
    """Counts after one of these methods: rows by label, tables and a picture, as of an estimate.

    Their standard errors are nan, since a method changes them in a way that depends on the truth.

    Attributes:
        labels: of the values. n: users. method: its name.
        counts: float64 (k,), in users.
        low, high: float64 (k,), ends of intervals of the *true* counts that hold all at once: the
            raw intervals, cut by what is known, that no count is negative and all add up to n.
            They do not belong to the method, whose bias they need not know.
        level: of these intervals.
        ends: level -> such intervals at another level.
        honesty: of the reports.
    """

    labels: tuple[str | int, ...]
    n: int
    method: str
    counts: Floats
    low: Floats
    high: Floats
    level: float
    ends: Callable[[float], tuple[Floats, Floats]]
    honesty: Honesty = UNTESTED

    @property
    def names(self) -> tuple[str | int, ...]:
        """The labels, in order."""
        return self.labels

    @property
    def heading(self) -> str:
        """The number of users and the method."""
        made = f"counts made consistent by {self.method}"
        return f"{self.n:,} users, {made}{self.honesty.doubt}"

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Counts in users, nan for standard errors, and the ends of intervals at this level.

        Intervals hold all at once, whether `simultaneous` or not. Args and Raises: as of
        `Estimate.interval`.
        """
        check_level(level)
        check_kind("simultaneous", simultaneous, bool)
        low, high = (self.low, self.high) if level == self.level else self.ends(level)
        return self.counts, np.full(len(self.counts), np.nan), low, high

    def __repr__(self) -> str:
        return f"<Consistent counts of {self.n} users by {self.method}: k={len(self.counts)}>"


def cut(low: Floats, high: Floats, n: float) -> tuple[Floats, Floats]:
    """Intervals of all counts, cut by the fact that they add up to n.

    Each count is n less the others: at most n less their lower ends, at least n less their upper
    ends.
    """
    most = n - (low.sum() - low)
    least = n - (high.sum() - high)
    return np.minimum(np.maximum(low, least), high), np.maximum(np.minimum(high, most), low)
