"""Noise that is drawn on beyond the ends of a kernel has the law without ends."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import chisquare

from ldp_verified.analysis.central.unbounded import geometric_read, staircase_read, unbounded
from ldp_verified.run.kernels.noise import geometric_sampler
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.kernels.staircase import staircase_sampler

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.analysis.central.unbounded import Read
    from ldp_verified.run.kernels.draw import Sampler

HALF = 1 << 63
LEVEL = 1e-10
DRAWS = 200_000


def geometric(a: Fraction, reach: int) -> list[Fraction]:
    """P(report | 0) of the kernel on the inputs 0 and 1, as its docstring states it."""
    whole = (1 - a) / (1 + a)
    inside = [whole * a ** abs(y) for y in range(1 - reach, 1 + reach)]
    return [*inside, a**reach / (1 + a), a ** (1 + reach) / (1 + a)]


def staircase(b: Fraction, m: int, w: int, periods: int) -> list[Fraction]:
    """P(report | 0); what lies beyond an end is put on one of its two reports."""
    cells = [cell(b, m, w, c) for c in range((periods + 1) * m)]
    inside = [*cells[: periods * m][::-1], *cells]
    return [*inside, b**periods / 2, Fraction(0), b ** (periods + 1) / 2, Fraction(0)]


def cell(b: Fraction, m: int, w: int, c: int) -> Fraction:
    """P(noise is above 0 and in cell c)."""
    first = (1 - b) / (2 * (w + (m - w) * b))
    return first * b ** (c // m + (c % m >= w))


def drawn_on(read: Read, chances: list[Fraction], most: int) -> dict[tuple[bool, int], Fraction]:
    """P(above, size) for sizes up to `most` of what `unbounded` does with these reports."""
    assert sum(chances) == 1
    found = read(np.arange(len(chances)))
    reports = list(
        zip(chances, found.above.tolist(), found.size.tolist(), found.open.tolist(), strict=True)
    )
    size = [Fraction(0)] * (most + 1)
    for s in range(most + 1):
        for p, _, least, more in reports:
            if not more and least == s:
                size[s] += p
            elif more and p and least <= s:
                assert least > 0
                size[s] += p * size[s - least]
    result = {}
    for side in (False, True):
        for s in range(most + 1):
            total = sum(
                (p for p, a, t, o in reports if a is side and t == s and not o), Fraction(0)
            )
            ends = ((p, t) for p, a, t, o in reports if a is side and o and t <= s)
            result[side, s] = total + sum((p * size[s - t] for p, t in ends), Fraction(0))
    return result


@pytest.mark.parametrize("reach", [1, 2, 5])
@pytest.mark.parametrize("a", [Fraction(1, 2), Fraction(3, 4), Fraction(1, 128)])
def test_geometric_noise_has_no_end(a: Fraction, reach: int) -> None:
    found = drawn_on(geometric_read(reach), geometric(a, reach), 20)
    for (above, size), chance in found.items():
        assert chance == (1 - a) / (1 + a) * a ** (size + above)


@pytest.mark.parametrize("m,w,periods", [(1, 1, 1), (3, 1, 1), (3, 2, 2), (5, 5, 1)])
@pytest.mark.parametrize("b", [Fraction(1, 2), Fraction(5, 8)])
def test_staircase_noise_has_no_end(b: Fraction, m: int, w: int, periods: int) -> None:
    found = drawn_on(staircase_read(m, periods), staircase(b, m, w, periods), 20)
    for (_, size), chance in found.items():
        assert chance == cell(b, m, w, size)


CASES: dict[str, tuple[Sampler, Read, Callable[[bool, int], Fraction]]] = {
    "geometric": (
        geometric_sampler(1, 1, 3 * HALF // 4),
        geometric_read(1),
        lambda above, size: Fraction(1, 7) * Fraction(3, 4) ** (size + above),
    ),
    "staircase": (
        staircase_sampler(3, 1, 1, HALF // 2),
        staircase_read(3, 1),
        lambda above, size: cell(Fraction(1, 2), 3, 1, size),  # noqa: ARG005  the same on both sides
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_drawn_numbers_have_that_law(name: str, seed: int) -> None:
    """Null: the law without ends; level 1e-10, n = 200,000.

    With an end that is not drawn on, a fifth of the numbers or more would be in one cell; a share
    that is off by 0.01 is missed with probability < 1e-9.
    """
    sampler, read, law = CASES[name]
    above, size = unbounded(sampler, read, DRAWS, word_source(seed, "test", name))
    found = [
        int(((above == side) & (size == s)).sum()) for side in (False, True) for s in range(15)
    ]
    expected = [float(law(side, s)) for side in (False, True) for s in range(15)]
    found.append(DRAWS - sum(found))
    expected.append(1 - sum(expected))
    assert chisquare(found, np.array(expected) * DRAWS).pvalue > LEVEL


def test_an_end_that_is_not_drawn_on_is_seen(seed: int) -> None:
    """Planted: the size is taken to be the end."""
    sampler, read, law = CASES["geometric"]
    size = read(sampler.draw(np.zeros(DRAWS, dtype=np.int64), word_source(seed, "test"))).size
    found = [int((size == s).sum()) for s in range(15)]
    expected = [float(law(False, s) + law(True, s)) for s in range(15)]
    found.append(DRAWS - sum(found))
    expected.append(1 - sum(expected))
    assert chisquare(found, np.array(expected) * DRAWS).pvalue < LEVEL
