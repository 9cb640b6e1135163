"""Small states as text: JSON in one spelling only, with a checksum.

The text is `{"ldp_verified": KIND, "version": 2, "state": {...}, "sha256": DIGEST}`, keys in this
order and those of the state sorted, spaced as Python's `json` does it by default. The digest, in
lower-case hex, is the SHA-256 of all that stands before `, "sha256"`. A text that is not spelled
exactly so is refused, so that each bit of it counts. The checksum finds damage, not malice: whoever
can write the text can write a checksum too.

Version 0.1.0 wrote the state alone (`{...}`), with nothing that could show damage.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from ldp_verified.errors import ReportError
from ldp_verified.jsontext import NotJsonError, read_json

VERSION: Final = 2


def seal(kind: str, state: dict[str, Any]) -> str:
    """The text of a state of a kind; the same for equal states."""
    sealed = json.dumps(state, sort_keys=True, allow_nan=False)
    body = f'{{"ldp_verified": {json.dumps(kind)}, "version": {VERSION}, "state": {sealed}'
    return f'{body}, "sha256": "{hashlib.sha256(body.encode()).hexdigest()}"}}'


def unseal(kind: str, text: object, *, unsealed: bool = False) -> dict[str, Any]:
    """The state that `seal` was given.

    Args:
        kind: as given to `seal`.
        text: what it gave, as a string or in UTF-8.
        unsealed: whether to take what version 0.1.0 saved, too: nothing shows if that was damaged.

    Raises:
        ReportError: the text is none of this kind, or damaged; or it is one of version 0.1.0, and
            `unsealed` is not True.
    """
    wrong = ReportError("text", f"is no saved {kind}, or damaged: its checksum is another")
    if not isinstance(text, str | bytes):
        raise ReportError("text", f"is no saved {kind}: it must be a string", type(text))
    try:
        found = read_json(text)
        if isinstance(found, dict) and "ldp_verified" not in found and "sha256" not in found:
            if unsealed is True:
                return found
            rule = f"is no saved {kind}, or one of version 0.1.0, which had no checksum and is read"
            wrong = ReportError("text", f"{rule} with unsealed=True only")
        spelled = text if isinstance(text, str) else text.decode()
        state = found.get("state") if isinstance(found, dict) else None
        if isinstance(state, dict) and seal(kind, state) == spelled:
            return state
    except (NotJsonError, RecursionError):
        pass
    raise wrong
