"""A client of a public package behind the line protocol of `ldp-verified audit`.

Run by `examples.audits.audits` with the interpreter of that package's own environment. A report is
written as JSON; one of another type than the first report's is written with its type, which JSON
would hide. Floats are written with all their digits.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def written(report: Any) -> Any:
    """A report as JSON knows it."""
    if hasattr(report, "tolist"):
        return written(report.tolist())
    if hasattr(report, "__next__"):
        return written(list(report))
    if isinstance(report, bytes):
        return list(report)
    return [written(part) for part in report] if isinstance(report, tuple | list) else report


def main() -> None:
    """Answer lines until there are no more."""
    package, name, epsilon, k = sys.argv[1:5]
    made = import_module(f"clients.of_{package}").CLIENTS[name]
    report = made(float(epsilon), int(k))
    first = None
    for line in sys.stdin:
        try:
            found = report(json.loads(line))
            kind = type(found).__name__
            first = first or kind
            shown = written(found)
            answer = shown if kind == first else {"type": kind, "value": shown}
        except (MemoryError, OSError):  # of this machine, not of the package: no answer
            raise
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
