"""The exact law of a declared protocol's transcripts at tiny sizes, over every published element.

This route shares nothing with the ledger: it reads the declaration, writes out the table of each
randomizer, and multiplies. The coin of the split is drawn, and a coin of the user's own is summed
over, as nobody is told it. What the server publishes is not drawn: each element of the declared
type follows each history, as a malicious server could choose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from ldp_verified.errors import SpecError
from ldp_verified.language.protocol import (
    Protocol,
    Round,
    Sends,
    coin,
    draw,
    group,
    published,
    turn,
    x,
)
from ldp_verified.prove.enumeration.exact_points import number_at
from ldp_verified.prove.enumeration.exact_values import NotExpandableError
from ldp_verified.prove.enumeration.expand import ExpandedTable, expand
from ldp_verified.prove.verdicts import Status, Witness

MOST_TRANSCRIPTS = 1 << 15
MOST_VALUES = 64
MOST_DRAWS = 1 << 10

Row = list[Fraction]
Used = Mapping[int, tuple[int, ...]]
"""How often reports were asked for, or the input of each value has left its rest, by their ids."""


@dataclass(frozen=True)
class TranscriptVerdict:
    """The verdict on the transcripts at one point.

    Attributes:
        status: enumerated, or refuted with a witness. transcripts: how many were looked at, equal
            outputs of a table counted once. ratio: of the chances of a transcript for two values,
            the largest; None where it is infinite, or a report's input lies outside its domain.
        allowed: e^epsilon as declared. witness: where it fails.
    """

    status: Status
    transcripts: int
    ratio: Fraction | None
    allowed: Fraction
    witness: Witness | None = None

    @property
    def text(self) -> str:
        """The verdict as one sentence."""
        if self.witness is not None:
            return f"refuted at {dict(self.witness.parameters)}: {self.witness.explanation}"
        return (
            f"{self.transcripts} transcripts written out: none is more than {self.ratio} times as "
            f"likely for one value as for another, of {self.allowed} allowed: {self.status}"
        )


def enumerate_transcripts(protocol: Protocol, at: Mapping[str, Any]) -> TranscriptVerdict:
    """Write out all transcripts at a point, and compare the law with the declared epsilon.

    Args:
        protocol: the declaration.
        at: a value for each parameter by its name, epsilons as `sympy.log` of a number; what only
            the sizes of a hash family need may be left out.

    Raises:
        SpecError: a name that is no parameter's.
        NotExpandableError: too many values or transcripts, or a number that is not exact.
    """
    return _Tree(protocol, at).verdict()


class _OutsideError(Exception):
    """A report's input lies outside the domain of its randomizer."""


