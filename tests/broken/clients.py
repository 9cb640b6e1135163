"""Planted-wrong clients and servers of protocols, each of which `conform` must reject.

Where a twin differs from the code is said in its name; all else is the package's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.bloom_clients import rappor_subject
from ldp_verified.check.conformance.memoised import memoised_subject
from ldp_verified.check.conformance.stateful_clients import ProtocolSubject
from ldp_verified.check.conformance.tuples import tuples_subject
from ldp_verified.check.conformance.vectors import duchi_vector_subject, she_subject
from ldp_verified.protocols import (
    LGRR,
    LOLOHA,
    LSUE,
    SHE,
    DBitFlip,
    DuchiVector,
    MemoClient,
    Rappor,
    RapporClient,
    RapporPopulation,
    SampleAmongFakeBits,
    SampleAmongFakes,
    SampleOne,
    Split,
)
from ldp_verified.protocols.keepsake import Keepsake
from ldp_verified.protocols.longitudinal import frequency_oracle
from ldp_verified.protocols.uniform import distinct_numbers, uniform_numbers
from ldp_verified.run.kernels.bernoulli import randomize_bits
from ldp_verified.run.kernels.grr import grr
from ldp_verified.run.kernels.noisy_one_hot import noisy_one_hot_sampler
from ldp_verified.run.mechanisms.laplace import Laplace
from tests.broken.directions import DIRECTIONS

if TYPE_CHECKING:
    from ldp_verified.run.kernels.randomness import WordSource

PERMANENT, REPORT = 1.0, 0.9


class Redrawn(MemoClient[Any]):
    """The permanent answer is drawn again for every report."""

    def permanent(self, value: Any) -> Any:
        memory = self.deployment.memory(value, self.choice)
        return self.deployment.permanent(memory, self.choice, self._source)


class Forgetful(MemoClient[Any]):
    """A restored client has a new secret."""

    @classmethod
    def restore(cls, text: Any, deployment: Any, rng: Any = None, **given: Any) -> Any:
        client = super().restore(text, deployment, rng, **given)
        client._kept = Keepsake.drawn(client._source)
        return client


class OneForAll(MemoClient[Any]):
    """One permanent answer, that of the first value, stands for all values."""

    def permanent(self, value: Any) -> Any:
        return super().permanent(value * 0)


class SharedSecret(MemoClient[Any]):
    """Every other user has the secret of the one before."""

    _last: Keepsake | None = None

    def __init__(self, deployment: Any, **given: Any) -> None:
        super().__init__(deployment, **given)
        if "choice" in given:  # restored: its secret is set by `restore`
            return
        if SharedSecret._last is None:
            SharedSecret._last = self._kept
        else:
            secret = SharedSecret._last._secret
            self._kept, SharedSecret._last = Keepsake(secret, simulated=True), None


@dataclass(frozen=True)
class SwappedLGRR(LGRR):
    """In the second step the truth and a lie have changed places."""

    def instantaneous(self, answer: Any, _: Any, source: WordSource) -> Any:
        said = grr(answer, self.k, self.thresholds[-1], source, 64)
        other = (answer + 1) % self.k
        return np.where(said == answer, other, answer).astype(said.dtype)


class SwappedLSUE(LSUE):
    """In the second step P(1|1) and P(1|0) have changed places."""

    def instantaneous(self, answer: Any, _: Any, source: WordSource) -> Any:
        high, low = self.thresholds[-2:]
        return randomize_bits(answer, self.k, low, high, source, 64)


class PermanentConstants(LSUE):
    """The server takes the permanent step's p and q for those of a report."""

    @property
    def oracle(self) -> Any:
        right = super().oracle
        return frequency_oracle(right.identity, right.layout, self.first.p, self.first.q)


@dataclass(frozen=True)
class SameHash(LOLOHA):
    """All users have one hash function."""

    def draw_choice(self, _: WordSource) -> tuple[int, ...]:
        return (1,)


_LAST: list[tuple[int, ...]] = []


@dataclass(frozen=True)
class HashOfTwo(LOLOHA):
    """A hash function is drawn for every two users."""

    def draw_choice(self, source: WordSource) -> tuple[int, ...]:
        if _LAST:
            return _LAST.pop()
        _LAST.append(super().draw_choice(source))
        return _LAST[0]


