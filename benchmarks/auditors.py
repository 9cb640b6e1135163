"""Reports that auditors need until they certify 0.9 eps, written down in AUDITORS.md.

    python -m benchmarks.auditors

Eight protocols, eps = 1, k = 25 values, level 0.01. Of the other auditors one alone is in a package
registry (opake-auditing, for training runs). None was run: each is stood for by its event and its
bound, as its paper or its code has them, with everything in its favour that it does not promise (no
learning, a perfect classifier). What is drawn are the counts of the events, from their exact
probabilities, in 50 runs.

H. H. Arcolezi and S. Gambs (2024), Revealing the True Cost of Locally Differentially Private
Protocols: An Auditing Perspective. B. Bichsel, S. Steffen, I. Bogunovic and M. Vechev (2021),
DP-Sniper: Black-Box Discovery of Differential Privacy Violations using Classifiers. T. Steinke,
M. Nasr and M. Jagielski (2023), Privacy Auditing with One (1) Training Run. W. Kong, A. Munoz
Medina, M. Ribero and U. Syed (2024), DP-Auditorium: A Large-Scale Library for Auditing Differential
Privacy. O. Askin, H. Dette, M. Dunsche, T. Kutta, Y. Lu, Y. Wei and V. Zikas (2025),
General-Purpose f-DP Estimation and Auditing in a Black-Box Setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, exp
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.integrate import dblquad, quad
from scipy.optimize import minimize_scalar
from scipy.stats import beta, binom

from benchmarks import classifiers
from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, Tally, lower_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

K, EPSILON, LEVEL, SHARE, RUNS, SEED = 25, 1.0, 0.01, 0.9, 50, 20261125
GRID = tuple(round(1000 * 2 ** (i / 4)) for i in range(61))
"""Numbers of reports at which a run looks whether it is there, to 33 million."""

PAGE = Path(__file__).resolve().parent / "AUDITORS.md"
SNIPED = 0.01
"""The probability of DP-Sniper's event under the other input."""


@dataclass(frozen=True)
class Protocol:
    """Probabilities of what the auditors look at.

    Attributes:
        name: of the protocol.
        plus, minus: that a report speaks for its input and not for a random other one, and the
            other way; with one value spoken for, that it is the input, or any other.
        stake: how many other inputs are spoken for at once.
        own, other: that a guess of the input from one report is v, for the input v, and for
            another one.
        top: the mass under the other input of the outputs with the largest ratio, e^eps.
        sure: the chances under the input, and under one other, of the outputs whose ratio is above
            e^(0.9 eps): what a perfect classifier of the two takes.
    """

    name: str
    plus: float
    minus: float
    stake: float
    own: float
    other: float
    top: float
    sure: tuple[float, float]


def _share(chance: float, certain: int, several: int, maybe: float = 0.0) -> float:
    """E[1/(certain + Bernoulli(maybe) + Binomial(several, chance))]."""
    counts = np.arange(several + 1)
    mass = binom.pmf(counts, several, chance)
    plain = float(np.sum(mass / (certain + counts)))
    more = float(np.sum(mass / (certain + 1 + counts)))
    return (1 - maybe) * plain + maybe * more


def supporting(name: str, p: float, q: float, k: int = K) -> Protocol:
    """A protocol in which each value is supported on its own: p for the input's, q for others'.

    The guess is one of the values supported, or any where there is none.
    """
    own = p * _share(q, 1, k - 1) + (1 - p) * (1 - q) ** (k - 1) / k
    other = q * _share(q, 1, k - 2, p) + (1 - q) ** (k - 1) * (1 - p) / k
    plus, minus = p * (1 - q), q * (1 - p)
    return Protocol(name, plus, minus, 1.0, own, other, minus, (plus, minus))


def grr(k: int = K, eps: float = EPSILON) -> Protocol:
    """K-ary randomized response."""
    p = exp(eps) / (exp(eps) + k - 1)
    q = (1 - p) / (k - 1)
    return Protocol("GRR", p, (k - 1) * q, k - 1.0, p, q, q, (p, q))


