"""Values of up to 128 bits, a linear hash of them, and randomized response on the bucket.

That is OLH with the balanced family of `run.kernels.wide`, for domains that nobody can list: what
the protocols for heavy hitters send, whatever function of the value it is applied to.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.wide_values import (
    decode_integer,
    decode_text,
    encode_integers,
    encode_texts,
    listed,
)
from ldp_verified.run.aggregate.absent import AbsentCoins
from ldp_verified.run.aggregate.honest import Honesty, HonestyCheck, of_coins
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.kernels.wide import MOST_BITS
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.run.realize.values import holder_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class HashedValues(ABC):
    """The numbers and the encoding that such protocols share.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        law_sha256: of the declaration that the class runs, without its prose.
    """

    epsilon: float
    bits: int | None

    law_sha256: ClassVar[str]

    @property
    @abstractmethod
    def buckets(self) -> int:
        """The number g of buckets, a power of 2."""

    @property
    @abstractmethod
    def _own_items(self) -> dict[str, float | int | str]:
        """Return the parameters that only this protocol has."""

    @property
    def reports_per_user(self) -> int:
        """Reports that a user sends, which share epsilon evenly."""
        return 1

    def _check_values(self) -> None:
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        if self.bits is not None:
            object.__setattr__(self, "bits", check_integer("bits", self.bits, 2, 128))

    @cached_property
    def width(self) -> int:
        """Bits of an encoded value."""
        return 128 if self.bits is None else int(self.bits)

    @cached_property
    def _randomizer(self) -> GRR:
        share = self.epsilon
        if self.reports_per_user > 1:  # the double below, so that the sum is not above epsilon
            share = math.nextafter(share / self.reports_per_user, 0)
        return GRR(share, self.buckets)

    @property
    def hash_bits(self) -> int:
        """The bits r of a bucket."""
        return self.buckets.bit_length() - 1

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of a user's transcript, rounded up: that of their reports together."""
        one = self._randomizer.realized_epsilon
        if self.reports_per_user == 1:
            return one
        return min(math.nextafter(one * self.reports_per_user, math.inf), self.epsilon)

    @property
    def chance_held(self) -> float:
        """The chance that a report supports the value that its user holds."""
        return float(self._randomizer.p)

    @property
    def gain(self) -> float:
        """p* - q*: what a user who holds a value adds to its expected support."""
        return float(self._randomizer.p) - 1 / self.buckets

    @property
    def chance(self) -> float:
        """The chance that a report supports a value that its user does not hold."""
        return 1 / self.buckets

    @property
    def variance_absent(self) -> float:
        """Variance of what a report adds to the count of a value that its user does not hold."""
        return (1 / self.buckets) * (1 - 1 / self.buckets) / self.gain**2

    @property
    def variance_held(self) -> float:
        """Variance of what a report adds to the count of the value that its user holds."""
        p = self._randomizer.p
        return float(p * (1 - p)) / self.gain**2

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items = self._own_items | {
            "bits": self.width,
            "epsilon": self.epsilon,
            "values": "text" if self.bits is None else "integers",
        }
        thresholds = self._randomizer.thresholds
        return Identity(type(self).__name__, (*sorted(items.items()),), self.law_sha256, thresholds)

    def encode(self, values: object, argument: str = "values") -> NDArray[np.uint64]:
        """Values as 128-bit numbers, uint64 (n, 2).

        Raises:
            DomainError: one is none of the domain; it is not shown.
        """
        if self.bits is None:
            return encode_texts(argument, values)
        return encode_integers(argument, values, self.width)

    def decode(self, value: NDArray[np.uint64]) -> str | int | None:
        """The value of an encoding, uint64 (2,); None where there is none."""
        return decode_text(value) if self.bits is None else decode_integer(value, self.width)

    def population(self, values: object, counts: object) -> NDArray[np.uint64]:
        """The encoded values of all users, from how many hold each.

        Raises:
            DomainError: a value outside the domain. ParameterError: counts that do not fit.
        """
        encoded = self.encode(values)
        return np.repeat(encoded, holder_counts(counts, len(encoded)), axis=0)

    def false_alarm(self, m: int, candidates: int, chance: float = 1e-3) -> float:
        """A count among m reports that none of so many values held by nobody exceeds.

        But for that chance, by Bernstein's inequality and a union over the candidates, which have
        to be fixed before these reports are looked at: those of other users may choose them.
        """
        return self._deviation(m, self.variance_absent, chance / candidates)

    def _deviation(self, m: int, variance: float, chance: float) -> float:
        """Return what m independent centred terms exceed with at most this chance (Bernstein)."""
        logarithm = -math.log(chance)
        part = logarithm / (3 * self.gain)
        return part + math.sqrt(part * part + 2 * m * variance * logarithm)


