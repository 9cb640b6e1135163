"""Protocols that `generate` writes from a declaration: the user's side.

The generated class says in exact arithmetic what the declaration says: how groups are drawn, what a
report is about, and by which randomizer of the catalogue it is drawn. All else is here. A domain is
as large as the randomizers at its places allow.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.protocols.declared_client import MOST_VALUE, DeclaredClient
from ldp_verified.protocols.declared_counts import StatePart
from ldp_verified.protocols.declared_state import (
    Answerable,
    DeclaredReports,
    DeclaredState,
    StatePlace,
)
from ldp_verified.protocols.exact_terms import Number, at_least, whole
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.run.aggregate.identity import Identity, Scalar
from ldp_verified.run.aggregate.reports import Reports
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.parameters import check_epsilon, check_integer
from ldp_verified.scalars import nearest_float

if TYPE_CHECKING:
    from typing import SupportsIndex

    from ldp_verified.protocols.spending import SpendingBook
    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Randomizer

    Rng = SupportsIndex | np.random.Generator | WordSource | None

__all__ = ["MOST_VALUE", "AskedRound", "DeclaredProtocol", "StatePlace"]

Rule = tuple[str, str, bool, Callable[[Mapping[str, Number]], bool]]
"""(parameter, its domain in words, whether it is an integer, whether a number is inside)."""


@dataclass(frozen=True)
class AskedRound:
    """A round as it was declared.

    Attributes:
        sends: how many reports are declared in it. speaks: the group whose users send; None for
            all. either: whether the server says in public which one of the reports is sent.
        publishes: whether a number is published after it.
    """

    sends: int
    speaks: int | None = None
    either: bool = False
    publishes: bool = False


class DeclaredProtocol(Answerable, ABC):
    """The base of generated protocols: see `ldp_verified.language.protocol` for the words.

    Attributes:
        law_sha256: of the declaration that it was generated from, without its prose.
        asks: the declared rounds. counted: (round, report) that values are counted by; None where
            the declaration does not say.
    """

    law_sha256: ClassVar[str]
    asks: ClassVar[tuple[AskedRound, ...]]
    counted: ClassVar[tuple[int, int] | None] = None

    # --- what the generated class says --------------------------------------------------------

    @property
    @abstractmethod
    def value_count(self) -> Number:
        """The number of values."""

    @property
    @abstractmethod
    def group_count(self) -> Number:
        """The number of groups."""

    @property
    @abstractmethod
    def coin_count(self) -> Number:
        """The number of equally likely coins, of which the group is a function."""

    @property
    @abstractmethod
    def cost(self) -> Number:
        """Epsilon of one user's whole transcript, as declared."""

    @abstractmethod
    def group_of(self, coin: int) -> Number:
        """The group that a coin gives."""

    @abstractmethod
    def times(self, number: int) -> Number:
        """How often a declared round takes place."""

    @abstractmethod
    def randomizer(self, place: StatePlace) -> Randomizer:
        """The randomizer of a report."""

    @abstractmethod
    def input_of(self, place: StatePlace, x: int, draw: int) -> Number:
        """Return what a report is about, for a value and a coin of the user's own."""

    @abstractmethod
    def draws(self, place: StatePlace) -> Number:
        """Return how many equally likely coins of the user's own there are for a report."""

    @abstractmethod
    def published_below(self, number: int, group: int) -> Number:
        """The end of the numbers that are published after a round."""

    def counts_in(self, group: int) -> bool:
        """Return whether the reports of this group count values."""
        del group
        return True

    @property
    def alike(self) -> Number:
        """The chance, over public functions, that another value has the same input."""
        return 0

    @property
    def collisions(self) -> Number:
        """The variance that public functions add to a count, at most, over n^2."""
        return 0

    @property
    def counted_count(self) -> Number:
        """The number of things that are counted: the values, or what users have sets of."""
        return self.value_count

    def counted_input(self, place: StatePlace, thing: int) -> Number:
        """Return what a report on a thing is about."""
        return self.input_of(place, thing, 0)

    @property
    def places(self) -> Number:
        """The number of places that a user's report is on, each with one chance."""
        return 1

    # --- parameters ---------------------------------------------------------------------------

    def _check(self, rules: Sequence[Rule]) -> None:
        """Check the parameters in order, and that the domain and the split can be run.

        Raises:
            ParameterError: one is out of range.
        """
        own: dict[str, Number] = {}
        for name, words, integer, inside in rules:
            given = getattr(self, name)
            if integer:
                number: int | float = check_integer(name, given, -MOST_VALUE, MOST_VALUE)
            else:
                number = _real(name, given)
            object.__setattr__(self, name, number)
            own[name] = number if isinstance(number, int) else Fraction(number)
            if not inside(own):
                raise ParameterError(name, f"must be {words}", given)
        for what in ("value_count", "group_count", "coin_count"):
            if whole(what, getattr(self, what)) < 1:
                raise ParameterError(what, "must be at least 1 at these parameters")
        check_epsilon(self.epsilon)

    @property
    def epsilon(self) -> float:
        """Epsilon of one user's whole transcript, as declared, rounded up."""
        return at_least(self.cost)

    @property
    def identity(self) -> Identity:
        """The identity that reports and states must share with this protocol."""
        own = ((f.name, getattr(self, f.name)) for f in fields(cast("Any", self)))
        items: list[tuple[str, Scalar]] = [
            (name, str(value) if isinstance(value, int) else value) for name, value in own
        ]
        return Identity(type(self).__name__, (*sorted(items),), self.law_sha256, ())

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """(declared round, turn) of each round that takes place."""
        return tuple(
            (number, turn)
            for number in range(len(self.asks))
            for turn in range(whole("times", self.times(number)))
        )

    def speaks(self, step: int, group: int) -> bool:
        """Return whether users of a group send something in a round."""
        own = self.asks[self.steps[step][0]].speaks
        return own is None or own == group

    # --- users --------------------------------------------------------------------------------

    def client(
        self, group: int | None = None, rng: Rng = None, book: SpendingBook | None = None
    ) -> DeclaredClient:
        """One user's side, in a group drawn now, or in the one that the public plan says."""
        return DeclaredClient(self, group, rng, book)

    def empty(self, simulated: bool = False) -> DeclaredState:
        """A state that has seen no report."""
        return DeclaredState(self, simulated)

    def draw_groups(self, n: int, source: WordSource) -> list[int]:
        """The group of each of n users, drawn without looking at any value."""
        coins = uniform(n, whole("coin_count", self.coin_count), source)
        known: dict[int, int] = {}
        for coin in coins:
            if coin not in known:
                known[coin] = self._group(self.group_of(coin))
        return [known[coin] for coin in coins]

    def _group(self, number: Number) -> int:
        group, count = whole("group", number), whole("group_count", self.group_count)
        return check_integer("group", group, 0, count - 1)

    def privatize(
        self,
        values: Sequence[int],
        rng: Rng = None,
        *,
        step: int = 0,
        groups: Sequence[int] | None = None,
        published: int | None = None,
        which: int | None = None,
    ) -> DeclaredReports:
        """All that several users send in one round.

        Args:
            values: integers of the domain. rng: None for the secure source; a seed or generator is
                for simulation, and marks the reports.
            step: of the rounds that take place, from 0.
            groups: of the users; None draws them now, in the first round only.
            published: what the server published before this round, where it is a number.
            which: of a round with `either`, the report that the server asks for.

        Raises:
            DomainError: no value, or one outside the domain; nothing is drawn then.
            ParameterError: another argument does not fit.
        """
        known = self.check_values(values)
        source = word_source(rng, "privatize", *self.identity.named, step)
        self.check_step(step)
        if groups is None:
            if step:
                raise ParameterError("groups", "must be those of the first round")
            own = self.draw_groups(len(known), source)
        else:
            own = [self._group(group) for group in groups]
            if len(own) != len(known):
                raise ParameterError("groups", "must be one for each value", len(own))
        return self._reports(known, own, step, published, which, source)

    def check_values(self, values: Sequence[int], argument: str = "values") -> list[int]:
        """The values as integers.

        Raises:
            DomainError: there is none, or one outside the domain; it is not shown.
        """
        return integers(argument, values, whole("value_count", self.value_count))

    def check_counted(self, values: Sequence[int]) -> list[int]:
        """Values, or things, whose counts are asked for, as integers.

        Raises:
            DomainError: there is none, or one outside the domain.
        """
        return integers("values", values, whole("counted_count", self.counted_count))

    def check_step(self, step: object) -> int:
        """The number of a round that takes place.

        Raises:
            ParameterError: there is none.
        """
        return check_integer("step", step, 0, len(self.steps) - 1)

    def _check_public(self, step: int, group: int, published: object, which: object) -> None:
        number, _ = self.steps[step]
        before = [earlier for earlier, _ in self.steps[:step] if self.asks[earlier].publishes]
        if published is not None:
            if not before:
                raise ParameterError("published", "must be None: nothing was published", published)
            end = whole("published", self.published_below(before[-1], group))
            check_integer("published", published, 0, end - 1)
        if not self.asks[number].either:
            if which is not None:
                raise ParameterError("which", "must be None: users send all reports", which)
        else:
            check_integer("which", which, 0, self.asks[number].sends - 1)

    def _reports(
        self,
        values: list[int],
        groups: list[int],
        step: int,
        published: int | None,
        which: int | None,
        source: WordSource,
    ) -> DeclaredReports:
        number, turn = self.steps[step]
        sends = range(self.asks[number].sends) if which is None else [which]
        drawn: list[tuple[StatePart, Reports]] = []
        for group in sorted(set(groups)):
            self._check_public(step, group, published, which)
            if not self.speaks(step, group):
                continue
            members = [place for place, own in enumerate(groups) if own == group]
            for send in sends:
                place = StatePlace(number, turn, send, group, published)
                randomizer = self.randomizer(place)
                count = whole("draws", self.draws(place))
                draws = uniform(len(members), count, source) if count > 1 else [0] * len(members)
                pairs = [(values[m], draw) for m, draw in zip(members, draws, strict=True)]
                inputs = {pair: self._input(place, *pair) for pair in dict.fromkeys(pairs)}
                taken = np.array([inputs[pair] for pair in pairs], dtype=np.int64)
                data = randomizer.sampler().draw(self._inside(randomizer, taken), source)
                reports = Reports(data, randomizer.identity, bool(source.simulated))
                drawn.append((StatePart(step, published, group, send), reports))
        users = sum(self.speaks(step, group) for group in groups)
        return DeclaredReports(
            self.identity, step, published, tuple(groups), users, (*drawn,), bool(source.simulated)
        )

    def _input(self, place: StatePlace, x: int, draw: int) -> int:
        return whole("input", self.input_of(place, x, draw))

    @staticmethod
    def _inside(randomizer: Randomizer, inputs: Any) -> Any:
        """Return the inputs if the randomizer has them; the error names none of them."""
        if len(inputs) and not 0 <= int(inputs.min()) <= int(inputs.max()) < randomizer.k:
            rule = f"must be inputs of {type(randomizer).__name__}: the declaration gives others"
            raise DomainError("values", rule)
        return inputs


