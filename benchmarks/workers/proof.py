"""Proof of one thing in a fresh process: `python -m benchmarks.workers.proof NAME|FORM:SIZE`.

NAME is a spec of the catalogue. FORM:SIZE is an explicit matrix: `symbolic:64` (k-ary randomized
response written out, cells in eps), `circulant:64` (three cells in eps, not symmetric),
`wide:64` (64 x 128, cells in eps), `numeric:1024` (k-ary randomized response in numbers) or
`random:1024` (nearly every cell another number). Prints the seconds of every stage of `verify`,
reading the declaration first; Coq is timed by itself.
"""

from __future__ import annotations

import json
import random
import sys
import time
from itertools import pairwise

from ldp_verified.language import Matrix, Mechanism, Rational, exp, load, real
from ldp_verified.prove import STAGES, verify

READING = "reading"
eps = real("eps", above=0)
u = exp(eps)


def matrix(form: str, size: int) -> Mechanism:
    """An explicit matrix that claims nothing.

    Raises:
        ValueError: no such form.
    """
    inputs = range(size)
    match form:
        case "symbolic":
            rows = [[(u if x == y else 1) / (u + size - 1) for y in inputs] for x in inputs]
        case "circulant":
            near = {0: u**2, 1: u}
            total = u**2 + u + size - 2
            rows = [[near.get((y - x) % size, 1) / total for y in inputs] for x in inputs]
        case "wide":
            outputs = range(2 * size)
            total = 2 * u + 2 * size - 2
            rows = [[(u if y // 2 == x else 1) / total for y in outputs] for x in inputs]
        case "numeric":
            rows = [[Rational(3 if x == y else 1, size + 2) for y in inputs] for x in inputs]
        case "random":
            generator = random.Random(size)
            rows = []
            for x in inputs:
                weights = [40 if x == y else generator.randint(10, 20) for y in inputs]
                rows.append([Rational(weight, sum(weights)) for weight in weights])
        case _:
            raise ValueError(f"form: must be one of the forms above, got {form!r}")
    parameters = [] if form in ("numeric", "random") else [eps]
    return Mechanism(f"{form}_{size}", parameters=parameters, table=Matrix(rows))


def main(name: str) -> None:
    """Verify it and print one JSON object.

    Raises:
        RuntimeError: something is refuted.
    """
    marks: list[tuple[str, float]] = [(READING, time.perf_counter())]
    form, colon, size = name.partition(":")
    mechanisms = [matrix(form, int(size))] if colon else load(name)
    seconds = dict.fromkeys((READING, *STAGES), 0.0)
    verdicts = 0
    open_ = []
    for mechanism in mechanisms:
        found = verify(
            mechanism,
            coq=False,
            progress=lambda stage: marks.append((stage, time.perf_counter())),
        )
        marks.append(("", time.perf_counter()))
        if found.status == "refuted":
            raise RuntimeError(f"{name}: refuted")
        verdicts += len(found.verdicts)
        open_ += [v.obligation for v in found.verdicts if v.status == "open"]
    for (stage, begin), (_, end) in pairwise(marks):
        if stage:
            seconds[stage] += end - begin
    print(json.dumps({"seconds": seconds, "verdicts": verdicts, "open": open_}))


if __name__ == "__main__":
    main(sys.argv[1])
