"""DuckDB: a function of SQL that draws reports, and states of a column of them.

The function is registered as one with side effects that sees nulls: DuckDB would else draw one
report for a constant and use it for every row, or let a null pass as a null. A query that runs
again draws again: write the reports to a table once, and count that. Needs the extra: pip install
ldp-verified[duckdb].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ldp_verified.deploy.engines.accumulator import Counting
from ldp_verified.deploy.engines.columns import MOST_ROWS
from ldp_verified.deploy.engines.drawing import drawing
from ldp_verified.deploy.engines.installed import engine
from ldp_verified.errors import ParameterError, check_kind
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer

if TYPE_CHECKING:
    from ldp_verified.deploy.collector import Collector
    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.deploy.engines.drawing import Label


def register(
    connection: Any, name: str, made: Deployment | Any, *, null: Label | None = None
) -> None:
    """Make a function of SQL: `name(value)` is a report on a value, a BLOB.

    Args:
        connection: of DuckDB. name: of the function.
        made: a deployment, or a mechanism that takes one value.
        null: the category that a null stands for; nulls are refused without one.

    Raises:
        ParameterError: no name, or as `Drawing`. What a query raises, DuckDB wraps.
    """
    engine("duckdb", "duckdb")
    check_kind("name", name, str)
    drawn = drawing(made, name, null)
    connection.create_function(
        name,
        lambda values: drawn.reports(values),  # noqa: PLW0108  (DuckDB evaluates annotations)
        [_type(drawn.deployment.mechanism)],
        "BLOB",
        type="arrow",
        null_handling="special",
        side_effects=True,
    )


def aggregate(
    relation: Any, column: str, deployment: Deployment, *, simulated: bool = False
) -> Collector:
    """Count a column of reports, batch by batch.

    Args:
        relation: of DuckDB: a table, a query, files of Parquet. column: of BLOBs, each a report.
        deployment: whose reports. simulated: whether they are simulated ones.

    Raises:
        ParameterError: no such column. ReportError: as `Counting.add`.
    """
    duckdb = engine("duckdb", "duckdb")
    if column not in relation.columns:
        raise ParameterError("column", "must be a column of the relation", column)
    counting = Counting(deployment, simulated)
    state = counting.create()
    picked = relation.select(duckdb.ColumnExpression(column))
    # The older name warns in new versions, and the newer one is missing in old ones.
    read = getattr(picked, "to_arrow_reader", None) or picked.fetch_record_batch
    for batch in read(MOST_ROWS):
        state = counting.add(state, batch.column(0))
    return counting.extract(state)


def _type(made: Any) -> str:
    """The type of SQL that a mechanism's values have."""
    if isinstance(made, BoundedRandomizer):
        return "DOUBLE"
    labels = getattr(made, "labels", None)
    text = made.bits is None if labels is None else any(isinstance(each, str) for each in labels)
    return "VARCHAR" if text else "BIGINT"
