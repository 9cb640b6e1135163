"""A client that is started twice: honest reports differ, those of a seed that is fixed do not.

Nor do those of neighbouring users who share their randomness, so that answers of one start are
compared, too: each with the next one, from the first on and from the second on.

Two independent reports on a value x are equal with the chance sum over y of P(y|x)^2. How often
the answers of two starts are equal follows a binomial law with that chance, so that too many equal
ones are rejected at an exact level: all of N with a p-value of its N-th power. Where what is known
of a protocol are classes of its reports, equal reports are in equal classes. That bounds the chance
from above, and the level holds all the more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, log1p, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import betainccinv
from scipy.stats import binom

from ldp_verified.check.conformance.numeric import RANGES
from ldp_verified.check.conformance.results import PlannedComparison

if TYPE_CHECKING:
    from ldp_verified.check.conformance.numeric import NumericSubject
    from ldp_verified.check.conformance.results import Comparison
    from ldp_verified.check.conformance.stateful_clients import Look

LEAST_ASKED = 1000
"""How often each start is asked, where that is enough."""

SURE = 64.0
"""It is asked so often that the chance that all honest answers are equal is below e^-64."""

NULL = (
    "answers of two starts are independent: each is equal to that of the other start with chance "
    "sum P(y|x)^2 at most"
)


NEIGHBOURS = (
    "answers of one start are independent: each is equal to the next one with chance sum P(y|x)^2 "
    "at most"
)


@dataclass(frozen=True, eq=False)
class RestartSubject:
    """A client that can be started again.

    Attributes:
        name: shown in the report.
        start: starts the client, asks it so many times for one value, and gives its answers.
        agreement: the chance, at most, that two independent answers are equal.
    """

    name: str
    start: Callable[[int], Sequence[Any]]
    agreement: Fraction


@dataclass(frozen=True, eq=False)
class RestartTask:
    """Answers of two starts to the same requests, one after the other.

    Attributes:
        subject: the client. most: how often each start may be asked.
    """

    subject: RestartSubject
    most: int

    @property
    def name(self) -> str:
        """The task's name, which is unique in a run."""
        return f"{self.subject.name} started twice"

    @property
    def asked(self) -> int:
        """How often each start is asked."""
        return min(self.most, max(LEAST_ASKED, needed(self.subject.agreement)))

    @property
    def n(self) -> int:
        """Return how many reports the task draws."""
        return 2 * self.asked

    @cached_property
    def planned(self) -> list[AlikeComparison]:
        """Comparisons of both starts, and of neighbours in each."""
        # Pairs that share an answer depend on each other: those of each parity share none.
        parities = [f"from the {place} answer on" for place in ("first", "second")]
        neighbours = [2 * ((self.asked - i) // 2) for i in (0, 1)]
        of_starts = "equal answers of two starts", NULL, ["equal answers"], [self.asked]
        of_one = "equal neighbours in one start", NEIGHBOURS, parities, neighbours
        return [
            alike_comparison(self.subject.name, *each, [self.subject.agreement] * len(each[-1]))
            for each in (of_starts, of_one)
        ]

    def run(self, _: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Ask two starts and compare, each comparison at the given level."""
        starts = [list(map(_plain, self.subject.start(self.asked))) for _ in range(2)]
        neighbours = [
            sum(
                a == b
                for start in starts
                for a, b in zip(start[i::2], start[i + 1 :: 2], strict=False)
            )
            for i in (0, 1)
        ]
        alike = [sum(a == b for a, b in zip(*starts, strict=True))], neighbours
        pairs = zip(self.planned, alike, strict=True)
        return [planned.counted(each, level, miss) for planned, each in pairs]


@dataclass(frozen=True, eq=False, kw_only=True)
class AlikeComparison(PlannedComparison):
    """Pairs of answers of which no more than by chance should be equal.

    Attributes:
        pairs: how many there are in each test.
        chances: the chance, at most, that two independent answers are equal, in each test.
    """

    pairs: Sequence[int] = field(repr=False)
    chances: Sequence[float] = field(repr=False)

    def reach(self, level: float, miss: float) -> float:
        """Return the largest chance of equal answers that may be missed."""
        # It depends on the number of pairs and on the chance alone.
        kinds = {*zip(self.pairs, self.chances, strict=True)}
        return max(_detectable(n, chance, level, miss) for n, chance in kinds)

    def counted(self, alike: Sequence[int], level: float, miss: float) -> Comparison:
        """Return the comparison of counts.

        Args:
            alike: how many pairs are equal in each test. level, miss: as in `compared`.
        """
        # So many independent answers are equal, or more, with these chances at most.
        p_values = np.asarray(binom.sf(np.array(alike) - 1, self.pairs, self.chances))
        observed = [same / n if n else 0.0 for same, n in zip(alike, self.pairs, strict=True)]
        return self.compared(p_values, observed, self.chances, level, miss)


def alike_comparison(
    subject: str,
    name: str,
    null: str,
    labels: Sequence[str],
    pairs: Sequence[int],
    agreements: Sequence[Fraction],
) -> AlikeComparison:
    """Plan a comparison of pairs of answers.

    Args:
        subject, name, null: as in `Comparison`.
        labels: of each test. pairs: how many there are in it.
        agreements: the chance, at most, that two independent answers are equal.
    """
    return AlikeComparison(
        subject=subject,
        name=name,
        null=null,
        n=sum(pairs),
        unit="chance that two answers are equal",
        limit=1.0,
        labels=labels,
        pairs=pairs,
        chances=[min(1.0, nextafter(float(each), 2.0)) for each in agreements],  # upwards
    )


def needed(chance: Fraction) -> int:
    """How many answers it takes until the chance that all are alike is below e^-64.

    Args:
        chance: that one answer is like another. At 0 and at 1 no number of answers says more than
            another: the result is 0.
    """
    alike = float(chance)
    return ceil(SURE / -log1p(alike - 1)) if 0 < alike < 1 else 0


def _detectable(n: int, chance: float, level: float, miss: float) -> float:
    """The chance of equal answers that is missed with probability at most `miss`.

    Infinite where not even n equal answers of n are rejected.
    """
    if not binom.sf(n - 1, n, chance) <= level:
        return float("inf")
    low, high = 0, n  # `high` equal answers are rejected, `low` are not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if binom.sf(middle - 1, n, chance) <= level else (middle, high)
    return float(betainccinv(high, n - high + 1, miss))


def _plain(answer: Any) -> Any:
    """An answer in one form: numbers that were given as text are numbers."""
    if isinstance(answer, list):
        return _plain(answer[0]) if len(answer) == 1 else tuple(map(_plain, answer))
    if isinstance(answer, str) and re.fullmatch(r"[0-9]{1,20}", answer):
        return int(answer)
    return answer


def best(chances: Iterable[Fraction]) -> Fraction:
    """A bound of the chance that two reports are equal: both are in a class, or neither is.

    Args:
        chances: of classes of reports, which need not exclude each other; the best one counts.
    """
    return min(mass**2 + (1 - mass) ** 2 for mass in chances)


def of_looks(looks: Sequence[Look], begin: str = "") -> Fraction:
    """The bound of classes that are looked at.

    Args:
        looks: the classes. begin: of the labels of those that are about one value.
    """
    pairs = [pair for look in looks for pair in zip(look.labels, look.probabilities, strict=True)]
    return best(mass for label, mass in pairs if label.startswith(begin))


def of_law(masses: Iterable[Fraction]) -> Fraction:
    """The bound of classes that exclude each other: two equal reports are in one of them.

    Args:
        masses: of all classes.
    """
    return sum((mass**2 for mass in masses), Fraction(0))


def of_numbers(subject: NumericSubject, share: Fraction) -> Fraction:
    """The bound of ranges of cells, and of each atom.

    Args:
        subject: its laws are asked for. share: the input, of the way between the bounds.
    """
    d = subject.decoding
    cuts = sorted({d.cells * i // RANGES for i in range(RANGES + 1)})
    edges = [d.first - d.step / 2 + cut * d.step for cut in cuts]
    laws = subject.laws(share)
    masses = [sum(float(w) * law.between(*ends) for w, law in laws) for ends in pairwise(edges)]
    masses += [sum(float(w) * law.at(atom) for w, law in laws) for atom in d.atoms]
    # Laws are in floats, and off by far less than this.
    return min(Fraction(1), of_law(map(Fraction, masses)) + Fraction(1, 10**9))
