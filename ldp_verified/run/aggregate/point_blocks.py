"""Points of several projective spaces, called blocks: their layout, and the oracle of their counts.

A report on x's block says something of x even where it is not orthogonal to x, so a count adds up
two numbers: reports orthogonal to x, and reports on x's block. Both are in one integer here,

    score of x = r (reports orthogonal to x) - both (reports on x's block),

where r points of a block are orthogonal to one, and `both` to two. Its mean is the same for all
users who do not hold x (`hpgr_count` of `spec/hpgr.py`); its variance is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.layouts import Indexed, Unsigned
from ldp_verified.run.aggregate.structured import PointLayout
from ldp_verified.run.kernels import hyperplanes
from ldp_verified.run.kernels.orthogonal import orthogonal_sums
from ldp_verified.run.kernels.transform import inner_products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Counters, Floats

    Integers = NDArray[np.int64]

SMALL = 256
"""Up to so many points of a block a matrix says which are orthogonal, for all blocks at once."""


@dataclass(frozen=True)
class PointBlocksLayout(Indexed):
    """A report is a point of one of several spaces: b (points of a block) + the point's number.

    Attributes:
        k: the number of values; ceil(k / blocks) in each block, in the last ones fewer.
        prime: q. dimension: t, digits of a vector. blocks: how many spaces there are.
    """

    k: int
    prime: int
    dimension: int
    blocks: int

    @property
    def size(self) -> int:
        """Values of a block."""
        return -(-self.k // self.blocks)

    @property
    def points(self) -> int:
        """B, points of a block."""
        return hyperplanes.points(self.prime, self.dimension)

    @property
    def counters(self) -> int:
        """All points of all blocks."""
        return self.blocks * self.points

    @property
    def orthogonal(self) -> int:
        """r, points of a block that are orthogonal to one of them."""
        return hyperplanes.points(self.prime, self.dimension - 1)

    @property
    def both(self) -> int:
        """Points of a block that are orthogonal to two of them."""
        return hyperplanes.points(self.prime, self.dimension - 2)

    def on_block(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which (checked) reports are points of a value's block."""
        return np.asarray(data.astype(np.int64) // self.points == value // self.size)

    def holds(self, data: Unsigned, value: int) -> NDArray[np.bool_]:
        """Return which (checked) reports are points of a value's block, and orthogonal to it."""
        one = PointLayout(self.points, self.prime)
        vectors = one.vectors(data.astype(np.int64) % self.points)
        (row,) = inner_products(one.vectors(np.array([value % self.size])), vectors, self.prime)
        return np.asarray((row == 0) & self.on_block(data, value))

    def sums(self, counters: Integers) -> Integers:
        """The sum of counters orthogonal to each point of each block: int64 (blocks, B).

        Args:
            counters: int64 (counters,).
        """
        table = counters.reshape(self.blocks, self.points)
        if self.points > SMALL:
            return np.stack([orthogonal_sums(row, self.prime) for row in table])
        vectors = PointLayout(self.points, self.prime).vectors(np.arange(self.points))
        met = inner_products(vectors, vectors, self.prime) == 0
        return np.asarray(table @ met.astype(np.int64))

    def supports(self, counters: Integers) -> Integers:
        """The score of each value, int64 (k,).

        Raises:
            ParameterError: there are too many reports for scores of 63 bits.
        """
        counters = np.asarray(counters, dtype=np.int64)
        n = int(counters.sum())
        if n * self.orthogonal >= 1 << 62:
            rule = f"must be of fewer than 2^62 / {self.orthogonal} reports"
            raise ParameterError("counters", rule, n)
        on_block = counters.reshape(self.blocks, self.points).sum(axis=1, keepdims=True)
        scores = self.orthogonal * self.sums(counters)[:, : self.size] - self.both * on_block
        return np.asarray(scores.reshape(-1)[: self.k])

    def of_outputs(self, places: Integers) -> Integers:
        """The amount that one report of each output adds to the scores of some values: (counters,).

        Args:
            places: the values, each once.
        """
        marks = np.zeros((self.blocks, self.points), dtype=np.int64)
        marks[places // self.size, places % self.size] = 1
        met = self.sums(marks.reshape(-1))
        return np.asarray(self.orthogonal * met - self.both * marks.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class BlockOracle:
    """An oracle whose variance depends on how many users hold other values of the same block.

    Attributes:
        identity: which reports belong to it.
        layout: how they lie in an array.
        p_star: the mean of what a report of who holds x adds to the score of x. q_star: of who does
            not.
        stranger, neighbour, held: the variance of what one user adds to the estimated count of x:
            one who holds a value of another block, another value of x's block, or x.
        labels: of the k values, in order; None for 0, ..., k - 1.
    """

    identity: Identity
    layout: PointBlocksLayout
    p_star: Fraction
    q_star: Fraction
    stranger: Fraction
    neighbour: Fraction
    held: Fraction
    labels: tuple[str | int, ...] | None = None
    exclusive: ClassVar[bool] = True

    @property
    def k(self) -> int:
        """The number of values."""
        return self.layout.k

    @property
    def no_estimator(self) -> None:
        """Return None, as there is an estimator: p* exceeds q*."""
        return

    def implausible(self, n: int, counters: Counters) -> None:
        """Return None: that every report is counted once is all that is asked."""
        del n, counters

    def estimated(self, n: int, counters: Counters) -> Floats:
        """(score - n q*) / (p* - q*)."""
        # n q* is split at the integer: the subtraction is exact and only the last steps round.
        whole, part = divmod(n * self.q_star, 1)
        exact = (counters - whole).astype(np.float64)
        return np.asarray((exact - float(part)) / float(self.p_star - self.q_star))

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The variance at the shares and those of the blocks, all clipped to [0, 1]."""
        del n
        layout = self.layout
        padded = np.zeros(layout.blocks * layout.size)
        padded[: self.k] = shares
        of_blocks = padded.reshape(layout.blocks, layout.size).sum(axis=1)
        own = np.clip(shares, 0.0, 1.0)
        block = np.repeat(np.clip(of_blocks, 0.0, 1.0), layout.size)[: self.k]
        beside = np.maximum(block - own, 0.0)
        stranger, neighbour, held = map(float, (self.stranger, self.neighbour, self.held))
        rest = np.maximum(1.0 - own - beside, 0.0)
        return np.asarray(held * own + neighbour * beside + stranger * rest)

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """The variance line if all others hold values of the same block: the largest variance.

        Args:
            n: number of users.
        """
        del n
        absent = float(self.neighbour)
        return np.asarray(absent), np.asarray(float(self.held - self.neighbour))

    @property
    def half_step(self) -> Floats:
        """Half of the most that one report in the place of another changes."""
        return np.asarray(float(Fraction(self.layout.orthogonal, 2) / (self.p_star - self.q_star)))
