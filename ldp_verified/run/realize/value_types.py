"""Types of what users hold, as randomizers and protocols take it, for a type checker.

What no type can say is checked at run time: the range of a number, whether a text is a label. Types
let pass some of what is refused there: bytes, which are a sequence of integers, and booleans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Held = TypeVar("Held", contravariant=True)
"""The type of what the users of a protocol hold."""


class ValueColumn(Protocol):
    """A column of pandas, Polars or PyArrow: one value for each user."""

    def to_numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Return the values as an array."""


class ValueFrame(Protocol):
    """A table of pandas, Polars or PyArrow: one row for each user."""

    @property
    def columns(self) -> Any:
        """The names of the columns, or the columns."""


UserInteger = int | np.integer[Any]

UserIntegers = UserInteger | Sequence[UserInteger] | NDArray[np.integer[Any]] | ValueColumn
"""One integer, or one for each user."""

UserTexts = str | Sequence[str] | NDArray[np.str_] | NDArray[np.object_] | ValueColumn
"""One text, or one for each user."""

UserTextSets = Sequence[Sequence[str] | Set[str]]
"""A set of texts for each user."""

UserValues = UserIntegers | UserTexts | Sequence[UserInteger | str]
"""One integer or label of `categories`, or one for each user."""

UserRows = Sequence[Sequence[UserInteger]] | NDArray[np.integer[Any]]
"""Several integers for each user: shape (n, d)."""

UserNumber = float | np.floating[Any] | np.integer[Any]
"""One user's number."""

UserNumbers = (
    UserNumber
    | Sequence[UserNumber]
    | NDArray[np.floating[Any]]
    | NDArray[np.integer[Any]]
    | ValueColumn
)
"""One number, or one for each user."""

UserVectors = (
    Sequence[UserNumber]
    | Sequence[Sequence[UserNumber]]
    | Sequence[NDArray[np.floating[Any]]]
    | Sequence[NDArray[np.integer[Any]]]
    | NDArray[np.floating[Any]]
    | NDArray[np.integer[Any]]
)
"""One vector of numbers, or one for each user: shape (d,) or (n, d)."""

UserTuples = (
    Sequence[Sequence[UserInteger | str]]
    | Sequence[NDArray[np.integer[Any]]]
    | NDArray[np.integer[Any]]
    | NDArray[np.str_]
    | NDArray[np.object_]
    | ValueFrame
)
"""A value of each attribute, for each user: shape (n, d)."""

UserRecords = Mapping[str, object] | ValueFrame
"""The values of all users by the name of their attribute.

A checker finds `object` for the columns of `{"city": ["x"], "age": [4]}`, so no more can be asked.
"""
