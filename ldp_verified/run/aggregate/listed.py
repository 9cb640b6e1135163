"""Estimates of some values only: an oracle's numbers for a list of candidates."""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.scalars import is_iterable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Counters, Floats, FrequencyOracle


def check_each_once(values: Sequence[object], name: str = "values") -> None:
    """Refuse public candidates of which one stands there twice: it would count as two of them.

    Args:
        values: several, which have hashes. name: what messages call them.

    Raises:
        ParameterError: they are not all different.
    """
    seen = set()
    for value in values:
        if value in seen:
            plain = value.item() if isinstance(value, np.generic) else value
            raise ParameterError(name, f"{reprlib.repr(plain)} is named twice")
        seen.add(value)


def check_codes_once(codes: NDArray[Any], name: str = "values") -> None:
    """Refuse no candidates, and such of which one stands there twice.

    Args:
        codes: a number or a row for each. name: what messages call the candidates.

    Raises:
        ParameterError: there are none, or they are not all different.
    """
    if not len(codes):
        raise ParameterError(name, "must be one or more", 0)
    _, first = np.unique(codes, axis=0, return_index=True)
    if len(first) < len(codes):
        again = np.setdiff1d(np.arange(len(codes)), first)[0]
        raise ParameterError(f"{name}[{again}]", "must not be one that is named before it")


def check_values(values: object, k: int, name: str = "values") -> tuple[int, ...]:
    """Candidates as integers.

    Args:
        values: one or more integers in 0..k-1, each once, public ones. k: the number of values.
        name: what messages call them.

    Raises:
        DomainError: something else. ParameterError: one stands there twice.
    """
    if isinstance(values, str | bytes) or not is_iterable(values):
        raise DomainError(name, "must be several integers", type(values))
    found = []
    for value in values:
        if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex):
            raise DomainError(name, "must be integers", type(value))
        try:
            number = operator.index(value)
        except TypeError:  # an array of several numbers, or a missing number of a table
            raise DomainError(name, "must be integers", type(value)) from None
        if not 0 <= number < k:
            raise DomainError(name, f"must be integers in 0..{k - 1}", number)
        found.append(number)
    if not found:
        raise DomainError(name, "must be one or more", 0)
    check_each_once(found, name)
    return tuple(found)


@dataclass(frozen=True)
class Listed:
    """The estimator of an oracle whose reports support values, for some of its values.

    Attributes:
        oracle: of all values. k: how many candidates there are.
    """

    oracle: FrequencyOracle
    k: int

    @property
    def identity(self) -> Identity:
        """Return the identity of the reports that this estimator counts."""
        return self.oracle.identity

    def estimated(self, n: int, counters: Counters) -> Floats:
        """The oracle's estimate for each candidate, float64 (k,)."""
        return self.oracle.estimated(n, counters)

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The line at the shares, clipped to [0, 1].

        Where functions were drawn once for all users, collisions are counted as if all others held
        one value: what the rest of the users hold is not known here.
        """
        a, b = self.oracle.variance_line(n)
        return np.asarray(a + b * np.clip(shares, 0.0, 1.0))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """(a, b) of the oracle's variance line, the same for each candidate."""
        return self.oracle.variance_line(n)

    @property
    def half_step(self) -> Floats:
        """Half of what a support adds."""
        return self.oracle.half_step
