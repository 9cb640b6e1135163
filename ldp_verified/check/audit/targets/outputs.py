"""Outputs in a closed vocabulary: whatever a target returns is read to its leaves where it is made.

An output crosses from the target's process to ours, so nothing in it may need the target's classes.
What is no plain value becomes a `Thing`: the name of its class and its parts in order.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Iterator, Mapping, MappingView
from dataclasses import dataclass
from typing import Any

from ldp_verified.check.audit.targets.attributes import (
    attributes,
    made_in_a_call,
    speechless,
    stream,
)
from ldp_verified.check.audit.targets.forms import (
    Formed,
    bare,
    of_array,
    of_buffer,
    of_scalar,
    of_set,
    under_nulls,
)
from ldp_verified.check.audit.targets.held import full_name, of_a_library
from ldp_verified.check.audit.targets.held import held as in_spite
from ldp_verified.check.audit.targets.opaque import UNREAD, beside_fields, hidden, parts, serialized
from ldp_verified.check.audit.targets.raising import Raised, raised

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
MOST_CONSUMED = 100_000
"""Items taken of an iterator before it counts as endless."""

DEEPEST = 100
MOST_LEAVES = 1_000_000
"""Deeper or larger outputs are not read whole, and no audit of them is `consistent`."""

MOST_AWAITED = 100
"""Coroutines that give coroutines, one in the other."""

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes})
"""Types whose values are leaves."""

_SHORT = ATOMS - {str, bytes}
LONGEST_LEAF, ENDS = 1 << 16, 4096
"""Characters of a text that is read whole, and those of either end of a longer one."""

_PLAIN_DTYPES = "?biufcSUmM"
_FOREIGN = ("columns", "to_list", "to_pydict", "ListFields", "SerializeToString")
"""Attributes of data frames, their columns, Arrow's data and messages."""


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
        return raised(error)


def several(function: Callable[[Any], Any], values: Any) -> Any:
    """The outputs of one call with many values, each as `call` gives it; or the exception.

    Args:
        function: many values in; an array of numbers out, or one output for each.
        values: what it is given.
    """
    try:
        found = function(values)
        dtype = getattr(found, "dtype", None)
        if dtype is None:
            return [*map(settle, found)]
        return found if dtype.kind in _PLAIN_DTYPES else bare(settle(found))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return raised(error)


def _awaited(value: Any) -> Any:
    """Return the result of a coroutine, or the items of an async iterator; else the value."""
    if type(value) in ATOMS:
        return value
    if _has(value, "__await__"):
        value = _run(value)
    return _all_of(value) if _has(value, "__aiter__") else value


def _has(value: Any, name: str) -> bool:
    """Return whether its class has an attribute; objects that make up any attribute have none."""
    return getattr(type(value), name, None) is not None


def _run(awaitable: Any) -> Any:
    import asyncio

    async def once() -> Any:
        found = awaitable
        for _ in range(MOST_AWAITED):
            if not _has(found, "__await__"):
                break
            found = await found
        return found

    return asyncio.run(once())


