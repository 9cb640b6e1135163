"""Tell apart protocols whose numbered values are the same and stand for different things.

A scheme on numbered cells draws the same reports whatever its cells stand for. Reports of other
attributes, labels or borders would be counted together, and every estimate be wrong in silence.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from ldp_verified.errors import ParameterError

LONGEST: Final = 100


def about_of(kind: str, *said: object) -> str:
    """Return a hash that stands for what the numbers of a protocol mean.

    Args:
        kind: of the protocol. said: names, labels, sizes, numbers, and lists of them.

    Returns:
        SHA-256 in hex of their JSON: no label, such as one with a comma, looks like two.
    """
    return hashlib.sha256(json.dumps([kind, *said]).encode()).hexdigest()


def check_about(about: object) -> str:
    """Return the text that says what numbers mean, and refuse what is no short text.

    Raises:
        ParameterError: it is none.
    """
    if not isinstance(about, str) or len(about) > LONGEST or not about.isprintable():
        rule = f"must be a text of at most {LONGEST} printable characters"
        raise ParameterError("about", rule, len(about) if isinstance(about, str) else type(about))
    return str(about)
