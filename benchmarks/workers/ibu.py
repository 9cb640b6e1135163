"""multi-freq-ldpy 0.2.5 (Arcolezi): its iterative Bayesian update on given supports.

`python -m benchmarks.workers.ibu IN OUT`, both numpy archives. IN has `seen_I`, int64 (runs, k),
and `chances_I`, (p*, q*), for I = 0, 1, ...; OUT gets `shares_I`, float64 (runs, k), and
`seconds_I`, of processor time of all runs. The matrix, the number of steps and the tolerance are
those of the package's own aggregators, and its function is compiled before the timing.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import Any

import numpy as np

STEPS, TOLERANCE, DISTANCE = 10_000, 1e-12, "max_abs"


def main(given: str, wanted: str) -> None:
    """Run all that is in an archive."""
    update = import_module("multi_freq_ldpy.estimators.Histogram_estimator").IBU
    update(2, np.eye(2), np.array([0.5, 0.5]), 10, TOLERANCE, DISTANCE)
    found: dict[str, Any] = {}
    with np.load(given) as archive:
        for number in range(len(archive.files) // 2):
            seen, (p, q) = archive[f"seen_{number}"], archive[f"chances_{number}"]
            k = seen.shape[1]
            matrix = np.full((k, k), q) + (p - q) * np.eye(k)
            begin = time.process_time()
            shares = [
                update(k, matrix, row / row.sum(), STEPS, TOLERANCE, DISTANCE) for row in seen
            ]
            found[f"seconds_{number}"] = np.array(time.process_time() - begin)
            found[f"shares_{number}"] = np.array(shares)
    np.savez(wanted, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
