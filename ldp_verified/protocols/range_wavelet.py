"""Haar wavelets: counts of ranges of ordered values from one sign of each user.

Declared in `spec/protocols/range_wavelet.py`. A user is in the group of one level of a binary tree
over the values and of one Hadamard column, and reports in which half of the own node the value is.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.protocols.range_protocol import MOST_VALUES, RangeProtocol
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.wavelet import WaveletFit, WaveletLayout, WaveletOracle
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.signs import wavelet_sign
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.programmed import program_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program


@dataclass(frozen=True)
class RangeWavelet(RangeProtocol):
    """A Haar wavelet over one-bit Hadamard response: HaarHRR of Cormode, Kulkarni, Srivastava 2019.

    Attributes:
        epsilon: of one user's whole transcript; a number > 0.
        k: the number of values 0, ..., k - 1, whose order means something; 2..2^24.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int

    law_sha256: ClassVar[str] = "3336a849501ceecfe36058875bb846af1f7a7807173593c7c72a1855bcf25d0d"

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_VALUES))
        self.response  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def layout(self) -> WaveletLayout:
        """Reports of all levels of a tree whose leaves are the values, and more up to 2^bits."""
        return WaveletLayout((self.k - 1).bit_length())

    @property
    def levels(self) -> int:
        """The number of levels."""
        return self.layout.levels

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
        """Realized epsilon of one user's whole transcript, rounded up."""
        return self.response.realized_epsilon

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items = (("epsilon", self.epsilon), ("k", self.k))
        return Identity("RangeWavelet", items, self.law_sha256, self.response.thresholds)

    @cached_property
    def oracle(self) -> WaveletOracle:
        """Counts of the leaves, as if the levels had equally many users."""
        return WaveletOracle(self.identity, self.layout, self.response.p_star)

    def fit(self, users: NDArray[np.int64] | None = None) -> WaveletFit:
        """The inverse transform of shares, with variances that are exact where no node is held.

        Args:
            users: of each level, 1 or more; None for one user who is spread over the levels.
        """
        return WaveletFit(self.node_variances(users))

    def influence(self, first: int | None = None, last: int | None = None) -> Influence:
        """The most that one report can add to the estimated number of users of a range: attained.

        Up to the rounding of doubles, and where each level has as many reports. A client that lies
        chooses the level, the column and the sign.

        Args:
            first, last: values in order, both included; None for the count of one value.

        Raises:
            ParameterError: these are no values in order.
        """
        start, past = (0, 1) if first is None and last is None else self.ends(first, last)
        fit = self.fit()
        reach = max(fit.reach(start, past)) * self.levels / self.gain
        # Without any report every leaf has the same share.
        even = Fraction(past - start, fit.leaves)
        return Influence(even - reach, even + reach)

    def program(self, of: Callable[[GRR], Program] = program_of) -> Program:
        """The program of a client in another language: a report is that of `reports`.

        Args:
            of: the program of the response; by default the one with its thresholds.
        """
        return wavelet_sign("range_wavelet", self.k, self.levels, of(self.response))

    def drawn(self, values: NDArray[np.int64], source: WordSource) -> Reports:
        """The reports of values that were checked: a level, a column, then the response."""
        bits = self.levels
        levels = uniform_numbers(len(values), bits, source)
        columns = uniform_numbers(len(values), 1 << bits - 1, source) & ((1 << levels) - 1)
        # A node and the half of it are a prefix that is one bit longer.
        nodes = values >> (bits - 1 - levels)
        entries = np.bitwise_count(nodes >> 1 & columns).astype(np.int64)
        signs = self.response.sampler().draw((entries + nodes) & 1, source).astype(np.int64)
        codes = 2 * ((1 << levels) - 1 + columns) + signs
        return Reports(self.layout.check(codes), self.identity, bool(source.simulated))
