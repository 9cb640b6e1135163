"""Key-value pairs by one of three symbols for each key: PCKV-UE.

Declared in `spec/key_value_symbols.py`. Pairs are rounded to signs, cut, padded and sampled as in
`key_values`. Whether there is a symbol at each key and dummy is unary encoding. A symbol at the own
key has the own sign with probability p, any other one a fair sign.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.protocols.influenced import places_of
from ldp_verified.protocols.key_value_estimate import KeyValueEstimate
from ldp_verified.protocols.key_values import KeyValues
from ldp_verified.run.aggregate.honest import Honesty
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.oracle import FrequencyOracle
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.aggregate.state import State, check_state
from ldp_verified.run.aggregate.symbols import AT_A_TIME, SymbolLayout, packed, unpacked
from ldp_verified.run.mechanisms import UE
from ldp_verified.run.program.pairs import sampled_symbol
from ldp_verified.run.realize.programmed import program_of, spelled
from ldp_verified.run.realize.tables import balls
from ldp_verified.run.realize.tables.claimed_table import WIDTH, log_up
from ldp_verified.run.realize.tables.table import RoundedTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from ldp_verified.protocols.pair_sets import PlacedPairs
    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program

HALF = Fraction(1, 2)


@dataclass(frozen=True)
class KeyValueSymbols(KeyValues):
    """Key-value pairs over three symbols for each key, at epsilon itself: for many keys.

    Attributes:
        epsilon: of one report, for any two sets of pairs; a number > 0.
        k: how many keys there are, at least 2.
        length: the number of places that a set of pairs is padded or cut to, at least 1.
        bounds: of the numbers.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    k: int
    length: int
    bounds: tuple[float, float] = (-1.0, 1.0)

    law_sha256: ClassVar[str] = "bbe4cd17ba434464d6725f9aaf522f70f2a6ac537d1d43a6100c715e603fd5ee"
    joint: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the parameters, and that they can be realized."""
        self._settle()

    @cached_property
    def inner(self) -> UE:
        """The unary encoding of the key or dummy: a = 1/2, and b = 2/(e^eps + 3) rounded up."""

        def attempt() -> int | None:
            t = (-balls.ball(self.epsilon)).exp()
            return balls.ceil_scaled(2 * t / (1 + 3 * t), WIDTH)

        zero = Fraction(balls.decide(attempt), 1 << WIDTH)
        return UE(zero, HALF, self.k + self.length)

    @cached_property
    def _turned(self) -> int:
        """1 - p = 1/(e^eps + 1), rounded up, in units of 2^-64."""

        def attempt() -> int | None:
            t = (-balls.ball(self.epsilon)).exp()
            return balls.ceil_scaled(t / (1 + t), WIDTH)

        return balls.decide(attempt)

    @property
    def p(self) -> Fraction:
        """P(the sign of the own key's symbol is the own one), realized."""
        return 1 - Fraction(self._turned, 1 << WIDTH)

    @cached_property
    def worst_ratio(self) -> Fraction:
        """The largest ratio of the chances of a report, of all pairs of signed keys and dummies."""
        a, b = self.inner.p_star, self.inner.q_star
        own = [a * self.p / (b / 2), a * (1 - self.p) / (b / 2), (1 - a) / (1 - b)]
        dummy = [a / b, (1 - a) / (1 - b)]
        kinds = (own, dummy)
        # Of two places one may speak for the first input and the other against the second one.
        apart = max(max(one) / min(two) for one in kinds for two in kinds)
        return max(apart, self.p / (1 - self.p))

    @cached_property
    def realized_epsilon(self) -> float:
        """The smallest double not below the realized epsilon; never above `epsilon`."""
        return log_up(self.worst_ratio)

    @cached_property
    def layout(self) -> SymbolLayout:
        """The layout of the reports."""
        return SymbolLayout(self.k + self.length, self.k)

    @property
    def bits_per_report(self) -> int:
        """Bits needed to write one report."""
        return self.layout.counters

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        own = super().identity
        return replace(own, thresholds=(*own.thresholds, self._turned))

    @cached_property
    def oracle(self) -> FrequencyOracle:
        """Support counts of the keys, and of the dummies."""
        a, absent = self.inner.p_star, self.inner.q_star
        held = absent + (a - absent) / self.length
        rare, common = (RoundedTable.variance_per_user(held, absent, Fraction(f)) for f in (0, 1))
        return FrequencyOracle(
            *(self.identity, self.layout, held, absent, rare, common), fresh=True, exclusive=False
        )

    def _estimate(
        self, n: int, plus: NDArray[np.float64], minus: NDArray[np.float64], honesty: Honesty
    ) -> KeyValueEstimate:
        a, b, p = (float(each) for each in (self.inner.p_star, self.inner.q_star, self.p))
        further = self.length, a * p, b / 2, self.joint, self.bounds, honesty, a * (1 - p)
        return KeyValueEstimate(n, plus, minus, *further)

    def estimate(self, state: State) -> KeyValueEstimate:
        """Estimate how many users have each key, and the mean of their numbers: see `centre`.

        Raises:
            ParameterError: the state is of another protocol.
        """
        check_state(self.identity, state)
        keys = self.layout.k
        symbols, plus = state.counts[: self.k], state.counts[keys:]
        a, b = self.inner.p_star, self.inner.q_star
        counts = (symbols - state.n * float(b)) * float(self.length / (a - b))
        sums = (2 * plus - symbols) * float(self.length / (a * (2 * self.p - 1)))
        return self._estimate(state.n, (counts + sums) / 2, (counts - sums) / 2, state.honesty())

    def drawn(self, pairs: PlacedPairs, source: WordSource) -> Reports:
        """The reports of pairs that were checked."""
        chosen = self._sampled(pairs, source)
        own = chosen < 2 * self.k
        held = np.where(own, chosen // 2, chosen - self.k)
        symbols = self.inner.sampler().draw(held, source)
        turned = source.words(len(chosen)) < np.uint64(self._turned)
        own_words = -(-self.k // 64)
        fair = source.words(len(chosen) * own_words).reshape(len(chosen), own_words)
        data = np.empty((len(chosen), -(-self.layout.counters // 64)), dtype=np.uint64)
        step = max(1, AT_A_TIME // self.layout.counters)
        for start in range(0, len(chosen), step):
            rows = slice(start, start + step)
            plus = unpacked(fair[rows], self.k)
            users = np.flatnonzero(own[rows])
            plus[users, held[rows][users]] = (chosen[rows][users] & 1 == 1) ^ turned[rows][users]
            marks = unpacked(symbols[rows], self.layout.k)
            data[rows] = packed(np.concatenate([marks, plus & marks[:, : self.k]], axis=1))
        return Reports(data, self.identity, bool(source.simulated))

    def program(self, of: Callable[[Any], Program] = program_of) -> Program:
        """The program of a client in another language: see `KeyValues.program`.

        Args:
            of: as there.

        Raises:
            ParameterError: as there.
        """
        sizes = (spelled(type(self).__name__), self.k, self.length)
        return sampled_symbol(*sizes, of(self.inner), self._turned)

    def influence(self, keys: Iterable[int] | None = None) -> Influence:
        """Return what one report, honest or not, can add to an estimated number of users: attained.

        Args:
            keys: each once: of the numbers of users with each of them, the sum. None for one key.

        Raises:
            ParameterError: no such keys.
        """
        wanted = 1 if keys is None else len(places_of(keys, self.k, "keys"))
        absent, present = self._weights
        return Influence(wanted * absent, wanted * present)

    def influence_on_sum(self) -> Influence:
        """Return what one report can add to the estimated sum of the numbers of one key: attained.

        In the users' units; see `KeyValueBits.influence_on_sum`.
        """
        absent, present = self._weights
        low, high = (Fraction(end) for end in self.bounds)
        middle, half = (low + high) / 2, (high - low) / 2
        sign = half * self.length / (self.inner.p_star * (2 * self.p - 1))
        added = [middle * absent, middle * present - sign, middle * present + sign]
        return Influence(min(added), max(added))

    @property
    def _weights(self) -> tuple[Fraction, Fraction]:
        """Return the terms that a key adds to its count: without a symbol, and with one."""
        absent, spread = self.oracle.q_star, self.oracle.p_star - self.oracle.q_star
        return -absent / spread, (1 - absent) / spread
