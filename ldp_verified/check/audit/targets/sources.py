"""Draw samples from a function, a program, files, or this package's own mechanisms."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ldp_verified.check.audit.budget import SpentError
from ldp_verified.check.audit.targets.batch import Batch, Outputs
from ldp_verified.check.audit.targets.called import resolve
from ldp_verified.check.audit.targets.isolated import Asked, Here, asked_here
from ldp_verified.check.audit.targets.outputs import call
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "DrawnSamples",
    "Source",
    "call",
    "check_inputs",
    "from_asked",
    "from_bulk",
    "from_callable",
]
__all__ += ["resolve"]

FIRST_BATCH = 1 << 9
BATCH = 1 << 14
"""Samples drawn at once, where a target does not say otherwise."""

QUICK = 1.0
"""Batches grow as long as one takes less than so many seconds."""


class Source(Protocol):
    """Samples with inputs drawn uniformly, independent of each other."""

    @property
    def inputs(self) -> tuple[Any, ...]:
        """The audited inputs."""

    @property
    def name(self) -> str:
        """The target, as a person would name it."""

    @property
    def live(self) -> bool:
        """Return whether the source can be asked again: false for files."""

    @property
    def left(self) -> Callable[[], float]:
        """Tell the seconds that are left for the audit: infinity where they have no limit."""

    @property
    def cut(self) -> str:
        """Why the last part had fewer samples than it was asked for; empty where it had not."""

    def sizes(self, n: int, learning: float) -> tuple[int, int, float]:
        """Samples for learning and for testing, and the probability that they are fewer."""

    def batches(self, count: int, rng: np.random.Generator, part: int) -> Iterator[Batch]:
        """`count` samples of part 0 (learning) or 1 (testing), in batches."""

    def close(self) -> None:
        """Free what the source holds."""


def check_inputs(inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Check that there are at least two inputs, all different.

    Raises:
        ParameterError: they are not.
    """
    found = tuple(inputs)
    if len(found) < 2:
        raise ParameterError("inputs", "must be at least two", len(found))
    shown = [f"{type(value).__name__} {value!r}" for value in found]
    if len(set(shown)) < len(shown):
        raise ParameterError("inputs", "must be different from each other", list(found))
    return found


@dataclass(eq=False)
class DrawnSamples:
    """A target that is asked for outputs of inputs that the auditor draws.

    Attributes:
        name: see `Source`.
        inputs: see `Source`.
        ask: from indices of inputs, shape (m,), to m outputs.
        batch: how many to ask for at once.
        on_close: called by `close`.
        on_part: called where a part begins.
        cut: see `Source`.
        beside: what stands beside the answers (see `beside`), where it can be had.
        left: see `Source`.
    """

    name: str
    inputs: tuple[Any, ...]
    ask: Callable[[NDArray[np.int64]], Outputs]
    batch: int = BATCH
    on_close: Callable[[], None] = field(default=lambda: None)
    live: bool = True
    on_part: Callable[[], None] = field(default=lambda: None)
    cut: str = ""
    beside: Callable[[NDArray[np.int64]], list[Any]] | None = None
    left: Callable[[], float] = field(default=lambda: math.inf)

    def sizes(self, n: int, learning: float) -> tuple[int, int, float]:
        """Split n samples into learning and testing as asked; the chance to get fewer is 0."""
        first = round(n * learning)
        return first, n - first, 0.0

    def batches(self, count: int, rng: np.random.Generator, part: int) -> Iterator[Batch]:
        """Independent samples; parts do not differ."""
        del part
        self.cut = ""
        self.on_part()
        at_once, each = FIRST_BATCH, 0.0
        while count > 0 and not self.cut:
            size = min(count, at_once, self.batch)
            left = max(self.left(), 0.0)
            if each * size > left:  # no more than there is time to judge
                size = max(int(left / each), 1)
            indices = rng.integers(0, len(self.inputs), size=size)
            started = time.monotonic()
            try:
                outputs = self.ask(indices)
            except SpentError as spent:
                self.cut, outputs = spent.why, spent.outputs
                indices = indices[: len(outputs)]
            if time.monotonic() - started < QUICK:
                at_once *= 2
            if len(outputs) != len(indices):
                raise ParameterError(self.name, f"must give {size} outputs", len(outputs))
            if len(indices):
                yield Batch(indices, outputs)
                each = (time.monotonic() - started) / len(indices)
            count -= size

    def close(self) -> None:
        """Stop what was started."""
        self.on_close()


def from_callable(
    function: Callable[[Any], Any], inputs: Sequence[Any], name: str | None = None
) -> DrawnSamples:
    """A function of one private value, called in this process once for each report.

    An exception is an output like any other; an iterator that it returns is read at once.

    Args:
        function: one private value in, one report out. inputs: the private values.
        name: the target's name in results; the function's own by default.

    Returns:
        A source of samples.

    Raises:
        ParameterError: there are fewer than two inputs, or two are equal.
    """
    return from_asked(Here(function), inputs, _name(function, name))


def _name(function: Callable[..., Any], given: str | None) -> str:
    return given or str(getattr(function, "__qualname__", repr(function)))


def from_bulk(
    function: Callable[[Any], Any], inputs: Sequence[Any], name: str | None = None
) -> DrawnSamples:
    """A function of a sequence of private values that gives a sequence of reports.

    It is called in this process; a batch that fails is asked again value by value.

    Args:
        function: a sequence of private values in, a sequence of reports out.
        inputs: the private values.
        name: the target's name in results; the function's own by default.

    Returns:
        A source of samples.

    Raises:
        ParameterError: there are fewer than two inputs, or two are equal.
    """
    here = asked_here(function, bulk=True)
    return from_asked(here, inputs, _name(function, name), bulk=True)


def from_asked(
    asked: Asked, inputs: Sequence[Any], name: str, *, bulk: bool = False
) -> DrawnSamples:
    """A Python target, in a process of its own or in this one.

    Args:
        asked: the target.
        inputs: to audit.
        name: as a person would name it.
        bulk: it takes many values at once.
    """
    labels = check_inputs(inputs)
    failed = False

    def ask(indices: NDArray[np.int64]) -> Outputs:
        nonlocal failed
        if bulk and not failed:
            found = asked.bulk(labels, indices.tolist())
            if isinstance(found, np.ndarray | list):
                return found
            failed = True  # which value it was shows where they are asked one by one
        return asked.calls(labels, indices.tolist())

    size = 4 * BATCH if bulk else BATCH
    return DrawnSamples(name, labels, ask, size, on_close=asked.close, on_part=asked.part)
