"""Running numeric mechanisms against their spec's density: where reports fall, mean and square.

Expected values are computed from the spec's table (`laws`), at the rational values of its variables
that the realization states. No formula of the running class is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.check.conformance.laws import NumericLaw, laws
from ldp_verified.check.conformance.results import (
    ClassComparison,
    Comparison,
    PlannedComparison,
)
from ldp_verified.language.forms import Line
from ldp_verified.language.loader import load
from ldp_verified.language.noise import Noise
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.check.conformance.decode import Codes
    from ldp_verified.check.conformance.exact import Floats
    from ldp_verified.language.mechanism import Mechanism

    Laws = list[tuple[Fraction, NumericLaw]]
    Draw = Callable[[NDArray[np.float64], np.random.Generator | None], NDArray[Any]]

RANGES = 16
"""The number of ranges in which cells are counted; each atom is counted for itself."""

LIMIT = 0.02
"""A run that would miss a share that is off by more than this is inconclusive."""

MOMENT_LIMIT = 0.2
"""A run that would miss a moment off by more than this share of its largest is inconclusive."""

SHARES = (Fraction(0), Fraction(5, 16), Fraction(1, 2) + Fraction(1, 1 << 40), Fraction(1))
"""The inputs that are looked at, as shares of the way from the lower bound to the upper one."""


@dataclass(frozen=True, eq=False)
class NumericSubject:
    """Something that draws numeric reports, and what is expected of it.

    Attributes:
        name: shown in the report. draw: reports for shares of the way between the bounds.
        form: the spec's table in algebraic form; None where the laws come from elsewhere.
        point: a value for each of its variables.
        steps: of the grid on which the input is. decoding: what reports stand for.
        shares: the inputs that are looked at.
        secure: whether `draw` with None draws from the secure source, to be looked at too.
        afresh: whether inputs between the ends are drawn in each run instead.
    """

    name: str
    draw: Draw
    form: Line | None
    point: dict[Any, Fraction]
    steps: int
    decoding: Decoding
    shares: tuple[Fraction, ...] = SHARES
    secure: bool = True
    afresh: bool = False

    def laws(self, share: Fraction) -> list[tuple[Fraction, NumericLaw]]:
        """The expected laws at the two grid neighbours of an input, with their weights."""
        assert self.form is not None
        return laws(self.form, self.point, self.decoding, self.steps, share)


def numeric_subject(mechanism: NumericRandomizer, spec: Mechanism | None = None) -> NumericSubject:
    """The running code of a mechanism object, as a user calls it."""
    found = next(iter(load(mechanism.instance_of))) if spec is None else spec
    form = found.algebraic_table
    assert isinstance(form, Line)
    low, high = mechanism.bounds

    def draw(shares: NDArray[np.float64], rng: np.random.Generator | None) -> NDArray[Any]:
        return mechanism.privatize(np.clip(low + shares * (high - low), low, high), rng).data

    # The last variables of noise with ends follow from the input: no value is given for them.
    tails = form.tails if isinstance(form, Noise) else ()
    given = [variable for variable in found.variables if variable not in tails]
    point = dict(zip(given, mechanism.variables, strict=True))
    return NumericSubject(repr(mechanism), draw, form, point, mechanism.steps, mechanism.decoding)


@dataclass(frozen=True, eq=False)
class NumericTask:
    """Shares of ranges of reports, mean and mean square, at a few inputs.

    Attributes:
        subject: what is run. each: reports per input. secure: from the secure source.
    """

    subject: NumericSubject
    each: int
    secure: bool = False

    @property
    def name(self) -> str:
        """The task's name, which is unique in a run."""
        return f"{self.subject.name} numbers{' from the secure source' if self.secure else ''}"

    @property
    def n(self) -> int:
        """Return how many reports the task draws."""
        return self.each * len(self.subject.shares)

    @cached_property
    def planned(self) -> list[ClassComparison | MomentComparison]:
        """The comparisons of each input: of shares, and of moments."""
        return [each for pair in self._pairs for each in pair]

    @cached_property
    def _pairs(self) -> list[tuple[ClassComparison, MomentComparison]]:
        laws = [
            (share, self.subject.laws(Fraction(round(share * UNIT), UNIT)))
            for share in self.subject.shares
        ]
        return [(self._shares(*each), self._moments(*each)) for each in laws]

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Draw and compare; each comparison has the given level."""
        found = []
        for share, (shares, moments) in zip(self.subject.shares, self._pairs, strict=True):
            data = self._drawn(share, rng)
            found.append(shares.counted(self._counts(data), level, miss))
            found.append(moments.averaged(self._decoded(data), level, miss))
        return found

    def _drawn(self, share: Fraction, rng: np.random.Generator) -> NDArray[Any]:
        values = np.full(self.each, float(share))
        return self.subject.draw(values, None if self.secure else rng)

    @cached_property
    def _cuts(self) -> list[int]:
        """First cells of the ranges, and the number of cells."""
        cells = self.subject.decoding.cells
        return sorted({cells * i // RANGES for i in range(RANGES + 1)})

    def _counts(self, data: NDArray[Any]) -> Codes:
        """Count reports in ranges of cells and on atoms, and those that are no report."""
        d, cuts = self.subject.decoding, self._cuts
        held = data[data < d.cells]
        inside = np.histogram(held, bins=np.array(cuts))[0] if len(cuts) > 1 else np.zeros(0)
        atoms = [int(np.count_nonzero(data == d.cells + place)) for place in range(len(d.atoms))]
        invalid = int(np.count_nonzero(data >= d.outputs))
        return np.array([*inside.astype(np.int64).tolist(), *atoms, invalid], dtype=np.int64)

    def _shares(self, share: Fraction, expected: Laws) -> ClassComparison:
        """Plan the comparison of how often reports fall into ranges of cells and on atoms."""
        d, cuts = self.subject.decoding, self._cuts
        edges = [d.first - d.step / 2 + cut * d.step for cut in cuts]
        labels = [f"cells {first}..{end - 1}" for first, end in pairwise(cuts)]
        masses = [
            sum(float(w) * law.between(*ends) for w, law in expected) for ends in pairwise(edges)
        ]
        labels += [f"atom {float(atom):.6g}" for atom in d.atoms]
        masses += [sum(float(w) * law.at(atom) for w, law in expected) for atom in d.atoms]
        return ClassComparison(
            subject=self.subject.name,
            name=self._named("shares", share),
            null="ranges of reports have the probabilities of the spec's density",
            n=self.each,
            unit="share",
            limit=LIMIT,
            labels=[*labels, "no valid report"],
            p=np.array([*masses, 0.0]),
        )

    def _decoded(self, data: NDArray[Any]) -> Floats:
        """The numbers that reports stand for."""
        d = self.subject.decoding
        atoms = np.array([float(a) for a in d.atoms])
        decoded = float(d.first) + data.astype(np.float64) * float(d.step)
        if len(atoms):
            place = np.clip(data.astype(np.int64) - d.cells, 0, len(atoms) - 1)
            decoded = np.where(data >= d.cells, atoms[place], decoded)
        return np.asarray(decoded)

    def _moments(self, share: Fraction, expected: Laws) -> MomentComparison:
        """Mean and mean square of what reports stand for, by Bernstein's inequality."""
        d = self.subject.decoding
        reach = max(abs(float(d.value(y))) for y in (0, d.outputs - 1)) + float(d.step)
        mean = sum(float(w) * law.mean for w, law in expected)
        square = sum(float(w) * law.square for w, law in expected)
        return MomentComparison(
            subject=self.subject.name,
            name=self._named("moments", share),
            null="mean and mean square of a report are those of the spec's density",
            n=self.each,
            unit="share of the range",
            limit=MOMENT_LIMIT,
            labels=("mean", "mean square"),
            stated=(mean, square),
            spreads=(max(square - mean**2, 0.0), reach**2 * square),
            sizes=(2 * reach, reach**2),
        )

    def _named(self, what: str, share: Fraction) -> str:
        source = ", secure source" if self.secure else ""
        return f"{what} at {float(share):g} of the interval{source}"


