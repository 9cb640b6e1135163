"""What clients send and hear: records of a token and a report, and one byte for each.

A token is the name of a user, which the server chose, and its code. So nobody makes up users, and
the server keeps no list of them.
"""

from __future__ import annotations

import hmac
from enum import Enum
from typing import NamedTuple

USER_BYTES = 16
CODE_BYTES = 16
TOKEN_BYTES = USER_BYTES + CODE_BYTES


class Answer(bytes, Enum):
    """The byte that answers a record.

    A client keeps its report until it hears one of these.
    """

    COUNTED = b"+"
    COUNTED_BEFORE = b"="
    ANOTHER = b"!"
    MALFORMED = b"x"
    TOKEN = b"t"
    NOT_OPEN = b"c"

    @property
    def acknowledged(self) -> bool:
        """Whether the report is in the database, on the disk."""
        return self in (Answer.COUNTED, Answer.COUNTED_BEFORE)


class Record(NamedTuple):
    """One report as it came. `user` is None where the token is none of ours."""

    user: bytes | None
    report: bytes


def token(key: bytes, user: bytes) -> bytes:
    """The token of a user.

    Raises:
        ValueError: the name has not 16 bytes.
    """
    if len(user) != USER_BYTES:
        raise ValueError(f"a user's name must have {USER_BYTES} bytes, not {len(user)}")
    return user + hmac.digest(key, user, "sha256")[:CODE_BYTES]


def user_of(key: bytes, found: bytes) -> bytes | None:
    """The user of a token; None if it is none of ours."""
    user, code = found[:USER_BYTES], found[USER_BYTES:]
    wanted = hmac.digest(key, user, "sha256")[:CODE_BYTES]
    return user if hmac.compare_digest(code, wanted) else None


def records_of(body: bytes, report_bytes: int, key: bytes) -> list[Record]:
    """The records of a request.

    Raises:
        ValueError: the body is not one or more records.
    """
    width = TOKEN_BYTES + report_bytes
    if not body or len(body) % width:
        raise ValueError(f"the body must be one or more records of {width} bytes")
    found = []
    for start in range(0, len(body), width):
        end = start + TOKEN_BYTES
        found.append(Record(user_of(key, body[start:end]), body[end : start + width]))
    return found
