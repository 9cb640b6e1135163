"""Tables of yes/no attributes from estimated Hadamard coefficients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols.joint_estimate import subsets
from ldp_verified.protocols.table_estimate import TableEstimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.table_estimate import Parts
    from ldp_verified.run.aggregate.honest import Honesty
    from ldp_verified.run.realize.values import Label

    Floats = NDArray[np.float64]
    Names = tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ParityEstimate(TableEstimate):
    """The estimate of tables of attributes, from reports on parities.

    Given how many users each set has, counts are unbiased. Errors count the noise and the draw.

    Attributes:
        n: the number of users. labels: name -> its labels (0, 1). views: the sets.
        users: of each set, int64 (sets,). coefficients: the mean of -1 to the parity of each set,
            estimated, float64 (sets,). gain: P(a parity is sent as it is) less P(it is not).
        tests: of the reports.
    """

    n: int
    labels: Mapping[str, tuple[Label, ...]]
    views: tuple[Names, ...]
    users: NDArray[np.int64]
    coefficients: Floats
    gain: float
    tests: Honesty

    @property
    def honesty(self) -> Honesty:
        """Tests of the reports: of each set, and whether as many users drew it as others."""
        return self.tests

    def __repr__(self) -> str:
        names = ", ".join(self.labels)
        return f"<ParityEstimate of {self.n} users: {len(self.views)} parities of {names}>"

    @cached_property
    def _places(self) -> dict[frozenset[str], int]:
        return {frozenset(view): place for place, view in enumerate(self.views)}

    def _shares(self, names: Names) -> Floats:
        """The inverse transform: estimated shares of all cells of a table, in its shape."""
        total = np.ones((2,) * len(names))
        for kept in subsets(names)[1:]:
            signs = np.ones(())
            for name in names:
                own = np.array([1.0, -1.0]) if name in kept else np.ones(2)
                signs = np.multiply.outer(signs, own)
            total += float(self.coefficients[self._places[frozenset(kept)]]) * signs
        return total / total.size

    def _variance(self, parts: Parts, population: bool = False) -> float:
        """The variance of a sum of shares of cells, each times a factor.

        Users of a set are a part of all, and those of different sets do not overlap. A user's sign,
        over the gain, has the mean square 1/gain^2, and the mean of the users' is the coefficient.
        So a set of weight w adds w^2 (1/gain^2 - coefficient^2)/users, and less the variance of the
        sum among all users, over n.

        Args:
            parts: (table, cell, factor). population: add what all users as a sample add.
        """
        weights: dict[frozenset[str], float] = {}
        for table, cell, factor in parts:
            at = dict(zip(table.attributes, cell, strict=True))
            for kept in subsets(table.attributes)[1:]:
                sign = -1.0 if sum(at[name] for name in kept) % 2 else 1.0
                own = frozenset(kept)
                more = sign * factor / (1 << len(at))
                weights[own] = weights.get(own, 0.0) + more
        places = np.array([self._places[own] for own in weights])
        means = np.clip(self.coefficients[places], -1.0, 1.0)
        squares = np.array(list(weights.values())) ** 2
        total = float(squares @ ((self.gain**-2 - means**2) / self.users[places]))
        return max(total - (0.0 if population else self._spread(parts) / self.n), 0.0)

    def coefficient(self, *names: str) -> tuple[float, float]:
        """The mean of -1 to the number of these attributes that a user has, and its error.

        Args:
            names: of attributes that are a set together.

        Returns:
            The estimate, and its standard error.

        Raises:
            ParameterError: as `table`.
        """
        place = self._places[frozenset(self._checked(names))]
        value = float(self.coefficients[place])
        spread = (self.gain**-2 - min(1.0, value**2)) / float(self.users[place])
        # The mean among all users is known to be within 1: so much of it is no error.
        return value, math.sqrt(max(spread - (1 - min(1.0, value**2)) / self.n, 0.0))
