"""Bound eps from outputs that speak for several inputs at once: exact, and every output counts.

An output y speaks for s of the inputs that the auditor might have given and against a others. With
the input X uniform, a claim of eps-LDP limits the odds that it is among those spoken for:

    P(X spoken for | y) / P(X spoken against | y) <= (s/a) e^eps,

because it limits the ratio of every pair of inputs at this y, and sums keep the limit. So, given
all outputs, the numbers of inputs that were spoken for are independent binomial counts, one for
each (s, a), with chances of at most theta(s, a) = s e^eps/(s e^eps + a). Their sum is largest, as
laws are ordered, at these chances. The bound is the eps at which a sum as large as the one seen has
just the probability `level`. It holds for every randomizer: no symmetry, no independence within an
output and no trust in what the mechanism is said to be are needed, only that inputs are drawn
uniformly.

Comparing the input with one random other input instead throws away every output that speaks for
both or for neither. With one input spoken for, and with two inputs in all, both are the same.

The law of the sum is computed from its characteristic function, at the eps at which the sum seen
is the expected one. Laws at other eps differ from it by a factor e^(difference times sum), so that
far tails keep their relative accuracy.

T. Steinke, M. Nasr, M. Jagielski (2023), Privacy Auditing with One (1) Training Run, for guesses
whose chances are limited one by one. F. Esscher (1932), On the Probability Function in the
Collective Theory of Risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, pi
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from ldp_verified.check.audit.bounds.bounds import least_shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

STRATIFIED = "stratified"
"""The name of this bound among the methods of a result."""

MOST = 700.0
"""Bounds end here, where the exponential function does."""

_ROUNDING = 1e-9
"""Tails are made larger by this part: more than what rounding takes off."""


@dataclass(frozen=True)
class Strata:
    """Counts of samples whose outputs speak for some inputs and against others.

    Attributes:
        rows: (s, a, plus, minus): of the samples whose output speaks for s inputs and against a,
            plus came from one of the s and minus from one of the a. In order of (s, a).
    """

    rows: tuple[tuple[int, int, int, int], ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[int, int, int, int]]) -> Strata:
        """Rows of one (s, a) together; those that speak for none, or against none, are left out."""
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for s, a, plus, minus in rows:
            if s and a and plus + minus:
                before = found.get((s, a), (0, 0))
                found[s, a] = (before[0] + plus, before[1] + minus)
        return cls(tuple((*key, *found[key]) for key in sorted(found)))

    def __add__(self, other: Strata) -> Strata:
        return Strata.of((*self.rows, *other.rows))

    def document(self) -> list[dict[str, int]]:
        """Rows as JSON values."""
        names = ("for", "against", "plus", "minus")
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    @property
    def plus(self) -> int:
        """Samples whose input was spoken for."""
        return sum(row[2] for row in self.rows)

    @property
    def size(self) -> int:
        """Samples that count."""
        return sum(row[2] + row[3] for row in self.rows)

    @property
    def point(self) -> float:
        """The eps at which the sum seen is the expected one; infinite where all are spoken for."""
        if not self.size or not self.plus:
            return -MOST
        if self.plus == self.size:
            return MOST
        sizes, offsets = self._shapes
        low, high = -MOST, MOST
        for _ in range(80):
            middle = (low + high) / 2
            above = float(sizes @ expit(middle + offsets)) > self.plus
            low, high = (low, middle) if above else (middle, high)
        return (low + high) / 2

    @property
    def _shapes(self) -> tuple[Numbers, Numbers]:
        """Samples of each row, and ln(s/a)."""
        table = np.array(self.rows, dtype=np.float64).reshape(-1, 4)
        return table[:, 2] + table[:, 3], np.log(table[:, 0] / table[:, 1])


def law(strata: Strata, eps: float) -> tuple[int, Numbers]:
    """The least sum with a chance worth naming, and the chances of it and those above.

    At the largest chances that a claim of `eps` allows.
    """
    sizes, offsets = strata._shapes
    theta = expit(eps + offsets)
    mean, variance = float(sizes @ theta), float(sizes @ (theta * (1 - theta)))
    reach = 12 * variance**0.5 + 60
    start = int(mean - reach)
    length = 1 << int(2 * reach + 2).bit_length()
    # Beyond these frequencies the characteristic function is below 1e-18.
    last = length // 2 if variance < 21 else min(length // 2, int(9.2 / variance**0.5 * length / 4))
    omega = 2 * pi / length * np.arange(last + 1)
    steps = np.expm1(1j * omega)
    found = np.zeros(length // 2 + 1, dtype=np.complex128)
    powers = (sizes[:, None] * np.log1p(theta[:, None] * steps)).sum(axis=0)
    found[: last + 1] = np.exp(powers - 1j * omega * start)
    chances = np.fft.irfft(found.conj(), length)
    return start, np.maximum(chances, 0.0)


def _tail(chances: Numbers, start: int, least: int) -> float:
    """P(sum >= least) where that is no small number."""
    return float(chances[max(least - start, 0) :].sum())


def p_value(strata: Strata, eps: float) -> float:
    """P(a sum as large as the one seen), at most, where a claim of `eps` holds."""
    return _Tails(strata).at(eps) if strata.plus else 1.0


def lower_bound(strata: Strata, level: float) -> float:
    """A lower confidence bound on eps: above the true eps with probability <= level.

    Args:
        strata: counts of samples that took no part in choosing the event.
        level: of this one bound.

    Returns:
        At least 0, since every randomizer is that private at best.
    """
    if not strata.plus:
        return 0.0
    tails = _Tails(strata)
    low, high = 0.0, min(max(strata.point, 0.0), MOST)
    if tails.at(low) > level:
        return 0.0
    if tails.at(high) <= level:
        return high
    while high - low > 1e-9 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if tails.at(middle) <= level else (low, middle)
    return low


class _Tails:
    """Compute the probability of a sum at least as large as the one seen, at any eps."""

    def __init__(self, strata: Strata) -> None:
        self.strata, self.seen, self.top = strata, strata.plus, strata.point
        self.sizes, self.offsets = strata._shapes
        self.all = self.seen == strata.size
        if not self.all:
            start, chances = law(strata, self.top)
            self.above = chances[self.seen - start :]

    def _scale(self, eps: float) -> float:
        """The sum of n ln(1 + (s/a) e^eps)."""
        return float(self.sizes @ np.logaddexp(0.0, eps + self.offsets))

    def at(self, eps: float) -> float:
        """P(sum >= seen)."""
        if self.all:
            found = exp(-float(self.sizes @ np.logaddexp(0.0, -eps - self.offsets)))
        elif eps > self.top:
            start, chances = law(self.strata, eps)
            found = _tail(chances, start, self.seen)
        else:
            tilt = self.top - eps
            scale = self._scale(self.top) - self._scale(eps) - tilt * self.seen
            falling = np.exp(-tilt * np.arange(len(self.above)))
            found = exp(scale) * float(self.above @ falling)
        return min(1.0, found * (1 + _ROUNDING))


def power(strata: Strata, level: float, *, target: float, true: float) -> float:
    """P(the bound is above `target`) where every chance is the largest that eps = `true` allows.

    Given how many outputs speak for how many inputs, as `strata` says; which of them came from an
    input spoken for plays no part.
    """
    if not strata.size:
        return 0.0
    start, chances = law(strata, target)
    tails = np.cumsum(chances[::-1])[::-1]
    needed = start + int(np.argmax(tails * (1 + _ROUNDING) <= level))
    if needed > strata.size:
        return 0.0
    start, chances = law(strata, true)
    return min(1.0, _tail(chances, start, needed))


def resolution(strata: Strata, level: float, epsilon: float, seen: float) -> float | None:
    """The smallest eps above `epsilon` that is shown with probability `seen`, to 1e-3 of it."""

    def shown(eps: float) -> bool:
        return power(strata, level, target=epsilon, true=eps) >= seen

    return least_shown(epsilon, shown)


def promised(strata: Strata, level: float) -> float:
    """The bound by the normal law, quickly: to rank events by, not to report.

    One minus is added, so that an event without any does not look infinite.
    """
    from scipy.special import ndtri

    if not strata.plus:
        return -MOST
    last = strata.rows[-1]
    more = Strata.of((*strata.rows, (last[0], last[1], 0, 1)))
    sizes, offsets = more._shapes
    theta = expit(more.point + offsets)
    spread = max(float(sizes @ (theta * (1 - theta))), 1e-9) ** -0.5
    return float(more.point + ndtri(level) * spread)


def upper_limit(strata: Strata, level: float) -> float:
    """An upper confidence limit of the eps that makes the sum, where chances are the largest."""
    rest = Strata.of((a, s, minus, plus) for s, a, plus, minus in strata.rows)
    if not rest.plus:
        return float("inf")
    tails, point = _Tails(rest), -strata.point
    low, high = min(point, 0.0) - log(1 / level) - 40, point
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if tails.at(middle) <= level else (low, middle)
    return max(0.0, -low)
