"""Outputs in a closed vocabulary: whatever a target returns is read to its leaves where it is made.

An output crosses from the target's process to ours, so nothing in it may need the target's classes.
What is no plain value becomes a `Thing`: the name of its class and its parts in order.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

from ldp_verified.check.audit.targets.attributes import (
    CUT,
    WorkedOut,
    attributes,
    has,
    made_in_a_call,
    put,
    speechless,
)
from ldp_verified.check.audit.targets.classes import of_python
from ldp_verified.check.audit.targets.fields import fields_of
from ldp_verified.check.audit.targets.forms import (
    Formed,
    of_array,
    of_buffer,
    of_scalar,
    of_set,
    under_nulls,
)
from ldp_verified.check.audit.targets.held import full_name, of_a_library
from ldp_verified.check.audit.targets.held import held as in_spite
from ldp_verified.check.audit.targets.of_python import class_parts
from ldp_verified.check.audit.targets.of_python import of_python as parts_of_python
from ldp_verified.check.audit.targets.opaque import UNREAD, beneath, beside_fields, hidden, parts
from ldp_verified.check.audit.targets.opened import stream
from ldp_verified.check.audit.targets.raising import Raised, held_by, place, raised
from ldp_verified.check.audit.targets.things import Consumed, Thing, text_of

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
MOST_CONSUMED = 100_000
"""Items taken of an iterator; what comes after them is not read."""

DEEPEST = 100
MOST_LEAVES = 1_000_000
"""Deeper or larger outputs are not read whole, and no audit of them is `consistent`."""

MOST_WORKED_OUT = 3
"""Properties of what properties gave that are asked."""

MOST_AWAITED = 100
"""Coroutines that give coroutines, one in the other."""

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
"""Types whose values are leaves."""

_SHORT = ATOMS - {str, bytes}
LONGEST_LEAF, ENDS = 1 << 16, 4096
"""Characters of a text that is read whole, and those of either end of a longer one."""

PLAIN_DTYPES = "?biufcSUmM"
_WHOLE = (ModuleType, cached_property)  # their attributes hold no more, or a lock

_FOREIGN = ("columns", "to_list", "to_pydict", "ListFields", "SerializeToString")
"""Attributes of data frames, their columns, Arrow's data and messages."""


def call(function: Callable[[Any], Any], value: Any) -> Any:
    """One output in the closed vocabulary.

    Exceptions are outputs, those that would end the process too. Only what a person does, Ctrl-C,
    goes on: where a target runs in a process of its own no such signal reaches it, and
    `worker` counts a KeyboardInterrupt as an output like any other.
    """
    try:
        return settle(_awaited(function(value)))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return raised(error, settle)


def _awaited(value: Any) -> Any:
    """Return the result of a coroutine, or the items of an async iterator; else the value."""
    if type(value) in ATOMS:
        return value
    if has(value, "__await__"):
        value = _run(value)
    return _all_of(value) if has(value, "__aiter__") else value


def _run(awaitable: Any) -> Any:
    import asyncio

    async def once() -> Any:
        found = awaitable
        for _ in range(MOST_AWAITED):
            if not has(found, "__await__"):
                break
            found = await found
        return found

    return asyncio.run(once())


def _all_of(values: Any) -> Consumed:
    async def gathered() -> list[Any]:
        found: list[Any] = []
        try:
            async for value in values:
                if len(found) == MOST_CONSUMED:
                    found.append(Thing(type(values).__name__, UNREAD, ("...",)))
                    break
                found.append(value)
        except Exception as error:  # whoever reads has what came before
            found.append(raised(error, settle))
        return found

    return Consumed(type(values).__name__, tuple(_run(gathered())))


def settle(value: Any) -> Any:
    """The value in the closed vocabulary: read to its leaves, iterators to their end."""
    kind = type(value)
    if kind in _SHORT:
        return value
    if (kind is list or kind is tuple) and _SHORT.issuperset(map(type, value)):
        return value
    reader = _Reader()
    read = reader.read(value, 0)
    return Formed(read, "; ".join(reader.forms)) if reader.forms else read


def _text(value: Any) -> Any:
    """Return a text as it is; of a long one its ends and its digest, which still tell it apart."""
    if len(value) <= LONGEST_LEAF:
        return value
    import hashlib

    data = value.encode("utf-8", "surrogatepass") if type(value) is str else value
    parts = (len(value), value[:ENDS], value[-ENDS:], hashlib.sha256(data).hexdigest())
    return Thing(type(value).__name__, ("length", "start", "end", "digest"), parts)


