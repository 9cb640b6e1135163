"""Audits of public packages and of two small programs, written down in RESULTS.md.

    python -m examples.audits.audits [NAME ...] [--n N] [--kept FILE]

Packages are installed at pinned versions in environments of their own below build/peers, on first
use. `--kept` names a file of rows: those that are there are not made again. What is found is what
one run of this program finds: RESULTS.md says how it is to be read.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.environments import OPENDP, ROOT
from examples.audits.cases import DIFFPRIVLIB, HERE, MULTI, NPM, OLD, PURE, PYDP, Case, cases
from ldp_verified.app.report.audit import headline
from ldp_verified.check.audit.run import Claim
from ldp_verified.check.audit.targets.targets import Target
from ldp_verified.check.audit.whole_audit import audit_target

if TYPE_CHECKING:
    from ldp_verified.check.audit.results.results import AuditResult

LEVEL, N = 1e-6, 24_000
PACKAGES = (OLD, PURE, MULTI, DIFFPRIVLIB, OPENDP, PYDP)


def audited(case: Case, n: int) -> AuditResult:
    """Draw, learn, test.

    Args:
        case: with a command that can be run.
        n: samples.
    """
    target = Target("program", case.command, case.inputs, timeout=60, decimals=case.decimals)
    claim = Claim(case.epsilon, case.delta, level=LEVEL, n=n)
    return audit_target(
        target,
        claim,
        mechanism=case.mechanism,
        parameters=case.parameters,
        reading=case.reading,
        checks=True,
    )


def made(case: Case) -> Case:
    """With the interpreter, the packages of npm, or a compiled program in their places."""
    command = case.command
    for package in PACKAGES:
        if f"{{{package.name}}}" in command:
            command = command.replace(f"{{{package.name}}}", str(package.python()))
    if "{npm}" in command:
        command = command.replace("{npm}", str(_npm()))
    for leak in ("leaky", "mended"):
        if command == f"{{{leak}}}":
            command = str(_compiled(leak))
    return replace(case, command=command)


def _npm() -> Path:
    """The folder of the packages from npm."""
    folder = ROOT / "build" / "peers" / "npm"
    ready, wanted = folder / "ready", "\n".join(NPM)
    if not ready.is_file() or ready.read_text() != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}\n")
        words = ["npm", "install", "--no-audit", "--no-fund", "--silent", *NPM]
        subprocess.run(words, check=True, cwd=folder)
        ready.write_text(wanted)
    return folder


def _compiled(leak: str) -> Path:
    built = ROOT / "build" / f"client-{leak}"
    built.parent.mkdir(exist_ok=True)
    flags = ["-DLEAKY"] if leak == "leaky" else []
    words = ["cc", "-O2", *flags, "-o", str(built), str(HERE / "client.c"), "-lm"]
    subprocess.run(words, check=True)
    return built


def row(case: Case, result: AuditResult) -> str:
    """A line of the table in RESULTS.md."""
    best = result.tested[0].words.replace("|", "/") if result.tested else ""
    rules = ", ".join(dict.fromkeys(f.rule for f in result.findings)) or "none"
    claim = f"{case.epsilon:g}" + (f", {case.delta:g}" if case.delta else "")
    if result.low_order:
        best = f"low-order bits of the number: {best}"
    cells = (case.name, claim, result.verdict, f"{result.bound:.3f}", best[:110], rules)
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Run the audits that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; all without")
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--kept", type=Path, default=None)
    given = parser.parse_args()
    os.environ["PYTHONWARNINGS"] = "ignore"  # of the packages, on stderr
    kept = given.kept.read_text().splitlines() if given.kept and given.kept.is_file() else []
    known = {line.split("|")[1].strip() for line in kept if line.startswith("| ")}
    for case in cases():
        if given.names and not any(part in case.name for part in given.names):
            continue
        if case.name in known:
            continue
        result = audited(made(case), given.n)
        line = row(case, result)
        if given.kept:
            with given.kept.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        sys.stdout.write(line + "\n")
        sys.stderr.write(f"{case.name}: {headline(result)} {result.seconds}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
