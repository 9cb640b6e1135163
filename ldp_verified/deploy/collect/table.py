"""One column of a CSV or Parquet file, read in batches as text.

Nothing of a cell ever enters an error message: cells are private, and messages end up in logs. The
file's own structure (types, row numbers) may, and names of columns like the one that was asked for:
in a file without a header the others are the cells of somebody's row.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeVar, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from ldp_verified.deploy.collect import quotes
from ldp_verified.deploy.column_names import not_one_column
from ldp_verified.deploy.parquet_rows import row_batches
from ldp_verified.errors import LdpError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BLOCK_BYTES = 1 << 20
BATCH_ROWS = 1 << 16
Part = TypeVar("Part")
DAMAGED = "cannot be read as a table: it is damaged"
_PARQUET = b"PAR1"
_Packing = Literal["gzip", "bz2", "zstd", "zip"] | None
_COMPRESSIONS: dict[bytes, _Packing] = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
}


class TableError(LdpError):
    """A file cannot be read as a table, or has no such column."""

    code = "LDPE-TABLE"


def at(path: Path, line: int) -> str:
    """A line of a file, as messages name it."""
    return f"{path}, line {line}"


@dataclass(frozen=True)
class InputColumn:
    """A column of a table on disk; nothing is kept in memory but the batch at hand.

    Attributes:
        path: the file.
        name: the column.
        read: opens the file afresh and yields the column's batches.
    """

    path: Path
    name: str
    read: Callable[[], Iterator[pa.Array[Any]]]

    def batches(self) -> Iterator[pa.StringArray]:
        """The cells in the order of the rows, as text; null where the cell is missing.

        Integers, booleans (true, false) and dates (2013-01-31) become text as usual; floats with an
        integer value of less than 2^63 in size are written as integers. In a CSV file every cell is
        the text that stands there; an empty cell is the empty text.

        Raises:
            TableError: the file is damaged; rows already yielded were good.
        """
        yield from _readable(self.path, map(_texts, self.read()))


def _texts(cells: pa.Array[Any]) -> pa.StringArray:
    """Cells as text: 3 of the float 3.0, also of one that Arrow would write as 1e+15 or -0."""
    texts = pc.cast(cells, pa.string())
    if pa.types.is_floating(cells.type):
        numbers = pc.cast(cells, pa.float64())
        small = pc.less(pc.abs(numbers), pa.scalar(2.0**63))
        whole = pc.and_(small, pc.equal(pc.trunc(numbers), numbers))
        integers = cast("pa.DoubleArray", pc.if_else(whole, numbers, None))
        texts = pc.coalesce(pc.cast(pc.cast(integers, pa.int64()), pa.string()), texts)
    return cast("pa.StringArray", texts)


def open_column(path: Path, name: str) -> InputColumn:
    """The column `name` of a CSV or Parquet file.

    The format is recognised by the file's content, not by its name.
    CSV is UTF-8 with a header line, separated by commas (by tabs in a .tsv file), plain or packed
    by gzip, bzip2, zstd, or as the only member of a zip archive. Blank lines are not rows; but
    below the header of a CSV file with one column, each of them is a row whose cell is empty.
    A CSV file is read to its end here, as a quote that is not closed would hide the rows after it.

    Raises:
        TableError: no such file, neither CSV nor Parquet, empty, no such column, one that does not
            hold categories, or a quote in CSV that begins a cell and does not end it.
    """
    (column,) = _readable(path, _opened(path, name))
    return column


def _opened(path: Path, name: str) -> Iterator[InputColumn]:
    head = _head(path)
    if not head:
        raise TableError(str(path), "must be a table with a header, but the file is empty")
    yield _parquet(path, name) if head.startswith(_PARQUET) else _csv(path, name, head)


def _head(path: Path) -> bytes:
    """The first bytes of a file.

    Raises:
        TableError: there is none.
    """
    if not path.exists():
        raise TableError(str(path), "no such file")
    if not path.is_file():
        raise TableError(str(path), "must be a regular file")
    with path.open("rb") as stream:
        return stream.read(1 << 12)


def is_parquet(path: Path) -> bool:
    """Return whether a file begins as Parquet does.

    Raises:
        TableError: no such file.
    """
    return _head(path).startswith(_PARQUET)


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a text file with their ends, packed or not as `open_column` takes it.

    Raises:
        TableError: no such file, or one that is damaged or no text.
    """
    return _readable(path, _lines(path))


def _lines(path: Path) -> Iterator[bytes]:
    head = _head(path)
    if head.startswith(_PARQUET):
        raise TableError(str(path), "must be text, but it is Parquet")
    # Arrow's streams have no lines of their own.
    with (
        _open(path, _packing_of(path, head)) as stream,
        io.BufferedReader(cast("io.RawIOBase", stream)) as buffered,
    ):
        yield from buffered


def _check_name(path: Path, name: str, names: list[str], *, lines: bool) -> None:
    rule = not_one_column(name, names, lines=lines)
    if rule:
        raise TableError(str(path), rule)


