"""How much shares differ between two groups or dates, with intervals.

Both shares have score intervals of their own, as `interval_ends.score_ends` has. Their ends are put
together by the rule of square and add. The lower end of the difference lies below it by the root of
the squared distances to the lower end of the later share and the upper end of the earlier one. The
rule is method 11 of Robert G. Newcombe (1998), "Interval estimation for the difference between
independent proportions", carried over to supports. No share needs a normal estimate of its error
where it is near 0, so intervals hold for few users too: the tests compute their coverage exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.aggregate.tabulated import Floats, TableRow, Tabulated, check_level, quantile
from ldp_verified.run.aggregate.tested import fresh_oracle
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.honest import Honesty


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Tabulated):
    """The share of each value among later users less that among earlier ones.

    Attributes:
        before, after: the two estimates, of the same labels; mechanisms and epsilon may differ.
        population: whether the shares of the populations are meant, of which both groups are
            independent samples; otherwise those among these very users, who may be the same ones.

    Raises:
        ParameterError: the labels differ, a group is empty, or not all reports are new draws.
    """

    before: Estimate
    after: Estimate
    population: bool = True

    quantity: ClassVar[str] = "share"

    def __post_init__(self) -> None:
        """Refuse estimates that cannot be compared."""
        check_kind("population", self.population, bool)
        for name, each in (("before", self.before), ("estimate", self.after)):
            fresh_oracle(name, each)
            if each.n == 0:
                raise ParameterError(name, "must have reports", 0)
        first, second = tuple(self.before.names), tuple(self.after.names)
        if first != second:
            other = [a for a, b in zip(first, second, strict=False) if a != b]
            found = other[0] if other else len(first)
            raise ParameterError("before", f"must have the same {len(second)} labels", found)

    @property
    def names(self) -> tuple[str | int, ...] | range:
        """The labels of all values, in order."""
        return self.after.names

    @property
    def heading(self) -> str:
        """The source of the estimate, as a phrase."""
        return f"{self.after.heading}, less {self.before.heading}"

    @property
    def honesty(self) -> Honesty:
        """The tests of both groups' reports."""
        return self.before.honesty.with_checks(self.after.honesty.checks)

    def __repr__(self) -> str:
        typical = float(np.median(self.std_error))
        whose = "populations" if self.population else "these very users"
        return (
            f"<Difference of shares of {whose}: {self.after.n} users less {self.before.n}, "
            f"k={len(self.names)}, standard error about {typical:.3g}>"
        )

    @cached_property
    def values(self) -> Floats:
        """Unbiased differences of shares, later less earlier, float64 (k,)."""
        return np.asarray(self.after.shares - self.before.shares)

    @cached_property
    def std_error(self) -> Floats:
        """Plug-in standard errors of `values`, in shares, float64 (k,)."""
        return np.asarray(np.sqrt(self._variance(self.after) + self._variance(self.before)))

    def _variance(self, one: Estimate) -> Floats:
        inside = np.clip(one.shares, 0.0, 1.0)
        sampled = inside * (1 - inside) if self.population else 0.0
        return np.asarray((one.oracle.plug_in(one.shares, one.n) + sampled) / one.n)

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Differences of shares, standard errors and ends of intervals in [-1, 1].

        Args and Raises: as `Tabulated.columns`.
        """
        check_level(level)
        check_kind("simultaneous", simultaneous, bool)
        z = quantile(level, len(self.names) if simultaneous else 1)
        (low, high), (earlier_low, earlier_high) = (
            self._ends(self.after, z),
            self._ends(self.before, z),
        )
        later, earlier = self.after.shares, self.before.shares
        least = self.values - np.hypot(later - low, earlier_high - earlier)
        most = self.values + np.hypot(high - later, earlier - earlier_low)
        return self.values, self.std_error, np.clip(least, -1.0, 1.0), np.clip(most, -1.0, 1.0)

    def _ends(self, one: Estimate, z: float) -> tuple[Floats, Floats]:
        """Ends of the score interval of a share, not clipped to [0, 1]; the share lies between.

        An end f solves (e - f)^2 = (z^2/n)(a + b f), and a + b f + f (1 - f) where users are a
        sample. Here e is the share less or plus half a step.
        """
        a, b = one.oracle.variance_line(one.n)
        spread, bend = z * z / one.n, 1.0 if self.population else 0.0
        square = 1.0 + spread * bend

        def root(e: Floats, sign: float) -> Floats:
            middle = e + spread * (b + bend) / 2
            inner = np.maximum(middle**2 - square * (e * e - spread * a), 0.0)
            return np.asarray((middle + sign * np.sqrt(inner)) / square)

        half = one.oracle.half_step / one.n
        low, high = root(one.shares - half, -1.0), root(one.shares + half, 1.0)
        return np.minimum(low, one.shares), np.maximum(high, one.shares)

    def top(self, values: int = 10, level: float = 0.95) -> list[TableRow]:
        """The values whose shares differ most in either direction, with intervals for all at once.

        Args and Raises: as `Tabulated.top`.
        """
        every = super().top(len(self.names), level)
        if not is_integer(values) or values < 1:
            raise ParameterError("values", "must be a positive integer", values)
        return sorted(every, key=lambda row: -abs(row.value))[:values]
