"""Read features within one leaf of an output: digits of a number, or characters of a text.

A feature is named by its kind, the place I of the leaf, and sometimes a place within the leaf:

    item-digit:I;D      is digit D to base 16 of a whole number.
    item-char:I;J       is character J of a text, counted from its end where J is negative.
    item-zeros:I        is how many zero bits a float ends in, with its exponent.
    item-low:I          is the last four bits of the float's mantissa.
    item-byte:I;B       is byte B of the float's 64 bits, from the lowest.
    item-fraction:I     is how many decimals the float's shortest text needs.
    name:I              is the whole key, name of an attribute or member of a set.
    name-digit:I;D ...  are these features of a key, a name or a member.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.audit.targets.batch import Batch, Coded, coded
from ldp_verified.check.audit.targets.keys import Raised, key
from ldp_verified.check.audit.targets.leaves import MOST_PARTS
from ldp_verified.scalars import is_integer

if TYPE_CHECKING:
    from collections.abc import Iterator

MISSING = "none"
SAMPLE = 2000
"""Outputs that say which features are worth a look."""

MOST_ITEMS, MOST_FLOATS, LAST = 256, 16, 8
"""Leaves that are read whole, those that are read inside, and those that count from the end."""

FEW, MOST_CHARS, MOST_DIGITS, MOST_BYTES = 32, 64, 64, 7
"""Places with more different values than this are read inside as well: up to so many characters of
a text, digits to base 16 of a whole number, and bytes of a float, from the lowest."""


def part(parts: Sequence[Any] | None, at: int) -> Any:
    """The leaf at a place; None where there is none."""
    return parts[at] if parts is not None and -len(parts) <= at < len(parts) else None


def _mantissa(value: Any) -> int | None:
    if not isinstance(value, float | np.floating):
        return None
    return int(struct.unpack(">Q", struct.pack(">d", float(value)))[0])


def zeros(value: Any) -> str:
    """Trailing zero bits of a float's mantissa, with its exponent."""
    bits = _mantissa(value)
    if bits is None:
        return MISSING
    mantissa = bits & ((1 << 52) - 1)
    trailing = 52 if mantissa == 0 else (mantissa & -mantissa).bit_length() - 1
    return f"{trailing} at {bits >> 52 & 0x7FF}"


def low(value: Any) -> str:
    """The last four bits of a float's mantissa."""
    bits = _mantissa(value)
    return MISSING if bits is None else str(bits & 15)


def decimals(value: Any) -> str:
    """Return how many decimals the shortest text of a float needs."""
    if not isinstance(value, float | np.floating):
        return MISSING
    text = repr(float(value))
    return str(len(text.partition(".")[2])) if "." in text and "e" not in text else text[-4:]


def digit(value: Any, at: str) -> str:
    """One digit of a whole number to base 16, from the lowest."""
    return str(int(value) >> 4 * int(at) & 15) if is_integer(value) else MISSING


def byte(value: Any, at: str) -> str:
    """One byte of a float's 64 bits, from the lowest."""
    bits = _mantissa(value)
    return MISSING if bits is None else str(bits >> 8 * int(at) & 255)


