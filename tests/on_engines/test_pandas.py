"""Pandas alone, without Polars: a frame is privatized, written, read and counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from ldp_verified.deploy.engines import Counting
from ldp_verified.deploy.engines.frames import privatize
from tests.on_engines.sample import CITIES, CITY

if TYPE_CHECKING:
    from pathlib import Path


def test_a_frame_is_privatized_written_and_counted(tmp_path: Path) -> None:
    frame = pd.DataFrame({"city": ["Rome", None, "Oslo"]})
    found = privatize(frame, {"city": CITY}, nulls={"city": "none"})
    found.to_parquet(tmp_path / "reports.parquet")
    counting = Counting(CITY)
    for table in (found, pd.read_parquet(tmp_path / "reports.parquet")):
        column: Any = list(table["city"])
        counts = counting.add(counting.create(), column).estimate().support_counts
        assert counts.tolist() == [1] * len(CITIES)
