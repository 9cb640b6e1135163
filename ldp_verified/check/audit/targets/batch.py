"""Samples: inputs drawn by the auditor and the outputs that came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ldp_verified.check.audit.targets.forms import Formed, bare, form_of
from ldp_verified.check.audit.targets.keys import items, key, plain
from ldp_verified.check.audit.targets.leaves import Leaves, leaves, texts
from ldp_verified.scalars import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

Outputs = Sequence[Any] | np.ndarray[Any, Any]
"""One output per sample: a sequence of anything, or an array with one row for each."""

Memo = dict[tuple[str, int], tuple[Any, Any]]
"""What was looked for, and the place of an output in memory -> the output itself, which so keeps
its place, and what was found."""

_NUMERIC = "biufc"
_Read = TypeVar("_Read")
_PLAIN: dict[type, Any] = {int: np.int64, float: np.float64, bool: np.bool_}


@dataclass(frozen=True)
class Coded:
    """A feature of every sample.

    Attributes:
        codes: shape (n,), indices into `labels`.
        labels: what the codes stand for, all different.
    """

    codes: NDArray[np.int64]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Batch:
    """A batch of samples: inputs, and the outputs that came back.

    Attributes:
        inputs: indices of the inputs, shape (n,).
        outputs: what came back, of length n, without its form.
        forms: of each output (see `forms`), where one has a form that is not the usual one.
        memo: what was read in outputs that several batches share.
    """

    inputs: NDArray[np.int64]
    outputs: Outputs
    forms: Sequence[str] | None = None
    memo: Memo = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Put values and forms apart."""
        outputs = self.outputs
        if not isinstance(outputs, np.ndarray) and Formed in {*map(type, outputs)}:
            object.__setattr__(self, "forms", [*map(form_of, outputs)])
            object.__setattr__(self, "outputs", [*map(bare, outputs)])

    def __len__(self) -> int:
        return len(self.inputs)

    @cached_property
    def matrix(self) -> tuple[NDArray[Any], type | None] | None:
        """Outputs as rows of numbers, where all are sequences of one length and one item type.

        With the Python type of the items, None for those of an array.
        """
        outputs = self.outputs
        if isinstance(outputs, np.ndarray):
            fits = outputs.ndim == 2 and outputs.dtype.kind in _NUMERIC
            return (_real(outputs), None) if fits else None
        if not outputs:
            return None
        first = type(outputs[0])
        if first not in (list, tuple, np.ndarray) or {*map(type, outputs)} != {first}:
            return None
        if first is np.ndarray:
            shapes = {(o.shape, o.dtype.str) for o in outputs}
            if len(shapes) != 1 or outputs[0].ndim == 0 or outputs[0].dtype.kind not in _NUMERIC:
                return None
            return _real(np.stack(outputs).reshape(len(outputs), -1)), None
        if len({*map(len, outputs)}) != 1:
            return None
        types = {*map(type, chain.from_iterable(outputs))}
        if len(types) != 1 or (only := types.pop()) not in _PLAIN:
            return None
        try:
            return np.array(outputs, dtype=_PLAIN[only]), only
        except OverflowError:  # integers beyond 64 bits
            return None

    @cached_property
    def parts(self) -> list[list[Any] | None]:
        """The items of each output, read to the leaves where they hold others."""
        return [each.parts for each in self.leaves]

    @cached_property
    def names(self) -> list[list[Any]]:
        """Keys, names and members of sets in each output; see `leaves`."""
        return [each.names for each in self.leaves]

    @cached_property
    def leaves(self) -> list[Leaves]:
        """All that each output holds."""
        return self._once("leaves", lambda outputs: map(leaves, outputs))

    @cached_property
    def held(self) -> list[frozenset[str]]:
        """The set of texts of all that an output holds at any depth, for each output.

        A text is what `keys.plain` makes: 3, numpy's 3 and "3" have one.
        """
        return self._once("held", lambda outputs: texts(outputs, plain))

    @cached_property
    def keys(self) -> list[frozenset[str]]:
        """The set of texts of all that an output holds at any depth, for each output.

        A text is what `keys.key` makes: no two values that can be told apart have one.
        """
        return self._once("keys", lambda outputs: texts(outputs, key))

    def _once(self, what: str, read: Callable[[Iterable[Any]], Iterable[_Read]]) -> list[_Read]:
        """Read each output that no batch of the same samples has read so."""
        if isinstance(self.outputs, np.ndarray):
            return [*read(self.outputs)]
        memo, outputs = self.memo, self.outputs
        new = {id(o): o for o in outputs if (what, id(o)) not in memo}
        for output, found in zip(new.values(), read(new.values()), strict=True):
            memo[what, id(output)] = output, found
        return [memo[what, id(output)][1] for output in outputs]

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """Outputs as floats, where every single one is a number."""
        outputs = self.outputs
        if isinstance(outputs, np.ndarray):
            fits = outputs.ndim == 1 and outputs.dtype.kind in "fiu"
            return outputs.astype(np.float64) if fits else None
        if all(map(is_number, outputs)):
            try:
                return np.array([float(o) for o in outputs])
            except OverflowError:
                return None
        return None

    @cached_property
    def reports(self) -> tuple[Batch, NDArray[np.int64]] | None:
        """The items of lists and tuples as samples of their own; None where there are none.

        With the row of this batch that each belongs to.
        """
        outputs = self.outputs
        if isinstance(outputs, np.ndarray):
            return None
        held = [items(o) or () if isinstance(o, list | tuple) else () for o in outputs]
        own = np.repeat(np.arange(len(self)), [len(each) for each in held])
        return (Batch(self.inputs[own], [*chain.from_iterable(held)]), own) if len(own) else None

    def take(self, rows: NDArray[Any]) -> Batch:
        """The samples at these rows, or where a mask is true."""
        if rows.dtype == np.bool_:
            rows = np.flatnonzero(rows)
        if isinstance(self.outputs, np.ndarray):
            return Batch(self.inputs[rows], self.outputs[rows])
        outputs, forms, at = self.outputs, self.forms, rows.tolist()
        return Batch(
            self.inputs[rows],
            [outputs[i] for i in at],
            None if forms is None else [forms[i] for i in at],
            self.memo,
        )


