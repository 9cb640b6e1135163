"""Estimated counts of boxes, made of the cells of several groups of users."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.combined import combination
from ldp_verified.run.aggregate.tabulated import TableRow, quantile
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.protocols.range_cover import Hierarchy
    from ldp_verified.run.aggregate.estimate import Estimate


@dataclass(frozen=True, eq=False, repr=False)
class BoxEstimate:
    """The estimate of boxes, from the reports of the groups.

    Counts are unbiased and may fall below 0. Boxes do not agree with each other where they are made
    of different cells.

    Attributes:
        n: the number of users. trees: name -> the hierarchy of the attribute.
        own: the levels of a group -> the estimate of its cells, for all n users.
    """

    n: int
    trees: Mapping[str, Hierarchy]
    own: Mapping[tuple[int, ...], Estimate]

    def __repr__(self) -> str:
        return f"<BoxEstimate of {self.n:,} users: {', '.join(self.trees)}>"

    def count(self, ranges: Mapping[str, tuple[int, int]], level: float = 0.95) -> TableRow:
        """Estimate how many users lie in a box.

        `count({"hour": (6, 9), "delay": (15, 59)})`; an attribute without a range is not looked at.

        The standard error counts the noise of reports and the draw of groups. Cells of a box share
        no value, and a user reports on one of them at most; so what groups add is uncorrelated, and
        variances of groups are added up. Within a group it has the covariances of the table.

        Args:
            ranges: name -> (first, last), values in order, both included. They are fixed before the
                reports are looked at.
            level: of the interval, in (0, 1), by normal approximation.

        Returns:
            The count, its standard error, and the interval cut to 0..n.

        Raises:
            ParameterError: no such attribute or values, or `level` is not in (0, 1).
        """
        ends = self._checked(ranges)
        covers = [tree.cover(*ends[name]) for name, tree in self.trees.items()]
        whole = all(ends[name] == (0, tree.k) for name, tree in self.trees.items())
        value, variance = 0.0, 0.0
        for group in product(*(range(len(cover)) for cover in covers)):
            nodes = [cover[level] for cover, level in zip(covers, group, strict=True)]
            if not all(map(len, nodes)):
                continue
            if whole:
                value += self.n
                continue
            own = self.own[group]
            shape = [
                tree.nodes(level) for tree, level in zip(self.trees.values(), group, strict=True)
            ]
            weights = np.zeros(math.prod(shape))
            weights[np.ravel_multi_index(np.ix_(*nodes), shape).reshape(-1)] = 1.0
            part = combination(own.oracle, self.n, own.counts, own.std_error, weights)
            value += part.value
            variance += part.std_error**2
        error = math.sqrt(variance)
        reach = quantile(level) * error
        low, high = (min(max(end, 0.0), float(self.n)) for end in (value - reach, value + reach))
        label = ", ".join(f"{name} {first}..{past - 1}" for name, (first, past) in ends.items())
        return TableRow(label, value, error, low, high)

    def _checked(self, ranges: object) -> dict[str, tuple[int, int]]:
        """Name -> (the first value, the one after the last)."""
        if not isinstance(ranges, Mapping):
            raise ParameterError("ranges", "must be a mapping from names", type(ranges))
        unknown = [name for name in ranges if name not in self.trees]
        if unknown:
            raise ParameterError("ranges", f"must be of {', '.join(self.trees)}", unknown[0])
        found = {}
        for name, tree in self.trees.items():
            given = ranges.get(name, (0, tree.k - 1))
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise ParameterError(name, "must be (first, last)", type(given))
            first = check_integer(f"{name}[0]", given[0], 0, tree.k - 1)
            found[name] = first, check_integer(f"{name}[1]", given[1], first, tree.k - 1) + 1
        return found
