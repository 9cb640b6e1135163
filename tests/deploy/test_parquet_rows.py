"""All rows that the footer of a Parquet file counts, or an error."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from ldp_verified.deploy.parquet_rows import row_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

LOST = ValueError("rows are lost")
TABLE = pa.table({"x": [1, 2, 3, 4, 5], "y": ["a"] * 5})


class File:
    """A Parquet file of five rows whose footer says another number."""

    def __init__(self, said: int) -> None:
        self.metadata = SimpleNamespace(num_rows=said)

    def iter_batches(self, size: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
        yield from TABLE.select(columns).to_batches(size)


def test_batches_of_the_columns_come_in_order() -> None:
    file: Any = File(5)
    found = [batch.to_pydict() for batch in row_batches(file, 3, ["x"], LOST)]
    assert found == [{"x": [1, 2, 3]}, {"x": [4, 5]}]


@pytest.mark.parametrize("said", [4, 6])
def test_another_number_of_rows_than_the_footer_says_is_the_error_after_them(said: int) -> None:
    file: Any = File(said)
    batches = row_batches(file, 5, ["x", "y"], LOST)
    assert next(batches).num_rows == 5
    with pytest.raises(ValueError, match="rows are lost"):
        next(batches)
