"""How a protocol with a callable among its arguments is shown: the same in every process."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ldp_verified.protocols.about import left_out


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
