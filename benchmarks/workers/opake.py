"""One-run auditing by opake-auditing: bounds on eps from reports of coin flips, as one JSON object.

What to audit is asked for on standard input: {"chances": {name: [right, wrong]}, "sizes": [...],
"runs", "level", "seed"}. Each canary is a user, its coin the input; the score is 1 where the report
speaks for the one input, -1 for the other, and next to 0, on either side, where for neither.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np


def bound(n: int, chances: list[float], level: float, seed: int) -> float:
    """What the package says of n reports."""
    opake: Any = import_module("opake.auditing")
    key: Any = import_module("opake.random").key
    flips = opake.coin_flip(range(n), num_canaries=n, key=key(seed))
    rng = np.random.default_rng(seed)
    right, wrong = chances
    own = rng.choice([1.0, -1.0, 0.0], size=n, p=[right, wrong, 1 - right - wrong])
    own[own == 0] = rng.choice([1e-3, -1e-3], size=int(np.sum(own == 0)))
    where = {index: place for place, index in enumerate(flips.canary_indices.tolist())}
    side = np.full(n, -1.0)
    side[[where[index] for index in flips.in_indices.tolist()]] = 1.0
    scores = opake.canary_scores(own * side, canary_indices=flips.canary_indices)
    estimate = opake.one_run(scores, coin_flip=flips)
    found = estimate.eps_delta().epsilon_at(delta=0.0, significance=level, threshold=0.0)
    return float(found)


def main() -> None:
    """Bounds of every run at every size."""
    asked = json.load(sys.stdin)
    found = {}
    for place, (name, chances) in enumerate(asked["chances"].items()):
        found[name] = [
            [
                bound(n, chances, asked["level"], asked["seed"] + 1000 * place + run)
                for n in asked["sizes"]
            ]
            for run in range(asked["runs"])
        ]
    print(json.dumps({"version": version("opake-auditing"), "bounds": found}))


if __name__ == "__main__":
    main()
