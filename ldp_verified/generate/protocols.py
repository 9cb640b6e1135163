"""A protocol file -> the text of the typed module that runs it on the core install."""

from __future__ import annotations

import hashlib
import keyword
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.generate.module import ACCEPTED, class_name, tools_line
from ldp_verified.generate.protocol_randomizers import PUBLIC, Randomizers
from ldp_verified.generate.terms import HELPERS, SETS, term
from ldp_verified.language import catalogue_folder
from ldp_verified.language.protocol import coin, draw, group, thing, x

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ldp_verified.language.protocol import Protocol

TAKEN = frozenset(
    [
        "alike",
        "asks",
        "check_counted",
        "check_step",
        "check_values",
        "client",
        "coin_count",
        "collisions",
        "cost",
        "counted",
        "counted_count",
        "counted_input",
        "counts_in",
        "draw_groups",
        "draws",
        "empty",
        "epsilon",
        "group_count",
        "group_of",
        "identity",
        "input_of",
        "law_sha256",
        "places",
        "privatize",
        "published_below",
        "randomizer",
        "speaks",
        "steps",
        "times",
        "value_count",
    ]
)
"""Names that the base of generated classes has, so that no field may have them."""


def protocol_module(protocol: Protocol, path: Path, accepted: Sequence[str] = ()) -> str:
    """The module for the protocol that a file declares.

    Args:
        protocol: what the file declares. path: of the file.
        accepted: what somebody accepted of it although it is not proved, for the header.

    Raises:
        SpecError: an expression cannot be run exactly, a randomizer has no class, or users would
            have to keep count of their reports.
    """
    return _Writer(protocol, path).text(accepted)


def made(protocol: Protocol, path: Path) -> type[Any]:
    """The generated class itself.

    Raises:
        SpecError: as `protocol_module`.
    """
    text = protocol_module(protocol, path)
    name = f"_ldp_verified_protocol_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    module = ModuleType(name)
    sys.modules[name] = module  # dataclasses look it up
    exec(compile(text, f"<generated from {path.name}>", "exec"), module.__dict__)
    found: type[Any] = module.__dict__[class_name(protocol.name)]
    return found


