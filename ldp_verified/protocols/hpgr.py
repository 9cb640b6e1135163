"""Hybrid projective geometry response: many values in blocks, over a field of a few elements.

Declared in `spec/hpgr.py`. `PGR` is best with a
prime near e^epsilon + 1; its server's work grows with the prime, and the number of points jumps by
it from one dimension to the next. With h blocks a prime near (e^epsilon + 1)/h does.

Vitaly Feldman, Jelani Nelson, Huy Nguyen, Kunal Talwar (2022), Private Frequency Estimation via
Projective Geometry.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.influence import Influence, labels_to_places
from ldp_verified.run.aggregate.point_blocks import BlockOracle, PointBlocksLayout
from ldp_verified.run.kernels.cohorts import is_prime
from ldp_verified.run.kernels.hyperplanes import (
    MOST_POINTS,
    MOST_VECTORS,
    block_sampler,
    points,
)
from ldp_verified.run.program.hyperplanes import hyperplane
from ldp_verified.run.realize.parameters import LARGEST_N, check_integer, check_share
from ldp_verified.run.realize.programmed import ProgrammedRandomizer
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import all_known
from ldp_verified.run.realize.tables.numbers import Number, convert
from ldp_verified.run.realize.tables.realization import Realization

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.run.kernels.draw import Sampler
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.values import Categories, Label

MOST_PRIME = 256
"""Larger primes are not tried; they can be asked for."""

NEAR_LEAST = 1.1
"""A variance up to so many times the least one is taken for a faster server."""


TOO_MANY = "must leave at most 2^25 points, and 2^31 vectors in a block"


class Shape(NamedTuple):
    """A prime q, digits t of a vector, and the number of blocks."""

    prime: int
    digits: int
    blocks: int

    @property
    def total(self) -> int:
        """All points of all blocks."""
        return self.blocks * points(self.prime, self.digits)

    @property
    def work(self) -> int:
        """An estimate of the additions of a server that sums over all points."""
        return self.total * self.prime * self.digits

    @property
    def fits(self) -> bool:
        """Return whether there are at most 2^25 points, and 2^31 vectors in a block."""
        return self.total <= MOST_POINTS and self.prime**self.digits <= MOST_VECTORS


class UserVariances(NamedTuple):
    """The variance of what a user adds to the estimated count of x, by what the user holds."""

    stranger: Fraction
    neighbour: Fraction
    held: Fraction

    def mixed(self, share: Fraction, beside: Fraction) -> Fraction:
        """Return the average where these shares hold x and other values of its block."""
        rest = 1 - share - beside
        return share * self.held + beside * self.neighbour + rest * self.stranger


def user_variances(r: int, both: int, inside: Fraction, outside: Fraction) -> UserVariances:
    """The formulas of `hpgr_count` of `spec/hpgr.py`.

    Args:
        r, both: points of a block orthogonal to one of them, to two of them.
        inside, outside: the chance of a point orthogonal to the value's in its block, of any other.
    """
    step = r * (inside - outside)
    stranger = outside * (Fraction(r * r - both, r - both) - outside) / step**2
    return UserVariances(
        stranger, stranger + both / ((r - both) * step), stranger + (1 - 2 * outside) / step - 1
    )


@dataclass(frozen=True, repr=False)
class HPGR(ProgrammedRandomizer):
    """One point of one block: r points of the value's block are e^epsilon times as likely.

    Thresholds: (deny,), the share of 2^64 for all points that are not orthogonal to the value's in
    its block. Reports: shape (n,), b (points of a block) + the point's number, in the narrowest
    unsigned dtype. Value x is point x mod s of block x // s, where s = ceil(k / blocks).

    Attributes:
        epsilon: how much a report may reveal, in nats; a number > 0.
        k: how many values there are, 2..2^25.
        prime: the order q of the field. None: see `blocks`.
        blocks: how many blocks there are, 2..k. Where `prime` or `blocks` is None, primes below 256
            are tried, and a variance is averaged over users who hold all values alike. Of the
            choices whose variance is at most 1.1 times the least, the one with the least work for
            the server is taken.
        categories: the labels of the values, in order; None for 0, ..., k - 1.

    Raises:
        ParameterError: a parameter is out of range, or there would be more than 2^25 points or, in
            a block, 2^31 vectors.
    """

    epsilon: float
    k: int
    prime: int | None = None
    blocks: int | None = None
    categories: Categories | None = None

    name: ClassVar[str] = "hpgr"
    law_sha256: ClassVar[str] = "288b2ddaf64f37e3d7e23918269bf5819a65658a7172ff96ca47338092618491"
    cell_sizes: ClassVar[tuple[str, ...]] = ("odds",)

    # --- the table -----------------------------------------------------------------------------

    @staticmethod
    def cells(t: Number, odds: Number) -> tuple[Number, Number]:
        """The chances of all points orthogonal to the value's in its block, and of all others.

        Args:
            t: e^-epsilon. odds: how many of these there are for each of those.
        """
        total = 1 + odds * t
        return 1 / total, odds * t / total

    def _check_sizes(self) -> None:
        k = check_integer("k", self.k, 2, MOST_POINTS)
        object.__setattr__(self, "k", k)
        prime, blocks = self.prime, self.blocks
        if prime is not None:
            prime = check_integer("prime", prime, 2, MOST_POINTS)
            if not is_prime(prime):
                raise ParameterError("prime", "must be a prime", prime)
        if blocks is not None:
            blocks = check_integer("blocks", blocks, 2, k)
        if prime is None or blocks is None:
            shape = best_shape(self.epsilon, k, prime, blocks)
        else:
            shape = Shape(prime, digits(k, prime, blocks), blocks)
        if not shape.fits:
            raise ParameterError("k", TOO_MANY, k)
        object.__setattr__(self, "prime", shape.prime)
        object.__setattr__(self, "blocks", shape.blocks)

    @cached_property
    def layout(self) -> PointBlocksLayout:
        """The layout: one point of a block per report."""
        assert self.prime is not None
        assert self.blocks is not None
        t = digits(self.k, self.prime, self.blocks)
        return PointBlocksLayout(self.k, self.prime, t, self.blocks)

    @property
    def odds(self) -> Fraction:
        """The ratio of other points in all blocks to those orthogonal in the value's block."""
        return Fraction(self.layout.counters, self.layout.orthogonal) - 1

    def _check_cells(self) -> None:
        """Do nothing: every point has a chance above 0."""

    def _worst(self, cells: tuple[Number, ...]) -> Number:
        on, off = cells
        return on * convert(self.odds, off) / off

    def _candidates(self, width: int) -> Iterator[tuple[Realization, int]]:
        _, off = self._formal_cells
        (deny,) = balls.decide(lambda: all_known([balls.ceil_scaled(self._in_balls(off), width)]))
        denied = Fraction(deny, 1 << width)
        if 0 < denied < 1 and self._worst((1 - denied, denied)) > 1:
            yield Realization(width, (deny,), self._worst((1 - denied, denied))), deny

    def sampler(self, realization: Realization | None = None) -> Sampler:
        """The sampler, with three words per value, and more where one is rejected."""
        chosen = self._realization if realization is None else realization
        layout, (deny,) = self.layout, chosen.thresholds
        return block_sampler(
            self.k, layout.prime, layout.dimension, layout.blocks, deny, chosen.width
        )

    def program(self, realization: Realization | None = None) -> Program:
        """The words of the kernel."""
        chosen = self._realization if realization is None else realization
        layout, (deny,) = self.layout, chosen.thresholds
        sizes = (self.k, layout.prime, layout.dimension, deny, chosen.width, layout.blocks)
        return hyperplane(self.name, *sizes)

    # --- facts ---------------------------------------------------------------------------------

    @property
    def bits_per_report(self) -> int:
        """Bits of the index of a point."""
        return (self.layout.counters - 1).bit_length()

    @property
    def _denied(self) -> Fraction:
        return Fraction(self.thresholds[0], 1 << self._realization.width)

    @property
    def inside(self) -> Fraction:
        """The realized chance of one point orthogonal to the value's in its block."""
        return (1 - self._denied) / self.layout.orthogonal

    @property
    def outside(self) -> Fraction:
        """The realized chance of any other point."""
        return self._denied / (self.layout.counters - self.layout.orthogonal)

    @cached_property
    def user_variances(self) -> UserVariances:
        """Variances of what one user adds to an estimated count, of the realized table."""
        layout = self.layout
        return user_variances(layout.orthogonal, layout.both, self.inside, self.outside)

    @cached_property
    def oracle(self) -> BlockOracle:
        """Return the oracle that turns scores into estimates."""
        r, both = self.layout.orthogonal, self.layout.both
        q_star = (r - both) * self.outside
        p_star = q_star + r * (r - both) * (self.inside - self.outside)
        variances = self.user_variances
        return BlockOracle(
            *(self.identity, self.layout, p_star, q_star), *variances, labels=self._given_labels
        )

    def pmf(self, y: Any, x: Any) -> Fraction:
        """P(report y | value x) of the realized table, exactly.

        Args:
            y: a report, the number of a point.
            x: a value, 0..k-1, or a label where there are labels.

        Raises:
            DomainError: x is not one value of the domain.
            ReportError: y is no report.
        """
        held = self.layout.holds(self._one_report(y)[np.newaxis], self._one_value(x))[0]
        return self.inside if held else self.outside

    def variance(
        self, n: int, f: float | Fraction = 0.0, beside: float | Fraction | None = None
    ) -> float:
        """Variance of the estimated count of a value that a share f of n users holds.

        By the realized table, so for the code as it runs.

        Args:
            n: number of users.
            f: share of them who hold the value, in [0, 1].
            beside: share of them who hold other values of its block, in 0..1 - f; None for all
                other values being held alike.

        Raises:
            ParameterError: a number is out of range.
        """
        users, share = check_integer("n", n, 0, LARGEST_N), check_share("f", f)
        if beside is None:
            others = (1 - share) * Fraction(self.layout.size - 1, self.k - 1)
        else:
            others = check_share("beside", beside)
            if others > 1 - share:
                raise ParameterError(
                    "beside", f"must be at most 1 - f = {float(1 - share)}", beside
                )
        return float(users * self.user_variances.mixed(share, others))

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Bound what one report, honest or not, adds to an estimated count: exact, and attained.

        Args:
            values: labels, each once: the count is of users who hold one of them. None for the
                count of one value, whichever.

        Raises:
            ParameterError: no such labels.
        """
        places = (0,) if values is None else labels_to_places(values, self.labels)
        scores = self.layout.of_outputs(np.array(places, dtype=np.int64))
        oracle = self.oracle
        base, spread = len(places) * oracle.q_star, oracle.p_star - oracle.q_star
        return Influence((int(scores.min()) - base) / spread, (int(scores.max()) - base) / spread)


def digits(k: int, prime: int, blocks: int) -> int:
    """The least t >= 3 with as many points in a block as values: for t = 2 this is k-RR."""
    t = 3
    while blocks * points(prime, t) < k:
        t += 1
    return t


def best_shape(epsilon: float, k: int, prime: int | None, blocks: int | None) -> Shape:
    """Choose the prime or the number of blocks or both, as `HPGR` says.

    Args:
        epsilon: of the mechanism. k: the number of values.
        prime, blocks: those that are given; None for one that is to be chosen.

    Raises:
        ParameterError: every choice has too many points.
    """
    # Below 1e-6 the order of the shapes stays; the gain would round to 0 in the end.
    u = math.exp(min(max(epsilon, 1e-6), 30.0))
    primes = [q for q in range(2, MOST_PRIME) if is_prime(q)] if prime is None else [prime]
    tried = []
    for q in primes:
        for shape in (
            _shapes(k, q, u) if blocks is None else [Shape(q, digits(k, q, blocks), blocks)]
        ):
            if not shape.fits:
                continue
            r, both = points(q, shape.digits - 1), points(q, shape.digits - 2)
            outside = 1 / (r * Fraction(u) + shape.total - r)
            found = user_variances(r, both, Fraction(u) * outside, outside)
            beside = Fraction(-(-k // shape.blocks) - 1, k - 1)
            tried.append((float(found.mixed(Fraction(0), beside)), shape))
    if not tried:
        raise ParameterError("k", TOO_MANY, k)
    least = min(variance for variance, _ in tried)
    good = [(shape.work, v, shape) for v, shape in tried if v <= NEAR_LEAST * least]
    return min(good)[2]


def _shapes(k: int, prime: int, u: float) -> Iterator[Shape]:
    """Shapes for a prime: for each dimension its fewest and most blocks, and those near u/q."""
    t, most = 3, k
    while most >= 2:
        fewest = max(2, -(-k // points(prime, t)))
        near = round((u + 1) / prime)
        asked = {fewest, most, *(min(max(near + i, fewest), most) for i in (-1, 0, 1))}
        yield from (Shape(prime, t, blocks) for blocks in sorted(asked) if fewest <= blocks)
        most, t = fewest - 1, t + 1
