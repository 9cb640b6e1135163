"""Reports that carry the bit where their text, their fields and their parts' texts do not show it.

Every one is made anew from a bit, and the same bit makes the same report.
"""

from __future__ import annotations

import collections
import functools
import io
import re
import tempfile
import types
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class Mark:
    """An object whose text shows nothing of its value."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "Mark"


class ReasonError(Exception):
    """An exception that holds what its text does not say."""

    def __init__(self, text: str, value: object) -> None:
        super().__init__(text)
        self.value = value


class Private:
    """A report with private slots, and one of the name of another class's."""

    __slots__ = ("__value", "noisy")

    def __init__(self, value: int) -> None:
        self.noisy, self.__value = 1, value


class Derived(Private):
    """Its own slot hides that of its base."""

    __slots__ = ("noisy",)

    def __init__(self, value: int) -> None:
        super().__init__(0)
        base: Any = Private.__dict__["noisy"]
        base.__set__(self, value)
        self.noisy = 1


class Silent:
    """Its dictionary shows less than it holds."""

    def __init__(self, value: int) -> None:
        vars(self)["noisy"], vars(self)["kept"] = 1, value

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        return {"noisy": 1} if name == "__dict__" and "kept" in found else found


REGISTER: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


class Trail:
    """What its property gives is held by a register only."""

    def __init__(self, value: int) -> None:
        self.noisy = 1
        REGISTER[self] = value

    @property
    def trail(self) -> Any:
        """A list in a tuple."""
        return ([REGISTER[self]],)


class Turned:
    """Turned twice it is the same again: clean."""

    def __init__(self, value: int, turned: bool = False) -> None:
        self.value, self.turned = value, turned

    @property
    def other(self) -> Turned:
        """The same, turned."""
        return Turned(self.value, not self.turned)


class Whole(int):
    """A number that gives itself anew: clean."""

    @property
    def whole(self) -> Whole:
        """An equal number."""
        return Whole(self)


class Further:
    """Each has a next one, without end."""

    def __init__(self, at: int) -> None:
        self.at = at

    @property
    def next(self) -> Further:
        """The next one."""
        return Further(self.at + 1)


def raising(error: Callable[[int], BaseException]) -> Callable[[int], Any]:
    """A target that raises."""

    def target(bit: int) -> Any:
        raise error(bit)

    return target


def with_attribute(made: Any, name: str, part: Any) -> Any:
    """The object with an attribute."""
    setattr(made, name, part)
    return made


def caused(bit: int) -> Exception:
    """An exception that was not raised, with a cause, and one without a note."""
    error = ValueError("no")
    error.__cause__ = KeyError(bit)
    return error


def noted(bit: int) -> Exception:
    """An exception with a note that is no text."""
    error = ValueError("no")
    vars(error)["__notes__"] = [Mark(bit)]
    return error


def made(**body: Any) -> Any:
    """An object of a class that is made for it."""
    return type("R", (), {"__repr__": lambda _: "R()", **body})()


def circle(bit: int) -> Any:
    """A list in a list that holds one of the two."""
    outer: list[Any] = [1]
    inner: list[Any] = []
    outer.append(inner)
    inner.append(outer if bit else inner)
    return outer


def of_metaclass(bit: int) -> Any:
    """An object whose class's class knows the bit."""
    meta = type("M", (type,), {"secret": property(lambda _: bit)})
    return meta("C", (), {"noisy": 1})()


def with_globals(bit: int) -> Any:
    """A function whose names stand in no module."""
    return types.FunctionType((lambda: VALUE).__code__, {"VALUE": bit})


VALUE = 0


def named_file(bit: int, mode: str, closed: bool) -> Any:
    """An open or closed file whose name or content is the bit's."""
    folder = Path(tempfile.gettempdir()) / "ldp_verified_named"
    folder.mkdir(exist_ok=True)
    path = folder / ("1" if mode == "w" else str(bit))
    path.write_text("1", encoding="ascii")
    file = path.open(mode, encoding="ascii")
    if mode == "w":
        file.write(str(bit))
    if closed:
        file.close()
    OPENED.append(file)
    return file


