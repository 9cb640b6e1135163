"""OpenDP: draws of its noise and of its noisy maximum, as one JSON object.

What to draw is asked for on standard input: a list of {"name", "kind", "scale", "count"}, with
"scores" for a maximum. Noise is added to 0, by one call of a measurement on a list of zeros. The
maximum of scores with Gumbel noise (the measure of zero-concentrated privacy) is the exponential
mechanism; with exponential noise (the pure measure) it is permute-and-flip, another one.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any


def noise(dp: Any, asked: dict[str, Any]) -> list[int]:
    """Integers with the library's discrete Laplace or discrete Gaussian noise."""
    zeros = dp.vector_domain(dp.atom_domain(T=int))
    if asked["kind"] == "gaussian":
        made = dp.m.make_gaussian(zeros, dp.l2_distance(T=float), scale=asked["scale"])
    else:
        made = dp.m.make_geometric(zeros, dp.l1_distance(T=int), scale=asked["scale"])
    found: list[int] = list(made([0] * asked["count"]))
    return found


def maximum(dp: Any, asked: dict[str, Any]) -> list[int]:
    """Indices of the largest of scores with noise."""
    pure = asked["kind"] == "permute and flip"
    measure = dp.max_divergence() if pure else dp.zero_concentrated_divergence()
    domain = dp.vector_domain(dp.atom_domain(T=int))
    made = dp.m.make_noisy_max(domain, dp.linf_distance(T=int), measure, asked["scale"])
    return [int(made(asked["scores"])) for _ in range(asked["count"])]


def main() -> None:
    """Draw what is asked for."""
    dp = import_module("opendp.prelude")
    dp.enable_features("contrib")
    drawn = {}
    for asked in json.load(sys.stdin):
        draws = maximum if "scores" in asked else noise
        drawn[asked["name"]] = draws(dp, asked)
        print(asked["name"], file=sys.stderr, flush=True)
    print(json.dumps({"version": version("opendp"), "drawn": drawn}))


if __name__ == "__main__":
    main()
