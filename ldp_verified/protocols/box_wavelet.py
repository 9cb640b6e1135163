"""Haar wavelets of two ordered values: counts of boxes from one sign of each user.

Declared in `spec/protocols/box_wavelet.py`: the tensor product of the wavelet of ranges with
itself. A user is in the group of two levels, one of a binary tree over each value or none, and of
one Hadamard column, and reports by randomized response the product of the halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.attribute_labels import encoded_rows
from ldp_verified.protocols.box_wavelet_estimate import WaveletBoxes, axes_of, range_of
from ldp_verified.protocols.every_part import check_every_part
from ldp_verified.protocols.one_report import OfNumbers
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.parities import ParityLayout, users
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.aggregate.wavelet import haar
from ldp_verified.run.kernels.transform import walsh_hadamard
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.groups import told_value
from ldp_verified.run.program.signs import box_sign
from ldp_verified.run.realize.parameters import LARGEST_N, check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of
from ldp_verified.run.realize.tables.table import RoundedTable
from ldp_verified.run.realize.value_types import UserTuples

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program

MOST_VALUES, MOST_BITS = 1 << 12, 16


@dataclass(frozen=True)
class BoxWavelet(OfNumbers[UserTuples]):
    """Counts of boxes of two ordered values, from one bit of each user.

    Attributes:
        epsilon: of one user's whole pair; a number > 0.
        sizes: the numbers of values, 2..4096 each, whose order means something; rounded up to
            powers of two, there are at most 2^16 pairs.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    sizes: tuple[int, int]

    law_sha256: ClassVar[str] = "88d8b91f7a604c69931fa955a64df54028485b23f6b782e1919e290dc90b6bdd"

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        if not isinstance(self.sizes, tuple | list):
            raise ParameterError("sizes", "must be two numbers of values", type(self.sizes))
        check_integer("len(sizes)", len(self.sizes), 2, 2)
        parts = [check_integer("sizes", size, 2, MOST_VALUES) for size in self.sizes]
        object.__setattr__(self, "sizes", tuple(parts))
        check_integer("bits of both sizes", sum(self.bits), 2, MOST_BITS)
        self.response  # noqa: B018  (what cannot be realized is refused here)

    @property
    def bits(self) -> tuple[int, int]:
        """The number of levels over each value."""
        first, second = self.sizes
        return (first - 1).bit_length(), (second - 1).bit_length()

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Return how many bits of each value a group looks at: none is 0, and never so for both."""
        first, second = self.bits
        return tuple((i, j) for i in range(first + 1) for j in range(second + 1))[1:]

    @property
    def columns(self) -> int:
        """Columns that are drawn from, for any two levels: as many as nodes of the last ones."""
        return 1 << sum(self.bits) - 2

    @cached_property
    def response(self) -> GRR:
        """The response on the bit."""
        return GRR(self.epsilon, 2)

    @property
    def gain(self) -> Fraction:
        """P(the sign is right) less P(it is wrong), realized."""
        return 2 * self.response.p_star - 1

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of whole pairs, rounded up."""
        return self.response.realized_epsilon

    @cached_property
    def layout(self) -> ParityLayout:
        """The layout of the reports: a set is a group."""
        return ParityLayout(len(self.pairs) * self.columns)

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return (self.layout.counters - 1).bit_length()

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items = (("epsilon", self.epsilon), ("sizes", str(self.sizes)))
        return Identity("BoxWavelet", items, self.law_sha256, self.response.thresholds)

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """The oracle of the number of users whose sign in each group is +1."""
        share, right = Fraction(1, self.layout.k), self.response.p_star
        held, absent = share * right, share * (1 - right)
        rare, common = (RoundedTable.variance_per_user(held, absent, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, self.layout, held, absent, rare, common), fresh=True, exclusive=False
        )

    def encode(self, values: UserTuples) -> NDArray[np.int64]:
        """The pairs as int64 (n, 2), surely in range.

        Args:
            values: a list of pairs, an array or a data frame of shape (n, 2).

        Raises:
            DomainError: they are something else; no value is shown.
        """
        return encoded_rows(values, self.sizes)

    @property
    def program_value(self) -> str:
        """Return what the program reads for a pair, in words."""
        return told_value(self.sizes)

    def program(self, of: Callable[[GRR], Program] = program_of) -> Program:
        """The program of a client in another language: a report is that of `reports`.

        Args:
            of: the program of the response; by default the one with its thresholds.
        """
        return box_sign("box_wavelet", self.sizes, self.bits, of(self.response))

    def drawn(self, values: NDArray[np.int64], source: WordSource) -> Reports:
        """The reports of pairs that were checked: two levels, a column, then the response."""
        chosen = uniform_numbers(len(values), len(self.pairs), source)
        columns = uniform_numbers(len(values), self.columns, source)
        (first, second), taken = self.bits, np.array(self.pairs, dtype=np.int64)[chosen]
        # A node and its half are a prefix; without a level both are 0.
        one = values[:, 0] >> first - taken[:, 0]
        other = values[:, 1] >> second - taken[:, 1]
        entries = np.bitwise_count((one >> 1 << second - 1 | other >> 1) & columns)
        bits = (entries.astype(np.int64) + one + other) & 1
        sent = self.response.sampler().draw(bits, source).astype(np.int64)
        codes = 2 * (chosen * self.columns + columns) + sent
        return Reports(self.layout.check(codes), self.identity, bool(source.simulated))

    def variances(self, asked: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Variances of the coefficients of each two levels, float64 (levels + 1, levels + 1).

        Of pairs that nobody holds, as a share of the users.

        Args:
            asked: how many users each two levels have, in the order of `pairs`; None for one user
                who is spread over them.
        """
        count, one = len(self.pairs), float(1 / self.gain**2)
        numbers = np.full(count, 1 / count) if asked is None else asked
        first, second = self.bits
        return np.concatenate(([0.0], one / numbers)).reshape(first + 1, second + 1)

    def variance(self, n: int, rows: tuple[int, int], columns: tuple[int, int]) -> float:
        """A bound for the variance of the estimated number of users in a box.

        With n users, spread evenly over the groups. No values make it larger; the variance is below
        it by at most a share `gain`^2, where users stand in few nodes.

        Args:
            n: users. rows, columns: (first, last) of the two values, both included.

        Raises:
            ParameterError: n is not an integer >= 0, or these are no values in order.
        """
        number = check_integer("n", n, 0, LARGEST_N)
        one, other = axes_of(self.bits)
        squares = one.squares(range_of("rows", rows, self.sizes[0]))
        return float(
            number
            * squares
            @ self.variances()
            @ other.squares(range_of("columns", columns, self.sizes[1]))
        )

    def mean_variance(self, n: int) -> float:
        """The mean of `variance` over all boxes of the 2^bits pairs.

        Raises:
            ParameterError: n is not an integer >= 0.
        """
        number = check_integer("n", n, 0, LARGEST_N)
        one, other = axes_of(self.bits)
        return float(number * one.mean_squares @ self.variances() @ other.mean_squares)

    def influence(
        self, rows: tuple[int, int] = (0, 0), columns: tuple[int, int] = (0, 0)
    ) -> Influence:
        """The most that one report can add to the estimated number of users of a box: attained.

        Up to the rounding of doubles, and where each two levels have as many reports. A client that
        lies chooses the levels, the column and the sign.

        Args:
            rows, columns: (first, last) of the two values, both included; else the first pair.

        Raises:
            ParameterError: these are no values in order.
        """
        one, other = axes_of(self.bits)
        ends = range_of("rows", rows, self.sizes[0]), range_of("columns", columns, self.sizes[1])
        reach = np.outer(one.reach(ends[0]), other.reach(ends[1]))
        even, reach[0, 0] = Fraction(float(reach[0, 0])), 0.0
        most = Fraction(float(reach.max())) * len(self.pairs) / self.gain
        return Influence(even - most, even + most)

    def estimate(self, state: State) -> WaveletBoxes:
        """Estimate the counts of boxes.

        Raises:
            ParameterError: the state is of another protocol, or two levels have no reports.
        """
        check_state(self.identity, state)
        counters = state.counts
        asked = users(self.layout, counters).reshape(len(self.pairs), -1).sum(axis=1)
        check_every_part(asked.tolist(), "level pair", self.pairs)
        signs = (counters[0::2] - counters[1::2]).reshape(len(self.pairs), -1)
        first, second = self.bits
        found = np.zeros((1 << first, 1 << second))
        found[0, 0] = 1.0
        for (i, j), own, number in zip(self.pairs, signs, asked.tolist(), strict=True):
            nodes = np.asarray(walsh_hadamard(own)).reshape(1 << first - 1, 1 << second - 1)
            # Nodes of these levels are the first ones: no column has bits beyond theirs.
            block = nodes[: 1 << max(i - 1, 0), : 1 << max(j - 1, 0)]
            rows, columns = (slice(1 << m >> 1, 1 << m) for m in (i, j))
            found[rows, columns] = block / (float(self.gain) * number)
        leaves = haar(haar(found).T).T
        return WaveletBoxes(state.n, self.sizes, leaves, self.variances(asked), state.honesty())
