"""The written-out tables of a mechanism, and the checks of its claims, for all who look at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.kinds import Kind
from ldp_verified.language.claims import Holds
from ldp_verified.prove.enumeration.expand import Point, expand_form
from ldp_verified.prove.enumeration.table_checks import claim_checks, relation_check
from ldp_verified.prove.enumeration.witnesses import PointPlace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ldp_verified.language.claims import Claim
    from ldp_verified.language.mechanism import Mechanism


class Places:
    """Writes out the table of a mechanism at each point, and reads each of its claims, only once.

    Several steps of `verify` look at the same points, and at the same claims at many points. They
    share one `Places`, which lives as long as they do.

    Args:
        mechanism: the mechanism.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self._mechanism = mechanism
        self._places: dict[frozenset[Any], PointPlace] = {}
        self._checks: dict[int, tuple[tuple[Kind, Any, str], ...]] = {}

    def at(self, full: Point) -> PointPlace:
        """The mechanism at a point, written out.

        Args:
            full: a value for every variable.

        Raises:
            NotExpandableError, UndefinedCellError: as for `expand_form`.
        """
        same = frozenset(full.items())
        if same not in self._places:
            table = expand_form(self._mechanism.algebraic_table, full)
            self._places[same] = PointPlace(self._mechanism, full, table)
        return self._places[same]

    def checks(self, position: int) -> tuple[tuple[Kind, Any, str], ...]:
        """The checks of a claim: to read it takes longer than to look at a small table.

        Args:
            position: of the claim, among those of the mechanism.

        Returns:
            (obligation, check, what else was covered) of each obligation; the check of a `Holds`
            looks at a point, that of any other claim at a `PointPlace`.
        """
        if position not in self._checks:
            self._checks[position] = tuple(self._read(self._mechanism.claims[position]))
        return self._checks[position]

    def _read(self, claim: Claim) -> Iterable[tuple[Kind, Any, str]]:
        if isinstance(claim, Holds):
            return [(Kind.HOLDS, relation_check(self._mechanism, claim), "")]
        return claim_checks(self._mechanism, claim)
