"""The server's side of `VotedMean`: it counts votes, asks for the mean, and publishes it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, ReportError
from ldp_verified.protocols.message_counts import MessageCounts
from ldp_verified.run.aggregate.honest import UNTESTED, Honesty, of_coins
from ldp_verified.run.aggregate.means import Variances, score_columns
from ldp_verified.run.aggregate.serial import list_of
from ldp_verified.run.aggregate.tabulated import Tabulated, normal_columns
from ldp_verified.run.aggregate.timeline import Line, timeline
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from ldp_verified.protocols.voting import VotedMean
    from ldp_verified.run.aggregate.origin import ReportOrigin

    Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class VotedMeans(Tabulated):
    """The published means, epoch by epoch.

    Attributes:
        means: float64 (epochs,), the mean published last; nan before the first one.
        updated: bool (epochs,), whether it was asked for in this epoch.
        std_error: float64 (epochs,), of the mean when it was asked for. It says nothing of how far
            the users have moved since then.
        honesty: whether answers are such as honest ones.
        stray: answers of epochs in which nobody was asked; they are left out.
        answers: int64 (epochs,), how many the mean is of. variances: of one answer. None for
            intervals by normal approximation.
    """

    means: Floats
    updated: NDArray[np.bool_]
    std_error: Floats
    honesty: Honesty = UNTESTED
    stray: int = 0
    answers: NDArray[np.int64] | None = field(default=None, compare=False)
    variances: Variances | None = field(default=None, compare=False)

    quantity: ClassVar[str] = "average"

    @property
    def names(self) -> range:
        """The labels of the rows, which are the epochs."""
        return range(len(self.means))

    @property
    def heading(self) -> str:
        """The number of epochs, how many asked for a mean, and the answers left out."""
        said = f"{len(self.means)} epochs, {int(self.updated.sum())} of them asked for a mean"
        left_out = f", {self.stray:,} answers of other epochs left out" if self.stray else ""
        return said + left_out + self.honesty.doubt

    def columns(
        self, level: float = 0.95, simultaneous: bool = False
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Means, errors and score intervals within 0..1, of when it was asked for.

        Shares of a user's days. Args and Raises: as `Tabulated.columns`.
        """
        if self.answers is None or self.variances is None:
            return normal_columns(self.means, self.std_error, level, simultaneous)
        shares = np.where(self.answers > 0, 1 / np.maximum(self.answers, 1), np.nan)
        noise = ((shares, self.variances),)
        return score_columns(self.means, self.std_error, (0.0, 1.0), noise, level, simultaneous)

    def plot(self, top: int | None = None, level: float = 0.95) -> Figure:
        """Draw the means of all epochs as a line with a band of intervals, one for each epoch.

        Args:
            top: how many epochs, from the first on; None for all. level: of the intervals.

        Raises:
            ImportError: matplotlib is not installed. ParameterError: a number out of range.
        """
        last = len(self.names) if top is None else check_integer("top", top, 1, len(self.names))
        values, _, low, high = (column[:last] for column in self.columns(level))
        return timeline([Line("", values, low, high)], self.heading, "average", "epoch", level)


