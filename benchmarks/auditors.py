"""Reports that auditors need until they certify 0.9 eps, written down in AUDITORS.md.

    python -m benchmarks.auditors

Eight protocols, eps = 1, k = 25 values, level 0.01. What a package registry has of other auditors
is run by `benchmarks.auditors_run`. Here each is stood for by its event and its bound, as its paper
or its code has them, with everything in its favour that it does not promise (no
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

from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta, binom

from benchmarks import classifiers
from benchmarks.audited_protocols import EPSILON, SHARE, K, Protocol, protocols
from ldp_verified.check.audit.bounds.bounds import METHODS, Stake, Tally, lower_bound
from ldp_verified.check.audit.bounds.strata import Strata, p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LEVEL, RUNS, SEED = 0.01, 100, 20261125
GRID = tuple(round(1000 * 2 ** (i / 4)) for i in range(61))
"""Numbers of reports at which a run looks whether it is there, to 33 million."""

PAGE = Path(__file__).resolve().parent / "AUDITORS.md"
SNIPED = 0.01
"""The probability of DP-Sniper's event under the other input."""


def apart(hits: int, of: int, wrong: int, of_wrong: int, level: float = LEVEL) -> float:
    """ln of a lower limit of one probability by an upper limit of another, half the level each."""
    if not hits:
        return 0.0
    low = float(beta.ppf(level / 2, hits, of - hits + 1))
    high = 1.0 if wrong == of_wrong else float(beta.ppf(1 - level / 2, wrong + 1, of_wrong - wrong))
    return float(np.log(low / high))


def needed(
    auditor: str, protocol: Protocol, rng: np.random.Generator, looks: Sequence[int] = GRID
) -> int | None:
    """The number of reports of `looks` from which on one run certifies `SHARE` of eps.

    Nothing is gained by looking often: a run that certifies it once and loses it goes on.

    Args:
        auditor: one of `AUDITORS`.
        protocol: what is audited.
        rng: of the counts.
        looks: numbers of reports, growing.

    Returns:
        None where the last look does not certify it.
    """
    size = 2 * len(protocol.strata) if auditor == "ours" else 2
    before, counts, since = 0, np.zeros(size, dtype=np.int64), None
    for n in looks:
        counts += _drawn(auditor, protocol, n - before, rng)
        before = n
        since = since or n if _certified(auditor, protocol, counts.tolist(), n) else None
    return since


def _drawn(
    auditor: str, protocol: Protocol, more: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """What an auditor counts in so many more reports."""
    if auditor in CLASSIFIERS:
        return CLASSIFIERS[auditor][0](protocol.sure, more, SHARE * EPSILON, rng)
    if auditor == "ours":
        each = [chance for row in protocol.strata for chance in row[2:]]
        return np.asarray(rng.multinomial(more, [*each, max(1 - sum(each), 0.0)])[:-1])
    chances, stake = _looked_at(auditor, protocol)
    if stake is None:
        return np.asarray(rng.binomial(more // 2, chances))
    rest = max(1 - sum(chances), 0.0)
    return np.asarray(rng.multinomial(more, [*chances, rest])[:2])


def _certified(auditor: str, protocol: Protocol, counts: list[int], n: int) -> bool:
    """Return whether counts of n reports show `SHARE` of eps."""
    if auditor == "ours":
        pairs = zip(protocol.strata, counts[::2], counts[1::2], strict=True)
        strata = Strata.of((s, a, plus, minus) for (s, a, _, _), plus, minus in pairs)
        return p_value(strata, SHARE * EPSILON) <= LEVEL
    plus, minus = counts
    if auditor in CLASSIFIERS:
        return CLASSIFIERS[auditor][1]((plus, minus), n, SHARE * EPSILON, LEVEL)
    _, stake = _looked_at(auditor, protocol)
    if stake is None:
        return apart(plus, n // 2, minus, n // 2) >= SHARE * EPSILON
    return lower_bound(Tally(plus, minus, n), stake, LEVEL, 0.0, METHODS[0]) >= SHARE * EPSILON


def _looked_at(auditor: str, protocol: Protocol) -> tuple[tuple[float, float], Stake | None]:
    """The two chances that are compared, and the stake of one binomial; None for two."""
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

- **ours, named**: the event of `--as`, and its bound by strata. A report that speaks for s inputs
  and against a others limits the odds that its input is among the s, to (s/a) e^eps. Given the
  reports, their sum has an exact law, and each report counts. Nothing is learnt. A blind search
  spends half of the reports on learning, and a part of the level on other events.
- **one-run, two inputs**: each report is guessed to be of the likelier of two inputs, or not at
  all, and the guesses are counted by the binomial bound of one-run auditing, where each report
  counts as a run. A report that speaks for both, or for neither, is not counted: with SUE, OUE and
  local hashing these are about half. Ours is the same bound for more than two inputs. With two
  inputs both would need as many.
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
  e^(0.9 eps) apart. It is made for the scores of training runs; `AUDITORS_RUN.md` has its own
  numbers.

## What was not compared

- LDP-Audit, DP-Sniper, DP-Auditorium and the auditor of f-DP are in no registry of packages that
  was looked at (PyPI: ldp-audit, dp-sniper, dpsniper and dp-auditorium do not exist): this page is
  about their methods, not their code. The bounds of the last two, and of LDP-Audit, were read in
  their code. What PyPI has is run in `AUDITORS_RUN.md`.
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
