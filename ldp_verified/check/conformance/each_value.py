"""Find values that a client sends in clear: ask it for many values, some hundred reports of each.

Other checks look closely at a few values, and miss a client that is wrong at other values only.
This check asks for all values, or for m values that each run draws afresh. If a client is wrong at
a share s of its values, a run asks for none of these with probability at most (1 - s)^m.

A value in clear gives the same report each time, or a report that supports the value each time. So
the check counts, for each value, how many reports are equal, and how many are of each class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.frequencies import chances_of, labels_of
from ldp_verified.check.conformance.restarts import AlikeComparison, alike_comparison, needed
from ldp_verified.check.conformance.results import ClassComparison, Comparison

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.check.conformance.frequencies import FrequencyTally

PART = 2
"""The reports of a run for each report that is asked for here."""

LEAST_EACH = 400
"""How often each value is asked for, where that is enough."""

MOST_VALUES = 1000
"""Values that are asked for, at most."""

LOT = 1 << 18
"""Reports that are asked for at a time, at most, but for those of a single value."""

LIMIT = 0.4
"""A run that would miss a class probability that is off by more than this is inconclusive."""

SHARED_EACH = 2000
SHARED_LIMIT = 0.2
"""The same where reports share out among groups: what is in clear is less of them."""

ALIKE = (
    "answers to one value are independent: each is equal to the next one with chance sum P(y|x)^2 "
    "at most"
)

Send = Callable[[Sequence[Any]], "NDArray[Any]"]
"""Values to what is sent for each: a number, or a row of them."""


@dataclass(frozen=True, eq=False)
class EachValueSubject:
    """A client of which many values are looked at.

    Attributes:
        name: the client's name in the report.
        count: how many values there are.
        drawn: draws so many different values from a generator; all of them where there are no more.
        send: asks the client for a report of each value.
        agreement: bounds the chance that two independent answers to a value are equal.
        classes: gives the classes of the reports of a value; None where only equal answers count.
        own: the chance that a report supports its own value; 0 where it is not known.
        most: how many values are asked for, at most.
        least: how often each value is asked for, at least.
        limit: the largest error of a class's probability that a pass may miss.
    """

    name: str
    count: int
    drawn: Callable[[int, np.random.Generator], list[Any]]
    send: Send
    agreement: Callable[[Any], Fraction]
    classes: Callable[[Any], FrequencyTally] | None = None
    own: Fraction = Fraction(0)
    most: int = MOST_VALUES
    least: int = LEAST_EACH
    limit: float = LIMIT


@dataclass(frozen=True, eq=False)
class EachValueTask:
    """Values of a client, and how often each is asked for.

    Attributes:
        subject: the client.
        values: those that it is asked for.
        each: how often it is asked for each.
    """

    subject: EachValueSubject
    values: tuple[Any, ...] = field(repr=False)
    each: int

    @property
    def name(self) -> str:
        """The task's name, which is unique in a run."""
        return f"{self.subject.name} many values"

    @property
    def n(self) -> int:
        """Return how many reports the task draws."""
        return self.each * len(self.values)

    @cached_property
    def planned(self) -> list[AlikeComparison | ClassComparison]:
        """The comparisons of a run: of equal answers, and of classes where the subject has them."""
        return [self._alike] if self._classes is None else [self._alike, self._classes]

    @cached_property
    def _tallies(self) -> list[FrequencyTally]:
        of_each = self.subject.classes
        return [] if of_each is None else [of_each(value) for value in self.values]

    @cached_property
    def _alike(self) -> AlikeComparison:
        return alike_comparison(
            self.subject.name,
            "equal answers to one value",
            ALIKE,
            [f"x = {_shown(value)}" for value in self.values],
            [self.each // 2] * len(self.values),
            [self.subject.agreement(value) for value in self.values],
        )

    @cached_property
    def _classes(self) -> ClassComparison | None:
        if not self._tallies:
            return None
        return ClassComparison(
            subject=self.subject.name,
            name="classes of many values",
            n=self.each,
            limit=self.subject.limit,
            labels=labels_of(map(_shown, self.values), self._tallies),
            p=chances_of(self._tallies),
        )

    def run(self, _: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Ask the client for all reports, and compare them.

        Args:
            level: of each comparison.
            miss: the chance that a comparison may miss what it says that it detects.

        Returns:
            The comparisons of `planned`, with what was counted.
        """
        alike: list[int] = []
        counts: list[Codes] = []
        at_once = max(1, LOT // self.each)
        for start in range(0, len(self.values), at_once):
            values = self.values[start : start + at_once]
            rows = self.subject.send([value for value in values for _ in range(self.each)])
            for place in range(len(values)):
                own = rows[place * self.each : (place + 1) * self.each]
                alike.append(self._equal(own))
                if self._tallies:
                    counts.append(self._tallies[start + place].count(own))
        found = [self._alike.counted(alike, level, miss)]
        if self._classes is not None:
            found.append(self._classes.counted(np.concatenate(counts), level, miss))
        return found

    def _equal(self, rows: NDArray[Any]) -> int:
        """Compare each other answer with the one after it, so that no pairs share an answer."""
        first, second = rows[: self.each // 2 * 2 : 2], rows[1::2]
        return int((first == second).reshape(len(first), -1).all(axis=1).sum())


def each_value_task(subject: EachValueSubject, n: int, rng: np.random.Generator) -> EachValueTask:
    """Choose as many values as can each be asked for often enough to see one in clear.

    Args:
        subject: the client.
        n: how many reports the whole run draws.
        rng: draws the values.

    Returns:
        The values, and how often each is asked for.
    """
    budget = max(2, n // PART)
    some = subject.drawn(1, rng)[0]
    # Pairs are compared, so that twice as many answers are needed.
    least = max(subject.least, 2 * needed(subject.agreement(some)), needed(subject.own))
    wanted = max(1, min(subject.count, subject.most, budget // least))
    values = tuple(subject.drawn(wanted, rng))
    return EachValueTask(subject, values, budget // len(values))


def different(count: int) -> Callable[[int, np.random.Generator], list[int]]:
    """Return a function that draws different integers below a number, in order.

    Args:
        count: the number, 2^128 at most.
    """

    def drawn(wanted: int, rng: np.random.Generator) -> list[int]:
        if wanted >= count:
            return list(range(count))
        if count <= 1 << 62:
            return sorted(int(x) for x in rng.choice(count, wanted, replace=False))
        found: set[int] = set()
        while len(found) < wanted:
            found.add(int.from_bytes(rng.bytes(24), "little") % count)
        return sorted(found)

    return drawn


def asked_of(name: str, count: int, values: Sequence[Any], each: int | None = None) -> str:
    """Say which values were asked for, and how many there are.

    Args:
        name: of the subject. count: of all its values. values: those that were asked for.
        each: how often each of them was; None leaves it out.
    """
    if len(values) == count:
        which = "all of them"
    elif len(values) <= 8:
        which = ", ".join(map(_shown, values))
    else:
        which = f"{', '.join(map(_shown, values[:4]))}, ..., {_shown(values[-1])}"
    often = "" if each is None else f", each {each:,} times"
    return f"{name}: asked {len(values):,} of {count:,} values ({which}){often}"


def unasked(name: str, count: int, asked: int) -> str:
    """Say with what chance a client that is wrong at some values is asked at none of them.

    Args:
        name: of the subject. count: of all its values. asked: how many were asked for.
    """
    return (
        f"{name}: {count - asked:,} of the {count:,} values; a client that is wrong at a share s "
        f"of them all was asked at none of these with probability (1 - s)^{asked} at most"
    )


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, int) else repr(value)