@dataclass(frozen=True)
class VotingState(MessageCounts):
    """Counts of messages: no and yes of every epoch, then the answers 0 and 1 of every epoch.

    Attributes:
        protocol: whose messages. counts, simulated, batches: as `MessageCounts` has them.
        questions: the epochs in which the server asked, as `ask` records them. None where nobody
            did: then they follow from the votes, which must not change after a question.
    """

    protocol: VotedMean
    questions: frozenset[int] | None = None

    kind: ClassVar[str] = "voting"

    def __post_init__(self) -> None:
        """Refuse counts and questions that no server has.

        Raises:
            ParameterError: they are such ones.
        """
        super().__post_init__()
        if self.questions is None:
            return
        if not isinstance(self.questions, frozenset):
            raise ParameterError("questions", "must be a frozenset, or None", type(self.questions))
        for epoch in self.questions:
            check_integer("questions", epoch, 0, self.protocol.epochs - 1)
        check_integer("number of questions", len(self.questions), 0, self.protocol.updates)

    def _further(self) -> dict[str, Any]:
        return {} if self.questions is None else {"questions": sorted(self.questions)}

    @classmethod
    def _read_further(cls, header: dict[str, Any]) -> dict[str, Any]:
        if "questions" not in header:
            return {}
        return {"questions": frozenset(list_of(header, "questions"))}

    def _joined(self, other: Self, origin: ReportOrigin) -> Self:
        known = [each for each in (self.questions, other.questions) if each is not None]
        both = frozenset().union(*known) if known else None
        if both is not None and len(both) > self.protocol.updates:
            rule = f"must be of a server that asked the same {self.protocol.updates} times"
            raise ReportError("other", rule, len(both))
        return replace(self._with(other.counts, origin), questions=both)

    def _pair(self, epoch: int) -> tuple[int, int]:
        zero, one = self.counts[2 * epoch : 2 * epoch + 2]
        return zero, one

    @property
    def _answered(self) -> list[int]:
        """The epochs that have answers, asked for or not."""
        answers = self.counts[2 * self.protocol.epochs :]
        return [at for at, pair in enumerate(_in_pairs(answers)) if sum(pair) > 0]

    def wanted(self, epoch: int) -> bool:
        """Return whether the server asks for the mean after the votes of an epoch.

        The share of yes must exceed q by sqrt(ln(epochs/false_alarm)/(2n)). If all users vote no,
        that happens in any epoch with a chance of at most false_alarm (Hoeffding, 1963). The first
        epoch with votes is asked in any case.

        Raises:
            ParameterError: no such epoch.
        """
        check_integer("epoch", epoch, 0, self.protocol.epochs - 1)
        return self._voted_for(epoch, sum(asked < epoch for asked in self._asked()))

    def ask(self, epoch: int) -> Self:
        """Record, in place, that the server asks in an epoch, and return the state itself.

        What is recorded stays: votes that come later change no question, and answers of other
        epochs, which nobody gives who was not asked, are left out.

        Args:
            epoch: in which `wanted` holds.

        Raises:
            ParameterError: it is no such epoch.
        """

        def recorded(now: Self) -> Self:
            known = now.questions
            if known is None:
                known = frozenset(asked for asked in now._asked() if asked < epoch)
            if epoch not in known and not now.wanted(epoch):
                raise ParameterError("epoch", "must be one in which the mean is wanted", epoch)
            return replace(now, questions=known | {epoch})

        return self._become(recorded)

    def _voted_for(self, epoch: int, before: int) -> bool:
        """Return whether votes ask for the mean of an epoch before which it was asked so often."""
        made = self.protocol
        no, yes = self._pair(epoch)
        if no + yes == 0 or before >= made.updates:
            return False
        slack = math.sqrt(math.log(made.epochs / made.false_alarm) / (2 * (no + yes)))
        return before == 0 or yes / (no + yes) > float(made.vote.q) + slack

    def _asked(self) -> list[int]:
        """The epochs in which the server asked, whatever answers came.

        One made-up answer is no sign that anybody asked. Where nothing is recorded, votes must have
        asked for it too; and somebody must have answered, as not all that is wanted is asked for.
        """
        if self.questions is not None:
            return sorted(self.questions)
        found: list[int] = []
        for epoch in self._answered:
            if self._voted_for(epoch, len(found)):
                found.append(epoch)
        return found

    def mean(self, epoch: int) -> tuple[float, float]:
        """Return mean and standard error of the users' own means in an asked epoch; else nan.

        Unbiased. A user's answer is a coin with the chance q + m (p - q) at their own mean m. So
        the error is exact (up to the mean that is plugged in) where all users have the same mean,
        and above the true one elsewhere. A mean beyond 0..1, which no users have, is plugged in as
        the nearest that they may have: so the error is never 0.

        Raises:
            ParameterError: no such epoch.
        """
        check_integer("epoch", epoch, 0, self.protocol.epochs - 1)
        return self._mean(epoch) if epoch in self._asked() else (math.nan, math.nan)

    def _mean(self, epoch: int) -> tuple[float, float]:
        made = self.protocol
        zero, one = self._pair(made.epochs + epoch)
        n = zero + one
        if n == 0:
            return math.nan, math.nan
        mean = (one / n - float(made.answer.q)) / float(made.answer.p - made.answer.q)
        variance = _answer_variances(made).at(np.clip([mean], 0.0, 1.0))
        return mean, math.sqrt(float(variance[0]) / n)

    def published(self, epoch: int) -> float:
        """The mean that users compare with in an epoch: the last one before it, cut to 0..1."""
        answered = set(self._answered)
        known = [asked for asked in self._asked() if asked < epoch and asked in answered]
        return min(1.0, max(0.0, self._mean(known[-1])[0])) if known else math.nan

    def estimate(self) -> VotedMeans:
        """The published means of all epochs."""
        made = self.protocol
        answers = (
            np.array(self.counts[2 * made.epochs :], dtype=np.int64).reshape(-1, 2).sum(axis=1)
        )
        updated = np.zeros(made.epochs, dtype=bool)
        updated[self._asked()] = True
        stray = int(answers[~updated].sum())
        updated &= answers > 0
        own = np.full((made.epochs, 2), np.nan)
        for epoch in np.flatnonzero(updated).tolist():
            own[epoch] = self._mean(epoch)
        last = np.maximum.accumulate(np.where(updated, np.arange(made.epochs), -1))
        means, errors = np.where(last >= 0, own[last].T, np.nan)
        behind = np.where(last >= 0, answers[last], 0)
        return VotedMeans(
            *(means, updated, errors, self.honesty()),
            *(stray, behind, _answer_variances(made)),
        )

    def honesty(self) -> Honesty:
        """Test whether honest answers and votes are so often 1, whatever users hold."""
        pairs = np.array(self.counts, dtype=np.int64).reshape(2, -1, 2)
        made = (("votes", self.protocol.vote), ("answers", self.protocol.answer))
        checks = []
        for counts, (name, coin) in zip(pairs, made, strict=True):
            some = counts[counts.sum(axis=1) > 0]
            if len(some):
                ends = np.array(float(coin.q)), np.array(float(coin.p))
                checks.append(of_coins(name, some.sum(axis=1), some[:, 1], *ends))
        return Honesty(tuple(checks))


def _answer_variances(made: VotedMean) -> Variances:
    """The variances of one answer, as an estimate of the own mean that it is about."""
    p, q = float(made.answer.p), float(made.answer.q)

    def at(means: Floats) -> Floats:
        chances = q + means * (p - q)
        return np.asarray(chances * (1 - chances) / (p - q) ** 2)

    return Variances(at)


def _in_pairs(counts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Counts two by two."""
    return zip(counts[::2], counts[1::2], strict=True)
