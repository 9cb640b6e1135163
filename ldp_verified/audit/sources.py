"""Where samples come from: a function, a program, files, or this package's own mechanisms."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ldp_verified.audit.batch import Batch, Outputs
from ldp_verified.audit.keys import Raised, settle
from ldp_verified.errors import ParameterError

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

FIRST_BATCH = 1 << 9
BATCH = 1 << 14
"""Samples drawn at once, where a target does not say otherwise."""


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
        """Whether it can be asked again: false for files."""

    def sizes(self, n: int, learning: float) -> tuple[int, int, float]:
        """Samples for learning and for testing, and the probability that they are fewer."""

    def batches(self, count: int, rng: np.random.Generator, part: int) -> Iterator[Batch]:
        """`count` samples of part 0 (learning) or 1 (testing), in batches."""

    def close(self) -> None:
        """Free what it holds."""


def check_inputs(inputs: Sequence[Any]) -> tuple[Any, ...]:
    """At least two inputs, all different.

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
class Drawn:
    """A target that is asked for outputs of inputs that the auditor draws.

    Attributes:
        name: see `Source`.
        inputs: see `Source`.
        ask: from indices of inputs, shape (m,), to m outputs.
        batch: how many to ask for at once.
        on_close: called by `close`.
    """

    name: str
    inputs: tuple[Any, ...]
    ask: Callable[[NDArray[np.int64]], Outputs]
    batch: int = BATCH
    on_close: Callable[[], None] = field(default=lambda: None)
    live: bool = True

    def sizes(self, n: int, learning: float) -> tuple[int, int, float]:
        """As asked for."""
        first = round(n * learning)
        return first, n - first, 0.0

    def batches(self, count: int, rng: np.random.Generator, part: int) -> Iterator[Batch]:
        """Independent samples; parts do not differ."""
        del part
        at_once = FIRST_BATCH
        while count > 0:
            size = min(count, at_once, self.batch)
            at_once *= 2
            indices = rng.integers(0, len(self.inputs), size=size)
            outputs = self.ask(indices)
            if len(outputs) != size:
                raise ParameterError(self.name, f"must give {size} outputs", len(outputs))
            yield Batch(indices, outputs)
            count -= size

    def close(self) -> None:
        """Stop what was started."""
        self.on_close()


def from_callable(
    function: Callable[[Any], Any], inputs: Sequence[Any], name: str | None = None
) -> Drawn:
    """A function of one private value, called once for each report.

    An exception is an output like any other; an iterator that it returns is read at once.
    """
    labels = check_inputs(inputs)

    def ask(indices: NDArray[np.int64]) -> list[Any]:
        return [call(function, labels[i]) for i in indices.tolist()]

    return Drawn(_name(function, name), labels, ask)


def _name(function: Callable[..., Any], given: str | None) -> str:
    return given or str(getattr(function, "__qualname__", repr(function)))


def call(function: Callable[[Any], Any], value: Any) -> Any:
    """One output; exceptions are outputs, except those that ask the process to stop."""
    try:
        return settle(function(value))
    except Exception as error:
        return Raised(type(error).__name__, str(error))


def from_bulk(
    function: Callable[[Any], Any], inputs: Sequence[Any], name: str | None = None
) -> Drawn:
    """A function of a sequence of private values that gives a sequence of reports."""
    labels = check_inputs(inputs)
    whole = all(type(label) is int for label in labels)
    numbers = np.array(labels, dtype=np.int64) if whole else None

    def ask(indices: NDArray[np.int64]) -> Outputs:
        if numbers is not None:
            found = function(numbers[indices])
        else:
            found = function([labels[i] for i in indices.tolist()])
        return found if isinstance(found, np.ndarray) else list(found)

    return Drawn(_name(function, name), labels, ask, 4 * BATCH)


class _Names(dict[str, Any]):
    """The names of a module, those that it makes when they are first asked for included."""

    def __init__(self, module: ModuleType) -> None:
        super().__init__()
        self.module = module

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise KeyError(name) from None


def resolve(reference: str) -> Any:
    """The object that `package.module:expression` names, evaluated inside that module.

    Raises:
        ParameterError: the module cannot be imported or the expression fails.
    """
    module, colon, expression = reference.partition(":")
    if not colon or not expression.strip():
        raise ParameterError("TARGET", "must be of the form package.module:expression", reference)
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = importlib.import_module(module)
        return eval(expression, vars(found), _Names(found))
    except Exception as error:
        problem = f"must be importable and run ({type(error).__name__}: {error})"
        raise ParameterError("TARGET", problem, reference) from error