def digits_of(column: Iterable[Any]) -> range:
    """Return which digits the widest of some whole numbers has; none where they are few."""
    numbers = {int(n) for n in column if is_integer(n)}
    if len(numbers) <= FEW:
        return range(0)
    return range(min(-(-max(n.bit_length() for n in numbers) // 4), MOST_DIGITS))


def bytes_of(column: Iterable[Any]) -> range:
    """Return which bytes of some floats are read; none where they are few."""
    floats = {float(n) for n in column if isinstance(n, float | np.floating)}
    return range(MOST_BYTES if len(floats) > FEW else 0)


def _text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    return value.message if isinstance(value, Raised) else None


def _char(value: Any, at: str) -> str:
    text, place = _text(value), int(at)
    return text[place] if text is not None and -len(text) <= place < len(text) else MISSING


_READ: dict[str, Callable[[Any, str], str]] = {
    "": lambda value, _: key(value),
    "zeros": lambda value, _: zeros(value),
    "low": lambda value, _: low(value),
    "fraction": lambda value, _: decimals(value),
    "digit": digit,
    "byte": byte,
    "char": _char,
}
HEADS = frozenset(
    {f"{kind}-{what}".rstrip("-") for kind in ("item", "name") for what in _READ} - {"item"}
)


def values(head: str, rest: str, batch: Batch) -> Coded:
    """A feature of one leaf of every sample.

    Args:
        head: one of `HEADS`. rest: the place, and what is read there.
        batch: the samples.
    """
    kind, _, what = head.partition("-")
    at, _, which = rest.partition(";")
    place, read = int(at), _READ[what]
    held = batch.parts if kind == "item" else batch.names
    return coded(read(part(each, place), which) for each in held)


def shared(held: Sequence[Sequence[Any]]) -> int:
    """Return how many places nine of ten outputs have at least."""
    return sorted(map(len, held))[len(held) // 10]


def from_the_end(held: Sequence[Sequence[Any]]) -> list[int]:
    """The last place; a few more where outputs have different numbers of them."""
    varied = len({*map(len, held)}) > 1
    return [-1 - i for i in range(max(1, min(shared(held), LAST)) if varied else 1)]


def places(held: Sequence[Sequence[Any]]) -> list[int]:
    """The places whose leaves are read inside."""
    ends = from_the_end(held) if len({*map(len, held)}) > 1 else []
    return [*range(min(shared(held), MOST_FLOATS)), *ends]


def of_float(kind: str, at: int, column: Iterable[Any]) -> list[str]:
    """The features of the bits of the floats at one place."""
    found = [f"{kind}-zeros:{at}", f"{kind}-low:{at}", f"{kind}-fraction:{at}"]
    return found + [f"{kind}-byte:{at};{b}" for b in bytes_of(column)]


def candidates(kind: str, at: int, column: Sequence[Any]) -> list[str]:
    """Features of what the leaves at one place hold.

    Args:
        kind: item or name. at: the place.
        column: the leaves of some outputs.
    """
    found = [f"{kind}-digit:{at};{d}" for d in digits_of(column)]
    if any(isinstance(leaf, float | np.floating) for leaf in column):
        found += of_float(kind, at, column)
    return found + [f"{kind}-char:{at};{j}" for j in _chars(column)]


def _chars(column: Iterable[Any]) -> Iterator[int]:
    texts = [text for leaf in column if (text := _text(leaf)) is not None and len(text) > 1]
    if len({*texts}) <= FEW:
        return
    shortest = shared(texts)
    yield from range(min(shortest, MOST_CHARS))
    yield from from_the_end(texts)


def of_names(batch: Batch) -> list[str]:
    """Features of keys, names and members; none where all outputs have the same."""
    first = batch.names[0] if batch.names else []
    if all(each == first for each in batch.names):
        return []
    held = batch.names[:SAMPLE]
    found = []
    for at in places(held):
        column = [part(each, at) for each in held]
        found += [f"name:{at}", *candidates("name", at, column)]
    return found


def cuts(batch: Batch) -> dict[str, str]:
    """Return what outputs hold and no feature reads, each with the reason.

    Args:
        batch: samples from which events are learnt.
    """
    found: dict[str, str] = {}
    if batch.matrix is not None:
        matrix = batch.matrix[0]
        rest = matrix[:SAMPLE, MOST_FLOATS:].T.tolist()
        wide = matrix.dtype.kind == "f" or any(bool(digits_of(column)) for column in rest)
        _beyond(found, "item", matrix.shape[1], inside=wide)
        return found
    held = {
        "item": [each for each in batch.parts[:SAMPLE] if each is not None],
        "name": [each for each in batch.names[:SAMPLE] if each],
    }
    for kind, lists in held.items():
        beyond = [leaf for each in lists for leaf in each[MOST_FLOATS:]]
        inside = any(isinstance(leaf, float | np.floating) for leaf in beyond)
        inside = inside or bool(digits_of(beyond)) or any(True for _ in _chars(beyond))
        _beyond(found, kind, max(map(len, lists), default=0), inside=inside)
        for at in places(lists) if lists else []:
            column = [part(each, at) for each in lists]
            found |= _undivided(f"{kind} {at}", column)
    return found


def _beyond(found: dict[str, str], kind: str, most: int, *, inside: bool) -> None:
    if most > MOST_ITEMS:
        why = f"an output has more than {MOST_ITEMS:,}"
        found[f"{kind}s from {MOST_ITEMS} on, one by one"] = why
    if most >= MOST_PARTS:
        found[f"{kind}s from {MOST_PARTS} on"] = f"an output has {MOST_PARTS:,} or more"
    if most > MOST_FLOATS and inside:
        words = f"low-order bits, digits and characters of {kind}s from {MOST_FLOATS} on"
        found[words] = f"an output has more than {MOST_FLOATS}"


def _undivided(place: str, column: Sequence[Any]) -> dict[str, str]:
    """Name a place with many different values that are compared whole only."""
    texts = [text for leaf in column if (text := _text(leaf)) is not None]
    if any(len(text) > MOST_CHARS + LAST for text in texts) and len({*texts}) > FEW:
        words = f"characters in the middle of {place}"
        return {words: f"a text has more than {MOST_CHARS + LAST} of them"}
    read = (str, Raised, int, float, np.number, set, frozenset, type(None))
    other = [leaf for leaf in column if not isinstance(leaf, read)]
    if len({*map(key, other)}) <= FEW:
        return {}
    return {f"parts of {place}": f"{type(other[0]).__name__} is compared whole"}
