"""Reports on file: a CSV, Parquet or Arrow table with a column of inputs and one of outputs.

Recorded traffic (`har`) has places in its entries instead of columns.

The rows of one input are taken as independent samples of it; how many rows each input has need not
be equal. The bounds need inputs drawn uniformly (see `bounds`), so N is fixed such that N uniform
draws ask for more rows of some input than there are with probability at most `SHORT`. The draws are
made, and that many rows of each input are used. That probability is added to the level. Rows of an
input go to learning and to testing by turns. The file is read twice and, but for recorded
traffic, never held in memory.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy.stats import binom

from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.har import recorded
from ldp_verified.check.audit.targets.sources import check_inputs
from ldp_verified.check.audit.targets.spelling import spelled
from ldp_verified.deploy.column_names import not_one_column
from ldp_verified.deploy.parquet_rows import row_batches
from ldp_verified.errors import ParameterError
from ldp_verified.extras import needs

SHORT = 1e-12
CHUNK = 1 << 14
LONGEST = 1 << 28
"""Characters of a cell."""

FEWEST = 20
"""Inputs with fewer rows are refused: too few to say anything, and they would hold back others."""


def _damage() -> tuple[type[Exception], ...]:
    """Errors of the readers; Arrow's where it is loaded, as a CSV file does not need it."""
    own = (OSError, EOFError, UnicodeError, csv.Error, zlib.error)
    pyarrow = sys.modules.get("pyarrow")
    return own if pyarrow is None else (*own, pyarrow.ArrowException)


