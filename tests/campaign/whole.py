"""All parts of the campaign, at two sizes."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tests.campaign import calls, methods, texts, together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.campaign.outcome import Outcome


class Sizes(NamedTuple):
    """How often each part is tried."""

    constructors: int
    values: int
    rows: int
    methods: int
    flips: int
    clients: int
    rounds: int
    forks: int
    kills: int


SHORT = Sizes(200, 200, 200, 200, 100, 200, 10, 6, 4)
LONG = Sizes(20_000, 20_000, 100_000, 20_000, 5_000, 20_000, 500, 200, 200)


def parts(seed: int, sizes: Sizes) -> Iterator[Outcome]:
    """The outcomes, one after the other."""
    rng = np.random.default_rng(seed)
    yield calls.constructors(rng, sizes.constructors)
    yield calls.values(rng, sizes.values)
    yield calls.rows(rng, sizes.rows)
    yield texts.clients(rng, sizes.clients)
    yield texts.states(rng, sizes.flips)
    yield together.threads(sizes.rounds)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in ("methods", "counters", "reports", "shared", "killed"):
            (folder / each).mkdir()
        yield methods.methods(rng, sizes.methods, folder / "methods")
        yield texts.counters(rng, sizes.flips, folder / "counters")
        yield texts.report_files(rng, sizes.flips, folder / "reports")
        yield together.counted(folder / "shared", min(sizes.rounds, 50))
        yield together.forks(sizes.forks)
        yield together.kills(folder / "killed", sizes.kills, seed)
