"""Simulated reports in files, and what one process counts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ldp_verified.deploy import Deployment
from ldp_verified.deploy.engines import Counting
from ldp_verified.deploy.engines.drawing import drawing
from ldp_verified.protocols import PrefixExtending
from ldp_verified.run.mechanisms import GRR, OLH, Duchi

if TYPE_CHECKING:
    from pathlib import Path

CITIES = ("Oslo", "Rome", "none")
CITY = Deployment(GRR(40.0, 3, categories=CITIES))
"""A report is the value but with probability < 1e-16."""

DEPLOYMENTS = [
    Deployment(GRR(1.0, 100)),
    Deployment(OLH(1.0, 30)),
    Deployment(Duchi(1.0)),
    Deployment(PrefixExtending(4.0, bits=8, step=4, g=16)),
]
"""Counts, sums of numbers, and a state that keeps its reports."""


def simulated(deployment: Deployment, users: int, seed: int) -> pa.Array[Any]:
    """Reports of users whose values are spread over the domain."""
    made = deployment.mechanism
    places = np.arange(users)
    if isinstance(made, Duchi):
        values = pa.array(np.linspace(-1, 1, users))
    else:
        values = pa.array(places % getattr(made, "k", 256))
    return drawing(deployment).reports(values, seed)


def written(folder: Path, deployment: Deployment, users: int, files: int, seed: int) -> bytes:
    """Write Parquet files of reports; return the state that one process counts."""
    column = simulated(deployment, users, seed)
    for place in range(files):
        part = column.take(pa.array(range(place, users, files)))
        pq.write_table(pa.table({"report": part}), folder / f"{place:04}.parquet")
    counting = Counting(deployment, simulated=True)
    return counting.extract(counting.add(counting.create(), column)).to_bytes()
