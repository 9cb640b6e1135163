"""Tables of several attributes of an estimate, whatever the reports were on.

A subclass says the shares of a table and the variance of sums of them. The rest follows: tables,
shares given a value, tests of independence and a small Bayesian network.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.joint_table import Conditional, Independence, JointTable
from ldp_verified.protocols.network import Network, fitted_network

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.honest import Honesty
    from ldp_verified.run.realize.values import Label

    Floats = NDArray[np.float64]
    Names = tuple[str, ...]
    Parts = list[tuple[JointTable, tuple[int, ...], float]]


class TableEstimate(ABC):
    """Estimates of tables of attributes that some view has together.

    Attributes:
        n: the number of users. labels: name -> labels, in order. views: sets of names.
    """

    n: int
    labels: Mapping[str, tuple[Label, ...]]
    views: tuple[Names, ...]

    @property
    @abstractmethod
    def honesty(self) -> Honesty:
        """Tests of the reports."""

    @abstractmethod
    def _shares(self, names: Names) -> Floats:
        """Estimated shares of all cells of a table, in its shape."""

    @abstractmethod
    def _variance(self, parts: Parts, population: bool = False) -> float:
        """The variance of a sum of shares of cells, each times a factor.

        Args:
            parts: (table, cell, factor). population: add what all users as a sample add.
        """

    def table(self, *names: str) -> JointTable:
        """Estimate how many users have each combination of values of some attributes.

        Args:
            names: of attributes that one view has together.

        Raises:
            ParameterError: no such names, one stands there twice, or no view has all of them.
        """
        return JointTable(self, self._checked(names))

    def conditional(self, name: str, given: str | Sequence[str]) -> Conditional:
        """The share of each value of one attribute among those with values of others.

        The population is meant that the users are drawn from.

        Args:
            name: of the attribute whose shares are wanted.
            given: of the other one, or of several others that one view has together with it.

        Raises:
            ParameterError: as `table`.
        """
        others = (given,) if isinstance(given, str) else given
        plain = isinstance(others, list | tuple) and all(isinstance(each, str) for each in others)
        if not plain or not given:
            raise ParameterError("given", "must be a name, or a list or tuple of names", given)
        self._checked((*others, name))
        return Conditional(self, name, tuple(others))

    def independent(self, first: str, second: str) -> Independence:
        """Test whether two attributes are independent in the population the users are drawn from.

        Each cell's count is compared with the product of its margins over n, by the error of the
        linearised difference. The p-value is that of the largest of them, times the cells
        (Bonferroni). Its level is that of a normal approximation, and holds whatever the
        correlations are.

        Raises:
            ParameterError: as `table`.
        """
        self._checked((first, second))
        joint, one, two = self.table(first, second), self.table(first), self.table(second)
        table = (joint.counts / self.n).reshape(self._shape((first, second)))
        rows, columns = one.counts / self.n, two.counts / self.n
        found: dict[tuple[Label, Label], float] = {}
        for (i, a), (j, b) in product(*(enumerate(self.labels[each]) for each in (first, second))):
            parts = [
                (joint, (i, j), 1.0),
                (one, (i,), -float(columns[j])),
                (two, (j,), -float(rows[i])),
            ]
            error = math.sqrt(self._variance(parts, population=True))
            away = float(table[i, j] - rows[i] * columns[j])
            found[a, b] = away / error if error else 0.0
        return Independence(first, second, found)

    def network(self, significance: float = 0.01) -> Network:
        """A small Bayesian network. Args and Raises: as `network.fitted_network`."""
        return fitted_network(self, significance)

    def _checked(self, names: tuple[str, ...]) -> Names:
        unknown = [each for each in names if not isinstance(each, str) or each not in self.labels]
        if not names or unknown or len(set(names)) < len(names):
            rule = f"must be among {', '.join(self.labels)}, each once"
            raise ParameterError("names", rule, unknown[0] if unknown else names)
        if not any(set(names) <= set(view) for view in self.views):
            raise ParameterError("names", "must be together in one of the views", names)
        return tuple(names)

    def _shape(self, names: Names) -> tuple[int, ...]:
        return tuple(len(self.labels[name]) for name in names)

    def _spread(self, parts: Parts) -> float:
        """The variance among users of the cells asked for: of one table, a bound from below."""
        if len(parts) > 1:
            return 0.0
        table, cell, factor = parts[0]
        share = float(np.clip(table.shares[cell], 0.0, 1.0))
        return factor**2 * share * (1 - share)
