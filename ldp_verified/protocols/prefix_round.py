"""One round of the prefix protocol in rounds: what is asked, what users say, what the server sees.

A round is made of what the server published, and its reports and states have it in their identity:
a report of another round, or in view of another published list, is refused.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.protocols.prefix_search import public_functions
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.listed import check_codes_once
from ldp_verified.run.aggregate.reports import SentReports
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import WIDTH, hashes, prefixes
from ldp_verified.run.mechanisms import GRR
from ldp_verified.run.program.hashed_groups import ListedFunctions
from ldp_verified.run.program.rounds import round_answer
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.protocols.collisions import Chances
    from ldp_verified.protocols.prefix_rounds import PrefixRounds
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserValues

    Floats = NDArray[np.float64]
    Words = NDArray[np.uint64]

MOST_PUBLISHED = 1 << 16
"""Prefixes that a round publishes, at most."""

MOST_HASHED_BITS = 6
"""The logarithm of the largest g of a later round: the server's work is proportional to g."""

USUAL_SHARE = 0.3
"""Users who hold published prefixes, as the number of buckets is chosen for: a guess."""


class InRounds:
    """The base of `PrefixRounds` alone, which `PrefixRoundClient` answers and which imports it."""


@dataclass(frozen=True, eq=False, repr=False)
class RoundReports(SentReports):
    """Reports of one round, each of a user of its group.

    Attributes:
        identity: the round, the protocol's parameters, what was published, and thresholds.
        functions: the place of each user's function in the public list, uint16 (n,).
        answers: uint8 or uint16 (n,); 0 is "none" where something was published.
        simulated: whether the words were those of a seed: then they protect nobody.
    """

    identity: Identity
    functions: NDArray[np.uint16]
    answers: NDArray[np.unsignedinteger]
    simulated: bool

    def __len__(self) -> int:
        return len(self.answers)


