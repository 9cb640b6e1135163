"""Readings of outputs: which inputs does an output speak for?

A reading is a name, so that a finding can be replayed.

    same            the output is one of the inputs, and speaks for it
    same:I          item I of the output is
    bits            item v of the output is true: it speaks for value v
    set             the output is a collection of inputs, and speaks for each
    hash:MOD:FUNC   the output is (seed, bucket); it speaks for every v with FUNC(seed, v) = bucket
    says:MOD:FUNC   FUNC(output, v) says so
    digits:B,G      the output is m coefficients a and a bucket b; it speaks for every integer v
                    with sum of a_i times digit i of v in base B = b mod G (as this package hashes)
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.audit.keys import Consumed, Raised, items, key
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ldp_verified.audit.batch import Batch

NAMES = ("same", "bits", "set", "hash", "says", "digits")


def function(reference: str) -> Callable[..., Any]:
    """`package.module:name`, where name may be dotted.

    Raises:
        ParameterError: there is no such function.
    """
    module, _, name = reference.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ParameterError("reading", f"must name a function ({error})", reference) from None
    if not callable(found):
        raise ParameterError("reading", "must name a function", reference)
    return found  # type: ignore[no-any-return]  # what the line above has checked


@dataclass(frozen=True)
class Reading:
    """How to read outputs.

    Attributes:
        name: see the module.
        inputs: the audited inputs, whose indices are values.
    """

    name: str
    inputs: tuple[Any, ...]

    @property
    def single(self) -> bool:
        """Whether an output speaks for at most one input."""
        return self.name.partition(":")[0] == "same"

    @cached_property
    def positions(self) -> dict[str, int]:
        """The index of each input by its text."""
        return {_plain(label): i for i, label in enumerate(self.inputs)}

    @cached_property
    def _slots(self) -> NDArray[np.int64]:
        """Which item of a bit vector belongs to each input: itself where inputs are integers."""
        if all(isinstance(label, int) and label >= 0 for label in self.inputs):
            return np.array(self.inputs, dtype=np.int64)
        return np.arange(len(self.inputs))

    @cached_property
    def _function(self) -> Callable[..., Any]:
        return function(self.name.partition(":")[2])

    def guesses(self, batch: Batch) -> NDArray[np.int64]:
        """The input that each output speaks for, -1 for none."""
        rest = self.name.partition(":")[2]
        outputs = batch.outputs
        if isinstance(outputs, np.ndarray) and outputs.ndim == (2 if rest else 1):
            if rest and not -outputs.shape[1] <= int(rest) < outputs.shape[1]:
                return np.full(len(batch), -1, dtype=np.int64)
            column = outputs[:, int(rest)] if rest else outputs
            found, codes = np.unique(column, return_inverse=True)
            table = [self.positions.get(_plain(value), -1) for value in found.tolist()]
            return np.array(table, dtype=np.int64)[codes.ravel()]
        positions = self.positions
        if not rest:
            return np.array([positions.get(_plain(o), -1) for o in outputs], dtype=np.int64)
        at = int(rest)
        parts = (items(output) or () for output in outputs)
        return np.array(
            [positions.get(_plain(p[at]), -1) if -len(p) <= at < len(p) else -1 for p in parts],
            dtype=np.int64,
        )

    def supports(self, batch: Batch, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each output speaks for the input at the index chosen for it."""
        head = self.name.partition(":")[0]
        if head == "same":
            return np.asarray(self.guesses(batch) == chosen)
        if head == "digits":
            return self._digits(batch, chosen)
        if head == "bits":
            return self._bits(batch, self._slots[chosen])
        if head == "set":
            wanted = [_plain(self.inputs[i]) for i in range(len(self.inputs))]
            return np.array(
                [
                    wanted[i] in {_plain(part) for part in _collection(output)}
                    for output, i in zip(batch.outputs, chosen.tolist(), strict=True)
                ],
                dtype=np.bool_,
            )
        says: Callable[[Any, Any], bool] = self._hashed if head == "hash" else self._says
        return np.array(
            [
                says(output, self.inputs[i])
                for output, i in zip(batch.outputs, chosen.tolist(), strict=True)
            ],
            dtype=np.bool_,
        )

    def _bits(self, batch: Batch, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        if batch.matrix is not None:
            matrix = batch.matrix[0]
            inside = slots < matrix.shape[1]
            found = matrix[np.arange(len(batch)), np.where(inside, slots, 0)]
            return np.asarray((found > 0) & inside)
        rows = []
        for output, slot in zip(batch.outputs, slots.tolist(), strict=True):
            parts = items(output) or ()
            rows.append(slot < len(parts) and parts[slot] not in (0, "0", False, -1, ""))
        return np.array(rows, dtype=np.bool_)

    def _digits(self, batch: Batch, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        if batch.matrix is None:
            return np.zeros(len(batch), dtype=np.bool_)
        base, buckets = (int(part) for part in self.name.partition(":")[2].split(","))
        rows = batch.matrix[0].astype(np.int64)
        rest = np.array(self.inputs, dtype=np.int64)[chosen]
        total = np.zeros(len(batch), dtype=np.int64)
        for i in range(rows.shape[1] - 1):
            total += rows[:, i] * (rest % base)
            rest = rest // base
        return np.asarray(total % buckets == rows[:, -1])

    def _hashed(self, output: Any, value: Any) -> bool:
        parts = items(output) or ()
        return len(parts) == 2 and bool(self._function(parts[0], value) == parts[1])

    def _says(self, output: Any, value: Any) -> bool:
        return not isinstance(output, Raised) and bool(self._function(output, value))


def _plain(value: Any) -> str:
    """A label as text: 3, numpy's 3 and "3" of a line of text are the same input."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else key(value)


def _collection(output: Any) -> Any:
    if isinstance(output, set | frozenset):
        return output
    return output.items if isinstance(output, Consumed) else (items(output) or ())


def check(name: str) -> None:
    """Refuse a name that is no reading."""
    head, _, rest = name.partition(":")
    if head not in NAMES or (head in ("hash", "says")) != (":" in rest):
        raise ParameterError("reading", f"must be one of {', '.join(NAMES)} with its part", name)
    if head in ("hash", "says"):
        function(rest)


def plausible(batch: Batch, inputs: Sequence[Any]) -> list[str]:
    """Readings that the outputs of a sample allow."""
    labels = tuple(inputs)
    found = []
    sample = batch.take(np.arange(min(len(batch), 2000)))
    if np.mean(Reading("same", labels).guesses(sample) >= 0) > 0.01:
        found.append("same")
    widths = {len(parts) for o in sample.outputs if (parts := items(o)) is not None}
    slots = [*range(min([*widths, 8])), -1] if widths else []
    found += [
        f"same:{at}"
        for at in slots
        if np.mean(Reading(f"same:{at}", labels).guesses(sample) >= 0) > 0.01
    ]
    if widths and min(widths) >= len(labels) and len(widths) == 1:
        found.append("bits")
    collections = [o for o in sample.outputs if isinstance(o, set | frozenset | list | tuple)]
    if collections:
        known = {_plain(label) for label in labels}
        if any(_plain(part) in known for o in collections for part in _collection(o)):
            found.append("set")
    return found
