"""Apache Beam: a `CombineFn` over reports, and transforms around it.

Beam promises that the output of one attempt at a bundle counts and that of all others is forgotten;
a runner that keeps the promise counts a bundle that ran again once. Needs the extra: pip install
ldp-verified[beam].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from ldp_verified.deploy.engines.accumulator import Counting, in_tree
from ldp_verified.deploy.engines.drawing import drawing
from ldp_verified.deploy.engines.installed import engine

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ldp_verified.deploy.collector import Collector
    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.deploy.engines.columns import Column
    from ldp_verified.deploy.engines.drawing import Label

beam: Any = engine("apache_beam", "beam")

LEAST, MOST = 1000, 10_000
"""Single values or reports that are taken at a time."""


class CountReports(beam.CombineFn):  # type: ignore[misc]  # mypy sees no Beam
    """Counts reports, globally or per key; the output is a `Collector`.

    Args:
        deployment: whose reports. simulated: whether they are simulated ones.

    Raises:
        ParameterError: as `Counting`.
    """

    def __init__(self, deployment: Deployment, *, simulated: bool = False) -> None:
        super().__init__()
        self.counting = Counting(deployment, simulated)

    def create_accumulator(self) -> Collector:
        """See `Counting.create`."""
        return self.counting.create()

    def add_input(self, state: Collector, reports: bytes | Column) -> Collector:
        """One report, a list of them or an Arrow column; see `Counting.add`."""
        return self.counting.add(state, [reports] if isinstance(reports, bytes) else reports)

    def merge_accumulators(self, states: Iterable[Collector]) -> Collector:
        """See `in_tree`."""
        return in_tree(self.counting, states)

    def extract_output(self, state: Collector) -> Collector:
        """See `Counting.extract`."""
        return self.counting.extract(state)


class Aggregate(beam.PTransform):  # type: ignore[misc]  # mypy sees no Beam
    """Single reports, as bytes, become one `Collector`.

    Columns of them, as `ReadFromParquetBatched` gives tables, go into `CountReports` as they are.

    Args and Raises: as `CountReports`.
    """

    def __init__(self, deployment: Deployment, *, simulated: bool = False) -> None:
        super().__init__()
        self.combine = CountReports(deployment, simulated=simulated)

    def expand(self, reports: Any) -> Any:
        """Batches of reports, counted."""
        return reports | beam.BatchElements(LEAST, MOST) | beam.CombineGlobally(self.combine)


class Privatize(beam.PTransform):  # type: ignore[misc]  # mypy sees no Beam
    """Single values become single reports, as bytes; None is a null.

    Args:
        made: a deployment, or a mechanism that takes one value.
        column: what the values are called in messages. null: the category that None stands for.

    Raises:
        ParameterError: as `Drawing`.
    """

    def __init__(
        self, made: Deployment | Any, column: str = "values", *, null: Label | None = None
    ) -> None:
        super().__init__()
        self.drawing = drawing(made, column, null)

    def expand(self, values: Any) -> Any:
        """Batches of values, a report on each."""
        return values | beam.BatchElements(LEAST, MOST) | beam.FlatMap(self._reports)

    def _reports(self, values: list[Any]) -> Iterator[bytes]:
        """The reports of a batch; what Arrow says of values that are no column is not shown."""
        yield from cast("list[bytes]", self.drawing.reports(as_column(values)).to_pylist())


def as_column(values: list[Any]) -> object:
    """Python's values as an Arrow column; the list itself where they are none, to be refused."""
    try:
        return pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return values
