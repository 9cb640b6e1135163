"""The form of an output: what an observer sees beside its values.

How an array lies in memory (order, strides, flags, the type by its own name, what fills the gaps
between fields), and in which order a set gives its members. Two outputs that are equal can differ
in it: saved, sent or printed they are not the same. What else lies in the memory that an array is
a view of is no part of it.

This is what a target's own process imports, so nothing heavy stands here.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LONG_DOUBLE, _USED = 16, 10
"""Bytes of an 80-bit number in memory, and those that are in use."""


@dataclass(frozen=True)
class Formed:
    """An output whose form is not the usual one of such a value.

    Attributes:
        value: the output in the closed vocabulary.
        form: how it differs from the usual one, in words.
    """

    value: Any
    form: str


def bare(output: Any) -> Any:
    """The value of an output, without its form."""
    return output.value if type(output) is Formed else output


def form_of(output: Any) -> str:
    """The form of an output; empty where it is the usual one."""
    return output.form if type(output) is Formed else ""


def of_array(value: Any) -> str:
    """The form of one of numpy's arrays; empty for one as `numpy.array` makes them.

    Args:
        value: an array of any class.
    """
    flags, base = value.flags, value.base
    words = [*_of_type(value.dtype), *_gaps(value)]
    if not flags.c_contiguous or not _usual_strides(value):
        words.append(f"strides {value.strides}")
    words += [] if flags.writeable else ["read only"]
    words += [] if flags.aligned else ["not aligned"]
    if type(base) is sys.modules["numpy"].ndarray and base.nbytes != value.nbytes:
        start, own = (each.__array_interface__["data"][0] for each in (base, value))
        words.append(f"from byte {own - start} of {base.nbytes}")
    return ", ".join(words)


def _usual_strides(value: Any) -> bool:
    step = value.itemsize
    for size, own in zip(reversed(value.shape), reversed(value.strides), strict=True):
        if own != step:
            return False
        step *= max(size, 1)
    return True


def of_scalar(value: Any) -> str:
    """The form of one of numpy's numbers; empty for a usual one."""
    return ", ".join([*_of_type(value.dtype), *_gaps(value)])


def _of_type(dtype: Any) -> list[str]:
    """List what tells two types of one layout apart: `longlong` from `int64`, notes."""
    usual = sys.modules["numpy"].dtype(dtype.str)
    words = [f"type {dtype.char}"] if dtype.names is None and usual.char != dtype.char else []
    if dtype.metadata:
        words.append(f"notes {_ADDRESS.sub('', repr(dict(dtype.metadata)))}")
    return words


def _gaps(value: Any) -> list[str]:
    """Write down the bytes of structures and long doubles that no field covers, unless all 0."""
    dtype = value.dtype
    if dtype.hasobject:
        return []
    unused = _unused(dtype)
    if not any(unused):
        return []
    data = value.tobytes()
    size = dtype.itemsize
    filled = bytes(each for i, each in enumerate(data) if unused[i % size])
    return [f"gaps {filled.hex()}"] if any(filled) else []


def _unused(dtype: Any) -> list[bool]:
    if dtype.names is None:
        long = dtype.kind in "fc" and dtype.itemsize // (1 + (dtype.kind == "c")) == _LONG_DOUBLE
        if not long or sys.modules["numpy"].finfo(dtype).nmant != 63:  # of 64 bits, 113 elsewhere
            return [False] * dtype.itemsize
        return [i % _LONG_DOUBLE >= _USED for i in range(dtype.itemsize)]
    found = [True] * dtype.itemsize
    for field, start, *_ in dtype.fields.values():
        found[start : start + field.itemsize] = _unused(field)
    return found


def of_set(value: Any, read: list[Any]) -> str:
    """The order in which a set gives its members; empty where sets of these have no other.

    Members that collide lie in the order in which they came, so that a list made of the set can
    tell which was first.

    Args:
        value: the set. read: its members in the closed vocabulary, in its order.
    """
    try:
        usual = list(type(value)(sorted(value, key=repr)))
    except TypeError:
        return ""
    if all(map(_same, usual, value)):
        return ""
    places = sorted(range(len(read)), key=lambda i: repr(read[i]))
    return f"order {' '.join(map(str, places))}"


def _same(one: Any, other: Any) -> bool:
    return one is other


def of_buffer(value: Any) -> dict[str, Any]:
    """How a memoryview or one of Python's own arrays lies in memory; {} for other objects."""
    name = type(value).__name__
    if name == "array":
        return {"typecode": getattr(value, "typecode", None)}
    if name == "memoryview":
        return {each: getattr(value, each) for each in ("format", "shape", "strides", "readonly")}
    return {}


def under_nulls(value: Any) -> dict[str, Any]:
    """Return what Arrow's data hold besides their values: it may be sent with the rest.

    That is what lies in memory where they say that nothing is, before and behind a slice, and in
    a dictionary.

    Args:
        value: any object; {} for one that is not Arrow's, or holds no more.
    """
    kind = type(value)
    if not kind.__module__.startswith("pyarrow"):
        return {}
    columns = value.columns if hasattr(value, "columns") else [value]
    chunks = [chunk for each in columns for chunk in getattr(each, "chunks", [each])]
    more = [each for each in chunks if hasattr(each, "buffers") and _more_than_values(each)]
    held = [[part.to_pybytes() for part in each.buffers() if part is not None] for each in more]
    words = [each.dictionary.to_pylist() for each in chunks if hasattr(each, "dictionary")]
    found = {"under nulls": held, "dictionary": words}
    return {name: part for name, part in found.items() if part}


def _more_than_values(chunk: Any) -> bool:
    """Return whether a chunk has nulls, or is a part of what its memory holds."""
    return bool(chunk.null_count) or chunk.get_total_buffer_size() > chunk.nbytes
