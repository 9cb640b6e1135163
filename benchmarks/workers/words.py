"""How many words of keystream a report takes, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.run.kernels.randomness import SecureWords

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Counting(SecureWords):
    """The secure source, which counts what it is asked for."""

    total = 0

    def fill(self, out: NDArray[np.uint64]) -> None:
        """As `SecureWords`."""
        self.total += len(out)
        super().fill(out)
