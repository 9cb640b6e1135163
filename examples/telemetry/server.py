"""Counts a day's lines of reports on top of what was counted before, and prints the estimates."""

import sys
from hashlib import sha256
from os import fsencode
from pathlib import Path

from ldp_verified.deploy import Collector, load_deployment
from ldp_verified.errors import ReportError

folder, counted, arrived = map(Path, sys.argv[1:])
published = {file.stem: load_deployment(file) for file in folder.glob("*.json")}
if not published:
    print(f"there is no deployment, a file *.json, in {folder}", file=sys.stderr)
    sys.exit(2)
lines, refused = arrived.read_bytes().splitlines(), 0
counted.mkdir(exist_ok=True)
day = sha256(fsencode(arrived.name)).digest()[:16]  # kept with the counts: no day counts twice
before, states = dict[str, Collector](), dict[str, Collector]()
for name, made in published.items():
    kept = counted / name
    state = made.load_collector(kept, implausible=True) if kept.exists() else made.collector()
    (before if day in state.marks else states)[name] = state  # implausible: no liar may stop it
for line in lines:
    kind, _, report = line.partition(b" ")
    name, why = kind.decode(errors="replace"), None
    if name not in published:
        why = f"no deployment named {name[:40]!a} in {folder}"
    elif name in states:
        try:
            states[name].add_report(bytes.fromhex(report.decode()))
        except ValueError as error:  # ReportError is one
            why = error if isinstance(error, ReportError) else "malformed"
    if why is not None:
        refused += 1
        print("refused:", why)
if lines and refused == len(lines):
    print("all lines were refused, and nothing was saved", file=sys.stderr)
    sys.exit(2)
for name, state in states.items():
    state.marked(day).save(counted / name)
for name, state in sorted((before | states).items()):
    print(name, state.n, estimate := state.estimate(), "counted before" if name in before else "")
    print(*(f"  doubted: {each.found}\n" for each in estimate.honesty.doubted()), sep="", end="")
