"""PySpark: a column of reports by `mapInArrow`, one state per partition, merged in a tree.

Spark takes the output of one attempt at a task and forgets those of all others, so a task that is
lost and run again counts once. Whoever *draws* reports in Spark should know that a frame is
computed again for each action: write the reports to a table, and count that (`docs/engines.md`).
Needs the extra: pip install ldp-verified[spark].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ldp_verified.deploy.engines.accumulator import AccumulatorPart, Counting, in_tree
from ldp_verified.deploy.engines.frames import plan
from ldp_verified.deploy.engines.installed import engine
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ldp_verified.deploy.collector import Collector
    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.deploy.engines.drawing import Drawing, Label

    Batches = Iterable[pa.RecordBatch]

ARITY = 16
"""States that one task of the tree merges."""

_STATES = "task string, state binary"


def privatize(
    frame: Any,
    columns: Mapping[str, Deployment | Any],
    *,
    nulls: Mapping[str, Label] | None = None,
    keep: Sequence[str] = (),
) -> Any:
    """A `DataFrame` with a binary column of reports for each column that is named.

    Args and Raises: as `deploy.engines.frames.privatize`, without `rng`: reports are real ones.
    What a task raises, Spark wraps.
    """
    sql = engine("pyspark.sql", "spark")
    drawings = plan(frame.columns, columns, nulls, keep)
    types = sql.types
    fields = [frame.schema[name] for name in keep]
    fields += [types.StructField(each.column, types.BinaryType(), False) for each in drawings]
    picked = frame.select([*keep, *(each.column for each in drawings)])
    return picked.mapInArrow(_drawn(drawings, tuple(keep)), types.StructType(fields))


def aggregate(
    frame: Any,
    column: str,
    deployment: Deployment,
    *,
    simulated: bool = False,
    job: str | None = None,
    implausible: bool = False,
) -> Collector:
    """Count a column of reports: the same collector, bit for bit, as one process gives.

    Args:
        frame: a `DataFrame`. column: of binaries, each a report.
        deployment: whose reports. simulated: whether they are simulated ones.
        job: a name of what is counted, a day's table say. Then the state keeps, in 16 bytes each,
            which partitions it has seen, and cannot be merged with another that counted the same.
        implausible: as in `Counting.merged`.

    Raises:
        ParameterError: no such column. What a task raises, Spark wraps.
        ReportError: as `Counting.merged`.
    """
    engine("pyspark.sql", "spark")
    if list(frame.columns).count(column) != 1:
        raise ParameterError("column", "must be a column that is there once", column)
    counting = Counting(deployment, simulated)
    states = frame.select(column).mapInArrow(_counted(counting, job), _STATES)
    left = frame.rdd.getNumPartitions()
    while left > ARITY:
        left = -(-left // ARITY)
        states = states.repartition(left).mapInArrow(_merged(counting), _STATES)
    parts = (
        AccumulatorPart(*row) for row in states.collect()
    )  # at most as many as one task merges
    return counting.merged(parts, implausible=implausible)


def _drawn(
    drawings: list[Drawing], keep: tuple[str, ...]
) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def drawn(batches: Batches) -> Iterator[pa.RecordBatch]:
        sources = [each.source() for each in drawings]
        for batch in batches:
            kept = [batch.column(name) for name in keep]
            pairs = zip(drawings, sources, strict=True)
            found = [each.reports(batch.column(each.column), words) for each, words in pairs]
            names = [*keep, *(each.column for each in drawings)]
            yield pa.RecordBatch.from_arrays([*kept, *found], names)

    return drawn


def _counted(counting: Counting, job: str | None) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def counted(batches: Batches) -> Iterator[pa.RecordBatch]:
        state = counting.create()
        for batch in batches:
            state = counting.add(state, batch.column(0))
        place = engine("pyspark", "spark").TaskContext.get().partitionId()
        task = "" if job is None else f"{job}/{place}"
        yield _row(counting.pack(state, task, mark=job is not None))

    return counted


def _merged(counting: Counting) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    def merged(batches: Batches) -> Iterator[pa.RecordBatch]:
        rows = (row for batch in batches for row in batch.to_pylist())
        states = (counting.unpack(AccumulatorPart(row["task"], row["state"])) for row in rows)
        yield _row(counting.pack(in_tree(counting, states)))

    return merged


def _row(part: AccumulatorPart) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([part._asdict()])
