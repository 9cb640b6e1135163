"""Reports of vectors at full width against their exact laws: SHE, and Duchi's mechanism.

`conform` runs neither. Null: the counts are multinomial with the realized probabilities; Pearson's
chi-squared at level 1e-9 each (cells expect 100 reports or more), n = 60,000. The twins, whose
epsilon is a tenth or a fifth larger, have a noncentrality above 400 at 60 degrees of freedom or
fewer: each is missed with probability below 1e-9.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chisquare

from ldp_verified.protocols import SHE, DuchiVector

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 1e-9
N = 60_000
LEAST = 100


def p_value(counts: NDArray[np.int64], law: list[Fraction]) -> float:
    """Pearson's test; cells are merged from left to right until each expects `LEAST`."""
    merged: list[tuple[float, float]] = []
    seen, expected = 0.0, 0.0
    total = float(sum(law))
    for count, mass in zip(counts.tolist(), law, strict=True):
        seen, expected = seen + count, expected + N * float(mass) / total
        if expected >= LEAST:
            merged.append((seen, expected))
            seen, expected = 0.0, 0.0
    last = merged.pop()
    merged.append((last[0] + seen, last[1] + expected))
    observed, wanted = zip(*merged, strict=True)
    assert len(merged) >= 4
    return float(chisquare(observed, wanted).pvalue)


def number_p_values(drawn: SHE, expected: SHE, seed: int) -> list[float]:
    """Return p-values of the own number, another, and both at once in halves, for value 1."""
    number = expected.number
    cells = number.decoding.cells
    data = np.asarray(drawn.privatize(np.ones(N, dtype=np.int64), seed).data).astype(np.int64)
    # In the order of the line: what is below, the cells, what is above.
    # Another object may have more cells beyond, or fewer: the middle ones are the same places.
    theirs = drawn.number.decoding.cells
    place = np.clip(data + 1 + (cells - theirs) // 2, 0, cells + 1)
    place = np.where(data == theirs, 0, np.where(data == theirs + 1, cells + 1, place))
    order = [cells, *range(cells), cells + 1]
    laws = [[number.pmf(y, i) for y in order] for i in (0, number.steps)]
    found = [
        p_value(np.bincount(place[:, v], minlength=cells + 2), laws[int(v == 1)]) for v in (0, 1)
    ]
    cut = cells // 2
    halves = [[sum(law[:cut], Fraction(0)), sum(law[cut:], Fraction(0))] for law in laws]
    joint = [a * b for a in halves[0] for b in halves[1]]
    both = 2 * (place[:, 0] >= cut) + (place[:, 1] >= cut)
    return [*found, p_value(np.bincount(both, minlength=4), joint)]


def test_numbers_have_their_law_and_are_independent(seed: int) -> None:
    made = SHE(2.0, 3, grid=4)
    assert min(number_p_values(made, made, seed)) > LEVEL


def test_another_scale_of_noise_is_seen(seed: int) -> None:
    made, other = SHE(2.0, 3, grid=4), SHE(2.2, 3, grid=4)
    assert min(number_p_values(other, made, seed)) < LEVEL


def corner_p_value(drawn: DuchiVector, expected: DuchiVector, v: int, seed: int) -> float:
    """Return the p-value of the corners that are reported for the corner v."""
    ends = [1.0 if v >> j & 1 else -1.0 for j in range(drawn.d)]
    data = np.asarray(drawn.privatize(np.tile(ends, (N, 1)), seed).data).astype(np.int64)
    law = [expected.pmf(t, v) for t in range(1 << drawn.d)]
    return p_value(np.bincount(data.reshape(-1), minlength=1 << drawn.d), law)


def test_corners_have_the_law_of_the_table(seed: int) -> None:
    for d, v in ((2, 1), (3, 0), (4, 11), (5, 21)):
        made = DuchiVector(1.0, d)
        assert corner_p_value(made, made, v, seed) > LEVEL


def test_another_epsilon_is_seen(seed: int) -> None:
    made, other = DuchiVector(1.0, 5), DuchiVector(1.2, 5)
    assert corner_p_value(other, made, 21, seed) < LEVEL
