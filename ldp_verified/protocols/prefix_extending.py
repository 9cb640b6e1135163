"""Prefix extending (PEM): heavy hitters among strings and wide integers.

Declared in `spec/protocols/prefix_extending.py`. A user is in one public group, with one report: a
random function of the balanced family of `kernels.wide` to g = 2^r buckets, and k-ary randomized
response on the bucket of the first bits of their value. That is OLH over prefixes, with a family
for values of 128 bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.aggregate.reports import Identity
from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.kernels.seeds import word_source
from ldp_verified.kernels.wide import MOST_BITS, MOST_EXTENSION, draw_seeds, hashes, prefixes
from ldp_verified.mechanisms import GRR
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.protocols.wide_values import (
    decode_integer,
    decode_text,
    encode_integers,
    encode_texts,
)
from ldp_verified.realize.parameters import check_epsilon, check_integer

if TYPE_CHECKING:
    from typing import SupportsIndex

    from numpy.typing import NDArray

    from ldp_verified.kernels.randomness import WordSource

    Rng = SupportsIndex | np.random.Generator | WordSource | None

LEVEL_COINS, COINS = 17, 20
"""Of 20 users 17 are split evenly over the levels; the other 3 confirm."""

LARGEST_N = 1 << 40
"""Users that a plan is made for, at most."""


@dataclass(frozen=True, eq=False)
class PrefixReports:
    """Reports of a protocol, each of a user in one group.

    Attributes:
        identity: the protocol, its parameters and thresholds. groups: uint8 (n,).
        seeds: of the functions, uint64 (n, 3). buckets: uint8 or uint16 (n,).
        simulated: whether the words were those of a seed: then they protect nobody.
    """

    identity: Identity
    groups: NDArray[np.uint8]
    seeds: NDArray[np.uint64]
    buckets: NDArray[np.unsignedinteger]
    simulated: bool

    def __len__(self) -> int:
        return len(self.groups)


@dataclass(frozen=True)
class PrefixExtending:
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        step: bits by which prefixes are extended at a level, 1..20; the first has as many.
        g: buckets of a hash, a power of 2 up to 256; None for the best up to 16, which the work of
            the server is proportional to.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    step: int = 16
    g: int | None = None

    spec_sha256: ClassVar[str] = "640d74c8e177789a807b4edf4e8b88c9c92946d7510169f9517aea06b0cf2f11"

    def __post_init__(self) -> None:
        """Check the parameters and settle the number of buckets."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        if self.bits is not None:
            check_integer("bits", self.bits, 2, 128)
        check_integer("step", self.step, 1, MOST_EXTENSION)
        if self.g is None:
            best = min(range(1, 5), key=lambda r: replace(self, g=1 << r).variance_absent)
            object.__setattr__(self, "g", 1 << best)
        g = check_integer("g", self.g, 2, 1 << MOST_BITS)
        if g & (g - 1):
            raise ParameterError("g", "must be a power of 2", g)
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    @cached_property
    def width(self) -> int:
        """Bits of an encoded value."""
        return 128 if self.bits is None else int(self.bits)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Bits of the prefixes of each group; the last group confirms."""
        ends = [*range(self.step, self.width, self.step), self.width]
        return (*ends, self.width)

    @property
    def levels(self) -> int:
        """The number of groups that find values; the group of this number counts them."""
        return len(self.lengths) - 1

    @cached_property
    def _randomizer(self) -> GRR:
        return GRR(self.epsilon, self.buckets)

    @property
    def buckets(self) -> int:
        """The number g of buckets."""
        assert self.g is not None
        return int(self.g)

    @property
    def hash_bits(self) -> int:
        """The bits r of a bucket."""
        return self.buckets.bit_length() - 1

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of a user's transcript, rounded up: that of their one report."""
        return self._randomizer.realized_epsilon

    @property
    def gain(self) -> float:
        """p* - q*: what a user who holds a value adds to its expected support."""
        return float(self._randomizer.p) - 1 / self.buckets

    @property
    def variance_absent(self) -> float:
        """Variance of what a report adds to the count of a value that its user does not hold."""
        return (1 / self.buckets) * (1 - 1 / self.buckets) / self.gain**2

    @property
    def variance_held(self) -> float:
        """The same for the value that the user holds."""
        p = float(self._randomizer.p)
        return p * (1 - p) / self.gain**2

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        items: dict[str, float | int | str] = {
            "bits": self.width,
            "epsilon": self.epsilon,
            "g": self.buckets,
            "step": self.step,
            "values": "text" if self.bits is None else "integers",
        }
        thresholds = self._randomizer.thresholds
        return Identity("PrefixExtending", (*items.items(),), self.spec_sha256, thresholds)

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

    def client(
        self, group: int | None = None, rng: Rng = None, book: SpendingBook | None = None
    ) -> PrefixClient:
        """One user's side, in a group drawn now, or in the one that the public plan says."""
        return PrefixClient(self, group, rng, book)

    def privatize(self, values: object, rng: Rng = None) -> PrefixReports:
        """One report for each of several users, in groups drawn now.

        Args:
            values: strings, or integers where `bits` was given. rng: None for the secure source; a
                seed or generator is for simulation, and marks the reports.

        Raises:
            DomainError: no value, or one outside the domain; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        source = word_source(rng, "privatize", *self.identity.named)
        return self._reports(self.encode(values), None, source)

    def simulate(self, values: object, counts: object, rng: Rng = None) -> PrefixReports:
        """The reports of a population, without a loop over users.

        Args:
            values: the distinct values, as in `privatize`. counts: how many users hold each.
            rng: as in `privatize`.

        Raises:
            DomainError: as in `privatize`.
            ParameterError: counts that do not fit, no user, or so few that nothing can be found.
        """
        encoded = self.encode(values)
        holders = np.asarray(counts)
        if holders.shape != (len(encoded),) or holders.dtype.kind not in "iu":
            raise ParameterError("counts", "must be one integer for each value", holders.shape)
        if len(holders) and int(holders.min()) < 0:
            raise ParameterError("counts", "must not be negative")
        self.refuse_hopeless(int(holders.sum()))
        source = word_source(rng, "simulate", *self.identity.named)
        return self._reports(np.repeat(encoded, holders, axis=0), None, source)

    def _reports(
        self, encoded: NDArray[np.uint64], group: int | None, source: WordSource
    ) -> PrefixReports:
        n = len(encoded)
        if n == 0:
            raise DomainError("values", "must be one value or more")
        if group is None:
            coins = uniform_numbers(n, COINS * self.levels, source)
            groups = np.minimum(coins // LEVEL_COINS, self.levels).astype(np.uint8)
        else:
            groups = np.full(n, group, dtype=np.uint8)
        seeds = draw_seeds(n, self.hash_bits, source)
        own = np.empty(n, dtype=np.int64)
        for number, length in enumerate(self.lengths):
            members = np.flatnonzero(groups == number)
            taken = prefixes(encoded[members], length)
            own[members] = hashes(seeds[members], taken, self.hash_bits)
        drawn = self._randomizer.sampler().draw(own, source)
        return PrefixReports(self.identity, groups, seeds, drawn.reshape(n), source.simulated)

    # --- plans -------------------------------------------------------------------------------

    def false_alarm(self, m: int, candidates: int, chance: float = 1e-3) -> float:
        """A count among m reports that none of so many values held by nobody exceeds.

        But for that chance, by Bernstein's inequality and a union over the candidates, which have
        to be fixed before these reports are looked at: those of other users may choose them.
        """
        return _deviation(m, self.variance_absent, 1 / self.gain, chance / candidates)

    def detectable_share(self, n: int, miss: float = 1e-3, keep: int = 64) -> float:
        """A share of the users that a value needs to stand out at every level: a plan, no proof.

        Groups are taken at their expected sizes, and a value that stands out can still be left out
        where `keep` others at the level have larger estimates. Above 1 nothing can be found.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        users = check_integer("n", n, 1, LARGEST_N)
        check_integer("keep", keep, 1, 1 << 20)
        if not 0 < miss < 1:
            raise ParameterError("miss", "must lie between 0 and 1", miss)
        m = users * LEVEL_COINS // (COINS * self.levels)
        if m == 0:
            return math.inf
        chance = miss / (2 * self.levels)
        alarm = self.false_alarm(m, keep << self.step, chance)
        worst = max(self.variance_absent, self.variance_held) + 0.25
        return (alarm + _deviation(m, worst, 1 / self.gain, chance)) / m

    def users_needed(self, share: float, miss: float = 1e-3, keep: int = 64) -> int:
        """The least n at which a value of this share stands out, by `detectable_share`.

        Raises:
            ParameterError: the share is not in (0, 1], or 2^40 users are too few.
        """
        if not 0 < share <= 1:
            raise ParameterError("share", "must lie in (0, 1]", share)
        low, high = 0, 1
        while self.detectable_share(high, miss, keep) > share:
            low, high = high, 2 * high
            if high > LARGEST_N:
                raise ParameterError("share", "must be found with at most 2^40 users", share)
        while high - low > 1:
            middle = (low + high) // 2
            found = self.detectable_share(middle, miss, keep) <= share
            low, high = (low, middle) if found else (middle, high)
        return high

    def refuse_hopeless(self, n: int) -> None:
        """Say so before anything is drawn where not even a value that all hold can be found.

        Raises:
            ParameterError: with the number of users that would do for a share of one in ten.
        """
        if n < 1 or self.detectable_share(n) > 1:
            rule = (
                f"must be users enough for something to be found at epsilon = {self.epsilon}: "
                f"{self.users_needed(0.1)} for a value that a tenth of them hold"
            )
            raise ParameterError("n", rule, n)


