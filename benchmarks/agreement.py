"""Agreement in law with OpenDP: `python -m benchmarks.agreement`.

The same noise from two implementations that share no code: draws of both are compared by a
chi-square test of two samples, and ours with its own exact probabilities. What must be told apart
is in the list as well: another scale, and another mechanism. OpenDP runs in an environment of its
own (`benchmarks.environments`).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import chi2_contingency

from benchmarks.environments import OPENDP, ROOT, Package
from benchmarks.markdown import table
from ldp_verified.analysis.central import ExponentialMechanism, Sensitivity
from ldp_verified.analysis.central.laws import GaussianLaw, GeometricLaw
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.real_numbers.discrete_gaussian import UNITS

DRAWS, CHOICES = 100_000, 20_000
LEVEL = 1e-6
"""Of each test: two laws that are the same are told apart with this probability."""

LEAST = 20
"""Draws of both samples together that a class has at least."""

SCORES = [0, -1, -2, -2, -5, -9]
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    """One law of ours and what it is compared with.

    Attributes:
        name: of the law. ours: draws, as integers. kind, scale: what OpenDP is asked for, in its
            words. same: whether the two laws are to agree. scores: of a choice; empty for noise.
    """

    name: str
    ours: Sequence[int]
    kind: str
    scale: float
    same: bool = True
    scores: Sequence[int] = ()

    def asked(self) -> dict[str, Any]:
        """The request that its worker reads."""
        count = CHOICES if self.scores else DRAWS
        wanted = {"name": self.name, "kind": self.kind, "scale": self.scale, "count": count}
        return wanted | ({"scores": list(self.scores)} if self.scores else {})


def cases(seed: int) -> list[Case]:
    """Ours, drawn from a seed."""
    found = []
    for epsilon, total in ((1.0, 1), (0.1, 1), (0.5, 3)):
        name = f"geometric, epsilon = {epsilon:g}, sensitivity {total}"
        drawn = GeometricLaw(epsilon, total).draw(DRAWS, word_source(seed, "agreement", name))
        found.append(Case(name, drawn.tolist(), "geometric", total / epsilon))
    wrong = found[0]
    found.append(Case(f"{wrong.name}, scale off by 5 %", wrong.ours, "geometric", 1.05, same=False))
    for epsilon, delta in ((1.0, 1e-6), (0.2, 1e-9)):
        law = GaussianLaw(epsilon, delta, Sensitivity.of_number(1))
        name = f"Gaussian, epsilon = {epsilon:g}, delta = {delta:g}"
        drawn = law.draw(DRAWS, word_source(seed, "agreement", name))
        found.append(Case(name, drawn.tolist(), "gaussian", law.table.share / UNITS))
    scores = np.array(SCORES)
    for epsilon in (0.5, 2.0):
        by, name = ExponentialMechanism(epsilon), f"exponential mechanism, epsilon = {epsilon:g}"
        source = word_source(seed, "agreement", name)
        chosen = [by.draw(scores, 1, source) for _ in range(CHOICES)]
        found.append(Case(name, chosen, "gumbel", 2 / epsilon, scores=SCORES))
    last = found[-1]
    name = f"{last.name}, against permute-and-flip"
    found.append(Case(name, last.ours, "permute and flip", last.scale, False, SCORES))
    return found


def compared(ours: Sequence[int], theirs: Sequence[int]) -> tuple[float, int]:
    """The p-value of "one law" from two samples, and the number of classes.

    Classes are single values; rare ones are put together with their neighbours.
    """
    values = np.arange(min(*ours, *theirs), max(*ours, *theirs) + 1)
    counts = np.array(
        [np.bincount(np.array(each) - values[0], minlength=len(values)) for each in (ours, theirs)]
    )
    classes, gathered = [], np.zeros(2)
    for column in counts.T:
        gathered = gathered + column
        if gathered.sum() >= LEAST:
            classes.append(gathered)
            gathered = np.zeros(2)
    classes[-1] = classes[-1] + gathered
    if len(classes) < 2:
        return math.nan, len(classes)
    return float(chi2_contingency(np.array(classes).T).pvalue), len(classes)


def drawn_by(package: Package, asked: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draws of a peer, from its own environment.

    Raises:
        subprocess.CalledProcessError: it cannot be installed, or fails.
    """
    done = subprocess.run(
        [str(package.python()), "-m", package.worker],
        input=json.dumps(list(asked)),
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def page(made: Sequence[Case], theirs: dict[str, Any], seed: int) -> str:
    """The comparison as Markdown."""
    body = []
    for case in made:
        p, classes = compared(case.ours, theirs["drawn"][case.name])
        said = "told apart" if p < LEVEL else "not told apart"
        wanted = "not told apart" if case.same else "told apart"
        right = "as it should be" if said == wanted else "WRONG"
        body.append([case.name, f"{len(case.ours):,}", str(classes), f"{p:.3g}", said, right])
    head = ["law", "draws of each", "classes", "p", "at this level", ""]
    return f"""\
# Agreement in law with OpenDP

Made by `python -m benchmarks.agreement`: draws of the noise of `ldp_verified.analysis.central` \
(seed {seed}) and of OpenDP {theirs["version"]}, whose generator takes no seed. The test is \
chi-square for two samples, at the level {LEVEL:g} for each row. Two laws that agree are told \
apart with that probability; rows that must be told apart show what the test sees.

{table(head, body)}
Geometric noise is OpenDP's discrete Laplace noise of scale sensitivity/epsilon. Gaussian noise is \
compared at the scale that this package finds; its table ends where less than 2^-100 is left, \
which no sample of this size shows. The exponential mechanism is OpenDP's maximum with Gumbel \
noise of scale 2/epsilon. Agreement of samples is no proof: it is `sampled` evidence at that \
level. Staircase noise is not in OpenDP.
"""


def main() -> None:
    """Run all of it and write AGREEMENT.md."""
    seed = 0
    made = cases(seed)
    theirs = drawn_by(OPENDP, [case.asked() for case in made])
    written = page(made, theirs, seed)
    (HERE / "AGREEMENT.md").write_text(written, encoding="utf-8")
    print(written)


if __name__ == "__main__":
    main()
