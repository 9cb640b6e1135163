"""Peak memory of one of our mechanisms: `python -m benchmarks.workers.memory NAME`.

Prints, in bytes: what the process had held, values included, before the reports were made; what the
reports take; and the peak. What is left over is temporary memory, which chunks should bound.
"""

from __future__ import annotations

import json
import resource
import sys

from benchmarks.workers.ours import mechanisms
from benchmarks.workload import values

USERS = 1_000_000


def peak() -> int:
    """The largest resident set of this process so far, in bytes."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else 1024 * size


def main(name: str) -> None:
    """Measure one mechanism and print one JSON object."""
    mechanism = mechanisms()[name]
    held = values(USERS, mechanism.k)
    mechanism.aggregate(mechanism.privatize(held[:10_000])).estimate()
    before = peak()
    reports = mechanism.privatize(held)
    mechanism.aggregate(reports).estimate()
    result = {"before": before, "reports": int(reports.data.nbytes), "peak": peak()}
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
