"""Reports in data engines: Polars, DuckDB, Beam and Spark, each over one accumulator.

A column of private values becomes a column of reports, in the bytes of `docs/wire-format.md`; a
column of reports becomes a `Collector`. `ldp_verified.deploy.engines.spark`, `.beam`, `.duckdb` and
`.polars` say how in each engine, `.frames` for data frames of pandas and Polars. Each needs its
extra: `pip install ldp-verified[spark]`. What `docs/engines.md` says of tasks that are lost and run
again holds for all of them.
"""

from ldp_verified.deploy.engines.accumulator import Accumulator, AccumulatorPart, Counting, in_tree

__all__ = ["Accumulator", "AccumulatorPart", "Counting", "in_tree"]
