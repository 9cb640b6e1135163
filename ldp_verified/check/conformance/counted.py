"""Decide whether a declared estimator of counts is unbiased, over groups, coins and functions.

The declaration alone is looked at: no report is drawn, and no class is generated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import ParameterError, SpecError
from ldp_verified.generate.terms import HELPERS, SETS, term
from ldp_verified.language.protocol import coin, draw, group, published, thing, turn, x
from ldp_verified.protocols import exact_sets, exact_terms

if TYPE_CHECKING:
    from ldp_verified.language.protocol import Protocol

MOST = 1 << 12
"""Functions, histories and coins that are listed, at most."""

HISTORIES = 32
"""The most published histories that are looked at: all of them, or this many evenly spaced ones."""

_SPACE = {name: getattr(exact_terms, name) for name in HELPERS}
_SPACE |= {name: getattr(exact_sets, name) for name in SETS.values()} | {"Fraction": Fraction}
_SYMBOLS = {x: "x", group: "group", coin: "coin", draw: "draw", thing: "thing", turn: "turn"}
_SYMBOLS |= {published: "published"}


@dataclass(frozen=True)
class UnbiasedCount:
    """The estimator is unbiased at the sizes that were tried, and its functions add what they may.

    Attributes:
        functions, histories, pairs: public functions, published numbers, and pairs of a user's
            value and of what is counted.
        collisions: the largest variance that functions add to a count, over n^2.
    """

    functions: int
    histories: int
    pairs: int
    collisions: Fraction


@dataclass(frozen=True)
class Held:
    """Users who all hold one value, and how often their reports that count are on two things.

    Attributes:
        value: of the users. history: what was published before; None for nothing.
        looked: (thing, whether they hold it, chance that a report that counts is on it).
    """

    value: int
    history: int | None
    looked: tuple[tuple[int, bool, Fraction], ...]


class Estimated:
    """The estimator that a protocol declares, at parameters.

    Args:
        declared: the protocol. arguments: all of its parameters, by name.

    Raises:
        SpecError: it declares none. ParameterError: too much to be listed; or nobody counts.
    """

    def __init__(self, declared: Protocol, arguments: Mapping[str, Any]) -> None:
        if declared.counted is None:
            raise SpecError("counted", "must be declared", declared.name)
        self.declared, self.own = declared, declared.counted
        self.point = {
            f"own_{i}": (int if p.domain.integer else Fraction)(arguments[p.name])
            for i, p in enumerate(declared.parameters)
        }
        self.sent = declared.rounds[self.own.round].sends[self.own.send]
        self.values = self._number(declared.values)
        self.things = self.values if self.own.things is None else self._number(self.own.things)
        self.shares = self._groups()
        if max(self.values, self.things) > MOST:
            raise ParameterError("values", f"must be at most {MOST}, which are listed", self.values)
        self._of = self._compiled(self.sent.of)
        self._target = self._compiled(self.sent.of if self.own.of is None else self.own.of)
        self._held = self._compiled(sympy.Eq(x, thing) if self.own.held is None else self.own.held)
        self._within = self._compiled(self.own.within)
        self._draws = self._compiled(self.sent.draws)

    def _compiled(self, value: Any) -> Callable[..., Any]:
        names = {p: f"own_{i}" for i, p in enumerate(self.declared.parameters)}
        text = term(value, names | _SYMBOLS, "counted")
        code = compile(text, "<declared>", "eval")
        return lambda **known: eval(code, _SPACE, self.point | known)

    def _number(self, value: Any, **known: int) -> int:
        return exact_terms.whole("counted", self._compiled(value)(**known))

    def _groups(self) -> dict[int, Fraction]:
        """The shares of the groups that count, among all users."""
        split = self.declared.groups
        found: dict[int, Fraction] = {0: Fraction(1)}
        if split is not None:
            coins = self._number(split.count if split.coins is None else split.coins)
            if coins > MOST:
                raise ParameterError("groups", f"must leave at most {MOST} coins", coins)
            found, of = {}, self._compiled(split.of)
            for each in range(coins):
                own = exact_terms.whole("group", of(coin=each))
                found[own] = found.get(own, Fraction(0)) + Fraction(1, coins)
        counts = self._compiled(self.own.where)
        inside = {own: share for own, share in found.items() if counts(group=own)}
        speaks = self.declared.rounds[self.own.round].speaks
        inside = {own: s for own, s in inside.items() if speaks in (None, own)}
        if not inside:
            raise ParameterError("counted.where", "must hold for a group that users are in")
        return inside

    @property
    def share(self) -> Fraction:
        """The share of the users whose reports count."""
        return sum(self.shares.values(), Fraction(0))

    @property
    def chances(self) -> tuple[Fraction, Fraction]:
        """(1/places, alike), of a report on what is held, and on what is not."""
        places = self._compiled(self.own.places)()
        return Fraction(1) / places, Fraction(self._compiled(self.own.alike)())

    def histories(self) -> list[int | None]:
        """Return numbers that may have been published before: the first, the last, some between."""
        earlier = [e.publishes for e in self.declared.rounds[: self.own.round]]
        told = [each.below for each in earlier if each is not None and each.below is not None]
        if not told:
            return [None]
        end = self._number(told[-1], group=min(self.shares))
        if end <= HISTORIES:
            return [*range(end)]
        return [int(i * (end - 1)) // (HISTORIES - 1) for i in range(HISTORIES)]

    def on(self, value: int, what: int, history: int | None) -> Fraction:
        """The chance that a report that counts is on a thing, at the functions of the moment."""
        seen = {} if history is None else {"published": history}
        found = Fraction(0)
        for own, share in self.shares.items():
            place = {"group": own, "turn": 0, **seen}
            draws = exact_terms.whole("draws", self._draws(**place))
            if draws > MOST:
                raise ParameterError("draws", f"must leave at most {MOST} coins of a user", draws)
            wanted = self._target(**place, x=what, thing=what, draw=0)
            hits = sum(self._of(**place, x=value, draw=each) == wanted for each in range(draws))
            found += share * Fraction(hits, draws)
        return found / self.share

    def holds(self, value: int, what: int, history: int | None) -> bool:
        """Return whether a user with a value holds a thing."""
        seen = {} if history is None else {"published": history}
        return bool(self._held(x=value, thing=what, **seen))

    def within(self, value: int, history: int | None) -> bool:
        """Return whether counts are said to be unbiased for users with this value."""
        seen = {} if history is None else {"published": history}
        return bool(self._within(x=value, **seen))

    def functions(self) -> Iterator[None]:
        """Go through all public functions; afterwards they are what they were.

        Raises:
            ParameterError: there are too many.
        """
        names = [f"own_{self.declared.parameters.index(p)}" for p in self.own.over]
        sizes = [self._number(number) for number in self.own.over.values()]
        if math.prod(sizes) > MOST:
            rule = f"must be at most {MOST}, which are listed: give smaller sizes by --set"
            raise ParameterError("counted.over", rule, math.prod(sizes).bit_length())
        before = self.point
        for numbers in product(*map(range, sizes)):
            self.point = before | dict(zip(names, numbers, strict=True))
            yield
        self.point = before

    def population(self) -> Held:
        """Users of one value, who hold something that is counted and lack something else."""
        best: Held | None = None
        for history in self.histories():
            for value in range(self.values - 1, -1, -1):
                if not self.within(value, history):
                    continue
                kinds: dict[bool, int] = {}
                for what in range(self.things):
                    kinds.setdefault(self.holds(value, what, history), what)
                looked = tuple((w, h, self.on(value, w, history)) for h, w in kinds.items())
                if best is None or len(looked) > len(best.looked):
                    best = Held(value, history, looked)
                if len(looked) == 2:
                    return best
        if best is None:
            raise ParameterError("counted.within", "must hold for a value at these parameters")
        return best

    def check(self) -> UnbiasedCount:
        """Look at all functions, histories, values and things.

        Raises:
            SpecError: a count is biased, or the functions add more to its variance than is said.
            ParameterError: too much to be listed.
        """
        inside, alike = self.chances
        most = Fraction(self._compiled(self.own.collisions)())
        histories = self.histories()
        cases = [
            (value, what, history)
            for history in histories
            for value in range(self.values)
            if self.within(value, history)
            for what in range(self.things)
        ]
        found: list[list[Fraction]] = [[] for _ in cases]
        number = 0
        for _ in self.functions():
            number += 1
            for chances, case in zip(found, cases, strict=True):
                chances.append(self.on(*case))
        worst = Fraction(0)
        for chances, case in zip(found, cases, strict=True):
            mean = sum(chances, Fraction(0)) / number
            wanted = inside if self.holds(*case) else alike
            if mean != wanted:
                rule = (
                    f"must be unbiased: a report of a user of value {case[0]} is on {case[1]} with "
                    f"the chance {mean}, where {wanted} is declared"
                )
                raise SpecError("counted", rule, self.declared.name)
            spread = sum(((c - mean) ** 2 for c in chances), Fraction(0)) / number
            worst = max(worst, spread / (inside - alike) ** 2)
        if worst > most:
            rule = f"must be at least {worst}, by users who all hold one value"
            raise SpecError("counted.collisions", rule, str(most))
        return UnbiasedCount(number, len(histories), len(cases), worst)
