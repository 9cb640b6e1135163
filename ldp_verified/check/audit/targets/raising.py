"""An exception as an output: its text, what else a traceback prints, what else it holds.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from types import GetSetDescriptorType, MemberDescriptorType, TracebackType
from typing import Any

from ldp_verified.check.audit.targets.attributes import attributes

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_HERE = str(Path(__file__).parent)
_SHOWN_ELSEWHERE = frozenset(
    {"args", "value", "code", "characters_written", "exceptions", "message"}
)
"""Fields of exceptions that are arguments too, or are read on their own."""

MOST_SHOWN = 32
"""Exceptions of one traceback that are read: causes, contexts and members of groups."""

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


def raised(error: BaseException) -> Raised:
    """An exception as an output: its text, and what else its traceback would print.

    That is its notes, the members of a group, the exceptions that it came from, and where in the
    target's code it was raised. One without a readable text has none.
    """
    name = type(error).__name__
    try:
        rest = [_shown(each) for each in _with_it(error)]
        more = [f"{type(each).__name__}: {text}" for each, text in rest[1:]]
        place = "; ".join(_place(each) for each, _ in rest)
        return Raised(name, "\n".join([rest[0][1], *more]), place)
    except BaseException:
        return Raised(name, "")


def _shown(error: BaseException) -> tuple[BaseException, str]:
    """Return an exception together with its text and its notes."""
    try:
        text = str(error)
    except BaseException:
        text = ""
    notes = getattr(error, "__notes__", ())
    several = notes if type(notes) in (list, tuple) else ()
    told = [note for note in several if type(note) is str]
    return error, "\n".join([text, *told, *_caught(error, text)])


def _caught(error: BaseException, text: str) -> list[str]:
    """List what only one who catches it reads: arguments that its text leaves out; attributes."""
    held = {name: part for name, part in attributes(error).items() if name != "__notes__"}
    held |= _of_c(error)
    held |= {f"argument {i}": part for i, part in enumerate(error.args)}
    if isinstance(error, StopIteration | SystemExit):
        held.pop("argument 0", None)  # its text, whatever it is
    words = [(name, part if type(part) is str else _plain(part)) for name, part in held.items()]
    return [f"{name}: {word}" for name, word in words if word not in text]


def _of_c(error: BaseException) -> dict[str, Any]:
    """Fields that the interpreter's own exceptions have: the name that an import lacks."""
    found = {}
    for kind in type(error).__mro__:
        for name, field in vars(kind).items():
            of_c = isinstance(field, MemberDescriptorType | GetSetDescriptorType)
            if of_c and name not in _SHOWN_ELSEWHERE and not name.startswith("__"):
                part = getattr(error, name, None)
                if part is not None and not any(part is each for each in error.args):
                    found[name] = part
    return found


def _place(error: BaseException) -> str:
    """Name the classes that it is of, and the lines that it came through."""
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


def _plain(part: Any) -> str:
    """The text of a part, without the place where it lies."""
    return _ADDRESS.sub("", repr(part))


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
