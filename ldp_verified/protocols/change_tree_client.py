"""One user's device in `ChangeTree`: it is told the bit of every day, once, and in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.reports import Reports
from ldp_verified.aggregate.sealed import seal, unseal
from ldp_verified.errors import ParameterError, ReplayError, ReportError, check_kind
from ldp_verified.kernels.draw import smallest_dtype
from ldp_verified.kernels.seeds import word_source
from ldp_verified.protocols.change_tree import ChangeTree
from ldp_verified.protocols.keepsake import require_new_user
from ldp_verified.protocols.uniform import uniform_below
from ldp_verified.realize.parameters import check_integer
from ldp_verified.realize.values import encode_one

if TYPE_CHECKING:
    from ldp_verified.realize.randomizer import Rng

KIND = "change tree client"
FIELDS = ("level", "rank", "day", "bit", "seen", "pending")


class TreeClient:
    """The device of one user.

    Args:
        protocol: what it agrees on with the server.
        new_user: must be True to start without a saved state; to go on from one, use `restore`.
        rng: None for the secure source; a seed or a numpy Generator is for simulation.

    Raises:
        ParameterError: `new_user` is not True, or a bad argument.
    """

    def __init__(self, protocol: ChangeTree, *, new_user: bool, rng: Rng = None) -> None:
        require_new_user(new_user)
        check_kind("protocol", protocol, ChangeTree)
        self.protocol = protocol
        self._source = word_source(rng, "device", *protocol.identity.named)
        self._level = uniform_below(protocol.levels, self._source)
        self._rank = uniform_below(protocol.changes, self._source)
        self._day = self._bit = self._seen = self._pending = 0
        self._simulated = bool(self._source.simulated)

    @property
    def level(self) -> int:
        """The user's level, public: signs come after every 2^level days."""
        return self._level

    @property
    def day(self) -> int:
        """The number of days that it was told the bit of."""
        return self._day

    def report(self, bit: int) -> Reports:
        """Take the bit of the next day; returns the messages of that day, perhaps none.

        The first day has a message that the user joined, with the level. How many messages a day
        has does not depend on any bit.

        Raises:
            DomainError: it is not 0 or 1; the day has not passed then.
            ParameterError: all days have passed.
        """
        made = self.protocol
        value = encode_one(bit, 2, None)
        if self._day == made.days:
            raise ParameterError("report", f"must be called for {made.days} days, no more")
        if value != self._bit:
            if self._seen == self._rank:
                self._pending = 1 - 2 * (self._rank % 2)
            self._seen = min(self._seen + 1, made.changes)
            self._bit = value
        self._day += 1
        sent = [2 * made.firsts[-1] + self._level] if self._day == 1 else []
        if self._day % (1 << self._level) == 0:
            own = np.array([self._pending])
            self._pending = 0
            block = made.firsts[self._level] + (self._day >> self._level) - 1
            sent.append(2 * block + int(made.drawn(own, self._source)[0]))
        data = np.array(sent, dtype=smallest_dtype(made.codes))
        return Reports(data, made.identity, self._simulated)

    def save(self) -> str:
        """The state as text with a checksum. It holds the bit: keep it on the device."""
        kept: dict[str, Any] = {name: getattr(self, f"_{name}") for name in FIELDS}
        return seal(KIND, kept | {"made": _made(self.protocol), "simulated": self._simulated})

    @classmethod
    def restore(
        cls, text: str | bytes, protocol: ChangeTree, rng: Rng = None, *, seen: int = 0
    ) -> TreeClient:
        """The client that `save` wrote.

        Args:
            text: what it wrote. protocol: the one it was of. rng: as in the class.
            seen: how many days are known to have passed, from somewhere else than the text: an
                older copy would send the signs of some blocks again, which costs more.

        Raises:
            ParameterError: an argument other than the text is none.
            ReportError: the text is no such state, damaged, or of another protocol.
            ReplayError: it is an older copy than `seen` says.
        """
        check_kind("protocol", protocol, ChangeTree)
        state = unseal(KIND, text)
        if state.get("made") != _made(protocol):
            raise ReportError("protocol", "is not the one that the client was saved with")
        most = {
            "level": protocol.levels - 1,
            "rank": protocol.changes - 1,
            "day": protocol.days,
            "bit": 1,
            "seen": protocol.changes,
            "pending": 1,
        }
        held: dict[str, int] = {}
        for name in FIELDS:
            value, least = state.get(name), -1 if name == "pending" else 0
            if type(value) is not int or not least <= value <= most[name]:
                raise ReportError("text", "is no saved client")
            held[name] = value
        if type(state.get("simulated")) is not bool:
            raise ReportError("text", "is no saved client")
        if held["day"] < check_integer("seen", seen, 0, protocol.days):
            raise ReplayError("text", f"is an old copy: {seen} days are known", held["day"])
        source = word_source(rng, "device after days", *protocol.identity.named, held["day"])
        client = cls(protocol, new_user=True, rng=source)
        for name, value in held.items():
            setattr(client, f"_{name}", value)
        client._simulated = client._simulated or state["simulated"]
        return client


def _made(protocol: ChangeTree) -> list[Any]:
    identity = protocol.identity
    return [dict(identity.parameters), list(identity.thresholds)]
