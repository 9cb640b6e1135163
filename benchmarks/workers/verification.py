"""Verification of one spec in a fresh process: `python -m benchmarks.workers.verification NAME`.

Prints, in seconds, what reading the spec and deciding every obligation took, the imports left out;
or fails if something does not hold, since only a full verification is worth timing.
"""

from __future__ import annotations

import json
import sys
import time

from ldp_verified.language import load
from ldp_verified.prove import verify


def main(name: str) -> None:
    """Verify one spec and print one JSON object.

    Raises:
        RuntimeError: an obligation is not decided, or refuted.
    """
    begin = time.perf_counter()
    outcomes = [verify(mechanism, coq=False) for mechanism in load(name)]
    spent = time.perf_counter() - begin
    if not all(outcome.holds for outcome in outcomes):
        raise RuntimeError(f"{name}: not everything was shown to hold")
    print(json.dumps({"seconds": spent}))


if __name__ == "__main__":
    main(sys.argv[1])
