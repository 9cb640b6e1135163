"""Speed and memory beside pure-ldp's heavy hitters: `python -m benchmarks.heavy_peers`.

Every row is one process of its own on the same values. pure-ldp has an environment in build/peers.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.environments import PEERS, ROOT
from benchmarks.markdown import table

HERE = Path(__file__).resolve().parent
ROWS = ((8, 1000), (12, 1000), (48, 1000))
"""(bits of a value, users)."""

OURS = ("PEM", "TreeHist", "SFP", "PrefixRounds")
THEIRS = ("PEM", "TreeHist", "SFP")
SECONDS = 30
"""Processor time after which a row is given up."""

GIB = 8
"""Memory that a row may ask for."""

WAIT = 900
"""Wall time after which a row is given up."""

HELD = 8
EXPONENT = 1.5


def population(bits: int, users: int) -> tuple[list[str], list[str]]:
    """(values of all users, the most frequent ones), as bit strings; by a Zipf-like law."""
    rng = np.random.default_rng(bits)
    ranks = 1.0 / np.arange(1, 65) ** EXPONENT
    names = rng.choice(1 << min(bits, 40), size=64, replace=False) << max(0, bits - 40)
    drawn = rng.choice(64, size=users, p=ranks / ranks.sum())
    texts = [format(int(name), f"0{bits}b") for name in names]
    return [texts[i] for i in drawn], texts[:HELD]


def row(python: Path, worker: str, protocol: str, bits: int, users: int) -> dict[str, Any]:
    """Run one process, and say what it found and took."""
    values, top = population(bits, users)
    command = [str(python), "-m", f"benchmarks.workers.{worker}", protocol, str(bits)]
    try:
        done = subprocess.run(
            command,
            input="\n".join(values),
            capture_output=True,
            text=True,
            timeout=WAIT,
            check=False,
            cwd=ROOT,
            preexec_fn=_limits,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"given up after {WAIT} s"}
    if done.returncode == -signal.SIGXCPU:
        return {"error": f"given up after {SECONDS} s of processor time"}
    if done.returncode or not done.stdout.strip():
        return {"error": (done.stderr.strip().splitlines() or ["no output"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    if "found" in found:
        found["right"] = len(set(found["found"]) & set(top))
    return found


def _limits() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (GIB << 30, GIB << 30))


def measured() -> list[list[str]]:
    """The lines of the table."""
    peer = next(package for package in PEERS if package.name == "pure-ldp").python()
    lines = []
    for bits, users in ROWS:
        both = [("pure-ldp", peer, "pure_ldp_heavy", name) for name in THEIRS]
        both += [("ours", Path(sys.executable), "ours_heavy", name) for name in OURS]
        for who, python, worker, name in both:
            found = row(python, worker, name, bits, users)
            shown = [who, name, str(bits), f"{users:,}"]
            shown += (
                [f"{found['seconds']:.1f}", f"{found['mib']:,.0f}"]
                if "mib" in found
                else [
                    "-",
                    "-",
                ]
            )
            shown.append(str(found["right"]) if "right" in found else _short(found["error"]))
            lines.append(shown)
            print(*shown, flush=True)
    return lines


def _short(error: str) -> str:
    """The error without what would break the table."""
    return error.replace("|", "/").replace("\n", " ")[:110]


def page(lines: list[list[str]]) -> str:
    """The whole page."""
    head = ["package", "protocol", "bits", "users", "processor s", "peak MiB", "of the top 8 found"]
    return f"""# Heavy hitters beside pure-ldp

Made by `python -m benchmarks.heavy_peers`. pure-ldp is 1.2.0. Each row is one run of one process,
at epsilon = 4, on the same {HELD} frequent and 56 rarer values (Zipf-like, exponent {EXPONENT}).
Seconds are processor time of the whole process with its imports and one report of every user.
A row may take {GIB} GiB and {SECONDS} seconds; what ends it is in the last column.

{table(head, lines)}
- pure-ldp's local hashing goes through the whole domain for each report, and holds a number for
  each value of it: so its PEM asks for more memory than there is at 48 bits. Pieces are of 12 bits
  here; with pieces of 16 bits it asks for 32 GiB.
- The protocols of one name are not the same. Its TreeHist is local hashing of prefixes and words,
  ours has one bit of a count sketch. Its SFP has pieces of a quarter of the bits, ours of 4 bits.
- One run says little of how much is found; `HEAVY_HITTERS.md` compares that.
- `PrefixRounds` asks in rounds, the others once.
"""


def main() -> None:
    """Measure, and write the page."""
    (HERE / "HEAVY_PEERS.md").write_text(page(measured()), encoding="utf-8")


if __name__ == "__main__":
    main()
