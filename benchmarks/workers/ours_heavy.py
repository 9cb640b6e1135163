"""The same population and output as `pure_ldp_heavy`, with this package's protocols."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import numpy as np

from ldp_verified import protocols as p

EPSILON = 4.0
TOP = 8
"""As in `pure_ldp_heavy`."""


def found(protocol: str, bits: int, values: list[str], seed: int) -> list[str]:
    """The values that the protocol names, as bit strings."""
    numbers, counts = np.unique([int(value, 2) for value in values], return_counts=True)
    held = numbers.tolist()
    if protocol == "PrefixRounds":
        estimate = p.PrefixRounds(EPSILON, bits, top=TOP, first=min(bits // 2, 24)).mine(
            held, counts, seed
        )
    else:
        made: Any
        made, state = {
            "PEM": (p.PrefixExtending(EPSILON, bits, max(1, bits // 4)), p.PrefixState),
            "TreeHist": (p.TreeHist(EPSILON, bits), p.TreeHistState),
            "SFP": (p.SequenceFragments(EPSILON, bits, piece=4), p.FragmentState),
        }[protocol]
        reports = made.privatize(np.repeat(numbers, counts).tolist(), seed)
        more = {} if protocol == "SFP" else {"false_alarm": None}
        estimate = state(made, simulated=True).update(reports).heavy_hitters(TOP, **more)
    return [format(int(label), f"0{bits}b") for label, _, _ in estimate]


def main() -> None:
    """Print what was found and what it took, or the error that ended it."""
    protocol, bits = sys.argv[1], int(sys.argv[2])
    values = sys.stdin.read().split()
    result: dict[str, Any] = {}
    try:
        result["found"] = found(protocol, bits, values, 1)
    except Exception as error:
        result["error"] = f"{type(error).__name__}: {error}"
    result["seconds"] = time.process_time()
    result["mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


if __name__ == "__main__":
    main()
