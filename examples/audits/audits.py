"""Audits of public packages and of two small programs, written down in RESULTS.md.

    python -m examples.audits.audits [NAME ...] [--n N]

Packages are installed at pinned versions in environments of their own below build/peers. What is
found is what one run of this program finds: see RESULTS.md for how it is to be read.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.environments import PEERS, Package
from ldp_verified.audit.results import AuditResult
from ldp_verified.audit.run import Claim
from ldp_verified.audit.targets import Target
from ldp_verified.audit.whole import audit_target
from ldp_verified.report.audit import headline

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EPSILON, K, LEVEL, N = 1.0, 8, 1e-6, 60_000

OLD = Package("pure-ldp-1.1.2", "", ("pure-ldp==1.1.2", "xxhash<4", "scikit-learn", "statsmodels"))
PURE = PEERS[0]
# Its histogram encoding imports scipy, which the package does not declare.
MULTI = Package("multi-freq-ldpy-audit", "", ("multi-freq-ldpy==0.2.5", "xxhash<4", "scipy"))
HASHES = "says:examples.audits.hashes:supports_"
NAMED = {
    "DE": ("grr", "same"),
    "GRR": ("grr", "same"),
    "SUE": ("sue", "bits"),
    "OUE": ("oue", "bits"),
    "BLH": ("olh", f"{HASHES}2"),
    "OLH": ("olh", f"{HASHES}4"),
    "HR": ("hadamard_response", "column"),
    "SS": ("subset_selection", "set"),
}


@dataclass(frozen=True)
class Case:
    """One audit.

    Attributes:
        name: package, version and mechanism.
        command: the program.
        mechanism, reading: what it is said to be; None for a blind search.
        inputs: how many values.
    """

    name: str
    command: str
    mechanism: str | None = None
    reading: str | None = None
    inputs: int = K

    def run(self, n: int) -> AuditResult:
        """Draw, learn, test."""
        target = Target("program", self.command, tuple(range(self.inputs)), timeout=60)
        claim = Claim(EPSILON, level=LEVEL, n=n)
        buckets = {"BLH": "2", "OLH": "4"}.get(self.name.split()[-1])
        parameters = {"g": buckets} if self.mechanism == "olh" else {}
        return audit_target(
            target,
            claim,
            mechanism=self.mechanism,
            parameters=parameters,
            reading=self.reading,
            checks=True,
        )


def cases() -> Iterator[Case]:
    """All of them; those that are named are also searched blindly."""
    for package, module, names in (
        (OLD, "pure_ldp", ("DE", "SUE", "OUE", "BLH", "OLH", "HE", "HR")),
        (PURE, "pure_ldp", ("DE", "SUE", "OUE", "BLH", "OLH", "HE", "HR")),
        (MULTI, "multi_freq_ldpy", ("GRR", "SUE", "OUE", "BLH", "OLH", "SS", "HE")),
    ):
        version = package.requirements[0].replace("==", " ")
        for name in names:
            command = f"{{{package.name}}} {HERE / 'peer.py'} {module} {name} {EPSILON} {K}"
            mechanism, reading = NAMED.get(name, (None, None))
            if mechanism is not None:
                yield Case(f"{version} as {name}", command, mechanism, reading)
            yield Case(f"{version} {name}", command)
    for leak in ("leaky", "mended"):
        yield Case(f"client.js {leak}", f"node {HERE / 'client.js'} {leak}", inputs=5)
        yield Case(f"client.c {leak}", f"{{{leak}}}")


def _command(case: Case) -> Case:
    """With the interpreter or compiled program in its place."""
    from dataclasses import replace

    command = case.command
    for package in (OLD, PURE, MULTI):
        if f"{{{package.name}}}" in command:
            command = command.replace(f"{{{package.name}}}", str(package.python()))
    for leak in ("leaky", "mended"):
        if command == f"{{{leak}}}":
            built = ROOT / "build" / f"client-{leak}"
            built.parent.mkdir(exist_ok=True)
            flags = ["-DLEAKY"] if leak == "leaky" else []
            words = ["cc", "-O2", *flags, "-o", str(built), str(HERE / "client.c"), "-lm"]
            subprocess.run(words, check=True)
            command = str(built)
    return replace(case, command=command)


def row(case: Case, result: AuditResult) -> str:
    """A line of the table in RESULTS.md."""
    best = result.tested[0].words.replace("|", "/") if result.tested else ""
    rules = ", ".join(f.rule for f in result.findings) or "none"
    return f"| {case.name} | {result.verdict} | {result.bound:.3f} | {best[:110]} | {rules} |"


def main() -> None:
    """Run the audits that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of names; all without")
    parser.add_argument("--n", type=int, default=N)
    given = parser.parse_args()
    for case in cases():
        if given.names and not any(part in case.name for part in given.names):
            continue
        result = _command(case).run(given.n)
        sys.stdout.write(row(case, result) + "\n")
        sys.stderr.write(f"{case.name}: {headline(result)} {result.seconds}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
