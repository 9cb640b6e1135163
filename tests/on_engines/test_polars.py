"""Polars alone, without pandas: a frame is privatized and counted."""

from __future__ import annotations

import polars as pl

from ldp_verified.deploy.engines import frames, polars
from tests.on_engines.sample import CITIES, CITY


def test_a_frame_is_privatized_and_counted() -> None:
    frame = pl.DataFrame({"city": ["Rome", None, "Oslo"]})
    nulls = {"city": "none"}
    eager = frames.privatize(frame, {"city": CITY}, nulls=nulls)
    lazy = polars.privatize(frame.lazy(), {"city": CITY}, nulls=nulls)
    for found in (eager, eager.lazy(), lazy):
        counts = polars.aggregate(found, "city", CITY).estimate().support_counts
        assert counts.tolist() == [1] * len(CITIES)