OPENED: list[Any] = []
"""To be closed after a test."""


def ended(bit: int) -> Any:
    """A text whose lines end in one of two ways."""
    return io.TextIOWrapper(io.BytesIO((b"a\nb\n\r", b"a\r\nb\r")[bit]), encoding="ascii")


class Field(np.ndarray):
    """An array with attributes."""


CARRIED: dict[str, Callable[[int], Any]] = {
    "allowed values": raising(lambda bit: ReasonError("must be one of 0, 1", bit)),
    "part of an error": raising(lambda bit: ReasonError("no", Mark(bit))),
    "array of an error": raising(lambda bit: ReasonError("no", np.eye(99)[:, :60] * 2 + bit)),
    "note that is no text": raising(noted),
    "error's type of argument": raising(lambda bit: ValueError((1, "1")[bit])),
    "returned error's cause": caused,
    "returned error's note": noted,
    "private slot": Private,
    "slot of a base": Derived,
    "dictionary": Silent,
    "attribute that is no name": lambda bit: with_key(Mark(1), Mark(bit)),
    "deque": lambda bit: collections.deque([Mark(bit)]),
    "length of a deque": lambda bit: collections.deque([1], maxlen=2 + bit),
    "middle of an array": lambda bit: collections.deque([np.arange(3000) == 1500 + bit]),
    "key of an ordered one": lambda bit: collections.OrderedDict([(Mark(bit), 1)]),
    "key of one with defaults": lambda bit: collections.defaultdict(int, {Mark(bit): 1}),
    "key behind a view": lambda bit: types.MappingProxyType({Mark(bit): 1}),
    "keys alike": lambda bit: types.MappingProxyType({Mark(1): bit, Mark(1): 1}),
    "equal keys": lambda bit: {Mark(1): bit, Mark(1): 1},
    "equal members": lambda bit: {Mark(1) for _ in range(1 + bit)},
    "values behind keys": lambda bit: {"a": bit}.keys(),
    "method": lambda bit: made(tell=lambda _: bit),
    "attribute of a class": lambda bit: made(secret=[bit]),
    "text of a class": lambda bit: made(__doc__=f"value {bit}"),
    "notes of a class": lambda bit: made(__annotations__={"x": bit}),
    "module of a class": lambda bit: made(__module__=("io", "os")[bit]),
    "list of a property": lambda bit: made(pair=property(lambda _: [bit])),
    "property of a register": Trail,
    "class": lambda bit: type("R", (), {"tell": lambda _: bit}),
    "class of a class": of_metaclass,
    "circle": circle,
    "file's name": lambda bit: named_file(bit, "r", False),
    "closed file's name": lambda bit: named_file(bit, "r", True),
    "written file": lambda bit: named_file(bit, "w", False),
    "ends of lines": ended,
    "function with a note": lambda bit: with_attribute(lambda: bit, "note", 1),
    "function of a method": lambda bit: types.MethodType(lambda _: bit, Mark(1)),
    "function's text": lambda bit: with_attribute(lambda: 1, "__doc__", str(bit)),
    "function's names": with_globals,
    "function in a function": lambda bit: (lambda: lambda: 1) if bit else (lambda: lambda: 2),
    "partial": lambda bit: functools.partial(max, Mark(bit)),
    "module": lambda bit: with_attribute(types.ModuleType("m"), "v", bit),
    "match": lambda bit: re.match("a", f"a{bit}"),
    "turned": Turned,
    "given anew": Whole,
    "worked out once": lambda bit: made(v=functools.cached_property(lambda _: [bit])),
}


def with_key(held: Any, key: Any) -> Any:
    """An object with an attribute that no program can name."""
    held.__dict__[key] = 1
    return held


UNREAD: dict[str, Callable[[int], Any]] = {
    "without end": Further,
    "lock in an error": raising(lambda _: ReasonError("no", _lock())),
}


def _lock() -> Any:
    import threading

    return threading.Lock()
