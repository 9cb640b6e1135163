"""Quotes in a CSV file: each that begins a cell must also end it.

Readers differ in what they make of others. That of Arrow looks for the end of such a cell until the
file ends, so that all rows on the way are a part of it.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE: Final = "must be CSV: a quote is not closed or stands within a cell"
_BLOCK_BYTES = 1 << 20
_LONGEST_LINE = 1 << 22


def wrong_quote(stream: BinaryIO, delimiter: str) -> int:
    """The line, from 1, of the first quote that begins a cell and does not end it; 0 for none.

    A quote within a quoted cell is doubled; the one that ends the cell stands before a delimiter or
    the end of a line or of the file. In a cell that does not begin with a quote, quotes are text.
    Memory does not grow with the file: behind a line of more than 4 MiB, which no row may have,
    nothing is looked at.

    Args:
        stream: the bytes of the file, unpacked.
        delimiter: between cells, one ASCII character.
    """
    ends = re.escape(delimiter).encode("ascii") + rb"\r\n"
    quoted = rb'[^"]*+(?:""[^"]*+)*'
    plain = rb'(?!")[^' + ends + b"]++"
    # Few at a time: the expression remembers each cell that it found.
    cells = re.compile(b'(?:(?:"' + quoted + b'"|' + plain + b")?[" + ends + b"]){0,1024}")
    rest = re.compile(quoted + b'("[' + ends + b"])?")
    line, opened = 1, 0
    for piece in _whole_lines(stream):
        at = 0
        while at < len(piece) and (opened or b'"' in piece):
            if not opened:
                end = _match(cells, piece, at).end()
                if end == at:
                    opened = line + piece.count(b"\n", 0, at)
                    end += 1
            else:
                found = _match(rest, piece, at)
                end = found.end()
                if found[1]:
                    opened = 0
                elif end < len(piece):
                    return opened
            at = end
        line += piece.count(b"\n")
    return opened


def _match(pattern: re.Pattern[bytes], text: bytes, at: int) -> re.Match[bytes]:
    """What a pattern that may match nothing finds at a place."""
    found = pattern.match(text, at)
    assert found is not None
    return found


def _whole_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The text in pieces that end where a line ends, without a mark of the order of bytes."""
    piece = stream.read(_BLOCK_BYTES).removeprefix(codecs.BOM_UTF8)
    while len(piece) <= _LONGEST_LINE:
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r")) + 1
        yield piece[:end]
        block = stream.read(_BLOCK_BYTES)
        if not block:
            yield piece[end:] + b"\n"
            return
        piece = piece[end:] + block
