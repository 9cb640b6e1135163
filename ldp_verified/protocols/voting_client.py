"""One user's device in `VotedMean`: it votes in every epoch, and answers when it is asked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.reports import Reports
from ldp_verified.aggregate.sealed import seal, unseal
from ldp_verified.errors import ParameterError, ReplayError, ReportError, check_kind
from ldp_verified.kernels.seeds import word_source
from ldp_verified.protocols.keepsake import require_new_user
from ldp_verified.protocols.voting import VotedMean
from ldp_verified.realize.parameters import check_integer
from ldp_verified.realize.values import encode_one

if TYPE_CHECKING:
    from ldp_verified.realize.randomizer import Rng

KIND = "voting client"
FIELDS = ("steps", "voted", "answered", "ones")


class VotingClient:
    """The device of one user.

    Args:
        protocol: what it agrees on with the server.
        new_user: must be True to start without a saved state; to go on from one, use `restore`.
        rng: None for the secure source; a seed or a numpy Generator is for simulation.

    Raises:
        ParameterError: `new_user` is not True, or a bad argument.
    """

    def __init__(self, protocol: VotedMean, *, new_user: bool, rng: Rng = None) -> None:
        require_new_user(new_user)
        check_kind("protocol", protocol, VotedMean)
        self.protocol = protocol
        self._source = word_source(rng, "device", *protocol.identity.named)
        self._simulated = bool(self._source.simulated)
        # Twice the epochs that were voted in, less one while the last may still be answered.
        self._steps = self._voted = self._answered = self._ones = 0

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
        return made.sent(made.voted(epoch, yes, self._source), self._simulated)

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
        return made.sent(sent, self._simulated)

    def save(self) -> str:
        """The state as text with a checksum. It holds the user's bits: keep it on the device."""
        kept: dict[str, Any] = {name: getattr(self, f"_{name}") for name in FIELDS}
        return seal(KIND, kept | {"made": _made(self.protocol), "simulated": self._simulated})

    @classmethod
    def restore(
        cls, text: str | bytes, protocol: VotedMean, rng: Rng = None, *, seen: int = 0
    ) -> VotingClient:
        """The client that `save` wrote.

        Args:
            text: what it wrote. protocol: the one it was of. rng: as in the class.
            seen: the `steps` that are known, from somewhere else than the text: an older copy would
                vote or answer again, which costs more.

        Raises:
            ParameterError: an argument other than the text is none.
            ReportError: the text is no such state, damaged, or of another protocol.
            ReplayError: it is an older copy than `seen` says.
        """
        check_kind("protocol", protocol, VotedMean)
        state = unseal(KIND, text)
        if state.get("made") != _made(protocol):
            raise ReportError("protocol", "is not the one that the client was saved with")
        steps = 2 * protocol.epochs
        most = dict(
            zip(FIELDS, (steps, protocol.votes, protocol.updates, protocol.days), strict=True)
        )
        held: dict[str, int] = {}
        for name in FIELDS:
            value = state.get(name)
            if type(value) is not int or not 0 <= value <= most[name]:
                raise ReportError("text", "is no saved client")
            held[name] = value
        if type(state.get("simulated")) is not bool:
            raise ReportError("text", "is no saved client")
        if held["steps"] < check_integer("seen", seen, 0, steps):
            raise ReplayError("text", f"is an old copy: {seen} steps are known", held["steps"])
        source = word_source(rng, "device after", *protocol.identity.named, held["steps"])
        client = cls(protocol, new_user=True, rng=source)
        for name, value in held.items():
            setattr(client, f"_{name}", value)
        client._simulated = client._simulated or state["simulated"]
        return client


def _made(protocol: VotedMean) -> list[Any]:
    return [dict(protocol.identity.parameters), list(protocol.identity.thresholds)]
