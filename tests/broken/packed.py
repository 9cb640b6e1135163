"""Wrong kernels of packed hashing, whose stores of eight bytes reach beyond a batch or lose some.

They are the right kernel with one step spoiled in its text. The bytes after the last report belong
to somebody else, and machine code does not look whose memory it writes to.
"""

from __future__ import annotations

from typing import Final

from ldp_verified.run.kernels.packed_hashing import packed_hash_fill
from tests.broken.spoil import spoiled

WRONG: Final = {
    name: spoiled(packed_hash_fill, step, other)
    for name, step, other in (
        ("always eight", "(left >= 8 or i + 8 < done)", "left > 0"),
        ("one report is room enough", "i + 8 < done", "i + 1 < done"),
        ("room for values, not reports", "i + 8 < done", "i + 8 < len(values)"),
        ("never the rest", "range(min(lanes, left))", "range(min(lanes, left) - 1)"),
    )
}
