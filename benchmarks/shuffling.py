"""What an identifying field costs a shuffled batch: `python -m benchmarks.shuffling`.

Somebody sees the shuffled messages, knows the bits of all users but one, and guesses that one. If
every message holds a field beside the report, such as the hour or a device's model, then only those
with the same field hide the user: their crowd. The best guess counts ones in the crowd. How often
it is right is computed exactly, and measured on the bytes that `MessageShuffler` gives out.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.markdown import table
from ldp_verified import BinaryRR
from ldp_verified.analysis.account import shuffled_epsilon
from ldp_verified.analysis.central import MessageShuffler
from ldp_verified.deploy import Deployment

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

USERS, EPSILON, DELTA = 1_000_000, 3.0, 1e-6
FIELDS = {
    "nothing": 1,
    "one of 2 groups": 2,
    "the hour": 24,
    "one of 1,000 device models": 1_000,
    "one of 10,000 postcodes": 10_000,
    "the second": 86_400,
    "two such fields": 400_000,
    "the sender's number": USERS,
}
"""What a message tells beside its report, and how many equally frequent values that has."""

REPORTS = 1_000_000
"""Reports that the guesses on one crowd take, at most; crowds above MOST are not simulated."""

MOST = 2_000
HERE = Path(__file__).resolve().parent


def ones(others: int, keep: float) -> Floats:
    """The law of the number of ones that the others report, half of whom hold 1, float64.

    Args:
        others: how many. keep: the probability that a report is true.
    """
    from scipy.stats import binom

    holders = others // 2
    true, false = (
        binom.pmf(np.arange(count + 1), count, share)
        for count, share in ((holders, keep), (others - holders, 1 - keep))
    )
    if others <= MOST:
        return np.convolve(true, false)
    from scipy.signal import fftconvolve

    return np.clip(fftconvolve(true, false), 0, None)


def best_guess(crowd: int, keep: float) -> float:
    """How often the best guess of one bit is right, from the number of ones in a crowd.

    The bit is 1 in half of all cases. The likelihood ratio grows with the number of ones, so the
    best guess compares it with a threshold; its success is (1 + total variation)/2.
    """
    law = ones(crowd - 1, keep)
    low, high = np.append(law, 0.0), np.insert(law, 0, 0.0)  # the user reports 0, or 1
    if_one = keep * high + (1 - keep) * low
    if_zero = (1 - keep) * high + keep * low
    return 0.5 + 0.25 * float(np.abs(if_one - if_zero).sum())


def allowed(epsilon: float, delta: float) -> float:
    """How often any guess of a fair bit can be right at (epsilon, delta)."""
    return (math.exp(epsilon) + delta) / (1 + math.exp(epsilon))


def guessed(crowd: int, trials: int, seed: int) -> float:
    """The share of right guesses from what a shuffler gives out.

    Args:
        crowd: users with the same field, the one that is guessed among them.
        trials: guesses. seed: of all of it.
    """
    made = BinaryRR(EPSILON)
    deployment, rng = Deployment(made), np.random.default_rng(seed)
    keep = float(made.p)
    others = (np.arange(crowd - 1) < (crowd - 1) // 2).astype(np.int64)
    secrets = rng.integers(0, 2, trials)
    everybody = np.column_stack([np.broadcast_to(others, (trials, crowd - 1)), secrets])
    rows = deployment.to_rows(made.privatize(everybody.ravel(), seed))
    rows = rows.reshape(trials, crowd, -1)
    if_zero = others.sum() * keep + (crowd - 1 - others.sum()) * (1 - keep) + 1 - keep
    threshold = if_zero + keep - 0.5  # midway between the two means
    right = 0
    for sent, secret in zip(rows, secrets, strict=True):
        count = int(deployment.from_bytes(shuffled(deployment, sent)).data.sum())
        right += (count > threshold) == secret
    return right / trials


def shuffled(deployment: Deployment, rows: NDArray[np.uint8]) -> bytes:
    """Send messages through a shuffler; a crowd of one has nobody to be shuffled with."""
    if len(rows) == 1:
        return bytes(rows[0])
    shuffler = MessageShuffler(deployment, len(rows), len(rows))
    shuffler.add_rows(rows)
    (batch,) = shuffler.release()
    return batch.data


@dataclass(frozen=True)
class Row:
    """One field.

    Attributes:
        field: in words. crowd: users who share a value of it.
        exact: right guesses, computed. measured: simulated; nan where the crowd is too large.
        trials: guesses behind that. epsilon: proven at delta = 1e-6. bound: right guesses at that.
    """

    field: str
    crowd: int
    exact: float
    measured: float
    trials: int
    epsilon: float
    bound: float


def measure(field: str, crowd: int, seed: int, reports: int = REPORTS) -> Row:
    """All numbers of one crowd."""
    made, start = BinaryRR(EPSILON), time.perf_counter()
    exact = best_guess(crowd, float(made.p))
    trials = min(10_000, reports // crowd) if crowd <= MOST else 0
    measured = guessed(crowd, trials, seed) if trials else math.nan
    epsilon = min(EPSILON, shuffled_epsilon(DELTA, math.exp(made.realized_epsilon), crowd))
    print(field, crowd, exact, measured, time.perf_counter() - start, file=sys.stderr, flush=True)
    return Row(field, crowd, exact, measured, trials, epsilon, allowed(epsilon, DELTA))


def page(rows: Sequence[Row]) -> str:
    """The results as Markdown."""
    head = ["a message tells", "crowd", "right guesses", "measured", "guesses", "epsilon", "bound"]
    body = [
        [
            row.field,
            f"{row.crowd:,}",
            f"{row.exact:.2%}",
            "-" if math.isnan(row.measured) else f"{row.measured:.2%}",
            f"{row.trials:,}" if row.trials else "-",
            f"{row.epsilon:.3g}",
            f"{row.bound:.2%}",
        ]
        for row in rows
    ]
    return f"""\
