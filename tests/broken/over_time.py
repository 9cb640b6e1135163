"""Planted-wrong clients of protocols over time, each of which its transcripts must refute.

They send what the honest client sends, but for what their first line says.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from ldp_verified.protocols import ChangeTree, VotedMean, VotingClient
from ldp_verified.protocols.uniform import uniform_below

Sent = tuple[int, ...]


def _signs(bits: Any) -> list[int]:
    """Return the change of each day, as +1, -1 or 0."""
    return np.diff(np.array([0, *bits])).tolist()  # type: ignore[no-any-return]  # numpy gives a list of integers


def _block(made: ChangeTree, source: Any, sign: int) -> int:
    return int(made.drawn(np.array([sign]), source)[0])


def every_level(made: ChangeTree, bits: Any, source: Any) -> Iterator[Sent]:
    """Reports at every level, each at the full epsilon."""
    rank = uniform_below(made.changes, source)
    signs = _signs(bits)
    places = [day for day, sign in enumerate(signs) if sign]
    kept = places[rank] if rank < len(places) else -1
    for day in range(1, made.days + 1):
        sent = []
        for level in range(made.levels):
            if day % (1 << level) == 0:
                inside = day - (1 << level) <= kept < day
                sent.append(_block(made, source, signs[kept] if inside else 0))
        yield tuple(sent)


def only_changes(made: ChangeTree, bits: Any, source: Any) -> Iterator[Sent]:
    """Pays for changes only: it sends a randomized sign when its bit changes, and else nothing."""
    for sign in _signs(bits):
        yield (_block(made, source, sign),) if sign else ()


def all_changes(made: ChangeTree, bits: Any, source: Any) -> Iterator[Sent]:
    """Keeps each of its changes, not one of them."""
    for sign in _signs(bits):
        yield (_block(made, source, sign),)


def no_cut(made: ChangeTree, bits: Any, source: Any) -> Iterator[Sent]:
    """Keeps every change whose number has the drawn remainder, also beyond the bound."""
    rank, seen = uniform_below(made.changes, source), 0
    for sign in _signs(bits):
        own = sign if sign and seen % made.changes == rank else 0
        seen += bool(sign)
        yield (_block(made, source, own),)


PLANTED = (every_level, only_changes, all_changes, no_cut)


class NeverOut(VotingClient):
    """Votes yes as often as it likes."""

    def vote(self, ones: int, published: float | None) -> Any:
        self._voted = 0
        return super().vote(ones, published)


class AlwaysAnswers(VotingClient):
    """Answers every question."""

    def answer(self) -> Any:
        self._answered = 0
        return super().answer()


class FullPrice(VotingClient):
    """Pays for each vote as if it were the only one: at the epsilon of all votes."""

    def vote(self, ones: int, published: float | None) -> Any:
        sent = super().vote(ones, published)
        epoch = self._steps // 2
        own = abs(ones / self.protocol.days - (published or 0)) > self.protocol.margin
        drawn = self.protocol.vote.sampler().draw(np.array([int(own)]), self._source)
        vote = np.array([int(sent.data[0]), 2 * epoch + int(drawn[0])])
        return self.protocol.reports(vote, simulated=True)


class Silent(VotingClient):
    """Sends its vote only if it would be yes."""

    def vote(self, ones: int, published: float | None) -> Any:
        before = self._voted
        sent = super().vote(ones, published)
        if self._voted > before:
            return sent
        return self.protocol.reports(np.zeros(0, int), simulated=True)


def voting(kind: type[VotingClient], made: VotedMean) -> Any:
    """The client of a kind as a program: what is published is an update, or None for no update."""

    def run(ones: Any, source: Any) -> Generator[tuple[int, ...], Any, None]:
        device = kind(made, new_user=True, rng=source)
        mean = 0.0
        for own in ones:
            asked = yield tuple(device.vote(own, mean).data.tolist())
            if asked is not None:
                mean = yield tuple(device.answer().data.tolist())
                mean = 0.0 if mean is None else mean

    return run


VOTING_PLANTED = (NeverOut, AlwaysAnswers, FullPrice, Silent)
