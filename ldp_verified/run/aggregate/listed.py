"""Estimates of some values only: an oracle's numbers for a list of candidates."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from ldp_verified.errors import DomainError

if TYPE_CHECKING:
    from ldp_verified.run.aggregate.identity import Identity
    from ldp_verified.run.aggregate.oracle import Counters, Floats, FrequencyOracle


def check_values(values: object, k: int) -> tuple[int, ...]:
    """Candidates as integers.

    Args:
        values: one or more integers in 0..k-1, public ones. k: the number of values.

    Raises:
        DomainError: something else.
    """
    # An array without an axis has `__iter__`, and raises when it is called.
    single = isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0
    if single or not isinstance(values, Iterable):
        raise DomainError("values", "must be several integers", type(values))
    found = []
    for value in values:
        if isinstance(value, bool | np.bool_) or not isinstance(value, SupportsIndex):
            raise DomainError("values", "must be integers", type(value))
        try:
            number = operator.index(value)
        except TypeError:  # an array of several numbers, or a missing number of a table
            raise DomainError("values", "must be integers", type(value)) from None
        if not 0 <= number < k:
            raise DomainError("values", f"must be integers in 0..{k - 1}", number)
        found.append(number)
    if not found:
        raise DomainError("values", "must be one or more", 0)
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
        """Return the identity of the reports that belong to it."""
        return self.oracle.identity

    def estimated(self, n: int, counters: Counters) -> Floats:
        """The same of each candidate's support, float64 (k,)."""
        return self.oracle.estimated(n, counters)

    def plug_in(self, shares: Floats, n: int) -> Floats:
        """The line at the shares, clipped to [0, 1].

        Where functions were drawn once for all users, collisions are counted as if all others held
        one value: what the rest of the users hold is not known here.
        """
        a, b = self.oracle.variance_line(n)
        return np.asarray(a + b * np.clip(shares, 0.0, 1.0))

    def variance_line(self, n: int) -> tuple[Floats, Floats]:
        """(a, b), the same for each candidate."""
        return self.oracle.variance_line(n)

    @property
    def half_step(self) -> Floats:
        """Half of what a support adds."""
        return self.oracle.half_step
