"""Reports of protocols on values that nobody can list: what is public comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ldp_verified.deploy.formats import Format, Payload, described
from ldp_verified.protocols import (
    GroupReports,
    PlaceReports,
    SafeRegionState,
    SignReports,
    SignState,
)
from ldp_verified.protocols.grouped_states import GROUP_STATES
from ldp_verified.protocols.sign_matrix import LARGEST_NUMBER
from ldp_verified.run.aggregate.identity import Identity
from ldp_verified.run.aggregate.packing import Bits, Field, PackedShape

if TYPE_CHECKING:
    from ldp_verified.protocols import SafeRegions, SignMatrix
    from ldp_verified.protocols.grouped_hashing import GroupedHashing
    from ldp_verified.protocols.grouped_state import GroupState


class OfProtocol(Format):
    """The base of both kinds of protocol, whose reports are rows of numbers."""

    @property
    def identities(self) -> tuple[Identity, ...]:
        """The identity of the protocol's reports."""
        return (self.made.identity,)

    @property
    def shape(self) -> PackedShape:
        """Return how the numbers that a user sends become bits."""
        raise NotImplementedError

    @property
    def bits(self) -> int:
        """The number of bits of one report, which the shape says."""
        return self.shape.bits

    @property
    def payload(self) -> Payload:
        """The fields of the shape."""
        return described(self.shape)


@dataclass(frozen=True)
class Grouped(OfProtocol):
    """The group unless it is all, then a function and a bucket for each report."""

    made: GroupedHashing

    @property
    def shape(self) -> PackedShape:
        """The group unless it is all; then for each report three numbers of the seed, the bucket.

        The third number of a seed has one bit less than a bucket.
        """
        mine = self.made
        function = (Field(2, 1 << 64), Field(1, 1 << (mine.hash_bits - 1)), Field(1, mine.buckets))
        group = (Field(1, mine.user_groups),) if mine.in_group else ()
        return PackedShape((*group, *(function * mine.reports_per_user)), np.dtype(np.uint64))

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of `GroupReports`."""
        self.empty(_flag(reports)).update(reports)  # refuses what is foreign or malformed
        given = cast(GroupReports, reports)
        each = np.column_stack([given.seeds, given.buckets.astype(np.uint64)])
        rows = each.reshape(-1, 4 * self.made.reports_per_user)
        if self.made.in_group:
            groups = given.groups[:: self.made.reports_per_user]
            rows = np.column_stack([groups.astype(np.uint64), rows])
        return self.shape.to_bits(rows), bool(given.simulated)

    def of_bits(self, bits: Bits, simulated: bool) -> GroupReports:
        """The `GroupReports`."""
        return self.made.reports_of(self.shape.of_bits(bits), simulated)

    def empty(self, simulated: bool = False) -> GroupState:
        """The state that has seen nothing."""
        return GROUP_STATES[type(self.made)](self.made, simulated)


@dataclass(frozen=True)
class SignFormat(OfProtocol):
    """The user's public number, and a sign: 0 for +1, 1 for -1."""

    made: SignMatrix
    in_order: ClassVar[bool] = False  # a public number that comes twice is refused

    @property
    def shape(self) -> PackedShape:
        """A number and a bit."""
        return PackedShape((Field(1, LARGEST_NUMBER), Field(1, 2)), np.dtype(np.uint64))

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of `SignReports`."""
        self.empty(_flag(reports)).update(reports)  # refuses what is foreign or malformed
        given = cast(SignReports, reports)
        rows = np.column_stack([given.numbers, given.signs.astype(np.uint64)])
        return self.shape.to_bits(rows), bool(given.simulated)

    def of_bits(self, bits: Bits, simulated: bool) -> SignReports:
        """The `SignReports`."""
        return self.made.reports_of(self.shape.of_bits(bits), simulated)

    def empty(self, simulated: bool = False) -> SignState:
        """The state that has seen nothing."""
        return SignState(self.made, simulated)


@dataclass(frozen=True)
class Placed(OfProtocol):
    """The user's public number, region and epsilon, and a sign: 0 for +1, 1 for -1."""

    made: SafeRegions
    in_order: ClassVar[bool] = False  # a public number that comes twice is refused

    @property
    def shape(self) -> PackedShape:
        """A number, the places of the region and the epsilon among their kind, and a bit."""
        choices = len(self.made.taxonomy.names), len(self.made.epsilons)
        fields = (Field(1, each) for each in (LARGEST_NUMBER, *choices, 2))
        return PackedShape(tuple(fields), np.dtype(np.uint64))

    def to_bits(self, reports: Any) -> tuple[Bits, bool]:
        """The bits of `PlaceReports`."""
        self.empty(_flag(reports)).update(reports)  # refuses what is foreign or malformed
        given = cast(PlaceReports, reports)
        columns = given.numbers, given.regions, given.levels, given.signs
        rows = np.column_stack([each.astype(np.uint64) for each in columns])
        return self.shape.to_bits(rows), bool(given.simulated)

    def of_bits(self, bits: Bits, simulated: bool) -> PlaceReports:
        """The `PlaceReports`."""
        rows = self.shape.of_bits(bits)
        regions, levels, signs = rows[:, 1].astype(np.uint32), *rows[:, 2:].T.astype(np.uint8)
        return PlaceReports(
            self.made.identity, rows[:, 0].copy(), regions, levels.copy(), signs.copy(), simulated
        )

    def empty(self, simulated: bool = False) -> SafeRegionState:
        """The state that has seen nothing."""
        return SafeRegionState(self.made, simulated)


def _flag(reports: object) -> bool:
    """Return whether reports say that they are simulated; their types are checked later."""
    return getattr(reports, "simulated", False) is True
