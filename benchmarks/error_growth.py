"""How the error of heavy hitters grows: `python -m benchmarks.error_growth`.

The error of a protocol is the least share of users at which a value is found. It is sought up and
down: the share falls by a step after a find and rises after a miss, so that misses settle at beta.
Names of protocols after it measure these again and leave the other rows of the page as they are.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table
from ldp_verified import protocols as p
from ldp_verified.errors import ReportError

HERE = Path(__file__).resolve().parent
USERS, EPSILON, BITS = 1 << 17, 1.0, 16
"""Where one thing is changed at a time."""
AXES: dict[str, tuple[float, ...]] = {
    "n": tuple(float(1 << power) for power in (15, 16, 17, 18)),
    "eps": (0.5, 0.7, 1.0),
    "ln |X|": tuple(bits * math.log(2) for bits in (8, 16, 32)),
    "ln(1/beta)": tuple(math.log(times) for times in (2, 4, 8, 16)),
}
OTHERS = 200
"""Values that share the other users evenly."""
REPLICAS, TRIALS, LEFT_OUT = 2, 20, 6
"""Searches at each point, trials of each, and first ones that are left out of its mean."""
STEP = 0.08
"""Of the logarithm of the share, after a miss where as many are found as missed."""

PRINTED = {
    "n": "-1/2",
    "eps": "-1",
    "ln |X|": "1/2 or more; at most 1/2 for the last two",
    "ln(1/beta)": "1/2 or more; at most 1/2 for the last two",
}
"""Exponents of upper bounds of the error, as a share of the users, up to further logarithms."""


@dataclass(frozen=True)
class Point:
    """Where an error is measured.

    Attributes:
        n, eps, bits: of the population and the protocol.
        beta: the chance of a miss, and of publishing anything that nobody holds.
    """

    n: int = USERS
    eps: float = EPSILON
    bits: int = BITS
    beta: float = 0.5

    @staticmethod
    def on(axis: str, value: float) -> Point:
        """The point where one thing is changed."""
        if axis == "n":
            return Point(n=int(value))
        if axis == "eps":
            return Point(eps=value)
        if axis == "ln |X|":
            return Point(bits=round(value / math.log(2)))
        return Point(beta=math.exp(-value))


Protocols = dict[str, tuple[Callable[[Point], Any], Any]]
PROTOCOLS: Protocols = {
    "succinct histogram": (lambda at: p.SuccinctHistogram(at.eps, at.bits), p.CodedState),
    "TreeHist": (lambda at: p.TreeHist(at.eps, at.bits), p.TreeHistState),
    "Bitstogram": (lambda at: p.Bitstogram(at.eps, at.bits), p.BitstogramState),
    "PrivateExpanderSketch": (
        lambda at: p.PrivateExpanderSketch(at.eps, at.bits, parts=4, cells=8),
        p.PrivateExpanderSketchState,
    ),
}


def is_found(name: str, at: Point, share: float, rng: np.random.Generator) -> bool:
    """Return whether a value that a share of the users hold is found, in one run."""
    make, state = PROTOCOLS[name]
    protocol = make(at)
    holders = round(at.n * share)
    drawn = rng.choice(min(1 << at.bits, 1 << 30) - 1, min(OTHERS, (1 << at.bits) - 2), False) + 1
    value = int(drawn[0])
    counts = np.full(len(drawn) - 1, (at.n - holders) // (len(drawn) - 1))
    counts[: at.n - holders - int(counts.sum())] += 1
    values = [value, *drawn[1:].tolist()]
    # `simulate` refuses so few users that none is promised to be found; here that is measured.
    held = np.repeat(np.array(values, dtype=np.uint64), [holders, *counts.tolist()])
    seen = state(protocol, simulated=True).update(protocol.privatize(held, rng))
    try:
        found = seen.heavy_hitters(8, false_alarm=min(at.beta, 0.5))
    except ReportError:  # nothing stands out
        return False
    return value in {each for each, *_ in found}


def settled(found: Callable[[float], bool], start: float, beta: float, trials: int) -> float:
    """The share at which a value is missed with a chance of beta, by going up and down.

    Args:
        found: of one run at a share. start: the first share. beta: at most 1/2. trials: runs.
    """
    log_share, seen = math.log(start), []
    down, up = 2 * STEP * beta, 2 * STEP * (1 - beta)
    for _ in range(trials):
        log_share = min(log_share, math.log(0.95))
        seen.append(log_share)
        log_share += -down if found(math.exp(log_share)) else up
    return math.exp(float(np.mean(seen[LEFT_OUT:])))


def candidates_of(at: Point) -> int:
    """Values that Hashtogram is asked for: the root of the domain, and 2^12 at most."""
    return 1 << min(at.bits // 2, 12)


def hashtogram(at: Point, rng: np.random.Generator) -> float:
    """The quantile 1 - beta of the largest error over all values, as a share of the users."""
    protocol = p.Hashtogram(at.eps, 16)
    candidates = candidates_of(at)
    errors = []
    for _ in range(12 if at.beta == 0.5 else 80):
        held = rng.choice(np.arange(candidates, 1 << 16), OTHERS, replace=False)
        counts = np.full(OTHERS, at.n // OTHERS)
        reports = protocol.simulate(held.tolist(), counts.tolist(), rng=rng)
        state = p.HashtogramState(protocol, simulated=True).update(reports)
        errors.append(float(np.abs(state.estimate(range(candidates)).counts).max()) / at.n)
    return float(np.quantile(errors, 1 - at.beta))


def slope(sizes: Sequence[float], errors: Sequence[float]) -> tuple[float, float]:
    """The exponent of growth and half of its 95 % interval, by least squares on logarithms."""
    from scipy.stats import t

    xs, ys = np.log(np.asarray(sizes)), np.log(np.asarray(errors))
    centred = xs - xs.mean()
    own = float(centred @ ys / (centred @ centred))
    left = ys - ys.mean() - own * centred
    free = len(xs) - 2
    error = math.sqrt(float(left @ left) / free / float(centred @ centred))
    return own, float(t.ppf(0.975, free)) * error


def measured(name: str, axis: str, rng: np.random.Generator) -> list[tuple[float, float]]:
    """(size, error) of each search on an axis."""
    rows = []
    for size in AXES[axis]:
        at = Point.on(axis, size)
        for _ in range(REPLICAS):
            if name == "Hashtogram":
                own = math.log(candidates_of(at)) if axis == "ln |X|" else size
                rows.append((own, hashtogram(at, rng)))
                continue
            start = PROTOCOLS[name][0](at).predicted_share(at.n)
            trials = TRIALS if at.beta == 0.5 else 2 * TRIALS
            error = settled(
                lambda share, at=at: is_found(name, at, share, rng),  # type: ignore[misc]  # a default
                min(start, 0.9),
                at.beta,
                trials,
            )
            rows.append((size, error))
        print(name, axis, rows[-REPLICAS:], file=sys.stderr, flush=True)
    return rows


def kept_rows(text: str, again: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The rows of a page's two tables that are not of protocols which are measured again."""
    cells = [line[2:-2].split(" | ") for line in text.splitlines() if line.startswith("| ")]
    kept = [row for row in cells if row[0] in {*PROTOCOLS, "Hashtogram"} - {*again}]
    return [row for row in kept if len(row) == 5], [row for row in kept if len(row) == 4]


