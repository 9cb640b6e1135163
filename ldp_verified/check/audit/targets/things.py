"""The composed values of the closed vocabulary, and any of its values as one text.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ldp_verified.check.audit.targets.forms import Formed

_LONG = 1 << 64
"""Beyond it whole numbers are written to base 16: Python refuses to write long ones to base 10."""


@dataclass(frozen=True)
class Consumed:
    """The items of an iterator, which can be read only once and is read when drawn.

    Attributes:
        type: the iterator's class.
        items: in order.
    """

    type: str
    items: tuple[Any, ...]


@dataclass(frozen=True)
class Thing:
    """An object of any class, as far as an observer can read it.

    Attributes:
        type: its class.
        names: of its parts.
        values: its parts, in the same order.
    """

    type: str
    names: tuple[str, ...]
    values: tuple[Any, ...]


REFUSED: Final = 400
"""The least status of HTTP by which a server says that it does not answer a question."""


_HTTP: Final = "http"


def with_status(status: Any, kind: str, body: Any) -> Thing:
    """Make the output that holds an answer of HTTP with its status and type, not the body alone.

    Args:
        status: as a service sent it, or as a file of traffic holds it.
        kind: the type of the content.
        body: as it is read.
    """
    return Thing(_HTTP, ("status", "type", "body"), (status, kind, body))


def status_of(value: object) -> int:
    """Return the status of HTTP in what `with_status` made; 200 for any other value."""
    if type(value) is not Thing or value.type != _HTTP:
        return 200
    return int(dict(zip(value.names, value.values, strict=True))["status"])


def digits_of(value: int) -> str:
    """Return a whole number as text: to base 10, or where that would be long to base 16."""
    return str(value) if -_LONG < value < _LONG else hex(value)


def text_of(value: Any) -> str:
    """Return a text, cut nowhere, that two values have in common only if they are the same.

    It orders the members of sets and stands in messages, in the target's own process. What stands
    for an output in counts and on file is `keys.key`, which reads objects of any class.

    Args:
        value: in the closed vocabulary.
    """
    kind = type(value)
    if kind is list or kind is tuple:
        return f"{kind.__name__}({', '.join(map(text_of, value))})"
    if kind is set or kind is frozenset:
        return f"{kind.__name__}({', '.join(sorted(map(text_of, value)))})"
    if kind is dict:
        return f"dict({', '.join(f'{text_of(k)}: {text_of(v)}' for k, v in value.items())})"
    if kind is Thing:
        fields = zip(value.names, value.values, strict=True)
        return f"{value.type}({', '.join(f'{name}={text_of(part)}' for name, part in fields)})"
    if kind is Consumed:
        return f"{value.type}({', '.join(map(text_of, value.items))})"
    if kind is Formed:
        return f"{text_of(value.value)} ({value.form})"
    if kind is int:
        return digits_of(value)
    if hasattr(value, "dtype"):  # numpy's, which is not imported here
        return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    return repr(value)
