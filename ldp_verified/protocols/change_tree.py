"""A tree over days counts a bit that changes a few times, at one price for all days.

A user holds a bit on each of T days, 0 before the first one, and at most `changes` changes count:
later ones are cut, so that epsilon holds for every sequence. The days are the leaves of a binary
tree; a node of level h is a block of 2^h days. A user draws a level, in public, and which of the
changes is kept, in private. After each whole block of that level one sign is sent. If the kept
change lies in the block, +1 for 0 to 1 and -1 for 1 to 0, kept by randomized response; otherwise a
fair coin. The count of day t is the sum over the blocks that [1, t] consists of.

What one user's whole transcript costs: the level is drawn without looking at anything. Given the
level and the kept change, the transcript differs from fair coins in one sign at most. So the
likelihoods of two sequences differ at most by (p/(1/2)) ((1/2)/q) = p/q, where they differ in two
blocks, and by p/q where they are opposite in one. A mixture over kept changes has no larger ratio
than its parts. So it is epsilon, that of the randomized response, whatever T is.
`tests/protocols/test_change_tree.py` enumerates the running client over all its coins, for every
pair of sequences of four days.

Ulfar Erlingsson, Vitaly Feldman, Ilya Mironov, Ananth Raghunathan, Kunal Talwar, Abhradeep Thakurta
(2019), Amplification by Shuffling: From Local to Central Differential Privacy via Anonymity. The
local protocol is theirs; nothing is shuffled here, and the price is the enumerated one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.change_tree_state import TreeState
from ldp_verified.protocols.message_counts import told_messages, wrapped_messages
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.influence import Influence
from ldp_verified.run.aggregate.origin import MOST_REPORTS
from ldp_verified.run.aggregate.reports import Reports, batches_of
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.mechanisms import BinaryRR
from ldp_verified.run.program.days import change_signs
from ldp_verified.run.realize.parameters import check_integer, exact_number
from ldp_verified.run.realize.values import integer_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.program.form import Program
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.value_types import UserRows

    Integers = NDArray[np.int64]

MOST_DAYS = 1 << 16
MOST_CHANGES = 1 << 10


@dataclass(frozen=True)
class ChangeTree:
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript of all days, a number > 0.
        days: T, 1..2^16. changes: how many changes of a user count, 1..2^10.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    days: int
    changes: int = 1

    law_sha256: ClassVar[str] = "13aa5bf5eb1ccf84213405754e65569d1a05b208273e404920a40ed3dbe32417"
    """The hash of the law of one sign's randomized response.

    `name` and the sizes tell the protocol apart.
    """

    def __post_init__(self) -> None:
        """Check the parameters."""
        object.__setattr__(self, "days", check_integer("days", self.days, 1, MOST_DAYS))
        changes = check_integer("changes", self.changes, 1, MOST_CHANGES)
        object.__setattr__(self, "changes", changes)
        object.__setattr__(self, "epsilon", self.sign.epsilon)

    @cached_property
    def sign(self) -> BinaryRR:
        """The randomized response of the one sign that is no fair coin."""
        return BinaryRR(self.epsilon)

    @property
    def realized_epsilon(self) -> float:
        """Realized epsilon of one user's whole transcript, rounded up."""
        return self.sign.realized_epsilon

    @property
    def levels(self) -> int:
        """The number of levels: blocks of 1, 2, 4, ... days, as long as one fits."""
        return self.days.bit_length()

    def blocks(self, level: int) -> int:
        """The number of whole blocks of a level."""
        return self.days >> level

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """The number of the first block of each level, and how many blocks there are in all."""
        found = [0]
        for level in range(self.levels):
            found.append(found[-1] + self.blocks(level))
        return tuple(found)

    @property
    def codes(self) -> int:
        """The number of messages: a sign for each block, and joining at each level."""
        return 2 * self.firsts[-1] + self.levels

    @property
    def bits_per_report(self) -> int:
        """Bits that one message needs."""
        return (self.codes - 1).bit_length()

    @cached_property
    def identity(self) -> Identity:
        """Return the identity that reports must carry to be counted."""
        items = {"changes": self.changes, "days": self.days, "epsilon": self.epsilon}
        thresholds = self.sign.thresholds
        return Identity("ChangeTree", tuple(sorted(items.items())), self.law_sha256, thresholds)

    @property
    def scale(self) -> float:
        """The weight of a sign in the count of a day: levels times changes over p - q."""
        return self.levels * self.changes / float(self.sign.p - self.sign.q)

    def influence(self) -> Influence:
        """Return what the messages of one user, honest or not, can add to a day's count: attained.

        Of a user who joins at one level and sends one sign for each of its blocks. Messages do not
        say whose they are, so that this is a matter of who may send.
        """
        weight = self.levels * self.changes / (self.sign.p - self.sign.q)
        return Influence(-weight, weight)

    def variance(self, n: int, day: int, count: float) -> float:
        """The variance of the estimated count of a day: exact, over all that is drawn.

        n L k^2 w/(p - q)^2 - count, with L levels, k changes and w blocks that [1, day] has.

        Args:
            n: users. day: 1..days. count: the true count, of users with no more changes than count.

        Raises:
            ParameterError: an argument is out of range.
        """
        users = check_integer("n", n, 0, MOST_REPORTS)
        blocks = check_integer("day", day, 1, self.days).bit_count()
        exact = exact_number(count)
        if exact is None or not 0 <= exact <= users:
            raise ParameterError("count", f"must be a number in 0..n = 0..{users}", count)
        return users * self.scale**2 * blocks / self.levels - float(exact)

    def kept(self, bits: NDArray[np.bool_], ranks: Integers) -> tuple[Integers, Integers]:
        """The day, from 0, of the change of this rank, and its sign; sign 0 where there is none.

        Args:
            bits: of users and days. ranks: which change of each user is kept, from 0.
        """
        before = np.concatenate([np.zeros((len(bits), 1), dtype=bool), bits[:, :-1]], axis=1)
        changed = bits ^ before
        wanted = changed & (np.cumsum(changed, axis=1) == ranks[:, np.newaxis] + 1)
        exists = wanted.any(axis=1)
        return wanted.argmax(axis=1), np.where(exists, 1 - 2 * (ranks % 2), 0)

    def drawn(self, signs: Integers, source: WordSource) -> Integers:
        """Each sign randomized: 0 is a fair coin. Returns 0 for - and 1 for +."""
        known = signs != 0
        sent = np.empty(len(signs), dtype=np.int64)
        coins = source.words(int(np.count_nonzero(~known)))
        sent[~known] = coins >> np.uint64(63)
        own = (signs[known] + 1) // 2
        sent[known] = self.sign.sampler().draw(own, source)
        return sent

    def privatize(self, histories: UserRows, rng: Rng = None) -> Reports:
        """All messages of users whose bits of all days are known, for experiments and tests.

        Args:
            histories: 0 or 1, shape (users, days).
            rng: None for the secure source; a seed or numpy Generator marks reports as simulated.

        Raises:
            DomainError: another shape, or something else than 0 and 1; nothing is drawn then.
        """
        given = integer_rows(histories, self.days, "histories")
        if given.size and not ((given == 0) | (given == 1)).all():
            raise DomainError("histories", "must be 0 or 1")
        bits = given.astype(bool)
        source = word_source(rng, "privatize", *self.identity.named)
        levels = uniform_numbers(len(bits), self.levels, source)
        ranks = uniform_numbers(len(bits), self.changes, source)
        parts = [2 * self.firsts[-1] + levels]
        for level in range(self.levels):
            mine = levels == level
            days, signs = self.kept(bits[mine], ranks[mine])
            count = self.blocks(level)
            row: Integers = np.zeros((len(days), count), dtype=np.int64)
            block = days >> level
            inside = np.flatnonzero(block < count)
            row[inside, block[inside]] = signs[inside]
            sent = self.drawn(row.reshape(-1), source).reshape(row.shape)
            numbers = self.firsts[level] + np.arange(count)
            parts.append((2 * numbers + sent).reshape(-1))
        data = np.concatenate(parts).astype(smallest_dtype(self.codes))
        return Reports(data, self.identity, bool(source.simulated))

    def reports(self, data: object, *, simulated: bool) -> Reports:
        """Wrap an array of messages that came from somewhere else.

        Args:
            data: integers, one axis. simulated: whether they are simulated, and protect nobody.

        Raises:
            ReportError: these are no messages of this protocol. ParameterError: `simulated` is no
                bool.
        """
        return wrapped_messages(self, data, simulated)

    @property
    def program_value(self) -> str:
        """Say what the value of a client in another language is, and what its report."""
        return (
            "A value is the bit of the next day, 0 or 1. A report is two numbers, each a message "
            "plus 1, or 0 where there is none to send: that the user joined, on the first day, and "
            "the sign of a block that ends. After all days both are 0."
        )

    def program(self) -> Program:
        """The program of a client in another language: a report is the messages of one day.

        It keeps what `TreeClient` keeps. `reports_of` reads its numbers.
        """
        return change_signs("change_tree", self.days, self.changes, self.sign.thresholds[0])

    def reports_of(self, numbers: object, simulated: bool = False) -> Reports:
        """The messages that programs gave as numbers.

        Args:
            numbers: integers, shape (n, 2): a row for each day of each user.
            simulated: whether they are simulated, and protect nobody.

        Raises:
            ReportError: these are no such numbers. ParameterError: `simulated` is no bool.
        """
        signs = 2 * self.firsts[-1]
        return told_messages(self, numbers, (range(signs, self.codes), range(signs)), simulated)

    def empty(self, simulated: bool = False) -> TreeState:
        """The state that has seen nothing.

        Args:
            simulated: whether it counts simulated messages, which protect nobody, or real ones.
        """
        return TreeState(self, (0,) * self.codes, simulated)

    def load(self, path: str | os.PathLike[str], *, implausible: bool = False) -> TreeState:
        """A state of this protocol that `TreeState.save` wrote: see `Saved.load`."""
        return TreeState.load(path, self, implausible=implausible)

    def aggregate(self, reports: Reports | Iterable[Reports], simulated: bool = False) -> TreeState:
        """Count a batch of messages, or an iterable of batches.

        Args:
            reports: of this protocol. simulated: as in `empty`.

        Raises:
            ReportError: messages that are malformed or belong to another protocol.
        """
        state = self.empty(simulated)
        for batch in batches_of(reports):
            state = state.update(batch)
        return state