def _packing_of(path: Path, head: bytes) -> _Packing:
    """How a file is packed, by its first bytes.

    Raises:
        TableError: a zip archive of more or fewer files than one.
    """
    if not head.startswith(b"PK\x03\x04"):
        return next((p for magic, p in _COMPRESSIONS.items() if head.startswith(magic)), None)
    with zipfile.ZipFile(path) as archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
    if len(members) != 1:
        raise TableError(
            str(path),
            f"a zip archive must hold one CSV file and nothing else, got {len(members)} files",
        )
    return "zip"


def delimiter_of(path: Path) -> str:
    """Return what separates cells: tabs in a .tsv file, packed or not, and else commas."""
    return "\t" if ".tsv" in {suffix.lower() for suffix in path.suffixes} else ","


def _csv(path: Path, name: str, head: bytes) -> InputColumn:
    packing = _packing_of(path, head)
    with _open(path, packing) as stream:
        beginning = stream.read(1 << 12)
    if not beginning:
        raise TableError(str(path), "must be a table with a header, but the file is empty")
    if b"\0" in beginning:
        raise TableError(str(path), "must be CSV (UTF-8 text) or Parquet; it is neither")
    text = beginning.removeprefix(codecs.BOM_UTF8)
    blank = len(text[: len(text) - len(text.lstrip(b"\r\n"))].splitlines())

    def reader(
        stream: BinaryIO, columns: list[str] | None, alone: bool = False
    ) -> pacsv.CSVStreamingReader:
        # Text as it stands: no guessing of types, "NA" and the like are values (NA is Namibia).
        convert = pacsv.ConvertOptions(
            include_columns=columns,
            column_types=dict.fromkeys(columns or [], pa.string()),
            strings_can_be_null=False,
        )
        return pacsv.open_csv(
            stream,
            read_options=pacsv.ReadOptions(block_size=BLOCK_BYTES, skip_rows=blank if alone else 0),
            parse_options=pacsv.ParseOptions(
                delimiter=delimiter_of(path), newlines_in_values=True, ignore_empty_lines=not alone
            ),
            convert_options=convert,
        )

    with _open(path, packing) as stream:
        wrong = quotes.wrong_quote(stream, delimiter_of(path))
    with _open(path, packing) as stream:
        try:
            with reader(stream, None) as table:
                names = table.schema.names
        except pa.ArrowInvalid:
            if not wrong:
                raise
            names = [name]  # the quote is to blame, and said below
    _check_name(path, name, names, lines=True)
    if wrong:
        raise TableError(at(path, wrong), quotes.RULE)
    # A blank line of a single column is the empty cell of somebody.
    alone = len(names) == 1

    def read() -> Iterator[pa.Array[Any]]:
        with _open(path, packing) as stream, reader(stream, [name], alone) as table:
            for batch in table:
                yield batch.column(0)

    return InputColumn(path, name, read)


@contextmanager
def _open(path: Path, packing: _Packing) -> Iterator[BinaryIO]:
    """The bytes of a CSV file, unpacked."""
    if packing == "zip":
        with zipfile.ZipFile(path) as archive:
            (member,) = (m for m in archive.infolist() if not m.is_dir())
            with archive.open(member) as inner:
                yield cast("BinaryIO", inner)
    elif packing is None:
        with path.open("rb") as stream:
            yield stream
    else:
        with pa.input_stream(path, compression=packing) as unpacked:
            yield cast("BinaryIO", unpacked)


def _parquet(path: Path, name: str) -> InputColumn:
    with pq.ParquetFile(path) as table:
        schema = table.schema_arrow
    _check_name(path, name, schema.names, lines=False)
    kind = schema.field(name).type
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    accepted = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_boolean,
        pa.types.is_date,
        pa.types.is_null,
    )
    if not any(accepts(plain) for accepts in accepted):
        raise TableError(
            str(path),
            f"column {name!r} must hold text, numbers, booleans or dates; its type is {kind}",
        )

    def read() -> Iterator[pa.Array[Any]]:
        with pq.ParquetFile(path, page_checksum_verification=True) as table:
            for batch in row_batches(table, BATCH_ROWS, [name], TableError(str(path), DAMAGED)):
                yield pc.cast(batch.column(0), plain)

    return InputColumn(path, name, read)


def _readable(path: Path, parts: Iterator[Part]) -> Iterator[Part]:
    """Yield what a reader gives, its errors as `TableError` without what they quote from the file.

    The error is raised where no other is being handled: the reader's would be its context, and so
    in reach of whoever logs it.
    """
    try:
        yield from parts
        return
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        told = error.strerror if isinstance(error, OSError) and error.strerror else "it is damaged"
        rule = f"cannot be read: {told}"
    except UnicodeDecodeError:
        rule = "must be UTF-8; its header is not"
    except pa.ArrowException as error:
        rule = _public_reason(str(error))
    raise TableError(str(path), rule)


def _public_reason(message: str) -> str:
    """Return the public reason of an Arrow error, whose message may quote private rows."""
    if match := re.search(r"Expected (\d+) columns, got (\d+)", message):
        expected, got = match.groups()
        return f"must have {expected} cells in each row, as in its header; a row has {got}"
    if "UTF8" in message:
        return "must be UTF-8; the column is not"
    if "straddling" in message:
        return f"a row must not be longer than {BLOCK_BYTES >> 20} MiB"
    if "Empty CSV" in message:
        return "is no Parquet file, and no CSV file of a header and rows"
    return DAMAGED
