"""Many RAPPOR users at once: one report of each, or the server's state drawn without reports.

For experiments, and for users who report once. Whoever reports again keeps a `RapporClient`: what
is drawn here forgets the permanent responses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.errors import ReportError, check_kind
from ldp_verified.protocols.bloom import check_strings
from ldp_verified.protocols.rappor import WIDTH, Rappor
from ldp_verified.protocols.rappor_state import RapporState
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.kernels.bernoulli import bernoulli_blocks, randomize_bits
from ldp_verified.run.kernels.compiled import compiled, machine_code, read_only
from ldp_verified.run.kernels.draw import buffer_for
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.simulate import (
    added_up,
    checked_counts,
    float_binomial,
    rows_reported,
)
from ldp_verified.run.realize.values import encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import SupportsIndex

    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng
    from ldp_verified.run.realize.simulate import Encoder

USERS_AT_A_TIME = 1 << 15
"""What is drawn for so many stays in the processor's caches. Part of what a seed means."""

PURE_USERS = 1 << 11
"""NumPy looks up the encodings of no more users than this, without numba."""


@dataclass(frozen=True, eq=False)
class RapporBatch:
    """The first reports of many users.

    Attributes:
        deployment: what they were made with.
        cohorts: int64 (n,). bits: packed, uint64 (n, blocks).
        simulated: whether anything was drawn from a seed.
    """

    deployment: Rappor
    cohorts: NDArray[np.int64]
    bits: NDArray[np.uint64]
    simulated: bool

    def __len__(self) -> int:
        """The number of reports."""
        return len(self.cohorts)

    def __array__(self, *_: Any, **__: Any) -> NDArray[Any]:
        """Refuse, as a batch is two arrays.

        Raises:
            ReportError: always.
        """
        raise ReportError("batch", "must be taken apart: `.cohorts` and `.bits` are its arrays")

    def __repr__(self) -> str:
        return f"<RapporBatch of {len(self)} reports, simulated={self.simulated}>"


