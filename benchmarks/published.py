"""Errors beside those that authors measured and put on record: `python -m benchmarks.published`.

Most papers show their measurements as pictures. Two sets of numbers stand in repositories of the
authors, with the commands that made them, and are repeated here: n, k, epsilon and the shape of the
population are theirs.

- Vitaly Feldman, Jelani Nelson, Huy Nguyen, Kunal Talwar (2022), Private Frequency Estimation via
  Projective Geometry: github.com/minilek/private_frequency_oracles, `experiments/results`.
- Graham Cormode, Tejas Kulkarni, Divesh Srivastava (2019), Answering Range Queries Under Local
  Differential Privacy: github.com/Tejasvk/RangeQueries, `main/vary_b_ci_8.csv`, repetitions at
  fan-out 16.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.markdown import table
from benchmarks.published_settings import N, section
from ldp_verified.protocols import RangeHierarchy, RangeTree, RangeWavelet
from ldp_verified.run.mechanisms import HRR, OUE, PGR, SubsetSelection

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

COUNT_N, COUNT_K = 1000, 22_000
COUNTS: Mapping[str, Mapping[float, float]] = {
    "subset selection": {2.0: 722.094, 2.85714: 258.62, 3.42857: 139.412, 4.0: 76.4775},
    "PGR": {2.0: 745.868, 2.85714: 259.189, 3.42857: 139.62, 4.0: 76.0303},
}
"""Mean squared errors of counts in zipf1.0.var, means of ten runs; and in zipf1.0.mse, below."""

RANGED: Mapping[str, tuple[float, float]] = {
    "subset selection": (26.3829, 28.0272),
    "PGR": (26.4635, 28.4157),
}
"""The least and the most of 300 runs at epsilon = 5, of the same users: zipf1.0.mse."""

MAKERS = {"subset selection": SubsetSelection, "PGR": PGR}

RANGE_N, RANGE_K, RANGE_EPSILON, MEASURED_N = 1 << 26, 256, math.log(3), 1 << 20
LENGTHS = (2, 16, 64, 128)
RANGES: Mapping[str, tuple[tuple[float, ...], ...]] = {
    "OUE": (
        (0.000292945,),
        (0.00091765,),
        (0.00186044, 0.0018321, 0.00226256, 0.00162477),
        (0.0027217, 0.00210343, 0.00355527, 0.0017071, 0.00300274),
    ),
    "HRR": (
        (0.000327683,),
        (0.00096818,),
        (0.00178495, 0.00307434, 0.00240614, 0.00113401),
        (0.0022977, 0.0024881, 0.00276832, 0.000951076, 0.00262991),
    ),
    "TreeHRRCI": (
        (0.000446957,),
        (0.000704933,),
        (0.000810727, 0.000916701, 0.000884125, 0.000895612),
        (0.000741806, 0.000883978, 0.000717017, 0.000943448, 0.000789245),
    ),
    "HaarHRR": (
        (0.00046023,),
        (0.000704838,),
        (0.000743887, 0.000781857, 0.000735281, 0.000657222),
        (0.00066942, 0.000713502, 0.000838475, 0.000694191, 0.000578951),
    ),
    "TreeOUECI": (
        (0.000395804,),
        (0.000583233,),
        (0.000651257, 0.00112097, 0.000779805, 0.000965027),
        (0.000540188, 0.00103636, 0.000755329, 0.00109813, 0.000841216),
    ),
}
"""Root mean squared errors of the share of ranges of `LENGTHS` values, which is their length plus
one: of the first repetition, and for long ranges, which share their noise, of the next ones."""

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Row:
    """One number of the authors, beside ours.

    Attributes:
        what: of it. theirs: as on record, in words. measured, stated: ours, by reports and by
            formulas.
    """

    what: tuple[str, ...]
    theirs: str
    measured: float
    stated: float


def zipf(n: int, k: int, seed: int) -> Integers:
    """Values whose chances fall like 1/rank."""
    chances = 1 / np.arange(1, k + 1)
    drawn = np.random.default_rng(seed).choice(k, size=n, p=chances / chances.sum())
    return np.asarray(drawn, dtype=np.int64)


def counts(n: int, k: int, runs: int) -> list[Row]:
    """Mean squared errors of all counts."""
    values = zipf(n, k, 0)
    true = np.bincount(values, minlength=k)
    rows = []
    for name, own in COUNTS.items():
        settled = {epsilon: f"{error:,.1f}" for epsilon, error in own.items()}
        low, high = RANGED[name]
        for epsilon, theirs in (settled | {5.0: f"{low:.1f}..{high:.1f}"}).items():
            made = MAKERS[name](epsilon, k)
            off = []
            for seed in range(runs):
                state = made.empty(simulated=True).update(made.privatize(values, rng=seed))
                off.append(float(np.mean((state.estimate().counts - true) ** 2)))
            stated = float(np.mean([made.variance(n, share) for share in (true / n).tolist()]))
            rows.append(Row((name, f"{epsilon:.3g}"), theirs, float(np.mean(off)), stated))
    return rows


def _below(name: str, values: Integers, seed: int) -> Floats:
    """Estimated shares of users with a value below 0, 1, ..., k."""
    if name in ("OUE", "HRR"):
        made = (OUE if name == "OUE" else HRR)(RANGE_EPSILON, RANGE_K)
        state = made.empty(simulated=True).update(made.privatize(values, rng=seed))
        shares = state.estimate().shares
        return np.concatenate(([0.0], np.cumsum(shares)))
    if name == "TreeOUECI":
        best = RangeHierarchy(RANGE_EPSILON, RANGE_K)
        counted = best.empty(simulated=True).update(best.privatize(values, rng=seed))
        found = best.estimate(counted)
    else:
        one = _one_bit(name)
        found = one.estimate(one.empty(simulated=True).update(one.privatize(values, rng=seed)))
    return np.concatenate(([0.0], found.at_most)) / len(values)


def _one_bit(name: str) -> RangeTree | RangeWavelet:
    if name == "HaarHRR":
        return RangeWavelet(RANGE_EPSILON, RANGE_K)
    return RangeTree(RANGE_EPSILON, RANGE_K, 4)


def stated_range(name: str, length: int) -> float:
    """The root of the mean variance of the share of a range of so many values, of `RANGE_N` users.

    Of one bit it is a bound; of unary encoding and one-bit response without a tree it is that of
    values that nobody holds.
    """
    if name in ("OUE", "HRR"):
        made = (OUE if name == "OUE" else HRR)(RANGE_EPSILON, RANGE_K)
        return math.sqrt(length * made.variance(1) / RANGE_N)
    own = RangeHierarchy(RANGE_EPSILON, RANGE_K) if name == "TreeOUECI" else _one_bit(name)
    firsts = range(RANGE_K - length + 1)
    found = [own.variance(1, first, first + length - 1) for first in firsts]
    return math.sqrt(float(np.mean(found)) / RANGE_N)


def ranges(n: int, runs: int) -> list[Row]:
    """Root mean squared errors of all ranges of some lengths, scaled to the authors' users."""
    squares: dict[tuple[str, int], list[float]] = {}
    for seed in range(runs):
        # Their population is binomial too, around a third of the values.
        values = np.random.default_rng(seed).binomial(RANGE_K - 1, 0.33, n)
        true = np.concatenate(([0.0], np.cumsum(np.bincount(values, minlength=RANGE_K)))) / n
        for name in RANGES:
            off = _below(name, values, seed) - true
            for length in LENGTHS:
                each = (off[length:] - off[:-length]) ** 2
                squares.setdefault((name, length), []).append(float(each.mean()))
    scale = math.sqrt(n / RANGE_N)
    shown = {"TreeOUECI": "TreeOUECI; ours: RangeHierarchy", "TreeHRRCI": "TreeHRRCI, fan-out 16"}
    return [
        Row(
            (shown.get(name, name), str(length)),
            f"{_root(theirs[place]) * 1e4:.2f}",
            math.sqrt(float(np.mean(squares[name, length]))) * scale * 1e4,
            stated_range(name, length) * 1e4,
        )
        for name, theirs in RANGES.items()
        for place, length in enumerate(LENGTHS)
    ]


