"""Lay out what a client with cells keeps between reports, as bytes: one format for all languages.

Numbers of 4 bytes, the lowest first: the 8 bytes of an identity, how many reports were made, the
cells, and a checksum of all before it (CRC-32, the one of zlib). The checksum shows damage, not
forgery: whoever can write the state of a device can read what it keeps.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Final

from ldp_verified.errors import ReportError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.run.program.form import Program

FIRST_CELL: Final = 3
"""Numbers before the cells."""

IDENTITY_BYTES: Final = 8
NO_IDENTITY: Final = bytes(IDENTITY_BYTES)
"""The identity in the state of a program that belongs to no deployment."""

MOST_REPORTS: Final = (1 << 32) - 1
"""Reports after which a state makes no more."""

POLYNOMIAL: Final = 0xEDB88320
"""The polynomial of CRC-32, with its bits reversed."""


def state_size(program: Program) -> int:
    """Bytes of a state."""
    return 4 * (FIRST_CELL + program.cells + 1)


def undone_size(program: Program) -> int:
    """Bytes of a state that a report which fails puts back as they were; the checksum follows.

    What changes with each report must be put back, or a report that was never sent would count as
    one. What is drawn once stays drawn: nothing is lost by it, and a device need not have memory
    for a second state, which may have thousands of cells.
    """
    return 4 * (FIRST_CELL + (program.cells if program.changing else 0))


def written_state(cells: Sequence[int], reports: int, identity: bytes = NO_IDENTITY) -> bytes:
    """The bytes of a state.

    Args:
        cells: integers in 0..2^32 - 1.
        reports: how many were made, 0..2^32 - 1.
        identity: 8 bytes, of the deployment.
    """
    body = identity + struct.pack(f"<{1 + len(cells)}I", reports, *cells)
    return body + struct.pack("<I", zlib.crc32(body))


def read_state(
    program: Program, data: bytes, identity: bytes = NO_IDENTITY
) -> tuple[list[int], int]:
    """(cells, how many reports were made) of a state's bytes.

    Raises:
        ReportError: another size, damage, another deployment, a cell out of its range, or no
            report is left.
    """
    if len(data) != state_size(program):
        raise ReportError("state", f"must have {state_size(program)} bytes", len(data))
    reports, *cells, checksum = struct.unpack(f"<{2 + program.cells}I", data[IDENTITY_BYTES:])
    if zlib.crc32(data[:-4]) != checksum:
        raise ReportError("state", "is damaged: its checksum is another one")
    if data[:IDENTITY_BYTES] != identity:
        raise ReportError("state", "belongs to another deployment")
    if any(cell >= program.kept_below for cell in cells):
        raise ReportError("state", f"must hold cells in 0..{program.kept_below - 1}")
    if reports == MOST_REPORTS:
        raise ReportError("state", f"must have made fewer than {MOST_REPORTS} reports")
    return cells, reports
