"""Time and memory of a million users in each system of numbers, keys, ranges, tables and strings.

`python -m benchmarks.scale`. Each system is one process of its own on two cores at most: it makes a
million users, draws a report of each, counts them and estimates. Seconds are processor time after
the imports, of one thread but for what NumPy does, so that they do not hang on what else the
machine does; memory is the largest resident size of the whole process, with the interpreter,
imports and the users' values.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from benchmarks.environments import ROOT
from benchmarks.markdown import table
from ldp_verified import CMS, Hybrid, SquareWave
from ldp_verified.protocols import (
    BoxWavelet,
    ClippedMean,
    ItemSets,
    JointTables,
    KeyValueBits,
    KeyValueResponse,
    KeyValueSymbols,
    PairSets,
    ParityTables,
    RangeGrid,
    RangeHierarchy,
    RangeTree,
    RangeWavelet,
    SphereVector,
    TextSketch,
)

N, EPSILON, MOST_SECONDS, MOST_MIB = 1_000_000, 1.0, 30.0, 1024.0
HERE = Path(__file__).resolve().parent


def shapes(n: int) -> None:
    """A square wave, and the distribution in 64 bins."""
    made = SquareWave(EPSILON)
    held = np.random.default_rng(1).beta(2, 5, n)
    made.distribution(made.counted(True).update(made.privatize(held, 1)))


def means(n: int) -> None:
    """A mean of numbers within bounds."""
    made = Hybrid(EPSILON)
    held = np.random.default_rng(1).random(n)
    made.mean_estimate(made.privatize(held, 1), simulated=True)


def clipped(n: int) -> None:
    """A mean without known bounds."""
    ClippedMean(EPSILON, 1e6).simulate(np.random.default_rng(1).lognormal(3, 1, n), 1)


def tree(n: int) -> None:
    """Ranges of 1,024 values by a tree."""
    made = RangeTree(EPSILON, 1024)
    held = np.random.default_rng(1).integers(0, 1024, n)
    made.estimate(made.empty(True).update(made.privatize(held, 1))).quantile(0.5)


def levels(n: int) -> None:
    """Ranges of 1,024 values by the mechanisms of least variance."""
    made = RangeHierarchy(EPSILON, 1024)
    held = np.random.default_rng(1).integers(0, 1024, n)
    made.estimate(made.empty(True).update(made.privatize(held, 1))).quantile(0.5)


def wavelet(n: int) -> None:
    """Ranges of 1,024 values by Haar wavelets."""
    made = RangeWavelet(EPSILON, 1024)
    held = np.random.default_rng(1).integers(0, 1024, n)
    made.estimate(made.empty(True).update(made.privatize(held, 1))).quantile(0.5)


def grid(n: int) -> None:
    """Boxes of 64 x 64 values."""
    made = RangeGrid(EPSILON, {"a": 64, "b": 64})
    held = np.random.default_rng(1).integers(0, 64, (2, n))
    state = made.empty(True).update(made.privatize({"a": held[0], "b": held[1]}, 1))
    made.estimate(state).count({"a": (3, 40), "b": (10, 50)})


def boxes(n: int) -> None:
    """Boxes of 64 x 64 values by Haar wavelets."""
    made = BoxWavelet(EPSILON, (64, 64))
    held = np.random.default_rng(1).integers(0, 64, (n, 2))
    made.estimate(made.empty(True).update(made.privatize(held, 1))).count((3, 40), (10, 50))


def keys(kind: type[KeyValueResponse | KeyValueBits | KeyValueSymbols], n: int) -> None:
    """A number at one of 16 keys."""
    rng = np.random.default_rng(1)
    made = kind(EPSILON, 16, 1)
    one = np.ones(n, dtype=np.int64)
    pairs = PairSets(ItemSets(rng.integers(0, 16, n), one), rng.uniform(-1, 1, n))
    made.estimate(made.empty(True).update(made.privatize(pairs, 1))).means.columns()


def joint(n: int) -> None:
    """All pairs of four attributes of 12 values, and the network."""
    rng = np.random.default_rng(1)
    made = JointTables(EPSILON, dict.fromkeys("abcd", 12))
    held = {name: rng.integers(0, 12, n) for name in "abcd"}
    made.estimate(made.empty(True).update(made.privatize(held, 1))).network()


def parities(n: int) -> None:
    """All pairs of ten yes/no questions."""
    rng = np.random.default_rng(1)
    made = ParityTables(EPSILON, tuple("abcdefghij"))
    held = {name: rng.integers(0, 2, n) for name in made.attributes}
    made.estimate(made.empty(True).update(made.privatize(held, 1))).table("a", "b")


def vectors(d: int, n: int) -> None:
    """Unit vectors of d numbers, in batches of 2,000 users."""
    rng = np.random.default_rng(1)
    made = SphereVector(EPSILON, d)
    state = made.empty(True)
    held = np.empty((2_000, d), dtype=np.float32)
    for _ in range(0, n, len(held)):
        rng.standard_normal(dtype=np.float32, out=held)
        held /= np.linalg.norm(held, axis=1, keepdims=True) * (1 + 1e-9)
        state = state.update(made.privatize(held, rng))
    state.estimate()


def texts(n: int) -> None:
    """Strings of any length, of which 1,000 are different, by a count mean sketch."""
    made = TextSketch(CMS(EPSILON, 1 << 31, 256, 1024, seed=7))
    chosen = np.random.default_rng(1).integers(0, 1000, n)
    words = [f"word {i}" for i in chosen.tolist()]
    state = made.empty(True).update(made.privatize(words, 1))
    made.estimate(state, [f"word {i}" for i in range(1000)])


SYSTEMS: Mapping[str, Callable[[int], None]] = {
    "SquareWave, distribution": shapes,
    "Hybrid, mean": means,
    "ClippedMean": clipped,
    "RangeHierarchy, 1,024 values": levels,
    "RangeTree, 1,024 values": tree,
    "RangeWavelet, 1,024 values": wavelet,
    "RangeGrid, 64 x 64": grid,
    "BoxWavelet, 64 x 64": boxes,
    "KeyValueResponse, 16 keys": lambda n: keys(KeyValueResponse, n),
    "KeyValueBits, 16 keys": lambda n: keys(KeyValueBits, n),
    "KeyValueSymbols, 16 keys": lambda n: keys(KeyValueSymbols, n),
    "JointTables, 4 of 12 values": joint,
    "ParityTables, 10 questions": parities,
    "SphereVector, d = 10": lambda n: vectors(10, n),
    "SphereVector, d = 100": lambda n: vectors(100, n),
    "SphereVector, d = 1,000": lambda n: vectors(1000, n),
    "TextSketch, count mean sketch": texts,
}


def one(name: str, n: int) -> dict[str, float]:
    """Seconds and MiB of this process."""
    begun = time.process_time()
    SYSTEMS[name](n)
    seconds = time.process_time() - begun
    return {"seconds": seconds, "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measured(name: str, n: int) -> dict[str, float]:
    """The same of a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--one", name, "--users", str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def page(found: Mapping[str, Mapping[str, float]], n: int) -> str:
    """SCALE.md."""
    lines = [
        [
            name,
            f"{each['seconds']:.1f}",
            f"{each['mib']:,.0f}",
            "yes" if each["seconds"] <= MOST_SECONDS and each["mib"] <= MOST_MIB else "no",
        ]
        for name, each in found.items()
    ]
    head = ["system", "seconds", "peak MiB", f"within {MOST_SECONDS:g} s and 1 GiB"]
    return f"""# A million users

Written by `python -m benchmarks.scale`. n = {n:,} users at epsilon = {EPSILON:g}: their values \
are made, a report of each is drawn, and all are counted and estimated, in one process. Seconds \
are processor time without imports, hardly any of it of a second core; memory is the largest of \
the whole process.

{table(head, lines)}
Vectors come in batches of 2,000 users, in single precision: a million vectors of 1,000 numbers \
would take 3.7 GiB themselves, and making them is part of the seconds.
"""


def main() -> None:
    """Run all of it and write SCALE.md, or one system alone."""
    reader = argparse.ArgumentParser(description="time and memory of a million users")
    reader.add_argument("--users", type=int, default=N, help="how many")
    reader.add_argument("--one", choices=[*SYSTEMS], help="one system, here; writes nothing")
    reader.add_argument("--out", type=Path, default=HERE, help="the folder of the page")
    given = reader.parse_args()
    if given.one is not None:
        print(json.dumps(one(given.one, given.users)))
        return
    given.out.mkdir(parents=True, exist_ok=True)
    found = {name: measured(name, given.users) for name in SYSTEMS}
    (given.out / "SCALE.md").write_text(page(found, given.users), encoding="utf-8")


if __name__ == "__main__":
    main()
