"""Protocols that were generated from a file, against the file: groups, inputs, reports, estimates.

What a report is about is worked out from the declaration by sympy, not by the generated code. Each
randomizer's law is that of its own spec. Every round is looked at after the first and the last
number that could have been published before it.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ldp_verified.analysis.expectation import expectation
from ldp_verified.check.conformance.counted import Estimated
from ldp_verified.check.conformance.estimate_laws import USERS, binomial, estimates_law
from ldp_verified.check.conformance.frequencies import FrequencyTally, mixed, tallies
from ldp_verified.check.conformance.grouped import POPULATION_SHARE
from ldp_verified.check.conformance.stateful_clients import (
    BULK_LIMIT,
    BULK_SHARE,
    CLIENT_LIMIT,
    CLIENT_SHARE,
    Look,
    ProtocolSubject,
    Scene,
    law,
    tallied,
)
from ldp_verified.errors import ParameterError
from ldp_verified.generate.declared import fields_of, file_of, sample_arguments
from ldp_verified.generate.protocols import made
from ldp_verified.language import load_protocol
from ldp_verified.language.protocol import Protocol, Sends, coin, draw, group, published, turn, x
from ldp_verified.protocols.declared import DeclaredProtocol, StatePlace
from ldp_verified.protocols.exact_terms import at_most
from ldp_verified.run.kernels.seeds import numpy_generator, word_source

if TYPE_CHECKING:
    from ldp_verified.check.conformance.decode import Codes

MOST_PLACES = 12
"""Places of reports that are looked at; of more, some that lie evenly."""

MOST_LISTED = 1 << 12
"""Coins, values and groups that are listed, at most."""


def declared_subject(spec: str, given: Mapping[str, Any] | None = None) -> ProtocolSubject:
    """The class that `generate` writes for a protocol, at small parameters.

    Args:
        spec: a name of `spec/protocols`, or a file. given: parameters; small ones are chosen for
            the others.

    Raises:
        SpecError: the file cannot be read, or no class is generated from it.
        ParameterError: a parameter that is none, or too many values or coins to be listed.
    """
    declared, own = load_protocol(spec), file_of(spec)
    arguments = sample_arguments(declared, given or {})
    return subject(declared, made(declared, own), arguments)


def subject(declared: Protocol, run: type[Any], arguments: Mapping[str, Any]) -> ProtocolSubject:
    """The scenes of a class that is said to run a declaration.

    Args:
        declared: what the file says. run: the class. arguments: all parameters of the declaration.
    """
    protocol = run(**fields_of(run, arguments))
    against = _Against(declared, protocol, arguments)
    return ProtocolSubject(repr(protocol), (*against.scenes(),))


class _Against:
    """One object, and the declaration at its parameters."""

    def __init__(
        self, declared: Protocol, run: DeclaredProtocol, arguments: Mapping[str, Any]
    ) -> None:
        self.declared, self.run, self.arguments = declared, run, arguments
        self.point = {
            p: sympy.Rational(Fraction(arguments[p.name]).numerator)
            / Fraction(arguments[p.name]).denominator
            for p in declared.parameters
        }
        self.values = self.number(declared.values, {})
        if not 2 <= self.values <= MOST_LISTED:
            rule = f"must leave 2 to {MOST_LISTED} values, which are listed: give others by --set"
            raise ParameterError("values", rule, self.values)
        self.groups = self._groups()

    def number(self, value: Any, known: Mapping[Any, int]) -> int:
        """An expression of the declaration at numbers."""
        found = sympy.sympify(value).subs({**self.point, **known})
        if not found.is_Integer:
            raise ParameterError("parameters", f"must make {value} whole", str(found))
        return int(found)

    def _groups(self) -> dict[int, Fraction]:
        split = self.declared.groups
        if split is None:
            return {0: Fraction(1)}
        count = self.number(split.count, {})
        coins = count if split.coins is None else self.number(split.coins, {})
        if coins > MOST_LISTED:
            rule = f"must leave at most {MOST_LISTED} coins, which are listed: give others by --set"
            raise ParameterError("groups", rule, coins)
        found = Counter(self.number(split.of, {coin: c}) for c in range(coins))
        return {g: Fraction(ways, coins) for g, ways in sorted(found.items())}

    def scenes(self) -> list[Scene]:
        found = [self._drawn_groups()]
        places = self._places()
        if len(places) > MOST_PLACES:
            picked = np.linspace(0, len(places) - 1, MOST_PLACES).astype(int)
            places = [places[i] for i in dict.fromkeys(picked.tolist())]
        found += [self._reports(*place) for place in places]
        if self.declared.counted is not None:
            found += self._estimates()
        return found

    def _drawn_groups(self) -> Scene:
        masses = {f"group {g}": share for g, share in self.groups.items()}
        bulk, clients = law("groups of many users", masses), law("groups of clients", masses)
        place = {g: i for i, g in enumerate(self.groups)}

        def run(users: int, rng: np.random.Generator) -> list[Codes]:
            many = self.run.draw_groups(users, word_source(rng, "conformance"))
            few = [self.run.client(rng=rng).group for _ in range(users)]
            return [
                tallied(np.array([place.get(g, -1) for g in drawn], dtype=np.int64), look)
                for drawn, look in ((many, bulk), (few, clients))
            ]

        return Scene("groups", (bulk, clients), run, CLIENT_SHARE, CLIENT_LIMIT)

    def _places(self) -> list[tuple[int, StatePlace]]:
        """(number of the round that takes place, place) of every report, after some histories."""
        found = []
        told: Any = None
        for step, (number, at_turn) in enumerate(self.run.steps):
            each = self.declared.rounds[number]
            for own in self.groups:
                if each.speaks not in (None, own):
                    continue
                seen: list[int | None] = [None]
                if told is not None:
                    end = self.number(told, {group: own})
                    seen = [0] if end == 1 else [0, end - 1]
                found += [
                    (step, StatePlace(number, at_turn, send, own, history))
                    for history in seen
                    for send in range(len(each.sends))
                ]
            if each.publishes is not None and each.publishes.below is not None:
                told = each.publishes.below
        return found

    def inputs(self, sent: Sends, place: StatePlace, value: int) -> dict[int, Fraction]:
        """Return what a report is about, by the declaration, and with which chance."""
        known: dict[Any, int] = {group: place.group, turn: place.turn}
        if place.published is not None:
            known[published] = place.published
        draws = self.number(sent.draws, known)
        if draws > MOST_LISTED:
            rule = (
                f"must leave at most {MOST_LISTED} coins of a user, which are listed: give others"
            )
            raise ParameterError("draws", f"{rule} by --set", draws)
        found = Counter(self.number(sent.of, {**known, x: value, draw: c}) for c in range(draws))
        return {y: Fraction(ways, draws) for y, ways in found.items()}

    def declared_randomizer(self, sent: Sends, place: StatePlace) -> Any:
        """The class's randomizer at a place, with price and sizes of the declaration."""
        given = self.run.randomizer(place)
        known: dict[Any, Any] = {**self.point, group: place.group, turn: place.turn}
        if place.published is not None:
            known[published] = place.published
        arguments = dict(given.arguments)
        for parameter, value in sent.at.items():
            if parameter.name in arguments and parameter.domain.integer:
                arguments[parameter.name] = int(sympy.sympify(value).subs(known))
        if "epsilon" in arguments:
            arguments["epsilon"] = _below(sympy.sympify(sent.alone).subs(known))
        return type(given)(**arguments)

    def _reports(self, step: int, place: StatePlace) -> Scene:
        """The reports of two values at one place."""
        each = self.declared.rounds[place.round]
        sent = each.sends[place.send]
        expected = expectation(self.declared_randomizer(sent, place), sent.randomizer)
        inputs = {v: self.inputs(sent, place, v) for v in (0, self.values - 1)}
        where = f"round {step}, report {place.send}, group {place.group}, seen {place.published}"
        rng = numpy_generator(0, "conformance", where)
        counted: list[tuple[int, FrequencyTally]] = [
            (v, tally)
            for v, drawn in inputs.items()
            for tally in (
                tallies(expected, min(drawn), rng) if len(drawn) == 1 else [mixed(expected, drawn)]
            )
        ]
        looks = [
            Look(f"{tally.kind} of {v}, {where}", (*tally.labels,), tally.probabilities)
            for v, tally in counted
        ]

        def run(users: int, rng: np.random.Generator) -> list[Codes]:
            data = {}
            for v in inputs:
                sent_by = self.run.privatize(
                    [v] * users,
                    rng,
                    step=step,
                    groups=[place.group] * users,
                    published=place.published,
                    which=place.send if each.either else None,
                )
                data[v] = next(r.data for part, r in sent_by.parts if part.send == place.send)
            return [tally.count(data[v]) for v, tally in counted]

        return Scene(where, (*looks,), run, BULK_SHARE, BULK_LIMIT)

    def _estimates(self) -> list[Scene]:
        """The law of estimates of 200 users who all hold one value, of two things that count."""
        own = self.declared.counted
        assert own is not None
        estimated = Estimated(self.declared, self.arguments)
        with contextlib.suppress(ParameterError):  # more functions than can be listed
            estimated.check()
        sent = self.declared.rounds[own.round].sends[own.send]
        people = estimated.population()
        place = StatePlace(own.round, 0, own.send, min(estimated.shares), people.history)
        oracle: Any = self.declared_randomizer(sent, place).oracle
        p, q = Fraction(oracle.p_star), Fraction(oracle.q_star)
        held, absent = (q + chance * (p - q) for chance in estimated.chances)
        step = next(s for s, (number, _) in enumerate(self.run.steps) if number == own.round)
        either = self.declared.rounds[own.round].either
        reporting = binomial(USERS, estimated.share)
        names = {True: "held by all", False: "held by nobody"}
        made_of = [
            (what, *estimates_law(reporting, held, absent, names[has], q + on * (p - q)))
            for what, has, on in people.looked
        ]
        looks = tuple(look for _, look, _ in made_of)

        def run(users: int, rng: np.random.Generator) -> list[Codes]:
            tally = [np.zeros(len(look.labels), dtype=np.int64) for look in looks]
            for _ in range(users // USERS):
                reports = self.run.privatize(
                    [people.value] * USERS,
                    rng,
                    step=step,
                    groups=self.run.draw_groups(USERS, word_source(rng, "conformance")),
                    published=people.history,
                    which=own.send if either else None,
                )
                state = self.run.empty(simulated=True).update(reports)
                counts = state.estimate([what for what, *_ in made_of]).counts
                for place, (_, _, edges) in enumerate(made_of):
                    tally[place][int(np.searchsorted(edges, counts[place]))] += 1
            return [*tally]

        return [Scene("populations", looks, run, POPULATION_SHARE, CLIENT_LIMIT)]


def _below(price: Any) -> float:
    """The double below a price, which may have logarithms in it, worked out by sympy."""
    if price.is_Rational:
        return at_most(Fraction(int(price.p), int(price.q)))
    # 60 digits are nearer to the price than any double but itself.
    shown = sympy.Rational(price.evalf(60)) - sympy.Rational(1, 10**50)
    return at_most(Fraction(int(shown.p), int(shown.q)))
