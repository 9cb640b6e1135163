"""Goodness of fit: how often reports of one input fall into classes of known probability."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.check.conformance.decode import Codes, HashDecoder, Reports, decoder
from ldp_verified.check.conformance.exact import Floats
from ldp_verified.check.conformance.results import ClassComparison, Comparison
from ldp_verified.check.conformance.sketches import SketchBitDecoder
from ldp_verified.language.forms import Bits, Design, Matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.analysis.expectation import Expectation

MOST_OUTPUTS = 512
"""Up to so many outputs, each is a class of its own."""

MOST_PARTNERS = 8
MOST_VALUES = 64
LIMIT = 0.02
"""A run that would miss a class probability that is off by more than this is inconclusive."""

CHUNK = 1 << 18
_INVALID = "no valid report"

Rng = np.random.Generator | None
Draw = Callable[["NDArray[np.int64]", Rng], Reports]
"""Reports for given values, in the mechanism's layout; with None from the secure source."""


@dataclass(frozen=True, eq=False)
class FrequencyTally:
    """Classes of the reports of one input, and how to count them.

    Attributes:
        kind: what the classes are ("classes of pairs").
        labels: one per class.
        probabilities: exact, one per class.
        count: from reports to class counts, shape (classes,).
    """

    kind: str
    labels: list[str]
    probabilities: tuple[Fraction, ...]
    count: Callable[[Reports], Codes]


def tallies(expected: Expectation, x: int, rng: np.random.Generator) -> list[FrequencyTally]:
    """Return the counts to compare for the reports of input x.

    Counted are the classes of the pair tables of (x, x') for up to `MOST_PARTNERS` x'. Where
    outputs are not the values themselves, the support of up to `MOST_VALUES` values is counted too.
    Few outputs are counted one by one. Of many, the marginals of a hash function's coefficients and
    of the distance of the bucket from h(x) are counted. Where there are too many values, `rng`
    draws some.
    """
    if expected.k <= MOST_VALUES:
        others = [v for v in range(expected.k) if v != x]
    else:
        drawn = rng.choice(expected.k - 1, size=MOST_VALUES - 1, replace=False)
        others = sorted(int(v) + (int(v) >= x) for v in drawn)
    partners = sorted(int(v) for v in rng.permutation(others)[:MOST_PARTNERS])
    found = []
    if isinstance(expected.form, Matrix):
        found.append(_outputs_of_matrix(expected, x))
    else:
        found.append(_pairs(expected, x, partners))
        outputs = _outputs(expected, x)
        if outputs is None or not _of_values(expected):
            found.append(_supports(expected, x, (x, *others)))
        if outputs is not None:
            found.append(outputs)
        elif expected.hash_sizes is not None:
            found.append(_marginals(expected, x))
    return found


def few_classes(expected: Expectation, x: int) -> FrequencyTally:
    """Few classes of the reports of input x, which tell most: its pair with the next value.

    Args:
        expected: the table. x: the input.
    """
    if isinstance(expected.form, Matrix):
        return _outputs_of_matrix(expected, x)
    pairs = _pairs(expected, x, [(x + 1) % expected.k])
    return together([pairs, _supports(expected, x, (x,))])


def together(counted: Sequence[FrequencyTally]) -> FrequencyTally:
    """The classes of several tallies of the same reports as those of one.

    Args:
        counted: the tallies.
    """
    return FrequencyTally(
        "classes",
        [label for tally in counted for label in tally.labels],
        tuple(mass for tally in counted for mass in tally.probabilities),
        lambda reports: np.concatenate([tally.count(reports) for tally in counted]),
    )


def labels_of(inputs: Iterable[object], counted: Iterable[FrequencyTally]) -> list[str]:
    """Return a label for each class of several inputs.

    Args:
        inputs: as they are shown. counted: the classes of each.
    """
    pairs = zip(inputs, counted, strict=True)
    return [f"x = {x}, {label}" for x, tally in pairs for label in tally.labels]


def chances_of(counted: Iterable[FrequencyTally]) -> Floats:
    """Return the probability of each class of several inputs.

    Args:
        counted: the classes of each.
    """
    return np.array([float(mass) for tally in counted for mass in tally.probabilities])


def mixed(expected: Expectation, inputs: Mapping[int, Fraction]) -> FrequencyTally:
    """How often the reports of a drawn input support each value, of up to `MOST_VALUES`.

    Args:
        expected: of the randomizer. inputs: the chance of each input.
    """
    values = tuple(range(min(expected.k, MOST_VALUES)))
    parts = [(share, _supports(expected, x, values)) for x, share in inputs.items()]
    chances = zip(
        *([share * p for p in tally.probabilities] for share, tally in parts), strict=True
    )
    _, first = parts[0]
    return FrequencyTally(
        first.kind, first.labels, tuple(sum(each, Fraction(0)) for each in chances), first.count
    )


def _of_values(expected: Expectation) -> bool:
    """Return whether an output supports one value, or a few that are written out."""
    form = expected.form
    return isinstance(form, Design) and form.structure is not None and not form.structure.determined


def _bin(codes: Codes, classes: int) -> Codes:
    """Counts of 0..classes-1, and of everything else in a last class."""
    inside = (codes >= 0) & (codes < classes)
    return np.bincount(np.where(inside, codes, classes), minlength=classes + 1)


def partition(
    kind: str, labels: list[str], masses: list[Fraction], codes: Callable[[Reports], Codes]
) -> FrequencyTally:
    """Classes that leave nothing over, and one of probability 0 for what should not be.

    Args:
        kind: what the classes are. labels, masses: of each. codes: the class of each report.

    Raises:
        ArithmeticError: the masses do not add up to 1.
    """
    if sum(masses) != 1:
        raise ArithmeticError(f"{kind}: class probabilities sum to {sum(masses)}")
    size = len(masses)
    return FrequencyTally(
        kind,
        [*labels, _INVALID],
        (*masses, Fraction(0)),
        lambda reports: _bin(codes(reports), size),
    )