@dataclass(frozen=True)
class RapporPopulation:
    """Users whose strings come from a known list.

    Attributes:
        deployment: the parameters. strings: all different; users are given by their indices.

    Raises:
        ParameterError: no strings, or repeated ones. DomainError: one is no string.
    """

    deployment: Rappor
    strings: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the strings."""
        check_kind("deployment", self.deployment, Rappor)
        object.__setattr__(self, "strings", check_strings(self.strings))

    @cached_property
    def encodings(self) -> NDArray[np.uint64]:
        """Packed encodings, uint64 (cohorts, k, blocks)."""
        encoder = self.deployment.encoder
        cohorts = range(self.deployment.cohorts)
        return np.array([[encoder.encode(each, c) for each in self.strings] for c in cohorts])

    def first_reports(self, values: Any, rng: Rng = None) -> RapporBatch:
        """A cohort, a permanent response and one report of it for each user.

        Distributed as the first report of a new `RapporClient` each. All of a user's permanent
        response but the report is forgotten.

        Args:
            values: each user's index into `strings`, a one-dimensional array-like.
            rng: None for the secure source; a seed or a numpy Generator is for simulation.

        Raises:
            DomainError: a value is no such index; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        indices = encode(values, len(self.strings), None).astype(np.int64, copy=False)
        source = word_source(rng, "first reports", *self.deployment.named)
        shape = (len(indices), self.deployment.encoder.blocks)
        cohorts = np.empty(len(indices), dtype=np.int64)
        bits = np.empty(shape, dtype=np.uint64)
        words = buffer_for(2 * min(len(indices), USERS_AT_A_TIME) * shape[1])
        try:
            for start in range(0, len(indices), USERS_AT_A_TIME):
                part = slice(start, start + USERS_AT_A_TIME)
                cohorts[part] = self._drawn(indices[part], source, bits[part], words)
        finally:
            words[...] = 0  # with the reports they tell the values
        bits.flags.writeable = False
        return RapporBatch(self.deployment, cohorts, bits, bool(source.simulated))

    def _drawn(
        self,
        indices: NDArray[Any],
        source: WordSource,
        bits: NDArray[np.uint64],
        words: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """Cohorts of some users; `bits` gets what they report."""
        mine = self.deployment
        lie, low, high = mine.thresholds
        cohorts = uniform_numbers(len(indices), mine.cohorts, source)
        # A bit and its lie have the same chance, so the permanent response is a flip of each bit.
        bernoulli_blocks(bits.size, lie, source, WIDTH, out=bits.reshape(-1), buffer=words)
        last = np.uint64(2 ** (mine.bits - 64 * (bits.shape[1] - 1)) - 1)
        _flip_encodings(indices, cohorts, self.encodings, bits, last)
        if (low, high) != (0, 1 << WIDTH):  # else the permanent response itself is reported
            bits[...] = randomize_bits(bits, mine.bits, high, low, source, WIDTH)
        return cohorts

    def count(self, batch: RapporBatch) -> RapporState:
        """The server's state of a batch.

        Raises:
            ReportError: it is no batch.
        """
        check_kind("batch", batch, RapporBatch, ReportError)
        state = RapporState(batch.deployment, simulated=batch.simulated)
        state.update_packed(batch.cohorts, batch.bits, batch.simulated)
        return state

    def simulate_counts(
        self, true_counts: Any, rng: SupportsIndex | np.random.Generator | None = None
    ) -> RapporState:
        """Simulate the server's state after one report of each of so many new users.

        Drawn directly, at a cost that does not depend on the number of users: their cohorts, and
        then for each bit how many report a 1. The joint distribution is that of the sum of
        independent reports (`run.realize.simulate.rows_reported` says why, and how binomials
        round).

        Args:
            true_counts: how many users hold each string, integers >= 0.
            rng: a seed or a generator; None for a generator seeded by the operating system.

        Raises:
            DomainError: `true_counts` are no such numbers. ParameterError: `rng` is something else.
        """
        counts = checked_counts(true_counts, len(self.strings))
        mine = self.deployment
        reports, ones = rows_reported(
            counts,
            self._encoders(),
            mine.cohorts,
            mine.cells,
            float_binomial(rng, "simulate counts", *self.deployment.named),
        )
        return RapporState(mine, reports, ones, simulated=True)

    def _encoders(self) -> Iterator[Encoder]:
        """Yield, by cohort, what adds users with each string up to users with each bit."""
        mine = self.deployment
        for cohort in range(mine.cohorts):
            sets = [sorted(mine.encoder.positions(each, cohort)) for each in self.strings]
            owners = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
            places = np.array([place for each in sets for place in each], dtype=np.int64)

            def held(
                users: NDArray[np.int64],
                owners: NDArray[np.int64] = owners,
                places: NDArray[np.int64] = places,
            ) -> NDArray[np.int64]:
                return added_up(users[owners], places, mine.bits)

            yield held


def _flip_encodings(
    indices: NDArray[np.int64],
    cohorts: NDArray[np.int64],
    encodings: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    last: np.uint64,
) -> None:
    """Turn flips into permanent responses, in place.

    Args:
        indices, cohorts: of the users. encodings: of all strings in all cohorts.
        bits: the flips; get the responses. last: the mask of each row's last number.
    """
    if machine_code() and len(bits) > PURE_USERS:
        # Indices without a sign are quicker.
        given, drawn = read_only(indices).view(np.uint64), cohorts.view(np.uint64)
        compiled(_flip)(given, drawn, np.uint64(encodings.shape[1] - 1), encodings, bits, last)
        return
    own = encodings[cohorts, indices]
    bits ^= own
    bits[:, -1] &= last
    own[...] = 0


def _flip(
    indices: NDArray[np.uint64],
    cohorts: NDArray[np.uint64],
    highest: np.uint64,
    encodings: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    last: np.uint64,
) -> None:
    """Kernel: as `_flip_encodings` has it; no index is above `highest`."""
    users, blocks = bits.shape
    # Another thread may have changed an index after it was looked at: hence the minima.
    if blocks == 2:  # as in the deployments known: one pass over the users is quicker than two
        for i in range(users):
            cohort, index = cohorts[i], min(indices[i], highest)
            bits[i, 0] ^= encodings[cohort, index, 0]
            bits[i, 1] = (bits[i, 1] ^ encodings[cohort, index, 1]) & last
        return
    for j in range(blocks):
        used = last if j == blocks - 1 else ~(last ^ last)
        for i in range(users):
            bits[i, j] = (bits[i, j] ^ encodings[cohorts[i], min(indices[i], highest), j]) & used
