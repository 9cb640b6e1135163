"""dBitFlip: a client has d of b buckets, and d bits for each place of its value, kept forever."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.attributes import sampled_variances
from ldp_verified.protocols.longitudinal import Choice, Longitudinal
from ldp_verified.protocols.second_step import WIDTH, epsilon_of
from ldp_verified.protocols.uniform import distinct_numbers
from ldp_verified.run.aggregate.honest import Honesty, of_coins
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence, labels_to_places
from ldp_verified.run.aggregate.layouts import CheckedReports, check_report_array, unless_sum
from ldp_verified.run.aggregate.packing import Field, PackedShape
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.kernels.counts import value_counts
from ldp_verified.run.kernels.draw import smallest_dtype, within
from ldp_verified.run.kernels.permanent_bits import permanent_blocks
from ldp_verified.run.mechanisms import SUE
from ldp_verified.run.program.memory import sampled_bits
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.values import Categories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.values import Label

MOST_BUCKETS = 1 << 20


@dataclass(frozen=True)
class DBitFlip(Longitudinal):
    """Reports are the permanent answers themselves: what changes is seen to change.

    Value x is in bucket floor(x b/k). All that a client ever reports costs min(d + 1, b) times
    epsilon_permanent at most (if it is known when its value went elsewhere).

    Attributes:
        epsilon_permanent: of all reports ever on one value. With d = 1 one bit has all of it; the
            paper gives it half, and its reports then cost half of what is stated.
        k: the number of values.
        b: the number of buckets, 2..k. d: how many of them a client reports on, 1..b.
        categories: labels of the values, or None.

    Raises:
        ParameterError: a number out of range.
    """

    epsilon_permanent: float
    k: int
    b: int
    d: int
    categories: Categories | None = None

    law_sha256: ClassVar[str] = "7e2a85eefe2ef46377d2560dbfb8e76fdcbfc0ef949c460efca2deebb878dbeb"

    def __post_init__(self) -> None:
        """Check the numbers."""
        ever = check_epsilon(self.epsilon_permanent, "epsilon_permanent")
        k = check_integer("k", self.k, 2, 1 << 62)
        b = check_integer("b", self.b, 2, min(k, MOST_BUCKETS))
        d = check_integer("d", self.d, 1, b)
        self._settle(epsilon_permanent=ever, k=k, b=b, d=d)

    @cached_property
    def first(self) -> SUE:
        """Bits with this many times half of epsilon_permanent in each."""
        return SUE(self.epsilon_permanent * (2 if self.d == 1 else 1), 2)

    @property
    def estimated_rows(self) -> tuple[str, object]:
        """Say that rows of an estimate stand for buckets and not for values, and for which ones."""
        return "buckets", (self.k, self.b, self.categories)

    @property
    def thresholds(self) -> tuple[int, ...]:
        """(one, zero) of a bit, out of 2^64."""
        return self.first.thresholds

    @cached_property
    def realized_permanent(self) -> float:
        """Realized epsilon of all reports ever on one value, rounded up."""
        p, q = self.first.p, self.first.q
        up, down = p / q, (1 - q) / (1 - p)
        return epsilon_of(max(up, down) if self.d == 1 else up * down)

    def program(self) -> Program:
        """Words for the buckets, once; then a word for each kept bit, once."""
        one, zero = self.thresholds
        return sampled_bits("dbitflip", self.k, self.b, self.d, (one, zero))

    @property
    def shared_variances(self) -> tuple[Fraction, Fraction]:
        """All of the variance: a report is the permanent answer itself."""
        held, absent = self.oracle.variances
        return absent, held

    @property
    def realized_report(self) -> float:
        """Return the epsilon of one report, which equals that of the permanent answer."""
        return self.realized_permanent

    @property
    def bits_per_report(self) -> int:
        """Bits of d buckets and a bit for each of them."""
        return self.d * ((self.b - 1).bit_length() + 1)

    @property
    def memories(self) -> int:
        """The number of permanent answers: one for each chosen bucket, and one for all others."""
        return min(self.d + 1, self.b)

    @cached_property
    def oracle(self) -> SampledBits:
        """Counts of zeros and ones of each bucket. Its values are the buckets."""
        return SampledBits(self.identity, self.b, self.d, self.first.p, self.first.q)

    def influence(self, values: Iterable[Label] | None = None) -> Influence:
        """Return what one report can add to an estimated count, of one period: exact, and attained.

        Args:
            values: numbers of buckets, each once; the count is of users in one of them. None for
                the count of one bucket.

        Raises:
            ParameterError: no such buckets.
        """
        size = 1 if values is None else len(labels_to_places(values, range(self.b)))
        # A liar has bits of as many of these buckets as it can, all of them 1, or all 0.
        seen = min(self.d, size) * Fraction(self.b, self.d)
        one, zero = self.oracle.one, self.oracle.zero
        return Influence(-seen * zero / (one - zero), seen * (1 - zero) / (one - zero))

    def draw_choice(self, source: WordSource) -> Choice:
        """d of the buckets, uniformly.

        Args:
            source: of random words.
        """
        return distinct_numbers(self.d, self.b, source)

    def check_choice(self, choice: object) -> Choice:
        """d buckets in rising order.

        Args:
            choice: what a client says that it drew.

        Raises:
            ParameterError: they are none.
        """
        if not isinstance(choice, tuple) or len(choice) != self.d:
            raise ParameterError("choice", f"must be a tuple of {self.d} buckets", choice)
        made = tuple(check_integer("choice", bucket, 0, self.b - 1) for bucket in choice)
        if sorted(set(made)) != list(made):
            raise ParameterError("choice", "must be different buckets in rising order", choice)
        return made

    @staticmethod
    def choice_in(report: list[int]) -> Choice:
        """The buckets that a report has bits of.

        Args:
            report: of this protocol.
        """
        return tuple(entry // 2 for entry in report)

    def bucket(self, value: int) -> int:
        """The bucket of a value."""
        return value * self.b // self.k

    def memory(self, value: int, choice: Choice) -> int:
        """The place of the value's bucket among those chosen; d where it is not one of them."""
        bucket = self.bucket(value)
        return choice.index(bucket) if bucket in choice else self.d

    def permanent(self, memory: int, choice: Choice, source: WordSource) -> NDArray[Any]:
        """The d bits, 0 or 1, shape (d,)."""
        del choice
        blocks = -(-self.d // 64)
        encoded = np.zeros((1, blocks), dtype=np.uint64)
        if memory < self.d:
            encoded[0, memory // 64] = np.uint64(1) << np.uint64(memory % 64)
        one, zero = self.thresholds
        drawn = randomize_bits(encoded, self.d, one, zero, source, WIDTH, permanent_blocks)
        bits = np.unpackbits(drawn.astype("<u8").view(np.uint8), bitorder="little")
        answer: NDArray[Any] = bits[: self.d]
        return answer

    def instantaneous(
        self, answer: NDArray[Any], choice: Choice, source: WordSource
    ) -> NDArray[Any]:
        """The permanent answer: 2 bucket + bit for each chosen bucket, shape (1, d)."""
        del source
        entries = 2 * np.array(choice, dtype=np.int64) + answer
        report: NDArray[Any] = entries.astype(smallest_dtype(2 * self.b))[np.newaxis]
        return report

    def answering(self, choice: Choice) -> Callable[[NDArray[Any]], NDArray[Any]]:
        """The permanent answer, as `instantaneous` gives it."""
        dtype = smallest_dtype(2 * self.b)
        zeros = np.array([choice], dtype) * dtype.type(2)
        return lambda answer: (zeros + answer).astype(dtype)


@dataclass(frozen=True)
class DBitLayout(CheckedReports):
    """A report is d different buckets with a bit each: 2 bucket + bit in rising order.

    Shape (n, d), the narrowest unsigned dtype for 2 b.

    Attributes:
        k: the number b of buckets. d: buckets per report.
    """

    k: int
    d: int

    @property
    def counters(self) -> int:
        """A bucket's zeros, and its ones."""
        return 2 * self.k

    @property
    def shape(self) -> PackedShape:
        """The shape of a report: 2 bucket + bit, d times."""
        return PackedShape((Field(self.d, 2 * self.k),), smallest_dtype(2 * self.k))

    def check(self, data: object) -> NDArray[Any]:
        """Check reports: any integer dtype is taken, after its range has been looked at.

        Raises:
            ReportError: not an integer array of shape (n, d), an entry out of range, or buckets
                that repeat or do not rise.
        """
        array = check_report_array("reports", data, 2)
        if array.shape[1] != self.d:
            raise ReportError("reports", f"must have {self.d} columns", array.shape)
        if array.size and not within(array, 2 * self.k):
            raise ReportError("reports", f"must hold integers in 0..{2 * self.k - 1}")
        if np.any(np.diff(array.astype(np.int64) // 2, axis=1) <= 0):
            raise ReportError("reports", "must name different buckets in rising order")
        return array.astype(smallest_dtype(2 * self.k), copy=False)

    def count(self, data: NDArray[Any]) -> NDArray[np.int64]:
        """Return how often each bucket was reported as 0, and as 1."""
        return value_counts(np.ascontiguousarray(data).reshape(-1), 2 * self.k)

    def impossible(self, n: int, counters: NDArray[np.int64]) -> str | None:
        """Say why no reports add up to this: each has d different buckets, as 0 or as 1."""
        if np.any(counters[0::2] > n - counters[1::2]):
            return f"must not have a bucket in more than n = {n} reports"
        return unless_sum(n * self.d, counters)

    def supports(self, counters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The counters themselves: what estimates need."""
        return counters

    def support_counts(self, data: NDArray[Any]) -> NDArray[np.int64]:
        """`supports` of `count`."""
        return self.count(data)


@dataclass(frozen=True)
class SampledBits:
    """The estimator of `sampled_bit` in `spec/dbitflip.py`: (ones - n_j zero)/(one - zero) b/d.

    n_j is how many reports are about bucket j. Unbiased over the draw of the buckets.

    Attributes:
        identity: which reports belong to it.
        k: the number b of buckets. d: buckets per report.
        one, zero: P(bit is 1) of the own bucket, and of others.
        labels: none: its values are buckets.
    """

    identity: Identity
    k: int
    d: int
    one: Fraction
    zero: Fraction
    labels: None = None
    exclusive: ClassVar[bool] = True

    @property
    def layout(self) -> DBitLayout:
        """How reports lie in an array."""
        return DBitLayout(self.k, self.d)

    @property
    def no_estimator(self) -> None:
        """Return None, as there is an estimator: a 1 is more likely for the own bucket."""
        return

    @property
    def _scale(self) -> float:
        return float(Fraction(self.k, self.d) / (self.one - self.zero))

    def implausible(self, n: int, counters: NDArray[np.int64]) -> None:
        """Return None: that every report is counted once is all that is asked."""
        del n, counters

    def tested(self, supports: NDArray[np.int64]) -> Honesty:
        """Test that buckets were drawn equally often, and that bits are 1 as often as they may be.

        The buckets are drawn without looking at any value, and given them bits are independent, as
        each user has one report in a state of one period.
        """
        asked = supports[0::2] + supports[1::2]
        n = int(asked.sum()) // self.d
        chance = np.array(self.d / self.k)
        checks = [of_coins("buckets drawn", n, asked, chance, chance)] if self.d < self.k else []
        some = np.flatnonzero(asked)
        ends = np.array(float(self.zero)), np.array(float(self.one))
        bits = of_coins(
            "ones of each bucket", asked[some], supports[1::2][some], *ends, looks=self.k
        )
        return Honesty((*checks, bits))

    def estimated(self, n: int, counters: NDArray[np.int64]) -> NDArray[np.float64]:
        """The counts, estimated from the zeros and ones of each bucket."""
        del n
        zeros, ones = counters[0::2], counters[1::2]
        return np.asarray((ones - (zeros + ones) * float(self.zero)) * self._scale)

    @cached_property
    def variances(self) -> tuple[Fraction, Fraction]:
        """Return the exact variances of what a holder adds, and of what another user does."""
        return sampled_variances(self.one, self.zero, Fraction(self.d, self.k))

    def plug_in(self, shares: NDArray[np.float64], n: int) -> NDArray[np.float64]:
        """The line at the shares, clipped to [0, 1]."""
        a, b = self.variance_line(n)
        return np.asarray(a + b * np.clip(shares, 0.0, 1.0))

    def variance_line(self, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The variance line, the same for all buckets and every n."""
        del n
        held, absent = self.variances
        return np.asarray(float(absent)), np.asarray(float(held - absent))

    @property
    def half_step(self) -> NDArray[np.float64]:
        """Half of what a 1 in the place of a 0 adds."""
        return np.asarray(self._scale / 2)
