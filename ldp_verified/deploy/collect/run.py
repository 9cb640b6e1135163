"""Randomize each row as its owner would, aggregate, estimate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldp_verified.deploy.collect.choose import AUTO, MechanismCandidate, choose
from ldp_verified.deploy.collect.domain import OUTSIDE, ColumnDomain
from ldp_verified.deploy.collect.survey import Progress, Survey, refuse_strangers, silent, survey
from ldp_verified.deploy.collect.table import InputColumn, TableError
from ldp_verified.run.aggregate.tabulated import check_level
from ldp_verified.run.kernels.seeds import checked_seed, word_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ldp_verified.run.aggregate import Estimate
    from ldp_verified.run.realize import Randomizer

MOST_ROWS = 1 << 16
MOST_BITS = 1 << 27
"""Reports held at once: this many bits, so 16 MiB."""


@dataclass(frozen=True)
class Collection:
    """The result. Without `truth` it depends on the private column through randomized reports only.

    Attributes:
        column: the private column.
        domain: what its values were encoded by.
        mechanism: what randomized them.
        ranking: what the mechanism was chosen from, best first; empty where it was named.
        estimate: counts of the domain's labels.
        level: of `interval`.
        seed: of a simulation; None for secure randomness.
        truth: what the first pass saw, where the comparison was asked for.
    """

    column: InputColumn
    domain: ColumnDomain
    mechanism: Randomizer
    ranking: tuple[MechanismCandidate, ...]
    estimate: Estimate
    level: float
    seed: int | None
    truth: Survey | None

    @cached_property
    def interval(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Ends of the interval of each count, each value for itself."""
        return self.estimate.interval(self.level)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Indices of the values, the largest estimate first."""
        order: NDArray[np.int64] = np.argsort(-self.estimate.counts, kind="stable")
        return order

    def shown(self, top: int) -> NDArray[np.int64]:
        """The `top` first of `order`; and the value for everything else, wherever it comes."""
        if self.domain.other is None:
            return self.order[:top]
        chosen = (np.arange(self.domain.k) < top) | (self.order == self.domain.k - 1)
        indices: NDArray[np.int64] = self.order[chosen]
        return indices


def collect(
    column: InputColumn,
    domain: ColumnDomain,
    *,
    epsilon: float,
    mechanism: str = AUTO,
    compare: bool = False,
    level: float = 0.95,
    seed: int | None = None,
    progress: Progress = silent,
) -> Collection:
    """Collect one column.

    Two passes: the first counts the rows and checks that every cell fits the domain, the second
    randomizes. The chunks depend on the mechanism only, so a seed gives the same result from CSV
    and Parquet.

    Args:
        column: the private column.
        domain: the public values; with `other` for everything else, or else every cell must be one
            of them.
        epsilon: of each row's report.
        mechanism: "auto" or a name in `choose.makers()`.
        compare: keep the true counts beside the estimates. The result is private no more.
        level: of the intervals.
        seed: None for secure randomness; an integer for a simulation that can be repeated and
            protects nobody.
        progress: told of the rows done, in each of the two passes, and of those of a sketch.

    Raises:
        TableError: the file cannot be read, is empty, or changes meanwhile.
        DomainError: a cell is not in the domain.
        ParameterError: epsilon, mechanism, level or seed.
    """
    check_level(level, "--level")
    if seed is not None:
        checked_seed(seed, name="--seed")
    # Also builds a mechanism once before the file is read: bad parameters show at once.
    choose(mechanism, epsilon, domain.k, 1)
    found = survey(column, domain, progress)
    refuse_strangers(column, domain, found, compare)
    randomizer, ranking = choose(mechanism, epsilon, domain.k, found.rows)
    codes = chunks(column, domain, found.rows, chunk_rows(randomizer.bits_per_report), progress)
    source = word_source(seed, "collect", column.name, *randomizer.identity.named)
    reports = randomizer.privatize_stream(codes, rng=source)
    state = randomizer.aggregate(reports, simulated=seed is not None)
    truth = found if compare else None
    estimate = state.estimate(told=lambda done, rows: progress("looked up sketch", done, rows))
    return Collection(column, domain, randomizer, ranking, estimate, level, seed, truth)


def chunk_rows(bits_per_report: int) -> int:
    """Return how many rows are randomized at a time."""
    return max(1, min(MOST_ROWS, MOST_BITS // bits_per_report))


def chunks(
    column: InputColumn, domain: ColumnDomain, rows: int, size: int, progress: Progress = silent
) -> Iterator[NDArray[np.int64]]:
    """The column's indices in chunks of `size` (the last may be smaller).

    Raises:
        TableError: it does not hold `rows` rows of the domain any more.
    """
    held: list[NDArray[np.int64]] = []
    waiting = seen = 0
    changed = TableError(str(column.path), "changed while it was read; nothing was written")
    for cells in column.batches():
        codes = domain.encode(cells)
        seen += len(codes)
        if (codes == OUTSIDE).any() or seen > rows:
            raise changed
        held.append(codes)
        waiting += len(codes)
        if waiting >= size:
            joined = np.concatenate(held)
            whole = waiting - waiting % size
            for start in range(0, whole, size):
                yield joined[start : start + size]
            held, waiting = [joined[whole:]], waiting - whole
        progress("randomizing", seen, rows)
    if seen != rows:
        raise changed
    if waiting:
        yield np.concatenate(held)
