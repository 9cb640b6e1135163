"""Protocols of several curators, each of whom protects its own share.

The data are split among k parties. Each sees its share, and sends messages in view of what others
sent; nobody sees another's share. A promise is about one row of one share: whoever sees all
messages, other parties included, sees nothing that is more than e^epsilon times as likely for
neighbouring shares. With k = n every share is one user's record, and this is local privacy; with
k = 1 it is that of a trusted curator. Amos Beimel, Kobbi Nissim, Eran Omri (2008), Distributed
Private Data Analysis: Simultaneously Solving How and What.

`Talk` decides the promise of a small protocol exactly. `PartyTotal` adds up what real parties send.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ldp_verified.analysis.central.neighbours import Neighbours
from ldp_verified.analysis.central.noise import GeometricNoise
from ldp_verified.analysis.central.released import Release
from ldp_verified.analysis.central.statistic import Count
from ldp_verified.analysis.interaction.table import FiniteTable, WorstAnswer, worst_of
from ldp_verified.errors import DomainError, ParameterError, ReportError, check_kind
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.values import value_array

if TYPE_CHECKING:
    from ldp_verified.run.realize.randomizer import Rng

MOST_WAYS = 1 << 16
MOST_MESSAGES = 1 << 10

Share: TypeAlias = "tuple[Any, ...]"
"""The rows that a party holds."""

Messages: TypeAlias = "tuple[tuple[Any, Any], ...]"
"""Pairs of a party and what it sent, the first ones first."""

Turn: TypeAlias = "Callable[[Messages], tuple[Any, FiniteTable] | None]"
"""A function from the messages so far to the next party and its table; None ends the talk."""


def one_row_differs(share: Share, other: Share) -> bool:
    """Return whether two shares are of one length and differ in one row.

    Args:
        share, other: what one party holds, in two worlds.
    """
    pairs = zip(share, other, strict=False)
    return len(share) == len(other) and sum(a != b for a, b in pairs) == 1


@dataclass(frozen=True)
class Talk:
    """A protocol of several parties with finitely many shares and messages.

    Attributes:
        shares: party -> the shares that it may hold.
        turn: who speaks next, by which table of its shares; it knows the messages alone.

    Raises:
        ParameterError: no parties, a party without shares, or more than 2^16 combinations.
    """

    shares: Mapping[Any, Sequence[Share]]
    turn: Turn

    def __post_init__(self) -> None:
        """Check that there are parties."""
        if not self.shares or not all(self.shares.values()):
            raise ParameterError("shares", "must be one or more for each of one or more parties")
        if math.prod(map(len, self.shares.values())) > MOST_WAYS:
            raise ParameterError("shares", f"must have at most {MOST_WAYS} combinations")

    def table(self) -> FiniteTable:
        """Compute the law of all messages for every combination of shares.

        Raises:
            ParameterError: who speaks is no party, its table lacks one of its shares, a transcript
                has more than 2^10 messages, or there are more than 2^16 transcripts.
        """
        combinations = list(product(*self.shares.values()))
        laws: dict[Any, dict[Messages, Fraction]] = {held: {} for held in combinations}
        for sent, factors in self._transcripts():
            for held in combinations:
                found = Fraction(1)
                for party, share in zip(self.shares, held, strict=True):
                    found *= factors[party][share]
                if found:
                    laws[held][sent] = found
        return FiniteTable.of_laws(laws)

    def worst(
        self, party: Any, near: Callable[[Share, Share], bool] = one_row_differs
    ) -> WorstAnswer:
        """Find the largest ratio of the probabilities of all messages when one share changes.

        The probability of messages is a product with one factor for each party, so others' factors
        cancel: no table of all combinations is made.

        Args:
            party: one of the parties. near: which shares are neighbours.

        Returns:
            The ratio, the two shares, and the messages as `y`.

        Raises:
            ParameterError: as `table`; or there is no such party.
        """
        if party not in self.shares:
            raise ParameterError(
                "party", f"must be one of {', '.join(map(str, self.shares))}", party
            )

        def ratios() -> Iterator[WorstAnswer]:
            for sent, factors in self._transcripts():
                own = factors[party]
                others = (any(f.values()) for who, f in factors.items() if who != party)
                if not all(others):
                    continue
                for share, p in own.items():
                    for other, q in own.items():
                        if p and share != other and near(share, other):
                            yield WorstAnswer(p / q if q else None, share, other, sent)

        return worst_of(ratios())

    def _transcripts(self) -> Iterator[tuple[Messages, dict[Any, dict[Share, Fraction]]]]:
        """Enumerate complete transcripts, with each party's factor for each of its shares."""
        first = {who: dict.fromkeys(shares, Fraction(1)) for who, shares in self.shares.items()}
        left: list[tuple[Messages, dict[Any, dict[Share, Fraction]]]] = [((), first)]
        seen = 0
        while left:
            sent, factors = left.pop()
            speaks = self.turn(sent)
            if speaks is None:
                seen += 1
                if seen > MOST_WAYS:
                    raise ParameterError("turn", f"must give at most {MOST_WAYS} transcripts")
                yield sent, factors
                continue
            if len(sent) == MOST_MESSAGES:
                raise ParameterError("turn", f"must end after {MOST_MESSAGES} messages at most")
            who, table = speaks
            if who not in self.shares:
                raise ParameterError("turn", "must name one of the parties", who)
            if not set(self.shares[who]) <= set(table.inputs):
                raise ParameterError("turn", "must give a table of the party's shares", who)
            for place, message in enumerate(table.outputs):
                own = {share: p * table.row(share)[place] for share, p in factors[who].items()}
                if any(own.values()):
                    left.append(((*sent, (who, message)), {**factors, who: own}))


