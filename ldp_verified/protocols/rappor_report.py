"""The report that a RAPPOR client sends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_verified.run.aggregate.reports import SentAlone

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ldp_verified.protocols.rappor import Rappor


@dataclass(frozen=True, eq=False)
class RapporReport(SentAlone):
    """The report that leaves the device.

    Attributes:
        deployment: what the report was made with. cohort: public. bits: packed, uint64 (blocks,).
        simulated: whether anything was drawn from a seed, so that it protects nobody.
        number: of the report, from 1; for the server's `Registry`, where it knows its users.
    """

    deployment: Rappor
    cohort: int
    bits: NDArray[np.uint64]
    simulated: bool
    number: int

    @property
    def choice(self) -> tuple[int, ...]:
        """The cohort, as `Registry` compares it."""
        return (self.cohort,)
