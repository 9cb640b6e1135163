"""Errors beside other packages of PyPI, and beside what papers state.

`python -m benchmarks.accuracy`. Counts of k values by the mechanisms that multi-freq-ldpy and
ldp-toolbox have, and ranges by ldp-hierarchical-mechanism, all on the same users. Each package runs
in an environment of its own in build/peers. Papers show most of their measurements as pictures,
without numbers in the text: what can be compared is the variance that they state.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.environments import HIERARCHICAL, LDP_TOOLBOX, PEERS, ROOT, Package
from benchmarks.markdown import table
from ldp_verified.protocols import RangeHierarchy, RangeTree, RangeWavelet
from ldp_verified.run.mechanisms import GRR, OLH, OUE, SUE, SubsetSelection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N, K, RANGE_K, RANGES, RUNS, EPSILONS = 10_000, 64, 1024, 200, 5, (1.0, 2.0, 4.0)
MULTI_FREQ = next(package for package in PEERS if package.name == "multi-freq-ldpy")
MAKERS: Mapping[str, Any] = {
    "GRR": GRR,
    "SUE": SUE,
    "OUE": OUE,
    "OLH": OLH,
    "SubsetSelection": SubsetSelection,
}
HERE = Path(__file__).resolve().parent


def stated(name: str, epsilon: float, k: int) -> float:
    """The variance of a count of a value that nobody holds, over n, as papers state it.

    T. Wang, Blocki, N. Li, Jha (2017) for all but subset selection; Ye, Barg (2018) for that.
    """
    u, root = math.exp(epsilon), math.exp(epsilon / 2)
    if name == "GRR":
        return (k - 2 + u) / (u - 1) ** 2
    if name == "SUE":
        return root / (root - 1) ** 2
    if name in ("OUE", "OLH"):
        return 4 * u / (u - 1) ** 2
    omega = max(1, round(k / (u + 1)))
    total = omega * u + k - omega
    return (total - u) * (total - 1) / (omega * (k - omega) * (u - 1) ** 2)


@dataclass(frozen=True)
class Row:
    """How well one of several did, as root mean squared errors in users.

    Attributes:
        what, who, epsilon: of it. error: of a count or a range, made consistent the package's own
            way. plain: of the unbiased estimate, nan where there is none. paper: as stated by the
            paper, nan where it states none.
    """

    what: str
    who: str
    epsilon: float
    error: float
    plain: float
    paper: float


def users(n: int, k: int, seed: int) -> list[int]:
    """Values by a Zipf law, shuffled over the domain in the same way each time."""
    chances = 1 / np.arange(1, k + 1)
    order = np.random.default_rng(0).permutation(k)
    drawn = np.random.default_rng([seed, 1]).choice(k, size=n, p=chances / chances.sum())
    return [int(order[v]) for v in drawn]


def asked(package: Package, question: Mapping[str, Any]) -> dict[str, list[float]]:
    """What a package answers: see `workers.accuracy`."""
    command = [str(package.python()), "-m", "benchmarks.workers.accuracy", package.name]
    done = subprocess.run(
        command, input=json.dumps(question), capture_output=True, text=True, check=True, cwd=ROOT
    )
    found: dict[str, list[float]] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def ours(name: str, epsilon: float, k: int, values: Sequence[int], seed: int) -> tuple[Floats, ...]:
    """Our counts: unbiased ones, clipped and scaled as the others' are, and by norm-sub."""
    made = MAKERS[name](epsilon, k)
    state = made.empty(simulated=True).update(made.privatize(np.array(values), rng=seed))
    found = state.estimate()
    scaled, best = (found.consistent(method).counts for method in ("norm-mul", "norm-sub"))
    return found.counts, scaled, best


def measure_counts(
    n: int, k: int, epsilons: Sequence[float], runs: int, packages: Sequence[Package]
) -> list[Row]:
    """All mechanisms of all packages on the same users."""
    rows = []
    for epsilon in epsilons:
        squares: dict[tuple[str, str], list[float]] = {}
        for seed in range(runs):
            values = users(n, k, seed)
            true = np.bincount(values, minlength=k)
            question = {"epsilon": epsilon, "k": k, "values": values}
            for package in packages:
                for name, answered in asked(package, question).items():
                    off = float(np.mean((np.array(answered) - true) ** 2))
                    squares.setdefault((name, package.name), []).append(off)
            for name in MAKERS:
                for who, counts in zip(
                    ("plain", "ours, scaled", "ours, norm-sub"),
                    ours(name, epsilon, k, values, seed),
                    strict=True,
                ):
                    off = float(np.mean((counts - true) ** 2))
                    squares.setdefault((name, who), []).append(off)
        root = {key: math.sqrt(np.mean(each)) for key, each in squares.items()}
        for name in MAKERS:
            for who in [*(p.name for p in packages), "ours, scaled", "ours, norm-sub"]:
                mine = who.startswith("ours")
                plain = root[name, "plain"] if mine else math.nan
                paper = math.sqrt(n * stated(name, epsilon, k))
                rows.append(Row(name, who, epsilon, root[name, who], plain, paper))
    return rows


