"""Counts a day's lines of reports on top of what was counted before, and prints the estimates."""

import sys
from hashlib import sha256
from os import fsencode
from pathlib import Path

from ldp_verified.deploy import Collector, load_deployment
from ldp_verified.errors import ReportError

folder, counted, arrived = map(Path, sys.argv[1:])
counted.mkdir(exist_ok=True)
day = sha256(fsencode(arrived.name)).digest()[:16]  # kept with the counts: no day counts twice
before, states = dict[str, Collector](), dict[str, Collector]()
for file in folder.glob("*.json"):
    made, kept = load_deployment(file), counted / file.stem  # implausible: no liar may stop it
    state = made.load_collector(kept, implausible=True) if kept.exists() else made.collector()
    (before if day in state.marks else states)[file.stem] = state
for kind, _, report in (line.partition(b" ") for line in arrived.read_bytes().splitlines()):
    try:
        if kind.decode() not in before:
            states[kind.decode()].add_report(bytes.fromhex(report.decode()))
    except (KeyError, ValueError) as error:  # ReportError is a ValueError
        print("refused:", error if isinstance(error, ReportError) else "malformed")
for name, state in states.items():
    state.marked(day).save(counted / name)
for name, state in sorted((before | states).items()):
    print(name, state.n, estimate := state.estimate(), "counted before" if name in before else "")
    print(*(f"  doubted: {each.found}\n" for each in estimate.honesty.doubted()), sep="", end="")
