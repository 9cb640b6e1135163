"""Rule LDP020 tests whether reports, or counts of them, can be those of the claimed mechanism.

Nobody knows the true values of reports on file. So each comparison is of a number whose law under
the claimed table is known, or bounded, whatever the values are. Users are independent.

- Reports that support v: a user adds one with chance p* or q*, so the count lies between the
  binomials with q* and with p* (M. Shaked and J. G. Shanthikumar (2007), Stochastic Orders).
- Ones in a report of independent bits: their law is the same for every value.
- Values in a report that is a set, or one value: always as many.
- Two bits of one report at once, at least q*^2 and at most p* q*.
- Equal reports of two users: at most as likely as of two with one value, by Cauchy's inequality.

Tails are exact, and the level is divided by their number. Where the values are even, k-ary
randomized response gives even reports at every eps: nothing here sees that, and no verdict is then
`consistent`. With independent bits the number of ones does see it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import binom

from ldp_verified.check.audit.events.readings import OutputReading
from ldp_verified.check.audit.rules.estimators import supports_law, two_sided
from ldp_verified.check.audit.rules.rules import Finding
from ldp_verified.check.audit.targets.batch import Batch
from ldp_verified.check.audit.targets.keys import items, key
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

MOST_PAIRED = 32
"""Bits that are compared two by two; of longer reports the first ones."""

STEPS = (1.02, 1.05, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0, 3.0, 5.0)
"""Multiples of the claimed eps that are tried for what would be seen."""

POWER = 0.95


@dataclass(frozen=True)
class FitTable:
    """The facts that are known of the claimed mechanism.

    Attributes:
        p_star, q_star: chances that a report supports the own value, and another one.
        bits: reports are vectors of independent bits.
        reading: how a report is read.
    """

    p_star: float
    q_star: float
    bits: bool
    reading: str


@dataclass(frozen=True)
class ComparedFit:
    """One comparison: what, and the p-value of what was seen."""

    words: str
    p_value: float


@dataclass
class FittedCounts:
    """The counts of reports, batch by batch.

    Attributes:
        users: reports. held: by value, how many support it.
        sizes: by number of values supported, how many reports. both: by pair of bits.
        pairs, equal: of reports side by side; of those, equal ones.
        wrong: reports of another shape than the mechanism's.
    """

    users: int
    held: NDArray[np.int64]
    sizes: Counter[int]
    both: NDArray[np.int64]
    pairs: int = 0
    equal: int = 0
    wrong: int = 0


def counts_of(
    batches: Iterable[Sequence[Any]], inputs: Sequence[Any], table: FitTable
) -> FittedCounts:
    """Count reports.

    Args:
        batches: of reports.
        inputs: the whole domain, in order.
        table: says how reports are read.
    """
    reading, k = OutputReading(table.reading, tuple(inputs)), len(inputs)
    paired = min(k, MOST_PAIRED) if table.bits else 0
    found = FittedCounts(0, np.zeros(k, np.int64), Counter(), np.zeros((paired, paired), np.int64))
    for reports in batches:
        n = len(reports)
        batch = Batch(np.zeros(n, dtype=np.int64), list(reports))
        held = _held(reading, batch, k)
        found.users += n
        found.held += held.sum(axis=0)
        found.sizes.update(held.sum(axis=1).tolist())
        first = held[:, :paired].astype(np.int64)
        found.both += first.T @ first
        keys = [*map(key, reports)]
        found.pairs += n // 2
        found.equal += sum(keys[i] == keys[i + 1] for i in range(0, n - 1, 2))
        if table.bits:
            found.wrong += sum(len(items(each) or ()) != k for each in reports)
    return found


def _held(reading: OutputReading, batch: Batch, k: int) -> NDArray[np.bool_]:
    """Return whether each report supports each value, shape (n, k)."""
    n = len(batch)
    if reading.single:
        return np.asarray(reading.guesses(batch)[:, None] == np.arange(k))
    return np.stack([reading.supports(batch, np.full(n, v)) for v in range(k)], axis=1)


def compared(found: FittedCounts, table: FitTable) -> list[ComparedFit]:
    """All comparisons, the smallest p-value first.

    Args:
        found: what was counted; without `sizes` only counts of values are compared.
        table: of the claimed mechanism.
    """
    n, k, p, q = found.users, len(found.held), table.p_star, table.q_star
    several = []
    for v, count in enumerate(found.held.tolist()):
        high, low = float(binom.sf(count - 1, n, p)), float(binom.cdf(count, n, q))
        said = f"{count:,} of {n:,} reports support value {v}"
        several.append(ComparedFit(f"{said}, too many at p* = {p:.4g}", high))
        several.append(ComparedFit(f"{said}, too few at q* = {q:.4g}", low))
    total = int(found.held.sum())
    if table.bits:
        law = supports_law(n, n * (k - 1), p, q)
        words = f"{total:,} ones in all, expected {n * (p + (k - 1) * q):,.0f}"
        several.append(ComparedFit(words, two_sided(law, total)))
    elif (size := round(p + (k - 1) * q)) >= 1 and abs(size - p - (k - 1) * q) < 1e-9:
        several.append(
            _certain(f"{total:,} values supported, {size} in each report", total - size * n)
        )
    if found.sizes:
        several += _of_reports(found, table)
    return sorted(several, key=lambda each: each.p_value)


def _certain(words: str, difference: int) -> ComparedFit:
    return ComparedFit(words, float(difference == 0))


def _of_reports(found: FittedCounts, table: FitTable) -> list[ComparedFit]:
    n, k, p, q = found.users, len(found.held), table.p_star, table.q_star
    several = [_certain(f"{found.wrong:,} reports are of another length", found.wrong)]
    if not table.bits:
        if table.reading == "same":
            chance = p * p + (k - 1) * q * q
            several.append(_equal(found, chance))
        return several
    chance = (p * p + (1 - p) ** 2) * (q * q + (1 - q) ** 2) ** (k - 1)
    several.append(_equal(found, chance))
    own, others = (1 - p, p), binom.pmf(np.arange(k), k - 1, q)
    for ones, mass in enumerate(np.convolve(own, others).tolist()):
        count = found.sizes[ones]
        tail = 2 * min(binom.sf(count - 1, n, mass), binom.cdf(count, n, mass))
        words = f"{count:,} reports with {ones} ones, expected {n * mass:,.1f}"
        several.append(ComparedFit(words, min(1.0, float(tail))))
    low, high = sorted((q * q, p * q))
    for u, v in combinations(range(len(found.both)), 2):
        count = int(found.both[u, v])
        words = f"bits {u} and {v} are set together in {count:,} of {n:,} reports"
        several.append(ComparedFit(f"{words}, too often", float(binom.sf(count - 1, n, high))))
        several.append(ComparedFit(f"{words}, too seldom", float(binom.cdf(count, n, low))))
    return several


def _equal(found: FittedCounts, chance: float) -> ComparedFit:
    words = f"{found.equal:,} of {found.pairs:,} pairs of reports side by side are equal"
    return ComparedFit(words, float(binom.sf(found.equal - 1, found.pairs, chance)))


def judged(several: Sequence[ComparedFit], level: float) -> list[Finding]:
    """LDP020 for what the claimed table makes less likely than the level allows.

    Args:
        several: all comparisons.
        level: of all of them together.
    """
    bar = level / len(several)
    broken = [each for each in several if each.p_value <= bar]
    if not broken:
        return []
    first = "; ".join(f"{each.words} (p = {each.p_value:.1e})" for each in broken[:3])
    more = f"; and {len(broken) - 3} more" if broken[3:] else ""
    words = f"{len(broken)} of {len(several)} comparisons fail: {first}{more}"
    return [Finding("LDP020", words, {"failed": len(broken), "of": len(several)})]


def resolution(
    users: int, k: int, epsilon: float, level: float, chances: Callable[[float], FitTable]
) -> float | None:
    """The smallest eps of `STEPS` whose number of ones would be seen; None where none would.

    Args:
        users: reports. k: values.
        epsilon: the claim. level: of the comparison of ones.
        chances: the table of the mechanism at an eps.
    """
    own = chances(epsilon)
    if not own.bits or epsilon <= 0:
        return None
    law = supports_law(users, users * (k - 1), own.p_star, own.q_star)
    below, above = np.cumsum(law.chances), np.cumsum(law.chances[::-1])[::-1]
    kept = law.values[(below > level / 2) & (above > level / 2)]
    for step in STEPS:
        try:
            other = chances(step * epsilon)
        except ParameterError:
            continue
        there = supports_law(users, users * (k - 1), other.p_star, other.q_star)
        inside = (there.values >= kept[0]) & (there.values <= kept[-1])
        if float(there.chances[inside].sum()) <= 1 - POWER:
            return step * epsilon
    return None