@dataclass(eq=False)
class Recorded:
    """A file of reports.

    Attributes:
        path: the file.
        column: of the inputs. output: of the outputs.
        chosen: inputs to audit, as the file writes them; None for all.
    """

    path: Path
    column: str
    output: str
    chosen: Sequence[Any] | None = None
    live: bool = field(default=False, init=False)
    cut: str = field(default="", init=False)
    left: Callable[[], float] = field(default_factory=lambda: lambda: math.inf, init=False)
    _whole: bool = field(default=False, init=False)

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @cached_property
    def counts(self) -> dict[Any, int]:
        """Rows of each input."""
        found: Counter[Any] = Counter()
        for inputs, _ in self.chunks():
            try:
                found.update(inputs)
            except TypeError:  # a list or a structure
                kind = type(next(v for v in inputs if isinstance(v, list | dict))).__name__
                rule = "must be a column of texts, numbers or other single values"
                raise ParameterError("--input", rule, f"{self.column}, a {kind} in each") from None
        # CSV, headers and queries hold texts only: 3 stands for "3" there.
        wanted = [
            str(label) if label not in found and str(label) in found else label
            for label in (found if self.chosen is None else self.chosen)
        ]
        missing = [label for label in wanted if label not in found]
        if missing:
            raise ParameterError("--inputs", f"must occur in column {self.column}", missing[:5])
        counts = {label: found[label] for label in wanted}
        few = [label for label, rows in counts.items() if rows < FEWEST]
        if few:
            rule = f"must have at least {FEWEST} rows of each input (choose with --inputs)"
            raise ParameterError(str(self.path), rule, few[:5])
        return counts

    @cached_property
    def inputs(self) -> tuple[Any, ...]:
        """The inputs in the order in which they first come."""
        return check_inputs(tuple(self.counts))

    def sizes(self, n: int, learning: float) -> tuple[int, int, float]:
        """Take what the rows allow, at most n; in equal parts unless nothing is learnt."""
        self._whole = learning == 0.0
        if self._whole:
            return 0, self._most(1, n), SHORT
        return self._most(0, n // 2), self._most(1, n - n // 2), 2 * SHORT

    def _rows(self, part: int) -> list[int]:
        if self._whole:
            return list(self.counts.values())
        return [(rows + 1 - part) // 2 for rows in self.counts.values()]

    def _most(self, part: int, cap: int) -> int:
        """The largest N whose draws are covered but for probability `SHORT`."""
        rows, share = np.array(self._rows(part)), 1 / len(self.counts)

        def risk(n: int) -> float:
            return float(binom.sf(rows, n, share).sum())

        low, high = 0, min(cap, int(rows.sum()))
        if risk(high) <= SHORT:
            return high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if risk(middle) <= SHORT else (low, middle)
        return low

    def batches(self, count: int, rng: np.random.Generator, part: int) -> Iterator[Batch]:
        """Samples of one part, in the order of the file."""
        k = len(self.inputs)
        wanted = np.minimum(rng.multinomial(count, np.full(k, 1 / k)), self._rows(part))
        seen = np.zeros(k, dtype=np.int64)
        index = {label: i for i, label in enumerate(self.inputs)}
        for inputs, outputs in self.chunks():
            codes, kept = [], []
            for label, output in zip(inputs, outputs, strict=True):
                i = index.get(label)
                if i is None:
                    continue
                turn = int(seen[i])
                seen[i] += 1
                own = self._whole or turn % 2 == part
                if own and (turn if self._whole else turn // 2) < wanted[i]:
                    codes.append(i)
                    kept.append(output)
            if codes:
                yield Batch(np.array(codes, dtype=np.int64), kept)

    def close(self) -> None:
        """Do nothing, as nothing is held."""

    def chunks(self) -> Iterator[tuple[list[Any], list[Any]]]:
        """All inputs and outputs, in the order of the file.

        Raises:
            ParameterError: its name ends in no kind of file that is read, or it is damaged.
        """
        try:
            yield from self._read()
        except _damage() as error:
            # Messages of readers may quote what the file holds, so only their kind is said.
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: it is damaged"
            raise ParameterError(str(self.path), f"must be readable ({reason})") from None

    def _read(self) -> Iterator[tuple[list[Any], list[Any]]]:
        suffixes = self.path.suffixes
        if ".csv" in suffixes[-2:]:
            return self._csv()
        if suffixes and suffixes[-1] in (".parquet", ".pq"):
            return self._parquet()
        if suffixes and suffixes[-1] in (".arrow", ".feather", ".ipc"):
            return self._arrow()
        if suffixes and suffixes[-1] == ".har":
            return self._traffic()
        raise ParameterError(str(self.path), "must be .csv, .csv.gz, .parquet, .arrow or .har")

    def _check(self, names: Sequence[str], *, lines: bool = False) -> None:
        for option, name in (("--input", self.column), ("--output", self.output)):
            wrong = not_one_column(name, names, lines=lines)
            if wrong:
                raise ParameterError(option, f"must name one column of the file, which {wrong}")

    def _csv(self) -> Iterator[tuple[list[Any], list[Any]]]:
        csv.field_size_limit(LONGEST)
        raw: IO[bytes] = self.path.open("rb")
        plain = gzip.GzipFile(fileobj=raw) if self.path.suffix == ".gz" else raw
        with raw, io.TextIOWrapper(plain, encoding="utf-8-sig", newline="") as text:
            rows = csv.reader(text, strict=True)
            head = next(rows, [])
            self._check(head, lines=True)
            x, y = head.index(self.column), head.index(self.output)
            inputs: list[Any] = []
            outputs: list[Any] = []
            blank = 0
            for row in rows:
                if not row:
                    blank = blank or rows.line_num
                    continue
                if blank:
                    raise ParameterError(
                        str(self.path), "must have no blank line before its end", f"line {blank}"
                    )
                self._fits(row, head, rows.line_num)
                inputs.append(row[x])
                outputs.append(spelled(row[y]))
                if len(inputs) == CHUNK:
                    yield inputs, outputs
                    inputs, outputs = [], []
            if inputs:
                yield inputs, outputs

    def _fits(self, row: Sequence[str], head: Sequence[str], line: int) -> None:
        """Refuse a row of the wrong length, or with a line in a cell: a quote was not closed.

        Neither error shows the row, which may hold a private value.
        """
        if len(row) != len(head):
            rule = f"must have {len(head)} cells in line {line}"
            raise ParameterError(str(self.path), rule, f"{len(row)} cells")
        if any("\n" in cell for cell in row):
            raise ParameterError(
                str(self.path), f"must have no line break in a cell, as before line {line}"
            )

    def _traffic(self) -> Iterator[tuple[list[Any], list[Any]]]:
        rows = [*recorded(self.path, self.column, self.output)]
        for at in range(0, len(rows), CHUNK):
            inputs, outputs = zip(*rows[at : at + CHUNK], strict=True)
            yield [*inputs], [*outputs]

    def _parquet(self) -> Iterator[tuple[list[Any], list[Any]]]:
        needs("a Parquet file of reports", "pyarrow")
        from pyarrow import ArrowException, parquet

        try:
            table = parquet.ParquetFile(self.path, page_checksum_verification=True)
        except (OSError, ArrowException) as error:
            raise ParameterError(str(self.path), f"must be a Parquet file ({error})") from None
        with table:
            self._check(table.schema_arrow.names)
            rule = "must be readable (rows are lost: it is damaged)"
            lost = ParameterError(str(self.path), rule)
            for batch in row_batches(table, CHUNK, [self.column, self.output], lost):
                yield batch.column(self.column).to_pylist(), batch.column(self.output).to_pylist()

    def _arrow(self) -> Iterator[tuple[list[Any], list[Any]]]:
        needs("an Arrow file of reports", "pyarrow")
        from pyarrow import ArrowException, ipc, memory_map

        try:
            mapped = memory_map(str(self.path))
            table = ipc.open_file(mapped)
        except (OSError, ArrowException) as error:
            raise ParameterError(str(self.path), f"must be an Arrow file ({error})") from None
        with mapped:
            self._check(table.schema.names)
            for i in range(table.num_record_batches):
                batch = table.get_batch(i)
                yield batch.column(self.column).to_pylist(), batch.column(self.output).to_pylist()
