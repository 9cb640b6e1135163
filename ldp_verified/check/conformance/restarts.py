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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, log1p, nextafter
from typing import TYPE_CHECKING, Any

from scipy.special import betainccinv
from scipy.stats import binom

from ldp_verified.check.conformance.numeric import RANGES
from ldp_verified.check.conformance.results import Comparison

if TYPE_CHECKING:
    import numpy as np

    from ldp_verified.check.conformance.numeric import NumericSubject
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
        """Unique in a run."""
        return f"{self.subject.name} started twice"

    @property
    def asked(self) -> int:
        """How often each start is asked."""
        return min(self.most, max(LEAST_ASKED, needed(self.subject.agreement)))

    @property
    def n(self) -> int:
        """Return how many reports it draws."""
        return 2 * self.asked

    @property
    def comparisons(self) -> int:
        """Two: of both starts, and of neighbours in each."""
        return 2

    def run(self, _: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Ask two starts and compare, each comparison at the given level."""
        first, second = (list(map(_plain, self.subject.start(self.asked))) for _ in range(2))
        # Pairs that share an answer depend on each other: those of each parity share none.
        ends = [
            [
                pair
                for start in (first, second)
                for pair in zip(start[i::2], start[i + 1 :: 2], strict=False)
            ]
            for i in (0, 1)
        ]
        parities = {"from the first answer on": ends[0], "from the second answer on": ends[1]}
        both = {"equal answers": list(zip(first, second, strict=True))}
        return [
            self._compare("equal answers of two starts", NULL, both, level, miss),
            self._compare("equal neighbours in one start", NEIGHBOURS, parities, level, miss),
        ]

    def _compare(
        self,
        name: str,
        null: str,
        pairs: Mapping[str, Sequence[tuple[Any, Any]]],
        level: float,
        miss: float,
    ) -> Comparison:
        tests = [
            AlikeTest(label, sum(a == b for a, b in each), len(each), self.subject.agreement)
            for label, each in pairs.items()
        ]
        return alike_comparison(self.subject.name, name, null, tests, level, miss)


@dataclass(frozen=True)
class AlikeTest:
    """Pairs of answers of which no more than by chance should be equal.

    Attributes:
        label: what the pairs are. alike: how many are equal. n: how many there are.
        agreement: the chance, at most, that two independent answers are equal.
    """

    label: str
    alike: int
    n: int
    agreement: Fraction

    @property
    def chance(self) -> float:
        """The agreement, rounded upwards."""
        return min(1.0, nextafter(float(self.agreement), 2.0))

    @property
    def p_value(self) -> float:
        """Return the chance, at most, that so many independent answers are equal, or more."""
        return float(binom.sf(self.alike - 1, self.n, self.chance))


def alike_comparison(
    subject: str, name: str, null: str, tests: Sequence[AlikeTest], level: float, miss: float
) -> Comparison:
    """One comparison of several tests, by Bonferroni.

    Args:
        subject: what was run. name: of the comparison. null: in words.
        tests: the pairs of each. level: of all tests together. miss: as in `Comparison`.
    """
    worst = min(tests, key=lambda test: test.p_value)
    # The reach depends on the number of pairs and on the chance alone.
    kinds = {(test.n, test.chance) for test in tests}
    return Comparison(
        subject=subject,
        name=name,
        null=null,
        tests=len(tests),
        level=level,
        n=sum(test.n for test in tests),
        p_value=min(1.0, len(tests) * worst.p_value),
        detectable=max(_detectable(n, chance, level / len(tests), miss) for n, chance in kinds),
        unit="chance that two answers are equal",
        limit=1.0,
        miss=miss,
        observed=worst.alike / worst.n if worst.n else 0.0,
        expected=worst.chance,
        worst=worst.label,
    )


def needed(chance: Fraction) -> int:
    """How many answers it takes until the chance that all are alike is below e^-64.

    Args:
        chance: that one is. At 0 and at 1 no number says more than another: it is 0.
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
