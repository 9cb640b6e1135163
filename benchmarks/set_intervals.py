"""How often intervals of SVIM and SVSM hold the count: `python -m benchmarks.set_intervals`.

Each setting has one population, and each run mines it anew. The share of the rows shown whose 95 %
interval holds the true count is averaged over the runs. Rows of one run depend on each other, so
`+-` is 1.96 standard errors of the mean of runs. Item j, from 1, is in a set with probability
c / j^0.7. Items are independent, or a quarter of the users hold four times as much as the others.
"""

from __future__ import annotations

import argparse
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.markdown import table
from ldp_verified.protocols import SVIM, SVSM
from ldp_verified.protocols.item_sets import ItemSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

N, K, TOP = 20_000, 100, 10
RUNS: Final = 400
Z: Final = 1.96


@dataclass(frozen=True)
class Setting:
    """A protocol, a population and an epsilon.

    Attributes:
        mining: the protocol's class.
        sizes: "alike" or "different", of users' sets.
        epsilon: of one report.
    """

    mining: type[SVIM] | type[SVSM]
    sizes: str
    epsilon: float


SETTINGS = (
    Setting(SVIM, "alike", 1.0),
    Setting(SVIM, "different", 4.0),
    Setting(SVSM, "different", 4.0),
)


def population(sizes: str, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which items each user holds, bool (n, k).

    Args:
        sizes: see `Setting`.
        rng: draws the users.
    """
    chances = np.arange(1, K + 1) ** -0.7
    if sizes == "alike":
        return np.asarray(rng.random((N, K)) < 0.6 * chances)
    heavy = np.where(rng.random(N) < 0.25, 4.0, 1.0)[:, np.newaxis]
    return np.asarray(rng.random((N, K)) < np.minimum(0.95, 0.2 * chances * heavy))


def coverages(
    mining: SVIM | SVSM, holds: NDArray[np.bool_], runs: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each run the share of intervals that hold the count, and the mean error in standard ones.

    Args:
        mining: the protocol.
        holds: the population.
        runs: how many.
        rng: draws a seed for each.
    """
    held = ItemSets.of([np.flatnonzero(row).tolist() for row in holds])
    shares, errors = np.empty(runs), np.empty(runs)
    for run in range(runs):
        found = mining.mine(held, rng=int(rng.integers(1 << 62)))
        truth = np.array([holds[:, list(each)].all(axis=1).sum() for each in found.sets])
        _, _, low, high = found.columns(0.95)
        shares[run] = ((low <= truth) & (truth <= high)).mean()
        errors[run] = ((found.counts - truth) / found.std_error).mean()
    return shares, errors


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description="Coverage of intervals of SVIM and SVSM.")
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each row")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="of all; or fresh")
    given = parser.parse_args()
    print(f"{N:,} users, {K} items, top {TOP}, {given.runs} runs, seed {given.seed}", flush=True)
    rows: list[tuple[str, ...]] = []
    for place, setting in enumerate(SETTINGS):
        holds = population(setting.sizes, np.random.default_rng([given.seed, place, 1]))
        rng = np.random.default_rng([given.seed, place, 2])
        shares, errors = coverages(setting.mining(setting.epsilon, K, TOP), holds, given.runs, rng)
        noise = Z * float(shares.std(ddof=1)) / given.runs**0.5
        size = f"{setting.sizes}, {holds.sum(axis=1).mean():.2f} on average"
        covered = f"{shares.mean():.3f} +- {noise:.3f}"
        name = setting.mining.__name__
        rows.append((name, f"{setting.epsilon:g}", size, covered, f"{errors.mean():+.2f}"))
        print(*rows[-1], flush=True)
    heads = ("protocol", "epsilon", "sizes of sets", "hold the count", "mean error, in std errors")
    print(table(heads, rows))


if __name__ == "__main__":
    main()