def measure_ranges(
    n: int, k: int, epsilons: Sequence[float], runs: int, packages: Sequence[Package]
) -> list[Row]:
    """Uniform ranges, by our tree and wavelet and by the packages' trees."""
    ends = np.sort(np.random.default_rng(3).integers(0, k, (RANGES, 2)), axis=1)
    rows = []
    for epsilon in epsilons:
        squares: dict[tuple[str, str], list[float]] = {}
        for seed in range(runs):
            values = np.random.default_rng([seed, 2]).binomial(k - 1, 0.3, n)
            below = np.concatenate(([0], np.cumsum(np.bincount(values, minlength=k))))
            true = below[ends[:, 1] + 1] - below[ends[:, 0]]
            question = {
                "epsilon": epsilon,
                "k": k,
                "values": values.tolist(),
                "ranges": ends.tolist(),
            }
            found = {
                (name, package.name): np.array(sums)
                for package in packages
                for name, sums in asked(package, question).items()
            }
            tree = RangeTree(epsilon, k)
            best = RangeHierarchy(epsilon, k)
            fanouts = " ".join(map(str, best.fanouts or ()))
            for name, counted in (
                (f"hierarchy, fan-outs {fanouts}", _counted(best, values, seed)),
                (f"one-bit tree, fan-out {2 ** int(tree.step or 1)}", _counted(tree, values, seed)),
                ("one-bit Haar wavelet", _counted(RangeWavelet(epsilon, k), values, seed)),
            ):
                at_most = np.concatenate(([0.0], counted))
                found[name, "ours"] = at_most[ends[:, 1] + 1] - at_most[ends[:, 0]]
            for key, sums in found.items():
                squares.setdefault(key, []).append(float(np.mean((sums - true) ** 2)))
        rows += [
            Row(what, who, epsilon, math.sqrt(np.mean(each)), math.nan, math.nan)
            for (what, who), each in squares.items()
        ]
    return rows


def _counted(
    made: RangeHierarchy | RangeTree | RangeWavelet, values: NDArray[np.int64], seed: int
) -> Floats:
    """Estimated numbers of users with at most each value."""
    if isinstance(made, RangeHierarchy):
        sampled = made.empty(simulated=True).update(made.privatize(values, rng=seed))
        return made.estimate(sampled).at_most
    state = made.empty(simulated=True).update(made.privatize(values, rng=seed))
    return made.estimate(state).at_most


def page(counts: Sequence[Row], ranges: Sequence[Row], n: int, runs: int) -> str:
    """ACCURACY.md."""

    def shown(number: float) -> str:
        return "-" if math.isnan(number) else f"{number:,.0f}"

    first = table(
        ["mechanism", "package", "epsilon", "error", "unbiased", "the paper's"],
        [
            [r.what, r.who, f"{r.epsilon:g}", shown(r.error), shown(r.plain), shown(r.paper)]
            for r in counts
        ],
    )
    second = table(
        ["method", "package", "epsilon", "error of a range"],
        [[r.what, r.who, f"{r.epsilon:g}", shown(r.error)] for r in ranges],
    )
    return f"""# Errors beside other packages and beside papers

Written by `python -m benchmarks.accuracy`: multi-freq-ldpy 0.2.5, ldp-toolbox 0.1.3 and \
ldp-hierarchical-mechanism 0.1.3. n = {n:,} users, the same for all, in {runs} runs.

Counts of {K} values by a Zipf law: root mean squared error over all values, in users. The two \
packages clip at 0 and scale to n; ours are made consistent in that way ("scaled") and by \
norm-sub. "Unbiased" is the error of our estimates before that. "The paper's" is the root of \
n times the variance that T. Wang, Blocki, N. Li and Jha (2017), and Ye and Barg (2018) for \
subset selection, state for a value that nobody holds.

{first}
Ranges of {RANGE_K:,} values, binomially distributed: root mean squared error of {RANGES} uniform \
ranges, in users. Trees are made consistent by least squares; in all of them a user reports on one \
level.

{second}
- Its levels report by unary encoding, with a bit for each node of a level. Those of \
`RangeHierarchy` report by the mechanism of least variance, and its fan-outs follow from the \
variances. Reports of `RangeTree` and `RangeWavelet` are one bit that depends on the value, which \
gains little from a larger epsilon.
- What authors measured themselves: [PUBLISHED.md](PUBLISHED.md). No \
package of PyPI that runs was found for key-value pairs, joint tables, the square wave with EM or \
vectors in a ball. pure-ldp is timed in [RESULTS.md](RESULTS.md).
"""


def main() -> None:
    """Run all of it and write ACCURACY.md."""
    reader = argparse.ArgumentParser(description="errors beside other packages")
    reader.add_argument("--runs", type=int, default=RUNS, help="of each package")
    reader.add_argument("--users", type=int, default=N, help="how many there are")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of the page")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    both = (MULTI_FREQ, LDP_TOOLBOX)
    counts = measure_counts(given.users, K, EPSILONS, given.runs, both)
    ranges = measure_ranges(given.users, RANGE_K, EPSILONS, given.runs, (HIERARCHICAL,))
    text = page(counts, ranges, given.users, given.runs)
    (given.out / "ACCURACY.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