def subsets(k: int = K, eps: float = EPSILON) -> Protocol:
    """Subset selection with the size that its authors recommend."""
    size = max(1, ceil(k / (exp(eps) + 1)))
    weight = size * exp(eps) + k - size
    p = size * exp(eps) / weight
    q = p * (size - 1) / (k - 1) + (1 - p) * size / (k - 1)
    plus = p * (k - size) / (k - 1)
    minus = (1 - p) * size / (k - 1)
    return Protocol("SS", plus, minus, 1.0, p / size, q / size, minus, (plus, minus))


def hashing(name: str, g: int, k: int = K, eps: float = EPSILON) -> Protocol:
    """Local hashing, with a hash function that is drawn anew for each report."""
    p = exp(eps) / (exp(eps) + g - 1)
    found = supporting(name, p, 1 / g, k)
    # Given the report's bucket, another value falls into it with 1/g, whatever the input did.
    plus, minus = p * (1 - 1 / g), (1 - p) / g
    return Protocol(name, plus, minus, 1.0, found.own, found.other, minus, (plus, minus))


def thresholds(k: int = K, eps: float = EPSILON) -> Protocol:
    """Thresholding of a histogram with Laplace noise of scale 2/eps, at its best threshold."""

    def pair(theta: float) -> tuple[float, float]:
        return 1 - exp(eps / 2 * (theta - 1)) / 2, exp(-eps / 2 * theta) / 2

    def variance(theta: float) -> float:
        p, q = pair(theta)
        return q * (1 - q) / (p - q) ** 2

    theta = float(minimize_scalar(variance, bounds=(0.5, 1.0), method="bounded").x)
    own, other = pair(theta)
    guess = supporting("THE", own, other, k)
    noisy = noise(k, eps)
    least = (noisy.plus, noisy.minus)
    return Protocol("THE", *least, 1.0, guess.own, guess.other, noisy.top, noisy.sure)


def noise(k: int = K, eps: float = EPSILON) -> Protocol:
    """Summation of the same: our event is item v >= 1 and item w <= 0, the guess the likeliest."""
    half = exp(-eps / 2) / 2
    plus, minus = 0.25, half * half

    def inside(y: float, mine: bool) -> float:
        """The density of one item between 0 and 1."""
        return eps / 4 * exp(-eps / 2 * (1 - y if mine else y))

    def below(y: float, mine: bool) -> float:
        return exp(-eps / 2 * (1 - y)) / 2 if mine else 1 - exp(-eps / 2 * y) / 2

    own = 0.5 * _share(half, 1, k - 1) + half * 0.5 ** (k - 1) / k
    own += quad(lambda y: inside(y, True) * below(y, False) ** (k - 1), 0, 1)[0]
    other = half * _share(half, 1, k - 2, 0.5) + 0.5 ** (k - 1) * half / k
    other += quad(lambda y: inside(y, False) * below(y, False) ** (k - 2) * below(y, True), 0, 1)[0]
    return Protocol("SHE", plus, minus, 1.0, own, other, minus, _above(eps))


@cache
def _above(eps: float) -> tuple[float, float]:
    """The chances, under v and under w, that items v and w speak for v by more than e^(0.9 eps).

    An item's part of the ln of the ratio is eps/2 (for v: from 1 on), or it is inside, t eps/2 with
    t from -1 to 1.
    """
    inside = 2 * SHARE - 1
    """What one item must speak by where the other one speaks as loudly as it can."""

    def chances(mine: bool) -> float:
        end = 0.5 if mine else exp(-eps / 2) / 2

        def density(t: float) -> float:
            return eps / 8 * exp(-eps / 4 * (1 - t if mine else 1 + t))

        one = quad(density, inside, 1)[0]
        both = dblquad(lambda t, s: density(t) * density(s), inside, 1, lambda s: 2 * SHARE - s, 1)
        return float(end * end + 2 * end * one + both[0])

    return chances(True), chances(False)


def protocols(k: int = K, eps: float = EPSILON) -> tuple[Protocol, ...]:
    """The eight protocols of the comparison."""
    half = exp(eps / 2)
    return (
        grr(k, eps),
        subsets(k, eps),
        supporting("SUE", half / (half + 1), 1 / (half + 1), k),
        supporting("OUE", 0.5, 1 / (exp(eps) + 1), k),
        hashing("BLH", 2, k, eps),
        hashing("OLH", round(exp(eps)) + 1, k, eps),
        noise(k, eps),
        thresholds(k, eps),
    )


