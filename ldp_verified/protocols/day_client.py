"""The base of clients that report on several days: their state is text, and they resume it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ldp_verified.errors import ReplayError, ReportError, check_kind
from ldp_verified.protocols.keepsake import require_new_user
from ldp_verified.run.aggregate.sealed import seal, unseal
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.realize.randomizer import Rng


P = TypeVar("P")


class DayClient(ABC, Generic[P]):
    """The device of one user, whose state is a few integers. It is for one thread at a time.

    Args:
        protocol: what it agrees on with the server.
        new_user: must be True to start without a saved state; to go on from one, use `restore`.
        rng: None for the secure source; a seed or a numpy Generator is for simulation.

    Raises:
        ParameterError: `new_user` is not True, or a bad argument.
    """

    protocol: P
    _protocol_class: ClassVar[type]
    _kind: ClassVar[str]
    _passed: ClassVar[str]
    """Which of the integers of `_ranges` says how far the device is; `_units`: of what."""
    _units: ClassVar[str]
    _after: ClassVar[str]
    """The purpose of a restored device's words, so that none of the first ones are used again."""

    def __init__(self, protocol: P, *, new_user: bool, rng: Rng = None) -> None:
        require_new_user(new_user)
        check_kind("protocol", protocol, self._protocol_class)
        self.protocol = protocol
        self._source = word_source(rng, "device", *_identity(protocol).named)
        self._simulated = bool(self._source.simulated)

    @staticmethod
    @abstractmethod
    def _ranges(protocol: P) -> Mapping[str, tuple[int, int]]:
        """The integers of the state, with the smallest and the largest value of each."""

    def save(self) -> str:
        """The state as text with a checksum. It holds the user's bits: keep it on the device."""
        kept: dict[str, Any] = {
            name: getattr(self, f"_{name}") for name in self._ranges(self.protocol)
        }
        return seal(self._kind, kept | {"made": _made(self.protocol), "simulated": self._simulated})

    @classmethod
    def restore(cls, text: str | bytes, protocol: P, rng: Rng = None, *, seen: int = 0) -> Self:
        """The client that `save` wrote.

        Args:
            text: what it wrote. protocol: the one it was of. rng: as in the class.
            seen: how many days of a `TreeClient`, or `steps` of a `VotingClient`, are known to have
                passed, from somewhere else than the text: an older copy would send some messages
                again, which costs more.

        Raises:
            ParameterError: an argument other than the text is none.
            ReportError: the text is no such state, damaged, or of another protocol.
            ReplayError: it is an older copy than `seen` says.
        """
        check_kind("protocol", protocol, cls._protocol_class)
        state = unseal(cls._kind, text)
        if state.get("made") != _made(protocol):
            raise ReportError("protocol", "is not the one that the client was saved with")
        ranges, held = cls._ranges(protocol), dict[str, int]()
        for name, (least, most) in ranges.items():
            value = state.get(name)
            if type(value) is not int or not least <= value <= most:
                raise ReportError("text", "is no saved client")
            held[name] = value
        if type(state.get("simulated")) is not bool:
            raise ReportError("text", "is no saved client")
        passed = held[cls._passed]
        if passed < check_integer("seen", seen, 0, ranges[cls._passed][1]):
            raise ReplayError("text", f"is an old copy: {seen} {cls._units} are known", passed)
        source = word_source(rng, cls._after, *_identity(protocol).named, passed)
        client = cls(protocol, new_user=True, rng=source)
        for name, value in held.items():
            setattr(client, f"_{name}", value)
        client._simulated = client._simulated or state["simulated"]
        return client


def _identity(protocol: Any) -> Identity:
    found: Identity = protocol.identity
    return found


def _made(protocol: Any) -> list[Any]:
    identity = _identity(protocol)
    return [dict(identity.parameters), list(identity.thresholds)]
