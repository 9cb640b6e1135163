"""Which arguments of a protocol are shown, and how: the same text in every process."""

from __future__ import annotations

from dataclasses import Field, fields
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

IF_GIVEN: Final[Mapping[str, bool]] = {"only where given": True}
"""The metadata of an argument that came later: at its default nothing shows or describes it."""


def left_out(made: Any, argument: Field[Any]) -> bool:
    """Return whether an argument of a protocol came later, and was not given."""
    return argument.metadata == IF_GIVEN and bool(getattr(made, argument.name) == argument.default)


def shown_by_names(made: Any) -> str:
    """The text of a dataclass, for its `__repr__`: callables are shown by their names.

    A callable's own text has its address in memory, and so is another one in each process. What
    descriptors leave out is not shown.

    Args:
        made: the object.
    """
    shown = [field for field in fields(made) if field.repr and not left_out(made, field)]
    parts = ((field.name, getattr(made, field.name)) for field in shown)
    listed = ", ".join(f"{name}={_named(value)}" for name, value in parts)
    return f"{type(made).__qualname__}({listed})"


def _named(value: object) -> str:
    if not callable(value):
        return repr(value)
    return str(getattr(value, "__qualname__", type(value).__qualname__))
