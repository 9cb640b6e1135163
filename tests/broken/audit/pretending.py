"""Reports that say one thing and hold another: subclasses of built-in types, and false frames.

Each class is made with the truth and shows nothing of it by its own methods.
"""

from __future__ import annotations

import collections
import random
from math import e
from typing import Any


class Whole(int):
    """A number that says it is 0."""

    def __int__(self) -> int:
        return 0

    def __index__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "0"


class Real(float):
    """Likewise."""

    def __float__(self) -> float:
        return 0.0

    def __repr__(self) -> str:
        return "0.0"


class Words(str):
    """A text that prints as another."""

    __slots__ = ()

    def __str__(self) -> str:
        return "0"

    __repr__ = __str__


class Octets(bytes):
    """Bytes that give none."""

    def __bytes__(self) -> bytes:
        return b""

    def __repr__(self) -> str:
        return "b''"


class Items(list[Any]):
    """A list whose iterator gives a zero."""

    def __iter__(self) -> Any:
        return iter([0])

    def __len__(self) -> int:
        return 1


class Fields(tuple[Any, ...]):
    """A tuple that is said to have no fields."""

    __slots__ = ()
    _fields = ()


class Members(set[Any]):
    """A set whose iterator gives a zero."""

    def __iter__(self) -> Any:
        return iter([0])


class Entries(dict[str, Any]):
    """A dict that shows no items."""

    def items(self) -> Any:
        return [("a", 0)]

    def __iter__(self) -> Any:
        return iter("a")


class Frame:
    """What has the attributes of a data frame is not read by them alone."""

    columns, shape = ("a",), (1, 1)

    def __init__(self, value: int) -> None:
        self.value = value

    def __getitem__(self, name: str) -> int:
        return 0


class Column:
    """Likewise, of a column."""

    dtype = "int"

    def __init__(self, value: int) -> None:
        self.value = value

    def to_list(self) -> list[int]:
        return [0]


class Sent:
    """Likewise, of a message."""

    def __init__(self, value: int) -> None:
        self.value = value

    def SerializeToString(self, **_: Any) -> bytes:  # noqa: N802  (as messages have it)
        return b""


class Arrow:
    """Likewise, of Arrow's data."""

    def __init__(self, value: int) -> None:
        self.value = value

    def to_pydict(self) -> dict[str, int]:
        return {}


class _One:
    class Report:
        """One of two classes with one name."""


class _Other:
    class Report:
        """The other one."""


def _twins(value: int) -> Any:
    return _Other.Report() if value else _One.Report()


def _by_default(value: int) -> Any:
    return collections.defaultdict(int if value else float)


PRETENDING: dict[str, Any] = {
    "number": Whole,
    "real number": Real,
    "text": Words,
    "bytes": lambda value: Octets([value]),
    "list": lambda value: Items([1, value]),
    "tuple": lambda value: Fields((1, value)),
    "set": lambda value: Members([10 + value]),
    "dict": lambda value: Entries(y=1, v=value),
    "key": lambda value: {Whole(value): 1},
    "frame": Frame,
    "column": Column,
    "message": Sent,
    "arrow": Arrow,
    "name of a class": _twins,
    "default of a dict": _by_default,
}
"""Names of makers of reports that hold the value they are given."""


def _answer(value: int) -> int:
    """Binary randomized response with eps = 1."""
    return value if random.random() < e / (1 + e) else 1 - value


def leaking(name: str) -> Any:
    """A client whose report holds the truth where it does not show."""
    return PRETENDING[name]


def fair(name: str) -> Any:
    """Its clean twin holds the noisy answer there."""
    return lambda value: PRETENDING[name](_answer(value))
