"""Read the row groups' sizes from a Parquet file's footer, without decoding any group.

The footer is one structure in Thrift's compact protocol, as in parquet-format's `parquet.thrift`.
It is read here first, strictly, because a library that is given a hostile one makes room for
whatever numbers stand there, or ends the process.
"""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ldp_verified.errors import ReportError

if TYPE_CHECKING:
    from typing import BinaryIO

MAGIC: Final = b"PAR1"
_DEEPEST: Final = 16
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTEGERS: Final = (4, 5, 6)


class RowGroup(NamedTuple):
    """One row group of one column, which is what it is said to be.

    Attributes:
        rows: of the group. values: of its column.
        codec: of packing; 0 for none. encodings: of values and levels.
        packed, plain: bytes in the file, and before packing.
    """

    rows: int
    values: int
    codec: int
    encodings: frozenset[int]
    packed: int
    plain: int


def row_groups(stream: BinaryIO) -> tuple[int, list[RowGroup]]:
    """The file's size and its row groups, one column each; the stream is left at its beginning.

    Raises:
        ReportError: it is damaged, no Parquet file, or one of more than one column.
    """
    size = stream.seek(0, os.SEEK_END)
    end = text = b""
    if size >= 12:
        stream.seek(size - 8)
        end = stream.read(8)
    length = int.from_bytes(end[:4], "little")
    whole = end[4:] == MAGIC and 12 + length <= size
    if whole:
        stream.seek(size - 8 - length)
        text = stream.read(length)
    stream.seek(0)
    groups = None
    if whole and stream.read(4) == MAGIC:
        try:
            groups = [_row_group(each) for each in _Compact(text).whole()[4]]
        except (LookupError, TypeError, ValueError, struct.error):
            groups = None
    stream.seek(0)
    if groups is None:
        raise ReportError("file", "is damaged or no Parquet file of reports")
    return size, groups


def _row_group(fields: dict[int, Any]) -> RowGroup:
    (chunk,) = fields[1]
    if set(chunk) - {2, 3, 4, 5, 6, 7}:
        raise ValueError("a column in another file, or an encrypted one")
    column = chunk[3]
    numbers = (fields[3], column[5], column[4], column[7], column[6])
    if not all(type(each) is int for each in (*numbers, *column[2])):
        raise TypeError("numbers")
    rows, values, codec, packed, plain = numbers
    return RowGroup(rows, values, codec, frozenset(column[2]), packed, plain)


class _Compact:
    """A reader of Thrift's compact protocol: structures as dicts by field number.

    Every element takes a byte at least, so that what is read is never larger than the text.
    """

    def __init__(self, text: bytes) -> None:
        self._text, self._at = text, 0

    def whole(self) -> dict[int, Any]:
        """The structure that the text is."""
        found = self._struct(0)
        if self._at != len(self._text):
            raise ValueError("more than a structure")
        return found

    def _struct(self, depth: int) -> dict[int, Any]:
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        found: dict[int, Any] = {}
        field = 0
        while head := self._byte():
            kind, step = head & 15, head >> 4
            field = field + step if step else self._integer()
            if field in found:
                raise ValueError("a field twice")
            found[field] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in _INTEGERS:
            return self._integer()
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind in (_LIST, _SET):
            return self._list(depth + 1)
        if kind == _STRUCT:
            return self._struct(depth + 1)
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        raise ValueError("another type")

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if depth > _DEEPEST or count > len(self._text) - self._at:
            raise ValueError("more elements than bytes")
        return [self._value(head & 15, depth) for _ in range(count)]

    def _byte(self) -> int:
        self._at += 1
        return self._text[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        if count > len(self._text) - self._at:
            raise ValueError("cut short")
        self._at += count
        return self._text[self._at - count : self._at]

    def _varint(self) -> int:
        found = shift = 0
        while (byte := self._byte()) & 128:
            found |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number of more than 64 bits")
        return found | byte << shift

    def _integer(self) -> int:
        number = self._varint()
        return number >> 1 ^ -(number & 1)
