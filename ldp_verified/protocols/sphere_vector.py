"""Vectors of bounded length: the mean of vectors in a ball, from an index among public directions.

A user draws a seed, which is public and from which lines through 0 follow, and goes to the unit
vector +-x/|x| at random so that the mean is kept. Of the two directions of each line the `favoured`
nearest are likelier, by `favoured_sampler`: spec/sphere_vector.py. The report is the seed and one
direction. Privacy is that of the integers compared there, whatever the lines are and however inner
products are rounded. That the estimate is unbiased rests on lines that are uniform, which floating
point numbers from a pseudorandom generator are nearly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, ReportError
from ldp_verified.protocols.sphere_client import SphereClient
from ldp_verified.protocols.sphere_gain import MOST_LINES, best_cap, enough_lines, gains
from ldp_verified.protocols.sphere_state import SphereState
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.layouts import check_report_array
from ldp_verified.run.aggregate.reports import Reports, batches_of
from ldp_verified.run.kernels.directions import nearness, of_ranks, scaled_lengths
from ldp_verified.run.kernels.favoured import favoured_sampler
from ldp_verified.run.kernels.rounding import UNIT, round_to_grid
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.program.favoured import favoured_rank
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.real_numbers.bounded import check_bounds
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import WIDTH, log_up
from ldp_verified.run.realize.values import number_array, vector_rows
from ldp_verified.scalars import is_number, nearest_float

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.means import VectorEstimate
    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserVectors

MOST_D = 1 << 14
INDEX_BITS = 8
"""The number of bits of a report that say the direction; the other bits are the seed."""

LARGEST_RADIUS = 1e139
"""The largest radius; its inverse is the smallest one. A double holds the squares of both."""

SLACK = 1 + 2.0**-40
"""A vector may be longer than the radius by this factor, since lengths are rounded."""


@dataclass(frozen=True, repr=False)
class SphereVector:
    """A randomizer of vectors of d numbers of length at most `radius`, for their mean.

    Attributes:
        epsilon: of the whole vector, in nats. d: its length, 1..16384.
        radius: of the ball that vectors lie in, in the users' units.
        lines: L, 1..128; None for the fewest of 1, 2, 4, ... of whose 2 L directions the error is
            at most 1.15 times that of PrivUnit with its best cap. More take longer to draw.

    Raises:
        ParameterError: a parameter outside its range, or an epsilon below what 64 bits can hold.
    """

    epsilon: float
    d: int
    radius: float = 1.0
    lines: int | None = None
    favoured: int = field(init=False, compare=False)
    _inside: int = field(init=False, compare=False)

    law_sha256: ClassVar[str] = "18b05304cf57b00ef71d00bf2a1660d7ea0d88bf09875adf3ced8d9a9c54a70d"

    def __post_init__(self) -> None:
        """Check the parameters, choose m, and round the probability of favoured ones down."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "d", check_integer("d", self.d, 1, MOST_D))
        object.__setattr__(self, "radius", _radius(self.radius))
        if self.lines is None:
            object.__setattr__(self, "lines", enough_lines(self.epsilon, self.d))
        else:
            object.__setattr__(self, "lines", check_integer("lines", self.lines, 1, MOST_LINES))
        m = int(gains(self.epsilon, self._lines, self.d).argmax()) + 1
        object.__setattr__(self, "favoured", m)
        odds = Fraction(self.directions - m, m)

        def attempt() -> int | None:
            t = (-balls.ball(self.epsilon)).exp() * balls.ball(odds)
            return balls.ceil_scaled(t / (1 + t), WIDTH)

        object.__setattr__(self, "_inside", (1 << WIDTH) - balls.decide(attempt))
        if self.u <= 1:
            rule = f"must be larger for {self.lines} lines"
            raise ParameterError("epsilon", rule, self.epsilon)

    @property
    def _lines(self) -> int:
        return int(self.lines or 1)

    @property
    def directions(self) -> int:
        """The number K of directions: two for each line."""
        return 2 * self._lines

    @property
    def u(self) -> Fraction:
        """The realized worst ratio: of a favoured direction to another one; at most e^epsilon."""
        m = self.favoured
        rest = (1 << WIDTH) - self._inside
        return Fraction(self._inside * (self.directions - m), rest * m)

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized epsilon; never above `epsilon`."""
        return log_up(self.u)

    @property
    def gap(self) -> float:
        """The part of epsilon that rounding leaves unused, `epsilon - realized_epsilon`."""
        return self.epsilon - self.realized_epsilon

    @property
    def saturated(self) -> bool:
        """Return whether the realized epsilon is short of the claim by more than a share 2^-20."""
        return self.gap > self.epsilon / (1 << 20)

    @property
    def bits_per_report(self) -> int:
        """Bits of a report: those of the seed and of the direction."""
        return 64

    @cached_property
    def gain(self) -> float:
        """The mean inner product of a unit vector and the direction named, at the realized u."""
        return float(gains(self.realized_epsilon, self._lines, self.d)[self.favoured - 1])

    def pmf(self, rank: int) -> Fraction:
        """P(the direction of this rank by nearness to the unit vector is named), realized.

        Args:
            rank: 0 for the nearest, below `directions`.

        Raises:
            ParameterError: there is no such rank.
        """
        number = check_integer("rank", rank, 0, self.directions - 1)
        total = (self.u - 1) * self.favoured + self.directions
        return (self.u if number < self.favoured else Fraction(1)) / total

    def variance(self, length: float = 0.0) -> float:
        """The mean squared distance of what one report says from the user's vector.

        Args:
            length: of the vector, in the users' units.

        Returns:
            radius^2/gain^2 - length^2, in squared units: with n users the squared distance of the
            estimated mean from theirs is the mean of this over n.

        Raises:
            DomainError: `length` is not in 0..radius.
        """
        given = float(number_array(length, 0))
        if not 0 <= given <= self.radius * SLACK:
            raise DomainError("length", f"must be in 0..{self.radius}")
        return (self.radius / self.gain) ** 2 - given**2

    @property
    def worst_variance(self) -> float:
        """Return the largest variance, which is that of the vector 0."""
        return self.variance(0.0)

    @property
    def least_variance(self) -> float:
        """The variance of PrivUnit at its best cap: no unbiased one is less on the sphere."""
        return (self.radius / best_cap(self.epsilon, self.d).gain) ** 2

    def influence(self) -> Influence:
        """Return what one report, honest or not, can add to the estimated sum of a coordinate.

        In the users' units: a client that lies looks for a seed whose line is nearly an axis.
        """
        reach = Fraction(self.radius) / Fraction(self.gain)
        return Influence(-reach, reach)

    def sampler(self) -> Sampler:
        """The kernel that draws ranks by nearness."""
        return favoured_sampler(self.directions, self.favoured, self._inside)

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted by this mechanism."""
        items = {"d": self.d, "epsilon": self.epsilon, "lines": self._lines, "radius": self.radius}
        parameters = tuple(sorted(items.items()))
        thresholds = (self._inside, self.favoured)
        return Identity("SphereVector", parameters, self.law_sha256, thresholds)

    def privatize(self, values: UserVectors, rng: Rng = None) -> Reports:
        """Randomize vectors, one report each.

        Args:
            values: finite numbers, shape (n, d), or (d,) for one vector; of length at most `radius`
                each, up to rounding in the precision of the array.
            rng: None for the secure source. A seed or numpy Generator is for simulation: the
                reports are marked and protect nobody.

        Raises:
            DomainError: another shape, or a vector that is too long; nothing is drawn then.
        """
        rows, lengths = self.held(values)
        source = word_source(rng, "privatize", *self.identity.named)
        return self._drawn(rows, lengths, source)

    def client(self) -> SphereClient:
        """One user's side: an object whose `report(vector)` draws one report, quickly.

        It gives the integer of a report without the identity that `Reports` carries.
        """
        return SphereClient(self)

    def draws(self) -> Program:
        """The program of what a report is drawn from: the seed, a sign, and a rank.

        It reads a position, (1 + length/radius)/2 of 2^52. It is no program of a whole report:
        which direction has the rank is found in floating point numbers.
        """
        name, ranks = "sphere_vector", self.directions
        return favoured_rank(name, ranks, self.favoured, self._inside, INDEX_BITS)

    def held(self, values: UserVectors) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Vectors as rows, and their lengths in units of the radius.

        Args:
            values: as in `privatize`.

        Raises:
            DomainError: another shape, or a vector that is too long.
        """
        array = number_array(values, 2)
        rows = vector_rows(array, self.d)
        lengths = scaled_lengths(rows, self.radius)
        if not (lengths <= _slack(values, self.d)).all():
            raise DomainError("values", f"must have length at most {self.radius}")
        return rows, lengths

    def positions(self, lengths: NDArray[np.float64]) -> NDArray[np.int64]:
        """The chance that a vector goes to its own direction and not to the opposite, of 2^52.

        Args:
            lengths: in units of the radius, shape (n,).
        """
        return np.rint((1 + np.minimum(lengths, 1.0)) / 2 * UNIT).astype(np.int64)

    def _drawn(
        self, rows: NDArray[np.float64], lengths: NDArray[np.float64], source: WordSource
    ) -> Reports:
        n = len(rows)
        seeds = source.words(n) >> np.uint64(INDEX_BITS)
        signs = 2 * round_to_grid(self.positions(lengths), 1, source) - 1
        ranks = self.sampler().draw(np.zeros(n, dtype=np.int64), source).astype(np.int64)
        data = self.named(rows, lengths, seeds, signs, ranks)
        return Reports(data, self.identity, bool(source.simulated))

    def named(
        self,
        rows: NDArray[np.float64],
        lengths: NDArray[np.float64],
        seeds: NDArray[np.uint64],
        signs: NDArray[np.int64],
        ranks: NDArray[np.int64],
    ) -> NDArray[np.uint64]:
        """The reports that name the directions of given ranks, uint64 (n,).

        Args:
            rows, lengths: of the vectors, as `held` gives them. seeds: below 2^56.
            signs: 1 for +x/|x|, -1 for its opposite. ranks: by nearness to that, from 0.
        """
        near = nearness(rows, seeds, self._lines, self.radius, lengths) * signs[:, np.newaxis]
        return (seeds << np.uint64(INDEX_BITS)) | of_ranks(near, ranks).astype(np.uint64)

    def split(self, data: NDArray[Any]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The seeds and the directions of raw reports: 2 j is line j, 2 j + 1 its opposite.

        Args:
            data: one axis of uint64.

        Raises:
            ReportError: it is something else.
        """
        if check_report_array("data", data, 1).dtype != np.uint64:
            raise ReportError("data", "must be one axis of uint64", data.dtype)
        directions = (data & np.uint64((1 << INDEX_BITS) - 1)).astype(np.int64)
        if len(data) and int(directions.max()) >= self.directions:
            raise ReportError("data", f"must name a direction below {self.directions}")
        return data >> np.uint64(INDEX_BITS), directions

    def reports(self, array: NDArray[Any], simulated: bool) -> Reports:
        """Wrap raw reports, read from a file, say; checked and copied.

        Args:
            array: of this mechanism's layout.
            simulated: whether a seed or a generator drew them: only who drew them knows.

        Raises:
            ReportError: wrong type, shape or range.
        """
        self.split(array)
        return Reports(array.copy(), self.identity, simulated)

    def empty(self, simulated: bool = False) -> SphereState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated reports, which protect nobody, or real ones. It
                refuses the other kind.
        """
        return SphereState(self, 0, (0,) * self.d, (0,) * self.d, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> SphereState:
        """A state of this mechanism that `SphereState.save` wrote: see `Saved.load`."""
        return SphereState.load(path, self, implausible=implausible)

    def aggregate(
        self, reports: Reports | Iterable[Reports], simulated: bool = False
    ) -> SphereState:
        """Count a batch of reports, or an iterable of batches.

        Args:
            reports: as they come from `privatize`, or from files. simulated: as in `empty`.

        Raises:
            ReportError: reports that are malformed or belong to another mechanism.
        """
        state = self.empty(simulated)
        for batch in batches_of(reports):
            state = state.update(batch)
        return state

    def mean_estimate(
        self, reports: Reports | Iterable[Reports], simulated: bool = False
    ) -> VectorEstimate:
        """The means of the users' coordinates, with their standard errors.

        Args:
            reports, simulated: as in `aggregate`.

        Raises:
            ReportError: as in `aggregate`.
        """
        return self.aggregate(reports, simulated).estimate()

    def __reduce__(self) -> tuple[Any, ...]:
        # Rebuilt from its arguments: what is drawn from is never taken from a pickle.
        return type(self), (self.epsilon, self.d, self.radius, self.lines)

    def __repr__(self) -> str:
        note = ", saturated=True" if self.saturated else ""
        shown = f"epsilon={self.epsilon!r}, d={self.d}, radius={self.radius!r}, lines={self.lines}"
        return f"SphereVector({shown}, realized_epsilon={self.realized_epsilon!r}{note})"


def _slack(values: object, d: int) -> float:
    """How long a vector may be by rounding, as a share of the radius.

    Numbers that came in single or half precision were rounded in it, and so was each of the d sums
    by which somebody divided them.
    """
    kind = getattr(values, "dtype", None)
    if kind in (np.float32, np.float16):
        return 1 + d * float(np.finfo(kind).eps)
    return SLACK


def _radius(given: object) -> float:
    if not is_number(given) or not given > 0:
        raise ParameterError("radius", "must be a finite number above 0", given)
    least, most = 1 / LARGEST_RADIUS, LARGEST_RADIUS
    if not least <= nearest_float(given) <= most:
        rule = f"must be in {least:g}..{most:g}, whose squares a double holds"
        raise ParameterError("radius", rule, given)
    return check_bounds((0, given))[1]
