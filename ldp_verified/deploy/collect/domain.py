"""The public domain: which values a report may be about.

It comes from a list or a public file, never from the private column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ldp_verified.deploy.collect.table import TableError, open_column
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.files import unread

if TYPE_CHECKING:
    from numpy.typing import NDArray

OUTSIDE = -1
_TABLE_SUFFIXES = {".csv", ".tsv", ".parquet", ".gz", ".zip", ".bz2", ".zst"}


@dataclass(frozen=True)
class ColumnDomain:
    """The public values, in the order of the indices 0, 1, ... that a mechanism knows.

    Attributes:
        values: different texts, at least one.
        origin: where they come from, for people.
        other: the label of one more value, the last, that stands for everything else; None where
            there is none.
    """

    values: tuple[str, ...]
    origin: str
    other: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The values, and `other` where there is one."""
        return self.values if self.other is None else (*self.values, self.other)

    @property
    def k(self) -> int:
        """Return how many different values a report may be about."""
        return len(self.values) + (self.other is not None)

    def with_other(self) -> ColumnDomain:
        """The domain with one more value for everything else.

        It is labelled "other", or where the domain has such a value already, "other (not in the
        domain)", and so on: a row that holds the text "other" is never mistaken for it.
        """
        taken = set(self.values)
        label = "other"
        while label in taken:
            label = "other (not in the domain)" if label == "other" else f"{label}'"
        return replace(self, other=label)

    @cached_property
    def _array(self) -> pa.StringArray:
        return pa.array(self.values, pa.string())

    def encode(self, cells: pa.StringArray) -> NDArray[np.int64]:
        """The index of each cell's value.

        For a cell that is missing or not in `values`: the index of `other`, or OUTSIDE.
        """
        elsewhere = OUTSIDE if self.other is None else len(self.values)
        indices = pc.index_in(cells, value_set=self._array).fill_null(elsewhere)
        return indices.to_numpy(zero_copy_only=False).astype(np.int64)


def read_domain(text: str, private: Path) -> ColumnDomain:
    """The domain that `--domain` names.

    FILE (one value per line), FILE:COLUMN of a public table, or a list a,b,c.
    Surrounding spaces are not part of a value in a list or text file; blank lines and empty cells
    are no values; a value that comes again counts once.

    Args:
        text: the option as given.
        private: the private file, which must not be the domain's source.

    Raises:
        ParameterError: neither a file nor a list, the private file itself, or fewer than two
            values.
        TableError: the public table cannot be read.
    """
    values, origin = _values(text, private)
    distinct = tuple(dict.fromkeys(values))
    if len(distinct) < 2:
        raise ParameterError("--domain", f"must name at least two values ({origin})", len(distinct))
    return ColumnDomain(distinct, origin)


def _values(text: str, private: Path) -> tuple[list[str], str]:
    whole = Path(text)
    head, colon, column = text.rpartition(":")
    if _exists(whole):
        _check_public(whole, private)
        if _TABLE_SUFFIXES & {suffix.lower() for suffix in whole.suffixes}:
            raise ParameterError(
                "--domain", "must name the column of a table, as FILE:COLUMN", text
            )
        return _lines(whole), whole.name
    if colon and _exists(Path(head)):
        _check_public(Path(head), private)
        cells = [c for b in open_column(Path(head), column).batches() for c in b.to_pylist() if c]
        return cells, f"{Path(head).name}:{column}"
    if "," in text:
        return [part.strip() for part in text.split(",") if part.strip()], "list"
    shown = text if len(text) <= 100 else f"{text[:97]}..."
    rule = f"there is no file {shown!r}; a list needs at least two values, as a,b"
    raise ParameterError("--domain", rule)


def _exists(path: Path) -> bool:
    """Return whether a path exists; a long list of values is no path at all."""
    try:
        return path != Path() and path.exists()
    except (OSError, ValueError):
        return False


def _check_public(path: Path, private: Path) -> None:
    if private.exists() and path.samefile(private):
        raise ParameterError(
            "--domain", "must be public: it must not be taken from the private file", str(path)
        )


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(str(path), "must be UTF-8 text, one value per line") from None
    except OSError as error:
        raise TableError(str(path), unread(error)) from None
    if "\0" in text:
        raise TableError(str(path), "must be UTF-8 text, one value per line")
    return [line.strip() for line in text.splitlines() if line.strip()]
