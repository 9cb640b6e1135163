"""One user's side of a protocol that was generated from a declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.protocols.declared_state import Answerable, DeclaredReports
from ldp_verified.protocols.one_report import PaidClient
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.protocols.declared import DeclaredProtocol, Rng

MOST_VALUE = 1 << 4096
"""Values are below this; what the randomizers take is a matter of theirs."""


class DeclaredClient(PaidClient["DeclaredProtocol"]):
    """One user's side: it answers each round that asks its group, once.

    Args:
        protocol: the parameters. group: public; None draws it without looking at any value.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: no such group, or a bad `rng` or `book`.
    """

    of, of_name = Answerable, "DeclaredProtocol"

    def __init__(
        self,
        protocol: DeclaredProtocol,
        group: int | None = None,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        super().__init__(protocol, rng, book)
        drawn = protocol.draw_groups(1, self._source)[0] if group is None else group
        self.group = protocol._group(check_integer("group", drawn, 0, MOST_VALUE))
        self._left = [s for s in range(len(protocol.steps)) if protocol.speaks(s, self.group)]
        self._rounds = len(self._left)

    @property
    def step(self) -> int | None:
        """The next round that asks this user; None after the last."""
        return self._left[0] if self._left else None

    @property
    def _price(self) -> tuple[Any, str]:
        first = len(self._left) == self._rounds
        price = self.protocol.epsilon if first else 0
        return price, f"{type(self.protocol).__name__}, group {self.group}"

    @property
    def _again(self) -> tuple[str, str]:
        rule = "must be called once for each round: another report costs epsilon again"
        return "report", rule

    def report(
        self, value: int, published: int | None = None, which: int | None = None
    ) -> DeclaredReports:
        """All that this user sends in the next round that asks their group.

        The first one spends epsilon of the whole transcript.

        Args:
            value: of the user. published, which: as in `DeclaredProtocol.privatize`.

        Raises:
            DomainError: a value outside the domain; nothing is drawn then.
            ParameterError: no round is left, what is public does not fit, or the book refuses,
                whatever the value is. Nothing is drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        with self._one_report() as step:
            known = self.protocol.check_values([value], "value")
            self.protocol._check_public(step, self.group, published, which)
        return self.protocol._reports(known, [self.group], step, published, which, self._source)