def _all_of(values: Any) -> Consumed:
    async def gathered() -> list[Any]:
        found: list[Any] = []
        try:
            async for value in values:
                found.append(value)
                if len(found) >= MOST_CONSUMED:
                    break
        except Exception as error:  # whoever reads has what came before
            found.append(raised(error))
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
    """Reads one output; what is too deep, too large or in a circle is cut off."""

    def __init__(self) -> None:
        self.left = MOST_LEAVES
        self.above: set[int] = set()
        self.forms: list[str] = []

    def read(self, value: Any, depth: int) -> Any:
        """One part."""
        kind = type(value)
        self.left -= 1
        if kind in _SHORT:
            return value
        if kind is str or kind is bytes:
            return _text(value)
        if id(value) in self.above:
            return Thing(kind.__name__, ("itself",), ("...",))
        if depth > DEEPEST or self.left < 0:
            return Thing(kind.__name__, UNREAD, ("...",))
        self.above.add(id(value))
        try:
            return self._composed(value, kind, depth + 1)
        finally:
            self.above.discard(id(value))

    def _composed(self, value: Any, kind: type, depth: int) -> Any:
        if kind is Raised:
            return value
        if kind is Formed:
            self.forms.append(value.form)
            return self.read(value.value, depth)
        if kind is Consumed or kind is Thing:
            parts = value.items if kind is Consumed else value.values
            read = tuple(self.read(part, depth) for part in parts)
            return (
                Consumed(value.type, read)
                if kind is Consumed
                else Thing(value.type, value.names, read)
            )
        if kind is list or kind is tuple:
            return kind(self.read(part, depth) for part in value)
        if kind is set or kind is frozenset:
            return self._set(value, kind, depth)
        if kind is bytearray:
            return value if len(value) <= LONGEST_LEAF else _text(value)
        if kind is dict:
            return self._dict(value, depth)
        # What has a reader of its own keeps caches and locks in its attributes.
        skipped = any(_has(value, each) for each in _FOREIGN) and of_a_library(value)
        held = {} if skipped else attributes(value) | in_spite(value)
        streamed = stream(value)
        if streamed is not None:
            return self._thing(kind.__name__, streamed | held, depth)
        if isinstance(value, Iterator):
            return self._with(held, self._consumed(value, kind, depth), depth)
        numeric = self._numeric(value, kind, depth)
        if numeric is not None:
            return self._with(held, numeric, depth)
        return self._object(value, kind, held, depth)

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
            return kind(read)
        except TypeError:  # a part that has no hash any more
            return Thing(kind.__name__, (), tuple(sorted(read, key=repr)))

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:
        keys = [self.read(key, depth) for key in value]
        values = [self.read(part, depth) for part in value.values()]
        try:
            return dict(zip(keys, values, strict=True))
        except TypeError:
            return Thing("dict", tuple(map(repr, keys)), tuple(values))

    def _consumed(self, value: Iterator[Any], kind: type, depth: int) -> Consumed:
        found: list[Any] = []
        try:
            while len(found) < MOST_CONSUMED:
                found.append(self.read(next(value), depth))
        except StopIteration as end:
            if end.value is not None:
                found.append(self._thing("StopIteration", {"value": end.value}, depth))
        except Exception as error:  # whoever reads has what came before
            found.append(raised(error))
        return Consumed(kind.__name__, tuple(found))

    def _numeric(self, value: Any, kind: type, depth: int) -> Any:
        """numpy's arrays and scalars, where numpy is loaded at all."""
        np = sys.modules.get("numpy")
        if np is None:
            return None
        if isinstance(value, np.ndarray):
            self._note(of_array(value))
            if value.dtype.kind not in _PLAIN_DTYPES:
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
            if value.dtype.kind in _PLAIN_DTYPES and value.dtype.kind not in "SU":
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
        fields = [*value.to_pydict().items()] if _has(value, "to_pydict") else _fields(value)
        nulls = under_nulls(value)
        if fields is not None:
            return self._thing(name, dict(fields) | beside_fields(value) | nulls | held, depth)
        bases: tuple[Any, ...] = (int, float, complex, str, bytes, bytearray)
        for base in bases:
            if isinstance(value, base):
                return self._thing(name, {"value": base(value)} | held, depth)
        if held:
            return self._thing(name, {**held} | beside_fields(value), depth)
        if _has(value, "tolist"):
            listed = {"dtype": repr(getattr(value, "dtype", None)), "tolist": value.tolist()}
            return self._thing(name, listed | of_buffer(value) | nulls, depth)
        text, addresses = _ADDRESS.subn("", repr(value))
        if not addresses and not hidden(value) and not speechless(value):
            return self._thing(name, {"repr": text} | beside_fields(value), depth)
        found = None if made_in_a_call(value) else parts(value)
        if found is None:
            return Thing(name, UNREAD, (text,))
        return self._thing(name, found, depth)


def _fields(value: Any) -> list[tuple[str, Any]] | None:
    """Names and parts of an object; None where it has none that can be read."""
    if isinstance(value, type):
        return None
    named = getattr(value, "_fields", None) if isinstance(value, tuple) else None
    if isinstance(named, tuple):
        return list(zip(map(str, named), value, strict=False))
    if isinstance(value, list | tuple | set | frozenset | MappingView):
        parts: Any = sorted(value, key=repr) if isinstance(value, set | frozenset) else value
        return [(str(i), part) for i, part in enumerate(parts)]
    if isinstance(value, Mapping):
        return [(repr(key), part) for key, part in value.items()]
    if all(_has(value, each) for each in ("columns", "__getitem__", "shape")):
        columns = [(str(column), _column(value[column])) for column in value.columns]
        return [*columns, *((f"its {name}", part) for name, part in _labels(value))]
    if _has(value, "to_list") and _has(value, "dtype"):
        return _column_fields(value)
    if _has(value, "ListFields"):  # a protocol buffer's message
        set_ = [(str(getattr(field, "name", field)), part) for field, part in value.ListFields()]
        return [*set_, *serialized(value)]
    if _has(value, "SerializeToString"):
        return serialized(value)
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return None


def _column(column: Any) -> Any:
    if not _has(column, "to_list"):
        return column
    return Thing(type(column).__name__, *zip(*_column_fields(column), strict=True))


def _column_fields(column: Any) -> list[tuple[str, Any]]:
    """Return the type of a data frame's column, its index if it has one, and its values."""
    found = [("dtype", repr(column.dtype))]
    index = getattr(column, "index", None)
    if index is not None and hasattr(index, "to_list"):
        found.append(("index", index.to_list()))
    return [*found, ("values", column.to_list()), *_labels(column)]


def _labels(frame: Any) -> list[tuple[str, Any]]:
    """List what pandas keeps beside the values: names, attributes, and an index without columns."""
    found = [(name, getattr(frame, name, None)) for name in ("name", "attrs")]
    for axis in ("index", "columns"):
        labels = getattr(frame, axis, None)
        if _has(labels, "to_list") and labels is not None and hasattr(labels, "names"):
            found += [(f"{axis} names", list(labels.names)), (axis, labels.to_list())]
    repeats = getattr(getattr(frame, "flags", None), "allows_duplicate_labels", True)
    found.append(("unique labels", not repeats))
    return [(name, part) for name, part in found if part]
