"""Events: which side a sample falls on (see `bounds`), and how an event is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ldp_verified.check.audit.bounds.bounds import Stake, Tally
from ldp_verified.check.audit.bounds.strata import Strata
from ldp_verified.check.audit.events import features
from ldp_verified.check.audit.events.readings import OutputReading, shown
from ldp_verified.check.audit.events.spoken import candidates, spoken, stratifies
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.audit.targets.batch import Batch


class Event(Protocol):
    """Something that an output may do, for which a claim of eps-LDP limits the odds."""

    @property
    def stake(self) -> Stake:
        """Return the odds and share that the claim gives to its sides."""

    def describe(self, inputs: tuple[Any, ...]) -> str:
        """The event in words."""

    def count(self, batch: Batch, rng: np.random.Generator) -> Tally:
        """Return how many samples fall on each side; inputs that it does not use are left out."""

    def document(self) -> dict[str, Any]:
        """Return the event as JSON values, which `read` turns back into the event."""


@dataclass(frozen=True)
class PairEvent:
    """A feature takes a value in `yes` (speaks for x) or in `no` (speaks for x').

    Attributes:
        feature: its name.
        x, x2: indices of two inputs.
        yes, no: disjoint sets of values; one of them may be empty.
    """

    feature: str
    x: int
    x2: int
    yes: frozenset[str]
    no: frozenset[str] = frozenset()

    @property
    def stake(self) -> Stake:
        """The stake of the pair: its share is a half where only one of the inputs has an event."""
        return Stake(1.0, 1.0 if self.yes and self.no else 0.5)

    def describe(self, inputs: tuple[Any, ...]) -> str:
        """The feature and its values."""
        parts = []
        for side, at in ((self.yes, self.x), (self.no, self.x2)):
            if side:
                alone = not (self.yes and self.no)
                other = f" against {inputs[self.x + self.x2 - at]!r}" if alone else ""
                words = features.described(self.feature, side)
                few = ", ".join(words[:3]) + (f" and {len(words) - 3} more" if words[3:] else "")
                parts.append(f"{{{few}}} speaks for {inputs[at]!r}{other}")
        return f"{_short(self.feature)} in {'; in '.join(parts)}"

    def count(self, batch: Batch, rng: np.random.Generator) -> Tally:
        """Return how many samples of x and x' fall on each side."""
        del rng
        own = batch.take((batch.inputs == self.x) | (batch.inputs == self.x2))
        if not len(own):
            return Tally(0, 0, 0)
        found = features.values(self.feature, own)
        speaks = np.array([(label in self.yes) - (label in self.no) for label in found.labels])
        side = speaks[found.codes] * np.where(own.inputs == self.x, 1, -1)
        return Tally(int(np.sum(side > 0)), int(np.sum(side < 0)), len(own))

    def document(self) -> dict[str, Any]:
        """All attributes."""
        return {
            "kind": "pair",
            "feature": self.feature,
            "x": self.x,
            "x2": self.x2,
            "yes": sorted(self.yes),
            "no": sorted(self.no),
        }


@dataclass(frozen=True)
class PooledEvent:
    """The output speaks for x but not for x', for all pairs at once.

    Attributes:
        reading: which inputs an output speaks for.
    """

    reading: OutputReading

    @property
    def stake(self) -> Stake:
        """All other inputs are counted at once where an output speaks for one input only."""
        return Stake(float(len(self.reading.inputs) - 1)) if self.reading.single else Stake()

    def describe(self, inputs: tuple[Any, ...]) -> str:
        """The reading."""
        del inputs
        other = "another" if self.reading.single else "a random other one, not both"
        return (
            f"the output speaks for the input against {other} (reading: {shown(self.reading.name)})"
        )

    def count(self, batch: Batch, rng: np.random.Generator) -> Tally:
        """Return how many samples fall on each side; draw the other input from `rng` if needed."""
        _, side = self.sides(batch, rng)
        return Tally(int(np.sum(side > 0)), int(np.sum(side < 0)), len(batch))

    def sides(
        self, batch: Batch, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The other input of each sample, -1 for all of them, and its side, 1, -1 or 0."""
        if self.reading.single:
            guess = self.reading.guesses(batch)
            right = guess == batch.inputs
            return np.where(right, -1, guess), right.astype(np.int64) - ((guess >= 0) & ~right)
        k = len(self.reading.inputs)
        other = (batch.inputs + rng.integers(1, k, size=len(batch))) % k
        return other, self.reading.against(batch, batch.inputs, other)

    @property
    def stratified(self) -> bool:
        """Return whether outputs can be counted by how many inputs they speak for."""
        return stratifies(self.reading)

    def strata(
        self, batch: Batch, rng: np.random.Generator
    ) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], Strata]:
        """Sides as `sides` gives them, and counts by how many inputs are spoken for."""
        chosen = candidates(batch.inputs, self.reading, rng)
        speaks, against = spoken(self.reading, batch, chosen)
        n, m = chosen.shape
        place = np.arange(n), rng.integers(1, m, size=n)
        side = (speaks[:, 0] & against[place]).astype(np.int64) - (speaks[place] & against[:, 0])
        size = m + 1
        shape = speaks.sum(axis=1) * size + against.sum(axis=1)
        own = speaks[:, 0], against[:, 0]
        plus, minus = (np.bincount(shape[rows], minlength=size * size) for rows in own)
        found = np.flatnonzero(plus + minus).tolist()
        rows = ((at // size, at % size, int(plus[at]), int(minus[at])) for at in found)
        return (chosen[place], side), Strata.of(rows)

    def document(self) -> dict[str, Any]:
        """The name of the reading."""
        return {"kind": "pooled", "reading": self.reading.name}


@dataclass(frozen=True)
class DuelEvent:
    """The output speaks for one of two inputs and not for the other.

    Attributes:
        reading: which inputs an output speaks for.
        x, x2: indices of the two.
    """

    reading: OutputReading
    x: int
    x2: int

    @property
    def stake(self) -> Stake:
        """The stake of a duel, where each of two inputs has an event."""
        return Stake()

    def describe(self, inputs: tuple[Any, ...]) -> str:
        """The reading and the two inputs."""
        pair = f"{inputs[self.x]!r} and {inputs[self.x2]!r}"
        read = shown(self.reading.name)
        return f"the output speaks for the input, of {pair}, alone (reading: {read})"

    def count(self, batch: Batch, rng: np.random.Generator) -> Tally:
        """Return how many samples of x and x' fall on each side."""
        del rng
        own = batch.take((batch.inputs == self.x) | (batch.inputs == self.x2))
        if not len(own):
            return Tally(0, 0, 0)
        side = self.reading.against(own, own.inputs, self.x + self.x2 - own.inputs)
        return Tally(int(np.sum(side > 0)), int(np.sum(side < 0)), len(own))

    def document(self) -> dict[str, Any]:
        """All attributes."""
        return {"kind": "duel", "reading": self.reading.name, "x": self.x, "x2": self.x2}


def read(document: Mapping[str, Any], inputs: tuple[Any, ...]) -> Event:
    """An event that was written down.

    Raises:
        ParameterError: it is none.
    """
    try:
        if document["kind"] == "pooled":
            return PooledEvent(OutputReading(document["reading"], inputs))
        if document["kind"] in ("pair", "duel"):
            x, x2 = int(document["x"]), int(document["x2"])
            if not (0 <= x < len(inputs) and 0 <= x2 < len(inputs) and x != x2):
                raise ParameterError("event", "must name two of the inputs", dict(document))
            if document["kind"] == "duel":
                return DuelEvent(OutputReading(document["reading"], inputs), x, x2)
            yes, no = frozenset(document["yes"]), frozenset(document["no"])
            return PairEvent(document["feature"], x, x2, yes, no)
    except (KeyError, TypeError) as error:
        raise ParameterError("event", f"must be an event of a finding ({error})") from None
    raise ParameterError("event", "must be of a known kind", document["kind"])


def _short(feature: str) -> str:
    head, _, rest = feature.partition(":")
    if head == "below":
        return "the number"
    if head == "item-below":
        return f"item {rest.partition(';')[0]}"
    shown = rest if len(rest) <= 24 else rest[:21] + "..."
    return f"{head} {shown}".strip()
