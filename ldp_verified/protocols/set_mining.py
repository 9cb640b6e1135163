"""Mining of sets in rounds: what protocols share in which the server publishes candidates.

A protocol says which round comes next, given the states of those before: so a server keeps one
state for each round, which merges and is saved like any other, and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, check_kind
from ldp_verified.protocols.candidates import MOST_CANDIDATES, CandidateRound
from ldp_verified.protocols.item_sets import ItemSets
from ldp_verified.protocols.one_report import PaidClient
from ldp_verified.protocols.padding import MOST_ITEMS
from ldp_verified.protocols.spending import SpendingBook
from ldp_verified.protocols.uniform import uniform_below, uniform_numbers
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_epsilon, check_integer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ldp_verified.protocols.mined import Mined
    from ldp_verified.run.aggregate.reports import Reports
    from ldp_verified.run.aggregate.state import State
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng

    Rounds = Sequence[CandidateRound]
    States = Sequence[State]

MOST_TOP = MOST_CANDIDATES // 2


class SetMining(ABC):
    """The shared part of protocols on sets in rounds.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        k: how many items there are.
        top: how many sets are named.
        law_sha256: of the declaration.
        shares: of how many coins a user is in each group; all users are in all groups where
            `everybody` says so.
    """

    epsilon: float
    k: int
    top: int | None

    law_sha256: ClassVar[str]
    shares: ClassVar[tuple[int, ...]]
    everybody: ClassVar[bool] = False

    def _settle(self) -> None:
        """Check the parameters that all have."""
        object.__setattr__(self, "epsilon", check_epsilon(self.epsilon))
        object.__setattr__(self, "k", check_integer("k", self.k, 2, MOST_ITEMS))
        object.__setattr__(self, "top", check_integer("top", self.top, 1, MOST_TOP))

    @property
    def groups(self) -> int:
        """The number of rounds, each of which asks one group."""
        return len(self.shares)

    @property
    def report_epsilon(self) -> float:
        """The epsilon of one report."""
        return self.epsilon / self.groups if self.everybody else self.epsilon

    @property
    def realized_epsilon(self) -> float:
        """A bound of a user's whole transcript; each round has a realized epsilon of its own."""
        return self.epsilon

    @property
    def _top(self) -> int:
        """The number of sets that are named: `top`, which is a number once it is settled."""
        assert self.top is not None
        return self.top

    @property
    def kept(self) -> int:
        """The number of candidates that are kept: twice as many as are named, if there are."""
        return min(2 * self._top, self.k)

    @property
    def _named(self) -> tuple[str, int, int, float]:
        """The part of the protocol in the domain of a seed."""
        return type(self).__name__, self.k, self._top, self.epsilon

    @abstractmethod
    def _next(self, rounds: Rounds, states: States) -> CandidateRound:
        """The round after `rounds`, none of which is the last one, given their states."""

    @abstractmethod
    def _found(self, rounds: Rounds, states: States) -> Mined:
        """Return the sets that are named after all rounds, given their states."""

    def round(self, *states: State) -> CandidateRound:
        """The round that is next, as the server publishes it.

        Args:
            states: of the rounds before, in order, each of all reports that are to count.

        Raises:
            ParameterError: a state is of another round, or there is no further round.
        """
        if len(states) >= self.groups:
            rule = f"must be those of at most {self.groups - 1} rounds"
            raise ParameterError("states", rule, len(states))
        return self._rounds(states)[-1]

    def found(self, *states: State) -> Mined:
        """Return the sets that are named in the end, with estimated counts of all users.

        Args:
            states: of all rounds, in order.

        Raises:
            ParameterError: a state is of another round, or there are not as many.
        """
        if len(states) != self.groups:
            raise ParameterError("states", f"must be those of {self.groups} rounds", len(states))
        rounds = self._rounds(states[:-1])
        rounds[-1].check_state(states[-1])
        return self._found(rounds, states)

    def _rounds(self, states: States) -> Rounds:
        """All rounds up to the one that comes after these states."""
        found: list[CandidateRound] = []
        for number in range(len(states) + 1):
            found.append(self._next(found, states[:number]))
            if number < len(states):
                found[-1].check_state(states[number])
        return found

    def client(
        self, group: int | None = None, rng: Rng = None, book: SpendingBook | None = None
    ) -> SetClient:
        """One user's side, in a group drawn now, or in the one that the public plan says.

        Args:
            group: the public group; None to draw it.
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
        return SetClient(self, group, rng, book)

    def draw_groups(self, n: int, source: WordSource) -> NDArray[np.int64]:
        """The group of each of n users, int64 (n,), drawn without looking at any set.

        Args:
            n: number of users. source: of random words.
        """
        ends = np.cumsum(self.shares)
        found: NDArray[np.int64] = np.searchsorted(
            ends, uniform_numbers(n, int(ends[-1]), source), side="right"
        )
        return found

    def mine(self, sets: object, rng: Rng = None) -> Mined:
        """Ask a population, round after round, and name what many of them hold.

        Args:
            sets: `ItemSets`, or a list, tuple, set or array of integers in 0..k-1 for each user.
                Sets may be empty.
            rng: None for the secure source; a seed or generator is for simulation, and marks what
                is found.

        Raises:
            DomainError: no set, an item twice, or one outside the domain; nothing is drawn then.
            ParameterError: `rng` is something else.
        """
        held = ItemSets.of(sets)
        held.check(self.k)
        return self._mined(held, np.arange(len(held)), word_source(rng, "mine", *self._named))

    def simulate(self, sets: object, counts: object, rng: Rng = None) -> Mined:
        """Mine the sets of a population in which many users have the same set.

        What a round asks about is looked up once for each set, not for each user.

        Args:
            sets: different sets, as in `mine`. counts: how many users have each.
            rng: as in `mine`.

        Raises:
            DomainError: as in `mine`. ParameterError: counts that do not fit, too.
        """
        held = ItemSets.of(sets)
        held.check(self.k)
        users = held.holders(counts)
        return self._mined(held, users, word_source(rng, "simulate", *self._named))

    def _mined(self, held: ItemSets, users: NDArray[np.int64], source: WordSource) -> Mined:
        """Ask users, each with the number of a set."""
        if len(users) == 0:
            raise DomainError("sets", "must be one set or more")
        group = None if self.everybody else self.draw_groups(len(users), source)
        states: list[State] = []
        rounds: list[CandidateRound] = []
        for number in range(self.groups):
            asked = self._next(rounds, states)
            own = users if group is None else users[group == number]
            state = asked.empty(bool(source.simulated))
            if 0 < len(own) < len(held):  # fewer users than sets: only theirs are looked at
                state = state.update(asked._reports(asked.held(held.taken(own)), source))
            elif len(own):
                state = state.update(asked._reports(asked.held(held), source, own))
            states.append(state)
            rounds.append(asked)
        return self._found(rounds, states)


class SetClient(PaidClient[SetMining]):
    """One user's side of the protocol: it reports once in each of its rounds.

    Args:
        protocol: the parameters. group: public; None draws it without looking at any set. Where
            all users report in all rounds there is none to be given.
        rng: None for the secure source; a seed or generator is for simulation.
        book: what the user has spent on all protocols; None where nobody keeps count.

    Raises:
        ParameterError: no such group, or a bad argument.
    """

    of = SetMining

    def __init__(
        self,
        protocol: SetMining,
        group: int | None = None,
        rng: Rng = None,
        book: SpendingBook | None = None,
    ) -> None:
        super().__init__(protocol, rng, book)
        self.group: int | None = None
        if not protocol.everybody:
            if group is None:
                coin = uniform_below(sum(protocol.shares), self._source)
                group = int(np.searchsorted(np.cumsum(protocol.shares), coin, side="right"))
            self.group = check_integer("group", group, 0, protocol.groups - 1)
        elif group is not None:
            raise ParameterError("group", "must be None, as a user reports in all rounds", group)
        self._left = list(range(protocol.groups)) if self.group is None else [self.group]

    @property
    def _names(self) -> tuple[Any, ...]:
        return self.protocol._named

    @property
    def _price(self) -> tuple[float, str]:
        return self.protocol.report_epsilon, type(self.protocol).__name__

    @property
    def _again(self) -> tuple[str, str]:
        rule = f"must ask a group in which this user has yet to report ({self._left})"
        return "asked", rule

    def report(self, items: object, asked: CandidateRound) -> Reports:
        """This user's report in a round.

        Args:
            items: a list, tuple, set or array of different integers in 0..k-1; it may be empty.
            asked: the round as it was published; its candidates may be any.

        Raises:
            DomainError: no such set; no item is shown, and nothing is drawn then.
            ParameterError: the round asks others, another price or other items; there was a report
                in it already; or the book refuses. It is so whatever the set is, and nothing is
                drawn then.
            OSError: the book cannot be written; nothing is drawn then.
        """
        check_kind("asked", asked, CandidateRound)
        mine = self.protocol
        for name, own in (("items", mine.k), ("epsilon", mine.report_epsilon)):
            if getattr(asked, name) != own:
                raise ParameterError("asked", f"must have {name} {own}", getattr(asked, name))
        with self._one_report(asked.group):
            held = asked.held([items], "items")
        return asked._reports(held, self._source)
