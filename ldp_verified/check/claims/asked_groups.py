"""Count the groups of users that SVIM asks, from its declaration and from the class that runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ldp_verified.check.claims.numeric import Case, Cases
from ldp_verified.check.claims.rulings import Ruling, RulingKind
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import coin
from ldp_verified.protocols.svim import SVIM

if TYPE_CHECKING:
    from ldp_verified.check.claims.context import Context


@dataclass(frozen=True)
class AskedGroups:
    """The groups of users that report in SVIM: how many there are, and how large they are.

    Attributes:
        groups: how many are said.
        shares: of 10 users, how many are in each; empty where only the number is said.
    """

    groups: int
    shares: tuple[int, ...] = ()

    def says(self) -> str:
        """The statement, rendered."""
        sizes = f", of {', '.join(map(str, self.shares))} in 10 users" if self.shares else ""
        return f"in the declared SVIM {self.groups} groups of users report{sizes}"

    def announce(self, context: Context) -> None:
        """Do nothing, as nothing is to be prepared."""

    def decide(self, context: Context) -> Ruling:
        """Count the groups in the declaration, and again in the class: one case is all there is."""
        found = Cases("", self._cases, "the declaration and the class").decide(context)
        if found.kind is RulingKind.CHECKED:
            return Ruling(RulingKind.PROVED, found.checkers, "counted in the declaration")
        return found

    def _fits(self, sizes: tuple[int, ...]) -> bool:
        return len(sizes) == self.groups and self.shares in ((), sizes)

    def _cases(self) -> Iterable[Case]:
        found = _declared()
        sizes = ", ".join(map(str, found))
        yield Case(
            {"protocol": "SVIM"},
            self._fits(found),
            lambda: self._fits(SVIM.shares),
            {"groups": len(found), "of 10 users": sizes},
            f"{len(found)} groups report, of {sizes} in 10 users",
        )


def _declared() -> tuple[int, ...]:
    """Return how many of 10 coins put a user into each group that a round asks."""
    declared = load_protocol("svim")
    assert declared.groups is not None
    placed = [declared.groups.of.subs(coin, c) for c in range(int(declared.groups.coins))]
    asked = dict.fromkeys(each.speaks for each in declared.rounds)
    return tuple(sum(bool(place == who) for place in placed) for who in asked)
