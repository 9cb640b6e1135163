"""Counts a day's lines of reports on top of what was counted before, and prints the estimates."""

import sys
from hashlib import sha256
from pathlib import Path
from sqlite3 import connect

from ldp_verified.deploy import Collector, load_deployment

folder, counted, arrived = map(Path, sys.argv[1:])
(lock := connect(f"{counted}.lock", timeout=3600)).execute("begin exclusive")  # one run at a time
day = sha256(bytes(Path(arrived.name))).digest()[:16]  # kept with the counts: none counts twice
before, states = dict[str, Collector](), dict[str, Collector]()
for file in folder.glob("*.json"):
    made, kept = load_deployment(file), counted / file.stem
    state = made.load_collector(kept, implausible=True) if kept.exists() else made.collector()
    (before if day in state.marks else states)[file.stem] = state  # implausible: no liar stops it
lines, refused = arrived.read_bytes().splitlines(), 0
for name, _, report in (line.decode(errors="replace").partition(" ") for line in lines):
    try:
        if name not in before:
            states[name].add_report(bytes.fromhex(report))
    except (KeyError, ValueError) as error:  # ReportError is one
        refused += 1
        print("refused:", error if name in states else f"no deployment named {name[:40]!a}")
if lines and refused == len(lines):
    sys.exit(f"nothing was counted and saved: no line is a report to a deployment of {folder}")
counted.mkdir(exist_ok=True)
for name, state in states.items():
    state.marked(day).save(counted / name)
for name, state in sorted((before | states).items()):
    print(name, state.n, estimate := state.estimate(), "counted before" if name in before else "")
    print(*(f"  doubted: {each.found}\n" for each in estimate.honesty.doubted()), sep="", end="")