@dataclass(frozen=True)
class PrefixRound:
    """A round, as the server publishes it.

    Attributes:
        protocol: the parameters. number: of the round, and of the group that it asks, from 0.
        published: prefixes that were kept, or in the last round values, as 128-bit numbers with
            zeros beyond their bits; different ones, none in the first round.

    Raises:
        ParameterError: no such round, or it cannot have published this.
    """

    protocol: PrefixRounds
    number: int
    published: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check what was published."""
        number = check_integer("number", self.number, 0, self.protocol.levels)
        object.__setattr__(self, "number", number)
        least = 1 if self.confirms else 0
        most = MOST_PUBLISHED if number else 0
        rule = f"must be {least} to {most} different prefixes of {self.begin} bits, as numbers"
        if not isinstance(self.published, tuple) or not least <= len(self.published) <= most:
            raise ParameterError("published", rule, type(self.published))
        unit = 1 << (WIDTH - self.begin)
        for each in self.published:
            if not is_integer(each) or not 0 <= int(each) < 1 << WIDTH or int(each) % unit:
                raise ParameterError("published", rule, each)
        whole = tuple(int(each) for each in self.published)
        if len(set(whole)) < len(whole):
            raise ParameterError("published", rule, len(whole))
        object.__setattr__(self, "published", whole)

    @classmethod
    def of(cls, protocol: PrefixRounds, number: int, found: Words) -> PrefixRound:
        """The round that publishes these values, uint64 (k, 2)."""
        words = found.astype(object)
        return cls(protocol, number, tuple((words[:, 0] * (1 << 64) + words[:, 1]).tolist()))

    @property
    def confirms(self) -> bool:
        """Return whether it is the last round, which counts whole values."""
        return self.number == self.protocol.levels

    @property
    def begin(self) -> int:
        """The bits of what was published."""
        return (0, *self.protocol.lengths)[self.number]

    @property
    def end(self) -> int:
        """The bits that a report depends on."""
        return (*self.protocol.lengths, self.protocol.width)[self.number]

    @cached_property
    def buckets(self) -> int:
        """The number g of buckets; in the last round the number of values that are asked about."""
        if self.confirms:
            return len(self.published)
        if self.number == 0:
            return self.protocol.buckets
        return self.protocol.hashed

    @property
    def answers(self) -> int:
        """The number of answers: "none" and the buckets; in the first round the buckets."""
        return self.buckets + (self.number > 0)

    @cached_property
    def randomizer(self) -> GRR:
        """K-ary randomized response on the answer."""
        return GRR(self.protocol.epsilon, self.answers)

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of one report, rounded up."""
        return self.randomizer.realized_epsilon

    @cached_property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this round."""
        own = self.protocol.identity
        text = ",".join(map(str, self.published)).encode()
        items = own.parameters | {
            "published": hashlib.sha256(text).hexdigest(),
            "round": self.number,
        }
        thresholds = self.randomizer.thresholds
        return Identity("PrefixRound", (*sorted(items.items()),), own.law_hash, thresholds)

    @cached_property
    def functions(self) -> Words:
        """The public list of functions, uint64 (cohorts, 3)."""
        mine = self.protocol
        bits = max(1, self.buckets.bit_length() - 1)
        return public_functions("prefix rounds", mine.seed, self.number, mine.cohorts, bits)

    def program(self) -> Program:
        """The program of a client in another language, of a user of this round's group.

        What was published is in it as tables. It says nothing of the group: users draw theirs, once
        for all rounds. A value is an integer below 2^bits; a string is one of 128 bits,
        `wide_values.encode_texts` says which.
        """
        mine, functions = self.protocol, self.functions
        low, high, more = ((*functions[:, part].tolist(),) for part in range(3))
        listed = ListedFunctions(False, mine.cohorts, 1, (low, high, more))
        return round_answer(
            *("prefix_round", mine.width, (self.begin, self.end)),
            mine.cohorts if self.confirms else listed,
            *(self.published, (self.answers, self.randomizer.thresholds[0])),
        )

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.bytes_], NDArray[np.int64]]:
        """(keys of what was published in order, the place of each)."""
        halves = [[each >> 64, each & ((1 << 64) - 1)] for each in self.published]
        keys = _keys(np.array(halves, dtype=np.uint64).reshape(-1, 2))
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def places(self, encoded: Words) -> NDArray[np.int64]:
        """Return where each value's prefix stands in what was published, from 1; 0 for nowhere."""
        keys, order = self._sorted
        if not len(keys):
            return np.zeros(len(encoded), dtype=np.int64)
        own = _keys(prefixes(encoded, self.begin))
        at = np.minimum(np.searchsorted(keys, own), len(keys) - 1)
        return np.where(keys[at] == own, order[at] + 1, 0)

    def inputs(self, encoded: Words, functions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what each user reports on, int64 (n,).

        Args:
            encoded: uint64 (n, 2). functions: the place of each user's function in the list.
        """
        if self.confirms:
            return self.places(encoded)
        bits = self.buckets.bit_length() - 1
        own = hashes(self.functions[functions], prefixes(encoded, self.end), bits)
        return own if self.number == 0 else np.where(self.places(encoded) > 0, own + 1, 0)

    def privatize(self, values: UserValues, rng: Rng = None) -> RoundReports:
        """The reports of several users of this round's group.

        Args:
            values: strings, or integers where `bits` was given. rng: None for the secure source; a
                seed or generator is for simulation, and marks the reports.

        Raises:
            DomainError: no value, or one outside the domain; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        source = word_source(rng, "privatize", *self.identity.named)
        return self._reports(self.protocol.encode(values), source)

    def _reports(self, encoded: Words, source: WordSource) -> RoundReports:
        if len(encoded) == 0:
            raise DomainError("values", "must be one value or more")
        functions = uniform_numbers(len(encoded), self.protocol.cohorts, source)
        drawn = self.randomizer.sampler().draw(self.inputs(encoded, functions), source)
        answers = drawn.reshape(len(encoded)).astype(smallest_dtype(self.answers))
        return RoundReports(
            self.identity, functions.astype(np.uint16), answers, bool(source.simulated)
        )

    # --- what an answer says about a value ----------------------------------------------------

    @cached_property
    def _chances(self) -> tuple[float, float]:
        """(of the answer that is true, of each other one)."""
        return float(self.randomizer.p), float(self.randomizer.q)

    @property
    def gain(self) -> float:
        """The amount that a user who holds a value adds to its expected support."""
        p, q = self._chances
        return (p - q) * (1.0 if self.confirms else 1 - 1 / self.buckets)

    @property
    def chance(self) -> float:
        """The chance that a user of the last round names a value that they do not hold."""
        return self._chances[1]

    @property
    def chance_held(self) -> float:
        """The chance that a user of the last round names the value that they hold."""
        return self._chances[0]

    def influence(self, values: object = None) -> Influence:
        """Return what one user, honest or not, can add to a count of all users: attained.

        A user who lies is in the group of the last round, where its report counts for all whom the
        draw of groups sent elsewhere; groups are taken at their expected sizes.

        Args:
            values: several that this round published, each once: the count is of users who hold one
                of them. None for the count of one value.

        Raises:
            DomainError: one was not published. ParameterError: there are none, one is there twice,
                or it is not the last round.
        """
        if not self.confirms:
            rule = f"must be that of the last round, {self.protocol.levels}, which counts"
            raise ParameterError("number", rule, self.number)
        size = 1
        if values is not None:
            places = self.places(self.protocol.encode(values))
            if len(places) and int(places.min()) < 1:
                raise DomainError("values", "must be values that this round published")
            size = len(places)
            check_codes_once(places)
        p, q = self.randomizer.p, self.randomizer.q
        whole = (p - q) * self.protocol.confirming
        return Influence(-size * q / whole, (1 - size * q) / whole)

    def spread(self, share: float) -> float:
        """Variance of what a report adds to the count of a value that its user does not hold.

        Args:
            share: of the users, who hold what was published; the first and the last round do not
                depend on it.
        """
        _, q = self._chances
        if self.confirms:
            return q * (1 - q) / self.gain**2
        g = self.buckets
        holds = (1 - q if self.number else 1.0) / g
        inside = share if self.number else 1.0
        return (1 - 1 / g) * ((1 - inside) * q + inside * holds) / self.gain**2

    @property
    def variance_absent(self) -> float:
        """The variance that `spread` gives in the last round, whatever share holds the prefix."""
        return self.spread(1.0)

    @property
    def variance_held(self) -> float:
        """Variance of what a report adds to the count of the value that its user holds."""
        p, _ = self._chances
        return p * (1 - p) / self.gain**2

    @property
    def candidates(self) -> int:
        """Prefixes or values that are ranked after this round, at most."""
        mine = self.protocol
        if self.confirms:
            return mine.listed
        return (mine.kept if self.number else 1) << (self.end - self.begin)

    @property
    def chances(self) -> Chances:
        """The chances of this round's reports, as bounds of a level take them."""
        if self.confirms:
            return {"gain": self.gain, "even": self.chance, "functions": None}
        return {"gain": self.gain, "even": 1 / self.buckets, "functions": self.protocol.cohorts}

    def check(self, other: object) -> None:
        """Refuse a round that is not this one: another protocol, number or published list.

        Raises:
            ParameterError: it is another one.
        """
        check_kind("state", other, PrefixRound)
        assert isinstance(other, PrefixRound)
        difference = self.identity.difference(other.identity)
        if difference is not None:
            raise ParameterError("state", f"must be of this round: {difference}")


def best_hashed(epsilon: float) -> int:
    """The buckets g of later rounds: a power of 2 up to 64, of least variance as is guessed."""

    def variance(g: int) -> float:
        made = GRR(epsilon, g + 1)
        p, q = float(made.p), float(made.q)
        mixed = (1 - USUAL_SHARE) * q + USUAL_SHARE * (1 - q) / g
        return mixed / ((1 - 1 / g) * (p - q) ** 2)

    return 1 << min(range(1, MOST_HASHED_BITS + 1), key=lambda r: variance(1 << r))


def best_grouped(epsilon: float) -> int:
    """The buckets g of the first round: a power of 2 up to 64, of least variance."""

    def variance(g: int) -> float:
        p = 1 / (math.exp(-epsilon) * (g - 1) + 1)
        gain = (p - 1 / g) ** 2
        return (1 / g) * (1 - 1 / g) / gain if gain else math.inf

    return 1 << min(range(1, MOST_HASHED_BITS + 1), key=lambda r: variance(1 << r))


def _keys(values: Words) -> NDArray[np.bytes_]:
    """128-bit numbers as strings of 16 bytes, in the same order."""
    big: NDArray[Any] = np.ascontiguousarray(values, dtype=">u8")
    return big.view("S16").reshape(len(values))


def numbers(values: Iterable[int]) -> Words:
    """128-bit numbers as uint64 (n, 2), the upper half first."""
    halves = [[each >> 64, each & ((1 << 64) - 1)] for each in values]
    return np.array(halves, dtype=np.uint64).reshape(-1, 2)
