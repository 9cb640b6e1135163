"""Many memoised clients at once, for experiments: the reports of a day without a loop over users.

A permanent answer is drawn when it is first needed and kept, as a client's is. The words come from
one simulated source instead of a secret for each device, so nothing here protects anybody; the
joint law of all reports of all days is that of as many clients. `RapporMemoPopulation` is the same
for RAPPOR.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.protocols.dbitflip import DBitFlip
from ldp_verified.protocols.loloha import LOLOHA
from ldp_verified.protocols.longitudinal import LGRR, Longitudinal
from ldp_verified.protocols.longitudinal_bits import UnaryTwice
from ldp_verified.protocols.rappor import Rappor
from ldp_verified.protocols.rappor_population import RapporBatch, RapporPopulation
from ldp_verified.protocols.second_step import WIDTH
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.kernels.draw import smallest_dtype
from ldp_verified.run.kernels.family import digit_count, evaluate
from ldp_verified.run.kernels.grr import grr
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.values import encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import SupportsIndex

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource

    Draw = Callable[[NDArray[np.int64]], Any]

MOST_CLIENTS = 1 << 28


class _Kept:
    """Permanent answers by user and number, each drawn when it is first asked for."""

    def __init__(self, users: int, memories: int) -> None:
        self._first = np.arange(users) * memories
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._answers: NDArray[Any] | None = None

    def answers(self, memories: NDArray[np.int64], draw: Draw) -> NDArray[Any]:
        """The permanent answers of these numbers, of the users in order.

        Args:
            memories: int64 (users,). draw: gives new answers to the users at the given places.
        """
        keys = self._first + memories
        at = np.searchsorted(self._keys, keys)
        known = np.zeros(len(keys), dtype=bool)
        inside = at < len(self._keys)
        known[inside] = self._keys[at[inside]] == keys[inside]
        if not known.all():
            drawn = draw(np.flatnonzero(~known))
            # Both lists of keys rise, as users stand in order.
            places = np.searchsorted(self._keys, keys[~known])
            self._keys = np.insert(self._keys, places, keys[~known])
            before = drawn[:0] if self._answers is None else self._answers
            self._answers = np.insert(before, places, drawn, axis=0)
            at = np.searchsorted(self._keys, keys)
        assert self._answers is not None
        found: NDArray[Any] = self._answers[at]
        return found


class MemoPopulation:
    """Clients of one deployment who keep their permanent answers from day to day.

    Args:
        deployment: `LGRR`, `LOLOHA`, `DBitFlip` or a memoised unary encoding. users: how many.
        rng: a seed or a numpy Generator; None for the secure source. Reports are marked as
            simulated in any case.

    Raises:
        ParameterError: another deployment, no number of users, or a bad `rng`.
    """

    def __init__(
        self,
        deployment: Longitudinal,
        users: int,
        rng: SupportsIndex | np.random.Generator | None = None,
    ) -> None:
        if not isinstance(deployment, LGRR | LOLOHA | UnaryTwice | DBitFlip):
            rule = "must be LGRR, LOLOHA, a memoised unary encoding or DBitFlip"
            raise ParameterError("deployment", rule, type(deployment))
        self.deployment = deployment
        self.users = check_integer("users", users, 1, MOST_CLIENTS)
        self._source = word_source(rng, "population", *deployment.identity.named)
        self._kept = _Kept(self.users, deployment.memories)
        self._choices: NDArray[np.int64] | None = None
        if isinstance(deployment, LOLOHA):
            digits = digit_count(deployment.k, deployment.g)
            drawn = uniform_numbers(self.users * digits, deployment.g, self._source)
            self._choices = drawn.reshape(self.users, digits)
        elif isinstance(deployment, DBitFlip):
            self._choices = _subsets(self.users, deployment.d, deployment.b, self._source)

    def report(self, values: Any) -> Reports:
        """One report of every client.

        Args:
            values: of the users in order, shape (users,): integers 0..k-1, or labels where the
                deployment has `categories`.

        Raises:
            DomainError: other values, or of other many users; nothing is drawn then.
        """
        made = self.deployment
        held = encode(values, made.k, made.index).astype(np.int64, copy=False)
        if len(held) != self.users:
            raise DomainError("values", f"must be one for each of {self.users} users", len(held))
        if isinstance(made, LOLOHA) and self._choices is not None:
            memories = evaluate(self._choices, held, made.g)
            answers = self._answered(memories)
            buckets = grr(answers, made.g, made.thresholds[-1], self._source, WIDTH)
            data = np.column_stack([self._choices.astype(buckets.dtype), buckets])
        elif isinstance(made, DBitFlip) and self._choices is not None:
            chosen = self._choices == _buckets(made, held)[:, np.newaxis]
            memories = np.where(chosen.any(axis=1), chosen.argmax(axis=1), made.d)
            kept = self._kept.answers(memories, lambda new: self._flipped(made, memories[new]))
            packed = kept.astype("<u8").view(np.uint8)
            bits = np.unpackbits(packed, axis=1, count=made.d, bitorder="little")
            data = (2 * self._choices + bits).astype(smallest_dtype(2 * made.b))
        else:
            data = made.instantaneous(self._answered(held), (), self._source)
        return Reports(data, made.identity, simulated=True)

    def _answered(self, memories: NDArray[np.int64]) -> NDArray[Any]:
        """The permanent answers of a deployment that draws them with its first step."""
        made: Any = self.deployment
        sampler = made.first.sampler()
        return self._kept.answers(memories, lambda new: sampler.draw(memories[new], self._source))

    def _flipped(self, made: DBitFlip, memories: NDArray[np.int64]) -> NDArray[np.uint64]:
        """New permanent bits, packed: of each the memory's own place is 1 before it is flipped."""
        encoded = np.zeros((len(memories), -(-made.d // 64)), dtype=np.uint64)
        own = np.flatnonzero(memories < made.d)
        places = memories[own]
        encoded[own, places // 64] = np.uint64(1) << (places % 64).astype(np.uint64)
        one, zero = made.thresholds
        drawn: NDArray[np.uint64] = randomize_bits(encoded, made.d, one, zero, self._source, WIDTH)
        return drawn


def _buckets(made: DBitFlip, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """floor(x b/k) of each value, whatever the sizes."""
    if (made.k - 1) * made.b < 1 << 63:
        return values * made.b // made.k
    return np.array([made.bucket(value) for value in values.tolist()], dtype=np.int64)


def _subsets(users: int, count: int, below: int, source: WordSource) -> NDArray[np.int64]:
    """A uniform subset of the numbers 0..below-1 for each user, in rising order (Floyd's method).

    Args:
        users: how many. count: of numbers in each subset. below: of how many they are drawn.
        source: of the words.

    Returns:
        int64 (users, count).
    """
    chosen = np.empty((users, count), dtype=np.int64)
    for place, last in enumerate(range(below - count, below)):
        drawn = uniform_numbers(users, last + 1, source)
        taken = (chosen[:, :place] == drawn[:, np.newaxis]).any(axis=1)
        chosen[:, place] = np.where(taken, last, drawn)
    chosen.sort(axis=1)
    return chosen


class RapporMemoPopulation:
    """RAPPOR clients with strings from a known list, who keep their permanent responses.

    Args:
        population: the deployment and the strings. users: how many clients.
        rng: a seed or a numpy Generator; None for the secure source. Reports are marked as
            simulated in any case.

    Raises:
        ParameterError: no such population, no number of users, or a bad `rng`.
    """

    def __init__(
        self,
        population: RapporPopulation,
        users: int,
        rng: SupportsIndex | np.random.Generator | None = None,
    ) -> None:
        check_kind("population", population, RapporPopulation)
        self.population = population
        self.users = check_integer("users", users, 1, MOST_CLIENTS)
        made = population.deployment
        self._source = word_source(rng, "population", *made.named)
        self._kept = _Kept(self.users, len(population.strings))
        self._cohorts = uniform_numbers(self.users, made.cohorts, self._source)

    @property
    def deployment(self) -> Rappor:
        """Return the parameters."""
        return self.population.deployment

    def report(self, values: Any) -> RapporBatch:
        """One report of every client.

        Args:
            values: of the users in order, shape (users,): indices into the strings.

        Raises:
            DomainError: other values, or of other many users; nothing is drawn then.
        """
        made, strings = self.deployment, len(self.population.strings)
        held = encode(values, strings, None).astype(np.int64, copy=False)
        if len(held) != self.users:
            raise DomainError("values", f"must be one for each of {self.users} users", len(held))
        lie, low, high = made.thresholds

        def drawn(new: NDArray[np.int64]) -> NDArray[np.uint64]:
            rows = self._cohorts[new] * strings + held[new]
            encoded = self.population.encodings.reshape(-1, made.encoder.blocks).take(rows, axis=0)
            return randomize_bits(encoded, made.bits, (1 << 64) - lie, lie, self._source, 64)

        kept = self._kept.answers(held, drawn)
        bits = randomize_bits(kept, made.bits, high, low, self._source, 64)
        bits.flags.writeable = False
        return RapporBatch(made, self._cohorts, bits, simulated=True)
