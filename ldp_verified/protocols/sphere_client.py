"""One user's side of `SphereVector`: single reports from the program of what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ldp_verified.errors import DomainError, LdpError
from ldp_verified.run.program.client import ProgramClient

if TYPE_CHECKING:
    from ldp_verified.protocols.sphere_vector import SphereVector
    from ldp_verified.run.realize.value_types import UserVectors


class SphereClient:
    """Draws single reports from secure words, which are buffered and never shared with a child.

    A program draws the seed, the sign and the rank; which direction has the rank is found as
    `SphereVector.privatize` finds it. It cannot be pickled: make one in each process.

    Args:
        protocol: whose reports.
    """

    def __init__(self, protocol: SphereVector) -> None:
        self.protocol = protocol
        self._draw = ProgramClient(protocol.draws(), _refuse).report

    def report(self, vector: UserVectors) -> int:
        """Draw the report of one vector: its seed and its direction, as one integer below 2^64.

        Args:
            vector: d finite numbers, of length at most `radius` up to rounding.

        Returns:
            What the collector's `reports(array, simulated=False)` takes an array of.

        Raises:
            DomainError: it is none; nothing is drawn then.
        """
        rows, lengths = self.protocol.held(vector)
        if len(rows) != 1:
            raise DomainError("vector", f"must be one vector of {self.protocol.d} numbers")
        drawn = self._draw(int(self.protocol.positions(lengths)[0]))
        seed, up, rank = np.array(drawn, dtype=np.uint64).reshape(3, 1)
        signs, ranks = 2 * up.astype(np.int64) - 1, rank.astype(np.int64)
        return int(self.protocol.named(rows, lengths, seed, signs, ranks)[0])

    def __repr__(self) -> str:
        return f"SphereClient({self.protocol!r})"

    def __reduce__(self) -> NoReturn:
        raise LdpError("client", "must be made in each process, it cannot be pickled")


def _refuse(position: object) -> int:
    """Refuse what is no position: none comes from `SphereVector.positions`."""
    raise LdpError("position", "must be in 0..2^52", type(position))
