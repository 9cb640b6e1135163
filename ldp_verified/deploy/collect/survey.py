"""The first pass over the private column: how many rows, and does every cell fit the domain?

What a run without `--compare` may tell of the private column besides the randomized reports is one
bit: that it stopped because some cell is not in the domain. The number of rows counts as public
(who takes part is not what a report hides). How many cells do not fit, and which, is said only to
somebody who asked for a simulation that looks at the column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ldp_verified.deploy.collect.domain import OUTSIDE, ColumnDomain
from ldp_verified.deploy.collect.table import InputColumn, TableError
from ldp_verified.errors import DomainError

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXAMPLES = 5

Progress = Callable[[str, int, int | None], None]
"""Told of what is being done, the rows done so far, and the rows in all where they are known."""


def silent(stage: str, done: int, total: int | None) -> None:
    """A `Progress` that tells nobody."""


@dataclass(frozen=True)
class Survey:
    """The result of the first pass over the rows; everything but `rows` is private.

    Attributes:
        rows: how many rows the table has.
        outside: rows whose cell is missing or not in the domain.
        empty: those of them whose cell is missing or the empty text.
        examples: a few different cells that are not in the domain, in the order of the rows.
        counts: true counts of the domain's labels, int64 (k,).
    """

    rows: int
    outside: int
    empty: int
    examples: tuple[str, ...]
    counts: NDArray[np.int64]


def survey(column: InputColumn, domain: ColumnDomain, progress: Progress = silent) -> Survey:
    """Read the column once.

    Raises:
        TableError: the file is damaged, or has no rows.
    """
    rows = empty = 0
    outside = 0
    examples: dict[str, None] = {}
    counts = np.zeros(domain.k, dtype=np.int64)
    elsewhere = OUTSIDE if domain.other is None else len(domain.values)
    for cells in column.batches():
        codes = domain.encode(cells)
        strangers = codes == elsewhere
        if strangers.any():
            outside += int(np.count_nonzero(strangers))
            texts = [cell for cell in cells.filter(pa.array(strangers)).to_pylist() if cell]
            empty += int(np.count_nonzero(strangers)) - len(texts)
            for text in texts:
                if len(examples) == EXAMPLES:
                    break
                examples[text] = None
        inside = codes[codes != OUTSIDE]
        counts += np.bincount(inside, minlength=domain.k)
        rows += len(codes)
        progress("checking", rows, None)
    if rows == 0:
        raise TableError(
            str(column.path), "must hold at least one row, but there is only the header"
        )
    return Survey(rows, outside, empty, tuple(examples), counts)


def refuse_strangers(column: InputColumn, domain: ColumnDomain, found: Survey, look: bool) -> None:
    """Stop if a cell is not in the domain and the domain has no value for everything else.

    Args:
        column: the private column.
        domain: what it was surveyed with.
        found: the survey.
        look: whether the message may tell how many and which.

    Raises:
        DomainError: it does not fit. Nothing has been randomized.
    """
    if domain.other is not None or not found.outside:
        return
    what = "holds values that are not among "
    what += f"the {len(domain.values):,} of the domain ({domain.origin})"
    if look:
        what += f", in {found.outside:,} of {found.rows:,} rows"
        what += f" ({found.empty:,} of them empty)" if found.empty else ""
        what += f": {', '.join(map(repr, found.examples))}" if found.examples else ""
    what += ". Nothing was randomized. --unknown other reports them as one more value"
    if not look:
        what += "; --compare, which looks at the private column, says how many and which"
    raise DomainError(f"column {column.name}", what)
