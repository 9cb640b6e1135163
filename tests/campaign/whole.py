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
    columns: int
    rows: int
    methods: int
    flips: int
    clients: int
    rounds: int
    forks: int
    kills: int


SHORT = Sizes(200, 200, 200, 200, 60, 200, 10, 6, 4)
LONG = Sizes(20_000, 20_000, 100_000, 20_000, 5_000, 20_000, 500, 200, 200)


def parts(seed: int, sizes: Sizes) -> Iterator[Outcome]:
    """The outcomes, one after the other."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in ("methods", "formats", "counters", "reports", "shared", "killed"):
            (folder / each).mkdir()
        yield from texts.formats(rng, sizes.flips, folder / "formats")
        yield texts.descriptors(rng, sizes.flips)
        yield texts.counters(rng, sizes.flips, folder / "counters")
        yield texts.clients(rng, sizes.clients)
        yield together.kills(folder / "killed", sizes.kills, seed)
        yield together.forks(sizes.forks)
        yield together.threads(sizes.rounds)
        yield together.counted(folder / "shared", min(sizes.rounds, 50))
        yield calls.constructors(rng, sizes.constructors)
        yield calls.values()
        yield methods.methods(rng, sizes.methods, folder / "methods")
        yield calls.rows(rng, sizes.rows)
        yield calls.columns(rng, sizes.columns)
        yield texts.report_files(rng, sizes.flips, folder / "reports")
