"""Memoised unary encodings: one-hot bits, each randomized once and for all and again every time.

The tables are those of `spec/longitudinal_bits.py`, solved for the epsilons that are wanted.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.longitudinal import Choice, Longitudinal, frequency_oracle
from ldp_verified.protocols.second_step import (
    WIDTH,
    check_epsilons,
    epsilon_of,
    kept_variances,
    least_noise,
)
from ldp_verified.run.aggregate.layouts import BitLayout
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.kernels.compiled import has_compiler
from ldp_verified.run.kernels.permanent_bits import permanent_sampler
from ldp_verified.run.mechanisms import OUE, SUE
from ldp_verified.run.program.memory import bits_twice
from ldp_verified.run.realize.drawn_ahead import bits_report
from ldp_verified.run.realize.parameters import LARGEST_K, check_integer
from ldp_verified.run.realize.values import Categories

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.oracle import FrequencyOracle
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program

_ONE = 1 << WIDTH


@dataclass(frozen=True)
class UnaryTwice(Longitudinal):
    """k one-hot bits, each randomized twice.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values.
        categories: labels of the values, or None.

    Raises:
        ParameterError: a number out of range, epsilon_report not below epsilon_permanent, or above
            what the second step can give.
    """

    epsilon_permanent: float
    epsilon_report: float
    k: int
    categories: Categories | None = None

    def __post_init__(self) -> None:
        """Check the numbers and solve for the second step."""
        ever, once = check_epsilons(self.epsilon_permanent, self.epsilon_report)
        k = check_integer("k", self.k, 2, LARGEST_K)
        self._settle(epsilon_permanent=ever, epsilon_report=once, k=k)
        self.thresholds  # noqa: B018  (what cannot be solved is refused here)

    @property
    @abstractmethod
    def first(self) -> SUE | OUE:
        """The permanent step."""

    @staticmethod
    @abstractmethod
    def second(low: int) -> int:
        """P(1|1) of the second step for a given P(1|0), out of 2^64."""

    def _cells(self, low: int) -> tuple[Fraction, Fraction]:
        p, q = self.first.p, self.first.q
        below, above = Fraction(low, _ONE), Fraction(self.second(low), _ONE)
        return below + p * (above - below), below + q * (above - below)

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """(one, zero) of the permanent step, (high, low) of the other, out of 2^64."""

        def ratio(low: int) -> Fraction:
            one, zero = self._cells(low)
            return one * (1 - zero) / (zero * (1 - one))

        low = least_noise(ratio, (1 << 63) - 1, self.epsilon_report)
        high = self.second(low)
        if low == 1 and high == 1 << 63:
            rule = f"must be at most about {epsilon_of(ratio(1))}, which one report cannot exceed"
            raise ParameterError("epsilon_report", rule, self.epsilon_report)
        return *self.first.thresholds, high, low

    def program(self) -> Program:
        """A word for each kept bit, once; a word for each bit of a report."""
        one, zero, high, low = self.thresholds
        own = [(v,) for v in range(self.k)]
        return bits_twice(type(self).__name__.lower(), own, self.k, (one, zero), (high, low))

    @property
    def cells(self) -> tuple[Fraction, Fraction]:
        """P(reported bit is 1) for the own bit, and for each other."""
        return self._cells(self.thresholds[-1])

    @property
    def shared_variances(self) -> tuple[Fraction, Fraction]:
        """The shared variances of `Longitudinal`: the permanent bit is 1, or it is 0."""
        return kept_variances(self.first.q, self.first.p)

    @property
    def realized_permanent(self) -> float:
        """Realized epsilon of all reports ever on one value, rounded up."""
        return self.first.realized_epsilon

    @cached_property
    def realized_report(self) -> float:
        """Realized epsilon of one report, rounded up."""
        one, zero = self.cells
        return epsilon_of(one * (1 - zero) / (zero * (1 - one)))

    @property
    def bits_per_report(self) -> int:
        """Bits that a user sends, one for each of the k values."""
        return self.k

    @property
    def memories(self) -> int:
        """The number of permanent answers of a client: one for each value."""
        return self.k

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Support counts with the p* and q* of one report."""
        return frequency_oracle(
            self.identity, BitLayout(self.k), *self.cells, labels=self._given_labels
        )

    def memory(self, value: int, choice: Choice) -> int:
        """The value itself: each has a permanent answer of its own."""
        del choice
        return value

    def permanent(self, memory: int, choice: Choice, source: WordSource) -> NDArray[Any]:
        """Packed bits, shape (1, ceil(k/64))."""
        del choice
        sampler = permanent_sampler(self.k, *self.first.thresholds)
        answer: NDArray[Any] = sampler.draw(np.array([memory]), source)
        return answer

    def instantaneous(
        self, answer: NDArray[Any], choice: Choice, source: WordSource
    ) -> NDArray[Any]:
        """Packed bits, shape (1, ceil(k/64))."""
        del choice
        high, low = self.thresholds[-2:]
        return randomize_bits(answer, self.k, high, low, source, WIDTH)

    def answering(self, choice: Choice) -> Callable[[NDArray[Any]], NDArray[Any]]:
        """The second bits, both answers of each drawn ahead if machine code draws them (numba)."""
        if not has_compiler():
            return super().answering(choice)
        return bits_report(self.k, *self.thresholds[-2:])


class _SymmetricFirst:
    epsilon_permanent: float
    k: int

    @cached_property
    def first(self) -> SUE:
        """The permanent step: P(1|1) + P(1|0) = 1."""
        return SUE(self.epsilon_permanent, self.k)


class _OptimizedFirst:
    epsilon_permanent: float
    k: int

    @cached_property
    def first(self) -> OUE:
        """The permanent step: P(1|1) = 1/2."""
        return OUE(self.epsilon_permanent, self.k)


class _SymmetricSecond:
    @staticmethod
    def second(low: int) -> int:
        """P(1|1) = 1 - P(1|0)."""
        return _ONE - low


class _OptimizedSecond:
    @staticmethod
    def second(low: int) -> int:  # noqa: ARG004  (the others depend on it)
        """P(1|1) = 1/2."""
        return 1 << (WIDTH - 1)


class LSUE(_SymmetricFirst, _SymmetricSecond, UnaryTwice):
    """SUE, then SUE on every bit: Basic RAPPOR with low = 1 - high.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values. categories: labels of the values, or None.
    """

    law_sha256: ClassVar[str] = "30ec9864518e168a98a44ef83f8f628302e2de0c5b3e05bf2bd0d649e5f6a9cb"


class LOSUE(_OptimizedFirst, _SymmetricSecond, UnaryTwice):
    """OUE, then SUE on every bit.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values. categories: labels of the values, or None.
    """

    law_sha256: ClassVar[str] = "8cb3e5a6735fa607e4539603d1e2f00a371332b94031ada7f42bbb026ac057c9"


class LOUE(_OptimizedFirst, _OptimizedSecond, UnaryTwice):
    """OUE, then OUE on every bit.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values. categories: labels of the values, or None.
    """

    law_sha256: ClassVar[str] = "281811c2eeeaedc897b30b507c25e9dd86dc000795ac10035a4794c015aee37f"


class LSOUE(_SymmetricFirst, _OptimizedSecond, UnaryTwice):
    """SUE, then OUE on every bit.

    Attributes:
        epsilon_permanent: of all reports ever on one value. epsilon_report: of one.
        k: the number of values. categories: labels of the values, or None.
    """

    law_sha256: ClassVar[str] = "4ec8fe9bed11c783bf10ee098975963ded835cf8a13e3e5dc8b2e36fc5c4e9e4"
