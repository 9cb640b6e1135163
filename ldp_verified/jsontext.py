"""JSON texts from outside, read strictly: one meaning, or none."""

from __future__ import annotations

import json
from typing import Any


class NotJsonError(ValueError):
    """The text is no JSON, or has more than one reading."""


def read_json(text: str | bytes) -> Any:
    """Read a JSON text.

    Raises:
        NotJsonError: no JSON in UTF-8, nested too deeply to be read, a name twice in one object, a
            number that no JSON has (NaN, Infinity), or one too long or too large to be held.
    """
    try:
        decoded = text if isinstance(text, str) else str(text, "utf-8")
        return json.loads(
            decoded, object_pairs_hook=_object, parse_constant=_refused, parse_float=_finite
        )
    except (ValueError, RecursionError, TypeError) as error:
        problem = type(error).__name__
    raise NotJsonError(problem)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotJsonError("a name twice")
    return found


def _refused(name: str) -> Any:
    raise NotJsonError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise NotJsonError("infinity")
    return number
