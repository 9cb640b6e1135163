"""Small tables on disk for the tests."""

from __future__ import annotations

import bz2
import gzip
import zipfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def csv_file(folder: Path, cells: Sequence[str], name: str = "private.csv") -> Path:
    """A table of two columns, `id` and `answer`, with every answer in quotes."""
    path = folder / name
    rows = [f'{i},"{cell}"' for i, cell in enumerate(cells)]
    path.write_bytes("\n".join(["id,answer", *rows, ""]).encode())
    return path


def gzip_file(folder: Path, cells: Sequence[str]) -> Path:
    """The same packed by gzip."""
    path = folder / "private.csv.gz"
    path.write_bytes(gzip.compress(csv_file(folder, cells).read_bytes()))
    return path


def bzip2_file(folder: Path, cells: Sequence[str]) -> Path:
    """The same packed by bzip2."""
    path = folder / "private.csv.bz2"
    path.write_bytes(bz2.compress(csv_file(folder, cells).read_bytes()))
    return path


def zip_file(folder: Path, cells: Sequence[str]) -> Path:
    """The same in a zip archive."""
    path = folder / "private.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(csv_file(folder, cells), "private.csv")
    return path


def tsv_file(folder: Path, cells: Sequence[str]) -> Path:
    """The same separated by tabs."""
    path = folder / "private.tsv"
    path.write_text("id\tanswer\n" + "".join(f'{i}\t"{c}"\n' for i, c in enumerate(cells)))
    return path


def parquet_file(folder: Path, cells: Sequence[str]) -> Path:
    """The same as Parquet."""
    path = folder / "private.parquet"
    answers = pa.array(cells, pa.string())
    pq.write_table(pa.table({"id": pa.array(range(len(cells))), "answer": answers}), path)
    return path


def dictionary_file(folder: Path, cells: Sequence[str]) -> Path:
    """The same as Parquet with a dictionary type, in row groups of three."""
    path = folder / "dictionary.parquet"
    answers = pa.array(cells, pa.string()).dictionary_encode()
    pq.write_table(pa.table({"answer": answers}), path, row_group_size=3)
    return path


FORMATS: list[Callable[[Path, Sequence[str]], Path]] = [
    csv_file,
    gzip_file,
    bzip2_file,
    zip_file,
    tsv_file,
    parquet_file,
    dictionary_file,
]
