"""An exception as an output: its text, what else a traceback prints, what else it holds.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import GetSetDescriptorType, MemberDescriptorType, TracebackType
from typing import Any

from ldp_verified.check.audit.targets.attributes import attributes
from ldp_verified.check.audit.targets.opaque import unread, unread_line
from ldp_verified.check.audit.targets.things import text_of

_HERE = str(Path(__file__).parent)
_SHOWN_ELSEWHERE = frozenset(
    {"args", "value", "code", "characters_written", "exceptions", "message"}
)
"""Fields of exceptions that are arguments too, or are read on their own."""

MOST_SHOWN = 32
"""Exceptions of one traceback that are read: causes, contexts and members of groups."""

LONGEST_PART = 4096
"""Characters of an argument or attribute that are shown."""

MOST_FRAMES = 32
"""Places in code that are read of one traceback, from where it was raised on."""


@dataclass(frozen=True)
class Raised:
    """An exception, or no answer at all, as an output.

    Attributes:
        type: its class; "NoAnswer" where the process ended or did not answer in time.
        message: its text.
        place: the names of its class and of what that inherits, and the lines of the target's code
            that a traceback shows; empty where there is none.
    """

    type: str
    message: str
    place: str = ""


def raised(error: BaseException, read: Callable[[Any], Any]) -> Raised:
    """An exception as an output: its text, and what else its traceback would print.

    That is its notes, the members of a group, the exceptions that it came from, and where in the
    target's code it was raised. One without a readable text has none.

    Args:
        error: the exception.
        read: gives any part of it in the closed vocabulary (`outputs.settle`).
    """
    name = type(error).__name__
    try:
        rest = [_shown(each, read) for each in _with_it(error)]
        more = [f"{type(each).__name__}: {text}" for each, text in rest[1:]]
        where = "; ".join(place(each) for each, _ in rest)
        return Raised(name, "\n".join([rest[0][1], *more]), where)
    except BaseException:
        return Raised(name, "")


def _shown(error: BaseException, read: Callable[[Any], Any]) -> tuple[BaseException, str]:
    """Return an exception together with its text and its notes."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    notes = getattr(error, "__notes__", ())
    several = notes if type(notes) in (list, tuple) else ()
    told = [note for note in several if type(note) is str]
    return error, "\n".join([text, *told, *_caught(error, text, read)])


def _caught(error: BaseException, text: str, read: Callable[[Any], Any]) -> list[str]:
    """List what only one who catches an exception reads: arguments and attributes.

    Left out is only what the whole text says: a text may name all that was allowed.
    """
    held = held_by(error)
    several = held.get("__notes__")
    if isinstance(several, list | tuple) and all(type(note) is str for note in several):
        del held["__notes__"]  # a traceback prints them
    if isinstance(error, StopIteration | SystemExit):
        held.pop("argument 0", None)  # its text, whatever it is
    return [
        line
        for name, part in held.items()
        if not (type(part) is str and text in (part, repr(part)))
        for line in _told(name, read(part))
    ]


def held_by(error: BaseException) -> dict[str, Any]:
    """Attributes and arguments of an exception, and the fields that the interpreter gives it."""
    held = attributes(error) | _of_c(error)
    return held | {f"argument {i}": part for i, part in enumerate(_arguments(error))}


def _arguments(error: BaseException) -> tuple[Any, ...]:
    field: Any = BaseException.__dict__["args"]
    found: tuple[Any, ...] = field.__get__(error)
    return found


def _told(name: str, part: Any) -> list[str]:
    """Return a part as text; of a long one its start and its digest; and whether all was read."""
    word = part if type(part) is str else text_of(part)
    if len(word) > LONGEST_PART:
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()
        word = f"{word[:LONGEST_PART]}... {digest}"
    missing = unread(part)
    return [f"{name}: {word}", *([unread_line(missing)] if missing else [])]


def _of_c(error: BaseException) -> dict[str, Any]:
    """Fields that the interpreter's own exceptions have: the name that an import lacks."""
    found = {}
    for kind in type(error).__mro__:
        for name, field in vars(kind).items():
            of_c = isinstance(field, MemberDescriptorType | GetSetDescriptorType)
            if of_c and name not in _SHOWN_ELSEWHERE and not name.startswith("__"):
                part = getattr(error, name, None)
                if part is not None and not any(part is each for each in _arguments(error)):
                    found[name] = part
    return found


def place(error: BaseException) -> str:
    """Name the classes that an exception is of, and the lines that it came through."""
    kinds = [kind for kind in type(error).__mro__ if kind is not object]
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in kinds]
    lines: list[str] = []
    at: TracebackType | None = error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if not code.co_filename.startswith(_HERE):
            lines.append(f"{code.co_filename}:{at.tb_lineno} {code.co_name}")
        at = at.tb_next
    return " ".join(["<".join(names), *lines[-MOST_FRAMES:]])


def _with_it(error: BaseException) -> list[BaseException]:
    """The exception and those that a traceback shows with it, each once."""
    found: list[BaseException] = []
    rest: list[BaseException | None] = [error]
    while rest and len(found) < MOST_SHOWN:
        each = rest.pop(0)
        if each is None or any(each is other for other in found):
            continue
        found.append(each)
        rest.append(each.__cause__)
        if each.__cause__ is None and not each.__suppress_context__:
            rest.append(each.__context__)
        if isinstance(each, BaseExceptionGroup):
            rest += each.exceptions
    return found