def _real(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return complex numbers as two columns each, others as they are."""
    if matrix.dtype.kind != "c":
        return matrix
    return np.stack([matrix.real, matrix.imag], axis=-1).reshape(len(matrix), -1)


def joined(batches: Iterable[Batch]) -> Batch:
    """All samples in one batch, in order."""
    parts = list(batches)
    if not parts:
        return Batch(np.zeros(0, np.int64), [])
    inputs = np.concatenate([part.inputs for part in parts])
    arrays = [part.outputs for part in parts if isinstance(part.outputs, np.ndarray)]
    if len(arrays) == len(parts) and len({(a.shape[1:], a.dtype.str) for a in arrays}) == 1:
        return Batch(inputs, np.concatenate(arrays))
    forms = None
    if any(part.forms is not None for part in parts):
        forms = [*chain.from_iterable(part.forms or [""] * len(part) for part in parts)]
    return Batch(inputs, [*chain.from_iterable(part.outputs for part in parts)], forms)


def coded(values: Iterable[str]) -> Coded:
    """Texts as codes in the order in which they first come."""
    seen: dict[str, int] = {}
    codes = [seen.setdefault(value, len(seen)) for value in values]
    return Coded(np.array(codes, dtype=np.int64), tuple(seen))


def coded_column(column: NDArray[Any], plain: type | None) -> Coded:
    """A column of numbers as codes; equal numbers with different bits are different."""
    bits = column
    if column.dtype.kind == "f":
        bits = np.ascontiguousarray(column).view(f"u{column.dtype.itemsize}")
    _, first, codes = np.unique(bits, return_index=True, return_inverse=True)
    labels = [key(plain(column[i]) if plain else column[i]) for i in first.tolist()]
    return Coded(codes.astype(np.int64).ravel(), tuple(labels))
