"""One user's device in `VotedMean`: it votes in every epoch, and answers when it is asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError
from ldp_verified.protocols.day_client import DayClient
from ldp_verified.protocols.voting import VotedMean
from ldp_verified.run.realize.values import encode_one

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.realize.randomizer import Rng


class VotingClient(DayClient[VotedMean]):
    """The device of one user. Args and Raises: as `DayClient`."""

    _protocol_class: ClassVar[type] = VotedMean
    _kind: ClassVar[str] = "voting client"
    _passed: ClassVar[str] = "steps"
    _units: ClassVar[str] = "steps"
    _after: ClassVar[str] = "device after"

    def __init__(self, protocol: VotedMean, *, new_user: bool, rng: Rng = None) -> None:
        super().__init__(protocol, new_user=new_user, rng=rng)
        # Twice the epochs that were voted in, less one while the last may still be answered.
        self._steps = self._voted = self._answered = self._ones = 0

    @staticmethod
    def _ranges(protocol: VotedMean) -> Mapping[str, tuple[int, int]]:
        return {
            "steps": (0, 2 * protocol.epochs),
            "voted": (0, protocol.votes),
            "answered": (0, protocol.updates),
            "ones": (0, protocol.days),
        }

    @property
    def steps(self) -> int:
        """Count what it did so far, for `seen`: it rises with every vote and every answer."""
        return self._steps

    def vote(self, ones: int, published: float | None) -> Reports:
        """The vote of the next epoch, one message.

        Args:
            ones: how many of the user's bits of the epoch are 1, 0..days.
            published: the mean that the server published last; None before there is one.

        Raises:
            DomainError: no such number; the epoch has not passed then.
            ParameterError: `published` is no number, or all epochs have passed.
        """
        made = self.protocol
        own = encode_one(ones, made.days + 1, None)
        if isinstance(published, bool) or not isinstance(published, int | float | None):
            raise ParameterError("published", "must be a number or None", published)
        if isinstance(published, int) and not 0 <= published <= 1:
            raise ParameterError("published", "must be a mean, in 0..1", published)
        epoch = (self._steps + 1) // 2
        if epoch == made.epochs:
            raise ParameterError("vote", f"must be called for {made.epochs} epochs, no more")
        mean = math.nan if published is None else float(published)
        yes = made.differs(np.array([own]), mean) & (self._voted < made.votes)
        self._voted += int(yes[0])
        self._steps, self._ones = 2 * epoch + 1, own
        return made.reports(made.voted(epoch, yes, self._source), simulated=self._simulated)

    def answer(self) -> Reports:
        """The answer to the question for the mean of the epoch that was voted in last.

        Raises:
            ParameterError: there was no vote, or it was answered already, or as many questions as
                users answer were. Neither depends on any bit.
        """
        made = self.protocol
        if self._steps % 2 == 0:
            raise ParameterError("answer", "must be called once, after the vote of an epoch")
        if self._answered == made.updates:
            raise ParameterError("answer", f"must be called {made.updates} times at most")
        self._answered += 1
        epoch = self._steps // 2
        self._steps += 1
        sent = made.answered(epoch, np.array([self._ones]), self._source)
        return made.reports(sent, simulated=self._simulated)