def check_buckets(g: object) -> int:
    """The number of buckets, if it is a power of 2.

    Raises:
        ParameterError: it is none, or above 256.
    """
    buckets = check_integer("g", g, 2, 1 << MOST_BITS)
    if buckets & (buckets - 1):
        raise ParameterError("g", "must be a power of 2", buckets)
    return buckets


def several(values: object) -> tuple[str | int, ...]:
    """Candidates as a tuple.

    Raises:
        DomainError: no list, tuple, range, array or column, or none at all.
    """
    found = tuple(listed("values", values))
    if not found:
        raise DomainError("values", "must be one value or more", 0)
    return found


class Supports(Protocol):
    """The numbers that counts are made of: how often reports support values held and not held.

    `HashedValues` says what each of these is.
    """

    @property
    def identity(self) -> Identity:
        """The identity of the reports."""

    @property
    def chance(self) -> float:
        """The probability that a report supports a value that its user does not hold."""

    @property
    def chance_held(self) -> float:
        """The probability that a report supports the value that its user holds."""

    @property
    def gain(self) -> float:
        """The difference of the two probabilities, `chance_held` - `chance`."""

    @property
    def variance_absent(self) -> float:
        """The variance that a report adds to the count of a value that its user does not hold."""

    @property
    def variance_held(self) -> float:
        """The variance that a report adds to the count of the value that its user holds."""


@dataclass(frozen=True)
class SampledOracle:
    """Counts among n users from m reports, those of a uniform group or several of each user.

    Unbiased over the draw of the group too, for values that are fixed before its reports are seen.

    Attributes:
        protocol: whose reports they are. n: users in all. m: reports that count. k: candidates.
        fixed: whether the candidates were fixed before these reports were looked at.
        more: makes further tests of the reports, when they are asked for: they take a while.
    """

    protocol: Supports
    n: int
    m: int
    k: int
    fixed: bool = True
    more: tuple[Callable[[], HonestyCheck], ...] = ()

    def tested(self, supports: NDArray[np.int64]) -> Honesty:
        """Test whether so many reports support a value as honest ones may, and `more`."""
        more = [make() for make in self.more]
        if not self.fixed:
            return Honesty((*more,))
        ends = np.array(self._least_chance), np.array(self.protocol.chance_held)
        return Honesty((of_coins("support of each value", self.m, supports, *ends), *more))

    @property
    def _least_chance(self) -> float:
        """The least chance that an honest report supports a value."""
        return self.protocol.chance

    @property
    def identity(self) -> Identity:
        """Return the identity of the reports that this oracle counts."""
        return self.protocol.identity

    def absent_coins(self) -> AbsentCoins | None:
        """The coins of a candidate that nobody holds, as `run.aggregate.absent` takes them.

        Raises:
            ParameterError: candidates were chosen by these reports.
        """
        if not self.fixed:
            raise ParameterError("values", "must be fixed before these reports are looked at")
        return AbsentCoins(self.m, self.protocol.chance)

    @property
    def _scale(self) -> float:
        return self.n / self.m

    def estimated(self, n: int, counters: NDArray[np.int64]) -> Floats:
        """n/m times (support - m q*)/(p* - q*), float64 (k,)."""
        del n
        inside = (counters - self.m * self.protocol.chance) / self.protocol.gain
        return np.asarray(inside * self._scale, dtype=np.float64)

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """Variance per user at the shares, clipped to [0, 1], with the draw of the group."""
        inside = np.clip(shares, 0.0, 1.0)
        a, b = self._reported
        drawn = inside * (1 - inside) * self._left_out(n)
        return np.asarray(a + b * inside + self._scale * drawn)

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """A line above that, as f (1 - f) is at most f."""
        a, b = self._reported
        return np.asarray(a), np.asarray(b + self._scale * self._left_out(n))

    @property
    def _reported(self) -> tuple[float, float]:
        absent = self._scale * self.protocol.variance_absent
        return absent, self._scale * self.protocol.variance_held - absent

    def _left_out(self, n: int) -> float:
        return max(n - self.m, 0) / max(n - 1, 1)

    @property
    def half_step(self) -> Floats:
        """Half of what a support adds."""
        return np.asarray(self._scale / (2 * self.protocol.gain))
