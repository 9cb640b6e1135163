"""Prefix rounds: prefix extending in rounds, whose users say "none of these" where that is so.

Declared in `spec/protocols/prefix_rounds.py`. Users are in public groups, one for each round. The
server publishes a round: its number, and the prefixes that were kept. Users of the first group
report on the bucket of the first bits of their value. Those of later ones report on "none" or on
the bucket of longer prefixes, and those who confirm on the place of their value in a short list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ldp_verified.errors import ParameterError, ReportError, check_kind
from ldp_verified.protocols.collisions import others_reach, share_above
from ldp_verified.protocols.hashed_values import HashedValues
from ldp_verified.protocols.planned import Planned, share_of
from ldp_verified.protocols.predicted import EVEN, evenly_found, pooled_stages, stage_of
from ldp_verified.protocols.prefix_cohorts import LARGEST_SEED, MOST_COHORTS, plan_kept
from ldp_verified.protocols.prefix_round import (
    USUAL_SHARE,
    InRounds,
    PrefixRound,
    best_grouped,
    best_hashed,
)
from ldp_verified.protocols.prefix_round_client import PrefixRoundClient
from ldp_verified.protocols.prefix_round_state import RoundState
from ldp_verified.protocols.prefix_search import KeptPrefixes, largest, pooled_shares
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.wide import MOST_EXTENSION, MOST_SHARED, WIDTH
from ldp_verified.run.realize.parameters import check_integer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.protocols.spending import SpendingBook
    from ldp_verified.run.aggregate.estimate import Estimate
    from ldp_verified.run.aggregate.influence import Influence
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng

FIRST_WEIGHT, WEIGHT, FINDING, COINS = 5, 4, 9, 10
"""Of 10 users 9 find: 5 of them at the first level for each 4 at another one. The rest confirm."""

MOST_TOP = 1 << 11
"""Values that are named, at most; twice as many stand in the list that is confirmed."""


@dataclass(frozen=True)
class PrefixRounds(Planned, HashedValues, InRounds):
    """The protocol at its parameters.

    Attributes:
        epsilon: of one user's whole transcript, a number > 0.
        bits: None for strings of up to 15 bytes in UTF-8; else values are integers below 2^bits,
            with bits in 2..128.
        top: values that are named, at most, 1..2048. The confirming users are asked about twice as
            many.
        first: bits of the first prefixes, 1..24. step: bits by which they are extended then, 1..20;
            None for 12, and above 64 bits for 16.
        cohorts: functions of each level's list, 1..65536. seed: from which the lists are made,
            public and fixed before anybody reports.

    Raises:
        ParameterError: a parameter is out of range.
    """

    epsilon: float
    bits: int | None = None
    top: int = 16
    first: int = 24
    step: int | None = None
    cohorts: int = 8192
    seed: int = 0

    law_sha256: ClassVar[str] = "9c70533710065c9fd7bf3db6bdc3d7f17fa7dded68b41f0944d8e5207874b71a"

    def __post_init__(self) -> None:
        """Check the parameters, and that they can be realized."""
        self._check_values()
        if self.step is None:
            object.__setattr__(self, "step", 12 if self.width <= 64 else 16)
        for name, least, most in (
            ("top", 1, MOST_TOP),
            ("first", 1, MOST_SHARED),
            ("step", 1, MOST_EXTENSION),
            ("cohorts", 1, MOST_COHORTS),
            ("seed", 0, LARGEST_SEED),
        ):
            object.__setattr__(self, name, check_integer(name, getattr(self, name), least, most))
        self._randomizer  # noqa: B018  (what cannot be realized is refused here)

    @property
    def extension(self) -> int:
        """The bits by which prefixes are extended."""
        assert self.step is not None
        return int(self.step)

    @property
    def _own_items(self) -> dict[str, float | int | str]:
        return {
            "cohorts": self.cohorts,
            "first": self.first,
            "seed": self.seed,
            "step": self.extension,
            "top": self.top,
        }

    @cached_property
    def buckets(self) -> int:
        """The buckets g of the first level: a power of 2 up to 64, the one of least variance."""
        return best_grouped(self.epsilon)

    @cached_property
    def hashed(self) -> int:
        """The buckets of later levels, beside "none"."""
        return best_hashed(self.epsilon)

    @property
    def realized_epsilon(self) -> float:
        """A bound of a user's whole transcript; each round has a realized epsilon of its own."""
        return self.epsilon

    @property
    def kept(self) -> int:
        """Prefixes that are kept at a level, and published: at least as many as are confirmed."""
        return max(plan_kept(self.extension), self.listed)

    @property
    def listed(self) -> int:
        """Return the largest number of values that the confirming users are asked about."""
        return min(2 * self.top, 1 << min(self.width, 20))

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Bits of the prefixes of each level."""
        return (*range(self.first, self.width, self.extension), self.width)

    @property
    def levels(self) -> int:
        """The number of rounds that find values; the round of this number confirms them."""
        return len(self.lengths)

    @property
    def rounds(self) -> int:
        """The number of rounds, each of which asks one group."""
        return self.levels + 1

    @property
    def _weights(self) -> int:
        return FIRST_WEIGHT + WEIGHT * (self.levels - 1)

    @property
    def confirming(self) -> Fraction:
        """The chance that a user is in the group of the last round."""
        return 1 - Fraction(FINDING, COINS)

    def influence(self) -> Influence:
        """Return what one user, honest or not, can add to the estimated count of a value: attained.

        Where the last round asks about as many values as it may; with fewer it is less. See
        `PrefixRound.influence`. It is on the counts, not on which values are found.
        """
        return self.largest(self.levels).influence()

    def share(self, number: int) -> float:
        """The share of users in the group of a round."""
        if number == self.levels:
            return float(self.confirming)
        weight = FIRST_WEIGHT if number == 0 else WEIGHT
        return FINDING / COINS * weight / self._weights

    def draw_groups(self, n: int, source: WordSource) -> NDArray[np.int64]:
        """The group of each of n users, int64 (n,), drawn without looking at any value.

        Args:
            n: number of users. source: of random words.
        """
        coins = uniform_numbers(n, COINS * self._weights, source)
        found = np.maximum(coins - FINDING * FIRST_WEIGHT, -1) // (FINDING * WEIGHT) + 1
        return np.asarray(np.minimum(found, self.levels), dtype=np.int64)

    def round(self, *states: RoundState) -> PrefixRound:
        """The round that is next, as the server publishes it.

        Args:
            states: of the rounds before, in order, each of all reports that are to count.

        Raises:
            ParameterError: a state is of another round, or there is no further round.
            ReportError: a round had no report, or none of what was found is a value.
        """
        if len(states) > self.levels:
            raise ParameterError(
                "states", f"must be those of at most {self.levels} rounds", len(states)
            )
        return self._after(states)[0]

    def _after(self, states: tuple[RoundState, ...]) -> tuple[PrefixRound, KeptPrefixes]:
        """(the round after those of the states, what is known of its prefixes)."""
        asked, kept = PrefixRound(self, 0), KeptPrefixes.nothing()
        for state in states:
            check_kind("state", state, RoundState)
            asked.check(state.asked)
            asked, kept = self._next(state, kept)
        return asked, kept

    def _next(self, state: RoundState, kept: KeptPrefixes) -> tuple[PrefixRound, KeptPrefixes]:
        """The round after the one of a state, where `kept` is what that one published."""
        kept, number = state.searched(kept), state.asked.number + 1
        if number == self.levels:
            # Where values are strings, most of what noise makes up is no string.
            values = enumerate(kept.prefixes)
            named = [place for place, value in values if self.decode(value) is not None]
            kept = kept.taken(named[: self.listed])
            if not named:
                raise self._nothing(state.n)
        return PrefixRound.of(self, number, kept.prefixes), kept

    def _nothing(self, n: int) -> ReportError:
        rule = f"holds no value that stands out; one in ten users {self.one_in_ten()}"
        return ReportError("state", rule, n)

    def client(
        self, group: int | None = None, rng: Rng = None, book: SpendingBook | None = None
    ) -> PrefixRoundClient:
        """One user's side, in a group drawn now, or in the one that the public plan says.

        Args:
            group: the public group; None to draw it.
            rng: None for the secure source; a seed or generator is for simulation.
            book: what the user has spent on all protocols; None where nobody keeps count.
        """
        return PrefixRoundClient(self, group, rng, book)

    def counted(self, *states: RoundState) -> Estimate:
        """Counts of all values that the confirming users were asked about, most frequent first.

        The order is that of the finding rounds. The confirming users have no say in which values
        these are, so their counts are not biased by selection.

        Args:
            states: of all rounds, in order.

        Raises:
            ParameterError: a state is of another round, or there are not as many.
            ReportError: a round had no report, or nothing was found.
        """
        asked, _ = self._asked_last(states)
        return self._counts(states, range(len(asked.published)))

    def found(self, *states: RoundState) -> Estimate:
        """Values that many users hold, most frequent first by the reports of all rounds.

        Of the values that `counted` counts, those whose counts exceed a standard error, at most
        `top`; about one in six of those that nobody holds does. So the confirming users choose too,
        and counts are too high: of s values among c, by about sqrt(2 ln(c / s)) standard errors on
        average at most, to the normal approximation. `counted` has counts without this bias.

        Args:
            states: of all rounds, in order.

        Raises:
            ParameterError: a state is of another round, or there are not as many.
            ReportError: a round had no report, or no count exceeds a standard error; the message
                says how many users would do.
        """
        return self._best(states, self._asked_last(states)[1])

    def _best(self, states: tuple[RoundState, ...], kept: KeptPrefixes) -> Estimate:
        """Estimate those of the last round's values that all reports speak for."""
        shares, variance = states[-1].confirmed()
        error = variance**0.5
        pooled = pooled_shares(shares, 1 / variance, kept.scores, kept.precision, error)
        order = largest(pooled, len(shares))
        chosen = order[shares[order] > error][: self.top]
        if not len(chosen):
            raise self._nothing(sum(state.n for state in states))
        return self._counts(states, chosen.tolist())

    def _asked_last(self, states: tuple[RoundState, ...]) -> tuple[PrefixRound, KeptPrefixes]:
        """(the confirming round, what is known of its values)."""
        if len(states) != self.rounds:
            raise ParameterError("states", f"must be those of {self.rounds} rounds", len(states))
        asked, kept = self._after(states[:-1])
        check_kind("state", states[-1], RoundState)
        asked.check(states[-1].asked)
        return asked, kept

    @staticmethod
    def _counts(states: tuple[RoundState, ...], places: range | list[int]) -> Estimate:
        return states[-1].estimates(sum(state.n for state in states), list(places))

    def mine(self, values: object, counts: object = None, rng: Rng = None) -> Estimate:
        """Ask a population, round after round, and name what many of them hold: see `found`.

        Args:
            values: strings, or integers where `bits` was given. counts: how many users hold each;
                None where each stands for one user.
            rng: None for the secure source; a seed or generator is for simulation, and marks what
                is found.

        Raises:
            DomainError: no value, or one outside the domain; nothing is drawn then.
            ParameterError: counts that do not fit, or so few users that nothing can be found.
            ReportError: as `found`.
        """
        states, kept = self._asked_all(values, counts, rng)
        return self._best(states, kept)

    def simulate(
        self, values: object, counts: object = None, rng: Rng = None
    ) -> tuple[RoundState, ...]:
        """The states of all rounds of a population; arguments and errors as for `mine`."""
        return self._asked_all(values, counts, rng)[0]

    def _asked_all(
        self, values: object, counts: object, rng: Rng
    ) -> tuple[tuple[RoundState, ...], KeptPrefixes]:
        """(the states of all rounds, what is known of the values of the last one)."""
        encoded = self.encode(values) if counts is None else self.population(values, counts)
        self.refuse_hopeless(len(encoded))
        source = word_source(rng, "mine", *self.identity.named)
        groups = self.draw_groups(len(encoded), source)
        states: list[RoundState] = []
        asked, kept = PrefixRound(self, 0), KeptPrefixes.nothing()
        for number in range(self.rounds):
            own = encoded[groups == number]
            state = RoundState(asked, bool(source.simulated))
            if len(own):
                state.update(asked._reports(own, source))
            states.append(state)
            if number < self.levels:
                asked, kept = self._next(state, kept)
        return tuple(states), kept

    # --- plans -------------------------------------------------------------------------------

    def detectable_share(self, n: int, miss: float = 1e-3) -> float:
        """A share at which a value outranks all that nobody holds in every round; `inf` if none.

        It holds whatever users hold and whatever else is published, see `others_reach` and
        `share_above`; sizes of groups are bounded by Bernstein's inequality. That the public
        functions are as good as random ones and chosen without a look at the values is assumed. A
        value at that share is left out only where others that users hold have larger scores and
        take all places.

        Args:
            n: number of users.
            miss: chance, at most, that such a value is outranked, in (0, 1). A half is of the sizes
                of groups.

        Raises:
            ParameterError: n is no positive integer, or miss is not between 0 and 1.
        """
        users = self.check_plan(n, miss)
        chance = miss / (2 * self.rounds)
        drawn = [self.fewest_drawn(users, self.share(i), chance) for i in range(self.rounds)]
        if min(drawn) == 0:
            return math.inf
        asked = map(self.largest, range(self.rounds))
        rounds = [(m, each.candidates, each.chances) for m, each in zip(drawn, asked, strict=True)]
        # Scores of the first rounds count in later ones: they have to be above the others' there.
        others = max(others_reach(m, chance, many, of) for m, many, of in rounds)
        return share_of(max(share_above(others, m, chance, of) for m, _, of in rounds))

    def predicted_share(self, n: int) -> float:
        """A share of the users that is found about every second time: no bound; `inf` if none is.

        In every round that finds, its score has to exceed what noise reaches, and its count a
        standard error in the last one, by `mine` at `top`: see `predicted`.

        Args:
            n: number of users.

        Raises:
            ParameterError: n is no positive integer.
        """
        users = self.check_plan(n, EVEN)
        own, inside = [], USUAL_SHARE
        for number in range(self.rounds):
            asked, m = self.largest(number), self.share(number) * users
            variances = asked.spread(inside), asked.variance_held
            inside = min(max(self.kept / asked.candidates, USUAL_SHARE), 1.0)
            own.append(stage_of(users, m, variances, reach=1.0))
        finding = pooled_stages(own[:-1], self.lengths, self.kept, self.listed)
        return evenly_found([*finding, own[-1]])

    def largest(self, number: int) -> PrefixRound:
        """The round of this number; the last one asks about as many values as it may."""
        listed = self.listed if number == self.levels else 0
        return PrefixRound(self, number, tuple(i << (WIDTH - self.width) for i in range(listed)))