@dataclass(frozen=True)
class Total:
    """The sum of the numbers that the parties sent.

    Attributes:
        value: the sum of the parties' answers. std_error: of their noise together.
        parties: how many there are.
        epsilon, delta: the largest of any of them, which hold for a row of whatever share.
        neighbours: which shares the promise is about.
        simulated: whether noise came from a seed.
    """

    value: float
    std_error: float
    parties: int
    epsilon: float
    delta: float
    neighbours: Neighbours
    simulated: bool


class PartyTotal:
    """Add up the releases of parties, one from each.

    Args:
        parties: their names, known beforehand.

    Raises:
        ParameterError: no names, or one twice.
    """

    def __init__(self, parties: Sequence[Any]) -> None:
        if not len(parties) or len(set(parties)) < len(parties):
            raise ParameterError("parties", "must be one or more, and different", list(parties))
        self._told: dict[Any, Release | None] = dict.fromkeys(parties)

    @property
    def missing(self) -> list[Any]:
        """The parties that have sent nothing yet."""
        return [party for party, told in self._told.items() if told is None]

    def take(self, party: Any, told: Release) -> None:
        """Take one party's release.

        Args:
            party: its name. told: a release with one number, such as a count.

        Raises:
            ReportError: no such party, one that sent before, a release of something else than a
                number, a simulated one among real ones, or one about other neighbours; nothing is
                taken then.
        """
        check_kind("told", told, Release, ReportError)
        if party not in self._told:
            raise ReportError("party", "must be one of those that were named", party)
        if self._told[party] is not None:
            raise ReportError("party", "must send once", party)
        if not isinstance(told.value, float) or told.std_error is None:
            raise ReportError("told", "must be a number with an error", told.what)
        for other in self._told.values():
            if other is None:
                continue
            if other.simulated != told.simulated:
                raise ReportError("told", "must all be simulated, or all real", told.simulated)
            if other.neighbours is not told.neighbours:
                rule = f"must be about the neighbours of those before, {other.neighbours}"
                raise ReportError("told", rule, str(told.neighbours))
        self._told[party] = told

    def total(self) -> Total:
        """Add up the releases of all parties.

        Raises:
            ReportError: one is missing.
        """
        told = [each for each in self._told.values() if each is not None]
        if len(told) < len(self._told):
            rule = f"must have sent, all of them; {len(self.missing)} are missing"
            raise ReportError("parties", rule)
        return Total(
            value=math.fsum(each.value for each in told),
            std_error=math.sqrt(math.fsum((each.std_error or 0) ** 2 for each in told)),
            parties=len(told),
            epsilon=max(each.epsilon for each in told),
            delta=max(each.delta for each in told),
            neighbours=told[0].neighbours,
            simulated=any(each.simulated for each in told),
        )


def count_by_parties(values: Any, party_of: Any, epsilon: float, rng: Rng = None) -> Total:
    """Count where values are held by parties that do not trust each other.

    Each releases its own count with two-sided geometric noise; the promise is about replacing one
    row. So the variance is k times that of one curator, for k parties.

    Args:
        values: booleans, or 0 and 1, one for each row.
        party_of: which party holds the row, labels of the same length; public.
        epsilon: of every party's release.
        rng: None for the secure source; a seed or a generator is for simulation.

    Raises:
        DomainError: no rows, labels of another length, of two kinds or missing ones (None, NaN),
            values that are no 0 and 1, or a mask.
        ParameterError: epsilon or `rng` is something else.
    """
    rows, holders = value_array(values), value_array(party_of, "party_of")
    if rows.ndim != 1 or not len(rows) or rows.shape != holders.shape:
        raise DomainError("party_of", "must name a party for each of one or more rows")
    try:
        missing = any(each is None or each != each for each in holders.tolist())
        names, places = np.unique(holders, return_inverse=True)
    except (TypeError, ValueError):  # labels of two kinds, or that have no order
        raise DomainError("party_of", "must be labels of one kind that have an order") from None
    if missing:
        raise DomainError("party_of", "must name a party for each row, and no missing one")
    Count().steps(rows, Neighbours.REPLACE)  # what is no count is refused before anything is drawn
    noise = GeometricNoise(epsilon)
    source = word_source(rng, "parties", "count", noise.epsilon)
    law = noise.law(Count().sensitivity(Neighbours.REPLACE))
    held = np.bincount(places[rows.astype(bool)], minlength=len(names))
    sent = held * law.fine + law.draw(len(names), source)
    return Total(
        value=float(Fraction(int(sent.sum()), law.fine)),
        std_error=math.sqrt(len(names) * float(law.variance)),
        parties=len(names),
        epsilon=noise.epsilon,
        delta=noise.delta,
        neighbours=Neighbours.REPLACE,
        simulated=bool(source.simulated),
    )
