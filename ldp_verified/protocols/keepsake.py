"""What a device has to keep so that its permanent answers stay the same, and to notice old copies.

The permanent answers are not written down. Each is drawn from words that depend on a 32-byte secret
and a label (HMAC-SHA-256, AES-256-CTR): the same whenever the label comes again, and independent
uniform words to whoever lacks the secret, as far as these are pseudorandom functions. So the state
to be kept is the secret, with which whoever reads it can draw the permanent answers; how many
reports were made; and a tag of each permanent answer that any of them was drawn from.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.kernels.keyed import SECRET_BYTES, KeyedWords

if TYPE_CHECKING:
    from ldp_verified.kernels.randomness import WordSource

_TAG_BYTES: Final = 16


def require_new_user(new_user: object) -> None:
    """Refuse to start without a saved state unless that was asked for.

    Raises:
        ParameterError: `new_user` is not True.
    """
    if new_user is not True:
        rule = "must be True to start afresh: a user who has reported before is to be restored"
        raise ParameterError("new_user", rule, new_user)


class Keepsake:
    """A secret, a counter, and which permanent answers have been reported on.

    Args:
        secret: 32 bytes. simulated: whether others could know it.
        reports: how many reports have been made.
        tags: of the permanent answers that they were drawn from.
    """

    def __init__(
        self,
        secret: bytes,
        *,
        simulated: bool,
        reports: int = 0,
        tags: frozenset[str] = frozenset(),
    ) -> None:
        self._secret = secret
        self.simulated = simulated
        self.reports = reports
        self._tags = tags

    @classmethod
    def drawn(cls, source: WordSource) -> Keepsake:
        """A new one."""
        secret = source.words(SECRET_BYTES // 8).astype("<u8").tobytes()
        return cls(secret, simulated=bool(source.simulated))

    def words(self, label: str) -> KeyedWords:
        """The words that the permanent answer of this label is drawn from."""
        data = label.encode("utf-8", "surrogatepass")
        return KeyedWords(self._secret, data, simulated=self.simulated)

    def note(self, label: str) -> int:
        """A report is drawn from the permanent answer of this label; returns its number, from 1."""
        data = b"tag:" + label.encode("utf-8", "surrogatepass")
        self._tags |= {hmac.digest(self._secret, data, "sha256")[:_TAG_BYTES].hex()}
        self.reports += 1
        return self.reports

    @property
    def answers(self) -> int:
        """How many permanent answers have been reported on."""
        return len(self._tags)

    def state(self) -> dict[str, Any]:
        """What has to be kept, as JSON values."""
        return {
            "secret": base64.b64encode(self._secret).decode(),
            "reports": self.reports,
            "answered": sorted(self._tags),
            "simulated": self.simulated,
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Any], seen: int = 0) -> Keepsake:
        """The keepsake that `state` was called on.

        Args:
            state: what it gave.
            seen: how many reports are known to have been made, from somewhere else than where the
                state is kept.

        Raises:
            ReportError: it is no such state.
            ReplayError: it had made fewer reports than are known.
        """
        try:
            secret = base64.b64decode(state["secret"], validate=True)
            reports, simulated = state["reports"], state["simulated"]
            tags = frozenset(state["answered"])
            sound = len(secret) == SECRET_BYTES and type(simulated) is bool
            sound = sound and type(reports) is int and len(tags) <= reports
            sound = sound and all(len(bytes.fromhex(tag)) == _TAG_BYTES for tag in tags)
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError("text", f"is no saved client: {type(error).__name__}") from None
        if not sound:
            raise ReportError("text", "is no saved client")
        if reports < seen:
            rule = f"is an old copy: {seen} reports are known, and it had made fewer"
            raise ReplayError("text", rule, reports)
        return cls(secret, simulated=simulated, reports=reports, tags=tags)
