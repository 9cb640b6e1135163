"""Run algorithms that ask for means of functions, one after the other.

An algorithm is a generator: it yields a function of one record, and gets the answer back. So the
next function may depend on all answers so far, and an algorithm knows nothing of who answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ldp_verified.errors import DomainError, ParameterError, type_name
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.values import value_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Function: TypeAlias = Callable[[Any], Any]
"""A function from a record to a number, or to a vector of numbers."""

Algorithm: TypeAlias = "Callable[[], Generator[Function, Any, Any]] | Generator[Function, Any, Any]"
"""A generator that yields functions and is sent their means, or a function that makes one."""

MOST_ALONE = 32
"""Records whose values are computed again alone, where a function takes many at once."""

AGREEMENT = 1e-9
"""How far both values may differ, in widths of the bounds; sums in another order round."""


class Asking:
    """Hold a running algorithm and the function that it asks about.

    Args:
        algorithm: see `Algorithm`. queries: how many functions it may ask about.

    Raises:
        ParameterError: it is no generator, or what it asks about is no function.
    """

    def __init__(self, algorithm: Algorithm, queries: int) -> None:
        self._most = check_integer("queries", queries, 1, 1 << 31)
        made = algorithm() if callable(algorithm) else algorithm
        if not isinstance(made, Generator):
            rule = "must be a generator function: it yields functions and returns a result"
            raise ParameterError("algorithm", rule, type(made).__name__)
        self._running = made
        self.number = -1
        self.question: Function | None = None
        self.result: Any = None
        self._go_on(None)

    @property
    def done(self) -> bool:
        """Return whether the algorithm has returned its result."""
        return self.question is None

    def answer(self, value: Any) -> None:
        """Hand the algorithm an answer, and let it go on to its next question.

        Args:
            value: a float, or float64 (d,).

        Raises:
            ParameterError: it is done, or asks more than it may, or about what is no function.
        """
        if self.done:
            raise ParameterError("answer", "must be called while the algorithm asks")
        self._go_on(value)

    def _go_on(self, value: Any) -> None:
        try:
            asked = self._running.send(value)
        except StopIteration as stop:
            self.question, self.result = None, stop.value
            return
        self.number += 1
        if self.number == self._most:
            self._running.close()
            rule = f"must ask {self._most} queries at most, as planned"
            raise ParameterError("algorithm", rule)
        if not callable(asked):
            self._running.close()
            rule = "must be functions of a record"
            raise ParameterError(f"query {self.number}", rule, type(asked).__name__)
        self.question = asked


def values_of(
    question: Function,
    records: Any,
    bounds: tuple[float, float],
    d: int | None,
    *,
    many_at_once: bool = False,
    name: str = "query",
) -> Floats:
    """Compute a function of each record and check its values before anything is drawn.

    Args:
        question: a function of a record. records: an array whose first axis are users, or a
            sequence with a record for each.
        bounds: of its values. d: of how many numbers a value consists; None for one.
        many_at_once: whether the function takes the records of many users at once. It must not mix
            them: the values of up to 32 records are computed again from each record alone.
        name: of the query, for errors.

    Returns:
        float64 (m,), or (m, d).

    Raises:
        DomainError: values of another shape, not finite or out of bounds, or that depend on the
            records of others. The message holds no value.
    """
    shape = (len(records),) if d is None else (len(records), d)
    if many_at_once:
        found = _numbers(question(records), name)
    else:
        found = _numbers([question(record) for record in records], name)
    if found.shape != shape:
        raise DomainError(name, f"must have values of the shape {shape}", found.shape)
    low, high = bounds
    if not np.all((found >= low) & (found <= high)):
        raise DomainError(name, f"must have values in {low}..{high} for every record")
    if many_at_once and len(records) > 1:
        for place in np.linspace(0, len(records) - 1, MOST_ALONE).astype(int):
            alone = _numbers(question(records[place : place + 1]), name)
            if alone.shape != found[:1].shape or not np.allclose(
                alone[0], found[place], rtol=0, atol=AGREEMENT * (high - low)
            ):
                raise DomainError(name, "must say of a user what the user's own record says")
    return found


def check_records(records: Any, least: int) -> int:
    """Check the records and count the users.

    Args:
        records: an array whose first axis are users, or a list or tuple of records. Columns of
            other libraries are refused: theirs may be looked up by labels.
        least: users at least.

    Raises:
        DomainError: something else, or fewer users.
    """
    flat = isinstance(records, np.ndarray) and records.ndim == 0
    if flat or not isinstance(records, list | tuple | np.ndarray):
        rule = "must be a list, a tuple or a numpy array, with a record for each user"
        raise DomainError("records", rule, type(records).__name__)
    if len(records) < least:
        raise DomainError("records", f"must be of {least} users or more", len(records))
    return len(records)


def _numbers(values: Any, name: str) -> Floats:
    found = value_array(values, name)
    if found.dtype.kind not in "biuf":
        raise DomainError(name, "must have numbers as values", type_name(found))
    return found.astype(np.float64)


def exact_queries(
    algorithm: Algorithm,
    records: Any,
    *,
    queries: int,
    bounds: tuple[float, float] = (-1.0, 1.0),
    d: int | None = None,
    many_at_once: bool = False,
) -> Any:
    """Run an algorithm on the exact means, without any privacy, for comparison.

    Args:
        algorithm: see `Algorithm`. records: of all users; every query is asked about all of them.
        queries, bounds, d: as in `LocalQueries`. many_at_once: as in `values_of`.

    Returns:
        What the algorithm returns.

    Raises:
        DomainError: as `check_records` and `values_of`. ParameterError: as `Asking`.
    """
    check_records(records, 1)
    asking = Asking(algorithm, queries)
    while asking.question is not None:
        name = f"query {asking.number}"
        found = values_of(asking.question, records, bounds, d, many_at_once=many_at_once, name=name)
        mean = found.mean(axis=0)
        asking.answer(float(mean) if d is None else mean)
    return asking.result
