"""Keep the secret behind a device's permanent answers, and notice old copies.

The permanent answers are not written down. Each is drawn from words that depend on a 32-byte secret
and a label (HMAC-SHA-256, AES-256-CTR). They are the same whenever the label comes again. To
whoever lacks the secret they are independent uniform words, as far as these are pseudorandom
functions. The state to be kept holds the secret, with which whoever reads it can draw the permanent
answers. It also holds the number of reports made, and a tag of each permanent answer that any of
them was drawn from.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ldp_verified.errors import ParameterError, ReplayError, ReportError
from ldp_verified.run.aggregate.shared import Shared
from ldp_verified.run.kernels import PROGRAM_VERSION, SAME_ANSWERS
from ldp_verified.run.kernels.keyed import SECRET_BYTES, KeyedWords
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.run.kernels.randomness import WordSource

_TAG_BYTES: Final = 16
_TAG: Final = re.compile(f"[0-9a-f]{{{2 * _TAG_BYTES}}}")
MOST_HELD: Final = 64
"""Permanent answers that a client holds beside its secret, from which each can be drawn again."""

MOST_REPORTS: Final = (1 << 63) - 1


def require_new_user(new_user: object) -> None:
    """Refuse to start without a saved state unless that was asked for.

    Raises:
        ParameterError: `new_user` is not True.
    """
    if new_user is not True:
        rule = "must be True to start afresh: a user who has reported before is to be restored"
        raise ParameterError("new_user", rule, new_user)


class _Spent(NamedTuple):
    """The number of reports made, and the tags of the permanent answers that were used."""

    reports: int
    tags: frozenset[str]


class Keepsake:
    """A secret, a counter, and which permanent answers have been reported on.

    Threads may report together: no two reports have the same number.

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
        self._spent = Shared(_Spent(reports, tags))

    @classmethod
    def drawn(cls, source: WordSource) -> Keepsake:
        """A keepsake with a fresh secret."""
        secret = source.words(SECRET_BYTES // 8).astype("<u8").tobytes()
        return cls(secret, simulated=bool(source.simulated))

    def words(self, label: str) -> KeyedWords:
        """The words that the permanent answer of this label is drawn from."""
        data = label.encode("utf-8", "surrogatepass")
        return KeyedWords(self._secret, data, simulated=self.simulated)

    def tag(self, label: str) -> str:
        """Return the bytes that stand for the permanent answer of this label in the state."""
        data = b"tag:" + label.encode("utf-8", "surrogatepass")
        return hmac.digest(self._secret, data, "sha256")[:_TAG_BYTES].hex()

    def note(self, tag: str) -> int:
        """A report is drawn from the permanent answer of this tag; returns its number, from 1."""

        def counted(spent: _Spent) -> _Spent:
            known = tag in spent.tags
            return _Spent(spent.reports + 1, spent.tags if known else spent.tags | {tag})

        return self._spent.change(counted).reports

    @property
    def reports(self) -> int:
        """Return how many reports have been made."""
        return self._spent.now.reports

    @property
    def answers(self) -> int:
        """Return how many permanent answers have been reported on."""
        return len(self._spent.now.tags)

    def state(self) -> dict[str, Any]:
        """Return the state that has to be kept, as JSON values."""
        spent = self._spent.now
        return {
            "program": PROGRAM_VERSION,
            "secret": base64.b64encode(self._secret).decode(),
            "reports": spent.reports,
            "answered": sorted(spent.tags),
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
            ReportError: it is no such state, or one of another program, under which the secret
                would give other permanent answers.
            ReplayError: it had made fewer reports than are known.
            ParameterError: `seen` is no number of reports.
        """
        known = check_integer("seen", seen, 0, MOST_REPORTS)
        # Version 0.1.0 was the first program and did not name it.
        program = state.get("program", 1)
        if type(program) is not int or program < 1:
            raise ReportError("text", "is no saved client")
        if program not in SAME_ANSWERS:
            rule = f"is of program version {program}, not {PROGRAM_VERSION}: its permanent answers"
            raise ReportError("text", f"{rule} would change, which costs another epsilon")
        secret = _secret(state.get("secret"))
        reports, simulated = state.get("reports"), state.get("simulated")
        tags = state.get("answered")
        if (
            secret is None
            or type(reports) is not int
            or type(simulated) is not bool
            or not isinstance(tags, list)
            or not all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in tags)
            or tags != sorted(set(tags))
            or not min(1, reports) <= len(tags) <= reports <= MOST_REPORTS
        ):
            raise ReportError("text", "is no saved client")
        if reports < known:
            rule = f"is an old copy: {known} reports are known, and it had made fewer"
            raise ReplayError("text", rule, reports)
        return cls(secret, simulated=simulated, reports=reports, tags=frozenset(tags))


def _secret(text: object) -> bytes | None:
    """The secret in its one spelling; None where it is none."""
    if not isinstance(text, str) or not text.isascii():
        return None
    try:
        secret = base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
    spelled = base64.b64encode(secret).decode()
    return secret if len(secret) == SECRET_BYTES and spelled == text else None
