"""Describe what a shuffler gives out, and what its privacy rests on.

The bound is that of Feldman, McMillan and Talwar (2021), computed by `account.shuffled_epsilon`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ldp_verified.analysis.account.rounding import share_of
from ldp_verified.analysis.account.shuffle import shuffled_epsilon
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.tables import balls

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.reports import Reports

MOST_AMPLIFIED = 600.0
"""Beyond it e^epsilon is near what no double holds, and no number of users hides anybody."""


class ShuffledBatch(ABC):
    """A batch in a random order.

    Attributes:
        local_epsilon: what each report costs against the shuffler itself.
    """

    local_epsilon: float

    @abstractmethod
    def __len__(self) -> int:
        """The number of reports."""

    def epsilon(self, delta: float, honest: int | None = None) -> float:
        """The epsilon at which the server's view of the batch is proven to be private.

        It assumes what `promise` prints. Without these assumptions `local_epsilon` holds.

        Args:
            delta: in (0, 1).
            honest: how many users are no accomplices of the server; None for all.

        Raises:
            ParameterError: delta is not in (0, 1), or `honest` is not in 1..n.
        """
        users = self._honest(honest)
        share_of("delta", delta)
        if self.local_epsilon > MOST_AMPLIFIED:
            return self.local_epsilon
        level = balls.decide(lambda: balls.upper_float(balls.ball(self.local_epsilon).exp()))
        return min(self.local_epsilon, shuffled_epsilon(delta, Fraction(level), users))

    def promise(self, delta: float, honest: int | None = None) -> str:
        """The promise in words, with all that it assumes.

        Args:
            delta, honest: as in `epsilon`.

        Raises:
            ParameterError: as in `epsilon`.
        """
        n, users = len(self), self._honest(honest)
        level = self.epsilon(delta, honest)
        return f"""\
({level:.4g}, {delta:g})-private against whoever sees these {n:,} reports, about replacing one \
user's value, if
- the shuffler is honest, works with nobody, and nobody sees what comes in,
- {users:,} of the users work with nobody, and each sent one report that was drawn as declared,
- a report holds nothing of its sender beside these fields.
Otherwise epsilon = {self.local_epsilon:.4g}, which each report keeps against everybody."""

    def _honest(self, honest: int | None) -> int:
        n = len(self)
        return n if honest is None else check_integer("honest", honest, 1, n)


@dataclass(frozen=True)
class Shuffled(ShuffledBatch):
    """Reports that have been shuffled.

    Attributes:
        reports: without order and senders; a state of the mechanism counts them as any others.
        local_epsilon: what each report costs against the shuffler itself.
    """

    reports: Reports
    local_epsilon: float

    def __len__(self) -> int:
        return len(self.reports)


@dataclass(frozen=True)
class ShuffledMessages(ShuffledBatch):
    """Messages of a deployment that have been shuffled.

    Attributes:
        data: a batch in the format of the deployment, with an id of its own; `Collector.add` counts
            it. n: how many reports it holds.
        group: the public group of all its users; None where there are no groups.
        local_epsilon: what each report costs against the shuffler itself.
    """

    data: bytes
    n: int
    group: int | None
    local_epsilon: float

    def __len__(self) -> int:
        return self.n