def apart(hits: int, of: int, wrong: int, of_wrong: int, level: float = LEVEL) -> float:
    """ln of a lower limit of one probability by an upper limit of another, half the level each."""
    if not hits:
        return 0.0
    low = float(beta.ppf(level / 2, hits, of - hits + 1))
    high = 1.0 if wrong == of_wrong else float(beta.ppf(1 - level / 2, wrong + 1, of_wrong - wrong))
    return float(np.log(low / high))


def needed(auditor: str, protocol: Protocol, rng: np.random.Generator) -> int | None:
    """The number of reports of `GRID` from which on one run certifies `SHARE` of eps.

    Nothing is gained by looking often: a run that certifies it once and loses it goes on.

    Args:
        auditor: one of `AUDITORS`.
        protocol: what is audited.
        rng: of the counts.

    Returns:
        None where the last look does not certify it.
    """
    before, counts, since = 0, np.zeros(2, dtype=np.int64), None
    for n in GRID:
        counts += _drawn(auditor, protocol, n - before, rng)
        before = n
        first, second = counts.tolist()
        since = since or n if _certified(auditor, protocol, (first, second), n) else None
    return since


def _drawn(
    auditor: str, protocol: Protocol, more: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """What an auditor counts in so many more reports."""
    if auditor in CLASSIFIERS:
        return CLASSIFIERS[auditor][0](protocol.sure, more, SHARE * EPSILON, rng)
    chances, stake = _looked_at(auditor, protocol)
    if stake is None:
        return np.asarray(rng.binomial(more // 2, chances))
    rest = max(1 - sum(chances), 0.0)
    return np.asarray(rng.multinomial(more, [*chances, rest])[:2])


def _certified(auditor: str, protocol: Protocol, counts: tuple[int, int], n: int) -> bool:
    """Return whether counts of n reports show `SHARE` of eps."""
    if auditor in CLASSIFIERS:
        return CLASSIFIERS[auditor][1](counts, n, SHARE * EPSILON, LEVEL)
    _, stake = _looked_at(auditor, protocol)
    plus, minus = counts
    if stake is None:
        return apart(plus, n // 2, minus, n // 2) >= SHARE * EPSILON
    return lower_bound(Tally(plus, minus, n), stake, LEVEL, 0.0, METHODS[0]) >= SHARE * EPSILON


def _looked_at(auditor: str, protocol: Protocol) -> tuple[tuple[float, float], Stake | None]:
    """The two chances that are compared, and the stake of one binomial; None for two."""
    if auditor == "ours":
        return (protocol.plus, protocol.minus), Stake(protocol.stake)
    if auditor == "pair":
        # Of two inputs, a report that names one value names the other one only now and then.
        return (protocol.plus, protocol.minus / protocol.stake), Stake()
    if auditor == "every":
        (right, wrong), stake = _looked_at("pair", protocol)
        coin = (1 - right - wrong) / 2
        return (right + coin, wrong + coin), stake
    if auditor == "attack":
        return (protocol.own, protocol.other), None
    base = min(SNIPED, protocol.top)
    return (base * exp(EPSILON), base), None


AUDITORS = {
    "ours": "ours, named",
    "pair": "one-run, two inputs",
    "attack": "LDP-Audit",
    "sniper": "DP-Sniper, perfect",
    "auditorium": "DP-Auditorium, perfect",
    "curve": "f-DP, perfect",
    "every": "one-run, every report guessed",
}

CLASSIFIERS = {
    "auditorium": (classifiers.hockey_stick, classifiers.hockey_stick_refutes),
    "curve": (classifiers.rates, classifiers.curve_refutes),
}
"""Auditors that refute one claim: what they count, and whether it refutes."""


def measured(protocol: Protocol, auditor: str, runs: int = RUNS) -> tuple[str, str]:
    """The median over runs, and an interval of level 0.95 for it from order statistics."""
    places = [each.name for each in protocols()].index(protocol.name), [*AUDITORS].index(auditor)
    found = []
    for run in range(runs):
        rng = np.random.default_rng([SEED, *places, run])
        n = needed(auditor, protocol, rng)
        found.append(np.inf if n is None else n)
    found.sort()
    low = int(binom.ppf(0.025, runs, 0.5)) - 1
    shown = [_shown(found[i]) for i in (runs // 2, max(low, 0), min(runs - 1 - low, runs - 1))]
    return shown[0], f"{shown[1]} to {shown[2]}"


def _shown(n: float) -> str:
    return f"{int(n):,}" if np.isfinite(n) else "never"


INTRODUCTION = f"""# Reports until 0.9 eps is certified

Written by `python -m benchmarks.auditors`: eps = {EPSILON:g}, k = {K}, level {LEVEL:g},
{RUNS} runs.

The first line of a cell is the median over runs. Below it is an interval for the median, from
order statistics, at least 95 %. Numbers of reports grow by 19 % from look to look. A run is there
from the look on after which all later ones certify it too. "never": not with {GRID[-1]:,} reports.

"""

MARGIN = classifiers.LEARNT
"""How much wider a published margin is."""

MEANING = f"""
## What stands for what

- **ours, named**: the pooled event of `--as`, and its binomial bound. Nothing is learnt. A blind
  search spends half of the reports on learning, and a part of the level on other events.
- **one-run, two inputs**: each report is guessed to be of the likelier of two inputs, or not at
  all. The bound is the binomial one of one-run auditing, where each report counts as a run. Ours
  rests on the same bound. It counts all inputs at once, which helps where a report names one value
  (GRR); elsewhere the two columns differ by chance.
- **LDP-Audit**: its attack guesses the input from one report. Two Clopper-Pearson limits at half
  the level each are compared (its code takes a quarter), with half of the reports for each of two
  inputs. Where the guess among several supported values is a coin, the two probabilities never come
  e^eps apart.
- **DP-Sniper, perfect**: the event of probability 0.01 under the other input that a perfect
  classifier would find without learning, and the same limits. The real one learns from others.
- **DP-Auditorium, perfect**: its hockey-stick tester of the claim 0.9 eps, with a perfect
  classifier in place of the learnt one, and with all reports in its test (its code trains on half
  of them and leaves out a part of the rest).
- **f-DP, perfect**: the auditor of trade-off curves, with the curve of 0.9 eps, the same
  classifier, half of the reports for each input, and Hoeffding's inequality for its two rates of
  error. The published code allows for a classifier that was learnt: for as many reports its margin
  is {MARGIN:.0f} times as wide, so that it needs {MARGIN * MARGIN:,.0f} times as many.
- **one-run, every report guessed**: as opake-auditing 0.16.1 counts (PyPI; for delta = 0 a
  one-sided binomial test of the wrong guesses among all, read in its code). A report that speaks
  for neither input, or for both, is a coin then, so that right and wrong guesses never come
  e^(0.9 eps) apart. It is made for the scores of training runs and needs torch, so that it was not
  run.

## What was not compared

- LDP-Audit, DP-Sniper, DP-Auditorium and the auditor of f-DP are in no registry of packages that
  was looked at (PyPI: ldp-audit, dp-sniper, dpsniper and dp-auditorium do not exist). None of them
  was run: this page is about their methods, not their code. The bounds
  of the last two, and of LDP-Audit, were read in their code.
- Other testers of DP-Auditorium (histograms, Renyi, MMD) are left out. So are estimates without a
  level.
- Time was not compared.
"""


def main() -> None:
    """Write the page."""
    rows = ["| protocol | " + " | ".join(AUDITORS.values()) + " |"]
    rows.append("| --- |" + " ---: |" * len(AUDITORS))
    for protocol in protocols():
        cells = [measured(protocol, auditor) for auditor in AUDITORS]
        rows.append(f"| {protocol.name} | " + " | ".join(f"{m}<br>{i}" for m, i in cells) + " |")
    PAGE.write_text(INTRODUCTION + "\n".join(rows) + "\n" + MEANING, encoding="utf-8")


if __name__ == "__main__":
    main()
