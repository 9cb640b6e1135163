"""The program of a user of `SafeRegions` who has chosen: one region, one epsilon, both public.

The program has the chosen region's places as values, and the thresholds of the chosen epsilon. It
draws one sign as that of `SignMatrix` does. What it says nothing of, region and epsilon, is sent
beside its numbers as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from ldp_verified.errors import check_kind
from ldp_verified.protocols.safe_regions import PlaceReports, SafeRegions
from ldp_verified.run.program.form import Private
from ldp_verified.run.program.groups import InnerProgram, all_of

if TYPE_CHECKING:
    from ldp_verified.protocols.sign_matrix import SignMatrix
    from ldp_verified.run.program.form import Program

_SHOWN: Final = 64
"""Places of a region that are named where a value is explained."""


@dataclass(frozen=True, repr=False)
class RegionChoice:
    """The choice of a user of `SafeRegions`: a region and an epsilon, public before they report.

    Attributes:
        scheme: the protocol.
        region: of its taxonomy, with two places or more.
        epsilon: one of its `epsilons`.

    Raises:
        ParameterError: no such protocol, region or epsilon.
    """

    scheme: SafeRegions
    region: str
    epsilon: float

    def __post_init__(self) -> None:
        """Check the arguments."""
        check_kind("scheme", self.scheme, SafeRegions)
        object.__setattr__(self, "region", self.scheme.taxonomy.names[self._number])
        object.__setattr__(self, "epsilon", self.scheme.epsilons[self._level])

    @property
    def _number(self) -> int:
        return self.scheme.region(self.region)

    @property
    def _level(self) -> int:
        return self.scheme.level(self.epsilon)

    @property
    def _matrix(self) -> SignMatrix:
        return self.scheme.matrices[self._level]

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The places of the region: the program's value is the number of one, from 0."""
        span = self.scheme.taxonomy.span(self.region)
        return self.scheme.taxonomy.places[span.start : span.stop]

    @property
    def thresholds(self) -> tuple[int, ...]:
        """The integers that words are compared with."""
        return self._matrix.thresholds

    @property
    def program_value(self) -> str:
        """Return what the program reads for a place, in words."""
        named = [*enumerate(self.places)]
        if len(named) > _SHOWN:
            named = [named[0], named[-1]]
        listed = ", ".join(f"{number} is {place!r}" for number, place in named)
        more = "" if len(named) == len(self.places) else "; RegionChoice.places lists them"
        return (
            f"A value is the number of a place of the region {self.region!r}: {listed}{more}. "
            f"Region and epsilon, {self.epsilon:g}, are public and are sent beside the numbers."
        )

    def program(self) -> Program:
        """The program of a client in another language, which draws its user's number itself.

        Its report is that of `SignMatrix.program`: the public number and the sign. A value is the
        number of a place among `places`.
        """
        first = self.scheme.taxonomy.span(self.region).start
        place = Private() + first if first else Private()
        part = InnerProgram(self._matrix.program(), place)
        return all_of("safe_regions", len(self.places), [part])

    def reports_of(self, numbers: object, simulated: bool = False) -> PlaceReports:
        """The reports of users with this choice that programs gave as numbers, for a state.

        Args:
            numbers: integers (n, 2), the public number and the sign of each user, 0 or 1.
            simulated: whether they protect nobody.

        Raises:
            ReportError: there are not as many numbers, or a sign is none.
        """
        drawn = self._matrix.reports_of(numbers, simulated)
        count = len(drawn.numbers)
        regions = np.full(count, self._number, dtype=np.uint32)
        levels = np.full(count, self._level, dtype=np.uint8)
        own = self.scheme.identity
        return PlaceReports(own, drawn.numbers, regions, levels, drawn.signs, simulated)

    def __repr__(self) -> str:
        return (
            f"RegionChoice(region={self.region!r}, epsilon={self.epsilon!r}, "
            f"realized_epsilon={self._matrix.realized_epsilon!r}, places={len(self.places)})"
        )