class _Tree:
    def __init__(self, protocol: Protocol, at: Mapping[str, Any]) -> None:
        self.protocol, self.named = protocol, {key: str(value) for key, value in at.items()}
        known = {p.name for p in protocol.parameters}
        for name in at:
            if name not in known:
                raise SpecError("points", f"must name parameters of {protocol.name}", name)
        self.numbers: dict[Any, Fraction] = {}
        self.point = {p: sympy.sympify(at[p.name]) for p in protocol.parameters if p.name in at}
        self.rational = {
            symbol: Fraction(int(number.p), int(number.q))
            for symbol, number in self.point.items()
            if number.is_Rational
        }
        self.values = self._whole("values", protocol.values, {})
        if not 2 <= self.values <= MOST_VALUES:
            raise NotExpandableError(
                "values", f"must be 2..{MOST_VALUES} to be listed", self.values
            )
        self.allowed = self._exact("epsilon", sympy.exp(protocol.epsilon), {})
        self.seen = 0
        self.ratio: Fraction | None = Fraction(1)
        self.worst: tuple[list[str], int, int, Fraction, Fraction] | None = None
        self.tables: dict[Any, ExpandedTable] = {}

    def verdict(self) -> TranscriptVerdict:
        try:
            for number, weight in self._groups():
                known = {} if self.protocol.groups is None else {group: number}
                begin = [] if self.protocol.groups is None else [f"group {number}"]
                self._walk(list(self._steps()), known, [weight] * self.values, begin, {})
        except _OutsideError as error:
            witness = Witness(self.named, {}, str(error))
            return TranscriptVerdict(Status.REFUTED, self.seen, None, self.allowed, witness)
        if self.ratio is not None and self.ratio <= self.allowed:
            return TranscriptVerdict(Status.ENUMERATED, self.seen, self.ratio, self.allowed)
        assert self.worst is not None
        history, high, low, more, less = self.worst
        values = {
            "x": str(high), "x'": str(low), "transcript": "; ".join(history),
            "P(transcript|x)": str(more), "P(transcript|x')": str(less), "e^eps": str(self.allowed),
        }  # fmt: skip
        says = f"after {values['transcript']}: {more} is more than {self.allowed} times {less}"
        witness = Witness(self.named, values, says)
        return TranscriptVerdict(Status.REFUTED, self.seen, self.ratio, self.allowed, witness)

    def _groups(self) -> Iterator[tuple[int, Fraction]]:
        """Each group that a coin can give, with its chance."""
        split = self.protocol.groups
        if split is None:
            yield 0, Fraction(1)
            return
        count = self._whole("groups.count", split.count, {})
        coins = count if split.coins is None else self._whole("groups.coins", split.coins, {})
        found = Counter(self._whole("groups.of", split.of, {coin: c}) for c in range(coins))
        for number, ways in sorted(found.items()):
            if not 0 <= number < count:
                raise _OutsideError(f"a coin gives group {number}, of {count} groups")
            yield number, Fraction(ways, coins)

    def _steps(self) -> Iterator[tuple[int, Round]]:
        for each in self.protocol.rounds:
            for number in range(self._whole("times", each.times, {})):
                yield number, each

    def _walk(
        self,
        steps: list[tuple[int, Round]],
        known: dict[Any, int],
        row: Row,
        history: list[str],
        used: Used,
    ) -> None:
        if not steps:
            self._leaf(row, history)
            return
        (number, this), rest = steps[0], steps[1:]
        before = {**known, turn: number}
        for reports, after, by_now in self._heard(this, before, row, used):
            told = [*history, *reports]
            declared = this.publishes
            if declared is None or declared.below is None or not self._looked_at(rest, known):
                self._walk(rest, known, after, told, by_now)
                continue
            for element in range(self._whole("publishes", declared.below, before)):
                says = f"{declared.what} {element} is published"
                self._walk(rest, {**known, published: element}, after, [*told, says], by_now)

    @staticmethod
    def _looked_at(steps: list[tuple[int, Round]], known: Mapping[Any, int]) -> bool:
        """Return whether a later report looks at what is published now, and not after it."""
        for _, later in steps:
            if later.speaks in (None, known.get(group)):
                for sent in later.sends:
                    looks = (sent.of, sent.draws, sent.most, *sent.at.values())
                    if any(published in sympy.sympify(each).free_symbols for each in looks):
                        return True
            if later.publishes is not None and later.publishes.below is not None:
                return False
        return False

    def _heard(
        self, this: Round, known: dict[Any, int], row: Row, used: Used
    ) -> Iterator[tuple[list[str], Row, Used]]:
        """Return what the user sends in a round; nothing where only another group sends."""
        if this.speaks not in (None, known.get(group)):
            yield [], row, used
        elif this.either:
            for each in this.sends:
                asked = f"{each.randomizer.name} is asked for"
                for says, after, by_now in self._reports([each], known, row, used):
                    yield [asked, *says], after, by_now
        else:
            yield from self._reports(this.sends, known, row, used)

    def _reports(
        self, sends: Sequence[Sends], known: dict[Any, int], row: Row, used: Used
    ) -> Iterator[tuple[list[str], Row, Used]]:
        """All that the reports of one round can be, with what it multiplies."""
        if not sends:
            yield [], row, used
            return
        sent, rest = sends[0], sends[1:]
        if sent.asked is not None:
            quiet = f"{sent.randomizer.name} is not asked for"
            for more, last, by_now in self._reports(rest, known, row, used):
                yield [quiet, *more], last, by_now
            (times,) = used.get(id(sent), (0,))
            if times == self._whole("asked", sent.asked, known):
                return
            used = {**used, id(sent): (times + 1,)}
        table = self._table(sent, known)
        draws = self._whole("draws", sent.draws, known)
        inputs = [self._inputs(sent.of, {**known, x: value}, draws) for value in range(self.values)]
        if sent.leaves is not None:
            inputs, used = self._kept(sent, inputs, known, used)
        for value, each in enumerate(inputs):
            for outside in (number for number in each if not 0 <= number < len(table.inputs)):
                told = f"x = {value} gives {sent.randomizer.name} the input {outside}"
                raise _OutsideError(f"{told}, which it has not")
        for column in table.columns:
            chances = [
                sum((share * table.probability(column, z) for z, share in each.items()), Fraction())
                for each in inputs
            ]
            after = [old * new for old, new in zip(row, chances, strict=True)]
            for more, last, by_now in self._reports(rest, known, after, used):
                yield [f"{sent.randomizer.name} says {column.output}", *more], last, by_now

    def _kept(
        self, sent: Sends, inputs: list[dict[int, Fraction]], known: dict[Any, int], used: Used
    ) -> tuple[list[dict[int, Fraction]], Used]:
        """The inputs of all values, at rest where they have left it often enough."""
        rest, most = (self._whole(n, getattr(sent, n), known) for n in ("rest", "leaves"))
        before = used.get(id(sent), (0,) * self.values)
        still = {rest: Fraction(1)}
        kept = [each if n < most else still for each, n in zip(inputs, before, strict=True)]
        after = tuple(n + (each != still) for each, n in zip(kept, before, strict=True))
        return kept, {**used, id(sent): after}

    def _inputs(self, of: Any, known: dict[Any, int], draws: int) -> dict[int, Fraction]:
        """Each input that a draw can give, with its chance."""
        if not 1 <= draws <= MOST_DRAWS:
            raise NotExpandableError("draws", f"must be 1..{MOST_DRAWS} to be listed", draws)
        found = Counter(self._whole("of", of, {**known, draw: number}) for number in range(draws))
        return {number: Fraction(ways, draws) for number, ways in found.items()}

    def _leaf(self, row: Row, history: list[str]) -> None:
        self.seen += 1
        if self.seen > MOST_TRANSCRIPTS:
            raise NotExpandableError("rounds", f"must give at most {MOST_TRANSCRIPTS}", self.seen)
        more, less = max(row), min(row)
        if more == 0:
            return
        ratio = None if less == 0 else more / less
        if self.ratio is None or (ratio is not None and ratio <= self.ratio):
            return
        self.ratio = ratio
        self.worst = history, row.index(more), row.index(less), more, less

    def _table(self, sent: Sends, known: dict[Any, int]) -> ExpandedTable:
        """The table of a report at the point and what is known before it."""
        key = id(sent), tuple(known.items())
        if key not in self.tables:
            mechanism, generator = sent.randomizer, sent.randomizer.generator
            exact: dict[str, Fraction] = {}
            for parameter in mechanism.parameters:
                given = sympy.sympify(sent.at.get(parameter, parameter))
                if parameter == generator.eps:
                    root = sympy.exp(self._at(given, known) / generator.root)
                    exact[str(generator.symbol)] = self._exact(parameter.name, root, {})
                elif given.free_symbols <= self.point.keys() | known.keys():
                    exact[parameter.name] = self._exact(parameter.name, given, known)
            self.tables[key] = expand(mechanism, exact)
        return self.tables[key]

    def _at(self, value: Any, known: Mapping[Any, Any]) -> Any:
        return sympy.sympify(value).subs({**self.point, **known}, simultaneous=True)

    def _exact(self, name: str, value: Any, known: Mapping[Any, Any]) -> Fraction:
        key = value, tuple(known.items())
        if key not in self.numbers:
            here = self.rational | {symbol: Fraction(number) for symbol, number in known.items()}
            number = number_at(sympy.sympify(value), here)
            if number is None:
                found = sympy.simplify(self._at(value, known))
                if not found.is_Rational:
                    raise NotExpandableError(name, "must be an exact number here", found)
                number = Fraction(int(found.p), int(found.q))
            self.numbers[key] = number
        return self.numbers[key]

    def _whole(self, name: str, value: Any, known: Mapping[Any, Any]) -> int:
        found = self._exact(name, value, known)
        if found.denominator != 1:
            raise NotExpandableError(name, "must be an integer here", found)
        return int(found)
