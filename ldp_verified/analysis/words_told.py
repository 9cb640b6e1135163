"""How much the number of words tells beside a report with noise of unbounded range.

Report and number of words together have no finite epsilon there, whatever the program: N words have
finitely many values, so they lead to finitely many amounts of noise. Of these take the largest. It
is reached from one input in N words, and from a smaller input the same report needs more noise than
N words can give. So the joint law is (epsilon, delta) with a delta above 0, which is found here for
the programs of `run.program.noise` and `run.program.staircase`. They read s(z) words for the noise
z, and R more whose law is one for all z: words that are rejected. So (report y, N words) has the
probability P(z = y - x) P(R = N - s(y - x)) at the input x.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, expm1
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from ldp_verified.protocols.she import SHE
from ldp_verified.run.kernels.noise import BASE, useful_levels
from ldp_verified.run.realize.programmed import ProgrammedNumber
from ldp_verified.run.realize.real_numbers.geometric import GeometricRandomizer, rate_of
from ldp_verified.run.realize.real_numbers.staircase import StaircaseRandomizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Counts = NDArray[np.int64]
    Masses = NDArray[np.float64]

MOST_REJECTED = 256
"""The law counts up to so many rejected words: the rest has a mass below 2^-100."""

TAIL = 28
"""Noise beyond 28 scales is not looked at: its mass, below 2e-12, is added to delta."""

MOST_CELLS, MOST_PAIRS = 1 << 21, 1 << 21
"""At most so many cells of noise are looked at, and as many pairs at all distances together."""


class WordsTold(NamedTuple):
    """The delta at a mechanism's epsilon of (report, number of words).

    Attributes:
        delta: an upper bound that is larger than delta by less than 1e-9, shares of digits that
            are compared further than their first word included.
        every_pair: whether it holds for all inputs on the grid; else for the two ends.
    """

    delta: float
    every_pair: bool


class NoiseWords(NamedTuple):
    """Noise on a grid, and the words that it is drawn from.

    Attributes:
        exponents: of the noise -far..far: its probability is `first` times decay^exponent.
        read: how many words more than the fewest it takes, those that are rejected aside.
        rejected: the law of the number of rejected words.
        first, rate: the largest probability, and -ln(decay).
    """

    exponents: Counts
    read: Counts
    rejected: Masses
    first: float
    rate: float


def has_unbounded_noise(made: object) -> TypeGuard[ProgrammedNumber | SHE]:
    """Return whether a mechanism's program draws noise of unbounded range, as it says itself.

    Args:
        made: a mechanism or protocol.
    """
    return isinstance(made, ProgrammedNumber | SHE) and made.unbounded_noise


@lru_cache(maxsize=8)
def words_told(made: ProgrammedNumber | SHE) -> WordsTold | None:
    """Compute delta, at the mechanism's epsilon, of a report seen with its number of words.

    For SHE it is a bound, for an observer who sees the report and the number of words of each of
    its k numbers. Two values differ in two of the numbers: one moves up by the whole grid, and one
    down. The others have the same law for both values, and so do their numbers of words; all are
    drawn independently. So only what is seen of these two tells the values apart, and delta is that
    of both together (`delta_of_both`). An observer who sees only how many words all numbers took in
    total sees a function of that, and has no larger delta.

    Args:
        made: a mechanism whose noise has an unbounded range.

    Returns:
        None where the noise has more than 2^20 cells on a side, which are not gone through, or is
        none of those whose words are known here.
    """
    if isinstance(made, SHE):
        return _told_by_two(made.number, made.epsilon)
    if not isinstance(made, GeometricRandomizer | StaircaseRandomizer):
        return None
    rate = rate_of(made.thresholds[-1])
    scale = made.steps if isinstance(made, StaircaseRandomizer) else 1
    far = ceil(TAIL / rate + 1) * scale
    if 2 * far > MOST_CELLS:
        return None
    every = far * made.steps <= MOST_PAIRS
    noise = noise_words(made, far)
    distances = range(1, made.steps + 1) if every else (made.steps,)
    delta = max(
        delta_at_distance(noise, sign * distance, made.epsilon)
        for distance in distances
        for sign in (1, -1)
    )
    return WordsTold(min(1.0, delta + 1e-10), every)


@lru_cache(maxsize=8)
def _told_by_two(number: GeometricRandomizer, epsilon: float) -> WordsTold | None:
    """Return what `WordsTold` holds of two numbers, one moved up by the whole grid and one down."""
    far = ceil(TAIL / rate_of(number.thresholds[-1]) + 1)
    if 2 * far > MOST_CELLS:
        return None
    noise = noise_words(number, far)
    up, down = (told_losses(noise, sign * number.steps) for sign in (1, -1))
    return WordsTold(min(1.0, delta_of_both(up, down, epsilon) + 1e-9), every_pair=True)


def noise_words(made: GeometricRandomizer | StaircaseRandomizer, far: int) -> NoiseWords:
    """The noise of a mechanism's program up to so many steps on each side."""
    share = made.thresholds[-1]
    rate = rate_of(share)
    levels = useful_levels(share, BASE)
    z = np.arange(-far, far + 1)
    # The side is drawn like a bit of level 0, but for staircase noise, whose side is one word.
    powers = [exp(-rate * 2**i) for i in range(levels)]
    if not isinstance(made, StaircaseRandomizer):
        rejected = rejections([exp(-rate), *powers])
        size = np.where(z > 0, z - 1, -z)
        return NoiseWords(
            np.abs(z), size >> levels, rejected, -expm1(-rate) / (1 + exp(-rate)), rate
        )
    m, w = made.thresholds[:2]
    size = np.where(z >= 0, z, -1 - z)
    low = (size % m >= w).astype(np.int64)
    exponents = size // m + low
    inner, _, kept = made.plain_sampler().cuts[5:8]
    cells = rejected_cells(inner, inner + m - w, kept)
    rejected = np.convolve(rejections(powers), cells)[:MOST_REJECTED]
    first = float(made.pmf(made.thresholds[2] * m, 0))
    # A cell of the low step takes a word more: whether it is kept.
    return NoiseWords(exponents, (size // m >> levels) + low, rejected, first, rate)


def rejections(powers: list[float]) -> Masses:
    """The law of rejected words where each bit is 1 with odds p to 1 (`run.kernels.noise`).

    Args:
        powers: p of each bit; a word is rejected with probability (1 - p)/2.
    """
    found = np.zeros(MOST_REJECTED)
    found[0] = 1.0
    for p in powers:
        again = (1 - p) / 2
        found = np.convolve(found, (1 - again) * again ** np.arange(MOST_REJECTED))[:MOST_REJECTED]
    return found


def rejected_cells(inner: int, below: int, kept: int, width: int = BASE + 1) -> Masses:
    """The law of words of rejected cells of a period, and of words beyond the equal shares.

    Args:
        inner: numbers of high cells. below: all numbers that a cell is drawn from.
        kept: of 2^(width - 1), a low cell that is kept.
        width: bits of a word.
    """
    unfair = ((1 << width) % below) / (1 << width)
    fail = (below - inner) / below * (1 - kept / (1 << (width - 1)))
    draw = (1 - unfair) * unfair ** np.arange(MOST_REJECTED, dtype=np.float64)
    round_ = np.concatenate([[0.0, 0.0], fail * draw])[:MOST_REJECTED]  # two words, and more
    found = np.zeros(MOST_REJECTED)
    term = (1 - fail) * draw
    for _ in range(MOST_REJECTED // 2):
        found += term
        term = np.convolve(term, round_)[:MOST_REJECTED]
    return found


def delta_at_distance(noise: NoiseWords, distance: int, epsilon: float) -> float:
    """Bound delta of the input 0 against another one; whatever is left out is added.

    Args:
        noise: of the program. distance: of the other input, in steps, of either sign.
        epsilon: of the reports.
    """
    if abs(distance) >= len(noise.exponents) // 2:
        return 1.0
    total, r = 0.0, noise.rejected
    for exponent, moved_law, weight in compared(noise, distance):
        ratio = exp(min(epsilon - noise.rate * exponent, 700.0))
        total += weight * float(np.maximum(0.0, r - ratio * moved_law).sum())
    return total + left_out(noise, distance)


def _sides(noise: NoiseWords, distance: int) -> tuple[slice, slice]:
    """Return the noise that makes the same reports of the input 0 and of another one."""
    moved, size = abs(distance), len(noise.exponents)
    upper, lower = slice(moved, size), slice(0, size - moved)
    return (upper, lower) if distance > 0 else (lower, upper)


def left_out(noise: NoiseWords, distance: int) -> float:
    """The mass of the input 0 that `compared` leaves out.

    Args:
        noise, distance: as in `delta_at_distance`.
    """
    own = noise.exponents[_sides(noise, distance)[0]]
    masses = float((noise.first * np.exp(-noise.rate * own)).sum())
    return max(0.0, 1 - masses) + max(0.0, 1 - float(noise.rejected.sum()))


def compared(noise: NoiseWords, distance: int) -> Iterator[tuple[int, Masses, float]]:
    """Yield groups of reports that tell the input 0 from another one equally well.

    Args:
        noise, distance: as in `delta_at_distance`.

    Returns:
        The exponents by which the other input makes such a report less likely; the law of rejected
        words that it needs, moved by the words that its noise reads more; and the mass at 0.
    """
    here, there = _sides(noise, distance)
    own, other = noise.exponents[here], noise.exponents[there]
    further, more = other - own, noise.read[there] - noise.read[here]
    masses = noise.first * np.exp(-noise.rate * own)
    keys, groups = np.unique(np.stack([further, more]), axis=1, return_inverse=True)
    weights = np.bincount(groups.ravel(), masses)
    r = noise.rejected
    for (exponent, shift), weight in zip(keys.T.tolist(), weights.tolist(), strict=True):
        moved_law = np.zeros(len(r))
        if 0 <= shift < len(r):
            moved_law[shift:] = r[: len(r) - shift]
        elif -len(r) < shift < 0:
            moved_law[:shift] = r[-shift:]
        yield exponent, moved_law, weight


class ToldLosses(NamedTuple):
    """The privacy losses of (report, number of words) at the input 0 against another one.

    Attributes:
        masses: the probability of each pair at the input 0.
        losses: ln of the ratio of the masses at both inputs; infinite where the other has none.
        left: the mass that is in none of them.
    """

    masses: Masses
    losses: Masses
    left: float


def told_losses(noise: NoiseWords, distance: int) -> ToldLosses:
    """The losses of (report, number of words).

    Args:
        noise, distance: as in `delta_at_distance`.
    """
    if abs(distance) >= len(noise.exponents) // 2:
        return ToldLosses(np.empty(0), np.empty(0), 1.0)
    masses, losses = [], []
    seen = noise.rejected > 0
    r = noise.rejected[seen]
    with np.errstate(divide="ignore"):
        for exponent, moved_law, weight in compared(noise, distance):
            masses.append(weight * r)
            losses.append(noise.rate * exponent + np.log(r) - np.log(moved_law[seen]))
    return ToldLosses(np.concatenate(masses), np.concatenate(losses), left_out(noise, distance))


def delta_of_both(one: ToldLosses, other: ToldLosses, epsilon: float) -> float:
    """Delta of two things that are seen together and drawn independently, from both losses.

    It is the sum of p q max(0, 1 - e^(epsilon - loss - loss')) over all pairs of what can be seen,
    and what is left out of either.

    Args:
        one, other: what is said of either. epsilon: of both together.
    """
    order = np.argsort(other.losses)
    losses, masses = other.losses[order], other.masses[order]
    # Sums from a loss on, of the masses and of those at the other input.
    ends = np.zeros(1)
    above = np.concatenate([np.cumsum(masses[::-1])[::-1], ends])
    elsewhere = np.concatenate([np.cumsum((masses * np.exp(-losses))[::-1])[::-1], ends])
    needed = epsilon - one.losses
    first = np.searchsorted(losses, needed, side="right")
    ratio = np.exp(np.minimum(needed, 700.0))
    told = np.maximum(0.0, above[first] - ratio * elsewhere[first])
    return float((one.masses * told).sum()) + one.left + other.left


def shown_told(made: ProgrammedNumber | SHE) -> str:
    """A sentence of what the number of words tells.

    Args:
        made: a mechanism whose noise has an unbounded range.
    """
    told = words_told(made)
    start = "report and number of words together have no finite epsilon"
    if told is None:
        return f"{start}, and delta was not computed"
    inputs = "" if told.every_pair else " between the two ends"
    # Rounded up, to three places.
    delta = min(1.0, ceil(told.delta * 1000) / 1000)
    return f"{start}: at epsilon {made.epsilon:g} they have delta {delta:.3f}{inputs}"
