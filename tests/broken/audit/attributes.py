"""Randomizers whose output carries the value beside what it shows: in attributes, in a file."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import io
import random
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import pyarrow as pa


class Noted(int):
    """A number with a note."""


class Text(str):
    """A text with a note."""

    __slots__ = ("note",)


class Row(list[Any]):
    """A list with a note."""


class Table(dict[Any, Any]):
    """A dictionary with a note."""


class Pair(collections.namedtuple("Pair", "x")):
    """A named tuple with a note."""


class Grid(np.ndarray):
    """An array with a note."""


@dataclasses.dataclass
class Record:
    """A record with a field that its class does not declare."""

    x: int


class Counting:
    """An iterator that counts to two and holds more."""

    def __init__(self, note: int) -> None:
        self.note, self.at = note, 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self.at += 1
        if self.at > 2:
            raise StopIteration
        return self.at


class Zone(dt.tzinfo):
    """A time zone that shows its name only."""

    def __init__(self, hours: int = 0) -> None:
        self.hours = hours

    def __repr__(self) -> str:
        return "Zone()"

    def utcoffset(self, _: dt.datetime | None) -> dt.timedelta:
        return dt.timedelta(hours=self.hours)

    def dst(self, _: dt.datetime | None) -> None:
        return None

    def tzname(self, _: dt.datetime | None) -> str:
        return "zone"


class Message:
    """A message of a protocol buffer with a field that its schema does not know."""

    def __init__(self, note: int) -> None:
        self.note = note

    def ListFields(self) -> list[Any]:  # noqa: N802  (the name that protobuf gives it)
        return []

    def SerializeToString(self) -> bytes:  # noqa: N802  (the name that protobuf gives it)
        return bytes([self.note])


class Registered:
    """Its value stands in a register of its class."""

    register: ClassVar[WeakKeyDictionary[Registered, int]] = WeakKeyDictionary()

    def __init__(self, note: int) -> None:
        self.register[self] = note

    def __repr__(self) -> str:
        return "Registered()"


def noted(made: Any, note: int) -> Any:
    """An object with a note."""
    made.note = note
    return made


def written(made: Any, note: object) -> Any:
    """A stream that was written to its end."""
    made.write(note)
    return made


def _returns(bit: int) -> Generator[int, None, int]:
    yield 1
    return bit


def _raises(bit: int) -> int:
    error = ValueError("no")
    raise noted(error, bit)


def _refuses(bit: int) -> int:
    class RefusalError(Exception):
        def __str__(self) -> str:
            return "no"

    raise RefusalError(bit)


def _raises_somewhere(bit: int) -> int:
    if bit:
        raise ValueError("no")
    raise ValueError("no")


def _raises_some(bit: int) -> int:
    raise type("RefusalError", ((KeyError, ValueError)[bit],), {})("no")


def _lacks(bit: int) -> int:
    raise ImportError("no", name="ab"[bit])


def _frame(bit: int, where: str) -> Any:
    frame = pd.DataFrame({"a": [1]}, index=pd.Index([0], name=str(bit) if where == "name" else "a"))
    if where == "attrs":
        frame.attrs["note"] = bit
    return frame


HELD: dict[str, Callable[[int], Any]] = {
    "number itself": lambda bit: noted(Noted(bit), 1),
    "number": lambda bit: noted(Noted(1), bit),
    "text itself": lambda bit: noted(Text("ab"[bit]), 1),
    "list": lambda bit: noted(Row([1]), bit),
    "dictionary": lambda bit: noted(Table(a=1), bit),
    "named tuple": lambda bit: noted(Pair(1), bit),
    "array": lambda bit: noted(np.zeros(2).view(Grid), bit),
    "record": lambda bit: noted(Record(1), bit),
    "factory": lambda bit: collections.defaultdict(lambda: bit, {1: 1}),
    "iterator": Counting,
    "generator's end": _returns,
    "buffer": lambda bit: written(io.BytesIO(), bytes([bit])),
    "text buffer": lambda bit: written(io.StringIO(), str(bit)),
    "class of one call": lambda bit: type("R", (), {"v": bit, "__repr__": lambda _: "R()"})(),
    "time zone": lambda bit: dt.datetime(2020, 1, 1, tzinfo=Zone(bit)),
    "error": _raises,
    "error's argument": _refuses,
    "code": lambda bit: (lambda: 1) if bit else (lambda: 2),
    "frame": lambda bit: _frame(bit, "attrs"),
    "frame's index": lambda bit: _frame(bit, "name"),
    "series' name": lambda bit: pd.Series([1], name=str(bit)),
    "categories": lambda bit: pd.Categorical(["a"], categories=["a", "bc"[bit]]),
    "message": Message,
    "property": lambda bit: type(
        "R", (), {"v": property(lambda _: bit), "__repr__": lambda _: "R()"}
    )(),
    "method": lambda bit: type("R", (), {"v": lambda _: bit, "__repr__": lambda _: "R()"})(),
    "class": lambda bit: type("R", (), {"v": bit}),
    "error's line": _raises_somewhere,
    "error's class": _raises_some,
    "error's field": _lacks,
    "under a null": lambda bit: pa.array(np.array([bit]), mask=np.array([True])),
    "unique labels": lambda bit: pd.DataFrame({"a": [1]}).set_flags(
        allows_duplicate_labels=not bit
    ),
}

UNREADABLE: dict[str, Callable[[int], Any]] = {
    "register": Registered,
    "memory of C": lambda _: type("R", (threading.local,), {})(),
}
"""Nothing shows what these hold."""


def buffered(value: int) -> io.BytesIO:
    """A report with the value in a buffer that was written to its end."""
    buffer = io.BytesIO()
    buffer.write(bytes([value if random.random() < 0.9 else 1 - value]))
    return buffer


def fair(_: int) -> io.BytesIO:
    """Its clean twin."""
    return buffered(random.randrange(2))