def _root(errors: Sequence[float]) -> float:
    """The root mean square."""
    return math.sqrt(float(np.mean(np.square(errors))))


def page(first: Sequence[Row], second: Sequence[Row], runs: int, settings: str) -> str:
    """PUBLISHED.md."""
    of_counts = [[*r.what, r.theirs, f"{r.measured:,.1f}", f"{r.stated:,.1f}"] for r in first]
    of_ranges = [[*r.what, r.theirs, f"{r.measured:.2f}", f"{r.stated:.2f}"] for r in second]
    return f"""# Errors beside those that authors measured

Written by `python -m benchmarks.published`. Authors' numbers are those in their repositories, \
which the module names; ours are of {runs} runs.

Mean squared errors of counts, n = {COUNT_N:,} users with values of a Zipf law, k = {COUNT_K:,} \
(Feldman, Nelson, Nguyen, Talwar 2022): means of ten runs of theirs, and at epsilon = 5 the least \
and the most of 300.

{table(["mechanism", "epsilon", "authors", "ours, measured", "ours, stated"], of_counts)}
Root mean squared errors of the share of ranges, in units of 0.0001, n = 2^26, k = 256, \
e^epsilon = 3 (Cormode, Kulkarni, Srivastava 2019): one repetition of theirs of 2 and 16 values, \
four of 64 and five of 128. Ours are measured with 2^20 users and scaled. Their population is \
drawn around a third of the values.

{table(["method", "values of a range", "authors", "ours, measured", "ours, stated"], of_ranges)}
- Long ranges of one repetition share their noise: of 128 values, HRR's own numbers are between \
9.5 and 27.7. Stated errors of one-bit trees and wavelets are bounds, at most 1.15 times too large \
here (`docs/numbers.md`).
- `RangeHierarchy` stands beside their tree over unary encoding of fan-out 16, with fan-outs and \
mechanisms of its own choice.

{settings}
## What is not compared

No record of the errors that these papers measured was at hand, as text or as numbers.

- Square wave (Li et al. 2020): distances of distributions. The text was not at hand.
- PCKV (Gu et al. 2020): the authors say that `PG1.m`, of the setting above, and `PG2.m`, of \
ratings with l = 2, stand for figures 1(a) and 10(b); their numbers are not with them. Of the text \
the beginning was at hand, which has none.
- PrivUnit (Asi, Feldman, Talwar 2022): beside the rows above, its error is computed from its \
definition in [VECTORS.md](VECTORS.md). The authors' program writes its numbers to a folder that \
is not with it.
- Boxes (T. Wang, Ding et al. 2019): an author's program (github.com/vvv214/LDP_Protocols, `hio`) \
names domains of 64, 1,024, 64 x 1,024 and 256 x 256 values of UCI data sets, and leaves out its \
folder of results. Ours are beside their formulas on other data in [NUMBERS.md](NUMBERS.md) and \
[BOXES.md](BOXES.md).
- Marginals (Cormode, Kulkarni, Srivastava 2018; Zhang et al. 2018): of the former's text the \
beginning was at hand, which has no measured error; of the latter's nothing, and no program of \
either.
"""


def main() -> None:
    """Run all of it and write PUBLISHED.md."""
    reader = argparse.ArgumentParser(description="errors beside those that authors measured")
    reader.add_argument("--runs", type=int, default=10, help="of each of ours")
    reader.add_argument("--users", type=int, default=MEASURED_N, help="of ranges")
    reader.add_argument("--pairs", type=int, default=N, help="users of key-value pairs")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of the page")
    given = reader.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    first = counts(COUNT_N, COUNT_K, given.runs)
    second = ranges(given.users, given.runs)
    settings = section(given.pairs, min(given.runs, 5))
    text = page(first, second, given.runs, settings)
    (given.out / "PUBLISHED.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