def page(
    rows: Sequence[tuple[str, str, Sequence[tuple[float, float]]]],
    seconds: float,
    before: str = "",
) -> str:
    """The results as Markdown.

    Args:
        rows: (protocol, axis, (size, error) of each search). seconds: that they took.
        before: the page whose other rows stay; the empty text for none.
    """
    body, errors = [], []
    for name, axis, found in rows:
        own, half = slope(*zip(*found, strict=True))
        body.append(
            [name, axis, PRINTED[axis], f"{own:+.2f}", f"{own - half:+.2f} to {own + half:+.2f}"]
        )
        places = list(dict.fromkeys(size for size, _ in found))
        means = [
            f"{math.exp(float(np.mean([math.log(e) for s, e in found if s == size]))):.4f}"
            for size in places
        ]
        shown = (f"{size:,.0f}" if size > 100 else f"{size:.3g}" for size in places)
        errors.append([name, axis, "; ".join(shown), "; ".join(means)])
    body, errors = (
        [[part.replace("|", "\\|") for part in row] for row in t] for t in (body, errors)
    )
    again = list(dict.fromkeys(name for name, *_ in rows))
    alone = ""
    if before:
        order = [*PROTOCOLS, "Hashtogram"]
        body, errors = (
            sorted([*old, *new], key=lambda row: order.index(row[0]))
            for old, new in zip(kept_rows(before, again), (body, errors), strict=True)
        )
        alone = f", {' and '.join(again)} alone; the other rows are those of a run before it"
    head = ["protocol", "grows with", "exponent of the upper bound", "measured", "95 % interval"]
    return f"""\
# How the error of heavy hitters grows

Made by `python -m benchmarks.error_growth` in {seconds:.0f} s of processor time{alone}.
The error is the share of users at which a value is missed with the chance beta, where `false_alarm`
is beta too. The other users hold {OTHERS} values evenly.
One thing is changed at a time, from n = {USERS:,}, eps = {EPSILON:g}, |X| = 2^{BITS} and \
beta = 1/2, at the protocols' defaults; PrivateExpanderSketch with 4 parts of 8 cells.
The error of Hashtogram, which finds nothing itself, is the quantile 1 - beta of the largest error
over 2^(bits/2) values that nobody holds, at most 2^12, with its default sketch; their number stands
for |X|.

{table(head, body)}
Upper bounds are those of the papers (`assumed (paper)`), as shares: sqrt(ln |X| ln(1/beta)/n)/eps
or more for the first three, (sqrt(ln |X|) + sqrt(ln(1/beta)))/(eps sqrt(n)) for
PrivateExpanderSketch and, with the number of candidates for |X|, Hashtogram. Measured exponents are
`sampled`: each point was sought {REPLICAS} times. They say how errors grow at these sizes, not
beyond, and nothing of lower bounds. An interval holds what chance adds to a straight line, not a
bend; epsilons up to 1 are looked at, since above, the error falls faster than 1/eps.

## The errors

{table(["protocol", "grows with", "sizes", "errors"], errors)}"""


def main() -> None:
    """Measure all of it, or the protocols that are named, and write ERROR_GROWTH.md."""
    names, target = sys.argv[1:], HERE / "ERROR_GROWTH.md"
    if not {*names} <= {*PROTOCOLS, "Hashtogram"}:
        raise SystemExit(f"names: must be of {[*PROTOCOLS, 'Hashtogram']}, got {names}")
    rng, begin = np.random.default_rng(), time.process_time()
    rows = [
        (name, axis, measured(name, axis, rng))
        for name in names or [*PROTOCOLS, "Hashtogram"]
        for axis in AXES
    ]
    spent = time.process_time() - begin
    before = target.read_text(encoding="utf-8") if names else ""
    target.write_text(page(rows, spent, before), encoding="utf-8")


if __name__ == "__main__":
    main()
