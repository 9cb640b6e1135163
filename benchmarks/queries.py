"""Learn a linear classifier from locally private queries: `python -m benchmarks.queries`.

A user holds one row of a data set that scikit-learn ships (load_breast_cancer: 30 numbers of a
tumour, and whether it is benign). Logistic regression by gradient descent asks for means of
gradients and for nothing else, so it runs on statistical queries: each step goes to users of its
own. The same algorithm runs on exact means, which is what private answers are compared with.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified.analysis.interaction import LocalQueries, exact_queries, local_queries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Learner = Callable[[], Generator[Callable[[Any], Any], Any, Floats]]

SIZES = (10_000, 100_000, 1_000_000)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
RUNS = 5
STEPS, RATE = 10, 8.0
PUBLIC, TESTED = 100, 200
"""Rows that belong to no user: for the scales of the numbers, and for the accuracy."""

VECTORS, NUMBERS = "vectors", "numbers"
WAYS = {
    VECTORS: "one query for each step, whose answer is the whole gradient (Duchi's for vectors)",
    NUMBERS: "one query for each step and coordinate (Duchi's for one number)",
}
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Rows:
    """The rows of users, or those that are tested.

    Attributes:
        features: within -1..1, the last one is 1; float64 (n, d). labels: -1 or 1, float64 (n,).
    """

    features: Floats
    labels: Floats

    @property
    def records(self) -> Floats:
        """Features and label in one row each, float64 (n, d + 1)."""
        return np.column_stack([self.features, self.labels])

    def some(self, n: int, seed: int) -> Rows:
        """Draw n rows with replacement."""
        chosen = np.random.default_rng(seed).integers(len(self.labels), size=n)
        return Rows(self.features[chosen], self.labels[chosen])

    def accuracy(self, weights: Floats) -> float:
        """The share of rows on whose side of the plane their label is."""
        return float(np.mean((self.features @ weights > 0) == (self.labels > 0)))


def tumours(seed: int = 0) -> tuple[Rows, Rows]:
    """The rows that users are drawn from, and those for the test.

    A hundred further rows are public: numbers are scaled by their means and deviations, three
    deviations to 1, and cut to -1..1.

    Raises:
        ImportError: scikit-learn is not installed.
    """
    from sklearn.datasets import (  # type: ignore[import-untyped]  # it has no types
        load_breast_cancer,
    )

    data: Any = load_breast_cancer()
    order = np.random.default_rng(seed).permutation(len(data.target))
    features = np.asarray(data.data, dtype=np.float64)[order]
    labels = np.where(np.asarray(data.target)[order] == 1, 1.0, -1.0)
    public = features[:PUBLIC]
    scaled = np.clip((features - public.mean(axis=0)) / (3 * public.std(axis=0)), -1, 1)
    full = np.column_stack([scaled, np.ones(len(labels))])
    ends = PUBLIC, PUBLIC + TESTED
    return Rows(full[ends[1] :], labels[ends[1] :]), Rows(
        full[ends[0] : ends[1]], labels[ends[0] : ends[1]]
    )


def gradients(weights: Floats) -> Callable[[Floats], Floats]:
    """Each record's gradient of the logistic loss at these weights; within -1..1."""

    def of(records: Floats) -> Floats:
        features, labels = records[..., :-1], records[..., -1:]
        margins = labels * (features @ weights)[..., np.newaxis]
        return np.asarray(-labels * features / (1 + np.exp(margins)))

    return of


def one_coordinate(weights: Floats, j: int) -> Callable[[Floats], Floats]:
    """The same in one coordinate, so that no vector has to be computed."""

    def of(records: Floats) -> Floats:
        features, labels = records[..., :-1], records[..., -1]
        pushes = -labels / (1 + np.exp(labels * (features @ weights)))
        return np.asarray(pushes * features[..., j])

    return of