class PrefixClient:
    """One user's side of the protocol: it reports once.

    Args:
        protocol: the parameters. group: public; None draws it without looking at any value.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: no such group, or a bad `rng` or `book`.
    """

    def __init__(
        self,
        protocol: PrefixExtending,
        group: int | None = None,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        if book is not None:
            check_kind("book", book, SpendingBook)
        self.protocol, self._book = protocol, book
        self._source = word_source(rng, "device", *protocol.identity.named)
        if group is None:
            coin = int(uniform_numbers(1, COINS * protocol.levels, self._source)[0])
            group = min(coin // LEVEL_COINS, protocol.levels)
        self.group = check_integer("group", group, 0, protocol.levels)
        self._reported = False

    def report(self, value: str | int) -> PrefixReports:
        """The one report of this user.

        Raises:
            DomainError: a value outside the domain; nothing is drawn then.
            ParameterError: there was a report already: a second one would cost epsilon again; or
                the book refuses, whatever the value is. Nothing is drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        if self._reported:
            raise ParameterError("report", "must be called once: a second one costs epsilon again")
        encoded = self.protocol.encode([value], "value")
        if self._book is not None:
            self._book.spend(self.protocol.epsilon, f"PrefixExtending, group {self.group}")
        self._reported = True
        return self.protocol._reports(encoded, self.group, self._source)


def _deviation(m: int, variance: float, largest: float, chance: float) -> float:
    """Return what m independent centred terms exceed with at most this chance (Bernstein)."""
    logarithm = -math.log(chance)
    part = largest * logarithm / 3
    return part + math.sqrt(part * part + 2 * m * variance * logarithm)
