"""Bitstogram: heavy hitters by the bits of a code, with Hashtogram as the oracle that counts.

Declared in `spec/protocols/bitstogram.py`. A user who finds reports one sign of the cell and one
bit of the code of their value; a user who counts reports one entry of a public sketch of it. Both
are randomized response on a public function of the value, drawn without a look at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from ldp_verified.protocols.coded_bits import CodedHashing, CodedState
from ldp_verified.protocols.sign_rows import SignRows, check_rows
from ldp_verified.protocols.sketch_counts import SketchCounts, Sketched


@dataclass(frozen=True)
class Bitstogram(Sketched, CodedHashing):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        cells: the number T of cells, a power of 2 up to 2^19.
        corrects: wrong bits of a cell's word that are corrected, 0..18; None for an eighth of the
            bits of a value, or as many more as the same codeword corrects.
        rows, columns: of Hashtogram; columns are a power of 2, and both together at most 2^20 bits
            that a user who counts may be asked.
        seed: from which all functions are made, public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    cells: int = 1 << 12
    corrects: int | None = None
    rows: int = 16
    columns: int = 1 << 15
    seed: int = 0

    law_sha256: ClassVar[str] = "825ce249395b216068072a52e692247d72d6ba955eb0e5509a22234535976e45"

    def __post_init__(self) -> None:
        """Check the parameters, and choose the code."""
        rows, columns = check_rows(self.rows, self.columns)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "columns", columns)
        self._settle_code()

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return super()._own_items | {"columns": self.columns, "rows": self.rows}

    @cached_property
    def hashtogram(self) -> SignRows:
        """The public rows of those who count."""
        return SignRows(self.rows, self.columns, b"hashtogram %d" % self.seed)


class BitstogramState(SketchCounts, CodedState):
    """Reports that were seen: 26 bytes each.

    Args:
        protocol: whose reports are counted.
        simulated: whether the reports to come are; others are refused.

    Raises:
        ParameterError: it is none.
    """

    protocol: Bitstogram
