"""Many memoised clients at once, for experiments: the reports of a day without a loop over users.

A permanent answer is drawn when it is first needed and kept, as a client's is. The words come from
one simulated source instead of a secret for each device, so nothing here protects anybody; the
joint law of all reports of all days is that of as many clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ldp_verified.aggregate.reports import Reports
from ldp_verified.errors import DomainError, ParameterError
from ldp_verified.kernels.family import digit_count, evaluate
from ldp_verified.kernels.grr import grr
from ldp_verified.kernels.seeds import word_source
from ldp_verified.protocols.loloha import LOLOHA
from ldp_verified.protocols.longitudinal import LGRR, WIDTH, Longitudinal
from ldp_verified.protocols.longitudinal_bits import UnaryTwice
from ldp_verified.protocols.uniform import uniform_numbers
from ldp_verified.realize.parameters import check_integer
from ldp_verified.realize.values import encode

if TYPE_CHECKING:
    from typing import SupportsIndex

    from numpy.typing import NDArray

MOST_CLIENTS = 1 << 28


class MemoPopulation:
    """Clients of one deployment who keep their permanent answers from day to day.

    Args:
        deployment: `LGRR`, `LOLOHA` or a memoised unary encoding. users: how many clients.
        rng: a seed or a numpy Generator; None for the secure source. Reports are marked as
            simulated in any case.

    Raises:
        ParameterError: another deployment, no number of users, or a bad `rng`.
    """

    def __init__(
        self,
        deployment: Longitudinal,
        users: int,
        rng: SupportsIndex | np.random.Generator | None = None,
    ) -> None:
        if not isinstance(deployment, LGRR | LOLOHA | UnaryTwice):
            rule = "must be LGRR, LOLOHA or a memoised unary encoding"
            raise ParameterError("deployment", rule, type(deployment))
        self.deployment = deployment
        self.users = check_integer("users", users, 1, MOST_CLIENTS)
        self._source = word_source(rng, "population", *deployment.identity.named)
        self._keys: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._answers: NDArray[Any] | None = None
        self._functions: NDArray[np.int64] | None = None
        if isinstance(deployment, LOLOHA):
            digits = digit_count(deployment.k, deployment.g)
            drawn = uniform_numbers(self.users * digits, deployment.g, self._source)
            self._functions = drawn.reshape(self.users, digits)

    def report(self, values: Any) -> Reports:
        """One report of every client.

        Args:
            values: of the users in order, shape (users,): integers 0..k-1, or labels where the
                deployment has `categories`.

        Raises:
            DomainError: other values, or of other many users; nothing is drawn then.
        """
        made = self.deployment
        held = encode(values, made.k, made.index).astype(np.int64, copy=False)
        if len(held) != self.users:
            raise DomainError("values", f"must be one for each of {self.users} users", len(held))
        if isinstance(made, LOLOHA) and self._functions is not None:
            memories = evaluate(self._functions, held, made.g)
            buckets = grr(self._kept(memories), made.g, made.thresholds[-1], self._source, WIDTH)
            data = np.column_stack([self._functions.astype(buckets.dtype), buckets])
        else:
            data = made.instantaneous(self._kept(held), (), self._source)
        return Reports(data, made.identity, simulated=True)

    def _kept(self, memories: NDArray[np.int64]) -> NDArray[Any]:
        """The permanent answers of these numbers, of the users in order; drawn where new."""
        keys = np.arange(self.users) * self.deployment.memories + memories
        at = np.searchsorted(self._keys, keys)
        known = np.zeros(self.users, dtype=bool)
        inside = at < len(self._keys)
        known[inside] = self._keys[at[inside]] == keys[inside]
        if not known.all():
            drawn: Any = self.deployment.first.sampler().draw(memories[~known], self._source)
            # Both lists of keys rise, as users stand in order.
            places = np.searchsorted(self._keys, keys[~known])
            self._keys = np.insert(self._keys, places, keys[~known])
            before = drawn[:0] if self._answers is None else self._answers
            self._answers = np.insert(before, places, drawn, axis=0)
            at = np.searchsorted(self._keys, keys)
        assert self._answers is not None
        answers: NDArray[Any] = self._answers[at]
        return answers
