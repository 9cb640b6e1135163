"""One user's side of the prefix protocol in rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.protocols.one_report import PaidClient
from ldp_verified.protocols.prefix_round import InRounds, PrefixRound, RoundReports
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from ldp_verified.protocols.prefix_rounds import PrefixRounds
    from ldp_verified.run.realize.randomizer import Rng


class PrefixRoundClient(PaidClient["PrefixRounds"]):
    """A client that answers the round that asks its group, once.

    Args:
        protocol: the parameters. group: public; None draws it without looking at any value.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: no such group, or a bad `rng` or `book`.
    """

    of, of_name = InRounds, "PrefixRounds"

    def __init__(
        self,
        protocol: PrefixRounds,
        group: int | None = None,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        super().__init__(protocol, rng, book)
        if group is None:
            group = int(protocol.draw_groups(1, self._source)[0])
        self.group = check_integer("group", group, 0, protocol.levels)

    @property
    def _price(self) -> tuple[float, str]:
        return self.protocol.epsilon, f"PrefixRounds, round {self.group}"

    def report(self, value: str | int, asked: PrefixRound) -> RoundReports:
        """All that this user sends.

        Args:
            value: of the user. asked: the round, as it was published.

        Raises:
            DomainError: a value outside the domain; nothing is drawn then.
            ParameterError: the round is of another protocol or asks another group; there was a
                report already, and a second one would cost epsilon again; or the book refuses,
                whatever the value is. Nothing is drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        check_kind("asked", asked, PrefixRound)
        if asked.protocol != self.protocol:
            raise ParameterError("asked", "must be of this protocol", asked.protocol)
        if asked.number != self.group:
            raise ParameterError("asked", f"must ask group {self.group}", asked.number)
        with self._one_report():
            encoded = self.protocol.encode([value], "value")
        return asked._reports(encoded, self._source)