@dataclass(frozen=True, eq=False, kw_only=True)
class MomentComparison(PlannedComparison):
    """Mean and mean square of reports.

    Attributes:
        stated: what they are. spreads: the variance of one report, and of its square, at most.
        sizes: of the intervals in which these two lie.
    """

    stated: tuple[float, float]
    spreads: tuple[float, float]
    sizes: tuple[float, float]

    def reach(self, level: float, miss: float) -> float:
        """Return the largest deviation that may be missed, as a share of the range.

        That is the critical deviation plus one of probability `miss`; the spread of a deviating law
        is bounded by its range.
        """
        return max(
            (critical(level / 2, s, r, self.n) + critical(miss, r**2 / 4, r, self.n)) / r
            for s, r in zip(self.spreads, self.sizes, strict=True)
        )

    def averaged(self, numbers: Floats, level: float, miss: float) -> Comparison:
        """Return the comparison of reports.

        Args:
            numbers: what they stand for. level, miss: as in `compared`.
        """
        observed = (float(numbers.mean()), float((numbers**2).mean()))
        parts = zip(observed, self.stated, self.spreads, self.sizes, strict=True)
        p_values = [bernstein(abs(o - e), s, r, self.n) for o, e, s, r in parts]
        return self.compared(p_values, observed, self.stated, level, miss)


def bernstein(deviation: float, variance: float, size: float, n: int) -> float:
    """Bound, by Bernstein, the probability that a mean of n is this far from its expectation.

    The n numbers are independent and lie within an interval of this size.
    """
    if deviation == 0:
        return 1.0
    return min(1.0, 2 * exp(-n * deviation**2 / (2 * (variance + size * deviation / 3))))


def critical(level: float, variance: float, size: float, n: int) -> float:
    """The deviation that `bernstein` gives this probability."""
    bits = log(2 / level)
    half = size * bits / (3 * n)
    return half + sqrt(half**2 + 2 * variance * bits / n)
