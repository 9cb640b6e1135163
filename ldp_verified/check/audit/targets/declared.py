"""A protocol's declaration as a target: transcripts of the class that `generate` writes for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ldp_verified.errors import ParameterError

MOST_INPUTS = 8
"""Values that are asked where the auditor names none: the first and the last ones."""


def transcripts(
    spec: str, given: Mapping[str, Any] | None = None, published: int = 0
) -> Callable[[Any], Any]:
    """Return what one user sends in all rounds, and the group, as a function of the value.

    Args:
        spec: a name of `spec/protocols`, or a file. given: parameters; small ones for the others.
        published: what a malicious server says before every round, as far as it may.

    Raises:
        SpecError: the file cannot be read, or no class is generated from it.
        ParameterError: a parameter is out of range.
    """
    protocol = protocol_of(spec, given or {})

    def transcript(value: Any) -> tuple[Any, ...]:
        client = protocol.client()
        found: list[Any] = [client.group]
        while client.step is not None:
            number, _ = protocol.steps[client.step]
            before = [r for r, _ in protocol.steps[: client.step] if protocol.asks[r].publishes]
            told = None
            if before:
                end = int(protocol.published_below(before[-1], client.group))
                told = min(published, end - 1)
            which = 0 if protocol.asks[number].either else None
            reports = client.report(value, told, which)
            found += [_plain(each.data) for _, each in reports.parts]
        return tuple(found)

    return transcript


def protocol_of(spec: str, given: Mapping[str, Any]) -> Any:
    """The object that is audited.

    Raises:
        SpecError, ParameterError: as `transcripts`.
    """
    from ldp_verified.generate.declared import made_at

    return made_at(spec, given)


def claimed(spec: str, given: Mapping[str, Any]) -> tuple[float, tuple[int, ...]]:
    """Return the declared epsilon, and values to ask.

    Raises:
        SpecError, ParameterError: as `transcripts`; or it has one value.
    """
    protocol = protocol_of(spec, given)
    end = int(protocol.value_count)
    if end < 2:
        raise ParameterError("values", "must be two or more, to be told apart", end)
    half = MOST_INPUTS // 2
    return protocol.epsilon, (*sorted({*range(min(half, end)), *range(max(0, end - half), end)}),)


def reference(spec: str, given: Mapping[str, Any]) -> str:
    """The target as `package.module:expression`, so that it can be called in another process."""
    return f"{__name__}:transcripts({spec!r}, {dict(given)!r})"


def _plain(data: Any) -> Any:
    """The report of one user as numbers."""
    row = np.asarray(data)[0]
    return row.item() if row.ndim == 0 else tuple(row.tolist())
