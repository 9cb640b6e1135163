"""StatDP, as the package pystatdp brings it: p-values of a claim of two inputs, as one JSON object.

What to audit is asked for on standard input: {"values": {name: k}, "epsilon", "claim", "sizes",
"runs"}. The mechanism is k-ary randomized response. Half of the reports choose the event, half test
it, as many for either input; its own functions do both.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np


def response(queries: Any, epsilon: float, values: int) -> int:
    """K-ary randomized response of one value."""
    value, kept = int(queries[0]), math.exp(epsilon)
    if np.random.random() < kept / (kept + values - 1):  # noqa: NPY002  (as the package does)
        return value
    other = np.random.randint(1, values)  # noqa: NPY002  (as the package does)
    return int((value + other) % values)


def fresh(_: int) -> None:
    """Seed the generator of a process, which the package draws from too."""
    np.random.seed()  # noqa: NPY002  (the package draws from this one)


def p_value(n: int, epsilon: float, claim: float, values: int, pool: Any) -> float:
    """What the package says of n reports in all."""
    each = n // 4
    given = {"epsilon": epsilon, "values": values}
    inputs = ((np.array([0]), np.array([1]), given),)
    choose = import_module("pystatdp.selectors").select_event
    test = import_module("pystatdp.hypotest").hypothesis_test
    event = choose(response, inputs, claim, each, pool, quiet=True)
    return float(test(response, *event, claim, each, pool, report_p2=False))


def main() -> None:
    """p-values of every run at every size."""
    asked, found = json.load(sys.stdin), {}
    with multiprocessing.Pool(1) as pool:
        pool.map(fresh, [0])
        for name, values in asked["values"].items():
            found[name] = [
                [p_value(n, asked["epsilon"], asked["claim"], values, pool) for n in asked["sizes"]]
                for _ in range(asked["runs"])
            ]
    print(json.dumps({"version": version("pystatdp"), "p_values": found}))


if __name__ == "__main__":
    main()
