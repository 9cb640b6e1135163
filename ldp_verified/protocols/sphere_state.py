"""The server's side of vectors in a ball: exact sums of the public directions that were named."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.sphere_gain import least_variances, mean_square
from ldp_verified.run.aggregate.exact_sums import ExactSums
from ldp_verified.run.aggregate.honest import Honesty, of_mean
from ldp_verified.run.aggregate.means import Variances, VectorEstimate, standard_errors
from ldp_verified.run.aggregate.origin import ReportOrigin, check_number
from ldp_verified.run.aggregate.reports import check_batch
from ldp_verified.run.kernels.directions import SCALE, added

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ldp_verified.protocols.sphere_vector import SphereVector
    from ldp_verified.run.aggregate.exact_sums import Ends
    from ldp_verified.run.aggregate.reports import Reports


@dataclass(frozen=True)
class SphereState(ExactSums):
    """Integer sums over reports; a commutative monoid under `merge`.

    Attributes:
        mechanism: whose reports. n: how many.
        totals: of each coordinate of the directions, in units of 2^-30.
        squares: of the coordinates' squares, likewise.
        simulated: whether they are simulated. batches: the ids of those that had one.
    """

    kind: ClassVar[str] = "directions"
    summed: ClassVar[tuple[str, ...]] = ("totals", "squares")

    mechanism: SphereVector
    n: int
    totals: tuple[int, ...]
    squares: tuple[int, ...]
    simulated: bool = False
    batches: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        """Refuse sums that no reports have.

        Raises:
            ParameterError: they are such ones.
        """
        ReportOrigin.checked(self.simulated, self.batches)
        check_number(self.n)
        d, most = self.mechanism.d, self.n * SCALE
        if {len(self.totals), len(self.squares)} != {d}:
            raise ParameterError("totals", f"must be {d}, one for each coordinate")
        if not all(abs(total) <= most for total in self.totals):
            raise ParameterError("totals", f"must be those of {self.n} directions")
        # Each direction has length 1, and each of its coordinates is rounded by half a unit.
        if min(self.squares) < 0 or abs(sum(self.squares) - most) > self.n * d:
            raise ParameterError("squares", f"must be those of {self.n} directions")

    @property
    def _ends(self) -> tuple[Ends, Ends]:
        one, mean = Fraction(1), Fraction(self.mechanism.gain)
        return (-one, one), (-mean, mean)

    def _means(self) -> Iterator[tuple[str, Fraction]]:
        for j, total in enumerate(self.totals):
            yield f"coordinate {j}", Fraction(total, SCALE)

    def update(
        self, reports: Reports, batch: str | None = None, repeated: str = "refuse"
    ) -> SphereState:
        """Add a batch in place; see `ExactSums.update`."""
        check_batch(self.mechanism.identity, reports)
        seeds, directions = self.mechanism.split(reports.data)
        totals, squares = added(seeds, directions, self.mechanism.d)
        sums = {"totals": totals.tolist(), "squares": squares.tolist()}
        return self._add(reports, sums, batch, repeated)

    def estimate(self) -> VectorEstimate:
        """The mean of each coordinate in the users' units, with errors as `VectorEstimate` says."""
        n, made = self.n, self.mechanism
        scale, bounds = made.radius / made.gain, (-made.radius, made.radius)
        means = np.array(self.totals, dtype=np.float64) / SCALE
        squares = np.array(self.squares, dtype=np.float64) / SCALE
        if n == 0:
            nothing = means * math.nan
            return VectorEstimate(0, nothing, nothing, bounds, (), self.honesty())
        means /= n
        spread = np.sqrt(np.maximum(squares / n - means**2, 0.0) / n) * scale
        means *= scale
        least = partial(least_variances, made=made, square=mean_square(made))
        noise = ((1 / n, Variances(least)),)
        errors = np.maximum(spread, standard_errors(np.clip(means, *bounds), noise))
        return VectorEstimate(n, means, errors, bounds, noise, self.honesty())

    def honesty(self) -> Honesty:
        """Test whether honest reports have such sums, whatever vectors their users hold."""
        if self.n == 0:
            return Honesty(())
        totals = [Fraction(total, SCALE) for total in self.totals]
        return Honesty((of_mean("directions", self.n, totals, *self._ends),))
