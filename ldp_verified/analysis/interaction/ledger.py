"""A ledger of who was asked what, and of what it cost: every user is asked once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.analysis.account.rounding import number
from ldp_verified.errors import ParameterError
from ldp_verified.run.aggregate.shared import Turns
from ldp_verified.run.realize.parameters import check_integer
from ldp_verified.run.realize.values import value_array

if TYPE_CHECKING:
    from numpy.typing import NDArray

NOBODY = -1
"""The number of the query of a user who was not asked."""

MOST_USERS = 1 << 32


class Ledger:
    """A record of the query that each user answered, and of the epsilon that it cost.

    Args:
        n: users. epsilon: of one report.

    Raises:
        ParameterError: fewer than one user, or `epsilon` is no finite number that is at least 0.
    """

    def __init__(self, n: int, epsilon: float) -> None:
        number("epsilon", epsilon, low=0)
        self.epsilon = epsilon
        self._turns = Turns()
        self._asked = np.full(check_integer("n", n, 1, MOST_USERS), NOBODY, dtype=np.int32)

    def charge(self, users: Any, query: int) -> None:
        """Write down that these users are about to answer a query.

        Args:
            users: their numbers, an array or list of integers, shape (m,).
            query: its number, from 0.

        Raises:
            ParameterError: they are no list of integers, or one of them was asked before, or is
                named twice; nothing is written down then.
        """
        check_integer("query", query, 0, (1 << 31) - 1)
        given = value_array(users, "users", ParameterError)
        if given.ndim != 1 or (len(given) and given.dtype.kind not in "iu"):
            rule = "must be integers along one axis"
            raise ParameterError("users", rule, f"{given.dtype} of shape {given.shape}")
        if len(given) and not (given.min() >= 0 and given.max() < len(self._asked)):
            raise ParameterError("users", f"must be numbers in 0..{len(self._asked) - 1}")
        places = given.astype(np.int64)
        if len(np.unique(places)) < len(places):
            raise ParameterError("users", "must be named once each")
        # In one turn: else two threads would both find that a user was not asked.
        with self._turns.taken():
            before = places[self._asked[places] != NOBODY]
            if len(before):
                raise ParameterError("users", "must not have answered before", int(before[0]))
            self._asked[places] = query

    @property
    def asked(self) -> NDArray[np.int32]:
        """The number of the query that each user answered, int32 (n,); -1 for none."""
        return self._asked.copy()

    @property
    def spent(self) -> NDArray[np.float64]:
        """The epsilon that each user has spent, float64 (n,): that of one report, or 0."""
        return np.where(self._asked == NOBODY, 0.0, self.epsilon)

    @property
    def answered(self) -> int:
        """The number of users who answered a query."""
        return int(np.count_nonzero(self._asked != NOBODY))

    @property
    def most(self) -> float:
        """The largest epsilon that a user has spent."""
        return self.epsilon if self.answered else 0.0

    def __str__(self) -> str:
        users = f"{self.answered:,} of {len(self._asked):,} users answered one query each"
        return f"{users}, at epsilon = {self.epsilon:.6g}; nobody answered two"
