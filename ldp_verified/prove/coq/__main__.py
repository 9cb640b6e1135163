"""`python -m ldp_verified.prove.coq`: compile the proofs, show what is proved, fail loudly."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ldp_verified.errors import LdpError
from ldp_verified.language import catalogue_folder, load_catalogue
from ldp_verified.prove.coq.compile import KernelReport, kernel_check
from ldp_verified.prove.coq.coqc import coqc_available
from ldp_verified.prove.coq.drift import write_coq


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check. 0: everything is proved; 1: something is not; 2: nothing could be checked."""
    root = catalogue_folder().parent
    parser = argparse.ArgumentParser(prog="python -m ldp_verified.prove.coq", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write proofs/generated/ and stop")
    parser.add_argument("--proofs", type=Path, default=root / "proofs", help="the proofs folder")
    parser.add_argument("--build", type=Path, default=root / "build" / "proofs", help="work folder")
    options = parser.parse_args(arguments)
    try:
        if options.write:
            for path in write_coq(load_catalogue(), options.proofs / "generated"):
                sys.stdout.write(f"wrote {path}\n")
            return 0
        if not coqc_available():
            sys.stderr.write("NOT CHECKED: coqc is not installed, no theorem was kernel-checked.\n")
            return 2
        start = time.perf_counter()
        report = kernel_check(options.proofs, options.build, load_catalogue())
        sys.stdout.write(table(report, time.perf_counter() - start))
    except LdpError as error:
        sys.stderr.write(f"NOT CHECKED: {error}\n")
        return 2
    for failure in report.failures:
        sys.stderr.write(f"FAILED {failure}\n")
    if not report.holds:
        sys.stderr.write(f"{len(report.failures)} failures: the proofs are NOT accepted.\n")
    return 0 if report.holds else 1


def table(report: KernelReport, seconds: float) -> str:
    """The theorems by module, the axioms they rest on, and the time."""
    modules: dict[str, list[str]] = {}
    for proved in report.theorems:
        modules.setdefault(proved.module, []).append(proved.name)
    width = max((len(module) for module in modules), default=0)
    lines = [f"{module:{width}}  {', '.join(names)}" for module, names in modules.items()]
    axioms = sorted({axiom for proved in report.theorems for axiom in proved.axioms})
    lines.append(
        f"{len(report.theorems)} theorems accepted by the kernel of Coq {report.coq} "
        f"in {seconds:.0f} s; axioms: {', '.join(axioms) or 'none'}"
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