class _Writer:
    def __init__(self, protocol: Protocol, path: Path) -> None:
        self.protocol, self.path = protocol, path
        self.known = path.resolve().parent == (catalogue_folder() / "protocols").resolve()
        self.names: dict[Any, str] = {}
        for parameter in protocol.parameters:
            name = f"self.{field_name(parameter.name)}"
            self.names[parameter] = name if parameter.domain.integer else f"Fraction({name})"
        self.randomizers = Randomizers(self.term, path, class_name(protocol.name))
        self.used: set[Any] = set()

    def term(self, value: Any, where: str, more: dict[Any, str] | None = None) -> str:
        """The text of an expression, whose parameters become fields."""
        self.used |= sympy.sympify(value).free_symbols & set(self.protocol.parameters)
        return term(value, self.names | (more or {}), where)

    def text(self, accepted: Sequence[str]) -> str:
        """The whole module."""
        self._check_memory()
        body = self._body()
        own, needed = self.randomizers.texts()
        spec = f"spec/protocols/{self.path.name}" if self.known else self.path.name
        command = self.protocol.name if self.known else spec
        digest = hashlib.sha256(self.path.read_bytes()).hexdigest()
        helpers = [name for name in HELPERS if f"{name}(" in body]
        imported = sorted([*helpers, "Number as Exact", "at_most", "whole"], key=str.lower)
        known = sorted(self.randomizers.imported)
        sets = sorted(name for name in SETS.values() if f"{name}(" in body)
        title = self.protocol.title or self.protocol.name
        if not title.isprintable() or '"""' in title or "\\" in title:
            rule = "must be one line without triple quotes and backslashes"
            raise SpecError(f"{self.protocol.name}.title", rule, title)
        head = [
            f"# Command: ldp-verified generate {command}",
            f"# Input: {spec}",
            f"# sha256 of the input: {digest}",
            tools_line(),
            *(f"{ACCEPTED}{each}" for each in accepted),
            "# ruff: noqa",
            f'"""{title}: generated from {spec}, not to be edited."""',
            "",
            "from __future__ import annotations",
            "",
            f"from dataclasses import dataclass{', field' if 'field(' in ''.join(own) else ''}",
            *(["from fractions import Fraction"] if "Fraction" in "".join([*own, body]) else []),
            f"from typing import ClassVar{', Self' if 'at_epsilon' in needed else ''}",
            "",
            *([f"from ldp_verified.run.mechanisms import {', '.join(known)}"] if known else []),
            "from ldp_verified.protocols.declared import AskedRound, DeclaredProtocol, StatePlace",
            *([f"from ldp_verified.protocols.exact_sets import {', '.join(sets)}"] if sets else []),
            f"from ldp_verified.protocols.exact_terms import {', '.join(imported)}",
            *([f"from ldp_verified.run.realize import {', '.join(needed)}"] if needed else []),
            "from ldp_verified.run.realize.randomizer import Randomizer",
        ]
        return "\n".join([*head, "", "", *(f"{text}\n" for text in own), body])

    def _check_memory(self) -> None:
        """Refuse reports of which users keep count: those of the class are drawn without memory."""
        for number, each in enumerate(self.protocol.rounds):
            if any(sent.bounded for sent in each.sends):
                rule = (
                    "must be sent whenever it is asked for: users keep count of those that leave "
                    "their rest, or of how often they were asked, so the class is written by hand"
                )
                raise SpecError(f"rounds[{number}].sends", rule, self.protocol.name)

    def _body(self) -> str:
        mine = self.protocol
        groups = mine.groups
        count = sympy.Integer(1) if groups is None else groups.count
        coins = count if groups is None or groups.coins is None else groups.coins
        of = sympy.Integer(0) if groups is None else groups.of
        methods = [
            *self._property("value_count", "How many values there are.", mine.values),
            *self._property("group_count", "How many groups there are.", count),
            *self._property("coin_count", "How many equally likely coins there are.", coins),
            *self._property("cost", "Epsilon of one user's whole transcript.", mine.epsilon),
            *_method(
                "group_of(self, coin: int) -> Exact",
                "The group that a coin gives.",
                [f"return {self.term(of, 'groups.of', {coin: 'coin'})}"],
            ),
            *self._by_round(
                "times(self, number: int) -> Exact",
                "How often a declared round takes place.",
                [(each.times, "times") for each in mine.rounds],
                {},
            ),
            *self._published(),
            *self._by_place(
                "randomizer(self, place: StatePlace) -> Randomizer",
                "The randomizer of a report.",
                self.randomizers.call,
            ),
            *self._by_place(
                "input_of(self, place: StatePlace, x: int, draw: int) -> Exact",
                "Return what a report is about, for a value and a coin of the user's own.",
                lambda sent, at: self.term(sent.of, f"{at}.of", {**PUBLIC, x: "x", draw: "draw"}),
            ),
            *self._by_place(
                "draws(self, place: StatePlace) -> Exact",
                "How many such coins there are.",
                lambda sent, at: self.term(sent.draws, f"{at}.draws", PUBLIC),
            ),
            *self._counted(),
        ]
        return "\n".join([*self._head(), *methods]).rstrip() + "\n"

    def _head(self) -> list[str]:
        """The class, its fields and constants, which are known once all methods are written."""
        mine = self.protocol
        rules = self._rules()
        fields = [p for p in mine.parameters if p in self.used]
        lines = [
            "@dataclass(frozen=True)",
            f"class {class_name(mine.name)}(DeclaredProtocol):",
            f'    """{mine.title or mine.name}, as it was declared.',
            "",
            "    Attributes:",
            *(f"        {field_name(p.name)}: {self._words(p)}." for p in fields),
            "",
            "    Raises:",
            "        ParameterError: one is out of range.",
            '    """',
            "",
            *(f"    {field_name(p.name)}: {_kind(p)}" for p in fields),
            "",
            f'    law_sha256: ClassVar[str] = "{mine.law_hash}"',
            f"    asks: ClassVar[tuple[AskedRound, ...]] = ({self._asks()})",
        ]
        if mine.counted is not None:
            own = (mine.counted.round, mine.counted.send)
            lines.append(f"    counted: ClassVar[tuple[int, int] | None] = {own}")
        check = ["self._check((", *(f"    {rule}," for rule in rules), "))"]
        lines += _method("__post_init__(self) -> None", "Check the parameters.", check)
        return lines

    def _words(self, parameter: Any) -> str:
        return str(parameter.domain.describe(parameter.name))

    def _rules(self) -> list[str]:
        """A rule for each field; bounds may mention fields before it."""
        own = {p: f'own["{field_name(p.name)}"]' for p in self.protocol.parameters}
        found, before = [], set(self.protocol.parameters)
        while before - self.used:  # bounds make further parameters fields
            before = set(self.used)
            for parameter in [p for p in self.protocol.parameters if p in before]:
                domain = parameter.domain
                bounds = (domain.lower, domain.upper, *(c.margin for c in domain.also))
                for bound in bounds:
                    if bound is not None:
                        symbols = sympy.sympify(bound).free_symbols
                        self.used |= symbols & set(self.protocol.parameters)
            if before == self.used:
                break
        for parameter in [p for p in self.protocol.parameters if p in self.used]:
            domain, parts = parameter.domain, []
            where = f"{parameter.name}"
            if domain.lower is not None:
                sign = ">" if domain.lower_open else ">="
                parts.append(f"{own[parameter]} {sign} {term(domain.lower, own, where)}")
            if domain.upper is not None:
                sign = "<" if domain.upper_open else "<="
                parts.append(f"{own[parameter]} {sign} {term(domain.upper, own, where)}")
            for condition in domain.also:
                sign = ">" if condition.strict else ">="
                parts.append(f"{term(condition.margin, own, where)} {sign} 0")
            holds = f"lambda own: {' and '.join(parts)}" if parts else "lambda own: True"
            name = field_name(parameter.name)
            found.append(f'("{name}", "{self._words(parameter)}", {domain.integer}, {holds})')
        return found

    def _asks(self) -> str:
        found = []
        for each in self.protocol.rounds:
            told = each.publishes is not None and each.publishes.below is not None
            found.append(f"AskedRound({len(each.sends)}, {each.speaks}, {each.either}, {told}),")
        return " ".join(found)

    def _property(self, name: str, says: str, value: Any) -> list[str]:
        lines = [f"return {self.term(value, name)}"]
        return ["", "    @property", *_method(f"{name}(self) -> Exact", says, lines)[1:]]

    def _by_round(
        self, signature: str, says: str, values: list[tuple[Any, str]], more: dict[Any, str]
    ) -> list[str]:
        lines = []
        for number, (value, where) in enumerate(values):
            text = self.term(value, f"rounds[{number}].{where}", more)
            lines.append(f"if number == {number}:")
            lines.append(f"    return {text}")
        return _method(signature, says, [*lines, "raise AssertionError(number)"])

    def _published(self) -> list[str]:
        values = []
        for each in self.protocol.rounds:
            told = each.publishes
            below = sympy.Integer(0) if told is None or told.below is None else told.below
            values.append((below, "publishes"))
        says = "The end of the numbers that are published after a round."
        signature = "published_below(self, number: int, group: int) -> Exact"
        return self._by_round(signature, says, values, {group: "group"})

    def _by_place(self, signature: str, says: str, text: Any) -> list[str]:
        lines = []
        for number, each in enumerate(self.protocol.rounds):
            for index, sent in enumerate(each.sends):
                lines.append(f"if (place.round, place.send) == ({number}, {index}):")
                lines.append(f"    return {text(sent, f'rounds[{number}].sends[{index}]')}")
        return _method(signature, says, [*lines, "raise AssertionError(place)"])

    def _counted(self) -> list[str]:
        own = self.protocol.counted
        if own is None:
            return []
        text = self.term(own.where, "counted.where", {group: "group"})
        says = "Whether the reports of this group count values."
        found = _method("counts_in(self, group: int) -> bool", says, [f"return {text}"])
        says = "The chance, over public functions, that another value has the same input."
        found += self._property("alike", says, own.alike)
        says = "The variance that public functions add to a count, at most, over n^2."
        found += self._property("collisions", says, own.collisions)
        if own.things is None:
            return found
        says = "How many things are counted."
        found += self._property("counted_count", says, own.things)
        says = "How many places a user's report is on, each with one chance."
        found += self._property("places", says, own.places)
        text = self.term(own.of, "counted.of", {thing: "thing", group: "place.group"})
        says = "Return what a report on a thing is about."
        signature = "counted_input(self, place: StatePlace, thing: int) -> Exact"
        return [*found, *_method(signature, says, [f"return {text}"])]


def field_name(name: str) -> str:
    """The field of a parameter: `steps_` where the class has something else of that name."""
    return f"{name}_" if name in TAKEN or keyword.iskeyword(name) else name


def _kind(parameter: Any) -> str:
    return "int" if parameter.domain.integer else "float"


def _method(signature: str, says: str, lines: Sequence[str]) -> list[str]:
    return [
        "",
        f"    def {signature}:",
        f'        """{says}"""',
        *(f"        {line}" for line in lines),
    ]
