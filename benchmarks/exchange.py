"""The sections about simulated populations, columns, files and states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.markdown import table
from benchmarks.workload import DOMAIN

if TYPE_CHECKING:
    from benchmarks.run import Results

_SIMULATIONS = f"""\
Seconds of `simulate_counts` for n users spread over {DOMAIN:,} values, and of drawing the reports
of a million users, from a seed too. The cost is that of the counters, whatever n.
"""
_COLUMNS = """\
Nanoseconds of `privatize` of k-RR for each user, from columns of several libraries.
"""
_FILES = """\
Nanoseconds for each report: to an Arrow table and back, which share memory where they can, and to a
Parquet file and back. Writing makes a digest of all bytes, which reading looks at first.
"""
_STATES = """\
Microseconds for one state. Saving waits until the disk has it.
"""


def _rows(kind: str, results: Results, head: str) -> str:
    """One of the tables: a row for each name, a column for each measurement."""
    measured = results.exchange.get(kind, {})
    columns = list(dict.fromkeys(column for row in measured.values() for column in row))
    rows = [
        [name, *(str(row[column]) if column in row else "-" for column in columns)]
        for name, row in measured.items()
    ]
    return table([head, *columns], rows)


def exchanges(results: Results) -> str:
    """The four tables, each under its heading."""
    sections = (
        ("Simulated populations: seconds", _SIMULATIONS, "simulations", "mechanism"),
        ("Columns in", _COLUMNS, "columns", "column"),
        ("Reports out and in", _FILES, "files", "mechanism"),
        ("States", _STATES, "states", "mechanism"),
    )
    return "\n".join(
        f"## {heading}\n\n{words}\n{_rows(kind, results, head)}"
        for heading, words, kind, head in sections
    )
