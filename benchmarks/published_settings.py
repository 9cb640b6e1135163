"""Errors at settings of authors, by the formulas or probabilities of their programs.

These repositories hold settings and programs, and no numbers that came out of them, which stand in
pictures of the papers. So the errors of the authors' mechanisms are computed here.

- Xiaolan Gu, Ming Li, Yueqiang Cheng, Li Xiong, Yang Cao (2020), PCKV: Locally Differentially
  Private Correlated Key-Value Data Collection with Optimized Utility: github.com/xiaolangu/PCKV,
  where `PG1.m` makes a figure of the paper.
- Faster Optimal Locally Private Mean Estimation via Random Projections (arXiv 2306.04444):
  github.com/apple/ml-projunit, where `experiments.py` has dimensions and epsilons, and
  `utilities.py` the error of PrivUnitG.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import norm

from benchmarks.markdown import table
from ldp_verified.protocols import (
    ItemSets,
    KeyValueResponse,
    KeyValueSymbols,
    PairSets,
    SphereVector,
)
from ldp_verified.run.mechanisms import SquareWave

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N, KEYS, EPSILONS = 1_000_000, 100, (2.0, 3.0, 4.0, 5.0, 6.0)
VECTOR_D, VECTOR_N, VECTOR_EPSILONS = 1 << 13, 50, (4.0, 10.0, 16.0)
WAVE_EPSILONS, WAVE_X = (0.5, 1.0, 2.0, 4.0), 0.25
MAKERS = {"PCKV-UE": KeyValueSymbols, "PCKV-GRR": KeyValueResponse}


def probabilities(name: str, epsilon: float) -> tuple[float, float, float]:
    """The chances (a, b, p) of the program, for users of one pair.

    That the own key is kept, that another one is reported, and that the sign is right.
    """
    e = math.exp(epsilon)
    if name == "PCKV-UE":
        return 0.5, 2 / (e + 3), e / (e + 1)
    kept = (e + 1) / (e + 1 + 2 * KEYS)
    return kept, (1 - kept) / KEYS, e / (e + 1)


def theirs(name: str, epsilon: float, n: int) -> tuple[float, float]:
    """Mean squared errors of shares of keys and, to first order, of means that are uniform.

    Without the cuts of the program, which matter where errors are as large as what is estimated.
    """
    a, b, p = probabilities(name, epsilon)
    f, square = 1 / KEYS, 1 / 3  # of a key, and the mean square of a mean
    own, right = a - b, a * (2 * p - 1)
    seen = f * a + (1 - f) * b
    share = (f * a * (1 - a) + (1 - f) * b * (1 - b)) / own**2
    # Of one user: the sum of signs, the support, and their covariance over the mean.
    total = seen / right**2 - f**2 * square
    support, both = seen * (1 - seen) / own**2, f * (1 - seen) / own
    mean = (total - 2 * square * both + square * support) / f**2
    return share / n, mean / n


def ours(name: str, epsilon: float, n: int, runs: int) -> tuple[float, float]:
    """The same, measured: keys are uniform, and so are the means of keys, new in each run."""
    shares, means = [], []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        keys, centres = rng.integers(0, KEYS, n), rng.uniform(-1, 1, KEYS)
        made = MAKERS[name](epsilon, KEYS, 1)
        pairs = PairSets(ItemSets(keys, np.ones(n, dtype=np.int64)), centres[keys])
        found = made.estimate(made.empty(True).update(made.privatize(pairs, seed)))
        true = np.bincount(keys, minlength=KEYS) / n
        shares.append(np.mean((found.counts / n - true) ** 2))
        means.append(np.mean((found.means.columns()[0] - centres) ** 2))
    return float(np.mean(shares)), float(np.mean(means))


def unit_gaussian(epsilon: float, d: int) -> float:
    """The squared error of PrivUnitG, one user: d sigma^2, at the best of 99 chances."""

    def sigma(kept: float) -> float:
        tail = 1 / (1 + math.exp(epsilon) * (1 - kept) / kept)
        cut = norm.isf(tail)
        return float(1 / (norm.pdf(cut) * (kept / tail - (1 - kept) / (1 - tail))))

    return d * min(sigma(percent / 100) for percent in range(1, 100)) ** 2


def vector_error(epsilon: float, d: int, n: int, runs: int) -> float:
    """The squared error of the mean of n random unit vectors, times n, by `SphereVector`."""
    made, errors = SphereVector(epsilon, d), []
    for seed in range(runs):
        held = np.random.default_rng(seed).standard_normal((n, d))
        held /= np.linalg.norm(held, axis=1, keepdims=True) * (1 + 1e-9)
        found = made.empty(True).update(made.privatize(held, seed)).estimate()
        errors.append(n * float(np.sum((found.means - held.mean(axis=0)) ** 2)))
    return float(np.mean(errors))


def wave(epsilon: float, x: float) -> tuple[float, float]:
    """The mean and the variance of a square wave's report, with the width of the paper's formula.

    Zitao Li, Tianhao Wang, Milan Lopuhaa-Zwakenberg, Ninghui Li, Boris Skoric (2020), Estimating
    Numerical Distributions under Local Differential Privacy: width and densities as
    `spec/square_wave.py` has them.
    """
    e = math.exp(epsilon)
    b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
    low = 1 / (2 * b * e + 1)
    more = low * (e - 1)
    mean = low * ((1 + b) ** 2 - b**2) / 2 + more * 2 * b * x
    square = low * ((1 + b) ** 3 + b**3) / 3 + more * ((x + b) ** 3 - (x - b) ** 3) / 3
    return mean, square - mean**2


def wave_reports(epsilon: float, x: float, n: int) -> tuple[float, float]:
    """The mean and the variance of n reports of `SquareWave`, measured."""
    made = SquareWave(epsilon)
    b = float(made.b)
    drawn = np.asarray(made.privatize(np.full(n, x), 1).data, dtype=np.float64)
    numbers = drawn / made.outputs * (1 + 2 * b) - b
    return float(numbers.mean()), float(numbers.var())


def section(n: int, runs: int) -> str:
    """The part of PUBLISHED.md."""
    pairs, f = [], 1 / KEYS
    for name, kind in MAKERS.items():
        for epsilon in EPSILONS:
            mine, its = ours(name, epsilon, n, runs), theirs(name, epsilon, n)
            stated = kind(epsilon, KEYS, 1).variance(n, f) / n**2
            shown = (its[0], mine[0], stated, its[1], mine[1])
            pairs.append([name, f"{epsilon:g}", *(f"{each:.3g}" for each in shown)])
    vectors = []
    for epsilon in VECTOR_EPSILONS:
        made = SphereVector(epsilon, VECTOR_D)
        found = vector_error(epsilon, VECTOR_D, VECTOR_N, runs)
        errors = (unit_gaussian(epsilon, VECTOR_D), made.least_variance, made.variance(1.0), found)
        vectors.append([f"{epsilon:g}", *(f"{each:,.0f}" for each in errors)])
    waves = []
    for epsilon in WAVE_EPSILONS:
        both = zip(wave(epsilon, WAVE_X), wave_reports(epsilon, WAVE_X, n), strict=True)
        waves.append([f"{epsilon:g}", *(f"{each:.4f}" for pair in both for each in pair)])
    head = ["protocol", "epsilon", "share, authors", "ours, measured", "ours, stated"]
    return f"""## By authors' formulas, at their settings

Key-value pairs (Gu et al. 2020), the setting of `PG1.m`: n = {n:,} users of one pair, \
{KEYS} keys that are equally frequent, means that are uniform in -1..1. Mean squared errors of \
shares of keys and of means. Authors' errors are computed from the probabilities and the \
estimators of their program, without its cuts to possible values; ours, measured, have cuts of \
means. `KeyValueSymbols` is PCKV-UE, and `KeyValueResponse` PCKV-GRR.

{table([*head, "mean, authors", "ours, measured"], pairs)}
Unit vectors (arXiv 2306.04444), the first experiment of github.com/apple/ml-projunit: \
d = {VECTOR_D:,}, n = {VECTOR_N}; ours are drawn uniformly. The squared error of the mean, times \
n. PrivUnitG is the authors' formula d sigma^2; the bound is PrivUnit with its \
best cap, as `SphereVector.least_variance` computes it.

{table(["epsilon", "PrivUnitG, authors", "our bound", "ours, stated", "ours, measured"], vectors)}
Square wave: mean and variance of a report of {WAVE_X:g}, by the densities and the width of the \
paper, and of {n:,} reports of ours.

{table(["epsilon", "mean, formula", "measured", "variance, formula", "measured"], waves)}"""
