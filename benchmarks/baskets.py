"""Market baskets as Agrawal and Srikant (1994), Fast Algorithms for Mining Association Rules, make.

The description is theirs; where it leaves something open, the choice is that of their program:

- Patterns, PATTERNS of them, have 1 + Poisson(PATTERN_LENGTH - 1) items. A share of these is taken
  from the pattern before; it is exponential with mean CORRELATION, and at most all. The others are
  items drawn by weights that are exponential with mean 1.
- A pattern has a weight that is exponential with mean 1, and a corruption level that is normal with
  mean CORRUPTION and variance CORRUPTION_VARIANCE.
- A basket has room for 1 + Poisson(BASKET_LENGTH - 1) items. Patterns are drawn by their weights
  and put in, corrupted: items are dropped at random for as long as a uniform number lies below the
  level. A pattern that does not fit is put in all the same in half of the cases, and else kept for
  the next basket; either way the basket is done.

In their names T10.I4.D100K: baskets of 10 items, patterns of 4, a hundred thousand baskets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.protocols import ItemSets

if TYPE_CHECKING:
    from collections.abc import Iterator

ITEMS, PATTERNS = 1000, 2000
BASKET_LENGTH, PATTERN_LENGTH, BASKETS = 10, 4, 100_000
CORRELATION, CORRUPTION, CORRUPTION_VARIANCE = 0.5, 0.5, 0.1
_AT_ONCE = 1 << 16


def patterns(rng: np.random.Generator) -> list[list[int]]:
    """The patterns, each as different items."""
    weight = rng.exponential(size=ITEMS)
    weight /= weight.sum()
    found: list[list[int]] = []
    for length in (1 + rng.poisson(PATTERN_LENGTH - 1, size=PATTERNS)).tolist():
        before = found[-1] if found else []
        shared = int(length * rng.exponential(CORRELATION) + 0.5)
        shared = min(shared, len(before), length)
        own = rng.permutation(before)[:shared].astype(int).tolist()
        drawn = rng.choice(ITEMS, size=length - shared, p=weight).tolist()
        found.append(list(dict.fromkeys([*own, *drawn])))
    return found


def _numbers(rng: np.random.Generator) -> Iterator[float]:
    """Uniform numbers in [0, 1), without end."""
    while True:
        yield from rng.random(_AT_ONCE).tolist()


def _drawn(rng: np.random.Generator) -> Iterator[int]:
    """Numbers of patterns by their weights, without end."""
    ends = np.cumsum(rng.exponential(size=PATTERNS))
    while True:
        yield from np.searchsorted(ends, rng.random(_AT_ONCE) * ends[-1], side="right").tolist()


def baskets(seed: int, count: int = BASKETS) -> ItemSets:
    """So many baskets, none of them empty."""
    rng = np.random.default_rng(seed)
    listed = patterns(rng)
    level = rng.normal(CORRUPTION, CORRUPTION_VARIANCE**0.5, size=PATTERNS).tolist()
    chosen, uniform = _drawn(rng), _numbers(rng)
    kept: int | None = None
    found: list[list[int]] = []
    while len(found) < count:
        (room,) = (1 + rng.poisson(BASKET_LENGTH - 1, size=1)).tolist()
        basket: dict[int, None] = {}
        while len(basket) < room:
            number = next(chosen) if kept is None else kept
            kept = None
            items = list(listed[number])
            while items and next(uniform) < level[number]:
                items.pop(int(next(uniform) * len(items)))
            full = len(basket) + len(items) > room
            if full and next(uniform) < 0.5:
                kept = number
                break
            basket |= dict.fromkeys(items)
            if full:
                break
        if basket:
            found.append(list(basket))
    return ItemSets.of(found)