class _Reader:
    """Reads one output; what is too deep or too large is cut off, and circles are not followed.

    Args:
        properties: whether those of an object that give composed values are read.
    """

    def __init__(self, *, properties: bool = True) -> None:
        self.left = MOST_LEAVES
        self.above: dict[int, Any] = {}
        self.classes: dict[type, int] = {}
        self.worked_out = 0
        self.properties = properties
        self.forms: list[str] = []

    def read(self, value: Any, depth: int) -> Any:
        """Read one part of an output."""
        kind = type(value)
        self.left -= 1
        if kind in _SHORT:
            return value
        if kind is str or kind is bytes:
            return _text(value)
        if kind is WorkedOut:
            return self._property(value.part, depth)
        if id(value) in self.above:
            return Thing(kind.__name__, ("itself",), (self._up(value),))
        if depth > DEEPEST or self.left < 0:
            return Thing(kind.__name__, UNREAD, ("...",))
        self.above[id(value)] = value
        try:
            return self._composed(value, kind, depth + 1)
        finally:
            del self.above[id(value)]

    def _up(self, value: Any) -> int:
        """Count the steps from here up to the same object, which is being read already."""
        return len(self.above) - [*self.above].index(id(value))

    def _property(self, value: Any, depth: int) -> Any:
        """Read what a property gave: an equal of what lies above is a circle, as for `x.T.T`."""
        kind = type(value)
        if value is CUT:
            return Thing("property", UNREAD, ("...",))
        above = [each for each in self.above.values() if type(each) is kind]
        if above and of_python(kind):
            state = _state(value)
            for each in reversed(above):
                if each is value or _state(each) == state:
                    return Thing(full_name(kind), ("itself again",), (self._up(each),))
        self.worked_out += 1
        try:
            return self.read(value, depth)
        finally:
            self.worked_out -= 1

    def _composed(self, value: Any, kind: type, depth: int) -> Any:
        if kind is Raised:
            return value
        if kind is Formed:
            self.forms.append(value.form)
            return self.read(value.value, depth)
        if kind is Consumed:
            return Consumed(value.type, tuple(self.read(part, depth) for part in value.items))
        if kind is Thing:
            read = tuple(self.read(part, depth) for part in value.values)
            return Thing(value.type, value.names, read)
        if kind is list or kind is tuple:
            return kind(self.read(part, depth) for part in value)
        if kind is set or kind is frozenset:
            return self._set(value, kind, depth)
        if kind is bytearray:
            return value if len(value) <= LONGEST_LEAF else _text(value)
        if kind is dict:
            return self._dict(value, depth)
        return self._made(value, kind, depth)

    def _made(self, value: Any, kind: type, depth: int) -> Any:
        """An object of a class that has no literals."""
        of_syntax = parts_of_python(value)
        if of_syntax is not None and kind in _WHOLE:
            return self._thing(kind.__name__, of_syntax, depth)
        # What has a reader of its own keeps caches and locks in its attributes.
        skipped = any(has(value, each) for each in _FOREIGN) and of_a_library(value)
        held = {} if skipped else self._attributes(value) | in_spite(value)
        if of_syntax is not None:
            return self._thing(full_name(kind), of_syntax | held, depth)
        if isinstance(value, type) and made_in_a_call(value):
            return self._class(value, held, depth)
        if isinstance(value, BaseException):
            return self._thing(full_name(kind), self._exception(value) | held, depth)
        streamed = stream(value)
        if streamed is not None:
            return self._thing(kind.__name__, streamed | held, depth)
        if isinstance(value, Iterator):
            return self._with(held, self._consumed(value, kind, depth), depth)
        numeric = self._numeric(value, kind, depth)
        if numeric is not None:
            return self._with(held, numeric, depth)
        return self._object(value, kind, held, depth)

    def _attributes(self, value: Any) -> dict[str, Any]:
        held = attributes(value, deeper=self.worked_out < MOST_WORKED_OUT)
        if self.properties:
            return held
        return {name: part for name, part in held.items() if type(part) is not WorkedOut}

    def _class(self, value: type, held: dict[str, Any], depth: int) -> Any:
        """A class that was made in a call, in full where it comes first."""
        name = full_name(value)
        if value in self.classes:
            return Thing(name, ("again",), (self.classes[value],))
        self.classes[value] = len(self.classes)
        return self._thing(name, class_parts(value) | held, depth)

    def _exception(self, error: BaseException) -> dict[str, Any]:
        """An exception that was returned: what a traceback would print, and what it holds."""
        chain = {"cause": error.__cause__, "context": error.__context__}
        inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        return held_by(error) | chain | {"place": place(error), "exceptions": inside}

    def _thing(self, name: str, held: Mapping[str, Any], depth: int) -> Thing:
        return Thing(name, tuple(held), tuple(self.read(part, depth) for part in held.values()))

    def _with(self, held: dict[str, Any], read: Any, depth: int) -> Any:
        """Return what was read, and beside it what the object holds in attributes."""
        if not held:
            return read
        name = read.type if isinstance(read, Consumed | Thing) else type(read).__name__
        return self._thing(name, {"itself": read} | held, depth)

    def _set(self, value: Any, kind: type, depth: int) -> Any:
        read = [self.read(part, depth) for part in value]
        self._note(of_set(value, read))
        try:
            found = kind(read)
        except TypeError:  # a part that has no hash any more
            found = ()
        if len(found) == len(read):
            return found
        return self._named(kind.__name__, sorted(read, key=text_of), depth)

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        keys = [self.read(key, depth) for key in value]
        values = [self.read(part, depth) for part in value.values()]
        try:
            found = dict(zip(keys, values, strict=True))
        except TypeError:  # a key that has no hash any more
            found = {}
        if len(found) == len(keys):
            return found
        return Thing("dict", ("keys", "values"), (keys, values))

    def _consumed(self, value: Iterator[Any], kind: type, depth: int) -> Consumed:
        found: list[Any] = []
        try:
            while True:
                item = next(value)
                if len(found) == MOST_CONSUMED:
                    found.append(Thing(kind.__name__, UNREAD, ("...",)))
                    break
                found.append(self.read(item, depth))
        except StopIteration as end:
            if end.value is not None:
                found.append(self._thing("StopIteration", {"value": end.value}, depth))
        except Exception as error:  # whoever reads has what came before
            found.append(raised(error, lambda part: self.read(part, depth)))
        return Consumed(kind.__name__, tuple(found))

    def _numeric(self, value: Any, kind: type, depth: int) -> Any:
        """numpy's arrays and scalars, where numpy is loaded at all."""
        np = sys.modules.get("numpy")
        if np is None:
            return None
        if isinstance(value, np.ndarray):
            self._note(of_array(value))
            if value.dtype.kind not in PLAIN_DTYPES:
                name = f"{kind.__name__} {value.dtype} {value.shape}"
                return self._named(name, value.ravel().tolist(), depth)
            if kind is np.ndarray:
                return value
            parts = {"data": np.array(value)}
            if hasattr(value, "mask"):
                parts["mask"] = np.array(value.mask)
            return Thing(kind.__name__, tuple(parts), tuple(parts.values()))
        if isinstance(value, np.generic):
            self._note(of_scalar(value))
            if value.dtype.kind in PLAIN_DTYPES and value.dtype.kind not in "SU":
                return value
            whole = (str if value.dtype.kind == "U" else bytes).__getitem__
            text = value.dtype.kind in "SU"  # `item` leaves zeros at the end out
            return self._named(
                kind.__name__, [whole(value, slice(None)) if text else value.item()], depth
            )
        return None

    def _note(self, form: str) -> None:
        self.forms += [form] if form else []

    def _named(self, name: str, parts: Any, depth: int) -> Thing:
        read = tuple(self.read(part, depth) for part in parts)
        return Thing(name, tuple(map(str, range(len(read)))), read)

    def _object(self, value: Any, kind: type, held: dict[str, Any], depth: int) -> Any:
        name = full_name(kind)
        fields = [*value.to_pydict().items()] if has(value, "to_pydict") else fields_of(value)
        nulls = under_nulls(value)
        if fields is not None:
            own: dict[str, Any] = {}
            for slot, part in fields:
                put(own, slot, part, "another")
            return self._thing(name, own | beside_fields(value) | nulls | held, depth)
        bases: tuple[Any, ...] = (int, float, complex, str, bytes, bytearray)
        for base in bases:
            if isinstance(value, base):
                return self._thing(name, {"value": base(value)} | held, depth)
        if held:
            return self._thing(
                name, held | beneath(value) | beside_fields(value, shown=False), depth
            )
        if has(value, "tolist"):
            listed = {"dtype": repr(getattr(value, "dtype", None)), "tolist": value.tolist()}
            return self._thing(name, listed | of_buffer(value) | nulls, depth)
        text, addresses = _ADDRESS.subn("", repr(value))
        if not addresses and not hidden(value) and not speechless(value):
            return self._thing(name, {"repr": text} | beside_fields(value, shown=False), depth)
        found = None if made_in_a_call(value) else parts(value)
        if found is None:
            return Thing(name, UNREAD, (text,))
        return self._thing(name, found, depth)


def _state(value: Any) -> str:
    """Everything that an object holds, as one text, without what its properties give."""
    return text_of(_Reader(properties=False).read(value, 0))
