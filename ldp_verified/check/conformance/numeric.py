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

from ldp_verified.check.conformance.exact import BinomialTests
from ldp_verified.check.conformance.laws import NumericLaw, laws
from ldp_verified.check.conformance.results import Comparison, joined
from ldp_verified.language.forms import Line
from ldp_verified.language.loader import load
from ldp_verified.language.noise import Noise
from ldp_verified.run.aggregate.moments import Decoding
from ldp_verified.run.kernels.rounding import UNIT
from ldp_verified.run.realize.real_numbers.numeric import NumericRandomizer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.language.mechanism import Mechanism

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
        """Unique in a run."""
        return f"{self.subject.name} numbers{' from the secure source' if self.secure else ''}"

    @property
    def n(self) -> int:
        """Return how many reports it draws."""
        return self.each * len(self.subject.shares)

    @property
    def comparisons(self) -> int:
        """For each input: shares, and moments."""
        return 2 * len(self.subject.shares)

    def run(self, rng: np.random.Generator, level: float, miss: float) -> list[Comparison]:
        """Draw and compare; each comparison has the given level."""
        found = []
        for share in self.subject.shares:
            data = self._drawn(share, rng)
            expected = self.subject.laws(Fraction(round(share * UNIT), UNIT))
            found += [
                self._shares(share, data, expected, level, miss),
                self._moments(share, data, expected, level, miss),
            ]
        return found

    def _drawn(self, share: Fraction, rng: np.random.Generator) -> NDArray[Any]:
        values = np.full(self.each, float(share))
        return self.subject.draw(values, None if self.secure else rng)

    @cached_property
    def _cuts(self) -> list[int]:
        """First cells of the ranges, and the number of cells."""
        cells = self.subject.decoding.cells
        return sorted({cells * i // RANGES for i in range(RANGES + 1)})

    def _shares(
        self,
        share: Fraction,
        data: NDArray[Any],
        expected: list[tuple[Fraction, NumericLaw]],
        level: float,
        miss: float,
    ) -> Comparison:
        """Return how often reports fall into ranges of cells and on atoms."""
        d, cuts = self.subject.decoding, self._cuts
        edges = [d.first - d.step / 2 + cut * d.step for cut in cuts]
        labels, masses, counts = [], [], []
        held = data[data < d.cells]
        inside = np.histogram(held, bins=np.array(cuts))[0] if len(cuts) > 1 else np.zeros(0)
        for i, (low, high) in enumerate(pairwise(edges)):
            labels.append(f"cells {cuts[i]}..{cuts[i + 1] - 1}")
            masses.append(sum(float(w) * law.between(low, high) for w, law in expected))
            counts.append(int(inside[i]))
        for place, atom in enumerate(d.atoms):
            labels.append(f"atom {float(atom):.6g}")
            masses.append(sum(float(w) * law.at(atom) for w, law in expected))
            counts.append(int(np.count_nonzero(data == d.cells + place)))
        labels.append("no valid report")
        masses.append(0.0)
        counts.append(int(np.count_nonzero(data >= d.outputs)))
        stated = np.array(masses)
        tests = BinomialTests(self.each, stated)
        p_values = tests.p_values(np.array(counts))
        parts = joined(
            p_values,
            tests.detectable(level / len(labels), miss),
            np.array(counts) / self.each,
            stated,
            labels,
        )
        null = "ranges of reports have the probabilities of the spec's density"
        return self._comparison(share, "shares", null, level, miss, parts, "share", LIMIT)

    def _moments(
        self,
        share: Fraction,
        data: NDArray[Any],
        expected: list[tuple[Fraction, NumericLaw]],
        level: float,
        miss: float,
    ) -> Comparison:
        """Mean and mean square of what reports stand for, by Bernstein's inequality."""
        d = self.subject.decoding
        atoms = np.array([float(a) for a in d.atoms])
        decoded = float(d.first) + data.astype(np.float64) * float(d.step)
        if len(atoms):
            place = np.clip(data.astype(np.int64) - d.cells, 0, len(atoms) - 1)
            decoded = np.where(data >= d.cells, atoms[place], decoded)
        reach = max(abs(float(d.value(y))) for y in (0, d.outputs - 1)) + float(d.step)
        mean = sum(float(w) * law.mean for w, law in expected)
        square = sum(float(w) * law.square for w, law in expected)
        observed = np.array([decoded.mean(), (decoded**2).mean()])
        stated = np.array([mean, square])
        spreads = (max(square - mean**2, 0.0), reach**2 * square)
        sizes = (2 * reach, reach**2)
        p_values = np.array(
            [
                bernstein(abs(o - e), s, r, self.each)
                for o, e, s, r in zip(observed, stated, spreads, sizes, strict=True)
            ]
        )
        # Missed at most with `miss` beyond the critical deviation plus one of that probability;
        # the spread of a deviating law is bounded by its range.
        reachable = np.array(
            [
                (critical(level / 2, s, r, self.each) + critical(miss, r**2 / 4, r, self.each)) / r
                for s, r in zip(spreads, sizes, strict=True)
            ]
        )
        parts = joined(p_values, reachable, observed, stated, ["mean", "mean square"])
        null = "mean and mean square of a report are those of the spec's density"
        unit = "share of the range"
        return self._comparison(share, "moments", null, level, miss, parts, unit, MOMENT_LIMIT)

    def _comparison(
        self,
        share: Fraction,
        what: str,
        null: str,
        level: float,
        miss: float,
        parts: tuple[int, float, float, float, float, str],
        unit: str,
        limit: float,
    ) -> Comparison:
        tests, p_value, detectable, observed, expected, worst = parts
        source = ", secure source" if self.secure else ""
        return Comparison(
            self.subject.name,
            f"{what} at {float(share):g} of the interval{source}",
            null,
            tests,
            level,
            self.each,
            p_value,
            detectable,
            unit,
            limit,
            miss,
            observed,
            expected,
            worst,
        )


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
