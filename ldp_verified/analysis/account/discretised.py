"""The loss of many reports, on a grid: an upper and a lower bound on delta, both proven.

For the upper bound every outcome is split in two on neighbouring multiples of a step, so that both
masses are kept. Merging the two again is a post-processing, so no delta of the split pair is
smaller. For the lower bound losses are rounded down. Masses become integers over 2^BITS, rounded up
and down. delta is an increasing function of losses and masses under x, and convolution keeps this.
Convolution is multiplication of integer polynomials, exact (flint). A loss above the grid is
counted as infinity (above) or put on the highest point (below). A loss below the grid is put on the
lowest point (above) or dropped (below). There is no rounding error beside these.

The idea of the distribution: David M. Sommer, Sebastian Meiser, Esfandiar Mohammadi (2019), Privacy
Loss Classes; of the pessimistic grid: Vadym Doroshenko, Badih Ghazi, Pritish Kamath, Ravi Kumar,
Pasin Manurangsi (2022), Connect the Dots: Tighter Discrete Approximations of Privacy Loss
Distributions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpz, fmpz_poly

from ldp_verified.analysis.account.loss import PrivacyLoss
from ldp_verified.analysis.account.rounding import above, below, listed, number, whole
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.realize.tables.balls import ball, decide

BITS = 160
"""Masses are integers over 2^160: n roundings of N masses add at most n N 2^-160."""

STEPS = 1 << 15
"""Grid points over the range of losses, by default."""


MOST_POINTS = 1 << 22
"""Grid points between the smallest and the largest loss of one report."""


@dataclass(frozen=True)
class LossGrid:
    """A measure over losses (first + i) * step, in units of 2^-BITS, and a mass at infinity.

    Attributes:
        first: the index of the lowest loss. masses: integers >= 0. infinite: an integer >= 0.
    """

    first: int
    masses: fmpz_poly
    infinite: int


@dataclass(frozen=True)
class Composition:
    """Bounds on the loss of several independent reports.

    Attributes:
        upper, lower: measures between which that of the loss under x lies. step: of the grid, a
            rational number.
    """

    upper: LossGrid
    lower: LossGrid
    step: Fraction

    def delta(self, epsilon: float) -> float:
        """A double not below the smallest delta at this epsilon: an upper bound, proven.

        Args:
            epsilon: a finite number >= 0, in nats.

        Raises:
            ParameterError: epsilon is no finite number >= 0.
        """
        exact = number("epsilon", epsilon, low=0)
        return min(1.0, above(lambda: _delta(self.upper, self.step, exact)))

    def delta_below(self, epsilon: float) -> float:
        """A double not above the smallest delta at this epsilon, proven as well.

        Args:
            epsilon: a finite number >= 0, in nats.

        Raises:
            ParameterError: epsilon is no finite number >= 0.
        """
        exact = number("epsilon", epsilon, low=0)
        return below(lambda: _delta(self.lower, self.step, exact))

    def epsilon(self, delta: float) -> float:
        """An epsilon at which delta is proven; inf where the mass at infinity exceeds delta.

        The smallest one up to a thousandth of the grid's step.

        Args:
            delta: a probability in [0, 1].

        Raises:
            ParameterError: delta is no number in [0, 1].
        """
        number("delta", delta, low=0, high=1)
        if Fraction(self.upper.infinite, 1 << BITS) > Fraction(delta):
            return float("inf")
        top = float((self.upper.first + self.upper.masses.degree() + 1) * self.step)
        low, high = 0.0, max(top, 0.0) * (1 + 1e-9)
        if self.delta(low) <= delta:
            return low
        while high - low > float(self.step) / 1000 and low < (low + high) / 2 < high:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high


def composed(
    losses: PrivacyLoss | Iterable[PrivacyLoss],
    times: int = 1,
    *,
    step: float | Fraction | None = None,
    largest: int = 1 << 17,
) -> Composition:
    """Bounds for independent reports with the given losses, the whole list `times` times over.

    With a list of one this is `times` reports on the same value with one mechanism.

    Args:
        losses: one ordered pair of inputs per report.
        times: how often the list is repeated, at least 1.
        step: of the grid; by default a `STEPS`-th of the range of losses (at most their sum).
        largest: points that a grid keeps; what lies beyond is bounded as said above.

    Raises:
        ParameterError: no losses, another argument out of range, or a step that is too small for
            the range of losses.
    """
    parts = [losses] if isinstance(losses, PrivacyLoss) else listed("losses", losses)
    if not parts:
        raise ParameterError("losses", "must hold at least one", 0)
    for part in parts:
        check_kind("losses", part, PrivacyLoss)
    whole("times", times, 1)
    whole("largest", largest, 2)
    width = number("step", step, low=0) if step is not None else _step(parts, times)
    if width <= 0:
        raise ParameterError("step", "must be > 0", step)
    bounds = []
    for up in (True, False):
        once: LossGrid | None = None
        for part in parts:
            grid = _on_grid(part, width, up)
            once = grid if once is None else _convolved(once, grid, up, largest)
        assert once is not None
        bounds.append(_power(once, times, up, largest))
    return Composition(bounds[0], bounds[1], width)


def _step(parts: list[PrivacyLoss], times: int) -> Fraction:
    """A dyadic step: a STEPS-th of what n losses spread over, about 12 sqrt(n) of the largest."""
    ratios = [p / q for part in parts for p, q in part.atoms if p and q]
    most = max((abs(_logarithm(ratio)) for ratio in ratios), default=0.0)
    count = times * len(parts)
    spread = max(most, 2.0**-40) * min(2 * count, 24 * count**0.5)
    return Fraction(spread) / STEPS


def _logarithm(ratio: Fraction) -> float:
    """ln of a ratio, for choosing a step only."""
    return math.log(ratio.numerator) - math.log(ratio.denominator)


def _on_grid(part: PrivacyLoss, step: Fraction, up: bool) -> LossGrid:
    positions: dict[int, int] = {}
    infinite = 0
    for p, q in part.atoms:
        if p == 0:
            continue
        mass = _rounded(p * (1 << BITS), up)
        if q == 0:
            infinite += mass
            continue
        index = _index(p / q, step)
        higher = _upper_share(p / q, index, step, mass) if up else 0
        for place, part_of_it in ((index, mass - higher), (index + 1, higher)):
            if part_of_it:
                positions[place] = positions.get(place, 0) + part_of_it
    first = min(positions, default=0)
    size = max(positions, default=0) - first + 1
    if size > MOST_POINTS:
        rule = f"must leave at most {MOST_POINTS:,} grid points between the losses of one report"
        raise ParameterError("step", rule, float(step))
    coefficients = [0] * size
    for index, mass in positions.items():
        coefficients[index - first] = mass
    return LossGrid(first, fmpz_poly(coefficients), infinite)


def _index(ratio: Fraction, step: Fraction) -> int:
    """floor of ln(ratio)/step; ratio 1 is the only one whose logarithm is a multiple of it."""
    if ratio == 1:
        return 0

    def attempt() -> int | None:
        found = (ball(ratio).log() / ball(step)).floor().unique_fmpz()
        return None if found is None else int(found)

    return decide(attempt)


def _upper_share(ratio: Fraction, index: int, step: Fraction, mass: int) -> int:
    """How much of a mass goes to the next grid point, so that mass under x' stays what it is.

    mass e^-loss = (mass - h) e^(-index step) + h e^(-(index + 1) step), solved for h, rounded up.
    """
    if ratio == 1:
        return 0

    def attempt() -> int | None:
        low = (-index * ball(step)).exp()
        share = (low - 1 / ball(ratio)) / (low * (1 - (-ball(step)).exp()))
        found = (share * mass).ceil().unique_fmpz()
        return None if found is None else int(found)

    return min(mass, decide(attempt))


def _rounded(value: Fraction, up: bool) -> int:
    return -(-value.numerator // value.denominator) if up else value.numerator // value.denominator


def _convolved(a: LossGrid, b: LossGrid, up: bool, largest: int) -> LossGrid:
    total_a, total_b = int(sum(a.masses.coeffs())), int(sum(b.masses.coeffs()))
    infinite = a.infinite * (total_b + b.infinite) + total_a * b.infinite
    raw = a.masses * b.masses
    masses = [_shifted(int(m), up) for m in raw.coeffs()]
    first = a.first + b.first
    return _trimmed(first, masses, _shifted(infinite, up), up, largest)


def _shifted(value: int, up: bool) -> int:
    """value / 2^BITS, rounded."""
    return -(-value >> BITS) if up else value >> BITS


def _trimmed(first: int, masses: list[int], infinite: int, up: bool, largest: int) -> LossGrid:
    """The heaviest part of at most `largest` points, the rest put to the safe side."""
    if len(masses) > largest:
        # Cut from whichever end holds less, so that little is moved.
        low, high = 0, len(masses)
        below, beyond = masses[0], masses[-1]
        while high - low > largest:
            if below <= beyond:
                low += 1
                below += masses[low]
            else:
                high -= 1
                beyond += masses[high - 1]
        lost_low, lost_high = sum(masses[:low]), sum(masses[high:])
        kept = masses[low:high]
        if up:
            kept[0] += lost_low
            infinite += lost_high
        else:
            kept[-1] += lost_high
        first, masses = first + low, kept
    return LossGrid(first, fmpz_poly(masses), infinite)


def _power(grid: LossGrid, times: int, up: bool, largest: int) -> LossGrid:
    result: LossGrid | None = None
    while True:
        if times & 1:
            result = grid if result is None else _convolved(result, grid, up, largest)
        times >>= 1
        if not times:
            assert result is not None
            return result
        grid = _convolved(grid, grid, up, largest)


def _delta(grid: LossGrid, step: Fraction, epsilon: Fraction) -> arb:
    """sum of mass (1 - e^(epsilon - loss)) over losses above epsilon, and the mass at infinity."""
    start = max(0, int(epsilon / step) + 1 - grid.first)
    kept = [int(m) for m in grid.masses.coeffs()[start:]]
    shrink = (-ball(step)).exp()
    # Horner's rule for sum m_i shrink^i; the first kept loss stands outside.
    series = arb(0)
    for mass in reversed(kept):
        series = series * shrink + fmpz(mass)
    front = (ball(epsilon) - (grid.first + start) * ball(step)).exp()
    scale = arb(1 << BITS)
    return (arb(fmpz(sum(kept) + grid.infinite)) - front * series) / scale
