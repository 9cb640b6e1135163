"""The rows of a Parquet file, all that its footer counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile


def row_batches(
    table: ParquetFile, size: int, columns: Sequence[str], lost: Exception
) -> Iterator[RecordBatch]:
    """Read columns of a Parquet file in batches, and compare the number of rows with the footer.

    A damaged file can hold fewer rows than its footer says, and Arrow reads it without an error.

    Args:
        table: an open file.
        size: rows of a batch, at most.
        columns: names of the columns to read.
        lost: the error to raise where the rows are not as many as the footer says.

    Yields:
        The batches, in the order of the file.

    Raises:
        Exception: `lost`, after the last batch.
    """
    left = table.metadata.num_rows
    for batch in table.iter_batches(size, columns=list(columns)):
        left -= batch.num_rows
        yield batch
    if left:
        raise lost
