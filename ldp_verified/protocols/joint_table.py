"""Tables of several attributes as people read them: of a joint estimate, given a value, tested."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.run.aggregate.honest import Honesty
from ldp_verified.run.aggregate.tabulated import Tabulated, check_level, normal_columns, quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.table_estimate import TableEstimate
    from ldp_verified.run.realize.values import Label

    Floats = NDArray[np.float64]
    Columns = tuple[Floats, Floats, Floats, Floats]
    Names = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class JointTable(Tabulated):
    """Estimated numbers of users with each combination of values, with errors and intervals.

    Labels are those of the attributes, joined by ", "; of one attribute its own.

    Attributes:
        found: the reports. attributes: their names, in the order of the table.
    """

    found: TableEstimate
    attributes: Names

    @cached_property
    def shares(self) -> Floats:
        """Estimated shares in the shape of the table, which sum to 1; may fall below 0."""
        return self.found._shares(self.attributes)

    @property
    def array(self) -> Floats:
        """Estimated counts in the shape of the table, in users."""
        return self.found.n * self.shares

    @property
    def counts(self) -> Floats:
        """Estimated counts of all cells, in the order of `names`, in users."""
        return self.array.reshape(-1)

    @cached_property
    def std_error(self) -> Floats:
        """The standard error of each count, in users, with the estimated shares plugged in."""
        cells = product(*map(range, self.shares.shape))
        return np.array(
            [self.found.n * self.found._variance([(self, cell, 1.0)]) ** 0.5 for cell in cells]
        )

    @cached_property
    def names(self) -> tuple[Label, ...]:
        """The labels of the cells, the last attribute fastest."""
        each = [self.found.labels[name] for name in self.attributes]
        if len(each) == 1:
            return each[0]
        return tuple(", ".join(map(str, cell)) for cell in product(*each))

    @property
    def honesty(self) -> Honesty:
        """The tests whether the reports on all views are as honest ones would be."""
        return self.found.honesty

    @property
    def heading(self) -> str:
        """The users and the attributes."""
        return f"{self.found.n:,} users by {', '.join(self.attributes)}{self.honesty.doubt}"

    def columns(self, level: float = 0.95, simultaneous: bool = False) -> Columns:
        """Counts, errors and the ends of intervals, in users within 0..n; as `Tabulated`.

        Args:
            level: of the intervals, in (0, 1).
            simultaneous: whether they hold for all rows at once.
        """
        within = 0.0, float(self.found.n)
        return normal_columns(self.counts, self.std_error, level, simultaneous, within)

    def __repr__(self) -> str:
        return f"<JointTable of {self.heading}>"


@dataclass(frozen=True, eq=False, repr=False)
class Conditional(Tabulated):
    """Shares, in the population, of each value of an attribute among those with others' values.

    Labels are "value | given value", or "value | given value, given value".

    Attributes:
        found: the reports. name: of the attribute. given: names of the others.
    """

    found: TableEstimate
    name: str
    given: Names

    quantity: ClassVar[str] = "share"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the cells: all values, for each given value in turn."""
        labels, base = self.found.labels, self.found.table(*self.given)
        return tuple(f"{b} | {a}" for a in base.names for b in labels[self.name])

    @property
    def honesty(self) -> Honesty:
        """The tests whether the reports on all views are as honest ones would be."""
        return self.found.honesty

    @property
    def heading(self) -> str:
        """The users and the attributes."""
        return (
            f"{self.found.n:,} users, {self.name} given {', '.join(self.given)}{self.honesty.doubt}"
        )

    @cached_property
    def _parts(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Shares of pairs and of the given values; their variances and covariances, per pair."""
        found = self.found
        joint, base = found.table(*self.given, self.name), found.table(*self.given)
        rows = []
        for cell in product(*map(range, joint.shares.shape)):
            above, below = (joint, cell, 1.0), (base, cell[:-1], 1.0)
            up, down = found._variance([above], True), found._variance([below], True)
            apart = found._variance([above, (base, cell[:-1], -1.0)], True)
            shares = joint.shares[cell], base.shares[cell[:-1]]
            rows.append((*shares, up, down, (up + down - apart) / 2))
        return tuple(np.array(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]  # five columns

    def columns(self, level: float = 0.95, simultaneous: bool = False) -> Columns:
        """Shares, errors of the linearised ratio, and Fieller's intervals, within 0..1.

        An interval has every ratio r at which pair - r given is no farther from 0 than its error
        allows. So it holds however few users have the given value, and is all of 0..1 where perhaps
        nobody has it. A pair is no rarer than 0 and no more frequent than the given value, so the
        nearest such share stands for the pair's: an interval is never a point. Args and Raises: as
        `Tabulated`.
        """
        check_level(level)
        check_kind("simultaneous", simultaneous, bool)
        above, below, up, down, both = self._parts
        z = quantile(level, len(above) if simultaneous else 1)
        known = below > 0
        safe = np.where(known, below, 1.0)
        above = np.where(known, np.clip(above, 0.0, safe), above)
        ratio = np.clip(above / safe, 0.0, 1.0)
        error = np.sqrt(np.maximum(up - 2 * ratio * both + ratio**2 * down, 0.0)) / safe
        lead = below**2 - z**2 * down
        cross, last = above * below - z**2 * both, above**2 - z**2 * up
        bounded = known & (lead > 0)
        width = np.sqrt(np.maximum(cross**2 - lead * last, 0.0))
        divisor = np.where(bounded, lead, 1.0)
        low = np.where(bounded, (cross - width) / divisor, 0.0)
        high = np.where(bounded, (cross + width) / divisor, 1.0)
        nan = np.where(known, 0.0, math.nan)
        return ratio + nan, error + nan, np.clip(low, 0, 1), np.clip(high, 0, 1)

    def __repr__(self) -> str:
        return f"<Conditional shares of {self.heading}>"


class Independence(NamedTuple):
    """A test of independence of two attributes.

    Attributes:
        first, second: their names.
        deviations: (value, value) -> how many standard errors the share lies above the product.
    """

    first: str
    second: str
    deviations: Mapping[tuple[Label, Label], float]

    @property
    def p_value(self) -> float:
        """The p-value of the largest deviation, for all cells together (Bonferroni)."""
        largest = max(map(abs, self.deviations.values()))
        return min(1.0, math.erfc(largest / math.sqrt(2)) * len(self.deviations))

    def rejected(self, significance: float) -> bool:
        """Return whether independence is rejected.

        Args:
            significance: of the test, in (0, 1).

        Raises:
            ParameterError: `significance` is not in (0, 1).
        """
        check_level(significance, "significance")
        return self.p_value <= significance

    def differing(self, significance: float = 0.05) -> tuple[tuple[Label, Label], ...]:
        """The cells that deviate, at this significance for all together. Raises: as `rejected`.

        Args:
            significance: of the test, in (0, 1).
        """
        check_level(significance, "significance")
        most: Iterable[tuple[tuple[Label, Label], float]] = self.deviations.items()
        bound = significance / len(self.deviations)
        return tuple(cell for cell, z in most if math.erfc(abs(z) / math.sqrt(2)) <= bound)
