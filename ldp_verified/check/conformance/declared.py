"""Protocols that were generated from a file, against the file: groups, inputs, reports, estimates.

What a report is about is worked out from the declaration by sympy, not by the generated code. Each
randomizer's law is that of its own spec. Every round is looked at after the first and the last
number that could have been published before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from ldp_verified.analysis.expectation import expectation
from ldp_verified.check.conformance.frequencies import FrequencyTally, tallies
from ldp_verified.check.conformance.grouped import POPULATION_SHARE, USERS, binomial, estimates_law
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
        self.declared, self.run = declared, run
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
        found += [scene for place in places if (scene := self._reports(*place)) is not None]
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

    def input(self, sent: Sends, place: StatePlace, value: int) -> int:
        """Return what a report is about, by the declaration."""
        known = {x: value, group: place.group, turn: place.turn, draw: 0}
        if place.published is not None:
            known[published] = place.published
        return self.number(sent.of, known)

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
            exact = sympy.Rational(sympy.sympify(sent.alone).subs(known))
            arguments["epsilon"] = at_most(Fraction(int(exact.p), int(exact.q)))
        return type(given)(**arguments)

    def _reports(self, step: int, place: StatePlace) -> Scene | None:
        """The reports of two values at one place; None where a coin of the user's own is in it."""
        each = self.declared.rounds[place.round]
        sent = each.sends[place.send]
        if sent.draws != 1:
            return None
        expected = expectation(self.declared_randomizer(sent, place), sent.randomizer)
        inputs = {v: self.input(sent, place, v) for v in (0, self.values - 1)}
        where = f"round {step}, report {place.send}, group {place.group}, seen {place.published}"
        rng = numpy_generator(0, "conformance", where)
        counted: list[tuple[int, FrequencyTally]] = [
            (v, tally) for v, y in inputs.items() for tally in tallies(expected, y, rng)
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
        own = self.declared.counted
        assert own is not None
        inside = [g for g in self.groups if self._counts(own.where, g)]
        if not inside:
            raise ParameterError("counted.where", "must hold for a group that users are in")
        share = sum((self.groups[g] for g in inside), Fraction(0))
        sent = self.declared.rounds[own.round].sends[own.send]
        place = StatePlace(own.round, 0, own.send, inside[0])
        oracle: Any = self.declared_randomizer(sent, place).oracle
        p, q = Fraction(oracle.p_star), Fraction(oracle.q_star)
        alike = Fraction(str(sympy.sympify(own.alike).subs(self.point)))
        absent = q + alike * (p - q)
        step = next(s for s, (number, _) in enumerate(self.run.steps) if number == own.round)
        reporting = binomial(USERS, share)
        made_of = [
            (value, *estimates_law(reporting, p, absent, what, held))
            for value, what, held in (
                (self.values - 1, "held by all", True),
                (0, "held by nobody", False),
            )
        ]
        looks = tuple(look for _, look, _ in made_of)

        def run(users: int, rng: np.random.Generator) -> list[Codes]:
            tally = [np.zeros(len(look.labels), dtype=np.int64) for look in looks]
            for _ in range(users // USERS):
                groups = self.run.draw_groups(USERS, word_source(rng, "conformance"))
                reports = self.run.privatize(
                    [self.values - 1] * USERS, rng, step=step, groups=groups
                )
                state = self.run.empty(simulated=True).update(reports)
                counts = state.estimate([value for value, *_ in made_of]).counts
                for place, (_, _, edges) in enumerate(made_of):
                    tally[place][int(np.searchsorted(edges, counts[place]))] += 1
            return [*tally]

        return [Scene("populations", looks, run, POPULATION_SHARE, CLIENT_LIMIT)]

    def _counts(self, where: Any, own: int) -> bool:
        return bool(sympy.sympify(where).subs({**self.point, group: own}))