def learner(d: int, way: str) -> Learner:
    """Gradient descent; steps get smaller, and the mean of the later weights is returned."""

    def asks() -> Generator[Callable[[Any], Any], Any, Floats]:
        weights, later = np.zeros(d), []
        for step in range(STEPS):
            if way == VECTORS:
                slope = yield gradients(weights)
            else:
                slope = np.empty(d)
                for j in range(d):
                    slope[j] = yield one_coordinate(weights, j)
            weights = weights - RATE / math.sqrt(step + 1) * slope
            later.append(weights)
        return np.asarray(np.mean(later[STEPS // 2 :], axis=0))

    return asks


@dataclass(frozen=True)
class Row:
    """One number of users, epsilon and way to ask.

    Attributes:
        n, epsilon, way: see there. tolerance: that the plan proves for all answers.
        error: root mean squared standard error of an answer's coordinate.
        accuracies: on the tested rows, one for each run. seconds: of the slowest run.
        spent: the largest epsilon of any user.
    """

    n: int
    epsilon: float
    way: str
    tolerance: float
    error: float
    accuracies: tuple[float, ...]
    seconds: float
    spent: float


def measure(users: Rows, tested: Rows, n: int, epsilon: float, way: str, runs: int) -> Row:
    """Learn from n users; run r has the seed r, for users and for reports."""
    d = users.features.shape[1]
    if way == VECTORS:
        plan = LocalQueries.of_users(n, epsilon, STEPS, d=d)
    else:
        plan = LocalQueries.of_users(n, epsilon, STEPS * d)
    found, errors, slowest, spent = [], [], 0.0, 0.0
    for seed in range(runs):
        records = users.some(n, seed).records
        start = time.perf_counter()
        told = local_queries(learner(d, way), records, plan, many_at_once=True, rng=seed)
        slowest = max(slowest, time.perf_counter() - start)
        spent = max(spent, told.ledger.most)
        found.append(tested.accuracy(told.result))
        errors += [float(np.mean(np.square(each.std_error))) for each in told.answers]
    error = math.sqrt(float(np.mean(errors)))
    row = Row(n, epsilon, way, plan.tolerance, error, tuple(found), slowest, spent)
    print(row, file=sys.stderr, flush=True)
    return row


def without_privacy(users: Rows, tested: Rows) -> tuple[float, float]:
    """Accuracy of the same algorithm on exact means, and of scikit-learn's."""
    from sklearn.linear_model import (  # type: ignore[import-untyped]  # it has no types
        LogisticRegression,
    )

    d = users.features.shape[1]
    weights = exact_queries(
        learner(d, VECTORS), users.records, queries=STEPS, d=d, many_at_once=True
    )
    best = LogisticRegression(fit_intercept=False, max_iter=10_000)
    best.fit(users.features, users.labels)
    return tested.accuracy(weights), float(best.score(tested.features, tested.labels))


def page(rows: Sequence[Row], exact: tuple[float, float], users: Rows, tested: Rows) -> str:
    """The results as Markdown."""
    head = ["users", "epsilon", "asked for", "accuracy", "least and most", "lost"]
    head += ["error of a coordinate", "proven tolerance", "seconds"]
    body = [
        [
            f"{row.n:,}",
            f"{row.epsilon:g}",
            row.way,
            f"{np.mean(row.accuracies):.3f}",
            f"{min(row.accuracies):.3f}..{max(row.accuracies):.3f}",
            f"{exact[0] - np.mean(row.accuracies):.3f}",
            f"{row.error:.3g}",
            f"{row.tolerance:.3g}",
            f"{row.seconds:.1f}",
        ]
        for row in rows
    ]
    ways = "; ".join(f"{name}: {text}" for name, text in WAYS.items())
    most = float(np.mean(tested.labels > 0))
    return f"""\
# A linear classifier from locally private queries

Made by `python -m benchmarks.queries`. Users are drawn with replacement from {len(users.labels)} \
rows of scikit-learn's breast cancer data; {len(tested.labels)} other rows are tested, and \
{PUBLIC} more are public and give the scales of the {users.features.shape[1] - 1} numbers. \
Logistic regression takes {STEPS} steps of gradient descent, each of which asks a tenth of the \
users; every user sends one report, and the ledger shows one epsilon for each. Ways to ask: \
{ways}. Accuracies are means over the seeds 0 to {len(rows[0].accuracies) - 1}.

The same algorithm on exact means has the accuracy {exact[0]:.3f}, scikit-learn's logistic \
regression on the same rows {exact[1]:.3f}, and to say \"benign\" always {max(most, 1 - most):.3f}.

{table(head, body)}
\"lost\" is against exact means. \"error of a coordinate\" is the standard error of the answers; \
the tolerance is what Hoeffding's inequality proves for all of them together, with probability \
0.95. \"seconds\" is the slowest run, after the users were drawn.

What the tolerance proves is worst case: where it exceeds the gradients themselves (they are \
within -1..1), nothing is proven of the classifier, which may still be good. Users who \
were drawn from one row are alike, so more users than rows teach nothing new of tumours; they only \
make up for the noise.

![Accuracy against users and epsilon](queries.svg)
"""


def draw(rows: Sequence[Row], exact: float, path: Path) -> None:
    """Accuracy against the number of users, a line for each epsilon."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    panels: Any = figure.subplots(1, 2, sharey=True)
    for panel, way in zip(panels, WAYS, strict=True):
        for epsilon in sorted({row.epsilon for row in rows}):
            some = [row for row in rows if row.way == way and row.epsilon == epsilon]
            means = [np.mean(row.accuracies) for row in some]
            panel.plot([row.n for row in some], means, "o-", label=f"epsilon = {epsilon:g}")
        panel.axhline(exact, color="black", linestyle=":", label="exact means")
        panel.set(title=f"asked for {way}", xlabel="users", xscale="log")
        panel.grid(alpha=0.3)
    panels[0].set(ylabel="accuracy")
    panels[0].legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write QUERIES.md."""
    users, tested = tumours()
    exact = without_privacy(users, tested)
    rows = [
        measure(users, tested, n, epsilon, way, RUNS)
        for way in WAYS
        for epsilon in EPSILONS
        for n in SIZES
    ]
    draw(rows, exact[0], HERE / "queries.svg")
    (HERE / "QUERIES.md").write_text(page(rows, exact, users, tested), encoding="utf-8")


if __name__ == "__main__":
    main()
