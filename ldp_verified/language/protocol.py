"""The vocabulary of protocol files: who sends what in which round, read like the paper's box.

A declaration uses the symbols below. `x` is the user's value. `group` is the group that they are
in, and `coin` the public randomness that groups are drawn with. `published` is what the server
published before this round: any element of the declared type, also what a malicious server makes
up. `turn` is the number of the round among those that are repeated. `draw` is a coin of the user's
own, which nobody is told. `thing` is one of what users may hold, where sets are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language import structures
from ldp_verified.language.declarations import note
from ldp_verified.language.expressions import in_all_cases
from ldp_verified.language.mechanism import Mechanism
from ldp_verified.language.names import check_word
from ldp_verified.language.privacy import LDP
from ldp_verified.language.protocol_law import protocol_law

x = sympy.Symbol("x", integer=True, nonnegative=True)
group = sympy.Symbol("group", integer=True, nonnegative=True)
coin = sympy.Symbol("coin", integer=True, nonnegative=True)
published = sympy.Symbol("published", integer=True, nonnegative=True)
turn = sympy.Symbol("turn", integer=True, nonnegative=True)
draw = sympy.Symbol("draw", integer=True, nonnegative=True)
thing = sympy.Symbol("thing", integer=True, nonnegative=True)

_PRIVATE = frozenset({x})


def prefix(value: Any, length: Any, bits: Any) -> Any:
    """The first `length` of the `bits` bits of an integer, as an integer."""
    return sympy.floor(value / 2 ** (sympy.sympify(bits) - length))


def public_function(number: Any, value: Any, size: Any) -> Any:
    """The value of a public function to 0..size - 1: digit `value` of `number` in base `size`.

    Each number below size^values is one function of 0..values - 1, so any function can be meant.
    """
    return sympy.Mod(sympy.floor(number / sympy.sympify(size) ** value), size)


@dataclass(frozen=True)
class Groups:
    """How users are split: each is in one group, and which one is public.

    Attributes:
        count: how many groups there are.
        of: the group as an expression in `coin`, uniform among so many numbers; it must not look at
            the value.
        coins: how many equally likely coins there are; None for `count`.
    """

    count: Any
    of: Any = coin
    coins: Any = None


@dataclass(frozen=True)
class Sends:
    """One report of a user: a randomizer of the catalogue on a function of value and history.

    Attributes:
        randomizer: the mechanism; its price is the epsilon of its first `LDP` claim without delta.
        of: its input, an expression in x, group, turn, published and draw.
        at: parameters of the randomizer -> expressions in the protocol's; nothing private.
        draws: how many numbers `draw` is uniform among; it is drawn anew for each report.
        most: no input is drawn with a chance above this, whatever the value is. Below 1 the
            randomizer must be k-ary randomized response, where the price is less for it.
        rest, leaves: how often the input may be another one than `rest`, which is public: the user
            counts, and reports on `rest` from then on. None where it may be in every turn.
        asked: in how many turns at most the server asks for the report, in public and as it likes;
            the user answers no more. None where it is sent in every turn.

    Raises:
        SpecError: `most` is not 1, and the randomizer is another one; `rest` without `leaves`, or
            the reverse; or a coin decides what is counted.
    """

    randomizer: Mechanism
    of: Any
    at: Mapping[Any, Any] = field(default_factory=dict)
    draws: Any = 1
    most: Any = 1
    rest: Any = None
    leaves: Any = None
    asked: Any = None

    def __post_init__(self) -> None:
        """Refuse a price for sampling where no theorem gives one, and a rest without an end."""
        table = self.randomizer.table
        if (self.rest is None) != (self.leaves is None):
            raise SpecError("leaves", "must be given where `rest` is, and only there", self.leaves)
        if self.leaves is not None and (self.draws != 1 or self.asked is not None):
            rule = "must be None for a report that a coin decides, or that is asked for"
            raise SpecError("rest", rule, str(self.rest))
        if self.most == 1:
            return
        if not isinstance(getattr(table, "structure", None), structures.Singletons):
            rule = "must be 1 unless the randomizer is k-ary randomized response: nothing is gained"
            raise SpecError("most", rule, str(self.most))

    @property
    def bounded(self) -> bool:
        """Return whether the report looks at the value in some of the turns only."""
        return self.leaves is not None or self.asked is not None

    @property
    def claim(self) -> LDP:
        """The claim that the price rests on.

        Raises:
            SpecError: there is none.
        """
        for claim in self.randomizer.claims:
            if isinstance(claim, LDP) and claim.delta == 0:
                return claim
        raise SpecError("sends", "must be a mechanism that claims LDP(epsilon)", self.randomizer)

    @property
    def alone(self) -> Any:
        """The epsilon of the randomizer on its own input, in the parameters of the protocol."""
        return self.claim.epsilon.subs(dict(self.at), simultaneous=True)

    @property
    def price(self) -> Any:
        """The epsilon of one report, in the parameters of the protocol."""
        if self.most == 1:
            return self.alone
        gained = sympy.cancel(self.most * (sympy.exp(self.alone) - 1))
        return sympy.log(sympy.expand(1 + gained))


@dataclass(frozen=True)
class Published:
    """The type of what the server publishes: any element of it is a possible history.

    Attributes:
        what: in a word or two. below: the elements are the integers 0..below - 1; None where they
            are sets or lists, which no report of a later round looks at.
    """

    what: str
    below: Any = None


@dataclass(frozen=True)
class Round:
    """The reports of a user in one round, and what the server publishes after it.

    Attributes:
        sends: the reports, in order, each perhaps in view of those before.
        publishes: the type of what is published next; None for nothing.
        times: how many such rounds there are, one after the other.
        speaks: the number of the group whose users send; None for all users.
        either: whether only one of the reports is sent; the server says which in public, and may
            say any.
    """

    sends: Sequence[Sends]
    publishes: Published | None = None
    times: Any = 1
    speaks: int | None = None
    either: bool = False


@dataclass(frozen=True)
class Counted:
    """The reports that values are counted by: those of one report of a round that comes once.

    A value's count is (n/m) (c - m q)/(p - q), where c of the m reports support its input. Here p
    and q are those of the randomizer, and q + `alike` (p - q) stands for q where functions are
    public. Where users have sets, the things in them are counted, by numbers `thing`: a report is
    on each of `places` places alike, so that q + (p - q)/`places` stands for p.

    Attributes:
        round, send: of the declaration, from 0.
        where: the groups whose reports count, a condition in `group`; each must give different
            values different inputs, but for `alike`.
        alike: the chance, over the public functions, that another value has the same input.
        over: the parameters that stand for these functions -> how many numbers they are uniform
            among.
        collisions: the variance, at most, that they add to a count, over n^2.
        things: how many things are counted; None for the values themselves.
        of: the input that a thing has, in `thing` and `group`. held: whether x holds it.
        places: a user who holds a thing reports on it with a chance of 1/places.
        within: for which x that is so, a condition; counts are biased by the others.
    """

    round: int = 0
    send: int = 0
    where: Any = sympy.true
    alike: Any = 0
    over: Mapping[Any, Any] = field(default_factory=dict)
    collisions: Any = 0
    things: Any = None
    of: Any = None
    held: Any = None
    places: Any = 1
    within: Any = sympy.true


@dataclass(frozen=True, eq=False)
class Protocol:
    """The declaration of a protocol: the law of one user's whole transcript.

    Attributes:
        name, title, source: as of a mechanism; the source is the paper.
        parameters: every parameter that stands below; all of them are public.
        values: how many values there are: x is one of 0..values - 1.
        rounds: what a user sends, in order.
        groups: how users are split; None where all do the same.
        epsilon: what one user's whole transcript is declared to cost.
        counts: the estimator of a value's count, in a sentence for the reader.
        counted: the same for the class that `generate` writes; None where it is left out. It is the
            server's affair, and no part of the law.
        made: an object of its own, by which a spec file's declarations are told apart.

    Raises:
        SpecError: the split or a parameter of a randomizer looks at the value, or a symbol is used
            that is not declared or has no meaning there; an expression is not exact, leaves out a
            case, or is no positive integer where one is needed; or which report is sent, or its
            parameters, hang on what is published after the same user sent something.
    """

    name: str
    parameters: Sequence[Any]
    values: Any
    rounds: Sequence[Round]
    epsilon: Any
    groups: Groups | None = None
    title: str = ""
    source: str = ""
    counts: str = ""
    counted: Counted | None = None
    made: object = field(default_factory=object, init=False, repr=False)

    def __post_init__(self) -> None:
        """Look at every expression: which symbols it may mention depends on where it stands."""
        check_word("name", self.name)
        known = frozenset(self.parameters)
        if not isinstance(self.rounds, list | tuple) or not self.rounds:
            raise SpecError("rounds", "must be a list of one Round or more", self.rounds)
        self._check("values", self.values, known)
        self._positive("values", self.values)
        self._check("epsilon", self.epsilon, known)
        grouped = frozenset() if self.groups is None else frozenset({group})
        if self.groups is not None:
            self._check("groups.count", self.groups.count, known)
            self._number("groups.count", self.groups.count)
            self._check("groups.of", self.groups.of, known | {coin})
            if self.groups.coins is not None:
                self._check("groups.coins", self.groups.coins, known)
                self._number("groups.coins", self.groups.coins)
        before: frozenset[Any] = frozenset()
        for position, each in enumerate(self.rounds):
            where = f"rounds[{position}]"
            if not isinstance(each, Round) or not each.sends:
                raise SpecError(where, "must be a Round in which something is sent", each)
            self._check(f"{where}.times", each.times, known)
            self._positive(f"{where}.times", each.times)
            self._check_speaks(f"{where}.speaks", each.speaks)
            # What is published before a user's first report is a number like any parameter.
            first = each.times == 1 and self._silent_before(position)
            if each.either and not first:
                rule = "must be False where users have sent something before"
                raise SpecError(f"{where}.either", rule, each.either)
            turns = frozenset() if each.times == 1 else frozenset({turn})
            own = each.publishes is not None and each.publishes.below is not None
            self._check_bounded(where, each)
            seen = before | (frozenset({published}) if own and each.times != 1 else frozenset())
            public = known | grouped | turns | (seen if first else frozenset())
            for index, sent in enumerate(each.sends):
                at = f"{where}.sends[{index}]"
                for parameter, value in sent.at.items():
                    if parameter not in sent.randomizer.parameters:
                        rule = f"must name parameters of {sent.randomizer.name}"
                        raise SpecError(f"{at}.at", rule, parameter)
                    self._check(f"{at}.at[{parameter}]", value, public)
                for what, number in (("draws", sent.draws), ("most", sent.most)):
                    self._check(f"{at}.{what}", number, public)
                self._positive(f"{at}.draws", sent.draws)
                self._check(f"{at}.price", sent.price, known | grouped | turns)
                # A claim at a negative epsilon is none, and would pay for another report.
                if not sympy.sympify(sent.price).is_nonnegative:
                    rule = "must be seen to be at least 0 from how its symbols are declared"
                    raise SpecError(f"{at}.price", rule, str(sent.price))
                own_coin = frozenset() if sent.draws == 1 else frozenset({draw})
                for what, number in (("leaves", sent.leaves), ("asked", sent.asked)):
                    if number is not None:
                        self._check(f"{at}.{what}", number, known)
                        self._positive(f"{at}.{what}", number)
                if sent.rest is not None:
                    self._check(f"{at}.rest", sent.rest, known)
                inputs = known | grouped | turns | seen | own_coin
                self._check(f"{at}.of", sent.of, inputs | _PRIVATE)
            if own and each.publishes is not None:
                self._check(f"{where}.publishes", each.publishes.below, known | grouped)
                before = frozenset({published})
        self._check_counted(known | grouped)
        note(self)

    def _check_counted(self, known: frozenset[Any]) -> None:
        """Refuse an estimator of reports that are none, or that come more than once."""
        if self.counted is None:
            return
        own = self.counted
        rounds = range(len(self.rounds))
        if own.round not in rounds or own.send not in range(len(self.rounds[own.round].sends)):
            rule = "must name a declared report by its round and place, from 0"
            raise SpecError("counted", rule, (own.round, own.send))
        if self.rounds[own.round].times != 1:
            raise SpecError("counted.round", "must come once", own.round)
        self._check("counted.where", own.where, known)
        for what in ("alike", "collisions", "places"):
            self._check(f"counted.{what}", getattr(own, what), known - {group})
        for parameter, number in own.over.items():
            self._check("counted.over", parameter, frozenset(self.parameters))
            self._check("counted.over", number, known - {group})
        if len({part is None for part in (own.things, own.of, own.held)}) > 1:
            rule = "must be given together: `things`, `of` and `held`"
            raise SpecError("counted", rule, str(own.things))
        if own.things is not None:
            self._check("counted.things", own.things, known - {group})
            self._check("counted.of", own.of, known | {thing})
            self._check("counted.held", own.held, known | {thing, published} | _PRIVATE)
        self._check("counted.within", own.within, known | {published} | _PRIVATE)

    @staticmethod
    def _check_bounded(where: str, each: Round) -> None:
        """Refuse more reports that rest, or that are asked for, than the theorem has."""
        bounded = [sent for sent in each.sends if sent.bounded]
        resting = [sent for sent in bounded if sent.leaves is not None]
        if bounded and (
            len(resting) > 1
            or len(bounded) - len(resting) > 1
            or len(bounded) < len(each.sends)
            or each.either
            or any(sympy.sympify(sent.price).has(turn, group) for sent in bounded)
        ):
            rule = (
                "must have one report that rests and one that is asked for at most, no other one, "
                "and prices that are the same in all turns and groups"
            )
            raise SpecError(f"{where}.sends", rule, len(each.sends))

    def _silent_before(self, position: int) -> bool:
        """Return whether nobody who sends in a round has sent anything in an earlier one."""
        own = self.rounds[position].speaks
        earlier = [each.speaks for each in self.rounds[:position]]
        return not earlier or (own is not None and not {None, own} & set(earlier))

    def _check_speaks(self, where: str, number: object) -> None:
        """Refuse a group that is none."""
        if number is None:
            return
        count = None if self.groups is None else sympy.sympify(self.groups.count)
        if count is None or not count.is_Integer:
            raise SpecError(where, "must be None unless the number of groups is a number", number)
        if type(number) is not int or not 0 <= number < int(count):
            raise SpecError(where, f"must be one of the groups 0..{count - 1}", number)

    @property
    def law_hash(self) -> str:
        """The hash of the declaration without its prose: see `protocol_law`."""
        return protocol_law(self)

    @staticmethod
    def _number(where: str, value: Any) -> None:
        """Refuse what is seen to be no number of anything; of some powers that is not seen."""
        number = sympy.sympify(value)
        if number.is_integer is False or number.is_positive is False:
            raise SpecError(where, "must be a positive integer", str(value))

    @staticmethod
    def _positive(where: str, value: Any) -> None:
        number = sympy.sympify(value)
        if not (number.is_integer and number.is_positive):
            raise SpecError(where, "must be a positive integer", str(value))

    @staticmethod
    def _check(where: str, value: Any, allowed: frozenset[Any]) -> None:
        for symbol in sorted(in_all_cases(where, value).free_symbols - allowed, key=str):
            if symbol in _PRIVATE:
                rule = "must not look at the value: it is public, and would tell what the value is"
                raise SpecError(where, rule, str(value))
            raise SpecError(where, "mentions what is not declared or not known there", symbol)
