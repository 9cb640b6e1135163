"""A shuffler: reports in, the same reports without order and sender out, never few of them.

Users send to the shuffler, which passes on a batch in a uniformly random order. What the server
sees is then the set of the reports, and the privacy of a user grows with the number of others.
That is worth something only if a report holds nothing of its sender. So a shuffler takes reports of
a single kind, whose every field is drawn anew for each report: no number of a device, no kept
answer, no group by name. Arrays carry no names or times, and those of callers are copied.

The order comes from random words of the operating system: reports are sorted by one word each, and
drawn anew if two words are equal, so every order has exactly the same probability. Ulfar Erlingsson
and others (2019), Amplification by Shuffling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.central.shuffled import Shuffled
from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.run.aggregate.reports import Reports, check_batch
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng

MOST = 1 << 28
"""Reports that a shuffler may be asked to hold."""


class Shuffler:
    """Hold reports until there are enough, and give them out in a random order.

    Args:
        mechanism: what the reports are drawn by.
        least: a batch has at least so many reports, 2 or more.
        most: so many are held at most, which bounds the memory.
        rng: of the order. None for the secure source; a seed or a generator is for simulation.

    Raises:
        ParameterError: a mechanism whose reports hold something of their sender or that has a
            delta, or `least` and `most` out of range.
    """

    def __init__(
        self,
        mechanism: Randomizer | NumericRandomizer,
        least: int,
        most: int = 1 << 20,
        rng: Rng = None,
    ) -> None:
        if not isinstance(mechanism, Randomizer | NumericRandomizer):
            rule = "must draw every field of a report anew: GRR, OLH, Duchi and the like"
            raise ParameterError("mechanism", rule, type(mechanism).__name__)
        self.mechanism = mechanism
        self.most = check_integer("most", most, 2, MOST)
        self.least = check_integer("least", least, 2, self.most)
        self._source: WordSource = word_source(rng, "shuffle", *mechanism.identity.named)
        self._rows: NDArray[Any] | None = None
        self._held = 0
        self._simulated = False

    @property
    def held(self) -> int:
        """The number of reports that wait."""
        return self._held

    def add(self, reports: Reports) -> None:
        """Take reports; what came with them is not kept.

        Args:
            reports: of the mechanism, as many as there is room for.

        Raises:
            ReportError: reports of another mechanism, of another shape, simulated among real ones,
                or more than there is room for; nothing is taken then.
        """
        check_batch(self.mechanism.identity, reports)
        count = len(reports)
        if count > self.most - self._held:
            rule = f"must be at most {self.most - self._held}: release a batch first"
            raise ReportError("reports", rule, count)
        if self._held and reports.simulated != self._simulated:
            raise ReportError("reports", "must all be simulated, or all real", reports.simulated)
        if self._rows is None:
            self._rows = np.empty((self.most, *reports.data.shape[1:]), reports.data.dtype)
        if (self._rows.shape[1:], self._rows.dtype) != (reports.data.shape[1:], reports.data.dtype):
            raise ReportError("reports", "must be of one shape and dtype", reports.data.shape)
        self._rows[self._held : self._held + count] = reports.data
        self._simulated = reports.simulated
        self._held += count

    def release(self) -> Shuffled:
        """Give out all that is held, in a random order, and hold nothing any more.

        Raises:
            ReportError: there are fewer reports than a batch has; they stay where they are.
        """
        if self._rows is None or self._held < self.least:
            raise ReportError("batch", f"must have at least {self.least} reports", self._held)
        order = uniform_order(self._held, self._source)
        data = self._rows[: self._held][order]
        self._rows[: self._held] = 0
        self._held = 0
        simulated = self._simulated or bool(self._source.simulated)
        return Shuffled(
            Reports(data, self.mechanism.identity, simulated), self.mechanism.realized_epsilon
        )


def uniform_order(count: int, source: WordSource) -> NDArray[np.int64]:
    """A uniformly random order of 0..count-1, exactly: every order is as likely as any other.

    Args:
        count: at least 1, below 2^32, so that different words are the rule.
        source: of independent uniform words.
    """
    while True:
        words = source.words(count)
        order = np.argsort(words)
        placed = words[order]
        if not np.any(placed[1:] == placed[:-1]):
            return order.astype(np.int64)
