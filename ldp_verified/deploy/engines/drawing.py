"""A column of private values becomes a column of reports, whatever the engine.

Messages name the column, the rule and at most a row's number, never a value. A null is a category
that was declared, or refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ldp_verified.deploy.deployment import Deployment
from ldp_verified.deploy.engines.columns import report_column
from ldp_verified.errors import DomainError, ParameterError, check_kind, type_name
from ldp_verified.protocols.grouped_hashing import GroupedHashing
from ldp_verified.run.kernels.seeds import word_source
from ldp_verified.run.realize.randomizer import Randomizer
from ldp_verified.run.realize.real_numbers.bounded import BoundedRandomizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ldp_verified.run.kernels.randomness import WordSource
    from ldp_verified.run.realize.randomizer import Rng

Label = str | int

_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)


@dataclass(frozen=True)
class Drawing:
    """How the reports on one column are drawn. It is pickled as the descriptor's text.

    Attributes:
        deployment: of a mechanism for one value of each user.
        column: the name of the column, for messages.
        null: the category that a null stands for; None where nulls are refused.

    Raises:
        ParameterError: devices remember, or a user has several values, or `null` is no category.
    """

    deployment: Deployment
    column: str = "values"
    null: Label | None = None

    def __post_init__(self) -> None:
        """Check what can be checked before there is a value."""
        check_kind("deployment", self.deployment, Deployment)
        check_kind("column", self.column, str)
        made, name = self.deployment.mechanism, self._name
        if self.deployment.format.device is not None:
            rule = "must be drawn by devices that remember: an engine would draw them anew"
            raise ParameterError(name, rule, type(made))
        if not isinstance(made, Randomizer | BoundedRandomizer | GroupedHashing):
            rule = "must have a mechanism for one value, whose users have no public numbers"
            raise ParameterError(name, rule, type(made))
        if self.null is not None:
            self._check_null(made, name)

    @property
    def _name(self) -> str:
        return f"column {self.column!r}"

    def _check_null(self, made: Any, name: str) -> None:
        if not isinstance(made, Randomizer):
            raise ParameterError(name, "must have no category for nulls: it has none", type(made))
        if type(self.null) not in (str, int) or self.null not in made.labels:
            raise ParameterError(name, "must have the label of nulls as a category", self.null)

    def __reduce__(self) -> tuple[object, tuple[str, str, Label | None]]:
        return _drawing, (self.deployment.text, self.column, self.null)

    def source(self, rng: Rng = None) -> WordSource:
        """The words that reports are drawn from: this column's own.

        Args:
            rng: as in `Randomizer.privatize`.

        Raises:
            ParameterError: `rng` is something else.
        """
        return word_source(rng, "engines", self.column, self.deployment.digest.hex())

    def reports(self, values: object, rng: Rng = None) -> pa.Array[Any]:
        """A report on each value, in their order.

        Args:
            values: a column of Arrow, pandas or Polars: text or integers for categories (or a
                dictionary of either), numbers for numbers.
            rng: None for the secure source; else the reports are marked as simulated.

        Returns:
            An Arrow array of binaries, each as `Deployment.to_bytes` writes it.

        Raises:
            DomainError: another type, a null where none is declared, or a value outside the domain;
                nothing is drawn then.
        """
        mechanism: Any = self.deployment.mechanism
        checked = self._checked(_arrow(values, self._name))
        source = self.source(rng)
        reports = self._named(lambda: mechanism.privatize(checked, source))
        return report_column(self.deployment.to_rows(reports))

    def _checked(self, column: pa.ChunkedArray[Any]) -> object:
        """The column without nulls, as the mechanism takes it."""
        made, name = self.deployment.mechanism, self._name
        kind = column.type
        if pa.types.is_dictionary(kind):
            column = _decoded(column)
            kind = column.type
        accepted, rule = _accepted(made)
        if not any(accepts(kind) for accepts in accepted) and not _empty(column):
            raise DomainError(name, f"must hold {rule}; its type is {kind}")
        if column.null_count and self.null is None:
            raise DomainError(name, "has nulls: declare a category for them, or take them out")
        if column.null_count:
            text = any(accepts(kind) for accepts in _TEXT)
            if text is not isinstance(self.null, str) and not _empty(column):
                rule = f"must have a label for nulls of its own type, {kind}"
                raise DomainError(name, rule, type(self.null))
            column = _filled(column, self.null)
        if _empty(column):
            column = column.cast(pa.int64())  # without a row: then any type is right
        if isinstance(made, Randomizer) and not len(column):
            return np.zeros(0, np.int64) if _plain(made) else []
        if isinstance(made, Randomizer):
            return column
        return column.to_numpy() if isinstance(made, BoundedRandomizer) else column.to_pylist()

    def _named(self, step: Callable[[], Any]) -> Any:
        """Run `step`; its errors name the column in the place of the argument."""
        try:
            return step()
        except DomainError as error:
            place = error.argument.partition("[")[2].rstrip("]")
            row = f", row {place}" if place.isdigit() else ""
            shown = (error.got,) if isinstance(error.got, type) else ()
            raised = DomainError(f"{self._name}{row}", error.rule, *shown)
        raise raised


def drawing(made: object, column: str = "values", null: Label | None = None) -> Drawing:
    """The drawing of a `Deployment`, or of a mechanism that is deployed as it is.

    Raises:
        ParameterError: as `Drawing` and `Deployment`.
    """
    deployment = made if isinstance(made, Deployment) else Deployment(made)
    return Drawing(deployment, column, null)


def _accepted(made: object) -> tuple[tuple[Callable[[pa.DataType], bool], ...], str]:
    """Return the Arrow types that a mechanism takes, and the same in words."""
    numbers = (pa.types.is_integer,)
    if isinstance(made, BoundedRandomizer):
        return (*numbers, pa.types.is_floating), "numbers"
    if isinstance(made, GroupedHashing):
        return (_TEXT, "text") if made.bits is None else (numbers, "integers")
    assert isinstance(made, Randomizer)
    if _plain(made):
        return numbers, f"integers in 0..{made.k - 1}"
    if all(isinstance(label, int) for label in made.labels):
        return numbers, "integers"
    if all(isinstance(label, str) for label in made.labels):
        return _TEXT, "text"
    return (*numbers, *_TEXT), "text or integers"


def _plain(made: Randomizer) -> bool:
    return isinstance(made.labels, range)


def _empty(column: pa.ChunkedArray[Any]) -> bool:
    """Return whether no cell has a type: all are null, or there are none."""
    return pa.types.is_null(column.type)


def _decoded(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """A column of a dictionary as its values."""
    view = pa.types.is_string_view(column.type.value_type)
    kind = pa.large_string() if view else column.type.value_type
    parts = []
    for chunk in cast("list[pa.DictionaryArray[Any, Any]]", column.chunks):
        values = chunk.dictionary.cast(kind)  # Arrow takes nothing from views
        parts.append(pa.DictionaryArray.from_arrays(chunk.indices, values).cast(kind))
    return pa.chunked_array(parts, kind)


def _filled(column: pa.ChunkedArray[Any], label: Label | None) -> pa.ChunkedArray[Any]:
    if _empty(column):
        whole: pa.Array[Any] = pa.array([label] * len(column))
        return pa.chunked_array([whole])
    kind = column.type
    if pa.types.is_string_view(kind):
        column, kind = column.cast(pa.large_string()), pa.large_string()
    if pa.types.is_integer(kind):
        column, kind = column.cast(pa.int64()), pa.int64()
    filled: pa.ChunkedArray[Any] = pc.fill_null(column, pa.scalar(label, kind))
    return filled


def _arrow(values: Any, name: str) -> pa.ChunkedArray[Any]:
    """The values as an Arrow column."""
    found = None
    try:
        if isinstance(values, pa.ChunkedArray | pa.Array):
            found = values
        elif type(values).__module__.partition(".")[0] == "pandas":
            # A cell that is missing is a null, also where it is a nan.
            found = pa.Array.from_pandas(values)
        elif hasattr(values, "__arrow_c_stream__"):
            found = pa.chunked_array(values)
        if isinstance(found, pa.Array):
            found = pa.chunked_array([found])
    except Exception:  # whatever the conversion raises, which may quote values
        found = None
    if found is None:
        kind = type_name(values) if isinstance(values, np.ndarray) else type(values)
        raise DomainError(name, f"must be a column of text or numbers; its type is {kind}")
    return found


def _drawing(text: str, column: str, null: Label | None) -> Drawing:
    return Drawing(Deployment.from_text(text), column, null)