def integers(argument: str, values: Sequence[int], end: int) -> list[int]:
    """Several integers in 0..end - 1, which are not shown.

    Raises:
        DomainError: there is none, or one outside.
    """
    found = []
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise DomainError(argument, "must be integers", type(value))
        if not 0 <= int(value) < end:
            raise DomainError(argument, f"must be in 0..{end - 1}")
        found.append(int(value))
    if not found:
        raise DomainError(argument, "must be one value or more")
    return found


def _real(name: str, given: object) -> float:
    """A finite number."""
    if isinstance(given, bool) or not isinstance(given, int | float | Fraction | np.number):
        raise ParameterError(name, "must be a number", given)
    found = nearest_float(given)
    if not math.isfinite(found):
        raise ParameterError(name, "must be finite", given)
    return found


def uniform(n: int, count: int, source: WordSource) -> list[int]:
    """Draw `n` uniform integers below `count`, which may be of any size."""
    if count < 1 << 62:
        found: list[int] = uniform_numbers(n, count, source).tolist()
        return found
    words = -(-(count - 1).bit_length() // 64)
    large: list[int] = []
    mask = (1 << (count - 1).bit_length()) - 1
    while len(large) < n:
        number = 0
        for word in source.words(words):
            number = number << 64 | int(word)
        if number & mask < count:
            large.append(number & mask)
    return large
