"""Polars: lazy frames with columns of reports, and states of them batch by batch.

A lazy frame is computed again each time that it is collected, and draws its reports anew: write
them to a file once, and count that. Needs the extra: pip install ldp-verified[polars].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.deploy.engines.accumulator import Counting
from ldp_verified.deploy.engines.columns import MOST_ROWS
from ldp_verified.deploy.engines.frames import plan
from ldp_verified.deploy.engines.installed import engine
from ldp_verified.errors import DomainError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from ldp_verified.deploy.collector import Collector
    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.deploy.engines.drawing import Drawing, Label


def privatize(
    frame: pl.LazyFrame,
    columns: Mapping[str, Deployment | Any],
    *,
    nulls: Mapping[str, Label] | None = None,
    keep: Sequence[str] = (),
) -> pl.LazyFrame:
    """A lazy frame with a binary column of reports for each column that is named.

    Args and Raises: as `deploy.engines.frames.privatize`, without `rng`: reports are real ones.
    What a column raises comes when the frame is collected, wrapped by Polars.
    """
    library = engine("polars", "polars")
    if not isinstance(frame, library.LazyFrame):
        rule = "must be a lazy frame of Polars; engines.frames.privatize takes a data frame"
        raise ParameterError("frame", rule, type(frame))
    drawings = plan(frame.collect_schema().names(), columns, nulls, keep)
    schema = frame.collect_schema()
    wanted = {name: schema[name] for name in keep}
    wanted |= {each.column: library.Binary for each in drawings}
    picked = frame.select([*keep, *(each.column for each in drawings)])
    # A function of an expression would be called once for a constant column.
    found: pl.LazyFrame = picked.map_batches(
        _drawn(drawings, library),
        predicate_pushdown=False,
        projection_pushdown=False,
        slice_pushdown=False,
        schema=wanted,
        streamable=True,
    )
    return found


def aggregate(
    frame: pl.DataFrame | pl.LazyFrame,
    column: str,
    deployment: Deployment,
    *,
    simulated: bool = False,
) -> Collector:
    """Count a column of reports, in bounded memory where the frame is a scan of files.

    Args:
        frame: lazy or not. column: of binaries, each a report.
        deployment: whose reports. simulated: whether they are simulated ones.

    Raises:
        ParameterError: no such frame or column. ReportError: as `Counting.add`.
    """
    library = engine("polars", "polars")
    if not isinstance(frame, library.LazyFrame | library.DataFrame):
        raise ParameterError("frame", "must be a frame of Polars", type(frame))
    lazy = frame.lazy()
    if column not in lazy.collect_schema().names():
        raise ParameterError("column", "must be a column of the frame", column)
    counting = Counting(deployment, simulated)
    state = counting.create()
    for batch in lazy.select(column).collect_batches(chunk_size=MOST_ROWS, maintain_order=False):
        state = counting.add(state, batch[column].to_arrow())
    return counting.extract(state)


def _drawn(drawings: list[Drawing], library: Any) -> Callable[[Any], Any]:
    def drawn(batch: Any) -> Any:
        try:
            found = {each.column: each.reports(batch[each.column]) for each in drawings}
        except DomainError as error:
            problem = str(error)  # Polars makes an error of its own from the message
        else:
            made = [library.Series(name, part, library.Binary) for name, part in found.items()]
            return batch.with_columns(made)
        raise library.exceptions.ComputeError(problem)

    return drawn
