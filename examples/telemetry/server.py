"""Counts a day's lines of reports on top of what was counted before, and prints the estimates."""

import sys
from hashlib import sha256
from os import fsencode
from pathlib import Path

from ldp_verified.deploy import Collector, load_deployment

folder, counted, arrived = map(Path, sys.argv[1:])
published = {file.stem: load_deployment(file) for file in folder.glob("*.json")}
day = sha256(fsencode(arrived.name)).digest()[:16]  # kept with the counts: no day counts twice
before, states = dict[str, Collector](), dict[str, Collector]()
for name, made in published.items():
    kept = counted / name
    state = made.load_collector(kept, implausible=True) if kept.exists() else made.collector()
    (before if day in state.marks else states)[name] = state  # implausible: no liar may stop it
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