@dataclass(frozen=True)
class FirstBuckets(DBitFlip):
    """Bucket 0 is always chosen."""

    def draw_choice(self, source: WordSource) -> tuple[int, ...]:
        others = distinct_numbers(self.d - 1, self.b - 1, source)
        return (0, *(other + 1 for other in others))


class CohortOfValue(RapporClient):
    """The cohort depends on the value."""

    def report(self, value: str) -> Any:
        self.cohort = len(value.replace("r", "")) % self.deployment.cohorts
        return super().report(value)


class RedrawnResponse(RapporClient):
    """The permanent response is drawn again for every report."""

    def permanent(self, value: str) -> Any:
        encoded = self.deployment.encoder.encode(value, self.cohort)[np.newaxis]
        lie = self.deployment.thresholds[0]
        bits = self.deployment.bits
        return randomize_bits(encoded, bits, (1 << 64) - lie, lie, self._source, 64)[0]


@dataclass(frozen=True)
class CohortsOfValues(RapporPopulation):
    """The cohorts of many users depend on their values."""

    def first_reports(self, values: Any, rng: Any = None) -> Any:
        batch = super().first_reports(values, rng)
        cohorts = (batch.cohorts + (batch.cohorts == 1) * (np.asarray(values) > 0)) % 3
        return replace(batch, cohorts=cohorts)


@dataclass(frozen=True)
class FakesOfFewer(SampleAmongFakes):
    """Fakes are never the last value."""

    def _drawn(self, attribute: int, values: Any, own: Any, source: WordSource) -> Any:
        part = self.parts[attribute]
        drawn = part.sampler().draw(values, source)
        fakes = uniform_numbers(len(values), part.k - 1, source).astype(drawn.dtype)
        return np.where(own, drawn, fakes)


@dataclass(frozen=True)
class FakesOfTheValue(SampleAmongFakeBits):
    """The fakes of an attribute are those of the user's own value."""

    def _drawn(self, attribute: int, values: Any, own: Any, source: WordSource) -> Any:
        return super()._drawn(attribute, values, np.ones_like(own), source)


