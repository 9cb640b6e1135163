"""Estimated counts of boxes, from the cells of all groups of users by least squares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.combined import noise_and_draw
from ldp_verified.run.aggregate.tabulated import TableRow, normal_row
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.protocols.range_grid_fit import GridFit, Hierarchy
    from ldp_verified.run.aggregate.estimate import Estimate


@dataclass(frozen=True, eq=False, repr=False)
class BoxEstimate:
    """The estimate of boxes, from the reports of the groups.

    Given how many users each group has, counts are unbiased; they may fall below 0. All boxes agree
    with each other: counts of boxes that make up another one sum to its count.

    Attributes:
        n: the number of users. trees: name -> the hierarchy of the attribute.
        own: the levels of a group -> the estimate of its cells, among its users. fit: of them.
    """

    n: int
    trees: Mapping[str, Hierarchy]
    own: Mapping[tuple[int, ...], Estimate]
    fit: GridFit

    def __repr__(self) -> str:
        return f"<BoxEstimate of {self.n:,} users: {', '.join(self.trees)}>"

    def count(self, ranges: Mapping[str, tuple[int, int]], level: float = 0.95) -> TableRow:
        """Estimate how many users lie in a box.

        `count({"hour": (6, 9), "delay": (15, 59)})`; an attribute without a range is not looked at.

        The standard error counts the noise of reports and the draw of groups. Users of different
        groups are different ones. So what each group adds is added up, less what all users together
        differ by. Within a group it has the covariances of the table; for mechanisms without known
        covariances it is a bound.

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
        pairs = [ends[name] for name in self.trees]
        share, noise, draw = self.fit.known(pairs), 0.0, 0.0
        whole = all(ends[name] == (0, tree.k) for name, tree in self.trees.items())
        for group, own in () if whole else self.own.items():
            weights = self.fit.weights(pairs, group).reshape(-1)
            share += float(weights @ own.shares)
            reported, drawn = noise_and_draw(own, weights)
            noise, draw = noise + reported / own.n, draw + drawn / own.n
        inside = min(max(share, 0.0), 1.0)
        variance = noise + max(draw - inside * (1 - inside) / self.n, 0.0)
        value, error = (self.n, 0.0) if whole else (self.n * share, self.n * math.sqrt(variance))
        label = ", ".join(f"{name} {first}..{past - 1}" for name, (first, past) in ends.items())
        return normal_row(label, value, error, level, self.n)

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
