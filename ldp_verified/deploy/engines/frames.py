"""Data frames of pandas and Polars: columns of private values become columns of reports."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ldp_verified.deploy.column_names import not_one_column
from ldp_verified.deploy.engines.drawing import drawing
from ldp_verified.errors import ParameterError, check_kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    import pyarrow as pa

    from ldp_verified.deploy.deployment import Deployment
    from ldp_verified.deploy.engines.drawing import Drawing, Label
    from ldp_verified.run.realize.randomizer import Rng

F = TypeVar("F")


def privatize(
    frame: F,
    columns: Mapping[str, Deployment | Any],
    *,
    nulls: Mapping[str, Label] | None = None,
    keep: Sequence[str] = (),
    rng: Rng = None,
) -> F:
    """A new frame with a column of reports for each column that is named, and nothing else.

    Row i of each column is about row i of the frame. What a user tells in several columns adds up:
    a row costs the sum of their epsilons. All columns that are not named are left out, and the
    index of pandas with them, since they are not private.

    Args:
        frame: of pandas or Polars; it is not changed. (A lazy one: see `deploy.engines.polars`.)
        columns: what is drawn for each column, by its name: a `Deployment`, or a mechanism that
            takes one value.
        nulls: the category that a null of a column stands for, by the column's name. A null of a
            column without one is refused.
        keep: columns that are public, and stay as they are.
        rng: None for the secure source; a seed or a generator for reports that are marked as
            simulated and protect nobody. Each column has words of its own.

    Raises:
        ParameterError: no such frame or column, or as `Drawing`.
        DomainError: as `Drawing.reports`; no column is given out then.
    """
    library, source = _library(frame), cast("Any", frame)
    drawings = plan(list(source.columns), columns, nulls, keep)
    kept = {name: source[name] for name in keep}
    found = {each.column: each.reports(source[each.column], rng) for each in drawings}
    if library.__name__ == "polars":
        parts = {name: library.from_arrow(column) for name, column in found.items()}
        made: F = library.DataFrame(kept | parts)
    else:
        series = {name: _series(library, column) for name, column in found.items()}
        plain = {name: each.reset_index(drop=True) for name, each in kept.items()}
        made = library.DataFrame(plain | series)
    return made


def plan(
    names: Sequence[str],
    columns: Mapping[str, Any],
    nulls: Mapping[str, Label] | None = None,
    keep: Sequence[str] = (),
) -> list[Drawing]:
    """How each column is drawn, checked against the names that a table has.

    Raises:
        ParameterError: as `privatize`.
    """
    given = {} if nulls is None else nulls
    for argument, mapping in (("columns", columns), ("nulls", given)):
        check_kind(argument, mapping, Mapping)
    if not columns:
        raise ParameterError("columns", "must name at least one column")
    if isinstance(keep, str):
        raise ParameterError("keep", "must be a sequence of names", keep)
    for argument, wanted in (("columns", columns), ("keep", keep)):
        for name in wanted:
            wrong = not_one_column(name, names)
            if wrong:
                raise ParameterError(argument, f"must name columns of the table, which {wrong}")
    both = [name for name in keep if name in columns]
    if both:
        rule = "must name public columns: a private one cannot stay beside its report"
        raise ParameterError("keep", rule, both[0])
    spare = [name for name in given if name not in columns]
    if spare:
        raise ParameterError("nulls", "must name columns that are privatized", spare[0])
    return [drawing(made, name, given.get(name)) for name, made in columns.items()]


def _library(frame: object) -> ModuleType:
    """The library that a frame is of: it is there, since the frame is."""
    name = type(frame).__module__.partition(".")[0]
    library = import_module(name) if name in ("pandas", "polars") else None
    if library is None or not isinstance(frame, library.DataFrame):
        raise ParameterError("frame", "must be a data frame of pandas or Polars", type(frame))
    return library


def _series(pandas: Any, column: pa.Array[Any]) -> Any:
    return pandas.Series(pandas.arrays.ArrowExtensionArray(column))