@dataclass(frozen=True)
class WholeEpsilon(Split):
    """Every one of two attributes spends all of epsilon."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        return Split(2 * self.epsilon, self.sizes).privatize(values, rng)


@dataclass(frozen=True)
class MostlyTheFirst(SampleOne):
    """The first attribute is asked two times in three."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        batch = super().privatize(values, rng)
        more = super().privatize(values[: len(values) // 3], rng)
        taken = len(values) - len(more.reports[0])
        cut = [more.reports[0].data, *(each.data for each in batch.reports)]
        data = np.concatenate(cut[:2])
        first = replace(batch.reports[0], data=data)
        second = replace(batch.reports[1], data=batch.reports[1].data[: taken - len(cut[1])])
        return replace(batch, reports=(first, second))


@dataclass(frozen=True, repr=False)
class WholeEpsilonEach(SHE):
    """Each number spends all of epsilon, where the report has two that differ."""

    @property
    def _rows(self) -> Any:
        m, reach, _ = self.number.thresholds
        *_, share = Laplace(self.epsilon, (0.0, 1.0), self.number.steps).thresholds
        return noisy_one_hot_sampler(self.k, m, reach, share)


@dataclass(frozen=True, repr=False)
class OneNoise(SHE):
    """All numbers of a report have the same noise as the first other one."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        reports = super().privatize(values, rng)
        data = reports.data.copy()
        data[:, -1] = data[:, -2]
        return replace(reports, data=data)


@dataclass(frozen=True, repr=False)
class ShortLength(DuchiVector):
    """The server multiplies by the length of another epsilon."""

    @property
    def length(self) -> Fraction:
        return DuchiVector(self.epsilon * 2, self.d).length


@dataclass(frozen=True, repr=False)
class Alone(DuchiVector):
    """Coordinates go to their ends by the same uniform number: corners of no such law."""

    def privatize(self, values: Any, rng: Any = None) -> Any:
        reports = super().privatize(values, rng)
        low = np.uint64((1 << self.d) - 1)
        data = np.where(reports.data & np.uint64(1), low, np.uint64(0))
        return replace(reports, data=data)


_RAPPOR = Rappor(0.75, 0.0625, 0.9375, bits=16, hashes=2, cohorts=3)


def _only(place: int, subject: ProtocolSubject) -> ProtocolSubject:
    """One scene of a subject, the other being right."""
    return replace(subject, scenes=(subject.scenes[place],))


CLIENTS: dict[str, tuple[Any, str]] = {
    "the permanent answer redrawn": (
        lambda: memoised_subject(LGRR(PERMANENT, REPORT, 4), Redrawn),
        "two reports on one value",
    ),
    "dBitFlip's bits redrawn": (
        lambda: memoised_subject(DBitFlip(PERMANENT, 8, 4, 2), Redrawn),
        "two reports on one value",
    ),
    "a new secret after restoring": (
        lambda: memoised_subject(LGRR(PERMANENT, REPORT, 4), Forgetful),
        "two reports on one value",
    ),
    "the first value's answer for all": (
        lambda: memoised_subject(LGRR(PERMANENT, REPORT, 4), OneForAll),
        "one report, x = 3",
    ),
    "a secret shared by two users": (
        lambda: memoised_subject(LGRR(PERMANENT, REPORT, 4), SharedSecret),
        "reports of two users",
    ),
    "keep and lie swapped in the second step": (
        lambda: memoised_subject(SwappedLGRR(PERMANENT, REPORT, 4)),
        "one report, x = 0",
    ),
    "P(1|1) and P(1|0) swapped in the second step": (
        lambda: memoised_subject(SwappedLSUE(PERMANENT, REPORT, 3)),
        "one report, x = 0",
    ),
    "decoded by the permanent step's constants": (
        lambda: memoised_subject(PermanentConstants(PERMANENT, REPORT, 3)),
        "estimates",
    ),
    "one hash function for everybody": (
        lambda: memoised_subject(SameHash(PERMANENT, REPORT, 3, 3)),
        "one report, x = 0",
    ),
    "a hash function for every two users": (
        lambda: memoised_subject(HashOfTwo(PERMANENT, REPORT, 3, 3)),
        "reports of two users",
    ),
    "one bucket always chosen": (
        lambda: memoised_subject(FirstBuckets(PERMANENT, 8, 4, 2)),
        "one report, x = 0",
    ),
    "RAPPOR's cohort follows the value": (
        lambda: _only(0, rappor_subject(_RAPPOR, CohortOfValue)),
        "one report of 'amber'",
    ),
    "RAPPOR's permanent response redrawn": (
        lambda: _only(0, rappor_subject(_RAPPOR, RedrawnResponse)),
        "the encoded bit alone of two reports",
    ),
    "cohorts of many users follow their values": (
        lambda: _only(1, rappor_subject(_RAPPOR, population=CohortsOfValues)),
        "first reports of many users, 'coral'",
    ),
    "fakes are never the last value": (
        lambda: tuples_subject(FakesOfFewer(1.0, (5, 2, 9))),
        "reports on attribute 2",
    ),
    "fakes of two values are never the last": (
        lambda: tuples_subject(FakesOfFewer(1.0, (2, 2))),
        "whole reports of (0, 0)",
    ),
    "fake bits of the own value": (
        lambda: tuples_subject(FakesOfTheValue(1.0, (2, 2))),
        "whole reports of (0, 0)",
    ),
    "all of epsilon for each attribute": (
        lambda: tuples_subject(WholeEpsilon(1.0, (2, 2))),
        "whole reports of (0, 0)",
    ),
    "the first attribute asked more often": (
        lambda: tuples_subject(MostlyTheFirst(1.0, (2, 2))),
        "whole reports of (0, 0)",
    ),
    "all of epsilon for each number of SHE": (
        lambda: she_subject(WholeEpsilonEach(1.0, 3)),
        "numbers above 1/2, jointly",
    ),
    "one noise for two numbers of SHE": (
        lambda: she_subject(OneNoise(1.0, 3)),
        "numbers above 1/2, jointly",
    ),
    "Duchi's length of another epsilon": (
        lambda: duchi_vector_subject(ShortLength(1.0, 2)),
        "estimates",
    ),
    "all of Duchi's coordinates alike": (
        lambda: duchi_vector_subject(Alone(1.0, 2)),
        "corners, coordinates at 0, 1",
    ),
    **DIRECTIONS,
}
"""What is wrong -> how the subject is made, and the start of the name of a look that shows it."""