def _outputs_of_matrix(expected: Expectation, x: int) -> FrequencyTally:
    rows = expected.pair_masses(x, int(x == 0))
    read = decoder(expected)
    return partition("outputs", [name for name, _ in rows], [m for _, m in rows], read.codes)


def _pairs(expected: Expectation, x: int, partners: list[int]) -> FrequencyTally:
    read = decoder(expected)
    labels, masses = [], []
    for x2 in partners:
        rows = expected.pair_masses(x, x2)
        if sum(mass for _, mass in rows) != 1:
            raise ArithmeticError("the classes of a pair table do not sum to 1")
        labels += [f"x' = {x2}: {name}" for name, _ in rows]
        masses += [mass for _, mass in rows]
    labels.append(_INVALID)
    masses.append(Fraction(0))

    def count(reports: Reports) -> Codes:
        own = read.supports(reports, x)
        parts = []
        for x2 in partners:
            codes = 3 - 2 * own.astype(np.int64) - read.supports(reports, x2)
            parts.append(np.bincount(codes, minlength=4))
        parts.append(np.array([np.count_nonzero(~read.valid(reports))]))
        return np.concatenate(parts)

    return FrequencyTally("classes of pairs", labels, tuple(masses), count)


def _supports(expected: Expectation, x: int, values: tuple[int, ...]) -> FrequencyTally:
    read = decoder(expected)
    p_star, q_star = expected.support
    return FrequencyTally(
        "support of values",
        [f"supports {v}" for v in values],
        tuple(p_star if v == x else q_star for v in values),
        lambda reports: read.support_counts(reports, values),
    )


def _outputs(expected: Expectation, x: int) -> FrequencyTally | None:
    read = decoder(expected)
    reports = read.every_report(MOST_OUTPUTS)
    if reports is None:
        return None
    first, second = expected.cells
    if isinstance(read, SketchBitDecoder):
        masses = [read.mass(report, x, first, second) for report in reports]
    elif isinstance(expected.form, Bits):
        masses = [Fraction(1)] * len(reports)
        for v in range(expected.k):
            chance = first if v == x else second
            flags = read.supports(reports, v)
            masses = [m * (chance if f else 1 - chance) for m, f in zip(masses, flags, strict=True)]
    else:
        masses = [first if flag else second for flag in read.supports(reports, x)]
    labels = [f"report {row.tolist()}" for row in reports]
    return partition("single outputs", labels, masses, read.codes)


def _marginals(expected: Expectation, x: int) -> FrequencyTally:
    read = decoder(expected)
    assert isinstance(read, HashDecoder)
    g, functions = read.g, read.g**read.digits
    inside, outside = (cell * functions for cell in expected.cells)
    masses = [Fraction(1, g)] * (g * read.digits) + [inside] + [outside] * (g - 1)
    labels = [f"coefficient {i} is {c}" for i in range(read.digits) for c in range(g)]
    labels += [f"bucket is h(x) + {shift}" for shift in range(g)]

    def count(reports: Reports) -> Codes:
        parts = [_bin(reports[:, i].astype(np.int64), g)[:g] for i in range(read.digits)]
        shift = (reports[:, -1].astype(np.int64) - read.bucket_of(reports, x)) % g
        return np.concatenate([*parts, np.bincount(shift, minlength=g)])

    return FrequencyTally("coefficients and buckets", labels, tuple(masses), count)


@dataclass(frozen=True, eq=False)
class FrequencyTask:
    """Draw reports of some inputs and compare all their classes; one comparison for each kind.

    Attributes:
        subject: the name of what is run.
        draw: where reports come from.
        reports: how many, of each input.
        counted: input -> its tallies, of the same kinds for all.
        secure: whether the secure source is used instead of the run's seed.
    """

    subject: str
    draw: Draw
    reports: int
    counted: dict[int, list[FrequencyTally]] = field(repr=False)
    secure: bool = False

    @cached_property
    def planned(self) -> list[ClassComparison]:
        """One comparison for each kind of classes."""
        source = ", secure source" if self.secure else ""
        return [
            ClassComparison(
                subject=self.subject,
                name=f"{kinds[0].kind}{source}",
                n=self.reports,
                limit=LIMIT,
                labels=labels_of(self.counted, kinds),
                p=chances_of(kinds),
            )
            for kinds in zip(*self.counted.values(), strict=True)
        ]

    @property
    def n(self) -> int:
        """Return how many reports are drawn."""
        return self.reports * len(self.counted)

    @property
    def name(self) -> str:
        """Return a name that gives the task a seed of its own."""
        return f"{self.subject} frequencies{', secure source' if self.secure else ''}"

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Draw, count and compare; each comparison has the given level."""
        totals = [self._count(x, rng) for x in self.counted]
        return [
            planned.counted(np.concatenate(counts), level, miss)
            for planned, counts in zip(self.planned, zip(*totals, strict=True), strict=True)
        ]

    def _count(self, x: int, rng: np.random.Generator) -> list[Codes]:
        totals = [np.zeros(len(tally.labels), dtype=np.int64) for tally in self.counted[x]]
        for start in range(0, self.reports, CHUNK):
            values = np.full(min(CHUNK, self.reports - start), x, dtype=np.int64)
            reports = self.draw(values, None if self.secure else rng)
            for position, tally in enumerate(self.counted[x]):
                totals[position] += tally.count(reports)
        return totals
