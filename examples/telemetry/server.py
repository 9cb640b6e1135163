"""Counts lines of reports on top of what was counted before, and prints the estimates."""

import sys
from pathlib import Path

from ldp_verified.deploy import load_deployment
from ldp_verified.errors import ReportError

folder, counted, arrived = map(Path, sys.argv[1:])
counted.mkdir(exist_ok=True)
collectors = {}
for file in folder.glob("*.json"):
    deployment, kept = load_deployment(file), counted / file.stem
    before = deployment.load_collector(kept) if kept.exists() else deployment.collector()
    collectors[file.stem] = before
for line in arrived.read_text().splitlines():
    name, _, report = line.partition(" ")
    try:
        collectors[name].add(bytes.fromhex(report))
    except (KeyError, ValueError) as error:  # ReportError is a ValueError
        print("refused:", error if isinstance(error, ReportError) else "malformed")
for name, collector in sorted(collectors.items()):
    collector.save(counted / name)
    print(name, collector.n, collector.estimate())
