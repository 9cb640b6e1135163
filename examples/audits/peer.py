"""A client of pure-ldp or multi-freq-ldpy behind the line protocol of `ldp-verified audit`.

Run by `peers.py` with the interpreter of that package's own environment. A report is written as
JSON; one of another type than the first report's is written with its type, which JSON would hide.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def client(package: str, name: str, epsilon: float, k: int) -> Any:
    """A function from a value to a report."""
    if package == "pure_ldp":
        lib = import_module("pure_ldp.frequency_oracles")
        made = {
            "DE": lambda: lib.DEClient(epsilon, k, int),
            "SUE": lambda: lib.UEClient(epsilon, k, False, int),
            "OUE": lambda: lib.UEClient(epsilon, k, True, int),
            "BLH": lambda: lib.LHClient(epsilon, k, 2, False, int),
            "OLH": lambda: lib.LHClient(epsilon, k, 2, True, int),
            "HE": lambda: lib.HEClient(epsilon, k, int),
            "HR": lambda: lib.HadamardResponseClient(epsilon, k, None, int),
        }[name]()
        return made.privatise
    if name in ("SUE", "OUE"):
        unary = import_module("multi_freq_ldpy.pure_frequency_oracles.UE").UE_Client
        return lambda value: unary(value, k, epsilon, name == "OUE")
    if name in ("BLH", "OLH"):
        hashing = import_module("multi_freq_ldpy.pure_frequency_oracles.LH").LH_Client
        return lambda value: hashing(value, k, epsilon, name == "OLH")
    folder = f"multi_freq_ldpy.pure_frequency_oracles.{name}"
    plain = getattr(import_module(folder), f"{name}_Client")
    return lambda value: plain(value, k, epsilon)


def written(report: Any) -> Any:
    """A report as JSON knows it."""
    if hasattr(report, "tolist"):
        return written(report.tolist())
    return [written(part) for part in report] if isinstance(report, tuple | list) else report


def main() -> None:
    """Answer lines until there are no more."""
    package, name, epsilon, k = sys.argv[1:5]
    report = client(package, name, float(epsilon), int(k))
    first = None
    for line in sys.stdin:
        try:
            found = report(json.loads(line))
            kind = type(found).__name__
            first = first or kind
            shown = written(found)
            answer = shown if kind == first else {"type": kind, "value": shown}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