# What an identifying field costs

Made by `python -m benchmarks.shuffling`. {USERS:,} users send one bit each by randomized \
response at epsilon = {EPSILON:g}, through a shuffler. Somebody knows all bits but one, which is 1 \
in half of all cases, and guesses it. A field beside the report, with equally frequent values, \
leaves a crowd of users who share its value; nobody else hides the user.

{table(head, body)}
"Right guesses" is exact, for the best guess from the number of ones in the crowd; "measured" is \
of messages that went through `MessageShuffler`, with the guess that compares that number with the \
middle of its two means. "epsilon" is what is proven of the crowd at delta = {DELTA:g}, and \
"bound" how often any guess can be right at that. It is proven for every randomizer at this \
epsilon; this attack knows one and does worse.

With the sender's number in it a message is worth its own report: shuffling gives nothing. So \
`MessageShuffler` refuses deployments with such a field, and makes a batch of its own for each \
public group, whose promise is that of its size.

![Right guesses against the crowd](shuffling.svg)
"""


def draw(rows: Sequence[Row], path: Path) -> None:
    """Right guesses against the crowd: exact, measured and the bound."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    ordered = sorted(rows, key=lambda row: row.crowd)
    crowds = [row.crowd for row in ordered]
    axes.plot(crowds, [row.bound for row in ordered], "--", color="tab:red", label="bound")
    axes.plot(crowds, [row.exact for row in ordered], "o-", label="best guess, exact")
    seen = [row for row in ordered if row.trials]
    spread = [1.96 * math.sqrt(r.measured * (1 - r.measured) / r.trials) for r in seen]
    at, found = [row.crowd for row in seen], [row.measured for row in seen]
    axes.errorbar(at, found, spread, fmt="x", color="black", capsize=3, label="measured on bytes")
    axes.axhline(0.5, color="grey", linewidth=0.8)
    axes.set(xscale="log", xlabel="crowd: users whose messages look alike", ylabel="right guesses")
    axes.set_ylim(0.48, 1.0)
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    """Run all of it and write SHUFFLING.md."""
    rows = [
        measure(field, max(1, USERS // values), seed)
        for seed, (field, values) in enumerate(FIELDS.items())
    ]
    draw(rows, HERE / "shuffling.svg")
    (HERE / "SHUFFLING.md").write_text(page(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
