"""First use in a fresh process: `python -m benchmarks.workers.startup`.

Prints, in seconds: the import, the first `privatize` of a single value after it, and the first bulk
call after that, which loads numba and compiles, or reads what NUMBA_CACHE_DIR keeps.
"""

from __future__ import annotations

import json
import time


def main() -> None:
    """Time the three steps and print one JSON object."""
    begin = time.perf_counter()
    import ldp_verified

    imported = time.perf_counter()
    mechanism = ldp_verified.OUE(1.0, 1024)
    mechanism.privatize(3)
    single = time.perf_counter()
    reports = mechanism.privatize([0, 1, 2, 3] * 1000)
    mechanism.aggregate(reports).estimate()
    bulk = time.perf_counter()
    result = {"import": imported - begin, "single": single - imported, "bulk": bulk - single}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
